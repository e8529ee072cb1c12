/* The handle of a child of a script's, for core.spawn and core.fork: created without a child, which
 * is started second. The userdata owns the child until it was waited for or closed, and what its
 * pipes have brought until then.
 */
#ifndef FR_BIND_PROCESS_H
#define FR_BIND_PROCESS_H

#include "bind/bind.h"
#include "host/child.h"

struct process {
    struct fr_trace trace; /* of a traced program */
    struct fr_child child; /* pid 0: not started, or reaped */
    struct fr_capture capture[2];
    int captures;
};

/* Pushes a handle without a child. */
struct process *fr_push_process(lua_State *L);

/* A pipe whose read end is the process' next capture; returns the write end, or -1. */
int fr_process_capture(struct process *process, size_t limit);

/* What execve(2) copies of a list: every string with its end. */
lua_Integer fr_strings_bytes(char *const *strings);

/* Gives up captures and trace. */
void fr_process_drop(struct process *process);

/* Returns 0 when all of it was written. */
int fr_write_all(int fd, const char *text, size_t left);

#endif
