#!/bin/bash
# The results of the scripts that frlua comes with: recomputed by frlua itself, and by a program in
# another language that has nothing of it.
crosscheck=$(realpath "$(dirname "$0")/../oracle/crosscheck.py")
. "$(dirname "$0")/helper.sh"
skip_when_sanitized "a sanitizer's own faults would be counted"
scripts=$(dirname "$(dirname "$FRLUA")")/share/frlua/scripts

# A claim may fail here and now: that is status 5.
follows_from_its_samples() {
    local script=$1
    shift
    run frlua "$scripts/$script.lua" --json result.json "$@"
    [ "$code" = 5 ] || status 0
    run frlua verify result.json
    status 0
    output_has "$script, "
    output_has ': verified, '
    run python3 "$crosscheck" result.json
    status 0
    output_has "$script, "
    if grep -q 'NOT CHECKED' "$scratch/.out"; then fail "not all of it was checked"; fi
}

it "follows from the samples of the page-fault experiment: verdicts, kept values, fault traces"
follows_from_its_samples page_fault 4 --rounds 10 --faults
follows_from_its_samples page_fault 4

it "follows from the samples of every kind of memory, per page and per fault"
follows_from_its_samples page_fault 2 --all --rounds 2 --faults

it "follows from the samples of the first run"
follows_from_its_samples first_run --quick --faults

it "follows from the samples of the instrument's"
follows_from_its_samples instrument 6

finish
