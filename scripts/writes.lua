-- What does a store cost when its line is held, and when it is not? A line that is not held is read
-- before a part of it is written, and goes back to memory later: a store is a read, and more. Four
-- kinds of access go over a region well inside the first-level cache (near, its lines are held) and
-- over one that no cache holds (far).
--
--   frlua scripts/writes.lua                    as large as an eviction
--   frlua scripts/writes.lua 256                256 MiB far
--
-- Stores wait in the store buffer while the program goes on, and overlap there: these are times per
-- line of many, not what one store takes from its begin to its end. Pages are small, and resident
-- before anything is timed: one translation for each page is in the floor of all kinds alike.
--
-- A non-temporal store promises that nobody reads the line soon: what is written whole need not be
-- read first, nor kept. As MADV_HUGEPAGE is about pages, this is a hint about lines, and may be
-- declined: the near lines are read once more, right after they were written, to see what came of
-- it. All figures of lines are per line; of the near ones the reading of the clock is a good part.
local fr <const> = require "frlua"

local arguments <const> = fr.args()
local megabytes <const> = arguments[1] and math.tointeger(tonumber(arguments[1]))
if arguments[1] and (not megabytes or megabytes < 1) or arguments[2] then
  error("writes.lua [megabytes], not " .. table.concat(arguments, " "), 0)
end
local far_bytes <const> = megabytes and megabytes * fr.MiB or (fr.machine.evict_bytes())

-- Half of the first-level data cache: what else runs has the other half. Where the machine does not
-- tell its size, as much as half of the smallest that is common.
local function near_size()
  for _, cache in ipairs(fr.machine.caches or {}) do
    if cache.level == 1 and cache.type ~= "Instruction" and cache.bytes then
      return cache.bytes // 2, "half of the first-level data cache"
    end
  end
  return 8 * fr.KiB, "the script's own choice: the size of the first-level cache is unknown"
end

local near_bytes <const>, near_why <const> = near_size()

-- One kind of access: over the near region until it is warm, then a read of what that left there,
-- then over the far one.
local function kind(name, access)
  return fr.arm(name) {
    fr.phase "near"  { access "near", iterations = 1000 },
    fr.phase "again" { fr.read { "near", every = "line" }, iterations = 2 },
    fr.phase "far"   { access "far", iterations = 4 },
  }
end

local function each_line(region) return fr.read { region, every = "line" } end
local function one_word(region) return fr.write { region, every = "line" } end
local function all_words(region) return fr.write { region, every = "word" } end

-- That the far lines were not held: reading them cost more than reading those that are.
local far_is_far <const> = fr.below {
  { "read each line", "near" }, than = { "read each line", "far" }, factor = 0.5,
}

-- After the promise lines are slow to read, and after ordinary stores they are not; once read they
-- are held again, so that it was the lines that were away.
local is_let_go <const> = fr.all {
  fr.below { { "store whole lines", "again" }, than = { "stream whole lines", "again" },
    factor = 0.5 },
  fr.below { { "stream whole lines", "then" }, than = { "stream whole lines", "again" },
    factor = 0.5 },
}

local LET_GO <const> = "after non-temporal stores the lines are not held"

-- What stands for an arm; the text "unknown" where it has none.
local function ns(document, arm_name, metric)
  for _, arm in ipairs(document.arms) do
    local median <const> = arm.name == arm_name and arm.metrics[metric .. "_ns_per_line"].median
    if median then return fr.units.fixed(median, 2) .. " ns" end
  end
  return "unknown"
end

local OF_HINT <const> = {
  pass = "the hint was taken", fail = "the hint was declined",
  withdrawn = "whether the hint was taken this run can't tell",
}

local function reading(document)
  local verdict
  for _, claim in ipairs(document.claims) do
    verdict = claim.claim == LET_GO and claim.verdict or verdict
  end
  local function cell(arm, metric) return ns(document, arm, metric) end
  return {
    ("Reading: near is %s, %s; far is %s."):format(fr.units.bytes(near_bytes), near_why,
      fr.units.bytes(far_bytes)),
    ("A store costs %s a line where the line is held (the clock's own reading is in it) and %s"
      .. " where it is not; reading such a line costs %s."):format(
      cell("store one word a line", "near"), cell("store one word a line", "far"),
      cell("read each line", "far")),
    ("Whole lines cost %s by ordinary stores and %s by non-temporal ones, after which reading them"
      .. " again costs %s, against %s: %s."):format(
      cell("store whole lines", "far"), cell("stream whole lines", "far"),
      cell("stream whole lines", "again"), cell("store whole lines", "again"),
      OF_HINT[verdict] or OF_HINT.withdrawn),
  }
end

return fr.experiment "writes" {
  doc     = "what a store costs when its line is held, and when it is not",
  regions = { -- written before anything is timed, and so resident
    fr.region "near" { bytes = near_bytes, advise = "nohugepage", fill = "index" },
    fr.region "far"  { bytes = far_bytes, advise = "nohugepage", fill = "index" },
  },
  arms    = {
    kind("read each line", each_line), -- the control: what reading costs without writing
    kind("store one word a line", one_word),
    kind("store whole lines", all_words),
    kind("stream whole lines", fr.stream),
  },
  rounds  = 20,
  metrics = {
    fr.metric "near"   { phase = "near", median_from = 101, per = "line" },
    fr.metric "far"    { phase = "far", median_from = 2, per = "line" },
    fr.metric "again"  { phase = "again", at = 1, per = "line" },
    fr.metric "then"   { phase = "again", at = 2, per = "line" },
    fr.metric "faults" { phase = { "near", "again", "far" }, faults_at = 1 },
  },
  claims  = {
    fr.claim "a store costs more where its line is not held" {
      needs = far_is_far,
      test  = fr.above { { "store one word a line", "far" },
        than = { "store one word a line", "near" } },
    },
    fr.claim "it costs more than reading the line: that comes first" {
      needs = far_is_far,
      test  = fr.above { "store one word a line", than = "read each line", metric = "far" },
    },
    fr.claim "the whole line costs less than twice one word of it: the line is the price" {
      needs = far_is_far,
      test  = fr.below { "store whole lines", than = "store one word a line", metric = "far",
        factor = 2 },
    },
    fr.claim(LET_GO) { test = is_let_go },
    fr.claim "whole lines cost more by ordinary stores than by non-temporal ones" {
      needs     = { far_is_far, is_let_go },
      test      = fr.above { "store whole lines", than = "stream whole lines", metric = "far" },
      otherwise = fr.claim "where the hint is declined, a non-temporal store is an ordinary one" {
        needs = far_is_far,
        test  = fr.same { "store whole lines", "stream whole lines", metric = "far",
          within = 0.25 },
      },
    },
    fr.claim "nothing that is timed takes a page fault" {
      test = fr.all {
        fr.exact { "read each line", "faults", 0 },
        fr.exact { "store one word a line", "faults", 0 },
        fr.exact { "store whole lines", "faults", 0 },
        fr.exact { "stream whole lines", "faults", 0 },
      },
    },
  },
  reading = reading,
}
