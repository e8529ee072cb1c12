--- Plots of times over iterations: one for each arm, on the same axes.
local bins <const> = require "frlua.report.plots.bins"
local canvas <const> = require "frlua.report.plots.canvas"
local readings <const> = require "frlua.report.plots.readings"
local stats <const> = require "frlua.stats"
local units <const> = require "frlua.units"

local iterations <const> = {}

local FEWEST <const> = 10 -- iterations: with fewer there is no curve to see
local MOST <const> = 24   -- plots: beyond that nobody compares them

-- What one arm's plot shows: bins of each process, and their median.
local function curve_of(taken)
  local longest = 0
  for _, series in ipairs(taken.list) do longest = math.max(longest, #series) end
  local curve <const> = { taken = taken, edges = bins.edges(longest), processes = {} }
  for index, series in ipairs(taken.list) do
    curve.processes[index] = bins.medians(series, curve.edges)
  end
  curve.median = bins.over(curve.processes)
  return curve
end

local function positive(curves)
  local values <const> = {}
  for _, curve in ipairs(curves) do
    for _, medians in ipairs(curve.processes) do
      for _, value in ipairs(medians) do values[#values + 1] = value > 0 and value or nil end
    end
  end
  return values
end

-- Points of one line. What is not above 0 has no place on a logarithmic axis.
local function add_points(rows, curve, medians, scale)
  for index, value in ipairs(medians) do
    if value > 0 then
      rows[#rows + 1] = { bins.middle(curve.edges[index]), value / scale.divisor }
    end
  end
  rows[#rows + 1] = {}
end

local function commands_of(curve, axes, scale, color)
  local commands <const>, each <const>, median <const> = canvas.axes(axes.x, axes.y), {}, {}
  for _, medians in ipairs(curve.processes) do add_points(each, curve, medians, scale) end
  add_points(median, curve, curve.median, scale)
  canvas.data(commands, "each", each)
  canvas.data(commands, "median", median)
  canvas.plot(commands, {
    ("$each using 1:2 with lines lw 1 lc rgb '%s' title 'each process'")
      :format(canvas.faint(canvas.QUIET, 110)),
    ("$median using 1:2 with lines lw 2.2 lc rgb '%s' title 'median of them'")
      :format(color),
  })
  return commands
end

local SHOWN <const> = { 1, 2, 10, 100, 1000, 10000, 100000, 1000000, 10000000 }

-- The median over processes of one iteration; nil where not all have it.
local function median_at(list, iteration)
  local values <const> = {}
  for index, series in ipairs(list) do values[index] = series[iteration] end
  return #values == #list and stats.median(values) or nil
end

local function description(curve)
  local texts <const> = {}
  for _, iteration in ipairs(SHOWN) do
    local median <const> = median_at(curve.taken.list, iteration)
    texts[#texts + 1] = median and ("iteration %d %s"):format(iteration, units.ns(median))
  end
  return ("Time over iterations of '%s', both axes logarithmic. Medians over processes, %d of them:"
    .. " %s."):format(curve.taken.name, #curve.taken.list, table.concat(texts, ", "))
end

local function note_of(curves, left_out)
  local shared <const> = bins.shared_from(curves[1].edges)
  return ("The left end is the first run; where the line turns flat, the steady state begins."
    .. " A grey line that leaves the others is a process to look at. All have the same axes.%s%s")
    :format(shared and (" From iteration %d on, a point is the median of neighbouring iterations.")
      :format(shared) or "",
    left_out > 0 and (" %d more arms are not drawn; their readings are in the raw data.")
      :format(left_out) or "")
end

-- The median over processes of the median of their second halves.
local function late_median(list)
  local medians <const> = {}
  for index, series in ipairs(list) do
    medians[index] = stats.median { series:middle(#series // 2 + 1) }
  end
  return stats.median(medians)
end

local function caption(curve, lost)
  local first <const>, late <const> = median_at(curve.taken.list, 1), late_median(curve.taken.list)
  local ratio <const> = stats.ratio(first, late)
  return ("Iteration 1 takes %s, the later half %s: %s.%s"):format(
    units.ns(first), units.ns(late),
    ratio and units.significant(ratio) .. " times as long" or "no ratio to 0",
    lost > 0 and " Readings that are not above 0 are not drawn." or "")
end

local function count_lost(curve)
  local lost = 0
  for _, medians in ipairs(curve.processes) do
    for _, value in ipairs(medians) do lost = lost + (value > 0 and 0 or 1) end
  end
  return lost
end

local function axes_of(curves, values, scale)
  local longest = 2
  for _, curve in ipairs(curves) do
    longest = math.max(longest, curve.edges[#curve.edges][2])
  end
  local low <const>, high <const> = canvas.range(values, true)
  return {
    x = { label = "iteration", low = 1, high = longest, is_log = true, format = "%.0s%c" },
    y = { label = "time, " .. scale.name, low = low / scale.divisor, high = high / scale.divisor,
      is_log = true },
  }
end

-- What the table holds: in one unit that keeps their digits.
local function all_medians(curves)
  local all <const> = {}
  for _, curve in ipairs(curves) do
    for _, iteration in ipairs(SHOWN) do
      all[#all + 1] = median_at(curve.taken.list, iteration)
    end
  end
  return all
end

local function table_of(curves)
  local scale <const> = units.scale(all_medians(curves))
  local heads <const>, rows <const> = { "arm" }, {}
  local longest = 0
  for _, curve in ipairs(curves) do longest = math.max(longest, curve.edges[#curve.edges][2]) end
  for _, iteration in ipairs(SHOWN) do
    if iteration <= longest then
      heads[#heads + 1] = ("iteration %d, %s"):format(iteration, scale.name)
    end
  end
  for index, curve in ipairs(curves) do
    rows[index] = { curve.taken.name }
    for _, iteration in ipairs(SHOWN) do
      if iteration <= longest then
        local median <const> = median_at(curve.taken.list, iteration)
        table.insert(rows[index], median and units.scaled(median, scale) or "-")
      end
    end
  end
  return { caption = "Medians over the processes", heads = heads, rows = rows }
end

---@param document table
---@return frlua.PlotSection? section
function iterations.section(document)
  local curves <const> = {}
  local all <const> = readings.of(document, FEWEST)
  for index = 1, math.min(#all, MOST) do curves[index] = curve_of(all[index]) end
  local values <const> = positive(curves)
  if #values == 0 then return nil end
  local medians <const> = {}
  for _, curve in ipairs(curves) do
    table.move(curve.median, 1, #curve.median, #medians + 1, medians)
  end
  local scale <const> = canvas.scale(medians) -- one slow process must not choose the unit
  local axes <const>, plots <const> = axes_of(curves, values, scale), {}
  for index, curve in ipairs(curves) do
    plots[index] = {
      name = "iterations-" .. curve.taken.name, title = curve.taken.name,
      width = canvas.WIDTH, height = canvas.HEIGHT,
      commands = commands_of(curve, axes, scale, (canvas.look(index))),
      caption = caption(curve, count_lost(curve)), description = description(curve),
    }
  end
  return {
    title = "Iterations", plots = plots, table = table_of(curves),
    note = note_of(curves, #all - #curves),
  }
end

return iterations
