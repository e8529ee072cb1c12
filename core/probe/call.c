/* call [populate]: the first three calls of one function of libc, random(), through the procedure
 * linkage table.
 *
 * populate: has the kernel map all pages of code before (Linux 5.14), so that no first call takes a
 * page fault for its code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/faults.h"
#include "probe/image.h"
#include "probe/slots.h"

enum { CALLS = 3 };

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* linux/mman.h; headers of some C libraries lack it */
#endif

/* By the kernel: reading a byte of every page would take the place of what is in the caches. */
static int populate_code(struct dl_phdr_info *info, size_t size, void *page_bytes)
{
    (void)size;
    const uintptr_t page = *(const uintptr_t *)page_bytes;
    int refused = 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        uintptr_t start = info->dlpi_addr + segment->p_vaddr, end = start + segment->p_memsz;
        start -= start % page;
        end += page - 1 - (end - 1) % page;
        refused |= madvise((void *)start, end - start, MADV_POPULATE_READ); // NOLINT: an address
    }
    return refused;
}

int main(int argc, char **argv)
{
    volatile int64_t ns[CALLS] = {1, 1, 1}; /* on a page that is there before the first call */
    long sink = 0;
    if (argc > 1 && strcmp(argv[1], "populate") == 0) {
        uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
        if (dl_iterate_phdr(populate_code, &page) != 0) {
            perror("madvise(MADV_POPULATE_READ)");
            return 1;
        }
    }
    fr_faults_now(); /* this and the clock are bound, and their code is there */
    fr_clock_ns(CLOCK_MONOTONIC);
    struct fr_slots before = fr_slots_count();
    int64_t faults = fr_faults_now().minor;
    fr_clock_ns(CLOCK_MONOTONIC); /* the kernel may have taken its lines from the caches */
    for (int i = 0; i < CALLS; i++) {
        int64_t start = fr_clock_ns(CLOCK_MONOTONIC);
        sink += random();
        ns[i] = fr_clock_ns(CLOCK_MONOTONIC) - start;
    }
    faults = fr_faults_now().minor - faults;
    struct fr_slots after = fr_slots_count();
    printf("{\"ns\":[%lld,%lld,%lld],\"minor_faults\":%lld,\"slots\":%ld,\"bound_before\":%ld,"
           "\"bound_after\":%ld,\"sink\":%ld}\n",
           (long long)ns[0], (long long)ns[1], (long long)ns[2], (long long)faults, before.all,
           before.bound, after.bound, sink);
    return 0;
}
