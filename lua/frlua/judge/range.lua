--- fr.same and fr.monotone: ratios that must lie between two borders. Passes when every interval
--- lies wholly between them, fails when one lies wholly outside, is withdrawn otherwise.
local analysis <const> = require "frlua.analysis"
local common <const> = require "frlua.judge.common"
local contrast <const> = require "frlua.contrast"
local json <const> = require "frlua.json"

local range <const> = {}

-- Where an interval stands to the borders; the worse, the larger.
local INSIDE <const>, UNDECIDED <const>, OUTSIDE <const> = 1, 2, 3

local function standing(ci95, low, high)
  if not ci95 then return UNDECIDED end
  if ci95[1] > low and ci95[2] < high then return INSIDE end
  return (ci95[2] < low or ci95[1] > high) and OUTSIDE or UNDECIDED
end

-- Of the border with more rounds on its wrong side.
local function help(ratios, low, high)
  local is_high <const> =
    contrast.wrong(ratios, "below", high) > contrast.wrong(ratios, "above", low)
  if is_high then return common.help_of_rounds(ratios, "below", high) end
  return common.help_of_rounds(ratios, "above", low)
end

-- The pair that stands worst; of equals the one whose ratio is furthest from 1.
local function is_worse(a, b)
  if not b or a.stands ~= b.stands then return not b or a.stands > b.stands end
  return common.distance(a.found.median) > common.distance(b.found.median)
end

local function verdict_of(worst, count, low, high, wanted, numbers)
  local told <const>, found <const> = common.said(worst.pair, worst.found), worst.found
  if worst.stands == OUTSIDE then
    return common.outcome("fail", ("%s: not %s"):format(told, wanted), numbers)
  elseif worst.stands == INSIDE then
    local which <const> = count > 1 and ("the furthest of %d contrasts: "):format(count) or ""
    return common.outcome("pass", ("%s%s: %s"):format(which, told, wanted), numbers)
  end
  return common.withdrawn(("%s: %s; %s"):format(told, found.why and "too few, " .. found.why
    or "not wholly " .. wanted, help(found.ratios, low, high)), numbers)
end

local function judge_pairs(measured, list, low, high, wanted)
  local numbers <const>, worst = { contrasts = json.array {} }, nil
  for _, pair in ipairs(list) do
    local found <const>, why <const> = common.contrast(measured, pair)
    if not found then return common.withdrawn(why, numbers) end
    table.insert(numbers.contrasts, common.entry(pair, found))
    local why_not <const> = common.objection(measured, found, { pair.value, pair.than })
    if why_not then
      return common.withdrawn(common.said(pair, found) .. ": " .. why_not, numbers)
    end
    local this <const> = { pair = pair, found = found, stands = standing(found.ci95, low, high) }
    if is_worse(this, worst) then worst = this end
  end
  return verdict_of(worst, #list, low, high, wanted, numbers)
end

-- One metric of all arms that were run.
local function values_of_all(metric, measured)
  local values <const> = {}
  for _, arm in ipairs(analysis.own_arms(measured.design)) do
    values[#values + 1] = { arm = arm.name, metric = metric }
  end
  return values
end

---Any two values are alike.
---@param test frlua.Test
---@param measured frlua.Measured
---@return frlua.Outcome
function range.same(test, measured)
  local values <const> = test.values or values_of_all(test.metric, measured)
  if #values < 2 then
    return common.withdrawn "one arm alone was run: there is nothing to compare it with"
  end
  local list <const>, low <const>, high <const> = {}, 1 / (1 + test.within), 1 + test.within
  for second = 2, #values do
    for first = 1, second - 1 do
      list[#list + 1] = { value = values[second], than = values[first] }
    end
  end
  return judge_pairs(measured, list, low, high,
    ("between %s and %s"):format(common.number(low), common.number(high)))
end

---No value is below the one before it.
---@param test frlua.Test
---@param measured frlua.Measured
---@return frlua.Outcome
function range.monotone(test, measured)
  local list <const>, low <const> = {}, 1 / (1 + test.within)
  for index = 2, #test.values do
    list[index - 1] = { value = test.values[index], than = test.values[index - 1] }
  end
  return judge_pairs(measured, list, low, math.huge, "above " .. common.number(low))
end

return range
