local analysis <const> = require "frlua.analysis"
local core <const> = require "frlua.core"
local fr <const> = require "frlua"
local sessions <const> = require "sessions"
local split <const> = require "frlua.split"
local summary <const> = require "frlua.summary"

local told <const> = sessions.told
local PAGE <const>, PAGES <const> = 4096, 10

local function phase(name, region)
  return { name = name, timed = true, iterations = 1, ops = { fr.write(region) } }
end

local function readings(name, ns, minor, major)
  return { phase = name, ns = core.series { ns }, minor_faults = minor and { { 1, minor } } or {},
    major_faults = major and { { 1, major } } or {} }
end

local function sample(arm, round, ...)
  return { arm = arm, round = round, status = "ok", phases = { ... }, process = { wall_ns = 1 } }
end

-- Two arms on ten pages: one that touches, one that populates before.
local function design_of(metrics)
  return {
    rounds = 3, page_bytes = PAGE, metrics = metrics,
    regions = { { name = "buffer", bytes = PAGES * PAGE - 1 } },
    arms = {
      { name = "touch", phases = { phase("touch", "buffer"), phase("again", "buffer") } },
      { name = "populate", phases = { phase("populate", "buffer"), phase("touch", "buffer"),
        phase("again", "buffer") } },
    },
  }
end

local samples <const> = {
  sample("touch", 1, readings("touch", 1000, 10), readings("again", 50)),
  sample("touch", 2, readings("touch", 800, 9, 1), readings("again", 70)),
  sample("touch", 3, readings("touch", 900, 10), readings("again", 20)),
  sample("populate", 1, readings("populate", 300, 10), readings("touch", 100),
    readings("again", 5)),
  sample("populate", 2, readings("populate", 500, 10), readings("touch", 100),
    readings("again", 6)),
  sample("populate", 3, readings("populate", 400, 10), readings("touch", 100),
    readings("again", 4)),
}

local first <const> = { "populate", "touch" }
local metrics <const> = {
  fr.metric "first" { phase = first, per = "page", keep = "min" },
  fr.metric "a_fault" { phase = first, per = "fault" },
  fr.metric "faults" { phase = first, faults_at = 1, keep = { fastest = "first" } },
  fr.metric "touch" { phase = "touch", at = 1 },
  fr.metric "touch_faults" { phase = "touch", faults_at = 1 },
  fr.metric "populate" { phase = "populate", per = "fault" },
  fr.metric "major" { phase = first, major_faults_at = 1 },
  fr.metric "again" { phase = "again", at = 1, keep = { fastest = "first" } },
}
local design <const> = design_of(metrics)
local values <const> = analysis.values(design, samples)

describe("a metric", function()
  it("of several phases is their sum, of those that an arm has", function()
    assert.same({ 100, 80, 90 }, values.touch.first)
    assert.same({ 40, 60, 50 }, values.populate.first)
    assert.same({ 10, 10, 10 }, values.populate.faults)
  end)

  it("is not there for an arm that has none of its phases", function()
    assert.same({}, values.touch.populate)
  end)

  it("per page divides by the pages that hold the region, each counted once", function()
    assert.equal(1000 / PAGES, values.touch.first[1])
    assert.equal((300 + 100) / PAGES, values.populate.first[1])
  end)

  it("per line divides by the lines that hold the region, each counted once", function()
    local lines <const> = design_of { fr.metric "first" { phase = first, per = "line" } }
    lines.line_bytes = 128 -- the last of the region's 320 lines is not whole
    local per_line <const> = analysis.values(lines, samples)
    assert.same({ 1000 / 320, 800 / 320, 900 / 320 }, per_line.touch.first)
    assert.equal((300 + 100) / 320, per_line.populate.first[1])
  end)

  it("per line is not there where the size of a line is unknown", function()
    local lines <const> = design_of { fr.metric "first" { phase = first, per = "line" } }
    assert.same({}, analysis.values(lines, samples).touch.first)
  end)

  it("per fault divides by the faults that happened, minor and major", function()
    assert.equal(100, values.touch.a_fault[1])
    assert.equal(800 / (9 + 1), values.touch.a_fault[2])
    assert.equal(400 / 10, values.populate.a_fault[1])
  end)

  it("per fault is not there where there was none", function()
    local again <const> = design_of { fr.metric "again" { phase = "again", per = "fault" } }
    assert.same({}, analysis.values(again, samples).touch.again)
  end)

  it("counts major faults beside minor ones", function()
    assert.same({ 0, 1, 0 }, values.touch.major)
    assert.same({ 10, 9, 10 }, values.touch.faults)
  end)

  it("keeps the smallest, or the value of the process that was fastest", function()
    local arm <const> = analysis.arms(design.arms, design, samples, values)[1]
    assert.equal(80, arm.metrics.first_ns_per_page.kept)
    assert.equal(90, arm.metrics.first_ns_per_page.median)
    assert.equal(9, arm.metrics.faults.kept)
    assert.equal(70, arm.metrics.again_ns.kept)
    assert.is_nil(arm.metrics.touch_ns.kept)
  end)

  it("is refused where it makes no sense", function()
    local wrong <const> = {
      ["fr.metric 'm' {}"] = "needs a phase, or one of at, faults_at, major_faults_at, median_from",
      ["fr.metric 'm' { at = 1, faults_at = 1 }"] = "has both at and faults_at",
      ["fr.metric 'm' { faults_at = 1, per = 'page' }"] = "per in .* is of times",
      ["fr.metric 'm' { at = 1, per = 'pgae' }"] = "did you mean 'page'%?",
      ["fr.metric 'm' { at = 1, keep = 'mni' }"] = "did you mean 'min'%?",
      ["fr.metric 'm' { faults_at = 1, keep = 'min' }"] = "keep = 'min' in .* is of times",
      ["fr.metric 'm' { median_from = 2, phase = { 'a', 'b' } }"] = "of one phase, not of 2",
    }
    for text, message in pairs(wrong) do
      assert.matches("^user%.lua:2: .*" .. message, told(text))
    end
  end)
end)

describe("a split that can't be believed", function()
  local function taken(above, without)
    return split.take({
      name = "where it goes", whole = { arm = "touch", metric = "first" }, parts = {},
      unless = {
        value = { arm = "populate", metric = "touch" }, above = above,
        times = { arm = "populate", metric = "again" },
        without = { arm = "populate", metric = without or "touch_faults" }, because = "too slow",
      },
    }, values, 3)
  end

  it("is withdrawn, with the number and the reason", function()
    local result <const> = taken(10)
    assert.is_true(result.withdrawn)
    assert.equal("touch of 'populate' is 20.0 times again of 'populate', without any fault: "
      .. "too slow", result.why)
  end)

  it("is shown when it is not that slow, or when faults explain it", function()
    assert.is_nil(taken(20).why)
    assert.is_nil(taken(10, "faults").why)
  end)
end)

describe("a summary", function()
  local function text(entries)
    local document <const> = { design = design_of(metrics) }
    document.arms = analysis.arms(design.arms, design, samples, values)
    document.design.summary = summary.check(entries, design.arms, metrics, "experiment 'x'")
    return summary.text(document)
  end

  it("has the keys in the script's order, with its decimals", function()
    assert.equal('{\n  "b": 512,\n  "a": 3,\n  "first": 80.0,\n  "faults": 9,\n'
      .. '  "factor": 2.00\n}\n',
      text {
        { "b", 512 }, { "a", "rounds" }, { "first", { "touch", "first" }, decimals = 1 },
        { "faults", { "touch", "faults" } },
        { "factor", { "touch", "first", over = { "populate", "first" } }, decimals = 2 },
      })
  end)

  it("has null where there is no value", function()
    assert.equal('{\n  "populate": null\n}\n', text { { "populate", { "touch", "populate" } } })
  end)

  it("names the arm or the metric that was meant", function()
    assert.matches("unknown arm 'tuch' in 'k' of summary in experiment 'x': did you mean 'touch'%?",
      select(2, pcall(text, { { "k", { "tuch", "first" } } })))
  end)
end)
