#!/bin/bash
# The first-run experiment itself, as a quick run.
. "$(dirname "$0")/experiment.bash"
script=$here/../../scripts/first_run.lua
page=$(frlua -e 'print(require "frlua".machine.page_bytes)')

it "runs six modes, and prints what its tables promise"
run frlua "$script" --quick --rounds 1 --json out.json
status 0
errors ''
valid out.json
query_is out.json '[arm["name"] for arm in d["arms"]]' "['natural', 'prefault,evict', 'prefault',\
 'prefault,sleep', 'prefault,spin', 'prefault,spin,touch']"
query_is out.json 'd["args"]' '[]'
grep -q '^arm  *iter1 ns  faults  iter2 ns  iter10 ns  steady ns  warm ns/load  control ns/load  rate ns$' .out || fail "no medians"
grep -q '^arm  *iter1  iter2  iter10  *process  *steady from$' .out || fail "no ratios"
output_has 'median of the iterations from 51 on, first 50 iterations discarded'
output_has 'cold (data, code, translation)'
output_has 'rate: median of all iterations'
output_has "reference 'clock': settled "
output_has 'remainder that medians leave'
output_has 'Spread over the processes'

it "runs ten rounds of 2,050 iterations over two buffers of 512 KiB"
run frlua "$script" --rounds 1 --arm prefault --json out.json
query_is out.json '[len(p["ns"]) for s in d["samples"] for p in s["phases"]]' '[2050]'
query_is out.json '[r["bytes"] for r in d["design"]["regions"]][:2]' '[524288, 524288]'
echo 'local made = dofile(os.getenv "SCRIPT") print(made.rounds)' >rounds.lua
SCRIPT=$script run frlua rounds.lua
prints 10

it "counts right after the spin, before the control, and in no other mode"
run frlua "$script" --quick --rounds 1 --json out.json
query_is out.json 'sorted((s["arm"], tuple(p["phase"] for p in s["phases"][-3:-1]))
    for s in d["samples"] if any(p["phase"] == "rate" for p in s["phases"])
    and "twin" not in s["arm"])' "[('prefault,spin', ('rate', 'control after')),\
 ('prefault,spin,touch', ('rate', 'control after'))]"
query_is out.json '[c["verdict"] for c in d["claims"]
    if c["claim"] == "the core was not slow after the spin"]' "['withdrawn']"

it "takes one fault a page in iteration 1 of natural, and none when the output was written before"
if is_sanitized; then finish; fi # it takes faults of its own
run frlua "$script" --quick natural prefault --json out.json
status 0
query_is out.json 'd["args"]' "['natural', 'prefault']"
for arm in 0 1; do
    expected=$((arm == 0 ? 524288 / page : 0))
    query_is out.json "d['faults'][$arm]['expected']" $expected
    # Another count has a reason, such as huge pages.
    query_is out.json "(d['arms'][$arm]['metrics']['faults'] == {'exact': $expected}
        or 'why' in d['faults'][$arm])" True
done

it "prints the process and its iterations as asked for"
run frlua "$script" --quick --rounds 1 --detail prefault
status 0
for iteration in ' 1' ' 2' ' 3' ' 4' ' 5' 10 50; do
    output_has "  iteration $iteration: "
done

it "names the nearest step of a mode that it does not know"
run frlua "$script" prefualt
status 1
output ''
errors_have "unknown step 'prefualt' in mode 'prefualt': did you mean 'prefault'?"

finish
