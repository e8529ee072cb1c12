local core <const> = require "frlua.core"
local json <const> = require "frlua.json"
local machine <const> = require "frlua.machine"
local passport <const> = require "frlua.passport"
local tree <const> = dofile "tests/lua/data/tree.lua"

local CPU <const> = "sys/devices/system/cpu/"
local THP <const> = "sys/kernel/mm/transparent_hugepage/"

-- What a spec lays down of a machine that is otherwise at rest.
local function seen_of(known, other)
  local seen <const> = {
    cpu = 0, known = known, topology = { source = "sysfs", core_cpus = { 0 }, online = "0-1" },
    cgroups = { cpu_quota = "none", memory_max_bytes = "none", cpuset = "none" },
    clock = { source = "CLOCK_MONOTONIC", vdso = true, read_ns = 20.5, step_ns = 10, backward = 0 },
    looks = { [0] = { busy_share = 0.0, steal_share = 0.0 } }, look_ms = 200,
    limits = { busy_share = 0.05 },
  }
  for key, value in pairs(other or {}) do seen[key] = value end
  return seen
end

-- The facts, by name, of such a machine with these files below /sys and /proc.
local function facts_on(contents, other)
  local root <close> = tree.new(contents)
  machine.read_from { sys = root.path .. "/sys", proc = root.path .. "/proc" }
  local facts <const>, by_name <const> = passport.facts(seen_of(machine.passport(0), other)), {}
  machine.read_from {}
  for _, fact in ipairs(facts) do by_name[fact.name] = fact end
  return by_name, facts
end

local function level_on(name, contents, other)
  return facts_on(contents, other)[name].level
end

describe("the passport", function()
  it("has a value or a reason for every fact, a level, and what it means", function()
    local _, facts <const> = facts_on {}
    for _, fact in ipairs(facts) do
      assert.is_true((fact.value == nil) == (fact.value_why ~= nil), fact.name)
      assert.is_true(fact.value ~= nil or fact.level == "unknown", fact.name)
      assert.matches("%.$", fact.meaning)
      assert.matches("%S", fact.text)
    end
  end)

  it("has each name once", function()
    local seen <const> = {}
    local _, facts <const> = facts_on { [CPU .. "cpu0/cache/index0/level"] = "1",
      [CPU .. "cpu0/cache/index0/type"] = "Data" }
    for _, fact in ipairs(facts) do
      assert.is_nil(seen[fact.name], fact.name)
      seen[fact.name] = true
    end
  end)

  it("takes what is hidden as unknown, never as well", function()
    local facts <const> = facts_on {}
    for _, name in ipairs {
      "cpu_model", "core_kind", "governor", "thp", "thp_defrag", "mthp", "memory_available_bytes",
      "swap_used_bytes", "clocksource", "aslr", "pmu", "load_1min",
    } do
      assert.equal("unknown", facts[name].level, name)
    end
  end)

  it("fits its schema, here and where everything is hidden", function()
    local file <close> = assert(io.open "lua/frlua/machine.schema.json")
    local schema <const> = assert(json.decode(file:read "a"))
    local result <const> = require "frlua.result"
    local function findings(seen)
      local text <const> = json.encode(result.with_nulls(passport.document(seen, "asked for")))
      return require "frlua.schema".findings(assert(json.decode(text)), schema, "passport")
    end
    assert.same({}, findings(passport.look(core.allowed_cpus()[1])))
    local root <close> = tree.new {}
    machine.read_from { sys = root.path, proc = root.path }
    local seen <const> = passport.look(core.allowed_cpus()[1])
    local found <const> = findings(seen)
    machine.read_from {}
    assert.same({}, found)
  end)
end)

describe("what disturbs", function()
  it("is a high load of others, compared with the CPUs that there are", function()
    local function level(text)
      return level_on("load_1min", { ["proc/loadavg"] = text .. " 9.00 9.00 1/100 4711" })
    end
    assert.equal("ok", level "0.99")
    assert.equal("disturbs", level "1.00")
  end)

  it("is work on the CPU of the samples, or on its sibling", function()
    local function levels(own, sibling)
      local facts <const> = facts_on({}, {
        topology = { source = "sysfs", core_cpus = { 0, 4 } },
        looks = { [0] = { busy_share = own }, [4] = { busy_share = sibling } },
      })
      return { facts.busy_share.level, facts.smt_siblings.level }
    end
    assert.same({ "ok", "note" }, levels(0.05, 0.05))
    assert.same({ "disturbs", "note" }, levels(0.06, 0.0))
    assert.same({ "ok", "disturbs" }, levels(0.0, 0.06))
    assert.equal("4", facts_on({}, {
      topology = { source = "sysfs", core_cpus = { 0, 4 } },
    }).smt_siblings.value)
    assert.equal("ok", level_on("smt_siblings", {}))
  end)

  it("is a host that takes the CPU away now; what it took before is told", function()
    local function level(share, ticks)
      return level_on("steal_share", { ["proc/stat"] = "cpu  1 1 1 1 1 1 1 1\ncpu0 9 9 9 9 9 9 9 "
        .. ticks }, { looks = { [0] = { busy_share = 0.0, steal_share = share } } })
    end
    assert.same({ "ok", "note", "disturbs" }, { level(0.0, 0), level(0.0, 1), level(0.01, 1) })
  end)

  it("is a clock that is read by system call, is coarse, or runs backwards", function()
    local function levels(clock)
      local facts <const> = facts_on({
        ["sys/devices/system/clocksource/clocksource0/current_clocksource"] = "hpet",
      }, { clock = clock })
      return { facts.clocksource.level, facts.clock_read_ns.level, facts.clock_step_ns.level,
        facts.clock_backward_steps.level }
    end
    assert.same({ "ok", "ok", "ok", "ok" }, levels {
      source = "CLOCK_MONOTONIC", vdso = true, read_ns = 20.5, step_ns = 205, backward = 0 })
    assert.same({ "disturbs", "disturbs", "disturbs", "disturbs" }, levels {
      source = "CLOCK_MONOTONIC", vdso = false, read_ns = 20.5, step_ns = 206, backward = 1 })
    assert.same({ "ok", "unknown", "unknown", "ok" }, levels {
      source = "CLOCK_MONOTONIC", vdso = true, backward = 0 })
  end)

  it("is a quota of CPU time, and memory that does not hold an eviction", function()
    local need <const> = 64 << 20
    local function limited(cgroups)
      return facts_on({ ["proc/meminfo"] = "MemTotal: 4194304 kB\nMemAvailable: 419431 kB" },
        { cgroups = cgroups })
    end
    local facts <const> = limited {
      cpu_quota = { quota_us = 150000, period_us = 100000 }, memory_max_bytes = 2 * need - 1,
    }
    assert.equal("disturbs", facts.cgroup_cpu_quota.level)
    assert.matches("1.50 CPUs", facts.cgroup_cpu_quota.text, 1, true)
    assert.equal("disturbs", facts.cgroup_memory_max_bytes.level)
    assert.equal("note", limited({ memory_max_bytes = 2 * need }).cgroup_memory_max_bytes.level)
    assert.equal("ok", limited({ memory_max_bytes = 4 << 30 }).cgroup_memory_max_bytes.level)
    assert.equal("unknown", limited({ cpuset_why = "hidden" }).cgroup_cpuset.level)
  end)

  it("is little memory left", function()
    local function level(available)
      return level_on("memory_available_bytes", {
        ["proc/meminfo"] = "MemTotal: 1000 kB\nMemAvailable: " .. available .. " kB",
      })
    end
    assert.equal("ok", level "100")
    assert.equal("disturbs", level "99")
  end)
end)

describe("what is to be noted", function()
  it("is a policy that makes unadvised memory huge, or advised memory small", function()
    for line, level in pairs {
      ["[always] madvise never"] = "note", ["always [madvise] never"] = "ok",
      ["always madvise [never]"] = "note", ["always [brand_new]"] = "note",
      ["always madvise never"] = "unknown",
    } do
      assert.equal(level, level_on("thp", { [THP .. "enabled"] = line }), line)
    end
  end)

  it("are huge pages of sizes below the largest, which smaps does not count", function()
    local function level(word, top)
      return level_on("mthp", {
        [THP .. "enabled"] = top, [THP .. "hpage_pmd_size"] = "536870912",
        [THP .. "hugepages-524288kB/enabled"] = "[always] never",
        [THP .. "hugepages-64kB/enabled"] = ("[%s]"):format(word),
      })
    end
    assert.equal("note", level("always", "always madvise [never]"))
    assert.equal("ok", level("madvise", "[always] madvise never"))
    assert.equal("note", level("inherit", "[always] madvise never"))
    assert.equal("ok", level("inherit", "always madvise [never]"))
    assert.equal("ok", level("never", "[always] madvise never"))
  end)

  it("is a clock that follows the load, with what sets it", function()
    local function governor(word)
      return facts_on({ [CPU .. "cpu0/cpufreq/scaling_governor"] = word,
        [CPU .. "cpu0/cpufreq/scaling_driver"] = "intel_pstate" }).governor
    end
    assert.equal("note", governor("powersave").level)
    assert.equal("powersave, by intel_pstate", governor("powersave").text)
    assert.equal("ok", governor("performance").level)
  end)

  it("are layouts that are all alike, swap, and a processor without counters", function()
    local function aslr(setting)
      return level_on("aslr", { ["proc/sys/kernel/randomize_va_space"] = setting })
    end
    assert.same({ "note", "note", core.aslr_off() and "note" or "ok" },
      { aslr "0", aslr "1", aslr "2" })
    local function swap(total)
      return level_on("swap_used_bytes",
        { ["proc/meminfo"] = ("SwapTotal: %s kB\nSwapFree: 0 kB"):format(total) })
    end
    assert.same({ "ok", "note" }, { swap "0", swap "4" })
  end)

  it("are counters of the processor: there, closed to users, or not there", function()
    local function pmu(names, paranoid)
      local contents <const> = { ["proc/sys/kernel/perf_event_paranoid"] = paranoid }
      for _, name in ipairs(names) do
        contents["sys/bus/event_source/devices/" .. name .. "/type"] = "1"
      end
      local fact <const> = facts_on(contents).pmu
      return { fact.level, fact.value }
    end
    assert.same({ "ok", "cpu" }, pmu({ "software", "cpu" }, "1"))
    assert.same({ "note", "cpu_atom, cpu_core" }, pmu({ "software", "cpu_core", "cpu_atom" }, "2"))
    assert.same({ "note", "none" }, pmu({ "software", "msr" }, "-1"))
  end)
end)

describe("caches in the passport", function()
  local function caches_on(files, list)
    local contents <const> = { ["proc/meminfo"] = "MemTotal: 25165824 kB" }
    for path, text in pairs(files) do contents[CPU .. "cpu0/cache/" .. path] = text end
    stub(core, "sizes", function() return { page_bytes = 65536 } end)
    local facts <const> = facts_on(contents, {
      topology = { source = "hwloc", core_cpus = { 0 }, caches = list, caches_why = "hidden" },
    })
    core.sizes:revert()
    return facts
  end

  local large <const> = { level = 3, type = "Unified", bytes = 508 << 20, shared_cpus = "0-1",
    source = "hwloc" }

  it("are shown as reported where that can't be, and marked", function()
    local fact <const> = caches_on({
      ["index3/level"] = "3", ["index3/type"] = "Unified", ["index3/size"] = "520192K",
      ["index3/shared_cpu_list"] = "0-1",
    }, { large }).cache_l3
    assert.equal("note", fact.level)
    assert.is_true(fact.value.implausible)
    assert.equal(508 << 20, fact.value.bytes)
    assert.matches("508 MiB.*implausible", fact.text)
    assert.matches("64 MiB for each of 2 CPUs", fact.meaning, 1, true)
  end)

  it("are ok where results have the same size, and else the difference is told", function()
    local one <const> = { level = 1, type = "Data", bytes = 32768, source = "hwloc" }
    local files <const> = { ["index0/level"] = "1", ["index0/type"] = "Data",
      ["index0/size"] = "32K" }
    assert.equal("ok", caches_on(files, { one }).cache_l1d.level)
    files["index0/size"] = "0K"
    local fact <const> = caches_on(files, { one }).cache_l1d
    assert.equal("note", fact.level)
    assert.matches("Results have an unknown size, by sysfs", fact.meaning)
    assert.matches("Results do not know it", caches_on({}, { one }).cache_l1d.meaning)
  end)

  it("are unknown where nothing tells them, and where one has no size", function()
    assert.equal("unknown", caches_on({}).caches.level)
    local fact <const> = caches_on({}, { { level = 2, type = "Unified", source = "sysfs",
      bytes_why = "'size' is '0K'" } }).cache_l2
    assert.equal("unknown", fact.level)
    assert.matches("'size' is '0K'", fact.meaning)
  end)
end)

describe("the passport's text", function()
  it("has a line for every fact, none above 100 columns, and what disturbs last", function()
    local document <const> = passport.document(passport.look(core.allowed_cpus()[1]), "asked for")
    document.facts[1].level = "disturbs"
    local text <const> = require "frlua.report.machine".text(document)
    for _, fact in ipairs(document.facts) do
      assert.matches(("\n  %-9s "):format(fact.level), text, 1, true)
    end
    for line in text:gmatch "[^\n]+" do
      assert.is_true(utf8.len(line) <= 100, line)
    end
    assert.matches("would disturb a measurement now: cpu model", text, 1, true)
  end)
end)
