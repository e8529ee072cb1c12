/* Counting: as many additions as asked for, and time in proportion to them. */
#include "engine/count.h"
#include "engine/clock.h"

#include "test.h"

static void test_every_step_is_counted(void **state)
{
    (void)state;
    for (uint64_t steps = 0; steps <= 100; steps++)
        assert_int_equal(fr_count(steps), steps);
    assert_int_equal(fr_count(1000003), 1000003);
}

/* The shortest of some tries: what disturbs one does not disturb all. */
static int64_t shortest(uint64_t steps)
{
    int64_t best = INT64_MAX;
    for (int try = 0; try < 50; try++) {
        int64_t start = fr_clock_ns(CLOCK_MONOTONIC);
        volatile uint64_t sum = fr_count(steps);
        int64_t ns = fr_clock_ns(CLOCK_MONOTONIC) - start;
        (void)sum;
        best = ns < best ? ns : best;
    }
    return best;
}

static void test_four_times_the_steps_take_about_four_times_the_time(void **state)
{
    (void)state;
    int good = 0;
    for (int attempt = 0; attempt < 5 && !good; attempt++) {
        double ratio = (double)shortest(400000) / (double)shortest(100000);
        good = ratio > 3 && ratio < 5;
    }
    assert_true(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_step_is_counted),
        cmocka_unit_test(test_four_times_the_steps_take_about_four_times_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
