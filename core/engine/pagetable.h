/* What the page table maps: between what the kernel says of its pages (smaps) and what the hardware
 * does with them.
 */
#ifndef FR_PAGETABLE_H
#define FR_PAGETABLE_H

#include <stddef.h>

enum fr_page_table_method { FR_PAGEMAP_SCAN = 1, FR_KPAGEFLAGS };

struct fr_page_table {
    size_t present_bytes; /* that have an entry, to a page in memory; one of zeros included */
    size_t huge_bytes;    /* of those, by a huge entry: transparent (also the huge page of zeros,
                             which AnonHugePages leaves out) or from the pool */
    enum fr_page_table_method method;
};

/* Reads how `bytes` of this process from `base`, the start of a page, are mapped; a last page that
 * is not whole counts as a whole one, a hole as not present. Allocates nothing.
 *
 * FR_PAGEMAP_SCAN, an ioctl of /proc/self/pagemap (Linux 6.7, Documentation/admin-guide/mm/
 * pagemap.rst), tells of the entries themselves, to any user. Where it is missing, FR_KPAGEFLAGS
 * looks up every frame in /proc/kpageflags, as a privileged user may: it tells which frames are
 * parts of huge pages, so that huge_bytes is an upper bound. A huge page may be mapped by small
 * entries, too, and large pages of files count there.
 *
 * Returns 0 or an errno value: EINVAL for a base inside a page, EPERM where the ioctl is missing
 * and the kernel hides frames from this user, and what open(2), ioctl(2) and pread(2) say. */
int fr_page_table_read(const void *base, size_t bytes, struct fr_page_table *found);

#endif
