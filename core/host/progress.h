/* The line on standard error that tells how far a run is. While a long sample runs, a thread writes
 * it anew once a second: the sample's own CPU is left alone, and who waits for the sample sleeps
 * on.
 *
 * There is one line in a process. All functions are for the thread that started it.
 */
#ifndef FR_PROGRESS_H
#define FR_PROGRESS_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

enum { FR_PROGRESS_BYTES = 512 };

/* `title`, `round`, `arm`, `done`, and times behind them. Where the line is too narrow, the title
 * and the arm are cut. Texts hold no control bytes. */
struct fr_progress {
    char title[FR_PROGRESS_BYTES], round[FR_PROGRESS_BYTES], arm[FR_PROGRESS_BYTES],
        done[FR_PROGRESS_BYTES];
    int64_t left_ns;   /* of the whole run, from now on; -1: unknown */
    int64_t others_ns; /* of that, what comes after this sample: less is never left during it */
};

/* Starts the thread on CPUs of a set; NULL: there is no other CPU, and the line only changes with
 * the samples. `clears` is 1 for a terminal that takes control sequences. Returns 0, or an errno
 * value when there can be no thread; the line is shown all the same. */
int fr_progress_start(const cpu_set_t *cpus, size_t bytes, int clears);

/* Writes the line; counting down begins here. */
void fr_progress_show(const struct fr_progress *progress);

/* Ends the thread and takes the line off. May be called twice. */
void fr_progress_stop(void);

/* The line in at most `columns` columns, NUL-terminated, `ns` after it was first shown. Returns the
 * columns taken. */
size_t fr_progress_text(const struct fr_progress *progress, int64_t ns, size_t columns, char *text,
                        size_t capacity);

#endif
