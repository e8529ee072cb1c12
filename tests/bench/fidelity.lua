-- Does frlua measure what a plain C program measures? Fresh processes of both, interleaved, and the
-- C program against itself beside it. Prints ratios; 1 is the same.
--
--   frlua tests/bench/fidelity.lua [pairs of natural] [pairs of prefault]
local cpus    <const> = require "frlua.cpus"
local stats   <const> = require "frlua.stats"
local compare <const> = require "compare"
local samples <const> = require "samples"

local pairs_of <const> = { natural = tonumber(arg[1] or 20), prefault = tonumber(arg[2] or 130) }
local cpu <const> = cpus.choose()

local function count_line(name, list)
  local counts <const> = stats.exact(samples.pick(list, "faults"))
  print(("  faults of iteration 1, %-19s %s"):format(name,
    counts.exact or table.concat(counts.values, ", ")))
end

for _, mode in ipairs { "natural", "prefault" } do
  local ours <const>, c <const>, again <const> = compare.interleave(pairs_of[mode],
    { samples.of_frlua(mode, cpu), samples.of_c(mode, cpu), samples.of_c(mode, cpu) })
  print(("%s: %d pairs, medians of ratios with 95 %% intervals"):format(mode, pairs_of[mode]))
  for _, figure in ipairs { "iter1", "steady" } do
    local reference <const> = samples.pick(c, figure)
    compare.line(figure .. ", frlua / C", samples.pick(ours, figure), reference)
    compare.line(figure .. ", C / C", samples.pick(again, figure), reference)
  end
  count_line("frlua", ours)
  count_line("C", c)
end
