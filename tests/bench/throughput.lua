-- Is the affine kernel as fast as a plain C loop at its best? Its steady state beside that of the
-- loop as gcc and clang compile it at -O3. Interleaved; prints ratios.
--
--   frlua tests/bench/throughput.lua [pairs]
local cpus    <const> = require "frlua.cpus"
local compare <const> = require "compare"
local samples <const> = require "samples"

local count <const> = tonumber(arg[1] or 20)
local cpu <const> = cpus.choose()

local lists <const> = { compare.interleave(count, {
  samples.of_frlua("prefault", cpu),
  samples.of_c("prefault", cpu, "gcc"), samples.of_c("prefault", cpu, "clang"),
}) }
for index, list in ipairs(lists) do lists[index] = samples.pick(list, "steady") end
local ours <const>, gcc <const>, clang <const> = table.unpack(lists)

local best <const> = {}
for index = 1, count do best[index] = math.min(gcc[index], clang[index]) end
print(("%d pairs, medians of ratios of time with 95 %% intervals"):format(count))
compare.line("kernel / gcc -O3", ours, gcc)
compare.line("kernel / clang -O3", ours, clang)
compare.line("kernel / the faster of both", ours, best)
