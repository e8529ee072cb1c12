--- How the speed of a core develops over slices of counting, see fr.count: each slice is so many
--- steps, and its reading tells how many of them the core did in a nanosecond.
local stats <const> = require "frlua.stats"

local ramp <const> = {
  REACHED = 0.95, -- of the settled rate
  DRIFT = 0.02,   -- more than this between the last two quarters is not settled
}

---@class frlua.Ramp of one process; rates are steps per ns
---@field first number rate of the first slice
---@field settled number the median rate of the second half
---@field is_settled boolean whether the medians of the last two quarters are alike

local function median(ns, from, to)
  return stats.median { ns:middle(from, to) }
end

---@param ns userdata series of the readings
---@param steps integer of each slice
---@return frlua.Ramp? ramp
---@return string? why
function ramp.of(ns, steps)
  local count <const> = #ns
  if count < 4 then return nil, ("%d slices have no quarters"):format(count) end
  local half <const>, quarter <const> = count // 2, count - count // 4
  local settled <const> = median(ns, half + 1, count)
  local third <const>, fourth <const> = median(ns, half + 1, quarter), median(ns, quarter + 1)
  if ns[1] <= 0 or settled <= 0 or fourth <= 0 then
    return nil, "the clock did not resolve the slices"
  end
  return {
    first = steps / ns[1], settled = steps / settled,
    is_settled = math.abs(third / fourth - 1) <= ramp.DRIFT,
  }
end

---The median of each slice over several processes. What is at a time must not be looked for in a
---process by itself: a slice that was interrupted for long is the one that most times fall into.
---@param list userdata[] series of the same length
---@return number[] # ns by slice
function ramp.medians(list)
  local slices <const> = {}
  for slice = 1, list[1] and #list[1] or 0 do
    local values <const> = {}
    for index, ns in ipairs(list) do values[index] = ns[slice] end
    slices[slice] = stats.median(values)
  end
  return slices
end

---The time of counting until a slice with 95 % of the settled rate begins: what disturbs a slice
---makes it slower only, so that a fast one is no accident.
---@param slices number[] ns
---@return number? ns 0: the first one is such a slice
---@return string? why
function ramp.reached_ns(slices)
  local settled <const> = stats.median { table.unpack(slices, #slices // 2 + 1) }
  if not settled or settled <= 0 then return nil, "the clock did not resolve the slices" end
  local done_ns = 0
  for _, ns in ipairs(slices) do
    if ns > 0 and ramp.REACHED * ns <= settled then break end
    done_ns = done_ns + ns
  end
  return done_ns
end

---The rates of the slices that go on at certain times.
---@param slices number[] ns
---@param steps integer of each slice
---@param times number[] in ns of counting, rising
---@return table<integer, number> rates by the index of the time; holes where counting was over, or
---the clock did not move
function ramp.at(slices, steps, times)
  local rates <const>, done_ns, index = {}, 0, 1
  for _, ns in ipairs(slices) do
    done_ns = done_ns + ns
    while times[index] and done_ns > times[index] do
      rates[index] = steps / ns
      index = index + 1
    end
  end
  return rates
end

return ramp
