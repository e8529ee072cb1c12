--- Two lists of values that are not paired: the Mann-Whitney test (Mann and Whitney, "On a test of
--- whether one of two random variables is stochastically larger than the other", Annals of
--- Mathematical Statistics 18, 1947), and how many times the second is the first.
---
--- The test's distribution is that of the rank sum over all ways to deal these values, ties with
--- their middle ranks among them, to two lists of these lengths: exact with ties, too (Lehmann,
--- "Nonparametrics", 1975, section 1.4; the counting by convolution: Streitberg and Roehmel,
--- Statistical Software Newsletter 12, 1986). Sums of positive whole numbers only: exact up to 2^53
--- ways, beyond that to about as many roundings of a double as there are values.
local check <const> = require "frlua.check"
local normal <const> = require "frlua.normal"

local rank_sum <const> = {
  LEVEL = 0.95,
  -- The most pairs that are counted exactly: 50 values and 50. Above that the normal approximation
  -- is off by less than 3 % of p where p is about 0.05 and there are ten different values or more;
  -- where there are only three, by up to a quarter.
  MOST_PAIRS = 2500,
}

---@class frlua.RankSum
---@field u number pairs in which the second list has the larger value, and half of those that tie
---@field p number two-sided: twice the smaller tail, at most 1
---@field method "exact"|"normal" the approximation corrects for ties and for continuity

---@class frlua.RatioOf
---@field ratio number the median of all ratios of a second value to a first
---@field ci95 number[]? { lo, hi }
---@field ci95_coverage number? at least the level asked for; approximate by the method "normal"
---@field ci95_why string?
---@field method "exact"|"normal"

local function sorted(list)
  local copy <const> = table.move(list, 1, #list, 1, {})
  for index = 1, #copy do
    if type(copy[index]) ~= "number" or not check.is_finite(copy[index]) then
      check.fail(("value %d of a list is %s: a rank needs finite numbers"):format(index,
        check.show(copy[index])))
    end
  end
  table.sort(copy)
  return copy
end

-- Groups of equal values in rising order: how many in all, how many in `b`, and twice their rank,
-- which is whole for middle ranks, too.
local function groups_of(a, b)
  local groups <const>, i, j, before = {}, 1, 1, 0
  while i <= #a or j <= #b do
    local value <const> = math.min(a[i] or math.huge, b[j] or math.huge)
    local first_i <const>, first_j <const> = i, j
    while a[i] == value do i = i + 1 end
    while b[j] == value do j = j + 1 end
    local count <const> = i - first_i + j - first_j
    groups[#groups + 1] = { count = count, in_b = j - first_j, twice_rank = 2 * before + count + 1 }
    before = before + count
  end
  return groups
end

-- Puts a group of `count` values into the lists that can be dealt: ways[k][s] is in how many ways k
-- of the values so far have s as twice their ranks' sum.
local function deal(ways, count, twice_rank)
  for k = #ways, 1, -1 do
    local choices = 1.0
    for taken = 1, math.min(count, k) do
      choices = choices * (count - taken + 1) / taken
      local shift <const>, to = taken * twice_rank, ways[k]
      for sum, number in pairs(ways[k - taken]) do
        to[sum + shift] = (to[sum + shift] or 0.0) + choices * number
      end
    end
  end
end

-- For lists of rank groups: twice the rank sums that k values can have, rising, and in how many
-- ways.
local function distribution(groups, k)
  local ways <const> = { [0] = { [0] = 1.0 } }
  for taken = 1, k do ways[taken] = {} end
  for _, group in ipairs(groups) do deal(ways, group.count, group.twice_rank) end
  local sums <const>, counts <const> = {}, {}
  for sum in pairs(ways[k]) do sums[#sums + 1] = sum end
  table.sort(sums)
  for index, sum in ipairs(sums) do counts[index] = ways[k][sum] end
  return sums, counts
end

local function twice_sum(groups)
  local sum = 0
  for _, group in ipairs(groups) do sum = sum + group.in_b * group.twice_rank end
  return sum
end

-- The share of the deals whose rank sum is at most, and of those whose is at least, that of `b`.
local function exact_tails(groups, k)
  local sums <const>, counts <const> = distribution(groups, k)
  local seen <const>, below, above, all = twice_sum(groups), 0.0, 0.0, 0.0
  for index, sum in ipairs(sums) do
    if sum <= seen then below = below + counts[index] end
    all = all + counts[index]
  end
  for index = #sums, 1, -1 do -- the small ones first, as from the other end
    if sums[index] >= seen then above = above + counts[index] end
  end
  return below / all, above / all
end

-- The deviation of u: ties make it smaller (Lehmann 1975, section 1.4).
local function deviation(groups, m, n)
  local ties, total <const> = 0, m + n
  for _, group in ipairs(groups) do ties = ties + (group.count ^ 3 - group.count) end
  return math.sqrt(m * n / 12 * (total + 1 - ties / (total * (total - 1))))
end

local function normal_p(u, groups, m, n)
  local spread <const> = deviation(groups, m, n)
  if spread == 0 then return 1.0 end -- all are equal
  local z <const> = math.max(0, math.abs(u - m * n / 2) - 0.5) / spread
  return math.min(1.0, 2 * normal.above(z))
end

---The two-sided Mann-Whitney test.
---@param a number[] finite, in any order; not changed
---@param b number[]
---@return frlua.RankSum? test
---@return string? why a list is empty
function rank_sum.test(a, b)
  local m <const>, n <const> = #a, #b
  if m == 0 or n == 0 then return nil, "no values to compare" end
  local x <const>, y <const> = sorted(a), sorted(b)
  local groups <const> = groups_of(x, y)
  local u <const> = twice_sum(groups) / 2 - n * (n + 1) / 2
  if m * n > rank_sum.MOST_PAIRS then
    return { u = u, p = normal_p(u, groups, m, n), method = "normal" }
  end
  -- The ways to deal the shorter list are those to deal the longer one, and sooner counted.
  local below <const>, above <const> = exact_tails(m < n and groups_of(y, x) or groups,
    math.min(m, n))
  return { u = u, p = math.min(1.0, 2 * math.min(below, above)), method = "exact" }
end

local function untied(count)
  local groups <const> = {}
  for rank = 1, count do groups[rank] = { count = 1, in_b = 0, twice_rank = 2 * rank } end
  return groups
end

-- The largest k with P(U < k) <= tail, and that probability. Of lists without ties, by which no
-- interval is too short: with ties the closed one covers more (Noether, "Wilcoxon confidence
-- intervals for location parameters in the discrete case", JASA 62, 1967).
local function exact_rank(m, n, tail)
  local k, share = 0, 0.0
  local _, counts <const> = distribution(untied(m + n), math.min(m, n))
  local all, sum = 0.0, 0.0
  for _, count in ipairs(counts) do all = all + count end
  while (sum + counts[k + 1]) / all <= tail do
    sum, k = sum + counts[k + 1], k + 1
    share = sum / all
  end
  return k, share
end

local function normal_rank(m, n, tail)
  local spread <const> = deviation({}, m, n)
  local function share(k) return normal.above((m * n / 2 - k + 0.5) / spread) end
  local low, high = 0, m * n // 2
  while low < high do
    local middle <const> = (low + high + 1) // 2
    if share(middle) <= tail then low = middle else high = middle - 1 end
  end
  return low, share(low)
end

local ranks <const> = {} -- of lengths and levels asked for before: a result has many rows of one

local function interval_rank(m, n, level)
  local key <const> = ("%d %d %.17g"):format(math.min(m, n), math.max(m, n), level)
  if not ranks[key] then
    local is_exact <const> = m * n <= rank_sum.MOST_PAIRS
    local k <const>, share <const> = (is_exact and exact_rank or normal_rank)(m, n,
      (1 - level) / 2)
    ranks[key] = { k = k, coverage = 1 - 2 * share, method = is_exact and "exact" or "normal" }
  end
  return ranks[key]
end

-- How many of the ratios are at most `limit`. Division is monotone, and so is the way through both.
local function count_up_to(a, b, limit)
  local count, i = 0, 1
  for j = 1, #b do
    while i <= #a and b[j] / a[i] > limit do i = i + 1 end
    if i > #a then return count end
    count = count + #a - i + 1
  end
  return count
end

local function bits(number) return (("j"):unpack(("n"):pack(number))) end
local function number_of(pattern) return (("n"):unpack(("j"):pack(pattern))) end

-- The k-th smallest of all ratios b[j] / a[i], without making them all: the bits of positive
-- doubles are in the order of the doubles, so that halving ends at the very number.
local function ratio_at(a, b, k)
  local low, high = bits(b[1] / a[#a]), bits(b[#b] / a[1])
  while low < high do
    local middle <const> = low + (high - low) // 2
    if count_up_to(a, b, number_of(middle)) >= k then high = middle else low = middle + 1 end
  end
  return number_of(low)
end

---How many times values of `b` are those of `a`: the estimate of Hodges and Lehmann ("Estimates of
---location based on rank tests", Annals of Mathematical Statistics 34, 1963), of log values, as a
---ratio, and its interval: the ratios of rank k from either end (Moses; Hollander and Wolfe,
---"Nonparametric Statistical Methods", section 4.3). It supposes of the two distributions only that
---one is the other times a factor; the interval then lacks 1 exactly when p of the test, were there
---no ties, is at most 1 - level.
---@param a number[] above 0, in any order; not changed
---@param b number[]
---@param level? number 0.95 by default
---@return frlua.RatioOf? ratio
---@return string? why there is no ratio of what the clock did not resolve, nor of nothing
function rank_sum.ratio(a, b, level)
  local m <const>, n <const> = #a, #b
  if m == 0 or n == 0 then return nil, "no values to compare" end
  local x <const>, y <const> = sorted(a), sorted(b)
  if x[1] <= 0 or y[1] <= 0 then return nil, "no ratio of values of 0 or less" end
  local rank <const> = interval_rank(m, n, level or rank_sum.LEVEL)
  local lower <const> = ratio_at(x, y, (m * n + 1) // 2)
  local upper <const> = m * n % 2 == 1 and lower or ratio_at(x, y, m * n // 2 + 1)
  local found <const> = { method = rank.method,
    ratio = lower == upper and lower or math.sqrt(lower) * math.sqrt(upper) }
  if rank.k == 0 then
    found.ci95_why = ("no 95 %% interval of %d and %d values"):format(m, n)
  else
    found.ci95 = { ratio_at(x, y, rank.k), ratio_at(x, y, m * n + 1 - rank.k) }
    found.ci95_coverage = rank.coverage
  end
  return found
end

return rank_sum
