--- The step in a sweep of ratios: from where on one arm costs more than the other, how sharp the
--- onset is, and whether the ratios beyond stay the same. How each row stands is said in
--- standing.lua; what the rows' intervals do not decide is said to be undecided.
local check <const> = require "frlua.check"
local rows <const> = require "frlua.rows"
local standing <const> = require "frlua.standing"
local stats <const> = require "frlua.stats"
local units <const> = require "frlua.units"

local steps <const> = {}

local OPTIONS <const> = { "floor" }
local FLOOR <const> = 1.05

---@class frlua.RatioSpread
---@field low number the smallest ratio
---@field high number the largest ratio
---@field trend frlua.Trend? of the ratios in their order, by stats.trend
---@field trend_why string? why there is none

---@class frlua.StepPlateau: frlua.RatioSpread
---@field from number `at` of its first row
---@field to number `at` of its last row
---@field level number the median of its ratios
---@field is_flat boolean? every row's interval reaches from level / floor to level * floor
---@field is_flat_why string? why it is unknown: one row

---@class frlua.StepBelow: frlua.RatioSpread
---@field straddles boolean its ratios lie on both sides of 1, or all inside the band

---@class frlua.Steps plain data; a field that is not there is unknown, or there is no such thing
---@field kind "none"|"one"|"several"|"undecided"
---@field why string? of "several" and "undecided"
---@field floor number
---@field rows frlua.StandingRow[]
---@field is_monotone boolean no ratio lies below an earlier one by more than the factor `floor`
---@field below frlua.StepBelow? the flat rows before the step; all flat rows where there is none
---@field onset { below: number, above: number }? `at` of the last flat row and of the one behind it
---@field rows_wide integer? from the last flat row to the plateau; 1 when none lies between
---@field plateau frlua.StepPlateau?
---@field half number? the first `at` whose ratio is at least half-way from 1 to the level
---@field vanishes_at number? the first `at` beyond the step whose row is flat again

local function checked_rows(list)
  local at <const>, copies <const> = rows.rising(list, "fr.find_step"), {}
  for index, row in ipairs(list) do
    local name <const> = ("in row %d of fr.find_step"):format(index)
    local copy <const> = { at = at[index], ratio = rows.positive(row.ratio, "ratio " .. name) }
    if row.ci95 ~= nil then
      check.keys(row.ci95, { entries = true }, "ci95 " .. name)
      local low <const> = rows.positive(row.ci95[1], "ci95[1] " .. name)
      local high <const> = rows.positive(row.ci95[2], "ci95[2] " .. name)
      if low > copy.ratio or high < copy.ratio then
        check.fail(("ci95 %s must hold the ratio, %s, not reach from %s to %s"):format(name,
          check.show(copy.ratio), check.show(low), check.show(high)))
      end
      copy.ci95 = { low, high }
    end
    copy.why = row.ci95 == nil and row.ci95_why or nil
    copies[index] = copy
  end
  return copies
end

-- The runs of rows that left the band, on one side of it each: { first, last, side }. Undecided
-- rows neither end a run nor begin one.
local function runs_of(list)
  local SIDES <const> = { up = "up", between = "up", down = "down", flat = "flat" }
  local runs <const>, current = {}, "flat"
  for index, row in ipairs(list) do
    local side <const> = SIDES[row.standing]
    if side and side ~= "flat" then
      if side ~= current then runs[#runs + 1] = { first = index, side = side } end
      runs[#runs].last = index
    end
    current = side or current
  end
  return runs
end

-- Where, inside a run, intervals show a fall by more than the floor and then a rise by more than
-- it: `at` of the row that rose again.
local function rises_again(list, run, floor)
  local highest, lowest = 0
  for index = run.first, run.last do
    local ci95 <const> = list[index].ci95
    if ci95 and lowest and ci95[1] > lowest * floor then return list[index].at end
    if ci95 and (lowest or ci95[2] * floor < highest) then
      lowest = math.min(lowest or ci95[2], ci95[2])
    elseif ci95 then
      highest = math.max(highest, ci95[1])
    end
  end
end

local function first_index(list, first, wanted)
  for index = first, #list do
    if list[index].standing == wanted then return index end
  end
end

local function last_flat_before(list, before)
  for index = before - 1, 1, -1 do
    if list[index].standing == "flat" then return index end
  end
end

-- Whether there is more than one step, and why; by what is decided, whatever else is not.
local function several(list, runs, floor)
  if #runs > 1 then
    return ("it leaves the band of noise at %s and again at %s")
      :format(units.count(list[runs[1].first].at), units.count(list[runs[2].first].at))
  end
  local again <const> = runs[1] and rises_again(list, runs[1], floor)
  return again and ("it rises, falls, and at %s rises again"):format(units.count(again))
end

local function kind_of(list, runs, floor)
  local why <const> = several(list, runs, floor)
  if why then return "several", why end
  local open <const> = first_index(list, 1, "undecided")
  if open then
    return "undecided", ("at %s %s"):format(units.count(list[open].at), list[open].why)
  end
  local run <const> = runs[1]
  if not run then return "none" end
  local at <const> = units.count(list[run.first].at)
  if run.side == "down" then
    return "undecided", ("at %s it leaves the band downwards: a step up is looked for, exchange the"
      .. " arms"):format(at)
  elseif run.first == 1 then
    return "undecided", ("the first row, at %s, has left the band already: begin below it")
      :format(at)
  end
  return "one"
end

local function is_monotone(list, floor)
  local highest = 0
  for _, row in ipairs(list) do
    if row.ratio * floor < highest then return false end
    highest = math.max(highest, row.ratio)
  end
  return true
end

-- The ratios' extremes and trend, of the rows from first to last that stand as wanted.
local function spread(list, first, last, wanted)
  local ratios <const> = {}
  for index = first, last do
    if list[index].standing == wanted then ratios[#ratios + 1] = list[index].ratio end
  end
  if #ratios == 0 then return nil end
  local summary <const> = stats.summary(ratios)
  local trend <const>, why <const> = stats.trend(ratios)
  return { low = summary.min, high = summary.max, trend = trend, trend_why = why }, ratios
end

local function below_of(list, last, floor)
  local below <const> = spread(list, 1, last, "flat")
  if not below then return nil end
  local all_inside <const> = below.low >= 1 / floor and below.high <= floor
  below.straddles = all_inside or below.low <= 1 and below.high >= 1
  return below
end

local function plateau_of(list, found, floor)
  local plateau <const>, ratios <const> = spread(list, found.first, found.last, "up")
  plateau.from, plateau.to = list[found.first].at, list[found.last].at
  plateau.level = found.level
  if #ratios == 1 then
    plateau.is_flat_why = "one row"
    return plateau
  end
  plateau.is_flat = true
  for index = found.first, found.last do
    local row <const> = list[index]
    if row.standing == "up" and (row.ci95[2] < found.level / floor
      or row.ci95[1] > found.level * floor) then
      plateau.is_flat = false
    end
  end
  return plateau
end

local function half_of(list, level)
  for _, row in ipairs(list) do
    if row.ratio >= standing.half_way(level) then return row.at end
  end
end

-- What is known of the one step there is.
local function describe(result, list, run, found)
  local floor <const> = result.floor
  local last_flat <const> = last_flat_before(list, run.first)
  result.below = below_of(list, run.first - 1, floor)
  result.plateau = plateau_of(list, found, floor)
  result.half = half_of(list, found.level)
  if last_flat then
    result.onset = { below = list[last_flat].at, above = list[last_flat + 1].at }
    result.rows_wide = found.first - last_flat
  end
  local vanished <const> = first_index(list, run.last + 1, "flat")
  result.vanishes_at = vanished and list[vanished].at
end

---Finds the step in a sweep of ratios.
---
---"none": no row leaves the band of noise, from 1 / floor to floor; that no step is found is an
---outcome, not a failure. "one": the rows leave the band upwards once, after a flat one. "several":
---they leave it, come back and leave it again, or rise, fall and rise by more than the floor, in
---either case as intervals show it. "undecided": anything else, with `why`: the first row that
---stands undecided; a first row that has left the band already; a step down. What is known of the
---step is given then, too; of several nothing is, as it would be of none in particular.
---
---Stairs that only rise are one step, several rows wide: fr.plateaus tells levels apart.
---`floor` is a number of at least 1, by default 1.05. Rows that don't rise, ratios and intervals
---that are not finite and above 0, and an interval without its ratio are errors at the caller's
---line. `ci95_why` of a row, if it has one, is the reason for a missing interval.
---@param list { at: number, ratio: number, ci95: number[]?, ci95_why: string? }[]
---@param options { floor: number? }?
---@return frlua.Steps
function steps.find_step(list, options)
  options = check.keys(options or {}, OPTIONS, "the options of fr.find_step")
  local floor <const> = check.number(options.floor or FLOOR, "floor of fr.find_step", 1)
  local copies <const> = checked_rows(list)
  local found <const> = standing.settle(copies, floor)
  local runs <const> = runs_of(copies)
  local result <const> = { floor = floor, rows = copies, is_monotone = is_monotone(copies, floor) }
  result.kind, result.why = kind_of(copies, runs, floor)
  if #runs == 0 then
    result.below = below_of(copies, #copies, floor)
  elseif result.kind ~= "several" and runs[1].side == "up" then
    describe(result, copies, runs[1], found)
  end
  return result
end

return steps
