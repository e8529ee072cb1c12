#include "engine/region.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

size_t fr_page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static int is_power_of_two(size_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

/* How mmap(2) and memfd_create(2) take the size of a huge page: its logarithm, in the high bits. */
static unsigned huge_page_flag(size_t huge_bytes)
{
    return (unsigned)__builtin_ctzl(huge_bytes) << MAP_HUGE_SHIFT;
}

static unsigned memfd_flags(size_t huge_bytes)
{
    return MFD_CLOEXEC | (huge_bytes ? MFD_HUGETLB | huge_page_flag(huge_bytes) : 0);
}

/* A file in `directory` that has no name, or, where the file system can't do that, none any more.
 */
static int open_unnamed(const char *directory)
{
    int file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || errno != EOPNOTSUPP)
        return file;
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/frlua-XXXXXX", directory) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

/* Keeps to what has pages of its own: a pipe or a terminal would block its opener, or take it over.
 */
static int open_mappable(const char *path, int access)
{
    struct stat status;
    int file = open(path, access | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0 ||
        (fstat(file, &status) == 0 && (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode))))
        return file;
    close(file);
    errno = ENODEV;
    return -1;
}

static int open_path(const struct fr_region_wanted *wanted, int *is_made)
{
    struct stat status;
    int is_written = (wanted->flags & FR_SHARED) && !(wanted->flags & FR_READ_ONLY);
    *is_made = stat(wanted->path, &status) == 0 && S_ISDIR(status.st_mode);
    if (*is_made)
        return open_unnamed(wanted->path);
    return open_mappable(wanted->path, is_written ? O_RDWR : O_RDONLY);
}

/* Opens the file behind a region, -1 when there is none. Returns 0 or an errno value. */
static int open_file(const struct fr_region_wanted *wanted, struct fr_region *region)
{
    region->file = -1;
    region->is_made = wanted->kind == FR_MEMFD;
    if (wanted->kind == FR_ANONYMOUS)
        return 0;
    if (wanted->kind == FR_FILE)
        region->file = open_path(wanted, &region->is_made);
    else
        region->file = memfd_create("frlua-region", memfd_flags(wanted->huge_bytes));
    if (region->file < 0)
        return errno;
    if (!region->is_made || ftruncate(region->file, (off_t)region->mapped) == 0)
        return 0;
    int error = errno;
    close(region->file);
    return error;
}

static int mmap_flags(const struct fr_region_wanted *wanted)
{
    int flags = wanted->flags & FR_SHARED ? MAP_SHARED : MAP_PRIVATE;
    if (wanted->kind == FR_ANONYMOUS)
        flags |= MAP_ANONYMOUS;
    if (wanted->kind == FR_ANONYMOUS && wanted->huge_bytes)
        flags |= MAP_HUGETLB | (int)huge_page_flag(wanted->huge_bytes);
    return flags;
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

/* Maps the region at its place in the address space: reserved first, with room for the alignment,
 * as pages of the pool and populated ones must not be taken for what is cut off again. At least one
 * page is left over and given back: the hole keeps the kernel from joining the region with its
 * neighbour, and smaps has an entry for it alone. */
static int place(struct fr_region *region, size_t align, size_t offset, int once)
{
    size_t reserved = region->mapped + align + offset;
    unsigned char *start =
        mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return errno;
    size_t misfit = (size_t)((uintptr_t)start & (align - 1));
    region->base = start + (misfit ? align - misfit : 0) + offset;
    if (mmap(region->base, region->mapped, region->prot, region->flags | MAP_FIXED | once,
             region->file, 0) == MAP_FAILED) {
        int error = errno;
        munmap(start, reserved);
        return error;
    }
    trim(start, reserved, region);
    return 0;
}

int fr_region_open(struct fr_region *region, const struct fr_region_wanted *wanted)
{
    const size_t page = wanted->huge_bytes ? wanted->huge_bytes : fr_page_bytes();
    const size_t align = wanted->align > page ? wanted->align : page;
    *region = (struct fr_region){.file = -1};
    if (wanted->bytes == 0 || !is_power_of_two(page) || wanted->offset % page != 0 ||
        (wanted->align && !is_power_of_two(wanted->align)))
        return EINVAL;
    if (wanted->bytes > SIZE_MAX / 8 || align > SIZE_MAX / 8 || wanted->offset > SIZE_MAX / 8)
        return ENOMEM; /* no sum below wraps */
    struct fr_region made = {.bytes = wanted->bytes, .page = page};
    made.mapped = (wanted->bytes + page - 1) & ~(page - 1);
    made.prot = wanted->flags & FR_READ_ONLY ? PROT_READ : PROT_READ | PROT_WRITE;
    made.flags = mmap_flags(wanted);
    int error = open_file(wanted, &made);
    if (error)
        return error;
    error = place(&made, align, wanted->offset,
                  (wanted->flags & FR_POPULATE ? MAP_POPULATE : 0) |
                      (wanted->flags & FR_LOCKED ? MAP_LOCKED : 0));
    if (!error)
        *region = made;
    else if (made.file >= 0)
        close(made.file);
    return error;
}

int fr_region_map(struct fr_region *region, size_t bytes, size_t align)
{
    const struct fr_region_wanted wanted = {.bytes = bytes, .align = align};
    return fr_region_open(region, &wanted);
}

int fr_region_remap(const struct fr_region *region, int populate)
{
    int flags = region->flags | MAP_FIXED | (populate ? MAP_POPULATE : 0);
    void *base = mmap(region->base, region->mapped, region->prot, flags, region->file, 0);
    return base == MAP_FAILED ? errno : 0;
}

void fr_region_unmap(struct fr_region *region)
{
    if (region->base) {
        munmap(region->base, region->mapped);
        if (region->file >= 0)
            close(region->file);
    }
    *region = (struct fr_region){.file = -1};
}
