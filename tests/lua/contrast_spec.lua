local contrast <const> = require "frlua.contrast"

local function by_round(list)
  local values <const> = {}
  for round, value in pairs(list) do values[round] = value end
  return values
end

describe("a contrast", function()
  it("is paired by round: what both arms share cancels out", function()
    local found <const> = contrast.take({ 100, 200, 400 }, { 200, 400, 800 }, 3)
    assert.same({ 0.5, 0.5, 0.5 }, found.ratios)
    assert.equal(0.5, found.median)
  end)

  it("leaves out rounds in which a sample was lost", function()
    local found <const> = contrast.take(by_round { [1] = 10, [3] = 30 },
      by_round { [1] = 20, [2] = 5, [3] = 10 }, 3)
    assert.same({ 0.5, 3.0 }, found.ratios)
    assert.equal(2, found.n)
  end)

  it("has the median of log ratios: a half and a double cancel", function()
    assert.equal(1.0, contrast.of_ratios { 0.5, 2.0 }.median)
    assert.equal(1.0, contrast.of_ratios { 4.0, 0.25 }.median)
    assert.equal(3.0, contrast.of_ratios { 9.0, 1.0, 3.0 }.median)
    assert.equal(6.0, contrast.of_ratios { 1.0, 4.0, 9.0, 100.0 }.median)
  end)

  it("is the inverse when the two sides are swapped", function()
    local a <const>, b <const> = { 3, 8, 5, 9, 7, 4, 6, 5 }, { 2, 9, 4, 4, 8, 3, 5, 7 }
    local there <const>, back <const> = contrast.take(a, b, 8), contrast.take(b, a, 8)
    assert.near(1, there.median * back.median, 1e-15)
    assert.near(1, there.ci95[1] * back.ci95[2], 1e-15)
  end)

  it("has an interval of the second smallest and second largest of ten", function()
    local found <const> = contrast.of_ratios { 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0 }
    assert.same({ 2.0, 9.0 }, found.ci95)
    assert.near(1 - 22 / 1024, found.ci95_coverage, 1e-15)
  end)

  it("has none below six rounds, and says so", function()
    local found <const> = contrast.of_ratios { 1.0, 2.0, 3.0, 4.0, 5.0 }
    assert.is_nil(found.ci95)
    assert.equal("no 95 % interval below 6 values", found.why)
    assert.equal(0, contrast.of_ratios {}.n)
  end)

  it("is not made of times that the clock did not resolve", function()
    local found <const>, why <const> = contrast.take({ 0, 10 }, { 10, 10 }, 2)
    assert.is_nil(found)
    assert.matches("times of 0 or less in 1 of 2 rounds", why, 1, true)
    assert.is_nil((contrast.take({ 10, 10 }, { -5, 10 }, 2)))
  end)
end)

describe("the sign test", function()
  it("doubles the tail of the binomial distribution", function()
    assert.equal(2 / 1024, contrast.sign_test(0, 10))
    assert.equal(22 / 1024, contrast.sign_test(1, 10))
    assert.equal(112 / 1024, contrast.sign_test(2, 10))
    assert.equal(1, contrast.sign_test(5, 10))
    assert.equal(1, contrast.sign_test(10, 10))
  end)

  it("counts a ratio that equals the factor against the side asked for", function()
    assert.equal(1, contrast.wrong({ 0.5, 0.75, 1.0 }, "below", 1))
    assert.equal(3, contrast.wrong({ 0.5, 0.75, 1.0 }, "above", 1))
    assert.equal(2, contrast.wrong({ 0.5, 0.75, 1.0 }, "below", 0.75))
  end)

  it("agrees with the interval, whatever the factor and the number of rounds", function()
    math.randomseed(3)
    for n = 6, 40 do
      local ratios <const> = {}
      for index = 1, n do ratios[index] = math.random(80, 120) / 100 end
      local found <const> = contrast.of_ratios(ratios)
      for factor = 0.75, 1.25, 0.01 do
        local below <const> = contrast.sign_test(contrast.wrong(ratios, "below", factor), n) <= 0.05
        local above <const> = contrast.sign_test(contrast.wrong(ratios, "above", factor), n) <= 0.05
        assert.equal(found.ci95[2] < factor, below)
        assert.equal(found.ci95[1] > factor, above)
      end
    end
  end)
end)

describe("Holm's correction", function()
  local function corrected(ps)
    local list <const> = {}
    for index, one in ipairs(contrast.holm(ps)) do list[index] = one.p end
    return list
  end

  it("multiplies the smallest by all, the next by one less, in whatever order they are", function()
    assert.same({ 0.03, 0.06, 0.06 }, corrected { 0.01, 0.03, 0.04 })
    assert.same({ 0.06, 0.03, 0.06 }, corrected { 0.04, 0.01, 0.03 })
    assert.same({ 0.25 }, corrected { 0.25 })
    assert.same({}, corrected {})
  end)

  it("never exceeds 1, nor falls below a smaller one's", function()
    assert.same({ 1.0, 1.0, 1.0 }, corrected { 0.5, 0.9, 1.0 })
    assert.same({ 0.04, 0.04 }, corrected { 0.02, 0.025 })
  end)
end)

describe("the rounds needed", function()
  it("are the fewest at which the same share of them would suffice", function()
    assert.equal(6, (contrast.rounds_needed(0, 3, 0.05)))     -- 2/64 is the first below 0.05
    assert.equal(9, (contrast.rounds_needed(0, 6, 0.05 / 10)))
    assert.equal(20, (contrast.rounds_needed(2, 8, 0.05)))    -- 5 of 20: p = 0.0414
    assert.equal(10, (contrast.rounds_needed(1, 10, 0.05)))   -- there already
  end)

  it("are nil when half of them or more lie on the wrong side", function()
    assert.is_nil((contrast.rounds_needed(5, 10, 0.05)))
    assert.is_nil((contrast.rounds_needed(9, 10, 0.05)))
    assert.is_nil((contrast.rounds_needed(1, 1, 0.05)))
  end)

  it("are nil, and said to be many, when they are beyond what is looked at", function()
    local rounds <const>, is_far <const> = contrast.rounds_needed(499, 1000, 0.05)
    assert.is_nil(rounds)
    assert.is_true(is_far)
  end)

  it("suffice when that share holds, and one fewer does not", function()
    for wrong = 1, 4 do
      local rounds <const> = contrast.rounds_needed(wrong, 10, 0.01)
      local function p(n) return contrast.sign_test((wrong * n + 9) // 10, n) end
      assert.is_true(p(rounds) <= 0.01)
      for fewer = 10, rounds - 1 do assert.is_true(p(fewer) > 0.01) end
    end
  end)
end)

describe("the far end of an interval", function()
  it("is its distance from 1, on whichever side", function()
    assert.equal(1.25, contrast.far_end { 0.9, 1.25 })
    assert.equal(2.0, contrast.far_end { 0.5, 1.25 })
    assert.equal(1.25, contrast.far_end { 1.1, 1.25 })
    assert.equal(2.0, contrast.far_end { 0.5, 0.8 })
  end)
end)
