/* Ctrl-C: what the first SIGINT does, what the second, and what follows when nobody listens.
 *
 * What ends a process is tried in a fork, whose wait status is looked at.
 */
#include "host/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "test.h"

static volatile sig_atomic_t asked;

static void ask(void)
{
    asked++;
}

static int install(void **state)
{
    (void)state;
    asked = 0;
    fr_interrupt_install(ask);
    return 0;
}

static int restore(void **state)
{
    (void)state;
    fr_interrupt_defer(0);
    fr_interrupt_restore();
    return 0;
}

/* Runs `body` in a fork, which exits with 99 if it comes to its end; returns the wait status. */
static int status_of(void (*body)(void), char *errors, size_t room)
{
    int ends[2], status = -1;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        body();
        _exit(99);
    }
    close(ends[1]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    ssize_t got = read(ends[0], errors, room - 1);
    errors[got > 0 ? got : 0] = '\0';
    close(ends[0]);
    return status;
}

static void the_first_asks_the_running_code_to_stop(void **state)
{
    (void)state;
    assert_int_equal(fr_interrupted(), 0);
    raise(SIGINT);
    assert_int_equal(fr_interrupted(), 1);
    assert_int_equal(asked, 1);
}

static void forgotten_it_has_no_consequence(void **state)
{
    (void)state;
    raise(SIGINT);
    fr_interrupt_clear();
    assert_int_equal(fr_interrupted(), 0);
    assert_int_equal(alarm(0), 0);
    raise(SIGINT);
    assert_int_equal(asked, 2);
}

static void interrupt_twice(void)
{
    raise(SIGINT);
    usleep(250000);
    raise(SIGINT);
}

static void interrupt_twice_at_once(void)
{
    raise(SIGINT);
    raise(SIGINT);
}

static void one_that_arrives_twice_at_once_is_one(void **state)
{
    (void)state;
    char errors[100];
    int status = status_of(interrupt_twice_at_once, errors, sizeof errors);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 99); /* it came to its end */
    assert_string_equal(errors, "");
}

static void the_second_ends_the_process_with_130_and_a_message(void **state)
{
    (void)state;
    char errors[100];
    int status = status_of(interrupt_twice, errors, sizeof errors);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    assert_string_equal(errors, "frlua: interrupted\n");
}

static void interrupt_and_go_on(void)
{
    raise(SIGINT);
    for (;;)
        ;
}

static void code_that_does_not_listen_is_ended_all_the_same(void **state)
{
    (void)state;
    char errors[100];
    int status = status_of(interrupt_and_go_on, errors, sizeof errors);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
}

static void deferred_it_only_sets_the_flag(void **state)
{
    (void)state;
    fr_interrupt_defer(1);
    raise(SIGINT);
    assert_int_equal(fr_interrupted(), 1);
    assert_int_equal(asked, 0);
    assert_int_equal(alarm(0), 0);
}

static void defer_and_interrupt_twice(void)
{
    fr_interrupt_defer(1);
    interrupt_twice();
}

static void deferred_a_second_one_still_ends_the_process(void **state)
{
    (void)state;
    char errors[100];
    int status = status_of(defer_and_interrupt_twice, errors, sizeof errors);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
}

static void blocked_read_ends(void)
{
    int ends[2];
    char byte;
    pid_t reader = getpid();
    if (pipe(ends) != 0)
        _exit(1);
    if (fork() == 0) {
        usleep(50000);
        kill(reader, SIGINT);
        _exit(0);
    }
    _exit(read(ends[0], &byte, 1) < 0 && errno == EINTR ? 0 : 1);
}

static void a_blocked_read_is_ended_by_it(void **state)
{
    (void)state;
    char errors[100];
    assert_int_equal(status_of(blocked_read_ends, errors, sizeof errors), 0);
}

static void restore_and_interrupt(void)
{
    fr_interrupt_restore();
    raise(SIGINT);
}

static void restored_it_has_its_default_effect(void **state)
{
    (void)state;
    char errors[100];
    int status = status_of(restore_and_interrupt, errors, sizeof errors);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGINT);
}

#define INSTALLED(test) cmocka_unit_test_setup_teardown(test, install, restore)

int main(void)
{
    const struct CMUnitTest tests[] = {
        INSTALLED(the_first_asks_the_running_code_to_stop),
        INSTALLED(forgotten_it_has_no_consequence),
        INSTALLED(one_that_arrives_twice_at_once_is_one),
        INSTALLED(the_second_ends_the_process_with_130_and_a_message),
        INSTALLED(code_that_does_not_listen_is_ended_all_the_same),
        INSTALLED(deferred_it_only_sets_the_flag),
        INSTALLED(deferred_a_second_one_still_ends_the_process),
        INSTALLED(a_blocked_read_is_ended_by_it),
        INSTALLED(restored_it_has_its_default_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
