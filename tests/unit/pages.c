/* What the kernel does with the pages of regions of every kind, and what it refuses. */
#include "engine/pages.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "engine/advice.h"
#include "engine/faults.h"
#include "engine/touch.h"
#include "test.h"

enum { PAGES = 256 };

static size_t page;

static struct fr_region opened(struct fr_region_wanted wanted)
{
    struct fr_region region;
    wanted.bytes = wanted.bytes ? wanted.bytes : PAGES * page;
    assert_int_equal(fr_region_open(&region, &wanted), 0);
    fr_region_advise(&region, fr_advice_number("nohugepage"));
    return region;
}

static size_t resident(const struct fr_region *region)
{
    size_t pages;
    assert_int_equal(fr_pages_resident(region, &pages), 0);
    return pages;
}

/* The faults of writing, or reading, a byte a page. */
static int64_t faults_of_write(const struct fr_region *region)
{
    struct fr_faults before = fr_faults_now();
    fr_touch_write(region->base, region->bytes, page, 1);
    return fr_faults_now().minor - before.minor;
}

static int64_t faults_of_read(const struct fr_region *region)
{
    struct fr_faults before = fr_faults_now();
    fr_touch_read(region->base, region->bytes, page);
    return fr_faults_now().minor - before.minor;
}

/* The kinds that need nothing of the machine. */
static const struct fr_region_wanted kinds[] = {
    {.kind = FR_ANONYMOUS},
    {.kind = FR_ANONYMOUS, .flags = FR_SHARED},
    {.kind = FR_MEMFD},
    {.kind = FR_MEMFD, .flags = FR_SHARED},
    {.kind = FR_FILE, .path = "/tmp"},
    {.kind = FR_FILE, .path = "/tmp", .flags = FR_SHARED},
    {.kind = FR_FILE, .path = "/dev/shm", .flags = FR_SHARED},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void every_kind_starts_as_zeros_and_keeps_what_is_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        struct fr_region region = opened(kinds[i]);
        assert_int_equal(fr_touch_read(region.base, region.bytes, 8), 0);
        fr_touch_write(region.base, region.bytes, page, 7);
        assert_int_equal(fr_touch_read(region.base, region.bytes, page), 7 * PAGES);
        fr_region_unmap(&region);
    }
}

static void every_kind_lies_where_it_was_asked_to(void **state)
{
    (void)state;
    const size_t align = (size_t)2 << 20;
    for (size_t i = 0; i < KINDS; i++) {
        struct fr_region_wanted wanted = kinds[i];
        wanted.align = align;
        wanted.offset = 3 * page;
        struct fr_region region = opened(wanted);
        assert_int_equal((uintptr_t)region.base % align, 3 * page);
        fr_region_unmap(&region);
    }
}

static void unmapping_leaves_no_file_open(void **state)
{
    (void)state;
    int next = dup(0);
    close(next);
    for (size_t i = 0; i < KINDS; i++) {
        struct fr_region region = opened(kinds[i]);
        fr_region_unmap(&region);
        fr_region_unmap(&region);
    }
    assert_int_equal(dup(0), next);
    close(next);
}

static void populate_takes_every_fault_inside_the_kernel(void **state)
{
    (void)state;
    needs_exact_faults();
    for (size_t i = 0; i < KINDS; i++) {
        struct fr_region region = opened(kinds[i]);
        assert_int_equal(fr_pages_populate(&region, 1), 0);
        assert_int_equal(faults_of_write(&region), 0);
        assert_int_equal(resident(&region), PAGES);
        fr_region_unmap(&region);
    }
}

static void getrusage_counts_the_faults_that_populate_takes(void **state)
{
    (void)state;
    needs_exact_faults();
    struct fr_region region = opened((struct fr_region_wanted){.kind = FR_ANONYMOUS});
    struct fr_faults before = fr_faults_now();
    assert_int_equal(fr_pages_populate(&region, 1), 0);
    assert_int_equal(fr_faults_now().minor - before.minor, PAGES);
    fr_region_unmap(&region);
}

static void populating_for_reading_leaves_the_write_its_fault(void **state)
{
    (void)state;
    needs_exact_faults();
    struct fr_region region = opened((struct fr_region_wanted){.kind = FR_ANONYMOUS});
    assert_int_equal(fr_pages_populate(&region, 0), 0);
    assert_int_equal(faults_of_read(&region), 0);
    assert_int_equal(faults_of_write(&region), PAGES);
    fr_region_unmap(&region);
}

static void a_region_can_be_populated_or_locked_as_it_is_mapped(void **state)
{
    (void)state;
    needs_exact_faults();
    const uint32_t flags[] = {FR_POPULATE, FR_LOCKED};
    for (int i = 0; i < 2; i++) {
        struct fr_region region =
            opened((struct fr_region_wanted){.kind = FR_ANONYMOUS, .flags = flags[i]});
        assert_int_equal(faults_of_write(&region), 0);
        fr_region_unmap(&region);
    }
}

static void mapping_again_drops_the_pages_or_populates_new_ones(void **state)
{
    (void)state;
    needs_exact_faults();
    struct fr_region region = opened((struct fr_region_wanted){.kind = FR_ANONYMOUS});
    fr_touch_write(region.base, region.bytes, page, 1);
    assert_int_equal(fr_region_remap(&region, 0), 0);
    fr_region_advise(&region, fr_advice_number("nohugepage"));
    assert_int_equal(fr_touch_read(region.base, region.bytes, page), 0);
    assert_int_equal(faults_of_write(&region), PAGES);
    assert_int_equal(fr_region_remap(&region, 1), 0);
    assert_int_equal(faults_of_write(&region), 0);
    fr_region_unmap(&region);
}

static void writes_fault_on_every_page_and_reads_of_a_file_on_far_fewer(void **state)
{
    (void)state;
    needs_exact_faults();
    const struct fr_region_wanted file[] = {
        {.kind = FR_FILE, .path = "/tmp"},
        {.kind = FR_FILE, .path = "/tmp", .flags = FR_SHARED},
    };
    struct fr_region written = opened(file[0]), read_only = opened(file[1]);
    fr_pages_fill_index(&written);
    fr_pages_fill_index(&read_only);
    assert_int_equal(faults_of_write(&written), PAGES);
    assert_in_range(faults_of_read(&read_only), 1, PAGES / 2);
    fr_region_unmap(&written);
    fr_region_unmap(&read_only);
}

static void filling_a_file_maps_nothing_of_it(void **state)
{
    (void)state;
    struct fr_region region =
        opened((struct fr_region_wanted){.kind = FR_MEMFD, .flags = FR_SHARED});
    assert_int_equal(fr_pages_fill_index(&region), 0);
    assert_int_equal(resident(&region), PAGES);
    const uint64_t words = region.bytes / 8;
    assert_int_equal(fr_touch_read(region.base, region.bytes, 8), words * (words - 1) / 2);
    fr_region_unmap(&region);
}

static void a_lock_ends_with_unlock(void **state)
{
    (void)state;
    if (FRLUA_SANITIZE) {
        print_message("skipped: a sanitizer has mlock(2) do nothing\n");
        skip();
    }
    struct fr_region region = opened((struct fr_region_wanted){.bytes = 4 * page});
    assert_int_equal(fr_pages_lock(&region), 0);
    assert_int_equal(resident(&region), 4);
    assert_int_equal(fr_region_advise(&region, MADV_DONTNEED), EINVAL); /* locked */
    assert_int_equal(fr_pages_unlock(&region), 0);
    assert_int_equal(fr_region_advise(&region, MADV_DONTNEED), 0);
    fr_region_unmap(&region);
}

static void real_errors_of_populate_pass_through(void **state)
{
    (void)state;
    struct fr_region constant = opened((struct fr_region_wanted){.flags = FR_READ_ONLY});
    assert_int_equal(fr_pages_populate(&constant, 1), EINVAL);
    assert_int_equal(fr_pages_populate(&constant, 0), 0);
    fr_region_unmap(&constant);

    struct fr_region hollow = opened((struct fr_region_wanted){.kind = FR_ANONYMOUS});
    munmap(hollow.base + 3 * page, page);
    assert_int_equal(fr_pages_populate(&hollow, 1), ENOMEM);
    fr_region_unmap(&hollow);

    struct fr_region beyond =
        opened((struct fr_region_wanted){.kind = FR_MEMFD, .flags = FR_SHARED});
    assert_int_equal(ftruncate(beyond.file, (off_t)page), 0);
    assert_int_equal(fr_pages_populate(&beyond, 1), EFAULT);
    fr_region_unmap(&beyond);
}

static void keeping_touches_for_writing_and_changes_nothing(void **state)
{
    (void)state;
    needs_exact_faults();
    struct fr_region region = opened((struct fr_region_wanted){.kind = FR_ANONYMOUS});
    fr_touch_keep(region.base, region.bytes, page);
    assert_int_equal(faults_of_write(&region), 0);
    fr_touch_fill_index(region.base, region.bytes);
    const uint64_t words = region.bytes / 8;
    fr_touch_keep(region.base, region.bytes, 1);
    assert_int_equal(fr_touch_read(region.base, region.bytes, 8), words * (words - 1) / 2);
    fr_region_unmap(&region);
}

static void a_file_is_read_into_memory_as_far_as_it_goes(void **state)
{
    (void)state;
    struct fr_region file = opened((struct fr_region_wanted){.kind = FR_MEMFD, .flags = FR_SHARED});
    struct fr_region buffer = opened((struct fr_region_wanted){.kind = FR_ANONYMOUS});
    fr_pages_fill_index(&file);
    assert_int_equal(fr_pages_read_file(&buffer, &file, buffer.bytes), 0);
    assert_memory_equal(buffer.base, file.base, buffer.bytes);
    assert_int_equal(ftruncate(file.file, (off_t)page), 0);
    assert_int_equal(fr_pages_read_file(&buffer, &file, buffer.bytes), ENODATA);
    fr_region_unmap(&file);
    fr_region_unmap(&buffer);
}

static void evicting_a_file_tells_what_stayed(void **state)
{
    (void)state;
    struct fr_region disk =
        opened((struct fr_region_wanted){.kind = FR_FILE, .path = "/var/tmp", .flags = FR_SHARED});
    struct fr_region memory =
        opened((struct fr_region_wanted){.kind = FR_FILE, .path = "/dev/shm", .flags = FR_SHARED});
    size_t stayed;
    fr_pages_fill_index(&memory);
    assert_int_equal(fr_pages_evict_file(&memory, &stayed), 0);
    assert_int_equal(stayed, PAGES); /* it is nowhere else */
    fr_pages_fill_index(&disk);
    fr_touch_write(disk.base, disk.bytes, page, 1);
    assert_int_equal(fr_pages_evict_file(&disk, &stayed), 0);
    assert_int_equal(stayed, resident(&disk));
    assert_in_range(stayed, 0, PAGES); /* 0, but for file systems in memory */
    fr_region_unmap(&disk);
    fr_region_unmap(&memory);
}

static void an_existing_file_is_opened_and_keeps_its_length(void **state)
{
    (void)state;
    char path[] = "/tmp/frlua-pages-XXXXXX";
    struct stat status;
    int file = mkstemp(path);
    assert_int_equal(write(file, "hello", 5), 5);
    struct fr_region region =
        opened((struct fr_region_wanted){.bytes = 3 * page, .kind = FR_FILE, .path = path});
    assert_memory_equal(region.base, "hello", 6);
    region.base[0] = 'J'; /* private: the file stays as it is */
    fr_region_unmap(&region);
    assert_int_equal(fstat(file, &status), 0);
    assert_int_equal(status.st_size, 5);
    close(file);
    unlink(path);
}

static void files_that_cannot_be_opened_are_refused(void **state)
{
    (void)state;
    struct fr_region region;
    struct fr_region_wanted missing = {.bytes = page, .kind = FR_FILE, .path = "/nowhere/file"};
    assert_int_equal(fr_region_open(&region, &missing), ENOENT);
    assert_null(region.base);
    for (const char *const *path = (const char *const[]){"/dev/null", "/dev/zero", NULL}; *path;
         path++) {
        struct fr_region_wanted device = {.bytes = page, .kind = FR_FILE, .path = *path};
        assert_int_equal(fr_region_open(&region, &device), ENODEV);
        assert_null(region.base);
    }
}

/* Opening it the usual way waits for somebody to write into it. */
static void a_pipe_with_a_name_is_refused_at_once(void **state)
{
    (void)state;
    char directory[] = "/tmp/frlua-pages-XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/pipe", directory);
    assert_int_equal(mkfifo(path, 0600), 0);
    struct fr_region region;
    struct fr_region_wanted pipe = {.bytes = page, .kind = FR_FILE, .path = path};
    alarm(30);
    assert_int_equal(fr_region_open(&region, &pipe), ENODEV);
    pipe.flags = FR_SHARED;
    assert_int_equal(fr_region_open(&region, &pipe), ENODEV);
    alarm(0);
    unlink(path);
    rmdir(directory);
}

static void an_empty_pool_of_huge_pages_is_an_error_and_never_small_pages(void **state)
{
    (void)state;
    struct fr_region region;
    struct fr_region_wanted huge = {.bytes = (size_t)20 << 20, .huge_bytes = (size_t)2 << 20};
    int error = fr_region_open(&region, &huge);
    if (error == 0) {
        assert_int_equal(region.mapped % ((size_t)2 << 20), 0);
        fr_region_unmap(&region);
    } else {
        assert_int_equal(error, ENOMEM);
    }
    huge.huge_bytes = 3 * page;
    assert_int_equal(fr_region_open(&region, &huge), EINVAL);
}

int main(void)
{
    page = fr_page_bytes();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_starts_as_zeros_and_keeps_what_is_written),
        cmocka_unit_test(every_kind_lies_where_it_was_asked_to),
        cmocka_unit_test(unmapping_leaves_no_file_open),
        cmocka_unit_test(populate_takes_every_fault_inside_the_kernel),
        cmocka_unit_test(getrusage_counts_the_faults_that_populate_takes),
        cmocka_unit_test(populating_for_reading_leaves_the_write_its_fault),
        cmocka_unit_test(a_region_can_be_populated_or_locked_as_it_is_mapped),
        cmocka_unit_test(mapping_again_drops_the_pages_or_populates_new_ones),
        cmocka_unit_test(writes_fault_on_every_page_and_reads_of_a_file_on_far_fewer),
        cmocka_unit_test(filling_a_file_maps_nothing_of_it),
        cmocka_unit_test(a_lock_ends_with_unlock),
        cmocka_unit_test(real_errors_of_populate_pass_through),
        cmocka_unit_test(keeping_touches_for_writing_and_changes_nothing),
        cmocka_unit_test(a_file_is_read_into_memory_as_far_as_it_goes),
        cmocka_unit_test(evicting_a_file_tells_what_stayed),
        cmocka_unit_test(an_existing_file_is_opened_and_keeps_its_length),
        cmocka_unit_test(files_that_cannot_be_opened_are_refused),
        cmocka_unit_test(a_pipe_with_a_name_is_refused_at_once),
        cmocka_unit_test(an_empty_pool_of_huge_pages_is_an_error_and_never_small_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
