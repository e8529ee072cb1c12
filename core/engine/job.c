#include "engine/job.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/advice.h"
#include "engine/chase.h"
#include "engine/clock.h"
#include "engine/pages.h"
#include "engine/touch.h"

struct fr_reading *fr_job_readings(struct fr_job *job, const struct fr_job_phase *phase)
{
    return (struct fr_reading *)(void *)((unsigned char *)job + phase->readings_offset);
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

static uint64_t run_phases(struct fr_job *job, struct fr_program program)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < job->phases; i++) {
        const struct fr_job_phase *phase = &job->phase[i];
        job->outcome.phase = i;
        program.op = &job->op[phase->first_op];
        program.ops = phase->ops;
        program.outcome = &job->outcome.op[phase->first_op];
        if (phase->readings_offset)
            sum += fr_ops_time(&program, phase->iterations, fr_job_readings(job, phase),
                               &job->outcome.finished[i], &job->outcome.window[i]);
        else
            sum += fr_ops_run(&program);
        job->outcome.finished[i] = phase->iterations;
        if (is_stopped(job, phase))
            break;
    }
    return sum;
}

/* run_phases, with what the whole of it cost the process beside it. */
static uint64_t run_accounted(struct fr_job *job, const struct fr_program *program)
{
    struct fr_job_outcome *outcome = &job->outcome;
    struct rusage before, after;
    outcome->cpu_before = sched_getcpu();
    outcome->stage = FR_STAGE_PHASE;
    getrusage(RUSAGE_SELF, &before);
    uint64_t sum = run_phases(job, *program);
    outcome->work_done_ns = fr_clock_ns((clockid_t)job->clock);
    getrusage(RUSAGE_SELF, &after);
    outcome->cpu_after = sched_getcpu();
    outcome->minor_faults = after.ru_minflt - before.ru_minflt;
    outcome->major_faults = after.ru_majflt - before.ru_majflt;
    outcome->voluntary_switches = after.ru_nvcsw - before.ru_nvcsw;
    outcome->involuntary_switches = after.ru_nivcsw - before.ru_nivcsw;
    return sum;
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

/* Whether an entry that begins at or behind `address` is in the text's whole lines from *line on,
 * which moves to the last, unfinished line. Entries begin with an address, fields with a capital.
 */
static int has_passed(const char *text, size_t bytes, size_t *line, uint64_t address)
{
    const char *newline;
    while ((newline = memchr(text + *line, '\n', bytes - *line))) {
        char first = text[*line];
        int is_entry = (first >= '0' && first <= '9') || (first >= 'a' && first <= 'f');
        if (is_entry && strtoull(text + *line, NULL, 16) >= address)
            return 1;
        *line = (size_t)(newline + 1 - text);
    }
    return 0;
}

enum { SMAPS_PIECE = 1024 }; /* about one entry: the kernel makes no more than is asked for */

/* smaps is copied as it is: reading it here, in the process and before it ends, is the evidence;
 * understanding it is the host's work. The kernel makes the text as it is read, in rising
 * addresses, and the libraries behind the regions are most of it: it is not read further than it
 * must be. */
static void copy_smaps(struct fr_job *job)
{
    struct fr_job_outcome *outcome = &job->outcome;
    char *text = (char *)job + job->smaps_offset;
    const uint64_t end = end_of_regions(job);
    size_t line = 0;
    int file = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        outcome->smaps_error = errno;
        return;
    }
    ssize_t got = 0;
    do {
        size_t room = job->smaps_capacity - outcome->smaps_bytes;
        size_t piece = room < SMAPS_PIECE ? room : SMAPS_PIECE;
        if (room == 0) {
            outcome->smaps_error = EFBIG;
            break;
        }
        got = read(file, text + outcome->smaps_bytes, piece);
        if (got < 0)
            outcome->smaps_error = errno;
        else
            outcome->smaps_bytes += (uint64_t)got;
    } while (got > 0 && !has_passed(text, outcome->smaps_bytes, &line, end));
    close(file);
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
    uint64_t sum = run_accounted(job, &program);
    if (outcome->error)
        return outcome->error;
    outcome->stage = FR_STAGE_READ_BACK;
    if (job->smaps_capacity)
        copy_smaps(job);
    read_tables(job, region);
    outcome->checksum = sum + sum_outputs(job, region);
    outcome->stage = FR_STAGE_DONE;
    return 0;
}
