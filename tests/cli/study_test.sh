#!/bin/bash
# Studies: experiments that follow from each other, whose results are one file.
. "$(dirname "$0")/experiment.bash"
last=$XDG_STATE_HOME/frlua/last.json

# Experiments "e1", "e2" … of one arm, which writes or sleeps.
cat >step.lua <<'END'
local fr = require "frlua"
return function(number, timed, claims)
  return fr.experiment("e" .. number) {
    regions = { fr.region "buffer" { bytes = 2 * fr.machine.page_bytes } },
    arms = { fr.arm "a" { fr.phase "p" { timed or fr.write "buffer", iterations = 2 } },
             fr.arm "b" { fr.phase "p" { fr.write "buffer", iterations = 2 } } },
    rounds = 4, metrics = { fr.metric "first" { at = 1 } }, claims = claims, keep_rounds = true,
  }
end
END
cat >three.lua <<'END'
local fr = require "frlua"
local step = dofile "step.lua"
return fr.study "three" {
  doc = "three steps",
  run = function(measure)
    local lines = {}
    for number = 1, 3 do
      local document = measure(step(number))
      lines[number] = ("%s: %d samples"):format(document.experiment, #document.samples)
    end
    return lines
  end,
}
END

it "measures its experiments, reports what it found, and keeps all in one array"
run frlua three.lua --json out.json
status 0
errors ''
output_has 'three: three steps'
output_has '3 experiments, 24 samples, each a fresh process on CPU '
output_has 'e2: 8 samples'
valid out.json "$last"
cmp -s out.json "$last" || fail "the last run is another one"
query_is out.json '[e["experiment"] for e in d]' "['e1', 'e2', 'e3']"
query_is out.json '[len(e["samples"]) for e in d]' '[8, 8, 8]'
query_is out.json '{e["script"] for e in d}' "{'three.lua'}"
run frlua verify out.json
status 0
output_has 'e3, 8 samples: verified'
run frlua verify
status 0

it "has one result, and no array, where it measured one experiment"
sed 's/1, 3 do/1, 1 do/' three.lua >single.lua
run frlua single.lua --json -
status 0
valid .out
query_is .out 'd["experiment"]' e1

it "hands the command line's options on to each of them"
cpu=$(frlua -e 'io.write(require "frlua.core".allowed_cpus()[1])')
run frlua three.lua --rounds 2 --cpu "$cpu" --seed 5 --arm b --json out.json
status 0
valid out.json
query_is out.json '{(e["design"]["rounds"], e["design"]["cpu"], e["seed"]) for e in d}' \
    "{(2, $cpu, 5)}"
query_is out.json '{s["arm"] for e in d for s in e["samples"]}' "{'b'}"
run frlua --quick three.lua --json -
status 0
query_is .out '{(e["design"]["rounds"], e["design"]["pause_divisor"]) for e in d}' '{(3, 10)}'
run frlua three.lua --time-limit 0
status 2

it "has no summary, and says so before it measures"
run frlua three.lua --summary
status 2
output ''
errors_have "--summary: study 'three' has no summary"
run frlua three.lua --json /nowhere/out.json
status 4
errors_have 'nothing was measured'

it "refuses an option that its experiments can't have, as any run does"
run frlua three.lua --arm c
status 2
errors_have "--arm: there is no arm 'c': there are 'a', 'b'"
run frlua three.lua --cpu 65535
status 2
errors_have '--cpu: CPU 65535'

it "refuses a name that it has measured before, at the script's line"
sed 's/step(number)/step(1)/' three.lua >twice.lua
run frlua twice.lua --json out.json
status 1
errors_have "frlua: twice.lua:8: the study has measured experiment 'e1' before"
valid out.json
query_is out.json 'd["experiment"], len(d["samples"])' "('e1', 8)"

it "keeps what was measured when the script breaks, and shows its line and traceback once"
cat >broken.lua <<'END'
local fr = require "frlua"
local step = dofile "step.lua"
local function further(measure)
  measure(step(2))
  error "no further"
end
return fr.study "broken" {
  run = function(measure)
    measure(step(1))
    further(measure)
    return {}
  end,
}
END
rm -f "$last"
run frlua broken.lua
status 1
errors_have 'frlua: broken.lua:5: no further'
errors_have "broken.lua:10: in "
for text in 'no further' 'stack traceback'; do
    [ "$(grep -c "$text" .err)" = 1 ] || fail "'$text' is not there once"
done
output_has '2 experiments, 16 samples'
valid "$last"
query_is "$last" '[(e["experiment"], e["partial"]) for e in d]' "[('e1', False), ('e2', False)]"

it "keeps nothing where the script breaks before it has measured, or returns no lines"
rm -f "$last"
echo 'return require "frlua".study "s" { run = function() error({}) end }' >early.lua
run frlua early.lua
status 1
output ''
[ ! -e "$last" ] || fail "there is a result"
echo 'return require "frlua".study "s" { run = function() return {} end }' >nothing.lua
run frlua nothing.lua
status 0
output ''
echo 'return require "frlua".study "s" { run = 3 }' >no_function.lua
run frlua no_function.lua
status 1
errors_have "no_function.lua:1: run in fr.study 's' must be a function, not 3"
echo 'return require "frlua".study "s" { runs = print }' >typo.lua
run frlua typo.lua
status 1
errors_have "typo.lua:1: unknown key 'runs' in fr.study 's': did you mean 'run'?"
sed 's/return lines/return 3/' three.lua >no_lines.lua
run frlua no_lines.lua
status 1
errors_have "no_lines.lua:3: what run returns in fr.study 'three' must be given a table, not 3"
query_is "$last" 'len(d)' 3
sed 's/step(number)/"e1"/' three.lua >no_experiment.lua
run frlua no_experiment.lua
status 1
errors_have "no_experiment.lua:8: a study measures what fr.experiment made, not 'e1'"

it "does not make its experiments' claims its own"
cat >claims.lua <<'END'
local fr = require "frlua"
return fr.study "claims" { run = function(measure)
  local document = measure(dofile "step.lua" (1, nil, {
    fr.claim "wrong" { test = fr.exact { "a", "first_faults", 0 } } }))
  return { document.claims[1].verdict }
end }
END
sed -i 's/fr.metric "first" { at = 1 }/&, fr.metric "first_faults" { faults_at = 1 }/' step.lua
run frlua claims.lua
status 0
output_has fail

# The sleeping experiment comes second.
cat >sleeps.lua <<'END'
local fr = require "frlua"
local step = dofile "step.lua"
return fr.study "sleeps" {
  run = function(measure)
    measure(step(1))
    local ok = pcall(measure, step(2, fr.sleep { ms = 60000 }))
    if not ok then measure(step(3)) end
    return { "came back" }
  end,
}
END
it "keeps what was measured before Ctrl-C, and of the one amid which it came"
rm -f "$last"
start sleeps.lua --json out.json
worker=$(sleeping_worker "$host")
kill -INT "$host"
ended
status 130
is_gone "$worker"
valid out.json "$last"
query_is out.json '[(e["experiment"], e["partial"]) for e in d]' "[('e1', False), ('e2', True)]"
output_has 'PARTIAL: interrupted in '
errors_have 'frlua: interrupted: the result is partial'

it "has status 130 where Ctrl-C comes first, and a result of no samples"
sed 's/    measure(step(1))//; s/pcall(measure, \(.*\))$/measure(\1)/' sleeps.lua >first.lua
start first.lua --json out.json --arm a
worker=$(sleeping_worker "$host")
kill -INT "$host"
ended
status 130
valid out.json
query_is out.json 'd["partial"], d["samples"]' '(True, [])'
if grep -q 'came back' .out; then fail "run was come back to"; fi

finish
