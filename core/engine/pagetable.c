#include "engine/pagetable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/region.h"

/* Of <linux/fs.h> from Linux 6.7 on: struct page_region and struct pm_scan_arg. Older headers have
 * neither, and newer ones under these names. */
struct run {
    uint64_t start, end; /* addresses */
    uint64_t categories;
};

struct scan {
    uint64_t size; /* of this struct */
    uint64_t flags;
    uint64_t start, end;
    uint64_t walk_end; /* where the kernel stopped */
    uint64_t runs, runs_length;
    uint64_t max_pages;                                /* 0: no limit */
    uint64_t inverted, mask, any_of_mask, return_mask; /* of categories */
};

#define SCAN _IOWR('f', 16, struct scan)

enum { IS_PRESENT = 1 << 3, IS_HUGE = 1 << 6 };

/* The kernel joins neighbours of the same categories: one run is the rule, one a page the worst. */
enum { RUNS = 64 };

static int scan_some(int pagemap, uint64_t *start, uint64_t end, struct fr_page_table *found)
{
    struct run run[RUNS] = {{0}}; /* checkers of memory do not see the kernel write them */
    struct scan scan = {.size = sizeof scan,
                        .start = *start,
                        .end = end,
                        .runs = (uintptr_t)run,
                        .runs_length = RUNS,
                        .mask = IS_PRESENT,
                        .return_mask = IS_PRESENT | IS_HUGE};
    int runs = ioctl(pagemap, SCAN, &scan);
    if (runs < 0)
        return errno;
    for (int i = 0; i < runs; i++) {
        size_t bytes = (size_t)(run[i].end - run[i].start);
        found->present_bytes += bytes;
        found->huge_bytes += run[i].categories & IS_HUGE ? bytes : 0;
    }
    if (scan.walk_end <= *start)
        return EIO; /* it would go on for ever */
    *start = scan.walk_end;
    return 0;
}

static int scan_all(int pagemap, uint64_t start, uint64_t end, struct fr_page_table *found)
{
    int error = 0;
    while (!error && start < end)
        error = scan_some(pagemap, &start, end, found);
    return error;
}

/* An entry of /proc/self/pagemap, and bits of one of /proc/kpageflags (pagemap.rst). */
#define PRESENT ((uint64_t)1 << 63)
#define FRAME (((uint64_t)1 << 55) - 1)
#define OF_HUGE_PAGE ((uint64_t)1 << 17 | (uint64_t)1 << 22) /* HUGE, THP */

enum { ENTRIES = 512 }; /* that are looked at at once */

static int read_at(int file, uint64_t *words, size_t n, uint64_t first)
{
    ssize_t got = pread(file, words, n * sizeof *words, (off_t)(first * sizeof *words));
    if (got < 0)
        return errno;
    return (size_t)got == n * sizeof *words ? 0 : ENODATA;
}

/* How many entries from the first on are present and have frames that follow one another. */
static size_t frames_in_a_row(const uint64_t *entry, size_t n)
{
    size_t row = 1;
    while (row < n && entry[row] & PRESENT && (entry[row] & FRAME) == (entry[row - 1] & FRAME) + 1)
        row++;
    return row;
}

static int look_up(int kpageflags, const uint64_t *entry, size_t n, struct fr_page_table *found)
{
    const size_t page = fr_page_bytes();
    uint64_t flags[ENTRIES];
    for (size_t i = 0, row; i < n; i += row) {
        row = 1;
        if (!(entry[i] & PRESENT))
            continue;
        if (!(entry[i] & FRAME))
            return EPERM; /* hidden: every frame is 0 */
        row = frames_in_a_row(entry + i, n - i);
        int error = read_at(kpageflags, flags, row, entry[i] & FRAME);
        if (error)
            return error;
        found->present_bytes += row * page;
        for (size_t k = 0; k < row; k++)
            found->huge_bytes += flags[k] & OF_HUGE_PAGE ? page : 0;
    }
    return 0;
}

static int look_up_all(int pagemap, uint64_t start, uint64_t end, struct fr_page_table *found)
{
    const uint64_t page = fr_page_bytes();
    uint64_t entry[ENTRIES];
    int kpageflags = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
    if (kpageflags < 0)
        return errno == EACCES ? EPERM : errno;
    int error = 0;
    for (uint64_t i = start / page, last = end / page, some; !error && i < last; i += some) {
        some = last - i < ENTRIES ? last - i : ENTRIES;
        error = read_at(pagemap, entry, (size_t)some, i);
        if (!error)
            error = look_up(kpageflags, entry, (size_t)some, found);
    }
    close(kpageflags);
    return error;
}

static int is_missing(int error)
{
    return error == ENOTTY || error == EINVAL; /* of a file without ioctls, and without this one */
}

int fr_page_table_read(const void *base, size_t bytes, struct fr_page_table *found)
{
    const uint64_t page = fr_page_bytes(), start = (uintptr_t)base;
    const uint64_t end = (start + bytes + page - 1) / page * page;
    *found = (struct fr_page_table){.method = FR_PAGEMAP_SCAN};
    if (start % page != 0)
        return EINVAL;
    int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pagemap < 0)
        return errno;
    int error = scan_all(pagemap, start, end, found);
    if (is_missing(error)) {
        *found = (struct fr_page_table){.method = FR_KPAGEFLAGS};
        error = look_up_all(pagemap, start, end, found);
    }
    close(pagemap);
    return error;
}
