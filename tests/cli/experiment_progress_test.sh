#!/bin/bash
# The progress line: on standard error, and on a terminal only.
. "$(dirname "$0")/experiment.bash"
cp "$scripts/small.lua" .
export TERM=xterm

# A host whose standard error is a terminal; what comes to it is in .err.
at_terminal() {
    run python3 "$here/terminal.py" "$FRLUA" "$@"
}

it "is not there when standard error is no terminal"
run frlua small.lua
status 0
errors ''

it "says on a terminal which sample runs, how many are done, and how long it will take"
at_terminal small.lua
status 0
errors_have 'small: round 1 of 2, '
errors_have 'small: round 2 of 2, '
errors_have ', 0 of 6 samples done'
errors_have ', 5 of 6 samples done, '
errors_have ' s left'
for arm in natural warm warm,pause; do errors_have " of 2, $arm, "; done
output_has 'Medians over the processes'

it "says nothing of the time left before it can know it"
grep -q -F ', 0 of 6 samples done, ' <(tr '\r' '\n' <.err) && fail "it knew"

it "rewrites one line, and leaves nothing of it"
[ "$(tr -d '\n' <.err | wc -c)" = "$(wc -c <.err)" ] || fail "there are several lines"
[ "$(tail -c 4 .err)" = $'\r\e[K' ] || fail "the line is not cleared in the end"

it "is written over with spaces on a terminal without control sequences"
for term in TERM=dumb --unset=TERM; do
    run env $term python3 "$here/terminal.py" "$FRLUA" small.lua
    errors_have 'small: round 2 of 2, '
    grep -q $'\e' .err && fail "there is a control sequence"
    tail -c 100 .err | grep -q $'  \r$' || fail "the line is not cleared in the end"
done

it "is not on standard output, which stays one document"
at_terminal small.lua --json -
status 0
valid .out
errors_have 'samples done'

it "is there always, or never, when asked for"
run frlua small.lua --progress always
status 0
errors_have 'small: round 2 of 2, '
at_terminal small.lua --progress never
status 0
errors ''
at_terminal small.lua --progress auto
errors_have 'small: round 2 of 2, '

it "prints no byte of a name that a terminal would obey"
cat >odd.lua <<'END'
local experiment = dofile "small.lua"
experiment.name = "\27]0;title\7"
return experiment
END
at_terminal odd.lua
status 0
errors_have '\27]0;title\7: round 1'

# The longest of the lines that were written one over the other.
longest() {
    tr '\r' '\n' <.err | sed 's/\x1b\[K//g' | wc -L
}

it "is cut to the width of the terminal, in the names before the figures"
for columns in 60 80; do
    run python3 "$here/terminal.py" --columns $columns "$FRLUA" odd.lua
    status 0
    [ "$(longest)" -lt $columns ] || fail "a line of $(longest) fills $columns columns"
    errors_have ': round 2 of 2, '
    errors_have ', 5 of 6 samples done, '
done

cat >long.lua <<'END'
local fr <const> = require "frlua"
return fr.experiment "long" {
  regions = { fr.region "buffer" { bytes = "64 KiB" } },
  arms = { fr.arm "sleeping" { fr.phase "first" { fr.sleep { ms = 2500 }, fr.write "buffer" } } },
  metrics = { fr.metric "first" { at = 1 } }, rounds = 2,
}
END

it "goes on during a long sample"
if [ "$(nproc)" -gt 1 ]; then
    at_terminal long.lua
    status 0
    errors_have ': round 1 of 2, sleeping, 0 of 2 samples done, 1 s in this sample'
    errors_have ' s left, 1 s in this sample'
fi

it "is cut anew when the terminal becomes narrower during a sample"
if [ "$(nproc)" -gt 1 ]; then
    run python3 "$here/terminal.py" --columns 200 --then 40 "$FRLUA" long.lua
    tr '\r' '\n' <.err | sed 's/\x1b\[K//g' | tail -n +3 >later
    [ "$(wc -L <later)" -lt 40 ] || fail "a later line is longer than 40 columns"
    [ "$(wc -l <later)" -ge 2 ] || fail "there is no later line"
fi

it "leaves the CPU of the samples alone: it has no thread where there is no other"
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    threads() { # COMMAND...: how many threads a host makes
        strace -qq -o trace -e trace=clone,clone3,sched_setaffinity "$@" >/dev/null 2>&1
        grep -c CLONE_THREAD trace
    }
    cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
    [ "$(threads "$FRLUA" small.lua)" = 0 ] || fail "there is a thread without a line"
    [ "$(threads taskset -c "$cpu" "$FRLUA" small.lua --progress always)" = 0 ] ||
        fail "there is a thread on the samples' CPU"
    if [ "$(nproc)" -gt 1 ]; then
        [ "$(threads "$FRLUA" small.lua --cpu "$cpu" --progress always)" = 1 ] ||
            fail "there is not one thread"
        # What a host gives a thread of its own: it names itself by 0.
        grep -E '^sched_setaffinity\([1-9]' trace >given || fail "the thread may run anywhere"
        grep -q -E "[[ ]$cpu[] ]" given && fail "the thread may run on the samples' CPU"
    fi
fi

finish
