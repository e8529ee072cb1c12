local claimed <const> = require "claimed"
local elimination <const> = require "frlua.elimination"
local fr <const> = require "frlua"
local job <const> = require "frlua.job"
local run <const> = require "frlua.run"

local function judged(once, twice, read_ns, fields)
  local guard <const> = { kernel = "read", code = "read", once = once, twice = twice,
    read_ns = read_ns }
  for key, value in pairs(fields or {}) do guard[key] = value end
  return elimination.judge(guard)
end

describe("a guard's readings", function()
  it("are well where the fastest passes, less a reading of the clock, have the ratio 2", function()
    local guard <const> = judged({ 1500, 1020, 9000 }, { 2020, 99999 }, 20)
    assert.same({ "well", 2.0 }, { guard.verdict, guard.ratio }) -- 2000 / 1000
    assert.is_nil(guard.why)
    assert.equal("well", judged({ 1000 }, { 2290 }, 0).verdict)
    assert.equal("well", judged({ 1000 }, { 1710 }, 0).verdict)
  end)

  it("are void where a part of the work was not done, or done twice", function()
    local guard <const> = judged({ 1020 }, { 1030 }, 20)
    assert.same({ "void", 1.01 }, { guard.verdict, guard.ratio })
    assert.equal("the same work twice took 1.010 times the time, not 2: a part of it was not done",
      guard.why)
    assert.equal("void", judged({ 1000 }, { 1690 }, 0).verdict)
    assert.equal("void", judged({ 1000 }, { 2310 }, 0).verdict)
  end)

  it("say nothing where they are too short for the clock", function()
    local guard <const> = judged({ 219 }, { 440 }, 20) -- 199, less than 10 times 20
    assert.same({ "unknown" }, { guard.verdict, guard.ratio })
    assert.matches("too short for this clock: 219 ns, less than 10 readings of it", guard.why, 1,
      true)
    assert.equal("well", judged({ 220 }, { 420 }, 20).verdict)
  end)

  it("are void where so many elements can't have been gone over in the time", function()
    local guard <const> = judged({ 40 }, { 40 }, 20, { elements = 16384 })
    assert.same({ "void", "16384 elements took 40 ns: they were not gone over" },
      { guard.verdict, guard.why })
    assert.equal("void", judged({ 183 }, { 300 }, 20, { elements = 16384 }).verdict) -- 163 < 163.84
    assert.equal("unknown", judged({ 184 }, { 300 }, 20, { elements = 16384 }).verdict)
    -- A clock whose reading takes longer than all of them can't tell.
    assert.equal("unknown", judged({ 210 }, { 220 }, 200, { elements = 16384 }).verdict)
  end)

  it("say nothing where the clock stood still", function()
    assert.equal("unknown", judged({ 0, 0 }, { 0, 0 }, nil).verdict)
  end)

  it("say nothing where there are none, but why", function()
    local guard <const> = judged(nil, nil, 20, { once_why = "the guard's process was killed",
      ratio = 2.0, verdict = "well" })
    assert.same({ "unknown", "the guard's process was killed" }, { guard.verdict, guard.why })
    assert.is_nil(guard.ratio)
  end)
end)

local page <const> = fr.machine.page_bytes

-- Every kind of timed loop, some of them twice; and what is no loop, or not timed.
local function experiment()
  return fr.experiment "loops" {
    regions = {
      fr.region "a" { bytes = 4 * page }, fr.region "b" { bytes = 4 * page, fill = "index" },
      fr.region "cycle" { bytes = 4 * page, chain = 64 },
    },
    arms = {
      fr.arm "writing" {
        fr.phase "before" { fr.write { "a", every = "word" }, timed = false },
        fr.phase "work" { fr.write "a", fr.write { "a", every = 64 }, fr.stream "a" },
      },
      fr.arm "reading" { fr.phase "work" { fr.read { "b", every = "word" }, fr.chase "cycle",
        fr.spin { ms = 1 }, fr.affine { to = "a", from = "b", mul = 3, add = 1 }, fr.write "a" } },
    },
    rounds = 1, metrics = { fr.metric "time" { at = 1 } },
  }
end

local function guards_of(wanted, options)
  local design <const> = assert(run.design(wanted, options or {}))
  return elimination.take(wanted, design)
end

-- Runs `act` with jobs that are changed before a worker gets them.
local function with_jobs(change, act)
  local original <const> = job.plain
  job.plain = function(...)
    local made <const> = original(...)
    change(made)
    return made
  end
  local ok <const>, found <const> = pcall(act)
  job.plain = original
  assert(ok, found)
  return found
end

local function chasing()
  return fr.experiment "chase" {
    regions = { fr.region "cycle" { bytes = 4 * page, chain = 64 } },
    arms = { fr.arm "only" { fr.phase "work" { fr.chase "cycle" } } },
    rounds = 1, metrics = { fr.metric "time" { at = 1 } },
  }
end

describe("the guards of an experiment", function()
  it("are one for each of its timed loops, which all do their work", function()
    local names <const> = {}
    for index, guard in ipairs(guards_of(experiment())) do
      names[index] = guard.kernel
      assert.equal("well", guard.verdict, guard.why)
      assert.equal(30, #guard.once)
      assert.equal(30, #guard.twice)
    end
    local expected <const> = { "write by page", "write by 64 bytes", "stream by word",
      "read by word", "chase", "affine" }
    assert.same(expected, names)
    assert.same(expected, elimination.kernels(experiment().arms))
  end)

  it("find a loop that stops doing its work when it is there twice", function()
    local guards <const> = with_jobs(function(made)
      for _, phase in ipairs(made.phases) do
        for index = 9, #phase.ops do -- of sixteen
          local nothing <const> = {}
          for key, value in pairs(phase.ops[index]) do nothing[key] = value end
          nothing.amount = 0
          phase.ops[index] = nothing
        end
      end
    end, function() return guards_of(chasing()) end)
    assert.equal("void", guards[1].verdict)
    assert.is_true(guards[1].ratio < 1.5, guards[1].why)
  end)

  it("call a loop void that does nothing at all", function()
    local guards <const> = with_jobs(function(made)
      for _, phase in ipairs(made.phases) do
        for _, op in ipairs(phase.ops) do op.amount = 0 end
      end
    end, function() return guards_of(chasing()) end)
    assert.equal("void", guards[1].verdict, guards[1].why)
    assert.is_string(guards[1].why)
  end)

  it("say why there are no readings", function()
    local guard <const> = guards_of(chasing(), { time_limit = 1e-9 })[1]
    assert.same({ "unknown", "the guard's process did not come to its end: timed out" },
      { guard.verdict, guard.why })
    assert.is_nil(guard.once)
    assert.is_nil(guard.twice)
  end)
end)

local VOID <const> = { kernel = "write", code = "write", verdict = "void", why = "it did not" }

describe("a void loop", function()
  it("makes void what arms time with it, and nothing else", function()
    local made <const> = experiment()
    local guard <const> = { kernel = "write by word", verdict = "void", why = "it did not" }
    assert.same({}, elimination.void(made.arms, { guard })) -- is there, but is not timed
    guard.kernel = "write by 64 bytes"
    assert.same({ writing = "void, write by 64 bytes: it did not" },
      elimination.void(made.arms, { guard }))
    guard.kernel = "write by page"
    assert.is_string(elimination.void(made.arms, { guard }).reading)
    guard.verdict = "unknown"
    assert.same({}, elimination.void(made.arms, { guard }))
  end)

  local arms <const> = {
    fast = { time = claimed.around(500, 10), faults = claimed.around(1, 10) },
    slow = claimed.around(1000, 10), ["slow (twin)"] = claimed.around(1000, 10),
  }
  local function verdict_of(test, guards)
    return claimed.judge({ fr.claim "it" { test = test } }, arms, { guards = guards })[1]
  end
  local TESTS <const> = {
    fr.below { "fast", than = "slow", metric = "time" },
    fr.same { "fast", "slow", metric = "time", within = 2 },
    fr.monotone { arms = { "fast", "slow" }, metric = "time" },
    fr.all { fr.exact { "fast", "faults", 1 },
      fr.below { "fast", than = "slow", metric = "time" } },
  }

  it("withdraws every claim that compares its figures", function()
    for _, test in ipairs(TESTS) do
      assert.equal("pass", verdict_of(test).verdict)
      local found <const> = verdict_of(test, { VOID })
      assert.equal("withdrawn", found.verdict, test.form)
      assert.matches("void, write: it did not", found.reason, 1, true)
      assert.equal(1, #found.numbers.contrasts) -- what was compared is told all the same
    end
  end)

  it("leaves counts, and figures of other loops", function()
    assert.equal("pass", verdict_of(fr.exact { "fast", "faults", 1 }, { VOID }).verdict)
    assert.equal("pass", verdict_of(TESTS[1], { { kernel = "affine", verdict = "void",
      why = "it did not" } }).verdict)
  end)
end)
