/* The kernel against its definition, worked out bit by bit. */
#include "engine/affine.h"

#include "test.h"

enum { MOST = 1003, UNTOUCHED = 0x5a };

/* mul * in + add modulo 2^64, by adding shifted copies. */
static uint64_t defined(uint64_t mul, uint64_t in, uint64_t add)
{
    uint64_t sum = add;
    for (int bit = 0; bit < 64; bit++)
        if (mul >> bit & 1)
            sum += in << bit;
    return sum;
}

static uint64_t input[MOST + 1], output[MOST + 3];

static void check(size_t offset, size_t words, uint64_t mul, uint64_t add)
{
    memset(output, UNTOUCHED, sizeof output);
    fr_affine(output + 1 + offset, input + offset, words, mul, add);
    uint64_t untouched;
    memset(&untouched, UNTOUCHED, sizeof untouched);
    assert_true(output[offset] == untouched);
    assert_true(output[1 + offset + words] == untouched);
    for (size_t i = 0; i < words; i++)
        assert_true(output[1 + offset + i] == defined(mul, input[offset + i], add));
}

static int fill(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (size_t i = 0; i <= MOST; i++)
        input[i] = next_random(&seed);
    input[0] = UINT64_MAX;
    input[1] = 0;
    input[2] = (uint64_t)1 << 63;
    return 0;
}

static void every_multiplier_does_what_the_definition_says(void **state)
{
    (void)state;
    const uint64_t top = (uint64_t)1 << 63;
    const uint64_t factors[] = {0, 1, 2, 3, 4, 5, 6, 7, 1000003, top, top + 1, UINT64_MAX};
    const uint64_t addends[] = {0, 1, top, UINT64_MAX, 0x123456789abcdef0};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        for (size_t j = 0; j < sizeof addends / sizeof *addends; j++)
            check(0, MOST, factors[i], addends[j]);
}

static void every_length_is_done_to_the_last_word(void **state)
{
    (void)state;
    for (size_t words = 0; words <= 70; words++)
        for (uint64_t mul = 0; mul <= 7; mul++)
            check(0, words, mul, 9);
}

static void vectors_need_not_be_aligned(void **state)
{
    (void)state;
    for (uint64_t mul = 0; mul <= 7; mul++) {
        check(1, 64, mul, 9);
        check(1, MOST - 1, mul, 9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_multiplier_does_what_the_definition_says),
        cmocka_unit_test(every_length_is_done_to_the_last_word),
        cmocka_unit_test(vectors_need_not_be_aligned),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
