/* Page-fault counts of the calling process, as getrusage(2) keeps them.
 *
 * A reading is one system call of some hundred ns; it is never made inside a timed interval.
 */
#ifndef FR_FAULTS_H
#define FR_FAULTS_H

#include <stdint.h>
#include <sys/resource.h>

struct fr_faults {
    int64_t minor; /* served without input or output */
    int64_t major; /* had to wait for a device */
};

static inline struct fr_faults fr_faults_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (struct fr_faults){usage.ru_minflt, usage.ru_majflt};
}

#endif
