local core <const> = require "frlua.core"
local cpus <const> = require "frlua.cpus"
local kernel <const> = require "frlua.kernel"
local tree <const> = dofile "tests/lua/data/tree.lua"

-- Calls `ask` on a machine where this process may use the `allowed` CPUs, with these files below
-- /sys/devices/system/cpu.
local function on(allowed, contents, ask)
  local below <const> = {}
  for path, text in pairs(contents) do below["devices/system/cpu/" .. path] = text end
  local sys <close> = tree.new(below)
  kernel.read_from { sys = sys.path }
  stub(core, "allowed_cpus", function() return allowed end)
  local answer <const> = table.pack(pcall(ask))
  core.allowed_cpus:revert()
  kernel.read_from {}
  return table.unpack(answer, 2, answer.n)
end

local function choose_on(allowed, contents, cpu)
  return on(allowed, contents, function() return cpus.choose(cpu) end)
end

local function range(first, last, step)
  local numbers <const> = {}
  for number = first, last, step or 1 do numbers[#numbers + 1] = number end
  return numbers
end

-- Calls `ask` with the two kinds of a hybrid processor beside these files.
local function on_hybrid(kinds, contents, ask)
  local all <const> = {}
  for kind, list in pairs(kinds) do all[("../../%s/cpus"):format(kind)] = list end
  for path, text in pairs(contents) do all[path] = text end
  return on(range(0, 5), all, ask)
end

local function hybrid(file, fast, slow)
  local contents <const> = {}
  for cpu = 0, 3 do contents[("cpu%d/%s"):format(cpu, file)] = fast end
  for cpu = 4, 5 do contents[("cpu%d/%s"):format(cpu, file)] = slow end
  return contents
end

describe("a list of CPUs", function()
  it("is read as the kernel writes it, with gaps, and beyond a thousand", function()
    assert.same({ 0 }, cpus.parse "0")
    assert.same({ 0, 2, 3 }, cpus.parse "0,2-3\n")
    assert.same({ 7 }, cpus.parse " 7-7 ")
    assert.same(range(0, 2047), cpus.parse "0-2047")
    assert.same(range(0, 152, 8), cpus.parse(table.concat(range(0, 152, 8), ",")))
    assert.equal("integer", math.type(cpus.parse("3")[1]))
  end)

  it("is refused when it is anything else, at once and without much memory", function()
    collectgarbage()
    local before <const> = collectgarbage "count"
    for _, text in ipairs {
      "", ",", "0-", "-1", "3-1", "0,,2", "0,", "1,0", "1,1", "0-2,2", "x", "0x1", "0-1-2", "1.5",
      "0-4294967296", "0-65536", "4294967296", "99999999999999999999", "0 1",
    } do
      local numbers <const>, message <const> = cpus.parse(text)
      assert.is_nil(numbers)
      assert.matches("'" .. text .. "' is no list of CPU numbers", message, 1, true)
    end
    assert.is_true(collectgarbage "count" - before < 1024)
    assert.equal(65536, #cpus.parse "0-65535")
  end)

  it("is written as the kernel writes it", function()
    for _, text in ipairs { "0", "0-1", "0,2", "0-3,8", "1-2,4-5,7,9-2047" } do
      assert.equal(text, cpus.format(cpus.parse(text)))
    end
    assert.equal("", cpus.format {})
  end)
end)

describe("the CPUs allowed to this process", function()
  it("are those that the kernel tells", function()
    local status <close> = assert(io.open "/proc/self/status")
    local expected <const> = status:read "a":match "Cpus_allowed_list:%s*(%S+)"
    assert.equal(expected, cpus.format(cpus.allowed()))
  end)
end)

describe("the CPU for the samples", function()
  it("is the last of the allowed ones where all are of one kind", function()
    local cpu, why = choose_on({ 0, 1, 5 }, {})
    assert.equal(5, cpu)
    assert.equal("last of the allowed CPUs 0-1,5", why)
    cpu, why = choose_on(range(0, 3), hybrid("cpu_capacity", "1024", "620"))
    assert.equal(3, cpu)
    assert.equal("last of the allowed CPUs 0-3", why)
  end)

  it("is of the fastest kind where there are several, and the kind is named", function()
    local cpu, why = choose_on(range(0, 5), hybrid("cpu_capacity", "1024", "620"))
    assert.equal(3, cpu)
    assert.equal("last of the fastest: of the allowed CPUs 0-5 the fastest are 0-3, capacity 1024",
      why)
    local clocks <const> = hybrid("cpufreq/cpuinfo_max_freq", "5000000", "3800000")
    cpu, why = choose_on(range(0, 5), clocks)
    assert.equal(3, cpu)
    assert.matches("highest clock 5000000 kHz", why, 1, true)
    assert.equal(5, (choose_on({ 4, 5 }, clocks)))
  end)

  it("is not judged by a figure that some CPUs lack", function()
    local contents <const> = hybrid("cpu_capacity", "1024", "620")
    contents["cpu5/cpu_capacity"] = nil
    assert.equal(5, (choose_on(range(0, 5), contents)))
  end)

  it("is the one asked for, whose kind is named if there are several", function()
    local cpu <const>, why <const> =
      choose_on(range(0, 5), hybrid("cpu_capacity", "1024", "620"), 4.0)
    assert.equal("4", ("%s"):format(cpu))
    assert.matches("^asked for, capacity 620: .* 0%-3, capacity 1024$", why)
    assert.equal("asked for", select(2, choose_on({ 0, 1 }, {}, 0)))
    assert.equal(1, (choose_on({ 0, 1 }, {}, "1")))
  end)

  it("is of the kind that the kernel calls a performance core, whatever the clocks", function()
    local clocks <const> = hybrid("cpufreq/cpuinfo_max_freq", "5000000", "3800000")
    clocks["cpu1/cpufreq/cpuinfo_max_freq"] = "5200000" -- a favoured core: no kind of its own
    local cpu <const>, why <const> = on_hybrid({ cpu_core = "0-3", cpu_atom = "4-5" }, clocks,
      cpus.choose)
    assert.equal(3, cpu)
    assert.equal("last of the fastest: of the allowed CPUs 0-5 the fastest are 0-3, "
      .. "a performance core (cpu_core)", why)
  end)

  it("can't be one that is not allowed: the reason is told, and those that are", function()
    local contents <const> = { offline = "1,6", possible = "0-7" }
    local function why(cpu)
      local chosen <const>, message <const> = choose_on({ 0, 2, 3 }, contents, cpu)
      assert.is_nil(chosen)
      return message
    end
    assert.equal("CPU 1 is offline; allowed are 0,2-3", why(1))
    assert.equal("CPU 8 does not exist (this machine can have 0-7); allowed are 0,2-3", why(8))
    assert.equal("CPU 4 is not in this process's allowed set (cgroup or taskset); "
      .. "allowed are 0,2-3", why(4))
    assert.matches("CPU 1000000000 does not exist", why(1e9))
  end)

  it("is not said to be absent where the kernel does not tell which there are", function()
    local _, message <const> = choose_on({ 0 }, { offline = "" }, 9)
    assert.matches("not in this process's allowed set", message)
  end)

  it("is refused by name when it is no CPU's number", function()
    for _, value in ipairs { -1, 1.5, 0 / 0, "x", {}, true } do
      local ok <const>, message <const> = pcall(cpus.choose, value)
      assert.is_false(ok)
      assert.matches("cpu must be a whole number of at least 0, not ", message, 1, true)
    end
  end)

  it("is unknown, with the system's message, where the allowed ones are", function()
    stub(core, "allowed_cpus", function() return nil, "sched_getaffinity: Invalid argument", 22 end)
    local cpu <const>, message <const>, errno <const> = cpus.choose()
    core.allowed_cpus:revert()
    assert.is_nil(cpu)
    assert.equal("sched_getaffinity: Invalid argument", message)
    assert.equal(22, errno)
  end)
end)

describe("the kind of a core", function()
  local function kind_on(allowed, contents, cpu)
    return on(allowed, contents, function() return cpus.kind(cpu) end)
  end

  it("is that of the CPU, and others are named with theirs", function()
    local contents <const> = hybrid("cpu_capacity", "1024", "620")
    assert.equal("capacity 1024; of other kinds are 4-5 capacity 620",
      kind_on(range(0, 5), contents, 3))
    assert.equal("capacity 620; of other kinds are 0-3 capacity 1024",
      kind_on(range(0, 5), contents, 4))
    assert.equal("highest clock 3800000 kHz; of other kinds are 0-3 highest clock 5000000 kHz",
      kind_on(range(0, 5), hybrid("cpufreq/cpuinfo_max_freq", "5000000", "3800000"), 5))
  end)

  it("is the kernel's word on a hybrid processor", function()
    local kinds <const> = { cpu_core = "0-3", cpu_atom = "4", cpu_lowpower = "5" }
    assert.equal("an efficiency core (cpu_atom); of other kinds are "
      .. "0-3 a performance core (cpu_core), 5 a low-power core (cpu_lowpower)",
      on_hybrid(kinds, {}, function() return cpus.kind(4) end))
    kinds.cpu_lowpower = nil -- then it tells the kind of CPU 5 no more, and compares nothing
    assert.equal("capacity 620; of other kinds are 0-3 capacity 1024",
      on_hybrid(kinds, hybrid("cpu_capacity", "1024", "620"), function()
        return cpus.kind(5)
      end))
  end)

  it("is that of all where they are alike, or where the others are not allowed", function()
    local contents <const> = hybrid("cpu_capacity", "1024", "620")
    assert.equal("capacity 1024, as all of 0-3", kind_on(range(0, 3), contents, 2))
    assert.equal("capacity 620, as all of 5", kind_on({ 5 }, contents, 5))
  end)

  it("is unknown, with the reason, where nothing tells it", function()
    local none, why = kind_on({ 0, 1 }, {}, 0)
    assert.is_nil(none)
    assert.matches("^the kernel tells no kind, no capacity and no highest clock", why)
    none, why = kind_on({ 0, 1 }, { ["cpu0/cpu_capacity"] = "7", ["cpu1/cpu_capacity"] = "7" }, 2)
    assert.is_nil(none)
    assert.equal("CPU 2 is not allowed to this process", why)
  end)
end)
