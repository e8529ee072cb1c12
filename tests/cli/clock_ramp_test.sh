#!/bin/bash
# scripts/clock_ramp.lua: how fast the core is after a pause, as a quick run.
. "$(dirname "$0")/experiment.bash"
script=$here/../../scripts/clock_ramp.lua

it "pauses in two ways and in five lengths, and counts after each"
run frlua "$script" --quick --json out.json
status 0
errors ''
valid out.json
query_is out.json '[arm["name"] for arm in d["arms"]]' "['sleep 0 ms', 'spin 0 ms', 'sleep 1 ms',\
 'spin 1 ms', 'sleep 10 ms', 'spin 10 ms', 'sleep 100 ms', 'spin 100 ms', 'sleep 1000 ms',\
 'spin 1000 ms']"
query_is out.json 'set(c["verdict"] for c in d["claims"])' "{'withdrawn'}"

it "keeps each slice, in its order, and nothing of the pause"
query_is out.json 'set((len(s["phases"]), s["phases"][0]["phase"], len(s["phases"][0]["ns"]))
    for s in d["samples"])' "{(1, 'rate', 3000)}"
query_is out.json 'all(s["process"]["wall_ns"] > 10**8 for s in d["samples"]
    if s["arm"] in ("sleep 1000 ms", "spin 1000 ms"))' True

it "prints for each arm the rates that its readings make"
grep -q -E '^steps per ns +first +settled +ratio +interval +95 % after us +slow at first$' .out ||
    fail "no table of rates"
steps=$(query out.json 'd["design"]["arms"][0]["phases"][1]["ops"][0]["steps"]')
expected=$(query out.json "'%.3f' % __import__('statistics').median($steps / s['phases'][0]['ns'][0]
    for s in d['samples'] if s['arm'] == 'sleep 10 ms')")
grep -q -E "^sleep 10 ms +$expected +[0-9.]+ +[0-9.]+ +- +[0-9.]+ +unknown\$" .out ||
    fail "the first rate of 'sleep 10 ms' is not $expected"
grep -q -E '^rate after +5 us +10 us +20 us +50 us +100 us ' .out || fail "no curves"
[ "$(grep -c -E '^(sleep|spin) [0-9]+ ms( +[0-9]+\.[0-9]{2}| +-){11}$' .out)" = 10 ] ||
    fail "there are not ten curves"

it "says what else tells of the clock, and where nothing does, why"
grep -q -E '^CPU [0-9]+: .' .out || fail "no kind of core"
grep -q -E '^cpufreq: (unknown, cannot read|driver) ' .out || fail "nothing of cpufreq"
grep -q -E '^APERF/MPERF while counting, after the run: (unknown, .|[0-9.]+ times)' .out ||
    fail "nothing of the counters"

it "does not say of three processes whether there is a ramp"
output_has 'Whether there is a ramp is unknown of 10 arms (sleep 0 ms: no 95 % interval below 6'

it "runs the arms that are named"
run frlua "$script" --quick --arm 'sleep 0 ms' --rounds 1
status 0
output_has 'Whether there is a ramp is unknown of 1 arm (sleep 0 ms: '

it "takes no arguments"
run frlua "$script" 5
status 1
errors_have 'clock_ramp.lua takes no arguments, not 5'

it "leaves a result that other programs come to, too"
run frlua verify out.json
status 0
run python3 "$here/../oracle/crosscheck.py" out.json
status 0

finish
