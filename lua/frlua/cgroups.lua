--- The limits that control groups set for this process, of version 1 and of version 2, the tightest
--- of its own group and all above it (the kernel's Documentation/admin-guide/cgroup-v1 and -v2).
local cpus <const> = require "frlua.cpus"
local kernel <const> = require "frlua.kernel"

local cgroups <const> = {}

---@class frlua.CpuQuota
---@field quota_us integer in each period
---@field period_us integer

---@class frlua.CgroupLimits what no group limits is "none"; what is unknown is absent, with the
---reason in a field of its name and "_why"
---@field cpu_quota frlua.CpuQuota|"none"|nil
---@field memory_max_bytes integer|"none"|nil
---@field cpuset string|"none"|nil CPUs, such as "0-1"

-- A space in a path is \040 there (proc_pid_mountinfo(5)).
local function unescaped(path)
  return (path:gsub("\\(%d%d%d)", function(digits) return string.char(tonumber(digits, 8)) end))
end

-- Where control groups are mounted: { place, root, kind, controllers as a set }.
local function mounts()
  local text <const>, message <const> = kernel.text "/proc/self/mountinfo"
  if not text then return nil, message end
  local found <const> = {}
  for root, place, kind, options in
    text:gmatch "%S+ %S+ %S+ (%S+) (%S+) [^\n]- %- (cgroup2?) %S+ (%S+)" do
    local controllers <const> = {}
    for word in options:gmatch "[^,]+" do controllers[word] = true end
    found[#found + 1] = { root = unescaped(root), place = unescaped(place), kind = kind,
      controllers = controllers }
  end
  return found
end

-- The path of this process' group by controller; that of version 2 under "".
local function memberships()
  local text <const>, message <const> = kernel.text "/proc/self/cgroup"
  if not text then return nil, message end
  local paths <const> = {}
  for controllers, path in text:gmatch "%d+:([^:\n]*):([^\n]*)" do
    if controllers == "" then paths[""] = path end
    for word in controllers:gmatch "[^,]+" do paths[word] = path end
  end
  return paths
end

-- The group's directory and those above it, as far as they are mounted. A container may have its
-- own group for the root of the mount: what is above that it can't see.
local function chain(mount, path)
  local below = path
  if mount.root ~= "/" then
    local is_below <const> = path == mount.root or path:sub(1, #mount.root + 1) == mount.root .. "/"
    below = is_below and path:sub(#mount.root + 1) or "/"
  end
  if below:find("..", 1, true) then below = "/" end
  local directories <const> = {}
  while below ~= "" and below ~= "/" do
    directories[#directories + 1] = mount.place .. below
    below = below:match "^(.*)/"
  end
  directories[#directories + 1] = mount.place
  return directories
end

-- The directories in which a controller of this process has its files, and of which version they
-- are. A controller is in one of the hierarchies: that of version 1 if one has it.
local function places(controller)
  local mounted <const>, message <const> = mounts()
  local paths <const>, why <const> = memberships()
  if not mounted or not paths then return nil, message or why end
  for _, mount in ipairs(mounted) do
    local of_one <const> = mount.kind == "cgroup" and mount.controllers[controller]
    local path <const> = of_one and paths[controller]
    if path then return chain(mount, path), 1 end
  end
  for _, mount in ipairs(mounted) do
    if mount.kind == "cgroup2" and paths[""] then return chain(mount, paths[""]), 2 end
  end
  return nil, "no control groups are mounted that this process is in"
end

-- The tightest value that `read` finds in the directories of a controller; the root of a hierarchy
-- has no limits, and no files for them. Every group has a cgroup.procs: where it is missing, they
-- are hidden, and nothing is known.
local function tightest(controller, read, is_tighter)
  local directories <const>, version <const> = places(controller)
  if not directories then return nil, version end
  local procs <const> = directories[1] .. "/cgroup.procs"
  if not kernel.matching(procs)[1] then return nil, ("there is no '%s'"):format(procs) end
  local found
  for _, directory in ipairs(directories) do
    local value <const> = read[version](directory)
    if value and (not found or is_tighter(value, found)) then found = value end
  end
  return found or "none"
end

local function quota(quota_us, period_us)
  local used <const>, period <const> =
    math.tointeger(tonumber(quota_us)), math.tointeger(tonumber(period_us))
  if used and period and used > 0 and period > 0 then
    return { quota_us = used, period_us = period }
  end
end

local cpu_quota <const> = {
  function(directory)
    return quota(kernel.line(directory .. "/cpu.cfs_quota_us"),
      (kernel.line(directory .. "/cpu.cfs_period_us")))
  end,
  function(directory)
    local line <const> = kernel.line(directory .. "/cpu.max") or ""
    return quota(line:match "^(%d+) (%d+)$")
  end,
}

-- What version 1 says where there is no limit: the largest number of whole pages.
local function no_limit()
  local page <const> = require "frlua.machine".page_bytes
  return math.maxinteger // page * page
end

local memory_max <const> = {
  function(directory)
    local bytes <const> = kernel.whole(directory .. "/memory.limit_in_bytes")
    return bytes and bytes < no_limit() and bytes or nil
  end,
  function(directory) return (kernel.whole(directory .. "/memory.max")) end, -- or "max"
}

-- What is in force is the group's own; version 2 has it in all groups but the root.
local cpuset <const> = {
  function(directory)
    return (kernel.line(directory .. "/cpuset.effective_cpus")
      or kernel.line(directory .. "/cpuset.cpus"))
  end,
  function(directory) return (kernel.line(directory .. "/cpuset.cpus.effective")) end,
}

local function count(text)
  return #(cpus.parse(text) or {})
end

---@return frlua.CgroupLimits
function cgroups.limits()
  local limits <const> = {}
  limits.cpu_quota, limits.cpu_quota_why = tightest("cpu", cpu_quota, function(a, b)
    return a.quota_us * b.period_us < b.quota_us * a.period_us
  end)
  limits.memory_max_bytes, limits.memory_max_bytes_why =
    tightest("memory", memory_max, function(a, b) return a < b end)
  limits.cpuset, limits.cpuset_why =
    tightest("cpuset", cpuset, function(a, b) return count(a) < count(b) end)
  return limits
end

return cgroups
