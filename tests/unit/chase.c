/* Chains: one cycle through every slot, whatever the size, the grouping and the seed. */
#include "engine/chase.h"

#include "test.h"

enum { SEEDS = 100 };

static void *link_as(const struct fr_chain *chain, size_t bytes)
{
    void *base = malloc(bytes);
    uint32_t *scratch = calloc(fr_chase_scratch(chain) + 1, sizeof *scratch);
    assert_non_null(base);
    assert_non_null(scratch);
    fr_chase_link(base, chain, scratch);
    assert_int_equal(scratch[fr_chase_scratch(chain)], 0); /* no more was written than was said */
    free(scratch);
    return base;
}

static void *link_chain(size_t slots, size_t stride, size_t group, uint64_t seed)
{
    return link_as(
        &(struct fr_chain){.slots = slots, .stride = stride, .group = group, .seed = seed},
        slots * stride);
}

static void test_cycle(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 64, 4096, 1000000};
    static const size_t groups[] = {0, 7, 64};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
            for (uint64_t seed = 0; seed < (sizes[i] > 4096 ? 2 : SEEDS); seed++) {
                void *base = link_chain(sizes[i], 16, groups[g], seed);
                assert_true(fr_chase_cycle(base, sizes[i] + 1) == sizes[i]);
                free(base);
            }
}

static void test_steps(void **state)
{
    (void)state;
    void *base = link_chain(100, 64, 0, 5);
    const void *at = base;
    for (uint64_t steps = 0; steps <= 200; steps++) {
        assert_ptr_equal(fr_chase(base, steps), at);
        at = *(const void *const *)at;
    }
    free(base);
}

static void test_seed(void **state)
{
    (void)state;
    int differs = 0;
    unsigned char *a = link_chain(64, 64, 0, 1), *b = link_chain(64, 64, 0, 1),
                  *c = link_chain(64, 64, 0, 2);
    for (size_t i = 0; i < 64 * 64; i += 64) {
        assert_true(*(unsigned char **)(void *)(a + i) - a ==
                    *(unsigned char **)(void *)(b + i) - b);
        differs |= *(unsigned char **)(void *)(a + i) - a != *(unsigned char **)(void *)(c + i) - c;
    }
    assert_true(differs);
    free(a);
    free(b);
    free(c);
}

static void test_groups(void **state)
{
    (void)state;
    enum { SLOTS = 640, STRIDE = 64, GROUP = 64 };
    unsigned char *base = link_chain(SLOTS, STRIDE, GROUP, 3), *at = base;
    size_t changes = 0;
    for (size_t i = 0; i < SLOTS; i++) {
        unsigned char *next = *(unsigned char **)(void *)at;
        changes +=
            (size_t)(next - base) / (STRIDE * GROUP) != (size_t)(at - base) / (STRIDE * GROUP);
        at = next;
    }
    assert_true(changes <= SLOTS / GROUP + 1); /* the start may lie amid a group */
    free(base);
}

/* Where another slot lies on slot 0, the later write stays. */
static void test_linked_from_slot_0(void **state)
{
    (void)state;
    enum { SLOTS = 40, GROUP = 8 };
    unsigned char *plain = link_chain(SLOTS, sizeof(void *), GROUP, 4);
    void *const *next = (void *const *)(void *)plain;
    for (size_t other = 1; other < SLOTS; other++) {
        uint64_t offset[SLOTS];
        for (size_t i = 0; i < SLOTS; i++)
            offset[i] = i * sizeof(void *);
        offset[other] = 0;
        unsigned char *base =
            link_as(&(struct fr_chain){.slots = SLOTS, .offset = offset, .group = GROUP, .seed = 4},
                    SLOTS * sizeof(void *));
        size_t behind = (size_t)((unsigned char *)next[other] - plain) / sizeof(void *);
        assert_ptr_equal(*(void **)(void *)base, base + offset[behind]);
        free(base);
    }
    free(plain);
}

static void test_sequential(void **state)
{
    (void)state;
    const struct fr_chain chain = {.slots = 100, .stride = 64, .is_sequential = 1, .seed = 9};
    unsigned char *base = link_as(&chain, 100 * 64), *at = base;
    for (size_t i = 1; i <= 100; i++) {
        at = *(unsigned char **)(void *)at;
        assert_ptr_equal(at, base + i % 100 * 64);
    }
    free(base);
}

static void test_offsets(void **state)
{
    (void)state;
    static const uint64_t offset[] = {512, 0, 4096, 80, 1024};
    const struct fr_chain chain = {.slots = 5, .offset = offset, .stride = 64, .seed = 2};
    unsigned char *base = link_as(&chain, 8192), *at = base + offset[0];
    unsigned seen = 0;
    for (size_t i = 0; i < 5; i++) {
        at = *(unsigned char **)(void *)at;
        for (unsigned k = 0; k < 5; k++)
            seen |= at == base + offset[k] ? 1U << k : 0;
    }
    assert_int_equal(seen, 31);
    assert_ptr_equal(at, base + offset[0]);
    free(base);
}

/* A region's size need be no multiple of the slot: what is left over is in no slot. */
static void test_odd_rest(void **state)
{
    (void)state;
    enum { BYTES = 4096 + 1000, STRIDE = 96, SLOTS = BYTES / STRIDE };
    unsigned char *base = malloc(BYTES), *end = base + (size_t)SLOTS * STRIDE;
    uint32_t scratch[2 * SLOTS];
    const struct fr_chain chain = {.slots = SLOTS, .stride = STRIDE, .seed = 4};
    assert_non_null(base);
    memset(base, 0xA5, BYTES);
    fr_chase_link(base, &chain, scratch);
    assert_true(fr_chase_cycle(base, SLOTS + 1) == SLOTS);
    for (const unsigned char *rest = end; rest < base + BYTES; rest++)
        assert_int_equal(*rest, 0xA5);
    free(base);
}

static void test_short_cycle_is_seen(void **state)
{
    (void)state;
    void *loop[2];
    loop[0] = &loop[1];
    loop[1] = &loop[1];
    assert_true(fr_chase_cycle(loop, 100) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_seed),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_linked_from_slot_0),
        cmocka_unit_test(test_sequential),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_odd_rest),
        cmocka_unit_test(test_short_cycle_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
