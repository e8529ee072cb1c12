/* Jobs for the tests: in memory that a worker can share. */
#ifndef FR_TEST_JOB_H
#define FR_TEST_JOB_H

#include <sys/mman.h>

#include "engine/advice.h"
#include "engine/job.h"
#include "test.h"

enum { JOB_READINGS = 4096, JOB_SMAPS = 1 << 18 };

/* A job without regions, operations and phases, in a memfd that *fd names, with room behind it for
 * JOB_READINGS readings and JOB_SMAPS bytes. */
static inline struct fr_job *new_job(int *fd)
{
    size_t bytes = sizeof(struct fr_job) + JOB_READINGS * sizeof(struct fr_reading) + JOB_SMAPS;
    *fd = memfd_create("job", MFD_CLOEXEC);
    assert_int_equal(ftruncate(*fd, (off_t)bytes), 0);
    struct fr_job *job = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    assert_ptr_not_equal(job, MAP_FAILED);
    job->layout = sizeof *job;
    job->bytes = bytes;
    job->clock = CLOCK_MONOTONIC;
    fr_job_forget(&job->outcome);
    return job;
}

static inline void free_job(struct fr_job *job, int fd)
{
    munmap(job, job->bytes);
    close(fd);
}

/* Adds a region on base pages; returns its index. */
static inline uint32_t add_region(struct fr_job *job, uint64_t bytes, uint32_t fill_index)
{
    job->region[job->regions] = (struct fr_job_region){
        .bytes = bytes, .advice = fr_advice_number("nohugepage"), .fill_index = fill_index};
    return job->regions++;
}

/* Adds a phase of one operation. Readings of timed phases lie one after the other. */
static inline void add_phase(struct fr_job *job, struct fr_op op, uint64_t iterations, int is_timed)
{
    uint64_t offset = sizeof *job;
    for (uint32_t i = 0; i < job->phases; i++)
        if (job->phase[i].readings_offset)
            offset += job->phase[i].iterations * sizeof(struct fr_reading);
    assert_true(offset + iterations * sizeof(struct fr_reading) <= job->bytes - JOB_SMAPS);
    job->op[job->ops] = op;
    job->phase[job->phases++] =
        (struct fr_job_phase){job->ops++, 1, iterations, is_timed ? offset : 0};
}

#endif
