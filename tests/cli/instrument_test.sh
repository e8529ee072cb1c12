#!/bin/bash
# scripts/instrument.lua: what this machine can show today.
. "$(dirname "$0")/helper.sh"
script=$(dirname "$(dirname "$FRLUA")")/share/frlua/scripts/instrument.lua

it "reports the clock, the cost of a process, what was taken away, and the noise"
run frlua "$script" 8
status 0
errors ''
for what in 'clock CLOCK_MONOTONIC' 'a reading, steps of' 'a fresh process that does nothing: ' \
    'stray page faults: ' 'steal): ' 'involuntary switches while samples ran: ' \
    'the same arm twice' 'Verdict: in 8 rounds nothing below first '; do
    output_has "$what"
done
for metric in process first second steady; do
    grep -q -E "^$metric +[0-9.]+\.\.[0-9.]+ +[0-9.]+ +\[[0-9.]+, [0-9.]+\] +[0-9.]+$" "$scratch/.out" ||
        fail "there is no noise floor of $metric"
done

it "gives no verdict on too few rounds"
run frlua "$script" 5
status 0
output_has 'no 95 % interval below 6 values'
output_has 'Verdict: unknown, too few rounds'

it "keeps its result, as every experiment does, and takes the options of one"
run frlua "$script" --rounds 6 --arm work --json result.json
status 0
output_has "'empty' has no samples"
output_has 'Verdict: in 6 rounds'
run frlua verify result.json
status 0
output_has 'instrument, 12 samples: verified'

it "refuses what is no number of rounds"
run frlua "$script" many
status 1
errors_have "rounds in fr.experiment 'instrument' must be a whole number"

finish
