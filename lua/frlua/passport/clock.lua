--- The passport's facts of the clock that everything timed is read with.
local fact <const> = require "frlua.passport.fact"
local units <const> = require "frlua.units"

local facts <const> = {}

-- A report marks what is shorter than so many readings; a step above that is coarse.
local FEW_READINGS <const> = 10

local STANDS <const> = "the clock did not move during the readings"

local function clocksource(known, clock)
  return fact.of(known, "clocksource", function()
    if clock.vdso then return "ok", "Its readings do not enter the kernel." end
    return "disturbs", "Its readings enter the kernel: they are long, and push code and data out."
  end, "What is behind the clock is not known; its cost is measured all the same.")
end

local function source(clock)
  return fact.known("clock", clock.source, ("%s, by %s"):format(clock.source,
    clock.vdso and "the vDSO" or "system call"), clock.vdso and "ok" or "disturbs",
    clock.vdso and "Chosen for frlua's readings."
      or "No clock is read without a system call: short times are mostly the readings' own.")
end

local function cost(clock)
  local name <const>, ns <const> = "clock_read_ns", clock.read_ns
  if not ns then return fact.unknown(name, STANDS, "Short times can't be told from readings.") end
  return fact.known(name, ns, units.ns(ns), clock.vdso and "ok" or "disturbs",
    ("What is shorter than %s is mostly readings, and is marked."):format(
      units.ns(FEW_READINGS * ns)))
end

local function step(clock)
  local name <const>, ns <const> = "clock_step_ns", clock.step_ns
  if not ns then
    return fact.unknown(name, STANDS, "Times can't be told from nothing.")
  elseif clock.read_ns and ns > FEW_READINGS * clock.read_ns then
    return fact.known(name, ns, units.ns(ns), "disturbs",
      "Far coarser than a reading is long: what is shorter can't be told from nothing.")
  end
  return fact.known(name, ns, units.ns(ns), "ok", "Times that differ by less are the same.")
end

local function backward(clock)
  local count <const> = clock.backward
  return fact.known("clock_backward_steps", count, nil, count > 0 and "disturbs" or "ok",
    count > 0 and "The clock runs backwards: readings below 0 are counted as broken."
      or "The clock did not run backwards while it was looked at.")
end

---@param seen frlua.Seen
---@return frlua.Fact[]
function facts.facts(seen)
  local clock <const> = seen.clock
  return { clocksource(seen.known, clock), source(clock), cost(clock), step(clock),
    backward(clock) }
end

return facts
