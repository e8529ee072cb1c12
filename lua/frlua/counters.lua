--- What the kernel counts of one CPU: interrupts, soft interrupts, and the time that a hypervisor
--- took away from it. Read before and after a sample, they tell whether somebody interfered.
local core <const> = require "frlua.core"
local kernel <const> = require "frlua.kernel"

local counters <const> = {}

-- Lua can match only so many repetitions in one pattern.
local columns_a_pattern <const> = 32

-- Patterns that one after the other match `count` columns of numbers; one of them captures the
-- wanted column.
local function column_patterns(count, wanted)
  local patterns <const> = {}
  for first = 1, count, columns_a_pattern do
    local columns <const> = { "^" }
    for column = first, math.min(count, first + columns_a_pattern - 1) do
      columns[#columns + 1] = column == wanted and "%s+(%d+)" or "%s+%d+"
    end
    patterns[#patterns + 1] = table.concat(columns)
  end
  return patterns
end

local function column_of(header, cpu)
  local count, wanted = 0, nil
  for number in header:gmatch "CPU(%d+)" do
    count = count + 1
    if tonumber(number) == cpu then wanted = count end
  end
  return count, wanted
end

-- The number in the column that one of the patterns captures; nil in a line with fewer columns.
local function cell(line, start, patterns)
  local found
  for _, pattern in ipairs(patterns) do
    local _, last <const>, number <const> = line:find(pattern, start)
    if not last then return nil end
    start, found = last + 1, number or found
  end
  return tonumber(found)
end

-- Counts of errors, of all CPUs together; on a machine with one CPU they look like that one's.
local totals <const> = { ERR = true, Err = true, MIS = true }

---The sum of one CPU's column in a text like /proc/interrupts or /proc/softirqs. Lines that do not
---have a number for every CPU are left out.
---@param text string
---@param cpu integer
---@return integer? sum
---@return string? why it is unknown
function counters.column_sum(text, cpu)
  local count <const>, wanted <const> = column_of(text:match "^[^\n]*", cpu)
  if not wanted then return nil, ("no column for CPU %d"):format(cpu) end
  local patterns <const>, sum = column_patterns(count, wanted), 0
  for label, line in text:gmatch "([^%s:]+):([^\n]*)" do
    if not totals[label] then sum = sum + (cell(line, 1, patterns) or 0) end
  end
  return sum
end

---The ticks that a line of /proc/stat gives: `user nice system idle iowait irq softirq steal guest
---guest_nice` (proc_stat(5)). Those of guests are in `user` and `nice` already.
---@param line string such as "cpu0 1000 0 500 8000 10 0 5 100 40 0"
---@return integer? steal nil when the line has no eighth number, as on kernels before 2.6.11
---@return integer total of the first eight, as far as they are there
function counters.ticks(line)
  local count, total, steal = 0, 0, nil
  for number in line:gmatch "%s(%d+)" do
    count = count + 1
    if count == 8 then steal = tonumber(number) end
    if count <= 8 then total = total + tonumber(number) end
  end
  return steal, total
end

---@param text string of /proc/stat
---@param cpu integer
---@return integer? steal
---@return string? why it is unknown
function counters.steal_ticks(text, cpu)
  local line <const> = text:match(("\n(cpu%d [^\n]*)"):format(cpu))
  if not line then return nil, ("no line for CPU %d"):format(cpu) end
  local steal <const> = counters.ticks(line)
  if steal then return steal end
  return nil, "this kernel does not count it"
end

local sources <const> = {
  interrupts = { path = "/proc/interrupts", parse = counters.column_sum },
  softirqs = { path = "/proc/softirqs", parse = counters.column_sum },
  steal_ticks = { path = "/proc/stat", parse = counters.steal_ticks },
}

---@class frlua.Counters counts since the machine started; one that is unknown is absent, with the
---reason in a field of its name and "_why"
---@field interrupts integer?
---@field softirqs integer?
---@field steal_ticks integer?

---@param cpu integer
---@return frlua.Counters
function counters.read(cpu)
  local reading <const> = {}
  for name, source in pairs(sources) do
    local text <const>, message <const> = kernel.text(source.path)
    local count, why
    if text then count, why = source.parse(text, cpu) end
    reading[name] = count
    reading[name .. "_why"] = message or why and source.path .. ": " .. why
  end
  return reading
end

local function rise(before, after, name)
  local first <const>, last <const> = before[name], after[name]
  if not first or not last then return nil, before[name .. "_why"] or after[name .. "_why"] end
  if last >= first then return last - first end
  return nil, ("went backwards, from %d to %d: unusable"):format(first, last)
end

local function nanoseconds(ticks)
  local ticks_per_second <const> = core.sizes().ticks_per_second
  if not ticks_per_second then return nil, "the length of a tick is unknown" end
  return ticks * (1000000000 // ticks_per_second)
end

---What was counted between two readings of the same CPU. `steal_ns` moves in whole ticks.
---@param before frlua.Counters
---@param after frlua.Counters
---@return { interrupts: integer?, softirqs: integer?, steal_ns: integer? } difference one that is
---unknown is absent, with the reason in a field of its name and "_why"
function counters.difference(before, after)
  local difference <const> = {}
  for _, name in ipairs { "interrupts", "softirqs" } do
    difference[name], difference[name .. "_why"] = rise(before, after, name)
  end
  local ticks <const>, why <const> = rise(before, after, "steal_ticks")
  if ticks then
    difference.steal_ns, difference.steal_ns_why = nanoseconds(ticks)
  else
    difference.steal_ns_why = why
  end
  return difference
end

return counters
