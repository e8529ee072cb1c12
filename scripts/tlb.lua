-- What does it cost to spread the same lines over more pages? Two layouts whose lines fall into the
-- same sets of the first-level cache and into different numbers of pages; and the spread one once
-- more, on huge pages.
--
--   frlua scripts/tlb.lua                      ten counts of lines, then far more of them
local fr       <const> = require "frlua"
local analysis <const> = require "frlua.analysis"
local event_counts <const> = require "frlua.event_counts"
local sweep    <const> = require "frlua.report.sweep"

local sizes <const> = fr.geometry { line = 64, sets = 64 } -- for a machine that does not tell
local page <const>, line <const> = sizes.page_bytes, sizes.line_bytes
local number <const>, fixed <const> = fr.units.significant, fr.units.fixed

-- Line i lies at i * gap + off * (i mod sets): with a line for `off`, and a gap of all sets or a
-- multiple of them, it falls into set i mod sets, as it does packed. A page is such a multiple, or
-- smaller than all sets are: then some are left out between the lines.
local gap <const> = math.max(page, sizes.sets * line)

local function arms()
  local spread <const> = fr.layout { gap = gap, off = line, pages = "lines", geometry = sizes }
  return {
    fr.arm "packed"    { layout = fr.layout { gap = line, geometry = sizes } },
    fr.arm "spread"    { layout = spread },
    fr.arm "spread+2M" { layout = spread, pages = "huge" },
  }
end

local beyond <const> = { lines = { 128, 256, 512 } }
local metrics <const> = {
  fr.metric "walk" { median_from = 2, per = "load", keep = "min" },
  fr.metric "dram" { phase = "memory", per = "load" },
}

local function step(aspect)
  return fr.onset { "spread", than = "packed", metric = "walk", over = "lines", is = aspect }
end

-- How many times one arm is another, at each value, as far as both were run.
local function rows_of(document, group, base)
  local values <const> = analysis.values(document.design, document.samples)
  local rows <const>, floor = {}, 1.05
  for _, one in ipairs(document.floors) do
    if one.metric == "walk" and one.floor then floor = math.max(floor, one.floor) end
  end
  for _, lines in ipairs(document.design.sweep.values) do
    local found <const> = sweep.ratio(values, sweep.arm(document, group, lines),
      sweep.arm(document, base, lines), "walk", document.design.rounds)
    if found then rows[#rows + 1] = { at = lines, ratio = found.median, ci95 = found.ci95 } end
  end
  return rows, floor
end

local MISSES <const> = "dTLB-load-misses"

-- Translations that had to be looked for, per load; nil, and why, where no counter told.
local function misses(document, group, lines)
  local arm <const> = sweep.arm(document, group, lines)
  if not arm then return nil, ("'%s' was not run"):format(group) end
  return event_counts.per_load(document, arm.name, 1, MISSES, "user")
end

-- What both layouts are counted alike, such as the loop around the loads, is no part of the excess.
local function of_misses(document, lines, say)
  local spread <const>, spread_why <const> = misses(document, "spread", lines)
  local packed <const>, packed_why <const> = misses(document, "packed", lines)
  if spread and packed then
    say("A PMU counted of it %s dTLB misses a load, at %d pages: %s spread, %s packed. Most"
      .. " processors", fixed(spread - packed, 3), lines, fixed(spread, 3), fixed(packed, 3))
    return say "count those alone that no level of translation had, and that take a page walk."
  end
  say("What a PMU would count of it (dTLB misses) is unknown: %s.", spread_why or packed_why)
end

local function median(document, group, lines)
  local arm <const> = sweep.arm(document, group, lines)
  return arm and arm.metrics.walk_ns_per_load.median
end

-- What a translation that the fastest level lacks costs, beside a load from memory.
local function of_excess(document, lines, say)
  local small <const>, packed <const> = median(document, "spread", lines),
    median(document, "packed", lines)
  local memory <const> = document.references[1]
  local dram <const> = memory and memory.metrics.dram_ns_per_load.median
  if not small or not packed then return end
  say("Beyond it a load takes %s ns more, at %d pages.", fixed(small - packed, 2), lines)
  if dram and small - packed < dram / 2 then
    say("A load from memory takes %s ns here (random within each page). Inference, no observation:",
      fixed(dram, 1))
    say "a second level of translation answers; a walk of the page table in memory would cost more."
  elseif dram then
    say("A load from memory takes %s ns here: the excess is of that order, and this run does not"
      .. " tell", fixed(dram, 1))
    say "a second level of translation from a walk of the page table."
  end
  of_misses(document, lines, say)
end

local function of_step(document, say)
  local rows <const>, floor <const> = rows_of(document, "spread", "packed")
  if not rows[1] then return end
  local found <const> = fr.find_step(rows, { floor = floor })
  if found.kind ~= "one" or not found.onset then
    return say("No reach is read off: %s.", found.why or "no step found")
  end
  local reach <const> = found.onset.below * page
  say("Up to %d pages spreading costs nothing outside of the noise; at %d a load takes %s times as"
    .. " long.", found.onset.below, found.onset.above, number(found.plateau.level))
  say("To the row, the fastest level of translation reaches %s at least (%s).",
    fr.units.bytes(reach), reach & (reach - 1) == 0 and "a power of two" or "no power of two")
  of_excess(document, found.plateau.to, say)
end

local function huge_of(document, lines)
  for _, sample in ipairs(document.samples) do
    local arm <const> = sweep.arm(document, "spread+2M", lines)
    if arm and sample.arm == arm.name and sample.status == "ok" then
      local region <const> = (sample.evidence.regions or {})[1] or {}
      local huge <const> = region.huge_bytes
      if not huge then return nil, "unknown" end
      if huge < region.bytes then return false, fr.units.bytes(huge) end
    end
  end
  return true
end

-- What the kernel granted and what the hardware shows of it, for each footprint with a penalty.
local function of_huge(document, say)
  local rows <const>, floor <const> = rows_of(document, "spread+2M", "spread")
  for _, row in ipairs(rows) do
    local granted <const>, told <const> = huge_of(document, row.at)
    local small <const>, packed <const>, huge <const> = median(document, "spread", row.at),
      median(document, "packed", row.at), median(document, "spread+2M", row.at)
    local penalty <const> = packed and small - packed or 0
    if packed and penalty > (floor - 1) * packed then
      local grant <const> = granted and "granted"
        or granted == nil and "AnonHugePages unknown" or "not granted, AnonHugePages " .. told
      local is_noise <const> = row.ratio > 1 / floor and row.ratio < floor
      say("  %d pages: %s; %s", row.at, grant, is_noise and "no effect"
        or ("%s times the small pages' time, %s %% of the penalty is gone"):format(
        number(row.ratio), fixed(100 * (small - huge) / penalty, 0)))
    end
  end
end

-- A list of lines, and a function that adds to it.
local function speaker(first)
  local said <const> = { first }
  return said, function(...) said[#said + 1] = string.format(...) end
end

local function reading(document)
  local said <const>, say <const> = speaker "Reading"
  of_step(document, say)
  say "Huge pages, as the kernel granted them and as the hardware shows them:"
  of_huge(document, say)
  return said
end

local function reading_far(document)
  local said <const>, say <const> = speaker "Huge pages, far beyond the first level:"
  of_huge(document, say)
  local hypervisor <const> = document.machine.hypervisor
  if hypervisor then
    say("What was granted and has no effect may be the machine below (%s): an inference, its pages"
      .. " can't be seen from here.", hypervisor)
  end
  return said
end

local tlb <const> = fr.experiment "tlb" {
  doc        = "what it costs to spread the same lines over more pages",
  regions    = {
    fr.region "memory" { bytes = fr.machine.evict_bytes(), chain = "line", within = "page" },
  },
  sweep      = { lines = { 8, 32, 48, 56, 64, 72, 96, 128, 256, 512 } },
  arms       = arms(),
  references = { fr.arm "memory" { fr.phase "memory" { fr.chase "memory" } } },
  timed      = { fr.chase {} },
  iterations = 5,
  metrics    = metrics,
  claims     = {
    fr.claim "spreading the same lines over more pages costs more" {
      needs = fr.same_sets { "packed", "spread" },
      test  = fr.above { "spread", than = "packed", metric = "walk", where = beyond },
    },
    fr.claim "below the onset it costs nothing: the ratios straddle 1, without a trend" {
      test = step "flat below",
    },
    fr.claim "the step is one row wide" { test = step "one row wide" },
    fr.claim "the plateau is flat: the cost is one of each access" { test = step "flat above" },
    fr.claim "the penalty does not vanish again as pages grow" { test = step "lasting" },
    fr.claim "a 2 MiB page removes the translation cost" {
      needs     = { fr.huge "spread+2M", fr.same_sets { "spread", "spread+2M" } },
      test      = fr.below { "spread+2M", than = "spread", metric = "walk", factor = 0.5,
        where = beyond },
      in_guest  = "granted by this kernel, and without that effect; the machine below may map the"
        .. " same memory by small pages",
      otherwise = fr.claim "with no collapse the advised arm is a second small-page arm" {
        test = fr.same { "spread+2M", "spread", metric = "walk", within = 0.1, where = beyond },
      },
    },
  },
  reading    = reading,
}

return {
  tlb,
  fr.experiment "tlb_far" {
    doc        = "the same on small and on huge pages, far beyond the first level",
    sweep      = { lines = { 512, 2048, 8192 } },
    arms       = arms(),
    timed      = { fr.chase {} },
    iterations = 3,
    metrics    = { metrics[1] },
    twins      = { "spread" },
    reading    = reading_far,
  },
}
