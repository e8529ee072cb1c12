--- Tables of GitHub's Markdown. Cells are Markdown already.
local markdown_table <const> = {}

---@param rows string[][] the first one is the heads; all of the same length
---@param left? integer how many columns are texts, all by default; numbers are to the right
---@return string[] lines the last one is empty
function markdown_table.lines(rows, left)
  local ruler <const> = {}
  for column = 1, #rows[1] do
    ruler[column] = column <= (left or #rows[1]) and ":---" or "---:"
  end
  local lines <const> = {}
  for index, row in ipairs(rows) do
    lines[#lines + 1] = "| " .. table.concat(row, " | ") .. " |"
    if index == 1 then lines[2] = "| " .. table.concat(ruler, " | ") .. " |" end
  end
  lines[#lines + 1] = ""
  return lines
end

return markdown_table
