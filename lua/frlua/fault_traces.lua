--- --faults: one more process of each arm, after the timed ones, with its page faults traced. None
--- of its times is kept: a traced fault takes longer.
local analysis <const> = require "frlua.analysis"
local clock <const> = require "frlua.clock"
local core <const> = require "frlua.core"
local job <const> = require "frlua.job"
local json <const> = require "frlua.json"
local process_parts <const> = require "frlua.parts"
local run <const> = require "frlua.run"
local trace <const> = require "frlua.trace"

local fault_traces <const> = {}

local function total_of(readings)
  local total = 0
  for _, kind in ipairs { "minor_faults", "major_faults" } do
    for _, iteration in ipairs(readings[kind]) do total = total + iteration[2] end
  end
  return total
end

-- The regions where they lay in this process.
local function placed(regions, addresses)
  local list <const> = {}
  for index, region in ipairs(regions) do
    list[index] = { name = region.name, address = addresses[index], bytes = region.bytes }
  end
  return list
end

local function phase_of(name, readings, raw, regions)
  local account <const> = trace.account(raw, {
    from_ns = readings.from_ns, to_ns = readings.to_ns, total = total_of(readings),
    regions = regions,
  })
  account.phase = name
  for _, key in ipairs { "by_mapping", "by_code", "faults" } do json.array(account[key]) end
  return account
end

-- The phases of a whole sample; of one that broke off there is nothing to account for.
local function phases_of(arm, outcome, raw, regions)
  local phases <const> = json.array {}
  for index, readings in ipairs(outcome.phases) do
    if readings then
      phases[#phases + 1] = phase_of(arm.phases[index].name, readings, raw,
        placed(regions, outcome.addresses))
    end
  end
  return phases
end

-- The parts of the process from its exec on. What the kernel counts of it is known for phases only.
local function parts_of(outcome, ended, raw, regions)
  local parts <const> = json.array {}
  for index, window in ipairs(process_parts.windows(ended.times, outcome)) do
    parts[index] = trace.part_of(trace.account(raw, {
      from_ns = window.from_ns, to_ns = window.to_ns,
      total_why = "the kernel's count at the ends of parts is not read",
      regions = placed(regions, outcome.addresses),
    }), window.part)
  end
  return parts
end

local function trace_arm(experiment, arm, design)
  local regions <const> = job.regions_of(arm, experiment.regions)
  local plain <const> = job.plain(arm, experiment.regions, clock.id, design.pause_divisor)
  local outcome <const>, ended <const>, raw <const>, message <const>, errno <const> =
    core.sample(plain, design.cpu, design.time_limit_ns, true)
  if not outcome then return { arm = arm.name, status = "not started: " .. ended } end
  if not raw then return nil, trace.refusal(message, errno) end
  local status <const> = run.status_of(outcome, ended, arm, regions)
  return {
    arm = arm.name,
    status = status,
    phases = status == "ok" and phases_of(arm, outcome, raw, regions) or nil,
    parts = status == "ok" and parts_of(outcome, ended, raw, regions) or nil,
  }
end

local function command_trace(_, arm, design)
  return require "frlua.command_sample".trace(arm, design)
end

---Traces every arm once; a twin would have the faults of its arm.
---@param experiment frlua.Experiment
---@param design frlua.Design
---@return table[]? traces an entry for each arm: { arm, status, phases, parts }; a phase is a
---frlua.FaultAccount with its name, a part is one of the process
---@return string? why there are none: the kernel does not let faults be traced, or Ctrl-C
function fault_traces.take(experiment, design)
  local traces <const> = json.array {}
  for index, arm in ipairs(analysis.own_arms(experiment)) do
    local taken, why
    if not core.interrupted() then
      taken, why = (arm.command and command_trace or trace_arm)(experiment, arm, design)
    end
    if core.interrupted() then return nil, "interrupted" end
    if not taken then return nil, why end
    traces[index] = taken
  end
  return traces
end

return fault_traces
