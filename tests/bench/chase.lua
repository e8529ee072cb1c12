-- Does a layout's chase take the time that a plain C program's takes? The same lines in the same
-- order, fresh processes of both, interleaved, and the C program against itself beside it. Prints
-- ratios of the processes' figures by pair, and of the fastest ones; 1 is the same.
--
--   frlua tests/bench/chase.lua [pairs]
local core    <const> = require "frlua.core"
local cpus    <const> = require "frlua.cpus"
local fr      <const> = require "frlua"
local job     <const> = require "frlua.job"
local stats   <const> = require "frlua.stats"
local compare <const> = require "compare"

local pairs_wanted <const> = tonumber(arg[1] or 40)
local cpu <const>, SEED <const>, REPEATS <const> = cpus.choose(), 7, 4
local sizes <const> = fr.geometry { line = 64, sets = 64 }
local page <const>, line <const>, sets <const> = sizes.page_bytes, sizes.line_bytes, sizes.sets

-- A function that takes the figure of one process, and the loads of a reading.
local function of_frlua(lines, gap, off)
  local made <const> = fr.experiment "chase" {
    arms = { fr.arm "layout" {
      layout = fr.layout { lines = lines, gap = gap, off = off, seed = SEED, geometry = sizes },
    } },
    timed = { fr.chase {} }, iterations = REPEATS + 1,
    metrics = { fr.metric "walk" { median_from = 2, per = "load" } },
  }
  local plain <const> = job.plain(made.arms[1], made.regions, fr.clock.id)
  local loads <const> = made.arms[1].phases[1].ops[1].loads
  return function()
    local outcome <const>, ended <const> = core.sample(plain, cpu, 60000000000)
    assert(outcome and ended.exit_status == 0, ended)
    return stats.median { outcome.phases[1].ns:middle(2) } / loads
  end, loads
end

-- The same by the C program.
local function of_c(lines, gap, off, loads)
  local path <const> = core.root .. "/tests/oracle/chase"
  local argv <const> = { path }
  for _, value in ipairs { lines, gap, off, sets, SEED, loads, REPEATS + 1 } do
    argv[#argv + 1] = ("%d"):format(value)
  end
  return function()
    local child <const> = assert(core.spawn { path = path, argv = argv, cpu = cpu, capture = 8192 })
    local ended <const>, text <const> = child:wait()
    assert(ended.exit_status == 0, path .. " failed")
    local repeats <const> = fr.json.decode(text).ns_per_load
    return stats.median { table.unpack(repeats, 2) }
  end
end

for _, lines in ipairs { 64, 128, 512 } do
  for _, layout in ipairs { { "packed", line, 0 }, { "spread", page, line } } do
    local ours <const>, loads <const> = of_frlua(lines, layout[2], layout[3])
    local theirs <const> = of_c(lines, layout[2], layout[3], loads)
    local a <const>, b <const>, c <const> =
      compare.interleave(pairs_wanted, { ours, theirs, theirs })
    local fastest <const>, fastest_c <const> = math.min(table.unpack(a)), math.min(table.unpack(b))
    print(("%s, %d lines: %d pairs, medians of ratios with 95 %% intervals"):format(layout[1],
      lines, pairs_wanted))
    print(("  fastest: %.3f and %.3f ns, ratio %.4f"):format(fastest, fastest_c,
      fastest / fastest_c))
    compare.line("frlua / C", a, b)
    compare.line("C / C", c, b)
  end
end
