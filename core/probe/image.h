/* The object that this is compiled into, a program or a shared library, as it lies in memory. Makes
 * no call, so that nothing is bound, or made warm, by looking.
 *
 * The probes are no part of frlua: they are what scripts/lazy_binding.lua starts and looks at. Each
 * is built lazily bound and once more with BIND_NOW, and prints one line of JSON: times in ns by
 * CLOCK_MONOTONIC, each with the cost of one reading in it. Exit status: 0, or 1 and a line on
 * standard error.
 */
#ifndef FR_PROBE_IMAGE_H
#define FR_PROBE_IMAGE_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* The linker's: the first byte of this object. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static inline uintptr_t fr_image_start(void)
{
    return (uintptr_t)&__ehdr_start;
}

static inline const ElfW(Phdr) * fr_image_segments(void)
{
    return (const ElfW(Phdr) *)(fr_image_start() + __ehdr_start.e_phoff); // NOLINT: an address
}

/* What has to be added to an address in the file to get one in memory; 0 where it is not
 * position-independent. */
static inline uintptr_t fr_image_bias(void)
{
    const ElfW(Phdr) *segment = fr_image_segments();
    for (size_t i = 0; i < __ehdr_start.e_phnum; i++)
        if (segment[i].p_type == PT_LOAD && segment[i].p_offset == 0)
            return fr_image_start() - segment[i].p_vaddr;
    return fr_image_start();
}

static inline int fr_image_holds(uintptr_t address)
{
    const ElfW(Phdr) *segment = fr_image_segments();
    for (size_t i = 0; i < __ehdr_start.e_phnum; i++)
        if (segment[i].p_type == PT_LOAD &&
            address - fr_image_bias() - segment[i].p_vaddr < segment[i].p_memsz)
            return 1;
    return 0;
}

#endif
