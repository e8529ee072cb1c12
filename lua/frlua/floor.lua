--- The noise floor: what one arm run twice differs by, for each metric in ns.
local contrast <const> = require "frlua.contrast"
local json <const> = require "frlua.json"
local timed_phases <const> = require "frlua.timed_phases"

local floor <const> = {}

local function floor_between(twin, metric, values, rounds)
  local found <const>, why <const> = contrast.take(values[twin.name][metric.name],
    values[twin.twin_of][metric.name], rounds)
  local ci95 <const> = found and found.ci95
  return {
    arm = twin.twin_of, twin = twin.name, metric = metric.name,
    n = found and found.n or 0,
    ratio = found and found.median,
    ci95 = ci95 and json.array(ci95),
    ci95_coverage = found and found.ci95_coverage,
    floor = ci95 and contrast.far_end(ci95),
    floor_why = why or found and found.why,
    ratios = found and found.ratios or {},
  }
end

---The ratio of each twin to its arm.
---@param design table
---@param values frlua.Values
---@return table[] floors { arm, twin, metric, n, ratio, ci95, ci95_coverage, floor, floor_why,
---  ratios }
function floor.take(design, values)
  local floors <const> = {}
  for _, twin in ipairs(design.arms) do
    for _, metric in ipairs(twin.twin_of and design.metrics or {}) do
      if metric.unit == "ns" and timed_phases.has(twin, metric) then
        floors[#floors + 1] = floor_between(twin, metric, values, design.rounds)
      end
    end
  end
  return floors
end

---The same by the arm's and the metric's name.
---@param floors table[]
---@return table<string, table<string, table>>
function floor.by_name(floors)
  local named <const> = {}
  for _, one in ipairs(floors) do
    named[one.arm] = named[one.arm] or {}
    named[one.arm][one.metric] = one
  end
  return named
end

---As the result keeps them, without the single ratios.
---@param floors table[]
---@return table[]
function floor.summaries(floors)
  local kept <const> = json.array {}
  for index, one in ipairs(floors) do
    kept[index] = {}
    for key, value in pairs(one) do
      if key ~= "ratios" then kept[index][key] = value end
    end
  end
  return kept
end

return floor
