#include "probe/slots.h"

#include "probe/image.h"

#if defined __x86_64__
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT };
#elif defined __aarch64__
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT };
#else
enum { JUMP_SLOT = -1 };
#endif

/* The linker's, of this object; a static program has none. Not every C library's headers tell. */
extern ElfW(Dyn) _DYNAMIC[]; // NOLINT(readability-redundant-declaration)
#pragma weak _DYNAMIC

/* Some loaders put addresses in memory where the file has its own, others leave them. */
static uintptr_t in_memory(uintptr_t address)
{
    return address < fr_image_start() ? address + fr_image_bias() : address;
}

struct fr_slots fr_slots_count(void)
{
    struct fr_slots slots = {JUMP_SLOT < 0 ? -1 : 0, 0};
    uintptr_t table = 0;
    size_t bytes = 0;
    if (JUMP_SLOT < 0 || !_DYNAMIC)
        return slots;
    for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_JMPREL)
            table = in_memory(entry->d_un.d_ptr);
        else if (entry->d_tag == DT_PLTRELSZ)
            bytes = entry->d_un.d_val;
    }
    const ElfW(Rela) *relocation = (const ElfW(Rela) *)table; // NOLINT: an address by contract
    for (size_t i = 0; table && i < bytes / sizeof *relocation; i++) {
        if (ELF64_R_TYPE(relocation[i].r_info) != JUMP_SLOT)
            continue;
        const uintptr_t *slot =
            (const uintptr_t *)(relocation[i].r_offset + fr_image_bias()); // NOLINT: likewise
        slots.all++;
        slots.bound += !fr_image_holds(*slot);
    }
    return slots;
}
