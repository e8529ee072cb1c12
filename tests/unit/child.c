/* Starting children: what they are given, what is refused, and how their end is told. */
#include "child.h"

#include <sched.h>
#include <sys/mman.h>

#include "engine/clock.h"
#include "engine/job.h"

static int is_signalled; /* the child gets a signal on its way to exec, while it is blocked */
static volatile int handled;

int __real_setpgid(pid_t pid, pid_t group);
int __wrap_setpgid(pid_t pid, pid_t group);

int __wrap_setpgid(pid_t pid, pid_t group)
{
    if (is_signalled)
        kill(getpid(), SIGURG);
    return __real_setpgid(pid, group);
}

static void handle(int number)
{
    (void)number;
    handled = 1;
}

static void the_exit_status_is_the_childs(void **state)
{
    (void)state;
    const int statuses[] = {0, 1, 7, 127, 255};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        char line[32];
        snprintf(line, sizeof line, "exit %d", statuses[i]);
        char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, line, NULL};
        struct fr_child_end end = run_shell(argv);
        assert_int_equal(end.how, FR_EXITED);
        assert_int_equal(end.status, statuses[i]);
    }
}

static void a_signal_that_ends_it_is_told_by_its_number(void **state)
{
    (void)state;
    struct fr_child_end end = run_shell(SHELL_ARGV("kill -KILL $$"));
    assert_int_equal(end.how, FR_KILLED);
    assert_int_equal(end.status, SIGKILL);
    end = run_shell(SHELL_ARGV("ulimit -c 0; kill -SEGV $$"));
    assert_int_equal(end.how, FR_KILLED);
    assert_int_equal(end.status, SIGSEGV);
}

static void the_time_of_the_child_lies_inside_the_wall_time(void **state)
{
    (void)state;
    struct fr_child_end end =
        run_shell(SHELL_ARGV("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"));
    int64_t user_ns =
        (int64_t)end.rusage.ru_utime.tv_sec * 1000000000 + end.rusage.ru_utime.tv_usec * 1000;
    assert_true(user_ns > 0);
    assert_true(wall_ns(&end) >= user_ns / 2); /* user time is counted by ticks on some kernels */
    assert_true(end.rusage.ru_minflt > 0);
}

static void its_moments_come_in_order(void **state)
{
    (void)state;
    int64_t before = fr_clock_ns(CLOCK_MONOTONIC);
    struct fr_moments at = run_shell(SHELL_ARGV("sleep 0.05")).at;
    int64_t after = fr_clock_ns(CLOCK_MONOTONIC);
    assert_true(before <= at.start_ns && at.start_ns <= at.exec_ns);
    assert_true(at.exec_ns <= at.exec_seen_ns && at.exec_seen_ns <= at.exit_seen_ns);
    assert_true(at.exit_seen_ns <= at.reaped_ns && at.reaped_ns <= after);
    assert_true(at.exit_seen_ns - at.exec_ns >= 50000000); /* the program's own time */
}

static void assert_refused(const struct fr_spawn *spawn, int error, const char *call)
{
    struct fr_child child;
    const char *what = "";
    assert_int_equal(fr_child_spawn(&child, spawn, &what), error);
    assert_string_equal(what, call);
    assert_no_child_is_left();
}

static void a_program_that_is_not_there_is_refused_and_leaves_no_zombie(void **state)
{
    (void)state;
    struct fr_spawn spawn = shell(SHELL_ARGV("true"));
    spawn.path = "/nowhere/program";
    assert_refused(&spawn, ENOENT, "execve");
    setenv("PATH", "/usr/bin:/bin", 1); /* a directory that is closed to us would be EACCES */
    spawn.path = "no-program-of-this-name";
    assert_refused(&spawn, ENOENT, "execve");
    spawn.path = "/etc/passwd";
    assert_refused(&spawn, EACCES, "execve");
}

static void a_cpu_that_is_not_allowed_is_refused_before_anything_runs(void **state)
{
    (void)state;
    const int cpus[] = {65535, 65536, 1 << 30};
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        struct fr_spawn spawn = shell(SHELL_ARGV("echo it ran"));
        spawn.cpu = cpus[i];
        assert_refused(&spawn, EINVAL, "sched_setaffinity");
    }
    assert_int_equal(fr_child_pin(-1), EINVAL);
}

static void it_is_pinned_before_it_runs(void **state)
{
    (void)state;
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    for (size_t cpu = 0, tried = 0; cpu < CPU_SETSIZE && tried < 4; cpu++) {
        if (!CPU_ISSET(cpu, &allowed))
            continue;
        tried++;
        char line[96];
        snprintf(line, sizeof line, "grep -qx 'Cpus_allowed_list:.%zu' /proc/self/status", cpu);
        char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, line, NULL};
        struct fr_spawn spawn = shell(argv);
        spawn.cpu = (int)cpu;
        struct fr_child child = started(&spawn);
        assert_int_equal(ended(&child, -1).status, 0);
    }
    cpu_set_t after;
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&after, &allowed));
}

static void arguments_and_environment_arrive_whole(void **state)
{
    (void)state;
    char *argv[] = {(char[]){"sh"},
                    (char[]){"-c"},
                    (char[]){"[ \"$1|$2\" = 'a b|' ] && [ \"$X\" = 'y z' ] && [ -z \"$HOME\" ]"},
                    (char[]){"sh"},
                    (char[]){"a b"},
                    (char[]){""},
                    NULL};
    char *environment[] = {(char[]){"X=y z"}, NULL};
    struct fr_spawn spawn = shell(argv);
    spawn.envp = environment;
    struct fr_child child = started(&spawn);
    assert_int_equal(ended(&child, -1).status, 0);
}

static void it_inherits_the_job_and_no_other_descriptor(void **state)
{
    (void)state;
    int job = fcntl(memfd_create("job", MFD_CLOEXEC), F_DUPFD_CLOEXEC, 10);
    int other = fcntl(job, F_DUPFD, 10); /* not close-on-exec, as fopen(3) leaves them */
    assert_int_equal(write(job, "hello\n", 6), 6);
    char line[128];
    snprintf(line, sizeof line, "read line <&3 && [ $line = hello ] && [ ! -e /proc/$$/fd/%d ]",
             other);
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, line, NULL};
    struct fr_spawn spawn = shell(argv);
    const int places[] = {job, FR_JOB_FD}; /* in the second it has the right number already */
    dup3(job, FR_JOB_FD, O_CLOEXEC);
    for (int i = 0; i < 2; i++) {
        lseek(job, 0, SEEK_SET);
        spawn.job_fd = places[i];
        struct fr_child child = started(&spawn);
        assert_int_equal(ended(&child, -1).status, 0);
    }
    close(FR_JOB_FD);
    close(other);
    close(job);
}

static void ctrl_c_has_its_default_effect_in_it(void **state)
{
    (void)state;
    signal(SIGINT, SIG_IGN);
    struct fr_child_end end = run_shell(SHELL_ARGV("kill -INT $$"));
    signal(SIGINT, SIG_DFL);
    assert_int_equal(end.how, FR_KILLED);
    assert_int_equal(end.status, SIGINT);
}

static void no_handler_of_the_host_runs_in_it_before_its_program_does(void **state)
{
    (void)state;
    signal(SIGURG, handle);
    is_signalled = 1;
    struct fr_child_end end = run_shell(SHELL_ARGV("exit 4"));
    is_signalled = 0;
    assert_ptr_equal(signal(SIGURG, SIG_DFL), handle);
    assert_int_equal(end.status, 4);
    assert_int_equal(handled, 0);
}

static void what_the_host_was_started_to_ignore_it_ignores(void **state)
{
    (void)state;
    signal(SIGHUP, SIG_IGN);
    struct fr_child_end end = run_shell(SHELL_ARGV("kill -HUP $$; exit 4"));
    signal(SIGHUP, SIG_DFL);
    assert_int_equal(end.how, FR_EXITED);
    assert_int_equal(end.status, 4);
}

static void a_peak_inherited_from_the_host_is_not_the_childs(void **state)
{
    (void)state;
    size_t bytes = (size_t)64 << 20;
    unsigned char *memory = malloc(bytes);
    memset(memory, 1, bytes);
    struct fr_child_end end = run_shell(SHELL_ARGV("true"));
    assert_int_equal(memory[bytes - 1], 1);
    free(memory);
    assert_int_equal(end.peak_resident_bytes, -1);
}

static void a_forked_child_has_pid_0_and_a_group_of_its_own(void **state)
{
    (void)state;
    struct fr_child child;
    assert_int_equal(fr_child_fork(&child), 0);
    if (child.pid == 0)
        _exit(getpgrp() == getpid() ? 5 : 6);
    struct fr_child_end end = ended(&child, -1);
    assert_int_equal(end.how, FR_EXITED);
    assert_int_equal(end.status, 5);
}

/* The host is a fork here, which starts a child, tells its pid and is killed. */
static void a_child_does_not_outlive_a_host_that_is_killed(void **state)
{
    (void)state;
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t host = fork();
    if (host == 0) {
        struct fr_child child;
        fr_child_fork(&child);
        if (child.pid > 0)
            (void)!write(told[1], &child.pid, sizeof child.pid);
        for (;;)
            pause();
    }
    pid_t orphan = 0;
    assert_int_equal(read(told[0], &orphan, sizeof orphan), sizeof orphan);
    kill(host, SIGKILL);
    status_of_orphan(host);
    status_of_orphan(orphan); /* waits for its end, and in vain if it did */
    close(told[0]);
    close(told[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exit_status_is_the_childs),
        cmocka_unit_test(a_signal_that_ends_it_is_told_by_its_number),
        cmocka_unit_test(its_moments_come_in_order),
        cmocka_unit_test(the_time_of_the_child_lies_inside_the_wall_time),
        cmocka_unit_test(a_program_that_is_not_there_is_refused_and_leaves_no_zombie),
        cmocka_unit_test(a_cpu_that_is_not_allowed_is_refused_before_anything_runs),
        cmocka_unit_test(it_is_pinned_before_it_runs),
        cmocka_unit_test(arguments_and_environment_arrive_whole),
        cmocka_unit_test(it_inherits_the_job_and_no_other_descriptor),
        cmocka_unit_test(ctrl_c_has_its_default_effect_in_it),
        cmocka_unit_test(no_handler_of_the_host_runs_in_it_before_its_program_does),
        cmocka_unit_test(what_the_host_was_started_to_ignore_it_ignores),
        cmocka_unit_test(a_peak_inherited_from_the_host_is_not_the_childs),
        cmocka_unit_test(a_forked_child_has_pid_0_and_a_group_of_its_own),
        cmocka_unit_test(a_child_does_not_outlive_a_host_that_is_killed),
    };
    return RUN_NATIVELY(tests);
}
