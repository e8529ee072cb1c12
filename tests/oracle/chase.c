/* A chase through a layout of lines as a plain C program, written without any of frlua: the
 * reference that frlua's figures are compared with.
 *
 *   chase LINES GAP OFF WRAP SEED LOADS REPEATS [huge]
 *
 * Line i lies at i * GAP + OFF * (i mod WRAP) bytes. The lines are linked into one cycle in the
 * order of a Fisher-Yates shuffle by SplitMix64, and walked once from line 0; then each repeat
 * times LOADS loads, every one of which waits for the one before it. The memory is of base pages;
 * with `huge` it is aligned to huge pages, advised, and touched as a whole.
 *
 * Prints one JSON object: ns_per_load of each repeat; what was read back of the cycle as it is
 * linked: its steps, the offsets that the first of them come to, its distinct pages, cache lines
 * and sets of the first-level data cache; and how much huge pages back. What is unknown is null.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_STEPS = 8 };

struct layout {
    size_t lines, gap, off, wrap;
};

static void fail(const char *what)
{
    fprintf(stderr, "chase: %s\n", what);
    exit(2);
}

static uint64_t whole(const char *text, const char *name)
{
    char *end;
    uint64_t number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end) {
        fprintf(stderr, "chase: %s must be a whole number, not '%s'\n", name, text);
        exit(2);
    }
    return number;
}

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* SplitMix64, after Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014;
 * the mixing is David Stafford's variant 13. */
static uint64_t split_mix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void *next_of(const void *at)
{
    return *(void *const *)at;
}

static size_t place(const struct layout *layout, size_t i)
{
    return i * layout->gap + layout->off * (i % layout->wrap);
}

static size_t bytes_of(const struct layout *layout)
{
    size_t end = 0;
    for (size_t i = 0; i < layout->lines; i++)
        if (place(layout, i) + sizeof(void *) > end)
            end = place(layout, i) + sizeof(void *);
    return end;
}

/* From the last place down, each takes what a random one at or below it holds (Durstenfeld, 1964).
 */
static size_t *shuffled(size_t n, uint64_t seed)
{
    size_t *order = malloc(n * sizeof *order);
    if (!order)
        fail("no memory");
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n - 1; i > 0; i--) {
        size_t j = split_mix(&seed) % (i + 1), held = order[i];
        order[i] = order[j];
        order[j] = held;
    }
    return order;
}

static int by_number(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

/* How many different numbers there are; they are sorted. */
static size_t distinct(uintptr_t *number, size_t n)
{
    size_t found = n > 0;
    qsort(number, n, sizeof *number, by_number);
    for (size_t i = 1; i < n; i++)
        found += number[i] != number[i - 1];
    return found;
}

/* Pointers that lie across each other would be no cycle. */
static void check_places(const struct layout *layout)
{
    uintptr_t *at = malloc(layout->lines * sizeof *at);
    if (!at)
        fail("no memory");
    for (size_t i = 0; i < layout->lines; i++)
        at[i] = place(layout, i) / sizeof(void *);
    if (layout->gap % sizeof(void *) || layout->off % sizeof(void *))
        fail("GAP and OFF are multiples of the size of a pointer");
    if (distinct(at, layout->lines) != layout->lines)
        fail("two lines of this layout are at the same place");
    free(at);
}

static void link_cycle(char *base, const struct layout *layout, uint64_t seed)
{
    size_t *order = shuffled(layout->lines, seed);
    for (size_t i = 0; i < layout->lines; i++) {
        void **from = (void **)(void *)(base + place(layout, order[i]));
        *from = base + place(layout, order[(i + 1) % layout->lines]);
    }
    free(order);
}

static size_t huge_page_bytes(void)
{
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "r");
    size_t bytes = 0;
    if (!file || fscanf(file, "%zu", &bytes) != 1 || bytes == 0)
        fail("the size of huge pages is unknown");
    fclose(file);
    return bytes;
}

/* Aligned to `align`, whose whole pieces it has; touched by writing to every base page. */
static char *map(size_t bytes, size_t align, int advice)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + align - 1) / align * align;
    char *memory =
        mmap(NULL, room + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fail("no memory");
    memory += (align - (uintptr_t)memory % align) % align;
    madvise(memory, room, advice); /* a kernel without huge pages refuses it, and has small ones */
    for (size_t at = 0; at < room; at += page)
        memory[at] = 0;
    return memory;
}

/* Prints how many different values of address / divisor % modulus the cycle has; 0: no modulus. */
static void print_distinct(const char *name, char *base, size_t steps, size_t divisor,
                           size_t modulus)
{
    uintptr_t *number = malloc(steps * sizeof *number);
    char *at = base;
    if (!number)
        fail("no memory");
    for (size_t i = 0; i < steps; i++) {
        number[i] = (uintptr_t)at / divisor;
        if (modulus)
            number[i] %= modulus;
        at = next_of(at);
    }
    printf("  \"%s\": %zu,\n", name, distinct(number, steps));
    free(number);
}

static void print_first_steps(const char *base, size_t steps)
{
    const char *at = base;
    printf("  \"first_steps\": [");
    for (size_t i = 0; i < steps && i < FIRST_STEPS; i++) {
        at = next_of(at);
        printf("%s%td", i ? ", " : "", at - base);
    }
    printf("],\n");
}

static void print_lines_and_sets(char *base, size_t steps)
{
    long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE), ways = sysconf(_SC_LEVEL1_DCACHE_ASSOC);
    long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    if (line > 0)
        print_distinct("lines", base, steps, (size_t)line, 0);
    else
        printf("  \"lines\": null,\n");
    if (line > 0 && ways > 0 && bytes >= line * ways)
        print_distinct("sets", base, steps, (size_t)line, (size_t)(bytes / line / ways));
    else
        printf("  \"sets\": null,\n");
}

/* The AnonHugePages of the mapping that holds an address, in kB; -1: unknown. */
static long huge_kilobytes(const void *address)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    char text[512];
    long kilobytes = -1;
    int is_in = 0;
    while (file && fgets(text, sizeof text, file)) {
        uintptr_t from, to;
        if (sscanf(text, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
            is_in = from <= (uintptr_t)address && (uintptr_t)address < to;
        else if (is_in && sscanf(text, "AnonHugePages: %ld", &kilobytes) == 1)
            break;
    }
    if (file)
        fclose(file);
    return kilobytes;
}

/* Steps until the cycle is at its start again; 0: it does not come there. */
static size_t walk(char *base, size_t limit)
{
    char *at = base;
    for (size_t steps = 1; steps <= limit; steps++) {
        at = next_of(at);
        if (at == base)
            return steps;
    }
    return 0;
}

static __attribute__((noinline)) void *chase(void *at, uint64_t loads)
{
    void **next = at;
    for (uint64_t i = 0; i < loads / 8; i++) {
        next = *next, next = *next, next = *next, next = *next;
        next = *next, next = *next, next = *next, next = *next;
    }
    for (uint64_t i = 0; i < loads % 8; i++)
        next = *next;
    return next;
}

static void print_times(char *base, uint64_t loads, uint64_t repeats)
{
    void *volatile at = base; /* the next repeat goes on where this one came to */
    printf("{\n  \"ns_per_load\": [");
    for (uint64_t i = 0; i < repeats; i++) {
        double start = now_ns();
        at = chase(at, loads);
        printf("%s%.4f", i ? ", " : "", (now_ns() - start) / (double)loads);
    }
    printf("],\n");
}

int main(int argc, char **argv)
{
    if (argc < 8 || argc > 9 || (argc == 9 && strcmp(argv[8], "huge") != 0))
        fail("usage: chase LINES GAP OFF WRAP SEED LOADS REPEATS [huge]");
    const struct layout layout = {whole(argv[1], "LINES"), whole(argv[2], "GAP"),
                                  whole(argv[3], "OFF"), whole(argv[4], "WRAP")};
    uint64_t loads = whole(argv[6], "LOADS"), repeats = whole(argv[7], "REPEATS");
    if (layout.lines == 0 || layout.wrap == 0 || loads == 0)
        fail("LINES, WRAP and LOADS are at least 1");
    check_places(&layout);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *base = map(bytes_of(&layout), argc == 9 ? huge_page_bytes() : page,
                     argc == 9 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    link_cycle(base, &layout, whole(argv[5], "SEED"));
    size_t steps = walk(base, layout.lines);
    if (steps != layout.lines)
        fail("the lines are no single cycle");
    print_times(base, loads, repeats);
    printf("  \"steps_of_cycle\": %zu,\n", steps);
    print_first_steps(base, steps);
    print_distinct("pages", base, steps, page, 0);
    print_lines_and_sets(base, steps);
    long kilobytes = huge_kilobytes(base);
    if (kilobytes >= 0)
        printf("  \"huge_kilobytes\": %ld\n}\n", kilobytes);
    else
        printf("  \"huge_kilobytes\": null\n}\n");
    return 0;
}
