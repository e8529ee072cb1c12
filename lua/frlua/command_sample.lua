--- A sample that is a program of the user's: it runs no job, so there are no phases and nothing
--- that is read back in it; what there is, is the process from outside.
local counters <const> = require "frlua.counters"
local json <const> = require "frlua.json"
local process <const> = require "frlua.process"
local trace <const> = require "frlua.trace"

local command_sample <const> = {}

local OF_WORKERS <const> = "only a worker reads it"

local function spawn(arm, design, is_traced)
  local options <const> = table.move(arm.command, 1, #arm.command, 1, {})
  options.cpu, options.time_limit = design.cpu, design.time_limit_ns / 1e9
  options.output, options.faults = "discard", is_traced
  return process.spawn(options)
end

local function status_of(child)
  if child.status == "killed" then return "killed by " .. child.signal_name end
  if child.status ~= "exited" then return child.status end
  return child.exit_status == 0 and "ok" or ("exit status %d"):format(child.exit_status)
end

local function process_of(child, difference)
  return {
    pid = child.pid,
    wall_ns = child.wall_ns,
    parts_ns = child.parts_ns,
    rusage = child.rusage,
    exit_status = child.exit_status,
    signal = child.signal_name,
    argument_bytes = child.argument_bytes,
    environment_bytes = child.environment_bytes,
    cpu_before_why = OF_WORKERS,
    cpu_after_why = OF_WORKERS,
    interrupts = difference.interrupts,
    interrupts_why = difference.interrupts_why,
    softirqs = difference.softirqs,
    softirqs_why = difference.softirqs_why,
    steal_ns = difference.steal_ns,
    steal_ns_why = difference.steal_ns_why,
  }
end

---One run of an arm's command. What it prints is discarded; one that does not exit with status 0 is
---a lost sample.
---@param arm table with a `command`
---@param design frlua.Design
---@return frlua.Sample
function command_sample.take(arm, design)
  local sample <const> = { arm = arm.name, cpu = design.cpu, phases = json.array {} }
  local before <const> = counters.read(design.cpu)
  local child <const>, message <const> = spawn(arm, design)
  if not child then
    sample.status = "not started: " .. message
    return sample
  end
  sample.status = status_of(child)
  sample.process = process_of(child, counters.difference(before, counters.read(design.cpu)))
  sample.evidence = { regions = json.array {} }
  return sample
end

---The page faults of one more run, all in one: where a program's own work begins can't be seen from
---outside.
---@param arm table with a `command`
---@param design frlua.Design
---@return table? traced as frlua.fault_traces has it
---@return string? why there is no trace
function command_sample.trace(arm, design)
  local child <const>, message <const> = spawn(arm, design, true)
  if not child then return { arm = arm.name, status = "not started: " .. message } end
  local account <const> = child.faults
  if not account then return nil, child.faults_why end
  local traced <const> = { arm = arm.name, status = status_of(child), phases = json.array {} }
  local part <const> = trace.part_of(account, "exec_to_exit_seen")
  traced.parts = json.array { part }
  return traced
end

return command_sample
