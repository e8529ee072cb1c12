--- What a report says of first calls: single processes, how their calls were bound, and the
--- distribution over processes. Lists of lines.
local aligned <const> = require "frlua.report.table"
local binding <const> = require "frlua.binding"
local units <const> = require "frlua.units"

local first_calls <const> = {}

local FEWEST_STEPS <const> = 10 -- of the clock, or readings of it, that a time should be long

---What is shorter is marked: most of it is the clock.
---@param clock table of a result document
---@return number? ns nil where neither the clock's step nor the cost of a reading is known
function first_calls.resolution(clock)
  if not clock.step_ns and not clock.read_ns then return nil end
  return FEWEST_STEPS * math.max(clock.step_ns or 0, clock.read_ns or 0)
end

---@param ns number
---@param clock table
---@return string # with an asterisk at the clock's resolution
function first_calls.marked(ns, clock)
  local least <const> = first_calls.resolution(clock)
  return units.fixed(ns, 0) .. " ns" .. (least and ns < least and "*" or "")
end

---@param clock table
---@return string # what the asterisk means
function first_calls.remark(clock)
  local least <const> = first_calls.resolution(clock)
  if not least then return "The clock's resolution is unknown: it did not move" end
  return ("* at the clock's resolution: shorter than %d of its steps or readings, %s ns"):format(
    FEWEST_STEPS, units.fixed(least, 0))
end

---The samples of an arm that have readings.
---@param document table
---@param arm string its name
---@return frlua.Sample[]
function first_calls.samples(document, arm)
  local found <const> = {}
  for _, sample in ipairs(document.samples) do
    if sample.arm == arm and sample.printed then found[#found + 1] = sample end
  end
  return found
end

---The first processes of an arm that timed three calls, one line each.
---@param document table
---@param arm string its name
---@param count integer
---@return string[]
function first_calls.processes(document, arm, count)
  local lines <const>, clock <const> = {}, document.clock
  for _, sample in ipairs(first_calls.samples(document, arm)) do
    local ns <const>, sink <const> = sample.printed.ns, sample.printed.sink
    if #lines < count and type(ns) == "table" and #ns == 3 then
      lines[#lines + 1] = ("random(): first call %s, second call %s, third call %s%s"):format(
        first_calls.marked(ns[1], clock), first_calls.marked(ns[2], clock),
        first_calls.marked(ns[3], clock),
        math.type(sink) and (" (sink %s)"):format(units.count(sink)) or "")
    end
  end
  return lines
end

---How the calls of each arm were bound: what the file says, and what its processes read.
---@param document table
---@return string[]
function first_calls.evidence(document)
  local rows <const> = { { "evidence", "the file", "slots", "bound before", "bound by the calls" } }
  for _, arm in ipairs(document.design.arms) do
    if arm.prints and not arm.twin_of then
      rows[#rows + 1] = { arm.name, arm.file and arm.file.binding or "unknown",
        table.unpack(binding.counts(first_calls.samples(document, arm.name))) }
    end
  end
  return aligned.lines(rows)
end

-- The smallest value that at least that share of them does not exceed.
local function quantile(sorted, share)
  return sorted[math.max(1, math.tointeger(math.ceil(share * #sorted)))]
end

---The distribution of a time over processes, as quartiles, and in how many a page fault fell into
---the calls: where there are two kinds of processes, that is mostly what tells them apart.
---@param rows { name: string, ns: number[], faults: integer[] }[]
---@param head string what the times are of
---@param clock table of the document
---@return string[]
function first_calls.distribution(rows, head, clock)
  local lines <const> = { { head, "min", "25 %", "median", "75 %", "max", "processes",
    "with a page fault" } }
  for index, row in ipairs(rows) do
    local sorted <const>, faulted = table.move(row.ns, 1, #row.ns, 1, {}), 0
    table.sort(sorted)
    for _, count in ipairs(row.faults) do faulted = faulted + (count > 0 and 1 or 0) end
    local cells <const> = { row.name }
    for _, share in ipairs { 0, 0.25, 0.5, 0.75, 1 } do
      cells[#cells + 1] = sorted[1] and first_calls.marked(quantile(sorted, share), clock) or "-"
    end
    cells[#cells + 1], cells[#cells + 2] = units.count(#sorted), units.count(faulted)
    lines[index + 1] = cells
  end
  return aligned.lines(lines)
end

return first_calls
