#!/bin/bash
# Where results go, and the exit statuses that tell of it.
. "$(dirname "$0")/experiment.bash"
cp "$scripts/small.lua" .
last=$XDG_STATE_HOME/frlua/last.json

it "prints one JSON document, and nothing else, with --json -"
run frlua small.lua --json -
status 0
errors ''
valid .out
[ "$(wc -l <.out)" = 1 ] || fail "more than one line"
query_is .out 'd["schema"], d["experiment"], len(d["samples"])' "('frlua/1', 'small', 6)"
run frlua small.lua --json - --detail
valid .out

it "prints one JSON document for a list of experiments"
cat >list.lua <<'END'
local small, other = dofile "small.lua", dofile "small.lua"
other.name = "other"
return { small, other }
END
run frlua list.lua --json - --rounds 1
status 0
valid .out
query_is .out '[one["experiment"] for one in d]' "['small', 'other']"

it "writes the file of --json whole, over what is there, and prints the report"
head -c 1000000 /dev/zero >out.json
chmod 600 out.json
run frlua small.lua --json out.json
status 0
errors ''
valid out.json
output_has 'Medians over the processes'
[ "$(stat -c %a out.json)" = 600 ] || fail "the permissions have changed"
[ -z "$(find . -name '*.tmp')" ] || fail "a temporary file is left"

it "writes to a pipe, and to a descriptor"
run bash -c '"$FRLUA" small.lua --json /dev/fd/3 3> >(cat >piped.json) >/dev/null; wait $!'
status 0
valid piped.json

it "keeps every result as the last run, asked for or not"
rm -rf "$XDG_STATE_HOME"
run frlua small.lua --seed 5
status 0
valid "$last"
query_is "$last" 'd["seed"]' 5
run frlua small.lua --seed 6 --json out.json
cmp -s out.json "$last" || fail "the last run is not what was asked for"
run frlua small.lua --seed 7 --json -
cmp -s .out "$last" || fail "the last run is not what was printed"
[ "$(stat -c %a "$XDG_STATE_HOME/frlua")" = 700 ] || fail "others may look into the directory"

it "keeps it below HOME when there is no XDG_STATE_HOME"
mkdir home
for state in '' relative/path; do
    rm -rf home/.local
    XDG_STATE_HOME=$state HOME=$scratch/home run frlua small.lua --rounds 1
    status 0
    errors ''
    valid home/.local/state/frlua/last.json
done

it "works where it can't be kept, and says so"
for place in /proc/nowhere "$scratch/small.lua" /dev/full; do
    XDG_STATE_HOME=$place run frlua small.lua --rounds 1 --json out.json
    status 0
    errors_have "frlua: the result is not kept as the last run: cannot "
    errors_have "'$place"
    output_has 'Medians over the processes'
    valid out.json
done
mkdir -p taken/frlua/last.json
XDG_STATE_HOME=$scratch/taken run frlua small.lua --rounds 1
status 0
errors_have "cannot write '$scratch/taken/frlua/last.json': Is a directory"

it "works for a user who may not write there, or has no home at all"
if [ "$(id -u)" = 0 ]; then
    chmod 755 .
    mkdir -m 755 ours
    as_nobody() { setpriv --reuid 54321 --regid 54321 --clear-groups env "$@"; }
    if as_nobody "$FRLUA" -e '' 2>/dev/null; then
        run as_nobody XDG_STATE_HOME="$scratch/ours" "$FRLUA" small.lua --rounds 1
        status 0
        errors_have "cannot make directory '$scratch/ours/frlua': Permission denied"
        run as_nobody -u HOME -u XDG_STATE_HOME "$FRLUA" small.lua --rounds 1
        status 0
        errors_have "the result is not kept as the last run: no place to keep 'last.json': HOME"
        output_has 'Medians over the processes'
    fi
fi

it "measures nothing when --json can't be written, with status 4"
rm "$last"
for place in nowhere/out.json nowhere/ "$scratch/home" small.lua/out.json ''; do
    run frlua small.lua --rounds 1 --json "$place"
    status 4
    output ''
    errors_have "frlua: cannot write '$place': "
    errors_have ': nothing was measured'
done
[ ! -e "$last" ] || fail "there is a last run"

it "says that --json could not be written with status 4, after the report, when it shows then"
run frlua small.lua --rounds 1 --json /dev/full
status 4
output_has 'Medians over the processes'
errors_have "cannot write '/dev/full': No space left on device"
query_is "$last" 'd["design"]["rounds"]' 1

it "says that standard output could not be written with status 4"
for options in '' '--json -' '--detail'; do
    # shellcheck disable=SC2086 # none, or several
    run bash -c '"$FRLUA" small.lua --rounds 1 "$@" >/dev/full' bash $options
    status 4
    errors_have 'cannot write standard output: '
done

it "says that samples were lost with status 3, unless output was lost, too"
stages=("$scripts/stages.lua" --rounds 1 --arm ready --arm first --time-limit 1)
run frlua "${stages[@]}" --json out.json
status 3
output_has 'Samples lost: 1 of 2'
output_has "  first: timed out, in phase 'first' (round 1)"
valid out.json "$last"
run frlua "${stages[@]}" --json /dev/full
status 4
run bash -c '"$FRLUA" "$@" >/dev/full' bash "${stages[@]}"
status 4

it "says that the script broke with status 1, and keeps the last run"
cp "$last" before.json
echo 'error "broken"' >broken.lua
run frlua broken.lua
status 1
cmp -s before.json "$last" || fail "the last run has changed"

it "has points in all numbers, whatever the locale"
if localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >/dev/null 2>&1; then
    cat >comma.lua <<'END'
assert(os.setlocale "de_DE.UTF-8")
assert(("%.1f"):format(1.5) == "1,5")
return dofile "small.lua"
END
    LOCPATH=$scratch run frlua comma.lua --rounds 6 --json out.json
    status 0
    valid out.json
    if grep -q '[0-9],[0-9][0-9]* \|[0-9],[0-9]$' .out; then fail "a comma is in the report"; fi
fi

it "has names of any bytes in JSON, and none of them in the way of a terminal"
cat >odd.lua <<'END'
local fr = require "frlua"
local odd = "\27[31m\xff\"\n\\"
return fr.experiment(odd) { doc = odd,
    regions = { fr.region(odd) { bytes = 1 } },
    arms = { fr.arm(odd) { fr.phase(odd) { fr.write(odd) } } },
    metrics = { fr.metric "m" { at = 1 } }, rounds = 1,
}
END
run frlua odd.lua --json out.json --detail
status 0
valid out.json
query_is out.json 'ascii(d["arms"][0]["name"])' "'\\x1b[31m\\ufffd\"\\n\\\\'"
if LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f]' .out; then fail "control bytes are printed"; fi
run iconv -f UTF-8 -t UTF-8 .out
status 0

finish
