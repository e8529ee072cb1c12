#!/bin/bash
# os.exit, os.execute and io.popen.
. "$(dirname "$0")/helper.sh"

it "exits with what os.exit says"
for code in 0 1 9 255; do
    run frlua -e "os.exit($code)"
    status $code
done
run frlua -e 'os.exit(true)'
status 0
run frlua -e 'os.exit(false)'
status 1
run frlua -e 'os.exit(256 + 3)'
status 3

it "writes out what was printed before os.exit"
run frlua -e 'io.write "no newline" os.exit(9)'
status 9
output 'no newline'

it "closes the state when os.exit is asked to, and only then"
final='setmetatable({}, { __gc = function() print "closed" end })'
run frlua -e "$final os.exit(5, true)"
status 5
output closed
run frlua -e "$final os.exit(5)"
status 5
output ''

it "exits from within a coroutine and a pcall"
run frlua -e 'pcall(coroutine.wrap(function() print "in" os.exit(6, true) end))'
status 6
output in

it "tells how a command ended"
run frlua -e 'print(os.execute "exit 3") print(os.execute "true") print(os.execute "kill -9 $$")'
prints "nil	exit	3
true	exit	0
nil	signal	9"

it "knows that there is a shell"
run frlua -e 'print(os.execute())'
prints true

it "keeps the order of its own output and a command's"
run frlua -e 'io.write "1 " os.execute "printf 2" print " 3"'
prints '1 2 3'

it "passes the environment, the directory and standard input on"
# shellcheck disable=SC2016 # the command's shell expands it
A=b run frlua -e 'os.execute "echo $A; pwd; cat"' < <(echo from standard input)
prints "b
$scratch
from standard input"

it "tells the end although SIGCHLD was ignored by whoever started it"
run bash -c 'trap "" CHLD; exec "$FRLUA" -e "print(os.execute \"exit 4\")"'
prints 'nil	exit	4'

it "reads and writes pipes"
run frlua -e 'print((io.popen "echo a; exit 2"):read "a") print((io.popen "exit 2"):close())'
prints "a

nil	exit	2"
run frlua -e 'local p = io.popen("cat", "w") p:write "written" p:close()'
prints written

it "lets a command go on in the background"
run frlua -e 'os.execute "(sleep 0.2; echo late >late) & echo now"'
prints now
for _ in $(seq 50); do [ -e late ] || sleep 0.1; done
[ -e late ] || fail "what went on in the background was killed"

finish
