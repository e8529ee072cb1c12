local stats <const> = require "frlua.stats"

local series <const> = {
  even2 = { 10, 20 },
  even4 = { 400, 100, 300, 200 },
  odd3 = { 3, 1, 2 },
  one = { 7 },
  none = {},
  zeros = { 0, 0, 0 },
  flat_but_one = { 5, 5, 5, 5, 5, 5, 5, 5, 5, 6 },
  bigint_pair = { 9007199254740993, 9007199254740995 },
  sum_overflow = { 9223372036854775807, 9223372036854775805 },
  with_negative = { -30000, 120, 130, 140 },
  bimodal = { 100, 101, 100, 102, 100, 900, 905, 910, 901, 903 },
  first_run = { 9000, 101, 100, 100, 102, 101 },
}

local function up_to(n)
  local list <const> = {}
  for index = 1, n do list[index] = index end
  return list
end

local function assert_absent(why, figure, reason)
  assert.is_nil(figure)
  assert.equal(why, reason)
end

-- Equal in value and in kind: 15 is not 15.0.
local function assert_identical(expected, got)
  assert.equal(expected, got)
  assert.equal(math.type(expected), math.type(got))
end

describe("an interval of a quantile", function()
  -- P(X <= k), every outcome of n trials counted by itself.
  local function counted(k, n, p)
    local sum = 0.0
    for outcome = 0, (1 << n) - 1 do
      local ones, bits = 0, outcome
      while bits > 0 do ones, bits = ones + (bits & 1), bits >> 1 end
      if ones <= k then sum = sum + p ^ ones * (1 - p) ^ (n - ones) end
    end
    return sum
  end

  it("is made of the values whose ranks leave at most half of the rest on either side", function()
    for _, case in ipairs { { 12, 0.25 }, { 14, 0.25 }, { 14, 0.5 }, { 13, 0.7 } } do
      local n <const>, share <const> = case[1], case[2]
      local list <const> = {}
      for value = 1, n do list[value] = value end
      local found <const> = stats.quantile_interval(list, share, 0.9)
      if found then
        assert.is_true(counted(found.lo - 1, n, share) <= 0.05)
        assert.is_true(counted(found.lo, n, share) > 0.05)
        assert.is_true(1 - counted(found.hi - 1, n, share) <= 0.05)
        assert.is_true(1 - counted(found.hi - 2, n, share) > 0.05)
        assert.near(counted(found.hi - 1, n, share) - counted(found.lo - 1, n, share),
          found.coverage, 1e-12)
      else
        assert.is_true(counted(0, n, share) > 0.05 or 1 - counted(n - 1, n, share) > 0.05)
      end
    end
  end)

  it("of the lower quartile of 20 reaches from the second to the tenth", function()
    local list <const> = {}
    for value = 20, 1, -1 do list[#list + 1] = value end
    local found <const> = stats.quantile_interval(list, 0.25)
    assert.same({ 2, 10 }, { found.lo, found.hi })
  end)

  it("is the median's where that is asked for", function()
    local list <const> = { 5, 3, 9, 1, 7, 2, 8, 6, 4, 10 }
    local found <const>, median <const> =
      stats.quantile_interval(list, 0.5), stats.interval(list)
    assert.same({ median.lo, median.hi }, { found.lo, found.hi })
    assert.near(median.coverage, found.coverage, 1e-12)
  end)

  it("is none of too few values", function()
    local found <const>, why <const> = stats.quantile_interval({ 1, 2, 3, 4, 5, 6 }, 0.25)
    assert.is_nil(found)
    assert.equal("too few values for an interval of the 0.25 quantile: 6", why)
  end)
end)

describe("the median", function()
  it("of an odd count is the middle value, in whatever order they come", function()
    assert_identical(2, stats.median(series.odd3))
    assert_identical(7, stats.median(series.one))
    assert_identical(0, stats.median(series.zeros))
    assert_identical(2.5, stats.median { 9, 2.5, 1 })
  end)

  it("of an even count is the mean of the two middle values", function()
    assert_identical(15, stats.median(series.even2))
    assert_identical(250, stats.median(series.even4))
    assert_identical(5, stats.median(series.flat_but_one))
    assert_identical(125, stats.median(series.with_negative))
    assert_identical(501, stats.median(series.bimodal))
    assert_identical(101, stats.median(series.first_run))
    assert_identical(1.75, stats.median { 1.5, 2 })
  end)

  it("of integers is exact above 2^53 and next to 2^63", function()
    assert_identical(9007199254740994, stats.median(series.bigint_pair))
    assert_identical(9223372036854775806, stats.median(series.sum_overflow))
    assert_identical(math.mininteger + 1, stats.median { math.mininteger, math.mininteger + 2 })
    assert_identical(-2, stats.median { -3, -1 })
  end)

  it("of an odd sum has a half, or is the integer below where a double can't hold it", function()
    assert_identical(1.5, stats.median { 1, 2 })
    assert_identical(-0.5, stats.median { math.mininteger, math.maxinteger })
    assert_identical(-1.5, stats.median { -1, -2 })
    assert_identical(4503599627370495.5, stats.median { (1 << 52) - 1, 1 << 52 })
    assert_identical(1 << 52, stats.median { 1 << 52, (1 << 52) + 1 })
    assert_identical((1 << 52) + 1, stats.median { (1 << 52) + 1, (1 << 52) + 2 })
    assert_identical(math.maxinteger - 1, stats.median { math.maxinteger, math.maxinteger - 1 })
  end)

  it("of floats does not overflow", function()
    assert.equal(1.5e308, stats.median { 1.4e308, 1.6e308 })
  end)

  it("of nothing is absent", function()
    assert_absent("no values", stats.median(series.none))
  end)

  it("leaves the caller's table as it was", function()
    local list <const> = { 400, 100, 300, 200 }
    stats.median(list)
    stats.summary(list)
    assert.same({ 400, 100, 300, 200 }, list)
  end)
end)

describe("a list", function()
  it("with anything but finite numbers is refused, by index and value", function()
    local functions <const> = { "median", "interval", "summary", "spread", "exact", "trend" }
    local function refuses(list, message)
      for _, name in ipairs(functions) do
        assert.error_matches(function() stats[name](list) end, message)
      end
    end
    refuses({ 1, 0 / 0, 3, 4, 5, 6 }, "value 2 of a list is nan: statistics need finite numbers")
    refuses({ 1, 2, math.huge, 4, 5 }, "value 3 of a list is inf")
    refuses({ "1", 2, 3, 4, 5 }, "value 1 of a list is '1'")
  end)
end)

describe("the interval of the median", function()
  it("has the ranks and the coverage of exact binomial sums", function()
    -- n, lower rank, coverage as 1 - 2 * (sum of the binomial coefficients below it) / 2^n
    local cases <const> = {
      { 6, 1, 1 - 2 * 1 / 2 ^ 6 },
      { 8, 1, 1 - 2 * 1 / 2 ^ 8 },
      { 9, 2, 1 - 2 * (1 + 9) / 2 ^ 9 },
      { 10, 2, 1 - 2 * (1 + 10) / 2 ^ 10 },
      { 12, 3, 1 - 2 * (1 + 12 + 66) / 2 ^ 12 },
      { 20, 6, 1 - 2 * (1 + 20 + 190 + 1140 + 4845 + 15504) / 2 ^ 20 },
    }
    for _, case in ipairs(cases) do
      local n <const>, k <const>, coverage <const> = table.unpack(case)
      assert.same({ lo = k, hi = n + 1 - k, coverage = coverage }, stats.interval(up_to(n)))
    end
    assert.equal(0.96875, stats.interval(up_to(6)).coverage)
    assert.equal(0.978515625, stats.interval(up_to(10)).coverage)
  end)

  it("for larger n agrees with big-integer arithmetic", function()
    for n, expected in pairs {
      [100] = { 40, 0.9647997997822951 }, [1000] = { 469, 0.9537088026395019 },
    } do
      local interval <const> = stats.interval(up_to(n))
      assert.equal(expected[1], interval.lo)
      assert.equal(n + 1 - expected[1], interval.hi)
      assert.near(expected[2], interval.coverage, 1e-12)
    end
  end)

  it("covers as often as it says, over every way n values can fall about the median", function()
    for n = 6, 14 do
      local interval <const> = stats.interval(up_to(n))
      local covered, covered_inside = 0, 0
      for pattern = 0, (1 << n) - 1 do -- a set bit: that value lies below the median
        local below = 0
        for bit = 0, n - 1 do below = below + (pattern >> bit & 1) end
        if below >= interval.lo and below < interval.hi then covered = covered + 1 end
        if below > interval.lo and below < interval.hi - 1 then
          covered_inside = covered_inside + 1 -- by the interval of the next ranks
        end
      end
      assert.equal(covered / 2 ^ n, interval.coverage)
      assert.is_true(interval.coverage >= 0.95)
      assert.is_true(covered_inside / 2 ^ n < 0.95)
    end
  end)

  it("sorts the values", function()
    local interval <const> = stats.interval { 6, 1, 5, 2, 4, 3 }
    assert.same({ 1, 6 }, { interval.lo, interval.hi })
  end)

  it("takes another level", function()
    assert.equal(0.9375, stats.interval({ 1, 2, 3, 4, 5 }, 0.9).coverage)
    assert.equal(1 - 2 / 2 ^ 8, stats.interval(up_to(8), 0.99).coverage)
    assert.error_matches(function() stats.interval({ 1 }, 1) end,
      "level must be a finite number from 0 to 0.999999, not 1")
  end)

  it("is absent where no pair of ranks reaches the level", function()
    for n = 0, 5 do
      assert_absent("no 95 % interval below 6 values", stats.interval(up_to(n)))
    end
    assert_absent("no 99 % interval below 8 values", stats.interval(up_to(7), 0.99))
    assert_absent("no 99.9 % interval below 11 values", stats.interval(up_to(10), 0.999))
  end)
end)

describe("a summary", function()
  it("holds the extremes, the median and its interval", function()
    assert.same({
      n = 6, median = 101, min = 100, max = 9000, ci95 = { 100, 9000 }, ci95_coverage = 0.96875,
    }, stats.summary(series.first_run))
  end)

  it("says why there is no interval", function()
    assert.same({
      n = 1, median = 7, min = 7, max = 7, ci95_why = "no 95 % interval below 6 values",
    }, stats.summary(series.one))
    assert_absent("no values", stats.summary(series.none))
  end)
end)

describe("the spread", function()
  it("is the range of the values, and absent for one", function()
    assert_identical(10, stats.spread(series.even2))
    assert_identical(0, stats.spread(series.zeros))
    assert.equal(2.0 ^ 64, stats.spread { math.mininteger, math.maxinteger })
    assert_absent("one value has no spread", stats.spread(series.one))
    assert_absent("no values", stats.spread(series.none))
  end)
end)

-- Calls `visit` with every order of a list: those of equal values once for each way to tell them
-- apart.
local function for_every_order(list, visit, count)
  count = count or #list
  if count == 1 then return visit(list) end
  for pick = 1, count do
    list[pick], list[count] = list[count], list[pick]
    for_every_order(list, visit, count - 1)
    list[pick], list[count] = list[count], list[pick]
  end
end

-- S from its definition: the signs of all later values less earlier ones.
local function signs(list)
  local s = 0
  for i = 1, #list do
    for j = i + 1, #list do
      s = s + (list[j] > list[i] and 1 or list[j] < list[i] and -1 or 0)
    end
  end
  return s
end

-- How many of all orders have which |S|, and how many there are.
local function counted_orders(list)
  local counts <const>, orders = {}, 0
  for_every_order(list, function(order)
    local s <const> = math.abs(signs(order))
    counts[s], orders = (counts[s] or 0) + 1, orders + 1
  end)
  return counts, orders
end

-- The numbers up to n in an order of this S: so many inversions are made by values put forward.
local function order_with(n, s)
  local inversions, order <const> = (n * (n - 1) // 2 - s) // 2, {}
  for value = 1, n do
    local forward <const> = math.min(inversions, value - 1)
    table.insert(order, value - forward, value)
    inversions = inversions - forward
  end
  return order
end

local function share_of(counts, orders, s)
  local reached = 0
  for other, count in pairs(counts) do
    if other >= s then reached = reached + count end
  end
  return reached / orders
end

describe("a trend", function()
  it("has the s and the p of all orders, counted one by one", function()
    for n = 4, 7 do
      local counts <const>, orders <const> = counted_orders(up_to(n))
      for_every_order(up_to(n), function(order)
        local trend <const> = stats.trend(order)
        local s <const> = signs(order)
        assert(trend.s == s and math.abs(trend.p - share_of(counts, orders, math.abs(s))) < 1e-14)
      end)
    end
  end)

  it("has the p of the published table", function()
    -- P(S >= s) in the table of upper tails that Kendall (1975) gives for n = 4 to 10.
    local tails <const> = {
      { 8, 12, 0.089 }, { 8, 16, 0.031 }, { 8, 20, 0.0071 }, { 9, 10, 0.179 }, { 9, 18, 0.038 },
      { 10, 9, 0.242 }, { 10, 15, 0.108 }, { 10, 21, 0.036 }, { 10, 23, 0.023 },
    }
    for _, tail in ipairs(tails) do
      local n <const>, s <const>, one_sided <const> = table.unpack(tail)
      local trend <const> = stats.trend(order_with(n, s))
      assert.equal(s, trend.s)
      assert.near(one_sided, trend.p / 2, 5.1e-4)
    end
  end)

  it("says of ties no less than all their orders do", function()
    local lists <const> = {
      { 1, 1, 1, 2 }, { 1, 1, 2, 2 }, { 1, 2, 2, 3 }, { 1, 1, 1, 2, 3 }, { 1, 2, 3, 4, 4, 5 },
      { 1, 1, 2, 2, 3, 3 }, { 1, 1, 1, 1, 1, 2 },
    }
    for _, list in ipairs(lists) do
      local counts <const>, orders <const> = counted_orders(list)
      for_every_order(list, function(order)
        local trend <const> = stats.trend(order)
        assert.equal(signs(order), trend.s)
        assert(trend.p >= share_of(counts, orders, math.abs(trend.s)) - 1e-14)
        assert(trend.p <= 1)
      end)
    end
    assert.same({ s = 0, p = 1.0 }, stats.trend { 7, 7, 7, 7, 7 })
  end)

  it("of a list that only rises has 2 of all n! orders against it", function()
    local orders = 6.0
    for n = 4, 18 do
      orders = orders * n
      assert.same({ s = n * (n - 1) // 2, p = 2 / orders }, stats.trend(up_to(n)))
    end
    assert.near(1, stats.trend(up_to(100)).p * 9.332621544394410e157 / 2, 1e-12) -- 100!
  end)

  it("of many values agrees with the normal distribution, and falls as it rises", function()
    local deviation <const> = math.sqrt(60 * 59 * (2 * 60 + 5) / 18) -- of S (Kendall 1975)
    for _, s in ipairs { 100, 200, 300, 400 } do
      local tail, step <const> = 0.0, 1e-3
      for x = (s - 1) / deviation + step / 2, 10, step do
        tail = tail + step * math.exp(-x * x / 2)
      end
      local p <const> = 2 * tail / math.sqrt(2 * math.pi)
      assert.near(p, stats.trend(order_with(60, s)).p, 3e-3)
      assert.equal(stats.trend(order_with(60, s)).p, stats.trend(order_with(60, -s)).p)
    end
  end)

  it("is absent of fewer than 4 values, and of more than are counted", function()
    for n = 0, 3 do assert_absent("no trend below 4 values", stats.trend(up_to(n))) end
    assert_absent("a trend is counted exactly up to 100 values", stats.trend(up_to(101)))
  end)
end)

describe("a ratio", function()
  it("is a number where there is one", function()
    assert.equal(1.5, stats.ratio(3, 2))
    assert.equal(0, stats.ratio(0, 2))
  end)

  it("is absent, with the reason, when it would not be finite", function()
    assert_absent("no ratio to 0", stats.ratio(7, stats.median(series.zeros)))
    assert_absent("no ratio to 0", stats.ratio(0, 0.0))
    assert_absent("no value to compare", stats.ratio(stats.median(series.none), 7))
    assert_absent("no value to compare", stats.ratio(7, nil))
    assert_absent("the ratio is not a finite number", stats.ratio(1e300, 1e-300))
    assert_absent("the ratio is not a finite number", stats.ratio(0 / 0, 1))
  end)
end)

describe("counts", function()
  it("are one exact value or every value that occurs", function()
    assert.same({ exact = 128 }, stats.exact { 128, 128, 128 })
    assert.same({ values = { 128, 130 } }, stats.exact { 130, 128, 130, 128 })
    assert.same({ exact = 0 }, stats.exact { 0 })
    assert_absent("no values", stats.exact {})
  end)
end)

describe("the binomial distribution of fair tosses", function()
  it("is exact for small n", function()
    local coefficients <const> = { 1, 8, 28, 56, 70, 56, 28, 8, 1 }
    local sum = 0
    for k = 0, 8 do
      sum = sum + coefficients[k + 1]
      assert.equal(sum / 256, stats.binomial_cdf(k, 8))
    end
    assert.equal(0.0, stats.binomial_cdf(-1, 8))
    assert.equal(1.0, stats.binomial_cdf(9, 8))
    assert.equal(2 ^ -50, stats.binomial_cdf(0, 50))
  end)

  it("agrees with big-integer arithmetic where coefficients exceed a double", function()
    local expected <const> = {
      { 100, 500, 8.298147376086966e-44 },
      { 500, 2000, 7.371987614884475e-116 },
      { 405, 2100, 3.144713294483269e-187 },
      { 700, 1500, 0.005279627733355772 },
      { 4900, 10000, 0.023292763852473693 },
      { 49800, 100000, 0.10351948588211242 },
    }
    for _, case in ipairs(expected) do
      local k <const>, n <const>, probability <const> = table.unpack(case)
      assert.near(1, stats.binomial_cdf(k, n) / probability, 1e-10)
      assert.near(1 - probability, stats.binomial_cdf(n - k - 1, n), 1e-10)
    end
    assert.equal(0.0, stats.binomial_cdf(10, 100000)) -- far below the smallest double
  end)
end)
