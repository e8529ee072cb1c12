--- Dots on a terminal: eight to a character in braille, where there is UTF-8, else one.
local canvas <const> = {}

-- Bits of the dots of a braille character, by row and column (Unicode, block U+2800).
local BRAILLE <const> = { { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 } }
local EMPTY_BRAILLE <const> = 0x2800
local ASCII_DOT <const> = "*"

local methods <const> = {}

---Sets a dot; those outside are not there.
---@param x integer from 0, left
---@param y integer from 0, bottom
function methods:dot(x, y)
  if x < 0 or y < 0 or x >= self.width or y >= self.height then return end
  local row <const>, column <const> =
    (self.height - 1 - y) // self.rows_a_cell, x // self.columns_a_cell
  local cells <const> = self.cells[row + 1]
  local bit <const> = self.is_braille
    and BRAILLE[(self.height - 1 - y) % self.rows_a_cell + 1][x % self.columns_a_cell + 1] or 1
  cells[column + 1] = cells[column + 1] | bit
end

---Dots from one place to another, both included.
---@param x integer
---@param y integer
---@param to_x integer
---@param to_y integer
function methods:line(x, y, to_x, to_y)
  local steps <const> = math.max(math.abs(to_x - x), math.abs(to_y - y), 1)
  for step = 0, steps do
    self:dot(x + ((to_x - x) * step * 2 + steps) // (2 * steps),
      y + ((to_y - y) * step * 2 + steps) // (2 * steps))
  end
end

---@return string[] # a line for each row of characters, from the top, all of the same width
function methods:lines()
  local lines <const> = {}
  for index, cells in ipairs(self.cells) do
    local characters <const> = {}
    for column, bits in ipairs(cells) do
      characters[column] = bits == 0 and " "
        or self.is_braille and utf8.char(EMPTY_BRAILLE + bits) or ASCII_DOT
    end
    lines[index] = table.concat(characters)
  end
  return lines
end

---@param columns integer characters
---@param rows integer
---@param is_braille boolean
---@return table # with `width` and `height` in dots
function canvas.new(columns, rows, is_braille)
  local made <const> = {
    columns_a_cell = is_braille and #BRAILLE[1] or 1, rows_a_cell = is_braille and #BRAILLE or 1,
    is_braille = is_braille, cells = {},
  }
  made.width, made.height = columns * made.columns_a_cell, rows * made.rows_a_cell
  for row = 1, rows do
    made.cells[row] = {}
    for column = 1, columns do made.cells[row][column] = 0 end
  end
  return setmetatable(made, { __index = methods })
end

return canvas
