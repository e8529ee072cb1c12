--- From samples to what a report says: one number per process, then statistics over processes.
--- Everything here is a function of a result's design and its raw samples.
local counts <const> = require "frlua.counts"
local json <const> = require "frlua.json"
local stats <const> = require "frlua.stats"
local timed_phases <const> = require "frlua.timed_phases"

local analysis <const> = {}

-- The rule that says where a process' steady state begins: a running median of so many iterations
-- that stays this near to the median of the second half.
local STEADY_WINDOW <const>, STEADY_FRACTION <const> = 20, 0.02

---@param metric table
---@return string # its key in results: the name and the unit
function analysis.key(metric)
  if metric.unit ~= "ns" then return metric.name end
  return metric.name .. "_ns" .. (metric.per and "_per_" .. metric.per or "")
end

---@param name string
---@param metrics table[]
---@return table? # the metric of that name
function analysis.metric(name, metrics)
  for _, metric in ipairs(metrics) do
    if metric.name == name then return metric end
  end
end

---The whole process, from before its start to after its end: a metric of every experiment.
analysis.PROCESS = { kind = "metric", name = "process", unit = "ns", source = "process" }

-- Readings of the phases that a metric is taken from, the last ones of a name where steps have
-- timed several; nil when the sample lacks one.
local function readings_of(sample, arm, metric)
  local found <const>, by_name <const> = {}, {}
  for _, readings in ipairs(sample.phases) do by_name[readings.phase] = readings end
  for index, phase in ipairs(timed_phases.of(arm, metric.phases)) do
    found[index] = by_name[phase.name]
    if not found[index] then return nil end
  end
  return found[1] and found
end

---How many faults of one kind an iteration had.
---@param list integer[][] { iteration, count } of iterations that had some
---@param iteration integer
---@return integer
function analysis.faults_at(list, iteration)
  for _, entry in ipairs(list) do
    if entry[1] == iteration then return entry[2] end
  end
  return 0
end

local value_from <const> = {
  at = function(readings, metric) return readings.ns[metric.iteration] end,
  median_from = function(readings, metric)
    return stats.median { readings.ns:middle(metric.iteration) }
  end,
  faults_at = function(readings, metric)
    return analysis.faults_at(readings.minor_faults, metric.iteration)
  end,
  major_faults_at = function(readings, metric)
    return analysis.faults_at(readings.major_faults, metric.iteration)
  end,
}

local function total(list, metric, source)
  local sum
  for _, readings in ipairs(list) do
    local value <const> = value_from[source](readings, metric)
    if not value then return nil end
    sum = (sum or 0) + value
  end
  return sum
end

-- What a time is divided by: what the design lets one count, or the faults that there were; nil for
-- nothing to divide it among.
local function divisor(list, metric, count)
  if count then return count > 0 and count or nil end
  local faults <const> = total(list, metric, "faults_at") + total(list, metric, "major_faults_at")
  return faults > 0 and faults or nil
end

-- A metric of one sample; nil for a sample that was lost, and where there is no such number.
local function value_of(sample, arm, metric, designed)
  if sample.status ~= "ok" then return nil end
  if metric.source == "process" then return sample.process.wall_ns end
  if metric.source == "part" then
    return timed_phases.has(arm, metric) and (sample.process.parts_ns or {})[metric.part] or nil
  end
  local list <const> = readings_of(sample, arm, metric)
  local value <const> = list and total(list, metric, metric.source)
  if not metric.per or not value then return value end
  local count <const> = divisor(list, metric, designed)
  return count and value / count
end

---@alias frlua.Values table<string, table<string, table<integer, number>>> by arm, metric and round

---@param design table
---@param samples frlua.Sample[]
---@return frlua.Values values by arm's name, metric's name and round; holes for lost samples
function analysis.values(design, samples)
  local values <const>, arms <const>, counted <const> = {}, {}, {}
  for _, arm in ipairs(design.arms) do
    arms[arm.name], values[arm.name], counted[arm.name] = arm, {}, {}
    for _, metric in ipairs(design.metrics) do
      values[arm.name][metric.name] = {}
      local count <const> = counts[metric.per]
      counted[arm.name][metric.name] = count and count(design, arm, metric)
    end
  end
  for _, sample in ipairs(samples) do
    local name <const> = sample.arm
    for _, metric in ipairs(design.metrics) do
      values[name][metric.name][sample.round] =
        value_of(sample, arms[name], metric, counted[name][metric.name])
    end
  end
  return values
end

---The arms of a design without the twins, which only show how noisy a run is, and the references.
---@param design table
---@return table[]
function analysis.own_arms(design)
  local arms <const> = {}
  for _, arm in ipairs(design.arms) do
    if not arm.twin_of and not arm.is_reference then arms[#arms + 1] = arm end
  end
  return arms
end

---The references of a design: arms that others are compared with, and are no condition themselves.
---@param design table
---@return table[]
function analysis.references(design)
  local arms <const> = {}
  for _, arm in ipairs(design.arms) do
    if arm.is_reference then arms[#arms + 1] = arm end
  end
  return arms
end

---Without the holes of lost samples.
---@param by_round table<integer, number>
---@param rounds integer
---@return number[]
function analysis.dense(by_round, rounds)
  local list <const> = {}
  for round = 1, rounds do list[#list + 1] = by_round[round] end
  return list
end

-- Where each process became steady by itself, over an arm's processes; nil for short series.
local function steady_from(arm, samples)
  local found <const>, never = {}, 0
  for _, sample in ipairs(samples) do
    local readings <const> = sample.arm == arm.name and sample.status == "ok"
      and readings_of(sample, arm, {})
    if readings and #readings[1].ns >= 2 * STEADY_WINDOW then
      local from <const> = readings[1].ns:steady(STEADY_WINDOW, STEADY_FRACTION)
      if from then found[#found + 1] = from else never = never + 1 end
    end
  end
  if #found + never == 0 then return nil end
  local summary <const> = stats.summary(found) or { n = 0 }
  summary.never = never
  return summary
end

local function summary_of(metric, list)
  if metric.unit == "ns" then return stats.summary(list) end
  return stats.exact(list)
end

-- The round in which a metric is smallest; the first of equals.
local function fastest_round(by_round, rounds)
  local best
  for round = 1, rounds do
    local value <const> = by_round[round]
    if value and (not best or value < by_round[best]) then best = round end
  end
  return best
end

-- The number that stands for an arm, where the script says which.
local function kept(metric, summary, values, rounds)
  local keep <const> = metric.keep
  if type(keep) ~= "table" then return keep and summary[keep] end
  local round <const> = fastest_round(values[keep.fastest], rounds)
  return round and values[metric.name][round]
end

---@param samples frlua.Sample[]
---@param name string an arm's
---@return integer ok
---@return integer lost
function analysis.count_status(samples, name)
  local ok, lost = 0, 0
  for _, sample in ipairs(samples) do
    if sample.arm == name and sample.status == "ok" then
      ok = ok + 1
    elseif sample.arm == name then
      lost = lost + 1
    end
  end
  return ok, lost
end

-- Readings below 0 in the samples that statistics are made of: the clock ran backwards there.
local function count_negative(samples, name)
  local count = 0
  for _, sample in ipairs(samples) do
    for _, phase in ipairs(sample.arm == name and sample.status == "ok" and sample.phases or {}) do
      local lowest <const> = phase.ns:bounds()
      for iteration = 1, lowest < 0 and #phase.ns or 0 do
        if phase.ns[iteration] < 0 then count = count + 1 end
      end
    end
  end
  return count
end

---@param list table[] arms of the design
---@param design table
---@param samples frlua.Sample[]
---@param values frlua.Values
---@return table[] arms { name, processes, lost, negative_readings, metrics, steady_from }
function analysis.arms(list, design, samples, values)
  local arms <const> = {}
  for index, arm in ipairs(list) do
    local metrics <const> = {}
    for _, metric in ipairs(design.metrics) do
      local measured <const> = analysis.dense(values[arm.name][metric.name], design.rounds)
      local summary, why = summary_of(metric, measured)
      summary = summary or { n = 0, why = why }
      summary.kept = kept(metric, summary, values[arm.name], design.rounds) or nil
      metrics[analysis.key(metric)] = summary
    end
    local ok <const>, lost <const> = analysis.count_status(samples, arm.name)
    arms[index] = {
      name = arm.name, group = arm.group, params = arm.params,
      processes = ok, lost = lost, metrics = metrics,
      negative_readings = count_negative(samples, arm.name),
      steady_from = steady_from(arm, samples),
    }
  end
  return arms
end

---Processes that stand apart: a metric above so many times its median over the processes of all
---arms. Slow ones are named also when they are all of one arm's. No process is named when that
---median is not above 0.
---@param design table
---@param values frlua.Values
---@return { metric: string, above: number, reference: number?, processes: table[] }?
function analysis.apart(design, values)
  local rule <const> = design.apart
  if not rule then return nil end
  local arms <const>, all <const> = analysis.own_arms(design), {}
  for _, arm in ipairs(arms) do
    local list <const> = analysis.dense(values[arm.name][rule.metric], design.rounds)
    table.move(list, 1, #list, #all + 1, all)
  end
  local found <const> = {
    metric = rule.metric, above = rule.above, reference = stats.median(all),
    processes = json.array {},
  }
  for _, arm in ipairs(arms) do
    for round = 1, design.rounds do
      local value <const> = values[arm.name][rule.metric][round]
      if value and found.reference > 0 and value > rule.above * found.reference then
        table.insert(found.processes, { arm = arm.name, round = round, value = value })
      end
    end
  end
  return found
end

return analysis
