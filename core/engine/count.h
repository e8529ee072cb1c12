/* Counting: a chain of additions, each waiting for the one before it, without any memory. What it
 * takes is a number of the core's cycles, and so tells how fast its clock is, without a counter.
 */
#ifndef FR_COUNT_H
#define FR_COUNT_H

#include <stdint.h>

/* Adds 1 to 0 for `steps` times, one after the other, and returns the sum, which is `steps`. An
 * addition of two registers takes one cycle from operand to result on the cores of x86-64 and
 * AArch64 (Fog, "Instruction tables"; Arm's software optimization guides): the time of many steps
 * is that of as many cycles, and of few more for the loop. */
uint64_t fr_count(uint64_t steps);

#endif
