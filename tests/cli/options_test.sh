#!/bin/bash
# The options that frlua shares with lua.
. "$(dirname "$0")/helper.sh"
echo 'print("script", ...)' >script.lua
echo 'loaded = (loaded or 0) + 1 return { name = "module" }' >module.lua

it "runs -e"
run frlua -e 'print(1 + 1)'
prints 2

it "takes the chunk in the same argument"
run frlua '-eprint(1 + 1)'
prints 2

it "runs several -e in their order, before the script"
run frlua -e 'x = 1' -e 'print(x) x = 2' -e 'print(x)' script.lua a
prints "1
2
script	a"

it "loads -l into a global of the module's name"
run frlua -l module -e 'print(module.name, loaded)'
prints "module	1"

it "loads -l global=module, in the order of the options"
run frlua -e 'print(m)' -l m=module -e 'print(m.name, module)'
prints "nil
module	nil"

it "stops at the first chunk that fails"
run frlua -e 'error "first"' -e 'print "second"' script.lua
status 1
output ''
errors_have 'first'

it "names the chunk of -e in errors"
run frlua -e 'local x = = 1'
status 1
errors_have '(command line):1:'

it "prints its version with -v, and then runs nothing of standard input"
run frlua -v <<<'print "unexpected"'
status 0
output "$(frlua -v)"
output_has 'frlua '
output_has 'Lua 5.4'

it "prints the version first, and runs the script"
run frlua -v script.lua
status 0
output "$(frlua -v; echo script)"

it "runs standard input when there is no script"
run frlua <<<'print("from standard input", #arg)'
prints "from standard input	0"

it "runs standard input for -, with arguments"
run frlua - a b <<<'print(arg[0], ...)'
prints "-	a	b"

it "runs neither standard input nor a prompt when -e was given"
run frlua -e 'x = 1' <<<'print "unexpected"'
prints ''

it "turns warnings on with -W"
run frlua -e 'warn "silent"' -W -e 'warn("he", "ard")'
status 0
errors 'Lua warning: heard'

it "runs LUA_INIT, and a file that it names"
LUA_INIT='print("init", arg[0])' run frlua script.lua
prints "init	script.lua
script"
LUA_INIT='@script.lua' run frlua -e ''
prints script
LUA_INIT='print "5.3 or older"' LUA_INIT_5_4='print "5.4"' run frlua -e ''
prints 5.4

it "says where LUA_INIT is wrong, and runs nothing then"
LUA_INIT='error "wrong"' run frlua script.lua
status 1
output ''
errors_have 'LUA_INIT:1: wrong'

it "ignores the environment with -E"
LUA_INIT='print "init"' LUA_PATH='/nowhere/?.lua' \
    run frlua -E -e 'print(package.path:find("nowhere", 1, true))'
prints nil

it "ends the options with --"
run frlua -e 'print "option"' -- script.lua -e x
prints "option
script	-e	x"
echo 'print("odd name")' >-e
run frlua -- -e
prints "odd name"
cp ./-e ./--version
run frlua -- --version
prints "odd name"

it "refuses options that there are not with status 2 and how it is used"
for options in -x -vv -l -e '-e -v' -Ei -W1; do
    # shellcheck disable=SC2086 # several options
    run frlua $options
    status 2
    output ''
done
run frlua -x
errors_have "unrecognized option '-x'"
errors_have 'usage: frlua'

it "says that a script is not there"
run frlua missing.lua
status 1
output ''
errors_have 'cannot open missing.lua'

finish
