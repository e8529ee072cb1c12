--- Evidence of how a program's calls were bound: what its file says (fr.elf), and what its
--- processes read of their own slots (see core/probe/slots.h), before and after the calls that they
--- timed. What was asked for is no evidence: a distribution's compiler may link with -z now, and a
--- loader need not bind lazily.
local check <const> = require "frlua.check"

local binding <const> = {}

local UNTOLD <const> = "the program does not tell what its slots hold"
local NO_SLOTS <const> = "no call of the program goes through a procedure linkage table, so that"
  .. " nothing is bound at a first call (a static program, one built with -fno-plt)"

---Evidence that the calls which the processes of an arm timed were bound at the first call, or all
---before: by what the file says whose calls they are, and by the `slots`, `bound_before` and
---`bound_after` that each process printed, as core/probe/call.c does.
---`fr.bound { "lazy", as = "lazy" }`, `fr.bound { "LD_BIND_NOW=1", as = "now" }`
---@param fields table
---@return frlua.Test
function binding.bound(fields)
  check.keys(fields, { "as", entries = true }, "fr.bound")
  require "frlua.grammar".check_entries(fields, 1, "fr.bound")
  return {
    kind = "test", form = "bound", arm = check.text(fields[1], "the arm of fr.bound"),
    as = check.one_of(fields.as, { "lazy", "now" }, "binding", "fr.bound"),
  }
end

-- Whether a process tells of its slots; one that can't count them prints -1.
local function is_told(printed)
  return math.type(printed.slots) and printed.slots >= 0
    and math.type(printed.bound_before) and math.type(printed.bound_after)
end

local objections <const> = {}

function objections.lazy(printed)
  if printed.bound_before == printed.slots then
    return ("all %d slots were bound before the first call"):format(printed.slots)
  elseif printed.bound_after <= printed.bound_before then
    return "the calls that were timed bound nothing"
  end
end

function objections.now(printed)
  if printed.bound_before < printed.slots then
    return ("%d of %d slots were not bound before the first call"):format(
      printed.slots - printed.bound_before, printed.slots)
  end
end

-- What speaks against it in one process, and whether that is known, or nothing is.
local function process_objection(printed, as)
  if not is_told(printed) then return UNTOLD, false end
  return printed.slots == 0 and NO_SLOTS or objections[as](printed), true
end

-- The same of a file, by what it says of itself. Bound before is what LD_BIND_NOW makes of any.
local function file_objection(file, as)
  if as == "now" or file and file.binding == "lazy" then return nil end
  if not file or not file.binding then
    return "how the file is bound is unknown: " .. (file and file.binding_why or "it was not read"),
      false
  end
  return ("%s is not bound lazily, and LD_BIND_NOW can make no difference: %s"):format(
    file.path:match "[^/]*$", file.binding_why), true
end

---Why the calls that processes timed were not bound so: by the file, or by the first of them.
---@param as "lazy"|"now"
---@param file { path: string, binding: string?, binding_why: string }? whose calls they are
---@param samples frlua.Sample[] that have printed readings
---@return string? why nil when they were, in every process
---@return boolean? is_contrary false: it is only unknown how they were
function binding.objection(as, file, samples)
  local why, is_contrary = file_objection(file, as)
  if is_contrary then return why, true end
  if #samples == 0 then return why or "no process is there to look into", false end
  for _, sample in ipairs(samples) do
    local found <const>, is_known <const> = process_objection(sample.printed or {}, as)
    if found and (is_known or not why) then
      why, is_contrary = ("%s (round %d)"):format(found, sample.round), is_known
      if is_known then break end
    end
  end
  return why, is_contrary
end

---How many slots were bound before and by the calls that were timed, over processes, in words.
---@param samples frlua.Sample[]
---@return string[] # slots, bound before, bound by the calls; "-" where nothing is known
function binding.counts(samples)
  local stats <const> = require "frlua.stats"
  local columns <const> = {}
  for column, of in ipairs {
    function(printed) return printed.slots end,
    function(printed) return printed.bound_before end,
    function(printed) return printed.bound_after - printed.bound_before end,
  } do
    local list <const> = {}
    for _, sample in ipairs(samples) do
      local printed <const> = sample.printed or {}
      list[#list + 1] = is_told(printed) and of(printed) or nil
    end
    local counts <const> = stats.exact(list)
    columns[column] = counts and (counts.exact and tostring(counts.exact)
      or table.concat(counts.values, ", ")) or "-"
  end
  return columns
end

return binding
