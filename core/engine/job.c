#include "engine/job.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "engine/advice.h"
#include "engine/chase.h"
#include "engine/clock.h"
#include "engine/pages.h"
#include "engine/smaps.h"
#include "engine/touch.h"

struct fr_reading *fr_job_readings(struct fr_job *job, const struct fr_job_phase *phase)
{
    return (struct fr_reading *)(void *)((unsigned char *)job + phase->readings_offset);
}

struct fr_job_counts *fr_job_counts(struct fr_job *job, const struct fr_job_phase *phase)
{
    return (struct fr_job_counts *)(void *)((unsigned char *)job + phase->counts_offset);
}

void fr_job_forget(struct fr_job_outcome *outcome)
{
    *outcome = (struct fr_job_outcome){
        .cpu_before = -1,
        .cpu_after = -1,
        .minor_faults = -1,
        .major_faults = -1,
        .voluntary_switches = -1,
        .involuntary_switches = -1,
        .main_ns = -1,
        .work_done_ns = -1,
        .exit_ns = -1,
    };
}

/* A lock that is refused when the region is mapped (EAGAIN: the limit) is gone without. */
static int open_region(struct fr_job *job, uint32_t i, struct fr_region *region)
{
    const struct fr_job_region *asked = &job->region[i];
    struct fr_region_wanted wanted = {
        .bytes = asked->bytes,
        .align = asked->align,
        .offset = asked->offset,
        .huge_bytes = asked->huge_bytes,
        .path = (const char *)job + asked->path_offset,
        .kind = asked->kind,
        .flags = asked->flags,
    };
    int error = fr_region_open(region, &wanted);
    if (error == EAGAIN && (wanted.flags & FR_LOCKED)) {
        job->outcome.hints[i].lock_error = error;
        wanted.flags &= ~(uint32_t)FR_LOCKED;
        error = fr_region_open(region, &wanted);
    }
    return error;
}

/* The chain that a region is to have; without slots, none. */
static struct fr_chain chain_of(const struct fr_job *job, const struct fr_job_region *asked)
{
    struct fr_chain chain = {
        .stride = asked->chain_stride,
        .group = asked->chain_group,
        .is_sequential = asked->chain_is_sequential != 0,
        .seed = asked->chain_seed,
    };
    if (asked->chain_stride)
        chain.slots = asked->bytes / asked->chain_stride;
    if (asked->layout_offset) {
        chain.slots = asked->chain_slots;
        chain.offset = (const uint64_t *)(const void *)((const char *)job + asked->layout_offset);
    }
    return chain;
}

/* Counts what the chain of a layout has become in memory. */
static int audit_layout(struct fr_job *job, uint32_t i, const struct fr_region *region,
                        const struct fr_chain *chain)
{
    struct fr_audit *audit = &job->outcome.audit[i];
    void *scratch = calloc(1, fr_audit_scratch(&job->geometry, region->mapped) + 1);
    if (!scratch)
        return ENOMEM;
    fr_audit_chain(audit, &job->geometry, region->base, region->mapped,
                   region->base + chain->offset[0], chain->slots, scratch);
    free(scratch);
    return audit->fault ? EILSEQ : 0;
}

/* What is in a region before the first phase. */
static int prepare_region(struct fr_job *job, uint32_t i, const struct fr_region *region)
{
    const struct fr_chain chain = chain_of(job, &job->region[i]);
    int error = job->region[i].fill_index ? fr_pages_fill_index(region) : 0;
    if (error || chain.slots == 0)
        return error;
    uint32_t *scratch = calloc(fr_chase_scratch(&chain) + 1, sizeof *scratch);
    if (!scratch)
        return ENOMEM;
    fr_chase_link(region->base, &chain, scratch);
    free(scratch);
    return chain.offset ? audit_layout(job, i, region, &chain) : 0;
}

static int map_regions(struct fr_job *job, struct fr_region *region)
{
    for (uint32_t i = 0; i < job->regions; i++) {
        const struct fr_job_region *asked = &job->region[i];
        job->outcome.error_region = i;
        int error = open_region(job, i, &region[i]);
        if (error)
            return error;
        job->outcome.region_address[i] = (uint64_t)(uintptr_t)region[i].base;
        if (asked->advice >= 0)
            job->outcome.hints[i].advice_error = fr_region_advise(&region[i], asked->advice);
        error = prepare_region(job, i, &region[i]);
        if (error)
            return error;
    }
    return 0;
}

/* Every page that a reading is recorded on is written once, or recording would fault. */
static void touch_readings(struct fr_job *job)
{
    for (uint32_t i = 0; i < job->phases; i++) {
        const struct fr_job_phase *phase = &job->phase[i];
        if (phase->readings_offset)
            memset(fr_job_readings(job, phase), 0, phase->iterations * sizeof(struct fr_reading));
    }
}

/* Whether an operation of the phase was refused that the job can't go on without. */
static int is_stopped(struct fr_job *job, const struct fr_job_phase *phase)
{
    for (uint32_t i = phase->first_op; i < phase->first_op + phase->ops; i++) {
        uint32_t code = job->op[i].code;
        int32_t error = job->outcome.op[i].error;
        if (error && (code == FR_OP_POPULATE || code == FR_OP_REMAP || code == FR_OP_READ_FILE)) {
            job->outcome.error = error;
            job->outcome.error_op = i;
            return 1;
        }
    }
    return 0;
}

/* Times a phase and counts what it does, where the job has counters. */
static uint64_t time_phase(struct fr_job *job, uint32_t i, const struct fr_program *program,
                           struct fr_counters *counters)
{
    struct fr_job_outcome *outcome = &job->outcome;
    const struct fr_job_phase *phase = &job->phase[i];
    uint64_t sum = fr_ops_time(program, phase->iterations, fr_job_readings(job, phase),
                               &outcome->finished[i], &outcome->window[i], counters);
    if (counters) {
        fr_counters_read(counters, fr_job_counts(job, phase)->phase);
        outcome->is_counted[i] = 1;
    }
    return sum;
}

static uint64_t run_phases(struct fr_job *job, struct fr_program program,
                           struct fr_counters *counters)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < job->phases; i++) {
        const struct fr_job_phase *phase = &job->phase[i];
        job->outcome.phase = i;
        program.op = &job->op[phase->first_op];
        program.ops = phase->ops;
        program.outcome = &job->outcome.op[phase->first_op];
        if (phase->readings_offset)
            sum += time_phase(job, i, &program, counters);
        else
            sum += fr_ops_run(&program);
        job->outcome.finished[i] = phase->iterations;
        if (is_stopped(job, phase))
            break;
    }
    return sum;
}

/* run_phases, with what the whole of it cost the process beside it. */
static uint64_t run_accounted(struct fr_job *job, const struct fr_program *program,
                              struct fr_counters *counters)
{
    struct fr_job_outcome *outcome = &job->outcome;
    struct rusage before, after;
    outcome->cpu_before = sched_getcpu();
    outcome->stage = FR_STAGE_PHASE;
    getrusage(RUSAGE_SELF, &before);
    uint64_t sum = run_phases(job, *program, counters);
    outcome->work_done_ns = fr_clock_ns((clockid_t)job->clock);
    getrusage(RUSAGE_SELF, &after);
    outcome->cpu_after = sched_getcpu();
    outcome->minor_faults = after.ru_minflt - before.ru_minflt;
    outcome->major_faults = after.ru_majflt - before.ru_majflt;
    outcome->voluntary_switches = after.ru_nvcsw - before.ru_nvcsw;
    outcome->involuntary_switches = after.ru_nivcsw - before.ru_nivcsw;
    return sum;
}

/* Opens the counters and has them count every timed phase without its operations. The first pass is
 * for nothing: it is the one that uses all of this for the first time. Regions have their files by
 * then: what the limit of open files refuses is a counter. */
static void prepare_counters(struct fr_job *job, struct fr_counters *counters)
{
    const struct fr_program empty = {.clock = (clockid_t)job->clock};
    volatile uint64_t finished;
    struct fr_window window;
    fr_counters_open(counters, job->counters - 1);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < job->phases; i++) {
            const struct fr_job_phase *phase = &job->phase[i];
            if (!phase->readings_offset)
                continue;
            fr_ops_time(&empty, pass ? phase->iterations : 1, fr_job_readings(job, phase),
                        &finished, &window, counters);
            fr_counters_read(counters, fr_job_counts(job, phase)->empty);
            memset(fr_job_counts(job, phase)->phase, 0, sizeof(struct fr_count) * FR_COUNTERS);
        }
}

/* Consumes the affine outputs, so that no compiler and no reader can doubt that they were made. */
static uint64_t sum_outputs(const struct fr_job *job, const struct fr_region *region)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < job->ops; i++)
        if (job->op[i].code == FR_OP_AFFINE)
            sum += fr_touch_read(region[job->op[i].region].base,
                                 job->op[i].amount * sizeof(uint64_t), sizeof(uint64_t));
    return sum;
}

/* The first address behind all regions. */
static uint64_t end_of_regions(const struct fr_job *job)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < job->regions; i++)
        if (job->outcome.region_address[i] + job->region[i].bytes > end)
            end = job->outcome.region_address[i] + job->region[i].bytes;
    return end;
}

/* Of regions that a claim about huge pages may be made of. */
static void read_tables(struct fr_job *job, const struct fr_region *region)
{
    for (uint32_t i = 0; i < job->regions; i++) {
        struct fr_job_table *table = &job->outcome.table[i];
        table->is_read = job->region[i].layout_offset != 0;
        if (table->is_read)
            table->error = fr_page_table_read(region[i].base, region[i].mapped, &table->found);
    }
}

int fr_job_run(struct fr_job *job)
{
    struct fr_job_outcome *outcome = &job->outcome;
    struct fr_region region[FR_JOB_REGIONS] = {{0}};
    struct fr_program program = {job->op, job->ops, region, (clockid_t)job->clock, outcome->op};
    struct fr_counters opened = {.switch_error = 0}, *counters = job->counters ? &opened : NULL;
    outcome->stage = FR_STAGE_MAP;
    outcome->error_op = FR_JOB_OPS;
    outcome->error = map_regions(job, region);
    if (!outcome->error) {
        outcome->error_region = FR_JOB_REGIONS;
        outcome->error = fr_ops_prepare(&program);
    }
    if (outcome->error)
        return outcome->error;
    touch_readings(job);
    if (counters)
        prepare_counters(job, counters);
    uint64_t sum = run_accounted(job, &program, counters);
    if (counters)
        fr_counters_close(counters);
    if (outcome->error)
        return outcome->error;
    outcome->stage = FR_STAGE_READ_BACK;
    if (job->smaps_capacity)
        outcome->smaps_error = fr_smaps_copy((char *)job + job->smaps_offset, job->smaps_capacity,
                                             end_of_regions(job), &outcome->smaps_bytes);
    read_tables(job, region);
    outcome->checksum = sum + sum_outputs(job, region);
    outcome->stage = FR_STAGE_DONE;
    return 0;
}
