--- What reports ask of an experiment's design: metrics that its arms have, in units that fit. Each
--- function refuses what does not fit, and returns the field as the experiment keeps it.
local check <const> = require "frlua.check"
local timed_phases <const> = require "frlua.timed_phases"

local report_design <const> = {}

---A metric by its name, of those that are counted in a unit.
---@param name string
---@param unit "ns"|"faults"
---@param metrics table[]
---@param where string
function report_design.unit(name, unit, metrics, where)
  local names <const>, of_unit <const> = {}, {}
  for index, metric in ipairs(metrics) do
    names[index], of_unit[metric.name] = metric.name, metric.unit == unit
  end
  if not of_unit[check.one_of(name, names, "metric", where)] then
    check.fail(("metric '%s' in %s does not count in %s"):format(name, where, unit))
  end
end

-- A metric's phases must be some arm's, and those that an arm has must have its iteration.
local function check_metric(metric, arms, names, what)
  if metric.source == "part" then return end
  local where <const> = ("metric '%s' in %s"):format(metric.name, what)
  for _, name in ipairs(metric.phases or {}) do check.one_of(name, names, "phase", where) end
  for _, arm in ipairs(arms) do
    for _, part in ipairs(timed_phases.of(arm, metric.phases)) do
      if metric.iteration > part.iterations then
        check.fail(("%s is taken from iteration %d, but arm '%s' has %d"):format(where,
          metric.iteration, arm.name, part.iterations))
      end
    end
  end
end

---Every metric of an experiment.
---@param metrics table[]
---@param arms table[]
---@param steps table[]? of the experiment
---@param what string
function report_design.metrics(metrics, arms, steps, what)
  if #metrics == 0 then check.fail(what .. " has no metrics: what is it to report?") end
  local names <const> = timed_phases.names(arms, steps)
  for _, metric in ipairs(metrics) do
    check_metric(metric, arms, names, what)
    if type(metric.keep) == "table" then
      local where <const> = ("keep of metric '%s' in %s"):format(metric.name, what)
      report_design.unit(metric.keep.fastest, "ns", metrics, where)
    end
  end
end

---Values that are compared or added: each is there, and all are of the whole, or for each of one
---thing.
---@param values { arm: string, metric: string }[]
---@param arms table[]
---@param metrics table[]
---@param where string
function report_design.values(values, arms, metrics, where)
  local by_name <const>, first = {}, nil
  for _, metric in ipairs(metrics) do by_name[metric.name] = metric end
  for _, value in ipairs(values) do
    local metric <const> = by_name[value.metric] or { source = "process" }
    for _, arm in ipairs(arms) do
      if arm.name == value.arm and not timed_phases.has(arm, metric) then
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

function report_design.ratios(ratios, metrics, what)
  if not ratios then return nil end
  local where <const> = "ratios in " .. what
  check.keys(ratios, { "of", "to" }, where)
  report_design.unit(ratios.to, "ns", metrics, where)
  for _, name in ipairs(check.keys(ratios.of, { entries = true }, "of in " .. where)) do
    if name ~= "process" then report_design.unit(name, "ns", metrics, where) end
  end
  return ratios
end

function report_design.apart(apart, metrics, what)
  if not apart then return nil end
  local where <const> = "apart in " .. what
  check.keys(apart, { "metric", "above" }, where)
  report_design.unit(apart.metric, "ns", metrics, where)
  return { metric = apart.metric, above = check.number(apart.above, "above in " .. where, 1) }
end

function report_design.splits(splits, arms, metrics, what)
  for _, split in ipairs(splits) do
    local where <const> = ("split '%s' in %s"):format(split.name, what)
    local values <const> = { split.whole }
    for _, part in ipairs(split.parts) do
      values[#values + 1] = part.value
      values[#values + 1] = part.less
    end
    if split.unless then
      values[#values + 1], values[#values + 2] = split.unless.value, split.unless.times
      report_design.unit(split.unless.without.metric, "faults", metrics, where)
      report_design.values({ split.unless.without }, arms, metrics, where)
    end
    for _, value in ipairs(values) do report_design.unit(value.metric, "ns", metrics, where) end
    report_design.values(values, arms, metrics, where)
    if split.per then report_design.unit(split.per, "faults", metrics, where) end
  end
end

function report_design.detail(detail, what)
  if not detail then return nil end
  for index, iteration in ipairs(check.keys(detail, { entries = true }, "detail in " .. what)) do
    check.whole(iteration, ("entry %d of detail in %s"):format(index, what), 1)
  end
  return detail
end

return report_design
