#!/bin/bash
# Reports on a terminal: its width, the characters of the locale, colours, and plots.
. "$(dirname "$0")/experiment.bash"
cp "$scripts/small.lua" .
unset COLUMNS NO_COLOR LC_CTYPE LANG
export TERM=xterm PYTHONCOERCECLOCALE=0 # else Python has LC_CTYPE another one for its children

# frlua at a terminal that is its standard output; what comes to it is in .out.
at_terminal() { # COLUMNS ARGUMENT...
    run python3 "$here/terminal.py" --output --columns "$1" "$FRLUA" "${@:2}"
}

# Lines of standard output that are wider than so many columns, by a counting of our own.
wider_than() { # COLUMNS
    python3 -c 'import sys, unicodedata
def width(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
for line in open(".out", encoding="utf-8").read().split("\n"):
    if sum(map(width, line)) > int(sys.argv[1]):
        print(line)' "$1"
}

fits() { # COLUMNS
    [ -z "$(wider_than "$1")" ] || fail "lines are wider than $1: $(wider_than "$1")"
}

# A claim in enough rounds for a verdict, a long name, and characters of all widths.
cat >wide.lua <<'END_OF_SCRIPT'
local fr <const> = require "frlua"
local arms <const> = {}
for index, name in ipairs { "plain", "日本語 and e\u{301} and µs", ("a name of many words "):rep(8),
  ("x"):rep(90), "\27[2J\u{9B}2J" } do
  arms[index] = fr.arm(name) { fr.phase "first" { fr.write "buffer", iterations = 20 } }
end
local metrics <const> = {}
for at = 1, 9 do metrics[at] = fr.metric("iteration" .. at) { at = at } end
return fr.experiment "wide" {
  doc = "a report that is wider than most terminals are",
  regions = { fr.region "buffer" { bytes = "64 KiB", advise = "nohugepage" } },
  arms = arms, metrics = metrics, rounds = 10,
  claims = { fr.claim "the first iteration faults, and takes longer than any other does" {
    test = fr.above { { "plain", "iteration1" }, than = { "plain", "iteration9" } } } },
}
END_OF_SCRIPT
frlua wide.lua --json wide.json >/dev/null || fail "the run failed"

it "fits any width from 60 on, in UTF-8 and in ASCII, with a plot and with every detail"
for columns in 60 61 73 80 100 132 200; do
    for locale in C.UTF-8 C; do
        LC_ALL=$locale at_terminal "$columns" report wide.json --plot --detail --color never
        status 0
        fits "$columns"
    done
done

it "has the same words at every width"
frlua small.lua --json small.json >plain.txt
LC_ALL=C.UTF-8 at_terminal 200 report small.json --color never
cmp .out plain.txt || fail "at 200 columns it is another text than in a file"
LC_ALL=C.UTF-8 at_terminal 60 report small.json --color never
for word in $(tr -c '[:alnum:].' ' ' <plain.txt); do output_has "$word"; done

it "repeats the first column in every block of a table"
at_terminal 60 report wide.json --color never
[ "$(grep -c '^plain  ' .out)" -ge 6 ] || fail "there are fewer blocks than there must be"
[ "$(grep -c '^arm  ' .out)" = "$(grep -c '^plain  ' .out)" ] || fail "heads and rows differ"

it "prints no byte of a name that a terminal would obey"
for locale in C.UTF-8 C; do
    LC_ALL=$locale at_terminal 80 report wide.json --plot --detail --color never
    python3 -c 'import sys
text = open(".out", encoding="utf-8").read()
sys.exit(any(ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160 for c in text))' ||
        fail "there is a control character"
    output_has '\27[2J\u{9B}2J'
done

it "is plain ASCII unless the locale is one of UTF-8"
ascii() { LC_ALL=C grep -q '[^ -~]' .out && fail "there is more than ASCII"; }
for locale in LC_ALL=C LC_ALL=POSIX LANG=de_DE.ISO-8859-1 LC_CTYPE=C NOTHING=; do
    run env --unset=LC_ALL LANG=C.UTF-8 "$locale" \
        python3 "$here/terminal.py" --output --columns 80 "$FRLUA" report wide.json --plot --color never
    case $locale in NOTHING=) grep -q 'µs' .out || fail "no UTF-8 by LANG" ;; *) ascii ;; esac
done
LC_ALL=C run frlua report wide.json --plot # no terminal: the same
ascii
output_has 'e\u{301} and us'

it "keeps names in files as they are, whatever the locale is"
LC_ALL=C at_terminal 60 report wide.json --json again.json
query_is again.json 'ascii(d["arms"][1]["name"])' "'\u65e5\u672c\u8a9e and e\u0301 and \xb5s'"

colored() { grep -q $'\e' .out; }

it "has colours on a terminal, beside words that say the same"
at_terminal 80 report wide.json
colored || fail "there are no colours"
grep -q -E $'^  \e\\[[0-9;]+m(PASS|FAIL|WITHDRAWN)\e\\[0m ' .out || fail "the verdict has no colour"
sed 's/\x1b\[[0-9;]*m//g' .out >without.txt
at_terminal 80 report wide.json --color never
cmp .out without.txt || fail "colours change the text"

it "has no colours in files, on a dumb terminal, and where NO_COLOR is set"
run frlua report wide.json
colored && fail "a file has colours"
TERM=dumb at_terminal 80 report wide.json
colored && fail "a dumb terminal has colours"
NO_COLOR=1 at_terminal 80 report wide.json
colored && fail "NO_COLOR is not heeded"
NO_COLOR='' at_terminal 80 report wide.json
colored || fail "an empty NO_COLOR counts as set"
at_terminal 80 report wide.json --color auto
colored || fail "auto is not the default"

it "has colours always, or never, when asked for"
NO_COLOR=1 run frlua report wide.json --color always
colored || fail "there are no colours"
at_terminal 80 report wide.json --color never
colored && fail "there are colours"
run frlua report wide.json --color sometimes
status 2

it "takes COLUMNS for the width, on a terminal or not, and else never breaks a line in a file"
COLUMNS=70 run frlua report wide.json
fits 70
COLUMNS=70 at_terminal 200 report wide.json --color never
fits 70
run frlua report wide.json
[ -n "$(wider_than 200)" ] || fail "a line in a file is broken"

it "draws the iterations of each arm before the verdicts"
LC_ALL=C.UTF-8 at_terminal 60 report wide.json --plot --color never
output_has 'Iterations: ns of each, medians over the processes'
[ "$(grep -c '^ *iteration$' .out)" = 5 ] || fail "there are not five plots"
grep -q '[⠁-⣿]' .out || fail "there is no braille"
sed -n '/^Verdicts/,$p' .out | grep -q 'iteration$' && fail "verdicts are not the last"

it "says so where there is nothing to draw"
sed 's/, iterations = 20//; s/^for at = 1, 9/for at = 1, 1/; /claims/,/},$/d' wide.lua >once.lua
at_terminal 60 once.lua --rounds 1 --plot --color never
status 0
output_has 'Nothing to draw: '

it "draws what a sweep went over"
cat >sweep.lua <<'END_OF_SCRIPT'
local fr <const> = require "frlua"
return fr.experiment "swept" {
  sweep = { lines = { 8, 64, 512 } },
  arms = { fr.arm "packed" { layout = fr.layout { gap = 64 } } },
  timed = { fr.chase {} }, rounds = 2,
  metrics = { fr.metric "walk" { median_from = 1, per = "load" } },
}
END_OF_SCRIPT
LC_ALL=C at_terminal 60 sweep.lua --plot --color never
status 0
output_has 'walk over lines: ns/load, medians over the processes'
fits 60

finish
