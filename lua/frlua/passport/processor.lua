--- The passport's facts of processors: what they are, what they share, and who sets their clock.
local fact <const> = require "frlua.passport.fact"
local cpus <const> = require "frlua.cpus"
local kernel <const> = require "frlua.kernel"
local units <const> = require "frlua.units"

local processor <const> = {}

local function model(known)
  return fact.of(known, "cpu_model", function()
    return "ok", "Results of other models are other results: compare them as such."
  end, "Results can't be attributed to a kind of processor.")
end

local function hypervisor(known)
  local is_guest <const> = known.hypervisor ~= nil
  if not is_guest and not kernel.text "/proc/cpuinfo" then
    return fact.unknown("hypervisor", known.hypervisor_why,
      "Whether a host can take the CPU away is not known.")
  elseif not is_guest then
    return fact.known("hypervisor", "none", "none is seen", "ok",
      "No host takes the CPU away, or adds a level to the page tables.")
  end
  return fact.known("hypervisor", known.hypervisor, nil, "note", "A guest: its host can take the"
    .. " CPU away, translations go through two page tables, and caches may be told wrongly.")
end

local function count_text(topology)
  local parts <const> = {}
  for _, part in ipairs { { "packages", "package" }, { "cores", "core" },
    { "numa_nodes", "NUMA node" } } do
    local count <const> = topology[part[1]]
    parts[#parts + 1] = count and units.plural(count, part[2]) or part[2] .. "s unknown"
  end
  return ("%s, CPUs %s (%s)"):format(table.concat(parts, ", "), topology.online or "unknown",
    topology.source)
end

-- With the reasons of what is unknown, and why it is not hwloc's, if it is not.
local function counts(topology)
  local value <const> = { source = topology.source, hwloc_why = topology.hwloc_why }
  for _, name in ipairs { "packages", "cores", "numa_nodes", "online" } do
    value[name], value[name .. "_why"] = topology[name], topology[name .. "_why"]
  end
  return value
end

local function layout(topology)
  local nodes <const> = topology.numa_nodes
  local level, meaning = "ok", "All memory is equally far from every CPU."
  if not nodes then
    level, meaning = "unknown", "Whether some memory is farther away is not known."
  elseif nodes > 1 then
    level, meaning = "note", "Memory of another node is farther away. What a sample touches first"
      .. " comes from its CPU's node, if there is room; the cache of files may be on any."
  end
  local refused <const> = topology.hwloc_why and (" Not by hwloc: %s."):format(topology.hwloc_why)
  return fact.known("topology", counts(topology), count_text(topology), level,
    meaning .. (refused or ""))
end

local function others_of(core_cpus, cpu)
  local others <const> = {}
  for _, number in ipairs(core_cpus) do
    if number ~= cpu then others[#others + 1] = number end
  end
  return others
end

-- The busiest of the CPUs on the same core, by the short look.
local function busiest(numbers, looks)
  local share
  for _, number in ipairs(numbers) do
    local busy <const> = looks[number] and looks[number].busy_share
    if busy and busy > (share or -1) then share = busy end
  end
  return share
end

---CPUs on the core of another.
---@param topology frlua.Topology
---@param cpu integer
---@return integer[]
function processor.siblings(topology, cpu)
  return others_of(topology.core_cpus or {}, cpu)
end

local function smt(seen)
  local topology <const>, cpu <const> = seen.topology, seen.cpu
  if not topology.core_cpus then
    return fact.unknown("smt_siblings", topology.core_cpus_why,
      "Whether another CPU shares the core of the samples is not known.")
  end
  local others <const> = processor.siblings(topology, cpu)
  if not others[1] then
    return fact.known("smt_siblings", "none", ("none of CPU %d"):format(cpu), "ok",
      "The core is the samples' own" .. (seen.known.hypervisor
        and ", as far as a guest can see: its host may run two of its CPUs on one core." or "."))
  end
  local list <const>, busy <const> = cpus.format(others), busiest(others, seen.looks)
  local text <const> = ("%s, on the core of CPU %d%s"):format(list, cpu,
    busy and (", %s busy"):format(fact.percent(busy)) or "")
  if busy and busy > seen.limits.busy_share then
    return fact.known("smt_siblings", list, text, "disturbs", "What runs on a sibling takes half"
      .. " of the core's units and its near caches from the samples: keep it idle.")
  end
  return fact.known("smt_siblings", list, text, "note", "What runs on a sibling would take half of"
    .. " the core's units and its near caches from the samples: keep it idle.")
end

local function kind(known)
  return fact.of(known, "core_kind", function(value)
    if not value:find "other kinds" then return "ok", "Every allowed CPU is of the same kind." end
    return "note", "Numbers from CPUs of different kinds can't be compared: keep to one --cpu."
  end, "Whether other CPUs are slower or faster is not known.")
end

local function governor(known)
  return fact.of(known, "governor", function(value)
    local text <const> = known.frequency_driver and ("%s, by %s"):format(value,
      known.frequency_driver)
    if value == "performance" then
      return "ok", "The clock does not wait for load; scripts/clock_ramp.lua shows what it does.",
        text
    end
    return "note", "The clock follows the load: after a pause the first iterations run slower."
      .. " scripts/clock_ramp.lua measures it; 'performance' avoids it.", text
  end, "Whether the clock is slower after a pause can only be measured: scripts/clock_ramp.lua.")
end

local function frequency(known)
  return fact.of(known, "frequency_khz", function(value)
    return "ok", "The clock of this moment: it may differ in a sample.",
      ("%s MHz"):format(units.fixed(value / 1000, 0))
  end, "How fast the core is now can only be measured: scripts/clock_ramp.lua.")
end

---@param seen frlua.Seen
---@return frlua.Fact[]
function processor.facts(seen)
  local known <const> = seen.known
  return { model(known), hypervisor(known), layout(seen.topology), smt(seen), kind(known),
    governor(known), frequency(known) }
end

return processor
