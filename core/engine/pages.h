/* What the kernel is asked to do with a region's pages: put them there, keep them, drop them, count
 * them. Functions return 0 or the errno value with which it refused.
 */
#ifndef FR_PAGES_H
#define FR_PAGES_H

#include "engine/region.h"

/* Whether this kernel has MADV_POPULATE_WRITE and MADV_POPULATE_READ (Linux 5.14). Tried once, on a
 * page of its own, so that a refusal of a region is not taken for an old kernel. */
int fr_pages_can_populate(void);

/* Has the kernel take the faults of the whole region, as for writing or only for reading. Where it
 * has no call for that, a loop over the pages takes them, which leaves every byte as it is. */
int fr_pages_populate(const struct fr_region *region, int for_writing);

/* Writes its own number into every word: 0, 1, 2 … Memory is resident and mapped afterwards; a file
 * that was made for the region is in memory, but none of it is mapped. */
int fr_pages_fill_index(const struct fr_region *region);

/* mlock(2), munlock(2). */
int fr_pages_lock(const struct fr_region *region);
int fr_pages_unlock(const struct fr_region *region);

/* Pages of the region that are in memory, of base size, by mincore(2); of a file whether this
 * process has them mapped or not. Of a file that it neither owns nor may write, the kernel calls
 * every page resident. */
int fr_pages_resident(const struct fr_region *region, size_t *pages);

/* Reads `bytes` from the start of file's file into the region. ENODATA: the file is shorter. */
int fr_pages_read_file(const struct fr_region *region, const struct fr_region *file, size_t bytes);

/* Asks the kernel to drop the region's file from memory, after writing out what of it is dirty; of
 * a region that is shared or may only be read the translations, too. What is still there then is at
 * *pages: success alone says nothing, file systems in memory, for one, drop nothing. */
int fr_pages_evict_file(const struct fr_region *region, size_t *pages);

#endif
