#!/bin/bash
# The bisection of how many translations are cached: an interval, or why there is none; and Ctrl-C.
. "$(dirname "$0")/experiment.bash"
skip_when_sanitized "a sanitizer's own faults would be counted"
script=$(realpath "$here/../../scripts/tlb_onset.lua")
question='^ +[0-9]+ lines: (flat|step|undecided) +median [-0-9.]+, quartile in \[.*\], [0-9]+ rounds, A/A '

it "tells every question with its decision, and ends with an interval or a reason"
run timeout 100 "$FRLUA" "$script" --json out.json # about 10 s on a machine that does nothing else
status 0
errors ''
grep -q -E "$question" .out || fail "no question is told"
if grep -E '^ +[0-9]+ lines: ' .out | grep -v -E "$question.*; ([0-9]+|\?) to ([0-9]+|\?)$"; then
    fail "a question is not whole"
fi
grep -q -E '^Onset (between [0-9]+ and [0-9]+ lines|[a-z]+ )' .out || fail "neither interval nor reason"
if grep -q '^Onset between' .out; then
    output_has 'Half-way to the plateau of '
    output_has 'Second level, an inference: '
    grep -q -E '^[0-9]+ translations of .* are cached at least, a reach of .*: a lower bound' .out ||
        fail "no reach is told"
fi
valid out.json
query_is out.json '{s["status"] for e in d for s in e["samples"]}' "{'ok'}"
query_is out.json 'len({e["experiment"] for e in d}) == len(d)' True

it "asked only what halves the interval that it had"
python3 - .out >asked <<'END'
import re, sys
text = open(sys.argv[1]).read().split("Onset: ")[1].split("\n\n")[0]
asked = [(int(m[1]), m[2], m[3], m[4]) for m in
         re.finditer(r"^ +(\d+) lines: (\w+).*; (\S+) to (\S+)$", text, re.M)]
low, high = 8, 512
for at, decision, left, right in asked:
    if not low <= at <= high:
        print(at, "is outside of", low, high)
    low, high = (int(left) if left != "?" else low), (int(right) if right != "?" else high)
    if decision == "flat" and low < at or decision == "step" and high > at:
        print("the answer at", at, "is not in", left, right)
print("all")
END
[ "$(cat asked)" = all ] || fail "$(cat asked)"

it "has a result that verifies"
run frlua verify out.json
status 0

it "keeps what it has measured when it is interrupted"
start "$script" --json part.json
sleep 1.5
kill -INT "$host"
ended
status 130
valid part.json
last=$(query part.json '(d if isinstance(d, list) else [d])[-1]["partial"]')
[ "$last" = True ] || fail "the last experiment is not partial"
output_has 'PARTIAL: interrupted in tlb_onset, '
errors_have 'frlua: interrupted: the result is partial'

it "knows no arm that it has not"
run frlua "$script" --arm spraed
status 2
errors_have "did you mean 'spread'?"

finish
