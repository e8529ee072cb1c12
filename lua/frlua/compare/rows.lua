--- The rows of a comparison: one metric of one arm, in the base and in another file. Values are one
--- number per process. Those of an arm or metric that only one file has are in no row: they are
--- listed as unmatched.
local analysis <const> = require "frlua.analysis"
local designs <const> = require "frlua.compare.designs"
local notes <const> = require "frlua.report.notes"
local rank_sum <const> = require "frlua.rank_sum"
local stats <const> = require "frlua.stats"
local units <const> = require "frlua.units"

local rows <const> = {}

---@class frlua.Side one file's share of a row
---@field n integer processes
---@field lost integer
---@field median number? of times
---@field min number?
---@field max number?
---@field exact integer? of counts: what every process had
---@field values integer[]? every count that occurred, where they differ

---@class frlua.Row
---@field experiment string of the base
---@field arm string
---@field metric string
---@field unit "ns"|"faults"
---@field per string?
---@field file string the other's label
---@field base frlua.Side
---@field other frlua.Side
---@field ratio number? of the other to the base
---@field ratio_of_medians number?
---@field ci95 number[]?
---@field p number?
---@field p_holm number? over all rows of the comparison
---@field verdict "slower"|"faster"|"not told apart"|"same"|"different"|"withdrawn"
---@field reason string?

---What the rows of one document are made of.
---@param document table
---@return table taken
function rows.taken(document)
  local design <const> = document.design
  local taken <const> = { document = document, metrics = design.metrics, arms = {}, by_arm = {},
    by_metric = {}, values = analysis.values(design, document.samples) }
  for _, list in ipairs { analysis.own_arms(design), analysis.references(design) } do
    for _, arm in ipairs(list) do
      taken.arms[#taken.arms + 1], taken.by_arm[arm.name] = arm, arm
    end
  end
  for _, metric in ipairs(design.metrics) do taken.by_metric[metric.name] = metric end
  return taken
end

local function values_of(taken, arm, metric)
  local by_metric <const> = taken.values[arm]
  return analysis.dense(by_metric and by_metric[metric] or {}, taken.document.design.rounds)
end

local function side_of(taken, arm, metric, values)
  local _, lost <const> = analysis.count_status(taken.document.samples, arm)
  local side <const> = { n = #values, lost = lost }
  if metric.unit ~= "ns" then
    local counts <const> = stats.exact(values)
    side.exact, side.values = counts.exact, counts.values
    if side.values then require "frlua.json".array(side.values) end
  else
    local summary <const> = stats.summary(values)
    side.median, side.min, side.max = summary.median, summary.min, summary.max
  end
  return side
end

-- A lost sample is not like the others: a time limit takes exactly the slow ones.
local function lost_reason(row)
  local losses <const> = {}
  for _, side in ipairs { row.base, row.other } do
    if side.lost > 0 then
      losses[#losses + 1] = ("%d of %d samples lost in %s"):format(side.lost, side.n + side.lost,
        side == row.base and "the base" or row.file)
    end
  end
  return losses[1] and table.concat(losses, ", ")
end

-- Where a clock can't tell a median from nothing, it can't tell two from each other either.
local function clock_reason(row, metric, base, other)
  local sides <const> = { { row.base, base, "the base" }, { row.other, other, row.file } }
  for _, side in ipairs(metric.per and {} or sides) do
    if notes.is_below_step(side[1].median, side[2].document.clock) then
      return ("below the clock's step of %s in %s"):format(
        units.ns(side[2].document.clock.step_ns), side[3])
    end
  end
end

local function withdraw(row, reason)
  row.verdict, row.reason = "withdrawn", reason
end

local function compare_times(row, a, b)
  local test <const> = rank_sum.test(a, b)
  local found <const>, why <const> = rank_sum.ratio(a, b)
  row.u, row.p, row.method = test.u, test.p, test.method
  row.ratio_of_medians = stats.ratio(row.other.median, row.base.median)
  if not found then
    row.ratio_why = why
    return withdraw(row, why)
  end
  row.ratio, row.ci95, row.ci95_coverage = found.ratio, found.ci95, found.ci95_coverage
  row.ci95_why = found.ci95_why
  if found.ci95 then require "frlua.json".array(found.ci95) else withdraw(row, found.ci95_why) end
end

-- Counts are exact: one that differs is another, however seldom it occurs.
local function compare_counts(row)
  local base <const>, other <const> = row.base, row.other
  local is_same = base.exact ~= nil and base.exact == other.exact
  if not is_same and base.values and other.values then
    row.reason = "the counts vary from process to process"
    is_same = table.concat(base.values, " ") == table.concat(other.values, " ")
  end
  row.verdict = is_same and "same" or "different"
end

local function row_of(base, other, arm, metric, file, a, b)
  local row <const> = {
    experiment = base.document.experiment, arm = arm.name, metric = metric.name,
    unit = metric.unit, per = metric.per, file = file,
    base = side_of(base, arm.name, metric, a), other = side_of(other, arm.name, metric, b),
  }
  if metric.unit == "ns" then compare_times(row, a, b) else compare_counts(row) end
  local reason <const> = lost_reason(row)
    or metric.unit == "ns" and clock_reason(row, metric, base, other)
  if reason then withdraw(row, reason) end
  return row
end

-- The metrics that both define, and define alike; what else there is, is unmatched.
local function matched_metrics(base, other, unmatched)
  local matched <const> = {}
  for _, metric in ipairs(base.metrics) do
    local there <const> = other.by_metric[metric.name]
    local why <const> = there and designs.metric_difference(metric, there)
    if not there or why then
      unmatched("metric", metric.name, why and "defined otherwise: " .. why or "only in the base")
    else
      matched[metric.name] = true
    end
  end
  for _, metric in ipairs(other.metrics) do
    if not base.by_metric[metric.name] then unmatched("metric", metric.name, "not in the base") end
  end
  return matched
end

local function match_arms(base, other, unmatched)
  for _, arm in ipairs(base.arms) do
    if not other.by_arm[arm.name] then unmatched("arm", arm.name, "only in the base") end
  end
  for _, arm in ipairs(other.arms) do
    if not base.by_arm[arm.name] then unmatched("arm", arm.name, "not in the base") end
  end
end

---Compares one document with another.
---@param base table of rows.taken
---@param other table
---@param file string the other's label
---@param unmatched fun(kind: string, name: string, why: string, arm: string?) is told what has no
---  counterpart
---@return table<string, table<string, frlua.Row>> # by metric and arm
function rows.compare(base, other, file, unmatched)
  local found <const> = {}
  match_arms(base, other, unmatched)
  local matched <const> = matched_metrics(base, other, unmatched)
  for _, metric in ipairs(base.metrics) do
    found[metric.name] = {}
    for _, arm in ipairs(matched[metric.name] and base.arms or {}) do
      local a <const> = values_of(base, arm.name, metric.name)
      local b <const> = values_of(other, arm.name, metric.name)
      local is_there <const> = other.by_arm[arm.name] ~= nil
      if is_there and a[1] and b[1] then
        found[metric.name][arm.name] = row_of(base, other, arm, metric, file, a, b)
      elseif is_there and (a[1] or b[1]) then
        unmatched("value", metric.name, a[1] and "no process has one" or
          "no process of the base has one", arm.name)
      end
    end
  end
  return found
end

---The rows of several comparisons with one base, in the order of its metrics, arms, then files.
---@param base table of rows.taken
---@param compared table<string, table<string, frlua.Row>>[]
---@param list frlua.Row[] to which they are added
function rows.add(base, compared, list)
  for _, metric in ipairs(base.metrics) do
    for _, arm in ipairs(base.arms) do
      for _, found in ipairs(compared) do list[#list + 1] = found[metric.name][arm.name] end
    end
  end
end

return rows
