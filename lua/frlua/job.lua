--- From an arm of an experiment to a job: plain data that a worker understands, and what the job
--- lets one expect.
local machine <const> = require "frlua.machine"
local check <const> = require "frlua.check"
local units <const> = require "frlua.units"

local job <const> = {}

-- What one job has room for, and what recording takes: see core/engine/job.h and ops.h.
local ROOM <const> = { regions = 16, operations = 64, phases = 16 }
local READING_BYTES <const> = 16

local function index_of(name, regions)
  for index, region in ipairs(regions) do
    if region.name == name then return index end
  end
end

---Bytes between two accesses.
---@param every string|integer
---@return integer
function job.stride(every)
  if every == "word" then return 8 end
  if every == "page" then return machine.page_bytes end
  if every == "line" then
    return machine.line_bytes or check.fail(
      "this machine does not tell its line size (" .. tostring(machine.why.line_bytes)
        .. "): give the stride in bytes instead of 'line'")
  end
  return every
end

-- Words that fit into both regions of an affine kernel.
local function words(regions, to, from)
  local to_bytes <const>, from_bytes <const> = regions[to].bytes, regions[from].bytes
  return math.min(to_bytes, from_bytes) // 8
end

local plain_op <const> = {
  write = function(op, regions)
    local region <const> = index_of(op.region, regions)
    return { region = region, stride = job.stride(op.every), value = op.value }
  end,
  evict = function(op)
    return { amount = op.amount, stride = job.stride "line" }
  end,
  sleep = function(op, _, pause_divisor) return { amount = op.amount // pause_divisor } end,
  affine = function(op, regions)
    local to <const>, from <const> = index_of(op.region, regions), index_of(op.from, regions)
    return {
      region = to, from = from, amount = words(regions, to, from), mul = op.mul, value = op.add,
    }
  end,
}
plain_op.read, plain_op.spin = plain_op.write, plain_op.sleep

local function plain_region(region)
  local core <const> = require "frlua.core"
  return {
    bytes = region.bytes,
    align = region.align,
    advice = region.advise and core.advice_number(region.advise),
    fill_index = region.fill == "index" and 1 or 0,
  }
end

---@param arm table an arm of an experiment
---@param regions table[] its regions
---@param clock_id? integer
---@param pause_divisor? integer shortens sleeps and spins, for --quick
---@return table job as frlua.core.sample takes it
function job.plain(arm, regions, clock_id, pause_divisor)
  local plain <const> = { clock = clock_id or 0, smaps = true, regions = {}, phases = {} }
  for index, region in ipairs(regions) do plain.regions[index] = plain_region(region) end
  for index, phase in ipairs(arm.phases) do
    local ops <const> = {}
    for number, op in ipairs(phase.ops) do
      ops[number] = plain_op[op.code](op, regions, pause_divisor or 1)
      ops[number].code = op.code
    end
    plain.phases[index] = { ops = ops, iterations = phase.iterations, timed = phase.timed }
  end
  return plain
end

local function check_count(count, kind, whose)
  if count > ROOM[kind] then
    check.fail(("%s has %d %s: a sample has room for %d"):format(whose, count, kind, ROOM[kind]))
  end
end

-- All readings of a sample are in memory before the first of them.
local function check_readings(count, whose)
  local memory <const> = machine.memory_bytes
  if memory and count > memory // READING_BYTES then
    check.fail(("%s has %d iterations: to record them takes %d bytes each, this machine has %s")
      :format(whose, count, READING_BYTES, units.bytes(memory)))
  end
end

---Refuses arms that are more than a sample has room for.
---@param arms table[] of an experiment
---@param regions table[]
---@param what string whose they are
function job.check_room(arms, regions, what)
  check_count(#regions, "regions", what)
  for _, arm in ipairs(arms) do
    local whose <const> = ("arm '%s' in %s"):format(arm.name, what)
    local operations, readings = 0, 0
    check_count(#arm.phases, "phases", whose)
    for _, phase in ipairs(arm.phases) do
      operations = operations + #phase.ops
      readings = readings + (phase.timed and phase.iterations or 0)
    end
    check_count(operations, "operations", whose)
    check_readings(readings, whose)
  end
end

-- Bytes from the start of a region to the last one that an operation touches; nil when it leaves
-- pages out.
local function extent(op, bytes)
  if op.stride > machine.page_bytes then return nil end
  if op.stride == job.stride "word" then return bytes // op.stride * op.stride end -- whole words
  return (bytes - 1) // op.stride * op.stride + 1
end

-- What an operation does to its regions: a list of { region, written, bytes }; nil when it leaves
-- pages out.
local function touches(op, regions)
  if op.code == "affine" then
    local bytes <const> = op.amount * job.stride "word"
    return {
      { region = op.from, written = false, bytes = bytes },
      { region = op.region, written = true, bytes = bytes },
    }
  elseif op.code == "write" or op.code == "read" then
    local bytes <const> = extent(op, regions[op.region].bytes)
    return bytes and { { region = op.region, written = op.code == "write", bytes = bytes } }
  end
  return {}
end

local function pages(bytes)
  return (bytes + machine.page_bytes - 1) // machine.page_bytes
end

-- How many pages of a region were read and written, from its start, before the first phase.
local function state_of(region)
  local number <const> = require "frlua.core".advice_number
  local state <const> = { read = 0, written = 0 }
  if region.advice == number "populate_read" then state.read = pages(region.bytes) end
  if region.advice == number "populate_write" then state.written = pages(region.bytes) end
  if region.fill_index == 1 then
    state.written = math.max(state.written, pages(region.bytes // 8 * 8))
  end
  return state
end

-- Faults that touching one region takes, page by page of base size. Reading what was never written
-- maps the kernel's page of zeros, and a later write faults again. `state` is updated.
local function faults_of(touch, state)
  local touched <const> = pages(touch.bytes)
  local before <const> = touch.written and state.written or math.max(state.read, state.written)
  local kind <const> = touch.written and "written" or "read"
  state[kind] = math.max(state[kind], touched)
  return math.max(0, touched - before)
end

---The minor faults that iteration 1 of a phase takes if every page is of base size: those of pages
---that nothing touched before. Counted from the job, not from any measurement.
---@param plain table a job
---@param phase_number integer
---@return integer? expected nil when an operation leaves pages out
function job.expected_faults(plain, phase_number)
  local state <const> = {}
  for index, region in ipairs(plain.regions) do state[index] = state_of(region) end
  local expected
  for number = 1, phase_number do
    expected = 0
    for _, op in ipairs(plain.phases[number].ops) do
      local touched <const> = touches(op, plain.regions)
      if not touched then return nil end
      for _, touch in ipairs(touched) do
        expected = expected + faults_of(touch, state[touch.region])
      end
    end
  end
  return expected
end

return job
