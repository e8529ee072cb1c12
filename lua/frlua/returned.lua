--- What a script returned: the experiments in it, and what the command line makes of them.
local options <const> = require "frlua.options"

local returned <const> = {}

local function is_experiment(value)
  return type(value) == "table" and value.kind == "experiment"
end

-- Results are told apart by the experiments' names.
local function check_list(list)
  local place_of <const> = {}
  for index, item in ipairs(list) do
    if not is_experiment(item) then
      options.fail(("item %d of the list that the script returned is a %s, not an experiment")
        :format(index, type(item)))
    elseif place_of[item.name] then
      options.fail(("items %d and %d of the list that the script returned are both experiment '%s'")
        :format(place_of[item.name], index, item.name))
    end
    place_of[item.name] = index
  end
end

---@param value any what the script returned
---@return frlua.Experiment[]? # nil for anything but an experiment or a list of them
function returned.experiments(value)
  if is_experiment(value) then return { value } end
  if type(value) ~= "table" or not is_experiment(value[1]) then return nil end
  check_list(value)
  return value
end

local function with_arms(experiment, arms)
  local changed <const> = {}
  for key, value in pairs(experiment) do changed[key] = value end
  changed.arms = arms
  return changed
end

-- Refuses a name that is no arm's.
local function check_arms(experiments, names)
  local arms <const>, is_arm <const> = {}, {}
  for _, experiment in ipairs(experiments) do
    for _, arm in ipairs(experiment.arms) do
      for _, name in ipairs { arm.name, arm.group } do
        if not is_arm[name] then arms[#arms + 1] = name end
        is_arm[name] = true
      end
    end
  end
  for _, name in ipairs(names) do
    if not is_arm[name] then
      local near <const> = require "frlua.check".nearest(name, arms)
      options.fail(("--arm: there is no arm '%s': %s"):format(name,
        near and ("did you mean '%s'?"):format(near)
        or "there are '" .. table.concat(arms, "', '") .. "'"))
    end
  end
end

-- Only the arms named by --arm, or made of them by a sweep, in the script's order, and the
-- experiments that have any of them.
local function select_arms(experiments, names)
  if #names == 0 then return experiments end
  check_arms(experiments, names)
  local wanted <const>, selected <const> = {}, {}
  for _, name in ipairs(names) do wanted[name] = true end
  for _, experiment in ipairs(experiments) do
    local kept <const> = {}
    for _, arm in ipairs(experiment.arms) do
      if wanted[arm.name] or wanted[arm.group] then kept[#kept + 1] = arm end
    end
    if kept[1] then selected[#selected + 1] = with_arms(experiment, kept) end
  end
  return selected
end

-- What is claimed needs arms beside the experiment's own; a quick run claims nothing, and in too
-- few rounds no difference passes.
local function add_twins(experiment, parsed)
  local fewest <const> = require "frlua.stats".fewest()
  local is_judged <const> = not parsed.quick and (parsed.rounds or experiment.rounds) >= fewest
  return with_arms(experiment, require "frlua.claim_design".with_twins(experiment.arms,
    is_judged and experiment.claims or {}, experiment.twins))
end

---What is to run of the experiments: the arms that the command line names, and the twins that
---claims need. What the script returned stays as it is.
---@param experiments frlua.Experiment[]
---@param parsed table of options.parsed
---@return frlua.Experiment[]
function returned.to_run(experiments, parsed)
  local all <const> = {}
  for index, experiment in ipairs(select_arms(experiments, parsed.arm)) do
    all[index] = add_twins(experiment, parsed)
  end
  return all
end

return returned
