-- What does starting cost? `frlua -e ''` beside `lua5.4 -e ''`, and one fresh sample of a job of
-- one iteration beside posix_spawn and wait of a bare C program. Interleaved; prints ratios.
--
--   frlua tests/bench/start_up.lua [pairs]
local fr      <const> = require "frlua"
local core    <const> = require "frlua.core"
local job     <const> = require "frlua.job"
local cpus    <const> = require "frlua.cpus"
local compare <const> = require "compare"

core.stay_on(cpus.choose()) -- as a run does

local count <const> = tonumber(arg[1] or 200)
local cpu <const> = cpus.choose()

local function run(path, ...)
  local argv <const> = { path, ... }
  return function()
    local child <const> = assert(core.spawn { path = path, argv = argv, cpu = cpu, capture = 4096 })
    local ended <const>, text <const> = child:wait()
    assert(ended.exit_status == 0, path .. " failed")
    return ended.wall_ns, text
  end
end

local oracle <const> = core.root .. "/tests/oracle/"
local spawn_bare <const> = run(oracle .. "spawn_bare", oracle .. "bare")
local function bare() return tonumber((select(2, spawn_bare()))) end

-- A sample of one iteration of an operation.
local function sampled(op, regions)
  local phase <const> = { ops = { op }, iterations = 1, timed = true }
  local plain <const> = job.plain({ phases = { phase } }, regions, fr.clock.id)
  return function()
    local start <const> = core.now()
    local _, ended <const> = core.sample(plain, cpu, 60000000000)
    assert(ended.exit_status == 0)
    return core.now() - start
  end
end

local bytes <const> = 512 * fr.KiB
local alone <const> = sampled(fr.spin { ms = 0 }, {})
local with_region <const> = sampled(fr.write { "buffer", every = bytes },
  { fr.region "buffer" { bytes = bytes } })

local frlua <const>, lua <const>, again <const> = compare.interleave(count,
  { run(core.root .. "/bin/frlua", "-e", ""), run("lua5.4", "-e", ""), run("lua5.4", "-e", "") })
print(("%d pairs, medians of ratios with 95 %% intervals"):format(count))
compare.line("frlua -e '' / lua5.4 -e ''", frlua, lua)
compare.line("lua5.4 -e '' / lua5.4 -e ''", again, lua)

local bares <const>, others <const>, alones <const>, regions <const> =
  compare.interleave(count, { bare, bare, alone, with_region })
compare.line("fresh sample / posix_spawn of a bare program", alones, bares)
compare.line("the same, a region and its smaps with it", regions, bares)
compare.line("posix_spawn / posix_spawn", others, bares)
