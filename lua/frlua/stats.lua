--- Statistics over small lists: one number per process. Lists hold finite numbers without holes,
--- in any order, and are never changed; anything else in them is refused. Where a figure does not
--- exist the result is nil and the reason, never 0, NaN or infinity.
local check <const> = require "frlua.check"
local units <const> = require "frlua.units"

local stats <const> = {}

local LEVEL <const> = 0.95 -- of intervals, where no other is asked for
-- Of 3 values p is 1/3 at best. Of more than 100, the counting takes longer than a moment.
local FEWEST_IN_TREND <const>, MOST_IN_TREND <const> = 4, 100

---@alias frlua.Why string why there is no figure

---@class frlua.Interval
---@field lo number
---@field hi number
---@field coverage number the probability that it holds the median; at least the level asked for

---@class frlua.Summary
---@field n integer
---@field median number
---@field min number
---@field max number
---@field ci95 number[]? { lo, hi } of the 95 % interval of the median
---@field ci95_coverage number?
---@field ci95_why frlua.Why?

local function checked_value(value, index)
  if type(value) ~= "number" or not check.is_finite(value) then
    check.fail(("value %d of a list is %s: statistics need finite numbers")
      :format(index, check.show(value)))
  end
  return value
end

local function sorted(list)
  local copy <const> = {}
  for index = 1, #list do copy[index] = checked_value(list[index], index) end
  table.sort(copy)
  return copy
end

-- The difference of two integers is a float only where it does not fit into 64 bits.
local function difference(a, b)
  local exact <const> = a - b
  if (a >= b) == (exact >= 0) then return exact end
  return a + 0.0 - b
end

-- The mean of two integers without their sum, which may not fit into 64 bits.
local function integer_mean(a, b)
  local floor <const> = a // 2 + b // 2 + (a & b & 1)
  local odd_sum <const> = (a ~ b) & 1 == 1
  if odd_sum and floor + 0.5 - floor == 0.5 then return floor + 0.5 end
  return floor
end

local function median_of_sorted(values)
  -- The two middle values, which are one and the same for an odd count.
  local lower <const>, upper <const> = values[(#values + 1) // 2], values[#values // 2 + 1]
  if math.type(lower) == "integer" and math.type(upper) == "integer" then
    return integer_mean(lower, upper)
  end
  return lower / 2 + upper / 2
end

---The median; for an even count the mean of the two middle values. It is exact for integers up to
---2^63: an odd sum gives a float with .5, or the integer below where a double can't hold that half.
---@param list number[]
---@return number? median
---@return frlua.Why? why
function stats.median(list)
  if #list == 0 then return nil, "no values" end
  return median_of_sorted(sorted(list))
end

---P(X <= k) for X, the heads in n tosses of a fair coin. Exact for n up to 50, beyond that to
---about n roundings of a double; made for n up to 100000.
---@param k integer
---@param n integer
---@return number
function stats.binomial_cdf(k, n)
  if k < 0 then return 0.0 end
  if 2 * k >= n then return 1 - stats.binomial_cdf(n - k - 1, n) end
  -- Coefficients soon exceed a double, and 2^-n falls below it: the power of two is kept apart.
  local coefficient, sum, exponent = 1.0, 1.0, -n
  for i = 1, k do
    coefficient = coefficient * (n - i + 1) / i
    sum = sum + coefficient
    if sum > 0x1p500 then
      coefficient, sum, exponent = coefficient * 0x1p-500, sum * 0x1p-500, exponent + 500
    end
  end
  local half <const> = exponent // 2 -- in two factors: 2^exponent alone may be 0
  return sum * 2.0 ^ half * 2.0 ^ (exponent - half)
end

-- The chance that the values of rank k and n + 1 - k enclose the median: of the n values at least k
-- and at most n - k lie below it (David and Nagaraja, "Order Statistics", section 7.1).
local function coverage(k, n)
  return 1 - 2 * stats.binomial_cdf(k - 1, n)
end

-- The largest k whose coverage reaches the level; 0 when none does.
local function rank(n, level)
  local low, high = 0, (n + 1) // 2
  while low < high do
    local middle <const> = (low + high + 1) // 2
    if coverage(middle, n) >= level then low = middle else high = middle - 1 end
  end
  return low
end

---The fewest values that have an interval.
---@param level? number as of stats.interval
---@return integer
function stats.fewest(level)
  local needed = 1
  while coverage(1, needed) < (level or LEVEL) do needed = needed + 1 end
  return needed
end

local function no_interval(level)
  return ("no %s %% interval below %d values"):format(units.count(100 * level),
    stats.fewest(level))
end

local function interval_of_sorted(values, level)
  local n <const> = #values
  local k <const> = rank(n, level)
  if k == 0 then return nil, no_interval(level) end
  return { lo = values[k], hi = values[n + 1 - k], coverage = coverage(k, n) }
end

---An interval of the median that supposes nothing about the distribution: the k-th smallest and the
---k-th largest value, for the largest k whose coverage reaches the level.
---@param list number[]
---@param level? number probability, 0.95 by default
---@return frlua.Interval? interval
---@return frlua.Why? why too few values for the level
function stats.interval(list, level)
  return interval_of_sorted(sorted(list), check.number(level or LEVEL, "level", 0, 0.999999))
end

-- P(X <= k) for X, the successes in n trials of probability p.
local function successes_cdf(k, n, p)
  local term, sum = (1 - p) ^ n, 0.0
  for i = 0, k do
    sum = sum + term
    term = term * (n - i) / (i + 1) * p / (1 - p)
  end
  return math.min(sum, 1.0)
end

---An interval of another quantile, that supposes nothing about the distribution either: of n values
---X lie below it, X the successes in n trials of probability `quantile` (David and Nagaraja,
---section 7.1). Made for up to a few hundred values.
---@param list number[]
---@param quantile number above 0, below 1: the share of values below it
---@param level? number probability, 0.95 by default; half of the rest on either side
---@return frlua.Interval? interval
---@return frlua.Why? why too few values for the level
function stats.quantile_interval(list, quantile, level)
  local values <const>, n <const> = sorted(list), #list
  local share <const> = check.number(quantile, "quantile", 0.001, 0.999)
  local rest <const> = (1 - check.number(level or LEVEL, "level", 0, 0.999999)) / 2
  local low, high = 0, n + 1
  while low < n and successes_cdf(low, n, share) <= rest do low = low + 1 end
  while high > 1 and 1 - successes_cdf(high - 2, n, share) <= rest do high = high - 1 end
  if low < 1 or high > n then
    return nil, ("too few values for an interval of the %s quantile: %d"):format(
      units.count(quantile), n)
  end
  return {
    lo = values[low], hi = values[high],
    coverage = successes_cdf(high - 1, n, share) - successes_cdf(low - 1, n, share),
  }
end

---@param list number[]
---@return frlua.Summary? summary
---@return frlua.Why? why
function stats.summary(list)
  if #list == 0 then return nil, "no values" end
  local values <const> = sorted(list)
  local interval <const>, why <const> = interval_of_sorted(values, LEVEL)
  return {
    n = #values,
    median = median_of_sorted(values),
    min = values[1],
    max = values[#values],
    ci95 = interval and { interval.lo, interval.hi },
    ci95_coverage = interval and interval.coverage,
    ci95_why = why,
  }
end

---The largest value less the smallest.
---@param list number[]
---@return number? spread
---@return frlua.Why? why
function stats.spread(list)
  if #list == 0 then return nil, "no values" end
  if #list == 1 then return nil, "one value has no spread" end
  local values <const> = sorted(list)
  return difference(values[#values], values[1])
end

---@class frlua.Trend
---@field s integer pairs that rise less pairs that fall
---@field p number two-sided; an upper bound where there are ties

-- counts[1 + k]: how many orders of n different values have k inversions (pairs that fall), for k
-- up to `most`. A value that is put into an order of n - 1 smaller ones makes 0 to n - 1 of them.
-- Sums of positive numbers only: exact up to 18 values, beyond that to about n^2 roundings.
local function inversion_counts(n, most)
  local counts = { 1.0 }
  for size = 2, n do
    local next_counts <const> = {}
    for k = 0, math.min(most, size * (size - 1) // 2) do
      local sum = 0.0
      for before = math.max(0, k - size + 1), math.min(k, #counts - 1) do
        sum = sum + counts[1 + before]
      end
      next_counts[1 + k] = sum
    end
    counts = next_counts
  end
  return counts
end

-- The chance that a random order of n different values has |S| >= s. S is the number of pairs less
-- twice the inversions, and as often positive as negative.
local function trend_probability(n, s)
  local most <const> = (n * (n - 1) // 2 - s) // 2 -- inversions that leave S >= s
  local sum, orders = 0.0, 1.0
  for _, count in ipairs(inversion_counts(n, most)) do sum = sum + count end
  for factor = 2, n do orders = orders * factor end
  return math.min(1.0, 2 * (sum / orders))
end

---The exact two-sided Mann-Kendall test for a trend over a list in its order: how often values in
---random order rise, or fall, as consistently as these (Mann, "Nonparametric tests against trend",
---Econometrica 13, 1945; Kendall, "Rank Correlation Methods", 1975).
---
---A tie counts as 0 in s and against the trend in p: breaking ties moves S by at most their number,
---so that no distribution with ties reaches s more often than one without reaches s less that
---number. p is then an upper bound, and 1 where ties could account for all of s.
---@param list number[]
---@return frlua.Trend? trend
---@return frlua.Why? why fewer than 4 values, or more than the 100 that are counted exactly
function stats.trend(list)
  local n <const> = #list
  for index = 1, n do checked_value(list[index], index) end
  if n < FEWEST_IN_TREND then
    return nil, ("no trend below %d values"):format(FEWEST_IN_TREND)
  elseif n > MOST_IN_TREND then
    return nil, ("a trend is counted exactly up to %d values"):format(MOST_IN_TREND)
  end
  local s, ties = 0, 0
  for later = 2, n do
    for earlier = 1, later - 1 do
      local a <const>, b <const> = list[earlier], list[later]
      if a < b then s = s + 1 elseif a > b then s = s - 1 else ties = ties + 1 end
    end
  end
  return { s = s, p = trend_probability(n, math.max(0, math.abs(s) - ties)) }
end

---a / b. Either may be nil, for a figure that is missing.
---@param a number?
---@param b number?
---@return number? ratio
---@return frlua.Why? why
function stats.ratio(a, b)
  if not a or not b then return nil, "no value to compare" end
  if b == 0 then return nil, "no ratio to 0" end
  local ratio <const> = a / b
  if not check.is_finite(ratio) then return nil, "the ratio is not a finite number" end
  return ratio
end

---Counts are never averaged: the one value that all share, or every value that occurs.
---@param list number[]
---@return { exact: number?, values: number[]? }? counts `values` is sorted, each value once
---@return frlua.Why? why
function stats.exact(list)
  if #list == 0 then return nil, "no values" end
  local distinct <const> = {}
  for _, value in ipairs(sorted(list)) do
    if value ~= distinct[#distinct] then distinct[#distinct + 1] = value end
  end
  if #distinct == 1 then return { exact = distinct[1] } end
  return { values = distinct }
end

return stats
