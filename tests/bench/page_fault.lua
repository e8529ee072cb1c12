-- Does page_fault.lua measure what a plain C program measures, in the time that it takes? Whole
-- series of both, interleaved, and single samples of each case; the C program against itself beside
-- them. Prints ratios; 1 is the same.
--
--   frlua tests/bench/page_fault.lua [pairs] [megabytes] [pairs of single samples]
local fr      <const> = require "frlua"
local core    <const> = require "frlua.core"
local cpus    <const> = require "frlua.cpus"
local job     <const> = require "frlua.job"
local json    <const> = require "frlua.json"
local stats   <const> = require "frlua.stats"
local compare <const> = require "compare"

local pairs_of <const>, megabytes <const> = tonumber(arg[1] or 10), tostring(arg[2] or 512)
local single_pairs <const> = tonumber(arg[3] or 2 * pairs_of)
local cpu <const> = cpus.choose()
local program <const> = core.root .. "/tests/oracle/page_fault"
local script <const> = core.root .. "/share/frlua/scripts/page_fault.lua"

local function run(...)
  local child <const> = assert(fr.spawn { cpu = cpu, ... })
  assert(child.exit_status == 0, child.stderr)
  return child
end

local function summary_of(...)
  return json.decode(run(...).stdout)
end

local function of(samples, key)
  local list <const> = {}
  for index, sample in ipairs(samples) do list[index] = sample[key] end
  return list
end

local function ours()
  return summary_of(core.root .. "/bin/frlua", script, megabytes, "--summary", "--cpu", cpu)
end
local function c() return summary_of(program, megabytes) end
local frlua <const>, first <const>, second <const> = compare.interleave(pairs_of, { ours, c, c })

print(("%d pairs of series at %s MiB, medians of ratios with 95 %% intervals"):format(pairs_of,
  megabytes))
for _, name in ipairs { "first_touch", "populate_then_touch", "retouch_mapped" } do
  local key <const> = name .. "_ns_per_page"
  compare.line(name .. ", frlua / C", of(frlua, key), of(first, key))
  compare.line(name .. ", C / C", of(second, key), of(first, key))
end
for _, key in ipairs { "first_touch_minor_faults", "populate_minor_faults" } do
  for name, samples in pairs { frlua = frlua, C = first } do
    local counts <const> = stats.exact(of(samples, key))
    print(("  %s, %-6s %s of %d pages"):format(key, name,
      counts.exact or table.concat(counts.values, ", "), samples[1].pages))
  end
end

-- The same work in one process each, in an order that turns: what the first passes took, and the
-- process from before its start to after its end. In a series of the C program the cases alternate,
-- and each then always meets free memory in the state that the other has left; on some machines
-- every second process is 5 to 8 % slower for that reason alone.
local buffer <const> = fr.region "buffer" { bytes = megabytes .. " MiB", advise = "nohugepage" }
local function phase(name, op)
  return { name = name, ops = { op }, iterations = 1, timed = true }
end
local touch <const> = fr.write "buffer"
local jobs <const> = {
  touch = { phase("touch", touch), phase("again", touch) },
  populate = { phase("populate", fr.populate "buffer"), phase("touch", touch),
    phase("again", touch) },
}

print(("%d pairs of single samples, medians of ratios with 95 %% intervals"):format(single_pairs))
for _, case in ipairs { "touch", "populate" } do
  local plain <const> = job.plain({ phases = jobs[case] }, { buffer }, fr.clock.id)
  local function sample()
    local outcome <const>, ended <const> = core.sample(plain, cpu, 60000000000)
    assert(outcome.stage == "done", outcome.stage)
    local ns = 0
    for index = 1, #outcome.phases - 1 do ns = ns + outcome.phases[index].ns[1] end
    return { wall = ended.wall_ns, first = ns, again = outcome.phases[#outcome.phases].ns[1] }
  end
  local function process()
    local child <const> = run(program, megabytes, case)
    local first_ns <const>, again <const> = child.stdout:match "^(%d+) (%d+)"
    return { wall = child.wall_ns, first = tonumber(first_ns), again = tonumber(again) }
  end
  local samples <const>, processes <const>, others <const> =
    compare.interleave(single_pairs, { sample, process, process })
  for _, key in ipairs { "first", "again", "wall" } do
    compare.line(("%s, %s, frlua / C"):format(case, key), of(samples, key), of(processes, key))
    compare.line(("%s, %s, C / C"):format(case, key), of(others, key), of(processes, key))
  end
end
