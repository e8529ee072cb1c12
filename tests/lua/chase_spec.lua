local core <const> = require "frlua.core"
local fr <const> = require "frlua"
local job <const> = require "frlua.job"
local timed_phases <const> = require "frlua.timed_phases"

local page <const>, line <const> = fr.machine.page_bytes, fr.machine.line_bytes

-- An experiment whose step "wait" chases a control before and after it waits.
local function controlled(arms)
  return fr.experiment "control" {
    regions = {
      fr.region "buffer" { bytes = 4 * page },
      fr.region "control" { bytes = 2 * page, chain = "line", within = "page" },
    },
    steps = {
      fr.step "fill" { fr.write { "buffer", every = "word" }, fr.read "buffer" },
      fr.step "wait" {
        fr.phase "before" { fr.chase "control", iterations = 3 },
        fr.sleep { ms = 1 },
        fr.phase "after" { fr.chase "control" },
      },
    },
    timed = fr.write "buffer",
    iterations = 2,
    arms = fr.modes(arms),
    rounds = 1,
    metrics = {
      fr.metric "first" { at = 1 },
      fr.metric "warm" { at = 3, phase = "before" }, fr.metric "cold" { at = 1, phase = "after" },
    },
  }
end

local function shape(arm)
  local shapes <const> = {}
  for index, phase in ipairs(arm.phases) do
    shapes[index] = ("%s:%d:%s"):format(phase.name, #phase.ops, phase.timed and "timed" or "not")
  end
  return shapes
end

describe("a step with phases of its own", function()
  it("is timed apart from the operations around it, which stay together", function()
    local arms <const> = controlled { "natural", "fill,wait", "wait" }.arms
    assert.same({ "timed:1:timed" }, shape(arms[1]))
    local filled <const> = { "steps:2:not", "before:1:timed", "steps:1:not", "after:1:timed",
      "timed:1:timed" }
    assert.same(filled,
      shape(arms[2]))
    assert.same({ "before:1:timed", "steps:1:not", "after:1:timed", "timed:1:timed" },
      shape(arms[3]))
  end)

  it("leaves metrics without a phase to the experiment's own timed part", function()
    for _, arm in ipairs(controlled { "natural", "wait" }.arms) do
      local phases <const> = timed_phases.of(arm)
      assert.same({ 1, "timed" }, { #phases, phases[1].name })
    end
  end)
end)

describe("a chase", function()
  it("is once around all lines of its region, linked page by page where that is asked", function()
    local made <const> = controlled { "wait" }
    local plain <const> = job.plain(made.arms[1], made.regions)
    assert.same({ code = "chase", region = 2, amount = 2 * page // line }, plain.phases[1].ops[1])
    assert.same({ line, page // line },
      { plain.regions[2].chain_stride, plain.regions[2].chain_group })
  end)

  it("faults on nothing: its region is resident from the start", function()
    local made <const> = controlled { "wait" }
    local plain <const> = job.plain(made.arms[1], made.regions, fr.clock.id)
    assert.equal(0, job.expected_faults(plain, 1))
    local outcome <const> = assert(core.sample(plain, core.allowed_cpus()[1],
      60000000000))
    assert.same({}, outcome.phases[1].minor_faults)
    assert.equal(3, #outcome.phases[1].ns)
  end)
end)
