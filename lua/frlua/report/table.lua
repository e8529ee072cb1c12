--- Columns of text: the first to the left, the others to the right, as wide as they need to be. A
--- table that is wider than what it is drawn on is broken into blocks of columns.
local blocks <const> = require "frlua.report.blocks"
local json_text <const> = require "frlua.json_text"
local screen <const> = require "frlua.report.screen"
local wrap <const> = require "frlua.report.wrap"

local aligned <const> = {}

local GAP <const> = (" "):rep(blocks.GAP)

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

-- The lines of one row: more than one where a cell is wider than its column.
local function add_row(lines, row, columns, placed)
  local cells <const>, height = {}, 1
  for _, column in ipairs(columns) do
    cells[column] =
      wrap.lines(row[column] or "", placed.widths[column], column == 1 and blocks.GAP or 0)
    height = math.max(height, #cells[column])
  end
  for index = 1, height do
    local parts <const> = {}
    for place, column in ipairs(columns) do
      parts[place] = pad(cells[column][index] or "", placed.widths[column], placed.is_left[column])
    end
    lines[#lines + 1] = (table.concat(parts, GAP):gsub("%s+$", ""))
  end
  return height
end

local function add_block(lines, rows, columns, placed, indent)
  local heads <const> = screen.current().heads
  for index, row in ipairs(rows) do
    local height <const> = add_row(lines, row, columns, placed)
    for line = #lines - height + 1, #lines do
      lines[line] = lines[line] ~= "" and indent .. lines[line] or ""
      if index == 1 and heads then heads[lines[line]] = true end
    end
  end
end

---@param rows string[][] the first one may be the heads; all of the same length
---@param indent? string before every line
---@param layout? frlua.TableLayout
---@return string[] lines
function aligned.lines(rows, indent, layout)
  indent = indent or ""
  local shown <const>, widths <const> = measured(rows)
  local columns <const>, lines <const> = screen.current().columns, {}
  local placed <const> =
    blocks.place(shown, widths, columns and math.max(1, columns - #indent), layout)
  for index, block in ipairs(placed.blocks) do
    if index > 1 then lines[#lines + 1] = "" end
    add_block(lines, shown, block, placed, indent)
  end
  return lines
end

return aligned
