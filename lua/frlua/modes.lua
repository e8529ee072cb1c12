--- Modes: conditions named by the steps that come before the timed part, in that order, such as
--- "prefault,spin,touch". "natural" has no steps, unless a step bears that name.
local check <const> = require "frlua.check"

local modes <const> = {}

---@class frlua.Step
---@field name string
---@field ops table[] what the step does

---@class frlua.Mode
---@field name string the parts joined by commas, without spaces
---@field steps frlua.Step[] in the order of the name

local function by_name(steps)
  local known <const>, names <const> = {}, {}
  for index, step in ipairs(steps) do
    known[step.name], names[index] = step, step.name
  end
  return known, names
end

local function parts_of(name)
  local parts <const> = {}
  for part in (name .. ","):gmatch "%s*(.-)%s*," do parts[#parts + 1] = part end
  return parts
end

local function steps_of(parts, name, known, names)
  local steps <const> = {}
  local where <const> = "mode " .. check.show(name)
  for index, part in ipairs(parts) do
    if part == "" then
      check.fail(where .. " has an empty part: steps are parted by single commas")
    elseif part == "natural" and not known.natural then
      check.fail(where .. ": 'natural' means no steps and stands alone")
    end
    steps[index] = known[part] or check.unknown("step", part, names, where)
  end
  return steps
end

---Resolves names of modes into their steps. Refuses a part that is no step, and a mode given twice.
---@param names string[] such as { "natural", "prefault,spin" }; spaces around a part don't count
---@param steps frlua.Step[]
---@return frlua.Mode[]
function modes.resolve(names, steps)
  local known <const>, step_names <const> = by_name(steps)
  if not known.natural then step_names[#step_names + 1] = "natural" end -- so that hints can name it
  local resolved <const>, seen <const> = {}, {}
  for index, given in ipairs(names) do
    local parts <const> = parts_of(check.text(given, "a mode's name"))
    local name <const> = table.concat(parts, ",")
    local natural <const> = name == "natural" and not known.natural
    local mode_steps <const> = natural and {} or steps_of(parts, given, known, step_names)
    if seen[name] then check.fail(("mode '%s' is given twice"):format(name)) end
    seen[name] = true
    resolved[index] = { name = name, steps = mode_steps }
  end
  return resolved
end

return modes
