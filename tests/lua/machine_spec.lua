local core <const> = require "frlua.core"
local machine <const> = require "frlua.machine"
local tree <const> = dofile "tests/lua/data/tree.lua"

-- What `ask` finds on a machine with these files below /sys and /proc.
local function on(contents, ask)
  local root <close> = tree.new(contents)
  machine.read_from { sys = root.path .. "/sys", proc = root.path .. "/proc" }
  local answer <const> = table.pack(pcall(ask))
  machine.read_from {}
  assert(answer[1], answer[2])
  return table.unpack(answer, 2, answer.n)
end

local function field_on(contents, field)
  return on(contents, function() return machine[field], machine.why[field] end)
end

local function command(line)
  local pipe <close> = io.popen(line)
  return pipe:read "l"
end

local thp <const> = "sys/kernel/mm/transparent_hugepage/"

describe("this machine", function()
  it("tells what other programs of the system tell", function()
    assert.equal(tonumber(command "getconf PAGESIZE"), machine.page_bytes)
    assert.equal(command "uname -r", machine.kernel)
    assert.equal(command "uname -m", machine.arch)
    local pages <const> = tonumber(command "getconf _PHYS_PAGES")
    assert.equal(pages * machine.page_bytes, machine.memory_bytes)
    assert.equal(command "cat /sys/kernel/mm/transparent_hugepage/enabled | grep -o '[[].*[]]'",
      machine.thp and "[" .. machine.thp .. "]")
  end)

  it("gives a value or a reason for every field, never both", function()
    local passport <const> = machine.passport(core.allowed_cpus()[1])
    for _, field in ipairs {
      "kernel", "arch", "hypervisor", "cpu_model", "cpus_allowed", "memory_bytes", "page_bytes",
      "line_bytes", "huge_page_bytes", "thp", "thp_defrag", "mthp", "thp_disabled",
      "thp_only_advised", "caches", "clocksource", "core_kind", "governor", "frequency_driver",
      "frequency_khz", "aslr",
    } do
      assert.is_true((passport[field] == nil) ~= (passport[field .. "_why"] == nil), field)
    end
    assert.is_string(require "frlua.json".encode(passport))
  end)

  it("refuses a field that it does not have, with the nearest name", function()
    local ok <const>, message <const> = pcall(function() return machine.page_byte end)
    assert.is_false(ok)
    assert.matches("unknown field 'page_byte' in fr.machine: did you mean 'page_bytes'", message,
      1, true)
  end)
end)

describe("a machine that hides its files", function()
  it("has unknown fields, with reasons, and no zeros", function()
    local passport <const> = on({}, function() return machine.passport(0) end)
    for _, field in ipairs {
      "hypervisor", "cpu_model", "memory_bytes", "huge_page_bytes", "thp", "thp_defrag", "mthp",
      "clocksource", "core_kind", "governor", "frequency_driver", "frequency_khz", "aslr",
    } do
      assert.is_nil(passport[field])
      assert.matches("%S", passport[field .. "_why"])
    end
    assert.equal(core.sizes().page_bytes, passport.page_bytes)
  end)

  it("tells why a field is nil before it is asked for the field", function()
    assert.matches("No such file", on({}, function() return machine.why.thp end))
  end)
end)

describe("settings of huge pages", function()
  it("are the word in brackets, wherever it stands and whatever it is", function()
    for line, word in pairs {
      ["[always] madvise never"] = "always", ["always madvise [never]"] = "never",
      ["always inherit auto advise_only [madvise] never deferred"] = "madvise",
      ["always [defer+madvise] never"] = "defer+madvise", ["always [brand_new]"] = "brand_new",
    } do
      assert.equal(word, (field_on({ [thp .. "enabled"] = line }, "thp")))
      assert.equal(word, (field_on({ [thp .. "defrag"] = line }, "thp_defrag")))
    end
  end)

  it("are unknown when no word is in brackets", function()
    local word <const>, why <const> =
      field_on({ [thp .. "enabled"] = "always madvise never" }, "thp")
    assert.is_nil(word)
    assert.matches("always madvise never", why, 1, true)
  end)

  it("have the size that the kernel tells, whatever the page size", function()
    local function huge_page_bytes(text)
      return field_on({ [thp .. "hpage_pmd_size"] = text }, "huge_page_bytes")
    end
    assert.equal(536870912, (huge_page_bytes "536870912"))
    for _, text in ipairs { "0", "x", "" } do
      local bytes <const>, why <const> = huge_page_bytes(text)
      assert.is_nil(bytes)
      assert.is_string(why)
    end
  end)

  it("have further sizes, of which those are listed that are not never", function()
    assert.same({ ["64 KiB"] = "always", ["2 MiB"] = "inherit" }, field_on({
      [thp .. "enabled"] = "always madvise [never]",
      [thp .. "hugepages-16kB/enabled"] = "always inherit madvise [never]",
      [thp .. "hugepages-64kB/enabled"] = "[always] inherit madvise never",
      [thp .. "hugepages-2048kB/enabled"] = "always [inherit] madvise never",
    }, "mthp"))
    assert.same({}, (field_on({ [thp .. "hugepages-64kB/enabled"] = "[never]" }, "mthp")))
    assert.is_nil((field_on({ [thp .. "enabled"] = "[never]" }, "mthp")))
  end)
end)

describe("the switch of a process against huge pages", function()
  -- What a host says that such a prctl(PR_SET_THP_DISABLE) was done for; nil where it is refused.
  local function after(flags)
    local run <const> = require "frlua".spawn { "python3", "-c", [[
import ctypes, os, sys
if ctypes.CDLL(None).prctl(41, 1, int(sys.argv[1]), 0, 0) == 0:
    os.execv(sys.argv[2], sys.argv[2:])]], tostring(flags), core.root .. "/bin/frlua", "-e",
      "local m = require 'frlua'.machine print(m.thp_disabled, m.thp_only_advised)" }
    return run and run.stdout ~= "" and run.stdout or pending "it can't be set here"
  end

  it("is read from this process", function()
    assert.equal("true\tfalse\n", after(0))
    local bits <const> = core.thp_disabled()
    assert.equal(bits & 3 == 1, machine.thp_disabled)
  end)

  it("has a milder kind, which leaves what is advised", function()
    assert.equal("false\ttrue\n", after(2))
  end)

  it("is unknown where the kernel has none", function()
    machine.read_from {}
    stub(core, "thp_disabled", function() return nil, "PR_GET_THP_DISABLE: Invalid argument" end)
    local value <const>, why <const> = machine.thp_disabled, machine.why.thp_disabled
    core.thp_disabled:revert()
    machine.read_from {}
    assert.is_nil(value)
    assert.equal("PR_GET_THP_DISABLE: Invalid argument", why)
  end)
end)

describe("a hypervisor", function()
  local guest <const> = "processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\n"
  local metal <const> = "processor\t: 0\nflags\t\t: fpu vme lahf_lm\nmodel name\t: hypervisor 3\n"

  local function hypervisor(contents)
    return (field_on(contents, "hypervisor"))
  end

  it("is named by itself, or by the maker of the machine", function()
    assert.equal("xen", hypervisor { ["sys/hypervisor/type"] = "xen", ["proc/cpuinfo"] = guest })
    assert.equal("Microsoft Corporation", hypervisor {
      ["sys/class/dmi/id/sys_vendor"] = "Microsoft Corporation", ["proc/cpuinfo"] = guest,
    })
    assert.equal("QEMU", hypervisor {
      ["sys/class/dmi/id/sys_vendor"] = "QEMU", ["proc/cpuinfo"] = "processor\t: 0\n",
    })
  end)

  it("is unknown by name where only the CPU shows it", function()
    assert.equal("unknown hypervisor", hypervisor { ["proc/cpuinfo"] = guest })
  end)

  it("is not seen on bare metal, whoever made it", function()
    local value <const>, why <const> = field_on({
      ["sys/class/dmi/id/sys_vendor"] = "Microsoft Corporation", ["proc/cpuinfo"] = metal,
    }, "hypervisor")
    assert.is_nil(value)
    assert.equal("nothing in /sys or /proc/cpuinfo shows one", why)
  end)
end)

describe("other facts of a machine", function()
  it("are its CPU's model, or maker and part where it has no name", function()
    assert.equal("Fast CPU @ 3 GHz", (field_on({
      ["proc/cpuinfo"] = "processor : 0\nmodel name\t: Fast CPU @ 3 GHz\n",
    }, "cpu_model")))
    assert.equal("implementer 0x41, part 0xd0c", (field_on({
      ["proc/cpuinfo"] = "processor : 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n",
    }, "cpu_model")))
  end)

  it("are its memory in bytes, its clock source, and the clock of the CPU used", function()
    local contents <const> = {
      ["proc/meminfo"] = "MemTotal:       1024 kB\nMemFree: 1 kB",
      ["sys/devices/system/clocksource/clocksource0/current_clocksource"] = "tsc",
      ["sys/devices/system/cpu/cpu7/cpufreq/scaling_governor"] = "powersave",
      ["sys/devices/system/cpu/cpu7/cpufreq/scaling_driver"] = "intel_pstate",
      ["sys/devices/system/cpu/cpu7/cpufreq/scaling_cur_freq"] = "800001",
    }
    local passport <const> = on(contents, function() return machine.passport(7) end)
    assert.equal(1048576, passport.memory_bytes)
    assert.equal("tsc", passport.clocksource)
    assert.same({ "powersave", "intel_pstate", 800001 },
      { passport.governor, passport.frequency_driver, passport.frequency_khz })
  end)

  it("are whether addresses are random, by the machine's setting and the process' own", function()
    local setting <const> = "proc/sys/kernel/randomize_va_space"
    local off = false
    stub(core, "aslr_off", function() return off end)
    assert.equal("off", (field_on({ [setting] = "0" }, "aslr")))
    assert.equal("on, but not for the heap", (field_on({ [setting] = "1" }, "aslr")))
    assert.equal("on", (field_on({ [setting] = "2" }, "aslr")))
    assert.equal("setting 3", (field_on({ [setting] = "3" }, "aslr")))
    off = true
    local process <const> = field_on({ [setting] = "2" }, "aslr")
    core.aslr_off:revert()
    assert.equal("off for this process", process)
  end)

  it("are its cache lines by sysfs where the C library does not know, and else unknown", function()
    local cache <const> = ("sys/devices/system/cpu/cpu%d/cache/"):format(core.allowed_cpus()[1])
    local contents <const> = {
      [cache .. "index0/level"] = "1", [cache .. "index0/type"] = "Instruction",
      [cache .. "index0/coherency_line_size"] = "32",
      [cache .. "index1/level"] = "1", [cache .. "index1/type"] = "Data",
      [cache .. "index1/coherency_line_size"] = "128",
    }
    stub(core, "sizes", function() return { page_bytes = 65536 } end)
    stub(core, "allowed_cpus", function() return { tonumber(cache:match "cpu(%d+)/") } end)
    local bytes <const> = field_on(contents, "line_bytes")
    local none <const>, why <const> = field_on({}, "line_bytes")
    core.sizes:revert()
    core.allowed_cpus:revert()
    assert.equal(128, bytes)
    assert.is_nil(none)
    assert.is_string(why)
  end)

  it("are read once, and again after they may have changed", function()
    local setting <const> = thp .. "enabled"
    local before <const>, after <const> = on({ [setting] = "[always] never" }, function()
      local first <const> = machine.thp
      local root <close> = tree.new { [setting] = "always [never]" }
      require "frlua.kernel".read_from { sys = root.path .. "/sys" }
      local second <const> = machine.thp
      machine.read_from { sys = root.path .. "/sys" }
      return first .. second, machine.thp
    end)
    assert.equal("alwaysalways", before)
    assert.equal("never", after)
  end)

  it("are how much an eviction goes through: twice the cache, if that is plausible", function()
    local cpu <const> = core.allowed_cpus()[1]
    local cache <const> = ("sys/devices/system/cpu/cpu%d/cache/index3/"):format(cpu)
    local function evict_bytes(size)
      stub(core, "allowed_cpus", function() return { cpu } end)
      local bytes <const> = on({
        [cache .. "level"] = "3", [cache .. "type"] = "Unified", [cache .. "size"] = size,
        [cache .. "shared_cpu_list"] = "0-1", ["proc/meminfo"] = "MemTotal: 25165824 kB",
      }, machine.evict_bytes)
      core.allowed_cpus:revert()
      return bytes
    end
    assert.equal(192 << 20, evict_bytes "98304K")
    assert.equal(64 << 20, evict_bytes "520192K")
  end)
end)
