#include "inspect/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

struct refusal {
    int error, call;
};

enum { SETPGID, STDIO, PTRACE, EXECVE };
static const char *const call_name[] = {"setpgid", "dup2", "ptrace", "execve"};

static int prepare(int input, int null)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (setpgid(0, 0) != 0)
        return SETPGID;
    if (dup2(input, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        dup2(null, STDERR_FILENO) < 0)
        return STDIO;
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 ? PTRACE : EXECVE;
}

static _Noreturn void run(char *const *argv, int input, int null, int report)
{
    struct refusal refusal = {0, prepare(input, null)};
    if (refusal.call == EXECVE && strchr(argv[0], '/'))
        execv(argv[0], argv); /* execvp would run a shell on what is no program of this machine */
    else if (refusal.call == EXECVE)
        execvp(argv[0], argv);
    refusal.error = errno;
    ssize_t written = write(report, &refusal, sizeof refusal);
    (void)written; /* the parent sees the pipe closed, and that nothing stopped */
    _exit(127);
}

static pid_t wait_for(pid_t pid, int *status)
{
    pid_t found;
    do
        found = waitpid(pid, status, 0);
    while (found < 0 && errno == EINTR);
    return found;
}

/* Waits until the exec has been done, or refused. */
static int wait_for_exec(struct fr_hold *hold, int report, const char **what)
{
    struct refusal refusal;
    ssize_t got;
    do
        got = read(report, &refusal, sizeof refusal);
    while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof refusal) {
        *what = call_name[refusal.call];
        return refusal.error;
    }
    int status;
    *what = "ptrace";
    if (wait_for(hold->pid, &status) != hold->pid)
        return errno;
    if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP)
        return 0;
    if (!WIFSTOPPED(status))
        hold->pid = 0; /* and reaped */
    return ECHILD;
}

int fr_hold_start(struct fr_hold *hold, char *const *argv, const char **what)
{
    int input[2] = {-1, -1}, report[2] = {-1, -1}, error = 0;
    *hold = (struct fr_hold){0, -1};
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    *what = "pipe";
    if (null < 0 || pipe2(input, O_CLOEXEC) != 0 || pipe2(report, O_CLOEXEC) != 0) {
        error = errno;
    } else {
        hold->pid = fork();
        if (hold->pid == 0)
            run(argv, input[0], null, report[1]);
        *what = "fork";
        if (hold->pid < 0)
            error = errno;
    }
    int unused[] = {null, input[0], report[1]};
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        if (unused[i] >= 0)
            close(unused[i]);
    hold->input = input[1];
    if (!error)
        error = wait_for_exec(hold, report[0], what);
    if (report[0] >= 0)
        close(report[0]);
    if (error)
        fr_hold_end(hold);
    return error;
}

int fr_hold_release(struct fr_hold *hold)
{
    return ptrace(PTRACE_DETACH, hold->pid, NULL, NULL) != 0 ? errno : 0;
}

int fr_hold_has_ended(const struct fr_hold *hold)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)hold->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
}

void fr_hold_end(struct fr_hold *hold)
{
    if (hold->pid > 0) {
        kill(hold->pid, SIGKILL);
        kill(-hold->pid, SIGKILL);
        int status;
        while (wait_for(hold->pid, &status) == hold->pid && WIFSTOPPED(status))
            ;
    }
    if (hold->input >= 0)
        close(hold->input);
    *hold = (struct fr_hold){0, -1};
}
