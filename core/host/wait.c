/* fr_child_wait of host/child.h. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/clock.h"
#include "host/child.h"
#include "host/interrupt.h"

enum { MAX_CAPTURES = 3, CHUNK = 65536 };
/* Without a pidfd the child is looked at this often. */
static const int64_t look_again_ns = 1000000;

static void close_capture(struct fr_capture *capture)
{
    close(capture->fd);
    capture->fd = -1;
}

static int keep(struct fr_capture *capture, const char *chunk, size_t bytes)
{
    size_t room = capture->limit - capture->bytes;
    size_t kept = bytes < room ? bytes : room;
    if (kept > 0) {
        /* Grows in powers of two: realloc is asked only when a boundary is crossed. */
        size_t capacity = CHUNK;
        while (capacity < capture->bytes + kept)
            capacity *= 2;
        char *data = realloc(capture->data, capacity);
        if (!data)
            return ENOMEM;
        capture->data = data;
        memcpy(data + capture->bytes, chunk, kept);
        capture->bytes += kept;
    }
    capture->dropped += bytes - kept;
    return 0;
}

/* Reads once what is there. */
static int drain(struct fr_capture *capture)
{
    char chunk[CHUNK];
    ssize_t got = read(capture->fd, chunk, sizeof chunk);
    if (got > 0)
        return keep(capture, chunk, (size_t)got);
    if (got == 0 || (errno != EINTR && errno != EAGAIN))
        close_capture(capture);
    return 0;
}

/* After the child's end: what lies in the pipe by now. Waiting for more, or reading as long as
 * something comes, would be waiting for a grandchild that has the pipe too. */
static int drain_rest(struct fr_capture *capture)
{
    int left = 0, error = 0;
    if (capture->fd < 0)
        return 0;
    if (ioctl(capture->fd, FIONREAD, &left) != 0)
        error = errno;
    while (left > 0 && capture->fd >= 0 && !error) {
        size_t before = capture->bytes + capture->dropped;
        error = drain(capture);
        left -= (int)(capture->bytes + capture->dropped - before);
    }
    if (capture->fd >= 0)
        close_capture(capture);
    return error;
}

/* What a traced child has counted can be read between its end and its reaping. Returns 0 while it
 * runs. */
static int read_last_counts(const struct fr_child *child, int options)
{
    siginfo_t info = {.si_pid = 0};
    int failed;
    do
        failed = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT | options);
    while (failed && errno == EINTR);
    if (!failed && info.si_pid != 0)
        fr_trace_read_counts(child->trace, child->pid);
    return failed || info.si_pid != 0;
}

/* Reaps the child, and notes when. What it left running in its group is killed after that: it is no
 * part of the child's time. */
static int try_reap(const struct fr_child *child, int options, struct fr_child_end *end)
{
    int status;
    pid_t pid;
    if (child->trace && !read_last_counts(child, options))
        return EAGAIN;
    int64_t looked_ns = fr_clock_ns(child->clock);
    do
        pid = wait4(child->pid, &status, options, &end->rusage);
    while (pid < 0 && errno == EINTR);
    if (pid < 0)
        return errno;
    if (pid == 0)
        return EAGAIN;
    end->at.reaped_ns = fr_clock_ns(child->clock);
    if (end->at.exit_seen_ns < 0) /* it was there when we looked; or the wait was told of it */
        end->at.exit_seen_ns = options & WNOHANG ? looked_ns : end->at.reaped_ns;
    if (child->own_group)
        kill(-pid, SIGKILL); /* what it left running in its group */
    end->how = WIFSIGNALED(status) ? FR_KILLED : FR_EXITED;
    end->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return 0;
}

/* One wait for the child's end, output, a signal or the deadline. SIGINT is let in only here, so
 * that none can slip in between looking at the flag and going to sleep. */
static int wait_once(const struct fr_child *child, int64_t left_ns, struct fr_capture *captures,
                     int count, struct fr_child_end *end, const sigset_t *signals)
{
    struct pollfd poll_fds[2 + MAX_CAPTURES] = {{child->pidfd, POLLIN, 0}, {-1, POLLIN, 0}};
    if (child->trace)
        poll_fds[1].fd = child->trace->minor_fd;
    for (int i = 0; i < count; i++)
        poll_fds[2 + i] = (struct pollfd){captures[i].fd, POLLIN, 0};
    if (child->pidfd < 0 && (left_ns < 0 || left_ns > look_again_ns))
        left_ns = look_again_ns;
    struct timespec left = {(time_t)(left_ns / 1000000000), (long)(left_ns % 1000000000)};
    int ready = ppoll(poll_fds, (nfds_t)count + 2, left_ns < 0 ? NULL : &left, signals);
    if (ready < 0)
        return errno == EINTR ? 0 : errno;
    if (poll_fds[0].revents) { /* what is left in pipes is read when its time is over */
        end->at.exit_seen_ns = fr_clock_ns(child->clock);
        return 0;
    }
    if (poll_fds[1].revents & POLLHUP) /* the traced thread is gone, others may go on */
        fr_trace_finish(child->trace);
    else if (poll_fds[1].revents)
        fr_trace_drain(child->trace);
    int error = 0;
    for (int i = 0; i < count && !error; i++)
        if (poll_fds[2 + i].revents)
            error = drain(&captures[i]);
    return error;
}

static int kill_and_reap(const struct fr_child *child, struct fr_child_end *end)
{
    if (child->own_group)
        kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL); /* of a fork that has no group yet, too */
    return try_reap(child, 0, end);
}

static int wait_until_ended(struct fr_child *child, int64_t limit_ns, struct fr_capture *captures,
                            int count, struct fr_child_end *end, const sigset_t *signals)
{
    for (;;) {
        int error = try_reap(child, WNOHANG, end);
        if (error != EAGAIN)
            return error;
        int64_t left =
            limit_ns < 0 ? -1 : child->at.start_ns + limit_ns - fr_clock_ns(child->clock);
        int out_of_time = limit_ns >= 0 && left <= 0;
        if (out_of_time || fr_interrupted()) {
            error = kill_and_reap(child, end);
            if (!error && end->how == FR_KILLED) /* else it ended by itself just before */
                end->how = out_of_time ? FR_TIMED_OUT : FR_CHILD_INTERRUPTED;
            return error;
        }
        error = wait_once(child, left, captures, count, end, signals);
        if (error) {
            kill_and_reap(child, end);
            return error;
        }
    }
}

/* A new program inherits the peak of the process that started it (getrusage(2), ru_maxrss): only a
 * peak above the host's own is the child's. */
static int64_t own_peak(const struct rusage *child)
{
    struct rusage host;
    getrusage(RUSAGE_SELF, &host);
    return child->ru_maxrss > host.ru_maxrss ? (int64_t)child->ru_maxrss * 1024 : -1;
}

int fr_child_wait(struct fr_child *child, int64_t limit_ns, struct fr_capture *captures, int count,
                  struct fr_child_end *end)
{
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &before);
    end->at = child->at;
    int error = wait_until_ended(child, limit_ns, captures, count, end, &before);
    if (child->pidfd >= 0)
        close(child->pidfd);
    child->pidfd = -1;
    if (child->trace)
        fr_trace_finish(child->trace);
    for (int i = 0; i < count; i++) {
        int lost = drain_rest(&captures[i]);
        error = error ? error : lost;
    }
    end->peak_resident_bytes = own_peak(&end->rusage);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return error;
}
