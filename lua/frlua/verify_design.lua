--- Whether the design of a result follows from itself and the seed: the order of its rounds, the
--- arms that its sweep made, and what its layouts count.
local analysis <const> = require "frlua.analysis"
local claim_design <const> = require "frlua.claim_design"
local findings <const> = require "frlua.findings"
local layout <const> = require "frlua.layout"
local placed_arms <const> = require "frlua.placed_arms"
local plan <const> = require "frlua.plan"

local compare <const>, find <const>, place <const> = findings.compare, findings.add, findings.place

local verify_design <const> = {}

---What a design has that follows from the rest of it.
---@param document table
---@param found frlua.Verification
function verify_design.rounds_for_claims(document, found)
  local design <const> = document.design
  compare(design.rounds_for_claims,
    claim_design.rounds(design.claims, analysis.own_arms(design)), "design.rounds_for_claims",
    found)
end

---The order of a design, against its seed and its own rules.
---@param document table
---@param found frlua.Verification
function verify_design.order(document, found)
  local design <const> = document.design
  if #design.order ~= design.rounds then
    find(found, "design.order has %d rounds, design.rounds is %d", #design.order, design.rounds)
    return
  end
  local counts <const>, arms <const> = {}, #design.arms
  for round, order in ipairs(design.order) do
    local seen <const> = {}
    for position, arm in ipairs(order) do
      if seen[arm] or arm > arms then
        find(found, "design.order[%d] does not run every arm once", round)
        return
      end
      seen[arm] = true
      local key <const> = ("arm %d in position %d"):format(arm, position)
      counts[key] = (counts[key] or 0) + 1
    end
    if #order ~= arms then
      find(found, "design.order[%d] does not run every arm once", round)
      return
    end
  end
  for _, count in pairs(counts) do
    if count < design.rounds // arms or count > (design.rounds + arms - 1) // arms then
      find(found, "design.order is not balanced: an arm is too often in one position")
      break
    end
  end
  compare(design.order, plan.order(arms, design.rounds, document.seed), "design.order", found)
end

local function by_name(list)
  local named <const> = {}
  for _, item in ipairs(list) do named[item.name] = item end
  return named
end

-- An arm that a sweep made: what it is called and where its lines lie are as its value says.
local function check_swept_arm(arm, sweep, region, path, found)
  local value <const>, is_swept = arm.params and arm.params[sweep.name], false
  for _, candidate in ipairs(sweep.values) do is_swept = is_swept or candidate == value end
  if not is_swept or not arm.group then
    find(found, "%s has none of the sweep's values, or no group", path)
    return
  end
  compare(arm.params, { [sweep.name] = value }, path .. ".params", found, "by the sweep")
  compare(arm.name, placed_arms.name(arm.group, sweep.name, value), path .. ".name", found,
    "by its params")
  compare(region and region.layout and region.layout[sweep.name], value,
    ("the %s of the layout of %s"):format(sweep.name, path), found, "by its params")
end

---The arms of a sweep, and that others have no parameters.
---@param document table
---@param found frlua.Verification
function verify_design.sweep(document, found)
  local design <const> = document.design
  local arms <const>, regions <const> = by_name(design.arms), by_name(design.regions)
  for index, arm in ipairs(design.arms) do
    local path <const> = place("design.arms", index)
    if arm.twin_of then
      local original <const> = arms[arm.twin_of] or {}
      compare(arm.params, original.params, path .. ".params", found, "in the arm it is a twin of")
    elseif design.sweep and not arm.is_reference then
      check_swept_arm(arm, design.sweep, regions[arm.name], path, found)
    else
      compare(arm.params, nil, path .. ".params", found, "without a sweep")
      compare(arm.group, nil, path .. ".group", found, "without a sweep")
    end
  end
end

---That what is kept of files is of those whose calls the arms time.
---@param document table
---@param found frlua.Verification
function verify_design.files(document, found)
  for index, arm in ipairs(document.design.arms) do
    compare(arm.file and arm.file.path, arm.prints and (arm.calls_of or arm.command[1]) or nil,
      place("design.arms", index) .. ".file.path", found, "by what it runs")
  end
end

---What layouts count, where a formula says where their lines lie; those of a script's own function
---are held against the samples alone.
---@param document table
---@param found frlua.Verification
function verify_design.layouts(document, found)
  for index, region in ipairs(document.design.regions) do
    local placed <const>, path <const> = region.layout, place("design.regions", index) .. ".layout"
    if placed and not placed.by then
      local offsets <const> = layout.by_formula(placed.lines, placed.gap, placed.off, placed.wrap)
      compare(placed.start, offsets[1], path .. ".start", found, "by its formula")
      compare(placed.audit, layout.audit(offsets, placed.bytes, placed.geometry), path .. ".audit",
        found, "by its formula")
    end
    if placed and placed.bytes > region.bytes then
      find(found, "%s.bytes is %d, more than the %d of its region", path, placed.bytes,
        region.bytes)
    end
  end
end

return verify_design
