/* Audits: what a chain's addresses are, and what is wrong with them. */
#include "engine/audit.h"

#include <sys/mman.h>

#include "test.h"

enum { PAGE = 4096, LINE = 64, SETS = 64, SLOTS = 80, BYTES = 2 * SLOTS * PAGE };
static const struct fr_geometry geometry = {
    .page_bytes = PAGE, .huge_bytes = 16 * PAGE, .line_bytes = LINE, .sets = SETS};
static unsigned char *region; /* at a multiple of every size */

static int map_region(void **state)
{
    (void)state;
    unsigned char *room =
        mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(room, MAP_FAILED);
    uintptr_t misfit = (uintptr_t)room % (16 * PAGE);
    region = room + (misfit ? 16 * PAGE - misfit : 0);
    return 0;
}

static struct fr_audit audit_as(const struct fr_geometry *as, const void *start, uint64_t slots)
{
    struct fr_audit audit;
    void *scratch = calloc(1, fr_audit_scratch(as, BYTES) + 1);
    fr_audit_chain(&audit, as, region, BYTES, start, slots, scratch);
    free(scratch);
    return audit;
}

/* A cycle through addr(i) = i * gap + off * (i % SETS). */
static struct fr_audit audit_of(size_t slots, size_t gap, size_t off)
{
    for (size_t i = 0; i < slots; i++) {
        size_t next = (i + 1) % slots;
        *(void **)(void *)(region + i * gap + off * (i % SETS)) =
            region + next * gap + off * (next % SETS);
    }
    return audit_as(&geometry, region, slots);
}

static void assert_counts(struct fr_audit audit, uint64_t slots, uint64_t pages, uint64_t sets,
                          uint64_t fullest)
{
    assert_int_equal(audit.fault, FR_AUDIT_WELL);
    assert_int_equal(audit.slots, slots);
    assert_int_equal(audit.lines, slots);
    assert_int_equal(audit.pages, pages);
    assert_int_equal(audit.used_sets, sets);
    assert_int_equal(audit.fullest_set, fullest);
}

static void test_counts(void **state)
{
    (void)state;
    assert_counts(audit_of(SLOTS, LINE, 0), SLOTS, 2, SETS, 2);
    assert_counts(audit_of(SLOTS, PAGE, LINE), SLOTS, SLOTS, SETS, 2);
    assert_counts(audit_of(SLOTS, PAGE, 0), SLOTS, SLOTS, 1, SLOTS);
    assert_counts(audit_of(1, PAGE, 0), 1, 1, 1, 1);
    assert_int_equal(audit_of(SLOTS, PAGE, 0).huge_pages, SLOTS / 16);
}

static void test_distributions(void **state)
{
    (void)state;
    uint64_t packed = audit_of(SLOTS, LINE, 0).set_hash;
    assert_true(audit_of(SLOTS, PAGE, LINE).set_hash == packed);
    assert_false(audit_of(SLOTS, PAGE, 0).set_hash == packed);
    assert_false(audit_of(SLOTS - 1, LINE, 0).set_hash == packed);
}

/* Two slots in one line are two slots, and one line. */
static void test_lines(void **state)
{
    (void)state;
    struct fr_audit audit = audit_of(SLOTS, LINE / 2, 0);
    assert_int_equal(audit.slots, SLOTS);
    assert_int_equal(audit.lines, SLOTS / 2);
}

static void test_unknown(void **state)
{
    (void)state;
    static const struct fr_geometry pages_only = {.page_bytes = PAGE};
    audit_of(SLOTS, PAGE, LINE);
    struct fr_audit audit = audit_as(&pages_only, region, SLOTS);
    assert_int_equal(audit.pages, SLOTS);
    assert_int_equal(audit.lines + audit.huge_pages + audit.used_sets + audit.fullest_set, 0);
    assert_true(audit.set_hash == 0);
}

static void test_faults(void **state)
{
    (void)state;
    audit_of(SLOTS, PAGE, 0);
    void **third = (void **)(void *)(region + 2 * PAGE);
    assert_int_equal(audit_as(&geometry, region, SLOTS - 1).fault, FR_AUDIT_NO_CYCLE);
    assert_int_equal(audit_as(&geometry, region, SLOTS + 1).fault, FR_AUDIT_NO_CYCLE);
    *third = region + PAGE; /* a short loop that leaves the start out */
    assert_int_equal(audit_as(&geometry, region, SLOTS).fault, FR_AUDIT_NO_CYCLE);
    *third = region; /* back too early */
    assert_int_equal(audit_as(&geometry, region, SLOTS).fault, FR_AUDIT_NO_CYCLE);
    *third = region + 4;
    struct fr_audit audit = audit_as(&geometry, region, SLOTS);
    assert_int_equal(audit.fault, FR_AUDIT_MISALIGNED);
    assert_int_equal(audit.fault_slot, 3);
    assert_int_equal(audit.fault_address, 4);
    *third = region + BYTES;
    assert_int_equal(audit_as(&geometry, region, SLOTS).fault, FR_AUDIT_OUTSIDE);
    *third = region - LINE;
    assert_int_equal(audit_as(&geometry, region, SLOTS).fault, FR_AUDIT_OUTSIDE);
    *third = region + BYTES - LINE / 2; /* the last pointer that fits is well, but leads nowhere */
    assert_int_equal(audit_as(&geometry, region, SLOTS).fault, FR_AUDIT_OUTSIDE);
}

static void test_offsets(void **state)
{
    (void)state;
    static const int64_t offset[] = {0, PAGE + LINE, 2 * PAGE};
    static const int64_t outside[] = {0, -LINE}, beyond[] = {BYTES - 4};
    struct fr_audit audit;
    void *scratch = calloc(1, fr_audit_scratch(&geometry, BYTES));
    fr_audit_offsets(&audit, &geometry, BYTES, offset, 3, scratch);
    assert_counts(audit, 3, 3, 2, 2);
    fr_audit_offsets(&audit, &geometry, BYTES, outside, 2, scratch);
    assert_int_equal(audit.fault, FR_AUDIT_OUTSIDE);
    assert_int_equal(audit.fault_slot, 1);
    fr_audit_offsets(&audit, &geometry, BYTES, beyond, 1, scratch);
    assert_int_equal(audit.fault, FR_AUDIT_OUTSIDE);
    free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts), cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_lines),  cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_faults), cmocka_unit_test(test_offsets),
    };
    return cmocka_run_group_tests(tests, map_region, NULL);
}
