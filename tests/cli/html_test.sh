#!/bin/bash
# --html and --plots: one page that needs nothing else, and the plots of it as files.
. "$(dirname "$0")/experiment.bash"
cp "$scripts/small.lua" .

# What a page is made of, as Python's own parser reads it.
cat >page.py <<'END'
import base64, html.parser, re, sys

class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.text, self.scripts, self.wrong = [], [], [], {}, []
        self.feed(text)
        self.close()
        self.wrong += self.open
    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "link", "br", "img"):
            self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)
    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            key = self.tags[-1][1].get("id", "program")
            self.scripts[key] = self.scripts.get(key, "") + data
        elif self.open and self.open[-1] != "style":
            self.text.append(data)
    def raw(self):
        back = lambda found: "<" if found[1] == "u003c" else found[0]
        return re.sub(r"\\(u003c|.)", back, self.scripts["raw-data"]).encode()
    def script(self):
        return base64.b64decode(self.scripts["script-text"])
    def count(self, tag):
        return sum(1 for name, _ in self.tags if name == tag)
    def addresses(self):
        return [value for _, attributes in self.tags for key, value in attributes.items()
                if key in ("src", "href", "action", "data") and not value.startswith("#")]
    def handlers(self):
        return [key for _, attributes in self.tags for key in attributes if key.startswith("on")]

page = Page(open(sys.argv[1], encoding="utf-8", newline="").read())
text = " ".join(" ".join(page.text).split())
print(eval(sys.argv[2]))
END

page_is() { # FILE EXPRESSION EXPECTED
    local got
    got=$(python3 page.py "$1" "$2" 2>&1)
    [ "$got" = "$3" ] || fail "$2 is not $3, but $got"
}

page_has() { # FILE TEXT
    page_is "$1" "'''$2''' in text" True
}

needs_nothing() { # FILE
    page_is "$1" page.wrong '[]'
    page_is "$1" 'page.addresses()' '[]'
    page_is "$1" 'page.handlers()' '[]'
    grep -q "Content-Security-Policy.*default-src 'none'" "$1" || fail "there is no policy"
    if grep -q 'unsafe-inline' "$1"; then fail "the policy lets anything in"; fi
}

it "writes one page, and prints the report"
run frlua small.lua --seed 5 --html page.html --json result.json
status 0
errors ''
output_has 'Medians over the processes'
needs_nothing page.html
for part in 'as small as can be' small.lua 'Seed of the order 5' 'The machine' 'Linux ' Verdicts \
    'where the first goes' Iterations 'Distribution over the processes' Counts; do
    page_has page.html "$part"
done

it "holds the raw data and the script, byte for byte"
python3 -c 'import sys; sys.argv[1:] = ["page.html", "None"]; exec(open("page.py").read())
open("raw.json", "wb").write(page.raw())
open("script.lua", "wb").write(page.script())' >/dev/null
cmp raw.json result.json || fail "the raw data is another"
cmp script.lua small.lua || fail "the script is another"
run frlua verify raw.json
status 0

it "is made of the result alone: frlua report writes the same page"
run frlua report result.json --html again.html
status 0
cmp page.html again.html || fail "the pages differ"

it "says when the script was changed after the run"
touch -d '+1 hour' small.lua
run frlua report result.json --html changed.html
page_has changed.html 'The file was changed after this run'
mv small.lua elsewhere.lua
run frlua report result.json --html gone.html
page_has gone.html 'The script is not here: cannot read'
page_is gone.html '"script-text" in page.scripts' False
mv elsewhere.lua small.lua

it "prints the page, and nothing else, with --html -"
run frlua small.lua --html -
status 0
errors ''
cp .out printed.html
needs_nothing printed.html

it "says of what is lost, partial or quick that it is"
run frlua small.lua --quick --html quick.html
page_has quick.html 'Quick run: 3 rounds, pauses divided by 10, nothing is claimed.'

it "writes the page of an interrupted run, whose plots come with frlua report"
cat >slow.lua <<'END'
local fr <const> = require "frlua"
return fr.experiment "slow" {
  regions = { fr.region "buffer" { bytes = fr.machine.page_bytes } },
  steps = { fr.step "pause" { fr.sleep { ms = 200 } } }, timed = { fr.write "buffer" },
  iterations = 20, arms = fr.modes { "pause" }, rounds = 100,
  metrics = { fr.metric "first" { at = 1 } },
}
END
start slow.lua --html partial.html --json partial.json
sleeping_worker "$host" >/dev/null
sleep 0.5
kill -INT "$host"
ended
status 130
page_has partial.html 'Partial: interrupted after'
page_has partial.html 'No plots: the run was interrupted'
needs_nothing partial.html
run frlua report partial.json --html partial.html
status 0
page_has partial.html 'Partial: interrupted after'

# Everything that is needed but gnuplot.
mkdir bin
ln -s "$(command -v sh)" bin/sh

it "has the tables without gnuplot, and says what to install"
PATH=$scratch/bin run frlua report result.json --html bare.html
status 0
errors ''
needs_nothing bare.html
page_is bare.html 'page.count("svg")' 0
page_is bare.html 'page.count("table") > 3' True
page_has bare.html 'No plots: gnuplot is not installed: apt-get install gnuplot-nox'

it "has the tables where gnuplot fails, and says how"
printf '#!/bin/sh\necho "<b>no fonts</b>" >&2\nexit 3\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$scratch/bin run frlua report result.json --html failed.html
status 0
page_is failed.html 'page.count("svg")' 0
page_is failed.html 'page.count("table") > 3' True
page_has failed.html 'gnuplot did not draw all plots: <b>no fonts</b>'
PATH=$scratch/bin run frlua report result.json --plots none
status 4
errors_have 'frlua: --plots: gnuplot did not draw all plots'

it "leaves nothing behind in the directory for temporary files"
mkdir tmp
TMPDIR=$scratch/tmp run frlua report result.json --html page.html --plots plots
status 0
[ -z "$(ls -A tmp)" ] || fail "this is left: $(ls -A tmp)"

if ! command -v gnuplot >/dev/null; then
    [ $failed = 0 ] || finish
    skip "the rest needs gnuplot"
fi

it "has every plot with a title, a description and a caption, and a table beside them"
page_is page.html 'page.count("svg"), page.count("figure"), page.count("figcaption")' '(8, 8, 8)'
page_is page.html 'page.count("desc")' 8
page_is page.html 'sum(1 for t, a in page.tags if t == "svg" and a.get("role") == "img")' 8

it "writes the plots as SVG and PNG, under the same names each time"
names=$(ls plots)
[ "$(wc -l <<<"$names")" = 16 ] || fail "there are $(wc -l <<<"$names") files"
for name in plots/small-iterations-warm-pause.svg plots/small-split-where-the-first-goes.png \
    plots/small-distribution-process.svg; do
    [ -s "$name" ] || fail "there is no $name"
done
run frlua small.lua --plots plots
status 0
errors ''
[ "$(ls plots)" = "$names" ] || fail "the names are others"
for name in plots/*.png; do
    [ "$(head -c 8 "$name" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "$name is no PNG"
done
python3 -c 'import sys, xml.dom.minidom
for name in sys.argv[1:]: xml.dom.minidom.parse(name)' plots/*.svg || fail "an SVG is no XML"

it "measures nothing where the plots have no place"
run frlua small.lua --plots small.lua/plots
status 4
errors_have 'nothing was measured'
output ''

it "takes no name for markup, for a command or for a path"
cat >'evil <b>&"`touch pwned`.lua' <<'END'
local fr <const> = require "frlua"
local names <const> = {
  "<script>alert(1)</script>", "`touch pwned` $(touch pwned) @x \\ \"'", "\xff\0\1\27[31m\r\n\t",
  "</svg></script><!--", "../../../etc/passwd", "%d %s ^_{}", "\\u003c \\\\u003c", "-rf", "",
}
local arms <const> = {}
for index, name in ipairs(names) do
  arms[index] = fr.arm(name == "" and " " or name) {
    fr.phase "timed" { fr.write "buffer", iterations = 12 } }
end
return fr.experiment("</title><img src=x> `touch pwned` \xff\1") {
  doc = "</style></script><script>alert(2)</script>", arms = arms, rounds = 2,
  regions = { fr.region "buffer" { bytes = fr.machine.page_bytes } },
  metrics = { fr.metric "first" { at = 1 }, fr.metric "faults" { faults_at = 1 } },
}
END
mkdir -p a/b
run frlua 'evil <b>&"`touch pwned`.lua' --html evil.html --plots a/b/evil --json evil.json
status 0
errors ''
[ ! -e pwned ] || fail "a name was run"
needs_nothing evil.html
page_is evil.html 'page.count("img"), page.count("b"), page.count("svg")' '(0, 0, 12)'
page_is evil.html 'sorted(page.scripts)' "['program', 'raw-data', 'script-text']"
page_is evil.html 'page.raw() == open("evil.json", "rb").read()' True
[ "$(find . -name '*.svg' -path './a/b/evil/*' | wc -l)" = 12 ] || fail "a plot went elsewhere"
python3 -c 'import sys, xml.dom.minidom
for name in sys.argv[1:]: xml.dom.minidom.parse(name)' a/b/evil/*.svg || fail "an SVG is no XML"

it "leaves much raw data beside the page"
cat >large.lua <<'END'
local fr <const> = require "frlua"
return fr.experiment "large" {
  regions = { fr.region "buffer" { bytes = fr.machine.page_bytes } },
  timed = { fr.write "buffer" }, iterations = 1000000, arms = fr.modes { "natural" }, rounds = 3,
  metrics = { fr.metric "first" { at = 1 } },
}
END
run frlua large.lua --html 'lar ge.html' --json large.json
status 0
errors ''
cmp 'lar ge.html.json' large.json || fail "what lies beside the page is not the result"
[ "$(stat -c %s 'lar ge.html')" -lt 200000 ] || fail "the page is large"
page_is 'lar ge.html' 'page.addresses()' "['./lar%20ge.html.json']"
page_has 'lar ge.html' 'it lies beside it'
page_is 'lar ge.html' '"raw-data" in page.scripts' False

it "says where there is no place for it"
run bash -c '"$FRLUA" report large.json --html - >printed.html'
page_has printed.html 'there is no place beside it: --json FILE writes it'
page_is printed.html 'page.addresses()' '[]'

finish
