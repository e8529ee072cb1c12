/* The first-run experiment as a plain C program, written without any of frlua: the reference that
 * frlua's figures are compared with.
 *
 *   first_run natural|prefault
 *
 * One process is one sample. It prints, on one line: the time of iteration 1, its minor faults, the
 * time of iteration 2 and the median of iterations 51 to 2050, in ns.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum { BYTES = 512 * 1024, WORDS = BYTES / 8, ITERATIONS = 2050, DISCARDED = 50 };

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static long minor_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

__attribute__((noinline)) static void kernel(uint64_t *restrict out, const uint64_t *restrict in)
{
    for (size_t i = 0; i < WORDS; i++)
        out[i] = 3 * in[i] + 1;
}

static uint64_t *reserve(void)
{
    void *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return memory;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static int64_t ns[ITERATIONS];
    static long faults[ITERATIONS];
    int prefault = argc == 2 && strcmp(argv[1], "prefault") == 0;
    if (!prefault && !(argc == 2 && strcmp(argv[1], "natural") == 0)) {
        fprintf(stderr, "usage: first_run natural|prefault\n");
        return 2;
    }
    uint64_t *in = reserve(), *out = reserve();
    for (size_t i = 0; i < WORDS; i++)
        in[i] = i;
    memset(ns, 1,
           sizeof ns); /* the results' pages, the clock and the code are touched beforehand */
    memset(faults, 1, sizeof faults);
    (void)*(const volatile char *)(uintptr_t)kernel;
    if (prefault)
        for (size_t i = 0; i < WORDS; i++)
            ((volatile uint64_t *)out)[i] = 1;
    now();
    long before = minor_faults();
    for (int i = 0; i < ITERATIONS; i++) {
        int64_t start = now();
        kernel(out, in);
        ns[i] = now() - start;
        long after = minor_faults();
        faults[i] = after - before;
        before = after;
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < WORDS; i++)
        sum += out[i];
    int64_t first = ns[0], second = ns[1];
    qsort(ns + DISCARDED, ITERATIONS - DISCARDED, sizeof *ns, by_value);
    int64_t *steady = ns + DISCARDED + (ITERATIONS - DISCARDED) / 2;
    printf("%lld %ld %lld %.1f %llu\n", (long long)first, faults[0], (long long)second,
           (double)(steady[-1] + steady[0]) / 2, (unsigned long long)sum);
    return 0;
}
