/* The measurement of the clock, on the real one and on clocks that are poor in a known way.
 *
 * The linker puts __wrap_clock_gettime and __wrap_syscall in the places of clock_gettime and
 * syscall. The poor clocks run in a time of their own, in which only readings take time: what is to
 * be found is known exactly, and how long the search takes is counted, not measured.
 */
#include "engine/clock.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"

static struct {
    int on;
    int64_t now;
    int64_t read_ns[2];    /* cost of a reading: CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW */
    int64_t syscall_ns;    /* the same by system call */
    int64_t step;          /* readings are multiples of it */
    int64_t backward_each; /* every so manyth reading is 30 µs too early; 0: none */
    int64_t readings;
} fake;

int __real_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_clock_gettime(clockid_t id, struct timespec *time);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, long id, void *time);

int __wrap_clock_gettime(clockid_t id, struct timespec *time)
{
    if (!fake.on)
        return __real_clock_gettime(id, time);
    fake.readings++;
    fake.now += fake.read_ns[id == CLOCK_MONOTONIC_RAW];
    int64_t shown = fake.now - fake.now % fake.step;
    if (fake.backward_each && fake.readings % fake.backward_each == 0)
        shown -= 30000;
    *time = (struct timespec){(time_t)(shown / 1000000000), (long)(shown % 1000000000)};
    return 0;
}

long __wrap_syscall(long number, long id, void *time)
{
    if (!fake.on)
        return __real_syscall(number, id, time);
    assert_int_equal(number, SYS_clock_gettime);
    fake.readings++;
    fake.now += fake.syscall_ns;
    return 0;
}

/* A clock without faults; the tests below give it one. */
static int fake_clock(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    fake.on = 1;
    fake.now = 5000000000;
    fake.read_ns[0] = fake.read_ns[1] = 40;
    fake.syscall_ns = 200;
    fake.step = 1;
    return 0;
}

static int real_clock(void **state)
{
    (void)state;
    fake.on = 0;
    return 0;
}

static struct fr_clock measured(void)
{
    struct fr_clock clock;
    fr_clock_measure(&clock, CLOCK_MONOTONIC);
    return clock;
}

static void the_real_clock_has_a_step_and_a_cost(void **state)
{
    (void)state;
    struct fr_clock clock;
    fr_clock_choose(&clock);
    assert_true(clock.step_ns >= 1);
    assert_true(clock.read_ns > 0);
    assert_true(clock.syscall_read_ns > 0);
    assert_true(clock.getres_ns >= 1);
    assert_string_equal(clock.name,
                        clock.id == CLOCK_MONOTONIC ? "CLOCK_MONOTONIC" : "CLOCK_MONOTONIC_RAW");
}

static void successive_readings_do_not_fall(void **state)
{
    (void)state;
    int64_t last = fr_clock_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < 10000; i++) {
        int64_t now = fr_clock_ns(CLOCK_MONOTONIC);
        assert_true(now >= last);
        last = now;
    }
}

static void a_good_clock_is_measured_as_it_is(void **state)
{
    (void)state;
    struct fr_clock clock = measured();
    assert_int_equal(clock.step_ns, 40);
    assert_int_equal(clock.backward, 0);
    /* A batch is 2,000 readings between two others, of which one lies inside. */
    assert_true(clock.read_ns >= 40 && clock.read_ns < 40.1);
    assert_true(clock.syscall_read_ns >= 200 && clock.syscall_read_ns < 200.1);
    assert_int_equal(clock.from_vdso, 1);
}

static void a_coarse_clock_shows_its_real_step(void **state)
{
    (void)state;
    fake.step = 4000000;
    struct fr_clock clock = measured();
    assert_int_equal(clock.step_ns, 4000000);
    assert_int_equal(clock.backward, 0);
    assert_in_range(fake.readings, 1, 2000000);
}

static void a_clock_that_stands_still_has_no_step_and_ends_the_search(void **state)
{
    (void)state;
    fake.read_ns[0] = fake.syscall_ns = 0;
    struct fr_clock clock = measured();
    assert_int_equal(clock.step_ns, 0);
    assert_true(clock.read_ns <= 0);
    assert_int_equal(clock.from_vdso, 0);
    assert_in_range(fake.readings, 1, 2000000);
}

static void readings_that_go_back_are_counted_and_are_no_step(void **state)
{
    (void)state;
    fake.backward_each = 50;
    int64_t before = fake.readings;
    struct fr_clock clock = measured();
    assert_int_equal(clock.step_ns, 40);
    assert_in_range(clock.backward, 1, (fake.readings - before) / 50);
}

static void a_slow_clock_does_not_prolong_its_measurement(void **state)
{
    (void)state;
    fake.read_ns[0] = 4000;
    fake.syscall_ns = 4000;
    int64_t start = fake.now;
    struct fr_clock clock = measured();
    assert_int_equal(clock.step_ns, 4000);
    assert_true(clock.read_ns >= 4000 && clock.read_ns < 4010);
    assert_int_equal(clock.from_vdso, 0);
    assert_true(fake.now - start <= 50000000);
}

static void the_monotonic_clock_is_chosen_when_the_vdso_answers_it(void **state)
{
    (void)state;
    struct fr_clock clock;
    fr_clock_choose(&clock);
    assert_int_equal(clock.id, CLOCK_MONOTONIC);
    assert_string_equal(clock.name, "CLOCK_MONOTONIC");
}

static void the_raw_clock_is_chosen_when_the_vdso_answers_only_that(void **state)
{
    (void)state;
    fake.read_ns[0] = 190;
    struct fr_clock clock;
    fr_clock_choose(&clock);
    assert_int_equal(clock.id, CLOCK_MONOTONIC_RAW);
    assert_string_equal(clock.name, "CLOCK_MONOTONIC_RAW");
    assert_int_equal(clock.from_vdso, 1);
}

static void the_monotonic_clock_stays_when_neither_is_the_vdsos(void **state)
{
    (void)state;
    fake.read_ns[0] = fake.read_ns[1] = 190;
    struct fr_clock clock;
    fr_clock_choose(&clock);
    assert_int_equal(clock.id, CLOCK_MONOTONIC);
    assert_int_equal(clock.from_vdso, 0);
}

#define WITH_FAKE(test) cmocka_unit_test_setup_teardown(test, fake_clock, real_clock)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_real_clock_has_a_step_and_a_cost),
        cmocka_unit_test(successive_readings_do_not_fall),
        WITH_FAKE(a_good_clock_is_measured_as_it_is),
        WITH_FAKE(a_coarse_clock_shows_its_real_step),
        WITH_FAKE(a_clock_that_stands_still_has_no_step_and_ends_the_search),
        WITH_FAKE(readings_that_go_back_are_counted_and_are_no_step),
        WITH_FAKE(a_slow_clock_does_not_prolong_its_measurement),
        WITH_FAKE(the_monotonic_clock_is_chosen_when_the_vdso_answers_it),
        WITH_FAKE(the_raw_clock_is_chosen_when_the_vdso_answers_only_that),
        WITH_FAKE(the_monotonic_clock_stays_when_neither_is_the_vdsos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
