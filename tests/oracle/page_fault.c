/* The cost of page faults as a plain C program, written without any of frlua: the reference that
 * frlua's figures are compared with.
 *
 *   page_fault MEGABYTES                  five alternating repetitions of both cases, the best ones
 *   page_fault MEGABYTES touch|populate   one case, once: first touch ns, again ns, minor faults
 *
 * MADV_POPULATE_WRITE is 23 in <asm-generic/mman-common.h>; older C libraries do not name it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS = 5, POPULATE_WRITE = 23 };

struct cost {
    double first_ns, again_ns;
    long faults;
};

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static long minor_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

static void check(int failed, const char *what)
{
    if (failed) {
        perror(what);
        exit(1);
    }
}

static void touch(volatile char *memory, size_t bytes, size_t page)
{
    for (size_t at = 0; at < bytes; at += page)
        memory[at] = 1;
}

static struct cost run(size_t bytes, size_t page, int populate)
{
    struct cost cost;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(memory == MAP_FAILED, "mmap");
    check(madvise(memory, bytes, MADV_NOHUGEPAGE) != 0, "madvise nohugepage");
    long faults = minor_faults();
    double start = now_ns();
    if (populate)
        check(madvise(memory, bytes, POPULATE_WRITE) != 0, "madvise populate_write");
    touch(memory, bytes, page);
    cost.first_ns = now_ns() - start;
    cost.faults = minor_faults() - faults;
    start = now_ns();
    touch(memory, bytes, page);
    cost.again_ns = now_ns() - start;
    munmap(memory, bytes);
    return cost;
}

static void keep_best(struct cost *best, struct cost cost)
{
    if (best->first_ns == 0 || cost.first_ns < best->first_ns)
        *best = cost;
}

static void run_series(size_t megabytes, size_t bytes, size_t page)
{
    struct cost touched = {0, 0, 0}, populated = {0, 0, 0};
    double pages = (double)(bytes / page);
    run(bytes / 8, page, 0);
    run(bytes / 8, page, 1);
    for (int i = 0; i < REPEATS; i++) {
        keep_best(&touched, run(bytes, page, 0));
        keep_best(&populated, run(bytes, page, 1));
    }
    printf("{\n  \"buffer_mb\": %zu,\n  \"pages\": %zu,\n  \"repeats\": %d,\n", megabytes,
           bytes / page, REPEATS);
    printf("  \"first_touch_ns_per_page\": %.1f,\n", touched.first_ns / pages);
    printf("  \"first_touch_minor_faults\": %ld,\n", touched.faults);
    printf("  \"populate_then_touch_ns_per_page\": %.1f,\n", populated.first_ns / pages);
    printf("  \"populate_minor_faults\": %ld,\n", populated.faults);
    printf("  \"retouch_mapped_ns_per_page\": %.1f,\n", touched.again_ns / pages);
    printf("  \"fault_vs_populate_factor\": %.2f\n}\n", touched.first_ns / populated.first_ns);
}

int main(int argc, char **argv)
{
    size_t megabytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 512;
    size_t bytes = megabytes << 20, page = (size_t)sysconf(_SC_PAGESIZE);
    if (argc < 3) {
        run_series(megabytes, bytes, page);
        return 0;
    }
    struct cost cost = run(bytes, page, strcmp(argv[2], "populate") == 0);
    printf("%.0f %.0f %ld\n", cost.first_ns, cost.again_ns, cost.faults);
    return 0;
}
