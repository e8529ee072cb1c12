#!/bin/bash
# The command line of a script that returns an experiment.
. "$(dirname "$0")/experiment.bash"
cp "$scripts/small.lua" .

it "takes options before the script's name, after it, and on both sides"
run frlua --rounds 1 --json a.json small.lua
status 0
run frlua small.lua --rounds 1 --json b.json
status 0
run frlua --rounds=1 small.lua --json=c.json
status 0
run frlua --rounds 1 --json d.json -- small.lua
status 0
for file in a b c d; do
    query_is $file.json 'd["design"]["rounds"], len(d["samples"])' '(1, 3)'
done
valid a.json b.json c.json d.json

it "leaves what is no option, and what follows --, to the script"
cat >arguments.lua <<'END'
io.stderr:write(table.concat(require "frlua".args(), "|"), "\n")
return dofile "small.lua"
END
run frlua --rounds 1 arguments.lua one --quick two --json out.json -- --rounds 7 -- -x
status 0
errors 'one|two|--rounds|7|--|-x'
query_is out.json 'd["args"]' "['one', 'two', '--rounds', '7', '--', '-x']"
query_is out.json 'd["script"], d["design"]["rounds"]' "('arguments.lua', 1)"

it "runs the arms that --arm names, with commas in them or not"
run frlua small.lua --rounds 1 --arm warm,pause --json out.json
status 0
query_is out.json '[arm["name"] for arm in d["arms"]]' "['warm,pause']"
run frlua --arm warm,pause small.lua --rounds 1 --arm natural --json out.json
status 0
query_is out.json '[arm["name"] for arm in d["arms"]]' "['natural', 'warm,pause']"
query_is out.json '[len(order) for order in d["design"]["order"]]' '[2]'

it "runs all samples on the CPU of --cpu"
allowed=$(frlua -e 'print(require "frlua".machine.cpus_allowed)')
for cpu in $(frlua -e 'print(table.concat(require "frlua.core".allowed_cpus(), " "))'); do
    run frlua small.lua --cpu "$cpu" --json out.json
    status 0
    query_is out.json '{(s["cpu"], s["process"]["cpu_before"], s["process"]["cpu_after"])
                        for s in d["samples"]}' "{($cpu, $cpu, $cpu)}"
    output_has "on CPU $cpu (asked for"
    query_is out.json 'd["machine"]["cpus_allowed"]' "$allowed"
done

it "refuses a CPU that is not allowed, names those that are, and measures nothing"
rm -f out.json
for cpu in 4095 65535 1000000000; do
    run frlua small.lua --cpu $cpu --json out.json
    status 2
    output ''
    errors_have "CPU $cpu"
    errors_have "allowed are $allowed"
done
one=${allowed%%[,-]*}
run taskset -c "$one" "$FRLUA" small.lua --cpu "$((one + 1))"
status 2
errors_have "allowed are $one"
[ ! -e out.json ] || fail "there is a result"

it "reproduces the order of a seed"
run frlua small.lua --seed 12 --rounds 6 --json a.json
run frlua small.lua --seed 12 --rounds 6 --json b.json
run frlua small.lua --seed 14 --rounds 6 --json c.json
order='[(s["round"], s["arm"]) for s in d["samples"]]'
query_is b.json "$order" "$(query a.json "$order")"
[ "$(query a.json "$order")" != "$(query c.json "$order")" ] || fail "another seed, the same order"
query_is a.json 'd["seed"]' 12

it "draws a seed, and records it, when there is none"
run frlua small.lua --rounds 6 --json a.json
run frlua small.lua --rounds 6 --json b.json --seed "$(query a.json 'd["seed"]')"
query_is b.json "$order" "$(query a.json "$order")"

it "says of a quick run that it is one"
run frlua small.lua --quick
status 0
output_has 'quick run: 3 rounds, pauses divided by 10, nothing is claimed'
run frlua small.lua --quick --rounds 1 --json out.json
output_has 'quick run: 1 round, pauses divided by 10, nothing is claimed'
valid out.json

it "has a line for each process with --detail, and the iterations that the script names"
run frlua small.lua --rounds 1 --detail
status 0
output_has 'Every process, in the order in which they ran'
[ "$(grep -c ' round  1  first ' .out)" = 3 ] || fail "not one line a process"
[ "$(grep -c '^  iteration  1: .* page faults$' .out)" = 3 ] || fail "iteration 1 is missing"
[ "$(grep -c '^  iteration  2: .* 0 page faults$' .out)" = 3 ] || fail "iteration 2 is missing"

it "refuses wrong options with status 2 and the nearest one, and measures nothing"
refused() { # MESSAGE OPTION...
    run frlua small.lua "${@:2}"
    status 2
    output ''
    errors_have "$1"
}
refused "unknown option '--jsn'
Did you mean '--json'?" --jsn out.json
refused "Did you mean '--rounds'?" --round 3
refused "--arm: there is no arm 'natrual': did you mean 'natural'?" --arm natrual
refused "--arm: there is no arm 'x': there are 'natural', 'warm', 'warm,pause'" --arm x
refused "--rounds needs a whole number from 1 to 100000, not '0'" --rounds 0
refused "--rounds needs a whole number from 1 to 100000, not '-1'" --rounds -1
refused "--rounds needs a whole number from 1 to 100000, not '2.5'" --rounds 2.5
refused "--seed needs a whole number of at least 0, not '9223372036854775808'" \
    --seed 9223372036854775808
refused "--cpu needs a whole number of at least 0, not 'one'" --cpu one
refused "--time-limit needs a number of seconds above 0, up to 1000000000, not 'nan'" \
    --time-limit nan
refused "--time-limit needs a number of seconds above 0, up to 1000000000, not '1e300'" \
    --time-limit 1e300
refused "--progress is auto, always or never, not 'maybe'" --progress maybe
refused "option '--json' requires an argument" --json
run frlua --jsn x small.lua
status 2
errors_have "Did you mean '--json'?"
run frlua --rounds 3
status 2
errors_have "missing argument 'script'"
errors_have 'frlua --help'

it "says what its options are, by -h and by --help"
run frlua --help
status 0
cp .out help
for arguments in -h '-h small.lua' '-E -h' 'small.lua -h'; do
    # shellcheck disable=SC2086 # one or two
    run frlua $arguments
    prints "$(cat help)"
done
run frlua -hx
status 2

it "leaves the arguments of a plain script alone"
echo 'print(#arg, ...)' >plain.lua
run frlua plain.lua --json x --rounds -- --no-such -1
prints "6	--json	x	--rounds	--	--no-such	-1"
[ ! -e x ] || fail "--json was taken from the script"
echo 'print(...) return true' >returns.lua
run frlua returns.lua --json x --jsn
status 0
output "--json	x	--jsn"
errors_have 'returned a boolean, not an experiment'

it "says at the script's line what is wrong in the script"
sed 's/"warm,pause" }/"warm,puase" }/' small.lua >typo.lua
run frlua typo.lua
status 1
output ''
errors_have "typo.lua:5: unknown step 'puase' in mode 'warm,puase': did you mean 'pause'?"
sed 's/rounds = 2/rounds = 0/' small.lua >zero.lua
run frlua zero.lua
status 1
errors_have "zero.lua:5: rounds in fr.experiment 'small' must be a whole number from 1"
sed 's/bytes = 4 \* page/bytes = "64 MB"/' small.lua >size.lua
run frlua size.lua
status 1
errors_have "size.lua:7: bytes in fr.region 'buffer' must be a whole number of bytes"
errors_have "did you mean '64 MiB'?"

finish
