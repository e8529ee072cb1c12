#include "probe/each.h"

#include <string.h>

#include "engine/clock.h"
#include "engine/faults.h"
#include "probe/image.h"

/* In a table, as their own addresses would be bound when the object is loaded, lazy or not. */
#define CALL(n)                                                                                    \
    static long call_##n(void)                                                                     \
    {                                                                                              \
        return fr_probe_##n();                                                                     \
    }
FR_PROBE_EACH(CALL)
#define ENTRY(n) call_##n,
static long (*const calls[])(void) = {FR_PROBE_EACH(ENTRY)};

/* A page of the callers' own code would otherwise be a fault in a first call. */
static void touch_calls(void)
{
    for (int i = 0; i < FR_PROBE_FUNCTIONS; i++)
        (void)*(const volatile unsigned char *)(uintptr_t)calls[i]; // NOLINT: code is read
}

static int64_t pass(int64_t *ns, long *sink)
{
    int64_t faults = fr_faults_now().minor;
    fr_clock_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < FR_PROBE_FUNCTIONS; i++) {
        int64_t start = fr_clock_ns(CLOCK_MONOTONIC);
        *sink += calls[i]();
        ns[i] = fr_clock_ns(CLOCK_MONOTONIC) - start;
    }
    return fr_faults_now().minor - faults;
}

void fr_each_run(struct fr_each *each)
{
    memset(each, 1, sizeof *each);
    each->sink = 0;
    touch_calls();
    fr_faults_now();
    fr_clock_ns(CLOCK_MONOTONIC);
    each->before = fr_slots_count();
    each->first_faults = pass(each->first_ns, &each->sink);
    each->after = fr_slots_count();
    each->second_faults = pass(each->second_ns, &each->sink);
}
