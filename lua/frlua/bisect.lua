--- The boundary between "flat" and "step" on whole numbers, found by halving. What answers is a
--- measurement, which may also be undecided: the search then goes on around it.
local check <const> = require "frlua.check"

local bisect <const> = {}

local FIELDS <const> = { "low", "high", "resolution", "decide" }
local DECISIONS <const> = { "flat", "step", "undecided" }

---@alias frlua.Decision "flat"|"step"|"undecided"

---@class frlua.BisectFields
---@field low integer
---@field high integer above low
---@field resolution integer? the width that is narrow enough, 1 by default
---@field decide fun(at: integer): frlua.Decision, any the answer, and any evidence, which is kept

---@class frlua.Question
---@field at integer
---@field decision frlua.Decision
---@field evidence any what else `decide` returned
---@field low integer? the last flat point that was known then, this answer counted
---@field high integer? the first step that was known then

---@class frlua.Bisection
---@field low integer? the last flat point; nil while none is known
---@field high integer? the first step; nil while none is known
---@field is_resolved boolean high - low <= resolution
---@field undecided integer[] points that stayed undecided, between the two, rising
---@field history frlua.Question[] in the order in which they were asked
---@field why string? why it is not resolved

-- The width of a gap as an unsigned number: from -2^63 to 2^63 - 1 there are more than fit a signed
-- one. So widths are compared by math.ult, and halved by a shift.
local function is_wider(low, high, width)
  return math.ult(width, high - low)
end

local function middle(low, high)
  return low + ((high - low) >> 1)
end

-- Asks for one point, and notes the answer as what it now knows.
local function ask(search, at)
  local decision <const>, evidence <const> = search.decide(at)
  check.one_of(decision, DECISIONS, "answer", ("decide of fr.bisect, at %d"):format(at))
  local found <const> = search.found
  if decision == "flat" then
    found.low = at
  elseif decision == "step" and not (found.high and found.high < at) then
    found.high = at
  end
  found.history[#found.history + 1] = {
    at = at, decision = decision, evidence = evidence, low = found.low, high = found.high,
  }
  return decision
end

-- Both ends, and what speaks against a boundary between them.
local function ask_ends(search, low, high)
  local at_low <const>, at_high <const> = ask(search, low), ask(search, high)
  local whys <const> = {}
  if at_low == "step" then
    whys[1] = ("at %d it is a step already: no flat point to start from"):format(low)
  elseif at_low == "undecided" then
    whys[1] = ("at %d it is undecided: no flat point to start from"):format(low)
  end
  if at_high == "flat" then
    whys[#whys + 1] = ("at %d it is still flat: no step up to there"):format(high)
  elseif at_high == "undecided" then
    whys[#whys + 1] = ("at %d it is undecided: no step to end with"):format(high)
  end
  if at_low == "step" and at_high == "flat" then -- the wrong way round: neither bounds anything
    search.found.low, search.found.high = nil, nil
  end
  return whys[1] and table.concat(whys, "; ")
end

-- The undecided points that lie between the last flat and the first step, rising.
local function undecided_between(search)
  local list <const>, found <const> = {}, search.found
  for _, question in ipairs(found.history) do
    local at <const> = question.at
    if question.decision == "undecided" and (not found.low or at > found.low)
      and (not found.high or at < found.high) then
      list[#list + 1] = at
    end
  end
  table.sort(list)
  return list
end

-- The next point to ask: the middle of the wider of the two gaps that are left, the one above the
-- last flat point and the one below the first step. (Without undecided points they are one.) The
-- wider one, as an answer there may close the other: so their halvings don't multiply.
local function next_point(search)
  local low <const>, high <const> = search.found.low, search.found.high
  if not is_wider(low, high, search.resolution) then return nil end
  local undecided <const> = undecided_between(search)
  local first <const>, last <const> = undecided[1] or high, undecided[#undecided] or low
  local from, to = low, first
  if is_wider(last, high, first - low) then from, to = last, high end
  return is_wider(from, to, search.resolution) and middle(from, to) or nil
end

local function unresolved(search)
  local found <const> = search.found
  return ("undecided at %s: the boundary lies between %d and %d")
    :format(table.concat(found.undecided, ", "), found.low, found.high)
end

---Finds the boundary between "flat" (low) and "step" (high) on whole numbers.
---
---`fr.bisect { low = 8, high = 512, decide = function(pages) … return "flat", row end }`
---
---Both ends are asked first: where low is not flat, or high no step, that is the result. After that
---the gap between the last flat point and the first step is halved. An undecided point leaves a gap
---on each side of it, and both are halved until neither is wider than the resolution.
---
---It ends for any answers whatever, and asks no point twice: every question lies inside a gap, and
---halves it. With w = ceil(log2((high - low) / resolution)) it asks 2 + w questions where every
---answer is decided, as a plain bisection does, and at most 1 + 2 w whatever the answers are: that
---many where all but the ends are undecided, as two gaps are halved then.
---
---Misuse, an answer that is none of the three too, is an error at the caller's line; an error in
---`decide` ends the search.
---@param fields frlua.BisectFields
---@return frlua.Bisection
function bisect.bisect(fields)
  check.keys(fields, FIELDS, "fr.bisect")
  local low <const> = check.whole(fields.low, "low of fr.bisect", nil, math.maxinteger - 1)
  local high <const> = check.whole(fields.high, "high of fr.bisect", low + 1)
  local resolution <const> = check.whole(fields.resolution or 1, "resolution of fr.bisect", 1)
  local decide <const> = check.callable(fields.decide, "decide of fr.bisect")
  local found <const> = { history = {}, is_resolved = false }
  local search <const> = { decide = decide, resolution = resolution, found = found }

  found.why = ask_ends(search, low, high)
  local at = not found.why and next_point(search)
  while at do
    ask(search, at)
    at = next_point(search)
  end
  found.undecided = undecided_between(search)
  if not found.why then
    found.is_resolved = not is_wider(found.low, found.high, resolution)
    found.why = not found.is_resolved and unresolved(search) or nil
  end
  return found
end

return bisect
