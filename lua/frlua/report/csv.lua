--- --csv: a row for each sample and metric, in the order in which the samples ran, of all arms that
--- ran, twins and references too. `value` is empty where the sample has no such number: `status`
--- says that it was lost; else its arm has no such phase, or nothing to divide by.
local analysis <const> = require "frlua.analysis"
local csv_fields <const> = require "frlua.report.csv_fields"

local csv <const> = {}

local function unit_of(metric)
  return metric.per and metric.unit .. "/" .. metric.per or metric.unit
end

local function rows_of(sample, front, values, metrics)
  local rows <const> = {}
  for index, metric in ipairs(metrics) do
    rows[index] = front .. csv_fields.tail(metric.name, unit_of(metric),
      values[sample.arm][metric.name][sample.round])
  end
  return table.concat(rows)
end

---@param documents table[]
---@return fun(): string? # the file, piece by piece: one a sample
function csv.pieces(documents)
  return coroutine.wrap(function()
    coroutine.yield(csv_fields.head("metric", "unit", "value"))
    for _, document in ipairs(documents) do
      local values <const> = analysis.values(document.design, document.samples)
      local groups <const> = csv_fields.groups(document)
      for _, sample in ipairs(document.samples) do
        coroutine.yield(rows_of(sample, csv_fields.sample(document, sample, groups), values,
          document.design.metrics))
      end
    end
  end)
end

return csv
