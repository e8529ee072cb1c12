/* A job: everything that one sample does, as plain data in one shared mapping.
 *
 * The host writes the regions, operations and phases, and the sizes; the worker runs them and
 * writes `outcome` and the readings. Readings lie behind the struct, at `readings_offset` of each
 * timed phase, the paths of files at `path_offset` and the offsets of layouts at `layout_offset` of
 * their regions, and the text of /proc/self/smaps at `smaps_offset`, and what
 * counters counted at `counts_offset` of each timed phase. Offsets and sizes are bytes from the
 * start of the mapping. Host and worker are of one build: `layout` is the size of the
 * struct and catches any other pairing.
 */
#ifndef FR_JOB_H
#define FR_JOB_H

#include <stdint.h>

#include "engine/audit.h"
#include "engine/counters.h"
#include "engine/ops.h"
#include "engine/pagetable.h"

enum { FR_JOB_REGIONS = 16, FR_JOB_OPS = 128, FR_JOB_PHASES = 64, FR_JOB_FD = 3 };

struct fr_job_region {
    uint64_t bytes, align, offset, huge_bytes; /* as struct fr_region_wanted has them */
    uint64_t path_offset;                      /* of FR_FILE */
    uint32_t kind, flags;
    int32_t advice;      /* madvise number, or -1 */
    uint32_t fill_index; /* 1: resident and holding 0, 1, 2 … before the first phase */
    /* Linked before the first phase, see engine/chase.h: */
    uint64_t chain_stride; /* > 0: a chain of slots of so many bytes, all that there is room for */
    uint64_t chain_slots,
        layout_offset; /* > 0: one of so many slots, whose offsets lie there; it is
                          audited before the first phase, and starts at slot 0 */
    uint64_t chain_group, chain_seed;
    uint32_t chain_is_sequential, unused;
};

/* What a region had to do without: hints, whose refusal does not end the job. */
struct fr_job_hints {
    int32_t advice_error, lock_error; /* errno, 0: none */
};

/* What the page table maps of a region in the end. */
struct fr_job_table {
    struct fr_page_table found;
    int32_t error, is_read; /* errno, 0: none; 1: it was asked for, of regions with a layout */
};

struct fr_job_phase {
    uint32_t first_op, ops;
    uint64_t iterations;      /* > 0 */
    uint64_t readings_offset; /* 0: not timed, and run once */
    uint64_t counts_offset;   /* of a struct fr_job_counts, where the job has counters; else 0 */
};

/* What was counted in the iterations of a timed phase; and in as many iterations without its
 * operations, which is what starting, stopping and the readings between iterations add. */
struct fr_job_counts {
    struct fr_count phase[FR_COUNTERS], empty[FR_COUNTERS];
};

enum fr_job_stage {
    FR_STAGE_START,
    FR_STAGE_MAP,
    FR_STAGE_PHASE,
    FR_STAGE_READ_BACK,
    FR_STAGE_DONE
};

/* Kept up to date while the worker runs, so that what was reached is known when it dies. */
struct fr_job_outcome {
    volatile uint32_t stage, phase;            /* phase: index, from FR_STAGE_PHASE on */
    volatile uint64_t finished[FR_JOB_PHASES]; /* iterations of each phase */
    struct fr_window window[FR_JOB_PHASES];    /* of each timed phase that was finished */
    uint8_t is_counted[FR_JOB_PHASES];         /* 1: its counts were read to the end */
    int32_t error;                             /* errno of a refused system call, 0: none */
    uint32_t error_region; /* whose, while regions are mapped; FR_JOB_REGIONS: the evict buffer's */
    uint32_t error_op;     /* which operation's, FR_JOB_OPS: none */
    /* Of the phases as a whole, pauses included; -1: unknown, as they did not come to their end. */
    int32_t cpu_before, cpu_after;
    int64_t minor_faults, major_faults, voluntary_switches, involuntary_switches;
    uint64_t region_address[FR_JOB_REGIONS];
    struct fr_job_hints hints[FR_JOB_REGIONS];
    struct fr_audit audit[FR_JOB_REGIONS]; /* of regions with a layout */
    struct fr_job_table table[FR_JOB_REGIONS];
    struct fr_op_outcome op[FR_JOB_OPS];
    /* Moments of the process by the job's clock: main is entered, the last phase is over, the
     * worker is about to exit. -1: it did not come so far. */
    volatile int64_t main_ns, work_done_ns, exit_ns;
    uint64_t checksum;    /* sum of all that was read, and of the affine outputs at the end */
    uint64_t smaps_bytes; /* length of the text, which may end amid an entry behind all regions */
    int32_t smaps_error;  /* errno when it could not be read whole, 0: it was */
};

struct fr_job {
    uint64_t layout;
    uint64_t bytes; /* of the whole mapping */
    int32_t clock;  /* clockid_t of every reading */
    uint32_t regions, ops, phases;
    uint32_t counters; /* 0: none are opened; else 1 + the turn, see counters.h */
    uint64_t smaps_offset, smaps_capacity;
    struct fr_geometry geometry; /* of the audits */
    struct fr_job_region region[FR_JOB_REGIONS];
    struct fr_op op[FR_JOB_OPS];
    struct fr_job_phase phase[FR_JOB_PHASES];
    struct fr_job_outcome outcome;
};

/* Makes an outcome that of a job which has not begun: nothing was reached, what -1 stands for is
 * unknown. For the host, before a worker runs. */
void fr_job_forget(struct fr_job_outcome *outcome);

/* Runs the job in this process. Returns 0, or the errno that is in outcome.error too: of a region
 * that can't be had, EILSEQ of one whose audit finds a fault, or of an operation without which the
 * phases that follow would not be what they are called: populating, mapping anew, reading a file.
 * Other refusals are in outcome.op and outcome.hints. Regions and the evict buffer stay mapped. */
int fr_job_run(struct fr_job *job);

/* The readings of a timed phase. */
struct fr_reading *fr_job_readings(struct fr_job *job, const struct fr_job_phase *phase);

/* The counts of a timed phase, in a job with counters. */
struct fr_job_counts *fr_job_counts(struct fr_job *job, const struct fr_job_phase *phase);

#endif
