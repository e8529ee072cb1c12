/* Touching: every word, line or page as said, and not a byte beside it.
 *
 * The buffer ends where a page without any access begins: a step past its end is a SIGSEGV.
 */
#include "engine/touch.h"

#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

enum { BEFORE = 0xee }; /* what every byte holds before it is written */

static size_t page;
static unsigned char *buffer;
static size_t buffer_bytes;

static int map_guarded(void **state)
{
    (void)state;
    page = (size_t)sysconf(_SC_PAGESIZE);
    buffer_bytes = 4 * page;
    buffer =
        mmap(NULL, buffer_bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer == MAP_FAILED)
        return -1;
    return mprotect(buffer + buffer_bytes, page, PROT_NONE);
}

static int unmap(void **state)
{
    (void)state;
    return munmap(buffer, buffer_bytes + page);
}

static int fill(void **state)
{
    (void)state;
    memset(buffer, BEFORE, buffer_bytes);
    return 0;
}

/* The last `bytes` of the buffer. */
static unsigned char *ending(size_t bytes)
{
    return buffer + buffer_bytes - bytes;
}

static void every_word_is_written_and_an_odd_end_is_left(void **state)
{
    (void)state;
    const uint64_t value = 0x0123456789abcdef;
    for (size_t bytes = 0; bytes <= 67; bytes++) {
        unsigned char *end = buffer + 128;
        memset(buffer, BEFORE, 256);
        fr_touch_write(buffer + 64, bytes, 8, value);
        for (unsigned char *byte = buffer; byte < end + 64; byte++) {
            size_t offset = (size_t)(byte - buffer) - 64; /* wraps before the start */
            unsigned char expected = BEFORE;
            if (offset < bytes / 8 * 8)
                expected = ((const unsigned char *)&value)[offset % 8];
            assert_int_equal(*byte, expected);
        }
    }
}

static void a_stride_above_a_word_writes_one_byte_each(void **state)
{
    (void)state;
    const size_t strides[] = {9, 16, 64, 100, 128, page, page + 1, 3 * page, 9 * page};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        fill(NULL);
        fr_touch_write(buffer, buffer_bytes - 1, strides[i], 0xabcd);
        for (size_t at = 0; at < buffer_bytes; at++)
            assert_int_equal(buffer[at],
                             at % strides[i] == 0 && at < buffer_bytes - 1 ? 0xcd : BEFORE);
    }
}

static void a_last_line_of_one_byte_is_written_too(void **state)
{
    (void)state;
    fr_touch_write(ending(65), 65, 64, 1);
    assert_int_equal(*ending(65), 1);
    assert_int_equal(*ending(64), BEFORE);
    assert_int_equal(*ending(1), 1);
}

static void writing_nothing_writes_nothing(void **state)
{
    (void)state;
    fr_touch_write(ending(0), 0, 8, 1);
    fr_touch_write(ending(0), 0, 64, 1);
    for (size_t at = 0; at < buffer_bytes; at++)
        assert_int_equal(buffer[at], BEFORE);
}

static void reading_words_sums_words(void **state)
{
    (void)state;
    uint64_t seed = 1, sum = 0, *word = (uint64_t *)(void *)buffer;
    for (size_t i = 0; i < buffer_bytes / 8; i++)
        sum += word[i] = next_random(&seed);
    assert_true(fr_touch_read(buffer, buffer_bytes, 8) == sum);
    assert_true(fr_touch_read(buffer, 8, 8) == word[0]);
    assert_true(fr_touch_read(buffer, 15, 8) == word[0]);
    assert_true(fr_touch_read(buffer, 7, 8) == 0);
}

static void reading_lines_and_pages_sums_their_first_bytes(void **state)
{
    (void)state;
    const size_t strides[] = {9, 64, 100, page, page + 1};
    uint64_t seed = 2;
    for (size_t at = 0; at < buffer_bytes; at++)
        buffer[at] = (unsigned char)next_random(&seed);
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        uint64_t sum = 0;
        for (size_t at = 0; at < buffer_bytes; at++)
            sum += at % strides[i] == 0 ? buffer[at] : 0;
        assert_true(fr_touch_read(buffer, buffer_bytes, strides[i]) == sum);
    }
}

static void reading_changes_nothing(void **state)
{
    (void)state;
    fr_touch_read(buffer, buffer_bytes, 8);
    fr_touch_read(buffer, buffer_bytes, 64);
    for (size_t at = 0; at < buffer_bytes; at++)
        assert_int_equal(buffer[at], BEFORE);
}

static void the_index_fill_numbers_every_word(void **state)
{
    (void)state;
    fr_touch_fill_index(buffer, buffer_bytes - 3);
    const uint64_t *word = (const uint64_t *)(void *)buffer;
    for (size_t i = 0; i < buffer_bytes / 8 - 1; i++)
        assert_int_equal(word[i], i);
    for (size_t at = buffer_bytes - 8; at < buffer_bytes; at++)
        assert_int_equal(buffer[at], BEFORE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_word_is_written_and_an_odd_end_is_left, fill),
        cmocka_unit_test_setup(a_stride_above_a_word_writes_one_byte_each, fill),
        cmocka_unit_test_setup(a_last_line_of_one_byte_is_written_too, fill),
        cmocka_unit_test_setup(writing_nothing_writes_nothing, fill),
        cmocka_unit_test_setup(reading_words_sums_words, fill),
        cmocka_unit_test_setup(reading_lines_and_pages_sums_their_first_bytes, fill),
        cmocka_unit_test_setup(reading_changes_nothing, fill),
        cmocka_unit_test_setup(the_index_fill_numbers_every_word, fill),
    };
    return cmocka_run_group_tests(tests, map_guarded, unmap);
}
