#include "engine/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/touch.h"

/* Values of <asm-generic/mman-common.h>: older C libraries do not name them. */
enum { POPULATE_READ = 22, POPULATE_WRITE = 23 };

int fr_pages_can_populate(void)
{
    static int known, can;
    struct fr_region probe;
    if (!known && fr_region_map(&probe, fr_page_bytes(), 0) == 0) {
        can = madvise(probe.base, probe.mapped, POPULATE_WRITE) == 0 || errno != EINVAL;
        known = 1;
        fr_region_unmap(&probe);
    }
    return can;
}

int fr_pages_populate(const struct fr_region *region, int for_writing)
{
    if (fr_pages_can_populate()) {
        int advice = for_writing ? POPULATE_WRITE : POPULATE_READ;
        return madvise(region->base, region->mapped, advice) == 0 ? 0 : errno;
    }
    if (for_writing)
        fr_touch_keep(region->base, region->mapped, fr_page_bytes());
    else
        fr_touch_read(region->base, region->mapped, fr_page_bytes());
    return 0;
}

static int write_at(int file, const void *from, size_t bytes, size_t offset)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t written =
            pwrite(file, (const char *)from + done, bytes - done, (off_t)(offset + done));
        if (written < 0 && errno != EINTR)
            return errno;
        if (written > 0)
            done += (size_t)written;
    }
    return 0;
}

static int write_index(const struct fr_region *region)
{
    enum { AT_ONCE = 8192 };
    uint64_t word[AT_ONCE];
    for (size_t first = 0, all = region->bytes / sizeof *word; first < all; first += AT_ONCE) {
        size_t some = all - first < AT_ONCE ? all - first : AT_ONCE;
        for (size_t i = 0; i < some; i++)
            word[i] = first + i;
        int error = write_at(region->file, word, some * sizeof *word, first * sizeof *word);
        if (error)
            return error;
    }
    return 0;
}

int fr_pages_fill_index(const struct fr_region *region)
{
    if (region->is_made && region->page == fr_page_bytes()) /* hugetlb has no write(2) */
        return write_index(region);
    fr_touch_fill_index(region->base, region->bytes);
    return 0;
}

int fr_pages_lock(const struct fr_region *region)
{
    return mlock(region->base, region->mapped) == 0 ? 0 : errno;
}

int fr_pages_unlock(const struct fr_region *region)
{
    return munlock(region->base, region->mapped) == 0 ? 0 : errno;
}

int fr_pages_resident(const struct fr_region *region, size_t *pages)
{
    enum { AT_ONCE = 4096 };
    unsigned char in_memory[AT_ONCE];
    const size_t page = fr_page_bytes();
    *pages = 0;
    for (size_t first = 0, all = region->mapped / page; first < all; first += AT_ONCE) {
        size_t some = all - first < AT_ONCE ? all - first : AT_ONCE;
        if (mincore(region->base + first * page, some * page, in_memory) != 0)
            return errno;
        for (size_t i = 0; i < some; i++)
            *pages += in_memory[i] & 1;
    }
    return 0;
}

int fr_pages_read_file(const struct fr_region *region, const struct fr_region *file, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(file->file, region->base + done, bytes - done, (off_t)done);
        if (got == 0)
            return ENODATA;
        if (got < 0 && errno != EINTR)
            return errno;
        if (got > 0)
            done += (size_t)got;
    }
    return 0;
}

int fr_pages_evict_file(const struct fr_region *region, size_t *pages)
{
    *pages = region->mapped / fr_page_bytes();
    /* Pages that are mapped stay. Dropping the translations of a private region that can be written
     * would drop what was written to it. */
    int is_kept_by_file = (region->flags & MAP_SHARED) || !(region->prot & PROT_WRITE);
    if (is_kept_by_file && madvise(region->base, region->mapped, MADV_DONTNEED) != 0)
        return errno;
    if (fdatasync(region->file) != 0 && errno != EINVAL && errno != EROFS)
        return errno;
    int error = posix_fadvise(region->file, 0, 0, POSIX_FADV_DONTNEED);
    return error ? error : fr_pages_resident(region, pages);
}
