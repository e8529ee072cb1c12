/* Streaming: every word is written, and not a byte beside it.
 *
 * The words lie at the end of a buffer behind which a page without any access begins: a store past
 * the end is a SIGSEGV.
 */
#include "engine/stream.h"

#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

enum { BEFORE = 0xee }; /* what every byte holds before it is written */

static const uint64_t value = 0x0123456789abcdef;
static size_t page;
static unsigned char *buffer;

static int map_guarded(void **state)
{
    (void)state;
    page = (size_t)sysconf(_SC_PAGESIZE);
    buffer = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return buffer == MAP_FAILED ? -1 : mprotect(buffer + page, page, PROT_NONE);
}

static int unmap(void **state)
{
    (void)state;
    return munmap(buffer, 2 * page);
}

/* What a byte is after `bytes` were written from `start` on. */
static unsigned char expected(size_t at, size_t start, size_t bytes)
{
    if (!fr_stream_has_stores() || at < start || at - start >= bytes / 8 * 8)
        return BEFORE;
    return ((const unsigned char *)&value)[(at - start) % 8];
}

static void every_word_is_written_and_an_odd_end_is_left(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes <= 200; bytes++) {
        const size_t start = page - (bytes + 7) / 8 * 8;
        memset(buffer, BEFORE, page);
        fr_stream_write(buffer + start, bytes, value);
        for (size_t at = 0; at < page; at++)
            assert_int_equal(buffer[at], expected(at, start, bytes));
    }
}

static void the_stores_are_known_where_the_architecture_has_them(void **state)
{
    (void)state;
#if defined(__x86_64__) || defined(__aarch64__)
    assert_true(fr_stream_has_stores());
#else
    assert_false(fr_stream_has_stores());
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_is_written_and_an_odd_end_is_left),
        cmocka_unit_test(the_stores_are_known_where_the_architecture_has_them),
    };
    return cmocka_run_group_tests(tests, map_guarded, unmap);
}
