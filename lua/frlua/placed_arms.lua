--- Arms that are layouts: one concrete arm, with a region of its own, for every value that the
--- experiment sweeps over.
local check <const> = require "frlua.check"
local clock <const> = require "frlua.clock"
local grammar <const> = require "frlua.grammar"
local layout <const> = require "frlua.layout"
local machine <const> = require "frlua.machine"
local timed_phases <const> = require "frlua.timed_phases"

local placed_arms <const> = {}

-- A step of the clock is at most a thousandth of a walk: with loads of half a nanosecond at least,
-- so many times its step in ns.
local LOADS_A_STEP <const> = 2000
local MOST_LOADS <const> = 1 << 24 -- of a clock too coarse for that: the report says so

---@class frlua.Sweep
---@field name string of the parameter
---@field values integer[] in the order of the script

---The `sweep` of fr.experiment: { lines = { 8, 16, 32 } }.
---@param fields any
---@param what string
---@return frlua.Sweep?
function placed_arms.sweep(fields, what)
  if fields == nil then return nil end
  local where <const> = "sweep in " .. what
  check.keys(fields, layout.SWEPT, where)
  local name <const>, list <const> = next(fields)
  if not name or next(fields, name) then
    check.fail(where .. " goes over one parameter: { lines = { … } }")
  end
  local values <const>, seen <const> = {}, {}
  for index, value in ipairs(check.keys(list, { entries = true }, name .. " of " .. where)) do
    local least <const> = name == "off" and 0 or 1
    values[index] = check.whole(value, ("value %d of %s"):format(index, where), least)
    if seen[values[index]] then check.fail(("%s has %d twice"):format(where, values[index])) end
    seen[values[index]] = true
  end
  if not values[1] then check.fail(where .. " has no values") end
  return { name = name, values = values }
end

---The name of a concrete arm.
---@param name string
---@param parameter string
---@param value integer
---@return string
function placed_arms.name(name, parameter, value)
  if parameter == "lines" then return ("%s, %d lines"):format(name, value) end
  return ("%s, %s %d"):format(name, parameter, value)
end

-- So many loads that the walk ends where it began.
local function loads_for(lines)
  local wanted <const> = math.min(LOADS_A_STEP * (clock.step_ns or 1), MOST_LOADS)
  return (wanted + lines - 1) // lines * lines
end

local function region_of(name, placed, pages)
  local huge <const> = pages == "huge"
  local unit <const> = placed.geometry.huge_bytes
  local way <const> = (placed.geometry.sets or 1) * (placed.geometry.line_bytes or 1)
  local bytes = placed.bytes
  if huge and unit then bytes = (bytes + unit - 1) // unit * unit end
  return {
    kind = "region", name = name, bytes = bytes, layout = placed,
    -- Sets are counted from the start of the region, which must begin with set 0.
    align = math.max(machine.page_bytes, unit or 0, way),
    advise = huge and "hugepage" or "nohugepage", fill = huge and "index" or nil,
  }
end

-- The timed operations, on the arm's region where they name none.
local function ops_on(ops, region)
  local list <const> = {}
  for index, op in ipairs(ops) do
    local copy <const> = {}
    for key, value in pairs(op) do copy[key] = value end
    copy.region = op.region or region.name
    if copy.code == "chase" and copy.region == region.name then
      copy.loads = op.loads or loads_for(region.layout.lines)
    end
    list[index] = copy
  end
  return list
end

local function build(arm, params, ops, iterations)
  local name, params_copy <const> = arm.name, {}
  for parameter, value in pairs(params) do
    name, params_copy[parameter] = placed_arms.name(arm.name, parameter, value), value
  end
  local placed <const> = layout.place(arm.layout, params, ("the layout of '%s'"):format(name))
  local region <const> = region_of(name, placed, arm.pages)
  return {
    name = name, group = next(params_copy) and arm.name or nil,
    params = next(params_copy) and params_copy or nil,
    phases = { {
      name = timed_phases.OF_MODE, ops = ops_on(ops, region), iterations = iterations, timed = true,
    } },
  }, region
end

---Concrete arms, value by value, and their regions.
---@param list table[] of fr.arm, all with a layout
---@param fields table of fr.experiment
---@param sweep frlua.Sweep?
---@param what string
---@return table[] arms
---@return table[] regions
function placed_arms.build(list, fields, sweep, what)
  if not fields.timed then check.fail(what .. " has layouts, but no 'timed' operations") end
  local ops <const> = grammar.ops(fields.timed, "timed in " .. what)
  local iterations <const> = grammar.iterations(fields.iterations, what)
  local arms <const>, regions <const> = {}, {}
  for _, value in ipairs(sweep and sweep.values or { false }) do
    for _, arm in ipairs(list) do
      local params <const> = sweep and { [sweep.name] = value } or {}
      arms[#arms + 1], regions[#regions + 1] = build(arm, params, ops, iterations)
    end
  end
  return arms, regions
end

return placed_arms
