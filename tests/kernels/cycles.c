/* Every chain is one cycle of all its slots: the same as unit/chase, for as many seeds of a long
 * one, which would take a checker of memory minutes. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/chase.h"

int main(void)
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
    return failed;
}
