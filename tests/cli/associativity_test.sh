#!/bin/bash
# scripts/associativity.lua: from how many lines on they drive each other out of one set; what is
# said of it where the machine tells nothing of its caches; and strides for what lies behind.
. "$(dirname "$0")/experiment.bash"
skip_when_sanitized "walks of a sanitized worker would be the sanitizer's"
script=$here/../../scripts/associativity.lua
page=$(getconf PAGESIZE)

it "has lines in one set beside as many that are spread and packed, counted from their addresses"
run frlua "$script" --rounds 6 --json out.json
case $code in 0 | 5) ;; *) fail "the exit status is neither 0 nor 5" ;; esac
errors ''
valid out.json
query_is out.json 'd["design"]["sweep"]["values"] == list(range(1, 33)) + [256]' True
counted='[set((l["lines"], l["used_sets"], l["fullest_set"], l["pages"]) for s in d["samples"]
    if s["arm"] == arm for l in s["evidence"]["layouts"]) for arm in (
    "one set, 32 lines", "one set, 256 lines", "spread, 32 lines", "spread, 256 lines")]'
read -r line sets < <(query out.json '"%d %d" % (d["design"]["regions"][0]["layout"]["geometry"][
    "line_bytes"], d["design"]["regions"][0]["layout"]["geometry"]["sets"])')
if [ $((line * sets)) = "$page" ] && [ "$sets" = 64 ]; then
    query_is out.json "$counted" \
        '[{(32, 1, 32, 32)}, {(256, 1, 256, 256)}, {(32, 32, 1, 32)}, {(256, 64, 4, 256)}]'
fi

it "has a row for each number of lines"
for lines in 1 8 32 256; do
    grep -q -E "^$lines +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+x" .out || fail "no row $lines"
done

it "gives a range with its evidence, or says that there is none to be told"
grep -q -E '^Reading: (conflicts begin between [0-9]+ and [0-9]+ lines in one set \([0-9.]+x |no ste|where c)' \
    .out || fail "there is no reading"
if grep -q 'conflicts begin between' .out; then
    read -r below above < <(sed -n -E \
        's/^Reading: conflicts begin between ([0-9]+) and ([0-9]+) lines.*/\1 \2/p' .out)
    [ "$below" -lt "$above" ] || fail "the range is empty"
    # By this program's own medians, of the same samples: flat at its one end, above at the other.
    ratio='[(lambda of: of("one set, %d lines") / of("spread, %d lines"))(lambda name:
        [a for a in d["arms"] if a["name"] == name][0]["metrics"]["walk_ns_per_load"]["median"])]'
    query_is out.json "${ratio//%d/$above}[0] > 1.05" True
    query_is out.json "${ratio//%d/$above}[0] > ${ratio//%d/$below}[0]" True
fi

it "never has the reported ways for a measurement"
grep -q -E 'The machine reports [0-9]+ ways \(.*: its word, not a measurement\.|the machine does not tell' \
    .out || fail "nothing is said of the ways"

it "says what a page stride measures"
grep -q -E '^256 lines in one set cost [0-9.]+x .* the sets make [0-9.]+x .*: a stride of a page, ' \
    .out || fail "nothing is said of the page stride"

it "leaves a result that other programs come to, too"
run frlua verify out.json
status 0
run python3 "$here/../oracle/crosscheck.py" out.json
status 0

it "takes few rounds for undecided, not for the absence of a step"
run frlua "$script" --quick
status 0
output_has "Reading: where conflicts begin this run can't tell: at 1 no 95 % interval below 6 values"

it "goes over strides with --outer, the first level apart from what is behind it"
run frlua "$script" --outer --rounds 6 --json outer.json
status 0
errors ''
valid outer.json
query_is outer.json 'len(d["samples"]), set(s["status"] for s in d["samples"])' "(84, {'ok'})"
for kind in nohugepage hugepage; do
    [ "$(grep -c "^On memory advised '$kind', " .out)" = 2 ] || fail "no two tables of $kind"
done
widest=$(awk '/^FIRST LEVEL/ { first = 1 } /^OUTER LEVELS/ { first = 0 }
    first && $2 == "KiB" && $1 > most { most = $1 } END { print most }' .out)
if [ $((line * sets)) -le "$page" ]; then
    [ "$widest" = $((page >> 10)) ] || fail "the first level is told by a stride above the page"
fi
grep -q -E '^1 MiB +([0-9.]+x +){7}[a-z0-9]' .out || fail "no row of 1 MiB"

it "has each stride in each process at a distance, and the control a line further"
query_is outer.json '[(p["ops"][0]["slot"], p["ops"][0]["bytes"] // p["ops"][0]["slot"])
    for a in d["design"]["arms"] if a["name"] == "huge, 16 lines"
    for p in a["phases"] if not p["timed"]] == [(e, 16) for s in range(
    ('"$line"').bit_length() - 1, 21) for e in (1 << s, (1 << s) + '"$line"')]' True

it "says that nobody chose the place of small pages, and that outer caches may hash"
output_has 'small pages by what was read back: above the page physical placement is not controlled'
output_has 'outer caches may hash their index: neither a step nor its absence counts the ways'
grep -q -E '^Reading: in the first level .*; beyond it ' .out || fail "there is no reading"

it "leaves a result of that, too, that other programs come to"
run frlua verify outer.json
status 0
run python3 "$here/../oracle/crosscheck.py" outer.json
status 0

it "says how it is called"
run frlua "$script" 8
status 1
errors_have 'associativity.lua [--outer], not 8'

# Caches as another machine would report them: a directory over that of every CPU.
on() { # DIRECTORY OPTION...
    run unshare -m sh -c 'for cache in /sys/devices/system/cpu/cpu*/cache; do
        mount --bind "$0" "$cache" || exit 99; done; exec "$@"' "$1" "$FRLUA" "$script" "${@:2}"
    status 0
    errors ''
}
mkdir nothing
if [ ! -d /sys/devices/system/cpu/cpu0/cache ] || ! unshare -m mount --bind nothing \
    /sys/devices/system/cpu/cpu0/cache 2>.err; then finish; fi

it "takes the script's own sizes, and says so, where the machine's are missing or zero"
mkdir -p caches/index0
echo 1 >caches/index0/level
echo Data >caches/index0/type
for _ in missing zero; do
    on caches --quick
    output_has "64 sets in the first-level data cache (given by the script; this machine's is unknown"
    output_has 'How many ways there are the machine does not tell: '
    on caches --quick --outer
    output_has "64 sets in the first-level data cache (given by the script; this machine's is unknown"
    echo 0K >caches/index0/size
    for file in ways_of_associativity coherency_line_size number_of_sets; do
        echo 0 >caches/index0/$file
    done
done

it "takes the machine's sets where it tells of them, whatever they are"
echo 64 >caches/index0/coherency_line_size
echo 128 >caches/index0/number_of_sets
echo 3 >caches/index0/ways_of_associativity
on caches --rounds 6 --json other.json
query_is other.json '[(r["layout"]["geometry"]["sets"], r["layout"]["gap"])
    for r in d["design"]["regions"] if r["name"] == "one set, 2 lines"]' "[(128, $((128 * line)))]"
output_has 'The machine reports 3 ways (sysfs)'

it "runs where there is no cache to be read of"
on nothing --quick
grep -q '^Reading: ' .out || fail "there is no reading"

finish
