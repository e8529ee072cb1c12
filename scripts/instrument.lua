-- What can this machine measure today? The clock, what it costs to start a process, what is taken
-- away from one, and above all what an arm differs by when it is run twice: what is less is noise.
--
--   frlua scripts/instrument.lua [rounds]             20 by default, a few seconds
local fr       <const> = require "frlua"
local aligned  <const> = require "frlua.report.table"
local analysis <const> = require "frlua.analysis"
local floor    <const> = require "frlua.floor"
local notes    <const> = require "frlua.report.notes"

local bytes <const> = 512 * fr.KiB
local work <const> = fr.affine { to = "output", from = "input", mul = 3, add = 1 }

local function percent(ratio) return fr.units.fixed(100 * (ratio - 1), 1) .. " %" end

-- The sum over samples of a figure of their processes, and the largest; nil and the reason where
-- one is unknown.
local function sum(samples, name)
  local total, largest = 0, 0
  for _, sample in ipairs(samples) do
    local figure <const> = sample.process[name]
    if not figure then return nil, sample.process[name .. "_why"] end
    total, largest = total + figure, math.max(largest, figure)
  end
  return total, largest
end

-- The samples that are whole, all or those of one arm.
local function whole(document, arm)
  local samples <const> = {}
  for _, sample in ipairs(document.samples) do
    if sample.status == "ok" and (not arm or sample.arm == arm) then
      samples[#samples + 1] = sample
    end
  end
  return samples
end

local function head(document)
  local design <const>, machine <const> = document.design, document.machine
  return ("What this machine can measure today: %d rounds of an arm and its twin, on CPU %d (%s)")
    :format(design.rounds, design.cpu, design.cpu_why),
    ("%s, %s; Linux %s"):format(machine.cpu_model or "unknown CPU", machine.hypervisor
      and "guest of " .. machine.hypervisor or "no hypervisor seen", machine.kernel or "unknown")
end

local function of_clock(document)
  local clock <const> = document.clock
  return ("clock %s %s: %s a reading, steps of %s (%d ns by its own account), %d backwards"):format(
    clock.source, clock.vdso and "from the vDSO" or "by system call",
    clock.read_ns and fr.units.fixed(clock.read_ns, 1) .. " ns" or "unknown",
    clock.step_ns and clock.step_ns .. " ns" or "unknown", clock.getres_ns, clock.backward_steps)
end

-- What a process, and a phase, cost that do nothing.
local function of_nothing(document, values)
  local samples <const>, rounds <const> = whole(document, "empty"), document.design.rounds
  if not samples[1] then return "a process that does nothing: unknown, 'empty' has no samples" end
  local process <const> = fr.stats.summary(analysis.dense(values.empty.process, rounds))
  local faults <const> = {}
  for index, sample in ipairs(samples) do
    faults[index] = 0
    for _, entry in ipairs(sample.phases[1].minor_faults) do
      faults[index] = faults[index] + entry[2]
    end
  end
  local counts <const> = fr.stats.exact(faults)
  return ("a fresh process that does nothing: %s from outside, from %s to %s"):format(
      fr.units.ns(process.median), fr.units.ns(process.min), fr.units.ns(process.max)),
    ("an empty phase of 300 iterations: median %s; stray page faults: %s"):format(
      fr.units.ns(fr.stats.median(analysis.dense(values.empty.steady, rounds))),
      counts.exact and ("%d in every process"):format(counts.exact)
        or ("from %d to %d a process"):format(counts.values[1], counts.values[#counts.values]))
end

local function of_what_is_taken(document)
  local samples <const> = whole(document)
  local steal <const>, steal_why <const> = sum(samples, "steal_ns")
  local switches <const>, most <const> = sum(samples, "involuntary_switches")
  return ("taken away by the hypervisor (steal): %s"):format(steal
      and ("%s of %s"):format(fr.units.ns(steal), fr.units.ns((sum(samples, "wall_ns"))))
      or "unknown, " .. steal_why),
    ("involuntary switches while samples ran: %d in %d processes, %d at the most in one"):format(
      switches, #samples, most)
end

local function of_floors(floors)
  local rows <const> = { { "the same arm twice", "ratios", "median", "interval", "noise floor" } }
  local number <const> = fr.units.significant
  for _, one in ipairs(floors) do
    local ratios <const> = one.ratios
    rows[#rows + 1] = {
      one.metric,
      ratios[1] and ("%s..%s"):format(number(ratios[1]), number(ratios[#ratios])) or "-",
      one.ratio and number(one.ratio) or "-",
      one.ci95 and ("[%s, %s]"):format(number(one.ci95[1]), number(one.ci95[2])) or "-",
      one.floor and number(one.floor) or one.floor_why,
    }
  end
  return table.unpack(aligned.lines(rows))
end

local function verdict(floors, rounds)
  local parts <const> = {}
  for _, one in ipairs(floors) do
    if one.floor then parts[#parts + 1] = ("%s %s"):format(one.metric, percent(one.floor)) end
  end
  return "Verdict: " .. (parts[1]
    and ("in %d rounds nothing below %s can be shown today. What is above need not be: the table of"
      .. " power in claims.md says how often"):format(rounds, table.concat(parts, ", "))
    or "unknown, too few rounds of the arm and its twin for an interval")
end

local function report(document)
  local design <const> = document.design
  local values <const> = analysis.values(design, document.samples)
  local floors <const>, lines <const> = floor.take(design, values), {}
  local function add(...)
    for _, line in ipairs { ... } do lines[#lines + 1] = aligned.printable(line) end
  end
  add(head(document))
  add(of_clock(document))
  add(of_nothing(document, values))
  add(of_what_is_taken(document))
  add("", of_floors(floors))
  add(table.unpack(notes.lost(document)))
  add("", verdict(floors, design.rounds))
  return table.concat(lines, "\n") .. "\n"
end

return fr.experiment "instrument" {
  doc     = "what this machine can measure today",
  regions = {
    fr.region "input"  { bytes = bytes, fill = "index" },
    fr.region "output" { bytes = bytes, advise = "nohugepage" },
  },
  arms    = {
    fr.arm "work"  { fr.phase "timed" { work, iterations = 300 } },
    fr.arm "empty" { fr.phase "timed" { fr.spin { ms = 0 }, iterations = 300 } },
  },
  twins   = { "work" },
  rounds  = fr.args()[1] or 20,
  metrics = {
    fr.metric "first"  { at = 1 },
    fr.metric "second" { at = 2 },
    fr.metric "steady" { median_from = 51 },
  },
  report  = report,
}
