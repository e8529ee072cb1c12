--- What --plot adds to a report: the times of the iterations, by arm, and what a sweep went over.
local aligned <const> = require "frlua.report.table"
local analysis <const> = require "frlua.analysis"
local panel <const> = require "frlua.report.panel"
local scales <const> = require "frlua.report.scales"
local screen <const> = require "frlua.report.screen"
local stats <const> = require "frlua.stats"
local sweep <const> = require "frlua.report.sweep"
local units <const> = require "frlua.units"
local wrap <const> = require "frlua.report.wrap"

local plot <const> = {}

local FEWEST_ITERATIONS <const> = 5 -- of fewer a table says as much
local ROWS <const> = 8
local USUAL_COLUMNS <const>, NARROWEST <const>, GAP <const> = 80, 56, "   "
local LOG_FROM <const> = 10 -- an axis is logarithmic whose ends are so many times apart

-- What is to be drawn: curves with the same axes beside each other.
---@class frlua.Curves
---@field title string
---@field curves { title: string, points: number[][] }[]
---@field x_name string
---@field write_y fun(number: number): string
---@field x_ticks number[]? by default powers of ten

-- Iterations that are evenly apart on a logarithmic axis, without repetition.
local function spaced(last, count)
  local list <const> = {}
  for index = 0, count do
    local iteration <const> = math.tointeger((last ^ (index / count) + 0.5) // 1)
    if iteration ~= list[#list] then list[#list + 1] = iteration end
  end
  return list
end

-- The phases of an arm's samples that are its longest, and how many iterations all of them have.
local function longest_phases(document, arm)
  local by_name <const>, names <const> = {}, {}
  for _, sample in ipairs(document.samples) do
    for _, phase in ipairs(sample.arm == arm.name and sample.status == "ok" and sample.phases or {})
    do
      local found = by_name[phase.phase]
      if not found then
        found = { name = phase.phase, iterations = #phase.ns }
        by_name[phase.phase], names[#names + 1] = found, found
      end
      found[#found + 1], found.iterations = phase.ns, math.min(found.iterations, #phase.ns)
    end
  end
  table.sort(names, function(a, b)
    if a.iterations ~= b.iterations then return a.iterations > b.iterations end
    return a.name < b.name
  end)
  return names[1]
end

local function iteration_points(phase, count)
  local points <const> = {}
  for index, iteration in ipairs(spaced(phase.iterations, count)) do
    local times <const> = {}
    for process, ns in ipairs(phase) do times[process] = ns[iteration] end
    points[index] = { iteration, (stats.median(times)) }
  end
  return points
end

-- The median over the processes, iteration by iteration.
local function iterations(document, count)
  local curves <const>, times <const> = {}, {}
  for _, arm in ipairs(document.design.sweep and {} or document.arms) do
    local phase <const> = longest_phases(document, arm)
    if phase and phase.iterations >= FEWEST_ITERATIONS then
      local curve <const> = { title = arm.name, points = iteration_points(phase, count) }
      for _, point in ipairs(curve.points) do times[#times + 1] = point[2] end
      curves[#curves + 1] = curve
    end
  end
  local scale <const> = scales.shared(times)
  return { title = ("Iterations: %s of each, medians over the processes"):format(scale.name),
    curves = curves, x_name = "iteration",
    write_y = function(ns) return units.scaled(ns, scale) end }
end

-- A metric over the values of the sweep, for each arm.
local function swept(document, metric)
  local curves <const>, swept_over <const> = {}, document.design.sweep
  for _, group in ipairs(sweep.groups(document.arms)) do
    local points <const> = {}
    for _, value in ipairs(swept_over.values) do
      local arm <const> = sweep.arm(document, group, value)
      local median <const> = arm and arm.metrics[analysis.key(metric)].median
      if median then points[#points + 1] = { value, median } end
    end
    if points[2] then curves[#curves + 1] = { title = group, points = points } end
  end
  return { title = ("%s over %s: ns%s, medians over the processes"):format(metric.name,
      swept_over.name, metric.per and "/" .. metric.per or ""),
    curves = curves, x_name = swept_over.name, x_ticks = swept_over.values,
    write_y = function(ns) return units.fixed(ns, metric.per and 1 or 0) end }
end

local function range(curves, index)
  local low, high
  for _, curve in ipairs(curves) do
    for _, point in ipairs(curve.points) do
      low, high = math.min(low or point[index], point[index]),
        math.max(high or point[index], point[index])
    end
  end
  return low, high
end

-- Both ends, and powers of ten between them; of an axis that is not logarithmic the middle.
local function ticks_of(axis)
  local ticks <const> = { axis.low }
  local power = axis.is_log and 10 ^ (math.log(axis.low, 10) // 1 + 1)
  while power and power < axis.high do
    if power > axis.low then ticks[#ticks + 1] = power end
    power = 10 * power
  end
  if not axis.is_log then ticks[2] = (axis.low + axis.high) / 2 end
  ticks[#ticks + 1] = axis.high
  return ticks
end

-- An axis over what is drawn; one that is not logarithmic begins at 0, or below.
local function axis_of(curves, index, write)
  local low <const>, high <const> = range(curves, index)
  local axis <const> = { low = low, high = high, write = write,
    is_log = low > 0 and high / low >= LOG_FROM }
  if not axis.is_log and index == 2 then axis.low = math.min(0, low) end
  if axis.high <= axis.low then axis.high = axis.low + 1 end
  axis.ticks = ticks_of(axis)
  return axis
end

-- The plots of one row beside each other.
local function side_by_side(plots, width)
  local lines <const>, height = {}, 0
  for _, one in ipairs(plots) do height = math.max(height, #one) end
  for index = 1, height do
    local parts <const> = {}
    for place, one in ipairs(plots) do
      -- A title that takes more lines than that beside it has its plot lower.
      local text <const> = one[index - (height - #one)] or ""
      parts[place] = text .. (" "):rep(width - wrap.columns(text))
    end
    lines[index] = table.concat(parts, GAP):gsub(" +$", "")
  end
  return lines
end

local function draw(wanted, width)
  local axes <const> = { x = axis_of(wanted.curves, 1, units.count),
    y = axis_of(wanted.curves, 2, wanted.write_y) }
  axes.x.ticks, axes.x.name = wanted.x_ticks or axes.x.ticks, wanted.x_name
  local beside <const> = math.min(#wanted.curves, math.max(1, (width + #GAP) // (NARROWEST + #GAP)))
  local each <const> = (width - (beside - 1) * #GAP) // beside
  local lines <const> = { "", wanted.title }
  for from = 1, #wanted.curves, beside do
    local row <const> = {}
    for index = from, math.min(from + beside - 1, #wanted.curves) do
      local curve <const> = wanted.curves[index]
      row[#row + 1] = panel.lines(aligned.printable(curve.title), curve.points, axes, each, ROWS)
    end
    for _, line in ipairs(side_by_side(row, each)) do lines[#lines + 1] = line end
  end
  if axes.x.is_log or axes.y.is_log then
    lines[#lines + 1] = axes.x.is_log and axes.y.is_log and "Both axes are logarithmic."
      or ("The axis of %s is logarithmic."):format(axes.x.is_log and wanted.x_name or "time")
  end
  return lines
end

-- Everything there is to draw.
local function all_curves(document, width)
  local list <const> = { iterations(document, 2 * width) }
  for _, metric in ipairs(document.design.sweep and document.design.metrics or {}) do
    if metric.source ~= "process" and metric.unit == "ns" then
      list[#list + 1] = swept(document, metric)
    end
  end
  return list
end

---@param document table a result document
---@return string[] lines
function plot.lines(document)
  local width <const>, lines <const> = screen.current().columns or USUAL_COLUMNS, {}
  for _, wanted in ipairs(all_curves(document, width)) do
    if wanted.curves[1] then
      for _, line in ipairs(draw(wanted, width)) do lines[#lines + 1] = line end
    end
  end
  if not lines[1] then
    return { "", ("Nothing to draw: no arm has %d iterations or more, and nothing was swept over")
      :format(FEWEST_ITERATIONS) }
  end
  return lines
end

return plot
