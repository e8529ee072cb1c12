-- One mode whose eviction is larger than a session lets a process become, beside one without.
local fr <const> = require "frlua"

return fr.experiment "large" {
  regions = { fr.region "buffer" { bytes = 65536 } },
  steps = { fr.step "large" { fr.evict { bytes = "64 GiB" } } },
  timed = { fr.write "buffer" },
  arms = fr.modes { "natural", "large" },
  rounds = 2,
  metrics = { fr.metric "first" { at = 1 } },
}
