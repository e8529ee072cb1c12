--- Lines of text broken at words, by the columns that characters take on a terminal.
local core <const> = require "frlua.core"

local wrap <const> = {}

-- What stays with the number before it.
local UNITS <const> = {}
for _, unit in ipairs { "%", "ns", "µs", "us", "ms", "s", "B", "KiB", "MiB", "GiB", "TiB" } do
  UNITS[unit] = true
end

---@param text string UTF-8
---@return integer # on a terminal: two for a wide character, none for one that combines
function wrap.columns(text)
  local _, taken <const> = core.text_fit(text)
  return taken
end

-- Whether a line may end before the spaces at `at`: not between a number and its unit, nor in an
-- interval, nor in front of a number that spaces align.
local function is_break(text, at)
  local spaces <const>, word <const> = text:match("^( +)([^%s,;:/)%]]*)", at)
  if UNITS[word] and text:find("^%d", at - 1) then return false end
  if text:sub(1, at - 1):find "%[[^%]]*$" then return false end
  return #spaces == 1 or not word:find "^[%d.-]"
end

-- How many bytes the first line of `text` has, whose first `fit` bytes have room.
local function end_of_line(text, fit)
  local start <const> = #text:match "^ *"
  for at = fit + 1, start + 2, -1 do
    if text:byte(at) == 32 and text:byte(at - 1) ~= 32 and is_break(text, at) then
      return at - 1
    end
  end
  for at = fit, start + 2, -1 do
    if text:byte(at) == 44 then return at end -- a comma: "prefault,spin,touch"
  end
  return math.max(fit, utf8.offset(text, 2) - 1) -- one character at least, or there is no end
end

---Lines of at most so many columns: broken at spaces, or after commas, or anywhere.
---@param text string UTF-8 without control bytes
---@param columns integer
---@param hang integer spaces before every line but the first
---@return string[]
function wrap.lines(text, columns, hang)
  local lines <const>, prefix = {}, ""
  while true do
    local fit <const> = core.text_fit(text, math.max(0, columns - #prefix))
    if fit == #text then break end
    local last <const> = end_of_line(text, fit)
    lines[#lines + 1] = prefix .. text:sub(1, last)
    text, prefix = text:sub(last + 1):gsub("^ +", ""), (" "):rep(math.min(hang, columns // 2))
    if text == "" then return lines end
  end
  lines[#lines + 1] = prefix .. text
  return lines
end

---The spaces that go before what is left of a line of a report: two more than its text has, or than
---that of a verdict.
---@param line string
---@return integer
function wrap.hang(line)
  local text <const> = line:match "^  %u+  +()%S"
  return (text and text - 1 or #line:match "^ *") + 2
end

return wrap
