#!/bin/bash
# Machines with poor clocks, and kernels that answer otherwise than usual: the report still comes,
# and says what is wrong.
. "$(dirname "$0")/experiment.bash"
skip_when_sanitized "a sanitizer must come before the libraries that these sessions preload"
cp "$scripts/small.lua" .
"${CC:-cc}" -O1 -shared -fPIC -o poor_clock.so "$here/poor_clock.c" || skip "there is no compiler"

with_clock() { # KIND, frlua's arguments
    run env POOR_CLOCK="$1" LD_PRELOAD="$scratch/poor_clock.so" "$FRLUA" "${@:2}"
}

has_no_odd_numbers() {
    if grep -n -i -w -e 'nan' -e 'inf' -e 'nil' .out "$@"; then fail "a number is none"; fi
}

it "shows what a coarse clock does not resolve as such, and makes no ratios of it"
with_clock coarse small.lua --rounds 6 --json out.json --detail
status 0
valid out.json
has_no_odd_numbers out.json
query_is out.json 'd["clock"]["step_ns"]' 4000000
output_has 'steps of 4000000 ns'
output_has "< step: below the clock's step of"
grep -q '^warm  *< step  *0  *< step$' .out || fail "the medians are not marked"
grep -q '^warm  *-  *-  ' .out || fail "there is a ratio"

it "goes through the whole first-run experiment with a coarse clock"
with_clock coarse "$here/../../scripts/first_run.lua" --quick --json out.json --detail \
    natural prefault prefault,evict
status 0
valid out.json
has_no_odd_numbers out.json

it "says which readings a slow clock dominates"
with_clock slow small.lua --json out.json
status 0
valid out.json
has_no_odd_numbers out.json
query_is out.json 'd["clock"]["read_ns"] >= 2000 and not d["clock"]["vdso"]' True
output_has 'by system call: '
output_has 'dominated by the clock, below 10 readings of it ('
grep -q 'dominated by the clock.*late of all arms' .out || fail "it does not say which"

it "names the readings of a clock that runs backwards"
with_clock backwards small.lua --rounds 4 --json out.json
status 0
valid out.json
has_no_odd_numbers out.json
negative='[sum(ns < 0 for s in d["samples"] if s["arm"] == arm
                  for p in s["phases"] for ns in p["ns"])
            for arm in ("natural", "warm", "warm,pause")]'
query_is out.json '[arm["negative_readings"] for arm in d["arms"]]' "$(query out.json "$negative")"
query_is out.json 'min(arm["negative_readings"] for arm in d["arms"]) > 0' True
output_has "broken readings, below 0: $(query out.json \
    'd["arms"][1]["negative_readings"]') in arm 'warm'"
output_has 'the clock ran backwards '

it "asks for the allowed CPUs with more room when the first answer is EINVAL"
if strace -qq -o trace true 2>/dev/null; then
    run strace -f -qq -o trace -e trace=sched_getaffinity \
        -e inject=sched_getaffinity:error=EINVAL:when=1 "$FRLUA" small.lua --json out.json
    status 0
    valid out.json
    query_is out.json '{s["status"] for s in d["samples"]}' "{'ok'}"
    grep -q EINVAL trace || fail "nothing was injected"
fi

it "goes on waiting for a worker when that is interrupted by something else"
if strace -qq -o trace true 2>/dev/null; then
    run strace -f -qq -o trace -e trace=wait4,ppoll -e inject=wait4,ppoll:error=EINTR:when=1..3 \
        "$FRLUA" small.lua --json out.json
    status 0
    valid out.json
    query_is out.json '{s["status"] for s in d["samples"]}' "{'ok'}"
    grep -q EINTR trace || fail "nothing was injected"
fi

it "says which CPUs there are when it may not use the one it is told to"
run taskset -c 0 "$FRLUA" small.lua --rounds 1 --json out.json
if [ "$code" = 0 ]; then
    query_is out.json 'd["design"]["cpu"], d["machine"]["cpus_allowed"]' "(0, '0')"
    output_has 'on CPU 0 (last of the allowed CPUs 0)'
fi

finish
