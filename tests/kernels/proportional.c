/* Does a kernel do all of its work? Twice the repetitions must take twice the time, and twice the
 * elements too: a compiler that drops, shares or moves a loop breaks one of the two proportions.
 *
 * Built with several compilers and options. All pages of the buffers are one and the same physical
 * page, so that a larger size leaves no cache that a smaller one fits into. Of several interleaved
 * tries the fastest counts, since what disturbs one try of a size does not disturb all; and all
 * take so long that the clock is no matter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/chase.h"
#include "engine/clock.h"
#include "engine/ops.h"

enum { LINE = 64, PAGES = 1024, TRIES = 25, ATTEMPTS = 8, FACTORS = 4 };
static const double tolerance = 0.2;

static size_t page;

struct kernel {
    const char *name;
    struct fr_op op;
    size_t bytes; /* of the smallest size */
};

/* The operation on `bytes`, and the regions cut to that. */
static struct fr_op sized(const struct fr_op *op, struct fr_region *region, size_t bytes)
{
    struct fr_op scaled = *op;
    region[0].bytes = region[1].bytes = bytes;
    if (op->code == FR_OP_AFFINE)
        scaled.amount = bytes / sizeof(uint64_t);
    else if (op->code == FR_OP_EVICT)
        scaled.amount = bytes;
    else if (op->code == FR_OP_CHASE || op->code == FR_OP_COUNT)
        scaled.amount = bytes / sizeof(uint64_t);
    return scaled;
}

static double time_of(const struct fr_op *op, const struct fr_region *region, int repetitions)
{
    static volatile uint64_t consumed;
    const struct fr_program program = {op, 1, region, CLOCK_MONOTONIC, NULL};
    uint64_t sum = 0;
    int64_t start = fr_clock_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < repetitions; i++)
        sum += fr_ops_run(&program);
    int64_t end = fr_clock_ns(CLOCK_MONOTONIC);
    consumed = sum;
    (void)consumed;
    return (double)(end - start);
}

/* So many repetitions that the smallest measurement is a hundred times what the clock adds. */
static int enough_repetitions(const struct kernel *kernel, const struct fr_region *region)
{
    struct fr_region own[2] = {region[0], region[1]};
    struct fr_op op = sized(&kernel->op, own, kernel->bytes);
    struct fr_clock clock;
    fr_clock_measure(&clock, CLOCK_MONOTONIC);
    int repetitions = 1;
    for (int long_enough = 0; long_enough < 5; long_enough++)
        if (time_of(&op, own, repetitions) < 100 * (clock.read_ns + (double)clock.step_ns)) {
            repetitions *= 2;
            long_enough = 0;
        }
    return repetitions;
}

/* The fastest times at `factor` times the repetitions, or at `factor` times the elements. */
static void measure(const struct kernel *kernel, const struct fr_region *region, int repetitions,
                    const int *factor, int of_size, double *best)
{
    for (int try = 0; try < TRIES; try++)
        for (int i = 0; i < FACTORS; i++) {
            struct fr_region own[2] = {region[0], region[1]};
            size_t scale = of_size ? (size_t)factor[i] : 1;
            struct fr_op op = sized(&kernel->op, own, kernel->bytes * scale);
            double ns = time_of(&op, own, of_size ? repetitions : repetitions * factor[i]);
            if (try == 0 || ns < best[i])
                best[i] = ns;
        }
}

static int in_proportion(const double *best, const int *factor)
{
    for (int i = 1; i < FACTORS; i++) {
        double ratio = best[i] / (best[0] * factor[i]);
        if (ratio < 1 - tolerance || ratio > 1 + tolerance)
            return 0;
    }
    return 1;
}

static int check(const struct kernel *kernel, const struct fr_region *region, int of_size)
{
    static const int factors[2][FACTORS] = {{1, 4, 16, 64}, {1, 2, 3, 4}};
    const int *factor = factors[of_size], repetitions = enough_repetitions(kernel, region);
    double best[FACTORS];
    int good = 0;
    for (int attempt = 0; attempt < ATTEMPTS && !good; attempt++) {
        usleep(20000U * (unsigned)attempt);
        measure(kernel, region, repetitions, factor, of_size, best);
        good = in_proportion(best, factor);
    }
    printf("%-14s %-12s", kernel->name, of_size ? "elements" : "repetitions");
    for (int i = 0; i < FACTORS; i++)
        printf("  %2d: %9.0f ns", factor[i], best[i]);
    printf("  %s\n", good ? "in proportion" : "NOT in proportion");
    return good;
}

/* Every page of the region is the first page of the memfd. */
static int map_one_page_often(struct fr_region *region)
{
    int memory = memfd_create("page", MFD_CLOEXEC);
    if (memory < 0 || ftruncate(memory, (off_t)page) != 0 ||
        fr_region_map(region, PAGES * page, 0) != 0)
        return -1;
    for (size_t i = 0; i < PAGES; i++)
        if (mmap(region->base + i * page, page, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED | MAP_POPULATE, memory, 0) == MAP_FAILED)
            return -1;
    return close(memory);
}

static int check_all(const struct kernel *kernels, size_t count)
{
    struct fr_region region[2];
    if (map_one_page_often(&region[0]) != 0 || map_one_page_often(&region[1]) != 0)
        return 0;
    const struct fr_chain chain = {.slots = page / LINE, .stride = LINE, .seed = 1};
    uint32_t *scratch = calloc(fr_chase_scratch(&chain), sizeof *scratch);
    int good = scratch != NULL;
    if (scratch)
        fr_chase_link(region[0].base, &chain, scratch);
    free(scratch);
    for (size_t i = 0; i < count; i++) {
        struct fr_op largest = sized(&kernels[i].op, region, kernels[i].bytes * FACTORS);
        const struct fr_program program = {&largest, 1, region, CLOCK_MONOTONIC, NULL};
        good &= fr_ops_prepare(&program) == 0;
        for (int of_size = 0; of_size < 2; of_size++)
            good &= check(&kernels[i], region, of_size);
    }
    return good;
}

int main(void)
{
    page = fr_page_bytes();
    const size_t some = 4 * page, many = PAGES / FACTORS * page;
    const struct kernel kernels[] = {
        /* First: the others write over the chain. */
        {"chase", {.code = FR_OP_CHASE}, some},
        {"write word", {.code = FR_OP_WRITE, .stride = 8, .value = 1}, some},
        {"write line", {.code = FR_OP_WRITE, .stride = LINE, .value = 1}, some},
        {"write page", {.code = FR_OP_WRITE, .stride = page, .value = 1}, many},
        {"stream", {.code = FR_OP_STREAM, .value = 1}, some},
        {"read word", {.code = FR_OP_READ, .stride = 8}, some},
        {"read line", {.code = FR_OP_READ, .stride = LINE}, some},
        {"read page", {.code = FR_OP_READ, .stride = page}, many},
        {"evict", {.code = FR_OP_EVICT, .stride = LINE}, page},
        {"affine 3", {.code = FR_OP_AFFINE, .region = 1, .mul = 3, .value = 1}, some},
        {"count", {.code = FR_OP_COUNT}, some},
        {"affine 1000003", {.code = FR_OP_AFFINE, .region = 1, .mul = 1000003, .value = 1}, some},
    };
    return check_all(kernels, sizeof kernels / sizeof *kernels) ? 0 : 1;
}
