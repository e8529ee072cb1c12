/* Child processes: fork or exec one, pinned before it runs, and wait for it with a time limit.
 *
 * Times are nanoseconds of one clock, which the caller chooses. A child gets SIGKILL when the host
 * dies. The caller owns a started struct fr_child until fr_child_wait has returned.
 */
#ifndef FR_CHILD_H
#define FR_CHILD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

#include "inspect/trace.h"

/* glibc names the resources by an enumeration, other C libraries by numbers. */
#ifdef __GLIBC__
typedef __rlimit_resource_t fr_resource;
#else
typedef int fr_resource;
#endif

struct fr_limit {
    int resource; /* RLIMIT_… */
    struct rlimit value;
};

struct fr_spawn {
    const char *path; /* executed as it is; with a search along PATH when it holds no slash */
    char *const *argv, *const *envp;
    int cpu;       /* pinned to this CPU, -1: as the host is */
    int stdio[3];  /* descriptors for the child's 0, 1, 2; -1: the host's own */
    int job_fd;    /* becomes FR_JOB_FD, -1: none */
    int own_group; /* 1: leads a process group of its own, which is killed with it, and inherits no
                      descriptors but those named here */
    struct fr_trace *trace; /* empty: the program's page faults are traced from its exec on; NULL:
                               they are not. The caller's, who closes it after the wait */
    clockid_t clock;        /* of all moments, and of the time limit */
    const char *directory;  /* that it is executed in, NULL: the host's */
    const struct fr_limit *limit;
    int limits;
};

/* The moments of a child's life, in the order in which they come; -1: unknown. */
struct fr_moments {
    int64_t start_ns;     /* before the fork */
    int64_t exec_ns;      /* in the child, right before its exec; of a program only */
    int64_t exec_seen_ns; /* when the host went on, which waits for the exec: late where the two
                             share a CPU. Of a program only */
    int64_t exit_seen_ns; /* when the host was told of the end; the memory is gone by then */
    int64_t reaped_ns;
};

struct fr_child {
    pid_t pid;
    int pidfd;     /* -1: this kernel has none */
    int own_group; /* 1: leads a group, which is killed with it */
    clockid_t clock;
    struct fr_moments at;   /* up to the exec */
    struct fr_trace *trace; /* drained while the child is waited for; NULL: none */
};

enum fr_end { FR_EXITED, FR_KILLED, FR_TIMED_OUT, FR_CHILD_INTERRUPTED };

struct fr_child_end {
    enum fr_end how; /* FR_TIMED_OUT, FR_CHILD_INTERRUPTED: the host killed it */
    int status;      /* exit status, or the signal's number */
    struct fr_moments at;
    struct rusage rusage;
    int64_t peak_resident_bytes; /* -1: hidden behind the peak of the host, which it inherits */
};

/* What a child writes into a pipe while it is waited for. */
struct fr_capture {
    int fd;       /* read end, owned; -1 when it is closed */
    char *data;   /* malloc'ed, owned by the caller */
    size_t bytes; /* kept */
    size_t limit; /* further bytes are read and dropped */
    size_t dropped;
};

/* Starts a program with vfork and exec. Returns 0, or an errno value with *what naming the call
 * that was refused ("sched_setaffinity", "execve", …). A trace that is refused is no failure: the
 * program runs, and spawn->trace has the reason. */
int fr_child_spawn(struct fr_child *child, const struct fr_spawn *spawn, const char **what);

/* fork(2), into a group of its own: returns 0 in both, with child->pid 0 in the child; or an errno
 * value. */
int fr_child_fork(struct fr_child *child);

/* Pins this process. Returns 0 or an errno value. */
int fr_child_pin(int cpu);

/* 1 when the host sleeps while it waits for a child; 0 on a kernel without pidfd, where it looks
 * again and again. */
int fr_child_can_sleep(void);

/* Waits until the child ends, `limit_ns` have passed since its start (< 0: no limit) or Ctrl-C; in
 * the latter cases the child is killed. What it leaves behind in its group is killed in any case.
 * Drains the captures meanwhile; for what a grandchild outside of the group may still write there
 * is no waiting. Returns 0, or an errno value. */
int fr_child_wait(struct fr_child *child, int64_t limit_ns, struct fr_capture *captures, int count,
                  struct fr_child_end *end);

#endif
