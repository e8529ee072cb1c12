--- What a report says of first calls: single processes, how their calls were bound, and the
--- distribution over processes. Lists of lines.
local aligned <const> = require "frlua.report.table"
local binding <const> = require "frlua.binding"
local clock <const> = require "frlua.clock"
local programs <const> = require "frlua.programs"
local units <const> = require "frlua.units"

local first_calls <const> = {}

local FEWEST_STEPS <const> = 10 -- of the clock, or readings of it, that a time should be long

---What is shorter is marked: most of it is the clock.
---@return number? ns nil where neither the clock's step nor the cost of a reading is known
function first_calls.resolution()
  if not clock.step_ns and not clock.read_ns then return nil end
  return FEWEST_STEPS * math.max(clock.step_ns or 0, clock.read_ns or 0)
end

---@param ns number
---@return string # with an asterisk at the clock's resolution
function first_calls.marked(ns)
  local least <const> = first_calls.resolution()
  return units.fixed(ns, 0) .. " ns" .. (least and ns < least and "*" or "")
end

---@return string # what the asterisk means
function first_calls.remark()
  local least <const> = first_calls.resolution()
  if not least then return "The clock's resolution is unknown: it did not move" end
  return ("* at the clock's resolution: shorter than %d of its steps or readings, %s ns"):format(
    FEWEST_STEPS, units.fixed(least, 0))
end

---The first processes of an arm, one line each.
---@param samples frlua.ProgramSample[]
---@param arm string
---@param count integer
---@return string[]
function first_calls.processes(samples, arm, count)
  local lines <const> = {}
  for index, sample in ipairs(programs.whole(samples, arm)) do
    if index > count then break end
    local ns <const>, sink <const> = sample.readings.ns, sample.readings.sink
    lines[index] = ("random(): first call %s, second call %s, third call %s%s"):format(
      first_calls.marked(ns[1]), first_calls.marked(ns[2]), first_calls.marked(ns[3]),
      sink and (" (sink %s)"):format(units.count(sink)) or "")
  end
  return lines
end

---How the calls of each arm were bound: what the file says, and what its processes read.
---@param design frlua.ProgramDesign
---@param samples frlua.ProgramSample[]
---@param path_of fun(arm: frlua.Program): string the file whose calls they are
---@return string[]
function first_calls.evidence(design, samples, path_of)
  local rows <const> = { { "evidence", "the file", "slots", "bound before", "bound by the calls" } }
  for _, arm in ipairs(design.arms) do
    if not arm.twin_of then
      local file <const> = require "frlua.elf".read(path_of(arm))
      rows[#rows + 1] = { arm.name, file and file.binding or "unknown",
        table.unpack(binding.counts(programs.whole(samples, arm.name))) }
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
---@return string[]
function first_calls.distribution(rows, head)
  local lines <const> = { { head, "min", "25 %", "median", "75 %", "max", "processes",
    "with a page fault" } }
  for index, row in ipairs(rows) do
    local sorted <const>, faulted = table.move(row.ns, 1, #row.ns, 1, {}), 0
    table.sort(sorted)
    for _, count in ipairs(row.faults) do faulted = faulted + (count > 0 and 1 or 0) end
    local cells <const> = { row.name }
    for _, share in ipairs { 0, 0.25, 0.5, 0.75, 1 } do
      cells[#cells + 1] = sorted[1] and first_calls.marked(quantile(sorted, share)) or "-"
    end
    cells[#cells + 1], cells[#cells + 2] = units.count(#sorted), units.count(faulted)
    lines[index + 1] = cells
  end
  return aligned.lines(lines)
end

return first_calls
