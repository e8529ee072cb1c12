--- The clock that everything timed is read with, and kernels timed by it in this very process.
local check <const> = require "frlua.check"
local core <const> = require "frlua.core"

---@class frlua.Clock `fr.clock()` is one reading: nanoseconds since some point, whole
---@field id integer the number that clock_gettime(2) knows it by
---@field source string "CLOCK_MONOTONIC" or "CLOCK_MONOTONIC_RAW"
---@field vdso boolean a reading costs less than half of what its system call costs
---@field read_ns number? mean cost of a reading; nil when the clock did not move
---@field syscall_read_ns number? the same by system call
---@field getres_ns integer the step that clock_getres(2) advertises
---@field step_ns integer? the smallest step that was seen; nil when it never moved
---@field backward integer readings that were earlier than the one before
local clock <const> = {}

local FIELDS <const> = {
  "id", "source", "vdso", "read_ns", "syscall_read_ns", "getres_ns", "step_ns", "backward",
}

-- The clock is chosen and measured when the first of its fields, or readings, is asked for.
setmetatable(clock, {
  __call = function() return core.now() end,
  __index = function(_, name)
    return core.clock()[check.one_of(name, FIELDS, "field", "fr.clock")]
  end,
})

-- The operations that were given: one, or a list.
local function list_of(kernel)
  local ops <const> = type(kernel) == "table" and kernel.kind == "op" and { kernel } or kernel
  return require "frlua.grammar".ops(ops, "the kernel of fr.time")
end

-- Puts a region of an operation where its index is found: among regions as those of an experiment,
-- with the userdata itself for a name.
local function add_region(regions, given, code, field)
  local what <const> = ("fr.time: %s of fr.%s"):format(field, code)
  local state <const> = core.region_state(given)
  if not state then
    check.fail(("%s must be a region from fr.map, not %s"):format(what, check.show(given)))
  elseif state == "closed" then
    check.fail(what .. " is closed")
  end
  for _, region in ipairs(regions) do
    if region.name == given then return end
  end
  regions[#regions + 1] = { name = given, bytes = given.bytes }
end

local function check_affine(op)
  if op.region == op.from then
    check.fail "fr.time: to and from of fr.affine are the same region, and may not overlap"
  end
  local to_words <const>, from_words <const> = op.region.bytes // 8, op.from.bytes // 8
  if from_words < to_words then
    check.fail(("fr.time: from of fr.affine holds %d words, fewer than the %d of to")
      :format(from_words, to_words))
  end
end

local function regions_of(ops)
  local regions <const> = {}
  for _, op in ipairs(ops) do
    if op.code == "affine" then
      add_region(regions, op.region, op.code, "to")
      add_region(regions, op.from, op.code, "from")
      check_affine(op)
    elseif op.region then
      add_region(regions, op.region, op.code, "the region")
      if op.from then add_region(regions, op.from, op.code, "from") end
    end
  end
  return regions
end

-- The first operation that the kernel refused, as a failure; nothing when it took them all.
local function refused(ops, outcomes)
  for index, outcome in ipairs(outcomes) do
    if outcome.error ~= 0 then
      local op <const> = ops[index]
      local refusal <const>, mapping <const> = require "frlua.refusal", require "frlua.mapping"
      return ("cannot %s: %s"):format(refusal.request(op, { bytes = op.region.bytes }),
        refusal.text(op.code, outcome.error, mapping.of[op.region])), outcome.error
    end
  end
end

---@class frlua.Readings
---@field ns userdata series of the iterations' times
---@field minor_faults integer[][] {iteration, count}, only of iterations that had some
---@field major_faults integer[][] likewise
---@field sum integer of what was read in all iterations, modulo 2^64
---@field from_ns integer before the first reading of the fault counts, by the same clock
---@field to_ns integer after the last
---@field ops table[] what came of each operation that asks the kernel

---Times operations on regions of fr.map: each iteration runs all of them, in C. Page faults are
---counted outside of the timed interval.
---`fr.time(fr.affine { to = output, from = input, mul = 3, add = 1 }, 100)`
---@param kernel frlua.Op|frlua.Op[]
---@param iterations? integer 1 by default
---@return frlua.Readings? readings
---@return string? message
---@return integer? errno
function clock.time(kernel, iterations)
  local most <const> = math.maxinteger // 16 -- of readings, by their size in bytes
  local count <const> = check.whole(iterations or 1, "iterations of fr.time", 1, most)
  local room <const>, ops <const> = require "frlua.room", list_of(kernel)
  room.check_readings(count, "fr.time")
  local regions <const>, mapped <const> = regions_of(ops), {}
  for index, region in ipairs(regions) do mapped[index] = region.name end
  room.check_words(ops, regions, "fr.time")
  local phase <const> = { ops = ops, iterations = count, timed = true }
  local plain <const> = require "frlua.job".plain({ phases = { phase } }, regions, clock.id)
  local readings <const>, message <const>, errno <const>, number <const>, byte <const> =
    core.time(plain.phases[1].ops, mapped, count, clock.id)
  if number then
    local region <const> = mapped[number]
    return nil, require "frlua.refusal".trap(message, byte, region.bytes,
      require "frlua.mapping".of[region])
  elseif not readings then
    return nil, message, errno
  end
  local refusal <const>, code <const> = refused(ops, readings.ops)
  if refusal then return nil, refusal, code end
  return readings
end

return clock
