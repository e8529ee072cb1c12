local analysis <const> = require "frlua.analysis"
local fr <const> = require "frlua"
local result <const> = require "frlua.result"
local fakes <const> = require "fakes"

local line <const>, page <const> = fr.machine.line_bytes, fr.machine.page_bytes

-- A control of four lines that is chased before and after a wait, beside a walk of eight lines.
local function experiment()
  return fr.experiment "fake" {
    regions = {
      fr.region "buffer" { bytes = page },
      fr.region "control" { bytes = 4 * line, chain = "line" },
      fr.region "memory" { bytes = 8 * line, chain = line },
    },
    steps = {
      fr.step "wait" {
        fr.phase "before" { fr.chase "control" }, fr.sleep { ms = 1 },
        fr.phase "after" { fr.chase "control" },
      },
    },
    timed = fr.write "buffer",
    arms = fr.modes { "natural", "wait" },
    references = { fr.arm "memory" { fr.phase "walk" { fr.chase "memory" } } },
    rounds = 12,
    metrics = {
      fr.metric "first" { at = 1 },
      fr.metric "warm" { at = 1, phase = "before", per = "load" },
      fr.metric "control" { at = 1, phase = "after", per = "load" },
      fr.metric "line" { at = 1, phase = "walk", per = "load" },
    },
    claims = {
      fr.claim "waiting does not matter" {
        needs = fr.cold { "wait", before = "warm", after = "control",
          memory = { "memory", "line" } },
        test = fr.same { { "wait", "first" }, { "natural", "first" }, within = 0.5 },
      },
    },
  }
end

-- Readings of one iteration.
local function phase(name, ns)
  local made <const> = fakes.sample("any", 1, { ns }).phases[1]
  made.phase = name
  return made
end

-- The document of a run whose control took so many ns a line after the wait, memory 100.
local function document_of(after_ns)
  local made <const> = experiment()
  made.arms = require "frlua.claim_design".with_twins(made.arms, made.claims)
  local settled <const> = fakes.settled(made)
  local samples <const> = {}
  for round = 1, 12 do
    for _, arm in ipairs(made.arms) do
      local sample <const> = fakes.sample(arm.name, round, { 1000 + round })
      if (arm.twin_of or arm.name) == "wait" then
        table.insert(sample.phases, 1, phase("before", 4 * (5 + round)))
        table.insert(sample.phases, 2, phase("after", 4 * (after_ns + round)))
      elseif arm.is_reference then
        sample.phases = { phase("walk", 8 * (100 + round)) }
      end
      samples[#samples + 1] = sample
    end
  end
  return result.build(made, settled, samples, { script = "s", args = {}, wall_ns = 1,
    started_at = "2026-01-01T00:00:00Z", partial = false })
end

describe("a reference", function()
  it("is no arm of the tables, and has only the metrics that name its phases", function()
    local document <const> = document_of(120)
    local names <const> = {}
    for index, arm in ipairs(document.arms) do names[index] = arm.name end
    assert.same({ "natural", "wait" }, names)
    assert.equal(1, #document.references)
    assert.equal(0, document.references[1].metrics.first_ns.n)
    assert.equal(106.5, document.references[1].metrics.line_ns_per_load.median)
    assert.equal(1, #analysis.references(document.design))
  end)
end)

describe("cold data", function()
  local function verdict(after_ns) return document_of(after_ns).claims[1] end

  it("is what became slower than before and costs about a load from memory", function()
    assert.equal("pass", verdict(120).verdict)
  end)

  it("is not claimed of a control that stayed warm", function()
    local claim <const> = verdict(6)
    assert.equal("withdrawn", claim.verdict)
    assert.matches("the evidence is contrary: control of 'wait' is 1.", claim.reason, 1, true)
  end)

  it("is not claimed of lines that cost more than twice a load: translations were lost", function()
    local claim <const> = verdict(400)
    assert.equal("withdrawn", claim.verdict)
    assert.matches("times line of 'memory'", claim.reason, 1, true)
  end)
end)
