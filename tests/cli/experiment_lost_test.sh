#!/bin/bash
# Workers that die, at every stage: what became of them is recorded, the others are as they were.
. "$(dirname "$0")/experiment.bash"
skip_when_sanitized "a sanitizer has its own ways with signals, and needs much address space"
cp "$scripts/small.lua" "$scripts/stages.lua" "$scripts/large.lua" .

of_arm() { # ARM: the statuses and stages of its samples
    echo "[(s['status'], s.get('stopped_in')) for s in d['samples'] if s['arm'] == '$1']"
}

nothing_is_left() { # FILE: of the processes in a result
    local pid
    for pid in $(query "$1" '" ".join(str(s["process"]["pid"]) for s in d["samples"])'); do
        is_gone "$pid"
    done
}

for phase in first second; do
    it "records the signals that killed workers in phase '$phase', and keeps all other samples"
    start stages.lua --arm ready --arm $phase --rounds 4 --json out.json
    for signal in KILL SEGV BUS TERM; do
        worker=$(sleeping_worker "$host") && kill -$signal "$worker"
        is_gone "$worker"
    done
    ended
    status 3
    valid out.json
    stage="phase '$phase'"
    query_is out.json "$(of_arm $phase)" "[('killed by SIGKILL', \"$stage\"),\
 ('killed by SIGSEGV', \"$stage\"), ('killed by SIGBUS', \"$stage\"),\
 ('killed by SIGTERM', \"$stage\")]"
    query_is out.json "$(of_arm ready)" "[('ok', None), ('ok', None), ('ok', None), ('ok', None)]"
    query_is out.json '[(arm["processes"], arm["lost"]) for arm in d["arms"]]' '[(4, 0), (0, 4)]'
    query_is out.json 'd["samples"][0]["process"]["rusage"]["minor_faults"] > 0' True
    output_has 'Samples lost: 4 of 8'
    output_has "  $phase: killed by SIGSEGV, in $stage (round 2)"
    nothing_is_left out.json
done

it "keeps the phases that a lost sample had finished, out of the statistics"
finished='{str([(p["phase"], len(p["ns"])) for p in s["phases"]])
           for s in d["samples"] if s["arm"] == "second"}'
query_is out.json "$finished" "{\"[('first', 1), ('second', 0)]\"}"
query_is out.json 'd["arms"][1]["metrics"]["one_ns"]["n"]' 0

it "kills what exceeds the time limit"
run frlua stages.lua --rounds 1 --time-limit 1 --json out.json
status 3
valid out.json
query_is out.json "$(of_arm first)" "[('timed out', \"phase 'first'\")]"
query_is out.json "$(of_arm second)" "[('timed out', \"phase 'second'\")]"
query_is out.json "$(of_arm ready)" "[('ok', None)]"
query_is out.json \
    'all(s["process"]["wall_ns"] >= 1e9 for s in d["samples"] if s["arm"] != "ready")' True
nothing_is_left out.json

# A signal at the first call of a system call that, of all processes, only the worker makes.
killed_at() { # CALL STAGE [OPTION OF STRACE]...
    it "records a worker that was killed in '$2'"
    run strace -f -qq -o trace "${@:3}" -e trace="$1" -e inject="$1":signal=SIGKILL \
        "$FRLUA" small.lua --rounds 1 --json out.json
    status 3
    valid out.json
    query_is out.json '{(s["status"], s["stopped_in"]) for s in d["samples"]}' \
        "{('killed by SIGKILL', '$2')}"
    nothing_is_left out.json
}
if strace -qq -o trace true 2>/dev/null; then
    killed_at setpgid start
    killed_at madvise map
    killed_at openat 'read back' -P /proc/self/smaps
fi

it "records a worker that can't be started, and why"
mkdir -p without/bin without/lib without/share
cp "$FRLUA" without/bin
build=$(realpath "$(dirname "$FRLUA")/..")
ln -s "$build/lib/frlua" without/lib/frlua
ln -s "$build/share/frlua" without/share/frlua
run without/bin/frlua small.lua --json out.json
status 3
valid out.json
why="not started: $scratch/without/bin/frlua-worker: No such file or directory"
query_is out.json '{s["status"] for s in d["samples"]}' "{'$why'}"
output_has 'Samples lost: 6 of 6'
output_has "  warm,pause: $why (rounds 1, 2)"

it "refuses to run beside a worker of another build"
cp /bin/true without/bin/frlua-worker
run without/bin/frlua small.lua --rounds 1 --json out.json
status 3
query_is out.json '{(s["status"], s["stopped_in"]) for s in d["samples"]}' \
    "{('exit status 0', 'start')}"

it "records what a limited address space has no room for, and keeps the other samples"
run bash -c 'ulimit -v 4000000; exec "$FRLUA" large.lua --json out.json'
status 3
valid out.json
query_is out.json "$(of_arm natural)" "[('ok', None), ('ok', None)]"
limit='the address space is limited to 3.8 GiB (RLIMIT_AS)'
why="('refused: ENOMEM for the evict buffer of 68719476736 bytes, $limit', 'map')"
query_is out.json "$(of_arm large)" "[$why, $why]"

it "names the region that is too large, and its size"
sed 's/bytes = 65536/bytes = "64 GiB"/' large.lua >region.lua
run bash -c 'ulimit -v 4000000; exec "$FRLUA" region.lua --rounds 1 --arm natural --json out.json'
status 3
valid out.json
output_has "  natural: refused: ENOMEM for region 'buffer' of 68719476736 bytes, $limit, in map (round 1)"
nothing_is_left out.json

finish
