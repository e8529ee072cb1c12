--- Plots of how fast the core was over the time that it counted: the clock's ramp.
local canvas <const> = require "frlua.report.plots.canvas"
local clock_ramp <const> = require "frlua.ramp"
local readings <const> = require "frlua.report.plots.readings"
local bins <const> = require "frlua.report.plots.bins"
local stats <const> = require "frlua.stats"
local units <const> = require "frlua.units"

local ramp <const> = {}

local FEWEST <const>, MOST_SLICES <const> = 20, 100000
local MOST <const> = 24 -- plots

-- The steps of a phase that does nothing but count; nil for others.
local function steps_of(ops)
  return #ops == 1 and ops[1].code == "count" and ops[1].steps or nil
end

-- Points of rate over time. Slices share a point as iterations do.
local function points_of(series, steps)
  local points <const>, done_ns, index = {}, 0, 0
  for _, edge in ipairs(bins.edges(#series)) do
    local times <const>, began_ns <const> = {}, done_ns
    for slice = edge[1], edge[2] do
      times[#times + 1], done_ns = series[slice], done_ns + series[slice]
    end
    local median <const> = stats.median(times)
    if median > 0 and done_ns > 0 then
      index = index + 1
      points[index] = { (began_ns + done_ns) / 2, steps / median }
    end
  end
  return points
end

local function curve_of(taken)
  local curve <const> = { name = taken.name, steps = steps_of(taken.ops), processes = {} }
  local list <const> = {}
  for index, series in ipairs(taken.list) do
    curve.processes[index] = points_of(series, curve.steps)
    if #series == #taken.list[1] then list[#list + 1] = series end
  end
  local slices <const> = clock_ramp.medians(list)
  curve.median = points_of(slices, curve.steps)
  curve.settled = curve.steps / math.max(stats.median { table.unpack(slices, #slices // 2 + 1) }, 1)
  curve.reached_ns, curve.reached_why = clock_ramp.reached_ns(slices)
  return curve
end

local function curves_of(document)
  local curves <const>, left_out = {}, 0
  for _, taken in ipairs(readings.of(document, FEWEST)) do
    if steps_of(taken.ops) and #taken.list[1] <= MOST_SLICES then
      if #curves < MOST then curves[#curves + 1] = curve_of(taken) else left_out = left_out + 1 end
    end
  end
  return curves, left_out
end

local function axes_of(curves)
  local times <const>, rates <const> = {}, {}
  for _, curve in ipairs(curves) do
    for _, points in ipairs(curve.processes) do
      for _, point in ipairs(points) do
        if point[1] > 0 then times[#times + 1], rates[#rates + 1] = point[1], point[2] end
      end
    end
  end
  if not times[1] then return nil end
  local scale <const> = { name = "ms", divisor = 1000000 }
  local low <const>, high <const> = canvas.range(times, true)
  local _, fastest <const> = canvas.range(rates, false)
  return {
    x = { label = "time of counting, " .. scale.name, low = low / scale.divisor,
      high = high / scale.divisor, is_log = true },
    y = { label = "steps per ns", low = 0, high = fastest },
    scale = scale,
  }
end

local function rows_of(points, scale, rows)
  for _, point in ipairs(points) do
    if point[1] > 0 then rows[#rows + 1] = { point[1] / scale.divisor, point[2] } end
  end
  rows[#rows + 1] = {}
end

local function commands_of(curve, axes, color)
  local commands <const>, each <const>, median <const> = canvas.axes(axes.x, axes.y), {}, {}
  for _, points in ipairs(curve.processes) do rows_of(points, axes.scale, each) end
  rows_of(curve.median, axes.scale, median)
  canvas.data(commands, "each", each)
  canvas.data(commands, "median", median)
  canvas.plot(commands, {
    ("$each using 1:2 with lines lw 1 lc rgb '%s' title 'each process'")
      :format(canvas.faint(canvas.QUIET, 110)),
    ("%s with lines dt 2 lw 1 lc rgb 'black' title '%d %% of settled'"):format(
      ("%.6g"):format(clock_ramp.REACHED * curve.settled):gsub("[^%de+-]+", "."),
      100 * clock_ramp.REACHED // 1),
    ("$median using 1:2 with lines lw 2.2 lc rgb '%s' title 'median of them'")
      :format(color),
  })
  return commands
end

local function reached_text(curve)
  if not curve.reached_ns then return curve.reached_why end
  return curve.reached_ns == 0 and "from the first slice on" or "after " ..
    units.ns(curve.reached_ns)
end

local function table_of(curves)
  local rows <const> = {}
  for index, curve in ipairs(curves) do
    local first <const> = curve.median[1]
    rows[index] = { curve.name, first and units.significant(first[2]) or "-",
      units.significant(curve.settled), reached_text(curve) }
  end
  return { caption = "Of the median over the processes, slice by slice",
    heads = { "arm", "first slice, steps per ns", "settled, steps per ns",
      ("%d %% reached"):format(100 * clock_ramp.REACHED // 1) }, rows = rows }
end

---@param document table
---@return frlua.PlotSection?
function ramp.section(document)
  local curves <const>, left_out <const> = curves_of(document)
  local axes <const> = axes_of(curves)
  if not axes then return nil end
  local plots <const> = {}
  for index, curve in ipairs(curves) do
    plots[index] = {
      name = "ramp-" .. curve.name, title = curve.name, width = canvas.WIDTH,
      height = canvas.HEIGHT, commands = commands_of(curve, axes, (canvas.look(index))),
      caption = ("Settled at %s steps per ns; %d %% of that is reached %s."):format(
        units.significant(curve.settled), 100 * clock_ramp.REACHED // 1, reached_text(curve)),
      description = ("Steps per ns over the time of counting, of '%s': settled at %s, %s."):format(
        curve.name, units.significant(curve.settled), reached_text(curve)),
    }
  end
  return { title = "The clock's ramp", plots = plots, table = table_of(curves),
    note = "How fast the core counted. A line that begins low and rises is a clock that was slow"
      .. " after a pause; a flat one was fast at once."
      .. (left_out > 0 and (" %d more arms are not drawn."):format(left_out) or "") }
end

return ramp
