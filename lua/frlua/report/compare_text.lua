--- The report of a comparison for a terminal, and its table in Markdown.
local aligned <const> = require "frlua.report.table"
local view <const> = require "frlua.report.compare_view"

local compare_text <const> = {}

local function add(lines, ...)
  for _, line in ipairs { ... } do lines[#lines + 1] = aligned.printable(line) end
end

---@param document table of comparison.take
---@return string
function compare_text.report(document)
  local lines <const> = {}
  for index, section in ipairs(view.sections(document)) do
    if index > 1 then add(lines, "") end
    if section.head then add(lines, section.head) end
    add(lines, table.unpack(section.lines or {}))
    add(lines, table.unpack(section.rows and aligned.lines(section.rows, "  ") or {}))
  end
  return table.concat(lines, "\n") .. "\n"
end

-- A character that Markdown, or HTML in it, would read as its own is written after a backslash.
local function escaped(text)
  return (aligned.printable(text):gsub("[\\`*_{}%[%]()#+!|<>&~$^=-]", "\\%0"))
end

local function markdown_row(cells)
  local texts <const> = {}
  for index, cell in ipairs(cells) do texts[index] = escaped(cell) end
  return "| " .. table.concat(texts, " | ") .. " |"
end

local function markdown_table(rows)
  local lines <const> = { markdown_row(rows[1]), "| --- |" .. (" ---: |"):rep(#rows[1] - 1) }
  for index = 2, #rows do lines[#lines + 1] = markdown_row(rows[index]) end
  return lines
end

-- Lines stay lines as items of a list.
local function markdown_list(texts)
  local lines <const> = {}
  for index, text in ipairs(texts) do
    lines[index] = "- " .. escaped(text:match "^%s*(.*)$")
  end
  return lines
end

---@param document table
---@return string
function compare_text.markdown(document)
  local parts <const> = {}
  for _, section in ipairs(view.sections(document)) do
    if section.head then parts[#parts + 1] = "**" .. escaped(section.head) .. "**" end
    local lines <const> = section.rows and markdown_table(section.rows)
      or markdown_list(section.lines)
    parts[#parts + 1] = table.concat(lines, "\n")
  end
  return table.concat(parts, "\n\n") .. "\n"
end

return compare_text
