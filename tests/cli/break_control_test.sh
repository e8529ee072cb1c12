#!/bin/bash
# The control broken on purpose: the effect is claimed, and the addresses tell whose it is.
. "$(dirname "$0")/experiment.bash"
skip_when_sanitized "a sanitizer's own faults would be counted"
script=$(realpath "$here/../../scripts/break_control.lua")
sets=$(frlua -e 'local g = require "frlua".geometry { line = 64, sets = 64 }
    print(math.max(1, g.sets * g.line_bytes // g.page_bytes))') # that pages begin in

it "says by the addresses that the lines are in one set, beside the course's factor"
run frlua "$script" --json out.json
case $code in 0 | 5) ;; *) fail "the exit status is neither 0 nor 5, a claim that fails here" ;; esac
errors ''
valid out.json
output_has "the course had 5.28, and the caption '256 lines are 256 pages'."
if [ "$sets" = 1 ]; then
    output_has "The trap, by the addresses: 'page gap' has its 256 lines in 1 set of the first-level cache, at most 256 in one"
    grep -q -E '^page gap, 2nd +256 +256 +256 +[0-9-]+ +1 +256 +20$' .out || fail "it is not counted"
fi
query_is out.json '{l["used_sets"] for s in d["samples"] if s["arm"].startswith("page gap")
    and "line" not in s["arm"] for l in s["evidence"]["layouts"]}' "{$sets}"

it "claims that both broken arms agree, that the effect is large, and that it is not of pages"
for claim in 'both arms at a page.s gap agree: both are conflict machines' \
    'the packed arm beside them shows a large effect' 'it is not that of pages'; do
    grep -q -E "^  (PASS|FAIL|WITHDRAWN) +$claim" .out || fail "'$claim' has no verdict"
done
query_is out.json '[c["test"]["form"] for c in d["claims"]]' "['same', 'above', 'below']"
run frlua verify out.json
status 0

it "takes another count of lines"
run frlua "$script" 128 --rounds 1 --json out.json
status 0
output_has "'128 lines are 128 pages'"
query_is out.json '{l["lines"] for s in d["samples"] for l in s["evidence"]["layouts"]}' '{128}'

it "says that it can't read what was left out"
run frlua "$script" --arm packed --rounds 1
status 0
errors ''
run frlua "$script" many
status 1
errors_have 'lines'

finish
