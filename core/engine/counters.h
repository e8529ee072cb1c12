/* Performance counters of the calling thread: what the processor and the kernel count by
 * themselves, in user mode and in the kernel apart (perf_event_open(2)).
 *
 * All of them are started by one system call and stopped by another (PR_TASK_PERF_EVENTS_ENABLE and
 * _DISABLE of prctl(2)), so that little of the one counter's start is in another one's count: with
 * an ioctl for each, the last would be stopped some ten calls after the first. What is left is to
 * be found out by counting nothing. The caller owns the struct, which may be moved, and closes it.
 */
#ifndef FR_COUNTERS_H
#define FR_COUNTERS_H

#include <stdint.h>

enum { FR_COUNTERS = 17 };

struct fr_counter {
    const char *event; /* as perf-list(1) calls it; task-clock is in ns */
    const char *side;  /* "user", "kernel"; "both" where the kernel does not tell them apart */
};

/* Which counter is number `i`: the sides of an event follow each other. What has no side of its own
 * is not counted there: a context switch always happens in the kernel. */
const struct fr_counter *fr_counters_at(uint32_t i);

/* What one counter counted. While others had the hardware it did not run: the count is that of
 * running_ns out of enabled_ns, and nothing is known of it where that is 0. */
struct fr_count {
    uint64_t value, enabled_ns, running_ns;
    int32_t error; /* errno of what was refused, 0: none; then the rest is 0 and means nothing */
    int32_t unused;
};

struct fr_counters {
    int fd[FR_COUNTERS]; /* -1: refused */
    int32_t error[FR_COUNTERS];
    int32_t switch_error;              /* errno of a refused start or stop */
    struct fr_count last[FR_COUNTERS]; /* as read before: the kernel never sets its times back */
};

/* Opens them all, stopped; what is refused is told by its count. Processors count only a few events
 * at once, those that were opened first: `turn` says with which of the hardware's to begin, so that
 * with another one in each process every event has its turn, however short what is counted is. */
void fr_counters_open(struct fr_counters *counters, uint32_t turn);

void fr_counters_start(struct fr_counters *counters);
void fr_counters_stop(struct fr_counters *counters);

/* What was counted since it was read before; of stopped counters. */
void fr_counters_read(struct fr_counters *counters, struct fr_count count[FR_COUNTERS]);

void fr_counters_close(struct fr_counters *counters);

#endif
