--- The passport's facts of the kernel: itself, where it puts programs, and what it counts.
local fact <const> = require "frlua.passport.fact"
local kernel <const> = require "frlua.kernel"

local system <const> = {}

local function release(known)
  return fact.of(known, "kernel", function(value)
    return "ok", "Faults are the kernel's code: other releases are other results.",
      known.arch and ("%s, %s"):format(value, known.arch)
  end, "Results can't be attributed to a release.")
end

local function aslr(known)
  return fact.of(known, "aslr", function(value)
    if value == "on" then
      return "ok", "Every process has another layout: what a layout does is in the spread."
    end
    return "note", "Layouts of processes are alike: the spread leaves out what a layout does, and"
      .. " the medians may be those of an odd one."
  end, "Whether processes have different layouts is not known.")
end

local devices <const> = "/sys/bus/event_source/devices/"

-- Performance counters of the processor, by the kernel's names for them on x86 and Arm.
local function counters()
  local found <const> = {}
  for _, pattern in ipairs { "cpu", "cpu_*", "armv*" } do
    for _, path in ipairs(kernel.matching(devices .. pattern .. "/type")) do
      found[#found + 1] = path:match "([^/]+)/type$"
    end
  end
  return table.concat(found, ", ")
end

-- What the setting keeps from processes without privileges (the kernel's
-- Documentation/admin-guide/sysctl/kernel.rst, perf_event_paranoid).
local function paranoid_text()
  local setting <const>, why <const> = kernel.whole "/proc/sys/kernel/perf_event_paranoid"
  return setting and ("perf_event_paranoid %d"):format(setting)
    or "perf_event_paranoid unknown: " .. why
end

local function pmu()
  local setting <const> = kernel.whole "/proc/sys/kernel/perf_event_paranoid"
  if not kernel.matching(devices .. "software/type")[1] then
    return fact.unknown("pmu", ("there is no '%ssoftware'"):format(devices),
      "Whether the processor's events can be counted is not known.")
  end
  local names <const> = counters()
  if names == "" then
    return fact.known("pmu", "none", "none, " .. paranoid_text(), "note", "Cycles and misses can't"
      .. " be counted: what a time is made of is concluded from other times alone.")
  end
  -- From 2 on the unprivileged may not count the kernel's part, from 3 on (Debian) nothing at all.
  local is_closed <const> = setting and setting > 1
  return fact.known("pmu", names, ("%s, %s"):format(names, paranoid_text()),
    is_closed and "note" or "ok", is_closed
      and "The processor counts events, but users without privileges can't see the kernel's."
      or "The processor's events can be counted.")
end

---@param seen frlua.Seen
---@return frlua.Fact[]
function system.facts(seen)
  return { release(seen.known), aslr(seen.known), pmu() }
end

return system
