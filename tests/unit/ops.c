/* Operations and the loop that times them: what each does, what is recorded, which faults count. */
#include "engine/ops.h"
#include "engine/clock.h"

#include <unistd.h>

#include "engine/advice.h"
#include "engine/stream.h"
#include "engine/touch.h"
#include "test.h"

enum { PAGES = 128, LONG = 100000 };

static size_t page;
static struct fr_region region[2];
static struct fr_reading reading[LONG];

static void map_fresh(struct fr_region *fresh, size_t bytes)
{
    assert_int_equal(fr_region_map(fresh, bytes, 0), 0);
    fr_region_advise(fresh, fr_advice_number("nohugepage")); /* no huge pages at all is as good */
}

static int map_regions(void **state)
{
    (void)state;
    page = fr_page_bytes();
    memset(reading, 0, sizeof reading);
    map_fresh(&region[0], PAGES * page);
    map_fresh(&region[1], PAGES * page);
    return 0;
}

static int unmap_regions(void **state)
{
    (void)state;
    fr_region_unmap(&region[0]);
    fr_region_unmap(&region[1]);
    return 0;
}

static uint64_t run(struct fr_op op)
{
    struct fr_program program = {&op, 1, region, CLOCK_MONOTONIC, NULL};
    assert_int_equal(fr_ops_prepare(&program), 0);
    return fr_ops_run(&program);
}

/* Times `op` and returns the sum; `finished` is checked against the iterations. */
static uint64_t timed(struct fr_op op, uint64_t iterations)
{
    struct fr_program program = {&op, 1, region, CLOCK_MONOTONIC, NULL};
    volatile uint64_t finished = 0;
    struct fr_window window;
    assert_int_equal(fr_ops_prepare(&program), 0);
    uint64_t sum = fr_ops_time(&program, iterations, reading, &finished, &window, NULL);
    assert_int_equal(finished, iterations);
    return sum;
}

static void write_and_read_work_on_their_region(void **state)
{
    (void)state;
    run((struct fr_op){.code = FR_OP_WRITE, .region = 1, .stride = 8, .value = 3});
    assert_int_equal(run((struct fr_op){.code = FR_OP_READ, .region = 1, .stride = 8}),
                     3 * PAGES * page / 8);
    assert_int_equal(run((struct fr_op){.code = FR_OP_READ, .region = 0, .stride = 8}), 0);
}

static void affine_goes_from_one_region_to_the_other(void **state)
{
    (void)state;
    fr_touch_fill_index(region[0].base, region[0].bytes);
    run((struct fr_op){
        .code = FR_OP_AFFINE, .region = 1, .from = 0, .amount = 100, .mul = 3, .value = 1});
    const uint64_t *word = (const uint64_t *)(const void *)region[1].base;
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(word[i], 3 * i + 1);
    assert_int_equal(word[100], 0);
}

static void stream_writes_every_word_of_its_region(void **state)
{
    (void)state;
    if (!fr_stream_has_stores())
        skip();
    region[1].bytes = 100 * 8 + 7;
    run((struct fr_op){.code = FR_OP_STREAM, .region = 1, .value = 3});
    assert_int_equal(fr_touch_read(region[1].base, PAGES * page, 8), 100 * 3);
    region[1].bytes = PAGES * page;
}

static void count_is_of_steps_and_touches_no_memory(void **state)
{
    (void)state;
    assert_int_equal(timed((struct fr_op){.code = FR_OP_COUNT, .amount = 1003}, 20), 20 * 1003);
    needs_exact_faults();
    for (int i = 0; i < 20; i++)
        assert_int_equal(reading[i].minor_faults, 0);
}

static void evict_reads_what_the_largest_eviction_needs(void **state)
{
    (void)state;
    const struct fr_op op[] = {{.code = FR_OP_EVICT, .amount = page + 8, .stride = page},
                               {.code = FR_OP_EVICT, .amount = 50 * page + 8, .stride = page}};
    struct fr_program program = {op, 2, region, CLOCK_MONOTONIC, NULL};
    assert_int_equal(fr_ops_prepare(&program), 0);
    assert_int_equal(fr_ops_run(&program), 8 * (2 + 51));
}

/* On or off the CPU, the time asked for passes at least. */
static void pauses_take_as_long_as_asked(void **state)
{
    (void)state;
    const uint64_t ns = 3000000;
    timed((struct fr_op){.code = FR_OP_SLEEP, .amount = ns}, 3);
    for (int i = 0; i < 3; i++)
        assert_true(reading[i].ns >= (int64_t)ns);
    timed((struct fr_op){.code = FR_OP_SPIN, .amount = ns}, 3);
    for (int i = 0; i < 3; i++)
        assert_true(reading[i].ns >= (int64_t)ns);
}

static void a_first_write_faults_once_a_page_and_the_second_not_at_all(void **state)
{
    (void)state;
    needs_exact_faults();
    const struct fr_op write = {.code = FR_OP_WRITE, .region = 0, .stride = page, .value = 1};
    struct fr_op warm = write;
    warm.region = 1;
    timed(warm, 1); /* the code's own pages */
    timed(write, 3);
    assert_int_equal(reading[0].minor_faults, PAGES);
    assert_int_equal(reading[1].minor_faults, 0);
    assert_int_equal(reading[2].minor_faults, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(reading[i].major_faults, 0);
}

static void a_first_read_faults_and_the_write_after_it_faults_again(void **state)
{
    (void)state;
    needs_exact_faults();
    timed((struct fr_op){.code = FR_OP_READ, .region = 0, .stride = page}, 2);
    assert_int_equal(reading[0].minor_faults, PAGES); /* the zero page */
    assert_int_equal(reading[1].minor_faults, 0);
    timed((struct fr_op){.code = FR_OP_WRITE, .region = 0, .stride = page}, 1);
    assert_int_equal(reading[0].minor_faults, PAGES); /* a page of its own */
}

static void recording_a_hundred_thousand_iterations_faults_never(void **state)
{
    (void)state;
    needs_exact_faults();
    const struct fr_op one_word = {.code = FR_OP_AFFINE, .region = 1, .from = 0, .amount = 1};
    timed(one_word, 1);
    timed(one_word, LONG);
    for (int i = 0; i < LONG; i++)
        assert_int_equal(reading[i].minor_faults + reading[i].major_faults, 0);
}

static void every_iteration_has_its_time(void **state)
{
    (void)state;
    timed((struct fr_op){.code = FR_OP_WRITE, .region = 0, .stride = 8}, 50);
    for (int i = 0; i < 50; i++)
        assert_true(reading[i].ns > 0);
    assert_int_equal(reading[50].ns, 0);
}

static void all_operations_of_an_iteration_run_in_their_order(void **state)
{
    (void)state;
    const struct fr_op op[] = {{.code = FR_OP_WRITE, .region = 0, .stride = 8, .value = 1},
                               {.code = FR_OP_READ, .region = 0, .stride = 8},
                               {.code = FR_OP_WRITE, .region = 0, .stride = 8, .value = 5}};
    struct fr_program program = {op, 3, region, CLOCK_MONOTONIC, NULL};
    volatile uint64_t finished = 0;
    struct fr_window window;
    int64_t before = fr_clock_ns(CLOCK_MONOTONIC);
    assert_int_equal(fr_ops_time(&program, 2, reading, &finished, &window, NULL),
                     2 * PAGES * page / 8);
    assert_true(before <= window.start_ns);
    assert_true(window.end_ns - window.start_ns >= reading[0].ns + reading[1].ns);
    assert_int_equal(region[0].base[0], 5);
}

#define WITH_REGIONS(test) cmocka_unit_test_setup_teardown(test, map_regions, unmap_regions)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_REGIONS(write_and_read_work_on_their_region),
        WITH_REGIONS(affine_goes_from_one_region_to_the_other),
        WITH_REGIONS(stream_writes_every_word_of_its_region),
        WITH_REGIONS(count_is_of_steps_and_touches_no_memory),
        WITH_REGIONS(evict_reads_what_the_largest_eviction_needs),
        WITH_REGIONS(pauses_take_as_long_as_asked),
        WITH_REGIONS(a_first_write_faults_once_a_page_and_the_second_not_at_all),
        WITH_REGIONS(a_first_read_faults_and_the_write_after_it_faults_again),
        WITH_REGIONS(recording_a_hundred_thousand_iterations_faults_never),
        WITH_REGIONS(every_iteration_has_its_time),
        WITH_REGIONS(all_operations_of_an_iteration_run_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
