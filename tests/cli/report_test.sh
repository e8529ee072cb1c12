#!/bin/bash
# frlua report: a result shown again, as the run showed it; and what is no result.
. "$(dirname "$0")/experiment.bash"
cp "$scripts/small.lua" .
last=$XDG_STATE_HOME/frlua/last.json

it "prints what the run printed, of the last run by default"
run frlua small.lua --json out.json --detail
status 0
cp .out printed
for file in out.json "$last" ''; do
    # shellcheck disable=SC2086 # none, or one
    run frlua report --detail $file
    prints "$(cat printed)"
done

it "reads standard input where the file is '-'"
run bash -c '"$FRLUA" report - --detail <out.json'
prints "$(cat printed)"

it "writes the result again byte for byte"
run frlua report out.json --json -
cmp -s .out out.json || fail "it is another one"
run frlua report out.json --json again.json
cmp -s again.json out.json || fail "it is another one"

it "changes nothing of the last run"
run frlua small.lua --seed 9
cp "$last" before.json
run frlua report out.json --csv - --json other.json
cmp -s before.json "$last" || fail "the last run has changed"

it "prints reports of a list of experiments, and of a study, as the runs did"
cat >list.lua <<'END'
local one, other = dofile "small.lua", dofile "small.lua"
other.name = "other"
return { one, other }
END
cat >study.lua <<'END'
local fr = require "frlua"
return fr.study "steps" { doc = "one after the other", run = function(measure)
  local list = dofile "list.lua"
  return { "found in " .. measure(list[1]).experiment .. ", " .. measure(list[2]).experiment }
end }
END
for script in list study; do
    run frlua $script.lua --rounds 1 --json $script.json
    status 0
    cp .out printed
    run frlua report $script.json
    prints "$(cat printed)"
done
output_has 'found in small, other'

it "tells the experiments of a study apart in every form"
run frlua report study.json --csv -
[ "$(tail -n +2 .out | cut -d , -f 1 | sort -u | tr '\n' ' ')" = 'other small ' ] ||
    fail "not both are there"
run frlua report study.json --md -
output_has '## `steps`: one after the other'
output_has '### `other`'
run frlua report study.json --tap -
output_has 'ok 2 - other: every sample came back'
run frlua report study.json --junit -
output_has '<testsuites name="steps" tests="2"'

it "says which options there are, and what was meant"
run frlua report --help
status 0
for option in --csv --csv-iterations --md --tap --junit --json; do output_has " $option F"; done
run frlua report out.json --cvs -
status 2
output ''
errors_have "unknown option '--cvs'"
errors_have "Did you mean '--csv'?"
run frlua report --csv
status 2
errors_have "option '--csv' requires an argument"
run frlua report out.json other.json
status 2
errors_have "too many arguments"
run frlua report out.json --color sometimes
status 2
errors_have "--color is auto, always or never, not 'sometimes'"

it "says what can't be read, with status 1"
run frlua report nowhere.json
status 1
errors "frlua: cannot read 'nowhere.json': No such file or directory"
run frlua report .
status 1
errors "frlua: cannot read '.': Is a directory"
XDG_STATE_HOME=$scratch/none run frlua report
status 1
errors "frlua: cannot read '$scratch/none/frlua/last.json': No such file or directory"
run frlua report - # empty
status 1
errors_have "frlua: 'standard input' is no result file: no JSON"

# Runs frlua report on the document as Python changes it.
broken() { # STATEMENT
    python3 -c 'import json, sys
d = json.load(open("out.json", encoding="utf-8"))
exec(sys.argv[1])
json.dump(d, open("broken.json", "w"))' "$1"
    rm -rf made
    mkdir made
    echo old >made/old
    run frlua report broken.json --md made/old
    status 1
    if grep -q 'traceback\|\.lua:' "$scratch/.err"; then fail "there is a traceback"; fi
    [ "$(cat made/*)" = old ] || fail "the file is damaged, or one is left beside it"
    [ "$(wc -l <"$scratch/.err")" = 1 ] || fail "it is not one line"
}

it "says what is wrong first of all with a file that is no result"
for text in '' x '[]' '{}' '3' '{"schema":"frlua/2"}' '[{"schema":"frlua/1"},3]'; do
    echo "$text" >broken.json
    run frlua report broken.json --csv -
    status 1
    output ''
    errors_have "frlua: 'broken.json' is no result file"
done
is_none="frlua: 'broken.json' is no result as frlua writes it:"
broken 'del d["design"]'
errors "$is_none the document lacks 'design'"
broken 'd["design"]["rounds"] = "x\n\x1b[31m"'
errors "$is_none design.rounds is of type string, not integer"
broken 'd["samples"][0]["phases"][0]["ns"][0] = 1.5; d["arms"] = 3'
errors "$is_none arms is of type integer, not array (first of 2 findings)"
broken 'd["\x1b[31m\n"] = 1'
errors "$is_none \\27[31m\\10 is no field of a result"
broken 'd = [d, {"schema": "frlua/1", "experiment": None}]'
errors_have "$is_none experiment is of type null, not string (first of "

it "says where the parts of a file contradict each other, if that is in the way"
broken 'd["arms"][0]["metrics"] = {}'
errors_have "frlua: 'broken.json' can't be shown, its parts contradict each other: arms[1].metrics."
broken 'd["design"]["metrics"][0]["source"] = "process"; d["design"]["ratios"] = {}'
errors_have "its parts contradict each other: "

finish
