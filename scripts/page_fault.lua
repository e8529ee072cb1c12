-- What does a page fault cost? Touching new memory page by page, against having the kernel populate
-- it in one call and then touching it. Both end in the same state; the difference is the trap into
-- the kernel and back. A touch of what is mapped already shows the cost of the loop itself.
--
--   frlua scripts/page_fault.lua                512 MiB, five rounds
--   frlua scripts/page_fault.lua --rounds 10    enough to claim that populating is cheaper
--   frlua scripts/page_fault.lua 64 --summary   64 MiB, one JSON object
--   frlua scripts/page_fault.lua 64 --all       huge pages, MAP_POPULATE, mlock, files, reads, too
local fr <const> = require "frlua"

local arguments <const> = fr.args { flags = { "all" } }
local megabytes <const> = math.tointeger(tonumber(arguments[1] or 512))
if not megabytes or megabytes < 1 or arguments[2] then
  error("page_fault.lua [megabytes] [--all], not " .. table.concat(arguments, " "), 0)
end
local bytes <const> = megabytes * fr.MiB
local pages <const> = bytes // fr.machine.page_bytes

-- One case: what comes before the first touch, the first touch, and the same once more.
local function case(name, region, before, touch)
  touch = touch or fr.write
  local phases <const> = { fr.phase "touch" { touch(region) }, fr.phase "again" { touch(region) } }
  if before then table.insert(phases, 1, fr.phase "populate" { before }) end
  return fr.arm(name)(phases)
end

local regions <const> = { fr.region "buffer" { bytes = bytes, advise = "nohugepage" } }
local arms <const> = {
  case("first touch", "buffer"),
  case("populate then touch", "buffer", fr.populate "buffer"),
}

if arguments.all then
  local huge <const> = fr.machine.huge_page_bytes
  -- Files are in memory before the first touch, and not mapped.
  local files <const> = {
    fr.region "private file" { bytes = bytes, file = "/var/tmp", fill = "index" },
    fr.region "shared file"  { bytes = bytes, file = "/var/tmp", fill = "index", shared = true },
    fr.region "tmpfs"        { bytes = bytes, memfd = true, fill = "index", shared = true },
  }
  if huge then
    regions[#regions + 1] = fr.region "huge" { bytes = bytes, align = huge, advise = "hugepage" }
    arms[#arms + 1] = case("huge pages", "huge")
  end
  arms[#arms + 1] = case("MAP_POPULATE", "buffer", fr.remap { "buffer", populate = true })
  arms[#arms + 1] = case("mlock", "buffer", fr.lock "buffer")
  arms[#arms + 1] = case("read", "buffer", nil, fr.read)
  for _, file in ipairs(files) do
    regions[#regions + 1] = file
    arms[#arms + 1] = case(file.name .. ", write", file.name)
    arms[#arms + 1] = case(file.name .. ", read", file.name, nil, fr.read)
  end
end

local first <const> = { "populate", "touch" }
local metrics <const> = {
  fr.metric "first"           { phase = first, per = "page", keep = "min" },
  fr.metric "faults"          { phase = first, faults_at = 1, keep = { fastest = "first" } },
  fr.metric "populate"        { phase = "populate", per = "page" },
  fr.metric "populate_faults" { phase = "populate", faults_at = 1 },
  fr.metric "touch"           { phase = "touch", per = "page" },
  fr.metric "touch_faults"    { phase = "touch", faults_at = 1 },
  fr.metric "again"           { phase = "again", per = "page", keep = { fastest = "first" } },
  fr.metric "again_faults"    { phase = "again", faults_at = 1 },
}
if arguments.all then
  table.insert(metrics, 2, fr.metric "a_fault" { phase = first, per = "fault" })
  table.insert(metrics, 4, fr.metric "major"   { phase = first, major_faults_at = 1 })
end

return fr.experiment "page_fault" {
  doc     = "what a page fault costs",
  regions = regions,
  arms    = arms,
  rounds  = 5,
  keep_rounds = true, -- five repetitions are the benchmark; its claim takes --rounds 10
  warm_up = 1 / 8,
  metrics = metrics,
  splits  = {
    fr.split "where a first touch goes" {
      whole  = { "first touch", "first" },
      fr.part "trap and return"        {
        { "first touch", "first" }, less = { "populate then touch", "first" },
      },
      fr.part "allocation and zeroing" { { "populate then touch", "populate" } },
      fr.part "loop"                   { { "populate then touch", "touch" } },
      -- What touching populated memory costs beyond the loop is no work of this kernel's.
      unless = {
        { "populate then touch", "touch" }, above = 10, times = { "populate then touch", "again" },
        without = { "populate then touch", "touch_faults" },
        because = "translation below this kernel",
      },
    },
  },
  claims  = {
    fr.claim "populating first is cheaper than faulting page by page" {
      needs = fr.granted "populate then touch",
      test  = fr.below { "populate then touch", than = "first touch", metric = "first" },
    },
    fr.claim "both take one fault a page" {
      test = fr.all {
        fr.exact { "first touch", "faults", pages },
        fr.exact { "populate then touch", "faults", pages },
      },
    },
    fr.claim "touching again takes no fault" {
      test = fr.all {
        fr.exact { "first touch", "again_faults", 0 },
        fr.exact { "populate then touch", "again_faults", 0 },
      },
    },
  },
  summary = {
    { "buffer_mb", megabytes },
    { "pages", pages },
    { "repeats", "rounds" },
    { "first_touch_ns_per_page", { "first touch", "first" }, decimals = 1 },
    { "first_touch_minor_faults", { "first touch", "faults" } },
    { "populate_then_touch_ns_per_page", { "populate then touch", "first" }, decimals = 1 },
    { "populate_minor_faults", { "populate then touch", "faults" } },
    { "retouch_mapped_ns_per_page", { "first touch", "again" }, decimals = 1 },
    { "fault_vs_populate_factor",
      { "first touch", "first", over = { "populate then touch", "first" } }, decimals = 2 },
  },
}
