/* What would take a checker of memory minutes: every chain is one cycle of all its slots, as in
 * unit/chase, for as many seeds of a long one; and loads are counted by 64 bits. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/chase.h"

static int is_one_cycle(void)
{
    enum { SLOTS = 1000000, SEEDS = 100 };
    struct fr_chain chain = {.slots = SLOTS, .stride = sizeof(void *)};
    uint32_t *scratch = calloc(fr_chase_scratch(&chain), sizeof *scratch);
    void *base = calloc(SLOTS, chain.stride);
    int failed = !scratch || !base;
    for (chain.seed = 0; chain.seed < SEEDS && !failed; chain.seed++) {
        fr_chase_link(base, &chain, scratch);
        uint64_t steps = fr_chase_cycle(base, SLOTS + 1);
        failed = steps != SLOTS;
        if (failed)
            printf("seed %llu: back after %llu of %d\n", (unsigned long long)chain.seed,
                   (unsigned long long)steps, SLOTS);
    }
    free(scratch);
    free(base);
    return !failed;
}

/* 2^32 + 3 = 5 * 858993459 + 4: the walk ends at slot 4. A counter of 32 bits would make 3 loads.
 */
static int counts_beyond_32_bits(void)
{
    enum { SLOTS = 5, END = 4 };
    void *slot[SLOTS];
    const struct fr_chain chain = {.slots = SLOTS, .stride = sizeof(void *), .is_sequential = 1};
    fr_chase_link(slot, &chain, NULL);
    const void *end = fr_chase(slot, (UINT64_C(1) << 32) + 3);
    if (end != &slot[END])
        printf("2^32 + 3 loads end at %td of %d\n", (void *const *)end - slot, END);
    return end == &slot[END];
}

int main(void)
{
    int good = is_one_cycle();
    return good & counts_beyond_32_bits() ? 0 : 1;
}
