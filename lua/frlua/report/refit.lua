--- Tables among lines that were made before anybody knew where they would be shown: a script's
--- reading is kept with the result. Their columns are found again by the blanks between them.
local aligned <const> = require "frlua.report.table"
local screen <const> = require "frlua.report.screen"
local wrap <const> = require "frlua.report.wrap"

local refit <const> = {}

local function characters(line)
  local list <const> = {}
  for _, code in utf8.codes(line) do list[#list + 1] = utf8.char(code) end
  return list
end

-- Where all lines are blank, by place; and how long the longest is.
local function blanks_of(rows)
  local blank <const>, longest = {}, 0
  for _, row in ipairs(rows) do longest = math.max(longest, #row) end
  for place = 1, longest do
    blank[place] = true
    for _, row in ipairs(rows) do
      blank[place] = blank[place] and (row[place] or " ") == " "
    end
  end
  return blank, longest
end

-- First and last place of each column: between them two blanks at least. And the blanks before all.
local function columns_of(blank, longest)
  local list <const>, from = {}, 1
  while blank[from] do from = from + 1 end
  local indent <const> = (" "):rep(from - 1)
  for place = from + 1, longest do
    if blank[place] and blank[place - 1] and not blank[place + 1] then
      list[#list + 1] = { from, place }
      from = place + 1
    end
  end
  list[#list + 1] = { from, longest }
  return list, indent
end

local function cells_of(row, columns)
  local cells <const> = {}
  for index, column in ipairs(columns) do
    cells[index] = table.concat(row, "", column[1], math.min(column[2], #row)):match "^ *(.-) *$"
  end
  return cells
end

-- A run of lines with gaps in them, broken as the table that they are; nil where they are none.
local function broken(run)
  local rows <const> = {}
  for index, line in ipairs(run) do rows[index] = characters(line) end
  local columns <const>, indent <const> = columns_of(blanks_of(rows))
  if #run < 2 or #columns < 3 then return nil end
  for index, row in ipairs(rows) do rows[index] = cells_of(row, columns) end
  return aligned.lines(rows, indent)
end

---The lines, with those tables broken into blocks that are too wide for what is drawn on.
---@param lines string[]
---@return string[]
function refit.lines(lines)
  local room <const> = screen.current().columns
  if not room then return lines end
  local fitted <const>, run, is_wide = {}, {}, false
  local function close()
    local shown <const> = is_wide and broken(run) or run
    table.move(shown, 1, #shown, #fitted + 1, fitted)
    run, is_wide = {}, false
  end
  for _, line in ipairs(lines) do
    local text <const> = aligned.printable(line)
    if not text:find "%S  +%S" then
      close()
      fitted[#fitted + 1] = text
    else
      run[#run + 1], is_wide = text, is_wide or wrap.columns(text) > room
    end
  end
  close()
  return fitted
end

return refit
