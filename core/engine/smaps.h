/* The text of /proc/self/smaps, copied as it is: reading it in the process and before it ends is
 * the evidence, understanding it is the host's work.
 */
#ifndef FR_SMAPS_H
#define FR_SMAPS_H

#include <stddef.h>
#include <stdint.h>

/* Copies it from the start to the first entry that lies at or behind the address `end`, which may
 * be cut. `*bytes`, 0 before, counts along. Returns 0 or an errno value, EFBIG where there is more
 * than `capacity` has room for. */
int fr_smaps_copy(char *text, size_t capacity, uint64_t end, uint64_t *bytes);

#endif
