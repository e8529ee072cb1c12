-- The library's numbers and verdicts against tests/oracle/crosscheck.py, which was written from
-- their definitions alone, in another language.
local crosschecked <const> = require "crosschecked"
local fakes <const> = require "fakes"
local fr <const> = require "frlua"
local json <const> = require "frlua.json"
local result <const> = require "frlua.result"
local sessions <const> = require "sessions"
local simulated <const> = require "simulated"

setup(sessions.open)
teardown(sessions.close)

local crosscheck <const>, write <const> = crosschecked.run, crosschecked.write

local NAMES <const> = { "a", "b", "c" }

-- Claims of every form, near to the borders of what the simulated arms are.
local function claims()
  local function below(a, b, factor)
    return fr.below { a, than = b, metric = "time", factor = factor }
  end
  local list <const> = {}
  for index, test in ipairs {
    below("a", "b"), below("a", "c", 0.97), below("c", "b", 1.04),
    fr.above { "b", than = "a", metric = "time" },
    fr.above { "c", than = "a", metric = "process", factor = 1.05 },
    fr.same { metric = "time", within = 0.08 }, fr.same { "a", "b", metric = "time", within = 0.3 },
    fr.monotone { arms = NAMES, metric = "time", within = 0.03 },
    fr.exact { "a", "faults", 1 },
    fr.all { fr.exact { "b", "faults", 1 }, below("a", "b"), fr.all { below("a", "c", 1.1) } },
    fr.huge "a",
  } do list[index] = fr.claim("claim " .. index) { test = test } end
  list[#list + 1] = fr.claim "resting" { needs = below("a", "b"), test = below("a", "c", 1.1) }
  list[#list + 1] = fr.claim "needing" { needs = { fr.huge "b", below("a", "b", 1.2) },
    test = below("a", "c"), otherwise = fr.claim "instead" { needs = fr.exact { "c", "faults", 1 },
    test = below("a", "b", 0.99) } }
  return list
end

-- A document of many that differ in effect, noise, rounds, lost samples, counts and evidence.
local function document(seed)
  local generator <const> = simulated.generator(seed)
  local effect <const> = 0.1 * generator:uniform() - 0.05
  local noise <const> = 0.08 * generator:uniform()
  local lossy <const>, odd <const> = generator:below(3) == 0, generator:below(3) == 0
  local level <const> = { a = 1, b = 1 + effect, c = 1 + 2 * effect }
  local huge <const> = ({ 4096, 0, nil })[1 + generator:below(3)]
  return simulated.document(NAMES, claims(), 4 + generator:below(30), seed, function(arm)
    if lossy and generator:below(8) == 0 then return nil end
    local ns <const> = 1e5 * level[arm.twin_of or arm.name]
      * math.exp(noise * simulated.normal(generator))
    return { ns = math.tointeger(ns // 1), huge = huge,
      faults = odd and generator:below(20) == 0 and 2 or 1 }
  end)
end

describe("an independent recomputation", function()
  it("agrees on simulated results, whose verdicts are of every kind", function()
    local texts <const>, seen <const> = {}, {}
    for seed = 1, 100 do
      local made <const> = document(seed)
      for _, claim in ipairs(made.claims) do
        seen[claim.test.form] = seen[claim.test.form] or {}
        seen[claim.test.form][claim.verdict] = true
      end
      texts[seed] = result.encode(made)
    end
    write("simulated.json", "[" .. table.concat(texts, ",") .. "]")
    local told <const>, status <const> = crosscheck "simulated.json"
    assert.equal(0, status, told)
    assert.not_matches("NOT CHECKED", told)
    assert.matches("%d+ rounds needed", told)
    for _, form in ipairs { "below", "above", "same", "monotone", "exact", "all", "huge" } do
      for _, verdict in ipairs { "pass", "fail", "withdrawn" } do
        assert.is_true(seen[form][verdict], ("no %s came out as %s"):format(form, verdict))
      end
    end
  end)

  it("agrees on runs: whole, quick, of few rounds, of some arms", function()
    local script <const> = [[
return fr.experiment "real" {
  regions = { fr.region "b" { bytes = "64 KiB", advise = "nohugepage" } },
  steps = { fr.step "warm" { fr.write "b" } }, timed = { fr.write "b" }, iterations = 101,
  arms = fr.modes { "natural", "warm" },
  metrics = { fr.metric "first" { at = 1 }, fr.metric "faults" { faults_at = 1 },
              fr.metric "late" { median_from = 12 } },
  apart = { metric = "late", above = 1.01 },
  splits = { fr.split "s" { whole = { "natural", "first" }, per = "faults",
    fr.part "faulting" { { "natural", "first" }, less = { "warm", "first" } },
    fr.part "writing" { { "warm", "first" } } } },
  claims = {
    fr.claim "faults cost" { test = fr.above { "natural", than = "warm", metric = "first" } },
    fr.claim "late" { test = fr.same { metric = "late", within = 0.1 } },
    fr.claim "first" { test = fr.above { { "warm", "first" }, than = { "warm", "late" } } },
  },
}]]
    for _, options in ipairs { "", "--quick", "--rounds 7", "--arm warm" } do
      local child <const> = sessions.run('"$1" "$2" --json run.json $3 >/dev/null', script, options)
      assert.is_true(child.exit_status == 0 or child.exit_status == 5, child.stderr)
      local told <const>, status <const> = crosscheck "run.json"
      assert.equal(0, status, told)
      assert.matches("steady states", told, 1, true)
    end
  end)

  local PAGES <const> = [[
local page = fr.machine.page_bytes
local function arm(name, before)
  return fr.arm(name) { fr.phase "before" { before }, fr.phase "work" { fr.write "b" } }
end
local both = { "before", "work" }
return fr.experiment "pages" {
  regions = { fr.region "b" { bytes = 16 * page + 1, advise = "nohugepage" } },
  arms = { arm("touched", fr.read "b"), arm("populated", fr.populate "b") }, rounds = 6,
  metrics = {
    fr.metric "page" { phase = both, per = "page", keep = "min" },
    fr.metric "fault" { phase = both, per = "fault", keep = "median" },
    fr.metric "line" { phase = both, per = "line" },
    fr.metric "faults" { phase = both, faults_at = 1, keep = { fastest = "page" } },
    fr.metric "major" { phase = both, major_faults_at = 1 },
    fr.metric "work" { phase = "work", per = "page", keep = { fastest = "page" } },
    fr.metric "work_faults" { phase = "work", faults_at = 1 },
  },
  splits = {
    fr.split "shown" { whole = { "populated", "page" }, per = "faults",
      fr.part "work" { { "populated", "work" } },
      unless = { { "populated", "page" }, above = 1000, times = { "populated", "work" },
        without = { "populated", "work_faults" }, because = "never" } },
    fr.split "withdrawn" { whole = { "populated", "page" },
      fr.part "work" { { "populated", "work" } },
      unless = { { "populated", "page" }, above = 1, times = { "populated", "work" },
        without = { "populated", "work_faults" }, because = "always" } },
  },
}]]

  it("agrees on numbers per page, line and fault, kept values, withdrawals, traces", function()
    assert.equal(0, sessions.run('"$1" "$2" --faults --json pages.json', PAGES).exit_status)
    local text <const> = sessions.contents "pages.json"
    local told, status = crosscheck "pages.json"
    assert.equal(0, status, told)
    assert.not_matches("NOT CHECKED", told)
    local is_traced <const> = json.decode(text).fault_traces ~= json.null
    assert.matches(is_traced and "fault traces" or "kept values", told, 1, true)
    local changes <const> = {
      ["arms 'touched'.page_ns_per_page.median"] = function(d)
        d.arms[1].metrics.page_ns_per_page.median = 1
      end,
      ["arms 'touched'.line_ns_per_line.max"] = function(d)
        d.arms[1].metrics.line_ns_per_line.max = 1
      end,
      ["arms 'populated'.fault_ns_per_fault.kept"] = function(d)
        d.arms[2].metrics.fault_ns_per_fault.kept = 1
      end,
      ["arms 'touched'.work_ns_per_page.kept"] = function(d)
        d.arms[1].metrics.work_ns_per_page.kept = nil
      end,
      ["arms 'touched'.major.exact"] = function(d) d.arms[1].metrics.major = { exact = 7 } end,
      ["splits 'shown'.withdrawn"] = function(d) d.splits[1].withdrawn = true end,
      ["splits 'shown'.per.median"] = function(d) d.splits[1].per.ns.median = 1 end,
      ["faults faults of 'populated'.seen"] = function(d)
        for _, account in ipairs(d.faults) do account.seen = { exact = 3 } end
      end,
    }
    if not fakes.is_sanitized then -- whose faults are a reason not to withdraw
      changes["splits 'withdrawn'.withdrawn"] = function(d) d.splits[2].withdrawn = nil end
    end
    if is_traced then
      changes["fault_traces 'touched'.'work'.total"] = function(d)
        d.fault_traces[1].phases[2].total = 1000
      end
      changes["fault_traces 'touched'.'work'.by_mapping"] = function(d)
        d.fault_traces[1].phases[2].by_mapping[1].mapping = "stack"
      end
    end
    for place, change in pairs(changes) do
      local changed <const> = assert(json.decode(text))
      change(changed)
      write("changed.json", json.encode(changed))
      told, status = crosscheck "changed.json"
      assert.equal(1, status, place)
      assert.matches("DIFFERENT " .. place .. ":", told, 1, true)
    end
  end)

  it("says what it does not know", function()
    local newer <const> = assert(json.decode(result.encode(document(5))))
    newer.novelty = 1
    newer.design.novelty = 1
    newer.design.metrics[1].twist = "new"
    write("newer.json", json.encode(newer))
    local told <const> = crosscheck "newer.json"
    assert.matches("NOT CHECKED, unknown to this program: field 'novelty'", told, 1, true)
    assert.matches("NOT CHECKED, unknown to this program: field 'design.novelty'", told, 1, true)
    assert.matches("NOT CHECKED, unknown to this program: metric 'time'", told, 1, true)
  end)

  it("finds what was changed", function()
    local text <const> = result.encode(document(5))
    for place, change in pairs {
      digest = function(d) d.samples[1].cpu = 1 end,
      ["arms 'a'.time_ns.median"] = function(d) d.arms[1].metrics.time_ns.median = 1 end,
      ["arms 'b'.lost"] = function(d) d.arms[2].lost = 77 end,
      ["floors time of 'a'.floor"] = function(d) d.floors[1].floor = 3.0 end,
      ["claims 'claim 1'.verdict"] = function(d) d.claims[1].verdict = "maybe" end,
      ["claims 'claim 1'.contrasts[0].p_holm"] = function(d)
        d.claims[1].numbers.contrasts[1].p_holm = 0.9
      end,
      ["claims 'claim 9'.counts[0].seen"] = function(d)
        d.claims[9].numbers.counts[1].seen = { exact = 3 }
      end,
      ["design.order round 1"] = function(d) d.design.order[1][1] = d.design.order[1][2] end,
    } do
      local changed <const> = assert(json.decode(text))
      change(changed)
      write("changed.json", json.encode(changed))
      local told <const>, status <const> = crosscheck "changed.json"
      assert.equal(1, status, place)
      assert.matches("DIFFERENT " .. place .. ":", told, 1, true)
    end
  end)

  it("says so when a file can't be read", function()
    write("broken.json", "{")
    assert.equal(2, select(2, crosscheck "broken.json"))
    assert.equal(2, select(2, crosscheck "missing.json"))
  end)
end)
