--- One plot of a few lines of text: a curve, its axes, and what stands at them.
local canvas <const> = require "frlua.report.canvas"
local screen <const> = require "frlua.report.screen"
local wrap <const> = require "frlua.report.wrap"

local panel <const> = {}

---@class frlua.Axis
---@field low number
---@field high number above `low`
---@field is_log boolean? then `low` is above 0
---@field ticks number[] where the axis is marked, rising
---@field write fun(number: number): string
---@field name string? what is counted along it; of the axis from left to right

-- Where a number lies on an axis: 0 at its low end, 1 at its high one.
local function place(axis, number)
  if axis.is_log then
    return math.log(number / axis.low) / math.log(axis.high / axis.low)
  end
  return (number - axis.low) / (axis.high - axis.low)
end

-- The dot that is nearest, of so many along an axis.
local function dot(axis, number, dots)
  return math.tointeger((place(axis, number) * (dots - 1) + 0.5) // 1)
end

local function draw(area, points, x_axis, y_axis)
  local last_x, last_y
  for _, point in ipairs(points) do
    local x <const> = dot(x_axis, point[1], area.width)
    local y <const> = dot(y_axis, point[2], area.height)
    area:line(last_x or x, last_y or y, x, y)
    last_x, last_y = x, y
  end
end

-- What stands left of each row; the lowest and the highest row are marked first.
local function row_labels(axis, rows)
  local labels <const> = {}
  local function mark(number)
    local row <const> = rows - dot(axis, number, rows)
    labels[row] = labels[row] or axis.write(number)
  end
  mark(axis.ticks[#axis.ticks])
  for _, number in ipairs(axis.ticks) do mark(number) end
  return labels
end

-- The line of the axis with its marks, and the line of the numbers below them. A number that would
-- run into the one before is left out, with its mark.
local function foot(axis, columns, marks)
  local line <const>, numbers <const>, taken = {}, {}, -1
  for column = 1, columns do line[column], numbers[column] = marks.line, " " end
  local function number_at(tick)
    local text <const> = axis.write(tick)
    local at <const> = dot(axis, tick, columns) + 1
    local from <const> = math.max(1, math.min(at - #text // 2, columns - #text + 1))
    return text, at, from
  end
  local _, _, last_from <const> = number_at(axis.ticks[#axis.ticks])
  for index, tick in ipairs(axis.ticks) do
    local text <const>, at <const>, from <const> = number_at(tick)
    local is_free <const> = index == #axis.ticks or from + #text < last_from
    if from > taken + 1 and is_free and from + #text <= columns + 1 then
      line[at] = marks.tick
      for offset = 1, #text do numbers[from + offset - 1] = text:sub(offset, offset) end
      taken = from + #text - 1
    end
  end
  return table.concat(line), (table.concat(numbers):gsub(" +$", ""))
end

local MARKS <const> = {
  [true] = { side = "│", corner = "└", line = "─", tick = "┴" },
  [false] = { side = "|", corner = "+", line = "-", tick = "+" },
}

---The lines of one plot, none wider than `width`.
---@param title string
---@param points number[][] { x, y }, by rising x
---@param axes { x: frlua.Axis, y: frlua.Axis }
---@param width integer columns
---@param rows integer of the curve
---@return string[]
function panel.lines(title, points, axes, width, rows)
  local is_utf8 <const> = screen.current().utf8
  local marks <const>, labels <const> = MARKS[is_utf8], row_labels(axes.y, rows)
  local left = 0
  for _, tick in ipairs(axes.y.ticks) do left = math.max(left, wrap.columns(axes.y.write(tick))) end
  local columns <const> = math.max(4, width - left - 2)
  local area <const> = canvas.new(columns, rows, is_utf8)
  draw(area, points, axes.x, axes.y)
  local lines <const> = wrap.lines(title, width, 2)
  for row, text in ipairs(area:lines()) do
    local label <const> = labels[row] or ""
    local space <const> = (" "):rep(left - wrap.columns(label))
    lines[#lines + 1] = (space .. label .. " " .. marks.side .. text):gsub(" +$", "")
  end
  local line <const>, numbers <const> = foot(axes.x, columns, marks)
  lines[#lines + 1] = (" "):rep(left + 1) .. marks.corner .. line
  lines[#lines + 1] = (" "):rep(left + 2) .. numbers
  local name <const> = axes.x.name or ""
  lines[#lines + 1] = (" "):rep(math.max(0, width - wrap.columns(name))) .. name
  return lines
end

return panel
