--- fr.experiment: puts the words of an experiment together and checks that they fit.
local check <const> = require "frlua.check"
local claim_design <const> = require "frlua.claim_design"
local grammar <const> = require "frlua.grammar"
local job <const> = require "frlua.job"
local modes <const> = require "frlua.modes"
local report_design <const> = require "frlua.report_design"
local timed_phases <const> = require "frlua.timed_phases"

local experiment <const> = {
  MOST_ROUNDS = 100000, -- as far as the statistics are exact
}

---@class frlua.Experiment
---@field kind "experiment"
---@field name string
---@field doc string?
---@field regions table[] as fr.region made them
---@field arms { name: string, phases: table[] }[] phases: { name, ops, iterations, timed }
---@field rounds integer
---@field metrics table[]
---@field ratios { of: string[], to: string }?
---@field apart { metric: string, above: number }?
---@field detail integer[]? iterations that --detail prints
---@field splits table[]
---@field claims frlua.Claim[]
---@field summary table[]?
---@field warm_up number?
---@field twins string[]
---@field report fun(document: table): string

local FIELDS <const> = {
  "doc", "regions", "steps", "timed", "iterations", "arms", "rounds", "metrics", "ratios", "apart",
  "detail", "splits", "claims", "references", "summary", "warm_up", "twins", "report",
  "keep_rounds",
}

-- The entries of a field: all of one kind, no name twice. Returns the list and its names.
local function entries(fields, key, kind, what)
  local where <const> = key .. " in " .. what
  local list <const>, names <const>, seen <const> = {}, {}, {}
  check.keys(fields or {}, { entries = true }, where)
  for index, item in ipairs(fields or {}) do
    if type(item) ~= "table" or item.kind ~= kind then
      check.fail(("entry %d of %s is %s: expected fr.%s '…' { … }")
        :format(index, where, check.show(item), kind))
    end
    if seen[item.name] then
      check.fail(("%s names %s '%s' twice"):format(where, kind, item.name))
    end
    seen[item.name] = true
    list[index], names[index] = item, item.name
  end
  return list, names
end

local names_of <const> = grammar.names_of

local function check_regions(ops, region_names, what)
  for _, op in ipairs(ops) do
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
        run, phases[#phases + 1] = nil, phase(part.name, part.ops, part.iterations, true)
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
  local steps <const> = entries(fields.steps, "steps", "step", what)
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
  local arms <const> = {}
  for index, mode in ipairs(modes.resolve(names, steps)) do
    arms[index] = { name = mode.name, phases = phases_of_steps(mode.steps) }
    table.insert(arms[index].phases, phase(timed_phases.OF_MODE, timed, iterations, true))
  end
  return arms
end

local function arms_of_phases(list, region_names, what)
  local arms <const> = {}
  for index, arm in ipairs(entries(list, "arms", "arm", what)) do
    arms[index] = { name = arm.name, phases = {} }
    local seen <const> = {}
    for number, part in ipairs(arm.phases) do
      check_regions(part.ops, region_names, ("phase '%s'"):format(part.name))
      if seen[part.name] then
        check.fail(("arm '%s' names phase '%s' twice"):format(arm.name, part.name))
      end
      seen[part.name] = true
      arms[index].phases[number] = phase(part.name, part.ops, part.iterations, true)
    end
  end
  return arms
end

local function arms_of(fields, region_names, what)
  local arms <const> = fields.arms
  if type(arms) ~= "table" or (arms.kind ~= "modes" and not arms[1]) then
    check.fail(what .. " has no arms: expected fr.modes { … } or a list of fr.arm '…' { … }")
  end
  if arms.kind == "modes" then return arms_of_modes(arms.names, fields, region_names, what) end
  for _, key in ipairs { "steps", "timed", "iterations" } do
    if fields[key] then
      check.fail(("%s has '%s', which only fr.modes makes use of"):format(what, key))
    end
  end
  return arms_of_phases(arms, region_names, what)
end

-- With fr.modes, claims may also be about modes that this run leaves out.
local function arm_checker(fields, arms)
  local names <const>, is_reference <const> = {}, {}
  for index, arm in ipairs(arms) do
    names[index], is_reference[arm.name] = arm.name, arm.is_reference
  end
  if fields.arms.kind == "modes" then
    return function(name)
      return is_reference[name] and name or modes.resolve({ name }, fields.steps or {})[1].name
    end
  end
  return function(name, where) return check.one_of(name, names, "arm", where) end
end

local function check_claims(fields, arms, metrics, regions, what)
  local claims <const> = entries(fields.claims, "claims", "claim", what)
  for _, arm in ipairs(claims[1] and arms or {}) do
    if claim_design.is_twin_name(arm.name) then
      check.fail(("arm '%s' in %s has the name of a twin, which claims add by themselves")
        :format(arm.name, what))
    end
  end
  claim_design.check(claims, arms, {
    arm = arm_checker(fields, arms),
    metric = function(name, unit, where)
      if unit ~= "ns" or name ~= "process" then report_design.unit(name, unit, metrics, where) end
    end,
    values = function(values, where) report_design.values(values, arms, metrics, where) end,
    regions_of = function(name)
      for _, arm in ipairs(arms) do
        if arm.name == name then return names_of(job.regions_of(arm, regions)) end
      end
      return names_of(regions) -- of a mode that this run leaves out
    end,
  }, what)
  return claims
end

local function check_twins(twins, arms, what)
  local where <const> = "twins in " .. what
  for _, name in ipairs(check.keys(twins or {}, { entries = true }, where)) do
    check.one_of(name, names_of(arms), "arm", where)
  end
  return twins or {}
end

local function check_report(report, what)
  if report ~= nil and type(report) ~= "function" then
    check.fail(("report in %s must be a function, not %s"):format(what, check.show(report)))
  end
  return report
end

local function rounds_of(fields, claims, arms, what)
  local rounds <const> =
    check.whole(fields.rounds or 10, "rounds in " .. what, 1, experiment.MOST_ROUNDS)
  local keep <const> = fields.keep_rounds
  if keep ~= nil and type(keep) ~= "boolean" then
    check.fail(("keep_rounds in %s must be true or false, not %s"):format(what, check.show(keep)))
  end
  return keep and rounds or math.max(rounds, claim_design.rounds(claims, arms))
end

-- Behind the arms, those that others are compared with; they run in every round like all others.
local function add_references(arms, list, region_names, what)
  local taken <const> = {}
  for _, arm in ipairs(arms) do taken[arm.name] = true end
  for _, arm in ipairs(list and arms_of_phases(list, region_names, what) or {}) do
    if taken[arm.name] then
      check.fail(("%s has arm '%s' as a reference, too"):format(what, arm.name))
    end
    arm.is_reference = true
    arms[#arms + 1] = arm
  end
end

local function build(name, fields)
  local what <const> = ("fr.experiment '%s'"):format(name)
  check.keys(fields, FIELDS, what)
  local regions <const>, region_names <const> = entries(fields.regions, "regions", "region", what)
  local arms <const> = arms_of(fields, region_names, what)
  add_references(arms, fields.references, region_names, what)
  require "frlua.room".check_arms(arms, regions, what)
  local metrics <const> = entries(fields.metrics, "metrics", "metric", what)
  report_design.metrics(metrics, arms, fields.steps, what)
  local splits <const> = entries(fields.splits, "splits", "split", what)
  report_design.splits(splits, arms, metrics, what)
  local claims <const> = check_claims(fields, arms, metrics, regions, what)
  return {
    kind = "experiment",
    name = name,
    doc = fields.doc and check.text(fields.doc, "doc in " .. what),
    regions = regions,
    arms = arms,
    rounds = rounds_of(fields, claims, arms, what),
    metrics = metrics,
    ratios = report_design.ratios(fields.ratios, metrics, what),
    apart = report_design.apart(fields.apart, metrics, what),
    detail = report_design.detail(fields.detail, what),
    splits = splits,
    claims = claims,
    summary = fields.summary and require "frlua.summary".check(fields.summary, arms, metrics, what),
    twins = check_twins(fields.twins, arms, what),
    report = check_report(fields.report, what),
    warm_up = fields.warm_up and check.number(fields.warm_up, "warm_up in " .. what, 0.001, 1),
  }
end

---`return fr.experiment "name" { … }`: a script that returns one is run and reported by frlua.
---Fields: `doc`; `regions`, a list of fr.region; `arms`, fr.modes { … } with `steps`, `timed` and
---`iterations` (default 1), or a list of fr.arm; `rounds` (default 10); `metrics`, a list of
---fr.metric; `ratios = { of = { "iter1", "process" }, to = "steady" }`; `apart = { metric =
---"steady", above = 1.5 }`, which processes to name as standing apart; `detail`, iterations that
---`--detail` prints; `splits`, a list of fr.split; `claims`, a list of fr.claim: with any there are
---at least 10 rounds, 20 where more than two of them rest on one contrast; `keep_rounds = true`
---leaves `rounds` as they are, and what needs more is withdrawn unless --rounds gives them;
---`references`, a list of fr.arm that run in every round and only serve comparisons: of metrics
---that name their phases; `summary`, what `--summary` prints, see frlua.summary; `warm_up = 1 / 8`:
---before the first round every arm runs once with regions of that share of their size, which is no
---sample; `twins`, arms
---to run twice in every round for their noise floor, besides those that claims need; `report`, a
---function that makes a text of the result document, instead of the usual report.
---@param name string
---@return fun(fields: table): frlua.Experiment
function experiment.experiment(name)
  local place <const> = check.place()
  check.text(name, "the name of fr.experiment")
  return function(fields) return check.from(place, build, name, fields) end
end

return experiment
