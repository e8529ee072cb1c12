#include "host/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/job.h"

/* What goes wrong in a child before exec; vfork shares this memory with the host. */
struct refusal {
    volatile int error;
    const char *volatile what;
};

static _Noreturn void refuse(struct refusal *refusal, int error, const char *what)
{
    refusal->error = error;
    refusal->what = what;
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

static void place(int fd, int at, struct refusal *refusal)
{
    if (fd >= 0 && (fd == at ? fcntl(fd, F_SETFD, 0) : dup2(fd, at)) < 0)
        refuse(refusal, errno, "dup2");
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

static _Noreturn void run_program(const struct fr_spawn *spawn, pid_t host, const sigset_t *signals,
                                  struct refusal *refusal)
{
    settle(host, spawn->own_group);
    int error = spawn->cpu < 0 ? 0 : fr_child_pin(spawn->cpu);
    if (error)
        refuse(refusal, error, "sched_setaffinity");
    for (int at = 0; at < 3; at++)
        place(spawn->stdio[at], at, refusal);
    place(spawn->job_fd, FR_JOB_FD, refusal);
    if (spawn->own_group)
        close_others(spawn->job_fd < 0 ? FR_JOB_FD : FR_JOB_FD + 1);
    signal(SIGINT, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    sigprocmask(SIG_SETMASK, signals, NULL);
    execvpe(spawn->path, spawn->argv, spawn->envp);
    refuse(refusal, errno, "execve");
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

static void reap(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

int fr_child_spawn(struct fr_child *child, const struct fr_spawn *spawn, const char **what)
{
    struct refusal refusal = {0, NULL};
    sigset_t all, before;
    pid_t host = getpid();
    signal(SIGCHLD, SIG_DFL); /* ignored by a starter of ours, it would reap our children unseen */
    sigfillset(&all);
    /* No handler of the host may run in the child while it has the host's memory. */
    sigprocmask(SIG_SETMASK, &all, &before);
    child->start_ns = fr_clock_ns(CLOCK_MONOTONIC);
    pid_t pid = vfork();
    if (pid == 0)
        run_program(spawn, host, &before, &refusal);
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    *what = "vfork";
    if (pid < 0)
        return error;
    if (refusal.error) {
        reap(pid);
        *what = refusal.what;
        return refusal.error;
    }
    child->pid = pid;
    child->pidfd = open_pidfd(pid);
    return 0;
}

int fr_child_fork(struct fr_child *child)
{
    pid_t host = getpid();
    signal(SIGCHLD, SIG_DFL);
    child->pidfd = -1;
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
