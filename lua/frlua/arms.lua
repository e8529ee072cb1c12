--- The arms of an experiment, in one of three forms: modes, lists of phases, layouts. All become a
--- list of phases on regions.
local check <const> = require "frlua.check"
local grammar <const> = require "frlua.grammar"
local json <const> = require "frlua.json"
local modes <const> = require "frlua.modes"
local timed_phases <const> = require "frlua.timed_phases"

local arms <const> = {}

local function check_regions(ops, region_names, what)
  for _, op in ipairs(ops) do
    if op.code == "chase" and not op.region then
      check.fail(("fr.chase in %s names no region: only where arms have layouts it can do without")
        :format(what))
    end
    for _, name in ipairs { op.region, op.from } do
      if type(name) ~= "string" then
        check.fail(("fr.%s in %s works on a region of fr.map: name one of the experiment's regions")
          :format(op.code, what))
      end
      check.one_of(name, region_names, "region", what)
    end
    if op.region and op.region == op.from then
      check.fail(("to and from of fr.%s in %s are both region '%s', and may not overlap")
        :format(op.code, what, op.region))
    end
  end
end

local function phase(name, ops, iterations, timed)
  return { name = name, ops = ops, iterations = iterations, timed = timed }
end

-- What a mode's steps do, in phases: operations that follow each other are one that is not timed.
local function phases_of_steps(steps)
  local phases <const>, run = {}, nil
  for _, step in ipairs(steps) do
    for _, part in ipairs(step.parts) do
      if part.kind == "phase" then
        run, phases[#phases + 1] = nil, phase(part.name, part.ops, part.iterations, part.timed)
      elseif run then
        run[#run + 1] = part
      else
        run = { part }
        phases[#phases + 1] = phase("steps", run, 1, false)
      end
    end
  end
  return phases
end

-- Arms of fr.modes: what the steps do, then the timed part.
local function arms_of_modes(names, fields, region_names, what)
  local steps <const> = grammar.entries(fields.steps, "steps", "step", what)
  for _, step in ipairs(steps) do
    for _, part in ipairs(step.parts) do
      local ops <const> = part.kind == "phase" and part.ops or { part }
      check_regions(ops, region_names, ("step '%s'"):format(step.name))
    end
  end
  if not fields.timed then check.fail(what .. " has modes, but no 'timed' operations") end
  local timed <const> = grammar.ops(fields.timed, "timed in " .. what)
  check_regions(timed, region_names, "timed in " .. what)
  local iterations <const> = grammar.iterations(fields.iterations, what)
  local list <const> = {}
  for index, mode in ipairs(modes.resolve(names, steps)) do
    list[index] = { name = mode.name, phases = phases_of_steps(mode.steps) }
    table.insert(list[index].phases, phase(timed_phases.OF_MODE, timed, iterations, true))
  end
  return list
end

local function arms_of_phases(given, region_names)
  local list <const> = {}
  for index, arm in ipairs(given) do
    list[index] = { name = arm.name, phases = json.array {}, command = arm.command }
    local seen <const> = {}
    for number, part in ipairs(arm.phases) do
      check_regions(part.ops, region_names, ("phase '%s'"):format(part.name))
      if seen[part.name] then
        check.fail(("arm '%s' names phase '%s' twice"):format(arm.name, part.name))
      end
      seen[part.name] = true
      list[index].phases[number] = phase(part.name, part.ops, part.iterations, part.timed)
    end
  end
  return list
end

local function refuse(fields, keys, who, what)
  for _, key in ipairs(keys) do
    if fields[key] then
      check.fail(("%s has '%s', which only %s makes use of"):format(what, key, who))
    end
  end
end

-- Arms that are layouts; their regions are added to the experiment's.
local function arms_of_layouts(given, fields, regions, what)
  local placed_arms <const> = require "frlua.placed_arms"
  for _, arm in ipairs(given) do
    if not arm.layout then
      check.fail(("arm '%s' in %s has no layout, as others have"):format(arm.name, what))
    end
  end
  local sweep <const> = placed_arms.sweep(fields.sweep, what)
  local list <const>, made <const> = placed_arms.build(given, fields, sweep, what)
  table.move(made, 1, #made, #regions + 1, regions)
  local region_names <const> = grammar.names_of(regions)
  for _, arm in ipairs(list) do
    check_regions(arm.phases[1].ops, region_names, "timed in " .. what)
  end
  return list, sweep
end

---The arms of an experiment.
---@param fields table of fr.experiment
---@param regions table[] of the experiment; those of layouts are added
---@param what string
---@return table[] arms { name, phases, group?, params? }
---@return frlua.Sweep? sweep
function arms.of(fields, regions, what)
  local given <const> = fields.arms
  if type(given) ~= "table" or (given.kind ~= "modes" and not given[1]) then
    check.fail(what .. " has no arms: expected fr.modes { … } or a list of fr.arm '…' { … }")
  end
  local region_names <const> = grammar.names_of(regions)
  if given.kind == "modes" then
    refuse(fields, { "sweep" }, "layouts", what)
    return arms_of_modes(given.names, fields, region_names, what)
  end
  local list <const> = grammar.entries(given, "arms", "arm", what)
  refuse(fields, { "steps" }, "fr.modes", what)
  for _, arm in ipairs(list) do
    if arm.layout then return arms_of_layouts(list, fields, regions, what) end
  end
  refuse(fields, { "timed", "iterations" }, "fr.modes", what)
  refuse(fields, { "sweep" }, "layouts", what)
  return arms_of_phases(list, region_names)
end

---Adds, behind the arms, those that others are compared with; they run in every round like all
---others.
---@param list table[] is added to
---@param fields table of fr.experiment
---@param regions table[] of the experiment
---@param what string
function arms.add_references(list, fields, regions, what)
  local taken <const> = {}
  for _, arm in ipairs(list) do taken[arm.name] = true end
  local given <const> = grammar.entries(fields.references, "references", "arm", what)
  for _, arm in ipairs(arms_of_phases(given, grammar.names_of(regions))) do
    if taken[arm.name] then
      check.fail(("%s has arm '%s' as a reference, too"):format(what, arm.name))
    end
    arm.is_reference = true
    list[#list + 1] = arm
  end
end

return arms
