/* What the page table maps, by both ways of asking, against what smaps says and what was touched.
 */
#include "engine/pagetable.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

#include "engine/advice.h"
#include "engine/pages.h"
#include "engine/touch.h"
#include "test.h"

enum { PAGES = 1024 };

static size_t page;
static enum { AS_IT_IS, WITHOUT_SCAN, WITHOUT_FRAMES } kernel;

/* A kernel without the ioctl says ENOTTY, or EINVAL if its pagemap has none at all. */
int __real_ioctl(int file, unsigned long request, void *argument);
int __wrap_ioctl(int file, unsigned long request, void *argument);
int __wrap_ioctl(int file, unsigned long request, void *argument)
{
    if (kernel == AS_IT_IS)
        return __real_ioctl(file, request, argument);
    errno = kernel == WITHOUT_SCAN ? ENOTTY : EINVAL;
    return -1;
}

/* To a user without privileges the kernel shows entries without their frames, bits 0 to 54. */
ssize_t __real_pread(int file, void *buffer, size_t bytes, off_t offset);
ssize_t __wrap_pread(int file, void *buffer, size_t bytes, off_t offset);
ssize_t __wrap_pread(int file, void *buffer, size_t bytes, off_t offset)
{
    ssize_t got = __real_pread(file, buffer, bytes, offset);
    for (ssize_t i = 0; kernel == WITHOUT_FRAMES && i < got / 8; i++)
        ((uint64_t *)buffer)[i] &= UINT64_MAX << 55;
    return got;
}

static struct fr_region mapped(size_t bytes, size_t align, const char *advice)
{
    struct fr_region region;
    assert_int_equal(fr_region_map(&region, bytes, align), 0);
    fr_region_advise(&region, fr_advice_number(advice));
    return region;
}

static struct fr_page_table read_back(const struct fr_region *region)
{
    struct fr_page_table found;
    int error = fr_page_table_read(region->base, region->bytes, &found);
    if (error == EPERM || error == ENOENT) {
        print_message("skipped: this kernel does not tell this user\n");
        skip();
    }
    assert_int_equal(error, 0);
    assert_int_equal(found.method, kernel == AS_IT_IS ? FR_PAGEMAP_SCAN : FR_KPAGEFLAGS);
    return found;
}

/* Asks this kernel, where it has the ioctl, and as if it had not. */
static int as_it_is(void **state)
{
    (void)state;
    kernel = AS_IT_IS;
    return 0;
}

static int without_scan(void **state)
{
    (void)state;
    kernel = WITHOUT_SCAN;
    return 0;
}

static void needs_the_scan(void)
{
    struct fr_region region = mapped(page, 0, "nohugepage");
    struct fr_page_table found = {0};
    fr_page_table_read(region.base, region.bytes, &found);
    fr_region_unmap(&region);
    if (kernel == AS_IT_IS && found.method != FR_PAGEMAP_SCAN) {
        print_message("skipped: this kernel has no PAGEMAP_SCAN\n");
        skip();
    }
}

static void touched_small_pages_are_present_and_none_is_huge(void **state)
{
    (void)state;
    needs_the_scan();
    struct fr_region region = mapped(PAGES * page, 0, "nohugepage");
    fr_touch_write(region.base, region.bytes, page, 1);
    struct fr_page_table found = read_back(&region);
    assert_int_equal(found.present_bytes, PAGES * page);
    assert_int_equal(found.huge_bytes, 0);
    fr_region_unmap(&region);
}

static void untouched_memory_is_not_present(void **state)
{
    (void)state;
    needs_the_scan();
    struct fr_region region = mapped(PAGES * page, 0, "nohugepage");
    assert_int_equal(read_back(&region).present_bytes, 0);
    fr_region_unmap(&region);
}

/* More stretches of pages than are asked for at once. */
static void every_third_page_is_counted_however_many_there_are(void **state)
{
    (void)state;
    needs_the_scan();
    struct fr_region region = mapped(PAGES * page, 0, "nohugepage");
    fr_touch_write(region.base, region.bytes, 3 * page, 1);
    assert_int_equal(read_back(&region).present_bytes, (PAGES + 2) / 3 * page);
    fr_region_unmap(&region);
}

static void only_the_range_counts_and_a_part_of_a_page_is_a_page(void **state)
{
    (void)state;
    needs_the_scan();
    struct fr_region region = mapped(8 * page, 0, "nohugepage");
    struct fr_page_table found;
    fr_touch_write(region.base, region.bytes, page, 1);
    assert_int_equal(fr_page_table_read(region.base + page, 2 * page + 1, &found), 0);
    assert_int_equal(found.present_bytes, 3 * page);
    fr_region_unmap(&region);
}

static void a_hole_is_not_present(void **state)
{
    (void)state;
    needs_the_scan();
    struct fr_region region = mapped(8 * page, 0, "nohugepage");
    fr_touch_write(region.base, region.bytes, page, 1);
    munmap(region.base + 2 * page, 3 * page);
    assert_int_equal(read_back(&region).present_bytes, 5 * page);
    fr_region_unmap(&region);
}

static size_t number_in(const char *path)
{
    char text[32] = "";
    int file = open(path, O_RDONLY);
    if (file < 0)
        return 0;
    ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    return got > 0 ? strtoul(text, NULL, 10) : 0;
}

/* The sum of a field over the mappings of a region in smaps, in bytes. */
static size_t smaps_bytes(const struct fr_region *region, const char *field)
{
    const uintptr_t base = (uintptr_t)region->base;
    char line[512];
    size_t sum = 0, kilobytes;
    unsigned long from, to;
    int is_inside = 0;
    FILE *smaps = fopen("/proc/self/smaps", "r");
    assert_non_null(smaps);
    while (fgets(line, sizeof line, smaps)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            is_inside = from >= base && to <= base + region->mapped;
        else if (is_inside && strncmp(line, field, strlen(field)) == 0 &&
                 sscanf(strchr(line, ':'), ": %zu kB", &kilobytes) == 1)
            sum += kilobytes * 1024;
    }
    fclose(smaps);
    return sum;
}

static void transparent_huge_pages_are_those_that_smaps_tells_of(void **state)
{
    (void)state;
    needs_the_scan();
    const size_t huge = number_in("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
    if (huge == 0)
        skip();
    struct fr_region region = mapped(4 * huge + 2 * page, huge, "hugepage");
    fr_touch_write(region.base, region.bytes, page, 1);
    struct fr_page_table found = read_back(&region);
    size_t told = smaps_bytes(&region, "AnonHugePages:");
    fr_region_unmap(&region);
    if (kernel == AS_IT_IS)
        assert_int_equal(found.huge_bytes, told);
    assert_in_range(found.huge_bytes, told, 4 * huge + 2 * page); /* frames: an upper bound */
    assert_int_equal(found.present_bytes, 4 * huge + 2 * page);
    if (told == 0) {
        print_message("skipped: the kernel grants no huge page\n");
        skip();
    }
}

static void pages_of_the_pool_are_huge(void **state)
{
    (void)state;
    needs_the_scan();
    const size_t huge = (size_t)2 << 20;
    struct fr_region region;
    struct fr_region_wanted wanted = {.bytes = 2 * huge, .huge_bytes = huge};
    if (fr_region_open(&region, &wanted) != 0) {
        print_message("skipped: the pool of huge pages is empty\n");
        skip();
    }
    fr_touch_write(region.base, huge, page, 1);
    struct fr_page_table found = read_back(&region);
    fr_region_unmap(&region);
    assert_int_equal(found.present_bytes, huge);
    assert_int_equal(found.huge_bytes, huge);
}

static void hidden_frames_are_an_error_and_no_count(void **state)
{
    (void)state;
    struct fr_region region = mapped(8 * page, 0, "nohugepage");
    struct fr_page_table found;
    fr_touch_write(region.base, region.bytes, page, 1);
    kernel = WITHOUT_FRAMES;
    int error = fr_page_table_read(region.base, region.bytes, &found);
    kernel = AS_IT_IS;
    fr_region_unmap(&region);
    assert_true(error == EPERM || error == ENOENT); /* ENOENT: not even /proc/kpageflags */
}

static void a_range_that_begins_inside_a_page_is_refused(void **state)
{
    (void)state;
    struct fr_region region = mapped(2 * page, 0, "nohugepage");
    struct fr_page_table found;
    assert_int_equal(fr_page_table_read(region.base + 8, page, &found), EINVAL);
    fr_region_unmap(&region);
}

static int files_open(void)
{
    int open_files = 0;
    for (int file = 0; file < 64; file++)
        open_files += fcntl(file, F_GETFD) >= 0;
    return open_files;
}

static void asking_leaves_no_file_open(void **state)
{
    (void)state;
    struct fr_region region = mapped(2 * page, 0, "nohugepage");
    struct fr_page_table found;
    int before = files_open();
    for (kernel = AS_IT_IS; kernel <= WITHOUT_FRAMES; kernel++)
        fr_page_table_read(region.base, region.bytes, &found);
    kernel = AS_IT_IS;
    assert_int_equal(files_open(), before);
    fr_region_unmap(&region);
}

#define BOTH_WAYS(test)                                                                            \
    cmocka_unit_test_setup(test, as_it_is), cmocka_unit_test_setup(test, without_scan)

int main(void)
{
    page = fr_page_bytes();
    const struct CMUnitTest tests[] = {
        BOTH_WAYS(touched_small_pages_are_present_and_none_is_huge),
        BOTH_WAYS(untouched_memory_is_not_present),
        BOTH_WAYS(every_third_page_is_counted_however_many_there_are),
        BOTH_WAYS(only_the_range_counts_and_a_part_of_a_page_is_a_page),
        BOTH_WAYS(a_hole_is_not_present),
        BOTH_WAYS(transparent_huge_pages_are_those_that_smaps_tells_of),
        BOTH_WAYS(pages_of_the_pool_are_huge),
        cmocka_unit_test_setup(hidden_frames_are_an_error_and_no_count, as_it_is),
        cmocka_unit_test_setup(a_range_that_begins_inside_a_page_is_refused, as_it_is),
        cmocka_unit_test_setup(asking_leaves_no_file_open, as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
