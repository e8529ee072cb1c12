/* Operations: the primitive steps of experiments, and the loop that times them.
 *
 * Used twice: by jobs in a worker, and by the bindings for primitives called from a script.
 */
#ifndef FR_OPS_H
#define FR_OPS_H

#include <stdint.h>
#include <time.h>

#include "engine/region.h"

enum fr_op_code {
    FR_OP_WRITE,  /* region, stride, value */
    FR_OP_READ,   /* region, stride */
    FR_OP_EVICT,  /* amount: bytes, stride: line bytes */
    FR_OP_SLEEP,  /* amount: ns */
    FR_OP_SPIN,   /* amount: ns */
    FR_OP_AFFINE, /* region: out, from: in, amount: words, mul, value: add */
};

/* Plain data: it is copied into the memory that host and worker share. */
struct fr_op {
    uint32_t code;         /* enum fr_op_code */
    uint32_t region, from; /* indices */
    uint32_t unused;
    uint64_t stride, amount, mul, value; /* bytes, and as said above */
};

/* One timed iteration. */
struct fr_reading {
    int64_t ns;
    uint32_t minor_faults, major_faults;
};

struct fr_program {
    const struct fr_op *op;
    uint32_t ops;
    const struct fr_region *region; /* mapped by the caller, who keeps them */
    clockid_t clock;
};

/* Reserves what the operations need besides their regions: the buffer of the largest eviction.
 * To be called before the first run. Returns 0 or an errno value. */
int fr_ops_prepare(const struct fr_program *program);

/* Runs all operations once, untimed. Returns a sum of what was read, to be consumed. */
uint64_t fr_ops_run(const struct fr_program *program);

/* Runs them `iterations` times and records each. `reading` has room for all and was written to
 * before, or recording would fault. `finished` counts along. Returns a sum to be consumed. */
uint64_t fr_ops_time(const struct fr_program *program, uint64_t iterations,
                     struct fr_reading *reading, volatile uint64_t *finished);

#endif
