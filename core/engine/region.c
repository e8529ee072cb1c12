#include "engine/region.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Values of <asm-generic/mman-common.h>: older C libraries do not name the newer ones. */
static const struct {
    const char *name;
    int number;
} advices[] = {
    {"normal", 0},           {"random", 1},          {"sequential", 2},
    {"willneed", 3},         {"dontneed", 4},        {"free", 8},
    {"remove", 9},           {"dontfork", 10},       {"dofork", 11},
    {"mergeable", 12},       {"unmergeable", 13},    {"hugepage", 14},
    {"nohugepage", 15},      {"dontdump", 16},       {"dodump", 17},
    {"wipeonfork", 18},      {"keeponfork", 19},     {"cold", 20},
    {"pageout", 21},         {"populate_read", 22},  {"populate_write", 23},
    {"dontneed_locked", 24}, {"collapse", 25},       {"hwpoison", 100},
    {"soft_offline", 101},   {"guard_install", 102}, {"guard_remove", 103},
};

enum { ADVICES = sizeof advices / sizeof *advices };

int fr_advice_number(const char *name)
{
    for (size_t i = 0; i < ADVICES; i++)
        if (strcmp(advices[i].name, name) == 0)
            return advices[i].number;
    return -1;
}

const char *fr_advice_name(size_t i)
{
    return i < ADVICES ? advices[i].name : NULL;
}

size_t fr_page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Cuts what over-mapping for the alignment left before and behind the region. */
static void trim(unsigned char *start, size_t reserved, const struct fr_region *region)
{
    size_t before = (size_t)(region->base - start);
    size_t behind = reserved - before - region->mapped;
    if (before > 0)
        munmap(start, before);
    if (behind > 0)
        munmap(region->base + region->mapped, behind);
}

int fr_region_map(struct fr_region *region, size_t bytes, size_t align)
{
    const size_t page = fr_page_bytes();
    *region = (struct fr_region){NULL, 0, 0};
    if (bytes == 0 || (align & (align - 1)) != 0)
        return EINVAL;
    if (align < page)
        align = page;
    if (bytes > SIZE_MAX / 4 || align > SIZE_MAX / 4)
        return ENOMEM; /* no sum below wraps */
    size_t mapped = (bytes + page - 1) & ~(page - 1);
    /* At least one page is left over and given back: the hole keeps the kernel from joining the
     * region with its neighbour, and smaps has an entry for it alone. */
    size_t reserved = mapped + align;
    unsigned char *start =
        mmap(NULL, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return errno;
    size_t misfit = (size_t)((uintptr_t)start & (align - 1));
    region->base = start + (misfit ? align - misfit : 0);
    region->bytes = bytes;
    region->mapped = mapped;
    trim(start, reserved, region);
    return 0;
}

void fr_region_unmap(struct fr_region *region)
{
    if (region->base)
        munmap(region->base, region->mapped);
    *region = (struct fr_region){NULL, 0, 0};
}

int fr_region_advise(const struct fr_region *region, int advice)
{
    return madvise(region->base, region->mapped, advice) == 0 ? 0 : errno;
}
