--- What a report says of claims: the noise floor that they had to clear, and the verdicts. Lists of
--- lines, empty where nothing was claimed.
local aligned <const> = require "frlua.report.table"
local units <const> = require "frlua.units"

local verdicts <const> = {}

local WORDS <const> = { pass = "PASS", fail = "FAIL", withdrawn = "WITHDRAWN" }

local number <const> = units.significant

local function floor_row(floor)
  local interval <const> = floor.ci95
    and ("[%s, %s]"):format(number(floor.ci95[1]), number(floor.ci95[2])) or floor.floor_why
  return {
    ("%s of '%s'"):format(floor.metric, floor.arm), floor.ratio and number(floor.ratio) or "-",
    interval, floor.floor and number(floor.floor) or "unknown",
  }
end

---@param document table
---@return string[]
function verdicts.floors(document)
  if #document.floors == 0 then return {} end
  local rows <const> = { { "twin to its arm", "ratio", "interval", "floor" } }
  for _, floor in ipairs(document.floors) do
    -- Else not a metric of that arm; and of a sweep's many arms nobody compares the processes.
    local is_of_process <const> = floor.metric == "process" and document.design.sweep
    if floor.n > 0 and not is_of_process then rows[#rows + 1] = floor_row(floor) end
  end
  return { "", "Noise floor: what an arm differs by when it is run twice in the same rounds",
    table.unpack(aligned.lines(rows)) }
end

local function add_verdict(lines, claim)
  lines[#lines + 1] = ("  %-9s  %s"):format(WORDS[claim.verdict], claim.asked)
  local details <const> = { claim.reason }
  if claim.withdrawn then
    table.insert(details, 1, ("asked instead of: %s: %s"):format(claim.claim, claim.withdrawn))
  end
  for _, detail in ipairs(details) do lines[#lines + 1] = (" "):rep(13) .. detail end
end

local function lacks_interval(claim)
  for _, contrast in ipairs(claim.numbers.contrasts or {}) do
    if not contrast.ci95 then return true end
  end
  return false
end

-- What runs rounds enough, where some claim could not be judged for want of them.
local function advice(document)
  local design <const> = document.design
  local enough <const> = design.rounds_for_claims
  for _, claim in ipairs(design.rounds < enough and document.claims or {}) do
    if lacks_interval(claim) then
      return ("%s: no interval; --rounds %d decides what differs"):format(
        units.plural(design.rounds, "round"), enough)
    end
  end
end

---@param document table
---@return string[]
function verdicts.report(document)
  if #document.claims == 0 then return {} end
  local lines <const> = { "", "Verdicts" }
  for _, claim in ipairs(document.claims) do add_verdict(lines, claim) end
  lines[#lines + 1] = advice(document)
  return lines
end

return verdicts
