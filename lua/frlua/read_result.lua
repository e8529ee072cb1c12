--- Reads result files back, as the documents that result.build made: long lists of readings are
--- series again, and what is unknown is absent, with its reason.
local core <const> = require "frlua.core"
local files <const> = require "frlua.files"
local json <const> = require "frlua.json"

local read_result <const> = {}

---The file that commands read when none is named: that of the last run.
---@return string? path
---@return string? message
function read_result.default_path()
  return files.state_path "last.json"
end

-- How many keys a text has, and how many are left of them when it was read.
local function keys_in(text)
  local _, count <const> = text:gsub("\\.", ""):gsub('"[^"]*"', ""):gsub(":", "")
  return count
end

local function keys_of(value)
  local count = 0
  for key, item in pairs(value) do
    if type(key) == "string" then count = count + 1 end
    if type(item) == "table" then count = count + keys_of(item) end
  end
  return count
end

local function list_of(series)
  local list <const> = {}
  for index = 1, #series do list[index] = series[index] end
  return json.array(list)
end

local function read(path)
  if path == "-" then return io.read "a" end
  return files.read(path)
end

-- Puts the series that core.lift took out of a text into their places in the value: as they are
-- where readings belong, elsewhere as lists. What looks like such a place, and is none, stays.
local function put_back(value, lifted)
  for key, item in pairs(value) do
    local index <const> = type(item) == "table" and item["frlua:series"]
    local series <const> = math.type(index) and lifted[index]
    if series then
      lifted[index] = nil
      value[key] = key == "ns" and series or list_of(series)
    elseif type(item) == "table" then
      put_back(item, lifted)
    end
  end
end

---The documents of a file as they stand in it: null is json.null, and long lists of readings are
---series.
---@param path string "-" is standard input
---@return table[]? documents one, or those of a list of experiments
---@return string|integer message or how many keys of the file are written twice: what readers make
---  of those differs
function read_result.raw(path)
  local text <const>, message <const> = read(path)
  if not text then return nil, message end
  path = path == "-" and "standard input" or path
  local short <const>, lifted <const> = core.lift(text)
  local decoded <const> = json.decode(short)
  if decoded == nil then
    return nil, ("'%s' is no result file: %s"):format(path, select(2, json.decode(text)))
  end
  local surplus <const> = type(decoded) == "table" and keys_in(short) - keys_of(decoded)
  if surplus then put_back(decoded, lifted) end
  local list <const> = json.is_array(decoded) and decoded or { decoded }
  if #list == 0 then return nil, ("'%s' is no result file: it holds no result"):format(path) end
  for _, document in ipairs(list) do
    if type(document) ~= "table" or document.schema ~= "frlua/1" then
      return nil, ("'%s' is no result file of schema frlua/1"):format(path)
    end
  end
  return list, surplus
end

-- A copy without nulls.
local function without_nulls(value)
  if type(value) ~= "table" then return value end
  local copy <const> = setmetatable({}, getmetatable(value))
  for key, item in pairs(value) do
    if item ~= json.null then copy[key] = without_nulls(item) end
  end
  return copy
end

---A document of read_result.raw that fits the schema, as it was before it was written.
---@param raw table
---@return table document
function read_result.document(raw)
  local document <const> = without_nulls(raw)
  for _, sample in ipairs(document.samples) do
    for _, phase in ipairs(sample.phases) do
      if type(phase.ns) == "table" then phase.ns = core.series(phase.ns) end
    end
    for name, reading in pairs(sample.printed or {}) do
      if json.is_series(reading) then sample.printed[name] = list_of(reading) end
    end
  end
  return document
end

return read_result
