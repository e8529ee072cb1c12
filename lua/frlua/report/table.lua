--- Columns of text: the first to the left, the others to the right, as wide as they need to be.
local json_text <const> = require "frlua.json_text"

local aligned <const> = {}

---Text as it can be printed anywhere: bytes that a terminal would obey, and what is no UTF-8, are
---shown instead.
---@param text string
---@return string
function aligned.printable(text)
  return (json_text.valid(text):gsub("%c", function(c) return ("\\%d"):format(c:byte()) end))
end

local function pad(text, wanted, left)
  local space <const> = (" "):rep(wanted - utf8.len(text))
  return left and text .. space or space .. text
end

---@param rows string[][] the first one may be the heads; all of the same length
---@param indent? string before every line
---@return string[] lines
function aligned.lines(rows, indent)
  local shown <const>, widths <const> = {}, {}
  for index, row in ipairs(rows) do
    shown[index] = {}
    for column, text in ipairs(row) do
      local cell <const> = aligned.printable(text)
      shown[index][column] = cell
      widths[column] = math.max(widths[column] or 0, utf8.len(cell))
    end
  end
  local lines <const> = {}
  for index, row in ipairs(shown) do
    local cells <const> = {}
    for column, text in ipairs(row) do cells[column] = pad(text, widths[column], column == 1) end
    lines[index] = ((indent or "") .. table.concat(cells, "  "):gsub("%s+$", ""))
  end
  return lines
end

return aligned
