--- Pieces of HTML. What comes from a document is escaped here and nowhere else.
local escape <const> = require "frlua.report.escape"

local markup <const> = {}

---Any bytes as text in HTML or SVG, between tags or in an attribute in quotes.
---@type fun(text: string): string
markup.escaped = escape.xml

-- Lines and tabs stay what they are.
local function escaped_lines(text)
  return (text:gsub("\r\n", "\n"):gsub("[^\n\t]+", markup.escaped))
end

---An element with text in it.
---@param tag string with its attributes: 'p class="note"'
---@param text string
---@return string
function markup.element(tag, text)
  return ("<%s>%s</%s>"):format(tag, markup.escaped(text), tag:match "^%w+")
end

---Text as it stands, line for line.
---@param text string
---@return string
function markup.preformatted(text)
  return '<pre tabindex="0">' .. escaped_lines(text) .. "</pre>"
end

---Terms and what they are; rows without the second are left out.
---@param rows string[][] { term, text }
---@return string
function markup.facts(rows)
  local lines <const> = { '<dl class="facts">' }
  for _, row in ipairs(rows) do
    if row[2] then
      lines[#lines + 1] = ("<div>%s%s</div>"):format(markup.element("dt", row[1]),
        markup.element("dd", row[2]))
    end
  end
  lines[#lines + 1] = "</dl>"
  return table.concat(lines, "\n")
end

local function row_of(cells, tag, first_tag, lines)
  local texts <const> = {}
  for column, cell in ipairs(cells) do
    texts[column] = markup.element(column == 1 and first_tag or tag, cell)
  end
  lines[#lines + 1] = "<tr>" .. table.concat(texts) .. "</tr>"
end

---A table that scrolls by itself where the page is narrower.
---@param caption string
---@param heads string[]
---@param rows string[][]
---@return string
function markup.table(caption, heads, rows)
  local lines <const> = {
    ('<div class="wide" tabindex="0" role="region" aria-label="%s"><table>'):format(
      markup.escaped(caption)),
    markup.element("caption", caption), "<thead>",
  }
  row_of(heads, 'th scope="col"', 'th scope="col"', lines)
  lines[#lines + 1] = "</thead><tbody>"
  for _, row in ipairs(rows) do row_of(row, "td", 'th scope="row"', lines) end
  lines[#lines + 1] = "</tbody></table></div>"
  return table.concat(lines, "\n")
end

local DIGITS <const> = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

local function digit(index)
  return DIGITS:sub(index + 1, index + 1)
end

---Bytes in base 64 (RFC 4648).
---@param bytes string
---@return string
function markup.base64(bytes)
  return (bytes:gsub("..?.?", function(group)
    local a <const>, b <const>, c <const> = group:byte(1, 3)
    local bits <const> = a << 16 | (b or 0) << 8 | (c or 0)
    return digit(bits >> 18) .. digit(bits >> 12 & 63)
      .. (b and digit(bits >> 6 & 63) or "=") .. (c and digit(bits & 63) or "=")
  end))
end

return markup
