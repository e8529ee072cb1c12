--- A comparison as one plain page that needs nothing else, and holds its figures as JSON.
local comparison <const> = require "frlua.compare.comparison"
local escaped <const> = require "frlua.report.escape".xml
local view <const> = require "frlua.report.compare_view"

local compare_html <const> = {}

local HEAD <const> = [[
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #8886; }
th:first-child, td:first-child { text-align: left; }
p { margin: .2rem 0; overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>%s</h1>
]]

local function row_of(cells, tag, lines)
  local texts <const> = {}
  for index, cell in ipairs(cells) do
    texts[index] = ("<%s>%s</%s>"):format(tag, escaped(cell), tag:match "^%a+")
  end
  lines[#lines + 1] = "<tr>" .. table.concat(texts) .. "</tr>"
end

local function add_table(rows, lines)
  lines[#lines + 1] = '<div class="wide"><table><thead>'
  row_of(rows[1], 'th scope="col"', lines)
  lines[#lines + 1] = "</thead><tbody>"
  for index = 2, #rows do row_of(rows[index], "td", lines) end
  lines[#lines + 1] = "</tbody></table></div>"
end

-- In a script element nothing but "<" could end it, and JSON may write that otherwise.
local function embedded(document)
  return comparison.encode(document):gsub("<", "\\u003c")
end

---@param document table of comparison.take
---@return string
function compare_html.render(document)
  local title <const> = "frlua compare: " .. escaped(document.files[1].runs[1].experiment)
  local lines <const> = { HEAD:format(title, title) }
  for _, section in ipairs(view.sections(document)) do
    if section.head then lines[#lines + 1] = "<h2>" .. escaped(section.head) .. "</h2>" end
    for _, line in ipairs(section.lines or {}) do
      lines[#lines + 1] = "<p>" .. escaped(line) .. "</p>"
    end
    if section.rows then add_table(section.rows, lines) end
  end
  lines[#lines + 1] = '<script type="application/json" id="comparison">' .. embedded(document)
    .. "</script>\n</body>\n</html>"
  return table.concat(lines, "\n") .. "\n"
end

return compare_html
