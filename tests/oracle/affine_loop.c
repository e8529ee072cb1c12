/* affine_loop: the median time of the plain loop out[i] = 3 * in[i] + 1 over two buffers of 512 KiB,
 * in ns; the loop as anybody would write it, for the compiler to make the best of. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WORDS = 64 * 1024, REPETITIONS = 2000 };

static uint64_t in[WORDS], out[WORDS];

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

__attribute__((noinline)) static void loop(uint64_t *restrict to, const uint64_t *restrict from)
{
    for (size_t i = 0; i < WORDS; i++)
        to[i] = 3 * from[i] + 1;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    static int64_t ns[REPETITIONS];
    for (size_t i = 0; i < WORDS; i++)
        in[i] = i;
    for (int i = 0; i < 50; i++)
        loop(out, in);
    for (int i = 0; i < REPETITIONS; i++) {
        int64_t start = now();
        loop(out, in);
        ns[i] = now() - start;
    }
    qsort(ns, REPETITIONS, sizeof *ns, by_value);
    printf("%lld %llu\n", (long long)ns[REPETITIONS / 2], (unsigned long long)out[WORDS - 1]);
    return 0;
}
