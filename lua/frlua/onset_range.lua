--- Where a step begins, as a range that rows which are undecided only widen.
local onset_range <const> = {}

local ABOVE <const> = { up = true, between = true }

---From the last row up to which all are flat, to the first one from which on none is: by rows as
---fr.find_step has them. Rows that are undecided lie inside the range.
---@param rows frlua.StandingRow[]
---@return { below: number, above: number }? # `at` of the two rows; nil where there are no such
function onset_range.of(rows)
  local below, above
  for index = 1, #rows do
    if rows[index].standing ~= "flat" then break end
    below = rows[index].at
  end
  for index = #rows, 1, -1 do
    if not ABOVE[rows[index].standing] then break end
    above = rows[index].at
  end
  return below and above and { below = below, above = above } or nil
end

return onset_range
