/* Non-temporal stores: a promise that the data is not used again soon. Lines that are written whole
 * need not be read first, and are not meant to stay in the caches. It is a hint, which a processor
 * may take or not: what became of the lines is to be measured.
 *
 * They are instructions of their own on each architecture, and nothing stands in for them.
 */
#ifndef FR_STREAM_H
#define FR_STREAM_H

#include <stddef.h>
#include <stdint.h>

/* Whether non-temporal stores of this architecture are known here; the same for a whole build. */
int fr_stream_has_stores(void);

/* Writes `value` into every 64-bit word, in rising address order; what is behind the last whole
 * word is left. Returns when the stores are on their way to memory, in order before all later ones.
 * Writes nothing where there are no such stores. */
void fr_stream_write(void *base, size_t bytes, uint64_t value);

#endif
