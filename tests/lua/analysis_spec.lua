local analysis <const> = require "frlua.analysis"
local fakes <const> = require "fakes"
local fr <const> = require "frlua"

-- The design and the values of samples of fakes.experiment.
local function values_of(samples, fields)
  local experiment <const> = fakes.experiment(fields)
  local design <const> = fakes.document(experiment, samples).design
  return analysis.values(design, samples), design
end

local SAMPLES <const> = {
  fakes.sample("natural", 1, { 900, 13, 11, 12 }, 2, 5000),
  fakes.sample("warm", 1, { 20, 10, 10, 10 }, 0, 6000),
  fakes.sample("warm", 2, { 24, 40, 10, 20 }, 0, 8000),
  fakes.sample("natural", 2, { 700, 14, 15, 17 }, 2, 4000),
  fakes.sample("natural", 3, { 800, 12, 12, 13 }, 3, 9000),
  fakes.sample("warm", 3, { 22, 11, 12, 13 }, 0, 7000),
}

local function arm_of(samples, name, fields)
  local values <const>, design <const> = values_of(samples, fields)
  for _, arm in ipairs(analysis.arms(design.arms, design, samples, values)) do
    if arm.name == name then return arm end
  end
end

describe("a metric of a sample", function()
  it("is one number for each arm and round", function()
    local values <const> = values_of(SAMPLES)
    assert.same({ 900, 700, 800 }, values.natural.first)
    assert.same({ 20, 24, 22 }, values.warm.first)
    assert.same({ 2, 2, 3 }, values.natural.faults)
    assert.same({ 0, 0, 0 }, values.warm.faults)
    -- The medians of iterations 2 to 4.
    assert.same({ 12, 15, 12 }, values.natural.late)
    assert.same({ 10, 20, 12 }, values.warm.late)
    assert.same({ 5000, 4000, 9000 }, values.natural.process)
  end)

  it("that is a median of an even number of iterations lies between the two", function()
    local values <const> = values_of(SAMPLES, { metrics = { fr.metric "all" { median_from = 1 } } })
    assert.same({ 12.5, 16, 12.5 }, values.natural.all)
    assert.same({ 10, 22, 12.5 }, values.warm.all)
  end)

  it("counts faults of that iteration alone", function()
    local list <const> = { { 1, 128 }, { 7, 2 } }
    assert.equal(128, analysis.faults_at(list, 1))
    assert.equal(0, analysis.faults_at(list, 2))
    assert.equal(2, analysis.faults_at(list, 7))
    assert.equal(0, analysis.faults_at({}, 1))
  end)

  it("may be the faults of a later iteration", function()
    local sample <const> = fakes.sample("natural", 1, { 9, 9, 9, 9 }, 2)
    sample.phases[1].minor_faults[2] = { 3, 5 }
    local function faults_at(iteration)
      local metrics <const> = { fr.metric "m" { faults_at = iteration } }
      return values_of({ sample }, { metrics = metrics }).natural.m[1]
    end
    assert.same({ 2, 0, 5, 0 }, { faults_at(1), faults_at(2), faults_at(3), faults_at(4) })
  end)

  it("leaves a hole for a sample that was lost", function()
    local samples <const> = { table.unpack(SAMPLES) }
    samples[4] = fakes.lost("natural", 2, "killed by SIGKILL")
    samples[6] = nil -- a run that was interrupted
    local values <const> = values_of(samples)
    assert.equal(900, values.natural.first[1])
    assert.is_nil(values.natural.first[2])
    assert.equal(800, values.natural.first[3])
    assert.same({ 900, 800 }, analysis.dense(values.natural.first, 3))
    assert.same({ 20, 24 }, analysis.dense(values.warm.first, 3))
    assert.same({}, analysis.dense({}, 3))
  end)

  it("is not taken from a sample that broke off after the phase", function()
    local broken <const> = fakes.sample("natural", 2, { 1, 1, 1, 1 }, 0)
    broken.status = "timed out"
    local values <const> = values_of { SAMPLES[1], broken }
    assert.is_nil(values.natural.first[2])
    assert.is_nil(values.natural.faults[2])
    assert.is_nil(values.natural.process[2])
  end)
end)

describe("the statistics of an arm", function()
  it("run over its processes", function()
    local natural <const> = arm_of(SAMPLES, "natural")
    local first <const> = natural.metrics.first_ns
    assert.same({ 3, 800, 700, 900 }, { first.n, first.median, first.min, first.max })
    assert.equal(12, natural.metrics.late_ns.median)
    assert.equal(5000, natural.metrics.process_ns.median)
    assert.same({ 3, 0 }, { natural.processes, natural.lost })
  end)

  it("give counts as they are: the one that all share, or all that occurred", function()
    assert.same({ exact = 0 }, arm_of(SAMPLES, "warm").metrics.faults)
    assert.same({ values = { 2, 3 } }, arm_of(SAMPLES, "natural").metrics.faults)
  end)

  it("say how many samples were lost, and are made of the others", function()
    local samples <const> = { SAMPLES[1], fakes.lost("natural", 2, "timed out"), SAMPLES[5] }
    local natural <const> = arm_of(samples, "natural")
    assert.same({ 2, 1 }, { natural.processes, natural.lost })
    assert.same({ 2, 850.0 }, { natural.metrics.first_ns.n, natural.metrics.first_ns.median })
  end)

  it("are absent, with the reason, when all samples were lost", function()
    local lost <const> = { fakes.lost("natural", 1, "timed out") }
    local natural <const> = arm_of(lost, "natural")
    assert.same({ n = 0, why = "no values" }, natural.metrics.first_ns)
    assert.same({ n = 0, why = "no values" }, natural.metrics.faults)
    assert.is_nil(natural.steady_from)
  end)

  it("say where each process became steady, and how many never did", function()
    local function series(from, length)
      local ns <const> = {}
      for iteration = 1, length do ns[iteration] = iteration < from and 1000 or 100 end
      return ns
    end
    local growing <const> = {}
    for iteration = 1, 100 do growing[iteration] = 100 * iteration end
    local samples <const> = {
      fakes.sample("natural", 1, series(1, 100)), fakes.sample("natural", 2, series(41, 100)),
      fakes.sample("natural", 3, growing), fakes.sample("warm", 1, series(1, 39)),
    }
    local fields <const> = { iterations = 100 }
    local steady <const> = arm_of(samples, "natural", fields).steady_from
    assert.equal(1, steady.never)
    assert.same({ 2, 1 }, { steady.n, steady.min })
    -- The median of 20 is 100 when at least the 11 smallest are: at most nine slow ones.
    assert.equal(41 - 9, steady.max)
    assert.is_nil(arm_of(samples, "warm", fields).steady_from) -- too short to say
  end)

  it("count the readings below 0, which a broken clock makes", function()
    local broken <const> = fakes.sample("natural", 2, { -30000, 120, -1, 0 })
    local lost <const> = fakes.sample("natural", 3, { -5, 1, 1, 1 })
    lost.status = "timed out"
    local natural <const> = arm_of({ SAMPLES[1], broken, lost }, "natural")
    assert.equal(2, natural.negative_readings)
    assert.equal(-14550.0, natural.metrics.first_ns.median) -- and nothing is dropped
    assert.equal(0, arm_of(SAMPLES, "warm").negative_readings)
  end)
end)

describe("processes that stand apart", function()
  local fields <const> = { rounds = 4, apart = { metric = "late", above = 1.5 } }

  -- Samples of constant readings: a list of them for each arm.
  local function constant(by_arm)
    local samples <const> = {}
    for _, arm in ipairs { "natural", "warm" } do
      for round, ns in ipairs(by_arm[arm]) do
        samples[#samples + 1] = ns and fakes.sample(arm, round, { ns, ns, ns, ns })
          or fakes.lost(arm, round, "timed out")
      end
    end
    return samples
  end

  local function apart(by_arm)
    local values <const>, design <const> = values_of(constant(by_arm), fields)
    return analysis.apart(design, values)
  end

  it("are those above the factor times the median over all arms", function()
    local found <const> = apart { natural = { 100, 100, 100, 151 }, warm = { 100, 150, 152, 100 } }
    assert.equal(100, found.reference)
    assert.same({ { arm = "natural", round = 4, value = 151 },
      { arm = "warm", round = 3, value = 152 } }, { table.unpack(found.processes) })
  end)

  it("are named also when they are all of one arm", function()
    local found <const> = apart { natural = { 100, 101, 102, 103 },
      warm = { 250, 260, 255, false } }
    assert.equal(103, found.reference) -- of the seven: 100 101 102 103 250 255 260
    assert.equal(3, #found.processes)
    for _, process in ipairs(found.processes) do assert.equal("warm", process.arm) end
  end)

  it("are none when all are alike, and when there is no median to compare with", function()
    assert.equal(0, #apart({ natural = { 100, 100 }, warm = { 100, 100 } }).processes)
    assert.equal(0, #apart({ natural = { 0, 0, 0 }, warm = { 0, 50 } }).processes)
    local nothing <const> = apart { natural = { false }, warm = {} }
    assert.is_nil(nothing.reference)
    assert.equal(0, #nothing.processes)
  end)

  it("are not looked for unless the experiment says how", function()
    local values <const>, design <const> = values_of(SAMPLES)
    assert.is_nil(analysis.apart(design, values))
  end)
end)
