--- A plot of whole processes: what their time, from before the start to after the end, is made of.
local canvas <const> = require "frlua.report.plots.canvas"
local process_parts <const> = require "frlua.parts"
local stats <const> = require "frlua.stats"
local units <const> = require "frlua.units"

local start <const> = {}

-- The parts of a process in the order in which they come; others stand behind them.
local ORDER <const> = table.move(process_parts.OF_PROGRAM, 1, #process_parts.OF_PROGRAM,
  #process_parts.OF_WORKER + 1, table.move(process_parts.OF_WORKER, 1, #process_parts.OF_WORKER, 1,
  {}))

local function spoken(part) return (part:gsub("_", " ")) end

-- The values of every part over an arm's processes; nil where no process has parts.
local function values_of(samples, arm)
  local values
  for _, sample in ipairs(samples) do
    local parts <const> = sample.arm == arm and sample.status == "ok" and sample.process.parts_ns
    for part, ns in pairs(parts or {}) do
      values = values or {}
      values[part] = values[part] or {}
      table.insert(values[part], ns)
    end
  end
  return values
end

local MOST_UNASKED <const> = 12 -- arms, of an experiment that is not about processes

-- Whether the script asks for parts of processes; every result has them.
local function is_about_parts(design)
  for _, metric in ipairs(design.metrics) do
    if metric.source == "part" then return true end
  end
  return false
end

local function arms_with_parts(document)
  local arms <const> = {}
  local is_drawn <const> = #document.arms <= MOST_UNASKED or is_about_parts(document.design)
  for _, arm in ipairs(is_drawn and document.arms or {}) do
    local values <const> = values_of(document.samples, arm.name)
    if values then arms[#arms + 1] = { name = arm.name, values = values } end
  end
  return arms
end

local function parts_of(arms)
  local rank <const>, names <const>, seen <const> = {}, {}, {}
  for index, name in ipairs(ORDER) do rank[name] = rank[name] or index end
  for _, arm in ipairs(arms) do
    for name in pairs(arm.values) do
      if not seen[name] then names[#names + 1], seen[name] = name, true end
    end
  end
  table.sort(names, function(a, b)
    local rank_a <const>, rank_b <const> = rank[a] or math.huge, rank[b] or math.huge
    if rank_a ~= rank_b then return rank_a < rank_b end
    return a < b
  end)
  return names
end

local function median_of(arm, part)
  return arm.values[part] and stats.median(arm.values[part])
end

local function totals(arms, parts)
  local list <const> = {}
  for index, arm in ipairs(arms) do
    list[index] = 0
    for _, part in ipairs(parts) do list[index] = list[index] + (median_of(arm, part) or 0) end
  end
  return list
end

-- One list of boxes for each part, so that each has its colour.
local function boxes_of(arms, parts, divisor)
  local boxes <const> = {}
  for index in ipairs(parts) do boxes[index] = {} end
  for row, arm in ipairs(arms) do
    local at = 0
    for index, part in ipairs(parts) do
      local median <const> = (median_of(arm, part) or 0) / divisor
      table.insert(boxes[index], { at + median / 2, -row, at, at + median, -row - 0.34,
        -row + 0.14 })
      at = at + median
    end
  end
  return boxes
end

local function commands_of(arms, parts, scale, highest)
  local names <const> = {}
  for index, arm in ipairs(arms) do names[index] = arm.name end
  local commands <const> = canvas.rows({ label = "time, " .. scale.name, low = 0,
    high = highest * 1.04 / scale.divisor }, names)
  commands[#commands + 1] = "set style fill solid 1 border lc rgb 'white'"
  commands[#commands + 1] = "set key above left horizontal maxcols 2 reverse Left samplen 1.2"
    .. " noenhanced"
  local drawn <const> = {}
  for index, boxes in ipairs(boxes_of(arms, parts, scale.divisor)) do
    canvas.data(commands, "part" .. index, boxes)
    drawn[index] = ("$part%d using 1:2:3:4:5:6 with boxxyerror lc rgb '%s' title %s"):format(index,
      (canvas.look(index)), canvas.text(spoken(parts[index])))
  end
  canvas.plot(commands, drawn)
  return commands
end

local function table_of(arms, parts, scale, sums)
  local heads <const>, rows <const> = { "arm" }, {}
  for _, part in ipairs(parts) do heads[#heads + 1] = spoken(part) .. ", " .. scale.name end
  heads[#heads + 1] = "sum, " .. scale.name
  for index, arm in ipairs(arms) do
    rows[index] = { arm.name }
    for _, part in ipairs(parts) do
      local median <const> = median_of(arm, part)
      table.insert(rows[index], median and units.scaled(median, scale) or "-")
    end
    table.insert(rows[index], units.scaled(sums[index], scale))
  end
  return { caption = "Medians over the processes", heads = heads, rows = rows }
end

local function description(arms, parts, scale)
  local texts <const> = {}
  for index, arm in ipairs(arms) do
    local of_arm <const> = {}
    for _, part in ipairs(parts) do
      local median <const> = median_of(arm, part)
      of_arm[#of_arm + 1] = median and spoken(part) .. " " .. units.ns(median, scale)
    end
    texts[index] = ("'%s': %s"):format(arm.name, table.concat(of_arm, ", "))
  end
  return "What the time of whole processes is made of, medians: " .. table.concat(texts, "; ")
    .. "."
end

---@param document table
---@return frlua.PlotSection?
function start.section(document)
  local arms <const> = arms_with_parts(document)
  if not arms[1] then return nil end
  local parts <const> = parts_of(arms)
  local sums <const> = totals(arms, parts)
  local scale <const>, highest = units.scale(sums), 0
  local drawn <const> = canvas.scale(sums)
  for _, sum in ipairs(sums) do highest = math.max(highest, sum) end
  return {
    title = "Start and end of a process",
    plots = { {
      name = "process-start", title = "a whole process", width = canvas.WIDTH,
      height = canvas.height_of_rows(#arms, 20 * ((#parts + 1) // 2)),
      commands = commands_of(arms, parts, drawn, math.max(highest, 1)),
      caption = "A bar is a process from before its start to after its end, its pieces in the order"
        .. " in which they come. They are medians of their own: their sum need not be the median"
        .. " of the whole.",
      description = description(arms, parts, scale),
    } },
    table = table_of(arms, parts, scale, sums),
  }
end

return start
