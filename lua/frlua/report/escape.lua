--- Names and sentences of any bytes, made fit for the forms that results are written in, and
--- numbers as the JSON has them.
local json <const> = require "frlua.json"
local json_text <const> = require "frlua.json_text"

local escape <const> = {}

-- Characters of more than one byte that a form may not hold, or that readers take for the end of a
-- line: controls, line and paragraph separators, the last two of the first plane.
local function is_hidden(code)
  return code >= 0x80 and code <= 0x9F or code == 0x2028 or code == 0x2029 or code == 0xFFFE
    or code == 0xFFFF
end

---Text in which every character can be seen: what a terminal would obey, or a reader would take for
---the end of a line, is shown by its number, as Lua writes it. What is not UTF-8 is U+FFFD, as in
---JSON. C's classes of characters depend on the locale: bytes are named here.
---@param text string
---@return string
function escape.shown(text)
  local valid <const> = json_text.valid(text):gsub("[\0-\31\127]", function(control)
    return ("\\%d"):format(control:byte())
  end)
  return (valid:gsub("[\xC2-\xEF][\x80-\xBF]+", function(character)
    local code <const> = utf8.codepoint(character)
    return is_hidden(code) and ("\\u{%X}"):format(code) or nil
  end))
end

---@param number number finite
---@return string # as it is in the JSON
function escape.number(number)
  return json.encode(number)
end

---A field of RFC 4180. Readers written in C end at a NUL, and Python's refuses it: its symbol,
---U+2400, stands for it. All else is kept as it is in the JSON.
---@param value string|number|nil
---@return string # empty for nil
function escape.csv(value)
  if value == nil then return "" end
  if type(value) == "number" then return escape.number(value) end
  local text <const> = json_text.valid(value):gsub("\0", "\u{2400}")
  if not text:find '[\0-\32",\127]' then return text end
  return '"' .. text:gsub('"', '""') .. '"'
end

-- What begins something inline, or ends a heading. A bar behind a backslash still ends a cell for
-- some readers: it is written by its number.
local MARKUP <const> = "[\\`*_%[%]<>~&!$#]"

---Prose that Markdown shows as it is, in a cell, a heading or behind other words of a line.
---@param text string
---@return string
function escape.markdown(text)
  return (escape.shown(text):gsub(MARKUP, "\\%0"):gsub("|", "&#124;"))
end

---A name as code, in which nothing is a link, or calls a person. One with what ends code, or a
---cell, is written as prose.
---@param name string
---@return string
function escape.markdown_name(name)
  local text <const> = escape.shown(name)
  if text:find "[`|\\]" or text:find "^ " or text:find " $" then return escape.markdown(name) end
  return "`" .. text .. "`"
end

local ENTITIES <const> = {
  ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;",
}

---Text of XML 1.0, between tags or in an attribute.
---@param text string
---@return string
function escape.xml(text)
  return (escape.shown(text):gsub("[&<>\"']", ENTITIES))
end

---A description, or the reason behind a directive, of TAP: `#` would begin a directive.
---@param text string
---@return string
function escape.tap(text)
  return (escape.shown(text):gsub("[\\#]", "\\%0"))
end

---A scalar of YAML, in quotes.
---@param text string
---@return string
function escape.yaml(text)
  return '"' .. escape.shown(text):gsub('[\\"]', "\\%0") .. '"'
end

return escape
