--- What a machine's addresses are divided into: pages, cache lines, sets of the first-level data
--- cache. Read from the machine, or given by the script for a machine that does not tell; which of
--- the two is kept with every size.
local check <const> = require "frlua.check"
local machine <const> = require "frlua.machine"
local units <const> = require "frlua.units"

local geometry <const> = {}

---@class frlua.Geometry
---@field page_bytes integer
---@field huge_bytes integer? of a transparent huge page of the largest size
---@field line_bytes integer? nil where neither the machine nor the script tells
---@field sets integer? of the first-level data cache, likewise
---@field line_from string where line_bytes is from, or why it is unknown
---@field sets_from string likewise

local function power_of_two(value, name)
  local number <const> = check.whole(value, name, 1)
  if number & (number - 1) == 0 then return number end
  check.fail(("%s must be a power of two, not %d"):format(name, number))
end

-- The first-level data cache, as the machine reports it.
local function first_level()
  for _, cache in ipairs(machine.caches or {}) do
    if cache.level == 1 and cache.type ~= "Instruction" then return cache end
  end
end

-- Sets are counted by the machine, or follow from what it counts.
local function sets_of(cache)
  if not cache then
    return nil, machine.why.caches or "no first-level data cache is among those that it tells of"
  elseif cache.sets then
    return cache.sets, cache.source
  end
  local way_bytes <const> = (cache.ways or 0) * (cache.line_bytes or 0)
  if way_bytes == 0 or not cache.bytes or cache.bytes % way_bytes ~= 0 then
    return nil, cache.source .. " tells neither its sets nor sizes that make a whole number of them"
  end
  return cache.bytes // way_bytes, cache.source .. ", from its size, ways and line"
end

-- What the machine tells; else the script's value, said to be that; else nil and the reason.
local function told_or_given(told, from, given)
  if told then return told, "read from " .. from end
  if given then return given, "given by the script; this machine's is unknown: " .. from end
  return nil, "unknown: " .. from
end

local all <const> = setmetatable({}, { __mode = "k" })

---Whether a value is what `geometry.geometry` made.
---@param value any
---@return boolean
function geometry.is_one(value)
  return all[value] ~= nil
end

---The sizes that layouts are audited by. What this machine does not tell may be given, as a default
---that is named as such: `fr.geometry { line = 64, sets = 64 }`.
---@param defaults? { line: integer?, sets: integer? } powers of two
---@return frlua.Geometry
function geometry.geometry(defaults)
  local given <const> = check.keys(defaults or {}, { "line", "sets" }, "fr.geometry")
  local line <const> = given.line and power_of_two(given.line, "line in fr.geometry")
  local sets <const> = given.sets and power_of_two(given.sets, "sets in fr.geometry")
  local cache <const> = first_level()
  local made <const> = { page_bytes = machine.page_bytes, huge_bytes = machine.huge_page_bytes }
  made.line_bytes, made.line_from = told_or_given(machine.line_bytes,
    machine.line_bytes and "the C library or sysfs" or tostring(machine.why.line_bytes), line)
  local told <const>, from <const> = sets_of(cache)
  made.sets, made.sets_from = told_or_given(told, from, sets)
  all[made] = true
  return made
end

---@param sizes frlua.Geometry
---@return string # in a line for reports
function geometry.text(sizes)
  return ("lines of %s (%s), %s sets in the first-level data cache (%s)"):format(
    sizes.line_bytes and units.bytes(sizes.line_bytes) or "unknown size", sizes.line_from,
    sizes.sets and units.count(sizes.sets) or "unknown", sizes.sets_from)
end

return geometry
