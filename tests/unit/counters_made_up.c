/* Counters as the kernels of other machines have them: of hardware that is shared, and refused. */
#include "counters.h"

static void show(uint64_t value, uint64_t enabled_ns, uint64_t running_ns)
{
    shown[0] = value;
    shown[1] = enabled_ns;
    shown[2] = running_ns;
}

static void each_reading_begins_at_nothing(void **state)
{
    (void)state;
    kernel = MADE_UP;
    fr_counters_open(&counters, 0);
    show(100, 1000, 400);
    fr_counters_read(&counters, count);
    show(350, 4000, 1900);
    fr_counters_read(&counters, count);
    for (uint32_t i = 0; i < FR_COUNTERS; i++) {
        assert_int_equal(count[i].error, 0);
        assert_int_equal(count[i].value, 250);
        assert_int_equal(count[i].enabled_ns, 3000); /* and so 1500 of 3000 ns: shared hardware */
        assert_int_equal(count[i].running_ns, 1500);
    }
}

static void every_counter_is_of_one_side_and_begins_stopped(void **state)
{
    (void)state;
    kernel = MADE_UP;
    fr_counters_open(&counters, 0);
    assert_int_equal(opened, FR_COUNTERS);
    for (uint32_t i = 0; i < FR_COUNTERS; i++) {
        int is_kernel = !strcmp(fr_counters_at(i)->side, "kernel");
        assert_int_equal(asked[i].exclude_user, is_kernel);
        assert_int_equal(asked[i].exclude_kernel, !is_kernel);
        assert_int_equal(asked[i].disabled, 1);
        assert_int_equal(asked[i].inherit, 0);
    }
}

/* Numbers of the interface, as linux/perf_event.h documents them: a cache's is the cache, 3 for
 * translations of data, with the operation from bit 8 and the result from bit 16 on. */
static void the_events_are_those_of_their_names(void **state)
{
    (void)state;
    static const struct {
        const char *event;
        uint32_t type;
        uint64_t config;
    } expected[] = {{"cycles", 0, 0},
                    {"instructions", 0, 1},
                    {"dTLB-load-misses", 3, 0x10003},
                    {"dTLB-store-misses", 3, 0x10103},
                    {"LLC-load-misses", 3, 0x10002},
                    {"L1-dcache-load-misses", 3, 0x10000},
                    {"page-faults", 1, 2},
                    {"context-switches", 1, 3},
                    {"cpu-migrations", 1, 4},
                    {"task-clock", 1, 1}};
    kernel = MADE_UP;
    fr_counters_open(&counters, 0);
    for (uint32_t i = 0, e = 0; i < FR_COUNTERS; i++) {
        if (strcmp(fr_counters_at(i)->event, expected[e].event) != 0)
            e++;
        assert_string_equal(fr_counters_at(i)->event, expected[e].event);
        assert_int_equal(asked[i].type, expected[e].type);
        assert_int_equal(asked[i].config, expected[e].config);
    }
}

static void each_event_of_the_hardware_has_its_turn_to_be_the_first(void **state)
{
    (void)state;
    static const uint64_t first[] = {0, 1, 0x10003, 0x10103, 0x10002, 0x10000};
    kernel = MADE_UP;
    for (uint32_t turn = 0; turn < 13; turn++) {
        opened = 0;
        fr_counters_open(&counters, turn);
        fr_counters_close(&counters);
        assert_int_equal(opened, FR_COUNTERS);
        assert_int_equal(asked[0].config, first[turn % 6]);
        assert_int_equal(asked[0].exclude_kernel, 1);
        assert_int_equal(asked[1].config, first[turn % 6]);
        assert_int_equal(asked[1].exclude_user, 1);
        assert_int_equal(asked[12].type, PERF_TYPE_SOFTWARE);
    }
}

static void what_is_refused_is_an_error_and_no_count(void **state)
{
    (void)state;
    static const int errors[] = {ENOENT, EACCES, EPERM, ENOSYS, EMFILE};
    for (size_t e = 0; e < sizeof errors / sizeof *errors; e++) {
        kernel = REFUSED;
        refusal = errors[e];
        opened = 0;
        fr_counters_open(&counters, 0);
        fr_counters_start(&counters);
        fr_counters_stop(&counters);
        fr_counters_read(&counters, count);
        for (uint32_t i = 0; i < FR_COUNTERS; i++) {
            assert_int_equal(count[i].error, errors[e]);
            assert_int_equal(count[i].running_ns, 0);
        }
    }
}

static void counters_that_can_not_be_started_have_counted_nothing(void **state)
{
    (void)state;
    kernel = MADE_UP;
    switch_refusal = EPERM;
    show(0, 0, 0);
    fr_counters_open(&counters, 0);
    fr_counters_start(&counters);
    fr_counters_stop(&counters);
    fr_counters_read(&counters, count);
    for (uint32_t i = 0; i < FR_COUNTERS; i++)
        assert_int_equal(count[i].error, EPERM);
}

static void a_reading_that_is_cut_is_an_error(void **state)
{
    (void)state;
    kernel = MADE_UP;
    show(7, 7, 7);
    shown_bytes = 8;
    fr_counters_open(&counters, 0);
    fr_counters_read(&counters, count);
    for (uint32_t i = 0; i < FR_COUNTERS; i++)
        assert_int_equal(count[i].error, ENODATA);
}

#define COUNTED(test) cmocka_unit_test_setup_teardown(test, make, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        COUNTED(each_reading_begins_at_nothing),
        COUNTED(every_counter_is_of_one_side_and_begins_stopped),
        COUNTED(the_events_are_those_of_their_names),
        COUNTED(each_event_of_the_hardware_has_its_turn_to_be_the_first),
        COUNTED(what_is_refused_is_an_error_and_no_count),
        COUNTED(counters_that_can_not_be_started_have_counted_nothing),
        COUNTED(a_reading_that_is_cut_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
