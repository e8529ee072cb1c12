--- How the columns of a table are placed where they do not all fit beside each other: narrower, or
--- in blocks below each other.
local wrap <const> = require "frlua.report.wrap"

local blocks <const> = { GAP = 2 } -- columns of space between those of the table

---@class frlua.TableLayout
---@field keys integer? so many columns from the left tell rows apart, and are in every block; 1
---@field starts table<integer, boolean>? columns that a block may begin with; by default any

---@class frlua.Placed
---@field blocks integer[][] columns that are beside each other
---@field widths integer[] of the columns
---@field is_left table<integer, boolean> columns whose text stands to the left

-- Cells of so many words or more are sentences: in lines of some columns they are as easily read.
local SENTENCE_WORDS <const>, SENTENCE_COLUMNS <const> = 4, 12
-- What a column that tells rows apart keeps of the whole width, at least.
local KEY_PART <const> = 3

local function width_of(widths, columns)
  local sum = -blocks.GAP
  for _, column in ipairs(columns) do sum = sum + blocks.GAP + widths[column] end
  return sum
end

-- The fewest columns that a column of sentences needs; nil for one of figures.
local function least_of(rows, column)
  local least, has_sentence = SENTENCE_COLUMNS, false
  for _, row in ipairs(rows) do
    local text <const> = row[column] or ""
    local _, words <const> = text:gsub("%S+", "")
    if words >= SENTENCE_WORDS then
      has_sentence = true
    else
      least = math.max(least, wrap.columns(text))
    end
  end
  return has_sentence and least or nil
end

-- All columns beside each other, those of sentences narrower; nil where that does not help.
local function with_narrow_sentences(rows, widths, all, room)
  local narrow <const>, is_left <const> = table.move(widths, 1, #widths, 1, {}), { true }
  for column = 2, #widths do
    local least <const>, excess <const> = least_of(rows, column), width_of(narrow, all) - room
    if least and excess > 0 then
      narrow[column] = math.max(math.min(least, widths[column]), widths[column] - excess)
      is_left[column] = narrow[column] < widths[column]
    end
  end
  if width_of(narrow, all) > room then return nil end
  return { blocks = { all }, widths = narrow, is_left = is_left }
end

-- Columns as wide as they can be beside the keys.
local function narrowed(widths, room, keys)
  local narrow <const>, is_left <const>, widest, beside = {}, { true }, 0, 0
  for column = keys + 1, #widths do widest = math.max(widest, widths[column]) end
  for column = 2, keys do
    beside = beside + blocks.GAP + math.min(widths[column], room // KEY_PART)
  end
  local most_of_first <const> = #widths == 1 and room
    or math.min(room // 2, room - beside - blocks.GAP - widest) -- long names leave room for figures
  narrow[1] = math.min(widths[1], math.max(room // KEY_PART, most_of_first))
  for column = 2, #widths do
    local most <const> = column <= keys and room // KEY_PART
      or room - beside - blocks.GAP - narrow[1]
    narrow[column] = math.max(1, math.min(widths[column], most))
    is_left[column] = narrow[column] < widths[column]
  end
  return narrow, is_left
end

-- Columns from one of `starts` up to the next, which belong together.
local function groups_of(count, layout)
  local groups <const> = {}
  for column = layout.keys + 1, count do
    if not groups[1] or not layout.starts or layout.starts[column] then groups[#groups + 1] = {} end
    table.insert(groups[#groups], column)
  end
  return groups
end

-- Blocks that fit into `room`, each beginning with the keys, filled one after the other.
local function filled(widths, room, layout)
  local list <const> = {}
  local function begin()
    list[#list + 1] = {}
    for key = 1, layout.keys do list[#list][key] = key end
  end
  local function is_wider(block, columns)
    return width_of(widths, block) + blocks.GAP + width_of(widths, columns) > room
  end
  local function place(columns)
    if #list[#list] > layout.keys and is_wider(list[#list], columns) then begin() end
    local block <const> = list[#list]
    if #columns > 1 and is_wider(block, columns) then
      for _, column in ipairs(columns) do place { column } end
    else
      table.move(columns, 1, #columns, #block + 1, block)
    end
  end
  begin()
  for _, columns in ipairs(groups_of(#widths, layout)) do place(columns) end
  return list
end

-- As few blocks as fit, and those as even as they can be: the last is not one column by itself.
local function even(widths, room, layout)
  local found = filled(widths, room, layout)
  local count <const> = #found
  for narrower = room - 1, widths[1], -1 do
    local tried <const> = filled(widths, narrower, layout)
    if #tried > count then break end
    found = tried
  end
  return found
end

---Places the columns of a table.
---@param rows string[][]
---@param widths integer[] of the columns, as wide as their widest cells
---@param room integer? columns that there are; nil: as many as it takes
---@param layout? frlua.TableLayout
---@return frlua.Placed
function blocks.place(rows, widths, room, layout)
  local all <const> = {}
  for column = 1, #widths do all[column] = column end
  if not room or width_of(widths, all) <= room then
    return { blocks = { all }, widths = widths, is_left = { true } }
  end
  local placed <const> = with_narrow_sentences(rows, widths, all, room)
  if placed then return placed end
  local keys <const> = layout and layout.keys or 1
  local narrow <const>, is_left <const> = narrowed(widths, room, keys)
  return { blocks = even(narrow, room, { keys = keys, starts = layout and layout.starts }),
    widths = narrow, is_left = is_left }
end

return blocks
