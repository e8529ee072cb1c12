--- The phases of an arm that a metric is taken from.
local process_parts <const> = require "frlua.parts"

local timed_phases <const> = {
  OF_MODE = "timed", -- the name of what fr.modes times
}

-- The phase that a metric is taken from if it names none: of a mode the last one, the experiment's
-- own, behind what its steps have timed.
local function default_phase(arm)
  local last <const> = arm.phases[#arm.phases] -- nil: of a command, which has none
  return last and last.name == timed_phases.OF_MODE and last or arm.phases[1]
end

---The timed phases that a metric is taken from: those that it names and the arm has, or the
---default. A reference has only what is asked of it by name.
---@param arm table of an experiment
---@param names string[]?
---@return table[]
function timed_phases.of(arm, names)
  if not names then return { not arm.is_reference and default_phase(arm) or nil } end
  local found <const>, wanted <const> = {}, {}
  for _, name in ipairs(names) do wanted[name] = true end
  for _, candidate in ipairs(arm.phases) do
    if candidate.timed and wanted[candidate.name] then
      found[#found + 1] = candidate
      wanted[candidate.name] = false
    end
  end
  return found
end

---The names of all timed phases that some arm has, or would have by a step that this run leaves
---out.
---@param arms table[]
---@param steps? table[]
---@return string[]
function timed_phases.names(arms, steps)
  local names <const>, seen <const> = {}, {}
  local function add(name)
    if not seen[name] then names[#names + 1] = name end
    seen[name] = true
  end
  for _, step in ipairs(steps or {}) do
    for _, part in ipairs(step.parts) do
      if part.kind == "phase" then add(part.name) end
    end
  end
  for _, arm in ipairs(arms) do
    for _, candidate in ipairs(arm.phases) do
      if candidate.timed then add(candidate.name) end
    end
  end
  return names
end

local function has_part(arm, name)
  for _, part in ipairs(arm.command and process_parts.OF_PROGRAM or process_parts.OF_WORKER) do
    if part == name then return true end
  end
  return false
end

---Whether an arm has any of the phases that a metric is taken from.
---@param arm table
---@param metric table
---@return boolean
function timed_phases.has(arm, metric)
  if metric.source == "process" then return true end
  if metric.source == "part" then return not arm.is_reference and has_part(arm, metric.part) end
  if metric.phases then return #timed_phases.of(arm, metric.phases) > 0 end
  return not arm.is_reference and not arm.command
end

return timed_phases
