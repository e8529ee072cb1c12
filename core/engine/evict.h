/* Evicting the caches: writing and then reading more memory than they hold.
 *
 * The buffer is mapped once, by fr_evict_prepare, and stays mapped until the process ends:
 * unmapping it would invalidate translations of the whole process, and an iteration that follows
 * would be charged for those instead of for cold data.
 */
#ifndef FR_EVICT_H
#define FR_EVICT_H

#include <stddef.h>
#include <stdint.h>

/* Reserves at least `bytes` for later evictions. Returns 0 or an errno value. */
int fr_evict_prepare(size_t bytes);

/* Writes every word of `bytes` of the buffer, then reads every `line` bytes of it; returns a sum
 * to consume. `bytes` is at most what was prepared. The first call also faults the buffer in. */
uint64_t fr_evict(size_t bytes, size_t line);

#endif
