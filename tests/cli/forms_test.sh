#!/bin/bash
# The forms that results have in files: read back by other programs, several at once, in a locale
# with a decimal comma, with names of any bytes, and where files can't be written.
. "$(dirname "$0")/experiment.bash"
cp "$scripts/small.lua" .
forms=(csv csv-iterations md junit tap)

# Every form, of a JSON file beside them.
agree() { # JSON
    local form pairs=() complaints
    for form in "${forms[@]}"; do pairs+=("$form=out.$form"); done
    complaints=$(python3 "$here/../oracle/forms.py" "$1" "${pairs[@]}" 2>&1) ||
        fail "not as in the JSON: $complaints"
}

# Runs frlua with a file of every form.
run_all_forms() {
    local form options=()
    for form in json "${forms[@]}"; do
        rm -f "out.$form"
        options+=("--$form" "out.$form")
    done
    run frlua "$@" "${options[@]}"
}

# Each form of a JSON file is on standard output what the run wrote.
each_printed() { # JSON
    local form
    for form in "${forms[@]}"; do
        frlua report "$1" "--$form" - >printed || fail "report --$form"
        cmp -s printed "out.$form" || fail "report --$form is not what the run wrote"
    done
}

it "writes several forms at once that agree with the JSON, to the digit, beside the report"
run_all_forms small.lua --rounds 6
status 0
errors ''
output_has 'Medians over the processes'
valid out.json
agree out.json
each_printed out.json

it "writes them of a list of experiments, and of what is divided by pages"
cat >list.lua <<'END'
local fr, small = require "frlua", dofile "small.lua"
local write = fr.write "buffer"
local faulting = fr.experiment "faulting" {
  regions = { fr.region "buffer" { bytes = 3 * fr.machine.page_bytes, advise = "nohugepage" } },
  arms = { fr.arm "once" { fr.phase "first" { write } },
           fr.arm "twice" { fr.phase "first" { write }, fr.phase "again" { write } } },
  metrics = { fr.metric "first" { phase = "first", per = "page", keep = "min" },
              fr.metric "faults" { faults_at = 1, phase = "first", keep = { fastest = "first" } },
              fr.metric "again" { phase = "again", per = "line" } },
}
return { small, faulting }
END
run_all_forms list.lua --rounds 7
status 0
agree out.json
each_printed out.json

it "prints a form, and nothing else, where its file is '-'"
for form in "${forms[@]}"; do
    run frlua small.lua --"$form" - --detail
    status 0
    errors ''
    cp .out printed
    run frlua report --"$form" again
    cmp -s again printed || fail "--$form - is not the form alone"
done

it "refuses two forms on one standard output, before anything is measured"
run frlua small.lua --csv - --md -
status 2
output ''
errors_have "--csv - and --md - would both write to standard output"

# Experiments whose every name holds $1, as Lua writes it, with claims of every verdict.
hostile_script() { # NAME FILE
    printf 'local fr, odd = require "frlua", %s\n' "$1" >"$2"
    cat >>"$2" <<'END'
local page = fr.machine.page_bytes
local function named(name, rounds)
  local arms = {}
  for index, arm in ipairs { "a" .. odd, "b" .. odd } do
    arms[index] = fr.arm(arm) { fr.phase(odd) { fr.write(odd) },
      fr.phase("again" .. odd) { fr.write(odd) } }
  end
  local function is(count) return fr.exact { arms[1].name, "faults", count } end
  return fr.experiment(name) { doc = odd, rounds = rounds, arms = arms,
    regions = { fr.region(odd) { bytes = 4 * page, advise = "nohugepage" } },
    metrics = { fr.metric "time" { at = 1, phase = odd, per = "page" },
                fr.metric "faults" { faults_at = 1, phase = odd } },
    reading = function() return { odd, "  " .. odd } end,
    claims = {
      fr.claim("p" .. odd) { test = is(4) }, fr.claim("f" .. odd) { test = is(9) },
      fr.claim("w" .. odd) { needs = fr.huge(arms[2].name), test = is(1) },
      fr.claim("o" .. odd) { needs = fr.huge(arms[1].name), test = is(1),
        otherwise = fr.claim("i" .. odd) { test = fr.below { { arms[1].name, "time" },
          than = { arms[2].name, "time" }, factor = 0.9 } } },
    },
  }
end
return { named(odd, 10), named("second" .. odd, 1) }
END
}

# Each would end something in some form.
names=(
    "'<b>\"&amp;\"</b> --> ]]> <!-- <![CDATA[ \\'x\\''"
    "'a,b;c\\t\"d\"\\r\\ne\\n\\nf\\r'"
    "'| x | \\\\| y\\\\'"
    "'# SKIP \\\\# TODO ok 1 - x\\n1..0\\nBail out!'"
    "'\`\`\`\\n\`x\` *y* _z_ [l](u) ![i](u) \$m\$ ~~s~~ # h #'"
    "'\\27[31m\\1\\b\\127\\xff\\xc3\\u{85}\\u{2028}\\u{FFFE}\\u{202E}'"
    "'\\0nul\\0'"
    "'=1+1 http://a.example/ @b'"
    "' '"
)

for name in "${names[@]}"; do
    it "has the name $name in every form"
    hostile_script "$name" odd.lua
    run_all_forms odd.lua
    [ "$code" = 5 ] || status 0 # where counts are exact a claim fails
    valid out.json
    agree out.json
done
each_printed out.json

it "has the verdicts of all kinds among them"
if ! is_sanitized; then
    query_is out.json 'sorted({c["verdict"] for c in d[0]["claims"]})' \
        "['fail', 'pass', 'withdrawn']"
fi

it "has the path of a script of any bytes, too"
odd=$'<s> "&\' | ,\xff`\n--.lua'
hostile_script "'x'" "$odd"
run_all_forms ./"$odd"
[ "$code" = 5 ] || status 0
agree out.json
run python3 -c 'import xml.etree.ElementTree as tree
print(ascii(tree.parse("out.junit").getroot().get("name")))'
output "'./<s> \"&\\' | ,\\ufffd\`\\\\10--.lua'"

it "says what was lost in every form, with status 3"
run_all_forms "$scripts/stages.lua" --rounds 1 --arm ready --arm first --time-limit 1
status 3
agree out.json
grep -q '^not ok 1 - stages: every sample came back' out.tap || fail "TAP says that all is well"
if command -v prove >/dev/null; then
    run prove --exec cat out.tap
    status 1
    run_all_forms small.lua
    run prove --exec cat out.tap
    status 0
fi

it "has points in all numbers, whatever the locale"
if localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >/dev/null 2>&1; then
    cat >comma.lua <<'END'
assert(os.setlocale "de_DE.UTF-8")
assert(("%.1f"):format(1.5) == "1,5")
return dofile "list.lua"
END
    LOCPATH=$scratch run_all_forms comma.lua --rounds 7
    status 0
    agree out.json
fi

it "is read by R, which takes numbers for numbers"
if command -v Rscript >/dev/null; then
    run_all_forms small.lua
    run Rscript -e 'd <- read.csv("out.csv"); i <- read.csv("out.csv-iterations")
        stopifnot(is.numeric(d$value), is.numeric(i$ns))
        f <- i[i$arm == "natural", ]; g <- d[d$arm == "natural" & d$metric == "faults", ]
        cat(nrow(d), nrow(i), sum(f$minor_faults[f$iteration == 1]) == sum(g$value), "\n")'
    status 0
    output '24 360 TRUE '
fi

it "leaves what is there where a form can't be written, and writes the others"
mkdir place
for form in "${forms[@]}"; do
    run frlua small.lua --"$form" place
    status 4
    output ''
    errors "frlua: cannot write 'place': Is a directory: nothing was measured"
    run frlua report --"$form" place --json other.json
    status 4
    errors "frlua: cannot write 'place': Is a directory"
    [ -d place ] || fail "the directory is gone"
    valid other.json
    run frlua report --"$form" /dev/full
    status 4
    errors "frlua: cannot write '/dev/full': No space left on device"
    run bash -c '"$FRLUA" report "$@" >/dev/full' bash --"$form" -
    status 4
    errors_have 'cannot write standard output: '
done

# A file system of a few pages, which only this command sees. Some of the rows fit.
cat >full.sh <<'END'
mount -t tmpfs -o size=64k none mnt
echo old >mnt/rows
"$FRLUA" report --csv-iterations mnt/rows --tap mnt/tap >/dev/null
echo "status $?, $(cat mnt/rows), $(echo mnt/* mnt/.f*)"
END
it "leaves what is there whole when the disk gets full, and no other file beside it"
mkdir mnt
run frlua small.lua --rounds 20
if unshare --map-root-user --mount mount -t tmpfs none mnt 2>/dev/null; then
    run unshare --map-root-user --mount bash full.sh
    output 'status 4, old, mnt/rows mnt/tap mnt/.f*'
    errors "frlua: cannot write 'mnt/rows': No space left on device"
fi

finish
