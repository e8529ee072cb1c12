#!/bin/bash
# Signals to the host: Ctrl-C keeps what was measured, and no signal leaves a worker behind.
. "$(dirname "$0")/experiment.bash"
cp "$scripts/stages.lua" .
sed 's/60000/300/' stages.lua >naps.lua
last=$XDG_STATE_HOME/frlua/last.json

# Starts the script and waits until the arm "first" sleeps, which $worker then does.
until_asleep() { # frlua's arguments
    start stages.lua --arm ready --arm first "$@"
    worker=$(sleeping_worker "$host")
}

for whom in host group; do
    it "keeps a partial result when the $whom is interrupted, with status 130"
    rm -f out.json "$last"
    until_asleep --seed 1 --json out.json
    if [ $whom = host ]; then kill -INT "$host"; else kill -INT -- "-$host"; fi
    ended
    status 130
    is_gone "$worker"
    valid out.json "$last"
    cmp -s out.json "$last" || fail "the last run is not the partial one"
    query_is out.json 'd["partial"]' True
    query_is out.json '{(s["arm"], s["status"]) for s in d["samples"]} <= {("ready", "ok")}' True
    query_is out.json 'd["design"]["rounds"], len(d["samples"]) < 4' '(2, True)'
    output_has 'PARTIAL: interrupted after '
    errors 'frlua: interrupted: the result is partial'
done

it "keeps all samples that were whole"
start stages.lua --arm ready --arm first --rounds 30 --json out.json
for ((killed = 0; killed < 5; killed++)); do
    worker=$(sleeping_worker "$host") && kill -KILL "$worker"
    is_gone "$worker"
done
worker=$(sleeping_worker "$host")
kill -INT "$host"
ended
status 130
valid out.json
query_is out.json 'd["partial"]' True
query_is out.json '[s["status"] for s in d["samples"] if s["arm"] == "first"]' \
    "$(python3 -c 'print(["killed by SIGKILL"] * 5)')"
output_has 'Samples lost: 5 of '
is_gone "$worker"

it "has a valid result also before the first sample"
start stages.lua --arm first --json -
worker=$(sleeping_worker "$host")
kill -INT "$host"
ended
status 130
valid .out
query_is .out 'd["partial"], d["samples"]' '(True, [])'

it "says that only the fault traces are missing when they are interrupted"
sed 's/60000/1500/' stages.lua >longer_naps.lua
start longer_naps.lua --arm first --rounds 1 --faults --json out.json
worker=$(sleeping_worker "$host")
while is_running "$worker"; do sleep 0.02; done
worker=$(sleeping_worker "$host")
kill -INT "$host"
ended
status 130
is_gone "$worker"
valid out.json
query_is out.json 'd["partial"], [s["status"] for s in d["samples"]]' "(True, ['ok'])"
query_is out.json 'd["fault_traces"], d["fault_traces_why"]' "(None, 'interrupted')"
errors 'frlua: interrupted: the fault traces are missing'

it "has no fault traces when the samples are interrupted already, and says why"
start stages.lua --arm first --faults --json out.json
worker=$(sleeping_worker "$host")
kill -INT "$host"
ended
status 130
query_is out.json 'd["fault_traces"], d["fault_traces_why"]' "(None, 'interrupted')"
errors 'frlua: interrupted: the result is partial'

it "runs none of the experiments that would come after"
cat >list.lua <<'END'
local first, second = dofile "stages.lua", dofile "stages.lua"
second.name = "after"
return { first, second }
END
start list.lua --arm first --json out.json
worker=$(sleeping_worker "$host")
kill -INT "$host"
ended
status 130
query_is out.json 'type(d).__name__' dict

it "has status 130 also when the output could not be written"
until_asleep --json /dev/full
kill -INT "$host"
ended
status 130
errors_have "cannot write '/dev/full'"
output_has 'PARTIAL'

it "ends at once on a second interrupt, whatever it waits for"
mkfifo pipe # that nobody reads: opening it waits
until_asleep --json pipe
kill -INT "$host"
is_gone "$worker"
sleep 0.3
kill -INT "$host"
ended
status 130
[ ! -s .out ] || fail "a report was printed"

for signal in TERM KILL HUP; do
    it "leaves no worker behind when the host is ended by SIG$signal"
    until_asleep
    kill -$signal "$host"
    ended 2>/dev/null
    is_gone "$worker"
done

it "is stopped and continued without losing anything, and shows the time that it took"
start naps.lua --arm first --rounds 3 --json out.json
worker=$(sleeping_worker "$host")
kill -STOP "$host"
is_gone "$worker" # it ends by itself meanwhile, but is not waited for
sleep 1
kill -CONT "$host"
ended
status 0
valid out.json
query_is out.json '[s["status"] for s in d["samples"]]' "['ok', 'ok', 'ok']"
wall='d["arms"][0]["metrics"]["process_ns"]'
query_is out.json "${wall}['max'] >= 1e9" True
query_is out.json "${wall}['median'] < 1e9" True

it "shows the time for which a worker was stopped in the reading that had it"
start naps.lua --arm first --rounds 3 --json out.json
worker=$(sleeping_worker "$host")
kill -STOP "$worker"
sleep 1
kill -CONT "$worker"
ended
status 0
reading='d["arms"][0]["metrics"]["one_ns"]'
query_is out.json "${reading}['max'] >= 1e9" True
query_is out.json "${reading}['median'] < 1e9" True

finish
