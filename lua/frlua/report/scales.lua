--- In what units a report writes times.
local units <const> = require "frlua.units"

local scales <const> = {}

---One scale for times that are to be compared: nanoseconds as far as nine digits go, since readers
---compare them with their own programs.
---@param numbers number[] in ns
---@return frlua.Scale
function scales.shared(numbers)
  for _, number in ipairs(numbers) do
    if math.abs(number) >= 1e9 then return units.scale(numbers) end
  end
  return { name = "ns", divisor = 1, digits = 0 }
end

---That of one metric: times of a page or a fault are small, not whole, and written by themselves.
---@param metric table
---@param shared frlua.Scale
---@return frlua.Scale
function scales.of(metric, shared)
  return metric.per and { name = "ns/" .. metric.per, divisor = 1, digits = 1 } or shared
end

return scales
