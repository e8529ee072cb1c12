--- The words for what an experiment reports: metrics, one number of each sample, and splits, which
--- say where a time goes.
local check <const> = require "frlua.check"
local grammar <const> = require "frlua.grammar"
local process_parts <const> = require "frlua.parts"

local measures <const> = {}

-- A metric's name is a key of the result, with its unit behind it.
local function check_metric_name(name, what)
  if not name:find "^%a[%w_]*$" then
    check.fail(what .. " is a key of results: its name is a letter, then letters, digits and '_'")
  elseif name:find "_ns$" or name:find "_why$" then
    check.fail(what .. " ends in what results themselves put behind a name")
  elseif name == "process" then
    check.fail(what .. ": that is the time of the whole process, which every experiment has")
  end
end

local SOURCES <const> = { "at", "faults_at", "major_faults_at", "median_from" }

-- Where a metric is taken from, and at which iteration: by default the time of the first one.
local function source_of(fields, what)
  local found
  for _, source in ipairs(SOURCES) do
    if fields[source] and found then
      check.fail(("%s has both %s and %s: one is meant"):format(what, found, source))
    end
    found = fields[source] and source or found
  end
  if not found and not fields.phase then
    check.fail(what .. " needs a phase, or one of " .. table.concat(SOURCES, ", "))
  end
  local source <const>, iteration <const> = found or "at", found and fields[found] or 1
  return source, check.whole(iteration, ("%s in %s"):format(source, what), 1)
end

-- One phase by its name, or several whose times, or faults, are added.
local function phases_of(phase, source, what)
  if type(phase) ~= "table" then return phase and { check.text(phase, "phase in " .. what) } end
  check.keys(phase, { entries = true }, "phase in " .. what)
  if source == "median_from" and #phase > 1 then
    check.fail(("median_from in %s is of one phase, not of %d"):format(what, #phase))
  end
  for _, name in ipairs(phase) do check.text(name, "phase in " .. what) end
  return table.move(phase, 1, #phase, 1, {})
end

-- The one number that stands for an arm beside its median.
local function keep_of(keep, unit, what)
  if type(keep) ~= "table" then
    if keep and unit ~= "ns" then
      check.fail(("keep = '%s' in %s is of times"):format(keep, what))
    end
    return keep and check.one_of(keep, { "median", "min" }, "keep", what)
  end
  check.keys(keep, { "fastest" }, "keep in " .. what)
  return { fastest = check.text(keep.fastest, "fastest of keep in " .. what) }
end

-- Of the process itself, from outside of its phases.
local function part_metric(name, fields, what)
  local of_worker <const>, of_program <const> = process_parts.OF_WORKER, process_parts.OF_PROGRAM
  local known <const> = table.move(of_worker, 1, #of_worker, 1, {})
  table.move(of_program, 2, #of_program, #known + 1, known) -- the first is in both
  for key in pairs(fields) do
    if key ~= "part" and key ~= "keep" then
      check.fail(("%s is of a part of the process, and has %s beside it"):format(what, key))
    end
  end
  return {
    kind = "metric", name = name, source = "part", unit = "ns",
    part = check.one_of(fields.part, known, "part", what),
    keep = keep_of(fields.keep, "ns", what),
  }
end

---One number per sample: `{ at = 2 }` the time of iteration 2, `{ faults_at = 2 }` its minor
---faults, `{ major_faults_at = 2 }` its major ones, `{ median_from = 51 }` the median of all
---iterations from the 51st. `phase` names the phase where there are several, or a list of phases
---that are added up; an arm that has none of them has no such number. `per = "page"` and
---`per = "line"`: for each page of base size, or line, that the phases' regions have; `per =
---"load"`: for each load of the phases' chases; `per = "fault"`: for each fault, minor or major,
---that really happened in that iteration. `{ part = "exec_to_main" }`: a part of the process, see
---frlua.parts; a process that has no such part has no such number. `keep`: what stands for an arm,
---"median" (default), "min", or `{ fastest = "first" }`, the value of the process whose metric
---`first` is the smallest.
---`fr.metric "iter1" { at = 1 }`, `fr.metric "first" { phase = "first", per = "page" }`
measures.metric = grammar.named("metric", function(name, fields, what)
  check_metric_name(name, what)
  check.keys(fields, { "phase", "per", "keep", "part", table.unpack(SOURCES) }, what)
  if fields.part then return part_metric(name, fields, what) end
  local source <const>, iteration <const> = source_of(fields, what)
  local unit <const> = source:find "faults" and "faults" or "ns"
  if fields.per and unit ~= "ns" then check.fail(("per in %s is of times"):format(what)) end
  if fields.per == "fault" and source == "median_from" then
    check.fail(("per = 'fault' in %s is of one iteration, not of their median"):format(what))
  end
  return {
    kind = "metric", name = name, source = source, iteration = iteration, unit = unit,
    phases = phases_of(fields.phase, source, what),
    per = fields.per and check.one_of(fields.per, { "page", "line", "fault", "load" }, "per", what),
    keep = keep_of(fields.keep, unit, what),
  }
end)

---A value by the names of its arm and its metric: `{ "natural", "iter1" }`.
---@param fields any
---@param what string
---@return { arm: string, metric: string }
function measures.value_of(fields, what)
  check.keys(fields, { entries = true }, what)
  grammar.check_entries(fields, 2, what)
  return {
    arm = check.text(fields[1], "the arm of " .. what),
    metric = check.text(fields[2], "the metric of " .. what),
  }
end

---A share of a split: the value of an arm's metric, less another one's.
---`fr.part "page faults" { { "natural", "iter1" }, less = { "prefault", "iter1" } }`
measures.part = grammar.named("part", function(name, fields, what)
  check.keys(fields, { "less", entries = true }, what)
  grammar.check_entries(fields, 1, what)
  return {
    kind = "part", name = name,
    value = measures.value_of(fields[1], what),
    less = fields.less and measures.value_of(fields.less, what),
  }
end)

-- When a split can't be believed: a value is so many times another one, although it has no faults.
local function unless_of(fields, what)
  check.keys(fields, { "above", "times", "without", "because", entries = true }, what)
  grammar.check_entries(fields, 1, what)
  return {
    value = measures.value_of(fields[1], what),
    above = check.number(fields.above, "above in " .. what, 1),
    times = measures.value_of(fields.times, "times in " .. what),
    without = measures.value_of(fields.without, "without in " .. what),
    because = check.text(fields.because, "because in " .. what),
  }
end

local PARTS <const> = { part = true, wanted = "parts such as fr.part" }

---Where a time goes: `whole` and parts that should add up to it, per round. `per` names a count of
---the same arm: the first part is also given per one of those. `unless = { { "a", "touch" },
---above = 10, times = { "b", "again" }, without = { "a", "faults" }, because = "…" }` withdraws it
---when the first value is that many times the second, although the process took none of the faults.
---`fr.split "where it goes" { whole = { "natural", "iter1" }, per = "faults", fr.part … }`
measures.split = grammar.named("split", function(name, fields, what)
  check.keys(fields, { "whole", "per", "unless", entries = true }, what)
  local parts <const> = grammar.list_of(PARTS, fields, what)
  if #parts == 0 then check.fail(what .. " has no parts") end
  return {
    kind = "split", name = name, parts = parts,
    whole = measures.value_of(fields.whole, "whole in " .. what),
    per = fields.per and check.text(fields.per, "per in " .. what),
    unless = fields.unless and unless_of(fields.unless, "unless in " .. what),
  }
end)

return measures
