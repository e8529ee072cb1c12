#include "engine/audit.h"

/* One bit for each unit of a size that the region has a part of, wherever it begins. */
static size_t bitmap_bytes(uint64_t bytes, uint64_t unit)
{
    return unit ? (bytes / unit + 2 + 7) / 8 : 0;
}

static size_t aligned(size_t bytes)
{
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

size_t fr_audit_scratch(const struct fr_geometry *geometry, size_t bytes)
{
    return geometry->sets * sizeof(uint64_t) + aligned(bitmap_bytes(bytes, geometry->line_bytes)) +
           aligned(bitmap_bytes(bytes, geometry->page_bytes)) +
           aligned(bitmap_bytes(bytes, geometry->huge_bytes));
}

/* The units of one size: those that were seen have their bit set. */
struct units {
    uint64_t size, first; /* bytes, number of the region's first one */
    unsigned char *seen;
    uint64_t *count;
};

static void see(const struct units *units, uint64_t address)
{
    if (!units->size)
        return;
    uint64_t number = address / units->size - units->first;
    unsigned char bit = (unsigned char)(1U << number % 8);
    *units->count += !(units->seen[number / 8] & bit);
    units->seen[number / 8] |= bit;
}

struct walk {
    struct fr_audit *audit;
    const struct fr_geometry *geometry;
    uint64_t base, bytes;
    uint64_t *in_set;
    struct units units[3];
};

static struct walk begin(struct fr_audit *audit, const struct fr_geometry *geometry, uint64_t base,
                         uint64_t bytes, void *scratch)
{
    struct walk walk = {audit, geometry, base, bytes, scratch, {{0}}};
    unsigned char *room = (unsigned char *)scratch + geometry->sets * sizeof(uint64_t);
    const uint64_t size[] = {geometry->line_bytes, geometry->page_bytes, geometry->huge_bytes};
    uint64_t *const count[] = {&audit->lines, &audit->pages, &audit->huge_pages};
    *audit = (struct fr_audit){0};
    for (int i = 0; i < 3; i++) {
        walk.units[i] = (struct units){size[i], size[i] ? base / size[i] : 0, room, count[i]};
        room += aligned(bitmap_bytes(bytes, size[i]));
    }
    return walk;
}

static int is_faulty(const struct walk *walk, uint64_t address)
{
    uint64_t offset = address - walk->base; /* wraps below the base */
    struct fr_audit *audit = walk->audit;
    if (walk->bytes < sizeof(void *) || offset > walk->bytes - sizeof(void *))
        audit->fault = FR_AUDIT_OUTSIDE;
    else if (address % sizeof(void *) != 0)
        audit->fault = FR_AUDIT_MISALIGNED;
    audit->fault_slot = audit->slots;
    audit->fault_address = offset;
    return audit->fault != FR_AUDIT_WELL;
}

static int visit(const struct walk *walk, uint64_t address)
{
    const struct fr_geometry *geometry = walk->geometry;
    if (is_faulty(walk, address))
        return 0;
    walk->audit->slots++;
    for (int i = 0; i < 3; i++)
        see(&walk->units[i], address);
    if (geometry->sets && geometry->line_bytes)
        walk->in_set[address / geometry->line_bytes % geometry->sets]++;
    return 1;
}

/* FNV-1a, 64 bits (Fowler, Noll and Vo), over the bytes of the counts. */
static uint64_t hash_of(const uint64_t *count, uint64_t n)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (uint64_t i = 0; i < n; i++)
        for (unsigned shift = 0; shift < 64; shift += 8)
            hash = (hash ^ (count[i] >> shift & 0xff)) * 0x100000001b3;
    return hash;
}

static void finish(const struct walk *walk)
{
    struct fr_audit *audit = walk->audit;
    const uint64_t sets = walk->geometry->line_bytes ? walk->geometry->sets : 0;
    for (uint64_t i = 0; i < sets; i++) {
        audit->used_sets += walk->in_set[i] > 0;
        if (walk->in_set[i] > audit->fullest_set)
            audit->fullest_set = walk->in_set[i];
    }
    audit->set_hash = sets ? hash_of(walk->in_set, sets) : 0;
}

void fr_audit_chain(struct fr_audit *audit, const struct fr_geometry *geometry, const void *base,
                    size_t bytes, const void *start, uint64_t slots, void *scratch)
{
    struct walk walk = begin(audit, geometry, (uintptr_t)base, bytes, scratch);
    const void *at = start;
    while (audit->slots < slots && visit(&walk, (uintptr_t)at)) {
        at = *(const void *const *)at;
        if (at == start && audit->slots < slots)
            break; /* it came back too early */
    }
    if (!audit->fault && (audit->slots < slots || at != start))
        audit->fault = FR_AUDIT_NO_CYCLE;
    finish(&walk);
}

void fr_audit_offsets(struct fr_audit *audit, const struct fr_geometry *geometry, size_t bytes,
                      const int64_t *offset, uint64_t slots, void *scratch)
{
    struct walk walk = begin(audit, geometry, 0, bytes, scratch);
    for (uint64_t i = 0; i < slots && visit(&walk, (uint64_t)offset[i]); i++)
        ;
    finish(&walk);
}
