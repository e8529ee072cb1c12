#!/bin/bash
# What the compiler made of the worker's kernels: instructions.sh WORKER [FLAGS…]
#
# The vectors are the baseline's, 16 bytes wide: wider ones may lower the clock of what follows. The
# loops are loops, and not calls of memset or memcpy, whose width is the C library's choice.
set -u

worker=$1
shift
case "$* $(uname -m)" in
*-march=* | *-mavx* | *-mcpu=*)
    echo "skipped: built for a certain processor: $*"
    exit 77
    ;;
*x86_64 | *aarch64) ;;
*)
    echo "skipped: nothing is known of the instructions of $(uname -m)"
    exit 77
    ;;
esac
command -v objdump >/dev/null || { echo "skipped: no objdump"; exit 77; }

failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}

# The instructions of one function, without addresses and bytes.
code_of() {
    objdump -d --no-show-raw-insn "$worker" | sed -n "/<$1>:\$/,/^\$/s/^ *[0-9a-f]*:\t*//p"
}

wide=$(objdump -d --no-show-raw-insn "$worker" | grep -c -E '%[yz]mm|\bz[0-9]+\.[bhsd]')
[ "$wide" = 0 ] || fail "the worker has $wide instructions on vectors wider than 16 bytes"

for kernel in fr_touch_write fr_touch_read fr_affine fr_chase fr_stream_write fr_count; do
    code=$(code_of "$kernel")
    [ -n "$code" ] || fail "$kernel is not in the worker"
    calls=$(grep -E '^(call|bl|blr)\b|^(jmp|b)\b.*<' <<<"$code" | grep -v "<${kernel}[+>]")
    [ -z "$calls" ] || fail "$kernel leaves its loop: $calls"
    grep -q -E '^(j[a-z]+|b\.[a-z]+|cbn?z|tbn?z)\b' <<<"$code" || fail "$kernel has no loop"
done

# Touching is by words and bytes, however many of them.
for kernel in fr_touch_write fr_touch_read; do
    vectors=$(code_of "$kernel" | grep -c -E '%xmm|\b[qv][0-9]+')
    [ "$vectors" = 0 ] || fail "$kernel has $vectors instructions on vectors"
done

# Streaming is by non-temporal stores and no others, and waits for them in the end.
code=$(code_of fr_stream_write)
stores=$(grep -c -E '^(movnti|stnp)\b' <<<"$code")
others=$(grep -E '^(mov|st)[a-z]*\b.*(,[-0-9a-fx]*\(%|\[)' <<<"$code" | grep -v -E '^(movnti|stnp)\b')
[ "$stores" -gt 0 ] || fail "fr_stream_write has no non-temporal stores"
[ -z "$others" ] || fail "fr_stream_write stores otherwise, too: $others"
grep -q -E '^(sfence|dsb)\b' <<<"$code" || fail "fr_stream_write does not wait for its stores"

# Counting is additions of two registers, without any memory, each of what the one before it made.
code=$(code_of fr_count)
memory=$(grep -v -E '^(nop|lea|data16|cs |xchg +%ax,%ax)' <<<"$code" | grep -E '\(%|\[')
[ -z "$memory" ] || fail "fr_count goes to memory: $memory"
chain=$(grep -E '^(add +%r[a-z0-9]+,%r[a-z0-9]+$|lea +\(%r[a-z0-9]+,%r[a-z0-9]+,1\)|add\s+x[0-9]+, x[0-9]+, x[0-9]+$)' \
    <<<"$code" | wc -l)
[ "$chain" -ge 8 ] || fail "fr_count has $chain additions of registers, not 8 or more"
exit $failed
