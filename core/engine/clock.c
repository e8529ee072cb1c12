#include "engine/clock.h"

#include <sys/syscall.h>
#include <unistd.h>

enum { COST_READINGS = 2000, STEP_READINGS = 1000000 };
static const int64_t budget_ns = 20000000;

static const char *clock_name(clockid_t id)
{
    return id == CLOCK_MONOTONIC_RAW ? "CLOCK_MONOTONIC_RAW" : "CLOCK_MONOTONIC";
}

/* Mean cost of a reading: the fastest of some batches, so that an interrupt is not part of it. */
static double reading_cost(clockid_t id, int by_system_call)
{
    double best = 0;
    for (int batch = 0; batch < 5; batch++) {
        struct timespec unused;
        int64_t start = fr_clock_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < COST_READINGS; i++) {
            if (by_system_call)
                syscall(SYS_clock_gettime, id, &unused);
            else
                clock_gettime(id, &unused);
        }
        int64_t spent = fr_clock_ns(CLOCK_MONOTONIC) - start;
        double cost = (double)spent / COST_READINGS;
        if (batch == 0 || cost < best)
            best = cost;
        if (spent > budget_ns / 5)
            break;
    }
    return best;
}

static void measure_step(struct fr_clock *clock)
{
    int64_t start = fr_clock_ns(clock->id), last = start;
    clock->step_ns = 0;
    clock->backward = 0;
    for (int i = 0, moved = 0; i < STEP_READINGS && moved < COST_READINGS; i++) {
        int64_t now = fr_clock_ns(clock->id), step = now - last;
        last = now;
        if (step == 0)
            continue;
        moved++;
        if (step < 0)
            clock->backward++;
        else if (clock->step_ns == 0 || step < clock->step_ns)
            clock->step_ns = step;
        if (now - start > budget_ns)
            break;
    }
}

void fr_clock_measure(struct fr_clock *clock, clockid_t id)
{
    struct timespec resolution = {0, 0};
    clock_getres(id, &resolution);
    clock->id = id;
    clock->name = clock_name(id);
    clock->getres_ns = (int64_t)resolution.tv_sec * 1000000000 + resolution.tv_nsec;
    clock->read_ns = reading_cost(id, 0);
    clock->syscall_read_ns = reading_cost(id, 1);
    clock->from_vdso = clock->read_ns < clock->syscall_read_ns / 2;
    measure_step(clock);
}

void fr_clock_choose(struct fr_clock *clock)
{
    fr_clock_measure(clock, CLOCK_MONOTONIC);
    if (clock->from_vdso)
        return;
    struct fr_clock raw;
    fr_clock_measure(&raw, CLOCK_MONOTONIC_RAW);
    if (raw.from_vdso)
        *clock = raw;
}
