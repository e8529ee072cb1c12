--- How the rows of a sweep of ratios stand to the band of noise and to the plateau. The band
--- reaches from 1 / floor to floor, where floor is what an arm differs by when it is run twice.
--- A row is
---
---  * "up" when its whole interval lies above the band, and it belongs to the plateau: the first to
---    the last such row, less those at its ends that are "between";
---  * "between" when its whole interval lies above the band and below level / floor, where the
---    noise of the plateau's level ends: a cost that is there, but only in part. Counted as
---    plateau, a gradual onset would read as a sharp one;
---  * "down" when its whole interval lies below the band;
---  * "flat" when its whole interval lies inside the band; or when it holds 1, or its ratio lies
---    inside the band, and it ends nearer to 1 than to the plateau's level (downwards by the same
---    factor). An interval is about as wide as the floor itself, so that many a flat row's ends
---    outside the band: what counts is that it can't be of the plateau. Without a row above the
---    band it must end below floor^2. A lower step could not be shown: a row that clears the band
---    has its ratio above it by the row's own noise, which is about another floor;
---  * "undecided" else: without an interval; or with one that ends further away; or with one that
---    neither holds 1 nor clears the band, about a ratio outside of it.
local stats <const> = require "frlua.stats"
local units <const> = require "frlua.units"

local standing <const> = {}

---@class frlua.StandingRow
---@field at number
---@field ratio number
---@field ci95 number[]?
---@field standing "flat"|"between"|"up"|"down"|"undecided"
---@field why string? why it is undecided

---Half of what a plateau costs more: costs add up, so that this is half-way by difference.
---@param level number
---@return number
function standing.half_way(level)
  return 1 + (level - 1) / 2
end

local function is_above(row, floor)
  return row.ci95 and row.ci95[1] > floor
end

local function level_of(list, first, last, floor)
  local ratios <const> = {}
  for index = first, last do
    if is_above(list[index], floor) then ratios[#ratios + 1] = list[index].ratio end
  end
  return stats.median(ratios)
end

-- The next row above the band, from `index` on by `step`. There is one: the largest ratio of a
-- range is never below its median, so that no range is trimmed to nothing.
local function next_above(list, index, step, floor)
  repeat index = index + step until is_above(list[index], floor)
  return index
end

-- The rows above the band, trimmed row by row of those at the ends that are only in part.
local function plateau(list, floor)
  local first, last
  for index, row in ipairs(list) do
    if is_above(row, floor) then first, last = first or index, index end
  end
  while first do
    local level <const> = level_of(list, first, last, floor)
    if list[first].ci95[2] < level / floor then
      first = next_above(list, first, 1, floor)
    elseif list[last].ci95[2] < level / floor then
      last = next_above(list, last, -1, floor)
    else
      return { first = first, last = last, level = level }
    end
  end
end

-- How far from 1 an interval may end that holds 1, and what lies there.
local function reach(found, floor)
  if found then return standing.half_way(found.level), "half-way to the plateau" end
  return floor * floor, "the least step that could be shown"
end

local function stands(row, floor, found)
  if not row.ci95 then return "undecided", row.why or "it has no interval" end
  local low <const>, high <const> = row.ci95[1], row.ci95[2]
  if low > floor then return "up" end
  if high < 1 / floor then return "down" end
  if low >= 1 / floor and high <= floor then return "flat" end

  local interval <const> = ("its interval, %s to %s,"):format(units.significant(low),
    units.significant(high))
  local is_ratio_inside <const> = row.ratio >= 1 / floor and row.ratio <= floor
  if not is_ratio_inside and (low > 1 or high < 1) then
    return "undecided", interval .. " neither holds 1 nor clears the band of noise"
  end
  local limit <const>, name <const> = reach(found, floor)
  if high < limit and low > 1 / limit then return "flat" end
  return "undecided", ("%s ends further from 1 than a factor of %s, %s"):format(interval,
    units.significant(limit), name)
end

---Says of each row how it stands.
---@param list frlua.StandingRow[] gets `standing` and, where undecided, `why`
---@param floor number at least 1
---@return { first: integer, last: integer, level: number }? plateau indices of its first and last
---  row, and the median of the ratios above the band from one to the other
function standing.settle(list, floor)
  local found <const> = plateau(list, floor)
  for index, row in ipairs(list) do
    row.standing, row.why = stands(row, floor, found)
    if row.standing == "up" and (index < found.first or index > found.last) then
      row.standing = "between"
    end
  end
  return found
end

return standing
