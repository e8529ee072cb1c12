/* The child's side of a start, from the fork to the exec. It runs in the host's own memory after a
 * vfork: it allocates nothing, and changes nothing that the host would miss.
 */
#ifndef FR_PROGRAM_H
#define FR_PROGRAM_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/faults.h"
#include "host/child.h"

/* The way of a child to its exec, in memory that it shares with the host: by vfork, or mapped. */
struct fr_beginning {
    volatile int error; /* what went wrong */
    const char *volatile what;
    int gate;                         /* the child's end of a socket, at which it waits; -1: none */
    volatile struct fr_faults faults; /* what the child counted before exec, if it had to wait */
    volatile int64_t exec_ns;         /* right before the exec */
};

/* In the child, before anything else: its group, and death with the host. */
void fr_program_settle(pid_t host, int own_group);

/* Becomes the program, or leaves in `beginning` what was refused, and exits. `signals` is the mask
 * that the program starts with, unless it is a worker. */
_Noreturn void fr_program_run(const struct fr_spawn *spawn, pid_t host, const sigset_t *signals,
                              struct fr_beginning *beginning);

#endif
