/* Touching memory: stores and loads of fixed width, in rising address order, none left out.
 *
 * The accesses are volatile, so that no compiler widens, merges or drops them: 8-byte accesses
 * when the stride is one word, single bytes for any larger stride. `stride` is in bytes, > 0.
 */
#ifndef FR_TOUCH_H
#define FR_TOUCH_H

#include <stddef.h>
#include <stdint.h>

/* Writes `value` (its low byte for strides above a word) every `stride` bytes. */
void fr_touch_write(void *base, size_t bytes, size_t stride, uint64_t value);

/* Reads every `stride` bytes; returns the sum of what was read, for the caller to consume. */
uint64_t fr_touch_read(const void *base, size_t bytes, size_t stride);

/* Writes every `stride` bytes the byte that is there already, in one access that only takes the
 * fault of a write; what another process writes there meanwhile is kept, too. */
void fr_touch_keep(void *base, size_t bytes, size_t stride);

/* Writes its own number into every word: 0, 1, 2 … */
void fr_touch_fill_index(void *base, size_t bytes);

#endif
