#!/bin/bash
# A lack of memory is an error of the script, with a message, and not a crash.
. "$(dirname "$0")/helper.sh"
skip_when_sanitized "a sanitizer reserves more address space than ulimit -v leaves"

# Runs frlua in so many KiB of address space.
within() { # KIB ARGUMENT...
    run bash -c 'ulimit -v "$1" && shift && exec "$FRLUA" "$@"' bash "$@"
}

it "says that memory is short, and ends with status 1"
echo 'local s = ("x"):rep(1 << 20) local t = {} for i = 1, 1 << 20 do t[i] = s .. i end' >eater.lua
within 300000 eater.lua
status 1
output ''
errors_have 'not enough memory'

it "lets a script catch it and go on"
within 300000 -e 'print(pcall(string.rep, "x", 1 << 30)) print "after"'
prints "false	not enough memory
after"

it "tells of a region that is too large"
within 300000 -e 'print(require "frlua.core".map { bytes = 1 << 30 })'
prints "nil	mmap: Cannot allocate memory	12"

it "tells which region of a sample was too large, and runs the next"
within 300000 -e 'local core = require "frlua.core"
local function sample(bytes)
  local outcome, ended = core.sample({ clock = 1, regions = { { bytes = 4096 }, { bytes = bytes } },
    phases = { { iterations = 1, timed = true,
      ops = { { code = "write", region = 2, stride = 8 } } } } }, -1, -1)
  print(outcome.stage, outcome.error, outcome.error_region, ended.exit_status)
end
sample(1 << 30) sample(4096)'
status 0
[ "$(head -n 1 .out)" = 'map	12	2	1' ] || fail "the refusal is not told"
grep -q -x 'done	0	.*	0' .out || fail "the next sample did not run"

it "says so when there is not even enough to start"
for kib in $(seq 2400 100 5000); do
    within "$kib" -e ''
    [ "$code" -lt 128 ] || fail "it crashed in $kib KiB"
done

finish
