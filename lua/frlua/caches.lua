--- The caches of a CPU as the machine reports them, and how much memory it takes to empty them.
local core <const> = require "frlua.core"
local cpus <const> = require "frlua.cpus"
local kernel <const> = require "frlua.kernel"
local units <const> = require "frlua.units"

local caches <const> = {}

local MiB <const> = 1 << 20

-- What is written and read to evict at least, whatever the caches are said to be.
local least_eviction <const> = 64 * MiB

-- No machine is known with more last-level cache for a CPU: where caches are stacked, two cores
-- have 96 MiB, 48 MiB each. A guest that reports more (508 MiB for two CPUs was seen) reports its
-- host's cache, of which others have their part, and going through twice as much would take longer
-- than most experiments. It counts for two CPUs at least: one alone may have its neighbour's part.
local most_for_a_cpu <const> = 64 * MiB

---@class frlua.Cache what sysfs does not tell is absent, with the reason in a field of its name and
---"_why"
---@field level integer?
---@field type string? "Data", "Instruction" or "Unified"
---@field bytes integer?
---@field ways integer?
---@field line_bytes integer?
---@field sets integer?
---@field shared_cpus string? the CPUs that share it, such as "0-1"
---@field source string "sysfs" or "sysconf"

-- Guests report 0 for what their host did not tell them.
local function positive(path)
  local number <const>, message <const> = kernel.whole(path)
  if number and number > 0 then return number end
  return nil, message or ("'%s' is %d"):format(path, number)
end

local suffixes <const> = { [""] = 1, K = 1 << 10, M = 1 << 20, G = 1 << 30 }

local function size(path)
  local line <const>, message <const> = kernel.line(path)
  if not line then return nil, message end
  local digits <const>, suffix <const> = line:match "^(%d+)(%u?)$"
  local bytes <const> = suffixes[suffix] and tonumber(digits) * suffixes[suffix]
  if bytes and bytes > 0 then return bytes end
  return nil, ("'%s' is '%s'"):format(path, line)
end

local readers <const> = {
  level = { file = "level", read = positive },
  type = { file = "type", read = kernel.line },
  bytes = { file = "size", read = size },
  ways = { file = "ways_of_associativity", read = positive },
  line_bytes = { file = "coherency_line_size", read = positive },
  sets = { file = "number_of_sets", read = positive },
  shared_cpus = { file = "shared_cpu_list", read = kernel.line },
}

local function read_index(directory)
  local cache <const> = { source = "sysfs" }
  for name, reader in pairs(readers) do
    local value <const>, message <const> = reader.read(directory .. reader.file)
    cache[name] = value
    if value == nil then cache[name .. "_why"] = message end
  end
  return cache
end

local function from_sysfs(cpu)
  local list <const> = {}
  local pattern <const> = ("/sys/devices/system/cpu/cpu%d/cache/index*/level"):format(cpu)
  for _, path in ipairs(kernel.matching(pattern)) do
    list[#list + 1] = read_index(path:match "^.*/")
  end
  return list[1] and list
end

local function from_sysconf()
  local list <const>, sizes <const> = {}, core.sizes()
  local levels <const> = {
    { level = 1, type = "Data", bytes = sizes.l1d_bytes, ways = sizes.l1d_ways,
      line_bytes = sizes.line_bytes },
    { level = 2, type = "Unified", bytes = sizes.l2_bytes },
    { level = 3, type = "Unified", bytes = sizes.l3_bytes },
  }
  for _, cache in ipairs(levels) do
    cache.source = "sysconf"
    if cache.bytes then list[#list + 1] = cache end
  end
  return list[1] and list
end

---The caches of a CPU: from sysfs, which may list those of CPU 0 only; where it lists none, what
---the C library knows.
---@param cpu integer
---@return frlua.Cache[]? list
---@return string? why none is known
function caches.of(cpu)
  local list <const> = from_sysfs(cpu) or from_sysfs(0) or from_sysconf()
  if list then return list end
  return nil, "neither sysfs nor the C library knows of any"
end

local function sharers(cache)
  local text <const> = cache.shared_cpus or kernel.line "/sys/devices/system/cpu/online"
  local numbers <const> = text and cpus.parse(text) or cpus.allowed() or {}
  return #numbers
end

---What speaks against the size of a cache; nil when nothing does. Implausible is what is more than
---64 MiB for each CPU that shares it (for two, if fewer do), or more than a quarter of the memory.
---@param cache frlua.Cache whose `bytes` are known
---@param memory_bytes integer? of the machine
---@return string?
function caches.doubt(cache, memory_bytes)
  local count <const> = math.max(2, sharers(cache))
  if cache.bytes > count * most_for_a_cpu then
    return ("more than %s for each of %d CPUs"):format(units.bytes(most_for_a_cpu), count)
  elseif memory_bytes and cache.bytes > memory_bytes // 4 then
    return ("more than a quarter of the memory, %s"):format(units.bytes(memory_bytes))
  end
end

local function named(cache)
  return ("level %d cache, %s"):format(cache.level, units.bytes(cache.bytes))
end

---How much memory to write and read so that the caches hold nothing else: twice the largest cache
---of a plausible size, see caches.doubt; 64 MiB at least.
---@param list frlua.Cache[]
---@param memory_bytes integer? of the machine
---@return integer bytes
---@return string why
function caches.evict_bytes(list, memory_bytes)
  local largest
  local doubts = ""
  for _, cache in ipairs(list) do
    if cache.bytes and cache.level and cache.type ~= "Instruction" then
      local reason <const> = caches.doubt(cache, memory_bytes)
      if reason then
        doubts = ("%s; not believed: %s, which is %s"):format(doubts, named(cache), reason)
      elseif not largest or cache.bytes > largest.bytes then
        largest = cache
      end
    end
  end
  local known <const> = largest and named(largest) or "no cache of known, plausible size"
  if largest and 2 * largest.bytes > least_eviction then
    return 2 * largest.bytes, ("twice the %s%s"):format(known, doubts)
  end
  return least_eviction, ("the least that is taken; largest: %s%s"):format(known, doubts)
end

return caches
