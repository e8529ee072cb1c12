#!/bin/bash
# Claims in a run: verdicts in the report and in the result, and what they do to the exit status.
. "$(dirname "$0")/helper.sh"
export XDG_STATE_HOME=$scratch/state

# An experiment whose verdicts are the same on any machine: it counts faults, and compares a write of
# 64 pages with one of 4 that are resident.
script() { # CLAIM...
    {
        cat <<'END'
local fr = require "frlua"
local page = fr.machine.page_bytes
local small, large = fr.write "small", fr.write "large"
local more, less = { "more", "time" }, { "less", "time" }
return fr.experiment "claimed" {
  regions = { fr.region "small" { bytes = 4 * page, advise = "nohugepage" },
              fr.region "large" { bytes = 64 * page, advise = "nohugepage" } },
  arms = { fr.arm "more" { fr.phase "work" { large } },
           fr.arm "less" { fr.phase "before" { small }, fr.phase "work" { small } } },
  metrics = { fr.metric "time" { at = 1, phase = "work" },
              fr.metric "faults" { faults_at = 1, phase = "work" } },
  claims = {
END
        printf '%s,\n' "$@"
        echo '} }'
    } >script.lua
}

# A value in the result, as Python sees it.
value() {
    python3 -c "import json; d = json.load(open('result.json')); print($1)"
}

pass='fr.claim "more is slower" { test = fr.above { more, than = less, factor = 2 } }'
fail='fr.claim "more is as fast" { test = fr.below { more, than = less, factor = 1.5 } }'
never='fr.claim "it is huge" { needs = fr.huge "more", test = fr.exact { "more", "faults", 1 } }'
instead='fr.claim "it is huge" { needs = fr.huge "more", test = fr.exact { "more", "faults", 1 },
  otherwise = fr.claim "it has small pages" { test = fr.exact { "more", "faults", 64 } } }'

it "passes a claim, with the numbers, in ten rounds and beside the noise of the run"
script "$pass"
run frlua script.lua --json result.json
status 0
output_has '10 rounds of 2 arms, 1 twin'
output_has "time of 'less'"
output_has 'PASS       more is slower'
output_has 'in 10 rounds: above 2, p 0.001953 after Holm'
run value '[c["verdict"] for c in d["claims"]], len(d["arms"]), len(d["design"]["arms"])'
output "['pass'] 2 3"
run value 'd["design"]["arms"][2]["twin_of"], d["floors"][0]["floor"] >= 1'
output "less True"

it "prints verdicts last"
run bash -c '"$FRLUA" script.lua | tail -n 3'
output_has 'Verdicts'

it "has status 5 when a claim fails"
script "$pass" "$fail"
run frlua script.lua --json result.json
status 5
output_has 'FAIL       more is as fast'
run value '[c["verdict"] for c in d["claims"]]'
output "['pass', 'fail']"

it "has status 5 for a claim that is withdrawn only when it is strict"
script "$pass" "$never"
run frlua script.lua
status 0
output_has 'WITHDRAWN  it is huge'
output_has 'the evidence is contrary: huge pages back'
run frlua script.lua --strict
status 5

if is_sanitized; then
    echo "- skipped: a sanitizer takes faults of its own"
else
    it "asks the other question when the evidence is contrary, and says so"
    script "$instead"
    run frlua script.lua --strict --json result.json
    status 0
    output_has 'PASS       it has small pages'
    output_has 'asked instead of: it is huge: the evidence is contrary'
    run value 'd["claims"][0]["claim"], d["claims"][0]["asked"], d["claims"][0]["verdict"]'
    output "it is huge it has small pages pass"
fi

it "withdraws what rests on too few rounds"
script "$pass"
run frlua script.lua --rounds 5
status 0
output_has 'too few rounds: 5, claims need 10; needs 5 more rounds'
output_has '5 rounds of 2 arms, each'
output_has '5 rounds: no interval; --rounds 10 decides what differs'

it "withdraws it also where the rounds would do for an interval"
run frlua script.lua --rounds 6 --json result.json
status 0
output_has 'WITHDRAWN  more is slower'
output_has 'in 6 rounds: too few rounds: 6, claims need 10; needs 4 more rounds'
run value 'd["design"]["rounds"], d["design"]["rounds_for_claims"], d["claims"][0]["verdict"]'
output "6 10 withdrawn"

it "keeps the rounds of a script that says so, until more are asked for"
sed -i 's/claims = {/rounds = 5, keep_rounds = true, claims = {/' script.lua
run frlua script.lua
status 0
output_has '5 rounds of 2 arms, each'
output_has 'WITHDRAWN  more is slower'
run frlua script.lua --rounds 10
status 0
output_has '10 rounds of 2 arms, 1 twin'
output_has 'PASS       more is slower'
script "$pass"

it "withdraws what rests on an arm that is not run"
run frlua script.lua --arm less
status 0
output_has "arm 'more' was not run"
output_has '10 rounds of 1 arm,'

it "claims nothing in a quick run"
script "$pass" "$fail"
run frlua script.lua --quick --json result.json
status 0
output_has 'quick run: nothing is claimed'
run value '[c["verdict"] for c in d["claims"]], d["floors"], len(d["design"]["arms"])'
output "['withdrawn', 'withdrawn'] [] 2"
run frlua script.lua --quick --strict
status 5

if is_sanitized; then
    echo "- skipped: a sanitizer reserves more address space than ulimit -v leaves"
else
    it "withdraws an exact claim when samples were lost, which has status 3 by itself"
    cat >script.lua <<'END'
local fr = require "frlua"
local huge = fr.region "too large" { bytes = 1 << 46, advise = "nohugepage" }
return fr.experiment "lost" { regions = { huge },
  arms = { fr.arm "a" { fr.phase "p" { fr.write "too large" } } },
  metrics = { fr.metric "faults" { faults_at = 1 } },
  claims = { fr.claim "counted" { test = fr.exact { "a", "faults", 1 } } } }
END
    run bash -c 'ulimit -v 4000000; "$FRLUA" script.lua --time-limit 1'
    status 3
    output_has 'no process is there to count in'
fi

it "runs no twin where nothing is claimed"
cat >script.lua <<'END'
local fr = require "frlua"
return fr.experiment "plain" { regions = { fr.region "b" { bytes = 4096 } }, rounds = 2,
  arms = { fr.arm "a" { fr.phase "p" { fr.write "b" } } }, metrics = { fr.metric "t" { at = 1 } } }
END
run frlua script.lua
status 0
output_has '2 rounds of 1 arm,'
if grep -q -e Verdicts -e 'Noise floor' "$scratch/.out"; then fail "there are verdicts"; fi

finish
