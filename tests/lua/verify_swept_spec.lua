-- What is changed in the result of a sweep is found by `frlua verify`, and by the recomputation in
-- another language, tests/oracle/crosscheck.py.
local crosschecked <const> = require "crosschecked"
local elimination <const> = require "frlua.elimination"
local json <const> = require "frlua.json"
local read_result <const> = require "frlua.read_result"
local result <const> = require "frlua.result"
local sessions <const> = require "sessions"
local verify <const> = require "frlua.verify"

local SCRIPT <const> = [[
local sizes = fr.geometry { line = 64, sets = 64 }
return fr.experiment "swept" {
  sweep = { lines = { 8, 100 } }, timed = { fr.chase {} }, iterations = 3,
  arms = {
    fr.arm "packed" { layout = fr.layout { gap = sizes.line_bytes, geometry = sizes } },
    fr.arm "spread" { layout = fr.layout { gap = sizes.page_bytes, off = sizes.line_bytes,
      geometry = sizes } },
    fr.arm "drawn" { layout = fr.layout { seed = 3, geometry = sizes,
      addr = function(i) return 2 * i * sizes.line_bytes end } },
  },
  metrics = { fr.metric "walk" { at = 2, per = "load" } },
  claims = {
    fr.claim "sets" { test = fr.same_sets { "packed", "spread" } },
    fr.claim "step" { test = fr.onset { "spread", than = "packed", metric = "walk",
      over = "lines", is = "lasting" } },
    fr.claim "rises" { test = fr.monotone { "spread", over = "lines", metric = "walk" } },
  },
}
]]

local text

setup(function()
  sessions.open()
  local child <const> = sessions.run('"$1" "$2" --json out.json >report.txt', SCRIPT)
  assert(child.exit_status == 0 or child.exit_status == 5, child.stderr)
  text = sessions.contents "out.json"
end)
teardown(sessions.close)

local function raw() return assert(json.decode(text)) end

local function findings(document) return table.concat(verify.document(document).findings, "\n") end

-- The first sample of an arm of the sweep.
local function sample_of(d, arm)
  for index, sample in ipairs(d.samples) do
    if sample.arm == arm then return sample, index end
  end
end

local function audit_of(d, arm) return sample_of(d, arm).evidence.layouts[1] end

-- What is changed, what verify says of it, and what the recomputation says; samples get the digest
-- that fits, as somebody would write who does it well.
local CHANGES <const> = {
  { "a guard's reading", "guards[1].ratio", "guards 'chase'.ratio", function(d)
    d.guards[1].once[1] = d.guards[1].once[1] // 2
  end },
  { "a guard's ratio", "guards[1].ratio", "guards 'chase'.ratio", function(d)
    d.guards[1].ratio = 2.0
  end },
  { "a guard's verdict", "guards[1].verdict is void in the file, and well by its readings",
    "guards 'chase'.verdict", function(d)
      d.guards[1].verdict, d.guards[1].why = "void", "because"
    end },
  { "a guard that is left out", "guards[1].kernel is nothing in the file, and chase by the design",
    "guards:", function(d) d.guards = json.array {} end },
  { "a guard of another loop", "guards[1].kernel is read in the file, and chase by the design",
    "guards:", function(d) d.guards[1].kernel, d.guards[1].code = "read", "read" end },
  { "a guard's readings, to void, where claims stay", "claims[3].verdict is pass in the file, and"
    .. " withdrawn by", "claims 'rises'.verdict", function(d)
      local guard <const> = d.guards[1]
      for index, ns in ipairs(guard.once) do guard.once[index] = ns * 3 // 2 end
      elimination.judge(guard)
      assert(guard.verdict == "void")
      d.claims[3].verdict = "pass"
    end },
  { "a layout's lines in its audit", "design.regions[1].layout.audit.lines is 9 in the file,"
    .. " and 8 by its formula", "design.regions 'packed, 8 lines'.layout.audit",
    function(d) d.design.regions[1].layout.audit.lines = 9 end },
  { "a layout's pages", "layout.audit.pages", "'spread, 8 lines'.layout.audit", function(d)
    d.design.regions[2].layout.audit.pages = 1
  end },
  { "a layout's sets", "layout.audit.set_hash", "'spread, 8 lines'.layout.audit", function(d)
    d.design.regions[2].layout.audit.set_hash = "0123456789abcdef"
  end },
  { "a layout's gap", "design.regions[2].layout.audit", "'spread, 8 lines'.layout.audit",
    function(d) d.design.regions[2].layout.gap = d.design.regions[2].layout.gap // 2 end },
  { "where a layout's lines repeat", "layout.audit", "'spread, 100 lines'.layout.audit",
    function(d) d.design.regions[5].layout.wrap = 2 end },
  { "where a layout begins", "design.regions[1].layout.start is 8 in the file, and 0",
    "'packed, 8 lines'.layout.start", function(d) d.design.regions[1].layout.start = 8 end },
  { "a function's layout against its samples", "evidence.layouts[1].used_sets",
    "samples 'drawn, 8 lines' 1.evidence.layouts", function(d)
      d.design.regions[3].layout.audit.used_sets = 4
    end },
  { "the seed of an order", "evidence.layouts[1].seed is 4 in the file, and 3 by the design and",
    "samples 'drawn, 8 lines' 1.evidence.layouts",
    function(d) audit_of(d, "drawn, 8 lines").seed = 4 end },
  { "the seed of an order that the run's gives", "evidence.layouts[1].seed",
    "samples 'packed, 8 lines' 1.evidence.layouts",
    function(d) audit_of(d, "packed, 8 lines").seed = 4 end },
  { "what a sample counted", "evidence.layouts[1].fullest_set is 3 in the file, and 1 by the",
    "samples 'spread, 8 lines' 1.evidence.layouts",
    function(d) audit_of(d, "spread, 8 lines").fullest_set = 3 end },
  { "huge pages that a sample counted", "evidence.layouts[1].huge_pages is 7 in the file",
    "samples 'spread, 8 lines' 1.evidence.layouts",
    function(d) audit_of(d, "spread, 8 lines").huge_pages = 7 end },
  { "a sample without its audit", "evidence.layouts[1] is nothing in the file",
    "samples 'spread, 8 lines' 1.evidence.layouts",
    function(d) sample_of(d, "spread, 8 lines").evidence.layouts = nil end },
  { "an audit too many", "evidence.layouts[2] is of no layout of arm 'spread, 8 lines'",
    "samples 'spread, 8 lines' 1.evidence.layouts", function(d)
      table.insert(sample_of(d, "spread, 8 lines").evidence.layouts, audit_of(d, "packed, 8 lines"))
    end },
  { "a sample's parameter", ".params.lines is 9 in the file, and 8 in the design",
    "samples 'packed, 8 lines' 1.params",
    function(d) sample_of(d, "packed, 8 lines").params.lines = 9 end },
  { "a sample's parameters left out", ".params is nothing in the file",
    "samples 'packed, 8 lines' 1.params",
    function(d) sample_of(d, "packed, 8 lines").params = nil end },
  { "an arm's parameter", "design.arms[1].name", "design.arms 'packed, 8 lines'.name",
    function(d) d.design.arms[1].params.lines = 100 end },
  { "an arm's parameter, to none of the sweep's", "design.arms[1] has none of the sweep's values",
    "design.arms 'packed, 8 lines'.params", function(d) d.design.arms[1].params.lines = 9 end },
  { "an arm's group", "design.arms[1].name", "design.arms 'packed, 8 lines'.name",
    function(d) d.design.arms[1].group = "spread" end },
  { "an arm's group in the results", "arms[1].group is spread in the file, and packed by its",
    "arms 'packed, 8 lines'.group", function(d) d.arms[1].group = "spread" end },
  { "a twin's parameter", "is 9 in the file, and 8 in the arm it is a twin of",
    "design.arms 'packed, 8 lines (twin)'.params", function(d)
      for _, arm in ipairs(d.design.arms) do
        if arm.twin_of == "packed, 8 lines" then arm.params.lines = 9 end
      end
    end },
  { "the sweep's values", "design.arms[1] has none of the sweep's values",
    "design.arms 'packed, 8 lines'.params", function(d) d.design.sweep.values[1] = 9 end },
  { "the sweep left out", "design.arms[1].params is an object in the file, and nothing without",
    "design.arms 'packed, 8 lines'.params", function(d) d.design.sweep = nil end },
  { "a step's verdict", "claims[2].verdict", "claims 'step'.verdict", function(d)
    d.claims[2].verdict = d.claims[2].verdict == "fail" and "pass" or "fail"
  end },
  { "a verdict on sets", "claims[1].verdict is fail in the file, and pass by its samples",
    "claims 'sets'.verdict", function(d) d.claims[1].verdict = "fail" end },
  { "the rounds that steps need", "design.rounds_for_claims is 20 in the file, and 10 by",
    "design.rounds_for_claims", function(d) d.design.rounds_for_claims = 20 end },
}

describe("the result of a sweep", function()
  it("verifies, and agrees with the recomputation", function()
    assert.equal("", findings(raw()))
    local told <const>, status <const> = crosschecked.run "out.json"
    assert.equal(0, status, told)
    assert.not_matches("NOT CHECKED", told)
    for _, part in ipairs { "guards", "sweeps", "layouts" } do
      assert.matches("%d+ " .. part, told)
    end
  end)

  it("verifies without the guards that an interrupted run did not take", function()
    local document <const> = raw()
    document.partial, document.guards = true, json.array {}
    assert.equal("partial is true in the file, though no sample is missing", findings(document))
  end)
end)

describe("verify and the recomputation find", function()
  for _, change in ipairs(CHANGES) do
    it(change[1], function()
      local document <const> = raw()
      change[4](document)
      document.digest = result.digest(read_result.document(document).samples)
      assert.matches(change[2], findings(document), 1, true)
      crosschecked.write("changed.json", json.encode(document))
      local told <const>, status <const> = crosschecked.run "changed.json"
      assert.equal(1, status, told)
      assert.matches(change[3], told, 1, true)
    end)
  end
end)
