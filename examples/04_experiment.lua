-- A script that returns an experiment is run by frlua: every sample a fresh worker process, the arms
-- interleaved in a seeded, balanced order.  frlua examples/04_experiment.lua --rounds 20
local fr <const> = require "frlua"

return fr.experiment "first_write" {
  doc        = "does the stride of the first write matter?",
  regions    = { fr.region "buffer" { bytes = "4 MiB", advise = "nohugepage" } },
  arms       = {
    fr.arm "a byte a page"   { fr.phase "first" { fr.write "buffer" } },
    fr.arm "every cache line" { fr.phase "first" { fr.write { "buffer", every = "line" } } },
    fr.arm "every word"      { fr.phase "first" { fr.write { "buffer", every = "word" } } },
  },
  rounds     = 10,
  metrics    = { fr.metric "first" { at = 1 }, fr.metric "faults" { faults_at = 1 } },
}
