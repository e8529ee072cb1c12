--- Plateaus in a sweep of times: sizes over which a cost stays the same, and the jumps between.
local check <const> = require "frlua.check"
local rows <const> = require "frlua.rows"
local stats <const> = require "frlua.stats"

local plateaus <const> = {}

local OPTIONS <const> = { "within", "least" }
local WITHIN <const>, LEAST <const> = 0.15, 2

---@class frlua.Plateau
---@field from number `at` of its first row
---@field to number `at` of its last row
---@field level number the median of its values
---@field low number the smallest of them
---@field high number the largest of them
---@field rows integer how many rows it has

---@class frlua.Transition from one plateau to the next
---@field from number `at` of the last row of the plateau before
---@field to number `at` of the first row of the plateau behind
---@field rows integer rows that lie between; 0 is as sharp as the sweep can show
---@field factor number? level behind / level before
---@field factor_why string? why there is none

-- The last row of the longest run that begins with `first`.
local function last_alike(values, first, factor)
  local low, high, last = values[first], values[first], first
  for index = first + 1, #values do
    low, high = math.min(low, values[index]), math.max(high, values[index])
    if high > low * factor then break end
    last = index
  end
  return last
end

-- Maximal runs of rows that are alike: none lies inside another, but they may overlap.
local function maximal_runs(values, factor)
  local runs <const> = {}
  local reached = 0
  for first = 1, #values do
    local last <const> = last_alike(values, first, factor)
    if last > reached then
      runs[#runs + 1], reached = { first = first, last = last }, last
    end
  end
  return runs
end

-- The rows of a run that no other run has, if they make a plateau.
local function own_rows(runs, index, least)
  local run <const>, before <const>, behind <const> = runs[index], runs[index - 1], runs[index + 1]
  local first <const> = math.max(run.first, before and before.last + 1 or run.first)
  local last <const> = math.min(run.last, behind and behind.first - 1 or run.last)
  local own <const> = last - first + 1
  local shared <const> = run.last - run.first + 1 - own
  if own >= least + shared then return first, last end
end

local function plateau_of(at, values, first, last)
  local summary <const> = stats.summary(table.move(values, first, last, 1, {}))
  return {
    from = at[first], to = at[last],
    level = summary.median, low = summary.min, high = summary.max, rows = summary.n,
  }
end

---Finds the plateaus of a sweep.
---
---Rows are alike when the largest of their values is at most 1 + `within` times the smallest. A
---plateau is a maximal run of neighbouring rows that are alike, less the rows that it shares with
---other such runs. It must keep at least `least` rows, and as many more as it shares: along a ramp,
---which rises by less than `within` from row to row, there is a run from nearly every row on, and
---each shares nearly all its rows with the next. So a ramp has no plateau, wherever one would cut
---it, nor at its ends, where noise makes two rows alike; and the foot of a ramp that leaves a
---plateau is not the plateau's.
---
---One row that sticks out by more than `within` divides a plateau: whether it is an outlier is not
---to be told from one value a row.
---
---`within` is a number of at least 0, by default 0.15: well above the noise of medians, well below
---what one level of a memory system costs more than the one before. `least` is a whole number of at
---least 2, which is the default. Rows that don't rise, and values of 0 or less, are errors at the
---caller's line.
---@param list { at: number, value: number }[] at least one row, `at` rising, `value` above 0
---@param options { within: number?, least: integer? }?
---@return frlua.Plateau[] plateaus
---@return frlua.Transition[] transitions one less than there are plateaus
function plateaus.plateaus(list, options)
  options = check.keys(options or {}, OPTIONS, "the options of fr.plateaus")
  local within <const> = check.number(options.within or WITHIN, "within of fr.plateaus", 0)
  local least <const> = check.whole(options.least or LEAST, "least of fr.plateaus", 2)
  local at <const>, values <const> = rows.rising(list, "fr.plateaus"), {}
  for index, row in ipairs(list) do
    values[index] = rows.positive(row.value, ("value in row %d of fr.plateaus"):format(index))
  end

  local found <const>, transitions <const> = {}, {}
  local runs <const> = maximal_runs(values, 1 + within)
  local last_before
  for index in ipairs(runs) do
    local first <const>, last <const> = own_rows(runs, index, least)
    if first then
      found[#found + 1] = plateau_of(at, values, first, last)
      if last_before then
        local before <const>, behind <const> = found[#found - 1], found[#found]
        local factor <const>, why <const> = stats.ratio(behind.level, before.level)
        transitions[#transitions + 1] = {
          from = before.to, to = behind.from, rows = first - last_before - 1,
          factor = factor, factor_why = why,
        }
      end
      last_before = last
    end
  end
  return found, transitions
end

return plateaus
