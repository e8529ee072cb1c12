/* What the unit tests share: cmocka with what it needs, and when counts of faults mean nothing. */
#ifndef FR_TEST_H
#define FR_TEST_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static inline int under_valgrind(void)
{
    const char *preload = getenv("LD_PRELOAD");
    return preload && strstr(preload, "vgpreload") != NULL;
}

/* A sanitizer or valgrind touches memory of its own with every access that it watches: the process'
 * fault counts are then its as well. */
static inline void needs_exact_faults(void)
{
    if (FRLUA_SANITIZE || under_valgrind()) {
        print_message("skipped: instrumented code faults on memory of its own\n");
        skip();
    }
}

/* Valgrind shares the process' address space, and maps memory its own way. */
static inline void needs_the_address_space(void)
{
    if (under_valgrind()) {
        print_message("skipped: valgrind manages the address space\n");
        skip();
    }
}

/* Pages of address space that this process has, from /proc/self/statm. Allocates nothing. */
static inline size_t pages_mapped(void)
{
    char text[128] = "";
    int file = open("/proc/self/statm", O_RDONLY);
    assert_true(read(file, text, sizeof text - 1) > 0);
    close(file);
    return strtoul(text, NULL, 10);
}

/* A small generator with a fixed seed, so that a failure can be repeated (Marsaglia's xorshift). */
static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
