--- The passport's facts of caches: as reported, marked where that can't be, and where what results
--- say of them is something else.
local caches <const> = require "frlua.caches"
local fact <const> = require "frlua.passport.fact"
local units <const> = require "frlua.units"

local facts <const> = {}

local LETTERS <const> = { Data = "d", Instruction = "i", Unified = "" }

local function name_of(cache)
  return ("cache_l%s%s"):format(cache.level or "_unknown", LETTERS[cache.type] or "")
end

local function text_of(cache)
  local parts <const> = { cache.bytes and units.bytes(cache.bytes) or "size unknown" }
  if cache.ways then parts[#parts + 1] = units.plural(cache.ways, "way") end
  if cache.fully_associative then parts[#parts + 1] = "fully associative" end
  if cache.line_bytes then
    parts[#parts + 1] = ("lines of %s"):format(units.bytes(cache.line_bytes))
  end
  local cpus <const> = cache.shared_cpus
  parts[#parts + 1] = cpus and ("of CPU%s %s"):format(cpus:find "%D" and "s" or "", cpus)
  return ("%s (%s)"):format(table.concat(parts, ", "), cache.source)
end

-- The same cache in the passport that results have.
local function twin_of(cache, list)
  for _, other in ipairs(list or {}) do
    if other.level == cache.level and other.type == cache.type then return other end
  end
end

-- What results say of the cache, where it is something else; nil where it is the same.
local function difference(cache, list)
  local other <const> = twin_of(cache, list)
  if not other then return "Results do not know it: sysfs and the C library do not tell it." end
  if other.bytes == cache.bytes then return nil end
  return ("Results have %s, by %s."):format(
    other.bytes and units.bytes(other.bytes) or "an unknown size", other.source)
end

local function copy_of(cache)
  local copy <const> = {}
  for key, value in pairs(cache) do copy[key] = value end
  return copy
end

local function of(cache, known)
  local value <const>, differs <const> = copy_of(cache), difference(cache, known.caches)
  local suffix <const> = differs and " " .. differs or ""
  if not cache.bytes then
    return fact.known(name_of(cache), value, text_of(cache), "unknown",
      ("How much fits in it is not known: %s.%s"):format(cache.bytes_why, suffix))
  end
  local doubt <const> = cache.type ~= "Instruction" and caches.doubt(cache, known.memory_bytes)
  value.implausible = doubt and true or false
  if doubt then
    value.doubt = doubt
    return fact.known(name_of(cache), value, text_of(cache) .. ", implausible", "note",
      ("As reported, but %s: not believed, an eviction does not go by it.%s"):format(doubt, suffix))
  end
  return fact.known(name_of(cache), value, text_of(cache), differs and "note" or "ok",
    (cache.type == "Instruction" and "The loops of a sample fit in it."
      or "What is larger is not held by it: sizes of regions go by it.") .. suffix)
end

local function eviction(known)
  local bytes <const>, why <const> = caches.evict_bytes(known.caches or {}, known.memory_bytes)
  return fact.known("evict_bytes", bytes, units.bytes(bytes), "ok",
    ("What an eviction goes through unless told otherwise: %s."):format(why))
end

---@param seen frlua.Seen
---@return frlua.Fact[]
function facts.facts(seen)
  local list <const> = {}
  for index, cache in ipairs(seen.topology.caches or {}) do list[index] = of(cache, seen.known) end
  if not list[1] then
    list[1] = fact.unknown("caches", seen.topology.caches_why,
      "Which sizes a cache holds is not known; scripts/latency.lua measures plateaus.")
  end
  list[#list + 1] = eviction(seen.known)
  return list
end

return facts
