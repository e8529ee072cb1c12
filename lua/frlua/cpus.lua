--- CPUs: lists of their numbers as the kernel writes them, those that this process may use, and the
--- one that samples run on.
local check <const> = require "frlua.check"
local core <const> = require "frlua.core"
local kernel <const> = require "frlua.kernel"

local cpus <const> = {}

-- More than any kernel is built for, and few enough to hold in memory whatever a text says.
local most_cpus <const> = 65536

local directory <const> = "/sys/devices/system/cpu/"

local function bad_list(text, reason)
  return nil, ("%s is no list of CPU numbers, such as '0,2-3': %s"):format(check.show(text), reason)
end

local function range_of(part)
  local first <const>, last <const> = part:match "^(%d+)%-(%d+)$"
  local from <const> = tonumber(first or part:match "^%d+$")
  return from, last and tonumber(last) or from
end

---Reads a list such as `0,2-3`, in rising order.
---@param text string white space around it does not count
---@return integer[]? numbers
---@return string? message
function cpus.parse(text)
  local numbers <const>, next_number = {}, 0
  for part in (text:match "^%s*(.-)%s*$" .. ","):gmatch "([^,]*)," do
    local from <const>, to <const> = range_of(part)
    if not from then return bad_list(text, check.show(part) .. " is no number and no range") end
    if to >= most_cpus then return bad_list(text, ("they end at %d"):format(most_cpus - 1)) end
    if from < next_number or to < from then return bad_list(text, "they must rise") end
    for number = from, to do numbers[#numbers + 1] = number end
    next_number = to + 1
  end
  return numbers
end

---Writes a list as the kernel does: `0,2-3`.
---@param numbers integer[] in rising order
---@return string
function cpus.format(numbers)
  local parts <const>, first = {}, 1
  for index, number in ipairs(numbers) do
    if numbers[index + 1] ~= number + 1 then
      parts[#parts + 1] = first == index and ("%d"):format(number)
        or ("%d-%d"):format(numbers[first], number)
      first = index + 1
    end
  end
  return table.concat(parts, ",")
end

---The CPUs that this process may use.
---@return integer[]? numbers in rising order
---@return string? message
---@return integer? errno
function cpus.allowed()
  return core.allowed_cpus()
end

local function contains(numbers, wanted)
  for _, number in ipairs(numbers or {}) do
    if number == wanted then return true end
  end
  return false
end

local function listed(name, cpu)
  local line <const> = kernel.line(directory .. name)
  local numbers <const> = line and cpus.parse(line)
  return numbers and contains(numbers, cpu), line
end

local function why_not(cpu)
  if listed("offline", cpu) then return "is offline" end
  local possible <const>, range <const> = listed("possible", cpu)
  if possible == false then
    return ("does not exist (this machine can have %s)"):format(range)
  end
  return "is not in this process's allowed set (cgroup or taskset)"
end

-- The kinds of core of a hybrid processor, the best first: each has performance counters of its
-- own, and the kernel lists the CPUs that have them (/sys/devices/cpu_core/cpus).
local hybrid_kinds <const> = {
  { device = "cpu_core", speed = 3, text = "a performance core (cpu_core)" },
  { device = "cpu_atom", speed = 2, text = "an efficiency core (cpu_atom)" },
  { device = "cpu_lowpower", speed = 1, text = "a low-power core (cpu_lowpower)" },
}

local function hybrid_text(speed)
  for _, kind in ipairs(hybrid_kinds) do
    if kind.speed == speed then return kind.text end
  end
end

local function hybrid_speeds()
  local speeds <const> = {}
  for _, kind in ipairs(hybrid_kinds) do
    local line <const> = kernel.line(("/sys/devices/%s/cpus"):format(kind.device))
    for _, number in ipairs(line and cpus.parse(line) or {}) do speeds[number] = kind.speed end
  end
  return speeds
end

local function speeds_in(file)
  return function(numbers)
    local speeds <const> = {}
    for _, number in ipairs(numbers) do
      speeds[number] = kernel.whole(("%scpu%d/%s"):format(directory, number, file))
      if not speeds[number] then break end
    end
    return speeds
  end
end

local function formatted(text)
  return function(speed) return text:format(speed) end
end

-- What tells the kinds of core of one machine apart, the best first: the kernel's own words for
-- them, its own measure (the fastest has 1024), or else the highest clock, which the favoured cores
-- of one kind may have to themselves.
local measures <const> = {
  { speeds = hybrid_speeds, text = hybrid_text },
  { speeds = speeds_in "cpu_capacity", text = formatted "capacity %d" },
  { speeds = speeds_in "cpufreq/cpuinfo_max_freq", text = formatted "highest clock %d kHz" },
}

-- Of every CPU in the list, or nothing: a figure that some lack can't compare them.
local function speeds_by(measure, numbers)
  local speeds <const>, highest = measure.speeds(numbers), 0
  for _, number in ipairs(numbers) do
    if not speeds[number] then return end
    highest = math.max(highest, speeds[number])
  end
  return speeds, highest
end

-- The CPUs of the fastest kind, each one's kind in words, and whether there are several kinds; no
-- words when nothing tells them.
local function fastest_of(numbers)
  for _, measure in ipairs(measures) do
    local speeds <const>, highest <const> = speeds_by(measure, numbers)
    local fastest <const>, kinds <const> = {}, {}
    for _, number in ipairs(speeds and numbers or {}) do
      kinds[number] = measure.text(speeds[number])
      if speeds[number] == highest then fastest[#fastest + 1] = number end
    end
    if speeds then return fastest, kinds, #fastest < #numbers end
  end
  return numbers, {}, false
end

-- "4-5 capacity 620": the CPUs of each kind but one, in the order of their numbers.
local function other_kinds(numbers, kinds, own)
  local lists <const>, parts <const> = {}, {}
  for _, number in ipairs(numbers) do
    local kind <const> = kinds[number]
    if kind ~= own and not lists[kind] then
      lists[kind] = {}
      parts[#parts + 1] = kind
    end
    if kind ~= own then table.insert(lists[kind], number) end
  end
  for index, kind in ipairs(parts) do
    parts[index] = ("%s %s"):format(cpus.format(lists[kind]), kind)
  end
  return table.concat(parts, ", ")
end

---What kind of core a CPU is, and whether other CPUs that this process may use are of other kinds:
---"capacity 1024; of other kinds are 4-5 capacity 620", or "capacity 1024, as all of 0-1".
---@param cpu integer
---@return string? kind
---@return string? why
function cpus.kind(cpu)
  local allowed <const>, message <const> = cpus.allowed()
  if not allowed then return nil, message end
  local _, kinds <const>, are_several <const> = fastest_of(allowed)
  local own <const> = kinds[cpu]
  if not own then
    return nil, contains(allowed, cpu)
      and "the kernel tells no kind, no capacity and no highest clock of every allowed CPU"
      or ("CPU %d is not allowed to this process"):format(cpu)
  elseif are_several then
    return ("%s; of other kinds are %s"):format(own, other_kinds(allowed, kinds, own))
  end
  return ("%s, as all of %s"):format(own, cpus.format(allowed))
end

---The CPU that all samples of a run are pinned to: the one asked for, or by default the last
---allowed one of the fastest kind: interrupts and other work gather on the first ones.
---@param cpu? integer
---@return integer? cpu nil when it is not allowed
---@return string why how it was chosen, or why it can't be
---@return integer? errno
function cpus.choose(cpu)
  local wanted <const> = cpu ~= nil and check.whole(cpu, "cpu", 0) or nil
  local allowed <const>, message <const>, code <const> = cpus.allowed()
  if not allowed then return nil, message, code end
  local range <const> = cpus.format(allowed)
  if wanted and not contains(allowed, wanted) then
    return nil, ("CPU %d %s; allowed are %s"):format(wanted, why_not(wanted), range)
  end
  local fastest <const>, kinds <const>, are_several <const> = fastest_of(allowed)
  local chosen <const> = wanted or fastest[#fastest]
  if not are_several then
    return chosen, wanted and "asked for" or "last of the allowed CPUs " .. range
  end
  local best <const> = ("of the allowed CPUs %s the fastest are %s, %s"):format(range,
    cpus.format(fastest), kinds[fastest[1]])
  if not wanted then return chosen, "last of the fastest: " .. best end
  return chosen, ("asked for, %s: %s"):format(kinds[chosen], best)
end

return cpus
