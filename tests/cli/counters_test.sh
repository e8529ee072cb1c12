#!/bin/bash
# --counters: what this kernel really counts, what is refused or absent, and that nothing is asked of
# it without the option.
. "$(dirname "$0")/experiment.bash"
skip_when_sanitized "a sanitizer's own faults would be counted"
cp "$scripts/small.lua" "$scripts/stages.lua" .
all=$(realpath "$here/../../scripts")
crosscheck=$here/../oracle/crosscheck.py

# Of all counts of whole samples those of an event.
of_event() { # EVENT
    echo "[c for s in d['samples'] if s['status'] == 'ok' for p in s['phases']
           for c in p['counters'] if c['event'] == '$1']"
}

# Every count is one, or null with a reason.
is_told() { # FILE
    query_is "$1" "all((c[side] is None) == (len(c.get(side + '_why') or '') > 0)
                       for s in d['samples'] for p in s['phases'] for c in p['counters']
                       for side in ('user', 'kernel', 'both') if side in c)" True
}

verifies() { # FILE
    run frlua verify "$1"
    status 0
    run python3 "$crosscheck" "$1"
    status 0
}

it "counts the faults that the iterations of a phase took, exactly"
run frlua "$all/first_run.lua" --counters --rounds 2 --arm natural --arm prefault --json out.json
status 0
cp .out report
valid out.json
is_told out.json
query_is out.json "d['design']['counters']" True
if [ "$(query out.json "$(of_event page-faults)[0]['user'] is not None")" = True ]; then
    faults='sum(n for kind in ("minor_faults", "major_faults") for i, n in p[kind])'
    told="[(s['arm'], c['user'] + c['kernel'] - $faults) for s in d['samples']
           for p in s['phases'] for c in p['counters']
           if p['phase'] == 'timed' and c['event'] == 'page-faults' and not s['arm'].endswith('A/A')]"
    query_is out.json "{difference for arm, difference in $told}" '{0}'
    query_is out.json "[c['user'] >= 128 for s in d['samples'] if s['arm'] == 'natural'
        for c in s['phases'][0]['counters'] if c['event'] == 'page-faults']" '[True, True]'
    query_is out.json "{(c['user_empty'], c['kernel_empty']) for c in $(of_event page-faults)}" \
        '{(0, 0)}'
    cp report .out
    output_has 'Counted in user mode, over all iterations of a phase: medians over the processes'
    grep -q -E '^natural  +timed  +[0-9.]+$' .out || fail "the report lacks the faults"
fi

it "counts what hardware there is, and says of all else that it is unknown and why"
ls /sys/bus/event_source/devices >devices 2>/dev/null
for event in cycles instructions dTLB-load-misses dTLB-store-misses LLC-load-misses \
    L1-dcache-load-misses; do
    query_is out.json "len($(of_event $event)) == sum(len(s['phases']) for s in d['samples'])" True
    if ! grep -q -E '^cpu' devices; then
        query_is out.json "{(c['user'], 'user_why' in c) for c in $(of_event $event)}" \
            '{(None, True)}'
    fi
done
query_is out.json "[c['user_why'] for c in $(of_event task-clock)][0]" \
    'the kernel does not tell user mode and its own apart'
verifies out.json

strace -f -o trace true 2>/dev/null || finish

it "asks nothing of the kernel without the option"
calls=perf_event_open,prctl
run strace -f -o trace -e trace=$calls "$FRLUA" small.lua --rounds 1 --json out.json
status 0
! grep -q -E 'perf_event_open|PR_TASK_PERF' trace || fail "counters were opened"
query_is out.json "{'counters' in p for s in d['samples'] for p in s['phases']}" '{False}'
query_is out.json "'counters' in d['design']" False
run strace -f -o trace -e trace=$calls "$FRLUA" small.lua --rounds 1 --counters --json out.json
status 0
[ "$(grep -c 'perf_event_open(' trace)" = $((17 * 3)) ] || fail "not 17 counters in each sample"

it "starts and stops them outside of what is timed, by one call each"
run strace -f -o trace -e trace=prctl,getrusage,write "$FRLUA" small.lua --rounds 1 \
    --arm natural --counters --json out.json
# Of the last phase: start, 60 times what is read between iterations, stop.
grep -o -E 'PR_TASK_PERF_EVENTS_[A-Z]+|RUSAGE_THREAD' trace | tail -n 62 | uniq -c | tr -s ' ' >calls
[ "$(cat calls)" = " 1 PR_TASK_PERF_EVENTS_ENABLE
 60 RUSAGE_THREAD
 1 PR_TASK_PERF_EVENTS_DISABLE" ] || fail "other calls: $(cat calls)"

refused() { # ERROR MEANING
    it "goes on without counters that are refused by $1, and says why"
    run strace -f -o trace -e inject=perf_event_open:error="$1" "$FRLUA" small.lua --rounds 2 \
        --counters --json out.json
    status 0
    cp .out report
    valid out.json
    is_told out.json
    query_is out.json "{s['status'] for s in d['samples']}" "{'ok'}"
    query_is out.json "{c.get(side) for s in d['samples'] for p in s['phases']
        for c in p['counters'] for side in ('user', 'kernel', 'both')}" '{None}'
    verifies out.json
    cp report .out
    output_has 'Counted in user mode: nothing'
    grep -q -E "^unknown: cycles, instructions, .*, task-clock: .*\($1\): $2" .out ||
        fail "$1 is not explained"
}
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo unknown)
refused EACCES "this user may not count it: kernel.perf_event_paranoid is $paranoid,"
refused EPERM "this user may not count it: kernel.perf_event_paranoid is $paranoid,"
refused ENOSYS 'this kernel has no perf_event_open, or a seccomp filter hides it'
refused ENOENT 'no hardware here counts it'
refused EMFILE "no more files may be open than RLIMIT_NOFILE, which is $(ulimit -n) here"

it "counts as far as the limit of open files goes, without a sample lost"
run bash -c 'ulimit -n 7; exec "$FRLUA" small.lua --rounds 1 --counters --json out.json'
status 0
valid out.json
query_is out.json "{s['status'] for s in d['samples']}" "{'ok'}"
query_is out.json "any('RLIMIT_NOFILE, which is 7 here' in c.get('both_why', '')
    for c in $(of_event task-clock))" True

it "has no counts of a phase that did not come to its end"
run frlua stages.lua --arm first --rounds 1 --time-limit 1 --counters --json out.json
status 3
valid out.json
query_is out.json "{(p['counters'], p['counters_why']) for s in d['samples'] for p in s['phases']}" \
    "{(None, 'the sample did not come to its end')}"

it "counts an ordinary user's own mode where the kernel's is refused"
user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
chmod 755 . && mkdir -m 777 users
if [ "$paranoid" = 2 ] && "${user[@]}" "$FRLUA" -e '' 2>/dev/null; then
    run env XDG_STATE_HOME="$scratch/users" "${user[@]}" "$FRLUA" small.lua --rounds 1 --counters \
        --json users/out.json
    status 0
    query_is users/out.json \
        "{(c['user'] is None, 'perf_event_paranoid is 2' in c['kernel_why'])
          for c in $(of_event page-faults)}" '{(False, True)}'
    output_has 'unknown in the kernel: '
    grep -q -E '^unknown: context-switches, cpu-migrations: .*\(EACCES\)' .out ||
        fail "the refused switches are not explained"
fi

finish
