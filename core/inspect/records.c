#include "inspect/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of FR_SAMPLE_TYPE, in the order of perf_event_open(2); behind other records stands what
 * sample_id_all adds. */
struct sample_body {
    uint64_t id, code, time, address;
};
struct sample_id {
    uint64_t time, id;
};
struct lost_body {
    uint64_t id, lost;
};
struct mapping_body {
    uint32_t pid, tid;
    uint64_t start, bytes, offset;
    uint32_t major, minor;
    uint64_t inode, generation;
    uint32_t protection, flags;
    /* the path, padded with zeros to whole 8 bytes */
};

/* A record, whose bytes may be wrapped around the end of the ring. */
struct record {
    const struct fr_ring *ring;
    uint64_t start; /* position of its header */
    struct perf_event_header header;
};

static void copy_out(const struct fr_ring *ring, uint64_t position, void *to, size_t bytes)
{
    size_t at = (size_t)(position & (ring->bytes - 1));
    size_t first = ring->bytes - at < bytes ? ring->bytes - at : bytes;
    memcpy(to, ring->data + at, first);
    memcpy((unsigned char *)to + first, ring->data, bytes - first);
}

/* The body behind the header; 0 when the record is too short for it and `behind` bytes more. */
static int read_body(const struct record *record, void *body, size_t bytes, size_t behind)
{
    if (record->header.size < sizeof record->header + bytes + behind)
        return 0;
    copy_out(record->ring, record->start + sizeof record->header, body, bytes);
    return 1;
}

static struct sample_id read_sample_id(const struct record *record)
{
    struct sample_id id;
    copy_out(record->ring, record->start + record->header.size - sizeof id, &id, sizeof id);
    return id;
}

/* Room for one more item; rooms are powers of two. Returns the item's place, or NULL. */
static void *add_item(void **items, size_t *count, size_t *room, size_t item_bytes)
{
    if (*count == *room) {
        size_t larger = *room ? 2 * *room : 64;
        void *moved = realloc(*items, larger * item_bytes);
        if (!moved)
            return NULL;
        *items = moved;
        *room = larger;
    }
    return (unsigned char *)*items + (*count)++ * item_bytes;
}

static int add_fault(struct fr_records *records, const struct record *record)
{
    struct sample_body body;
    if (!read_body(record, &body, sizeof body, 0))
        return EPROTO;
    struct fr_fault *fault =
        add_item((void **)&records->fault, &records->faults, &records->fault_room, sizeof *fault);
    if (!fault)
        return ENOMEM;
    uint32_t mode = record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
    fault->time_ns = (int64_t)body.time;
    fault->address = body.address;
    fault->code = body.code;
    fault->is_major = body.id == records->major_id;
    fault->from_kernel = mode == PERF_RECORD_MISC_KERNEL;
    return 0;
}

static int add_mapping(struct fr_records *records, const struct record *record)
{
    struct mapping_body body;
    if (!read_body(record, &body, sizeof body, sizeof(struct sample_id)))
        return EPROTO;
    size_t before = sizeof record->header + sizeof body;
    size_t bytes = record->header.size - before - sizeof(struct sample_id);
    char *path = malloc(bytes + 1);
    struct fr_mapping *mapping = NULL;
    if (path)
        mapping = add_item((void **)&records->mapping, &records->mappings, &records->mapping_room,
                           sizeof *mapping);
    if (!mapping) {
        free(path);
        return ENOMEM;
    }
    copy_out(record->ring, record->start + before, path, bytes);
    path[bytes] = '\0';
    *mapping = (struct fr_mapping){(int64_t)read_sample_id(record).time, body.start, body.bytes,
                                   body.protection, path};
    return 0;
}

static int add_gap(struct fr_records *records, const struct record *record)
{
    struct lost_body body;
    if (!read_body(record, &body, sizeof body, sizeof(struct sample_id)))
        return EPROTO;
    struct fr_gap *gap =
        add_item((void **)&records->gap, &records->gaps, &records->gap_room, sizeof *gap);
    if (!gap)
        return ENOMEM;
    *gap = (struct fr_gap){(int64_t)read_sample_id(record).time, records->faults, body.lost};
    return 0;
}

static int decode_one(struct fr_records *records, const struct record *record)
{
    switch (record->header.type) {
    case PERF_RECORD_SAMPLE:
        return add_fault(records, record);
    case PERF_RECORD_MMAP2:
        return add_mapping(records, record);
    case PERF_RECORD_LOST:
        return add_gap(records, record);
    default:
        return 0;
    }
}

int fr_records_decode(struct fr_records *records, const struct fr_ring *ring, uint64_t tail,
                      uint64_t head)
{
    struct record record = {ring, tail, {0, 0, 0}};
    while (record.start != head) {
        uint64_t left = head - record.start;
        if (left < sizeof record.header || left > ring->bytes)
            return EPROTO;
        copy_out(ring, record.start, &record.header, sizeof record.header);
        if (record.header.size < sizeof record.header || record.header.size > left)
            return EPROTO;
        int error = decode_one(records, &record);
        if (error)
            return error;
        record.start += record.header.size;
    }
    return 0;
}

void fr_records_free(struct fr_records *records)
{
    for (size_t i = 0; i < records->mappings; i++)
        free(records->mapping[i].path);
    free(records->fault);
    free(records->mapping);
    free(records->gap);
    memset(records, 0, sizeof *records);
}
