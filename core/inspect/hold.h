/* A program that is held at its exec: mapped, but none of its instructions has run.
 *
 * ptrace(2): a traced process stops when its execve has succeeded. The kernel has then mapped the
 * program and its interpreter, and nothing else has happened: what a program would do is not done,
 * however short it runs or dangerous it is.
 */
#ifndef FR_HOLD_H
#define FR_HOLD_H

#include <sys/types.h>

/* Owned by the caller, who ends it with fr_hold_end. */
struct fr_hold {
    pid_t pid; /* leads a group of its own; 0: none */
    int input; /* write end of its standard input, where nothing is ever written */
};

/* Starts a program, searched along PATH when its name holds no slash; its output is discarded, and
 * it is killed when the thread that called this ends. Returns 0, or an errno value with *what
 * naming the call that was refused. */
int fr_hold_start(struct fr_hold *hold, char *const *argv, const char **what);

/* Lets it run, untraced. Returns 0 or an errno value. */
int fr_hold_release(struct fr_hold *hold);

/* Whether it has ended, of itself. */
int fr_hold_has_ended(const struct fr_hold *hold);

/* Kills it and its group, and reaps it; a second time does nothing. */
void fr_hold_end(struct fr_hold *hold);

#endif
