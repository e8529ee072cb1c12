--- The passport's facts of this moment: what else runs, and what the hypervisor takes.
local fact <const> = require "frlua.passport.fact"
local kernel <const> = require "frlua.kernel"
local units <const> = require "frlua.units"

local load <const> = {}

-- Of runnable processes for each online CPU, in the mean of a minute: the load of a machine on
-- which samples find their CPU taken half of the time.
local HIGH_LOAD <const> = 0.5

local function online_count(topology)
  local numbers <const> = topology.online and require "frlua.cpus".parse(topology.online)
  return numbers and #numbers
end

local function average(seen)
  local line <const>, message <const> = kernel.line "/proc/loadavg"
  local minute <const> = line and tonumber(line:match "^%d+%.%d+")
  local name <const> = "load_1min"
  if not minute then
    return fact.unknown(name, message or ("/proc/loadavg is '%s'"):format(line),
      "Whether others ran in the last minute is not known.")
  end
  local count <const> = online_count(seen.topology)
  local text <const> = units.fixed(minute, 2)
    .. (count and (" on %s"):format(units.plural(count, "CPU")) or "")
  local is_high <const> = count and minute >= HIGH_LOAD * count
  return fact.known(name, minute, text, is_high and "disturbs" or "ok", is_high
    and "Others ran all the time: samples wait for their CPU, and find caches full of other data."
    or "Others left most of the CPUs idle in the last minute.")
end

local function busy(seen, own)
  local name <const>, share <const> = "busy_share", own.busy_share
  if not share then
    return fact.unknown(name, own.busy_share_why, "Whether others run on the samples' CPU now is"
      .. " not known: a sample's involuntary switches tell afterwards.")
  end
  local is_taken <const> = share > seen.limits.busy_share
  return fact.known(name, share, ("%s of CPU %d in %d ms"):format(fact.percent(share), seen.cpu,
    seen.look_ms), is_taken and "disturbs" or "ok", is_taken
    and "Others run on the samples' CPU now: end them, or choose another with --cpu."
    or "The samples' CPU was idle.")
end

-- All that was stolen since the machine started, as a share of its whole time.
local function steal_since_start(cpu)
  local text <const> = kernel.text "/proc/stat"
  local line <const> = text and text:match(("\n(cpu%d [^\n]*)"):format(cpu))
  if not line then return nil end
  local steal <const>, total <const> = require "frlua.counters".ticks(line)
  return steal and total > 0 and steal / total or nil
end

local function steal(seen, own)
  local name <const>, share <const> = "steal_share", own.steal_share
  if not share then
    return fact.unknown(name, own.steal_share_why,
      "Whether a host takes the CPU away is not known: gaps in the readings would tell.")
  end
  local since <const> = steal_since_start(seen.cpu)
  local text <const> = ("%s of CPU %d in %d ms%s"):format(fact.percent(share), seen.cpu,
    seen.look_ms, since and (", %s since the start"):format(fact.percent(since)) or "")
  if share > 0 then
    return fact.known(name, share, text, "disturbs",
      "The host takes the CPU away now: every sample records what it lost.")
  elseif since and since > 0 then
    return fact.known(name, share, text, "note",
      "The host took nothing now, but did before: every sample records what it lost.")
  end
  return fact.known(name, share, text, "ok", "No host took the CPU away.")
end

---@param seen frlua.Seen
---@return frlua.Fact[]
function load.facts(seen)
  local own <const> = seen.looks[seen.cpu]
  return { average(seen), busy(seen, own), steal(seen, own) }
end

return load
