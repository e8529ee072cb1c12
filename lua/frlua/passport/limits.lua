--- The passport's facts of limits: what this process, and so its samples, may have of the machine.
local core <const> = require "frlua.core"
local cpus <const> = require "frlua.cpus"
local fact <const> = require "frlua.passport.fact"
local units <const> = require "frlua.units"

local limits <const> = {}

local function allowed(known)
  return fact.of(known, "cpus_allowed", function(value)
    if #(cpus.parse(value) or {}) == 1 then
      return "note", "Samples share the one CPU with frlua, which sleeps meanwhile, and with all"
        .. " else that runs here."
    end
    return "ok", "Samples are on one of them, frlua and other programs have the others, too."
  end, "Which CPUs samples can be on is not known.")
end

local function quota(groups)
  local name <const>, value <const> = "cgroup_cpu_quota", groups.cpu_quota
  if not value then
    return fact.unknown(name, groups.cpu_quota_why,
      "Whether samples are stopped when they used their share is not known.")
  elseif value == "none" then
    return fact.known(name, value, nil, "ok", "No control group stops samples.")
  end
  local text <const> = ("%s CPUs: %s in every %s"):format(
    units.fixed(value.quota_us / value.period_us, 2), units.ns(1000 * value.quota_us),
    units.ns(1000 * value.period_us))
  return fact.known(name, value, text, "disturbs", "When the group has used its share, all of it"
    .. " stands still until the period ends: some iterations take that much longer.")
end

local function memory_max(groups, known)
  local name <const>, value <const> = "cgroup_memory_max_bytes", groups.memory_max_bytes
  if not value then
    return fact.unknown(name, groups.memory_max_bytes_why,
      "Whether a control group limits the memory of samples is not known.")
  elseif value == "none" or known.memory_bytes and value >= known.memory_bytes then
    return fact.known(name, value, value ~= "none" and units.bytes(value) or nil, "ok",
      "No control group limits memory to less than there is.")
  end
  local need <const> = require "frlua.machine".evict_bytes()
  local is_tight <const> = value < 2 * need
  return fact.known(name, value, units.bytes(value), is_tight and "disturbs" or "note", is_tight
    and ("An eviction alone goes through %s: samples may be killed, or wait for pages.")
      :format(units.bytes(need))
    or "Samples that need more are killed, and pages are taken back where it gets tight.")
end

local function cpuset(groups)
  local name <const>, value <const> = "cgroup_cpuset", groups.cpuset
  if not value then
    return fact.unknown(name, groups.cpuset_why, "Whether CPUs may be taken away is not known.")
  elseif value == "none" then
    return fact.known(name, value, nil, "ok", "No control group keeps CPUs from this process.")
  end
  return fact.known(name, value, "CPUs " .. value, "ok",
    "No sample can be on any other CPU; on these others may be, too.")
end

local function limit(name, bytes, free, meaning)
  if not bytes then return fact.known(name, "none", nil, "ok", free) end
  return fact.known(name, bytes, units.bytes(bytes), "note", meaning)
end

---@param seen frlua.Seen
---@return frlua.Fact[]
function limits.facts(seen)
  local groups <const>, own <const> = seen.cgroups, core.limits()
  return {
    allowed(seen.known), cpuset(groups), quota(groups), memory_max(groups, seen.known),
    limit("address_space_bytes", own.address_space_bytes, "Regions may be as large as memory is.",
      "Larger regions are refused (RLIMIT_AS, ulimit -v), also where nothing of them is touched."),
    limit("locked_bytes", own.locked_bytes, "Whatever there is may be locked.",
      "More can't be locked (RLIMIT_MEMLOCK, ulimit -l) without privileges: such arms say so."),
  }
end

return limits
