/* Records of a perf ring buffer, decoded: page faults, mappings, and what was lost.
 *
 * Source of the formats: perf_event_open(2) and <linux/perf_event.h>. The events are opened with
 * FR_SAMPLE_TYPE, use_clockid and sample_id_all, so that every record has a time.
 */
#ifndef FR_RECORDS_H
#define FR_RECORDS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* One page fault. Times are nanoseconds of the clock that the events were opened with. */
struct fr_fault {
    int64_t time_ns;
    uint64_t address;          /* that was accessed */
    uint64_t code;             /* address of the instruction that accessed it */
    int is_major, from_kernel; /* from_kernel: the instruction is the kernel's */
};

/* Memory that was mapped, or whose protection was changed, while the trace was on. */
struct fr_mapping {
    int64_t time_ns;
    uint64_t start, bytes;
    uint32_t protection; /* PROT_READ and the like */
    char *path;          /* malloc'ed; "//anon", "[stack]" and the like for what is no file */
};

/* Records that found the buffer full, between the fault number `before` (counted from 0; they are
 * earlier than it) and the one in front of it. */
struct fr_gap {
    int64_t time_ns; /* when there was room again */
    size_t before;
    uint64_t lost; /* records, of faults and of mappings */
};

/* Owned by the caller, who frees it with fr_records_free; all zero is an empty one. */
struct fr_records {
    struct fr_fault *fault;
    struct fr_mapping *mapping;
    struct fr_gap *gap;
    size_t faults, mappings, gaps;
    size_t fault_room, mapping_room, gap_room;
    uint64_t major_id; /* the identifier of the event that counts major faults */
};

/* The buffer's data, whose size is a power of two. */
struct fr_ring {
    const unsigned char *data;
    size_t bytes;
};

#define FR_SAMPLE_TYPE                                                                             \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)

/* Decodes what lies between the positions `tail` and `head`, which count bytes from the first one
 * ever written. Kinds of records that are not asked for are passed over. Returns 0, ENOMEM, or
 * EPROTO for what is no sequence of records. */
int fr_records_decode(struct fr_records *records, const struct fr_ring *ring, uint64_t tail,
                      uint64_t head);

void fr_records_free(struct fr_records *records);

#endif
