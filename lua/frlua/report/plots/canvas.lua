--- What all plots share: size, colours, axes, and rows of bars or dots with their names.
local escape <const> = require "frlua.report.escape"
local gnuplot <const> = require "frlua.gnuplot"

local canvas <const> = {
  WIDTH = 480, -- CSS pixels: on a screen of 400, text of 14 is still 11 high
  HEIGHT = 310,
  ROW = 48,    -- the height of a row
  -- Told apart by people who are colour-blind (Okabe and Ito, "Color Universal Design", 2008), the
  -- lightest one left out: yellow lines are lost on white.
  COLORS = { "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9" },
  QUIET = "#808080",
}

local LONGEST_NAME <const> = 34

-- Round dots, squares, triangles …: colour is not all that tells series apart.
local SHAPES <const> = { 7, 5, 9, 11, 13, 6 }

---@param index integer of a series, from 1
---@return string color
---@return integer shape as gnuplot's pt
function canvas.look(index)
  local turn <const> = (index - 1) // #canvas.COLORS
  return canvas.COLORS[(index - 1) % #canvas.COLORS + 1], SHAPES[(index - 1 + turn) % #SHAPES + 1]
end

---A text of the document as it stands in a plot: printable, and not too long for it.
---@param text string
---@param longest? integer characters
---@return string # quoted for gnuplot
function canvas.text(text, longest)
  local shown = escape.shown(text)
  longest = longest or LONGEST_NAME
  if utf8.len(shown) > longest then
    shown = shown:sub(1, utf8.offset(shown, longest) - 1) .. "…"
  end
  return gnuplot.quoted(shown)
end

-- Where an axis with a logarithmic scale has its numbers: few decades need some between.
local function steps_for(decades)
  if decades < 0.7 then return { 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 } end
  return decades < 1.3 and { 1, 1.5, 2, 3, 5, 7 } or decades < 3 and { 1, 2, 5 } or { 1 }
end

---@param low number above 0
---@param high number
---@return number[] # rising, inside of the range
function canvas.log_ticks(low, high)
  local ticks <const>, first <const> = {}, math.floor(math.log(low, 10))
  for decade = first, math.ceil(math.log(high, 10)) do
    for _, step in ipairs(steps_for(math.log(high / low, 10))) do
      local tick <const> = tonumber(("%ge%d"):format(step, decade))
      if tick >= low and tick <= high then ticks[#ticks + 1] = tick end
    end
  end
  return ticks
end

---A few round numbers, so that they don't stand on each other.
---@param low number
---@param high number
---@return number[] # rising, inside of the range
function canvas.linear_ticks(low, high)
  local rough <const> = (high - low) / 5
  local power <const> = 10 ^ math.floor(math.log(rough, 10))
  local step = 10 * power
  for _, factor in ipairs { 5, 2, 1 } do
    if factor * power >= rough then step = factor * power end
  end
  local ticks <const> = {}
  for count = math.ceil(low / step), math.floor(high / step) do
    ticks[#ticks + 1] = tonumber(("%.12g"):format(count * step))
  end
  return ticks
end

-- Units of axes: as large as leaves numbers of few digits.
local UNITS <const> = {
  { name = "ns", divisor = 1 }, { name = "µs", divisor = 1000 },
  { name = "ms", divisor = 1000000 }, { name = "s", divisor = 1000000000 },
}
local FEWEST_OF_UNIT <const> = 10

---The unit of an axis of times. Tables beside it may have another, which keeps all digits.
---@param values number[] in ns
---@return { name: string, divisor: integer }
function canvas.scale(values)
  local largest, chosen = 0, UNITS[1]
  for _, value in ipairs(values) do largest = math.max(largest, math.abs(value)) end
  for _, unit in ipairs(UNITS) do
    if largest >= FEWEST_OF_UNIT * unit.divisor then chosen = unit end
  end
  return chosen
end

---The range of values, wider by a little on both sides.
---@param values number[] of a logarithmic axis above 0
---@param is_log boolean
---@return number low
---@return number high
function canvas.range(values, is_log)
  local low, high = math.huge, -math.huge
  for _, value in ipairs(values) do low, high = math.min(low, value), math.max(high, value) end
  if is_log then return low / 1.15, high * 1.15 end
  local room <const> = high > low and 0.06 * (high - low) or math.max(math.abs(high), 1) * 0.1
  return low - room, high + room
end

---@class frlua.Axis
---@field label string
---@field low number
---@field high number
---@field is_log boolean?
---@field ticks number[]? where its numbers stand; by default chosen
---@field format string? as gnuplot's set format

local function axis_commands(name, axis, commands)
  local function add(text, ...) commands[#commands + 1] = text:format(...) end
  local low <const>, high <const> = gnuplot.number(axis.low), gnuplot.number(axis.high)
  add("set %srange [%s:%s]", name, low, high)
  add("set %slabel %s", name, canvas.text(axis.label, 60))
  if axis.is_log then add("set logscale %s", name) end
  add("set format %s '%s'", name, axis.format or "%g")
  local ticks <const> = axis.ticks
    or (axis.is_log and canvas.log_ticks or canvas.linear_ticks)(axis.low, axis.high)
  local texts <const> = {}
  for index, tick in ipairs(ticks) do texts[index] = gnuplot.number(tick) end
  add("set %stics (%s) nomirror scale 0.6", name, table.concat(texts, ","))
end

---The commands that come before a plot's data.
---@param x frlua.Axis
---@param y frlua.Axis
---@return string[]
function canvas.axes(x, y)
  local commands <const> = {
    "set border 3 lc rgb 'black'",
    "set grid back lt 1 lw 0.5 lc rgb '#CCCCCC'",
    "set key above left horizontal reverse Left samplen 1.2 noenhanced",
  }
  axis_commands("x", x, commands)
  axis_commands("y", y, commands)
  return commands
end

---The same for rows, from top to bottom, with a name over each.
---@param x frlua.Axis
---@param names string[]
---@return string[]
function canvas.rows(x, names)
  local commands <const> = {
    "set border 1 lc rgb 'black'", "unset ytics", "unset key",
    "set grid xtics back lt 1 lw 0.5 lc rgb '#CCCCCC'", "set lmargin 2", "set rmargin 3",
    ("set yrange [%s:-0.4]"):format(gnuplot.number(-#names - 0.55)),
  }
  axis_commands("x", x, commands)
  for index, name in ipairs(names) do
    commands[#commands + 1] = ("set label %d %s at graph 0, first %s left noenhanced"):format(index,
      canvas.text(name, 60), gnuplot.number(-index + 0.38))
  end
  return commands
end

---@param count integer of rows
---@param more? integer pixels for a legend
---@return integer # the height of a plot of so many
function canvas.height_of_rows(count, more)
  return count * canvas.ROW + 90 + (more or 0)
end

---Adds data under a name, which later commands read.
---@param commands string[]
---@param name string
---@param rows number[][] an empty one begins another line
function canvas.data(commands, name, rows)
  commands[#commands + 1] = ("$%s << END_OF_DATA"):format(name)
  for _, row in ipairs(rows) do
    local texts <const> = {}
    for index, number in ipairs(row) do texts[index] = gnuplot.number(number) end
    commands[#commands + 1] = table.concat(texts, " ")
  end
  commands[#commands + 1] = "END_OF_DATA"
end

---Adds the command that draws.
---@param commands string[]
---@param parts string[] what is drawn, in this order
function canvas.plot(commands, parts)
  commands[#commands + 1] = "plot " .. table.concat(parts, ", ")
end

---A colour through which what lies behind shows.
---@param color string
---@param transparency integer 0 to 255
---@return string
function canvas.faint(color, transparency)
  return ("#%02X%s"):format(transparency, color:sub(2))
end

return canvas
