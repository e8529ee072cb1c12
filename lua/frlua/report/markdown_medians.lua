--- The tables of medians in Markdown: a row for each arm, or for each value of a sweep. All numbers
--- are those of the JSON, with all of their digits.
local analysis <const> = require "frlua.analysis"
local escape <const> = require "frlua.report.escape"
local markdown_table <const> = require "frlua.report.markdown_table"
local notes <const> = require "frlua.report.notes"
local sweep <const> = require "frlua.report.sweep"
local units <const> = require "frlua.units"

local markdown_medians <const> = {}

local MISSING <const> = "–"

local name_of <const> = escape.markdown_name

local function headed(metric)
  if metric.unit ~= "ns" then return name_of(metric.name) end
  return ("%s, ns%s"):format(name_of(metric.name), metric.per and "/" .. metric.per or "")
end

local function interval_text(ci95)
  return ("\\[%s, %s\\]"):format(escape.number(ci95[1]), escape.number(ci95[2]))
end

-- Why there are no intervals, where there are none: each reason once.
local function collector()
  local seen <const>, reasons <const> = {}, {}
  return reasons, function(summary)
    local why <const> = summary.median and not summary.ci95 and summary.ci95_why
    if why and not seen[why] then reasons[#reasons + 1], seen[why] = why, true end
  end
end

local function cell(metric, summary, note)
  if metric.unit ~= "ns" then return summary.n == 0 and MISSING or notes.counts(summary) end
  if not summary.median then return MISSING end
  note(summary)
  local median <const> = escape.number(summary.median)
  return summary.ci95 and median .. " " .. interval_text(summary.ci95) or median
end

-- What stands for an arm, where the script says that it is not the median.
local function has_best(metric)
  return metric.keep ~= nil and metric.keep ~= "median"
end

local function is_taken(document, metric)
  for _, arm in ipairs(document.arms) do
    if arm.metrics[analysis.key(metric)].n ~= 0 then return true end
  end
  return false
end

local function taken_metrics(document)
  local list <const> = {}
  for _, metric in ipairs(document.design.metrics) do
    if is_taken(document, metric) then list[#list + 1] = metric end
  end
  return list
end

-- What a table holds, and why there are no intervals where there are none.
local function caption(what, reasons)
  local lines <const> = { ("%s; in brackets their 95 %% intervals%s."):format(what,
    reasons[1] and ", but " .. escape.markdown(table.concat(reasons, "; ")) or "") }
  lines[2] = ""
  return lines
end

local function by_arm(document)
  local metrics <const>, rows <const> = taken_metrics(document), { { "arm" } }
  local reasons <const>, note <const> = collector()
  for _, metric in ipairs(metrics) do
    if has_best(metric) then table.insert(rows[1], headed(metric) .. ", best") end
    table.insert(rows[1], headed(metric))
  end
  table.insert(rows[1], "processes")
  for _, arm in ipairs(document.arms) do
    local row <const> = { name_of(arm.name) }
    for _, metric in ipairs(metrics) do
      local summary <const> = arm.metrics[analysis.key(metric)]
      if has_best(metric) then
        row[#row + 1] = summary.kept and escape.number(summary.kept) or MISSING
      end
      row[#row + 1] = cell(metric, summary, note)
    end
    row[#row + 1] = arm.lost > 0 and ("%d, %d lost"):format(arm.processes, arm.lost)
      or units.count(arm.processes)
    rows[#rows + 1] = row
  end
  local lines <const> = caption("Medians over the processes", reasons)
  return table.move(markdown_table.lines(rows, 1), 1, #rows + 2, #lines + 1, lines)
end

local function ratio_text(found)
  if not found then return MISSING end
  local interval <const> = found.ci95 and (" \\[%s, %s\\]"):format(units.fixed(found.ci95[1], 2),
    units.fixed(found.ci95[2], 2)) or ""
  return units.fixed(found.median, 2) .. interval
end

-- A row for each value of the sweep, the arms beside each other, and how many times the first one
-- each of the others is.
local function by_value(document, metric, values)
  local groups <const>, rows <const> = sweep.groups(document.arms), {}
  local reasons <const>, note <const> = collector()
  rows[1] = { name_of(document.design.sweep.name) }
  for index, group in ipairs(groups) do
    table.insert(rows[1], name_of(group))
    if index > 1 then table.insert(rows[1], name_of(group) .. " / " .. name_of(groups[1])) end
  end
  for _, value in ipairs(document.design.sweep.values) do
    local row <const> = { escape.number(value) }
    local base <const> = sweep.arm(document, groups[1], value)
    for index, group in ipairs(groups) do
      local arm <const> = sweep.arm(document, group, value)
      row[#row + 1] = arm and cell(metric, arm.metrics[analysis.key(metric)], note) or MISSING
      if index > 1 then
        row[#row + 1] = ratio_text(sweep.ratio(values, arm, base, metric.name,
          document.design.rounds))
      end
    end
    rows[#rows + 1] = row
  end
  local lines <const> = caption(("%s by %s, medians over the processes"):format(headed(metric),
    name_of(document.design.sweep.name)), reasons)
  return table.move(markdown_table.lines(rows, 0), 1, #rows + 2, #lines + 1, lines)
end

---@param document table
---@return string[] lines
function markdown_medians.lines(document)
  if not document.design.sweep then return by_arm(document) end
  local lines <const> = {}
  local values <const> = analysis.values(document.design, document.samples)
  for _, metric in ipairs(taken_metrics(document)) do
    if metric.source ~= "process" then
      local more <const> = by_value(document, metric, values)
      table.move(more, 1, #more, #lines + 1, lines)
    end
  end
  return lines
end

return markdown_medians
