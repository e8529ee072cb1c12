/* Jobs, run in this very process: phases, outcome, refusals, what is read back. */
#include "job.h"

#include <errno.h>
#include <stdio.h>

static void a_job_runs_to_its_end_and_sums_what_it_read(void **state)
{
    (void)state;
    uint32_t input = add_region(1000 * 8, 1), output = add_region(1000 * 8, 0);
    struct fr_op affine = {.code = FR_OP_AFFINE,
                           .region = output,
                           .from = input,
                           .amount = 1000,
                           .mul = 3,
                           .value = 1};
    struct fr_op read = {.code = FR_OP_READ, .region = input, .stride = 8};
    add_phase(affine, 5, 1);
    add_phase(read, 2, 1);
    assert_int_equal(fr_job_run(job), 0);
    assert_int_equal(job->outcome.error, 0);
    assert_int_equal(job->outcome.stage, FR_STAGE_DONE);
    assert_int_equal(job->outcome.finished[0], 5);
    assert_int_equal(job->outcome.finished[1], 2);
    const uint64_t indices = 1000 * 999 / 2;
    assert_int_equal(job->outcome.checksum, 2 * indices + (3 * indices + 1000));
}

static void each_timed_phase_has_readings_of_its_own(void **state)
{
    (void)state;
    uint32_t buffer = add_region(page, 0);
    add_phase((struct fr_op){.code = FR_OP_SLEEP, .amount = 2000000}, 2, 1);
    add_phase((struct fr_op){.code = FR_OP_WRITE, .region = buffer, .stride = 8}, 3, 1);
    add_phase((struct fr_op){.code = FR_OP_SLEEP, .amount = 1000000}, 1, 1);
    assert_int_equal(fr_job_run(job), 0);
    for (int i = 0; i < 2; i++)
        assert_true(fr_job_readings(job, &job->phase[0])[i].ns >= 2000000);
    for (int i = 0; i < 3; i++)
        assert_true(fr_job_readings(job, &job->phase[1])[i].ns > 0);
    assert_true(fr_job_readings(job, &job->phase[2])[0].ns >= 1000000);
}

static void an_untimed_phase_runs_once_and_records_nothing(void **state)
{
    (void)state;
    uint32_t buffer = add_region(10 * page, 1);
    add_phase((struct fr_op){.code = FR_OP_READ, .region = buffer, .stride = 8}, 1, 0);
    assert_int_equal(fr_job_run(job), 0);
    const uint64_t words = 10 * page / 8;
    assert_int_equal(job->outcome.checksum, words * (words - 1) / 2);
    assert_int_equal(job->outcome.finished[0], 1);
    assert_int_equal(((struct fr_reading *)(void *)(job + 1))->ns, 0);
}

static void regions_are_where_the_outcome_says_and_aligned(void **state)
{
    (void)state;
    uint32_t first = add_region(page, 1), second = add_region(5 * page, 0);
    job->region[second].align = 1 << 20;
    assert_int_equal(fr_job_run(job), 0);
    const uint64_t *word = (const uint64_t *)(uintptr_t)job->outcome.region_address[first];
    assert_int_equal(word[7], 7);
    assert_int_equal(job->outcome.region_address[second] % (1 << 20), 0);
}

static void a_refused_region_is_named_with_the_stage_reached(void **state)
{
    (void)state;
    add_region(page, 0);
    uint32_t too_large = add_region(SIZE_MAX / 2, 0);
    add_region(page, 0);
    add_phase((struct fr_op){.code = FR_OP_READ, .stride = 8}, 1, 1);
    assert_int_equal(fr_job_run(job), ENOMEM);
    assert_int_equal(job->outcome.error, ENOMEM);
    assert_int_equal(job->outcome.error_region, too_large);
    assert_int_equal(job->outcome.stage, FR_STAGE_MAP);
    assert_int_equal(job->outcome.finished[0], 0);
}

static void a_refused_alignment_is_an_error_too(void **state)
{
    (void)state;
    uint32_t odd = add_region(page, 0);
    job->region[odd].align = 3 * page;
    assert_int_equal(fr_job_run(job), EINVAL);
    assert_int_equal(job->outcome.error_region, odd);
}

static void advice_is_a_hint_whose_refusal_is_told(void **state)
{
    (void)state;
    uint32_t odd = add_region(page, 0);
    job->region[odd].advice = 12345;
    assert_int_equal(fr_job_run(job), 0);
    assert_int_equal(job->outcome.hints[odd].advice_error, EINVAL);
    assert_int_equal(job->outcome.stage, FR_STAGE_DONE);
}

/* Adds a region of three pages of the file `path`, wherever that ends. */
static uint32_t add_pages_of_file(const char *path)
{
    uint32_t region = add_region(3 * page, 0);
    job->region[region].kind = FR_FILE;
    job->region[region].flags = FR_SHARED;
    job->region[region].path_offset = job->bytes - JOB_SMAPS;
    strcpy((char *)job + job->region[region].path_offset, path);
    return region;
}

static void make_file_of_a_page(char *path)
{
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)page), 0);
    close(file);
}

static void a_populate_that_is_refused_ends_the_job_and_is_named(void **state)
{
    (void)state;
    char path[] = "/tmp/frlua-job-XXXXXX";
    make_file_of_a_page(path);
    uint32_t beyond = add_pages_of_file(path);
    add_phase((struct fr_op){.code = FR_OP_LOCK, .region = beyond}, 1, 0);
    add_phase((struct fr_op){.code = FR_OP_POPULATE, .region = beyond, .value = 1}, 1, 1);
    add_phase((struct fr_op){.code = FR_OP_WRITE, .region = beyond, .stride = page}, 1, 1);
    int error = fr_job_run(job);
    unlink(path);
    assert_int_equal(error, EFAULT);
    assert_int_equal(job->outcome.error_op, 1);
    assert_int_equal(job->outcome.op[1].error, EFAULT);
    assert_int_equal(job->outcome.finished[2], 0); /* the write would have died there */
    assert_int_equal(job->outcome.stage, FR_STAGE_PHASE);
}

static void what_the_kernel_refuses_as_a_hint_is_told_and_the_job_goes_on(void **state)
{
    (void)state;
    uint32_t buffer = add_region(page, 0);
    add_phase((struct fr_op){.code = FR_OP_ADVISE, .region = buffer, .amount = 12345}, 3, 1);
    add_phase((struct fr_op){.code = FR_OP_WRITE, .region = buffer, .stride = page}, 1, 1);
    assert_int_equal(fr_job_run(job), 0);
    assert_int_equal(job->outcome.op[0].error, EINVAL);
    assert_int_equal(job->outcome.op[1].error, 0);
    assert_int_equal(job->outcome.error_op, FR_JOB_OPS);
}

static void a_refused_evict_buffer_is_told_from_a_region(void **state)
{
    (void)state;
    add_region(page, 0);
    add_phase((struct fr_op){.code = FR_OP_EVICT, .amount = SIZE_MAX / 2, .stride = 64}, 1, 1);
    assert_int_equal(fr_job_run(job), ENOMEM);
    assert_int_equal(job->outcome.error_region, FR_JOB_REGIONS);
    assert_int_equal(job->outcome.stage, FR_STAGE_MAP);
}

static void faults_are_counted_in_their_iteration(void **state)
{
    (void)state;
    needs_exact_faults();
    uint32_t warm = add_region(page, 0), fresh = add_region(32 * page, 0);
    uint32_t filled = add_region(32 * page, 1);
    add_phase((struct fr_op){.code = FR_OP_WRITE, .region = warm, .stride = 8}, 1, 0);
    add_phase((struct fr_op){.code = FR_OP_WRITE, .region = fresh, .stride = 8}, 100, 1);
    add_phase((struct fr_op){.code = FR_OP_WRITE, .region = filled, .stride = 8}, 100, 1);
    assert_int_equal(fr_job_run(job), 0);
    const struct fr_reading *first = fr_job_readings(job, &job->phase[1]);
    const struct fr_reading *resident = fr_job_readings(job, &job->phase[2]);
    assert_int_equal(first[0].minor_faults, 32);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(i > 0 ? first[i].minor_faults : 0, 0);
        assert_int_equal(resident[i].minor_faults, 0);
    }
    assert_int_equal(job->outcome.minor_faults, 1 + 32);
}

/* Whether one of the mappings in `text` holds the address; adjacent mappings are shown as one. */
static int listed(const char *text, uint64_t address)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        unsigned long start, end;
        line += *line == '\n';
        if (sscanf(line, "%lx-%lx ", &start, &end) == 2 && start <= address && address < end)
            return 1;
    }
    return 0;
}

static void smaps_is_copied_with_the_regions_in_it(void **state)
{
    (void)state;
    uint32_t buffer = add_region(3 * page, 0);
    job->smaps_offset = job->bytes - JOB_SMAPS;
    job->smaps_capacity = JOB_SMAPS;
    assert_int_equal(fr_job_run(job), 0);
    assert_int_equal(job->outcome.smaps_error, 0);
    assert_in_range(job->outcome.smaps_bytes, 1, JOB_SMAPS - 1);
    const char *text = (const char *)job + job->smaps_offset;
    assert_int_equal(strlen(text), job->outcome.smaps_bytes);
    assert_true(listed(text, job->outcome.region_address[buffer] + 2 * page));
    assert_non_null(strstr(text, "AnonHugePages:"));
}

static void smaps_that_does_not_fit_is_said_to_be_cut(void **state)
{
    (void)state;
    add_region(page, 0);
    job->smaps_offset = job->bytes - JOB_SMAPS;
    job->smaps_capacity = 100;
    assert_int_equal(fr_job_run(job), 0);
    assert_int_equal(job->outcome.smaps_error, EFBIG);
    assert_int_equal(job->outcome.smaps_bytes, 100);
    assert_int_equal(*((const char *)job + job->smaps_offset + 100), 0);
}

#define WITH_JOB(test) cmocka_unit_test_setup_teardown(test, make_job, drop_job)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_JOB(a_job_runs_to_its_end_and_sums_what_it_read),
        WITH_JOB(each_timed_phase_has_readings_of_its_own),
        WITH_JOB(an_untimed_phase_runs_once_and_records_nothing),
        WITH_JOB(regions_are_where_the_outcome_says_and_aligned),
        WITH_JOB(a_refused_region_is_named_with_the_stage_reached),
        WITH_JOB(a_refused_alignment_is_an_error_too),
        WITH_JOB(advice_is_a_hint_whose_refusal_is_told),
        WITH_JOB(a_populate_that_is_refused_ends_the_job_and_is_named),
        WITH_JOB(what_the_kernel_refuses_as_a_hint_is_told_and_the_job_goes_on),
        WITH_JOB(a_refused_evict_buffer_is_told_from_a_region),
        WITH_JOB(faults_are_counted_in_their_iteration),
        WITH_JOB(smaps_is_copied_with_the_regions_in_it),
        WITH_JOB(smaps_that_does_not_fit_is_said_to_be_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
