#!/bin/bash
# What --help says is whole and true.
readme=$(realpath "$(dirname "$0")/../../README.md")
. "$(dirname "$0")/helper.sh"

it "shows the output of a real run, and leaves nothing to be filled in"
run frlua --help
status 0
errors ''
output_has 'natural'
! grep -n '@@' .out || fail "--help has a gap"
! grep -n '@@' "$readme" || fail "README has a gap"

it "names every option that the command line takes"
for option in rounds arm cpu seed time-limit quick strict summary json detail counters faults \
    progress; do
    output_has "--$option"
done

it "says how README's commands end"
grep -q -- './setup && build/bin/frlua scripts/first_run.lua' "$readme" || fail "run"
grep -q -- './setup --tests && ctest --test-dir build' "$readme" || fail "tests"

finish
