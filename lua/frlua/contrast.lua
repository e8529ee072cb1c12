--- Contrasts: how many times one value is another, paired by round. A ratio a / b lies above a
--- factor exactly when log a - log b lies above its logarithm, so that everything here about log
--- ratios is said, and computed, as ratios: without rounding them through a logarithm.
---
--- The sign test and the interval are one thing (Dixon and Mood 1946; David and Nagaraja, "Order
--- Statistics", section 7.1): the 95 % interval of the median lies wholly on one side of a factor
--- exactly when the two-sided sign test against that factor has p <= 0.05. Ratios that equal the
--- factor count against the side that is asked for.
local stats <const> = require "frlua.stats"

local contrast <const> = {
  LEVEL = 0.05,         -- of a two-sided test; its interval covers 1 - LEVEL
  MOST_ROUNDS = 1000,   -- as far as rounds_needed looks
}

---@class frlua.Contrast
---@field n integer rounds that both values are there for
---@field ratios number[] sorted
---@field median number? of the log ratios, as a ratio
---@field ci95 number[]? { lo, hi }
---@field ci95_coverage number?
---@field why string? why there is no interval

-- The exponential of the mean of the two middle log ratios: their geometric mean.
local function median_of(sorted)
  local lower <const>, upper <const> = sorted[(#sorted + 1) // 2], sorted[#sorted // 2 + 1]
  return lower == upper and lower or math.sqrt(lower * upper)
end

---@param ratios number[] above 0; sorted in place
---@return frlua.Contrast
function contrast.of_ratios(ratios)
  table.sort(ratios)
  local found <const> = { n = #ratios, ratios = ratios }
  if #ratios == 0 then
    found.why = "no round has both values"
    return found
  end
  local interval <const>, why <const> = stats.interval(ratios, 1 - contrast.LEVEL)
  found.median, found.why = median_of(ratios), why
  found.ci95 = interval and { interval.lo, interval.hi }
  found.ci95_coverage = interval and interval.coverage
  return found
end

---The ratios a[i] / b[i] of the rounds in which both have a value.
---@param a table<integer, number> may have holes, where a sample was lost
---@param b table<integer, number> likewise
---@param rounds integer
---@return frlua.Contrast? contrast nil where a ratio can't be made of every such round
---@return string? why
function contrast.take(a, b, rounds)
  local ratios <const>, unresolved = {}, 0
  for round = 1, rounds do
    local above <const>, below <const> = a[round], b[round]
    if above and below and (above <= 0 or below <= 0) then
      unresolved = unresolved + 1
    elseif above and below then
      ratios[#ratios + 1] = above / below
    end
  end
  if unresolved > 0 then
    return nil, ("the clock did not resolve it: times of 0 or less in %d of %d rounds")
      :format(unresolved, #ratios + unresolved)
  end
  return contrast.of_ratios(ratios)
end

---How many ratios do not lie on a side of a factor.
---@param ratios number[]
---@param side "below"|"above"
---@param factor number
---@return integer
function contrast.wrong(ratios, side, factor)
  local count = 0
  for _, ratio in ipairs(ratios) do
    local right = ratio > factor
    if side == "below" then right = ratio < factor end
    if not right then count = count + 1 end
  end
  return count
end

---The two-sided p of the sign test, for a count on the wrong side.
---@param wrong integer
---@param n integer at least 1
---@return number
function contrast.sign_test(wrong, n)
  return math.min(1.0, 2 * stats.binomial_cdf(wrong, n))
end

---Holm's step-down (1979): the smallest p is multiplied by the number of tests, the next by one
---less, and none comes out smaller than one before it.
---@param ps number[]
---@return { p: number, tests: integer, multiplier: integer, at_least: number }[] # in the order of
---  `ps`; `at_least` is what the smaller ones came to
function contrast.holm(ps)
  local order <const>, adjusted <const> = {}, {}
  for index = 1, #ps do order[index] = index end
  table.sort(order, function(a, b)
    if ps[a] ~= ps[b] then return ps[a] < ps[b] end
    return a < b
  end)
  local at_least = 0.0
  for rank, index in ipairs(order) do
    local multiplier <const> = #ps - rank + 1
    local p <const> = math.max(at_least, math.min(1.0, multiplier * ps[index]))
    adjusted[index] = { p = p, tests = #ps, multiplier = multiplier, at_least = at_least }
    at_least = p
  end
  return adjusted
end

---The fewest rounds for which the sign test would reach a level, if the share on the wrong side
---stayed as it was observed: the smallest N >= n with 2 P(X <= ceil(wrong N / n)) <= level, where X
---are the heads in N tosses of a fair coin. An estimate: it carries that share's own uncertainty.
---@param wrong integer
---@param n integer at least 1
---@param level number
---@return integer? rounds nil when no number of rounds helps: half of them or more lie wrong
---@return boolean? is_far true instead when it takes more than contrast.MOST_ROUNDS
function contrast.rounds_needed(wrong, n, level)
  if 2 * wrong >= n then return nil end
  for rounds = n, contrast.MOST_ROUNDS do
    if contrast.sign_test((wrong * rounds + n - 1) // n, rounds) <= level then return rounds end
  end
  return nil, true
end

---The far end of an interval, as a ratio of at least 1: what one arm run twice may differ by.
---@param ci95 number[]
---@return number
function contrast.far_end(ci95)
  return math.max(ci95[2], 1 / ci95[1], 1.0)
end

return contrast
