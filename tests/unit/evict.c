/* The evict buffer: written, read, and mapped to the end. */
#include "engine/evict.h"

#include <errno.h>
#include <unistd.h>

#include "engine/faults.h"
#include "test.h"

enum { LINE = 64 };

static size_t page;

static void the_buffer_is_mapped_once_and_stays(void **state)
{
    (void)state;
    needs_the_address_space();
    size_t before = pages_mapped();
    assert_int_equal(fr_evict_prepare(40 * page), 0);
    assert_int_equal(pages_mapped() - before, 40);
    fr_evict(40 * page, LINE);
    assert_int_equal(fr_evict_prepare(40 * page), 0);
    assert_int_equal(fr_evict_prepare(page), 0);
    fr_evict(page, LINE);
    assert_int_equal(pages_mapped() - before, 40);
}

static void a_larger_one_leaves_the_smaller_where_it_is(void **state)
{
    (void)state;
    needs_the_address_space();
    size_t before = pages_mapped();
    assert_int_equal(fr_evict_prepare(100 * page), 0);
    fr_evict(100 * page, LINE);
    assert_int_equal(pages_mapped() - before, 100);
}

static void the_first_eviction_faults_the_buffer_in_and_the_second_does_not(void **state)
{
    (void)state;
    needs_exact_faults();
    assert_int_equal(fr_evict_prepare(200 * page), 0);
    int64_t before = fr_faults_now().minor;
    fr_evict(200 * page, LINE);
    int64_t between = fr_faults_now().minor;
    fr_evict(200 * page, LINE);
    assert_true(between > before);
    assert_int_equal(fr_faults_now().minor - between, 0);
}

/* What is written is the number of bytes; a line's first byte is the lowest of it here. */
static void what_is_written_is_read_back_once_a_line(void **state)
{
    (void)state;
    const uint16_t low_byte_first = 1;
    if (*(const unsigned char *)&low_byte_first != 1)
        skip();
    const size_t bytes = 8 * page + 3 * LINE + 8;
    const size_t lines = 8 * page / LINE + 4;
    assert_int_equal(fr_evict_prepare(bytes), 0);
    assert_int_equal(fr_evict(bytes, LINE), lines * (bytes & 0xff));
}

static void a_size_that_cannot_be_is_refused(void **state)
{
    (void)state;
    assert_int_equal(fr_evict_prepare(SIZE_MAX), ENOMEM);
    assert_int_equal(fr_evict_prepare(SIZE_MAX / 2), ENOMEM);
    assert_int_equal(fr_evict_prepare(page), 0);
    fr_evict(page, LINE);
}

static void the_buffer_that_is_there_is_kept_when_a_larger_one_is_refused(void **state)
{
    (void)state;
    needs_the_address_space();
    assert_int_equal(fr_evict_prepare(300 * page), 0);
    size_t before = pages_mapped();
    assert_int_equal(fr_evict_prepare(SIZE_MAX / 2), ENOMEM);
    assert_int_equal(fr_evict_prepare(300 * page), 0);
    assert_int_equal(pages_mapped(), before);
    fr_evict(300 * page, LINE);
}

int main(void)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_buffer_is_mapped_once_and_stays),
        cmocka_unit_test(a_larger_one_leaves_the_smaller_where_it_is),
        cmocka_unit_test(the_first_eviction_faults_the_buffer_in_and_the_second_does_not),
        cmocka_unit_test(what_is_written_is_read_back_once_a_line),
        cmocka_unit_test(a_size_that_cannot_be_is_refused),
        cmocka_unit_test(the_buffer_that_is_there_is_kept_when_a_larger_one_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
