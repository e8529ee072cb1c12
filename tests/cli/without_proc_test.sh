#!/bin/bash
# /proc is not needed to start, to find modules and to run a sample.
. "$(dirname "$0")/helper.sh"
skip_when_sanitized "a sanitizer needs /proc itself"
hidden='mount -t tmpfs none /proc && exec "$@"'
unshare -m bash -c "$hidden" bash true 2>/dev/null || skip "no permission to hide /proc"

# Runs the command where /proc is an empty directory.
without_proc() {
    run unshare -m bash -c "$hidden" bash "$@"
}

it "runs a script"
without_proc "$FRLUA" -e 'print(io.open "/proc/self/exe")'
status 0
output_has nil

it "finds modules beside the script, and its own library"
echo 'return 42' >helper.lua
echo 'print(require "helper", require "frlua.units" ~= nil)' >script.lua
without_proc "$FRLUA" script.lua
status 0
output_has 42

it "finds them when it is reached through a symlink, or along PATH"
ln -s "$FRLUA" link
without_proc ./link -e 'print(require "frlua.core".root)'
prints "$(dirname "$(dirname "$(realpath "$FRLUA")")")"
PATH=$(dirname "$FRLUA"):$PATH without_proc frlua -e 'require "frlua.units" print "found"'
prints found

it "starts children and runs samples"
without_proc "$FRLUA" -e 'print(os.execute "exit 3")
local core = require "frlua.core"
local outcome, ended = core.sample({ clock = 1, regions = {}, smaps = true, phases = {
  { iterations = 5, timed = true, ops = { { code = "spin", amount = 1000 } } } } }, -1, -1)
print(outcome.stage, ended.exit_status, #outcome.phases[1].ns, #outcome.smaps, outcome.smaps_error)'
prints "nil	exit	3
done	0	5	0	2"

finish
