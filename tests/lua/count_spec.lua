local core <const> = require "frlua.core"
local elimination <const> = require "frlua.elimination"
local fr <const> = require "frlua"
local job <const> = require "frlua.job"
local told <const> = require "sessions".told

local function counting(steps)
  return fr.experiment "counting" {
    arms = { fr.arm "count" { fr.phase "rate" { fr.count { steps = steps }, iterations = 3 } } },
    metrics = { fr.metric "first" { at = 1 } },
    rounds = 1,
  }
end

local function sample(made)
  local plain <const> = job.plain(made.arms[1], made.regions, fr.clock.id)
  return assert(core.sample(plain, core.allowed_cpus()[1], 10000000000)), plain
end

describe("counting", function()
  it("does every step, by the same code in a script and in a worker", function()
    local readings <const> = assert(fr.time(fr.count { steps = 1003 }, 5))
    assert.same({ 5, 5 * 1003 }, { #readings.ns, readings.sum })
    assert.equal(3 * 1003, (sample(counting(1003))).checksum)
  end)

  it("works on no region, and faults on nothing", function()
    local outcome <const>, plain <const> = sample(counting(1003))
    assert.same({}, plain.regions)
    assert.equal(0, job.expected_faults(plain, 1))
    assert.same({}, outcome.phases[1].minor_faults)
  end)

  it("is guarded as other loops are: twice the steps take twice the time", function()
    local guards <const> = elimination.take(counting(10), {
      cpu = core.allowed_cpus()[1], time_limit_ns = 10000000000,
    })
    assert.same({ 1, "count", "count" }, { #guards, guards[1].kernel, guards[1].code })
    assert.is_number(guards[1].ratio, guards[1].why)
    assert.not_equal("void", guards[1].verdict)
  end)

  it("takes a whole number of steps, one at least", function()
    assert.matches("^user%.lua:2: steps in fr%.count must be a whole number from 1 to .*, not 0",
      told "fr.count { steps = 0 }")
    assert.matches("^user%.lua:2: steps in fr%.count .*nil", told "fr.count {}")
    assert.matches("^user%.lua:2: unknown key 'step' in fr%.count: did you mean 'steps'",
      told "fr.count { step = 5 }")
  end)
end)
