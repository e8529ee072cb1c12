/* An audit of a chain: what its addresses really are, counted and not described.
 *
 * The caller owns the scratch memory of an audit, fr_audit_scratch bytes of it, zeroed.
 */
#ifndef FR_AUDIT_H
#define FR_AUDIT_H

#include <stddef.h>
#include <stdint.h>

/* What a machine's addresses are divided into. Sizes are powers of two; 0: unknown, and what would
 * be counted by it is 0, too. */
struct fr_geometry {
    uint64_t page_bytes, huge_bytes; /* of base pages, and of the largest transparent ones */
    uint64_t line_bytes, sets; /* of the first-level data cache: set = address / line % sets */
};

enum fr_audit_fault {
    FR_AUDIT_WELL,
    FR_AUDIT_OUTSIDE,    /* an address is not wholly in the region */
    FR_AUDIT_MISALIGNED, /* … does not lie at a multiple of a pointer's size */
    FR_AUDIT_NO_CYCLE    /* the chain does not return to its start after so many slots */
};

struct fr_audit {
    uint64_t slots; /* visited until the chain returned to its start, each counted once */
    uint64_t lines, pages, huge_pages; /* different ones among their addresses */
    uint64_t used_sets, fullest_set;   /* sets that have a slot, and how many the fullest has */
    uint64_t set_hash; /* FNV-1a of the counts of all sets: the same for the same distribution */
    uint32_t fault;    /* enum fr_audit_fault; else than WELL, the counts end there */
    uint32_t unused;
    uint64_t fault_slot, fault_address; /* which was visited then, from 0, and its offset */
};

/* Bytes of scratch memory for slots in a region of `bytes`. */
size_t fr_audit_scratch(const struct fr_geometry *geometry, size_t bytes);

/* Walks the chain from `start`, which must come back to it after `slots` loads, and counts where it
 * goes. Loads only what lies within the region. */
void fr_audit_chain(struct fr_audit *audit, const struct fr_geometry *geometry, const void *base,
                    size_t bytes, const void *start, uint64_t slots, void *scratch);

/* The same for slots that are not written yet, at offset[0 … slots-1] of a region that begins at a
 * multiple of every size of the geometry. */
void fr_audit_offsets(struct fr_audit *audit, const struct fr_geometry *geometry, size_t bytes,
                      const int64_t *offset, uint64_t slots, void *scratch);

#endif
