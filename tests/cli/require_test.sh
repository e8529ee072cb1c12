#!/bin/bash
# Where modules are found: beside the script, wherever that is and from wherever it is started.
. "$(dirname "$0")/helper.sh"
n=0
for directory in plain 'with space' 'odd;dir?x' 'ü/%d' "quote'"; do
    mkdir -p "$directory/pack"
    n=$((n + 1))
    echo "return { v = $n }" >"$directory/helper.lua"
    echo "return { v = 'init of $n' }" >"$directory/pack/init.lua"
    echo "return { v = 'inner of $n' }" >"$directory/pack/inner.lua"
    cat >"$directory/main.lua" <<'END'
print(require("helper").v, require("pack").v, require("pack.inner").v)
END
    chmod +x "$directory/main.lua"
    expected="$n	init of $n	inner of $n"

    it "finds modules in '$directory' by the script's absolute path"
    cd /
    run frlua "$scratch/$directory/main.lua"
    prints "$expected"

    it "finds them by a relative path, and from within"
    cd "$scratch/$directory" || exit
    run frlua ./main.lua
    prints "$expected"
    run frlua main.lua
    prints "$expected"
    cd "$scratch/plain" || exit
    run frlua "../$directory/main.lua"
    prints "$expected"

    it "finds them beside the real file when the script is a symlink"
    mkdir -p "$scratch/links"
    ln -s "$scratch/$directory/main.lua" "$scratch/links/main$n.lua"
    run frlua "$scratch/links/main$n.lua"
    prints "$expected"
    cd "$scratch" || exit
done

it "finds them when the script is found along PATH"
mkdir bin
ln -s "$FRLUA" bin/frlua
sed -i '1i #!/usr/bin/env frlua' plain/main.lua
PATH=$scratch/bin:$scratch/plain:$PATH run main.lua
prints "1	init of 1	inner of 1"

for path in '' ';;' '/nowhere/?.lua' ';'; do
    it "finds them whatever LUA_PATH is: '$path'"
    LUA_PATH=$path run frlua plain/main.lua
    prints "1	init of 1	inner of 1"
    LUA_PATH_5_4=$path LUA_PATH='/elsewhere/?.lua' run frlua plain/main.lua
    prints "1	init of 1	inner of 1"
done

it "finds modules of the user's LUA_PATH"
mkdir user
echo 'return { v = "the user'"'"'s" }' >user/own.lua
echo 'return { v = "not beside the script" }' >user/helper.lua
LUA_PATH="$scratch/user/?.lua" run frlua -e 'print(require("own").v)'
prints "the user's"

it "prefers what lies beside the script"
echo 'print(require("helper").v, require("own").v)' >plain/both.lua
LUA_PATH="$scratch/user/?.lua" run frlua plain/both.lua
prints "1	the user's"

it "tells a module where it was found"
echo 'print(...)' >plain/place.lua
echo 'require "place"' >plain/places.lua
run frlua plain/places.lua
prints "place	$scratch/plain/place.lua"

it "searches the current directory for standard input and -e"
cd plain || exit
run frlua - <<<'print(require("helper").v)'
prints 1
run frlua -e 'print(require("helper").v)'
prints 1
cd ..

it "loads a module once"
echo 'count = (count or 0) + 1 return count' >plain/count.lua
echo 'print((require "count"), (require "count"), count)' >plain/twice.lua
run frlua plain/twice.lua
prints "1	1	1"

it "says where it looked for a module that is nowhere"
echo 'require "no.such"' >plain/lost.lua
run frlua plain/lost.lua
status 1
errors_have "module 'no.such' not found"
errors_have "$scratch/plain/no/such.lua"
errors_have "$scratch/plain/no/such/init.lua"
errors_have 'lost.lua:1:'

it "says what is wrong in a module, with its file and line"
printf '\n\nx = = 1\n' >plain/broken.lua
echo 'require "broken"' >plain/breaks.lua
run frlua plain/breaks.lua
status 1
errors_have "error loading module 'broken' from file '$scratch/plain/broken.lua'"
errors_have 'broken.lua:3:'
printf '\nerror "raised"\n' >plain/broken.lua
run frlua plain/breaks.lua
status 1
errors_have 'broken.lua:2: raised'
errors_have 'breaks.lua:1:'

it "loads its own C modules and luaposix, whatever the paths are"
load='require "frlua.native" "digest" require "posix.unistd" print "loaded"'
run frlua -e "$load"
prints loaded
LUA_PATH='/nowhere/?.lua' LUA_CPATH='/nowhere/?.so' run frlua -e "$load"
prints loaded

finish
