--- Values as text, for the way from a forked child to its parent. What travels: nil, booleans,
--- numbers (integers stay integers, floats keep every bit), texts, series, and tables of them. A
--- table that is in two places arrives as two; metatables stay behind.
local check <const> = require "frlua.check"
local core <const> = require "frlua.core"

local value <const> = {}

local TRAVELS <const> = "nil, booleans, numbers, texts, series and tables of them"

local function is_series(item)
  local metatable <const> = type(item) == "userdata" and getmetatable(item)
  return metatable and metatable.__name == "frlua.series"
end

local function path_text(path)
  local steps <const> = {}
  for index, key in ipairs(path) do
    local is_name <const> = type(key) == "string" and key:match "^[%a_][%w_]*$"
    steps[index] = is_name and "." .. key or ("[%s]"):format(check.show(key))
  end
  return table.concat(steps)
end

local pack_item

-- `state` holds what is packed so far, the keys that lead to the item, and the tables on that way.
local function pack_table(item, state)
  local out <const>, path <const> = state.out, state.path
  if state.open[item] then return "a table that contains itself" end
  state.open[item] = true
  out[#out + 1] = "{"
  for key, field in next, item do
    path[#path + 1] = key
    local refused <const> = pack_item(key, state) or pack_item(field, state)
    if refused then return refused end
    path[#path] = nil
  end
  out[#out + 1] = "}"
  state.open[item] = nil
end

local function pack_series(item, state)
  local out <const> = state.out
  out[#out + 1] = ("c1 j"):pack("[", #item)
  for index = 1, #item do out[#out + 1] = ("j"):pack(item[index]) end
end

local packers <const> = {
  ["nil"] = function() return "0" end,
  boolean = function(item) return item and "t" or "f" end,
  number = function(item)
    return math.type(item) == "integer" and ("c1 j"):pack("i", item) or ("c1 n"):pack("n", item)
  end,
  string = function(item) return ("c1 s"):pack("s", item) end,
}

-- Returns what stands in the way, in words; nil when nothing does.
function pack_item(item, state)
  local pack <const> = packers[type(item)]
  if pack then
    state.out[#state.out + 1] = pack(item)
  elseif type(item) == "table" then
    return pack_table(item, state)
  elseif is_series(item) then
    pack_series(item, state)
  else
    return "a " .. type(item)
  end
end

---@param item any
---@return string? text nil when something in it can't travel
---@return string? why names the keys that lead there: "value.list[3] is a function: …"
function value.pack(item)
  local state <const> = { out = {}, path = {}, open = {} }
  local refused <const> = pack_item(item, state)
  if not refused then return table.concat(state.out) end
  return nil, ("value%s is %s: only %s can be handed over")
    :format(path_text(state.path), refused, TRAVELS)
end

local unpack_item

local function unpack_table(text, position)
  local item <const> = {}
  while text:sub(position, position) ~= "}" do
    local key, field
    key, position = unpack_item(text, position)
    field, position = unpack_item(text, position)
    item[key] = field
  end
  return item, position + 1
end

local function unpack_series(text, position)
  local count <const>, first <const> = ("j"):unpack(text, position)
  local list <const>, position_now = {}, first
  for index = 1, count do list[index], position_now = ("j"):unpack(text, position_now) end
  return core.series(list), position_now
end

local unpackers <const> = {
  ["0"] = function(_, position) return nil, position end,
  t = function(_, position) return true, position end,
  f = function(_, position) return false, position end,
  i = function(text, position) return ("j"):unpack(text, position) end,
  n = function(text, position) return ("n"):unpack(text, position) end,
  s = function(text, position) return ("s"):unpack(text, position) end,
  ["{"] = unpack_table,
  ["["] = unpack_series,
}

function unpack_item(text, position)
  return unpackers[text:sub(position, position)](text, position + 1)
end

---@param text string what `value.pack` made, in a process of this same machine
---@return any
function value.unpack(text)
  return (unpack_item(text, 1))
end

return value
