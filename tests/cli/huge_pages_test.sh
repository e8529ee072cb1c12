#!/bin/bash
# The scripts that read back huge pages and page sizes: on this machine, and where the files in sysfs
# say what other machines' say. Those change only what is read: the pages stay what they really are.
. "$(dirname "$0")/helper.sh"
skip_when_sanitized "a sanitizer's own faults would be counted"
scripts=$(dirname "$(dirname "$FRLUA")")/share/frlua/scripts
sysfs=/sys/kernel/mm/transparent_hugepage
megabytes=16
page=$(getconf PAGESIZE)
huge=$(cat $sysfs/hpage_pmd_size 2>/dev/null || echo 0)
all=$((megabytes << 20))

huge_pages() {
    run frlua "$scripts/huge_pages.lua" $megabytes --wait 0
}

# The line of a case in the table, or its sentence.
row_is() { # CASE, FAULTS, KILOBYTES THAT ARE HUGE
    grep -q -E "^\($1\) .*  $2  +[0-9.]+  +$3 of $((all >> 10)) kB  " .out
}

is_exact() {
    row_is a $((all / huge)) $((all >> 10)) &&
        row_is b $((all / huge - 1 + huge / page)) $(((all - huge) >> 10)) &&
        row_is e $((all / page)) 0
}

says() { # CASE, TEXT
    grep -q -F -e "($1) $2" .out || fail "($1) does not say '$2'"
}

# Whether huge pages are really had here, whatever the files say.
huge_pages
grants=no
if grep -q -E "^\(a\) .* $((all >> 10)) of $((all >> 10)) kB " .out; then grants=yes; fi

it "counts one fault a huge page and one a small page, exactly, or can't answer"
status 0
errors ''
if [ $grants = yes ] && [ "$huge" -gt 0 ] && [ "$huge" -lt "$all" ]; then
    for _ in 1 2 3 4 5; do # the kernel may move a page of the process at any time
        is_exact && break
        huge_pages
    done
    is_exact || fail "the counts are not those of $huge and $page bytes"
    says b "$((all / huge - 1)) huge page"
    says d "none, as it must be: smaller than one huge page"
    output_has 'This run can compare huge pages (a) with small ones (e)'
else
    output_has 'cannot answer the question'
fi
says e 'none, as asked'

it "waits for khugepaged as long as a pass takes by its settings, and no longer than 12 s"
run timeout 25 "$FRLUA" "$scripts/huge_pages.lua"
status 0
errors ''
output_has 'By these settings khugepaged looks at all of 16 MiB in '
grep -q '^(f) .*waited [0-9.]* s' .out || fail "it does not say how long it waited"

it "runs as an ordinary user"
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups "$FRLUA" -e '' 2>.err; then
    run setpriv --reuid 65534 --regid 65534 --clear-groups \
        "$FRLUA" "$scripts/huge_pages.lua" 4 --wait 0
    status 0
    errors ''
    says e 'none, as asked'
fi

it "says how it is called"
run frlua "$scripts/huge_pages.lua" many
status 1
errors_have 'huge_pages.lua [megabytes] [--wait seconds], not many'
run frlua "$scripts/huge_pages.lua" 4 --wait
status 1
errors_have 'huge_pages.lua [megabytes] [--wait seconds], not 4 --wait'

it "says that a refused collapse is one, how often it was tried, and what the error means"
if strace -o /dev/null true 2>.err; then
    refused() {
        run strace -f -o /dev/null -e trace=madvise -e "inject=madvise:error=$1:when=1+" \
            "$FRLUA" "$scripts/huge_pages.lua" 4 --wait 0
        status 0
        grep -q -E "^\(g\) .*cannot collapse 4 MiB: .*\($1\): $2" .out || fail "$1 is not explained"
    }
    refused ENOMEM 'the kernel has no free huge page'
    refused EBUSY 'the limit of the memory cgroup'
    refused EAGAIN '.* another time it may work \(tried 3 times\)'
fi

it "knows nothing where there is neither /proc nor /sys, and says so"
hidden='mount -t tmpfs none /proc && mount -t tmpfs none /sys && exec "$@"'
if unshare -m sh -c "$hidden" sh true 2>.err; then
    run unshare -m sh -c "$hidden" sh "$FRLUA" "$scripts/huge_pages.lua" 4 --wait 0
    status 0
    errors ''
    output_has 'huge page size           unknown, '
    output_has 'This run cannot answer the question: what backs the cases is unknown.'
    says a 'unknown: ENOENT, '
    says b 'not run: the size of a huge page is unknown'
    run unshare -m sh -c "$hidden" sh "$FRLUA" "$scripts/page_size.lua"
    status 0
    errors ''
    output_has 'sysconf(_SC_PAGESIZE)'
    grep -q '^transparent huge page  *unknown  ' .out || fail "a size is known from nowhere"
fi

it "tells the page size as others do, and that MMUPageSize proves nothing"
run frlua "$scripts/page_size.lua"
status 0
errors ''
size="$((page >> 10)) KiB"
for source in 'sysconf(_SC_PAGESIZE)' 'getauxval(AT_PAGESZ)'; do
    grep -q -F -e "$size  $source" .out || fail "$source is not $size"
done
output_has 'of transparent huge pages it proves nothing'
output_has 'AArch64'

it "is told of the process' own switch, which samples inherit"
cat >disabled.py <<'END'
import ctypes, os, sys
if ctypes.CDLL(None).prctl(41, 1, 0, 0, 0) != 0: # PR_SET_THP_DISABLE
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
END
cat >advised.lua <<'END'
local fr = require "frlua"
local huge = fr.machine.huge_page_bytes or 2 * fr.MiB
return fr.experiment "advised" {
  regions = { fr.region "buffer" { bytes = 2 * huge, align = huge, advise = "hugepage" } },
  arms = { fr.arm "touch" { fr.phase "first" { fr.write "buffer" } } },
  rounds = 1,
  metrics = { fr.metric "first" { phase = "first" } },
}
END
why='transparent huge pages are disabled for this process (PR_SET_THP_DISABLE)'
if python3 disabled.py "$(type -P true)" 2>.err && [ "$huge" -gt 0 ]; then
    run python3 disabled.py "$FRLUA" "$scripts/huge_pages.lua" $megabytes --wait 0
    status 0
    output_has "PR_SET_THP_DISABLE       set: $why"
    output_has "AnonHugePages of (a) stayed 0 ($why). The conclusion is not 'huge pages do not help'"
    output_has "it is 'this run cannot answer the question'"
    [ "$huge" -ge "$all" ] || row_is a $((all / page)) 0 || fail "(a) is huge, or took other faults"
    run python3 disabled.py "$FRLUA" advised.lua --json out.json
    status 0
    output_has "'buffer' was advised 'hugepage', and nothing of it is huge ($why)"
    grep -q '"thp_disabled": *true' out.json || fail "the result does not have it"
fi

# A machine whose files say something else. Each argument is a file and its text.
on() {
    rm -rf machine && mkdir machine
    for file; do
        mkdir -p "machine/$(dirname "${file%%=*}")"
        echo "${file#*=}" >"machine/${file%%=*}"
    done
    run unshare -m sh -c 'mount --bind machine "$0" && exec "$@"' $sysfs \
        "$FRLUA" "$scripts/$script" "${arguments[@]}"
    status 0
    errors ''
}
script=huge_pages.lua arguments=("$megabytes" --wait 0)
mkdir machine
if [ ! -d $sysfs ] || ! unshare -m mount --bind machine $sysfs 2>.err; then finish; fi
two_megabytes=hpage_pmd_size=$((2 << 20))

it "labels by what is read back where the setting reads 'never'"
on 'enabled=always madvise [never]' 'defrag=always [never]' $two_megabytes
output_has 'transparent huge pages   never'
if [ $grants = yes ]; then
    row_is a '[0-9]+' $((all >> 10)) || fail "the pages are no longer huge"
    output_has 'Huge pages came although the settings, as read, allow none'
    says g "$((all >> 21)) huge pages, all that its place has room for; MADV_COLLAPSE took"
    output_has "and does not look at the setting 'never'"
else
    output_has "cannot answer the question"
fi

it "keeps the small-page case small where the setting reads 'always'"
on 'enabled=[always] madvise never' $two_megabytes
output_has 'transparent huge pages   always'
says e 'none, as asked'

it "shows a word that it does not know, wherever it stands"
on 'enabled=always inherit auto advise_only [sometimes] never' $two_megabytes
output_has 'transparent huge pages   sometimes'

it "knows neither setting nor size where no word is in brackets and no file has the size"
on 'enabled=always madvise never'
output_has 'transparent huge pages   unknown, no word of'
output_has 'huge page size           unknown, '
output_has 'khugepaged pages_to_scan         unknown, '
says b 'not run: the size of a huge page is unknown'
says a 'how much could be huge is unknown without the size of a huge page'

it "takes the size from its file, and doubts one that what is read back does not fit"
on 'enabled=always [madvise] never' hpage_pmd_size=$((512 << 20))
output_has 'huge page size           512 MiB'
says c 'not run: it takes 768 MiB, and 16 MiB were asked for'
if [ $grants = yes ]; then
    says a "$((all >> 10)) kB of it is huge, no whole pages of 512 MiB"
else
    says a 'none, as it must be: smaller than one huge page of 512 MiB'
fi

it "lists the sizes that are not 'never', and what AnonHugePages 0 does not mean"
on 'enabled=always madvise [never]' $two_megabytes \
    'hugepages-64kB/enabled=[always] inherit madvise never' \
    'hugepages-128kB/enabled=always inherit madvise [never]' \
    'hugepages-2048kB/enabled=always [inherit] madvise never'
output_has "sizes that are not never 64 KiB 'always', 2 MiB 'inherit'"
output_has "0 is not 'all pages are $size'. Pages of 64 KiB are on, too"

it "reads khugepaged's settings, and by them how long a pass takes"
on 'enabled=always [madvise] never' $two_megabytes khugepaged/pages_to_scan=$((all / page / 2)) \
    khugepaged/scan_sleep_millisecs=3500 khugepaged/pages_collapsed=7
output_has 'khugepaged scan_sleep_millisecs  3500'
output_has 'khugepaged looks at all of 16 MiB in 7.0 s at the least'
output_has 'pages_collapsed 7 -> 7'

it "tells the sizes of another machine, and where they are from"
script=page_size.lua arguments=()
on 'enabled=always [madvise] never' hpage_pmd_size=$((512 << 20)) \
    'hugepages-64kB/enabled=[always] inherit madvise never'
grep -q "^transparent huge page  *512 MiB  $sysfs/hpage_pmd_size$" .out || fail "no 512 MiB"
output_has "64 KiB  $sysfs/hugepages-64kB: [always] inherit madvise never"

finish
