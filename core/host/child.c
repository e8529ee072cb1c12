#include "host/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/faults.h"
#include "engine/job.h"

/* The way of a child to its exec, in memory that it shares with the host: by vfork, or mapped. */
struct beginning {
    volatile int error; /* what went wrong */
    const char *volatile what;
    int gate;                         /* the child's end of a socket, at which it waits; -1: none */
    volatile struct fr_faults faults; /* what the child counted before exec, if it had to wait */
};

static _Noreturn void refuse(struct beginning *beginning, int error, const char *what)
{
    beginning->error = error;
    beginning->what = what;
    _exit(127);
}

int fr_child_pin(int cpu)
{
    enum { BITS = 8 * sizeof(unsigned long), WORDS = 1024 };
    static unsigned long mask[WORDS]; /* 65,536 CPUs: nothing is allocated after vfork */
    if (cpu < 0 || cpu >= WORDS * BITS)
        return EINVAL;
    mask[cpu / BITS] = 1UL << (cpu % BITS);
    int result = sched_setaffinity(0, sizeof mask, (cpu_set_t *)(void *)mask);
    mask[cpu / BITS] = 0;
    return result == 0 ? 0 : errno;
}

/* In the child, before anything else: its group, and death with the host. */
static void settle(pid_t host, int own_group)
{
    if (own_group)
        setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != host)
        _exit(127);
}

/* A handler of a script's must not run in a child that has the host's memory. What is ignored stays
 * so, as execve(2) has it, but for what the host ignores for itself. */
static void reset_signals(const sigset_t *mask)
{
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
            action.sa_handler != SIG_IGN)
            signal(number, SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, mask, NULL);
}

static void place(int fd, int at, struct beginning *beginning)
{
    if (fd >= 0 && (fd == at ? fcntl(fd, F_SETFD, 0) : dup2(fd, at)) < 0)
        refuse(beginning, errno, "dup2");
}

/* Files that a script has opened are not close-on-exec by themselves: fopen(3) leaves them open. */
static void close_others(int first)
{
#ifdef SYS_close_range
    syscall(SYS_close_range, first, ~0U, 1U << 2 /* CLOSE_RANGE_CLOEXEC, Linux 5.11 */);
#else
    (void)first;
#endif
}

/* The host opens the gate with one byte, when it is ready to trace what follows. */
static void pass_gate(struct beginning *beginning)
{
    char byte;
    ssize_t got;
    do
        got = read(beginning->gate, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got != 1)
        _exit(127); /* the host is gone */
    struct fr_faults now = fr_faults_now();
    beginning->faults.minor = now.minor;
    beginning->faults.major = now.major;
}

static _Noreturn void run_program(const struct fr_spawn *spawn, pid_t host, const sigset_t *signals,
                                  struct beginning *beginning)
{
    settle(host, spawn->own_group);
    int error = spawn->cpu < 0 ? 0 : fr_child_pin(spawn->cpu);
    if (error)
        refuse(beginning, error, "sched_setaffinity");
    for (int at = 0; at < 3; at++)
        place(spawn->stdio[at], at, beginning);
    place(spawn->job_fd, FR_JOB_FD, beginning);
    if (spawn->own_group)
        close_others(spawn->job_fd < 0 ? FR_JOB_FD : FR_JOB_FD + 1);
    signal(SIGINT, SIG_DFL); /* also where the host ignores them: that would outlive exec */
    signal(SIGXFSZ, SIG_DFL);
    if (spawn->job_fd <
        0) /* a worker lets signals in by itself, when exec has done with handlers */
        reset_signals(signals);
    if (beginning->gate >= 0)
        pass_gate(beginning);
    execvpe(spawn->path, spawn->argv, spawn->envp);
    refuse(beginning, errno, "execve");
}

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
                         struct beginning *beginning)
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
        run_program(spawn, host, signals, beginning);
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
static int start(struct fr_child *child, const struct fr_spawn *spawn, struct beginning *beginning,
                 const char **what)
{
    sigset_t all, before;
    pid_t host = getpid(), pid;
    keep_children();
    sigfillset(&all);
    /* No handler of the host may run in the child while it has the host's memory. */
    sigprocmask(SIG_SETMASK, &all, &before);
    child->start_ns = fr_clock_ns(CLOCK_MONOTONIC);
    if (spawn->trace)
        pid = fork_traced(spawn, host, &before, beginning);
    else if ((pid = vfork()) == 0)
        run_program(spawn, host, &before, beginning);
    int error = errno;
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
    struct beginning *beginning =
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
    struct beginning beginning = {.gate = -1};
    child->trace = spawn->trace;
    child->own_group = spawn->own_group;
    return spawn->trace ? start_traced(child, spawn, what) : start(child, spawn, &beginning, what);
}

int fr_child_fork(struct fr_child *child)
{
    pid_t host = getpid();
    keep_children();
    child->pidfd = -1;
    child->own_group = 1;
    child->trace = NULL;
    child->start_ns = fr_clock_ns(CLOCK_MONOTONIC);
    child->pid = fork();
    if (child->pid < 0)
        return errno;
    if (child->pid == 0)
        settle(host, 1);
    else
        child->pidfd = open_pidfd(child->pid);
    return 0;
}
