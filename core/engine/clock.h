/* The clock that everything timed is read with: which one, what a reading costs, how far it steps.
 *
 * Times are nanoseconds in int64_t since an arbitrary point. The clock is always reached through
 * libc's clock_gettime, which answers from the vDSO without entering the kernel where the kernel's
 * clocksource allows it (vdso(7), clock_gettime(2)).
 */
#ifndef FR_CLOCK_H
#define FR_CLOCK_H

#include <stdint.h>
#include <time.h>

struct fr_clock {
    clockid_t id;
    const char *name;       /* "CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW" */
    int from_vdso;          /* 1: a reading costs less than half of the same system call */
    double read_ns;         /* mean cost of one reading, back to back */
    double syscall_read_ns; /* the same reading made by system call */
    int64_t getres_ns;      /* the step that clock_getres advertises */
    int64_t step_ns;        /* smallest non-zero difference seen; 0: it never moved */
    int64_t backward;       /* readings that were earlier than the one before */
};

/* One reading of the clock `id`. */
static inline int64_t fr_clock_ns(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Measures `id` into `clock`: at most about 50 ms and a bounded number of readings, also when the
 * clock stands still. */
void fr_clock_measure(struct fr_clock *clock, clockid_t id);

/* Measures and chooses: CLOCK_MONOTONIC when it is answered from the vDSO, else
 * CLOCK_MONOTONIC_RAW when that one is, else CLOCK_MONOTONIC as it is. */
void fr_clock_choose(struct fr_clock *clock);

#endif
