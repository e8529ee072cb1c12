#!/bin/bash
# scripts/lazy_binding.lua: what a first call costs, and whether it was lazy at all. Times are not
# asserted but where they differ by far; what was bound when is counted, and exact.
sources=$(realpath "$(dirname "$0")/../../core")
. "$(dirname "$0")/helper.sh"
export XDG_STATE_HOME=$scratch/state
root=$(dirname "$(dirname "$FRLUA")")
script=$root/share/frlua/scripts/lazy_binding.lua
probes=$root/lib/frlua/probe

# The numbers of an arm in the table of evidence: the file, slots, bound before, bound by the calls.
evidence() { # ARM
    grep -E "^$1 +(lazy|now|none|unknown) " "$scratch/.out" | head -n 1 |
        sed -E "s/^$1 +//; s/ +/ /g"
}

evidence_is() { # ARM EXPECTED
    [ "$(evidence "$1")" = "$2" ] || fail "the evidence of '$1' is '$(evidence "$1")', not '$2'"
}

slots() { # FILE, as binutils count them
    readelf -rW "$1" | grep -c JUMP_SLO
}

value() {
    python3 -c "import json, statistics
d = json.load(open('$XDG_STATE_HOME/frlua/lazy_binding.json'))
$1"
}

of_libc=$(slots "$probes/call_lazy") of_library=$(slots "$probes/calls_lazy")
of_opened=$(slots "$probes/libcallers_lazy.so")

it "is not fooled by what the user's environment says of the loader"
run env LD_BIND_NOW=1 "$FRLUA" "$script" --rounds 12
status 0
errors ''
before=$(evidence lazy | cut -d ' ' -f 3)
[ "$before" -lt "$of_libc" ] || fail "all slots were bound before the first call"
evidence_is lazy "lazy $of_libc $before 1"

it "counts what was bound: LD_BIND_NOW=0 binds all, an empty one nothing"
evidence_is LD_BIND_NOW=1 "lazy $of_libc $of_libc 0"
evidence_is LD_BIND_NOW=0 "lazy $of_libc $of_libc 0"
evidence_is "LD_BIND_NOW empty" "lazy $of_libc $before 1"
evidence_is "512 functions, lazy" "lazy $of_library $((of_library - 514)) 512"
evidence_is "512 functions, LD_BIND_NOW=1" "lazy $of_library $of_library 0"
evidence_is "dlopen RTLD_LAZY" "lazy $of_opened $((of_opened - 512)) 512"
evidence_is "dlopen RTLD_NOW" "lazy $of_opened $of_opened 0"
output_has 'PASS       LD_BIND_NOW=0 binds before main'
output_has 'PASS       an empty LD_BIND_NOW binds lazily'

it "prints five fresh processes of each kind as three calls, marked where they are short"
calls=$(grep -c -E '^random\(\): first call [0-9]+ ns\*?, second call [0-9]+ ns\*?, third call [0-9]+ ns\*? \(sink [0-9]+\)$' "$scratch/.out")
[ "$calls" = 10 ] || fail "there are $calls processes, not 10"
output_has "* at the clock's resolution: shorter than 10 of its steps or readings"

it "shows the distribution, the parts, what a binding costs, the noise, and a reading"
for what in 'with a page fault' 'where the lazy first call goes' 'page faults of the function' \
    'cold code and data' 'a binding at the first call: ' 'a binding within dlopen by RTLD_NOW: ' \
    "first of 'lazy'" 'Verdicts' 'of a lazy first call, binding is about'; do
    output_has "$what"
done
output_has 'PASS       bound before main, the first calls of 512 functions are faster'

it "withdraws the claim for the program that is linked with -z now, and says by which flags"
output_has 'WITHDRAWN  LD_BIND_NOW=1 makes it faster in a program linked with -z now, too'
output_has 'LD_BIND_NOW can make no difference: asked for by DT_FLAGS and DT_FLAGS_1'

it "keeps every reading, and what it prints follows from them"
output_has "All readings: $XDG_STATE_HOME/frlua/lazy_binding.json"
printed=$(grep -o -E 'a binding at the first call: [0-9.]+' "$scratch/.out" | grep -o -E '[0-9.]+$')
run value "
mean = {(s['arm'], s['round']): statistics.mean(s['readings']['first_ns'])
        for s in d['samples'] if 'first_ns' in s['readings']}
per_round = [mean['512 functions, lazy', r] - mean['512 functions, LD_BIND_NOW=1', r]
             for r in range(1, 13)]
print('%.1f' % statistics.median(per_round), len(d['samples']), len(d['design']['arms']) * 12)"
total=$((16 * 12))
output "$printed $total $total"
run value "print(all(sorted(order) == list(range(1, 17)) for order in d['design']['order']))"
output True

if command -v gcc >/dev/null; then
    build() { # COMPILER OPTION...
        run "$@" -O2 -D_GNU_SOURCE -I"$sources" -o program "$sources"/probe/{call,slots}.c
        status 0
    }
    withdrawn() { # REASON
        run frlua "$script" --rounds 2 --probe ./program
        status 0
        [ "$(grep -c -E '^  WITHDRAWN ' "$scratch/.out")" = 3 ] || fail "not all is withdrawn"
        output_has "$1"
        output_has 'Nothing is said of lazy binding: program is not bound lazily'
    }
    it "withdraws everything of a static program"
    build gcc -static
    withdrawn 'static: it has no dynamic section'
    it "does so of one without a procedure linkage table"
    build gcc -fPIE -pie -fno-plt -Wl,-z,lazy
    withdrawn 'no PLT relocations'
    it "does so of one with DT_BIND_NOW"
    build gcc -fPIE -pie -Wl,-z,now,--disable-new-dtags
    withdrawn 'asked for by DT_BIND_NOW'
    it "takes any program that is lazy, and whose calls are timed the same way"
    build gcc -no-pie -fno-pie -fplt -Wl,-z,lazy
    run frlua "$script" --rounds 2 --probe program
    status 0
    output_has 'PASS       an empty LD_BIND_NOW binds lazily'
    if command -v musl-gcc >/dev/null; then
        it "withdraws everything under musl, which binds at start whatever the file says"
        build musl-gcc -Wl,-z,lazy
        withdrawn "musl's loader"
    fi
fi

it "says what is wrong with a program that prints no times, and has status 3"
run frlua "$script" --rounds 2 --probe /bin/true
status 3
output_has "2 of 2 processes of 'lazy' are lost; the first, in round 1: the program printed no times"
output_has 'Nothing is said of lazy binding'

it "refuses what it does not know"
for wrong in --rounds "--rounds 0" "--round 5" 7; do
    # shellcheck disable=SC2086 # words
    run frlua "$script" $wrong
    status 1
    errors_have 'lazy_binding.lua [--rounds N] [--probe PROGRAM], not '
done

finish
