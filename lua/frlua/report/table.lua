--- Columns of text: the first to the left, the others to the right, as wide as they need to be. A
--- table that is wider than what it is drawn on is broken into blocks of columns.
local json_text <const> = require "frlua.json_text"
local screen <const> = require "frlua.report.screen"
local wrap <const> = require "frlua.report.wrap"

local aligned <const> = {}

local GAP <const> = "  "

-- What plain ASCII has instead; of other characters the number is shown.
local ASCII <const> = {
  ["µ"] = "u", ["…"] = "...", ["×"] = "x", ["±"] = "+/-", ["–"] = "-", ["—"] = "-",
  ["≤"] = "<=", ["≥"] = ">=", ["’"] = "'", ["‘"] = "'", ["“"] = '"', ["”"] = '"',
}

local function numbered(character)
  return ("\\u{%X}"):format(utf8.codepoint(character))
end

local function in_ascii(character)
  return ASCII[character] or numbered(character)
end

-- Characters that a terminal would obey, beyond the control bytes: those of ISO 6429 from U+0080 to
-- U+009F, and what turns the direction of writing (Unicode, UAX #9).
local function obeyed(character)
  local code <const> = utf8.codepoint(character)
  local is_obeyed <const> = code < 0xA0 or code >= 0x202A and code <= 0x202E
    or code >= 0x2066 and code <= 0x2069
  return is_obeyed and numbered(character) or nil
end

---Text as it can be printed anywhere: what a terminal would obey, and what is no UTF-8, is shown
---instead; and what the screen has no characters for.
---@param text string
---@return string
function aligned.printable(text)
  local valid <const> = json_text.valid(text):gsub("%c", function(c)
    return ("\\%d"):format(c:byte())
  end)
  return (valid:gsub("[\xC2-\xF4][\x80-\xBF]+", screen.current().utf8 and obeyed or in_ascii))
end

local function pad(text, wanted, left)
  local space <const> = (" "):rep(wanted - wrap.columns(text))
  return left and text .. space or space .. text
end

-- Rows as they are shown, and how wide each column is.
local function measured(rows)
  local shown <const>, widths <const> = {}, {}
  for index, row in ipairs(rows) do
    shown[index] = {}
    for column, text in ipairs(row) do
      local cell <const> = aligned.printable(text)
      shown[index][column] = cell
      widths[column] = math.max(widths[column] or 0, wrap.columns(cell))
    end
  end
  return shown, widths
end

local function width_of(widths, columns)
  local sum = 0
  for _, column in ipairs(columns) do sum = sum + #GAP + widths[column] end
  return sum
end

-- The lines of one row: more than one where a cell is wider than its column.
local function add_row(lines, row, columns, widths, is_left)
  local cells <const>, height = {}, 1
  for _, column in ipairs(columns) do
    cells[column] = wrap.lines(row[column] or "", widths[column], column == 1 and #GAP or 0)
    height = math.max(height, #cells[column])
  end
  for index = 1, height do
    local parts <const> = {}
    for place, column in ipairs(columns) do
      parts[place] = pad(cells[column][index] or "", widths[column], is_left[column])
    end
    lines[#lines + 1] = (table.concat(parts, GAP):gsub("%s+$", ""))
  end
  return height
end

local function add_block(lines, rows, columns, widths, is_left, indent)
  local heads <const> = screen.current().heads
  for index, row in ipairs(rows) do
    local height <const> = add_row(lines, row, columns, widths, is_left)
    for line = #lines - height + 1, #lines do
      lines[line] = lines[line] ~= "" and indent .. lines[line] or ""
      if index == 1 and heads then heads[lines[line]] = true end
    end
  end
end

-- Columns as wide as they can be beside the first one in `room`. The first keeps a third of it, and
-- more where the others leave it.
local function narrowed(widths, room)
  local narrow <const>, is_left <const>, widest = {}, { true }, 0
  for column = 2, #widths do widest = math.max(widest, widths[column]) end
  narrow[1] = #widths == 1 and math.min(widths[1], room)
    or math.min(widths[1], math.max(room // 3, room - #GAP - widest))
  for column = 2, #widths do
    narrow[column] = math.max(1, math.min(widths[column], room - #GAP - narrow[1]))
    is_left[column] = narrow[column] < widths[column]
  end
  return narrow, is_left
end

-- Lists of columns that fit into `room`, each beginning with the first one. Columns from one of
-- `starts` up to the next are kept together where they can.
local function blocks_of(widths, room, starts)
  local blocks <const>, group = { { 1 } }, {}
  local function place(columns)
    local block = blocks[#blocks]
    if #block > 1 and width_of(widths, block) + width_of(widths, columns) - #GAP > room then
      block = { 1 }
      blocks[#blocks + 1] = block
    end
    if #columns > 1 and width_of(widths, block) + width_of(widths, columns) - #GAP > room then
      for _, column in ipairs(columns) do place { column } end
    else
      table.move(columns, 1, #columns, #block + 1, block)
    end
  end
  for column = 2, #widths do
    if #group > 0 and (not starts or starts[column]) then
      place(group)
      group = {}
    end
    group[#group + 1] = column
  end
  if group[1] then place(group) end
  return blocks
end

---@param rows string[][] the first one may be the heads; all of the same length
---@param indent? string before every line
---@param starts? table<integer, boolean> columns that a block may begin with; by default any
---@return string[] lines
function aligned.lines(rows, indent, starts)
  local shown <const>, widths <const> = measured(rows)
  if #widths == 0 then return {} end
  indent = indent or ""
  local all <const>, lines <const> = {}, {}
  for column = 1, #widths do all[column] = column end
  local columns <const> = screen.current().columns
  local room <const> = columns and math.max(1, columns - #indent) or math.huge
  if width_of(widths, all) - #GAP <= room then
    add_block(lines, shown, all, widths, { true }, indent)
    return lines
  end
  local narrow <const>, is_left <const> = narrowed(widths, room)
  for index, block in ipairs(blocks_of(narrow, room, starts)) do
    if index > 1 then lines[#lines + 1] = "" end
    add_block(lines, shown, block, narrow, is_left, indent)
  end
  return lines
end

return aligned
