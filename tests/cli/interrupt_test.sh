#!/bin/bash
# Ctrl-C stops a script, whatever it is doing: exit status 130, and nothing is left running.
. "$(dirname "$0")/helper.sh"
mkfifo silence
exec 8<>silence # open at both ends: reading it blocks

# Runs the text, which says "ready" on standard error, in a session of its own, and sends SIGINT to
# frlua alone, or to its group as a terminal does. What does not end is killed, which is another
# exit status.
interrupted() { # TEXT [group]
    printf '%s\n' "$1" >script.lua
    : >.err
    setsid "$FRLUA" script.lua <&8 >.out 2>.err &
    local pid=$!
    for _ in $(seq 100); do
        grep -q ready .err && break
        sleep 0.05
    done
    sleep 0.1
    kill -INT -- "${2:+-}$pid"
    for _ in $(seq 200); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.05
    done
    kill -KILL "$pid" 2>/dev/null
    wait "$pid"
    code=$?
    status 130
    for _ in $(seq 20); do
        left=$(pgrep -s "$pid") || break
        sleep 0.05
    done
    [ -z "$left" ] || fail "processes are left: $(ps -o args= -p "$left")"
}
ready='io.stderr:write "ready\n";'

it "stops a loop, with the line that it was in"
interrupted "$ready while true do end"
errors_have 'interrupted!'
errors_have 'script.lua:1: in main chunk'

it "stops a loop that catches errors"
interrupted "$ready while true do pcall(function() while true do end end) end"
errors_have interrupted

it "stops a coroutine"
interrupted "$ready coroutine.wrap(function() while true do end end)()"
errors_have interrupted

it "stops a loop of yields"
interrupted "$ready local co = coroutine.wrap(function() while true do coroutine.yield() end end)
while true do co() end"

it "stops functions of the C library that take long"
interrupted "$ready string.rep('', 1 << 62)"
interrupted "$ready (('a'):rep(30000)):find(('.-'):rep(20) .. 'b')"
interrupted "$ready table.move({}, 1, 1 << 60, 2)"

it "stops reading that waits"
interrupted "$ready io.read()"
interrupted "$ready for line in io.lines() do end"
interrupted "$ready io.popen('exec sleep 300'):read 'a'" group

it "stops a command, and frlua with it"
interrupted "$ready os.execute 'exec sleep 300'"
interrupted "$ready while true do os.execute 'true' end"

it "stops a metamethod, a finalizer and what closes a variable"
interrupted "$ready local t <close> = setmetatable({}, { __close = function() while true do end end })"
interrupted "$ready setmetatable({}, { __gc = function() while true do end end }) t = nil
collectgarbage()"
interrupted "$ready setmetatable({}, { __gc = function() while true do end end })"
interrupted "$ready print(setmetatable({}, { __index = function() while true do end end }).x)"

it "stops modules while they load"
echo 'while true do end' >endless.lua
interrupted "$ready require 'endless'"

it "stops a sample in its worker, which is killed"
interrupted "$ready local core = require 'frlua.core'
core.sample({ clock = 1, regions = {}, phases = { { iterations = 1, timed = true,
  ops = { { code = 'sleep', amount = 300000000000 } } } } }, -1, -1)"

it "stops what a primitive runs in the host itself"
interrupted "$ready local core = require 'frlua.core'
core.time({ { code = 'spin', amount = 300000000000 } }, {}, 1, 1)"

it "stops a program that was started, and a fork"
interrupted "local fr = require 'frlua' $ready fr.spawn { 'sleep', '300' }"
interrupted "local fr = require 'frlua' $ready fr.fork { run = function() while true do end end }"

it "is stopped at once by a second Ctrl-C"
printf '%s string.rep("", 1 << 62)\n' "$ready" >script.lua
run bash -c '"$FRLUA" script.lua 2>errors & pid=$!
    until grep -q ready errors; do sleep 0.05; done
    kill -INT $pid; sleep 0.1; kill -INT $pid; wait $pid'
status 130
grep -q 'frlua: interrupted' errors || fail "no message"

finish
