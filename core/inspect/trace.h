/* Tracing page faults: every minor and major fault of one thread, by the kernel's software events.
 *
 * They need no hardware counters (perf_event_open(2): PERF_COUNT_SW_PAGE_FAULTS_MIN and _MAJ, one
 * record for each fault). What a fault inside the kernel leaves depends on how it came about:
 * madvise(MADV_POPULATE_…), mlock(2), MAP_POPULATE and the arguments of an exec fault without an
 * instruction that accessed anything, and leave no event on any machine; a system call that
 * accesses memory for its caller, as read(2) does, leaves one where the machine lets the kernel be
 * traced. There it is traced; where not, those have no event either.
 */
#ifndef FR_TRACE_H
#define FR_TRACE_H

#include <sys/types.h>
#include <time.h>

#include "engine/faults.h"
#include "inspect/records.h"

/* Owned by the caller, who closes it with fr_trace_close. */
struct fr_trace {
    struct fr_records records;
    uint64_t lost; /* faults that have an event, but no record; known when it was finished */
    clockid_t clock;
    int kernel_excluded;
    int error;                         /* errno of what was refused or ran out; 0: none */
    const char *what;                  /* the call that was refused, or what ran out */
    struct fr_faults at_exec, at_exit; /* of a traced program's first thread, since its fork */
    int64_t other_threads;             /* faults of the program's other threads */
    int counts_error;                  /* errno when at_exit could not be read */
    int minor_fd, major_fd;            /* -1: closed; minor_fd can be polled */
    struct fr_ring ring;
    struct perf_event_mmap_page *control;
    size_t mapped;
};

enum fr_trace_start { FR_TRACE_AT_EXEC, FR_TRACE_WHEN_ENABLED };

/* An empty trace, whose times will be those of `clock`. */
void fr_trace_init(struct fr_trace *trace, clockid_t clock);

/* Opens the events on the thread `pid` (0: the calling one). What cannot be had is in
 * trace->error and trace->what; all further calls then do nothing. */
void fr_trace_open(struct fr_trace *trace, pid_t pid, enum fr_trace_start start);

void fr_trace_enable(struct fr_trace *trace);
void fr_trace_disable(struct fr_trace *trace);

/* Decodes what lies in the buffer. To be called whenever minor_fd is readable: the buffer holds
 * some thousand faults only where the user may not lock much memory, and what comes when it is full
 * is lost. */
void fr_trace_drain(struct fr_trace *trace);

/* Drains the rest, settles what was lost and closes the events. */
void fr_trace_finish(struct fr_trace *trace);

/* Reads at_exit and other_threads of a program that has ended and is not yet reaped. */
void fr_trace_read_counts(struct fr_trace *trace, pid_t pid);

/* Frees everything; a second time does nothing. */
void fr_trace_close(struct fr_trace *trace);

#endif
