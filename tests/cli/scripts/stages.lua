-- Arms that sleep where a session wants to find them, for longer than it would ever wait: in the
-- phase of their name. "ready" does not.
local fr <const> = require "frlua"
local long <const>, short <const> = fr.sleep { ms = 60000 }, fr.write "buffer"

local function arm(name, first, second)
  return fr.arm(name) { fr.phase "first" { first }, fr.phase "second" { short, second } }
end

return fr.experiment "stages" {
  regions = { fr.region "buffer" { bytes = 65536, advise = "nohugepage" } },
  arms = { arm("ready", short, short), arm("first", long, short), arm("second", short, long) },
  rounds = 2,
  metrics = { fr.metric "one" { at = 1, phase = "first" } },
}
