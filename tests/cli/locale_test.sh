#!/bin/bash
# Numbers are written with a point, whatever the environment's locale.
. "$(dirname "$0")/helper.sh"
command -v localedef >/dev/null || skip "there is no localedef"
localedef -i de_DE -f UTF-8 "$scratch/de_DE.UTF-8" 2>/dev/null
[ -d de_DE.UTF-8 ] || skip "there is no source of a locale with a decimal comma"

# Runs a command in a locale with a decimal comma.
in_german() {
    run env LOCPATH="$scratch" LC_ALL=de_DE.UTF-8 "$@"
}

it "has a locale with a decimal comma to be tested in"
in_german printf %.1f 1,5
prints 1,5

it "writes and reads numbers with a point"
in_german "$FRLUA" -e 'print(1.5, ("%.2f"):format(0.25), tonumber "1.5", os.setlocale(nil))'
prints "1.5	0.25	1.5	C"

it "reads a point in scripts"
echo 'print(1.5 + 0.25)' >script.lua
in_german "$FRLUA" script.lua
prints 1.75

it "leaves a script that changes the locale its will"
in_german "$FRLUA" -e 'print(os.setlocale "de_DE.UTF-8", 1.5)'
prints "de_DE.UTF-8	1,5"

it "passes the locale on to commands"
# shellcheck disable=SC2016 # the command's shell expands it
in_german "$FRLUA" -e 'os.execute "echo $LC_ALL"'
prints de_DE.UTF-8

finish
