#include "host/program.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/job.h"

static _Noreturn void refuse(struct fr_beginning *beginning, int error, const char *what)
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

void fr_program_settle(pid_t host, int own_group)
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

static void place(int fd, int at, struct fr_beginning *beginning)
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
static void pass_gate(struct fr_beginning *beginning)
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

/* Where it runs, and within which limits: after the descriptors were placed, which a limit of
 * theirs would be in the way of. */
static void confine(const struct fr_spawn *spawn, struct fr_beginning *beginning)
{
    if (spawn->directory && chdir(spawn->directory) != 0)
        refuse(beginning, errno, "chdir");
    for (int i = 0; i < spawn->limits; i++)
        if (setrlimit((fr_resource)spawn->limit[i].resource, &spawn->limit[i].value) != 0)
            refuse(beginning, errno, "setrlimit");
}

_Noreturn void fr_program_run(const struct fr_spawn *spawn, pid_t host, const sigset_t *signals,
                              struct fr_beginning *beginning)
{
    fr_program_settle(host, spawn->own_group);
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
    confine(spawn, beginning);
    if (beginning->gate >= 0)
        pass_gate(beginning);
    beginning->exec_ns = fr_clock_ns(spawn->clock);
    execvpe(spawn->path, spawn->argv, spawn->envp);
    refuse(beginning, errno, "execve");
}
