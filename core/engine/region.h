/* Regions: memory that an experiment works on, of one of some kinds.
 *
 * The owner of a struct fr_region unmaps it with fr_region_unmap, which closes its file, too; a
 * region that was never mapped, or is unmapped already, has base NULL and may be unmapped again.
 * Sizes are bytes.
 */
#ifndef FR_REGION_H
#define FR_REGION_H

#include <stddef.h>
#include <stdint.h>

enum fr_region_kind {
    FR_ANONYMOUS,
    FR_MEMFD, /* a file that is nowhere but in memory, and empty at first */
    FR_FILE   /* `path` names it; or a directory, in which it is made: without a name, sparse, and
                 gone with the region */
};

enum { FR_SHARED = 1, FR_READ_ONLY = 2, FR_POPULATE = 4, FR_LOCKED = 8 };

struct fr_region_wanted {
    size_t bytes;
    size_t align, offset; /* the address is `offset`, whole pages, past a multiple of `align`, a
                             power of two (0: a page) */
    size_t huge_bytes;    /* > 0: of pages of this size from the pool (hugetlb) */
    const char *path;     /* of FR_FILE */
    uint32_t kind, flags; /* flags: FR_POPULATE is MAP_POPULATE, FR_LOCKED is MAP_LOCKED */
};

struct fr_region {
    unsigned char *base;
    size_t bytes;    /* as asked for */
    size_t mapped;   /* rounded up to whole pages */
    size_t page;     /* bytes in one of them */
    int file;        /* descriptor, or -1 */
    int is_made;     /* 1: the file was made for the region */
    int prot, flags; /* as mmap(2) had them, to map it again */
};

/* Reserves memory; without FR_POPULATE and FR_LOCKED nothing is resident afterwards. An existing
 * file keeps its length, also where it ends before the region. Returns 0, or an errno value: EINVAL
 * for zero bytes or an alignment that is no power of two, ENOMEM for more than there can be, ENODEV
 * for a file that is neither a regular one nor a block device, and what open(2), ftruncate(2) and
 * mmap(2) say. */
int fr_region_open(struct fr_region *region, const struct fr_region_wanted *wanted);

/* The same for private anonymous memory. */
int fr_region_map(struct fr_region *region, size_t bytes, size_t align);

/* Maps the region again where it is, which drops its pages, its advice and its lock; `populate` as
 * FR_POPULATE. Returns 0 or an errno value. */
int fr_region_remap(const struct fr_region *region, int populate);

void fr_region_unmap(struct fr_region *region);

/* Bytes in a page of this process, from sysconf(3). */
size_t fr_page_bytes(void);

#endif
