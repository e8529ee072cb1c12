-- Is the affine kernel as fast as a plain C loop at its best? Medians of its steady state beside the
-- loop as gcc and clang compile it at -O3. Interleaved; prints ratios.
--
--   frlua tests/bench/throughput.lua [pairs]
local fr      <const> = require "frlua"
local core    <const> = require "frlua.core"
local cpus    <const> = require "frlua.cpus"
local compare <const> = require "compare"

local count <const> = tonumber(arg[1] or 20)
local cpu <const> = cpus.choose()

local function loop(compiler)
  local path <const> = ("%s/tests/oracle/affine_loop_%s"):format(core.root, compiler)
  return function()
    local child <const> = assert(core.spawn { path = path, argv = { path }, cpu = cpu,
      capture = 4096 })
    local ended <const>, text <const> = child:wait()
    assert(ended.exit_status == 0, path .. " failed")
    return tonumber(text:match "^%d+")
  end
end

local function kernel()
  return fr.fork { cpu = cpu, run = function()
    local input <close> = fr.map { bytes = 512 * fr.KiB }
    local output <close> = fr.map { bytes = 512 * fr.KiB }
    input:fill()
    output:fill()
    local affine <const> = fr.affine { to = output, from = input, mul = 3, add = 1 }
    fr.time(affine, 50)
    return (fr.time(affine, 2000).ns:middle())
  end }.value
end

local ours <const>, gcc <const>, clang <const> =
  compare.interleave(count, { kernel, loop "gcc", loop "clang" })
local best <const> = {}
for index = 1, count do best[index] = math.min(gcc[index], clang[index]) end
print(("%d pairs, medians of ratios of time with 95 %% intervals"):format(count))
compare.line("kernel / gcc -O3", ours, gcc)
compare.line("kernel / clang -O3", ours, clang)
compare.line("kernel / the faster of both", ours, best)
