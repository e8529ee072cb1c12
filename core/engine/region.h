/* Regions: private anonymous memory that an experiment works on.
 *
 * The owner of a struct fr_region unmaps it with fr_region_unmap; a region that was never mapped,
 * or is unmapped already, has base NULL and may be unmapped again. Sizes are bytes.
 */
#ifndef FR_REGION_H
#define FR_REGION_H

#include <stddef.h>

struct fr_region {
    unsigned char *base;
    size_t bytes;  /* as asked for */
    size_t mapped; /* rounded up to whole pages */
};

/* Reserves `bytes` at a multiple of `align` (0: a page; else a power of two). Nothing is resident
 * afterwards. Returns 0, or an errno value: EINVAL for zero bytes or an alignment that is no power
 * of two, ENOMEM for more than there can be, and what mmap(2) says. */
int fr_region_map(struct fr_region *region, size_t bytes, size_t align);

void fr_region_unmap(struct fr_region *region);

/* madvise(2) over the whole region. Returns 0 or an errno value. */
int fr_region_advise(const struct fr_region *region, int advice);

/* The number of an advice by madvise's name in lower case ("nohugepage"), or -1. */
int fr_advice_number(const char *name);

/* The i-th known name, or NULL past the end. */
const char *fr_advice_name(size_t i);

/* Bytes in a page of this process, from sysconf(3). */
size_t fr_page_bytes(void);

#endif
