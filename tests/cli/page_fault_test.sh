#!/bin/bash
# The page-fault experiment, and what becomes of samples that touch what is not there.
. "$(dirname "$0")/helper.sh"
skip_when_sanitized "a sanitizer's own faults would be counted"
script=$(dirname "$(dirname "$FRLUA")")/share/frlua/scripts/page_fault.lua

it "prints one flat object of the plain C program's keys, in its order and with its decimals"
run frlua "$script" 8 --summary --rounds 2
status 0
errors ''
shape=$(sed 's/[0-9]/9/g; s/99*/9/g' "$scratch/.out")
[ "$shape" = '{
  "buffer_mb": 9,
  "pages": 9,
  "repeats": 9,
  "first_touch_ns_per_page": 9.9,
  "first_touch_minor_faults": 9,
  "populate_then_touch_ns_per_page": 9.9,
  "populate_minor_faults": 9,
  "retouch_mapped_ns_per_page": 9.9,
  "fault_vs_populate_factor": 9.9
}' ] || fail "the output has another shape"
run "$FRLUA_BUILD/tests/oracle/page_fault" 8
[ "$(sed 's/[0-9]/9/g; s/99*/9/g' "$scratch/.out")" = "$shape" ] || fail "the C program prints otherwise"

it "counts a fault a page in both cases"
pages=$((8 * 1024 * 1024 / $(getconf PAGESIZE)))
run frlua "$script" 8 --summary
output_has "\"pages\": $pages,"
output_has '"repeats": 5,'
output_has "\"first_touch_minor_faults\": $pages,"
output_has "\"populate_minor_faults\": $pages,"

it "claims what differs in ten rounds, and what is counted in any"
run frlua "$script" 4
status 0
output_has '5 rounds of 2 arms, each'
output_has 'WITHDRAWN  populating first is cheaper than faulting page by page'
output_has '--rounds 10 decides what differs'
output_has 'both take one fault a page'
output_has 'touching again takes no fault'
run frlua "$script" 4 --rounds 10
output_has '10 rounds of 2 arms, 1 twin'
output_has "in 10 rounds: " # whichever way it comes out: that depends on the noise of this run

it "has populate and the touch after it as two phases, the faults in the first"
run frlua "$script" 8 --rounds 1 --json -
status 0
cat >phases.lua <<'END'
local document = require "frlua.json".decode(io.read "a")
for _, sample in ipairs(document.samples) do
  local counts = {}
  for _, phase in ipairs(sample.phases) do
    local first = phase.minor_faults[1]
    counts[#counts + 1] = phase.phase .. " " .. (first and first[2] or 0)
  end
  print(sample.arm .. ": " .. table.concat(counts, ", "))
end
END
frlua phases.lua <"$scratch/.out" | sort >phases
[ "$(cat phases)" = "first touch: touch $pages, again 0
populate then touch: populate $pages, touch 0, again 0" ] || fail "the phases are $(cat phases)"

it "shows further arms with --all, on either side of frlua's own options"
run frlua "$script" 4 --all --rounds 1
status 0
for arm in 'first touch' 'MAP_POPULATE' 'mlock' 'private file, write' 'shared file, read' 'tmpfs, read'; do
    output_has "$arm"
done
output_has 'a_fault ns/fault'
run frlua --rounds 1 "$script" --all --summary 4
status 0

it "names the options that were meant, and refuses a summary that there is not"
run frlua "$script" --al
status 2
errors_have "Did you mean '--all'?"
run frlua --rouns 1 "$script" --all
status 2
errors_have "Did you mean '--rounds'?"
run frlua "$script" --summary --json -
status 2
errors_have 'both write to standard output'
echo 'return require "frlua".experiment "x" { regions = {}, metrics = { require "frlua".metric "t" { at = 1 } },
  arms = { require "frlua".arm "a" { require "frlua".phase "p" { require "frlua".spin { ms = 1 } } } } }' >plain.lua
run frlua plain.lua --summary --rounds 1
status 2
errors_have "experiment 'x' has no summary"

it "keeps the other arms where one touches what is not there"
head -c "$(getconf PAGESIZE)" /dev/zero >page
cat >lost.lua <<'END'
local fr = require "frlua"
return fr.experiment "lost" {
  regions = {
    fr.region "beyond" { file = "page", bytes = 3 * fr.machine.page_bytes, shared = true },
    fr.region "warm" { bytes = "64 KiB", memfd = true, fill = "index", shared = true },
    fr.region "small" { bytes = "64 KiB", advise = "nohugepage" },
  },
  arms = {
    fr.arm "bus" { fr.phase "first" { fr.write "beyond" } },
    fr.arm "fault" { fr.phase "first" { fr.populate "beyond", fr.write "small" } },
    fr.arm "well" { fr.phase "first" { fr.collapse "small", fr.write "small" } },
    fr.arm "warm" { fr.phase "first" { fr.evict_file "warm", fr.read "warm" } },
  },
  rounds = 1,
  metrics = { fr.metric "first" { phase = "first" } },
}
END
run frlua lost.lua
status 3
output_has "bus: killed by SIGBUS; region 'beyond' of $((3 * $(getconf PAGESIZE))) bytes of 'page':"
output_has "past the end of the file, or its disk is full, in phase 'first'"
output_has "fault: refused: EFAULT for populate of region 'beyond'"
output_has "well: collapse of 'small' in first: EINVAL"
output_has "'warm' is warm, resident after eviction: $((65536 / $(getconf PAGESIZE))) of"
output_has 'Samples lost: 2 of 4'

it "goes on without a lock that is refused, and says so"
cat >lock.lua <<'END'
local fr = require "frlua"
return fr.experiment "lock" {
  regions = { fr.region "mapped" { bytes = "1 MiB", lock = true }, fr.region "buffer" { bytes = "1 MiB" } },
  arms = {
    fr.arm "map" { fr.phase "first" { fr.write "mapped" } },
    fr.arm "mlock" { fr.phase "first" { fr.lock "buffer", fr.write "buffer" } },
  },
  rounds = 1,
  metrics = { fr.metric "first" { phase = "first" } },
}
END
chmod 755 . && chmod 644 lock.lua
user=env
[ "$(id -u)" != 0 ] || user='setpriv --reuid 65534 --regid 65534 --clear-groups env'
if $user XDG_STATE_HOME=/nowhere "$FRLUA" -e '' 2>"$scratch/.err"; then
    run env XDG_STATE_HOME=/nowhere $user prlimit --memlock=65536:65536 "$FRLUA" lock.lua
    status 0
    output_has "map: not locked of 'mapped': EAGAIN, no more may be locked than RLIMIT_MEMLOCK, which is 64 KiB here"
    output_has "mlock: lock of 'buffer' in first: ENOMEM, no more may be locked"
fi

it "is told that the kernel can't populate by a probe, and labels the loop that does it"
if strace -o /dev/null true 2>"$scratch/.err"; then
    run strace -f -o /dev/null -e trace=madvise -e inject=madvise:error=EINVAL:when=1+ \
        "$FRLUA" "$script" 4 --rounds 1
    status 0
    errors ''
    output_has 'populate then touch: populated by a touch loop'
    output_has "advise of 'buffer': EINVAL"
    output_has 'where a first touch goes: withdrawn, a touch loop populated'
    output_has "the evidence is contrary: the kernel did not do what 'populate then touch' asked"
fi

it "measures without /proc, and says what it does not know"
if unshare -m true 2>"$scratch/.err"; then
    run unshare -m sh -c 'mount -t tmpfs none /proc; exec "$@"' sh "$FRLUA" "$script" 4 --rounds 1
    status 0
    output_has 'first touch: unknown, smaps: ENOENT'
fi

finish
