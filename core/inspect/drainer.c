#include "inspect/drainer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

static void *drain_until_stopped(void *argument)
{
    const struct fr_drainer *drainer = argument;
    struct pollfd poll_fds[2] = {{drainer->trace->minor_fd, POLLIN, 0},
                                 {drainer->stop[0], POLLIN, 0}};
    while (!poll_fds[1].revents) {
        if (poll(poll_fds, 2, -1) < 0)
            continue;
        fr_trace_drain(drainer->trace);
    }
    return NULL;
}

/* Signals are the script's thread's: it would not come out of a system call for them otherwise. */
static int start_thread(struct fr_drainer *drainer)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&drainer->thread, NULL, drain_until_stopped, drainer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int fr_drainer_start(struct fr_drainer *drainer, struct fr_trace *trace)
{
    drainer->trace = trace;
    if (pipe2(drainer->stop, O_CLOEXEC) != 0)
        return errno;
    fr_trace_open(trace, 0, FR_TRACE_WHEN_ENABLED);
    int error = start_thread(drainer);
    if (error) {
        close(drainer->stop[0]);
        close(drainer->stop[1]);
        fr_trace_close(trace);
        return error;
    }
    fr_trace_enable(trace);
    return 0;
}

void fr_drainer_stop(struct fr_drainer *drainer)
{
    fr_trace_disable(drainer->trace);
    close(drainer->stop[1]);
    pthread_join(drainer->thread, NULL);
    close(drainer->stop[0]);
    fr_trace_finish(drainer->trace);
}
