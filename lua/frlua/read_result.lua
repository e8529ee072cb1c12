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

local function read(path)
  if path == "-" then return io.read "a" end
  return files.read(path)
end

---The documents of a file as they stand in it: null is json.null, and readings are tables.
---@param path string "-" is standard input
---@return table[]? documents one, or those of a list of experiments
---@return string|integer message or how many keys of the file are written twice: what readers make
---  of those differs
function read_result.raw(path)
  local text <const>, message <const> = read(path)
  if not text then return nil, message end
  path = path == "-" and "standard input" or path
  local decoded <const>, why <const> = json.decode(text)
  if decoded == nil then return nil, ("'%s' is no result file: %s"):format(path, why) end
  local list <const> = json.is_array(decoded) and decoded or { decoded }
  if #list == 0 then return nil, ("'%s' is no result file: it holds no result"):format(path) end
  for _, document in ipairs(list) do
    if type(document) ~= "table" or document.schema ~= "frlua/1" then
      return nil, ("'%s' is no result file of schema frlua/1"):format(path)
    end
  end
  return list, keys_in(text) - keys_of(decoded)
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
    for _, phase in ipairs(sample.phases) do phase.ns = core.series(phase.ns) end
  end
  return document
end

return read_result
