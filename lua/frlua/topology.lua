--- Which CPUs share what: by hwloc, which also asks processors themselves, and by sysfs where hwloc
--- fails or contradicts the kernel. It takes milliseconds: for the passport, not for a run.
local caches <const> = require "frlua.caches"
local cpus <const> = require "frlua.cpus"
local kernel <const> = require "frlua.kernel"

local topology <const> = {}

---@class frlua.Topology an unknown field is absent, with the reason in a field of its name and
---"_why"
---@field source string "hwloc" or "sysfs"
---@field hwloc_why string? why it is not hwloc's
---@field online string? the CPUs, such as "0-3"
---@field packages integer?
---@field cores integer? of all packages
---@field numa_nodes integer?
---@field core_cpus integer[]? those on the core of the CPU that was asked for, itself included
---@field caches frlua.Cache[]? of that CPU

local directory <const> = "/sys/devices/system/cpu/"

-- hwloc leaves sizes out that it does not know, or that sysfs gives as 0.
local function from_hwloc(cache)
  return {
    level = cache.level, type = cache.type, source = "hwloc",
    bytes = cache.bytes, bytes_why = not cache.bytes and "hwloc does not know it" or nil,
    line_bytes = cache.line_bytes,
    line_bytes_why = not cache.line_bytes and "hwloc does not know it" or nil,
    ways = cache.ways, fully_associative = cache.fully_associative,
    ways_why = not cache.ways and (cache.fully_associative and "it is fully associative"
      or "hwloc does not know it") or nil,
    shared_cpus = cpus.format(cache.cpus),
  }
end

-- Loaded below other directories, or from a file that its environment names, it is no witness.
local function ask_hwloc(cpu)
  if not kernel.is_this_machine() then return nil, "it would look at another machine" end
  local loaded <const>, module <const> = pcall(require "frlua.native", "topology")
  if not loaded then return nil, module end
  local found <const>, message <const> = module.read(cpu)
  if not found then return nil, message end
  if not found.is_this_machine then
    return nil, "its environment variables name another machine"
  end
  return found
end

-- Why what hwloc found is not believed; nil when nothing speaks against it.
local function objection(found, online)
  local seen <const> = cpus.format(found.cpus)
  if online and seen ~= online then
    return ("it finds the CPUs %s, where the kernel has %s online"):format(seen, online)
  elseif not found.core_cpus then
    return "it does not find the core of the CPU that samples use"
  end
end

-- The number of different lines in a file that every online CPU has.
local function distinct(numbers, file)
  local seen <const>, count = {}, 0
  for _, number in ipairs(numbers) do
    local path <const> = ("%scpu%d/%s"):format(directory, number, file)
    local line <const>, message <const> = kernel.line(path)
    if not line then return nil, message end
    if not seen[line] then count = count + 1 end
    seen[line] = true
  end
  return count
end

local function list(path)
  local line <const>, message <const> = kernel.line(path)
  if not line then return nil, message end
  return cpus.parse(line)
end

local siblings <const> = "topology/thread_siblings_list"

local function ask_sysfs(cpu)
  local found <const> = { source = "sysfs" }
  local numbers <const>, why <const> = list(directory .. "online")
  local nodes <const>, nodes_why <const> = list "/sys/devices/system/node/online"
  found.packages, found.packages_why = distinct(numbers or {}, "topology/physical_package_id")
  found.cores, found.cores_why = distinct(numbers or {}, siblings)
  if not numbers then
    found.packages, found.packages_why, found.cores, found.cores_why = nil, why, nil, why
  end
  found.numa_nodes, found.numa_nodes_why = nodes and #nodes, nodes_why
  found.core_cpus, found.core_cpus_why = list(("%scpu%d/%s"):format(directory, cpu, siblings))
  found.caches, found.caches_why = caches.of(cpu)
  return found
end

local function as_found(found)
  local result <const> = { source = "hwloc", core_cpus = found.core_cpus, caches = {} }
  for _, name in ipairs { "packages", "cores", "numa_nodes" } do
    result[name] = found[name]
    result[name .. "_why"] = not found[name] and "hwloc does not know it" or nil
  end
  for index, cache in ipairs(found.caches) do result.caches[index] = from_hwloc(cache) end
  if not result.caches[1] then
    result.caches, result.caches_why = nil, "hwloc finds none"
  end
  return result
end

---@param cpu integer
---@return frlua.Topology
function topology.of(cpu)
  local online <const>, online_why <const> = kernel.line(directory .. "online")
  local found <const>, message <const> = ask_hwloc(cpu)
  local why <const> = message or objection(found, online)
  local result <const> = why and ask_sysfs(cpu) or as_found(found)
  result.hwloc_why, result.online, result.online_why = why, online, online_why
  if not result.caches then result.caches, result.caches_why = caches.of(cpu) end
  return result
end

return topology
