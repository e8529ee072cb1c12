-- What the benchmarks share: interleaved pairs, and how their ratios are printed.
local stats <const> = require "frlua.stats"

local compare <const> = {}

-- Calls each of the functions `count` times, in an order that turns; returns a list of numbers each.
function compare.interleave(count, functions)
  local results <const> = {}
  for index = 1, #functions do results[index] = {} end
  for round = 1, count do
    for turn = 0, #functions - 1 do
      local index <const> = (round + turn) % #functions + 1
      results[index][round] = functions[index]()
    end
  end
  return table.unpack(results)
end

-- The ratios of two lists, pair by pair.
function compare.ratios(numerators, denominators)
  local ratios <const> = {}
  for index, number in ipairs(numerators) do ratios[index] = number / denominators[index] end
  return ratios
end

function compare.line(name, numerators, denominators)
  local ratios <const> = compare.ratios(numerators, denominators)
  local interval <const> = stats.interval(ratios)
  print(("  %-42s %.3f  %s"):format(name, stats.median(ratios),
    interval and ("[%.3f, %.3f]"):format(interval.lo, interval.hi) or "too few pairs"))
end

return compare
