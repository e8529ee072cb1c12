/* Touching memory that may not be there, without dying of it: a page past the end of a file, a
 * store to what may only be read. For work in the host's own process; a worker is left to die.
 */
#ifndef FR_GUARD_H
#define FR_GUARD_H

#include "engine/region.h"

struct fr_trap {
    int signal;      /* SIGBUS or SIGSEGV; 0: none */
    uint32_t region; /* index of the region that was touched */
    size_t offset;   /* and where in it, in bytes */
};

/* Calls run(argument). A SIGBUS or SIGSEGV at an address in one of the regions ends the call, and
 * is told in *trap; at any other address it does what it always does. Not to be nested. */
void fr_guard(const struct fr_region *region, uint32_t regions, void (*run)(void *), void *argument,
              struct fr_trap *trap);

#endif
