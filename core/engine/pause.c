#include "engine/pause.h"

#include <errno.h>

#include "engine/clock.h"

void fr_pause_sleep(int64_t ns)
{
    int64_t until = fr_clock_ns(CLOCK_MONOTONIC) + ns;
    struct timespec deadline = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == EINTR)
        ;
}

void fr_pause_spin(clockid_t id, int64_t ns)
{
    int64_t until = fr_clock_ns(id) + ns;
    while (fr_clock_ns(id) < until)
        ;
}
