/* What this kernel itself counts of this thread, and of a job's timed phases. */
#include "counters.h"

#include "engine/touch.h"

enum { PAGES = 64 };

/* A user may be allowed to count the own mode alone, or nothing. */
static void needs(const struct fr_count *found)
{
    if (found->error) {
        print_message("skipped: this kernel does not count: %s\n", strerror(found->error));
        skip();
    }
}

static void faults_in_user_mode_are_counted_while_it_runs_and_only_then(void **state)
{
    (void)state;
    needs_exact_faults();
    struct fr_region region;
    assert_int_equal(fr_region_map(&region, 3 * PAGES * page, 0), 0);
    fr_region_advise(&region, fr_advice_number("nohugepage"));
    fr_counters_open(&counters, 0);
    fr_touch_write(region.base, PAGES * page, page, 1);
    fr_counters_start(&counters);
    fr_touch_write(region.base + PAGES * page, PAGES * page, page, 1);
    fr_counters_stop(&counters);
    fr_touch_write(region.base + 2 * PAGES * page, PAGES * page, page, 1);
    fr_counters_read(&counters, count);
    needs(count_of(count, "page-faults", "user"));
    assert_int_equal(count_of(count, "page-faults", "user")->value, PAGES);
    assert_true(count_of(count, "page-faults", "user")->running_ns > 0);
    fr_region_unmap(&region);
}

static void faults_of_system_calls_are_the_kernels(void **state)
{
    (void)state;
    needs_exact_faults();
    struct fr_region region;
    int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    assert_int_equal(fr_region_map(&region, PAGES * page, 0), 0);
    fr_region_advise(&region, fr_advice_number("nohugepage"));
    fr_counters_open(&counters, 0);
    fr_counters_start(&counters);
    ssize_t got = read(zeros, region.base, region.bytes);
    fr_counters_stop(&counters);
    fr_counters_read(&counters, count);
    needs(count_of(count, "page-faults", "kernel"));
    assert_int_equal(got, region.bytes);
    assert_int_equal(count_of(count, "page-faults", "kernel")->value, PAGES);
    assert_int_equal(count_of(count, "page-faults", "user")->value, 0);
    close(zeros);
    fr_region_unmap(&region);
}

static void a_sleep_is_a_context_switch_and_no_time_of_the_task(void **state)
{
    (void)state;
    const uint64_t sleep_ns = 50000000;
    fr_counters_open(&counters, 0);
    fr_counters_start(&counters);
    usleep(sleep_ns / 1000);
    fr_counters_stop(&counters);
    fr_counters_read(&counters, count);
    needs(count_of(count, "context-switches", "kernel"));
    assert_true(count_of(count, "context-switches", "kernel")->value >= 1);
    const struct fr_count *clock = count_of(count, "task-clock", "both");
    assert_int_equal(clock->error, 0);
    assert_true(clock->value > 0 && clock->value < sleep_ns / 2);
}

/* A job of one write of fresh pages, 10 times, after an untimed one of as many others. */
static const struct fr_job_phase *add_writes(void)
{
    uint32_t before = add_region(PAGES * page, 0), fresh = add_region(PAGES * page, 0);
    add_phase((struct fr_op){.code = FR_OP_WRITE, .region = before, .stride = page}, 1, 0);
    add_phase((struct fr_op){.code = FR_OP_WRITE, .region = fresh, .stride = page}, 10, 1);
    job->phase[1].counts_offset = job->bytes - JOB_SMAPS;
    return &job->phase[1];
}

static void a_job_counts_its_timed_phases_and_what_they_come_to_without_operations(void **state)
{
    (void)state;
    needs_exact_faults();
    const struct fr_job_phase *phase = add_writes();
    job->counters = 1;
    assert_int_equal(fr_job_run(job), 0);
    assert_int_equal(job->outcome.is_counted[0], 0);
    assert_int_equal(job->outcome.is_counted[1], 1);
    const struct fr_job_counts *counts = fr_job_counts(job, phase);
    const struct fr_count *faults = count_of(counts->phase, "page-faults", "user");
    needs(faults);
    assert_int_equal(fr_job_readings(job, phase)[0].minor_faults, PAGES);
    assert_int_equal(faults->value, PAGES);
    assert_int_equal(count_of(counts->empty, "page-faults", "user")->value, 0);
    uint64_t own_ns = count_of(counts->empty, "task-clock", "both")->value;
    assert_true(own_ns > 0);
}

static void what_a_phase_comes_to_without_operations_grows_with_its_iterations(void **state)
{
    (void)state;
    const uint64_t iterations[] = {1, 4000};
    uint32_t buffer = add_region(page, 0);
    for (uint32_t i = 0; i < 2; i++) {
        struct fr_op write = {.code = FR_OP_WRITE, .region = buffer, .stride = page};
        add_phase(write, iterations[i], 1);
        job->phase[i].counts_offset = job->bytes - JOB_SMAPS + i * sizeof(struct fr_job_counts);
    }
    job->counters = 1;
    assert_int_equal(fr_job_run(job), 0);
    const struct fr_count *own[2];
    for (uint32_t i = 0; i < 2; i++)
        own[i] = count_of(fr_job_counts(job, &job->phase[i])->empty, "task-clock", "both");
    needs(own[1]);
    assert_true(own[1]->value > 5 * own[0]->value); /* 4000 readings, beside one and the calls */
}

static void the_counts_of_a_job_say_what_was_refused_and_the_job_goes_on(void **state)
{
    (void)state;
    const struct fr_job_phase *phase = add_writes();
    kernel = REFUSED;
    refusal = EACCES;
    job->counters = 1;
    assert_int_equal(fr_job_run(job), 0);
    assert_int_equal(job->outcome.stage, FR_STAGE_DONE);
    assert_int_equal(job->outcome.finished[1], 10);
    for (uint32_t i = 0; i < FR_COUNTERS; i++)
        assert_int_equal(fr_job_counts(job, phase)->phase[i].error, EACCES);
}

static void a_job_without_counters_makes_none_of_their_calls(void **state)
{
    (void)state;
    add_writes();
    assert_int_equal(fr_job_run(job), 0);
    assert_int_equal(opened, 0);
    assert_int_equal(switched, 0);
    assert_int_equal(job->outcome.is_counted[1], 0);
}

#define COUNTED(test) cmocka_unit_test_setup_teardown(test, make, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        COUNTED(faults_in_user_mode_are_counted_while_it_runs_and_only_then),
        COUNTED(faults_of_system_calls_are_the_kernels),
        COUNTED(a_sleep_is_a_context_switch_and_no_time_of_the_task),
        COUNTED(a_job_counts_its_timed_phases_and_what_they_come_to_without_operations),
        COUNTED(what_a_phase_comes_to_without_operations_grows_with_its_iterations),
        COUNTED(the_counts_of_a_job_say_what_was_refused_and_the_job_goes_on),
        COUNTED(a_job_without_counters_makes_none_of_their_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
