/* A first run in plain C: every iteration timed. 512 KiB of output are 128 pages of 4 KiB, yet the
 * first iteration makes more page faults: 05_two_other_faults.lua compiles this and says which. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 64 * 1024, ITERATIONS = 2050 };
static long ns(struct timespec at) { return at.tv_sec * 1000000000 + at.tv_nsec; }

/* The time by system call: the C library's way to the clock makes page faults of its own. */
static long faults(long *at_ns)
{
    struct timespec now; struct rusage usage;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    getrusage(RUSAGE_SELF, &usage);
    *at_ns = ns(now);
    return usage.ru_minflt + usage.ru_majflt;
}

int main(void)
{
    unsigned long *in = malloc(WORDS * sizeof *in), *out = calloc(WORDS, sizeof *out);
    long *took = calloc(ITERATIONS, sizeof *took), from, to, before = faults(&from);
    for (unsigned long i = 0; i < WORDS; i++) in[i] = i;
    for (int n = 0; n < ITERATIONS; n++) {
        struct timespec start, end;
        before = faults(&from);
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (int i = 0; i < WORDS; i++) out[i] = 3 * in[i] + 1;
        clock_gettime(CLOCK_MONOTONIC, &end);
        took[n] = ns(end) - ns(start);
        long count = faults(&to) - before;
        if (n == 0) printf("%ld %ld %ld %ld %ld\n", from, to, count, (long)out, took[0]);
    }
    return took[ITERATIONS - 1] < 0;
}
