#!/bin/bash
# Results of small experiments, compared: what is printed, written, refused, and the exit statuses.
. "$(dirname "$0")/experiment.bash"
skip_when_sanitized "a sanitizer's own faults would be counted"
schemas=$(realpath "$here/../../lua/frlua")

measure() { # FILE SCRIPT OPTION...
    run frlua "$2" --json "$1" "${@:3}"
    status 0
}

# A script on another number of pages, or with other arms and names, made of the small one.
variant() { # FILE SED-EXPRESSION
    sed -e "$2" "$scripts/small.lua" >"$1"
}

# A result whose times are so many times those of another, signed anew. Only its raw samples differ,
# and all that follows from them.
scaled() { # FROM TO TIMES
    frlua - "$@" <<'END'
local core, json = require "frlua.core", require "frlua.json"
local files, read_result = require "frlua.files", require "frlua.read_result"
local result = require "frlua.result"
local from, to, times = ...
local document = read_result.document(assert(read_result.raw(from))[1])
for _, sample in ipairs(document.samples) do
  sample.process.wall_ns = sample.process.wall_ns * math.tointeger(times)
  for part, ns in pairs(sample.process.parts_ns) do
    sample.process.parts_ns[part] = ns * math.tointeger(times)
  end
  for _, phase in ipairs(sample.phases) do
    local list = {}
    for index = 1, #phase.ns do list[index] = phase.ns[index] * math.tointeger(times) end
    phase.ns = core.series(list)
  end
end
document.wall_ns = document.wall_ns * math.tointeger(times)
for name, part in pairs(result.derive(document.design, document.samples, document.machine,
  document.guards)) do
  document[name] = part
end
assert(files.write(to, result.encode(document)))
END
}

valid_comparison() { # FILE
    local complaints
    complaints=$(python3 - "$schemas/compare.schema.json" "$1" 2>&1 <<'END'
import json, sys
try:
    import jsonschema
except ImportError:
    sys.exit()
schema, document = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
jsonschema.Draft202012Validator.check_schema(schema)
for error in jsonschema.Draft202012Validator(schema).iter_errors(document):
    print(error.json_path, error.message[:200])
END
    )
    [ -z "$complaints" ] || fail "not valid: $complaints"
}

it "compares a result with itself: nothing differs, and it says what it is"
measure a.json "$scripts/small.lua" --rounds 10
run frlua compare a.json a.json --json same.json
status 0
errors ''
output_has 'Nothing differs between machines, builds, settings.'
output_has 'B: the very samples of the base'
valid_comparison same.json
query_is same.json '{row["verdict"] for row in d["rows"]} == {"same", "not told apart"}' True
query_is same.json '[row["ratio"] for row in d["rows"] if "ratio" in row].count(1.0)' 9

it "finds times that are a hundred times as long, and a condition of them: exit status 5"
scaled a.json slow.json 100
run frlua verify slow.json
status 0
run frlua compare a.json slow.json --fail-if 'first > 100%' --fail-if 'faults of warm > 0%'
status 5
output_has 'FAIL       first of '"'warm,pause'"' in B is not above +100 %'
output_has 'PASS       faults of '"'warm'"' in B is not above 0 %'

it "passes the other way round, and with a bound that is far away"
run frlua compare slow.json a.json --fail-if 'first > 5%'
status 0
run frlua compare a.json slow.json --fail-if 'late > 99900%'
status 0
run frlua compare slow.json a.json --fail-if 'first < -5%'
status 5

it "fails of what can't be decided only with --strict"
run frlua compare a.json slow.json --fail-if 'process > 9900%'
status 0
output_has WITHDRAWN
run frlua compare a.json slow.json --fail-if 'process > 9900%' --strict
status 5

it "names a condition that is none before it reads a file, and one about nothing after"
run frlua compare nowhere.json nothing.json --fail-if 'first > 5'
status 2
errors_have "lacks the %"
run frlua compare a.json slow.json --fail-if 'frist > 5%'
status 2
errors_have "there is no metric 'frist', did you mean 'first'?"
output ''

it "makes a table by machine of three files"
scaled a.json slower.json 10000
run frlua compare a.json slow.json slower.json --json three.json
status 0
output_has 'B / A'
output_has 'C / A'
valid_comparison three.json
query_is three.json '[f["path"] for f in d["files"]]' "['a.json', 'slow.json', 'slower.json']"
query_is three.json 'd["tests"], [r["file"] for r in d["rows"][:3]]' "(18, ['B', 'C', 'B'])"
query_is three.json 'min(r["ratio"] for r in d["rows"] if r["file"] == "C" and "ratio" in r) > 1000' True

it "compares one file alone with the last run"
measure b.json "$scripts/small.lua" --rounds 10
run frlua compare a.json
status 0
output_has "frlua/last.json: small, 10 rounds"

it "refuses another experiment, another design and a quick run, each with its reasons"
variant other.lua 's/"small"/"other"/; s/4 \* page/8 * page/; s/iterations = 60/iterations = 61/'
measure other.json other.lua --rounds 6
measure quick.json "$scripts/small.lua" --quick
run frlua compare a.json other.json quick.json
status 2
output ''
errors_have "B 'other.json' is of another experiment: 'other', not 'small'"
errors_have "B 'other.json' region 'buffer' has bytes "
errors_have "B 'other.json' arm 'natural' has phase 1, iterations 61, not 60"
errors_have "C 'quick.json' is a quick run"
errors_have "--force shows it, marked"

it "shows by force what it refuses, marked in every form"
run frlua compare a.json other.json --force --json forced.json --md forced.md --html forced.html
status 0
output_has 'FORCED: these results do not belong together'
valid_comparison forced.json
query_is forced.json 'len(d["forced"]) > 2' True
grep -q FORCED forced.md && grep -q FORCED forced.html || fail "a form is not marked"

it "refuses a result that does not follow from its samples"
sed 's/"wall_ns":[0-9]*,"/"wall_ns":1,"/g' a.json >changed.json
run frlua compare a.json changed.json
status 2
errors_have "B 'changed.json' does not verify: "

it "says which file can't be read, or is no result"
run frlua compare a.json missing.json
status 1
errors_have "cannot read 'missing.json'"
echo '{}' >empty.json
run frlua compare empty.json a.json
status 1
errors_have "'empty.json' is no result file"
run frlua compare
status 2

it "reads standard input, once"
run frlua compare a.json - <slow.json
status 0
output_has 'B  -: small'
run frlua compare - - <slow.json
status 2
errors_have "standard input can be read only once"

it "writes every form, and prints one alone to standard output"
run frlua compare a.json slow.json --csv c.csv --md c.md --html c.html --tap c.tap --junit c.xml \
    --json -
status 0
python3 -c 'import json, sys; json.load(sys.stdin)' <.out || fail "more than JSON was printed"
cp .out c.json
python3 - <<'END' || fail "the forms do not agree"
import csv, json, xml.etree.ElementTree as tree
rows = json.load(open("c.json"))["rows"]
table = list(csv.DictReader(open("c.csv", newline="")))
assert len(rows) == len(table) == 12
for row, line in zip(rows, table):
    assert (row["arm"], row["metric"], row["verdict"]) == (
        line["arm"], line["metric"], line["verdict"])
    for key in "ratio", "p", "p_holm":
        assert row.get(key) == (float(line[key]) if line[key] else None), key
suite = tree.parse("c.xml").getroot()
assert len(suite) == 12 and int(suite.get("failures")) == len(suite.findall("*/failure")) == 9
taps = open("c.tap").read().splitlines()
assert taps[0] == "TAP version 13" # readers of that version refuse a later one
assert taps[1] == "1..12" and sum(line.startswith("not ok ") for line in taps) == 9
page = open("c.html").read()
start = page.index('id="comparison">') + len('id="comparison">')
assert json.loads(page[start:page.index("</script>")])["rows"] == rows
END
run frlua compare a.json slow.json --json - --md -
status 2
errors_have "--json and --md would both write to standard output"

it "leaves a result that is compared, and a file that can't be written, as they are"
cp a.json kept.json
run frlua compare a.json slow.json --json a.json
status 2
errors_have "would replace a result that is compared"
cmp -s a.json kept.json || fail "the result was changed"
run frlua compare a.json slow.json --json nowhere/c.json --md still.md
status 4
errors_have "cannot write 'nowhere/c.json'"
[ -s still.md ] || fail "the other form was not written"

it "takes names as they come: markup, quotes, control bytes, what is no UTF-8"
cat >hostile.lua <<'END'
local fr <const> = require "frlua"
return fr.experiment "</script><b>'\"`|\x01" {
  regions = { fr.region "buffer" { bytes = 65536 } },
  arms = {
    fr.arm "</script><b>`|\27[31m\xFF\"\n" { fr.phase "timed" { fr.write "buffer" } },
    fr.arm "plain" { fr.phase "timed" { fr.write "buffer" } },
  },
  rounds = 6,
  metrics = { fr.metric "first" { at = 1 } },
}
END
measure hostile.json hostile.lua
name=$'x<b>\x01\xFF"|`.json'
cp hostile.json "$name"
run frlua compare hostile.json "$name" --csv h.csv --md h.md --html h.html --tap h.tap \
    --junit h.xml --json h.json --fail-if 'first > 900%'
status 0
if LC_ALL=C grep -q $'[\x01\x1b\xff]' .out h.md h.html h.tap h.xml h.json; then
    fail "a byte that obeys nobody was printed"
fi
valid_comparison h.json
python3 - <<'END' || fail "a form is broken"
import csv, html.parser, json, xml.etree.ElementTree as tree
arm = json.load(open("h.json"))["rows"][0]["arm"]
assert [row["arm"] for row in csv.DictReader(open("h.csv", newline=""))][0] == arm
assert len(tree.parse("h.xml").getroot()) == 2
tags = []
class Reader(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes): tags.append(tag)
Reader().feed(open("h.html").read())
assert tags.count("script") == 1 and "b" not in tags
assert [line for line in open("h.tap") if line.startswith("ok")][0].count("\\") >= 1
END

finish
