#include "engine/count.h"

/* Nothing is known to a compiler of what is behind this: neither can it join additions, nor replace
 * them by their sum. No instruction comes of it. */
#define OPAQUE(value) __asm__ volatile("" : "+r"(value))

#define STEP(sum, one)                                                                             \
    do {                                                                                           \
        (sum) += (one);                                                                            \
        OPAQUE(sum);                                                                               \
    } while (0)

uint64_t fr_count(uint64_t steps)
{
    uint64_t sum = 0, one = 1;
    /* Out of a register: some cores add small constants while they rename registers, several in one
     * cycle. */
    OPAQUE(one);
    OPAQUE(sum);
    for (; steps >= 8; steps -= 8) {
        STEP(sum, one);
        STEP(sum, one);
        STEP(sum, one);
        STEP(sum, one);
        STEP(sum, one);
        STEP(sum, one);
        STEP(sum, one);
        STEP(sum, one);
    }
    for (; steps > 0; steps--)
        STEP(sum, one);
    return sum;
}
