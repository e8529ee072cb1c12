-- How many lines does a set hold? Lines at the distance of one way of the first-level data cache
-- all belong into one of its sets; beside them the control, the same number of lines at that
-- distance and a line, which belong into one set after another. Both touch as many pages: what they
-- differ by is no matter of translation.
--
--   frlua scripts/associativity.lua            the first level
--   frlua scripts/associativity.lua --outer    strides up to 1 MiB, for what lies behind it
--
-- A page stride is such a distance on many machines: 256 lines, one a page, are then 256 lines of
-- one set, and an experiment on pages measures sets. The last row is that one.
--
-- Where conflicts begin is a range with its evidence; the number of ways that the machine reports
-- stands beside it. Index bits inside the page are the same in virtual and in physical addresses:
-- as far as these go, it is the layout that chooses the set.
local fr          <const> = require "frlua"
local analysis    <const> = require "frlua.analysis"
local onset_range <const> = require "frlua.onset_range"
local sweep       <const> = require "frlua.report.sweep"

local arguments <const> = fr.args { flags = { "outer" } }
if arguments[1] then
  error("associativity.lua [--outer], not " .. table.concat(arguments, " "), 0)
end
if arguments.outer then return require "associativity_outer" end

local units <const>, machine <const> = fr.units, fr.machine
local LAST <const>, MANY <const> = 32, 256
local places <const> = fr.geometry { line = 64, sets = 64 } -- where the machine does not tell
local line <const> = places.line_bytes
local way_bytes <const> = places.sets * line
local page_bytes <const> = machine.page_bytes

local counts <const>, few <const> = {}, {}
for lines = 1, LAST do counts[lines], few[lines] = lines, lines end
counts[#counts + 1] = MANY

-- What the machine itself says of the cache, which is no measurement.
local function reported_ways(document)
  for _, cache in ipairs(document.machine.caches or {}) do
    if cache.level == 1 and cache.type ~= "Instruction" then
      return cache.ways, cache.ways and cache.source or cache.ways_why or "it does not say why"
    end
  end
  return nil, document.machine.caches_why or "no first-level data cache is told of"
end

local function contrast_of(document, values, group, base, lines)
  return sweep.ratio(values, sweep.arm(document, group, lines), sweep.arm(document, base, lines),
    "walk", document.design.rounds)
end

-- Ratios of one set to spread, by round, as far as the sweep's small steps go.
local function rows_of(document)
  local values <const>, rows <const> = analysis.values(document.design, document.samples), {}
  for _, lines in ipairs(few) do
    local found <const> = contrast_of(document, values, "one set", "spread", lines)
    if not found then return nil end
    rows[#rows + 1] = { at = lines, ratio = found.median, ci95 = found.ci95, ci95_why = found.why }
  end
  return rows
end

-- What a control differs by when it is run twice: the largest of these rows.
local function floor_of(document)
  local floor, is_row <const> = 1.05, {}
  for _, lines in ipairs(few) do is_row[sweep.arm(document, "spread", lines).name] = true end
  for _, found in ipairs(document.floors) do
    if found.metric == "walk" and is_row[found.arm] then
      floor = math.max(floor, found.floor or 1)
    end
  end
  return floor
end

local number <const> = units.significant

local function interval(row)
  return row.ci95 and (" [%s, %s]"):format(number(row.ci95[1]), number(row.ci95[2])) or ""
end

local function at(rows, lines)
  return ("%sx%s at %d"):format(number(rows[lines].ratio), interval(rows[lines]), lines)
end

local function ways_text(document, onset)
  local ways <const>, from <const> = reported_ways(document)
  if not ways then return "How many ways there are the machine does not tell: " .. from end
  local verdict = ""
  if onset then
    verdict = ways >= onset.below and ways < onset.above and ", which agrees"
      or ", which does not agree"
  end
  return ("The machine reports %d ways (%s)%s: its word, not a measurement"):format(ways, from,
    verdict)
end

local function onset_text(document, rows)
  if not rows then return "Reading: nothing can be said of an onset: rows are missing." end
  local floor <const> = floor_of(document)
  local found <const> = fr.find_step(rows, { floor = floor })
  local onset <const> = onset_range.of(found.rows)
  local noise <const> = ("noise: a factor of %s"):format(number(floor))
  local first
  if onset then
    first = ("conflicts begin between %d and %d lines in one set (%s, %s; %s)"):format(onset.below,
      onset.above, at(rows, onset.below), at(rows, onset.above), noise)
  elseif found.kind == "none" then
    first = ("no step found: up to %d lines in one set cost what spread ones do (%s)"):format(LAST,
      noise)
  else
    first = ("where conflicts begin this run can't tell: %s (%s)"):format(found.why, noise)
  end
  return ("Reading: %s. %s."):format(first, ways_text(document, onset))
end

-- Whether lines a page apart are lines of one set, which follows from sizes alone.
local function page_text()
  local page <const>, way <const> = units.bytes(page_bytes), units.bytes(way_bytes)
  if page_bytes == way_bytes then
    return ("a stride of a page, %s, is one way here"):format(page)
  elseif page_bytes % way_bytes == 0 then
    return ("a stride of a page, %s, is whole ways of %s, and stays in one set, too"):format(page,
      way)
  end
  return ("a stride of a page, %s, goes over %d sets here: one way is %s"):format(page,
    way_bytes // page_bytes, way)
end

local function many_text(document)
  local values <const> = analysis.values(document.design, document.samples)
  local function times(group, base)
    local found <const> = contrast_of(document, values, group, base, MANY)
    return found and number(found.median) .. "x" .. interval(found) or "unknown times"
  end
  return ("%d lines in one set cost %s what as many side by side do. It would pass for the price of"
    .. " pages; but spread over the sets, on as many pages, they cost %s, and the sets make %s of"
    .. " that: %s."):format(MANY, times("one set", "packed"), times("spread", "packed"),
      times("one set", "spread"), page_text())
end

local function reading(document)
  local lines <const> = { onset_text(document, rows_of(document)), many_text(document) }
  if way_bytes > page_bytes then
    lines[3] = ("The index of a set reaches above the page: with small pages the kernel has a part"
      .. " in choosing the set, and the onset may come later, or not at all.")
  end
  return lines
end

local function layout(gap, off)
  return fr.layout { gap = gap, off = off, wrap = places.sets, geometry = places }
end

return fr.experiment "associativity" {
  doc     = "from how many lines on they drive each other out of one set",
  sweep   = { lines = counts },
  arms    = {
    fr.arm "spread"  { layout = layout(way_bytes, line) },
    fr.arm "one set" { layout = layout(way_bytes, 0) },
    fr.arm "packed"  { layout = layout(line, 0) },
  },
  timed   = { fr.chase {} },
  iterations = 5,
  rounds  = 20,
  metrics = { fr.metric "walk" { median_from = 2, per = "load" } },
  claims  = {
    fr.claim "few lines in one set cost what spread ones do" {
      test = fr.same { "one set", "spread", metric = "walk", within = 0.1,
        where = { lines = { 2, 4 } } },
    },
    fr.claim "once they conflict, more of them do, too" {
      test = fr.onset { "one set", than = "spread", metric = "walk", over = "lines",
        is = "lasting", where = { lines = few } },
    },
    fr.claim "many lines of one set cost more than as many that are spread, on as many pages" {
      test = fr.above { "one set", than = "spread", metric = "walk",
        where = { lines = { MANY } } },
    },
  },
  reading = reading,
}
