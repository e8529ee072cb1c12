/* Records of perf's buffer, from buffers made by hand. */
#include "inspect/records.h"

#include <errno.h>

#include "test.h"

enum { RING_BYTES = 1024, MAJOR_EVENT = 7, MINOR_EVENT = 8 };

/* A buffer that is written as the kernel does: words from `head` on, around its end. */
static unsigned char memory[RING_BYTES];
static const struct fr_ring ring = {memory, RING_BYTES};
static uint64_t tail, head;
static struct fr_records records;

static void put(const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memory[head++ % RING_BYTES] = ((const unsigned char *)bytes)[i];
}

static void put_word(uint64_t word)
{
    put(&word, sizeof word);
}

static void put_header(uint32_t type, uint16_t misc, size_t body_bytes)
{
    struct perf_event_header header = {type, misc,
                                       (uint16_t)(sizeof(struct perf_event_header) + body_bytes)};
    put(&header, sizeof header);
}

/* perf_event_open(2): PERF_SAMPLE_IDENTIFIER, _IP, _TIME and _ADDR, in this order. */
static void put_fault(uint64_t event, uint16_t mode, uint64_t code, uint64_t time, uint64_t address)
{
    put_header(PERF_RECORD_SAMPLE, mode, 32);
    put_word(event);
    put_word(code);
    put_word(time);
    put_word(address);
}

static void put_mapping(uint64_t start, uint64_t bytes, uint32_t protection, const char *path,
                        uint64_t time)
{
    size_t path_bytes = (strlen(path) + 8) & ~(size_t)7;
    uint32_t zero = 0;
    put_header(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, 64 + path_bytes + 16);
    put_word(1); /* pid, tid */
    put_word(start);
    put_word(bytes);
    put_word(0); /* offset */
    put_word(0); /* device */
    put_word(0); /* inode */
    put_word(0); /* its generation */
    put(&protection, sizeof protection);
    put(&zero, sizeof zero); /* flags */
    for (size_t i = 0; i < path_bytes; i++)
        put(i < strlen(path) ? &path[i] : "", 1);
    put_word(time);
    put_word(MINOR_EVENT);
}

static void put_lost(uint64_t lost, uint64_t time)
{
    put_header(PERF_RECORD_LOST, 0, 32);
    put_word(MINOR_EVENT);
    put_word(lost);
    put_word(time);
    put_word(MINOR_EVENT);
}

static int decode(void)
{
    int error = fr_records_decode(&records, &ring, tail, head);
    tail = head;
    return error;
}

static int begin_at(uint64_t position)
{
    fr_records_free(&records);
    records.major_id = MAJOR_EVENT;
    tail = head = position;
    return 0;
}

static int begin(void **state)
{
    (void)state;
    return begin_at(0);
}

static int end(void **state)
{
    (void)state;
    fr_records_free(&records);
    return 0;
}

static void a_fault_has_its_time_address_code_and_kind(void **state)
{
    (void)state;
    put_fault(MINOR_EVENT, PERF_RECORD_MISC_USER, 0x401000, 5000000000, 0x7f0000001008);
    put_fault(MAJOR_EVENT, PERF_RECORD_MISC_KERNEL, 0xffffffff81000000, 5000000001, 0x7f0000002000);
    assert_int_equal(decode(), 0);
    assert_int_equal(records.faults, 2);
    assert_int_equal(records.fault[0].time_ns, 5000000000);
    assert_int_equal(records.fault[0].address, 0x7f0000001008);
    assert_int_equal(records.fault[0].code, 0x401000);
    assert_false(records.fault[0].is_major || records.fault[0].from_kernel);
    assert_int_equal(records.fault[1].code, 0xffffffff81000000);
    assert_true(records.fault[1].is_major && records.fault[1].from_kernel);
}

static void a_mapping_has_its_range_protection_and_path(void **state)
{
    (void)state;
    put_mapping(0x7f0000000000, 0x3000, 5, "/usr/lib/libc.so.6", 17);
    put_mapping(0x7f0000003000, 0x1000, 3, "//anon", 18);
    assert_int_equal(decode(), 0);
    assert_int_equal(records.mappings, 2);
    assert_int_equal(records.mapping[0].start, 0x7f0000000000);
    assert_int_equal(records.mapping[0].bytes, 0x3000);
    assert_int_equal(records.mapping[0].protection, 5);
    assert_int_equal(records.mapping[0].time_ns, 17);
    assert_string_equal(records.mapping[0].path, "/usr/lib/libc.so.6");
    assert_string_equal(records.mapping[1].path, "//anon");
}

static void a_loss_stands_between_the_faults_that_came_through(void **state)
{
    (void)state;
    put_fault(MINOR_EVENT, PERF_RECORD_MISC_USER, 1, 10, 2);
    put_lost(1234, 20);
    put_fault(MINOR_EVENT, PERF_RECORD_MISC_USER, 1, 20, 3);
    assert_int_equal(decode(), 0);
    assert_int_equal(records.gaps, 1);
    assert_int_equal(records.gap[0].lost, 1234);
    assert_int_equal(records.gap[0].before, 1);
    assert_int_equal(records.gap[0].time_ns, 20);
    assert_int_equal(records.faults, 2);
}

static void records_are_whole_wherever_the_buffer_ends_in_them(void **state)
{
    (void)state;
    for (uint64_t position = RING_BYTES - 160; position <= RING_BYTES; position += 8) {
        begin_at(position + 5 * (uint64_t)RING_BYTES);
        put_mapping(0x1000, 0x2000, 3, "/a/path/of/some/length", 4);
        put_fault(MAJOR_EVENT, PERF_RECORD_MISC_USER, 0x11, 0x12, 0x13);
        assert_int_equal(decode(), 0);
        assert_string_equal(records.mapping[0].path, "/a/path/of/some/length");
        assert_int_equal(records.mapping[0].time_ns, 4);
        assert_int_equal(records.fault[0].code, 0x11);
        assert_int_equal(records.fault[0].time_ns, 0x12);
        assert_int_equal(records.fault[0].address, 0x13);
    }
}

static void a_full_buffer_is_read_to_its_end_again_and_again(void **state)
{
    (void)state;
    begin_at(3 * 8);
    for (uint64_t round = 0; round < 100; round++) {
        for (uint64_t i = 0; i < RING_BYTES / 40; i++)
            put_fault(MINOR_EVENT, PERF_RECORD_MISC_USER, round, i, 1);
        put_header(PERF_RECORD_EXIT, 0, RING_BYTES % 40 - 8); /* a kind that nobody asked for */
        for (size_t i = 0; i < (RING_BYTES % 40 - 8) / 8; i++)
            put_word(0);
        assert_int_equal(head - tail, RING_BYTES);
        assert_int_equal(decode(), 0);
    }
    assert_int_equal(records.faults, 100 * (RING_BYTES / 40));
    assert_int_equal(records.fault[records.faults - 1].code, 99);
    assert_int_equal(records.fault[records.faults - 1].time_ns, RING_BYTES / 40 - 1);
}

static void nothing_is_nothing(void **state)
{
    (void)state;
    assert_int_equal(decode(), 0);
    assert_int_equal(records.faults + records.mappings + records.gaps, 0);
}

static void what_is_no_record_is_refused(void **state)
{
    (void)state;
    put_header(PERF_RECORD_SAMPLE, 0, 24); /* too short for what was asked for */
    put_word(0), put_word(0), put_word(0);
    assert_int_equal(decode(), EPROTO);
    begin_at(0);
    put_word(0); /* a record of no bytes: no way on from there */
    assert_int_equal(decode(), EPROTO);
    begin_at(0);
    put_header(PERF_RECORD_SAMPLE, 0, 32); /* longer than what is there */
    assert_int_equal(decode(), EPROTO);
    begin_at(0);
    put_header(PERF_RECORD_MMAP2, 0, 24);
    put_word(0), put_word(0), put_word(0);
    assert_int_equal(decode(), EPROTO);
    assert_int_equal(records.faults + records.mappings, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_fault_has_its_time_address_code_and_kind, begin),
        cmocka_unit_test_setup(a_mapping_has_its_range_protection_and_path, begin),
        cmocka_unit_test_setup(a_loss_stands_between_the_faults_that_came_through, begin),
        cmocka_unit_test_setup(records_are_whole_wherever_the_buffer_ends_in_them, begin),
        cmocka_unit_test_setup(a_full_buffer_is_read_to_its_end_again_and_again, begin),
        cmocka_unit_test_setup(nothing_is_nothing, begin),
        cmocka_unit_test_setup(what_is_no_record_is_refused, begin),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
