--- fr.onset: what may be said of the step that the ratio of two arms makes over a sweep. The rows
--- are contrasts, paired by round; frlua.steps finds the step in them, within the noise that the
--- arms behind `than` show when they are run twice.
local common <const> = require "frlua.judge.common"
local json <const> = require "frlua.json"
local steps <const> = require "frlua.steps"
local units <const> = require "frlua.units"

local onset <const> = {}

local number <const> = common.number

-- The twins' largest floor of a test's rows, at least the test's own band.
local function floor_of(test, measured)
  local floor = 1 + test.within
  for _, row in ipairs(test.rows) do
    local floors <const> = measured.floors[row.than.arm]
    local found <const> = floors and floors[row.than.metric]
    if not found or not found.floor then
      return nil, ("the noise floor for %s of '%s' is unknown: %s"):format(row.than.metric,
        row.than.arm, found and found.floor_why or "it has no twin in this run")
    end
    floor = math.max(floor, found.floor)
  end
  return floor
end

-- What a row rests on: its values, and that of the twin that its noise is taken from.
local function sides_of(row, measured)
  local floors <const> = measured.floors[row.than.arm]
  local found <const> = floors and floors[row.than.metric]
  return { row.value, row.than, found and { arm = found.twin, metric = row.than.metric } }
end

-- The contrast of every row, as frlua.steps takes it.
local function rows_of(test, measured, numbers)
  local rows <const> = {}
  for index, row in ipairs(test.rows) do
    local found <const>, unknown <const> = common.contrast(measured, row)
    if not found then return nil, unknown end
    table.insert(numbers.contrasts, common.entry(row, found))
    local why <const> = common.objection(measured, found, sides_of(row, measured))
    if why then return nil, ("at %d %s: %s"):format(row.at, test.over, why) end
    rows[index] = { at = row.at, ratio = found.median, ci95 = found.ci95, ci95_why = found.why }
  end
  return rows
end

local LEVEL <const> = 0.05 -- of the test for a trend

local function has_trend(trend) return trend and trend.p <= LEVEL end

local function trend_text(trend)
  if not trend then return "too few rows for a trend" end
  return has_trend(trend)
    and ("a trend (Mann-Kendall p %s) inside of the noise"):format(number(trend.p))
    or ("no trend (Mann-Kendall p %s)"):format(number(trend.p))
end

-- Rows that rise by less than the noise are no matter, however orderly they do.
local function is_drifting(range, floor)
  return has_trend(range.trend) and range.high > range.low * floor
end

-- A range of rows with its ratios.
local function span(test, range, from, to)
  return ("%s from %d to %d: ratios from %s to %s"):format(test.over, from, to, number(range.low),
    number(range.high))
end

local aspects <const> = {}

aspects["flat below"] = function(found, test, rows)
  local below <const> = found.below
  local told <const> = span(test, below, rows[1].at, found.onset.below)
  if is_drifting(below, found.floor) then
    return "fail", ("%s, with a trend (Mann-Kendall p %s)"):format(told, number(below.trend.p))
  elseif not below.straddles then
    return "fail", told .. ": all on one side of 1, and outside of the noise"
  end
  return "pass", ("%s, around 1, %s"):format(told, trend_text(below.trend))
end

aspects["one row wide"] = function(found, test)
  local told <const> = ("flat up to %d %s, the plateau from %d"):format(found.onset.below,
    test.over, found.plateau.from)
  if found.rows_wide == 1 then return "pass", told .. ", no row between" end
  return "fail", ("%s, %s between"):format(told, units.plural(found.rows_wide - 1, "row"))
end

aspects["flat above"] = function(found, test)
  local plateau <const> = found.plateau
  local told <const> = span(test, plateau, plateau.from, plateau.to)
  if is_drifting(plateau, found.floor) then
    return "fail", ("%s, with a trend (Mann-Kendall p %s)"):format(told, number(plateau.trend.p))
  elseif plateau.high > plateau.low * (1 + test.within) then
    return "fail", ("%s: more than %s %% apart"):format(told, number(100 * test.within))
  end
  return "pass", ("%s, %s"):format(told, trend_text(plateau.trend))
end

function aspects.lasting(found, test)
  if found.vanishes_at then
    return "fail", ("it is flat again at %d %s"):format(found.vanishes_at, test.over)
  end
  return "pass", ("no row behind %d %s is flat again"):format(found.onset.above, test.over)
end

-- Only of one step is there anything to be said; it has a flat row below.
local function decide(found, test, rows)
  if found.kind == "one" then
    return aspects[test.is](found, test, rows)
  elseif found.kind == "none" then
    return "withdrawn", "no step found: no row leaves the noise"
  end
  return "withdrawn", found.kind == "several" and "there is no clear step: " .. found.why
    or found.why
end

---@param test frlua.Test
---@param measured frlua.Measured
---@return frlua.Outcome
function onset.judge(test, measured)
  local numbers <const> = { contrasts = json.array {} }
  local rows <const>, why <const> = rows_of(test, measured, numbers)
  if not rows then return common.withdrawn(why, numbers) end
  local floor <const>, unknown <const> = floor_of(test, measured)
  if not floor then return common.withdrawn(unknown, numbers) end
  local found <const> = steps.find_step(rows, { floor = floor })
  local verdict <const>, reason <const> = decide(found, test, rows)
  return common.outcome(verdict,
    ("%s; noise: a factor of %s"):format(reason, number(floor)), numbers)
end

return onset
