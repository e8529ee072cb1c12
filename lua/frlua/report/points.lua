--- What a CI is told of a result, point by point, whatever the form: that every sample came back,
--- then each claim, and behind a claim that was withdrawn what was asked instead of it. The point
--- of a claim never passes by another question, and has the same name in every run.
local escape <const> = require "frlua.report.escape"
local notes <const> = require "frlua.report.notes"
local units <const> = require "frlua.units"

local points <const> = {}

---@class frlua.Point
---@field name string
---@field verdict "pass"|"fail"|"withdrawn"|"lost"
---@field reason string
---@field is_claim boolean false for that of the samples
---@field instead_of string? the claim that this was asked instead of
---@field numbers table? what the verdict rests on

-- Which samples are not there, in one line.
local function samples_point(document)
  local lines <const> = {}
  if document.partial then
    lines[1] = "interrupted after " .. units.plural(#document.samples, "sample")
  end
  for _, line in ipairs(notes.lost(document)) do
    if line ~= "" then lines[#lines + 1] = line:match "^%s*(.*)$" end
  end
  return {
    name = "every sample came back",
    is_claim = false,
    verdict = lines[1] and "lost" or "pass",
    reason = lines[1] and table.concat(lines, "; ")
      or ("all of %s"):format(units.plural(#document.samples, "sample")),
  }
end

local function add_claim(list, claim)
  if claim.withdrawn then
    list[#list + 1] = { name = claim.claim, verdict = "withdrawn", reason = claim.withdrawn,
      is_claim = true }
  end
  list[#list + 1] = {
    name = claim.asked, verdict = claim.verdict, reason = claim.reason, numbers = claim.numbers,
    is_claim = true, instead_of = claim.withdrawn and claim.claim,
  }
end

---@param document table
---@param is_step boolean whether it is of a study: its experiments are steps, and what one of them
---  claims is no claim of the study's
---@return frlua.Point[] # at least one
function points.of(document, is_step)
  local list <const> = { samples_point(document) }
  for _, claim in ipairs(is_step and {} or document.claims) do add_claim(list, claim) end
  return list
end

---@class frlua.Suite
---@field document table
---@field points frlua.Point[]

---The points of all documents of a run.
---@param documents table[]
---@return frlua.Suite[]
function points.suites(documents)
  local suites <const> = {}
  for index, document in ipairs(documents) do
    local is_step <const> = documents[1].study ~= nil
    suites[index] = { document = document, points = points.of(document, is_step) }
  end
  return suites
end

---How many points have a verdict.
---@param list frlua.Point[]
---@param verdict string
---@return integer
function points.count(list, verdict)
  local count = 0
  for _, point in ipairs(list) do count = count + (point.verdict == verdict and 1 or 0) end
  return count
end

---The ratios that a verdict rests on, in words, with all digits.
---@param point frlua.Point
---@return string[]
function points.contrasts(point)
  local lines <const> = {}
  for index, contrast in ipairs(point.numbers and point.numbers.contrasts or {}) do
    local interval <const> = contrast.ci95 and ("95 %% interval %s to %s"):format(
      escape.number(contrast.ci95[1]), escape.number(contrast.ci95[2]))
      or contrast.ci95_why or "no 95 % interval"
    lines[index] = ("%s of '%s' is %s times %s of '%s', %s, n = %d"):format(contrast.metric,
      contrast.arm, escape.number(contrast.ratio), contrast.than.metric, contrast.than.arm,
      interval, contrast.n)
  end
  return lines
end

return points
