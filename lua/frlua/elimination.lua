--- The elimination guard: does a timed loop do its work? Once for every kernel and run, outside of
--- the samples, the same work is done once and twice over, by the very code that samples time, on
--- memory of the guard's own that is warm. What takes twice as long is not removed, shared or moved
--- by a compiler; where it does not, the figures made with that kernel are void.
local clock <const> = require "frlua.clock"
local core <const> = require "frlua.core"
local job <const> = require "frlua.job"
local json <const> = require "frlua.json"
local units <const> = require "frlua.units"

local elimination <const> = {
  TOLERANCE = 0.15,  -- of the ratio, which is to be 2
  FEW_READINGS = 10, -- of the clock: what is shorter can't be told from it
  LEAST_NS = 0.01,   -- of an element: no core goes over a hundred of them in a nanosecond
}

-- The operations that are loops, over memory or not; others ask the kernel, or wait.
local KERNELS <const> = {
  affine = true, chase = true, count = true, read = true, write = true, stream = true,
}
local TIMES <const>, REPETITIONS <const>, TURNS <const>, ATTEMPTS <const> = 8, 10, 3, 4
local ELEMENTS <const> = 2048 -- that each pass goes over

---@class frlua.Guard
---@field kernel string such as "write by page"
---@field code string of the operation
---@field every string|integer?
---@field once integer[]? ns of passes over so much work, as read
---@field twice integer[]? of passes over twice as much
---@field elements integer? that the passes in `once` go over
---@field read_ns number? of the clock, taken off both
---@field ratio number? of the fastest ones, derived
---@field verdict "well"|"void"|"unknown" derived
---@field why string? derived
---@field once_why string? why there are no readings

local function name_of(op)
  return op.code .. (op.every and " by " .. (math.type(op.every) and op.every .. " bytes"
    or op.every) or "")
end

-- The timed kernels of arms, each once.
local function kernels_of(arms)
  local list <const>, seen <const> = {}, {}
  for _, arm in ipairs(arms) do
    for _, phase in ipairs(arm.phases) do
      for _, op in ipairs(phase.timed and phase.ops or {}) do
        local name <const> = name_of(op)
        if KERNELS[op.code] and not seen[name] then
          seen[name] = true
          list[#list + 1] = op
        end
      end
    end
  end
  return list
end

---The names of the timed kernels of arms, as guards have them.
---@param arms table[] of a design or an experiment
---@return string[]
function elimination.kernels(arms)
  local names <const> = {}
  for index, op in ipairs(kernels_of(arms)) do names[index] = name_of(op) end
  return names
end

-- The same operation on the guard's own regions.
local function own_op(op)
  local copy <const> = {}
  for key, value in pairs(op) do copy[key] = value end
  copy.region, copy.from = op.region and "work", op.from and "other"
  copy.loads = op.code == "chase" and ELEMENTS or nil
  copy.steps = op.code == "count" and ELEMENTS or nil
  return copy
end

local function regions_for(op)
  local stride <const> = op.every and job.stride(op.every) or job.WORD_BYTES
  local bytes <const> = ELEMENTS * stride
  return {
    { name = "work", bytes = bytes, chain = op.code == "chase" and job.WORD_BYTES or nil },
    { name = "other", bytes = bytes, fill = "index" },
  }
end

local function repeated(op, times)
  local ops <const> = {}
  for index = 1, times do ops[index] = op end
  return ops
end

-- A warm-up, then once and twice in turn.
local function arm_for(op)
  local own <const> = own_op(op)
  local phases <const> = { { name = "warm", ops = { own }, iterations = 1, timed = false } }
  for _ = 1, TURNS do
    for _, times in ipairs { TIMES, 2 * TIMES } do
      phases[#phases + 1] = { name = "pass", ops = repeated(own, times), iterations = REPETITIONS,
        timed = true }
    end
  end
  return { name = "guard", phases = phases }
end

local function append(list, series)
  for index = 1, #series do list[#list + 1] = series[index] end
end

-- The readings of one worker.
local function take(op, design)
  local made <const> = job.plain(arm_for(op), regions_for(op), clock.id)
  local outcome <const>, ended <const> = core.sample(made, design.cpu, design.time_limit_ns)
  if not outcome or outcome.stage ~= "done" then
    return nil, "the guard's process did not come to its end: "
      .. (outcome and ended.how or tostring(ended))
  end
  local once <const>, twice <const> = json.array {}, json.array {}
  for turn = 1, TURNS do
    append(once, outcome.phases[2 * turn].ns)
    append(twice, outcome.phases[2 * turn + 1].ns)
  end
  return once, twice
end

local function smallest(list)
  return math.min(table.unpack(list))
end

---What follows from a guard's readings: fills in its derived fields. The fastest passes count, as
---what disturbs one does not disturb all.
---@param guard frlua.Guard
---@return frlua.Guard
function elimination.judge(guard)
  guard.ratio, guard.why, guard.verdict = nil, guard.once_why, "unknown"
  if not guard.once then return guard end
  local read_ns <const> = guard.read_ns or 0
  local once <const> = smallest(guard.once) - read_ns
  local twice <const> = smallest(guard.twice) - read_ns
  local least <const> = elimination.LEAST_NS * (guard.elements or 0)
  if once < least and read_ns < least then
    guard.verdict = "void"
    guard.why = ("%d elements took %s: they were not gone over"):format(guard.elements,
      units.ns(smallest(guard.once)))
    return guard
  elseif once < elimination.FEW_READINGS * read_ns or once <= 0 then
    guard.why = ("too short for this clock: %s, less than %d readings of it"):format(
      units.ns(smallest(guard.once)), elimination.FEW_READINGS)
    return guard
  end
  guard.ratio = twice / once
  if math.abs(guard.ratio - 2) <= 2 * elimination.TOLERANCE then
    guard.verdict = "well"
  else
    guard.verdict = "void"
    guard.why = ("the same work twice took %s times the time, not 2: a part of it was not done")
      :format(units.significant(guard.ratio))
  end
  return guard
end

local function guard_of(op, design)
  local guard
  for _ = 1, ATTEMPTS do
    local once <const>, twice <const> = take(op, design)
    guard = elimination.judge {
      kernel = name_of(op), code = op.code, every = op.every, once = once,
      twice = once and twice, elements = TIMES * ELEMENTS, read_ns = clock.read_ns,
      once_why = not once and twice or nil,
    }
    if guard.verdict ~= "void" or core.interrupted() then break end
  end
  return guard
end

---One guard for each timed kernel of an experiment.
---@param experiment frlua.Experiment
---@param design frlua.Design
---@return frlua.Guard[]
function elimination.take(experiment, design)
  local guards <const> = json.array {}
  for index, op in ipairs(kernels_of(experiment.arms)) do
    if core.interrupted() then break end
    guards[index] = guard_of(op, design)
  end
  return guards
end

---Why the figures of arms are void.
---@param arms table[] of a design
---@param guards frlua.Guard[]
---@return table<string, string> why by the arm's name; absent for those that are well
function elimination.void(arms, guards)
  local void <const>, by_arm <const> = {}, {}
  for _, guard in ipairs(guards) do
    if guard.verdict == "void" then void[guard.kernel] = guard.why end
  end
  for _, arm in ipairs(next(void) and arms or {}) do
    for _, phase in ipairs(arm.phases) do
      for _, op in ipairs(phase.timed and phase.ops or {}) do
        local why <const> = void[name_of(op)]
        if why then by_arm[arm.name] = ("void, %s: %s"):format(name_of(op), why) end
      end
    end
  end
  return by_arm
end

return elimination
