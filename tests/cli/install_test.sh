#!/bin/bash
# The installed command: from any directory, through symlinks, along PATH, and moved elsewhere.
. "$(dirname "$0")/helper.sh"
prefix="$scratch/a prefix; odd?"
it "is installed by cmake"
run cmake --install "${FRLUA_BUILD:?the build tree}" --prefix "$prefix"
status 0
installed=$prefix/bin/frlua

# Runs what loads all the parts that are found at run time.
works() {
    run "$@" -e 'require "frlua" local native = require "frlua.native" local core = require "frlua.core"
for _, name in ipairs { "digest", "elf", "hold", "topology" } do native(name) end
local outcome = core.sample({ clock = 1, regions = {}, phases = { { iterations = 1, timed = true,
  ops = { { code = "spin", amount = 1000 } } } } }, -1, -1)
print(core.root, outcome.stage)'
    prints "$prefix	done"
}

it "finds its library, its modules and its worker"
works "$installed"

it "does so from another directory, by a relative path"
mkdir elsewhere
cd elsewhere || exit
works "../a prefix; odd?/bin/frlua"

it "does so through a symlink to it, and one to that"
ln -s "$installed" link
ln -s link link_to_link
works ./link
works ./link_to_link

it "does so along PATH, through a symlinked directory"
ln -s "$prefix/bin" bin
PATH=$PWD/bin:$PATH works env frlua

it "does so when all of it is moved"
mv "$prefix" "$scratch/moved"
prefix=$scratch/moved
installed=$prefix/bin/frlua
works "$installed"

it "does not need the tree that it was built in"
run grep -c -F -e "$FRLUA_BUILD/" "$installed"
output 0
run "$installed" -e 'print(package.searchpath("frlua", package.path))'
status 0
output_has nil

it "has the scripts"
[ -f "$prefix/share/frlua/scripts/first_run.lua" ] || fail "first_run.lua is not there"

it "has the programs that lazy_binding.lua looks at, and they find their library"
run env XDG_STATE_HOME="$scratch/state" "$installed" \
    "$prefix/share/frlua/scripts/lazy_binding.lua" --rounds 1
status 0
output_has "512 functions, lazy"

it "says what is missing when only the command was copied"
cp "$installed" alone
run ./alone -e 'print "a plain script"'
prints "a plain script"
run ./alone -e 'require "frlua"'
status 1
errors_have "module 'frlua' not found"
run ./alone -e 'local job = { clock = 1, regions = {}, phases = {} }
print(require "frlua.core".sample(job, -1, -1))'
status 0
output_has 'No such file or directory'

finish
