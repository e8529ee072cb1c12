#include "engine/ops.h"

#include <errno.h>

#include "engine/advice.h"
#include "engine/affine.h"
#include "engine/chase.h"
#include "engine/clock.h"
#include "engine/count.h"
#include "engine/evict.h"
#include "engine/faults.h"
#include "engine/pages.h"
#include "engine/pause.h"
#include "engine/stream.h"
#include "engine/touch.h"

enum { LONGEST_WALKED = 1 << 18 }; /* slots: a walk of more would take as long as what is timed */

/* Scratch memory for links, as large as the largest needs. Like the buffer of evictions it stays
 * mapped: what is unmapped between two readings takes translations with it. */
static struct fr_region links;

static struct fr_chain chain_of(const struct fr_op *op)
{
    return (struct fr_chain){
        .slots = op->amount,
        .stride = op->stride,
        .group = op->mul,
        .is_sequential = (op->flags & 1) != 0,
        .seed = op->value,
    };
}

static int reserve_links(const struct fr_program *program)
{
    size_t most = 0;
    for (uint32_t i = 0; i < program->ops; i++) {
        const struct fr_chain chain = chain_of(&program->op[i]);
        if (program->op[i].code == FR_OP_LINK && fr_chase_scratch(&chain) > most)
            most = fr_chase_scratch(&chain);
    }
    if (most * sizeof(uint32_t) <= links.bytes)
        return 0;
    return fr_region_map(&links, most * sizeof(uint32_t), 0);
}

static uint64_t link_chain(const struct fr_region *region, const struct fr_op *op)
{
    const struct fr_chain chain = chain_of(op);
    fr_chase_link(region->base, &chain, (uint32_t *)(void *)links.base);
    return chain.slots <= LONGEST_WALKED ? fr_chase_cycle(region->base, chain.slots) : 0;
}

int fr_ops_prepare(const struct fr_program *program)
{
    size_t bytes = 0;
    int error = reserve_links(program);
    if (error)
        return error;
    for (uint32_t i = 0; i < program->ops; i++) {
        if (program->op[i].code == FR_OP_EVICT && program->op[i].amount > bytes)
            bytes = program->op[i].amount;
        if (program->op[i].code == FR_OP_POPULATE)
            fr_pages_can_populate();
        if (program->op[i].code == FR_OP_STREAM && !fr_stream_has_stores())
            return ENOTSUP; /* it would do nothing, in the time that this takes */
    }
    return bytes ? fr_evict_prepare(bytes) : 0;
}

static int ask_kernel(const struct fr_program *program, const struct fr_op *op,
                      struct fr_op_outcome *outcome)
{
    const struct fr_region *region = &program->region[op->region];
    size_t pages;
    int error;
    switch (op->code) {
    case FR_OP_POPULATE:
        outcome->is_touch_loop = !fr_pages_can_populate();
        return fr_pages_populate(region, op->value != 0);
    case FR_OP_ADVISE:
        return fr_region_advise(region, (int)op->amount);
    case FR_OP_LOCK:
        return fr_pages_lock(region);
    case FR_OP_UNLOCK:
        return fr_pages_unlock(region);
    case FR_OP_REMAP:
        return fr_region_remap(region, op->value != 0);
    case FR_OP_READ_FILE:
        return fr_pages_read_file(region, &program->region[op->from], op->amount);
    case FR_OP_EVICT_FILE:
        error = fr_pages_evict_file(region, &pages);
        outcome->resident_pages = pages;
        return error;
    case FR_OP_LINK:
        outcome->slots = link_chain(region, op);
        return 0;
    default:
        return ENOSYS;
    }
}

/* Out of line, and so out of the way of the operations that are timed by the nanosecond. */
static __attribute__((noinline)) void ask_and_note(const struct fr_program *program,
                                                   const struct fr_op *op)
{
    struct fr_op_outcome *outcome = &program->outcome[op - program->op];
    int error = ask_kernel(program, op, outcome);
    if (error && !outcome->error)
        outcome->error = error;
}

static inline __attribute__((always_inline)) uint64_t run_op(const struct fr_program *program,
                                                             const struct fr_op *op)
{
    const struct fr_region *region = &program->region[op->region];
    switch (op->code) {
    case FR_OP_WRITE:
        fr_touch_write(region->base, region->bytes, op->stride, op->value);
        return 0;
    case FR_OP_READ:
        return fr_touch_read(region->base, region->bytes, op->stride);
    case FR_OP_EVICT:
        return fr_evict(op->amount, op->stride);
    case FR_OP_SLEEP:
        fr_pause_sleep((int64_t)op->amount);
        return 0;
    case FR_OP_SPIN:
        fr_pause_spin(program->clock, (int64_t)op->amount);
        return 0;
    case FR_OP_AFFINE:
        fr_affine((uint64_t *)(void *)region->base,
                  (const uint64_t *)(const void *)program->region[op->from].base, op->amount,
                  op->mul, op->value);
        return 0;
    case FR_OP_CHASE:
        return (uint64_t)(uintptr_t)fr_chase(region->base + op->value, op->amount);
    case FR_OP_STREAM:
        fr_stream_write(region->base, region->bytes, op->value);
        return 0;
    case FR_OP_COUNT:
        return fr_count(op->amount);
    default:
        ask_and_note(program, op);
        return 0;
    }
}

/* Not inlined anywhere: what is rehearsed is then the very code that is timed. */
__attribute__((noinline)) uint64_t fr_ops_run(const struct fr_program *program)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < program->ops; i++)
        sum += run_op(program, &program->op[i]);
    return sum;
}

/* Goes the way of the operations without doing any of their work: otherwise their first pass would
 * also be the first use of their code. */
static uint64_t rehearse(const struct fr_program *program)
{
    static unsigned char nowhere[sizeof(void *)];
    static const struct fr_region empty = {.base = nowhere, .file = -1};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < program->ops; i++) {
        struct fr_op nothing = program->op[i];
        if (nothing.code >= FR_OP_POPULATE)
            continue; /* the kernel is not asked in vain */
        nothing.region = nothing.from = 0;
        nothing.amount = nothing.value = 0;
        const struct fr_program one = {&nothing, 1, &empty, program->clock, NULL};
        sum += fr_ops_run(&one);
    }
    return sum;
}

/* Between the two clock readings there is nothing but the operations. The fault counts are read
 * outside of them: a getrusage costs as much as some hundred words of a kernel. */
uint64_t fr_ops_time(const struct fr_program *program, uint64_t iterations,
                     struct fr_reading *reading, volatile uint64_t *finished,
                     struct fr_window *window, struct fr_counters *counters)
{
    uint64_t sum = 0;
    fr_clock_ns(program->clock); /* the first reading of a process faults on the vDSO's data */
    sum += rehearse(program);
    /* Kept here until the end, as memory that is written for the first time faults, too. */
    int64_t window_start = fr_clock_ns(program->clock);
    struct fr_faults before = fr_faults_now();
    if (counters)
        fr_counters_start(counters);
    for (uint64_t i = 0; i < iterations; i++) {
        int64_t start = fr_clock_ns(program->clock);
        sum += fr_ops_run(program);
        int64_t end = fr_clock_ns(program->clock);
        struct fr_faults after = fr_faults_now();
        reading[i].ns = end - start;
        reading[i].minor_faults = (uint32_t)(after.minor - before.minor);
        reading[i].major_faults = (uint32_t)(after.major - before.major);
        before = after;
        *finished = i + 1;
    }
    if (counters)
        fr_counters_stop(counters);
    *window = (struct fr_window){window_start, fr_clock_ns(program->clock)};
    return sum;
}
