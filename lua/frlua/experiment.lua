--- fr.experiment: puts the words of an experiment together and checks that they fit.
local arms_module <const> = require "frlua.arms"
local check <const> = require "frlua.check"
local claim_design <const> = require "frlua.claim_design"
local grammar <const> = require "frlua.grammar"
local job <const> = require "frlua.job"
local modes <const> = require "frlua.modes"
local report_design <const> = require "frlua.report_design"

local experiment <const> = {
  MOST_ROUNDS = 100000, -- as far as the statistics are exact
}

---@class frlua.Experiment
---@field kind "experiment"
---@field name string
---@field doc string?
---@field regions table[] as fr.region made them
---@field arms { name: string, phases: table[], group: string?, params: table? }[] phases: { name,
---  ops, iterations, timed }; group and params: of an arm that a sweep made
---@field sweep frlua.Sweep?
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
---@field reading fun(document: table): string[]

local FIELDS <const> = {
  "doc", "regions", "steps", "timed", "iterations", "arms", "rounds", "metrics", "ratios", "apart",
  "detail", "splits", "claims", "references", "summary", "warm_up", "twins", "report",
  "keep_rounds", "sweep", "reading",
}

local names_of <const> = grammar.names_of

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

local function check_claims(fields, arms, sweep, metrics, regions, what)
  local claims <const> = require "frlua.swept_claims".expand(
    grammar.entries(fields.claims, "claims", "claim", what), arms, sweep)
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
    layout_of = function(name)
      for _, region in ipairs(regions) do
        if region.name == name then return region.layout end
      end
    end,
  }, what)
  return claims
end

local function check_twins(twins, arms, what)
  local where <const> = "twins in " .. what
  local names <const>, list <const> = names_of(arms), {}
  for _, name in ipairs(check.keys(twins or {}, { entries = true }, where)) do
    local before <const> = #list
    for _, arm in ipairs(arms) do
      if arm.name == name or arm.group == name then list[#list + 1] = arm.name end
    end
    if #list == before then check.unknown("arm", name, names, where) end
  end
  return list
end

local function check_function(value, key, what)
  if value ~= nil and type(value) ~= "function" then
    check.fail(("%s in %s must be a function, not %s"):format(key, what, check.show(value)))
  end
  return value
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

local function build(name, fields)
  local what <const> = ("fr.experiment '%s'"):format(name)
  check.keys(fields, FIELDS, what)
  local regions <const> = grammar.entries(fields.regions, "regions", "region", what)
  local arms <const>, sweep <const> = arms_module.of(fields, regions, what)
  arms_module.add_references(arms, fields, regions, what)
  require "frlua.chains".check(arms, regions, what)
  require "frlua.room".check_arms(arms, regions, what)
  local metrics <const> = grammar.entries(fields.metrics, "metrics", "metric", what)
  report_design.metrics(metrics, arms, fields.steps, what)
  local splits <const> = grammar.entries(fields.splits, "splits", "split", what)
  report_design.splits(splits, arms, metrics, what)
  local claims <const> = check_claims(fields, arms, sweep, metrics, regions, what)
  return {
    kind = "experiment",
    name = name,
    doc = fields.doc and check.text(fields.doc, "doc in " .. what),
    regions = regions,
    arms = arms,
    sweep = sweep,
    rounds = rounds_of(fields, claims, arms, what),
    metrics = metrics,
    ratios = report_design.ratios(fields.ratios, metrics, what),
    apart = report_design.apart(fields.apart, metrics, what),
    detail = report_design.detail(fields.detail, what),
    splits = splits,
    claims = claims,
    summary = fields.summary and require "frlua.summary".check(fields.summary, arms, metrics, what),
    twins = check_twins(fields.twins, arms, what),
    report = check_function(fields.report, "report", what),
    reading = check_function(fields.reading, "reading", what),
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
---sample; `twins`, arms to run twice in every round for their noise floor, besides those that
---claims need; `report`, a function that makes a text of the result document, instead of the usual
---report; `reading`, one that makes lines of it, which the report has before the verdicts. Arms may
---also be layouts, see fr.arm: then `timed` and `iterations` are what is done over each, and `sweep
---= { lines = { 8, 16 } }` makes of each arm one for every value, "spread, 16 lines".
---@param name string
---@return fun(fields: table): frlua.Experiment
function experiment.experiment(name)
  local place <const> = check.place()
  check.text(name, "the name of fr.experiment")
  return function(fields) return check.from(place, build, name, fields) end
end

return experiment
