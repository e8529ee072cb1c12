/* A preload library that makes clock_gettime(2) worse than it is, as POOR_CLOCK says:
 *
 *   coarse     it moves in steps of 4 ms
 *   slow       a reading takes 2 us
 *   backwards  every 51st reading is 30 us too early
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t kernel_ns(clockid_t id)
{
    struct timespec time;
    syscall(SYS_clock_gettime, id, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t slow_ns(clockid_t id)
{
    const int64_t start = kernel_ns(CLOCK_MONOTONIC);
    while (kernel_ns(CLOCK_MONOTONIC) < start + 2000)
        ;
    return kernel_ns(id);
}

static int64_t poor_ns(clockid_t id)
{
    static unsigned long readings;
    const char *how = getenv("POOR_CLOCK");
    if (how && strcmp(how, "coarse") == 0)
        return kernel_ns(id) / 4000000 * 4000000;
    if (how && strcmp(how, "slow") == 0)
        return slow_ns(id);
    if (how && strcmp(how, "backwards") == 0)
        return kernel_ns(id) - (++readings % 51 == 0 ? 30000 : 0);
    return kernel_ns(id);
}

int clock_gettime(clockid_t id, struct timespec *time)
{
    int64_t ns = poor_ns(id);
    time->tv_sec = ns / 1000000000;
    time->tv_nsec = ns % 1000000000;
    return 0;
}
