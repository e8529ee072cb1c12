--- fr.below and fr.above: a value is on one side of so many times another. Passes when the
--- interval lies wholly on that side, Holm's p allows it, and the difference is outside the noise
--- floor; fails when the interval lies wholly on the other side; otherwise nothing can be said.
local claim_design <const> = require "frlua.claim_design"
local common <const> = require "frlua.judge.common"
local contrast <const> = require "frlua.contrast"
local json <const> = require "frlua.json"

local number <const>, outcome <const>, withdrawn <const> =
  common.number, common.outcome, common.withdrawn

local comparison <const> = {}

local function other_side(side) return side == "below" and "above" or "below" end

-- The largest of the noise floors of a test's metrics; nil and the reason where one is unknown.
local function floor_of(test, measured)
  local floors <const>, largest = measured.floors[test.than.arm], nil
  for _, metric in ipairs { test.value.metric, test.than.metric } do
    local floor <const> = floors and floors[metric]
    if not floor or not floor.floor then
      return nil, ("the noise floor for %s of '%s' is unknown: %s"):format(metric, test.than.arm,
        floor and floor.floor_why or "it has no twin in this run")
    end
    if not largest or floor.floor > largest.floor then largest = floor end
  end
  return largest
end

-- What more rounds would do for a difference that is inside the floor: they narrow the twin's
-- interval, which has to leave out both the difference and its inverse.
local function help_against_floor(difference, floor)
  local n <const> = #floor.ratios
  local most = n + 1
  for _, border in ipairs { { "below", difference }, { "above", 1 / difference } } do
    local needed <const> = contrast.rounds_needed(
      contrast.wrong(floor.ratios, border[1], border[2]), n, contrast.LEVEL)
    if not needed then return "no number of rounds in sight will help" end
    most = math.max(most, needed)
  end
  return common.more_rounds(most - n)
end

local function within_noise(told, found, floor)
  return withdrawn(("%s: inside the noise of this run, where %s of '%s' run twice differs by up"
    .. " to a factor of %s; %s"):format(told, floor.metric, floor.arm, number(floor.floor),
    help_against_floor(common.distance(found.median), floor)))
end

-- The side of the factor that the whole interval lies on; nil when it has no such side.
local function side_of(ci95, factor)
  if not ci95 then return nil end
  if ci95[2] < factor then return "below" end
  if ci95[1] > factor then return "above" end
end

local function undecided(test, told, found, level, why)
  return withdrawn(("%s: %s; %s"):format(told, why,
    common.help_of_rounds(found.ratios, test.form, test.factor, level)))
end

local function decide(test, found, p_holm, family, floor)
  local told <const>, side <const> = common.said(test, found), side_of(found.ci95, test.factor)
  local level <const> = contrast.LEVEL / family.tests -- enough whatever the other claims come to
  local is_noise = floor and common.distance(found.median) <= floor.floor
  if side == other_side(test.form) then -- a factor beyond the noise can be missed by an equal arm
    is_noise = is_noise and common.distance(test.factor) <= floor.floor
  end
  if not side then
    return undecided(test, told, found, level, found.why and "too few, " .. found.why
      or "the interval includes " .. number(test.factor))
  elseif is_noise then
    return within_noise(told, found, floor)
  elseif side ~= test.form then
    return outcome("fail", ("%s: not %s %s"):format(told, test.form, number(test.factor)))
  elseif p_holm > contrast.LEVEL then
    return undecided(test, told, found, level, ("p is %s after Holm's correction, above %s"):format(
      number(p_holm), number(contrast.LEVEL)))
  end
  return outcome("pass", ("%s: %s %s, p %s after Holm's correction%s"):format(told, test.form,
    number(test.factor), number(p_holm), floor and ", noise floor " .. number(floor.floor) or ""))
end

local function p_of(test, found)
  return contrast.sign_test(contrast.wrong(found.ratios, test.form, test.factor), found.n)
end

---@param test frlua.Test
---@param measured frlua.Measured
---@return number? p of the sign test against the factor; nil when there is nothing to compare
function comparison.p(test, measured)
  local found <const> = common.contrast(measured, test)
  return found and p_of(test, found)
end

-- What a comparison rests on: its values, and those of the twin that its noise is taken from.
local function sides_of(test, measured)
  local sides <const>, floors <const> = { test.value, test.than }, measured.floors[test.than.arm]
  for _, metric in ipairs(claim_design.is_difference(test) and floors
    and { test.value.metric, test.than.metric } or {}) do
    if floors[metric] then sides[#sides + 1] = { arm = floors[metric].twin, metric = metric } end
  end
  return sides
end

---@param test frlua.Test
---@param measured frlua.Measured
---@param family frlua.Family
---@return frlua.Outcome
function comparison.judge(test, measured, family)
  local found <const>, unknown <const> = common.contrast(measured, test)
  if not found then return withdrawn(unknown) end
  local entry <const>, floor = common.entry(test, found), nil
  entry.p = p_of(test, found)
  entry.p_holm = math.max(family.at_least, math.min(1.0, family.multiplier * entry.p))
  if claim_design.is_difference(test) then
    floor, entry.floor_why = floor_of(test, measured)
    entry.floor = floor and floor.floor
  end
  local why_not <const> = common.objection(measured, found, sides_of(test, measured))
    or found.ci95 and entry.floor_why
  local judged <const> = why_not and withdrawn(common.said(test, found) .. ": " .. why_not)
    or decide(test, found, entry.p_holm, family, floor)
  judged.numbers = { contrasts = json.array { entry } }
  return judged
end

return comparison
