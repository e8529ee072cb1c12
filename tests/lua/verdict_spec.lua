local claimed <const> = require "claimed"
local fr <const> = require "frlua"

local around <const> = claimed.around

-- Ten rounds that scatter by 2 %, each arm in its own way.
local SCATTER <const> = { 1.0, 1.01, 0.99, 1.02, 0.98 }
local OTHERWISE <const> = { 1.01, 0.98, 1.0, 0.99, 1.02, 1.0, 0.995 }

local function claim(test, fields)
  local all <const> = fields or {}
  all.test = test
  return fr.claim "the sentence" (all)
end

-- Arms "fast" and "slow", and the slow one's twin, which differs from it by noise alone.
local function arms(fast, rounds)
  return {
    fast = around(fast, rounds or 10, SCATTER), slow = around(1000, rounds or 10, OTHERWISE),
    ["slow (twin)"] = around(1000, rounds or 10, SCATTER),
  }
end

local function judged(test, measured, fields)
  return claimed.judge({ claim(test) }, measured, fields)[1]
end

local function assert_verdict(verdict, reason, found)
  assert.equal(verdict, found.verdict, found.reason)
  assert.matches(reason, found.reason, 1, true)
end

local FASTER <const> = fr.below { "fast", than = "slow", metric = "time" }

describe("a claim of difference", function()
  it("passes when the interval lies on its side, beyond the noise, and says by how much", function()
    local found <const> = judged(FASTER, arms(500))
    assert_verdict("pass", "time of 'fast' is 0.5", found)
    assert_verdict("pass", "in 10 rounds: below 1, p 0.001953 after Holm's correction", found)
    local numbers <const> = found.numbers.contrasts[1]
    assert.equal(2 / 1024, numbers.p)
    assert.equal(10, numbers.n)
    assert.is_true(numbers.ci95[1] < 0.5 and numbers.ci95[2] > 0.5)
    assert.is_true(numbers.floor > 1 and numbers.floor < 1.05)
  end)

  it("passes for above likewise", function()
    local test <const> = fr.above { "slow", than = "fast", metric = "time", factor = 1.5 }
    local measured <const> = arms(500)
    measured["fast (twin)"] = around(500, 10, OTHERWISE)
    assert_verdict("pass", ": above 1.500, ", judged(test, measured))
  end)

  it("fails when the whole interval lies on the other side", function()
    assert_verdict("fail", ": not below 1", judged(FASTER, arms(2000)))
    assert_verdict("fail", ": not below 0.2500",
      judged(fr.below { "fast", than = "slow", metric = "time", factor = 0.25 }, arms(500)))
  end)

  it("is withdrawn when the interval includes the factor", function()
    local found <const> =
      judged(fr.below { "fast", than = "slow", metric = "time", factor = 0.5 }, arms(500))
    assert_verdict("withdrawn", "the interval includes 0.5", found)
  end)

  it("is withdrawn inside the noise of the run, though its interval leaves out 1", function()
    local measured <const> = arms(960)
    measured.slow = around(1000, 10)
    measured["slow (twin)"] = around(1000, 10, { 0.93, 1.07, 0.94, 1.06 })
    local found <const> = judged(FASTER, measured)
    assert.is_true(found.numbers.contrasts[1].ci95[2] < 1)
    assert_verdict("withdrawn", "inside the noise of this run, where time of 'slow' run twice"
      .. " differs by up to a factor of 1.0", found)
  end)

  it("does not fail inside the noise either", function()
    local measured <const> = arms(1040)
    measured.slow = around(1000, 10)
    assert_verdict("fail", "not below 1", judged(FASTER, measured))
    measured["slow (twin)"] = around(1000, 10, { 0.93, 1.07, 0.94, 1.06 })
    assert_verdict("withdrawn", "inside the noise", judged(FASTER, measured))
  end)

  it("fails inside the noise when what it claims is far beyond it", function()
    local measured <const> = arms(1000)
    measured["slow (twin)"] = around(1000, 10, { 0.93, 1.07, 0.94, 1.06 })
    assert_verdict("fail", "not below 0.5",
      judged(fr.below { "fast", than = "slow", metric = "time", factor = 0.5 }, measured))
  end)

  it("is withdrawn when the noise is not known", function()
    local measured <const> = arms(500)
    measured["slow (twin)"] = nil
    assert_verdict("withdrawn", "the noise floor for time of 'slow' is unknown",
      judged(FASTER, measured))
    measured["slow (twin)"] = around(1000, 5)
    assert_verdict("withdrawn", "no 95 % interval below 6 values", judged(FASTER, measured))
  end)

  it("needs no noise floor when it only bounds a difference", function()
    local measured <const> = arms(1000)
    measured["slow (twin)"] = nil
    assert_verdict("pass", ": below 1.200",
      judged(fr.below { "fast", than = "slow", metric = "time", factor = 1.2 }, measured))
  end)

  it("takes the larger floor where two metrics are compared", function()
    local function value(factors)
      return { time = around(100, 10), faults = around(300, 10, factors) }
    end
    local design <const> = { rounds = 10, rounds_for_claims = 1, pause_divisor = 1, regions = {},
      arms = { { name = "a" }, { name = "a (twin)", twin_of = "a" } },
      metrics = { { name = "time", unit = "ns" }, { name = "faults", unit = "ns" } },
      claims = { claim(fr.above { { "a", "faults" }, than = { "a", "time" } }),
                 claim(fr.below { { "a", "time" }, than = { "a", "faults" } }) } }
    local found <const> = require "frlua.verdict".evaluate(design, {},
      { a = value(), ["a (twin)"] = value { 0.8, 1.25 } })
    assert.equal(1.25, found[1].numbers.contrasts[1].floor)
    assert.equal(1.25, found[2].numbers.contrasts[1].floor)
  end)
end)

describe("the rounds that a claim would need", function()
  it("are said when there are too few for any interval", function()
    assert_verdict("withdrawn", "too few, no 95 % interval below 6 values; needs 3 more rounds",
      judged(FASTER, arms(500, 3)))
    assert_verdict("withdrawn", "needs 3 more rounds, and fails if they are like these",
      judged(FASTER, arms(2000, 3)))
  end)

  it("are said when the interval includes the factor", function()
    local measured <const> = arms(500)
    for round = 1, 2 do measured.fast[round] = 3000 end
    assert_verdict("withdrawn", "the interval includes 1; needs 5 more rounds",
      judged(FASTER, measured)) -- 3 of 15 wrong: p is 0.0352; 3 of 14: 0.0574
  end)

  it("are none where about half of the rounds lie on either side", function()
    local measured <const> = arms(500)
    for round = 1, 5 do measured.fast[round] = 3000 end
    assert_verdict("withdrawn", "no number of rounds will help", judged(FASTER, measured))
  end)

  it("are those that would narrow the noise, inside it", function()
    local measured <const> = arms(960)
    measured.slow = around(1000, 10)
    measured["slow (twin)"] = around(1000, 10)
    measured["slow (twin)"][1], measured["slow (twin)"][2] = 1100, 1100
    assert_verdict("withdrawn", "inside the noise", judged(FASTER, measured))
    assert_verdict("withdrawn", "; needs 5 more rounds", judged(FASTER, measured))
    for round = 3, 6 do measured["slow (twin)"][round] = 1100 end
    assert_verdict("withdrawn", "no number of rounds in sight will help", judged(FASTER, measured))
  end)
end)

describe("several claims of one run", function()
  it("are corrected after Holm, so that one alone may pass where many may not", function()
    local measured <const> = arms(500, 6)
    assert_verdict("pass", "p 0.03125", judged(FASTER, measured))
    local two <const> = claimed.judge({ claim(FASTER), claim(FASTER) }, measured)
    for _, found in ipairs(two) do
      assert_verdict("withdrawn", "p is 0.06250 after Holm's correction, above 0.05", found)
      assert_verdict("withdrawn", "needs 1 more round", found) -- 2/128 is below 0.025
    end
  end)

  it("are corrected only for those that compare and that are made", function()
    local measured <const> = arms(500, 6)
    local found <const> = claimed.judge({ claim(FASTER),
      claim(fr.same { metric = "time", within = 9 }), claim(FASTER, { needs = fr.huge "fast" }),
      claim(fr.below { "absent", than = "slow", metric = "time" }) }, measured)
    assert_verdict("pass", "p 0.03125", found[1])
  end)

  it("count a claim of several tests once, by the weakest", function()
    local both <const> = fr.all { FASTER, FASTER }
    assert_verdict("pass", "p 0.03125", judged(both, arms(500, 6)))
    local measured <const> = arms(500)
    measured.middling = around(900, 10, OTHERWISE)
    measured.middling[1] = 1200
    local weak <const> = fr.below { "middling", than = "slow", metric = "time" }
    local found <const> = claimed.judge({ claim(fr.all { FASTER, weak }), claim(FASTER) }, measured)
    assert.equal(22 / 1024, found[1].numbers.contrasts[2].p_holm) -- the larger of two: times 1
    assert.equal(4 / 1024, found[2].numbers.contrasts[1].p_holm)  -- the smaller: times 2
  end)
end)

describe("lost samples", function()
  local names <const> = { "fast", "slow", "slow (twin)" }

  -- Samples of all arms, in as many rounds; of one arm those of the first `lost` rounds are lost.
  local function sampled(arm, lost, measured, rounds)
    local samples <const> = {}
    for round = 1, rounds or 10 do
      for _, name in ipairs(names) do
        local is_lost <const> = name == arm and round <= lost
        samples[#samples + 1] = { arm = name, round = round,
          status = is_lost and "timed out" or "ok", evidence = {} }
        if is_lost then measured[name][round] = nil end
      end
    end
    return { samples = samples, rounds = 10 }
  end

  -- What is said of a test when of an arm so many samples were lost.
  local function without(test, arm, lost, fast)
    local measured <const> = arms(fast or 500, 10)
    local fields <const> = sampled(arm, lost, measured)
    return claimed.judge({ claim(test) }, measured, fields)[1]
  end

  it("withdraw a comparison, of whichever side: they may be the slow ones", function()
    assert_verdict("pass", "in 10 rounds", without(FASTER, "fast", 0))
    local found <const> = without(FASTER, "fast", 4)
    assert_verdict("withdrawn", "in 6 of 10 rounds: 4 of 10 samples of 'fast' were lost: what they"
      .. " would have shown is not known", found)
    assert.equal(6, found.numbers.contrasts[1].n)
    assert_verdict("withdrawn", "1 of 10 samples of 'slow' was lost", without(FASTER, "slow", 1))
    assert_verdict("withdrawn", "1 of 10 samples of 'fast' was lost",
      without(FASTER, "fast", 1, 2000))
  end)

  it("of a twin withdraw it too, as the noise may be larger, but no bound", function()
    assert_verdict("withdrawn", "2 of 10 samples of 'slow (twin)' were lost",
      without(FASTER, "slow (twin)", 2))
    assert_verdict("pass", "below 1.5", without(fr.below { "fast", than = "slow", metric = "time",
      factor = 1.5 }, "slow (twin)", 2))
  end)

  it("withdraw fr.same, fr.monotone, and evidence that is there in the others", function()
    for _, test in ipairs {
      fr.same { "fast", "slow", metric = "time", within = 9 },
      fr.monotone { arms = { "fast", "slow" }, metric = "time" },
      fr.granted "fast",
    } do
      assert.equal("pass", without(test, "fast", 0).verdict)
      assert_verdict("withdrawn", "3 of 10 samples of 'fast' were lost", without(test, "fast", 3))
    end
  end)

  it("are not the rounds that an interrupted run has left out", function()
    local measured <const> = arms(500, 8)
    assert_verdict("pass", "in 8 of 10 rounds: below 1",
      claimed.judge({ claim(FASTER) }, measured, sampled("", 0, measured, 8))[1])
  end)

  it("are not all that can be missing: a whole one may lack the number", function()
    local measured <const> = arms(500)
    local fields <const> = sampled("", 0, measured)
    measured.fast[3] = nil
    assert_verdict("withdrawn", "1 of 10 samples of 'fast' have no time",
      claimed.judge({ claim(FASTER) }, measured, fields)[1])
    measured.fast = {}
    assert_verdict("withdrawn", "no round has both values",
      claimed.judge({ claim(FASTER) }, measured, fields)[1])
  end)
end)

describe("fewer rounds than claims need", function()
  it("withdraw all that is compared, whatever it shows", function()
    local fields <const> = { rounds_for_claims = 10 }
    for _, test in ipairs {
      FASTER, fr.below { "fast", than = "slow", metric = "time", factor = 1.5 },
      fr.above { "slow", than = "fast", metric = "time", factor = 0.5 },
      fr.same { "fast", "slow", metric = "time", within = 9 },
      fr.monotone { arms = { "fast", "slow" }, metric = "time" },
    } do
      assert.not_equal("withdrawn", judged(test, arms(500, 6)).verdict)
      local found <const> = claimed.judge({ claim(test) }, arms(500, 6), fields)[1]
      assert_verdict("withdrawn", "too few rounds: 6, claims need 10; needs 4 more rounds", found)
      assert.equal(6, found.numbers.contrasts[1].n)
      assert.not_matches("too few", claimed.judge({ claim(test) }, arms(500, 10), fields)[1].reason)
    end
  end)

  it("leave what is counted", function()
    assert_verdict("pass", "in each of 2 processes", claimed.judge(
      { claim(fr.exact { "a", "faults", 1 }) }, { a = { faults = { 1, 1 } } },
      { rounds_for_claims = 10 })[1])
  end)
end)

describe("a claim on what was not run", function()
  it("is withdrawn, and names the arm", function()
    for _, test in ipairs {
      fr.below { "absent", than = "slow", metric = "time" },
      fr.above { "slow", than = "absent", metric = "time" },
      fr.same { "slow", "absent", metric = "time", within = 0.1 },
      fr.monotone { arms = { "slow", "absent" }, metric = "time" },
      fr.exact { "absent", "faults", 1 }, fr.huge "absent",
    } do assert_verdict("withdrawn", "arm 'absent' was not run", judged(test, arms(500))) end
  end)

  it("is withdrawn when the clock did not resolve it", function()
    local measured <const> = arms(500)
    measured.fast[2] = 0
    assert_verdict("withdrawn", "the clock did not resolve it", judged(FASTER, measured))
  end)
end)

describe("fr.same", function()
  local same <const> = fr.same { metric = "time", within = 0.1 }

  it("passes when every interval lies within, over all arms without the twins", function()
    local measured <const> = arms(1010)
    measured["slow (twin)"] = around(5000, 10)
    measured.third = around(990, 10, SCATTER)
    local found <const> = judged(same, measured)
    assert_verdict("pass", "the furthest of 3 contrasts: ", found)
    assert_verdict("pass", ": between 0.9091 and 1.100", found)
    assert.equal(3, #found.numbers.contrasts)
  end)

  it("fails when an interval lies wholly outside, on either side", function()
    assert_verdict("fail", "not between", judged(same, arms(800)))
    assert_verdict("fail", "not between", judged(same, arms(1300)))
  end)

  it("fails for two that differ though both are near a third", function()
    local measured <const> = arms(930)
    measured.third = around(1070, 10, SCATTER)
    assert_verdict("fail", "time of 'third' is 1.1", judged(same, measured))
  end)

  it("is withdrawn when an interval includes a border", function()
    assert_verdict("withdrawn", "not wholly between", judged(same, arms(1100)))
    assert_verdict("withdrawn", "too few", judged(same, arms(1000, 4)))
  end)

  it("is withdrawn with one arm alone", function()
    assert_verdict("withdrawn", "one arm alone", judged(same, { only = around(10, 10) }))
  end)
end)

describe("fr.monotone", function()
  local test <const> = fr.monotone { arms = { "8", "16", "32" }, metric = "time", within = 0.05 }

  local function table_of(eight, sixteen, thirty_two)
    return { ["8"] = around(eight, 10, SCATTER), ["16"] = around(sixteen, 10, OTHERWISE),
      ["32"] = around(thirty_two, 10, SCATTER) }
  end

  it("passes for values that rise, or stay", function()
    assert_verdict("pass", "above 0.9524", judged(test, table_of(100, 200, 450)))
    assert_verdict("pass", "above 0.9524", judged(test, table_of(100, 100, 100)))
  end)

  it("fails when more costs less, and names the step", function()
    assert_verdict("fail", "time of '32' is 0.5", judged(test, table_of(100, 200, 100)))
    assert_verdict("fail", "time of '16' is 0.3", judged(test, table_of(300, 100, 400)))
  end)

  it("is withdrawn when a step may or may not fall", function()
    assert_verdict("withdrawn", "not wholly above", judged(test, table_of(100, 95.5, 100)))
  end)
end)

describe("fr.exact", function()
  local test <const> = fr.exact { "arm", "faults", 128 }

  it("passes when every process had that count", function()
    assert_verdict("pass", "faults of 'arm' is 128 in each of 4 processes",
      judged(test, { arm = { faults = around(128, 4) } }))
  end)

  it("fails for a single one that differs, with the values", function()
    assert_verdict("fail", "is not 128 in 1 of 4 processes, but 129",
      judged(test, { arm = { faults = { 128, 129, 128, 128 } } }))
    assert_verdict("fail", "is not 128 in 3 of 4 processes, but 0, 127",
      judged(test, { arm = { faults = { 127, 0, 128, 127 } } }))
  end)

  it("is withdrawn when samples were lost, unless one that is there differs", function()
    assert_verdict("withdrawn", "is 128 in the 3 processes that are there, of 4",
      judged(test, { arm = { faults = { 128, [3] = 128, [4] = 128 } } }))
    assert_verdict("fail", "but 5", judged(test, { arm = { faults = { 128, [3] = 5 } } }))
    assert_verdict("withdrawn", "no process is there",
      judged(test, { arm = { faults = {} } }, { rounds = 4 }))
  end)
end)

describe("fr.all", function()
  local well <const>, ill <const> = fr.exact { "a", "faults", 1 }, fr.exact { "a", "faults", 2 }
  local unknown <const> = fr.exact { "absent", "faults", 1 }
  local measured <const> = { a = { faults = around(1, 6) } }

  it("passes when all do", function()
    assert_verdict("pass", "is 1 in each", judged(fr.all { well, well }, measured))
  end)

  it("fails when one does, and gives only that reason", function()
    assert_verdict("fail", "is not 2", judged(fr.all { well, unknown, fr.all { ill } }, measured))
  end)

  it("is withdrawn otherwise", function()
    local found <const> = judged(fr.all { well, unknown }, measured)
    assert_verdict("withdrawn", "arm 'absent' was not run", found)
    assert.not_matches("in each", found.reason)
  end)
end)

-- Samples of one arm, in which smaps told so many bytes of the buffer and of the other region.
local function backed(arm, list)
  local samples <const> = {}
  for index, bytes in ipairs(list) do
    samples[index] = { arm = arm, status = "ok", round = index, evidence = { regions = {
      { region = "buffer", bytes = 4194304, huge_bytes = bytes or nil },
      { region = "other", bytes = 2097152, huge_bytes = 2097152 },
    } } }
  end
  return samples
end

describe("a claim that needs evidence", function()
  local whole <const> = 4194304
  local needing <const> = claim(FASTER, { needs = fr.huge "fast",
    otherwise = fr.claim "the other sentence" { test = fr.above { "slow", than = "fast",
      metric = "time", factor = 0.9 } } })

  local function with(samples, asked) return claimed.judge({ asked or needing }, arms(500),
    { samples = samples })[1] end

  it("is made when every sample has it", function()
    local found <const> = with(backed("fast", { whole, whole + 4096 }))
    assert_verdict("pass", "below 1", found)
    assert.equal("the sentence", found.asked)
    assert.equal(2, #found.numbers.needs.evidence)
  end)

  it("gives way to another one when a sample has evidence to the contrary", function()
    local found <const> = with(backed("fast", { whole, 2097152, whole }))
    assert.equal("the sentence", found.claim)
    assert.equal("the other sentence", found.asked)
    assert_verdict("pass", "above 0.9", found)
    assert.equal("above", found.test.form)
    assert.matches("the evidence is contrary: huge pages back 'buffer' of 'fast' in 2 of 3"
      .. " samples, in one only 2 MiB of 4 MiB (50.0 %)", found.withdrawn, 1, true)
  end)

  it("is withdrawn when there is nothing else to ask", function()
    assert_verdict("withdrawn", "the evidence is contrary: huge pages",
      with(backed("fast", { 0, 0 }), claim(FASTER, { needs = fr.huge "fast" })))
  end)

  it("is withdrawn when it was not read back, and nothing else is asked", function()
    local found <const> = with(backed("fast", { whole, false }))
    assert.equal("the sentence", found.asked)
    assert_verdict("withdrawn", "the evidence is missing: unknown: what backs 'buffer' of"
      .. " 'fast' was read back in 1 of 2 samples", found)
    assert_verdict("withdrawn", "in 0 of 0 samples", with {})
    assert_verdict("withdrawn", "the evidence is missing", with(backed("slow", { 0 })))
  end)

  it("is neither contrary nor there by lost samples", function()
    local samples <const> = backed("fast", { whole, 0 })
    samples[2].status = "timed out"
    assert_verdict("withdrawn", "missing: unknown: 1 of 2 samples of 'fast' was lost",
      with(samples))
  end)

  it("may need one region alone", function()
    local other <const> = claim(FASTER, { needs = fr.huge { "fast", region = "other" } })
    assert_verdict("pass", "below 1", with(backed("fast", { 0 }), other))
  end)

  it("counts huge pages of the pool, and of files", function()
    local samples <const> = backed("fast", { 0 })
    samples[1].evidence.regions[1].hugetlb_bytes = whole
    assert_verdict("pass", "below 1", with(samples))
  end)

  it("is about the regions that the arm works on, not about others", function()
    local samples <const> = backed("fast", { whole })
    samples[1].evidence.regions[3] = { region = "third", huge_bytes = 0 }
    assert_verdict("pass", "below 1", with(samples))
  end)

  it("is contrary when the kernel refused something, or a loop stood in for it", function()
    local asked <const> = claim(FASTER, { needs = fr.granted "fast" })
    assert_verdict("pass", "below 1", with(backed("fast", { 0 }), asked))
    assert_verdict("withdrawn", "the evidence is missing: unknown: arm 'fast' has no samples",
      with({}, asked))
    for told, field in pairs {
      ["contrary: the kernel did not do what 'fast' asked it for in 1 of 2 samples (lock of"
        .. " 'buffer': ENOMEM)"] = { "refused", { { op = "lock", region = "buffer",
          error = "ENOMEM" } } },
      ["(populate: by a touch loop)"] = { "populated_by", "touch loop" },
    } do
      local samples <const> = backed("fast", { 0, 0 })
      samples[2].evidence[field[1]] = field[2]
      assert_verdict("withdrawn", told, with(samples, asked))
    end
  end)

  it("is withdrawn in a quick run, without asking anything else", function()
    local found <const> = claimed.judge({ needing }, arms(500),
      { pause_divisor = 10, samples = backed("fast", { 0 }) })[1]
    assert_verdict("withdrawn", "quick run: nothing is claimed", found)
    assert.equal("the sentence", found.asked)
  end)

  it("may need tests: they pass, are contrary, or unknown", function()
    local function asked(test) return claimed.judge({ claim(FASTER, { needs = { test } }) },
      arms(500))[1] end
    assert_verdict("pass", "below 1", asked(fr.above { "slow", than = "fast", metric = "time",
      factor = 0.5 }))
    assert_verdict("withdrawn", "the evidence is contrary: time of 'slow'", asked(fr.below { "slow",
      than = "fast", metric = "time", factor = 1.5 }))
    assert_verdict("withdrawn", "the evidence is missing: arm 'absent'",
      asked(fr.exact { "absent", "faults", 1 }))
  end)
end)

describe("the noise floor", function()
  it("is the far end of the interval between a twin and its arm, for metrics in ns", function()
    local _, floors <const> = claimed.judge({}, {
      a = around(100, 10), ["a (twin)"] = around(100, 10, { 0.8, 1.1 }) })
    assert.equal(1, #floors)
    assert.equal("a", floors[1].arm)
    assert.near(1.25, floors[1].floor, 1e-12)
    assert.is_nil(floors[1].ratios)
  end)

  it("is unknown, with the reason, where rounds are too few", function()
    local _, floors <const> = claimed.judge({}, { a = around(100, 5),
      ["a (twin)"] = around(100, 5) })
    assert.is_nil(floors[1].floor)
    assert.equal("no 95 % interval below 6 values", floors[1].floor_why)
  end)
end)
