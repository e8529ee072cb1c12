--- Chains that fr.chase follows: each must have been linked, within its region, before the first
--- load of it. A load from anywhere else ends a sample by a signal, or reads what nobody meant.
local check <const> = require "frlua.check"
local job <const> = require "frlua.job"
local mapping <const> = require "frlua.mapping"

local chains <const> = {}

-- A slot holds a pointer at its start, of the size of a word, and no two slots overlap.
local function check_slot(slot, bytes, where)
  if slot % job.WORD_BYTES ~= 0 then
    check.fail(("%s has slots of %d bytes: expected a multiple of %d, the size of a pointer")
      :format(where, slot, job.WORD_BYTES))
  elseif slot > bytes then
    check.fail(("%s has no room for one slot of %d bytes in %d"):format(where, slot, bytes))
  end
end

local function check_link(op, region, where)
  if op.bytes > region.bytes then
    check.fail(("%s links %d bytes of region '%s', which has %d"):format(where, op.bytes,
      region.name, region.bytes))
  elseif not mapping.is_fillable(region) then
    check.fail(("%s would write over a file, or over what may only be read"):format(where))
  end
  check_slot(job.stride(op.slot), op.bytes, where)
end

local function check_chase(op, region, is_linked, where)
  if region.chain or region.layout then return end
  if not is_linked then
    check.fail(("%s follows a chain in region '%s', which has none: give it chain = 'line', or link"
      .. " it before"):format(where, region.name))
  elseif not op.loads then
    check.fail(("%s needs loads: the chain of region '%s' is one of fr.link"):format(where,
      region.name))
  end
end

-- In the order in which the operations run.
local function check_arm(arm, by_name, what)
  local linked <const> = {}
  for _, phase in ipairs(arm.phases) do
    for _, op in ipairs(phase.ops) do
      local region <const> = by_name[op.region]
      local where <const> = ("fr.%s in phase '%s' of arm '%s' in %s"):format(op.code, phase.name,
        arm.name, what)
      if op.code == "link" and phase.timed then
        check.fail(where .. " is for phases that are not timed")
      elseif op.code == "link" then
        check_link(op, region, where)
        linked[op.region] = true
      elseif op.code == "chase" then
        check_chase(op, region, linked[op.region], where)
      end
    end
  end
end

---Refuses chains that are none, or that would leave their regions.
---@param arms table[] of an experiment
---@param regions table[]
---@param what string whose they are
function chains.check(arms, regions, what)
  local by_name <const> = {}
  for _, region in ipairs(regions) do
    if by_name[region.name] then -- a layout's region has its arm's name
      check.fail(("%s has both a region and an arm with a layout named '%s'"):format(what,
        region.name))
    end
    by_name[region.name] = region
    if region.chain then
      check_slot(job.stride(region.chain), region.bytes, ("the chain of region '%s' in %s"):format(
        region.name, what))
    end
  end
  for _, arm in ipairs(arms) do check_arm(arm, by_name, what) end
end

return chains
