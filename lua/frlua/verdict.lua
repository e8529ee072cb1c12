--- Verdicts on claims: a pure function of a result's design and its samples.
local analysis <const> = require "frlua.analysis"
local common <const> = require "frlua.judge.common"
local comparison <const> = require "frlua.judge.comparison"
local contrast <const> = require "frlua.contrast"
local elimination <const> = require "frlua.elimination"
local floor <const> = require "frlua.floor"
local json <const> = require "frlua.json"
local range <const> = require "frlua.judge.range"
local recorded <const> = require "frlua.judge.recorded"

local verdict <const> = {}

local function counts_of(design, samples)
  local counts <const> = {}
  for _, arm in ipairs(design.arms) do
    local ok <const>, lost <const> = analysis.count_status(samples, arm.name)
    counts[arm.name] = { ok = ok, lost = lost }
  end
  return counts
end

---@class frlua.Family what Holm's correction over the claims of a run made of one of them
---@field tests integer
---@field multiplier integer
---@field at_least number

---@class frlua.Verdict
---@field claim string the sentence
---@field asked string the sentence that was asked in the end: this one, or that of an `otherwise`
---@field test frlua.Test of the sentence that was asked
---@field verdict "pass"|"fail"|"withdrawn" on the sentence that was asked
---@field reason string
---@field numbers table
---@field withdrawn string? why the claim itself was withdrawn, where another was asked

local ALONE <const> = { tests = 1, multiplier = 1, at_least = 0.0 }

local judges <const> = {
  below = comparison.judge, above = comparison.judge,
  same = range.same, monotone = range.monotone,
  exact = recorded.exact, huge = recorded.huge, granted = recorded.granted,
  same_sets = recorded.same_sets, bound = recorded.bound,
  onset = function(...) return require "frlua.judge.onset".judge(...) end, -- loaded when asked

}

function judges.all(test, measured, family)
  local parts <const> = {}
  for index, part in ipairs(test.tests) do
    parts[index] = judges[part.form](part, measured, family)
  end
  return common.all(parts)
end

-- The p of a test that all parts of must hold: their largest. nil when it compares nothing.
local function p_of(test, measured)
  if test.than then return comparison.p(test, measured) end
  local largest
  for _, part in ipairs(test.tests or {}) do
    local p <const> = p_of(part, measured)
    if p and p > (largest or 0) then largest = p end
  end
  return largest
end

-- The outcome of what a claim needs; nil when it needs nothing.
local function needs_of(claim, measured)
  local found <const> = {}
  for index, need in ipairs(claim.needs or {}) do
    found[index] = judges[need.form](need, measured, ALONE)
  end
  return found[1] and common.all(found)
end

local function add_needs(item, measured)
  item.needs = needs_of(item.asked, measured)
  if not item.needs then return end
  item.needs_numbers = item.needs_numbers or {}
  common.append(item.needs_numbers, item.needs.numbers)
end

-- The claim that is asked in the end: the first one whose needs are not contrary, or the last.
local function ask(claim, measured)
  local item <const> = { claim = claim, asked = claim }
  add_needs(item, measured)
  while not measured.is_quick and item.asked.otherwise and item.needs.verdict == "fail" do
    item.withdrawn = "the evidence is contrary: " .. item.needs.reason
    item.asked = item.asked.otherwise
    add_needs(item, measured)
  end
  return item
end

local function is_made(item) return not item.needs or item.needs.verdict == "pass" end

-- Holm's correction over the claims that rest on comparisons.
local function correct(asked_claims, measured)
  local ps <const>, tested <const> = {}, {}
  for _, item in ipairs(asked_claims) do
    local p <const> = is_made(item) and p_of(item.asked.test, measured)
    if p then ps[#ps + 1], tested[#tested + 1] = p, item end
  end
  for index, family in ipairs(contrast.holm(ps)) do tested[index].family = family end
end

-- In a guest, what fails may be the machine below.
local function excused(judged, claim, measured)
  local hypervisor <const> = measured.passport.hypervisor
  if judged.verdict ~= "fail" or not claim.in_guest or not hypervisor then return judged end
  return common.withdrawn(("%s; this is a guest of %s: %s"):format(judged.reason, hypervisor,
    claim.in_guest), judged.numbers)
end

local function judge(item, measured)
  if measured.is_quick then return common.withdrawn "quick run: nothing is claimed" end
  if is_made(item) then
    return excused(judges[item.asked.test.form](item.asked.test, measured, item.family or ALONE),
      item.asked, measured)
  end
  local what <const> = item.needs.verdict == "fail" and "contrary" or "missing"
  return common.withdrawn(("the evidence is %s: %s"):format(what, item.needs.reason))
end

local function entry_of(item, judged)
  judged.numbers.needs = item.needs_numbers
  return {
    claim = item.claim.name, asked = item.asked.name, test = item.asked.test,
    verdict = judged.verdict, reason = judged.reason, numbers = judged.numbers,
    withdrawn = item.withdrawn,
  }
end

---Why something that needs evidence can't be shown: that is contrary, or unknown.
---@param needs frlua.Test[]? of evidence, such as fr.bound
---@param design table
---@param samples frlua.Sample[]
---@return string? why nil where all of it is there
function verdict.objection(needs, design, samples)
  local measured <const> = { design = design, samples = samples,
    counts = counts_of(design, samples) }
  local found <const> = needs_of({ needs = needs }, measured)
  return found and found.verdict ~= "pass" and found.reason or nil
end

---@param design table
---@param samples frlua.Sample[]
---@param values frlua.Values
---@param passport? table of the machine, whose hypervisor may excuse a failure
---@param guards? frlua.Guard[] of the kernels
---@return frlua.Verdict[] verdicts in the order of the claims
---@return table[] floors as the result keeps them
function verdict.evaluate(design, samples, values, passport, guards)
  local floors <const> = floor.take(design, values)
  local measured <const> = { design = design, samples = samples, values = values,
    floors = floor.by_name(floors), is_quick = design.pause_divisor > 1,
    counts = counts_of(design, samples), passport = passport or {},
    void = elimination.void(design.arms, guards or {}) }
  local asked <const>, verdicts <const> = {}, json.array {}
  for index, claim in ipairs(design.claims) do asked[index] = ask(claim, measured) end
  correct(asked, measured)
  for index, item in ipairs(asked) do verdicts[index] = entry_of(item, judge(item, measured)) end
  return verdicts, floor.summaries(floors)
end

return verdict
