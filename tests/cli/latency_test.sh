#!/bin/bash
# scripts/latency.lua: what a load costs over working sets of growing size, and what is said of it
# where the machine tells less, or other things, than it might.
. "$(dirname "$0")/experiment.bash"
skip_when_sanitized "walks of a sanitized worker would be the sanitizer's"
script=$here/../../scripts/latency.lua
megabytes=$(($(awk '/MemAvailable/ { print $2 }' /proc/meminfo) >> 10))
[ "$megabytes" -ge 1024 ] || skip "256 MiB of memory are walked, and a quarter of it all"

it "has a row for each size, and a column for each order, by the pages that were read back"
run frlua "$script" --rounds 1 --json out.json
case $code in 0 | 5) ;; *) fail "the exit status is neither 0 nor 5" ;; esac
errors ''
valid out.json
huge=$(query out.json 'all(r["huge_bytes"] == r["bytes"] for s in d["samples"]
    for r in s["evidence"]["regions"] if r["region"] == "huge")')
label=huge
[ "$huge" = True ] || label=".*"
grep -q -E "^size +small, random +small, in groups +$label, random +$label, in groups" .out ||
    fail "no heads"
for size in '4 KiB' '8 KiB' '16 KiB' '32 KiB' '64 KiB' '128 KiB' '256 KiB' '512 KiB' '1 MiB' \
    '2 MiB' '4 MiB' '8 MiB' '16 MiB' '32 MiB' '64 MiB' '128 MiB' '256 MiB'; do
    grep -q -E "^$size +([0-9.]+ \([0-9.]+\.\.[0-9.]+\) +){3}[0-9.]+ \(" .out || fail "no row $size"
done

it "walks each size once around or more, or half a million loads of it, from one chain"
query_is out.json '[op["loads"] for p in d["design"]["arms"][0]["phases"] if p["timed"]
    for op in p["ops"]] == [max(min(2 ** e // d["design"]["line_bytes"], 2 ** 19),
    min(2 ** 17 // (2 ** e // d["design"]["line_bytes"]), 2 ** 17)
    * (2 ** e // d["design"]["line_bytes"])) for e in range(12, 29)]' True
query_is out.json '[max(o["loads"] * p["iterations"] for p in a["phases"] if p["timed"]
    for o in p["ops"]) <= 2 ** 20 for a in d["design"]["arms"]]' \
    '[True, True, True, True, True, True]'

it "touches only what is resident"
query_is out.json '[set(a["metrics"]["faults"]["exact"] for a in d["arms"])]' '[{0}]'

it "takes random loads over much memory for slower than over little, in every column"
query_is out.json '[a["metrics"]["kib_262144_ns_per_load"]["min"]
    > 3 * a["metrics"]["kib_4_ns_per_load"]["min"] for a in d["arms"]
    if "orders" not in a["name"]]' '[True, True, True, True]'

it "never has the small pages' figure without the remark that translation is in it"
grep -q '^Reading: over 256 MiB a random load on small pages takes [0-9.]* ns, translation incl' \
    .out || fail "there is no reading"
if grep -q -i 'DRAM' .out; then fail "it calls something the latency of DRAM"; fi

it "offers page walks only where the pages were really small, and really huge"
if [ "$huge" = True ]; then
    output_has 'random, small less huge'
    output_has 'On huge pages, read back as such, it takes'
else
    output_has "What the page walks are of it this run can't tell"
fi

it "marks what a prefetcher made of a walk in order"
line=$(query out.json '[a["metrics"]["sequential_ns_per_load"]["median"]
    / a["metrics"]["in_groups_ns_per_load"]["median"] <= 0.5 for a in d["arms"]
    if a["name"] == "small, in orders"][0]')
if [ "$line" = True ]; then
    output_has 'small, line after line: prefetched, at 0.'
elif grep -q 'small, line after line: prefetched' .out; then
    fail "it was not"
fi
for order in 'random over all of it' 'random within 64 pages' 'random within each page' \
    'line after line'; do
    grep -q -E "^$order +[0-9.]+ \(" .out || fail "no order '$order'"
done

it "leaves a result that other programs come to, too"
run frlua verify out.json
status 0
run python3 "$here/../oracle/crosscheck.py" out.json
status 0

it "says how it is called"
run frlua "$script" 256
status 1
errors_have 'latency.lua [--full], not 256'

it "labels the advised memory as what it is where it got no huge page, and offers no difference"
cat >disabled.py <<'END'
import ctypes, os, sys
if ctypes.CDLL(None).prctl(41, 1, 0, 0, 0) != 0: # PR_SET_THP_DISABLE
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
END
if python3 disabled.py "$(type -P true)" 2>.err; then
    run python3 disabled.py "$FRLUA" "$script" --rounds 1 --arm 'small, random' \
        --arm 'huge, random'
    status 0
    errors ''
    grep -q -E '^size +small, random +unknown pages, in groups +small again, random ' .out ||
        fail "the columns are not labelled as what they are"
    output_has "of the memory advised 'hugepage' the pages are small, of that advised 'nohugepage' sm"
    if grep -q 'less huge' .out; then fail "a difference is offered"; fi
fi

# Caches as another machine would report them: a directory over that of every CPU.
on() { # DIRECTORY
    run unshare -m sh -c 'for cache in /sys/devices/system/cpu/cpu*/cache; do
        mount --bind "$0" "$cache" || exit 99; done; exec "$@"' \
        "$1" "$FRLUA" "$script" --rounds 1 --arm 'small, in groups'
    status 0
    errors ''
}
mkdir nothing
if [ ! -d /sys/devices/system/cpu/cpu0/cache ] || ! unshare -m mount --bind nothing \
    /sys/devices/system/cpu/cpu0/cache 2>.err; then finish; fi

# A cache: its index, level, type, and files with what is in them.
cache() { # INDEX LEVEL TYPE FILE=TEXT...
    mkdir -p "caches/index$1"
    echo "$2" >"caches/index$1/level"
    echo "$3" >"caches/index$1/type"
    local index=$1 file
    for file in "${@:4}"; do echo "${file#*=}" >"caches/index$index/${file%%=*}"; done
}

names_nothing() { # WHY
    output_has "named where reported sizes agree ($1)"
    grep -q -E '^    [0-9.]+ ns from .*: not named$' .out || fail "no plateau is without a name"
    if grep -q -E '^    .* ns from .*: (L[0-9]|memory)' .out; then fail "a plateau has a name"; fi
}

it "names no plateau where sizes are missing, or zero"
cache 0 1 Data shared_cpu_list=0
cache 1 2 Unified shared_cpu_list=0
on caches
names_nothing 'the size of the level 1 cache is unknown'
cache 0 1 Data size=0K ways_of_associativity=0 coherency_line_size=0 number_of_sets=0
cache 1 3 Unified size=1048576K ways_of_associativity=0
on caches
names_nothing 'the size of the level 1 cache is unknown'

it "believes no implausible size, and names what is certain without it"
cache 0 1 Data size=32K
cache 1 2 Unified size=1048576K shared_cpu_list=0
on caches
output_has 'reported sizes agree (L1 32 KiB; 1 GiB for the level 2 cache is not believed: more th'
if grep -q -E '^    .* ns from .*: (L[2-9]|memory)' .out; then fail "a plateau has a name"; fi

it "runs where there is no cache to be read of"
on nothing
grep -q 'named where reported sizes agree (' .out || fail "there are no plateaus"

finish
