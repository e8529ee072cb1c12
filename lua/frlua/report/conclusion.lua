--- What a first run and a steady state mean for whoever runs the program: both are reported, and
--- who feels which of them.
local units <const> = require "frlua.units"

local conclusion <const> = {}

local function times(ns, steady_ns)
  return steady_ns > 0 and ("%s times the steady state"):format(units.significant(ns / steady_ns))
    or "no ratio, as the clock did not resolve the steady state"
end

local function figures(found)
  local ratio <const> = found.steady_ns > 0 and units.significant(found.first_ns / found.steady_ns)
  return {
    "Report both:",
    ("  the first run      %s"):format(units.ns(found.first_ns)),
    ("  the steady state   %s"):format(units.ns(found.steady_ns)),
    ("  their ratio        %s"):format(ratio or "none: the clock did not resolve the steady state"),
    ("  the whole process  %s%s"):format(units.ns(found.process_ns), found.process_note or ""),
  }
end

---Lines that conclude a report.
---@param found { first_ns: number, steady_ns: number, process_ns: number, process_note: string?,
---  pauses: { name: string, ns: number }[]? } `process_ns`: that does the work once;
---`process_note`: how it was got; `pauses`: first runs after a pause
---@return string[]
function conclusion.lines(found)
  local lines <const> = figures(found)
  lines[#lines + 1] = ("A command-line tool feels the whole process: %s."):format(
    times(found.process_ns, found.steady_ns))
  lines[#lines + 1] = "A long-running server feels the steady state: its first run is one of many,"
    .. " a warm-up to discard and to mention."
  for _, pause in ipairs(found.pauses or {}) do
    lines[#lines + 1] = ("A request after a pause (%s) feels a first run again: %s, %s."):format(
      pause.name, units.ns(pause.ns), times(pause.ns, found.steady_ns))
  end
  if not (found.pauses and found.pauses[1]) then
    lines[#lines + 1] = "A request after a pause feels a first run again; its size is unknown, as"
      .. " no arm of this run pauses."
  end
  return lines
end

return conclusion
