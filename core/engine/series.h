/* Long series of 64-bit integers: the per-iteration times of a sample. No Lua, no allocation but
 * where it is said. Indices count from 0. */
#ifndef FR_SERIES_H
#define FR_SERIES_H

#include <stddef.h>
#include <stdint.h>

/* The two middle values of n > 0 values (equal ones when n is odd): the median is their mean.
 * Reorders `values`. */
void fr_series_middle(int64_t *values, size_t n, int64_t *low, int64_t *high);

/* Where the steady state begins: the first index from which on every running median of `window`
 * values stays within `fraction` of the median of the second half. Returns n when there is no such
 * index or there are fewer than 2 * window values; `scratch` has room for n values. */
size_t fr_series_steady(const int64_t *values, size_t n, size_t window, double fraction,
                        int64_t *scratch);

#endif
