--- What `frlua --help` says beyond the list of options. The output shown is that of a real run.
local core <const> = require "frlua.core"

local help <const> = {}

help.DESCRIPTION = [[
Runs Lua scripts as lua does. A script that returns an experiment is run and reported: every sample
a fresh, pinned process, the arms in a seeded, balanced order.]]

help.USAGE = [=[
usage: frlua [-e stat] [-l name] [-i] [-v] [-E] [-W] [options] [script.lua [options] [arguments]]
       -e stat     run this statement; -l name  require this module; -i  then a prompt
       -v -E -W    as in lua: version, no environment variables, warnings on
       after --    everything is the script's
       frlua verify [FILE]   recompute a result file, by default the last run's, from its samples
       frlua machine         what this machine is, and what of it would disturb a measurement now]=]

help.EPILOG = [[
Example: $ frlua scripts/first_run.lua natural prefault
  Medians over the processes
  arm       iter1 ns  faults  iter2 ns  iter10 ns  steady ns
  natural     204244     128     13820      11743      11702
  prefault     16620       0     12970      11657      11712
  steady: median of the iterations from 51 on, first 50 iterations discarded

Every run leaves its result in $XDG_STATE_HOME/frlua/last.json (~/.local/state/frlua/last.json).
Exit status: 0 all well, 1 the script broke, 2 wrong usage, 3 samples were lost, 4 output could not
be written (nothing is measured when that shows before), 5 a claim failed, 130 interrupted; the
first of 130, 4, 3, 1, 5 where several apply.]]

---@return string
function help.version()
  return ("frlua %s (%s, %s)\n"):format(core.version,
    core.commit ~= "" and core.commit or "not from a git checkout", _VERSION)
end

return help
