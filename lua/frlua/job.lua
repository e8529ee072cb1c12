--- From an arm of an experiment to a job: plain data that a worker understands, and what the job
--- lets one expect.
local machine <const> = require "frlua.machine"
local check <const> = require "frlua.check"

local job <const> = { WORD_BYTES = 8 }

local function index_of(name, regions)
  for index, region in ipairs(regions) do
    if region.name == name then return index end
  end
end

---Bytes between two accesses.
---@param every string|integer
---@param sizes? { page_bytes: integer, line_bytes: integer? } of another machine
---@return integer
function job.stride(every, sizes)
  sizes = sizes or machine
  if every == "word" then return job.WORD_BYTES end
  if every == "page" then return sizes.page_bytes end
  if every == "line" then
    return sizes.line_bytes or check.fail(
      "this machine does not tell its line size (" .. tostring(machine.why.line_bytes)
        .. "): give the stride in bytes instead of 'line'")
  end
  return every
end

-- Words that fit into both regions of an affine kernel.
local function words(regions, to, from)
  local to_bytes <const>, from_bytes <const> = regions[to].bytes, regions[from].bytes
  return math.min(to_bytes, from_bytes) // job.WORD_BYTES
end

local plain_op <const> = {
  write = function(op, regions, _, sizes)
    local region <const> = index_of(op.region, regions)
    return { region = region, stride = job.stride(op.every, sizes), value = op.value }
  end,
  evict = function(op, _, _, sizes)
    return { amount = op.amount, stride = job.stride("line", sizes) }
  end,
  sleep = function(op, _, pause_divisor) return { amount = op.amount // pause_divisor } end,
  affine = function(op, regions)
    local to <const>, from <const> = index_of(op.region, regions), index_of(op.from, regions)
    return {
      region = to, from = from, amount = words(regions, to, from), mul = op.mul, value = op.add,
    }
  end,
}
function plain_op.chase(op, regions, _, sizes)
  local index <const> = index_of(op.region, regions)
  local region <const> = regions[index]
  local loads <const> = op.loads or region.layout and region.layout.lines
    or region.bytes // job.stride(region.chain, sizes)
  return { region = index, amount = loads, value = region.layout and region.layout.start }
end
function plain_op.link(op, regions, _, sizes)
  local slot <const> = job.stride(op.slot, sizes)
  return {
    region = index_of(op.region, regions), amount = op.bytes // slot, stride = slot,
    mul = op.within_pages and math.max(1, op.within_pages * sizes.page_bytes // slot) or 0,
    value = op.seed, flags = op.order == "sequential" and 1 or 0,
  }
end

function plain_op.count(op) return { amount = op.steps } end

plain_op.read, plain_op.spin = plain_op.write, plain_op.sleep
plain_op.stream = plain_op.write

-- What the kernel is asked for, see core/engine/ops.h.
local function asking(fields_of)
  return function(op, regions)
    local fields <const> = fields_of(op, regions)
    fields.region = index_of(op.region, regions)
    return fields
  end
end

local function advice(name)
  return { code = "advise", amount = require "frlua.core".advice_number(name) }
end

plain_op.populate = asking(function(op) return { value = op.access == "write" and 1 or 0 } end)
plain_op.collapse = asking(function() return advice "collapse" end)
plain_op.advise = asking(function(op) return advice(op.advice) end)
plain_op.remap = asking(function(op) return { value = op.populate and 1 or 0 } end)
plain_op.lock = asking(function() return {} end)
plain_op.unlock, plain_op.evict_file = plain_op.lock, plain_op.lock
plain_op.read_file = asking(function(op, regions)
  local to <const>, from <const> = index_of(op.region, regions), index_of(op.from, regions)
  return { from = from, amount = math.min(regions[to].bytes, regions[from].bytes) }
end)

local function plain_region(region, sizes)
  local plain <const>, why <const> = require "frlua.mapping".plain(region)
  if not plain then check.fail(("region '%s': %s"):format(region.name, why)) end
  plain.advice = region.advise and require "frlua.core".advice_number(region.advise)
  plain.fill_index = region.fill == "index" and 1 or 0
  plain.chain_stride = region.chain and job.stride(region.chain, sizes)
  plain.chain_group = region.within and sizes.page_bytes // plain.chain_stride
  local placed <const> = region.layout
  if placed then
    plain.layout = require "frlua.layout".offsets[placed]
    plain.chain_group, plain.chain_seed = placed.group, placed.seed
    plain.chain_is_sequential = placed.order == "sequential" and 1 or 0
  end
  return plain
end

---The operation that a number stands for, counted over all phases of an arm.
---@param arm table
---@param number integer from 1
---@return frlua.Op op
---@return table phase
function job.op_at(arm, number)
  for _, phase in ipairs(arm.phases) do
    if number <= #phase.ops then return phase.ops[number], phase end
    number = number - #phase.ops
  end
end

---The regions that an arm works on: those that its operations name, in their order in the
---experiment.
---@param arm table
---@param regions table[] of the experiment
---@return table[]
function job.regions_of(arm, regions)
  local named <const>, list <const> = {}, {}
  for _, phase in ipairs(arm.phases) do
    for _, op in ipairs(phase.ops) do
      if op.region then named[op.region] = true end
      if op.from then named[op.from] = true end
    end
  end
  for _, region in ipairs(regions) do
    if named[region.name] then list[#list + 1] = region end
  end
  return list
end

---@param arm table an arm of an experiment
---@param all_regions table[] of the experiment; the job has those that the arm works on
---@param clock_id? integer
---@param pause_divisor? integer shortens sleeps and spins, for --quick
---@param sizes? { page_bytes: integer, line_bytes: integer? } of pages and lines, this machine's by
---  default
---@return table job as frlua.core.sample takes it
function job.plain(arm, all_regions, clock_id, pause_divisor, sizes)
  sizes = sizes or machine
  local regions <const> = job.regions_of(arm, all_regions)
  local plain <const> = { clock = clock_id or 0, regions = {}, phases = {},
    page_bytes = sizes.page_bytes, smaps = #regions > 0 } -- else there is nothing to read back
  for index, region in ipairs(regions) do
    plain.regions[index] = plain_region(region, sizes)
    plain.geometry = region.layout and region.layout.geometry or plain.geometry
  end
  for index, phase in ipairs(arm.phases) do
    local ops <const> = {}
    for number, op in ipairs(phase.ops) do
      ops[number] = plain_op[op.code](op, regions, pause_divisor or 1, sizes)
      ops[number].code = ops[number].code or op.code
    end
    plain.phases[index] = { ops = ops, iterations = phase.iterations, timed = phase.timed }
  end
  return plain
end

-- Bytes from the start of a region to the last one that an operation touches; nil when it leaves
-- pages out.
local function extent(op, bytes, page)
  if op.stride > page then return nil end
  if op.stride == job.stride "word" then return bytes // op.stride * op.stride end -- whole words
  return (bytes - 1) // op.stride * op.stride + 1
end

-- Operations after which nobody can tell without measuring which pages are there.
local UNTOLD <const> = {
  advise = true, remap = true, read_file = true, evict_file = true, link = true,
}

-- A lock that was refused leaves the pages to the first touch.
local function is_derivable(region)
  return not (region.file or region.memfd or region.shared or region.huge_bytes or region.lock)
end

-- What an operation does to its regions: a list of { region, written, bytes }; nil when it leaves
-- pages out, or can't be told.
local function touches(op, regions, page)
  if UNTOLD[op.code] or op.region and not is_derivable(regions[op.region]) then return nil end
  if op.code == "affine" then
    local bytes <const> = op.amount * job.stride "word"
    return {
      { region = op.from, written = false, bytes = bytes },
      { region = op.region, written = true, bytes = bytes },
    }
  elseif op.code == "write" or op.code == "stream" or op.code == "read" then
    local bytes <const> = extent(op, regions[op.region].bytes, page)
    return bytes and { { region = op.region, written = op.code ~= "read", bytes = bytes } }
  elseif op.code == "populate" or op.code == "lock" then -- of memory that is written, for writing
    local region <const> = regions[op.region]
    local written <const> = op.code == "lock" and not region.read_only or op.value == 1
    return { { region = op.region, written = written, bytes = region.bytes } }
  end
  return {}
end

local function pages(bytes, page)
  return (bytes + page - 1) // page
end

-- How many pages of a region were read and written, from its start, before the first phase.
local function state_of(region, page)
  local number <const> = require "frlua.core".advice_number
  local state <const> = { read = 0, written = 0 }
  if region.advice == number "populate_read" then state.read = pages(region.bytes, page) end
  if region.advice == number "populate_write" then state.written = pages(region.bytes, page) end
  if region.chain_stride or region.layout then state.written = pages(region.bytes, page) end
  if region.populate then
    local kind <const> = region.read_only and "read" or "written"
    state[kind] = pages(region.bytes, page)
  end
  if region.fill_index == 1 then
    state.written = math.max(state.written, pages(region.bytes // 8 * 8, page))
  end
  return state
end

-- Faults that touching one region takes, page by page of base size. Reading what was never written
-- maps the kernel's page of zeros, and a later write faults again. `state` is updated.
local function faults_of(touch, state, page)
  local touched <const> = pages(touch.bytes, page)
  local before <const> = touch.written and state.written or math.max(state.read, state.written)
  local kind <const> = touch.written and "written" or "read"
  state[kind] = math.max(state[kind], touched)
  return math.max(0, touched - before)
end

---The minor faults that iteration 1 of a phase takes if every page is of base size: those of pages
---that nothing touched before. Counted from the job, not from any measurement; only of private
---anonymous memory, as one fault on a file may map several pages.
---@param plain table a job
---@param phase_number integer
---@return integer? expected nil when an operation leaves pages out or drops them
function job.expected_faults(plain, phase_number)
  local state <const>, page <const> = {}, plain.page_bytes
  for index, region in ipairs(plain.regions) do state[index] = state_of(region, page) end
  local expected
  for number = 1, phase_number do
    expected = 0
    for _, op in ipairs(plain.phases[number].ops) do
      local touched <const> = touches(op, plain.regions, page)
      if not touched then return nil end
      for _, touch in ipairs(touched) do
        expected = expected + faults_of(touch, state[touch.region], page)
      end
    end
  end
  return expected
end

return job
