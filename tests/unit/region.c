/* Regions: where they lie, what of them is in memory, what is refused, what is left behind. */
#include "engine/region.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/advice.h"
#include "test.h"

static size_t page;

static size_t pages_resident(const struct fr_region *region)
{
    size_t pages = region->mapped / page, resident = 0;
    unsigned char *in_memory = malloc(pages);
    assert_int_equal(mincore(region->base, region->mapped, in_memory), 0);
    for (size_t i = 0; i < pages; i++)
        resident += in_memory[i] & 1;
    free(in_memory);
    return resident;
}

static void a_region_lies_at_a_multiple_of_the_alignment_asked_for(void **state)
{
    (void)state;
    for (size_t align = 1; align <= (size_t)64 << 20; align *= 2) {
        struct fr_region region;
        assert_int_equal(fr_region_map(&region, 3 * page + 1, align), 0);
        assert_int_equal((uintptr_t)region.base % align, 0);
        assert_int_equal((uintptr_t)region.base % page, 0);
        fr_region_unmap(&region);
    }
}

static void its_size_is_kept_and_its_mapping_is_whole_pages(void **state)
{
    (void)state;
    const size_t sizes[] = {1, 8, page - 1, page, page + 1, 10 * page + 7};
    const size_t pages[] = {1, 1, 1, 1, 2, 11};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct fr_region region;
        assert_int_equal(fr_region_map(&region, sizes[i], 0), 0);
        assert_int_equal(region.bytes, sizes[i]);
        assert_int_equal(region.mapped, pages[i] * page);
        fr_region_unmap(&region);
    }
}

static void nothing_is_resident_before_the_first_touch(void **state)
{
    (void)state;
    struct fr_region region;
    assert_int_equal(fr_region_map(&region, 64 * page, (size_t)2 << 20), 0);
    assert_int_equal(pages_resident(&region), 0);
    region.base[5 * page] = 1;
    assert_true(pages_resident(&region) >= 1);
    fr_region_unmap(&region);
}

static void every_byte_can_be_written_and_starts_as_zero(void **state)
{
    (void)state;
    struct fr_region region;
    assert_int_equal(fr_region_map(&region, 7 * page, 16 * page), 0);
    for (size_t i = 0; i < region.mapped; i++)
        assert_int_equal(region.base[i], 0);
    memset(region.base, 0xa5, region.mapped);
    fr_region_unmap(&region);
}

static void aligning_leaves_no_address_space_behind(void **state)
{
    (void)state;
    needs_the_address_space();
    for (int i = 0; i < 8; i++) {
        struct fr_region region;
        size_t before = pages_mapped();
        assert_int_equal(fr_region_map(&region, 9 * page, (size_t)4 << 20), 0);
        assert_int_equal(pages_mapped() - before, 9);
        fr_region_unmap(&region);
        assert_int_equal(pages_mapped(), before);
    }
}

static void unmapping_twice_is_harmless(void **state)
{
    (void)state;
    needs_the_address_space();
    struct fr_region region;
    assert_int_equal(fr_region_map(&region, page, 0), 0);
    size_t before = pages_mapped();
    fr_region_unmap(&region);
    assert_null(region.base);
    fr_region_unmap(&region);
    assert_int_equal(before - pages_mapped(), 1);
}

static void sizes_and_alignments_that_cannot_be_are_refused(void **state)
{
    (void)state;
    const size_t half = SIZE_MAX / 2 + 1;
    const struct {
        size_t bytes, align;
        int error;
    } refused[] = {
        {0, 0, EINVAL},
        {0, page, EINVAL},
        {page, 3, EINVAL},
        {page, page + 1, EINVAL},
        {page, SIZE_MAX, EINVAL},
        {SIZE_MAX, 0, ENOMEM},
        {SIZE_MAX, page, ENOMEM},
        {SIZE_MAX - page, 0, ENOMEM},
        {half, 0, ENOMEM},
        {half - 1, page, ENOMEM},
        {page, half, ENOMEM},
        {half + page, half,
         ENOMEM}, /* the sum with the alignment wraps to nothing, and to little */
        {half + 2 * page, half, ENOMEM},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct fr_region region = {.base = (unsigned char *)&region};
        assert_int_equal(fr_region_map(&region, refused[i].bytes, refused[i].align),
                         refused[i].error);
        assert_null(region.base);
        fr_region_unmap(&region);
    }
}

static void what_mmap_refuses_is_passed_on(void **state)
{
    (void)state;
    needs_the_address_space();
    struct fr_region region;
    size_t before = pages_mapped();
    assert_int_equal(fr_region_map(&region, SIZE_MAX / 4, 0), ENOMEM);
    assert_int_equal(fr_region_map(&region, page, SIZE_MAX / 4 / 2 + 1), ENOMEM);
    assert_null(region.base);
    assert_int_equal(pages_mapped(), before);
}

static void advice_reaches_the_kernel(void **state)
{
    (void)state;
    struct fr_region region;
    assert_int_equal(fr_region_map(&region, 4 * page, 0), 0);
    memset(region.base, 1, region.bytes);
    assert_int_equal(fr_region_advise(&region, fr_advice_number("dontneed")), 0);
    assert_int_equal(pages_resident(&region), 0);
    assert_int_equal(region.base[3 * page], 0);
    fr_region_unmap(&region);
}

static void advice_that_the_kernel_does_not_know_is_einval(void **state)
{
    (void)state;
    struct fr_region region;
    assert_int_equal(fr_region_map(&region, page, 0), 0);
    assert_int_equal(fr_region_advise(&region, 12345), EINVAL);
    fr_region_unmap(&region);
}

static void advice_is_named_as_in_the_c_library(void **state)
{
    (void)state;
    assert_int_equal(fr_advice_number("normal"), MADV_NORMAL);
    assert_int_equal(fr_advice_number("willneed"), MADV_WILLNEED);
    assert_int_equal(fr_advice_number("hugepage"), MADV_HUGEPAGE);
    assert_int_equal(fr_advice_number("nohugepage"), MADV_NOHUGEPAGE);
    assert_int_equal(fr_advice_number("cold"), MADV_COLD);
    assert_int_equal(fr_advice_number("populate_write"), 23); /* include/uapi/asm-generic */
    assert_int_equal(fr_advice_number("collapse"), 25);
    assert_int_equal(fr_advice_number("NOHUGEPAGE"), -1);
    assert_int_equal(fr_advice_number(""), -1);
}

static void the_list_of_advice_is_complete_and_ends(void **state)
{
    (void)state;
    size_t names = 0;
    for (; fr_advice_name(names); names++)
        assert_true(fr_advice_number(fr_advice_name(names)) >= 0);
    assert_true(names > 20);
    assert_null(fr_advice_name(names + 1));
}

int main(void)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_lies_at_a_multiple_of_the_alignment_asked_for),
        cmocka_unit_test(its_size_is_kept_and_its_mapping_is_whole_pages),
        cmocka_unit_test(nothing_is_resident_before_the_first_touch),
        cmocka_unit_test(every_byte_can_be_written_and_starts_as_zero),
        cmocka_unit_test(aligning_leaves_no_address_space_behind),
        cmocka_unit_test(unmapping_twice_is_harmless),
        cmocka_unit_test(sizes_and_alignments_that_cannot_be_are_refused),
        cmocka_unit_test(what_mmap_refuses_is_passed_on),
        cmocka_unit_test(advice_reaches_the_kernel),
        cmocka_unit_test(advice_that_the_kernel_does_not_know_is_einval),
        cmocka_unit_test(advice_is_named_as_in_the_c_library),
        cmocka_unit_test(the_list_of_advice_is_complete_and_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
