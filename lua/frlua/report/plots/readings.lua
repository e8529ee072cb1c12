--- The readings that plots over iterations show: by arm and timed phase, a series of each process.
local readings <const> = {}

---@class frlua.Readings
---@field arm string
---@field phase string
---@field ops table[] of the phase
---@field name string the arm's, and the phase's where the arm has several that are shown
---@field list userdata[] a series of each process that ended well, in the order of the samples

-- Under one name steps may time several phases: the last one counts, as it does for metrics.
local function series_of(sample, phase)
  local found
  for _, taken in ipairs(sample.phases) do
    if taken.phase == phase then found = taken.ns end
  end
  return found
end

local function lists_of(samples, arm, phase)
  local list <const> = {}
  for _, sample in ipairs(samples) do
    local series <const> = sample.arm == arm and sample.status == "ok" and series_of(sample, phase)
    if series and #series > 0 then list[#list + 1] = series end
  end
  return list
end

-- Twins show how noisy a run is; they have a table of their own.
local function shown_arms(design)
  local arms <const> = {}
  for _, arm in ipairs(design.arms) do
    if not arm.twin_of then arms[#arms + 1] = arm end
  end
  return arms
end

local function phases_of(arm, fewest)
  local phases <const>, seen <const> = {}, {}
  for _, phase in ipairs(arm.phases or {}) do
    if phase.timed and phase.iterations >= fewest and not seen[phase.name] then
      phases[#phases + 1], seen[phase.name] = phase, true
    end
  end
  return phases
end

---@param document table
---@param fewest integer iterations that a phase must have
---@return frlua.Readings[]
function readings.of(document, fewest)
  local all <const> = {}
  for _, arm in ipairs(shown_arms(document.design)) do
    local phases <const> = phases_of(arm, fewest)
    for _, phase in ipairs(phases) do
      local list <const> = lists_of(document.samples, arm.name, phase.name)
      if list[1] then
        all[#all + 1] = {
          arm = arm.name, phase = phase.name, ops = phase.ops, list = list,
          name = #phases > 1 and arm.name .. ": " .. phase.name or arm.name,
        }
      end
    end
  end
  return all
end

return readings
