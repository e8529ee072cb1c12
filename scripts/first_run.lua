-- Why is the first run slower? One loop over two buffers, every iteration timed, in fresh
-- processes: as it comes, with the output buffer written before, with cold caches, after a pause.
--
--   frlua scripts/first_run.lua                       six modes, and what they let one claim
--   frlua scripts/first_run.lua natural prefault      the modes named, nothing claimed
--   frlua scripts/first_run.lua --detail              every process by itself, too
local fr    <const> = require "frlua"
local bytes <const> = 512 * fr.KiB

local conclusion <const> = require "frlua.report.conclusion"

local modes <const> = fr.args()
local is_whole <const> = #modes == 0
if is_whole then
  modes[1], modes[2], modes[3] = "natural", "prefault,evict", "prefault"
  modes[4], modes[5], modes[6] = "prefault,sleep", "prefault,spin", "prefault,spin,touch"
end

-- A few lines that nobody uses in between show whether a step leaves data in the caches.
local before <const> = fr.phase "control before" { fr.chase "control", iterations = 3 }
local after  <const> = fr.phase "control after"  { fr.chase "control" }

-- How fast the core is right after the spin, in about 20 µs without any memory. Before the control
-- and not behind it: from there to the first iteration all is then as it is without this, and the
-- control vouches for the same moment. Not after the sleep: a core that is slow then would wake up.
local count <const> = fr.count { steps = 16000 }
local rate  <const> = fr.phase "rate" { count, iterations = 5 }

-- A core that counted for some milliseconds has the rate at which it settles, see clock_ramp.lua.
local SLICES <const> = 3000
local clock <const> = fr.arm "clock" { fr.phase "settling" { count, iterations = SLICES } }

local function is_cold(mode)
  return fr.cold { mode, before = "warm", after = "control", memory = { "memory", "line" } }
end

local metrics <const> = {
  fr.metric "iter1"   { at = 1 },
  fr.metric "faults"  { faults_at = 1 },
  fr.metric "iter2"   { at = 2 },
  fr.metric "iter10"  { at = 10 },
  fr.metric "steady"  { median_from = 51 },
  fr.metric "warm"    { at = 3, phase = "control before", per = "load" },
  fr.metric "control" { at = 1, phase = "control after", per = "load" },
  fr.metric "rate"    { median_from = 1, phase = "rate" },
}
if is_whole then
  metrics[#metrics + 1] = fr.metric "line" { at = 1, phase = "walk", per = "load" }
  metrics[#metrics + 1] = fr.metric "settled" { median_from = SLICES // 2 + 1, phase = "settling" }
end

-- A whole process, less the iterations after its first one: as if it did the work once.
local function once_ns(document, arm)
  local list <const> = {}
  for _, sample in ipairs(document.samples) do
    local timed <const> = sample.phases[#sample.phases]
    if sample.arm == arm.name and sample.status == "ok" then
      local ns = sample.process.wall_ns
      for iteration = 2, #timed.ns do ns = ns - timed.ns[iteration] end
      list[#list + 1] = ns
    end
  end
  return fr.stats.median(list)
end

-- Which of the figures who feels; of the modes that this run has.
local function reading(document)
  local natural, pauses = nil, {}
  for _, arm in ipairs(document.arms) do
    local first <const> = arm.metrics.iter1_ns.median
    if arm.name == "natural" then natural = arm end
    if first and (arm.name == "prefault,sleep" or arm.name == "prefault,spin") then
      pauses[#pauses + 1] = { name = arm.name, ns = first }
    end
  end
  if not natural or not natural.metrics.iter1_ns.median then return {} end
  return conclusion.lines {
    first_ns = natural.metrics.iter1_ns.median, steady_ns = natural.metrics.steady_ns.median,
    process_ns = once_ns(document, natural), pauses = pauses,
    process_note = ", less its iterations after the first (process_start.lua measures it)",
  }
end

return fr.experiment "first_run" {
  doc        = "why the first iteration is slower",
  regions    = {
    fr.region "input"   { bytes = bytes, fill = "index" }, -- resident before anything is timed
    fr.region "output"  { bytes = bytes },                 -- only reserved: the first write faults
    fr.region "control" { bytes = 16 * fr.KiB, chain = "line" },
    fr.region "memory"  { bytes = fr.machine.evict_bytes(), chain = "line", within = "page" },
  },
  steps      = {                                           -- what the name of a mode is made of
    fr.step "prefault" { fr.write { "output", every = "word" } },
    fr.step "evict"    { before, fr.evict {}, after },
    fr.step "sleep"    { before, fr.sleep { ms = 300 }, after },
    fr.step "spin"     { before, fr.spin { ms = 300 }, rate, after },
    fr.step "touch"    {
      fr.read { "input", every = "line" }, fr.read { "output", every = "line" },
    },
  },
  timed      = { fr.affine { to = "output", from = "input", mul = 3, add = 1 } },
  iterations = 2050,
  arms       = fr.modes(modes),
  references = is_whole and {
    fr.arm "memory" { fr.phase "walk" { fr.chase "memory" } }, clock,
  } or nil,
  rounds     = 10,
  metrics    = metrics,
  ratios     = { of = { "iter1", "iter2", "iter10", "process" }, to = "steady" },
  apart      = { metric = "steady", above = 1.5 },
  detail     = { 1, 2, 3, 4, 5, 10, 50 },
  splits     = {
    fr.split "where the first run goes" {
      whole = { "natural", "iter1" },
      fr.part "page faults" {
        { "natural", "iter1" }, less = { "prefault", "iter1" },
      },
      fr.part "cold (data, code, translation)" {
        { "prefault", "iter1" }, less = { "prefault", "steady" },
      },
      fr.part "work (steady)" { { "prefault", "steady" } },
      per = "faults",
    },
  },
  reading    = reading,
  claims     = is_whole and {
    fr.claim "page faults are by far the biggest part of the first run" {
      test = fr.below { "prefault", than = "natural", metric = "iter1", factor = 0.5 },
    },
    fr.claim "the second iteration is slower than the steady state" {
      test = fr.above { { "natural", "iter2" }, than = { "natural", "steady" } },
    },
    fr.claim "the steady state is the same in all modes" {
      test = fr.same { metric = "steady", within = 0.1 },
    },
    fr.claim "after a pause the first iteration is as slow as after an eviction, or slower" {
      needs = { is_cold "prefault,evict", is_cold "prefault,spin" },
      test  = fr.above { "prefault,spin", than = "prefault,evict", metric = "iter1", factor = 0.8 },
    },
    fr.claim "the core was not slow after the spin" {
      test = fr.below { { "prefault,spin", "rate" }, than = { "clock", "settled" }, factor = 1.1 },
    },
    fr.claim "touching the data again repairs it: it was the data that got cold" {
      needs = is_cold "prefault,spin",
      test  = fr.below { "prefault,spin,touch", than = "prefault,spin", metric = "iter1",
        factor = 0.75 },
    },
  } or nil,
}
