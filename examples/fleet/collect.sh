#!/bin/bash
# What came of the tasks: which failed, and a comparison of the others.
#
#   collect.sh RESULTS COUNT [OPTIONS of frlua compare]
#
# Of the tasks 1 to COUNT each should have left a result. One that verifies becomes a .json, the
# others are listed with what they said. Exit status 3 if there are any, else the comparison's.
set -u
results=$1 count=$2
shift 2
frlua=${FRLUA:-frlua}
good=() failed=0

for ((number = 1; number <= count; number++)); do
    name=$(compgen -G "$results/$number.*.out" | head -n 1)
    name=${name%.out}
    if [ -z "$name" ]; then
        why="nothing came of it"
    elif why=$("$frlua" verify "$name.out" 2>&1); then
        cp "$name.out" "$name.json"
        good+=("$name.json")
        continue
    elif [ -s "$name.err" ]; then
        why=$(grep -m 1 '^frlua: ' "$name.err" || tail -n 1 "$name.err") # no traceback
    fi
    [ $failed -gt 0 ] || echo "Failed:"
    failed=$((failed + 1))
    name=${name##*/}
    echo "  task $number${name:+ on ${name#*.}}: $why"
done

echo "${#good[@]} of $count tasks left a result that verifies"
status=0
[ ${#good[@]} -lt 2 ] || "$frlua" compare "${good[@]}" "$@" || status=$?
[ $failed = 0 ] || status=3
exit $status
