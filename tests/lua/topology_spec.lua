local core <const> = require "frlua.core"
local kernel <const> = require "frlua.kernel"
local topology <const> = require "frlua.topology"
local tree <const> = dofile "tests/lua/data/tree.lua"

local CPU <const> = "sys/devices/system/cpu/"

-- The topology of a CPU on a machine with these files, and with no caches in the C library.
local function topology_on(contents, cpu)
  local root <close> = tree.new(contents)
  kernel.read_from { sys = root.path .. "/sys", proc = root.path .. "/proc" }
  stub(core, "sizes", function() return {} end)
  local found <const> = topology.of(cpu)
  core.sizes:revert()
  kernel.read_from {}
  return found
end

local function command(line)
  local pipe <close> = io.popen(line)
  return pipe:read "l"
end

describe("the topology of this machine", function()
  it("has as many cores and packages as the kernel has", function()
    local cpu <const> = core.allowed_cpus()[1]
    local found <const> = topology.of(cpu)
    local files <const> = "cat /sys/devices/system/cpu/cpu[0-9]*/topology/%s | sort -u | wc -l"
    local cores <const> = command(files:format "core_cpus_list")
    if not io.open("/sys/devices/system/cpu/cpu0/topology/core_cpus_list") then
      pending "sysfs tells no topology here"
    end
    assert.equal(tonumber(cores), found.cores)
    assert.equal(tonumber(command(files:format "physical_package_id")), found.packages)
    assert.equal(command "cat /sys/devices/system/cpu/online", found.online)
  end)

  it("is hwloc's, with the caches by which the CPU's loads go", function()
    local native <const> = require "frlua.native" "topology"
    local cpu <const> = core.allowed_cpus()[1]
    local asked <const> = native.read(cpu)
    if not asked.core_cpus then pending "hwloc does not know this machine" end
    local found <const> = topology.of(cpu)
    assert.equal("hwloc", found.source)
    assert.is_nil(found.hwloc_why)
    for index, cache in ipairs(asked.caches) do
      assert.equal(cache.bytes, found.caches[index].bytes)
      assert.equal("hwloc", found.caches[index].source)
    end
  end)

  it("is refused to misuse, and knows no CPU that there is not", function()
    local native <const> = require "frlua.native" "topology"
    assert.is_false((pcall(native.read, -1)))
    assert.is_false((pcall(native.read, "x")))
    local found <const> = native.read(1 << 20)
    assert.is_nil(found.core_cpus)
    assert.is_nil(found.caches)
  end)

  it("does not leave this process on another CPU", function()
    local before <const> = table.concat(core.allowed_cpus(), ",")
    topology.of(core.allowed_cpus()[1])
    assert.equal(before, table.concat(core.allowed_cpus(), ","))
  end)
end)

describe("the topology by sysfs", function()
  local function of(number, package, siblings)
    return {
      [("%scpu%d/topology/physical_package_id"):format(CPU, number)] = package,
      [("%scpu%d/topology/thread_siblings_list"):format(CPU, number)] = siblings,
    }
  end

  local function merged(...)
    local all <const> = {}
    for _, part in ipairs { ... } do
      for path, text in pairs(part) do all[path] = text end
    end
    return all
  end

  it("counts packages, cores and nodes of the CPUs that are online", function()
    local found <const> = topology_on(merged({
      [CPU .. "online"] = "0,2-3,5", ["sys/devices/system/node/online"] = "0-1",
    }, of(0, "0", "0,2"), of(2, "0", "0,2"), of(3, "1", "3"), of(5, "1", "5"), of(4, "7", "4")), 2)
    assert.same({ 2, 3, 2 }, { found.packages, found.cores, found.numa_nodes })
    assert.same({ 0, 2 }, found.core_cpus)
    assert.equal("sysfs", found.source)
    assert.equal("0,2-3,5", found.online)
    assert.is_string(found.hwloc_why)
  end)

  it("leaves unknown what it does not tell, with the reason", function()
    local found <const> = topology_on({ [CPU .. "online"] = "0-2047" }, 1)
    for _, name in ipairs { "packages", "cores", "numa_nodes", "core_cpus", "caches" } do
      assert.is_nil(found[name])
      assert.is_string(found[name .. "_why"])
    end
    local hidden <const> = topology_on({}, 0)
    assert.is_nil(hidden.online)
    assert.is_nil(hidden.cores)
    assert.is_string(hidden.cores_why)
  end)
end)

describe("hwloc", function()
  -- What is made of what hwloc says, where the kernel has CPUs 0-1 online.
  local function judged(said)
    local found <const> = { is_this_machine = true, cpus = { 0, 1 }, core_cpus = { 0 },
      caches = {}, cores = 2 }
    for key, value in pairs(said) do found[key] = value or nil end
    stub(kernel, "is_this_machine", function() return true end)
    local native <const> = require "frlua.native" "topology"
    stub(native, "read", function() return found end)
    local result <const> = topology_on({ [CPU .. "online"] = "0-1" }, 0)
    native.read:revert()
    kernel.is_this_machine:revert()
    return result
  end

  it("is believed where it finds the CPUs that are online", function()
    local found <const> = judged {}
    assert.same({ "hwloc", 2 }, { found.source, found.cores })
    assert.is_string(found.packages_why)
  end)

  it("is not believed where it finds other CPUs, or another machine", function()
    assert.equal("it finds the CPUs 0,5, where the kernel has 0-1 online",
      judged({ cpus = { 0, 5 } }).hwloc_why)
    assert.matches("another machine", judged({ is_this_machine = false }).hwloc_why)
    assert.matches("does not find the core", judged({ core_cpus = false }).hwloc_why)
    assert.equal("sysfs", judged({ core_cpus = false }).source)
  end)

  it("says of a cache only what it knows", function()
    local found <const> = judged { caches = {
      { level = 1, type = "Data", bytes = 32768, ways = 8, line_bytes = 64, cpus = { 0 } },
      { level = 2, type = "Unified", fully_associative = true, cpus = { 0, 1 } },
    } }
    assert.same({ level = 1, type = "Data", bytes = 32768, ways = 8, line_bytes = 64,
      shared_cpus = "0", source = "hwloc" }, found.caches[1])
    local second <const> = found.caches[2]
    assert.is_nil(second.bytes)
    assert.is_string(second.bytes_why)
    assert.equal("it is fully associative", second.ways_why)
    assert.equal("0-1", second.shared_cpus)
  end)
end)
