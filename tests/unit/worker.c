/* The worker program: one job in a process of its own, and what is known of it however it ends. */
#include "child.h"
#include "job.h"

#include <sched.h>

static struct fr_spawn worker(void)
{
    static char name[] = "frlua-worker";
    static char *const argv[] = {name, NULL};
    struct fr_spawn spawn = shell(argv);
    spawn.path = FRLUA_WORKER;
    spawn.job_fd = job_fd;
    return spawn;
}

static struct fr_child_end run_worker(int64_t limit_ns)
{
    struct fr_spawn spawn = worker();
    struct fr_child child = started(&spawn);
    return ended(&child, limit_ns);
}

/* Both streams of `spawn` as one text. */
static struct fr_child_end run_told(struct fr_spawn spawn, char *text, size_t room)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    spawn.stdio[1] = spawn.stdio[2] = ends[1];
    struct fr_child child = started(&spawn);
    struct fr_child_end end = ended(&child, -1);
    close(ends[1]);
    ssize_t got = read(ends[0], text, room - 1);
    text[got > 0 ? got : 0] = '\0';
    close(ends[0]);
    return end;
}

static void assert_faults(const struct fr_job_phase *phase, uint32_t in_first)
{
    const struct fr_reading *reading = fr_job_readings(job, phase);
    for (uint64_t i = 0; i < phase->iterations; i++) {
        assert_int_equal(reading[i].minor_faults, i == 0 ? in_first : 0);
        assert_int_equal(reading[i].major_faults, 0);
    }
}

/* 2,050 iterations between two buffers of 128 pages, the output only reserved or written before. */
static void run_affine(int prefault)
{
    const uint64_t bytes = 128 * page;
    uint32_t input = add_region(bytes, 1), output = add_region(bytes, 0);
    if (prefault)
        add_phase((struct fr_op){.code = FR_OP_WRITE, .region = output, .stride = 8}, 1, 0);
    struct fr_op affine = {.code = FR_OP_AFFINE, .region = output, .from = input};
    affine.amount = bytes / 8;
    affine.mul = 3;
    affine.value = 1;
    add_phase(affine, 2050, 1);
    struct fr_child_end end = run_worker(-1);
    assert_int_equal(end.how, FR_EXITED);
    assert_int_equal(end.status, 0);
    assert_int_equal(job->outcome.stage, FR_STAGE_DONE);
    assert_int_equal(job->outcome.finished[prefault], 2050);
    const uint64_t words = bytes / 8;
    assert_int_equal(job->outcome.checksum, 3 * (words * (words - 1) / 2) + words);
}

static void the_first_iteration_faults_once_a_page_and_no_more(void **state)
{
    (void)state;
    run_affine(0);
    if (!FRLUA_SANITIZE)
        assert_faults(&job->phase[0], 128);
}

static void after_prefaulting_no_iteration_faults(void **state)
{
    (void)state;
    run_affine(1);
    if (!FRLUA_SANITIZE)
        assert_faults(&job->phase[1], 0);
}

static void it_runs_on_the_cpu_it_was_pinned_to(void **state)
{
    (void)state;
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    struct fr_spawn spawn = worker();
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            spawn.cpu = (int)cpu; /* the last: not the one that comes without asking */
    add_phase((struct fr_op){.code = FR_OP_SPIN, .amount = 1000}, 3, 1);
    struct fr_child child = started(&spawn);
    assert_int_equal(ended(&child, -1).status, 0);
    assert_int_equal(job->outcome.cpu_before, spawn.cpu);
    assert_int_equal(job->outcome.cpu_after, spawn.cpu);
}

static void its_moments_come_in_order(void **state)
{
    (void)state;
    const int64_t spun_ns = 3000000;
    const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        job->clock = clocks[i];
        job->phases = job->ops = 0;
        fr_job_forget(&job->outcome);
        add_phase((struct fr_op){.code = FR_OP_SPIN, .amount = (uint64_t)spun_ns}, 1, 1);
        struct fr_spawn spawn = worker();
        spawn.clock = clocks[i];
        struct fr_child child = started(&spawn);
        struct fr_moments at = ended(&child, -1).at;
        const struct fr_job_outcome *outcome = &job->outcome;
        assert_true(at.exec_ns < outcome->main_ns && outcome->exit_ns < at.reaped_ns);
        assert_true(outcome->work_done_ns - outcome->main_ns >= spun_ns); /* the work is in there */
        assert_true(outcome->work_done_ns <= outcome->exit_ns);
    }
}

static void a_refused_region_is_exit_status_1_and_an_error_number(void **state)
{
    (void)state;
    add_region(page, 0);
    uint32_t too_large = add_region(SIZE_MAX / 2, 0);
    struct fr_child_end end = run_worker(-1);
    assert_int_equal(end.how, FR_EXITED);
    assert_int_equal(end.status, 1);
    assert_int_equal(job->outcome.error, ENOMEM);
    assert_int_equal(job->outcome.error_region, too_large);
    assert_int_equal(job->outcome.stage, FR_STAGE_MAP);
}

static void past_the_time_limit_what_was_reached_is_known(void **state)
{
    (void)state;
    add_phase((struct fr_op){.code = FR_OP_SPIN, .amount = 1000}, 5, 1);
    add_phase((struct fr_op){.code = FR_OP_SLEEP, .amount = (uint64_t)300000000000}, 4, 1);
    struct fr_child_end end = run_worker(200000000);
    assert_int_equal(end.how, FR_TIMED_OUT);
    assert_int_equal(job->outcome.stage, FR_STAGE_PHASE);
    assert_int_equal(job->outcome.phase, 1);
    assert_int_equal(job->outcome.finished[0], 5);
    assert_int_equal(job->outcome.finished[1], 0);
    assert_true(job->outcome.main_ns > 0);
    assert_int_equal(job->outcome.work_done_ns, -1);
    assert_int_equal(job->outcome.exit_ns, -1);
}

static void killed_by_another_it_leaves_its_finished_iterations(void **state)
{
    (void)state;
    add_phase((struct fr_op){.code = FR_OP_SLEEP, .amount = 1000000}, JOB_READINGS, 1);
    struct fr_spawn spawn = worker();
    struct fr_child child = started(&spawn);
    while (job->outcome.finished[0] < 5)
        usleep(1000);
    kill(child.pid, SIGKILL);
    struct fr_child_end end = ended(&child, -1);
    assert_int_equal(end.how, FR_KILLED);
    assert_int_equal(end.status, SIGKILL);
    assert_in_range(job->outcome.finished[0], 5, JOB_READINGS - 1);
    for (int i = 0; i < 5; i++)
        assert_true(fr_job_readings(job, &job->phase[0])[i].ns >= 1000000);
}

static void a_job_of_another_build_is_not_run(void **state)
{
    (void)state;
    char text[200];
    add_phase((struct fr_op){.code = FR_OP_SPIN, .amount = 1}, 1, 1);
    job->layout++;
    assert_int_equal(run_told(worker(), text, sizeof text).status, 2);
    assert_int_equal(job->outcome.stage, FR_STAGE_START);
}

static void started_by_hand_it_says_what_it_is(void **state)
{
    (void)state;
    char text[200];
    struct fr_spawn by_hand = worker();
    by_hand.job_fd = -1;
    assert_int_equal(run_told(by_hand, text, sizeof text).status, 2);
    assert_non_null(strstr(text, "frlua-worker: runs one job for frlua"));
}

#define WITH_JOB(test) cmocka_unit_test_setup_teardown(test, make_job, drop_job)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_JOB(the_first_iteration_faults_once_a_page_and_no_more),
        WITH_JOB(after_prefaulting_no_iteration_faults),
        WITH_JOB(it_runs_on_the_cpu_it_was_pinned_to),
        WITH_JOB(its_moments_come_in_order),
        WITH_JOB(a_refused_region_is_exit_status_1_and_an_error_number),
        WITH_JOB(past_the_time_limit_what_was_reached_is_known),
        WITH_JOB(killed_by_another_it_leaves_its_finished_iterations),
        WITH_JOB(a_job_of_another_build_is_not_run),
        WITH_JOB(started_by_hand_it_says_what_it_is),
    };
    return RUN_NATIVELY(tests);
}
