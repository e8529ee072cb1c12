#!/bin/bash
# scripts/writes.lua: what a store costs when its line is held, and when it is not.
. "$(dirname "$0")/experiment.bash"
script=$here/../../scripts/writes.lua
frlua -e 'os.exit(require "frlua.core".has_stream_stores())' ||
    skip "no non-temporal stores are known here"
frlua -e 'for _, cache in ipairs(require "frlua".machine.caches or {}) do
  if cache.level == 1 and cache.type ~= "Instruction" and cache.bytes then os.exit(true) end
end os.exit(false)' || skip "the size of the first-level cache is unknown"

it "measures four kinds of access per line, near and far, and reads the near lines again"
run frlua "$script" 2 --json out.json
case $code in 0 | 5) ;; *) fail "the exit status is neither 0 nor 5" ;; esac # as the noise has it
errors ''
valid out.json
grep -q '^arm  *near ns/line  far ns/line  again ns/line  then ns/line  faults$' .out ||
    fail "no medians"
query_is out.json '[arm["name"] for arm in d["arms"]]' "['read each line',\
 'store one word a line', 'store whole lines', 'stream whole lines']"
query_is out.json '[r["bytes"] for r in d["design"]["regions"]][1]' $((2 << 20))
query_is out.json 'len(d["claims"]), set(c["verdict"] for c in d["claims"]) <= {
    "pass", "fail", "withdrawn"}' '(6, True)'

it "divides by the lines of the region"
query_is out.json '[abs(arm["metrics"]["again_ns_per_line"]["max"] - max(s["phases"][1]["ns"][0]
    for s in d["samples"] if s["arm"] == arm["name"])
    * d["design"]["line_bytes"] / d["design"]["regions"][0]["bytes"]) < 1e-9
    for arm in d["arms"]]' '[True, True, True, True]'

it "leaves a result that other programs come to, too"
run frlua verify out.json
status 0
run python3 "$here/../oracle/crosscheck.py" out.json
status 0

it "touches only what is resident, of small pages"
if ! is_sanitized; then
    query_is out.json '[arm["metrics"]["faults"] for arm in d["arms"]]' \
        "[{'exact': 0}, {'exact': 0}, {'exact': 0}, {'exact': 0}]"
fi
query_is out.json 'set(r["anon_huge_bytes"] for s in d["samples"]
    for r in s["evidence"]["regions"]) <= {0, None}' True

it "says in the end how its figures read, and what came of the hint"
run frlua "$script" 2 --quick
status 0
grep -q -E '^A store costs [0-9.]+ ns a line where the line is held ' .out ||
    fail "there is no reading"
output_has "whether the hint was taken this run can't tell."
run frlua "$script" 2 --quick --arm 'read each line'
status 0
output_has 'A store costs unknown a line where the line is held'

it "takes one size, in whole megabytes"
for arguments in 0 1.5 many '2 3'; do
    # shellcheck disable=SC2086 # two arguments
    run frlua "$script" $arguments --quick
    status 1
    errors_have "writes.lua [megabytes], not $arguments"
done

finish
