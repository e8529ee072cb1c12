/* A thread that drains a trace of the thread that started it. Its own faults are not in the trace,
 * nor in that thread's counts. */
#ifndef FR_DRAINER_H
#define FR_DRAINER_H

#include <pthread.h>

#include "inspect/trace.h"

struct fr_drainer {
    struct fr_trace *trace;
    pthread_t thread;
    int stop[2]; /* a pipe: closing its write end ends the thread */
};

/* Opens the trace, an empty one, on the calling thread and starts draining it. While it runs, the
 * trace is the drainer's. Returns 0, or an errno value when there can be no thread; a trace that is
 * refused is none: trace->error says so, and stopping is asked for all the same. */
int fr_drainer_start(struct fr_drainer *drainer, struct fr_trace *trace);

/* Ends the thread and finishes the trace. */
void fr_drainer_stop(struct fr_drainer *drainer);

#endif
