--- fr.experiment: puts the words of an experiment together and checks that they fit.
local check <const> = require "frlua.check"
local claim_design <const> = require "frlua.claim_design"
local grammar <const> = require "frlua.grammar"
local job <const> = require "frlua.job"
local modes <const> = require "frlua.modes"

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
  "detail", "splits", "claims", "summary", "warm_up", "twins", "report",
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

local function names_of(list)
  local names <const> = {}
  for index, item in ipairs(list) do names[index] = item.name end
  return names
end

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

-- The name of what fr.modes times.
local MODE_PHASE <const> = "timed"

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
    table.insert(arms[index].phases, phase(MODE_PHASE, timed, iterations, true))
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

-- The phase that a metric is taken from if it names none: of a mode the last one, the experiment's
-- own, behind what its steps have timed.
local function default_phase(arm)
  local last <const> = arm.phases[#arm.phases]
  return last.name == MODE_PHASE and last or arm.phases[1]
end

-- The timed phases that a metric is taken from: those that it names, or the default.
local function timed_phases(arm, names)
  if not names then return { default_phase(arm) } end
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

-- The names of all timed phases that some arm has.
local function phase_names(arms)
  local names <const>, seen <const> = {}, {}
  for _, arm in ipairs(arms) do
    for _, candidate in ipairs(arm.phases) do
      if candidate.timed and not seen[candidate.name] then names[#names + 1] = candidate.name end
      seen[candidate.name] = true
    end
  end
  return names
end

-- A metric's phases must be some arm's, and those that an arm has must have its iteration.
local function check_metric(metric, arms, names, what)
  local where <const> = ("metric '%s' in %s"):format(metric.name, what)
  for _, name in ipairs(metric.phases or {}) do check.one_of(name, names, "phase", where) end
  for _, arm in ipairs(arms) do
    for _, part in ipairs(timed_phases(arm, metric.phases)) do
      if metric.iteration > part.iterations then
        check.fail(("%s is taken from iteration %d, but arm '%s' has %d"):format(where,
          metric.iteration, arm.name, part.iterations))
      end
    end
  end
end

-- Whether an arm has any of the phases that a metric is taken from.
local function has_metric(arm, metric)
  return not metric.phases or #timed_phases(arm, metric.phases) > 0
end

-- A metric by its name, of those that are counted in a unit.
local function check_unit(name, unit, metrics, where)
  local names <const>, of_unit <const> = {}, {}
  for index, metric in ipairs(metrics) do
    names[index], of_unit[metric.name] = metric.name, metric.unit == unit
  end
  if not of_unit[check.one_of(name, names, "metric", where)] then
    check.fail(("metric '%s' in %s does not count in %s"):format(name, where, unit))
  end
end

-- Values that are compared or added: each is there, and all are of the whole, or for each of one
-- thing.
local function check_values(values, arms, metrics, where)
  local by_name <const>, first = {}, nil
  for _, metric in ipairs(metrics) do by_name[metric.name] = metric end
  for _, value in ipairs(values) do
    local metric <const> = by_name[value.metric] or {} -- the whole process
    for _, arm in ipairs(arms) do
      if arm.name == value.arm and not has_metric(arm, metric) then
        check.fail(("%s has %s of '%s', which has no phase '%s'"):format(where, value.metric,
          value.arm, table.concat(metric.phases, "' or '")))
      end
    end
    first = first or { name = value.metric, per = metric.per }
    if metric.per ~= first.per then
      check.fail(("%s has both %s, %s, and %s, %s"):format(where, first.name,
        first.per and "for each " .. first.per or "of the whole", value.metric,
        metric.per and "for each " .. metric.per or "of the whole"))
    end
  end
end

local function check_ratios(ratios, metrics, what)
  if not ratios then return nil end
  local where <const> = "ratios in " .. what
  check.keys(ratios, { "of", "to" }, where)
  check_unit(ratios.to, "ns", metrics, where)
  for _, name in ipairs(check.keys(ratios.of, { entries = true }, "of in " .. where)) do
    if name ~= "process" then check_unit(name, "ns", metrics, where) end
  end
  return ratios
end

local function check_apart(apart, metrics, what)
  if not apart then return nil end
  local where <const> = "apart in " .. what
  check.keys(apart, { "metric", "above" }, where)
  check_unit(apart.metric, "ns", metrics, where)
  return { metric = apart.metric, above = check.number(apart.above, "above in " .. where, 1) }
end

local function check_splits(splits, arms, metrics, what)
  for _, split in ipairs(splits) do
    local where <const> = ("split '%s' in %s"):format(split.name, what)
    local values <const> = { split.whole }
    for _, part in ipairs(split.parts) do
      values[#values + 1] = part.value
      values[#values + 1] = part.less
    end
    if split.unless then
      values[#values + 1], values[#values + 2] = split.unless.value, split.unless.times
      check_unit(split.unless.without.metric, "faults", metrics, where)
      check_values({ split.unless.without }, arms, metrics, where)
    end
    for _, value in ipairs(values) do check_unit(value.metric, "ns", metrics, where) end
    check_values(values, arms, metrics, where)
    if split.per then check_unit(split.per, "faults", metrics, where) end
  end
end

-- With fr.modes, claims may also be about modes that this run leaves out.
local function arm_checker(fields, arms)
  if fields.arms.kind == "modes" then
    return function(name) return modes.resolve({ name }, fields.steps or {})[1].name end
  end
  local names <const> = names_of(arms)
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
      if unit ~= "ns" or name ~= "process" then check_unit(name, unit, metrics, where) end
    end,
    values = function(values, where) check_values(values, arms, metrics, where) end,
    regions_of = function(name)
      for _, arm in ipairs(arms) do
        if arm.name == name then return names_of(job.regions_of(arm, regions)) end
      end
      return names_of(regions) -- of a mode that this run leaves out
    end,
  }, what)
  return claims
end

local function check_detail(detail, what)
  if not detail then return nil end
  for index, iteration in ipairs(check.keys(detail, { entries = true }, "detail in " .. what)) do
    check.whole(iteration, ("entry %d of detail in %s"):format(index, what), 1)
  end
  return detail
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

local function build(name, fields)
  local what <const> = ("fr.experiment '%s'"):format(name)
  check.keys(fields, FIELDS, what)
  local regions <const>, region_names <const> = entries(fields.regions, "regions", "region", what)
  local arms <const> = arms_of(fields, region_names, what)
  job.check_room(arms, regions, what)
  local metrics <const> = entries(fields.metrics, "metrics", "metric", what)
  if #metrics == 0 then check.fail(what .. " has no metrics: what is it to report?") end
  local names <const> = phase_names(arms)
  for _, metric in ipairs(metrics) do
    check_metric(metric, arms, names, what)
    if type(metric.keep) == "table" then
      local where <const> = ("keep of metric '%s' in %s"):format(metric.name, what)
      check_unit(metric.keep.fastest, "ns", metrics, where)
    end
  end
  local splits <const> = entries(fields.splits, "splits", "split", what)
  check_splits(splits, arms, metrics, what)
  local claims <const> = check_claims(fields, arms, metrics, regions, what)
  local rounds <const> =
    check.whole(fields.rounds or 10, "rounds in " .. what, 1, experiment.MOST_ROUNDS)
  return {
    kind = "experiment",
    name = name,
    doc = fields.doc and check.text(fields.doc, "doc in " .. what),
    regions = regions,
    arms = arms,
    rounds = math.max(rounds, claim_design.rounds(claims, arms)),
    metrics = metrics,
    ratios = check_ratios(fields.ratios, metrics, what),
    apart = check_apart(fields.apart, metrics, what),
    detail = check_detail(fields.detail, what),
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
---at least 10 rounds, 20 where more than two of them rest on one contrast; `summary`, what
---`--summary` prints, see frlua.summary; `warm_up = 1 / 8`: before the first round every arm runs
---once with regions of that share of their size, which is no sample; `twins`, arms to run twice in
---every round for their noise floor, besides those that claims need; `report`, a function that makes
---a text of the result document, instead of the usual report.
---@param name string
---@return fun(fields: table): frlua.Experiment
function experiment.experiment(name)
  local place <const> = check.place()
  check.text(name, "the name of fr.experiment")
  return function(fields) return check.from(place, build, name, fields) end
end

---The timed phases of an arm that a metric is taken from; the first one where it names none.
---@param arm table
---@param names string[]?
---@return table[]
experiment.timed_phases = timed_phases

---Whether an arm has any of the phases that a metric is taken from.
---@param arm table
---@param metric table
---@return boolean
experiment.has_metric = has_metric

return experiment
