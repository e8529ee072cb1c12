--- Plots of a sweep: the times of its arms over the values, and each arm's ratio to the first one
--- with the band of noise and the onset of a step.
local analysis <const> = require "frlua.analysis"
local canvas <const> = require "frlua.report.plots.canvas"
local steps <const> = require "frlua.steps"
local sweep <const> = require "frlua.report.sweep"
local units <const> = require "frlua.units"

local swept <const> = {}

local DIGITS <const> = 3
local WIDE <const> = 8 -- values so many times apart need a logarithmic axis

-- Which values are written under the axis: those that don't stand on each other.
local function ticks_of(values, is_log)
  local function place(value) return is_log and math.log(value) or value end
  local apart <const> = (place(values[#values]) - place(values[1])) / 9
  local ticks <const> = {}
  for _, value in ipairs(values) do
    local last <const> = ticks[#ticks]
    if not last or place(value) - place(last) >= apart then ticks[#ticks + 1] = value end
  end
  return ticks
end

local function x_axis(document)
  local wanted <const> = document.design.sweep
  local values <const> = table.move(wanted.values, 1, #wanted.values, 1, {})
  table.sort(values)
  local is_log <const> = values[1] > 0 and values[#values] >= WIDE * values[1]
  local low <const>, high <const> = canvas.range(values, is_log)
  return { label = wanted.name, low = low, high = high, is_log = is_log, format = "%.10g",
    ticks = ticks_of(values, is_log) }, values
end

-- The medians of a group over the sweep, and every process' value.
local function points_of(document, values, measured, group, metric)
  local medians <const>, each <const> = {}, {}
  for _, value in ipairs(values) do
    local arm <const> = sweep.arm(document, group, value)
    local summary <const> = arm and arm.metrics[analysis.key(metric)] or {}
    if summary.median then
      local low <const>, high <const> = table.unpack(summary.ci95 or {})
      medians[#medians + 1] =
        { value, summary.median, low or summary.median, high or summary.median }
      local by_round <const> = measured[arm.name][metric.name]
      for _, ns in ipairs(analysis.dense(by_round, document.design.rounds)) do
        each[#each + 1] = { value, ns }
      end
    end
  end
  return medians, each
end

local function y_axis(curves, label)
  local all <const>, lowest, highest = {}, math.huge, 0
  for _, curve in ipairs(curves) do
    for _, point in ipairs(curve.each) do
      all[#all + 1] = point[2]
      lowest, highest = math.min(lowest, point[2]), math.max(highest, point[2])
    end
  end
  if not all[1] then return nil end
  local is_log <const> = lowest > 0 and highest > WIDE * lowest
  local low <const>, high <const> = canvas.range(all, is_log)
  return { label = label, low = is_log and low or math.min(0, low), high = high, is_log = is_log }
end

local function draw_times(curves, x, y)
  local commands <const>, parts <const> = canvas.axes(x, y), {}
  for index, curve in ipairs(curves) do
    local color <const>, shape <const> = canvas.look(index)
    canvas.data(commands, "each" .. index, curve.each)
    canvas.data(commands, "medians" .. index, curve.medians)
    parts[#parts + 1] = ("$each%d using 1:2 with points pt 7 ps 0.3 lc rgb '%s' notitle"):format(
      index, canvas.faint(color, 150))
    parts[#parts + 1] = ("$medians%d using 1:2:3:4 with yerrorlines pt %d ps 0.7 lw 1.5 lc rgb '%s'"
      .. " title %s"):format(index, shape, color, canvas.text(curve.group))
  end
  canvas.plot(commands, parts)
  return commands
end

local function times_text(curves, metric, name)
  local texts <const> = {}
  for index, curve in ipairs(curves) do
    local first <const>, last <const> = curve.medians[1], curve.medians[#curve.medians]
    texts[index] = ("'%s' from %s ns at %s to %s ns at %s"):format(curve.group,
      units.fixed(first[2], DIGITS), units.count(first[1]), units.fixed(last[2], DIGITS),
      units.count(last[1]))
  end
  return ("%s over %s. Medians: %s."):format(metric.name, name, table.concat(texts, "; "))
end

local function times_plot(document, measured, metric)
  local x <const>, values <const> = x_axis(document)
  local curves <const> = {}
  for _, group in ipairs(sweep.groups(document.arms)) do
    local medians <const>, each <const> = points_of(document, values, measured, group, metric)
    if medians[1] then
      curves[#curves + 1] = { group = group, medians = medians, each = each }
    end
  end
  local y <const> = y_axis(curves,
    ("%s, ns%s"):format(metric.name, metric.per and "/" .. metric.per or ""))
  if not y then return nil end
  return {
    name = "sweep-" .. metric.name, title = metric.name, width = canvas.WIDTH,
    height = canvas.HEIGHT, commands = draw_times(curves, x, y),
    caption = "Lines join the medians, with their 95 % intervals where the rounds suffice; a faint"
      .. " dot is a process. Where two lines part, the one layout begins to cost more.",
    description = times_text(curves, metric, document.design.sweep.name),
  }
end

-- The noise of a comparison: the furthest that an arm of either group came from its own twin.
local function floor_of(document, groups, metric)
  local group_of <const>, floor, why = {}, nil, nil
  for _, arm in ipairs(document.arms) do group_of[arm.name] = arm.group end
  for _, found in ipairs(document.floors) do
    local group <const> = group_of[found.arm]
    if found.metric == metric.name and (group == groups[1] or group == groups[2]) then
      if found.floor then floor = math.max(floor or 1, found.floor) else why = found.floor_why end
    end
  end
  return floor, why or "no arm of it has a twin in this run"
end

local function ratios_of(document, values, measured, groups, metric)
  local rows <const> = {}
  for _, value in ipairs(values) do
    local found <const> = sweep.ratio(measured, sweep.arm(document, groups[2], value),
      sweep.arm(document, groups[1], value), metric.name, document.design.rounds)
    if found and found.median > 0 then
      rows[#rows + 1] = { at = value, ratio = found.median, ci95 = found.ci95,
        ci95_why = found.why }
    end
  end
  return rows
end

local function ratio_axis(rows, floor)
  local all <const> = { 1, floor, floor and 1 / floor }
  for _, row in ipairs(rows) do
    for _, value in ipairs { row.ratio, table.unpack(row.ci95 or {}) } do all[#all + 1] = value end
  end
  local low <const>, high <const> = canvas.range(all, true)
  return { low = low, high = high, is_log = true }
end

local function bands(commands, floor, onset)
  local number <const> = require "frlua.gnuplot".number
  if floor then
    commands[#commands + 1] = ("set object 1 rect from graph 0, first %s to graph 1, first %s back"
      .. " fc rgb '%s' fs solid noborder"):format(number(1 / floor), number(floor),
      canvas.faint(canvas.QUIET, 190))
  end
  if onset then
    commands[#commands + 1] = ("set object 2 rect from first %s, graph 0 to first %s, graph 1 back"
      .. " fc rgb '%s' fs solid noborder"):format(number(onset.below), number(onset.above),
      canvas.faint(canvas.COLORS[5], 150))
    commands[#commands + 1] = ("set label 1 %s at first %s, graph 0.95 left offset 0.5,0"):format(
      canvas.text(("onset %s to %s"):format(units.count(onset.below), units.count(onset.above))),
      number(onset.above))
  end
end

local function draw_ratio(rows, x, y, floor, onset)
  local commands <const>, data <const> = canvas.axes(x, y), {}
  for index, row in ipairs(rows) do
    local low <const>, high <const> = table.unpack(row.ci95 or {})
    data[index] = { row.at, row.ratio, low or row.ratio, high or row.ratio }
  end
  bands(commands, floor, onset)
  canvas.data(commands, "ratios", data)
  canvas.plot(commands, {
    "1 with lines lw 1 dt 2 lc rgb 'black' notitle",
    ("$ratios using 1:2:3:4 with yerrorlines pt 7 ps 0.6 lw 1.5 lc rgb '%s' notitle"):format(
      canvas.COLORS[1]),
  })
  return commands
end

local function step_text(found, why)
  if not found then return "The noise is unknown, and with it what is a step: " .. why .. "." end
  local onset <const> = found.onset
  if onset then
    return ("The onset lies between %s and %s%s."):format(units.count(onset.below),
      units.count(onset.above), found.kind == "one" and "" or ", but: " .. found.why)
  end
  return found.kind == "none" and "No step is found: no row leaves the noise."
    or ("No onset is marked: %s."):format(found.why or "no flat row lies before the step")
end

local function ratio_plot(document, measured, groups, metric)
  local x <const>, values <const> = x_axis(document)
  local rows <const> = ratios_of(document, values, measured, groups, metric)
  if #rows < 2 then return nil end
  local floor <const>, why <const> = floor_of(document, groups, metric)
  local found <const> = floor and steps.find_step(rows, { floor = floor })
  local y <const> = ratio_axis(rows, floor)
  y.label = ("%s, times that of %s"):format(metric.name, groups[1])
  local told <const> = step_text(found, why)
  return {
    name = ("ratio-%s-%s"):format(metric.name, groups[2]),
    title = ("%s: %s to %s"):format(metric.name, groups[2], groups[1]),
    width = canvas.WIDTH, height = canvas.HEIGHT,
    commands = draw_ratio(rows, x, y, floor, found and found.onset),
    caption = "Ratios by round, medians with 95 % intervals. "
      .. (floor and ("The grey band is the noise, a factor of %s: what lies inside is no"
      .. " difference. "):format(units.significant(floor)) or "") .. told,
    description = ("%s of '%s' to '%s' over %s. %s"):format(metric.name, groups[2], groups[1],
      document.design.sweep.name, told),
  }
end

local function ratio_text(document, measured, arm, base, metric)
  local found <const> = sweep.ratio(measured, arm, base, metric.name, document.design.rounds)
  if not found then return "-" end
  return units.fixed(found.median, 2) .. (found.ci95 and (" [%s, %s]"):format(
    units.fixed(found.ci95[1], 2), units.fixed(found.ci95[2], 2)) or "")
end

local function table_of(document, measured, metric)
  local heads <const>, rows <const> = { document.design.sweep.name }, {}
  local groups <const> = sweep.groups(document.arms)
  for index, group in ipairs(groups) do
    heads[#heads + 1] = ("%s, median ns%s"):format(group, metric.per and "/" .. metric.per or "")
    if index > 1 then heads[#heads + 1] = ("ratio to %s, 95 %% interval"):format(groups[1]) end
  end
  for index, value in ipairs(document.design.sweep.values) do
    rows[index] = { units.count(value) }
    local base <const> = sweep.arm(document, groups[1], value)
    for place, group in ipairs(groups) do
      local arm <const> = sweep.arm(document, group, value)
      local summary <const> = arm and arm.metrics[analysis.key(metric)] or {}
      table.insert(rows[index], summary.median and units.fixed(summary.median, DIGITS) or "-")
      if place > 1 then
        table.insert(rows[index], ratio_text(document, measured, arm, base, metric))
      end
    end
  end
  return { caption = ("%s over %s"):format(metric.name, document.design.sweep.name),
    heads = heads, rows = rows }
end

---A section for each metric that is a time.
---@param document table
---@return frlua.PlotSection[]
function swept.sections(document)
  local sections <const> = {}
  if not document.design.sweep then return sections end
  local measured <const> = analysis.values(document.design, document.samples)
  local groups <const> = sweep.groups(document.arms)
  for _, metric in ipairs(document.design.metrics) do
    local is_time <const> = metric.unit == "ns" and metric.source ~= "process"
    local times <const> = is_time and times_plot(document, measured, metric)
    if times then
      local plots <const> = { times }
      for index = 2, #groups do
        plots[#plots + 1] =
          ratio_plot(document, measured, { groups[1], groups[index] }, metric)
      end
      sections[#sections + 1] = { title = ("%s over %s"):format(metric.name,
        document.design.sweep.name), plots = plots,
        table = table_of(document, measured, metric) }
    end
  end
  return sections
end

return swept
