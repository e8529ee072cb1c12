#!/bin/bash
# The experiment on translations: what it prints, what refuses a control that is none, and a course
# author's changes of it.
. "$(dirname "$0")/experiment.bash"
skip_when_sanitized "a sanitizer's own faults would be counted"
script=$(realpath "$here/../../scripts/tlb.lua")

# The rows of the table of the first experiment.
rows() {
    sed -n '/^walk over lines/,/^$/p' .out | sed '/^$/q' | grep -E '^[0-9]+ '
}

it "has ten counts of lines, the three arms beside each other, and a result that verifies"
run frlua "$script" --json out.json
case $code in 0 | 5) ;; *) fail "the exit status is neither 0 nor 5, a claim that fails here" ;; esac
errors ''
valid out.json
[ "$(rows | cut -d ' ' -f 1 | xargs)" = '8 32 48 56 64 72 96 128 256 512' ] ||
    fail "the rows are others"
rows | grep -v -E '^[0-9]+( +[0-9.]+){4} +[0-9.]+x +\[[0-9.]+, [0-9.]+\]( +[0-9.]+){2} +[0-9.]+x +\[.*\]$' &&
    fail "a row is not whole"
query_is out.json '[e["experiment"] for e in d]' "['tlb', 'tlb_far']"
query_is out.json '{s["status"] for e in d for s in e["samples"]}' "{'ok'}"
run_report=$(cat .out)
run frlua verify out.json
status 0
printf '%s\n' "$run_report" >.out

it "prints what the layouts were counted to be, the noise, and every claim with its verdict"
output_has 'Layouts, counted from the addresses in every sample'
grep -q -E '^packed +8\.\.512 +8\.\.512 +' .out || fail "the packed layout is not counted"
grep -q -E '^spread +8\.\.512 +8\.\.512 +8\.\.512 ' .out || fail "the spread lines are not a page each"
output_has 'Noise floor: what an arm differs by when it is run twice in the same rounds'
grep -q "^walk of 'packed, 512 lines' " .out || fail "the packed arm has no twin"
for claim in 'spreading the same lines over more pages costs more' 'the step is one row wide' \
    'below the onset it costs nothing' 'the plateau is flat' 'does not vanish again'; do
    grep -q -E "^  (PASS|FAIL|WITHDRAWN) +.*$claim" .out || fail "'$claim' has no verdict"
done
grep -q -E '^  (PASS|FAIL|WITHDRAWN) +(a 2 MiB page removes|with no collapse)' .out ||
    fail "nothing is claimed of huge pages"
output_has 'Huge pages, as the kernel granted them and as the hardware shows them'
grep -q -e '^Up to [0-9]* pages spreading costs nothing' -e '^No reach is read off: .' .out ||
    fail "the step is neither told nor said to be unknown"

it "keeps the layouts of every sample, the same seed for all arms of a round"
layouts='(lambda s: s["evidence"]["layouts"][0])'
query_is out.json "all($layouts(s)['lines'] == s['params']['lines'] for e in d
    for s in e['samples'] if s.get('params'))" True
query_is out.json "{len({$layouts(s)['seed'] for s in d[0]['samples'] if s.get('params')
    and s['round'] == r}) for r in range(1, 21)}" '{1}'
query_is out.json "len({$layouts(s)['seed'] for s in d[0]['samples'] if s.get('params')})" 20

it "runs the arms of one name, or a single one"
run frlua "$script" --arm spread --arm 'packed, 72 lines' --rounds 1 --json out.json
status 0
query_is out.json 'sorted({s["arm"] for s in d[0]["samples"]})[:2]' \
    "['packed, 72 lines', 'spread, 128 lines']"
query_is out.json '[len(e["samples"]) for e in d]' '[11, 6]' # with the three twins of the second experiment
run frlua "$script" --arm 'spraed'
status 2
errors_have "did you mean 'spread'?"

broken() { # SED EXPRESSION
    sed "$1" "$script" >broken.lua
    ! cmp -s "$script" broken.lua || fail "'$1' changes nothing"
    run frlua broken.lua
    status 1
    output ''
}
if [ "$(frlua -e 'local m = require "frlua".machine; print(m.page_bytes, m.line_bytes)')" = "4096	64" ]; then
    it "refuses an offset that is already multiplied: lines that are one, with both and the count"
    broken 's/off = line/off = 64 * line/'
    errors_have "the layout of 'spread, 72 lines' was asked for 72 lines and touches 64: lines 32 and 64,"
fi

it "refuses arms without the offset: all lines of the spread one are in one set"
broken 's/off = line/off = 0/'
errors_have "'packed, 8 lines' has its 8 lines in 8 sets, at most 1 in one; 'spread, 8 lines' has its 8"
errors_have ' lines in 1 set, at most 8 in one: what they differ by would be sets, not pages'

it "refuses arms whose lines are in other sets, however many"
broken 's/{ gap = line,/{ gap = 2 * line,/'
errors_have 'in one, but not in the same ones: what they differ by would be sets, not pages'

it "refuses a caption that the addresses contradict"
broken 's/gap = gap, off/gap = page \/\/ 2, off/'
errors_have "the layout of 'spread, 8 lines' was asked for 8 pages and touches 4, of "

it "is changed, extended and run again elsewhere, by who has no compiler"
mkdir course
sed -e 's/gap = gap, off = line/gap = 2 * gap, off = line/' -e 's/^  return {$/&\
    fr.arm "every third" { layout = fr.layout {\
      addr = function(i) return 3 * gap * i + line * (i % 64) end, pages = "lines", geometry = sizes } },/' \
    "$script" >course/mine.lua
run env PATH=/nowhere "$FRLUA" course/mine.lua --rounds 1 --json out.json
status 0
errors ''
valid out.json
query_is out.json '{s["status"] for e in d for s in e["samples"]}' "{'ok'}"
grep -q -E '^every third +8\.\.512 +8\.\.512 +8\.\.512 ' .out || fail "the new arm is not counted"
query_is out.json '[a["name"] for a in d[0]["arms"]][:4]' \
    "['every third, 8 lines', 'packed, 8 lines', 'spread, 8 lines', 'spread+2M, 8 lines']"
query_is out.json '[r["layout"]["by"] for r in d[0]["design"]["regions"]
    if r["name"] == "every third, 8 lines"]' "['function']"
query_is out.json '[r["layout"]["gap"] // d[0]["machine"]["page_bytes"] >= 2 for r in
    d[0]["design"]["regions"] if r["name"] == "spread, 8 lines"]' '[True]'

it "has arms of one line, whose chain is a loop of one, and says so"
sed 's/lines = { 8, 32/lines = { 1, 32/' "$script" >one.lua
run frlua one.lua --rounds 1 --arm 'packed, 1 lines' --arm 'spread, 1 lines'
status 0
output_has 'packed, 1 lines: one line: its chain is a loop of one'

finish
