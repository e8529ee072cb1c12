--- What a sample and a run have room for. What would be too much, or nothing at all, is refused
--- before anything is measured.
local check <const> = require "frlua.check"
local job <const> = require "frlua.job"
local machine <const> = require "frlua.machine"
local units <const> = require "frlua.units"

local room <const> = {}

-- See core/engine/job.h and ops.h.
local OF_SAMPLE <const> = { regions = 16, operations = 128, phases = 64 }
local RECORDED_BYTES <const> = 16
-- What a reading takes until its result is written: in memory, and as text in two pieces.
local KEPT_BYTES <const> = 24

local function check_count(count, kind, whose)
  if count > OF_SAMPLE[kind] then
    check.fail(("%s has %d %s: a sample has room for %d"):format(whose, count, kind,
      OF_SAMPLE[kind]))
  end
end

---Refuses more readings than there is memory for: all of them are in memory before the first.
---@param count integer
---@param whose string
function room.check_readings(count, whose)
  local memory <const> = machine.memory_bytes
  if memory and count > memory // RECORDED_BYTES then
    check.fail(("%s has %d iterations: to record them takes %d bytes each, this machine has %s")
      :format(whose, count, RECORDED_BYTES, units.bytes(memory)))
  end
end

---Refuses operations on words of a region that has none: they would do nothing, in the time that
---this takes.
---@param ops frlua.Op[]
---@param regions table[] `name`: as the operations have it
---@param where string such as "fr.time"
function room.check_words(ops, regions, where)
  local bytes_of <const> = {}
  for _, region in ipairs(regions) do bytes_of[region.name] = region.bytes end
  for _, op in ipairs(ops) do
    local is_of_words <const> =
      op.code == "affine" or op.every == "word" or op.every == job.WORD_BYTES
    for _, name in ipairs(is_of_words and { op.region, op.from } or {}) do
      if bytes_of[name] < job.WORD_BYTES then
        check.fail(("%s: fr.%s works on words of %d bytes, %s has %d"):format(where, op.code,
          job.WORD_BYTES, type(name) == "string" and ("region '%s'"):format(name) or "the region",
          bytes_of[name]))
      end
    end
  end
end

local function readings_of(arm)
  local readings = 0
  for _, phase in ipairs(arm.phases) do
    readings = readings + (phase.timed and phase.iterations or 0)
  end
  return readings
end

---Refuses arms that are more than a sample has room for, or that would do nothing.
---@param arms table[] of an experiment
---@param regions table[]
---@param what string whose they are
function room.check_arms(arms, regions, what)
  for _, arm in ipairs(arms) do
    local whose <const> = ("arm '%s' in %s"):format(arm.name, what)
    local operations = 0
    check_count(#job.regions_of(arm, regions), "regions", whose)
    check_count(#arm.phases, "phases", whose)
    for _, phase in ipairs(arm.phases) do
      room.check_words(phase.ops, regions, whose)
      operations = operations + #phase.ops
    end
    check_count(operations, "operations", whose)
    room.check_readings(readings_of(arm), whose)
  end
end

---Whether the readings of a whole run, which are kept until its result is written, have room.
---@param experiments frlua.Experiment[]
---@param designs frlua.Design[] of each
---@return string? why not
function room.of_run(experiments, designs)
  local readings, memory <const> = 0.0, machine.memory_bytes -- a product may exceed 2^63
  for index, experiment in ipairs(experiments) do
    for _, arm in ipairs(experiment.arms) do
      readings = readings + readings_of(arm) * 1.0 * designs[index].rounds
    end
  end
  if not memory or readings * KEPT_BYTES <= memory then return nil end
  return ("the run has %.0f readings, in all rounds and arms: to keep them takes %d bytes each,"
    .. " this machine has %s"):format(readings, KEPT_BYTES, units.bytes(memory))
end

return room
