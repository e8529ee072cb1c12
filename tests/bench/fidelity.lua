-- Does frlua measure what a plain C program measures? Fresh processes of both, interleaved, and the
-- C program against itself beside it. Prints ratios; 1 is the same.
--
--   frlua tests/bench/fidelity.lua [pairs of natural] [pairs of prefault]
local fr    <const> = require "frlua"
local core  <const> = require "frlua.core"
local job   <const> = require "frlua.job"
local cpus  <const> = require "frlua.cpus"
local stats <const> = require "frlua.stats"
local compare <const> = require "compare"

local program <const> = core.root .. "/tests/oracle/first_run"
local pairs_of <const> = { natural = tonumber(arg[1] or 20), prefault = tonumber(arg[2] or 130) }
local cpu <const> = cpus.choose()

local prefault <const> = { name = "steps", ops = { fr.write { "out", every = "word" } },
  iterations = 1, timed = false }
local timed <const> = { name = "timed", iterations = 2050, timed = true,
  ops = { fr.affine { to = "out", from = "in", mul = 3, add = 1 } } }
local regions <const> = {
  fr.region "in" { bytes = 512 * fr.KiB, fill = "index" }, fr.region "out" { bytes = 512 * fr.KiB },
}
local jobs <const> = {
  natural = job.plain({ phases = { timed } }, regions, fr.clock.id),
  prefault = job.plain({ phases = { prefault, timed } }, regions, fr.clock.id),
}

local function frlua_sample(mode)
  local outcome <const>, ended <const> = core.sample(jobs[mode], cpu, 60000000000)
  assert(outcome and ended.exit_status == 0, ended)
  local readings <const> = outcome.phases[#outcome.phases]
  local first <const> = readings.minor_faults[1]
  return {
    iter1 = readings.ns[1], steady = stats.median { readings.ns:middle(51) },
    faults = first and first[1] == 1 and first[2] or 0,
  }
end

local function c_sample(mode)
  local child <const> = assert(core.spawn { path = program, argv = { program, mode }, cpu = cpu,
    capture = 4096 })
  local ended <const>, text <const> = child:wait()
  assert(ended.exit_status == 0, "the C program failed")
  local iter1 <const>, faults <const>, _, steady <const> =
    text:match "^(%d+) (%d+) (%d+) ([%d.]+)"
  return { iter1 = tonumber(iter1), faults = tonumber(faults), steady = tonumber(steady) }
end

for _, mode in ipairs { "natural", "prefault" } do
  local function ours() return frlua_sample(mode) end
  local function c() return c_sample(mode) end
  local frlua <const>, first <const>, second <const> =
    compare.interleave(pairs_of[mode], { ours, c, c })
  local function of(samples, key)
    local list <const> = {}
    for index, sample in ipairs(samples) do list[index] = sample[key] end
    return list
  end
  print(("%s: %d pairs, medians of ratios with 95 %% intervals"):format(mode, pairs_of[mode]))
  compare.line("iteration 1, frlua / C", of(frlua, "iter1"), of(first, "iter1"))
  compare.line("iteration 1, C / C", of(second, "iter1"), of(first, "iter1"))
  compare.line("steady, frlua / C", of(frlua, "steady"), of(first, "steady"))
  compare.line("steady, C / C", of(second, "steady"), of(first, "steady"))
  for name, samples in pairs { frlua = frlua, C = first } do
    local counts <const> = stats.exact(of(samples, "faults"))
    print(("  faults of iteration 1, %-9s %s"):format(name,
      counts.exact or table.concat(counts.values, ", ")))
  end
end
