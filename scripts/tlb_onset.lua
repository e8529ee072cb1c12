-- How many translations does this machine cache? The onset of the cost of spreading, found by
-- bisection: two layouts and one comparison for each count of lines, until the interval is one
-- line. What disturbs a process only adds to its time, and a neighbour takes its part of the
-- translations: a count is judged by the lower quartile of its processes, with the interval of
-- that.
--
--   frlua scripts/tlb_onset.lua
local fr       <const> = require "frlua"
local analysis <const> = require "frlua.analysis"
local contrast <const> = require "frlua.contrast"

local sizes <const> = fr.geometry { line = 64, sets = 64 } -- for a machine that does not tell
local page <const>, line <const> = sizes.page_bytes, sizes.line_bytes
local gap <const> = math.max(page, sizes.sets * line) -- see tlb.lua
local fixed <const> = fr.units.fixed

local BAND <const> = 1.05         -- what is called flat, where the noise is not more
local ROUNDS <const> = { 20, 60 } -- of one comparison; more where the first leave it undecided
local FAR_ROUNDS <const> = 13     -- of thousands of pages, which take long; fewest for a quartile
local MOST <const> = 1 << 14      -- lines that the second level is looked for in

-- Both layouts in so many lines; the packed one twice, for the noise.
local function comparison(lines, rounds)
  return fr.experiment(("tlb_onset, %d lines, %d rounds"):format(lines, rounds)) {
    arms       = {
      fr.arm "packed" { layout = fr.layout { lines = lines, gap = line, geometry = sizes } },
      fr.arm "spread" {
        layout = fr.layout { lines = lines, gap = gap, off = line, pages = "lines",
          geometry = sizes },
      },
    },
    timed      = { fr.chase {} },
    iterations = 5,
    rounds     = rounds,
    metrics    = { fr.metric "walk" { median_from = 2, per = "load" } },
    twins      = { "packed" },
  }
end

-- The contrast of the two, its noise floor, and by how much the spread one is slower, round by
-- round.
local function judged(document)
  local design <const> = document.design
  local values <const> = analysis.values(design, document.samples)
  local spread <const>, packed <const> = values.spread.walk, values.packed.walk
  local found <const> = contrast.take(spread, packed, design.rounds)
  local quartile <const> = found and fr.stats.quantile_interval(found.ratios, 0.25)
  if not quartile then return nil end
  local excess <const> = {}
  for round = 1, design.rounds do
    if spread[round] and packed[round] then excess[#excess + 1] = spread[round] - packed[round] end
  end
  local floor = 1
  for _, one in ipairs(document.floors) do
    if one.metric == "walk" then floor = one.floor or floor end
  end
  return { ratio = found.median, low = quartile.lo, high = quartile.hi, rounds = found.n,
    floor = floor, excess = fr.stats.quantile_interval(excess, 0.25) }
end

-- One side of a border, wholly, or undecided.
local function side(low, high, border)
  if low > border then return "step" end
  return high < border and "flat" or "undecided"
end

-- Asks for counts of lines, each comparison once; more rounds where fewer decide nothing.
local function asker(measure)
  local known <const> = {}
  return function(lines, rounds_list, rule)
    local decision
    for _, rounds in ipairs(rounds_list) do
      local before <const> = known[lines]
      if not before or before.rounds < rounds then
        known[lines] = judged(measure(comparison(lines, rounds))) or before
      end
      decision = known[lines] and rule(known[lines]) or "undecided"
      if decision ~= "undecided" then break end
    end
    return decision, known[lines]
  end
end

local function describe(question)
  local found <const> = question.evidence
  return ("  %6d lines: %-9s  median %s, quartile in [%s, %s], %d rounds, A/A %s; %s to %s"):format(
    question.at, question.decision, found and fixed(found.ratio, 3) or "-",
    found and fixed(found.low, 3) or "-", found and fixed(found.high, 3) or "-",
    found and found.rounds or 0, found and fixed(found.floor, 3) or "-", question.low or "?",
    question.high or "?")
end

local function told(bisection)
  if not bisection.low or not bisection.high then return bisection.why end
  local interval <const> = ("between %d and %d lines"):format(bisection.low, bisection.high)
  if bisection.is_resolved then return interval end
  return ("%s, and no narrower: undecided at %s"):format(interval,
    table.concat(bisection.undecided, ", "))
end

-- A history, then what it says.
local function section(lines, title, bisection)
  lines[#lines + 1], lines[#lines + 2] = "", title
  for _, question in ipairs(bisection.history) do lines[#lines + 1] = describe(question) end
end

local function first_level(ask, lines)
  local found <const> = fr.bisect {
    low = 8, high = 512,
    decide = function(at)
      return ask(at, ROUNDS, function(seen)
        local band <const> = math.max(BAND, seen.floor)
        return side(seen.low, seen.high, band)
      end)
    end,
  }
  section(lines, "Onset: the first count whose ratio leaves the flat band", found)
  lines[#lines + 1] = "Onset " .. told(found)
  return found
end

local function half_plateau(ask, onset, lines)
  local far <const> = 2 * onset.high
  local _, top <const> = ask(far, ROUNDS, function() return "step" end)
  local half <const> = (1 + (top.low + top.high) / 2) / 2
  local found <const> = fr.bisect {
    low = 8, high = far,
    decide = function(at)
      return ask(at, ROUNDS, function(seen) return side(seen.low, seen.high, half) end)
    end,
  }
  section(lines, ("Half-way to the plateau of %d lines, %s times"):format(far, fixed(half, 2)),
    found)
  lines[#lines + 1] = "Half of the plateau is reached " .. told(found)
end

-- The second level shows in the excess, as beyond the first-level cache both layouts get slower.
local function second_level(ask, onset, lines)
  local start <const> = onset.high * 2
  local _, plateau <const> = ask(start, ROUNDS, function() return "step" end)
  local base <const> = (plateau.excess.lo + plateau.excess.hi) / 2
  local found <const> = fr.bisect {
    low = start, high = MOST, resolution = start,
    decide = function(at)
      return ask(at, { FAR_ROUNDS }, function(seen)
        return side(seen.excess.lo, seen.excess.hi, 2 * base)
      end)
    end,
  }
  section(lines, ("Second level, an inference: where a load's excess becomes twice the %s ns of"
    .. " %d lines"):format(fixed(base, 2), start), found)
  lines[#lines + 1] = ("The excess doubles %s%s"):format(told(found), found.low and found.high
    and (": %d to %d translations are held by some level, as far as times tell"):format(found.low,
    found.high) or "")
end

return fr.study "tlb_onset" {
  doc = "how many translations are cached, by bisection",
  run = function(measure)
    local ask <const>, lines <const> = asker(measure), {}
    local onset <const> = first_level(ask, lines)
    if not onset.low or not onset.high then return lines end
    half_plateau(ask, onset, lines)
    second_level(ask, onset, lines)
    lines[#lines + 1] = ""
    lines[#lines + 1] = ("%d translations of %s are cached at least, a reach of %s: a lower bound,"
      .. " as the step is where the first level of them is full."):format(onset.low,
      fr.units.bytes(page), fr.units.bytes(onset.low * page))
    return lines
  end,
}
