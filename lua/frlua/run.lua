--- Runs an experiment: every sample a fresh worker process, in the planned order.
local analysis <const> = require "frlua.analysis"
local clock <const> = require "frlua.clock"
local core <const> = require "frlua.core"
local counters <const> = require "frlua.counters"
local cpus <const> = require "frlua.cpus"
local event_counts <const> = require "frlua.event_counts"
local evidence <const> = require "frlua.evidence"
local job <const> = require "frlua.job"
local json <const> = require "frlua.json"
local layout <const> = require "frlua.layout"
local process_parts <const> = require "frlua.parts"
local plan <const> = require "frlua.plan"
local refusal <const> = require "frlua.refusal"
local signals <const> = require "frlua.signals"

local run <const> = {}

---@class frlua.Design
---@field rounds integer
---@field seed integer
---@field cpu integer
---@field cpu_why string how the CPU was chosen
---@field time_limit_ns integer
---@field pause_divisor integer
---@field order integer[][]
---@field counters boolean?
---@field files table<string, table> of arms that are commands, see frlua.command_arm

---@class frlua.Sample
---@field arm string
---@field round integer
---@field position integer
---@field status string "ok", or what happened instead
---@field cpu integer
---@field phases table[]
---@field printed table<string, integer|integer[]>? by a command
---@field process table
---@field evidence table

local function described(region)
  return ("region '%s' of %d bytes%s%s"):format(region.name, region.bytes,
    region.align and (" aligned to %d"):format(region.align) or "",
    region.file and (" of '%s'"):format(region.file) or "")
end

-- A sample has one evict buffer, as large as its largest eviction.
local function evict_bytes(arm)
  local bytes = 0
  for _, phase in ipairs(arm.phases) do
    for _, op in ipairs(phase.ops) do
      if op.code == "evict" then bytes = math.max(bytes, op.amount) end
    end
  end
  return bytes
end

-- What was refused, with its meaning: a region, or an operation that the job can't go on without.
local function refused(outcome, arm, regions)
  local code, region = "map", regions[outcome.error_region]
  if outcome.error_op then
    local op <const> = job.op_at(arm, outcome.error_op)
    code, region = op.code, nil
    for _, candidate in ipairs(regions) do
      if candidate.name == op.region then region = candidate end
    end
  end
  local whose <const> = region and (code == "map" and "" or code .. " of ") .. described(region)
    or ("the evict buffer of %d bytes"):format(evict_bytes(arm))
  local meaning <const> = refusal.meaning(code, outcome.error, region)
  return ("refused: %s for %s%s"):format(signals.error_name(outcome.error), whose,
    meaning and ", " .. meaning or "")
end

-- The signal, and what it comes of where a region lets one tell.
local function killed(number, regions)
  local name <const> = signals.name(number)
  local parts <const> = { "killed by " .. name }
  for _, region in ipairs(regions) do
    local cause <const> = refusal.cause(name, region)
    if cause then parts[#parts + 1] = ("%s: %s"):format(described(region), cause) end
  end
  return table.concat(parts, "; ")
end

-- What the audits counted in memory, where that is not what the layouts are; nil for none such.
local function contradicted(outcome, regions)
  for index, region in ipairs(regions) do
    local audit <const> = region.layout and outcome.audits[index]
    local why <const> = audit and layout.contradiction(region.layout, audit)
    if why then return ("the layout of '%s': %s"):format(region.name, why) end
  end
end

---What stopped a sample, in words; "ok" when nothing did.
---@param outcome table of frlua.core.sample
---@param ended table likewise
---@param arm table
---@param regions table[] of the arm
---@return string
function run.status_of(outcome, ended, arm, regions)
  if ended.how == "timed out" or ended.how == "interrupted" then return ended.how end
  if ended.how == "killed" then return killed(ended.signal, regions) end
  if outcome.error ~= 0 then
    return outcome.stage == "map" and signals.error_name(outcome.error) == "EILSEQ"
      and contradicted(outcome, regions) or refused(outcome, arm, regions)
  end
  if ended.exit_status ~= 0 or outcome.stage ~= "done" then
    return ("exit status %d"):format(ended.exit_status)
  end
  return contradicted(outcome, regions) or "ok"
end

-- Where it was when it stopped; nil for a sample that is whole.
local function stopped_in(status, outcome, arm)
  if status == "ok" then return nil end
  local phase <const> = outcome.stage == "phase" and arm.phases[outcome.phase]
  return phase and ("phase '%s'"):format(phase.name) or outcome.stage
end

local function phases_of(outcome, arm, has_counters)
  local phases <const> = json.array {}
  for index, readings in ipairs(outcome.phases) do
    if readings then
      phases[#phases + 1] = {
        phase = arm.phases[index].name,
        ns = readings.ns,
        minor_faults = json.array(readings.minor_faults),
        major_faults = json.array(readings.major_faults),
        counters = readings.counters and event_counts.of_phase(readings.counters),
        counters_why = has_counters and not readings.counters and evidence.CUT_SHORT or nil,
      }
    end
  end
  return phases
end

-- What a worker counts of its phases, once they are over.
local COUNTED <const> = {
  "cpu_before", "cpu_after", "minor_faults", "major_faults", "voluntary_switches",
  "involuntary_switches",
}

local function process_of(outcome, ended, difference)
  local parts_ns <const> = outcome.stage == "done"
    and process_parts.of_worker(ended.times, outcome) or nil
  local process <const> = {
    pid = ended.pid,
    wall_ns = ended.wall_ns,
    rusage = ended.rusage,
    argument_bytes = ended.argument_bytes,
    environment_bytes = ended.environment_bytes,
    parts_ns = parts_ns,
    parts_ns_why = not parts_ns and evidence.CUT_SHORT or nil,
    exit_status = ended.exit_status,
    signal = ended.signal and signals.name(ended.signal),
  }
  for key, value in pairs(difference) do process[key] = value end
  for _, name in ipairs(COUNTED) do
    process[name] = outcome[name]
    process[name .. "_why"] = not outcome[name] and evidence.CUT_SHORT or nil
  end
  return process
end

-- Of a sample without a process; what was to be executed is not in the system's own words.
local function not_started(message)
  local reason <const> = message:match "^execve: (.*)$"
  return "not started: "
    .. (reason and ("%s/bin/frlua-worker: %s"):format(core.root, reason) or message)
end

-- The orders of a round's chains, see layout.seed.
local function seed_chains(plain, regions, design, round)
  local seeds <const> = {}
  for index, region in ipairs(regions) do
    if region.layout then
      seeds[index] = layout.seed(region.layout, design.seed, round)
      plain.regions[index].chain_seed = seeds[index]
    end
  end
  return seeds
end

-- One fresh process of an arm. What the host can't even start is a sample too: a lost one.
local function take_sample(arm, plain, regions, design, round)
  local seeds <const> = seed_chains(plain, regions, design, round)
  plain.counters = design.counters and round -- whose turn it is, see core/engine/counters.h
  local before <const> = counters.read(design.cpu)
  local outcome <const>, ended <const> = core.sample(plain, design.cpu, design.time_limit_ns)
  if not outcome then
    return { arm = arm.name, params = arm.params, cpu = design.cpu, status = not_started(ended),
      phases = json.array {} }
  end
  local difference <const> = counters.difference(before, counters.read(design.cpu))
  local status <const> = run.status_of(outcome, ended, arm, regions)
  return {
    arm = arm.name,
    params = arm.params,
    cpu = design.cpu,
    status = status,
    stopped_in = stopped_in(status, outcome, arm),
    phases = phases_of(outcome, arm, design.counters),
    process = process_of(outcome, ended, difference),
    evidence = evidence.of_sample(outcome, arm, regions, seeds),
  }
end

---A seed of the clock's and the process' making, where none was asked for.
---@return integer
function run.any_seed()
  return (core.now() * 0x9E3779B97F4A7C15 ~ require "posix.unistd".getpid()) >> 33
end

---Settles what the options leave open: CPU, seed, rounds, order.
---@param experiment frlua.Experiment
---@param options table
---@return frlua.Design? design
---@return string? why the CPU that was asked for can't be had
function run.design(experiment, options)
  local cpu <const>, cpu_why <const> = cpus.choose(options.cpu)
  if not cpu then return nil, cpu_why end
  local rounds <const> = options.rounds or options.quick and 3 or experiment.rounds
  local seed <const> = options.seed or run.any_seed()
  return {
    cpu = cpu,
    cpu_why = cpu_why,
    rounds = rounds,
    seed = seed,
    time_limit_ns = math.tointeger((options.time_limit or 60) * 1e9 // 1),
    pause_divisor = options.quick and 10 or 1,
    order = plan.order(#experiment.arms, rounds, seed),
    counters = options.counters,
    files = require "frlua.command_arm".files(experiment.arms),
  }
end

-- The host waits on the samples' own CPU: a child that is born there need not move, nor must its
-- end be told to another CPU, and the other CPUs are left alone.
local function wait_on(cpu)
  core.stay_on(cpu)
  return setmetatable({}, { __close = function() core.roam() end })
end

-- Every arm once with smaller regions, before anything is measured: what the machine does only the
-- first time is done then, and for a twin with its arm.
local function warm_up(experiment, design)
  for _, arm in ipairs(experiment.warm_up and analysis.own_arms(experiment) or {}) do
    local regions <const> = {}
    for index, region in ipairs(experiment.regions) do
      local bytes <const> = math.max(1, region.bytes * experiment.warm_up // 1)
      regions[index] = setmetatable({ bytes = math.tointeger(bytes) }, { __index = region })
    end
    if not arm.command then
      core.sample(job.plain(arm, regions, clock.id, design.pause_divisor), design.cpu,
        design.time_limit_ns)
    end
    if core.interrupted() then return end
  end
end

---Runs it. Ctrl-C ends it early, with the samples so far.
---@param experiment frlua.Experiment
---@param design frlua.Design
---@param progress { before: function, after: function }
---@return frlua.Sample[] samples in the order in which they ran
---@return boolean interrupted
function run.samples(experiment, design, progress)
  local jobs <const>, samples <const> = {}, {}
  for index, arm in ipairs(experiment.arms) do
    jobs[index] = not arm.command
      and job.plain(arm, experiment.regions, clock.id, design.pause_divisor)
  end
  local _ <close> = wait_on(design.cpu)
  warm_up(experiment, design)
  for round, order in ipairs(design.order) do
    for position, index in ipairs(order) do
      local arm <const> = experiment.arms[index]
      progress.before(arm.name, round)
      local regions <const> = job.regions_of(arm, experiment.regions)
      local sample <const> = arm.command and require "frlua.command_sample".take(arm, design)
        or take_sample(arm, jobs[index], regions, design, round)
      if core.interrupted() then return samples, true end
      sample.round, sample.position = round, position
      samples[#samples + 1] = sample
      progress.after(arm.name)
    end
  end
  return samples, false
end

return run
