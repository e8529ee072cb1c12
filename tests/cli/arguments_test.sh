#!/bin/bash
# What a script sees of the command line.
. "$(dirname "$0")/helper.sh"
cat >show.lua <<'END'
print(#arg, select("#", ...))
for i = -4, #arg do if arg[i] and i > -4 then io.write(i, "=", arg[i], " ") end end
print()
print(...)
END

it "numbers the arguments from the script's name on, as lua does"
run "$FRLUA" -e 'x=1' show.lua one two
prints "2	2
-3=$FRLUA -2=-e -1=x=1 0=show.lua 1=one 2=two 
one	two"

it "has arguments that are empty, or look like options"
run frlua show.lua '' -e -- 'a b'
status 0
output_has '4	4'
output_has '	-e	--	a b'

it "has all of many arguments"
# shellcheck disable=SC2046 # many words
run frlua -e 'print(#arg, select("#", ...))' -- show.lua $(seq 5000)
status 0
output_has '5000	5000'

it "keeps bytes that are no text"
run frlua -e 'print(arg[1] == "\xff\xfe\n")' show.lua $'\xff\xfe\n'
status 0
output_has true

it "has arg before the script runs: in -e and in LUA_INIT"
LUA_INIT='print(arg[0], arg[1])' run frlua -e 'print(arg[0], #arg, arg[-1])' show.lua one
status 0
[ "$(head -n 2 .out)" = "show.lua	one
show.lua	1	print(arg[0], #arg, arg[-1])" ] || fail "arg is not there, or not the script's"

it "has the command itself in arg[0] without a script"
run "$FRLUA" -e 'print(arg[0], #arg)'
prints "$FRLUA	2"

finish
