#!/bin/bash
# Output around children: each line once and in order, to a file, a pipe and whatever else.
. "$(dirname "$0")/helper.sh"

cat >fork.lua <<'END'
local fr <const> = require "frlua"
local log <const> = assert(io.open("log", "w"))
log:write "before "
print "line before the child"
io.write "no newline yet "
local child <const> = fr.fork { run = function()
  io.write "[child] "
  local closed <close> = setmetatable({}, { __close = function() io.write "[closed] " end })
  return 42
end }
io.write(child.value, " end\n")
log:write "after\n"
END
expected='line before the child
no newline yet [child] [closed] 42 end'

it "prints each line once, to a file and to a pipe"
run frlua fork.lua
prints "$expected"
[ "$(cat log)" = 'before after' ] || fail "the file holds: $(cat log)"
run bash -c '"$FRLUA" fork.lua | cat'
prints "$expected"

it "prints each line once around a child that breaks, or leaves by os.exit"
run frlua -e 'local fr = require "frlua" io.write "before "
local broken = fr.fork { run = function() error "inside" end }
local left = fr.fork { run = function() io.write "in " os.exit(7) end }
print(broken.status, left.exit_status, broken.error:match "inside")'
prints 'before in error	7	inside'

it "has standard input to itself: a fork finds it empty, and takes nothing of it"
printf 'one\ntwo\nthree\n' >lines
reads='local fr = require "frlua" print(io.read())
print(fr.fork { run = function() return io.read() or "empty" end }.value) print(io.read())'
run frlua -e "$reads" <lines
prints 'one
empty
two'
run bash -c 'cat lines | "$FRLUA" -e "$1"' bash "$reads"
prints 'one
empty
two'

it "runs no finalizers and closes nothing of the script in the child"
run frlua -e 'local fr = require "frlua"
local final = setmetatable({}, { __gc = function() print "finalized" end })
fr.fork { run = function() end } fr.fork { run = function() os.exit(0) end }'
prints finalized

it "prints each line once around programs"
run frlua -e 'local fr = require "frlua" io.write "before "
fr.spawn { "echo", "program", output = "inherit" } io.write "after\n"'
prints 'before program
after'

it "prints each line once around a program that is not there"
run frlua -e 'local fr = require "frlua" io.write "before "
local child, message, errno = fr.spawn { "/no/such/program" } print(child, errno) print(message)'
status 0
[ "$(head -n 1 .out)" = 'before nil	2' ] || fail "not nil and ENOENT"
output_has '/no/such/program'

it "captures both streams whole"
run frlua -e 'local fr = require "frlua"
local child = fr.spawn { "sh", "-c",
  "head -c 200000 /dev/zero >&2; head -c 200000 /dev/zero; exit 3" }
print(#child.stdout, #child.stderr, child.exit_status)'
prints '200000	200000	3'

it "brings a large value back from a fork"
run frlua -e 'local fr = require "frlua"
local child = fr.fork { run = function() return ("x"):rep(5000000) end }
print(#child.value)'
prints 5000000

it "says when there are too few descriptors"
run bash -c 'ulimit -n 5 && exec "$FRLUA" -e "
  local process, message, errno = require \"frlua.core\".spawn {
    path = \"true\", argv = { \"true\" }, capture = 100 }
  print(process, message, errno)"'
prints 'nil	pipe: Too many open files	24'

it "leaves no descriptor behind when it refuses, time and again"
run bash -c 'ulimit -n 20 && exec "$FRLUA" -e "
  local core, message = require \"frlua.core\"
  for i = 1, 100 do
    _, message = core.spawn { path = \"/no/such\", argv = { \"x\" }, capture = 1 }
  end
  print(message)"'
prints 'execve: No such file or directory'

it "does not give a script's open files to programs"
echo secret >secret
run frlua -e 'local fr = require "frlua" local f = io.open "secret"
print(fr.spawn { "sh", "-c", "ls /proc/self/fd | wc -l" }.stdout)'
status 0
output 4
run frlua -e 'local fr = require "frlua"
print(fr.spawn { "sh", "-c", "ls /proc/self/fd | wc -l" }.stdout)'
output 4

finish
