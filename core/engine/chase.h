/* A pointer chase: every load's address is the value of the load before, so that nothing overlaps.
 *
 * A chain links slots through the pointer at the start of each; following it from any of them
 * visits every slot once and returns, whatever the order.
 */
#ifndef FR_CHASE_H
#define FR_CHASE_H

#include <stddef.h>
#include <stdint.h>

struct fr_chain {
    size_t slots;           /* 1 to UINT32_MAX */
    const uint64_t *offset; /* slot i lies offset[i] bytes behind the base; NULL: i * stride */
    size_t stride;
    size_t group; /* so many slots that follow each other by number are finished before the next
                     ones begin (0 or `slots`: one group of all) */
    int is_sequential; /* 1: in the order of the numbers, 0: in a random one, groups and slots */
    uint64_t seed;     /* of the random order */
};

/* How many elements of scratch memory the linking of a chain takes. */
size_t fr_chase_scratch(const struct fr_chain *chain);

/* Links a chain; `scratch` is written over. Slots are written in the order in which the chain
 * visits them, from slot 0 on: a walk of a part, from there, finds the lines that were written the
 * longest ago, and which a cache has lost first. */
void fr_chase_link(void *base, const struct fr_chain *chain, uint32_t *scratch);

/* Follows the chain for `steps` loads; returns the address it ends at, to be consumed. */
const void *fr_chase(const void *start, uint64_t steps);

/* Loads until the chain returns to its start, counted; 0 when it takes more than `limit`. */
uint64_t fr_chase_cycle(const void *start, uint64_t limit);

#endif
