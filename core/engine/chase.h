/* A pointer chase: every load's address is the value of the load before, so that nothing overlaps.
 *
 * A chain links slots of `stride` bytes through the pointer at the start of each; following it from
 * the first slot visits every slot once and returns, whatever the order.
 */
#ifndef FR_CHASE_H
#define FR_CHASE_H

#include <stddef.h>
#include <stdint.h>

/* Links `slots` > 0 slots of `base` in a random order made from `seed`: groups of `group` slots
 * that lie together are finished before the next one begins (0 or `slots`: one group of all). Only
 * scratch memory is allocated, and freed. Returns 0 or ENOMEM. */
int fr_chase_link(void *base, size_t slots, size_t stride, size_t group, uint64_t seed);

/* Follows the chain for `steps` loads; returns the address it ends at, to be consumed. */
const void *fr_chase(const void *start, uint64_t steps);

/* Loads until the chain returns to its start, counted; 0 when it takes more than `limit`. */
uint64_t fr_chase_cycle(const void *start, uint64_t limit);

#endif
