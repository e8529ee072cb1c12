--- The levels of a memory system by the sizes that a machine reports, and which of them a range of
--- working sets lies in. Sizes that are unknown, or not believed, name nothing, nor what is above.
local caches <const> = require "frlua.caches"
local units <const> = require "frlua.units"

local levels <const> = {}

---@class frlua.Levels
---@field bytes integer[] of the caches of level 1, 2 … that hold data, as far as all are known
---@field why string? why not more than these; nil when the last of them is the last level

-- The caches that hold data, by level, and the highest level that is told of.
local function by_level(list)
  local found <const>, highest = {}, 0
  for _, cache in ipairs(list) do
    local level <const> = cache.type ~= "Instruction" and cache.level
    if level then
      found[level], highest = found[level] or cache, math.max(highest, level)
    end
  end
  return found, highest
end

-- The size of one level, or why it is of no use.
local function size_of(cache, level, below, memory_bytes)
  if not cache then return nil, ("no level %d cache is told of"):format(level) end
  local bytes <const> = cache.bytes
  if not bytes then return nil, ("the size of the level %d cache is unknown"):format(level) end
  local doubt <const> = caches.doubt(cache, memory_bytes)
    or below and bytes <= below and ("no more than that of level %d"):format(level - 1)
  if doubt then
    return nil, ("%s for the level %d cache is not believed: %s"):format(units.bytes(bytes), level,
      doubt)
  end
  return bytes
end

---@param list frlua.Cache[]? as the machine reports them
---@param memory_bytes integer? of the machine
---@param why string? why there is no list
---@return frlua.Levels
function levels.of(list, memory_bytes, why)
  local sizes <const> = {}
  if not list then
    return { bytes = sizes, why = "no cache is known: " .. (why or "unknown why") }
  end
  local found <const>, highest <const> = by_level(list)
  if highest == 0 then return { bytes = sizes, why = "no cache that holds data is told of" } end
  for level = 1, highest do
    local bytes <const>, unknown <const> =
      size_of(found[level], level, sizes[level - 1], memory_bytes)
    if not bytes then return { bytes = sizes, why = unknown } end
    sizes[level] = bytes
  end
  return { bytes = sizes }
end

---The level that working sets lie in: "L1", "L2" …, or "memory".
---@param known frlua.Levels
---@param from integer bytes of the smallest
---@param to integer bytes of the largest
---@return string? name nil where the reported sizes name none
---@return string? why
function levels.name(known, from, to)
  local below = 0
  for level, bytes in ipairs(known.bytes) do
    if from > below and to <= bytes then return "L" .. level end
    if from > below and from <= bytes then
      return nil, ("it reaches beyond the %s of the level %d cache"):format(units.bytes(bytes),
        level)
    end
    below = bytes
  end
  if known.why then return nil, known.why end
  return "memory"
end

---@param known frlua.Levels
---@return string # the sizes that names rest on, and why there are no more
function levels.text(known)
  local parts <const> = {}
  for level, bytes in ipairs(known.bytes) do
    parts[level] = ("L%d %s"):format(level, units.bytes(bytes))
  end
  parts[#parts + 1] = known.why
  return table.concat(parts, "; ")
end

return levels
