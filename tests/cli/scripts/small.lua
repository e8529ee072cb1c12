-- An experiment that takes milliseconds: a few pages, three modes, two rounds.
local fr <const> = require "frlua"
local page <const> = fr.machine.page_bytes

return fr.experiment "small" {
  doc = "as small as can be",
  regions = { fr.region "buffer" { bytes = 4 * page, advise = "nohugepage" } },
  steps = { fr.step "warm" { fr.write "buffer" }, fr.step "pause" { fr.sleep { ms = 1 } } },
  timed = { fr.write { "buffer", every = "word" } },
  iterations = 60,
  arms = fr.modes { "natural", "warm", "warm,pause" },
  rounds = 2,
  metrics = {
    fr.metric "first" { at = 1 }, fr.metric "faults" { faults_at = 1 },
    fr.metric "late" { median_from = 11 },
  },
  ratios = { of = { "first", "process" }, to = "late" },
  apart = { metric = "late", above = 1.5 },
  detail = { 1, 2 },
  splits = {
    fr.split "where the first goes" {
      whole = { "natural", "first" }, per = "faults",
      fr.part "page faults" { { "natural", "first" }, less = { "warm", "first" } },
      fr.part "rest" { { "warm", "first" } },
    },
  },
}
