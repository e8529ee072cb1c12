/* Waiting for children: time limits, signals, Ctrl-C, and kernels that know less. */
#include "child.h"

#include <sys/syscall.h>
#include <sys/time.h>

#include "host/interrupt.h"

static int without_pidfd;

long __real_syscall(long number, long a, long b, long c);
long __wrap_syscall(long number, long a, long b, long c);

/* A kernel before 5.3, when asked for. */
long __wrap_syscall(long number, long a, long b, long c)
{
    if (number == SYS_pidfd_open && without_pidfd) {
        errno = ENOSYS;
        return -1;
    }
    return __real_syscall(number, a, b, c);
}

static void past_its_time_limit_it_is_killed_with_all_of_its_group(void **state)
{
    (void)state;
    int told[2];
    assert_int_equal(pipe2(told, O_CLOEXEC), 0);
    struct fr_spawn spawn = shell(SHELL_ARGV("sleep 300 & echo $!; wait"));
    spawn.stdio[1] = told[1];
    struct fr_child child = started(&spawn);
    char text[32] = "";
    assert_true(read(told[0], text, sizeof text - 1) > 0);
    struct fr_child_end end = ended(&child, 50000000);
    assert_int_equal(end.how, FR_TIMED_OUT);
    assert_int_equal(end.status, SIGKILL);
    assert_true(wall_ns(&end) >= 50000000);
    int status = status_of_orphan((pid_t)strtol(text, NULL, 10));
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    close(told[0]);
    close(told[1]);
}

/* The child's own number is that of the group which it founds. */
static void what_it_leaves_running_in_a_group_that_is_not_of_our_making_goes_on(void **state)
{
    (void)state;
    int told[2];
    assert_int_equal(pipe2(told, O_CLOEXEC), 0);
    struct fr_spawn spawn = shell(SHELL_ARGV("exec setsid sh -c 'sleep 300 & echo $!'"));
    spawn.own_group = 0;
    spawn.stdio[1] = told[1];
    struct fr_child child = started(&spawn);
    struct fr_child_end end = ended(&child, -1);
    assert_int_equal(end.how, FR_EXITED);
    char text[32] = "";
    assert_true(read(told[0], text, sizeof text - 1) > 0);
    pid_t daemon = (pid_t)strtol(text, NULL, 10);
    kill(daemon, SIGTERM);
    assert_int_equal(WTERMSIG(status_of_orphan(daemon)), SIGTERM);
    close(told[0]);
    close(told[1]);
}

static void a_child_within_its_time_limit_is_left_alone(void **state)
{
    (void)state;
    struct fr_spawn spawn = shell(SHELL_ARGV("exit 9"));
    struct fr_child child = started(&spawn);
    struct fr_child_end end = ended(&child, (int64_t)60 * 1000000000);
    assert_int_equal(end.how, FR_EXITED);
    assert_int_equal(end.status, 9);
}

static void on_alarm(int number)
{
    (void)number;
}

static void signals_do_not_end_the_wait(void **state)
{
    (void)state;
    struct sigaction interrupting = {.sa_handler = on_alarm}, before;
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &interrupting, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    struct fr_child_end end = run_shell(SHELL_ARGV("sleep 0.2; exit 6"));
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_int_equal(end.how, FR_EXITED);
    assert_int_equal(end.status, 6);
}

static void the_end_is_told_although_sigchld_was_ignored(void **state)
{
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    struct fr_child_end end = run_shell(SHELL_ARGV("exit 8"));
    assert_int_equal(end.how, FR_EXITED);
    assert_int_equal(end.status, 8);
}

static void a_handler_of_sigchld_is_left_in_its_place(void **state)
{
    (void)state;
    signal(SIGCHLD, on_alarm);
    assert_int_equal(run_shell(SHELL_ARGV("exit 8")).status, 8);
    assert_ptr_equal(signal(SIGCHLD, SIG_DFL), on_alarm);
}

static void it_works_on_kernels_without_pidfd(void **state)
{
    (void)state;
    without_pidfd = 1;
    struct fr_spawn spawn = shell(SHELL_ARGV("sleep 0.05; exit 2"));
    struct fr_child child = started(&spawn);
    assert_int_equal(child.pidfd, -1);
    assert_int_equal(fr_child_can_sleep(), 0);
    assert_int_equal(ended(&child, -1).status, 2);
    spawn = shell(SHELL_ARGV("exec sleep 300"));
    child = started(&spawn);
    assert_int_equal(ended(&child, 30000000).how, FR_TIMED_OUT);
    without_pidfd = 0;
}

static void waiting_again_is_an_error_and_not_a_wait(void **state)
{
    (void)state;
    struct fr_spawn spawn = shell(SHELL_ARGV("exit 0"));
    struct fr_child child = started(&spawn);
    ended(&child, -1);
    struct fr_child_end end;
    assert_int_equal(fr_child_wait(&child, -1, NULL, 0, &end), ECHILD);
}

/* The child itself sends its parent the SIGINT, so that it arrives during the wait. */
static void ctrl_c_ends_the_wait_and_the_child(void **state)
{
    (void)state;
    sigset_t before, after;
    sigprocmask(SIG_BLOCK, NULL, &before);
    fr_interrupt_install(NULL);
    struct fr_child_end end = run_shell(SHELL_ARGV("kill -INT $PPID; exec sleep 300"));
    fr_interrupt_restore();
    sigprocmask(SIG_BLOCK, NULL, &after);
    assert_int_equal(end.how, FR_CHILD_INTERRUPTED);
    assert_int_equal(end.status, SIGKILL);
    for (int number = 1; number < NSIG; number++)
        assert_int_equal(sigismember(&after, number), sigismember(&before, number));
    assert_no_child_is_left();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(past_its_time_limit_it_is_killed_with_all_of_its_group),
        cmocka_unit_test(what_it_leaves_running_in_a_group_that_is_not_of_our_making_goes_on),
        cmocka_unit_test(a_child_within_its_time_limit_is_left_alone),
        cmocka_unit_test(signals_do_not_end_the_wait),
        cmocka_unit_test(the_end_is_told_although_sigchld_was_ignored),
        cmocka_unit_test(a_handler_of_sigchld_is_left_in_its_place),
        cmocka_unit_test(it_works_on_kernels_without_pidfd),
        cmocka_unit_test(waiting_again_is_an_error_and_not_a_wait),
        cmocka_unit_test(ctrl_c_ends_the_wait_and_the_child),
    };
    return RUN_NATIVELY(tests);
}
