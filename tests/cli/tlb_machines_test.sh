#!/bin/bash
# The experiment on translations where huge pages are refused, or never come, where the machine tells
# nothing of its caches, and with a coarse clock: it runs, and says what is unknown, and why.
. "$(dirname "$0")/experiment.bash"
skip_when_sanitized "a sanitizer's own faults would be counted"
script=$(realpath "$here/../../scripts/tlb.lua")
thp=/sys/kernel/mm/transparent_hugepage
cpus=/sys/devices/system/cpu
other='with no collapse the advised arm is a second small-page arm'

# Of the regions on advised pages: how many bytes of each are huge, in all samples.
huge_bytes='{r["anon_huge_bytes"] for e in d for s in e["samples"] if "2M" in s["arm"]
    for r in s["evidence"]["regions"]}'

# Whether this machine backs the advised arm by huge pages at all.
run frlua "$script" --rounds 2 --arm 'spread+2M, 512 lines' --json out.json
status 0
grants=$(query out.json "0 not in $huge_bytes")

# What is so where no huge page came, whatever the reason: two rounds pass no claim.
is_small() {
    status 0
    valid out.json
    query_is out.json "$huge_bytes" '{0}'
    grep -q -E "^  (PASS|WITHDRAWN) +$other" .out || fail "the other question was not asked"
    output_has 'asked instead of: a 2 MiB page removes the translation cost: the evidence is contrary'
    output_has 'AnonHugePages 0 B'
}

it "asks the other question where the process may have no huge pages, and says why"
cat >disabled.py <<'END'
import ctypes, os, sys
if ctypes.CDLL(None).prctl(41, 1, 0, 0, 0) != 0: # PR_SET_THP_DISABLE
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
END
if python3 disabled.py "$(type -P true)" 2>.err; then
    run python3 disabled.py "$FRLUA" "$script" --rounds 2 --json out.json
    is_small
    output_has "nothing of it is huge (transparent huge pages are disabled for this process (PR_SET_THP_DISABLE))"
    query_is out.json 'd[0]["machine"]["thp_disabled"]' True
fi

it "asks the other question where the advice has no effect"
if [ "$grants" = True ] && grep -q -F '[madvise]' $thp/enabled && strace -o /dev/null true 2>.err; then
    run strace -f -qq -o /dev/null -e trace=madvise -e inject=madvise:retval=0 \
        "$FRLUA" "$script" --rounds 2 --json out.json
    is_small
    output_has "was advised 'hugepage', and nothing of it is huge"
fi

it "goes by the pages that came, not by a setting that reads 'never'"
mkdir -p machine
if [ "$grants" = True ] && unshare -m mount --bind machine $thp 2>.err; then
    echo 'always madvise [never]' >machine/enabled
    cp $thp/hpage_pmd_size machine
    run unshare -m sh -c 'mount --bind machine "$0" && exec "$@"' $thp \
        "$FRLUA" "$script" --rounds 2 --json out.json
    status 0
    output_has 'THP never'
    query_is out.json "0 in $huge_bytes" False
    grep -q -E '^spread\+2M +its lines .* 100 % ' .out || fail "the arm is not labelled as huge"
    if grep -q -F "$other" .out; then fail "the other question was asked of huge pages"; fi
fi

it "withdraws a claim of huge pages in a place that has no room for one, and says how much it has"
cat >shifted.lua <<'END'
local fr = require "frlua"
local page, huge = fr.machine.page_bytes, fr.machine.huge_page_bytes
local function region(name, offset)
  return fr.region(name) { bytes = huge, align = huge, offset = offset, advise = "hugepage", fill = "index" }
end
local function arm(name) return fr.arm(name) { fr.phase "read" { fr.read(name), iterations = 3 } } end
return fr.experiment "shifted" {
  regions = { region("shifted", page), region("aligned") },
  arms = { arm "shifted", arm "aligned" },
  metrics = { fr.metric "read" { median_from = 2 } },
  claims = {
    fr.claim "the shifted one is huge" {
      needs = fr.huge "shifted", test = fr.same { "shifted", "aligned", metric = "read", within = 9 } },
    fr.claim "the aligned one is huge" {
      needs = fr.huge "aligned", test = fr.same { "shifted", "aligned", metric = "read", within = 9 } },
  },
}
END
if [ "$grants" = True ]; then
    run frlua shifted.lua --json out.json
    status 0
    query_is out.json '[c["verdict"] for c in d["claims"]]' "['withdrawn', 'pass']"
    output_has "huge pages back 'shifted' of 'shifted' in 0 of 10 samples"
    output_has "nothing of it is huge (its place has room for 0 aligned huge pages of "
fi

# A machine whose directory of CPU 0 has these files: each argument is one and its text.
with_caches() { # SCRIPT, files
    rm -rf machine && mkdir -p machine/cpu0
    cp $cpus/online machine
    for file in "${@:2}"; do
        mkdir -p "machine/cpu0/$(dirname "${file%%=*}")"
        echo "${file#*=}" >"machine/cpu0/${file%%=*}"
    done
    run unshare -m sh -c 'mount --bind machine "$0" && exec "$@"' $cpus \
        "$FRLUA" "$1" --rounds 1 --arm packed --arm spread --json out.json
}

# The sets that the layouts were counted by, and where they are from.
sets_are() { # COUNT, REASON
    status 0
    errors ''
    valid out.json
    query_is out.json '{r["layout"]["geometry"].get("sets") for r in d[0]["design"]["regions"]
        if "layout" in r}' "{$1}"
    output_has "first-level data cache ($2"
}

sed 's/fr.geometry {.*}/fr.geometry {}/; s/sizes.sets/64/; s/off = line, /&wrap = 64, /' \
    "$script" >tells_nothing.lua
l1=cache/index0
first=("$l1/level=1" "$l1/type=Data")
if unshare -m mount --bind machine $cpus 2>.err; then
    it "runs where there is no folder of caches: by what the C library knows, or by its own sizes"
    with_caches "$script"
    if [ "$(getconf LEVEL1_DCACHE_SIZE)" -gt 0 ] && [ "$(getconf LEVEL1_DCACHE_ASSOC)" -gt 0 ]; then
        sets=$(($(getconf LEVEL1_DCACHE_SIZE) / $(getconf LEVEL1_DCACHE_ASSOC) / $(getconf LEVEL1_DCACHE_LINESIZE)))
        sets_are $sets 'read from sysconf, from its size, ways and line'
    else
        sets_are 64 "given by the script; this machine's is unknown: neither sysfs nor the C library"
    fi

    zeros=("$l1/size=0K" "$l1/ways_of_associativity=0" "$l1/coherency_line_size=0" "$l1/number_of_sets=0")
    for kind in 'no sizes' zeros; do
        it "names the script's sizes as that where the cache is listed with $kind"
        files=("${first[@]}")
        [ "$kind" = zeros ] && files+=("${zeros[@]}")
        with_caches "$script" "${files[@]}"
        sets_are 64 "given by the script; this machine's is unknown: sysfs tells neither its sets"

        it "says that the sets are unknown where nobody tells them, with $kind"
        with_caches tells_nothing.lua "${files[@]}"
        sets_are None "unknown: sysfs tells neither its sets"
        output_has 'the sets of the first-level cache are unknown'
    done

    for sets in 32 256; do
        it "has the lines of both arms in the same sets, and one a page, where there are $sets sets"
        with_caches "$script" "${first[@]}" "$l1/number_of_sets=$sets"
        sets_are $sets 'read from sysfs'
        query_is out.json '{r["layout"].get("wrap") for r in d[0]["design"]["regions"]
            if r["name"].startswith("spread,")}' "{$sets}"
        query_is out.json '{len({l["set_hash"] for s in d[0]["samples"] for l in
            s["evidence"]["layouts"] if l["lines"] == n}) for n in d[0]["design"]["sweep"]["values"]}' '{1}'
        query_is out.json '{l["pages"] == l["lines"] for s in d[0]["samples"] for l in
            s["evidence"]["layouts"] if s["arm"].startswith("spread")}' '{True}'
    done
fi

it "takes a clock of 4 ms, in bounded time, without a ratio of nothing"
if "${CC:-cc}" -O1 -shared -fPIC -o poor_clock.so "$here/poor_clock.c" 2>.err; then
    run env POOR_CLOCK=coarse LD_PRELOAD="$scratch/poor_clock.so" timeout 60 "$FRLUA" "$script" \
        --rounds 1 --arm 'packed, 8 lines' --arm 'spread, 8 lines' --arm 'packed, 72 lines' \
        --json out.json
    status 0
    valid out.json
    query_is out.json 'd["clock"]["step_ns"]' 4000000
    query_is out.json '{s["status"] for s in d["samples"]}' "{'ok'}"
    if grep -n -i -w -e nan -e inf -e nil .out out.json; then fail "a number is none"; fi
fi

finish
