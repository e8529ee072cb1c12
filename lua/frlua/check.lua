--- Checks of what scripts pass to the library. A refusal names the argument, shows its value and
--- says what would be right; its error carries the script's line, however deep in the library it is
--- found.
local units <const> = require "frlua.units"

local check <const> = {}

-- "@" and the directory of this file: the source of every frame of the library begins with it.
local library <const> = debug.getinfo(1, "S").source:match "^.*/"

---Calls `build` on behalf of the script's line `place`. In `return fr.experiment "name" { … }` the
---second call is a tail call, which takes the script's frame off the stack before the fields are
---checked: the first call notes `check.place()`, the second runs under it.
---@param place string? from `check.place`
---@param build function
---@param ... any its arguments
---@return any # its first result
function check.from(place, build, ...) -- luacheck: ignore 212 (`place` is read from the stack)
  return (build(...)) -- in parentheses, so that this frame stays on the stack
end

---Where the script called the library: its innermost line on the stack.
---@return string? place such as "script.lua:12"; nil when there is no script
function check.place()
  local level = 2
  local frame = debug.getinfo(level, "Slf")
  while frame do
    if frame.func == check.from then
      local _, place <const> = debug.getlocal(level, 1)
      return place
    elseif frame.what ~= "C" and frame.source:sub(1, #library) ~= library then
      return ("%s:%d"):format(frame.short_src, frame.currentline)
    end
    level = level + 1
    frame = debug.getinfo(level, "Slf")
  end
end

---Raises an error at the script's line.
---@param message string
function check.fail(message)
  local place <const> = check.place()
  error(place and place .. ": " .. message or message, 0)
end

local function shown_text(text)
  if #text > 40 then
    text = text:sub(1, 37):gsub("[\xC0-\xFF][\x80-\xBF]*$", "") .. "..." -- no half of a character
  end
  return "'" .. text:gsub("%c", function(c) return ("\\%d"):format(c:byte()) end) .. "'"
end

---A value as messages show it: numbers as Lua writes them, texts quoted and shortened.
---@param value any
---@return string
function check.show(value)
  local kind <const> = type(value)
  if kind == "number" then return units.number(value) end
  if kind == "string" then return shown_text(value) end
  if kind == "nil" or kind == "boolean" then return tostring(value) end
  return "a " .. kind
end

local function refuse(name, wanted, value, hint)
  check.fail(("%s must be %s, not %s%s"):format(name, wanted, check.show(value), hint or ""))
end

local function range(min, max)
  if min and max then return (" from %s to %s"):format(check.show(min), check.show(max)) end
  if min then return " of at least " .. check.show(min) end
  return max and " of at most " .. check.show(max) or ""
end

---A whole number. Whole floats (`4096.0`) are taken, and texts that Lua itself converts (`"4096"`).
---@param value any
---@param name string the argument's name
---@param min? integer
---@param max? integer
---@return integer
function check.whole(value, name, min, max)
  local number <const> = tonumber(value)
  local whole <const> = number and math.tointeger(number)
  if whole and whole >= (min or whole) and whole <= (max or whole) then return whole end
  if number and number >= 0x1p63 then max = max or math.maxinteger end -- say what it exceeds
  refuse(name, "a whole number" .. range(min, max), value)
end

---@param number number
---@return boolean # false for NaN, too, which compares as false with everything
function check.is_finite(number)
  return math.abs(number) < math.huge
end

---A finite number, whole or not; texts as in `check.whole`.
---@param value any
---@param name string
---@param min? number
---@param max? number
---@return number
function check.number(value, name, min, max)
  local number <const> = tonumber(value)
  if number and check.is_finite(number) and number >= (min or number)
    and number <= (max or number) then
    return number
  end
  refuse(name, "a finite number" .. range(min, max), value)
end

---A size in bytes: a whole number above 0, or a text that follows the rule of `units.parse_bytes`.
---@param value any
---@param name string
---@return integer bytes
function check.bytes(value, name)
  local bytes, meant
  if type(value) == "string" then
    bytes, meant = units.parse_bytes(value)
  elseif type(value) == "number" then
    bytes = math.tointeger(value)
  end
  if bytes and bytes > 0 then return bytes end
  local wanted <const> = "a whole number of bytes, at least 1 and below 2^63,"
    .. " or a text such as '64 MiB' (B, KiB, MiB, GiB, TiB)"
  refuse(name, wanted, value, meant and (": did you mean '%s'?"):format(meant))
end

---A text that is not empty.
---@param value any
---@param name string
---@return string
function check.text(value, name)
  if type(value) == "string" and value ~= "" then return value end
  refuse(name, "a text that is not empty", value)
end

-- Edits between two texts: inserted, left out, exchanged, or two neighbours swapped (optimal string
-- alignment, after Damerau 1964).
local function edits(a, b)
  local row_before, row = {}, {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local next_row <const> = { [0] = i }
    for j = 1, #b do
      local exchange <const> = a:byte(i) == b:byte(j) and 0 or 1
      local least = math.min(row[j] + 1, next_row[j - 1] + 1, row[j - 1] + exchange)
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        least = math.min(least, row_before[j - 2] + 1)
      end
      next_row[j] = least
    end
    row_before, row = row, next_row
  end
  return row[#b]
end

---The name in a list that somebody who wrote `name` most likely meant. Upper and lower case count
---as the same; up to a third of the letters (at least one) may differ.
---@param name string
---@param list string[]
---@return string? nearest nil when none is near; the first of equals
function check.nearest(name, list)
  local nearest, fewest
  for _, candidate in ipairs(list) do
    local longest <const> = math.max(#name, #candidate)
    local allowed <const> = math.min(math.max(1, longest // 3), longest - 1)
    if math.abs(#name - #candidate) <= allowed then -- otherwise it can't be near: save the work
      local count <const> = edits(name:lower(), candidate:lower())
      if count <= allowed and count < (fewest or math.huge) then
        nearest, fewest = candidate, count
      end
    end
  end
  return nearest
end

---Refuses a name that is not in a list, with the nearest one that is, or with all of them.
---@param kind string what it should name, such as "step"
---@param value any
---@param known string[]
---@param where? string such as "mode 'prefault,spin'"
function check.unknown(kind, value, known, where)
  local near <const> = type(value) == "string" and check.nearest(value, known)
  local hint = "none is known"
  if near then
    hint = ("did you mean '%s'?"):format(near)
  elseif known[1] then
    hint = ("known are '%s'"):format(table.concat(known, "', '"))
  end
  local place <const> = where and " in " .. where or ""
  check.fail(("unknown %s %s%s: %s"):format(kind, check.show(value), place, hint))
end

---@param value any
---@param name string
---@return function
function check.callable(value, name)
  if type(value) == "function" then return value end
  refuse(name, "a function", value)
end

local function contains(list, value)
  for _, item in ipairs(list) do
    if item == value then return true end
  end
  return false
end

---One of a list of names.
---@param value any
---@param list string[]
---@param name string what is named, such as "step"
---@param where? string
---@return string
function check.one_of(value, list, name, where)
  if not contains(list, value) then check.unknown(name, value, list, where) end
  return value
end

---The keys of a table of fields. Entries without a key are taken only if `known.entries` is true,
---and may leave no hole: a misspelt variable is nil, and would vanish silently.
---@param fields any
---@param known { [integer]: string, entries: boolean? }
---@param what string whose fields they are, such as "fr.experiment"
---@return table fields
function check.keys(fields, known, what)
  if type(fields) ~= "table" then refuse(what, "given a table", fields) end
  local entries = 0
  for key in pairs(fields) do
    if known.entries and math.type(key) == "integer" then
      entries = entries + 1
    else
      check.one_of(key, known, "key", what)
    end
  end
  for index = 1, entries do
    if fields[index] == nil then check.fail(("entry %d of %s is nil"):format(index, what)) end
  end
  return fields
end

return check
