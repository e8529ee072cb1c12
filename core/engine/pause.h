/* Two ways to let time pass before an iteration: off the CPU, or on it. */
#ifndef FR_PAUSE_H
#define FR_PAUSE_H

#include <stdint.h>
#include <time.h>

/* Sleeps until `ns` have passed, whatever signals arrive. */
void fr_pause_sleep(int64_t ns);

/* Keeps the CPU busy for `ns`, doing nothing but reading the clock `id`. */
void fr_pause_spin(clockid_t id, int64_t ns);

#endif
