--- A sample that is a program of the user's: it runs no job, so there are no phases and nothing
--- that is read back in it; what there is, is the process from outside, and what it prints itself.
local command_arm <const> = require "frlua.command_arm"
local counters <const> = require "frlua.counters"
local json <const> = require "frlua.json"
local printed <const> = require "frlua.printed"
local process <const> = require "frlua.process"
local trace <const> = require "frlua.trace"

local command_sample <const> = {}

local OF_WORKERS <const> = "only a worker reads it"
local LONGEST_REASON <const> = 200 -- characters of what a program wrote to its standard error

local function spawn(arm, design, output, is_traced)
  local options <const> = command_arm.spawn_options(arm)
  options.cpu, options.time_limit = design.cpu, design.time_limit_ns / 1e9
  options.output, options.limit, options.faults = output, printed.LIMIT, is_traced
  return process.spawn(options)
end

local function status_of(child)
  if child.status == "killed" then return "killed by " .. child.signal_name end
  if child.status ~= "exited" then return child.status end
  if child.exit_status == 0 then return "ok" end
  local said <const> = child.stderr and child.stderr:match "^[^\n]+" -- where it was captured
  return ("exit status %d%s"):format(child.exit_status,
    said and ": " .. said:sub(1, LONGEST_REASON) or "")
end

local function process_of(child, difference)
  local kept <const> = {
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
  }
  for key, value in pairs(difference) do kept[key] = value end
  return kept
end

---One run of an arm's command. What it prints is discarded, unless the arm prints readings; one
---that does not exit with status 0, or prints something else, is a lost sample.
---@param arm table with a `command`
---@param design frlua.Design
---@return frlua.Sample
function command_sample.take(arm, design)
  local sample <const> = { arm = arm.name, cpu = design.cpu, phases = json.array {} }
  local before <const> = counters.read(design.cpu)
  local child <const>, message <const> = spawn(arm, design, arm.prints and "capture" or "discard")
  if not child then
    sample.status = "not started: " .. message
    return sample
  end
  sample.status = status_of(child)
  if arm.prints and sample.status == "ok" then
    local why
    sample.printed, why = printed.read(child.stdout, child.dropped)
    sample.status = sample.printed and "ok" or "no readings: " .. why
  end
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
  local child <const>, message <const> = spawn(arm, design, "discard", true)
  if not child then return { arm = arm.name, status = "not started: " .. message } end
  local account <const> = child.faults
  if not account then return nil, child.faults_why end
  local traced <const> = { arm = arm.name, status = status_of(child), phases = json.array {} }
  local part <const> = trace.part_of(account, "exec_to_exit_seen")
  traced.parts = json.array { part }
  return traced
end

return command_sample
