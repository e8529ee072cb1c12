-- How fast is the core after a pause? A chain of dependent additions tells without any counter: a
-- step is a cycle, as far as an addition takes one cycle, and steps per ns are then GHz. The chain
-- is timed in slices of some microseconds, after sleeping for a while and after spinning for as
-- long: a core that wakes up slowly shows a curve.
--
--   frlua scripts/clock_ramp.lua                 pauses of 0, 1, 10, 100 and 1000 ms
--   frlua scripts/clock_ramp.lua --quick         a tenth of them
--
-- A flat curve is an answer, too: in a virtual machine the host may keep the core awake, or at one
-- speed. Times of a curve are those of the slices alone; between two of them the fault counters are
-- read, which takes about a tenth of a slice.
local fr        <const> = require "frlua"
local aligned   <const> = require "frlua.report.table"
local contrast  <const> = require "frlua.contrast"
local frequency <const> = require "frlua.frequency"
local ramp      <const> = require "frlua.ramp"

if fr.args()[1] then error("clock_ramp.lua takes no arguments, not " .. fr.args()[1], 0) end

local fixed <const>, number <const> = fr.units.fixed, fr.units.significant

local PAUSES_MS <const> = { 0, 1, 10, 100, 1000 }
local SLOW <const> = 1.1          -- times the settled time of a slice: what is more is called slow
local SLICES <const> = 3000
-- Some microseconds; and many readings of the clock, which count as part of a slice.
local STEPS <const> = math.max(16000, math.tointeger(200 * (fr.clock.read_ns or 0) // 1))
local TIMES_NS <const> = { 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7 }

local function name_of(kind, ms) return ("%s %d ms"):format(kind, ms) end

local function arms()
  local list <const> = {}
  for _, ms in ipairs(PAUSES_MS) do
    for _, kind in ipairs { "sleep", "spin" } do
      list[#list + 1] = fr.arm(name_of(kind, ms)) {
        fr.phase "pause" { fr[kind] { ms = ms }, timed = false },
        fr.phase "rate"  { fr.count { steps = STEPS }, iterations = SLICES },
      }
    end
  end
  return list
end

local function not_slow(kind, ms)
  local name <const> = name_of(kind, ms)
  return fr.claim(("the core was not slow after a %s of %d ms"):format(kind, ms)) {
    test = fr.below { { name, "first" }, than = { name, "settled" }, factor = SLOW },
  }
end

local longest <const> = PAUSES_MS[#PAUSES_MS]

local function claims()
  local list <const> = {}
  for _, ms in ipairs(PAUSES_MS) do list[#list + 1] = ms > 0 and not_slow("sleep", ms) or nil end
  list[#list + 1] = not_slow("spin", longest)
  -- A core that stays slow for longer than it was watched shows no curve.
  list[#list + 1] = fr.claim "in the end the core is as fast after a sleep as after a spin" {
    test = fr.same { name_of("sleep", longest), name_of("spin", longest), metric = "settled",
      within = 0.05 },
  }
  return list
end

-- The readings of an arm's processes.
local function series_of(document, arm)
  local list <const> = {}
  for _, sample in ipairs(document.samples) do
    for _, phase in ipairs(sample.arm == arm.name and sample.status == "ok" and sample.phases
      or {}) do
      if phase.phase == "rate" then list[#list + 1] = phase.ns end
    end
  end
  return list
end

-- What a run can't tell from no difference: the far end of what an arm's twin differs by.
local function noise_of(document)
  local noise
  for _, one in ipairs(document.floors) do
    if (one.metric == "first" or one.metric == "settled") and one.floor then
      noise = math.max(noise or 1, one.floor)
    end
  end
  return noise
end

-- The processes of an arm together: lists of their figures, how many times the settled rate the
-- first slice's is, and the medians of each slice.
local function summarized(document, arm)
  local list <const> = series_of(document, arm)
  if not list[1] then return nil, "no process came to its end" end
  local found <const> = { first = {}, settled = {}, ratios = {}, unsettled = 0 }
  for index, ns in ipairs(list) do
    local one <const>, why <const> = ramp.of(ns, STEPS)
    if not one then return nil, why end
    found.first[index], found.settled[index] = one.first, one.settled
    found.ratios[index] = one.first / one.settled
    if not one.is_settled then found.unsettled = found.unsettled + 1 end
  end
  found.ratio, found.slices = contrast.of_ratios(found.ratios), ramp.medians(list)
  return found
end

-- Whether the processes of an arm began slowly, by more than noise and by more than what counts as
-- the settled rate: the first slice also has branches to learn. nil and the reason where nothing
-- tells.
local function is_slow(found, noise)
  local ci95 <const> = found.ratio.ci95
  if not ci95 or not noise then return nil, found.ratio.why or "its noise floor is unknown" end
  return ci95[2] < 1 and 1 / found.ratio.median > math.max(noise, 1 / ramp.REACHED)
end

local function row_of(name, found, noise)
  local median <const>, ratio <const> = fr.stats.median, found.ratio
  local reached <const> = ramp.reached_ns(found.slices)
  local slow <const> = is_slow(found, noise)
  return { name, fixed(median(found.first), 3), fixed(median(found.settled), 3),
    fixed(ratio.median, 3), ratio.ci95 and ("[%s, %s]"):format(fixed(ratio.ci95[1], 3),
      fixed(ratio.ci95[2], 3)) or "-",
    reached and fixed(reached / 1000, 1) or "-",
    slow and "yes" or slow == nil and "unknown" or "no" }
end

local function curve_of(name, found)
  local rates <const>, row <const> = ramp.at(found.slices, STEPS, TIMES_NS), { name }
  for index = 1, #TIMES_NS do
    row[index + 1] = rates[index] and fixed(rates[index], 2) or "-"
  end
  return row
end

local function time_heads()
  local heads <const> = { "rate after" }
  for index, ns in ipairs(TIMES_NS) do
    heads[index + 1] = ns < 1e6 and ("%d µs"):format(ns // 1e3) or ("%d ms"):format(ns // 1e6)
  end
  return heads
end

local function or_why(value, why) return value or "unknown, " .. why end

local function of_cpufreq(machine)
  local driver <const>, governor <const>, khz <const> =
    machine.frequency_driver, machine.governor, machine.frequency_khz
  if not driver and not governor and not khz then
    return or_why(nil, machine.frequency_driver_why)
  end
  return ("driver %s; governor %s; %s"):format(or_why(driver, machine.frequency_driver_why),
    or_why(governor, machine.governor_why),
    or_why(khz and ("%d kHz after the run"):format(khz), machine.frequency_khz_why))
end

-- What else tells of the core's clock, where it may be read.
local function of_clock(document, say)
  local machine <const>, cpu <const> = document.machine, document.design.cpu
  say("CPU %d: %s", cpu, or_why(machine.core_kind, machine.core_kind_why))
  say("cpufreq: %s", of_cpufreq(machine))
  local ratio <const>, why <const> = frequency.during(cpu, function()
    fr.time(fr.count { steps = STEPS }, SLICES)
  end)
  say("APERF/MPERF while counting, after the run: %s",
    or_why(ratio and number(ratio) .. " times the nominal clock", why))
end

-- Lines of the arms: figures, curves, and what can't be told of them.
local function tables(document, noise)
  local rows <const> = { { "steps per ns", "first", "settled", "ratio", "interval",
    "95 % after µs", "slow at first" } }
  local curves <const>, slow <const>, unknown <const>, unsettled = { time_heads() }, {}, {}, 0
  for _, arm in ipairs(document.arms) do
    local found <const>, why <const> = summarized(document, arm)
    if found then
      rows[#rows + 1], curves[#curves + 1] =
        row_of(arm.name, found, noise), curve_of(arm.name, found)
      unsettled = unsettled + found.unsettled
    end
    local is_found_slow, why_not
    if found then is_found_slow, why_not = is_slow(found, noise) end
    if is_found_slow then slow[#slow + 1] = arm.name end
    if is_found_slow == nil then
      unknown[#unknown + 1] = ("%s: %s"):format(arm.name, why or why_not)
    end
  end
  return rows, curves, { slow = slow, unknown = unknown, unsettled = unsettled }
end

local function conclude(document, found, noise, say)
  local hypervisor <const> = document.machine.hypervisor
  if found.unsettled > 0 then
    say("Not settled, as the last two quarters differ by more than %d %%: %d of %d processes.",
      math.tointeger(100 * ramp.DRIFT // 1), found.unsettled, #document.samples)
  end
  if found.slow[1] then say("Slow at first: after %s.", table.concat(found.slow, ", ")) end
  if found.unknown[1] then
    say("Whether there is a ramp is unknown of %s (%s)", fr.units.plural(#found.unknown, "arm"),
      found.unknown[1])
  elseif not found.slow[1] then
    say("No ramp seen: the first slice is within noise (%s) of the settled rate, or has %d %% of"
      .. " it%s.", number(noise), math.tointeger(100 * ramp.REACHED // 1),
      hypervisor and ", as this guest of " .. hypervisor .. " sees its core" or "")
  end
end

local function reading(document)
  local said <const>, noise <const> = { "Reading" }, noise_of(document)
  local function say(...) said[#said + 1] = string.format(...) end
  local rows <const>, curves <const>, found <const> = tables(document, noise)
  table.move(aligned.lines(rows), 1, #rows, #said + 1, said)
  say("first: a slice of %d steps; settled: the median of the second half of %d; medians over the"
    .. " processes", STEPS, SLICES)
  say "A step per ns is a cycle per ns, as far as an addition takes one cycle."
  table.move(aligned.lines(curves), 1, #curves, #said + 1, said)
  of_clock(document, say)
  conclude(document, found, noise, say)
  return said
end

return fr.experiment "clock_ramp" {
  doc     = "how fast the core is after a pause",
  arms    = arms(),
  rounds  = 10,
  metrics = {
    fr.metric "first"   { phase = "rate", at = 1 },
    fr.metric "settled" { phase = "rate", median_from = SLICES // 2 + 1 },
  },
  twins   = { name_of("sleep", 100) }, -- what two runs of one arm differ by, at a bearable length
  claims  = claims(),
  reading = reading,
}
