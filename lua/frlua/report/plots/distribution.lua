--- Plots of how a metric is distributed over the processes: a dot for each.
local analysis <const> = require "frlua.analysis"
local canvas <const> = require "frlua.report.plots.canvas"
local units <const> = require "frlua.units"

local distribution <const> = {}

local MOST_ARMS <const> = 40
local FAR_APART <const> = 5 -- times: such values need a logarithmic axis

-- The arms that have the metric, with its values by round.
local function taken(document, values, metric)
  local arms <const> = {}
  for _, arm in ipairs(document.arms) do
    local by_round <const> = values[arm.name][metric.name]
    local list <const> = analysis.dense(by_round, document.design.rounds)
    if list[1] then
      arms[#arms + 1] = { arm = arm, by_round = by_round, list = list,
        summary = arm.metrics[analysis.key(metric)] }
    end
  end
  return arms
end

local function all_of(arms)
  local all <const>, lowest, highest = {}, math.huge, -math.huge
  for _, one in ipairs(arms) do
    for _, value in ipairs(one.list) do
      all[#all + 1] = value
      lowest, highest = math.min(lowest, value), math.max(highest, value)
    end
  end
  return all, lowest, highest
end

-- From top to bottom in the order of the rounds: a drift over the run is seen as a slope.
local function dots(arms, rounds, divisor)
  local rows <const> = {}
  for index, one in ipairs(arms) do
    for round = 1, rounds do
      local value <const> = one.by_round[round]
      local place <const> = rounds > 1 and (round - 1) / (rounds - 1) - 0.5 or 0
      if value then rows[#rows + 1] = { value / divisor, -index - 0.12 - 0.44 * place } end
    end
  end
  return rows
end

local function medians(arms, divisor)
  local ticks <const>, intervals <const> = {}, {}
  for index, one in ipairs(arms) do
    local ci95 <const> = one.summary.ci95
    ticks[index] = { one.summary.median / divisor, -index + 0.18, 0, -0.6 }
    if ci95 then
      intervals[#intervals + 1] = { ci95[1] / divisor, -index - 0.12,
        (ci95[2] - ci95[1]) / divisor, 0 }
    end
  end
  return ticks, intervals
end

local function commands_of(arms, rounds, axis, divisor)
  local names <const> = {}
  for index, one in ipairs(arms) do names[index] = one.arm.name end
  local commands <const> = canvas.rows(axis, names)
  local ticks <const>, intervals <const> = medians(arms, divisor)
  canvas.data(commands, "dots", dots(arms, rounds, divisor))
  canvas.data(commands, "medians", ticks)
  local parts <const> = {
    ("$dots using 1:2 with points pt 7 ps 0.5 lc rgb '%s'"):format(
      canvas.faint(canvas.COLORS[1], 90)),
    ("$medians using 1:2:3:4 with vectors nohead lw 2.5 lc rgb '%s'"):format(canvas.COLORS[2]),
  }
  if intervals[1] then
    canvas.data(commands, "intervals", intervals)
    parts[3] = ("$intervals using 1:2:3:4 with vectors nohead lw 2.5 lc rgb '%s'"):format(
      canvas.COLORS[2])
  end
  canvas.plot(commands, parts)
  return commands
end

local function description(arms, metric)
  local texts <const> = {}
  for index, one in ipairs(arms) do
    texts[index] = ("'%s' %s, from %s to %s"):format(one.arm.name,
      units.ns(one.summary.median), units.ns(one.summary.min), units.ns(one.summary.max))
  end
  return ("%s of each process, by arm. Medians with the smallest and the largest: %s."):format(
    metric.name, table.concat(texts, "; "))
end

local function unit_of(metric, scale)
  return scale.name .. (metric.per and "/" .. metric.per or "")
end

local function caption(arms, metric, is_log)
  local least, most = arms[1], arms[1]
  for _, one in ipairs(arms) do
    if one.summary.median < least.summary.median then least = one end
    if one.summary.median > most.summary.median then most = one end
  end
  local text <const> = least == most
    and ("The median of '%s' is %s"):format(least.arm.name, units.ns(least.summary.median))
    or ("The medians reach from %s of '%s' to %s of '%s'"):format(units.ns(least.summary.median),
      least.arm.name, units.ns(most.summary.median), most.arm.name)
  return text .. (metric.per and ", per " .. metric.per or "") .. "."
    .. (is_log and " The axis is logarithmic." or "")
end

local function plot_of(document, arms, metric)
  local all <const>, lowest <const>, highest <const> = all_of(arms)
  local scale <const> = canvas.scale(all)
  local is_log <const> = lowest > 0 and highest > FAR_APART * lowest
  local low <const>, high <const> = canvas.range(all, is_log)
  local axis <const> = { label = ("%s, %s"):format(metric.name, unit_of(metric, scale)),
    low = low / scale.divisor, high = high / scale.divisor, is_log = is_log }
  return {
    name = "distribution-" .. metric.name, title = metric.name,
    width = canvas.WIDTH, height = canvas.height_of_rows(#arms),
    commands = commands_of(arms, document.design.rounds, axis, scale.divisor),
    caption = caption(arms, metric, is_log), description = description(arms, metric),
  }
end

local function add_rows(rows, arms, metric)
  for _, one in ipairs(arms) do
    local summary <const> = one.summary
    local scale <const> = units.scale { summary.median, summary.max }
    local ci95 <const> = summary.ci95
    rows[#rows + 1] = {
      one.arm.name, metric.name, unit_of(metric, scale), units.scaled(summary.median, scale),
      ci95 and ("[%s, %s]"):format(units.scaled(ci95[1], scale), units.scaled(ci95[2], scale))
        or "-",
      units.scaled(summary.min, scale), units.scaled(summary.max, scale), tostring(summary.n),
    }
  end
end

---@param document table
---@return frlua.PlotSection?
function distribution.section(document)
  if #document.arms > MOST_ARMS or document.design.sweep then return nil end
  local values <const> = analysis.values(document.design, document.samples)
  local plots <const>, rows <const> = {}, {}
  for _, metric in ipairs(document.design.metrics) do
    local arms <const> = metric.unit == "ns" and taken(document, values, metric) or {}
    if arms[1] then
      plots[#plots + 1] = plot_of(document, arms, metric)
      add_rows(rows, arms, metric)
    end
  end
  if not plots[1] then return nil end
  return {
    title = "Distribution over the processes", plots = plots,
    note = "A dot is a process, from top to bottom in the order of the rounds: a slope is a drift"
      .. " over the run. Upright: the median; across: its 95 % interval, where the rounds suffice"
      .. " for one.",
    table = { caption = "Over the processes: median, its 95 % interval, smallest, largest",
      heads = { "arm", "metric", "unit", "median", "95 % interval", "min", "max", "n" },
      rows = rows },
  }
end

return distribution
