-- How does a plausible experiment measure the wrong thing? The control of tlb.lua broken on
-- purpose: lines a page apart and no offset all fall into one set of the first-level cache. The
-- effect is large, and stable, and no matter of pages.
--
--   frlua scripts/break_control.lua [lines]        256 by default, as in the course
local fr <const> = require "frlua"

local sizes <const> = fr.geometry { line = 64, sets = 64 } -- for a machine that does not tell
local page <const>, line <const> = sizes.page_bytes, sizes.line_bytes
local lines <const> = math.tointeger(tonumber(fr.args()[1] or 256))
local COURSE <const> = 5.28 -- the factor that the course measured, and took for translation

local function layout(fields)
  fields.lines, fields.geometry = lines, sizes
  return fr.layout(fields)
end

local broken <const> = layout { gap = page }

local function audit_of(document, arm)
  for _, region in ipairs(document.design.regions) do
    if region.name == arm then return region.layout.audit end
  end
end

local function median(document, name)
  for _, arm in ipairs(document.arms) do
    if arm.name == name then return arm.metrics.walk_ns_per_load.median end
  end
end

local function factor(document, name)
  local value <const>, packed <const> = median(document, name), median(document, "packed")
  return value and packed and fr.units.fixed(value / packed, 2) or "unknown"
end

local function reading(document)
  local trap <const>, control <const> =
    audit_of(document, "page gap"), audit_of(document, "page gap and a line")
  if not trap or not control then return { "Reading: not all arms were run" } end
  return {
    "Reading",
    ("A line a page apart takes %s times as long as packed ones here; the course had %s, and the"
      .. " caption '%d lines are %d pages'."):format(factor(document, "page gap"),
      fr.units.fixed(COURSE, 2), lines, trap.pages),
    ("The trap, by the addresses: 'page gap' has its %d lines in %s of the first-level cache, at"
      .. " most %s in one; 'page gap and a line' has as many in %s, at most %s."):format(trap.slots,
      trap.used_sets and fr.units.plural(trap.used_sets, "set") or "an unknown number of sets",
      trap.fullest_set or "unknown", control.used_sets or "unknown",
      control.fullest_set or "unknown"),
    ("With the sets alike, %d pages against %d cost %s times as much: that is translation. What is"
      .. " more is lines that drive each other out."):format(control.pages,
      audit_of(document, "packed").pages, factor(document, "page gap and a line")),
  }
end

return fr.experiment "break_control" {
  doc        = "the control of tlb.lua, broken on purpose",
  arms       = {
    fr.arm "page gap"            { layout = broken },
    fr.arm "page gap, 2nd"       { layout = broken },
    fr.arm "packed"              { layout = layout { gap = line } },
    fr.arm "page gap and a line" { layout = layout { gap = page, off = line } },
  },
  timed      = { fr.chase {} },
  iterations = 5,
  rounds     = 20,
  metrics    = { fr.metric "walk" { median_from = 2, per = "load", keep = "min" } },
  claims     = {
    fr.claim "both arms at a page's gap agree: both are conflict machines" {
      test = fr.same { "page gap", "page gap, 2nd", metric = "walk", within = 0.05 },
    },
    fr.claim "the packed arm beside them shows a large effect" {
      test = fr.above { "page gap", than = "packed", metric = "walk", factor = 2 },
    },
    fr.claim "it is not that of pages: as many pages, in other sets, cost less" {
      test = fr.below { "page gap and a line", than = "page gap", metric = "walk" },
    },
  },
  reading    = reading,
}
