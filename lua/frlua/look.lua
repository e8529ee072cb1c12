--- A short look at what else runs on a machine: how much of each CPU's time others took, and how
--- much the hypervisor, while this process slept.
local counters <const> = require "frlua.counters"
local kernel <const> = require "frlua.kernel"

local look <const> = {}

-- Long enough for twenty ticks of 10 ms, the usual unit of /proc/stat: a share of 5 % shows.
local DEFAULT_MS <const> = 200

---@class frlua.CpuLook shares of a time, from 0 to 1; an unknown one is absent, with the reason in
---a field of its name and "_why"
---@field busy_share number? neither idle, nor waiting for a disk, nor stolen
---@field steal_share number?

-- Ticks of a CPU's line in which nothing ran: idle and iowait, the fourth and the fifth number.
local function idle_ticks(line)
  local idle <const>, waiting <const> = line:match "^%S+ +%d+ +%d+ +%d+ +(%d+) +(%d+)"
  return idle and tonumber(idle) + tonumber(waiting)
end

local function line_of(text, cpu)
  return text:match(("\n(cpu%d [^\n]*)"):format(cpu))
end

local function unknown(why)
  return { busy_share_why = why, steal_share_why = why }
end

---What became of a CPU's time between two readings of /proc/stat.
---@param before string
---@param after string
---@param cpu integer
---@return frlua.CpuLook
function look.between(before, after, cpu)
  local first <const>, last <const> = line_of(before, cpu), line_of(after, cpu)
  if not first or not last then
    return unknown(("/proc/stat has no line for CPU %d"):format(cpu))
  end
  local steal_before <const>, total_before <const> = counters.ticks(first)
  local steal_after <const>, total_after <const> = counters.ticks(last)
  local idle_before <const>, idle_after <const> = idle_ticks(first), idle_ticks(last)
  local total <const> = total_after - total_before
  if not idle_before or not idle_after then return unknown "/proc/stat counts no idle time" end
  if total <= 0 then return unknown "/proc/stat did not move meanwhile" end
  local idle <const> = idle_after - idle_before
  local steal <const> = steal_after and steal_before and steal_after - steal_before
  if idle < 0 or steal and steal < 0 then return unknown "/proc/stat went backwards: unusable" end
  return {
    busy_share = (total - idle - (steal or 0)) / total,
    steal_share = steal and steal / total or nil,
    steal_share_why = not steal and "this kernel does not count it" or nil,
  }
end

---Looks for a while, asleep.
---@param cpus integer[]
---@param ms? integer 200 by default
---@return table<integer, frlua.CpuLook> looks by the number of the CPU
---@return integer ms
function look.take(cpus, ms)
  local looks <const>, wanted <const> = {}, ms or DEFAULT_MS
  local before <const>, message <const> = kernel.text "/proc/stat"
  if before then
    require "posix.time".nanosleep { tv_sec = wanted // 1000, tv_nsec = wanted % 1000 * 1000000 }
  end
  local after <const> = before and kernel.text "/proc/stat"
  for _, cpu in ipairs(cpus) do
    looks[cpu] = after and look.between(before, after, cpu) or unknown(message)
  end
  return looks, wanted
end

return look
