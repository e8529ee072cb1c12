--- A table with a row for each metric and a column for each arm, for arms that measure much; and
--- what pages such an arm really had.
local aligned <const> = require "frlua.report.table"
local analysis <const> = require "frlua.analysis"
local evidence <const> = require "frlua.evidence"
local units <const> = require "frlua.units"

local columns <const> = {}

local MISSING <const> = "-"

---What statistics say of a metric of an arm; nil where this run has none of it.
---@param document table
---@param arm_name string
---@param metric_name string
---@return frlua.Summary?
function columns.summary(document, arm_name, metric_name)
  local metric <const> = analysis.metric(metric_name, document.design.metrics)
  for _, arm in ipairs(document.arms) do
    local found <const> = metric and arm.name == arm_name and arm.metrics[analysis.key(metric)]
    if found and found.median then return found end
  end
end

---What pages a region had in the samples of an arm, by what was read back: "small" and "huge" only
---where that is so of all of it in each of them.
---@param document table
---@param arm_name string
---@param region_name string
---@return "small"|"huge"|"mixed"|"unknown"
function columns.pages(document, arm_name, region_name)
  local bytes, found
  for _, region in ipairs(document.design.regions) do
    if region.name == region_name then bytes = region.bytes end
  end
  for _, sample in ipairs(document.samples) do
    if sample.arm == arm_name and sample.status == "ok" then
      local huge <const> = evidence.huge_bytes(sample, region_name)
      local kind <const> = not huge and "unknown" or huge == 0 and "small"
        or huge >= bytes and "huge" or "mixed"
      found = (not found or found == kind) and kind or "mixed"
    end
  end
  return found or "unknown"
end

local function cell(summary, digits)
  if not summary then return MISSING end
  local function fixed(number)
    return (units.fixed(number, digits):gsub("^%-([0.]+)$", "%1")) -- no -0.0
  end
  return ("%s (%s..%s)"):format(fixed(summary.median), fixed(summary.min), fixed(summary.max))
end

---@class frlua.Columns
---@field head string of the first column
---@field rows { metric: string, label: string }[]
---@field columns { label: string, arm: string?, of: (fun(metric: string): frlua.Summary?)? }[]
---  `of`: a column that is made of others
---@field digits integer? behind the point, 1 by default

---Medians, with the smallest and the largest of the processes behind them.
---@param document table
---@param wanted frlua.Columns
---@return string[] lines
function columns.lines(document, wanted)
  local rows <const> = { { wanted.head } }
  for index, column in ipairs(wanted.columns) do rows[1][index + 1] = column.label end
  for index, row in ipairs(wanted.rows) do
    rows[index + 1] = { row.label }
    for _, column in ipairs(wanted.columns) do
      local summary
      if column.of then
        summary = column.of(row.metric)
      else
        summary = columns.summary(document, column.arm, row.metric)
      end
      table.insert(rows[index + 1], cell(summary, wanted.digits or 1))
    end
  end
  return aligned.lines(rows)
end

return columns
