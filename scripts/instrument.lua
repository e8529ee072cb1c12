-- What can this machine measure today? The clock, what it costs to start a process, what is taken
-- away from one, and above all what an arm differs by when it is run twice: what is less is noise.
--
--   frlua scripts/instrument.lua [rounds]             20 by default, a few seconds
local fr       <const> = require "frlua"
local aligned  <const> = require "frlua.report.table"
local analysis <const> = require "frlua.analysis"
local floor    <const> = require "frlua.floor"
local run      <const> = require "frlua.run"

local bytes <const> = 512 * fr.KiB
local work <const> = fr.affine { to = "output", from = "input", mul = 3, add = 1 }

local experiment <const> = fr.experiment "instrument" {
  regions = {
    fr.region "input"  { bytes = bytes, fill = "index" },
    fr.region "output" { bytes = bytes, advise = "nohugepage" },
  },
  arms    = {
    fr.arm "work"  { fr.phase "timed" { work, iterations = 300 } },
    fr.arm "empty" { fr.phase "timed" { fr.spin { ms = 0 }, iterations = 300 } },
  },
  rounds  = fr.args()[1] or 20,
  metrics = {
    fr.metric "first"  { at = 1 },
    fr.metric "second" { at = 2 },
    fr.metric "steady" { median_from = 51 },
  },
}

local function print_line(...) print(aligned.printable(string.format(...))) end

local function percent(ratio) return fr.units.fixed(100 * (ratio - 1), 1) .. " %" end

-- The sum over all samples of a figure of their processes; nil and the reason where one is unknown.
local function sum(samples, name)
  local total, largest = 0, 0
  for _, sample in ipairs(samples) do
    local figure <const> = sample.process[name]
    if not figure then return nil, sample.process[name .. "_why"] end
    total, largest = total + figure, math.max(largest, figure)
  end
  return total, largest
end

local function print_clock()
  local clock <const> = fr.clock
  print_line("clock %s %s: %s a reading, steps of %s (%d ns by its own account), %d backwards",
    clock.source, clock.vdso and "from the vDSO" or "by system call",
    clock.read_ns and fr.units.fixed(clock.read_ns, 1) .. " ns" or "unknown",
    clock.step_ns and clock.step_ns .. " ns" or "unknown", clock.getres_ns, clock.backward)
end

local function print_process(values, rounds)
  local process <const> = fr.stats.summary(analysis.dense(values.empty.process, rounds))
  print_line("a fresh process that does nothing: %s from outside, from %s to %s",
    fr.units.ns(process.median), fr.units.ns(process.min), fr.units.ns(process.max))
end

local function print_empty_phase(samples, values, rounds)
  local faults <const> = {}
  for _, sample in ipairs(samples) do
    if sample.arm == "empty" then
      local count = 0
      for _, entry in ipairs(sample.phases[1].minor_faults) do count = count + entry[2] end
      faults[#faults + 1] = count
    end
  end
  local counts <const> = fr.stats.exact(faults)
  print_line("an empty phase of 300 iterations: median %s; stray page faults: %s",
    fr.units.ns(fr.stats.median(analysis.dense(values.empty.steady, rounds))),
    counts.exact and ("%d in every process"):format(counts.exact)
      or ("from %d to %d a process"):format(counts.values[1], counts.values[#counts.values]))
end

local function print_taken(samples)
  local wall <const> = sum(samples, "wall_ns")
  local steal <const>, steal_why <const> = sum(samples, "steal_ns")
  print_line("taken away by the hypervisor (steal): %s", steal
    and ("%s of %s"):format(fr.units.ns(steal), fr.units.ns(wall)) or "unknown, " .. steal_why)
  local total <const>, largest <const> = sum(samples, "involuntary_switches")
  print_line("involuntary switches while samples ran: %d in %d processes, %d at the most in one",
    total, #samples, largest)
end

local function print_floors(floors)
  local rows <const> = { { "the same arm twice", "ratios", "median", "interval", "noise floor" } }
  local number <const> = fr.units.significant
  for _, one in ipairs(floors) do
    rows[#rows + 1] = {
      one.metric, ("%s..%s"):format(number(one.ratios[1]), number(one.ratios[#one.ratios])),
      number(one.ratio),
      one.ci95 and ("[%s, %s]"):format(number(one.ci95[1]), number(one.ci95[2])) or "-",
      one.floor and number(one.floor) or one.floor_why,
    }
  end
  print ""
  for _, line in ipairs(aligned.lines(rows)) do print(line) end
end

local function print_verdict(floors, rounds)
  local parts <const> = {}
  for _, one in ipairs(floors) do
    if one.floor then parts[#parts + 1] = ("%s %s"):format(one.metric, percent(one.floor)) end
  end
  print ""
  print_line("Verdict: %s", parts[1]
    and ("in %d rounds this machine can show effects larger than: %s; anything smaller is noise")
      :format(rounds, table.concat(parts, ", "))
    or "unknown, too few rounds for an interval")
end

-- The arm's twin is what noise is measured by.
local twin <const> = { name = "work (twin)", twin_of = "work", phases = experiment.arms[1].phases }
table.insert(experiment.arms, twin)
local design <const> = assert(run.design(experiment, {}))
local silent <const> = { before = function() end, after = function() end }
local samples <const> = run.samples(experiment, design, silent)
local metrics <const> = { analysis.PROCESS, table.unpack(experiment.metrics) }
local made <const> = { arms = experiment.arms, metrics = metrics, rounds = design.rounds }
local values <const> = analysis.values(made, samples)
for _, sample in ipairs(samples) do
  assert(sample.status == "ok", ("a sample of '%s' was lost: %s"):format(sample.arm, sample.status))
end

print_line("What this machine can measure today: %d rounds of an arm and its twin, on CPU %d (%s)",
  design.rounds, design.cpu, design.cpu_why)
print_line("%s, %s; Linux %s", fr.machine.cpu_model or "unknown CPU", fr.machine.hypervisor
  and "guest of " .. fr.machine.hypervisor or "no hypervisor seen", fr.machine.kernel or "unknown")
print_clock()
print_process(values, design.rounds)
print_empty_phase(samples, values, design.rounds)
print_taken(samples)
local floors <const> = floor.take(made, values)
print_floors(floors)
print_verdict(floors, design.rounds)
