#include "host/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/job.h"
#include "host/program.h"

static int open_pidfd(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

int fr_child_can_sleep(void)
{
    int fd = open_pidfd(getpid());
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Ignored by a starter of ours, SIGCHLD would have our children reaped unseen. A handler of the
 * script's is left where it is. */
static void keep_children(void)
{
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
        signal(SIGCHLD, SIG_DFL);
}

static void reap(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Both ends of the gate, above the descriptors that a program is given. */
static int open_gate(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    int raised = fcntl(ends[1], F_DUPFD_CLOEXEC, FR_JOB_FD + 1);
    int error = raised < 0 ? errno : 0;
    close(ends[1]);
    ends[1] = raised;
    if (error)
        close(ends[0]);
    return error;
}

/* Opens the trace on a child that waits at the gate, and lets it go on. The exec, or the child's
 * end before, closes its end of the gate. */
static void trace_from_exec(const struct fr_spawn *spawn, pid_t pid, int gate)
{
    char byte = 0;
    ssize_t got;
    fr_trace_open(spawn->trace, pid, FR_TRACE_AT_EXEC);
    (void)!send(gate, &byte, 1, MSG_NOSIGNAL);
    do
        got = read(gate, &byte, 1);
    while (got < 0 && errno == EINTR);
}

/* fork instead of vfork: the host has to run while the child waits. Returns its pid, or -1. */
static pid_t fork_traced(const struct fr_spawn *spawn, pid_t host, const sigset_t *signals,
                         struct fr_beginning *beginning)
{
    int gate[2];
    int error = open_gate(gate);
    if (error) {
        errno = error;
        return -1;
    }
    beginning->gate = gate[1];
    pid_t pid = fork();
    if (pid == 0) {
        close(gate[0]);
        fr_program_run(spawn, host, signals, beginning);
    }
    error = errno;
    close(gate[1]);
    if (pid > 0)
        trace_from_exec(spawn, pid, gate[0]);
    close(gate[0]);
    errno = error;
    return pid;
}

/* Returns 0 when the program runs. */
static int start(struct fr_child *child, const struct fr_spawn *spawn,
                 struct fr_beginning *beginning, const char **what)
{
    sigset_t all, before;
    pid_t host = getpid(), pid;
    keep_children();
    sigfillset(&all);
    /* No handler of the host may run in the child while it has the host's memory. */
    sigprocmask(SIG_SETMASK, &all, &before);
    child->at = (struct fr_moments){fr_clock_ns(child->clock), -1, -1, -1, -1};
    if (spawn->trace)
        pid = fork_traced(spawn, host, &before, beginning);
    else if ((pid = vfork()) == 0)
        fr_program_run(spawn, host, &before, beginning);
    int error = errno;
    child->at.exec_seen_ns = fr_clock_ns(child->clock);
    child->at.exec_ns = beginning->exec_ns;
    sigprocmask(SIG_SETMASK, &before, NULL);
    *what = spawn->trace ? "fork" : "vfork";
    if (pid < 0)
        return error;
    if (beginning->error) {
        reap(pid);
        *what = beginning->what;
        return beginning->error;
    }
    child->pid = pid;
    child->pidfd = open_pidfd(pid);
    return 0;
}

/* The beginning is in memory that stays shared after a fork. */
static int start_traced(struct fr_child *child, const struct fr_spawn *spawn, const char **what)
{
    struct fr_beginning *beginning =
        mmap(NULL, sizeof *beginning, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *what = "mmap";
    if (beginning == MAP_FAILED)
        return errno;
    int error = start(child, spawn, beginning, what);
    spawn->trace->at_exec = (struct fr_faults){beginning->faults.minor, beginning->faults.major};
    munmap(beginning, sizeof *beginning);
    return error;
}

int fr_child_spawn(struct fr_child *child, const struct fr_spawn *spawn, const char **what)
{
    struct fr_beginning beginning = {.gate = -1};
    child->trace = spawn->trace;
    child->own_group = spawn->own_group;
    child->clock = spawn->clock;
    return spawn->trace ? start_traced(child, spawn, what) : start(child, spawn, &beginning, what);
}

int fr_child_fork(struct fr_child *child)
{
    pid_t host = getpid();
    keep_children();
    child->pidfd = -1;
    child->own_group = 1;
    child->trace = NULL;
    child->clock = CLOCK_MONOTONIC;
    child->at = (struct fr_moments){fr_clock_ns(child->clock), -1, -1, -1, -1};
    child->pid = fork();
    if (child->pid < 0)
        return errno;
    if (child->pid == 0)
        fr_program_settle(host, 1);
    else
        child->pidfd = open_pidfd(child->pid);
    return 0;
}
