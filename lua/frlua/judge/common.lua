--- What judges share: outcomes, contrasts of two measured values, and how they are said.
local analysis <const> = require "frlua.analysis"
local contrast <const> = require "frlua.contrast"
local json <const> = require "frlua.json"
local units <const> = require "frlua.units"

local common <const> = {}

---@class frlua.Outcome
---@field verdict "pass"|"fail"|"withdrawn" of evidence: it is there, is contrary, is unknown
---@field reason string a sentence
---@field numbers { contrasts: table[]?, counts: table[]?, evidence: table[]? }

---@class frlua.Measured what claims are judged by
---@field design table
---@field samples frlua.Sample[]
---@field values frlua.Values
---@field floors table<string, table<string, table>> by reference arm and metric, see frlua.floor
---@field is_quick boolean
---@field counts table<string, { ok: integer, lost: integer }> samples by arm
---@field passport table of the machine
---@field void table<string, string> why an arm's figures are void

---@class frlua.Pair
---@field value { arm: string, metric: string }
---@field than { arm: string, metric: string }

---@param verdict "pass"|"fail"|"withdrawn"
---@param reason string
---@param numbers? table
---@return frlua.Outcome
function common.outcome(verdict, reason, numbers)
  return { verdict = verdict, reason = reason, numbers = numbers or {} }
end

---@param reason string
---@param numbers? table
---@return frlua.Outcome
function common.withdrawn(reason, numbers) return common.outcome("withdrawn", reason, numbers) end

---Appends the lists of one outcome's numbers to those of another.
---@param numbers table
---@param more table
function common.append(numbers, more)
  for kind, list in pairs(more) do
    numbers[kind] = numbers[kind] or json.array {}
    table.move(list, 1, #list, #numbers[kind] + 1, numbers[kind])
  end
end

---All of several outcomes: one that fails speaks for it, then one that is withdrawn.
---@param parts frlua.Outcome[] at least one
---@return frlua.Outcome
function common.all(parts)
  local reasons <const>, numbers <const> = { pass = {}, fail = {}, withdrawn = {} }, {}
  for _, part in ipairs(parts) do
    table.insert(reasons[part.verdict], part.reason)
    common.append(numbers, part.numbers)
  end
  local verdict <const> = reasons.fail[1] and "fail" or reasons.withdrawn[1] and "withdrawn"
    or "pass"
  return common.outcome(verdict, table.concat(reasons[verdict], "; "), numbers)
end

---@param value { arm: string, metric: string }
---@return string
function common.name(value) return ("%s of '%s'"):format(value.metric, value.arm) end

---A ratio or a p, as reasons say it; whole numbers as they are.
---@param value number
---@return string
function common.number(value)
  return value % 1 == 0 and units.count(value) or units.significant(value)
end

---The contrast of two values.
---@param measured frlua.Measured
---@param pair frlua.Pair
---@return frlua.Contrast? contrast of at least one round
---@return string? why there is none
function common.contrast(measured, pair)
  local values <const>, value <const>, than <const> = measured.values, pair.value, pair.than
  for _, side in ipairs { value, than } do
    if not values[side.arm] then return nil, ("arm '%s' was not run"):format(side.arm) end
  end
  local found, why = contrast.take(values[value.arm][value.metric],
    values[than.arm][than.metric], measured.design.rounds)
  if found and found.n == 0 then found, why = nil, found.why end
  if found then
    found.rounds = measured.design.rounds
    return found
  end
  return nil, ("no ratio of %s to %s: %s"):format(common.name(value), common.name(than), why)
end

---What speaks against judging by the samples of an arm: a time limit takes exactly the slow ones.
---@param measured frlua.Measured
---@param arm string
---@return string? sentence nil when none was lost
function common.lost(measured, arm)
  local count <const> = measured.counts[arm]
  if count.lost == 0 then return nil end
  return ("%d of %d samples of '%s' %s lost: what they would have shown is not known"):format(
    count.lost, count.ok + count.lost, arm, count.lost == 1 and "was" or "were")
end

-- The same of one of its metrics, which a sample that is whole may lack.
local function gap(measured, value)
  local lost <const>, ok <const> = common.lost(measured, value.arm), measured.counts[value.arm].ok
  local there <const> = #analysis.dense(measured.values[value.arm][value.metric],
    measured.design.rounds)
  if lost or there >= ok then return lost end
  return ("%d of %d samples of '%s' have no %s"):format(ok - there, ok, value.arm, value.metric)
end

---Why a contrast can't carry a verdict, whatever it is: its figures are void, samples that it rests
---on were lost, or its rounds are fewer than claims need.
---@param measured frlua.Measured
---@param found frlua.Contrast
---@param values { arm: string, metric: string }[] that it, or its noise, is made of
---@return string? sentence
function common.objection(measured, found, values)
  for _, value in ipairs(values) do
    local why <const> = measured.void[value.arm] or gap(measured, value)
    if why then return why end
  end
  local needed <const> = measured.design.rounds_for_claims
  if found.n >= needed then return nil end
  return ("too few rounds: %d, claims need %d; %s"):format(found.n, needed,
    common.more_rounds(needed - found.n))
end

---A contrast as the result keeps it.
---@param pair frlua.Pair
---@param found frlua.Contrast
---@return table
function common.entry(pair, found)
  return {
    arm = pair.value.arm, metric = pair.value.metric,
    than = { arm = pair.than.arm, metric = pair.than.metric },
    n = found.n, ratio = found.median, ci95 = found.ci95 and json.array(found.ci95),
    ci95_coverage = found.ci95_coverage, ci95_why = found.why,
  }
end

---A contrast in words.
---@param pair frlua.Pair
---@param found frlua.Contrast
---@return string
function common.said(pair, found)
  local number <const> = common.number
  local interval <const> = found.ci95
    and (" [%s, %s]"):format(number(found.ci95[1]), number(found.ci95[2])) or ""
  return ("%s is %s times %s%s in %s%s"):format(common.name(pair.value), number(found.median),
    common.name(pair.than), interval, found.n < found.rounds and found.n .. " of " or "",
    units.plural(found.n < found.rounds and found.rounds or found.n, "round"))
end

---How far a ratio is from 1, as a ratio of at least 1.
---@param ratio number
---@return number
function common.distance(ratio) return math.max(ratio, 1 / ratio) end

---@param count integer
---@return string
function common.more_rounds(count)
  return ("needs %d more %s"):format(count, count == 1 and "round" or "rounds")
end

---What more rounds would do for a test that asks for a side of a border.
---@param ratios number[]
---@param side "below"|"above"
---@param border number
---@param level? number of the sign test
---@return string
function common.help_of_rounds(ratios, side, border, level)
  local n <const> = #ratios
  local needed <const>, is_far <const> = contrast.rounds_needed(
    contrast.wrong(ratios, side, border), n, level or contrast.LEVEL)
  if needed then return common.more_rounds(needed - n) end
  if is_far then return ("needs more than %d rounds"):format(contrast.MOST_ROUNDS) end
  local to_fail <const> = contrast.rounds_needed(
    contrast.wrong(ratios, side == "below" and "above" or "below", border), n, contrast.LEVEL)
  if to_fail then
    return common.more_rounds(to_fail - n) .. ", and fails if they are like these"
  end
  return ("no number of rounds will help while about half of them lie on either side of %s")
    :format(common.number(border))
end

return common
