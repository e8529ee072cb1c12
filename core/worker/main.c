/* frlua-worker: runs the one job that the host left in shared memory, and exits.
 *
 * The host passes the job as descriptor FR_JOB_FD. Exit status: 0 the job ran, 1 a system call was
 * refused (outcome.error says which), 2 started by hand or by a host of another build.
 */
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/job.h"
#include "engine/region.h"

/* Reads a byte of every page of the program's own segments. Without it the first pass through a
 * kernel would fault on its code, and the first iteration would be charged for that. Between the
 * variables lie bytes that only a sanitizer minds. */
__attribute__((no_sanitize_address)) static int touch_own_segments(struct dl_phdr_info *info,
                                                                   size_t size, void *page_bytes)
{
    (void)size;
    const size_t page = *(const size_t *)page_bytes;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_R))
            continue;
        const volatile unsigned char *byte =
            (const unsigned char *)(uintptr_t)(info->dlpi_addr + segment->p_vaddr);
        for (size_t offset = 0; offset < segment->p_filesz; offset += page)
            (void)byte[offset];
    }
    return 1; /* the first object is the program itself: no others */
}

static struct fr_job *shared_job(void)
{
    struct stat status;
    if (fstat(FR_JOB_FD, &status) != 0 || (size_t)status.st_size < sizeof(struct fr_job))
        return NULL;
    size_t bytes = (size_t)status.st_size;
    struct fr_job *job = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, FR_JOB_FD, 0);
    if (job == MAP_FAILED || job->layout != sizeof *job || job->bytes != bytes)
        return NULL;
    return job;
}

/* A moment that was read before the job's clock was known, by that clock. */
static int64_t by_clock(clockid_t clock, int64_t monotonic_ns)
{
    if (clock == CLOCK_MONOTONIC)
        return monotonic_ns;
    return fr_clock_ns(clock) - (fr_clock_ns(CLOCK_MONOTONIC) - monotonic_ns);
}

int main(void)
{
    int64_t main_ns = fr_clock_ns(CLOCK_MONOTONIC);
    static const char hint[] = "frlua-worker: runs one job for frlua; it is not started by hand\n";
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL); /* the host has blocked them all until here */
    struct fr_job *job = shared_job();
    if (!job) {
        (void)!write(STDERR_FILENO, hint, sizeof hint - 1);
        return 2;
    }
    job->outcome.main_ns = by_clock((clockid_t)job->clock, main_ns);
    size_t page = fr_page_bytes();
    dl_iterate_phdr(touch_own_segments, &page);
    int error = fr_job_run(job);
    job->outcome.exit_ns = fr_clock_ns((clockid_t)job->clock);
    _exit(error == 0 ? 0 : 1);
}
