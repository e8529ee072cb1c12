#include "engine/affine.h"

static inline __attribute__((always_inline)) void affine_loop(uint64_t *restrict out,
                                                              const uint64_t *restrict in,
                                                              size_t words, uint64_t mul,
                                                              uint64_t add)
{
    for (size_t i = 0; i < words; i++)
        out[i] = mul * in[i] + add;
}

void fr_affine(uint64_t *restrict out, const uint64_t *restrict in, size_t words, uint64_t mul,
               uint64_t add)
{
    switch (mul) {
    case 1:
        affine_loop(out, in, words, 1, add);
        break;
    case 2:
        affine_loop(out, in, words, 2, add);
        break;
    case 3:
        affine_loop(out, in, words, 3, add);
        break;
    case 4:
        affine_loop(out, in, words, 4, add);
        break;
    case 5:
        affine_loop(out, in, words, 5, add);
        break;
    default:
        affine_loop(out, in, words, mul, add);
    }
}
