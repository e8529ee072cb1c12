/* The kernel out[i] = mul * in[i] + add over 64-bit words, modulo 2^64.
 *
 * Width: 16-byte vectors on x86-64 and AArch64 (the baseline of both), no wider. The multipliers 1
 * to 5 have loops of their own, because a compiler turns a constant multiplier into shifts and
 * adds, and the figure is to be compared with a hand-written loop that has the constant in it.
 */
#ifndef FR_AFFINE_H
#define FR_AFFINE_H

#include <stddef.h>
#include <stdint.h>

/* `out` and `in` hold `words` words each and do not overlap. */
void fr_affine(uint64_t *restrict out, const uint64_t *restrict in, size_t words, uint64_t mul,
               uint64_t add);

#endif
