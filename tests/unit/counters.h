/* Counters for the tests, and the calls that they are made of, as this kernel has them and as
 * others do. Linked with --wrap=syscall,--wrap=prctl,--wrap=read.
 */
#ifndef FR_TEST_COUNTERS_H
#define FR_TEST_COUNTERS_H

#include "engine/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "job.h"

/* What the wrapped calls do: as this kernel; give descriptors of nothing, whose readings `shown`
 * has; or refuse. */
static enum { REAL, MADE_UP, REFUSED } kernel;
static int refusal, switch_refusal;
static uint64_t shown[3];
static ssize_t shown_bytes;
static struct perf_event_attr asked[2 * FR_COUNTERS];
static uint32_t opened, switched;

long __real_syscall(long number, long a, long b, long c, long d, long e);
long __wrap_syscall(long number, long a, long b, long c, long d, long e);
long __wrap_syscall(long number, long a, long b, long c, long d, long e)
{
    if (number != SYS_perf_event_open)
        return __real_syscall(number, a, b, c, d, e);
    assert_true(opened < 2 * FR_COUNTERS);
    memcpy(&asked[opened++], (const void *)(uintptr_t)a, sizeof *asked); // NOLINT
    assert_int_equal((int)b, 0);
    assert_int_equal((int)c, -1);
    assert_int_equal(e, PERF_FLAG_FD_CLOEXEC);
    if (kernel == REAL)
        return __real_syscall(number, a, b, c, d, e);
    errno = refusal;
    return kernel == REFUSED ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __real_prctl(int option, long a, long b, long c, long d);
int __wrap_prctl(int option, long a, long b, long c, long d);
int __wrap_prctl(int option, long a, long b, long c, long d)
{
    switched++;
    if (!switch_refusal)
        return __real_prctl(option, a, b, c, d);
    errno = switch_refusal;
    return -1;
}

ssize_t __real_read(int file, void *buffer, size_t bytes);
ssize_t __wrap_read(int file, void *buffer, size_t bytes);
ssize_t __wrap_read(int file, void *buffer, size_t bytes)
{
    if (kernel != MADE_UP)
        return __real_read(file, buffer, bytes);
    assert_true(bytes >= sizeof shown);
    memcpy(buffer, shown, sizeof shown);
    return shown_bytes;
}

static struct fr_counters counters;
static struct fr_count count[FR_COUNTERS];

static int make(void **state)
{
    kernel = REAL;
    refusal = switch_refusal = 0;
    opened = switched = 0;
    shown_bytes = sizeof shown;
    return make_job(state);
}

static int drop(void **state)
{
    fr_counters_close(&counters);
    return drop_job(state);
}

static inline const struct fr_count *count_of(const struct fr_count *list, const char *event,
                                              const char *side)
{
    for (uint32_t i = 0; i < FR_COUNTERS; i++)
        if (!strcmp(fr_counters_at(i)->event, event) && !strcmp(fr_counters_at(i)->side, side))
            return &list[i];
    fail_msg("there is no counter of %s, %s", event, side);
    return NULL;
}

#endif
