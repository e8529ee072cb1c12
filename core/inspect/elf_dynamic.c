/* The dynamic section. Its tags hold addresses: where these are in the file, the segments tell. */
#include "inspect/elf_reader.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>

/* The kind of relocation that is bound when its function is first called, by machine (elf.h, and
 * the processor supplements of the System V ABI). */
static const struct {
    unsigned machine, type;
} jump_slot[] = {
    {EM_386, R_386_JMP_SLOT},  {EM_X86_64, R_X86_64_JUMP_SLOT},
    {EM_ARM, R_ARM_JUMP_SLOT}, {EM_AARCH64, R_AARCH64_JUMP_SLOT},
    {EM_PPC, R_PPC_JMP_SLOT},  {EM_PPC64, R_PPC64_JMP_SLOT},
    {EM_S390, R_390_JMP_SLOT}, {EM_RISCV, R_RISCV_JUMP_SLOT},
};

static int read_tag(struct fr_elf_reader *reader, uint64_t offset, struct fr_elf_tag *to)
{
    union {
        Elf32_Dyn of_32;
        Elf64_Dyn of_64;
    } dyn;
    int is_narrow = reader->elf->bits == 32;
    int error =
        fr_elf_record_at(reader, offset, ELF_T_DYN, &dyn,
                         is_narrow ? sizeof dyn.of_32 : sizeof dyn.of_64, "dynamic section");
    if (!error && is_narrow)
        *to = (struct fr_elf_tag){dyn.of_32.d_tag, dyn.of_32.d_un.d_val, NULL};
    else if (!error)
        *to = (struct fr_elf_tag){dyn.of_64.d_tag, dyn.of_64.d_un.d_val, NULL};
    return error;
}

static int read_tags(struct fr_elf_reader *reader, const struct fr_elf_segment *segment)
{
    struct fr_elf *elf = reader->elf;
    uint64_t entry = elf->bits == 32 ? sizeof(Elf32_Dyn) : sizeof(Elf64_Dyn);
    uint64_t count = segment->file_bytes / entry;
    if (count > FR_ELF_MOST_TAGS)
        return fr_elf_wrong(elf, "has a dynamic section of %" PRIu64 " entries, more than %d",
                            count, FR_ELF_MOST_TAGS);
    elf->tag = calloc((size_t)count + 1, sizeof *elf->tag);
    if (!elf->tag)
        return ENOMEM;
    for (; elf->tags < count; elf->tags++) {
        struct fr_elf_tag tag = {0};
        int error = read_tag(reader, segment->offset + elf->tags * entry, &tag);
        if (error || tag.tag == DT_NULL)
            return error;
        elf->tag[elf->tags] = tag;
    }
    return fr_elf_wrong(elf, "has a dynamic section without an end (DT_NULL)");
}

/* Of several, the last one counts for glibc's loader. */
static const struct fr_elf_tag *find_tag(const struct fr_elf *elf, int64_t tag)
{
    for (size_t i = elf->tags; i > 0; i--)
        if (elf->tag[i - 1].tag == tag)
            return &elf->tag[i - 1];
    return NULL;
}

/* Where `bytes` at an address are in the file. */
static int locate(const struct fr_elf_reader *reader, uint64_t address, uint64_t bytes,
                  uint64_t *offset, const char *what)
{
    const struct fr_elf *elf = reader->elf;
    for (size_t i = 0; i < elf->segments; i++) {
        const struct fr_elf_segment *segment = &elf->segment[i];
        if (segment->type != PT_LOAD || address < segment->vaddr)
            continue;
        uint64_t before = address - segment->vaddr;
        if (before <= segment->file_bytes && bytes <= segment->file_bytes - before) {
            *offset = segment->offset + before;
            return 0;
        }
    }
    return fr_elf_wrong(reader->elf,
                        "has no segment with all of its %s: 0x%" PRIx64
                        " bytes at the address 0x%" PRIx64,
                        what, bytes, address);
}

static int is_name(int64_t tag)
{
    return tag == DT_NEEDED || tag == DT_SONAME || tag == DT_RPATH || tag == DT_RUNPATH;
}

static int read_names(struct fr_elf_reader *reader)
{
    struct fr_elf *elf = reader->elf;
    const struct fr_elf_tag *table = find_tag(elf, DT_STRTAB), *bytes = find_tag(elf, DT_STRSZ);
    uint64_t start = 0;
    int error = 0, located = 0;
    for (size_t i = 0; i < elf->tags && !error; i++) {
        struct fr_elf_tag *tag = &elf->tag[i];
        if (!is_name(tag->tag))
            continue;
        if (!table || !bytes)
            return fr_elf_wrong(elf, "has names but no table of them (DT_STRTAB, DT_STRSZ)");
        if (!located)
            error = locate(reader, table->value, bytes->value, &start, "names (DT_STRTAB)");
        located = 1;
        if (!error && tag->value >= bytes->value)
            error = fr_elf_wrong(
                elf, "has a name at 0x%" PRIx64 " of a table of 0x%" PRIx64 " bytes (DT_STRTAB)",
                tag->value, bytes->value);
        if (!error)
            error = fr_elf_text_at(reader, start + tag->value, bytes->value - tag->value,
                                   &tag->text, "names (DT_STRTAB)");
    }
    return error;
}

static int64_t jump_slot_of(unsigned machine)
{
    for (size_t i = 0; i < sizeof jump_slot / sizeof *jump_slot; i++)
        if (jump_slot[i].machine == machine)
            return jump_slot[i].type;
    return -1;
}

/* r_info stands behind r_offset, with and without an addend. */
static int read_relocation_type(struct fr_elf_reader *reader, uint64_t offset, int64_t *type)
{
    union {
        Elf32_Rel of_32;
        Elf64_Rel of_64;
    } relocation;
    int is_narrow = reader->elf->bits == 32;
    int error = fr_elf_record_at(reader, offset, ELF_T_REL, &relocation,
                                 is_narrow ? sizeof relocation.of_32 : sizeof relocation.of_64,
                                 "relocations of the PLT (DT_JMPREL)");
    if (!error)
        *type = is_narrow ? (int64_t)ELF32_R_TYPE(relocation.of_32.r_info)
                          : (int64_t)ELF64_R_TYPE(relocation.of_64.r_info);
    return error;
}

static int count_jump_slots(struct fr_elf_reader *reader, uint64_t offset, uint64_t entry)
{
    struct fr_elf *elf = reader->elf;
    int64_t bound_late = jump_slot_of(elf->machine), type = 0;
    int error = 0;
    elf->jump_slots = bound_late < 0 ? -1 : 0;
    for (uint64_t i = 0; bound_late >= 0 && i < elf->plt_relocations && !error; i++) {
        error = read_relocation_type(reader, offset + i * entry, &type);
        elf->jump_slots += !error && type == bound_late;
    }
    return error;
}

/* The size of an entry of DT_JMPREL; 0 when DT_PLTREL names neither kind. */
static uint64_t relocation_bytes(const struct fr_elf *elf, const struct fr_elf_tag *kind)
{
    if (kind && kind->value == DT_RELA)
        return elf->bits == 32 ? sizeof(Elf32_Rela) : sizeof(Elf64_Rela);
    if (kind && kind->value == DT_REL)
        return elf->bits == 32 ? sizeof(Elf32_Rel) : sizeof(Elf64_Rel);
    return 0;
}

static int read_relocations(struct fr_elf_reader *reader)
{
    struct fr_elf *elf = reader->elf;
    const struct fr_elf_tag *bytes = find_tag(elf, DT_PLTRELSZ), *table = find_tag(elf, DT_JMPREL);
    if (!bytes || bytes->value == 0)
        return 0;
    uint64_t entry = relocation_bytes(elf, find_tag(elf, DT_PLTREL)), offset = 0;
    if (!table || entry == 0 || bytes->value % entry != 0)
        return fr_elf_wrong(elf, "has relocations of the PLT (DT_PLTRELSZ 0x%" PRIx64 ") %s",
                            bytes->value,
                            !table       ? "without their address (DT_JMPREL)"
                            : entry == 0 ? "without their kind (DT_PLTREL)"
                                         : "that are no whole ones");
    elf->plt_relocations = bytes->value / entry;
    if (elf->plt_relocations > FR_ELF_MOST_RELOCATIONS)
        return fr_elf_wrong(elf, "has %" PRIu64 " relocations of the PLT, more than %d",
                            elf->plt_relocations, FR_ELF_MOST_RELOCATIONS);
    int error =
        locate(reader, table->value, bytes->value, &offset, "relocations of the PLT (DT_JMPREL)");
    return error ? error : count_jump_slots(reader, offset, entry);
}

int fr_elf_read_dynamic(struct fr_elf_reader *reader, const struct fr_elf_segment *segment)
{
    reader->elf->has_dynamic = 1;
    int error = read_tags(reader, segment);
    if (!error)
        error = read_names(reader);
    return error ? error : read_relocations(reader);
}
