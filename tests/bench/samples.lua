-- What the benchmarks measure: the first-run experiment by frlua's worker and by the C program.
local fr    <const> = require "frlua"
local core  <const> = require "frlua.core"
local job   <const> = require "frlua.job"
local stats <const> = require "frlua.stats"

local samples <const> = {}

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

-- A function that takes one sample of a mode by frlua: { iter1, steady, faults }.
function samples.of_frlua(mode, cpu)
  return function()
    local outcome <const>, ended <const> = core.sample(jobs[mode], cpu, 60000000000)
    assert(outcome and ended.exit_status == 0, ended)
    local readings <const> = outcome.phases[#outcome.phases]
    local first <const> = readings.minor_faults[1]
    return {
      iter1 = readings.ns[1], steady = stats.median { readings.ns:middle(51) },
      faults = first and first[1] == 1 and first[2] or 0,
    }
  end
end

-- The same by the C program; `compiler`: as that one makes it at -O3, by default with our flags.
function samples.of_c(mode, cpu, compiler)
  local variant <const> = compiler and "_" .. compiler or ""
  local path <const> = ("%s/tests/oracle/first_run%s"):format(core.root, variant)
  return function()
    local child <const> = assert(core.spawn { path = path, argv = { path, mode }, cpu = cpu,
      capture = 4096 })
    local ended <const>, text <const> = child:wait()
    assert(ended.exit_status == 0, path .. " failed")
    local iter1 <const>, faults <const>, _, steady <const> =
      text:match "^(%d+) (%d+) (%d+) ([%d.]+)"
    return { iter1 = tonumber(iter1), faults = tonumber(faults), steady = tonumber(steady) }
  end
end

-- One of their figures, of a list of samples.
function samples.pick(list, key)
  local figures <const> = {}
  for index, sample in ipairs(list) do figures[index] = sample[key] end
  return figures
end

return samples
