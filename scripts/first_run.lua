-- Why is the first run slower? One loop over two buffers, every iteration timed, in fresh processes:
-- as it comes, with the output buffer written before, with cold caches, and after a pause.
--
--   frlua scripts/first_run.lua                       six modes
--   frlua scripts/first_run.lua natural prefault      the modes named
--   frlua scripts/first_run.lua --detail              every process by itself, too
local fr    <const> = require "frlua"
local bytes <const> = 512 * fr.KiB

local modes <const> = fr.args()
if #modes == 0 then
  modes[1], modes[2], modes[3] = "natural", "prefault,evict", "prefault"
  modes[4], modes[5], modes[6] = "prefault,sleep", "prefault,spin", "prefault,spin,touch"
end

return fr.experiment "first_run" {
  doc        = "why the first iteration is slower",
  regions    = {
    fr.region "input"  { bytes = bytes, fill = "index" },      -- resident before anything is timed
    fr.region "output" { bytes = bytes },                      -- only reserved: its first write faults
  },
  steps      = {                                               -- what the name of a mode is made of
    fr.step "prefault" { fr.write { "output", every = "word" } },
    fr.step "evict"    { fr.evict {} },
    fr.step "sleep"    { fr.sleep { ms = 300 } },
    fr.step "spin"     { fr.spin { ms = 300 } },
    fr.step "touch"    { fr.read { "input", every = "line" }, fr.read { "output", every = "line" } },
  },
  timed      = { fr.affine { to = "output", from = "input", mul = 3, add = 1 } },
  iterations = 2050,
  arms       = fr.modes(modes),
  rounds     = 10,
  metrics    = {
    fr.metric "iter1"  { at = 1 },
    fr.metric "faults" { faults_at = 1 },
    fr.metric "iter2"  { at = 2 },
    fr.metric "iter10" { at = 10 },
    fr.metric "steady" { median_from = 51 },
  },
  ratios     = { of = { "iter1", "iter2", "iter10", "process" }, to = "steady" },
  apart      = { metric = "steady", above = 1.5 },
  detail     = { 1, 2, 3, 4, 5, 10, 50 },
  splits     = {
    fr.split "where the first run goes" {
      whole = { "natural", "iter1" },
      fr.part "page faults"                     { { "natural", "iter1" }, less = { "prefault", "iter1" } },
      fr.part "cold (data, code, translation)"  { { "prefault", "iter1" }, less = { "prefault", "steady" } },
      fr.part "work (steady)"                   { { "prefault", "steady" } },
      per = "faults",
    },
  },
}
