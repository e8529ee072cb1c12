/* Ctrl-C. The first SIGINT asks the running code to stop: the hook raises an error in a script, a
 * wait in the host returns, a run of an experiment ends and keeps what it has. What has not stopped
 * one second later, or is interrupted again, ends with exit status 130. Two within a fifth of a
 * second are one. */
#ifndef FR_INTERRUPT_H
#define FR_INTERRUPT_H

/* Takes SIGINT over. `ask` is called inside the signal handler, at the first SIGINT, and must be
 * async-signal-safe; NULL: only the flag is set. */
void fr_interrupt_install(void (*ask)(void));

/* 1 after a SIGINT. */
int fr_interrupted(void);

/* Forgets the SIGINT: an interactive session goes on. */
void fr_interrupt_clear(void);

/* On: the running code looks at fr_interrupted itself and takes the time that it needs to keep
 * what it has: `ask` is not called, and only a second SIGINT ends it. Off: as installed. */
void fr_interrupt_defer(int on);

/* Back to the default action, for a forked child. */
void fr_interrupt_restore(void);

#endif
