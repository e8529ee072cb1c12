/* Shell commands as children, for the tests. */
#ifndef FR_TEST_CHILD_H
#define FR_TEST_CHILD_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "host/child.h"
#include "test.h"

extern char **environ;

/* What `sh -c line` is started with: standard streams of the test, a group of its own. */
static inline struct fr_spawn shell(char *const *argv)
{
    return (struct fr_spawn){
        .path = "/bin/sh",
        .argv = argv,
        .envp = environ,
        .cpu = -1,
        .stdio = {-1, -1, -1},
        .job_fd = -1,
        .own_group = 1,
        .clock = CLOCK_MONOTONIC,
    };
}

#define SHELL_ARGV(line)                                                                           \
    (char *const[])                                                                                \
    {                                                                                              \
        (char[]){"sh"}, (char[]){"-c"}, (char[]){line}, NULL                                       \
    }

static inline struct fr_child started(const struct fr_spawn *spawn)
{
    struct fr_child child;
    const char *what = "";
    assert_int_equal(fr_child_spawn(&child, spawn, &what), 0);
    return child;
}

/* Runs to the end, `limit_ns` at most. */
static inline struct fr_child_end ended(struct fr_child *child, int64_t limit_ns)
{
    struct fr_child_end end;
    assert_int_equal(fr_child_wait(child, limit_ns, NULL, 0, &end), 0);
    return end;
}

static inline int64_t wall_ns(const struct fr_child_end *end)
{
    return end->at.reaped_ns - end->at.start_ns;
}

static inline struct fr_child_end run_shell(char *const *argv)
{
    struct fr_spawn spawn = shell(argv);
    struct fr_child child = started(&spawn);
    return ended(&child, -1);
}

/* What a grandchild's orphan comes to: its wait status. The tests are the reaper of orphans. */
static inline int status_of_orphan(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* Orphans come to this process; a test that hangs is ended by SIGALRM. */
static inline int adopt_orphans(void **state)
{
    (void)state;
    alarm(60);
    return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* Valgrind makes a fork of vfork(2), which shares no memory, and knows no pidfd. */
#define RUN_NATIVELY(tests)                                                                        \
    (under_valgrind() ? (puts("skipped: processes are not started as usual under valgrind"), 0)    \
                      : cmocka_run_group_tests(tests, adopt_orphans, NULL))

static inline void assert_no_child_is_left(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

#endif
