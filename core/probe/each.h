/* The first and the second call of every function of the library, from the object that this is
 * compiled into, each through that object's procedure linkage table. */
#ifndef FR_PROBE_EACH_H
#define FR_PROBE_EACH_H

#include <stdint.h>

#include "probe/functions.h"
#include "probe/slots.h"

struct fr_each {
    int64_t first_ns[FR_PROBE_FUNCTIONS], second_ns[FR_PROBE_FUNCTIONS];
    int64_t first_faults, second_faults; /* minor page faults during all of them */
    struct fr_slots before, after;       /* the first calls */
    long sink;                           /* the sum of what they returned */
};

/* Writes all of `each`, which must be writable memory that is there. */
__attribute__((visibility("default"))) void fr_each_run(struct fr_each *each);

/* One line of JSON; `open_ns` below 0: no library was opened. */
void fr_each_print(const struct fr_each *each, int64_t open_ns);

#endif
