--- What performance counters counted of the timed phases of a sample (--counters): as a result
--- keeps it, and read out of one again.
local analysis <const> = require "frlua.analysis"
local counts <const> = require "frlua.counts"
local json <const> = require "frlua.json"
local stats <const> = require "frlua.stats"

local event_counts <const> = {
  SIDES = { "user", "kernel", "both" },
}

-- Sides that an event does not have: nothing was refused there.
local ABSENT <const> = {
  user = "it happens in the kernel alone",
  both = "the kernel does not tell user mode and its own apart",
}

---@class frlua.EventCount what one event came to in all iterations of a phase. Of each side, "user"
---and "kernel", or "both" of an event that the kernel does not take apart, there is the count, or
---nil and in `<side>_why` the reason.
---@field event string as perf-list(1) calls it; "task-clock" is in ns
---@field user integer?
---@field user_why string?
---@field user_running_of_enabled number? the share of the time in which it really counted; absent:
---all of it
---@field user_empty integer? what as many iterations without the phase's operations came to; absent
---when unknown

local function unknown(count, meaning)
  if count.error then return meaning(count.error) end
  if count.enabled_ns == 0 then return "it was not counted at any time" end
  return "other events had the hardware's counters for all of the time"
end

local function put(entry, count, meaning)
  local side <const> = count.side
  if count.error or count.running_ns == 0 then
    entry[side .. "_why"] = unknown(count, meaning)
    return
  end
  entry[side] = count.value
  entry[side .. "_empty"] = count.empty
  if count.running_ns < count.enabled_ns then
    entry[side .. "_running_of_enabled"] = count.running_ns / count.enabled_ns
  end
end

-- The reasons for the sides that an event does not have.
local function explain(entry, sides)
  local is_split <const> = not sides.both
  for _, side in ipairs { "user", "kernel" } do
    if not sides[side] then entry[side .. "_why"] = is_split and ABSENT.user or ABSENT.both end
  end
end

-- What an error means, found out once for each: the system is asked for its limits.
local function meanings()
  local refusal <const>, known <const> = require "frlua.refusal", {}
  return function(number)
    known[number] = known[number] or refusal.text("count", number)
    return known[number]
  end
end

---The counts of one phase, from what the worker read of its counters.
---@param counters table[] of frlua.core.sample, the sides of an event one after the other
---@return frlua.EventCount[]
function event_counts.of_phase(counters)
  local list <const>, meaning <const>, sides = json.array {}, meanings(), {}
  for index, count in ipairs(counters) do
    local entry = list[#list]
    if not entry or entry.event ~= count.event then
      entry, sides = { event = count.event }, {}
      list[#list + 1] = entry
    end
    put(entry, count, meaning)
    sides[count.side] = true
    local after <const> = counters[index + 1]
    if not after or after.event ~= count.event then explain(entry, sides) end
  end
  return list
end

---Whether an event has a side, known or not.
---@param entry frlua.EventCount
---@param side "user"|"kernel"|"both"
---@return boolean
function event_counts.has(entry, side)
  local why <const> = entry[side .. "_why"]
  return entry[side] ~= nil or why ~= nil and why ~= ABSENT.user and why ~= ABSENT.both
end

---What an event would have come to had it been counted all the time: the count, or as much more as
---there was more time; nil when unknown.
---@param entry frlua.EventCount
---@param side "user"|"kernel"|"both"
---@return number?
function event_counts.estimate(entry, side)
  local value <const>, share <const> = entry[side], entry[side .. "_running_of_enabled"]
  return value and share and value / share or value
end

local function arm_of(design, name)
  for _, arm in ipairs(design.arms) do
    if arm.name == name then return arm end
  end
end

---The entries of an event in all whole samples of an arm.
---@param samples frlua.Sample[]
---@param arm string its name
---@param phase integer which of its timed phases
---@param event string
---@return frlua.EventCount[]
function event_counts.entries(samples, arm, phase, event)
  local list <const> = {}
  for _, sample in ipairs(samples) do
    local readings <const> = sample.arm == arm and sample.status == "ok" and sample.phases[phase]
    for _, entry in ipairs(readings and readings.counters or {}) do
      if entry.event == event then list[#list + 1] = entry end
    end
  end
  return list
end

---The median over the processes of an arm in which a side of an event was counted.
---@param samples frlua.Sample[]
---@param arm string
---@param phase integer
---@param event string
---@param side "user"|"kernel"|"both"
---@return number? median nil when it is unknown in all of them
---@return string? why
function event_counts.median(samples, arm, phase, event, side)
  local known <const>, why = {}, nil
  for _, entry in ipairs(event_counts.entries(samples, arm, phase, event)) do
    known[#known + 1] = event_counts.estimate(entry, side)
    why = why or entry[side .. "_why"]
  end
  if known[1] then return stats.median(known) end
  return nil, why or "no counters were read (--counters)"
end

---The same for each load of all iterations.
---@param document table
---@param arm string
---@param phase integer
---@param event string
---@param side "user"|"kernel"|"both"
---@return number? per_load nil when it is unknown
---@return string? why
function event_counts.per_load(document, arm, phase, event, side)
  local design <const> = document.design
  local designed <const> = arm_of(design, arm)
  local timed <const> = event_counts.phases(designed)[phase]
  local loads <const> = counts.load(design, designed, { phases = { timed.name } })
  local median <const>, why <const> =
    event_counts.median(document.samples, arm, phase, event, side)
  if not median then return nil, why end
  if loads == 0 then return nil, ("phase '%s' makes no loads"):format(timed.name) end
  return median / (loads * timed.iterations)
end

---The timed phases of an arm, in the order of the phases of its samples.
---@param arm table of a design
---@return table[]
function event_counts.phases(arm)
  local list <const> = {}
  for _, phase in ipairs(arm.phases) do
    if phase.timed then list[#list + 1] = phase end
  end
  return list
end

---Arms of a design whose counts a report shows: not those of twins, which are their arm's.
---@param design table
---@return table[]
function event_counts.arms(design)
  local list <const> = analysis.own_arms(design)
  for _, arm in ipairs(analysis.references(design)) do list[#list + 1] = arm end
  return list
end

return event_counts
