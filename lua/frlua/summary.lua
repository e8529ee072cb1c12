--- The summary of an experiment: one flat JSON object of the keys, in the order and with the
--- decimals that the script asks for. For programs that read another program's output.
local analysis <const> = require "frlua.analysis"
local check <const> = require "frlua.check"
local grammar <const> = require "frlua.grammar"
local json <const> = require "frlua.json"
local units <const> = require "frlua.units"

local summary <const> = {}

-- A value by the names of an arm and a metric; with `over`, divided by another one.
local function value_of(fields, arms, metrics, what)
  check.keys(fields, { "over", entries = true }, what)
  return {
    arm = check.one_of(fields[1], arms, "arm", what),
    metric = check.one_of(fields[2], metrics, "metric", what),
    over = fields.over and value_of(fields.over, arms, metrics, "over in " .. what),
  }
end

---Checks the `summary` of fr.experiment, a list of entries `{ "key", value, decimals = 1 }`. A
---value is a number; "rounds", the rounds that were run; or `{ "arm", "metric" }`: what the
---metric's `keep` says, by default the median, or the count that all processes share. With `over =
---{ "arm", "metric" }` it is divided by another one.
---@param entries table
---@param arms table[] of the experiment
---@param metrics table[]
---@param what string
---@return { key: string, value: any, decimals: integer }[]
function summary.check(entries, arms, metrics, what)
  local where <const> = "summary in " .. what
  local arm_names <const>, metric_names <const> = grammar.names_of(arms), grammar.names_of(metrics)
  local list <const> = {}
  check.keys(entries, { entries = true }, where)
  for index, entry in ipairs(entries) do
    local entry_name <const> = ("entry %d of %s"):format(index, where)
    check.keys(entry, { "decimals", entries = true }, entry_name)
    local key <const>, value = check.text(entry[1], "the key of " .. entry_name), entry[2]
    if type(value) == "table" then
      value = value_of(value, arm_names, metric_names, ("'%s' of %s"):format(key, where))
    elseif value ~= "rounds" then
      value = check.number(value, ("'%s' of %s"):format(key, where))
    end
    list[index] = {
      key = key, value = value,
      decimals = check.whole(entry.decimals or 0, "decimals of " .. entry_name, 0, 15),
    }
  end
  return list
end

-- What stands for a metric of an arm in a document; nil when there is none.
local function number_of(document, wanted)
  local key
  for _, metric in ipairs(document.design.metrics) do
    if metric.name == wanted.metric then key = analysis.key(metric) end
  end
  for _, arm in ipairs(document.arms) do
    if arm.name == wanted.arm then
      local found <const> = arm.metrics[key]
      return found.kept or found.median or found.exact
    end
  end
end

local function value(document, wanted)
  if wanted == "rounds" then return document.design.rounds end
  if type(wanted) == "number" then return wanted end
  local number <const> = number_of(document, wanted)
  if not wanted.over then return number end
  local divisor <const> = number_of(document, wanted.over)
  return number and divisor and divisor ~= 0 and number / divisor or nil
end

---@param document table a result document of an experiment that has a summary
---@return string # the object, a key on each line; null where there is no value
function summary.text(document)
  local lines <const> = {}
  for index, entry in ipairs(document.design.summary) do
    local number <const> = value(document, entry.value)
    lines[index] = ("  %s: %s"):format(json.encode(entry.key),
      number and units.fixed(number, entry.decimals) or "null")
  end
  return "{\n" .. table.concat(lines, ",\n") .. "\n}\n"
end

return summary
