/* Traces of page faults: of this thread, of a program from its exec on, and when they are refused.
 */
#include "child.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "engine/advice.h"
#include "engine/region.h"
#include "engine/touch.h"

enum { PAGES = 32 };

/* What perf_event_open(2) refuses: nothing, the kernel's part, or everything. */
static enum { ALLOWED, KERNEL_REFUSED, ALL_REFUSED } policy;

long __real_syscall(long number, long a, long b, long c, long d, long e);
long __wrap_syscall(long number, long a, long b, long c, long d, long e);

long __wrap_syscall(long number, long a, long b, long c, long d, long e)
{
    if (number == SYS_perf_event_open && policy != ALLOWED) {
        const struct perf_event_attr *attributes = (const void *)(uintptr_t)a; // NOLINT
        if (policy == ALL_REFUSED || !attributes->exclude_kernel) {
            errno = EACCES;
            return -1;
        }
    }
    return __real_syscall(number, a, b, c, d, e);
}

static struct fr_trace trace;
static struct fr_region region;

static int map(void **state)
{
    (void)state;
    policy = ALLOWED;
    fr_trace_init(&trace, CLOCK_MONOTONIC);
    if (fr_region_map(&region, PAGES * fr_page_bytes(), 0) != 0)
        return -1;
    return fr_region_advise(&region, fr_advice_number("nohugepage"));
}

static int unmap(void **state)
{
    (void)state;
    fr_trace_close(&trace);
    fr_region_unmap(&region);
    return 0;
}

static void needs_a_trace(void)
{
    if (trace.error) {
        print_message("skipped: %s: %s\n", trace.what, strerror(trace.error));
        skip();
    }
}

/* Writes the region under a trace. */
static void trace_write(void)
{
    fr_trace_open(&trace, 0, FR_TRACE_WHEN_ENABLED);
    needs_a_trace();
    fr_trace_enable(&trace);
    fr_touch_write(region.base, region.bytes, fr_page_bytes(), 1);
    fr_trace_disable(&trace);
    fr_trace_finish(&trace);
}

/* The faults on the region among those of the trace: as many pages, in rising order. */
static void assert_the_region_is_in_the_trace(void)
{
    size_t found = 0;
    for (size_t i = 0; i < trace.records.faults; i++) {
        const struct fr_fault *fault = &trace.records.fault[i];
        if (fault->address != (uintptr_t)region.base + found * fr_page_bytes())
            continue;
        found++;
        assert_false(fault->is_major || fault->from_kernel);
        assert_true(i == 0 || fault->time_ns >= fault[-1].time_ns);
    }
    assert_int_equal(found, PAGES);
    assert_int_equal(trace.lost, 0);
    assert_int_equal(trace.error, 0);
}

static void every_first_write_of_a_page_is_a_fault_with_its_address(void **state)
{
    (void)state;
    trace_write();
    assert_the_region_is_in_the_trace();
    assert_false(trace.kernel_excluded && geteuid() == 0);
}

static void it_is_the_same_for_whom_the_kernel_is_not_to_be_traced(void **state)
{
    (void)state;
    policy = KERNEL_REFUSED;
    trace_write();
    assert_the_region_is_in_the_trace();
    assert_true(trace.kernel_excluded);
}

static void a_refused_trace_says_which_call_was_refused(void **state)
{
    (void)state;
    policy = ALL_REFUSED;
    fr_trace_open(&trace, 0, FR_TRACE_WHEN_ENABLED);
    assert_int_equal(trace.error, EACCES);
    assert_string_equal(trace.what, "perf_event_open");
    fr_trace_enable(&trace);
    fr_trace_drain(&trace);
    fr_trace_disable(&trace);
    fr_trace_finish(&trace);
    assert_int_equal(trace.records.faults, 0);
}

static struct fr_child_end run_traced(char *const *argv)
{
    struct fr_spawn spawn = shell(argv);
    spawn.trace = &trace;
    struct fr_child child = started(&spawn);
    return ended(&child, -1);
}

/* What a program has counted in the end is read before it is gone. */
static void a_program_is_traced_from_its_exec_to_its_end(void **state)
{
    (void)state;
    struct fr_child_end end = run_traced(SHELL_ARGV("exit 7"));
    assert_int_equal(end.how, FR_EXITED);
    assert_int_equal(end.status, 7);
    needs_a_trace();
    assert_true(trace.records.faults > 0 && trace.records.mappings > 0);
    assert_int_equal(trace.counts_error, 0);
    int64_t counted =
        trace.at_exit.minor + trace.at_exit.major - trace.at_exec.minor - trace.at_exec.major;
    assert_true((int64_t)trace.records.faults <= counted);
    assert_int_equal(trace.other_threads, 0);
    assert_int_equal(end.rusage.ru_minflt + end.rusage.ru_majflt,
                     trace.at_exit.minor + trace.at_exit.major);
}

static void a_program_runs_although_its_trace_is_refused(void **state)
{
    (void)state;
    policy = ALL_REFUSED;
    struct fr_child_end end = run_traced(SHELL_ARGV("exit 7"));
    assert_int_equal(end.status, 7);
    assert_int_equal(trace.error, EACCES);
}

static void a_traced_program_that_does_not_exist_is_named(void **state)
{
    (void)state;
    char *argv[] = {(char[]){"no-such-program"}, NULL};
    struct fr_spawn spawn = shell(argv);
    spawn.path = "/nowhere/no-such-program";
    spawn.trace = &trace;
    struct fr_child child;
    const char *what = "";
    assert_int_equal(fr_child_spawn(&child, &spawn, &what), ENOENT);
    assert_string_equal(what, "execve");
}

static void a_traced_program_past_its_time_limit_is_killed(void **state)
{
    (void)state;
    struct fr_spawn spawn = shell(SHELL_ARGV("exec sleep 300"));
    spawn.trace = &trace;
    struct fr_child child = started(&spawn);
    assert_int_equal(ended(&child, 50000000).how, FR_TIMED_OUT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, map, unmap)
    const struct CMUnitTest tests[] = {
        TEST(every_first_write_of_a_page_is_a_fault_with_its_address),
        TEST(it_is_the_same_for_whom_the_kernel_is_not_to_be_traced),
        TEST(a_refused_trace_says_which_call_was_refused),
        TEST(a_program_is_traced_from_its_exec_to_its_end),
        TEST(a_program_runs_although_its_trace_is_refused),
        TEST(a_traced_program_that_does_not_exist_is_named),
        TEST(a_traced_program_past_its_time_limit_is_killed),
    };
    return RUN_NATIVELY(tests);
}
