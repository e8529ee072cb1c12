/* Jobs for the tests: in memory that a worker can share. */
#ifndef FR_TEST_JOB_H
#define FR_TEST_JOB_H

#include <sys/mman.h>

#include "engine/advice.h"
#include "engine/job.h"
#include "test.h"

enum { JOB_READINGS = 4096, JOB_SMAPS = 1 << 18 };

/* What each test has: a job, the memfd that it lies in, and the size of a page. */
static struct fr_job *job;
static int job_fd;
static size_t page;

/* Set up: a job without regions, operations and phases, with room behind it for JOB_READINGS
 * readings and JOB_SMAPS bytes. */
static int make_job(void **state)
{
    (void)state;
    size_t bytes = sizeof *job + JOB_READINGS * sizeof(struct fr_reading) + JOB_SMAPS;
    page = fr_page_bytes();
    job_fd = memfd_create("job", MFD_CLOEXEC);
    assert_int_equal(ftruncate(job_fd, (off_t)bytes), 0);
    job = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, job_fd, 0);
    assert_ptr_not_equal(job, MAP_FAILED);
    job->layout = sizeof *job;
    job->bytes = bytes;
    job->clock = CLOCK_MONOTONIC;
    fr_job_forget(&job->outcome);
    return 0;
}

static int drop_job(void **state)
{
    (void)state;
    munmap(job, job->bytes);
    close(job_fd);
    return 0;
}

/* Adds a region on base pages; returns its index. */
static inline uint32_t add_region(uint64_t bytes, uint32_t fill_index)
{
    job->region[job->regions] = (struct fr_job_region){
        .bytes = bytes, .advice = fr_advice_number("nohugepage"), .fill_index = fill_index};
    return job->regions++;
}

/* Adds a phase of one operation. Readings of timed phases lie one after the other. */
static inline void add_phase(struct fr_op op, uint64_t iterations, int is_timed)
{
    uint64_t offset = sizeof *job;
    for (uint32_t i = 0; i < job->phases; i++)
        if (job->phase[i].readings_offset)
            offset += job->phase[i].iterations * sizeof(struct fr_reading);
    assert_true(offset + iterations * sizeof(struct fr_reading) <= job->bytes - JOB_SMAPS);
    job->op[job->ops] = op;
    job->phase[job->phases++] =
        (struct fr_job_phase){job->ops++, 1, iterations, is_timed ? offset : 0, 0};
}

#endif
