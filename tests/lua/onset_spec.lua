local claimed <const> = require "claimed"
local fr <const> = require "frlua"

local around <const> = claimed.around
local LINES <const> = { 8, 16, 24, 32, 40, 48, 56, 64 }

local function name(arm, lines) return ("%s, %d lines"):format(arm, lines) end

-- A test as a sweep writes it out, of so many rows.
local function test_of(aspect, count, within)
  local test <const> = fr.onset { "spread", than = "packed", metric = "time", over = "lines",
    is = aspect, within = within }
  test.value, test.than, test.rows = nil, nil, {}
  for index = 1, count do
    test.rows[index] = { at = LINES[index],
      value = { arm = name("spread", LINES[index]), metric = "time" },
      than = { arm = name("packed", LINES[index]), metric = "time" } }
  end
  return test
end

-- Arms whose ratios are these in each of ten rounds; a list is those of the rounds, in turn. The
-- twins are the same as their arms, so that the noise is the test's own band.
local function arms_of(ratios)
  local arms <const> = {}
  for index, ratio in ipairs(ratios) do
    local factors <const> = type(ratio) == "table" and ratio or { ratio }
    arms[name("spread", LINES[index])] = around(1000, 10, factors)
    arms[name("packed", LINES[index])] = around(1000, 10)
    arms[name("packed", LINES[index]) .. " (twin)"] = around(1000, 10)
  end
  return arms
end

local function judged(aspect, ratios, change, fields)
  local arms <const> = arms_of(ratios)
  if change then change(arms) end
  return claimed.judge({ fr.claim "the step" { test = test_of(aspect, #ratios,
    fields and fields.within) } }, arms, fields)[1]
end

local function assert_verdict(verdict, reason, found)
  assert.equal(verdict, found.verdict, found.reason)
  assert.matches(reason, found.reason, 1, true)
end

-- The interval of ten rounds reaches from the second smallest to the second largest.
local WIDE <const> = { 0.99, 0.99, 1.08, 1.08, 1.08, 1.08, 1.08, 1.08, 1.08, 1.2 }
local OPEN <const> = { 0.9, 0.9, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 3, 3 }

describe("a step that is flat below", function()
  it("passes around 1, with the ratios and the trend that there is not", function()
    assert_verdict("pass", "lines from 8 to 32: ratios from 0.9900 to 1.020, around 1, no trend"
      .. " (Mann-Kendall p 1); noise: a factor of 1.050",
      judged("flat below", { 1.02, 0.99, 1, 1.01, 2, 2.1 })) -- 3 pairs rise, 3 fall
    assert_verdict("pass", "around 1, too few rows for a trend",
      judged("flat below", { 1.02, 0.99, 2 }))
  end)

  it("passes on one side of 1 as long as the noise allows it", function()
    assert_verdict("pass", "ratios from 1.020 to 1.040", judged("flat below", { 1.04, 1.02, 2 }))
  end)

  it("passes with a trend inside of the noise", function()
    assert_verdict("pass", "around 1, a trend (Mann-Kendall p 0.01667) inside of the noise",
      judged("flat below", { 0.99, 0.995, 1, 1.005, 1.01, 2 }))
  end)

  it("fails with a trend", function()
    assert_verdict("fail", "lines from 8 to 40: ratios from 0.9600 to 1.040, with a trend"
      .. " (Mann-Kendall p 0.01667)", -- 1 of 120 orders rises all the way, 1 falls
      judged("flat below", { 0.96, 0.98, 1, 1.02, 1.04, 2 }))
  end)

  it("fails on one side of 1, outside of the noise", function()
    assert_verdict("fail", "lines from 8 to 16: ratios from 1.080 to 1.080: all on one side of 1,"
      .. " and outside of the noise", judged("flat below", { WIDE, WIDE, 2, 2 }))
  end)
end)

describe("a step of one row", function()
  it("passes where no row lies between", function()
    assert_verdict("pass", "flat up to 16 lines, the plateau from 24, no row between",
      judged("one row wide", { 1, 1, 2, 2 }))
  end)

  it("fails where rows are on the way, which are not of the plateau", function()
    assert_verdict("fail", "flat up to 16 lines, the plateau from 32, 1 row between",
      judged("one row wide", { 1, 1, 1.4, 2, 2 }))
    assert_verdict("fail", "the plateau from 40, 2 rows between",
      judged("one row wide", { 1, 1, 1.2, 1.4, 2, 2, 2, 2 }))
  end)
end)

describe("a step that is flat above", function()
  it("passes where the plateau stays within", function()
    assert_verdict("pass", "lines from 24 to 40: ratios from 2 to 2.100, too few rows for a trend;"
      .. " noise: a factor of 1.100", judged("flat above", { 1, 1, 2, 2.1, 2 }))
  end)

  it("fails where it does not", function()
    assert_verdict("fail", "lines from 24 to 48: ratios from 2 to 2.300: more than 10 % apart",
      judged("flat above", { 1, 1, 2.3, 2.15, 2, 2.1 }))
    assert_verdict("pass", "ratios from 2 to 2.300",
      judged("flat above", { 1, 1, 2.3, 2.15, 2, 2.1 }, nil, { within = 0.2 }))
  end)

  it("passes with a trend inside of the noise", function()
    assert_verdict("pass", "ratios from 2 to 2.120, a trend (Mann-Kendall p 0.01667) inside of the"
      .. " noise", judged("flat above", { 1, 1, 2, 2.03, 2.06, 2.09, 2.12 }))
  end)

  it("fails with a trend", function()
    assert_verdict("fail", "ratios from 2 to 2.240, with a trend (Mann-Kendall p 0.01667)",
      judged("flat above", { 1, 1, 2, 2.06, 2.12, 2.18, 2.24 }))
  end)
end)

describe("a lasting step", function()
  it("passes where no row is flat again, and fails where one is", function()
    assert_verdict("pass", "no row behind 24 lines is flat again",
      judged("lasting", { 1, 1, 2, 2 }))
    assert_verdict("fail", "it is flat again at 32 lines", judged("lasting", { 1, 2, 2, 1, 1 }))
  end)
end)

describe("what is said of a step is withdrawn", function()
  it("where there is none", function()
    assert_verdict("withdrawn", "no step found: no row leaves the noise; noise: a factor of 1.050",
      judged("lasting", { 1, 1.01, 1.04, 1 }))
  end)

  it("where there is more than one", function()
    assert_verdict("withdrawn", "there is no clear step: it leaves the band of noise at 16 and"
      .. " again at 32", judged("lasting", { 1, 2, 1, 2 }))
    assert_verdict("withdrawn", "there is no clear step: it rises, falls, and at 48 rises again",
      judged("flat above", { 1, 3, 3, 2, 2, 3 }))
  end)

  it("where a row does not say whether it is in it", function()
    assert_verdict("withdrawn", "at 24 its interval, 0.9000 to 3.000, ends further from 1 than",
      judged("one row wide", { 1, 1, OPEN, 2, 2 }))
  end)

  it("where the first row is in it already, and where it goes down", function()
    assert_verdict("withdrawn", "has left the band already", judged("flat below", { 2, 2, 2 }))
    assert_verdict("withdrawn", "downwards", judged("flat below", { 1, 1, 0.5 }))
  end)

  it("inside what an arm run twice differs by", function()
    local function noisy(arms) arms["packed, 16 lines (twin)"] = around(1300, 10) end
    assert_verdict("pass", "noise: a factor of 1.050", judged("lasting", { 1, 1, 1.2, 1.2 }))
    assert_verdict("withdrawn", "no step found: no row leaves the noise; noise: a factor of 1.300",
      judged("lasting", { 1, 1, 1.2, 1.2 }, noisy))
  end)

  it("where the noise of a row is unknown", function()
    local function alone(arms) arms["packed, 24 lines (twin)"] = nil end
    assert_verdict("withdrawn", "the noise floor for time of 'packed, 24 lines' is unknown: it has"
      .. " no twin in this run", judged("lasting", { 1, 1, 2, 2 }, alone))
    local function short(arms) arms["packed, 24 lines (twin)"] = around(1000, 5) end
    assert_verdict("withdrawn", "no 95 % interval below 6 values",
      judged("lasting", { 1, 1, 2, 2 }, short))
  end)

  it("where samples were lost, of its arms or of their twins", function()
    for _, arm in ipairs { "spread, 16 lines", "packed, 16 lines", "packed, 16 lines (twin)" } do
      local samples <const> = { { arm = arm, status = "timed out" } }
      for round = 1, 9 do samples[1 + round] = { arm = arm, status = "ok" } end
      assert_verdict("withdrawn", ("at 16 lines: 1 of 10 samples of '%s' was lost"):format(arm),
        judged("lasting", { 1, 1, 2, 2 }, nil, { samples = samples }))
    end
  end)

  it("where a row has too few rounds, or an arm was not run", function()
    assert_verdict("withdrawn", "at 8 lines: too few rounds: 10, claims need 20",
      judged("lasting", { 1, 1, 2, 2 }, nil, { rounds_for_claims = 20 }))
    assert_verdict("withdrawn", "arm 'spread, 24 lines' was not run",
      judged("lasting", { 1, 1, 2 }, function(arms) arms["spread, 24 lines"] = nil end))
  end)
end)

describe("the numbers of a step", function()
  it("are the contrasts of its rows, in their order", function()
    local contrasts <const> = judged("lasting", { 1, 1, 2 }).numbers.contrasts
    assert.equal(3, #contrasts)
    assert.same({ "spread, 24 lines", "packed, 24 lines", 2.0, { 2.0, 2.0 } }, {
      contrasts[3].arm, contrasts[3].than.arm, contrasts[3].ratio, contrasts[3].ci95 })
  end)

  it("end where there is no verdict to be had", function()
    local found <const> = judged("lasting", { 1, 1, 2 }, function(arms)
      arms["spread, 16 lines"] = around(0, 10)
    end)
    assert_verdict("withdrawn", "the clock did not resolve it", found)
    assert.equal(1, #found.numbers.contrasts)
  end)
end)
