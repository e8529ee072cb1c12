--- JSON with one text for one value, so that anybody can recompute a digest of it: no white space;
--- keys sorted bytewise; text in UTF-8, with only `"`, `\` and bytes below 0x20 escaped; whole
--- numbers in full; floats in the fewest digits that read back as the same double, always with a
--- point or an exponent (`9007199254740992.0`, `1e+16`). Python's json.dumps(value, sort_keys=True,
--- separators=(",", ":"), ensure_ascii=False) writes the same bytes.
---
--- Reading is dkjson's work. Its writer would lose digits of floats (`%.14g`), write `{ n = 5 }` as
--- five nulls, and escape more characters than JSON asks for.
local check <const> = require "frlua.check"
local core <const> = require "frlua.core"
local json_text <const> = require "frlua.json_text"

local json <const> = {}

---JSON's null. True in a condition, as every table is: compare with it.
json.null = setmetatable({}, { __tostring = function() return "null" end })

local array_mark <const> = { __name = "JSON array" }

---Marks a list as an array, which tells an empty one from an empty object.
---@generic T
---@param list T[]
---@return T[] # the same table
function json.array(list)
  return setmetatable(list, array_mark)
end

---@param value any
---@return boolean # whether it is a list that json.array marked, or that was read as an array
function json.is_array(value)
  return type(value) == "table" and getmetatable(value) == array_mark
end

---@param value any
---@return boolean # whether it is a series of the core, which is written as an array
function json.is_series(value)
  local mark <const> = type(value) == "userdata" and debug.getmetatable(value)
  return mark and mark.__name == "frlua.series" or false
end

-- A writer knows where it is: the keys on the way down from the value as a whole.
local Writer <const> = {}
Writer.__index = Writer

function Writer:where()
  local place = ""
  for depth = 1, self.depth do
    local key <const> = self.keys[depth]
    if math.type(key) == "integer" then
      place = ("%s[%d]"):format(place, key)
    elseif key:find "^[%a_][%w_]*$" then
      place = place .. (place == "" and "" or ".") .. key
    else
      place = ("%s[%s]"):format(place, check.show(key))
    end
  end
  return place == "" and "the value" or place
end

function Writer:refuse(reason)
  check.fail(("no JSON for this: %s %s"):format(self:where(), reason))
end

-- The number of a table's entries, and its other keys: JSON has the one or the other.
function Writer:contents(object)
  local entries, last, names = 0, 0, {}
  for key in next, object do
    if type(key) == "string" then
      names[#names + 1] = key
    elseif math.type(key) == "integer" and key > 0 then
      entries, last = entries + 1, math.max(last, key)
    else
      self:refuse(("has the key %s: keys are texts, or count from 1"):format(check.show(key)))
    end
  end
  if names[1] and (entries > 0 or getmetatable(object) == array_mark) then
    self:refuse(("is an array, but has the key %s"):format(check.show(names[1])))
  elseif last > entries then
    self:refuse(("has an entry %d, but not all before it"):format(last))
  end
  return entries, names
end

local function bytewise(a, b)
  for position = 1, #a do
    local x <const>, y <const> = a:byte(position), b:byte(position) or -1
    if x ~= y then return x < y end
  end
  return #a < #b
end

-- Lua compares strings as the locale does: in C bytewise, and faster than it can be done in Lua.
local function comparison()
  if os.setlocale(nil, "collate") == "C" then return function(a, b) return a < b end end
  return bytewise
end

-- Those of `order` first.
function Writer:sort(names, order)
  if not order then return table.sort(names, self.before) end
  local rank <const> = {}
  for index, name in ipairs(order) do rank[name] = index end
  table.sort(names, function(a, b)
    local rank_a <const>, rank_b <const> = rank[a] or math.huge, rank[b] or math.huge
    if rank_a ~= rank_b then return rank_a < rank_b end
    return self.before(a, b)
  end)
end

-- Exchanges those keys that are not UTF-8 for what is written instead. Returns what they were, or
-- nil when all were.
function Writer:validate(names, object)
  local original
  for index, name in ipairs(names) do
    local text <const> = json_text.valid(name)
    if text ~= name then
      original = original or {}
      if original[text] or object[text] ~= nil then
        self:refuse(("has the key %s twice, once not in UTF-8"):format(check.show(text)))
      end
      names[index], original[text] = text, name
    end
  end
  return original
end

function Writer:add(text)
  self.size = self.size + 1
  self.parts[self.size] = text
end

function Writer:array(list, entries)
  self:add "["
  for index = 1, entries do
    if index > 1 then self:add "," end
    self.keys[self.depth] = index
    self:value(list[index])
  end
  self:add "]"
end

function Writer:object(object, names, original, order)
  self:sort(names, order)
  self:add "{"
  for index, name in ipairs(names) do
    if index > 1 then self:add "," end
    self:add(json_text.string(name))
    self:add ":"
    self.keys[self.depth] = name
    self:value(object[original and original[name] or name])
  end
  self:add "}"
end

function Writer:table(object, order)
  if object == json.null then return self:add "null" end
  if self.open[object] then self:refuse "contains itself" end
  self.open[object] = true
  local entries <const>, names <const> = self:contents(object)
  local original <const> = self:validate(names, object)
  self.depth = self.depth + 1
  if entries > 0 or getmetatable(object) == array_mark then
    self:array(object, entries)
  else
    self:object(object, names, original, order)
  end
  self.depth = self.depth - 1
  self.open[object] = nil
end

function Writer:number(number)
  if math.type(number) == "integer" then return self:add(("%d"):format(number)) end
  if not check.is_finite(number) then
    self:refuse(("is %s, which JSON cannot say"):format(check.show(number)))
  end
  self:add(json_text.float(number))
end

function Writer:string(text) self:add(json_text.string(text)) end

function Writer:boolean(boolean) self:add(tostring(boolean)) end

function Writer:value(value, order)
  local kind <const> = type(value)
  if json.is_series(value) then
    self:add(value:json())
  elseif kind == "table" then
    self:table(value, order)
  elseif kind == "number" or kind == "string" or kind == "boolean" then
    self[kind](self, value)
  else
    self:refuse(kind == "nil" and "is nil: JSON's null is json.null" or "is a " .. kind)
  end
end

---Writes a value as JSON. Tables with entries are arrays, others are objects; a series of the core
---is an array; bytes that are not UTF-8 become U+FFFD. Metamethods are not asked. An error that
---names the place: NaN, an infinity, a hole, entries beside keys, other keys than texts, functions
---and the like, a table inside itself.
---@param value any
---@param order? string[] those keys of the value itself that come first, in this order
---@return string
function json.encode(value, order)
  local writer <const> = setmetatable({
    parts = {}, size = 0, keys = {}, depth = 0, open = {}, before = comparison(),
  }, Writer)
  writer:value(value, order)
  return table.concat(writer.parts)
end

-- dkjson says what is no JSON without an error; what it raises is that the stack, or memory, ended.
local function decoding_failure(message)
  return message:find "stack overflow" and "nested too deeply" or message
end

---Reads JSON. Whole numbers up to 63 bits are integers, null is `json.null`, arrays are marked, so
---that what was read is written again byte for byte if it was canonical.
---@param text string
---@return any value nil when the text is not JSON
---@return string? message
function json.decode(text)
  local dkjson <const> = require "dkjson" -- here, since most scripts only write
  local ok <const>, value <const>, after <const>, message <const> =
    pcall(dkjson.decode, text, 1, json.null, nil, array_mark)
  if not ok and core.interrupted() then error(value, 0) end
  if not ok then return nil, "no JSON: " .. decoding_failure(tostring(value)) end
  if message then return nil, "no JSON: " .. message end
  local surplus <const> = text:find("%S", after)
  if surplus then return nil, ("no JSON: more text after the value, at byte %d"):format(surplus) end
  return value
end

return json
