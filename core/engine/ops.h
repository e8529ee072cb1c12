/* Operations: the primitive steps of experiments, and the loop that times them.
 *
 * Used twice: by jobs in a worker, and by the bindings for primitives called from a script.
 */
#ifndef FR_OPS_H
#define FR_OPS_H

#include <stdint.h>
#include <time.h>

#include "engine/counters.h"
#include "engine/region.h"

enum fr_op_code {
    FR_OP_WRITE,  /* region, stride, value */
    FR_OP_READ,   /* region, stride */
    FR_OP_EVICT,  /* amount: bytes, stride: line bytes */
    FR_OP_SLEEP,  /* amount: ns */
    FR_OP_SPIN,   /* amount: ns */
    FR_OP_AFFINE, /* region: out, from: in, amount: words, mul, value: add */
    FR_OP_CHASE,  /* region, amount: loads, value: offset of the slot that they start at */
    FR_OP_STREAM, /* region, value; only where there are such stores, see stream.h */
    FR_OP_COUNT,  /* amount: steps */
    /* What the kernel is asked for and may refuse, see pages.h: */
    FR_OP_POPULATE,   /* region, value: 1 for writing, 0 for reading */
    FR_OP_ADVISE,     /* region, amount: madvise number */
    FR_OP_LOCK,       /* region */
    FR_OP_UNLOCK,     /* region */
    FR_OP_REMAP,      /* region, value: 1 to populate it */
    FR_OP_READ_FILE,  /* region, from: whose file, amount: bytes */
    FR_OP_EVICT_FILE, /* region */
    /* Never timed: links a chain from the region's start, see chase.h. */
    FR_OP_LINK, /* region, amount: slots, stride, mul: group, value: seed, flags: 1: sequential */
};

/* What came of an operation that asks the kernel. */
struct fr_op_outcome {
    int32_t error;           /* errno of the first refusal, 0: none */
    uint32_t is_touch_loop;  /* 1: populated by a loop, as this kernel has no call for it */
    uint64_t resident_pages; /* FR_OP_EVICT_FILE: what was still in memory afterwards */
    uint64_t slots;          /* FR_OP_LINK: loads until the chain came back to its start; 0: it was
                                too long to be walked */
};

/* Plain data: it is copied into the memory that host and worker share. */
struct fr_op {
    uint32_t code;         /* enum fr_op_code */
    uint32_t region, from; /* indices */
    uint32_t flags;
    uint64_t stride, amount, mul, value; /* bytes, and as said above */
};

/* One timed iteration. */
struct fr_reading {
    int64_t ns;
    uint32_t minor_faults, major_faults;
};

/* The time in which the fault counts of all iterations were taken: it begins before the first
 * reading of them and ends after the last. */
struct fr_window {
    int64_t start_ns, end_ns;
};

struct fr_program {
    const struct fr_op *op;
    uint32_t ops;
    const struct fr_region *region; /* mapped by the caller, who keeps them */
    clockid_t clock;
    struct fr_op_outcome *outcome; /* of each operation, zeroed before; written by those that ask
                                      the kernel, may be NULL when there is none */
};

/* Reserves what the operations need besides their regions, the buffer of the largest eviction and
 * room to link the longest chain, and finds out what this kernel can do. To be called before the
 * first run. Returns 0 or an errno value. */
int fr_ops_prepare(const struct fr_program *program);

/* Runs all operations once, untimed. Returns a sum of what was read, to be consumed. */
uint64_t fr_ops_run(const struct fr_program *program);

/* Runs them `iterations` times and records each. `reading` has room for all and was written to
 * before, or recording would fault. `finished` counts along; `window` is written in the end.
 * `counters` count from before the first iteration to after the last, what is read between the
 * iterations included; NULL: none. Returns a sum to be consumed. */
uint64_t fr_ops_time(const struct fr_program *program, uint64_t iterations,
                     struct fr_reading *reading, volatile uint64_t *finished,
                     struct fr_window *window, struct fr_counters *counters);

#endif
