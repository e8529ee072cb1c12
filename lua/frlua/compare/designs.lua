--- Whether two results are of the same experiment under the same design: what differs in what was
--- done, region by region and arm by arm, makes figures that have nothing to do with each other.
local findings <const> = require "frlua.findings"
local units <const> = require "frlua.units"

local designs <const> = {}

-- Fields of a layout and of an operation that follow from the machine or from the run's seed.
local OF_MACHINE <const> = { geometry = true, audit = true, start = true, seed = true }

local function shown(value)
  if type(value) == "number" then return units.count(value) end
  return value == nil and "none" or type(value) == "table" and "a list" or tostring(value)
end

-- The amount that an eviction goes through by default is a multiple of the machine's cache.
local function is_of_machine(key, owner)
  return OF_MACHINE[key] or key == "amount" and owner.code == "evict"
end

-- The first difference of two values, in words; nil for none.
local function difference(a, b, path)
  if type(a) ~= "table" or type(b) ~= "table" then
    return a ~= b and ("%s %s, not %s"):format(path, shown(b), shown(a)) or nil
  end
  for _, key in ipairs(findings.keys_of_both(a, b)) do
    local step <const> = math.type(key) == "integer" and ("%s %d,"):format(path, key)
      or ("%s %s"):format(path, key)
    local found <const> = not is_of_machine(key, a) and difference(a[key], b[key], step)
    if found then return found end
  end
end

local function by_name(list)
  local names <const> = {}
  for _, item in ipairs(list) do names[item.name] = item end
  return names
end

-- A region with a chain gauges the caches, or evicts them: its size follows the machine's.
local function region_difference(a, b)
  if not a.chain then return difference(a, b, ("region '%s' has"):format(a.name)) end
  return difference(a.chain, b.chain, ("region '%s' has chain"):format(a.name))
end

local function regions(base, other, found)
  local there <const> = by_name(other.regions)
  for _, region in ipairs(base.regions) do
    local match <const> = there[region.name]
    found[#found + 1] = match and region_difference(region, match)
      or not match and ("has no region '%s'"):format(region.name) or nil
    there[region.name] = nil
  end
  for _, region in ipairs(other.regions) do
    if there[region.name] then
      found[#found + 1] = ("has a region '%s' more"):format(region.name)
    end
  end
end

-- Arms of the same name must do the same; an arm that only one has is unmatched, and no objection.
local function arms(base, other, found)
  local there <const> = by_name(other.arms)
  for _, arm in ipairs(base.arms) do
    local match <const> = there[arm.name]
    local what <const> = ("arm '%s' has"):format(arm.name)
    found[#found + 1] = match and difference(arm.phases, match.phases, what .. " phase") or nil
    for _, key in ipairs { "params", "twin_of", "is_reference" } do
      found[#found + 1] = match and difference(arm[key], match[key], what .. " " .. key) or nil
    end
  end
end

---What stands against comparing two results; empty where nothing does.
---@param base table a document
---@param other table
---@return string[] objections what is to follow the other's name
function designs.objections(base, other)
  local found <const> = {}
  if base.experiment ~= other.experiment then
    found[1] = ("is of another experiment: '%s', not '%s'"):format(other.experiment,
      base.experiment)
  end
  regions(base.design, other.design, found)
  arms(base.design, other.design, found)
  found[#found + 1] = difference(base.design.sweep and base.design.sweep.name,
    other.design.sweep and other.design.sweep.name, "sweeps")
  found[#found + 1] = difference(base.design.warm_up, other.design.warm_up, "has a warm-up of")
  return found
end

---How two definitions of a metric differ; nil where they are one.
---@param base table
---@param other table
---@return string?
function designs.metric_difference(base, other)
  local a <const>, b <const> = {}, {}
  for key, value in pairs(base) do a[key] = value end
  for key, value in pairs(other) do b[key] = value end
  a.keep, b.keep = nil, nil -- which value a report shows: every process' value is compared
  return difference(a, b, "it has")
end

return designs
