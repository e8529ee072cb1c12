#include "engine/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HARDWARE = 12 }; /* of the list, those that come first */

/* How perf_event_open(2) is asked for misses of a cache. */
#define LOAD_MISSES(cache)                                                                         \
    (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 |                              \
     PERF_COUNT_HW_CACHE_RESULT_MISS << 16)
#define STORE_MISSES(cache)                                                                        \
    (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_WRITE << 8 |                             \
     PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

#define USER(name, type, config)                                                                   \
    {                                                                                              \
        {name, "user"}, config, type, 1                                                            \
    }
#define KERNEL(name, type, config)                                                                 \
    {                                                                                              \
        {name, "kernel"}, config, type, 0                                                          \
    }
#define APART(name, type, config) USER(name, type, config), KERNEL(name, type, config)

/* The switches and migrations of a thread are the kernel's own: in user mode the kernel would
 * always count none. Its clock of a task is one for both modes, whatever is excluded; the kernel is
 * excluded all the same, as many a user may not ask for more. */
static const struct {
    struct fr_counter counter;
    uint64_t config;
    uint32_t type;
    int is_without_kernel;
} list[FR_COUNTERS] = {
    APART("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
    APART("instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
    APART("dTLB-load-misses", PERF_TYPE_HW_CACHE, LOAD_MISSES(DTLB)),
    APART("dTLB-store-misses", PERF_TYPE_HW_CACHE, STORE_MISSES(DTLB)),
    APART("LLC-load-misses", PERF_TYPE_HW_CACHE, LOAD_MISSES(LL)),
    APART("L1-dcache-load-misses", PERF_TYPE_HW_CACHE, LOAD_MISSES(L1D)),
    APART("page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS),
    KERNEL("context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES),
    KERNEL("cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS),
    {{"task-clock", "both"}, PERF_COUNT_SW_TASK_CLOCK, PERF_TYPE_SOFTWARE, 1},
};

const struct fr_counter *fr_counters_at(uint32_t i)
{
    return &list[i].counter;
}

static int open_counter(uint32_t i)
{
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = list[i].type;
    attributes.config = list[i].config;
    attributes.disabled = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attributes.exclude_kernel = list[i].is_without_kernel != 0;
    attributes.exclude_user = !list[i].is_without_kernel;
    attributes.exclude_hv = 1; /* a hypervisor is neither side */
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void fr_counters_open(struct fr_counters *counters, uint32_t turn)
{
    memset(counters, 0, sizeof *counters);
    for (uint32_t k = 0; k < FR_COUNTERS; k++) {
        uint32_t i = k < HARDWARE ? (k + 2 * (turn % (HARDWARE / 2))) % HARDWARE : k;
        counters->fd[i] = open_counter(i);
        if (counters->fd[i] < 0)
            counters->error[i] = errno;
    }
}

/* A call that is refused leaves the counts without a meaning. */
static void switch_all(struct fr_counters *counters, int call)
{
    if (prctl(call, 0, 0, 0, 0) != 0 && !counters->switch_error)
        counters->switch_error = errno;
}

void fr_counters_start(struct fr_counters *counters)
{
    switch_all(counters, PR_TASK_PERF_EVENTS_ENABLE);
}

void fr_counters_stop(struct fr_counters *counters)
{
    switch_all(counters, PR_TASK_PERF_EVENTS_DISABLE);
}

static struct fr_count read_counter(const struct fr_counters *counters, uint32_t i)
{
    uint64_t read_format[3];
    int32_t error = counters->error[i] ? counters->error[i] : counters->switch_error;
    if (error)
        return (struct fr_count){.error = error};
    ssize_t got = read(counters->fd[i], read_format, sizeof read_format);
    if (got != (ssize_t)sizeof read_format)
        return (struct fr_count){.error = got < 0 ? errno : ENODATA};
    return (struct fr_count){read_format[0], read_format[1], read_format[2], 0, 0};
}

/* Differences, as PERF_EVENT_IOC_RESET resets the counts alone, and not their times. */
void fr_counters_read(struct fr_counters *counters, struct fr_count count[FR_COUNTERS])
{
    for (uint32_t i = 0; i < FR_COUNTERS; i++) {
        const struct fr_count last = counters->last[i], now = read_counter(counters, i);
        count[i] = now;
        if (now.error)
            continue;
        count[i].value -= last.value;
        count[i].enabled_ns -= last.enabled_ns;
        count[i].running_ns -= last.running_ns;
        counters->last[i] = now;
    }
}

void fr_counters_close(struct fr_counters *counters)
{
    for (uint32_t i = 0; i < FR_COUNTERS; i++) {
        if (counters->fd[i] >= 0)
            close(counters->fd[i]);
        counters->fd[i] = -1;
    }
}
