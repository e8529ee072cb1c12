--- Evidence of how a program's calls were bound: what its file says (fr.elf), and what its
--- processes read of their own slots (see core/probe/slots.h), before and after the calls that they
--- timed. What was asked for is no evidence: a distribution's compiler may link with -z now, and a
--- loader need not bind lazily.
local binding <const> = {}

local UNTOLD <const> = "the program does not tell what its slots hold"
local NO_SLOTS <const> = "no call of the program goes through a procedure linkage table, so that"
  .. " nothing is bound at a first call (a static program, one built with -fno-plt)"

-- Why nothing is known of the slots in one process; nil when it is.
local function unknown(readings)
  local slots <const> = readings.slots
  if not slots or slots < 0 or not readings.bound_before or not readings.bound_after then
    return UNTOLD
  end
  return slots == 0 and NO_SLOTS or nil
end

-- The first objection against any of the processes.
local function first_objection(samples, object)
  if #samples == 0 then return "no process is there to look into" end
  for _, sample in ipairs(samples) do
    local why <const> = unknown(sample.readings) or object(sample.readings)
    if why then return ("%s (round %d)"):format(why, sample.round) end
  end
end

-- Why a file's calls are not bound lazily, by what it says of itself.
local function file_objection(path)
  local file <const>, message <const> = require "frlua.elf".read(path)
  if not file then return "how the file is bound is unknown: " .. message end
  if file.binding == "lazy" then return nil end
  return ("%s is not bound lazily, and LD_BIND_NOW can make no difference: %s"):format(
    path:match "[^/]*$", file.binding_why)
end

---Why the calls that processes timed were not bound lazily: by the file, or by the first of them.
---@param path string the program, or the library whose calls they are
---@param samples frlua.ProgramSample[] of a program that counts the slots
---@return string? why nil when they were, in every process
function binding.not_lazy(path, samples)
  return file_objection(path) or first_objection(samples, function(readings)
    if readings.bound_before == readings.slots then
      return ("all %d slots were bound before the first call"):format(readings.slots)
    elseif readings.bound_after <= readings.bound_before then
      return "the calls that were timed bound nothing"
    end
  end)
end

---Why the calls that processes timed were not all bound before, likewise.
---@param samples frlua.ProgramSample[]
---@return string? why nil when they were, in every process
function binding.not_now(samples)
  return first_objection(samples, function(readings)
    if readings.bound_before < readings.slots then
      return ("%d of %d slots were not bound before the first call"):format(
        readings.slots - readings.bound_before, readings.slots)
    end
  end)
end

---How many slots were bound before and by the calls that were timed, over processes, in words.
---@param samples frlua.ProgramSample[]
---@return string[] # slots, bound before, bound by the calls; "-" where nothing is known
function binding.counts(samples)
  local stats <const> = require "frlua.stats"
  local columns <const> = {}
  for column, of in ipairs {
    function(readings) return readings.slots end,
    function(readings) return readings.bound_before end,
    function(readings) return readings.bound_after - readings.bound_before end,
  } do
    local list <const> = {}
    for _, sample in ipairs(samples) do
      list[#list + 1] = unknown(sample.readings) ~= UNTOLD and of(sample.readings) or nil
    end
    local counts <const> = stats.exact(list)
    columns[column] = counts and (counts.exact and tostring(counts.exact)
      or table.concat(counts.values, ", ")) or "-"
  end
  return columns
end

return binding
