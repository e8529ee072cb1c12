#include "inspect/elf_reader.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Of headers. */
struct table {
    uint64_t offset;
    size_t entry_bytes, entries;
};

static int check_ident(struct fr_elf *elf, const unsigned char *ident)
{
    if (memcmp(ident, ELFMAG, SELFMAG) != 0)
        return fr_elf_wrong(elf, "is no ELF file: it begins with the bytes %02x %02x %02x %02x",
                            ident[0], ident[1], ident[2], ident[3]);
    if (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64)
        return fr_elf_wrong(elf, "is of ELF class %d, which is neither 32 nor 64 bits",
                            ident[EI_CLASS]);
    if (ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB)
        return fr_elf_wrong(elf, "has byte order %d, which is neither little nor big endian",
                            ident[EI_DATA]);
    if (ident[EI_VERSION] != EV_CURRENT)
        return fr_elf_wrong(elf, "is of ELF version %d, which is not known", ident[EI_VERSION]);
    elf->bits = ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
    elf->is_big_endian = ident[EI_DATA] == ELFDATA2MSB;
    return 0;
}

static int check_table(struct fr_elf *elf, const struct table *table)
{
    size_t expected = elf->bits == 32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
    if (table->entries == PN_XNUM)
        return fr_elf_wrong(elf, "has %d program headers or more: only core files have so many",
                            PN_XNUM);
    if (table->entries > 0 && table->entry_bytes != expected)
        return fr_elf_wrong(elf, "has program headers of %zu bytes, not %zu", table->entry_bytes,
                            expected);
    return 0;
}

/* The first bytes, which say how to read the rest. What is shorter may still be told apart from
 * what was never an ELF file. */
static int read_ident(struct fr_elf_reader *reader)
{
    unsigned char ident[EI_NIDENT] = {0};
    uint64_t size = reader->source->bytes;
    if (size == 0)
        return fr_elf_wrong(reader->elf, "is empty");
    size_t bytes = size < SELFMAG ? (size_t)size : SELFMAG;
    int error = fr_elf_bytes_at(reader, 0, ident, bytes, "header");
    if (!error && memcmp(ident, ELFMAG, bytes) == 0)
        error = fr_elf_bytes_at(reader, 0, ident, sizeof ident, "header");
    return error ? error : check_ident(reader->elf, ident);
}

static int read_header(struct fr_elf_reader *reader, struct table *table, struct table *sections)
{
    struct fr_elf *elf = reader->elf;
    union {
        Elf32_Ehdr of_32;
        Elf64_Ehdr of_64;
    } header;
    const Elf32_Ehdr *narrow = &header.of_32;
    const Elf64_Ehdr *wide = &header.of_64;
    int error = read_ident(reader), is_narrow = elf->bits == 32;
    if (!error)
        error = fr_elf_record_at(reader, 0, ELF_T_EHDR, &header,
                                 is_narrow ? sizeof *narrow : sizeof *wide, "header");
    if (error)
        return error;
    elf->type = is_narrow ? narrow->e_type : wide->e_type;
    elf->machine = is_narrow ? narrow->e_machine : wide->e_machine;
    elf->entry = is_narrow ? narrow->e_entry : wide->e_entry;
    table->offset = is_narrow ? narrow->e_phoff : wide->e_phoff;
    table->entry_bytes = is_narrow ? narrow->e_phentsize : wide->e_phentsize;
    table->entries = is_narrow ? narrow->e_phnum : wide->e_phnum;
    sections->offset = is_narrow ? narrow->e_shoff : wide->e_shoff;
    sections->entry_bytes = is_narrow ? narrow->e_shentsize : wide->e_shentsize;
    sections->entries = is_narrow ? narrow->e_shnum : wide->e_shnum;
    return check_table(elf, table);
}

static int read_segment(struct fr_elf_reader *reader, uint64_t offset, struct fr_elf_segment *to)
{
    union {
        Elf32_Phdr of_32;
        Elf64_Phdr of_64;
    } header;
    const char *part = "program headers";
    if (reader->elf->bits == 32) {
        const Elf32_Phdr *narrow = &header.of_32;
        int error = fr_elf_record_at(reader, offset, ELF_T_PHDR, &header, sizeof *narrow, part);
        if (!error)
            *to = (struct fr_elf_segment){narrow->p_type,  narrow->p_flags,  narrow->p_offset,
                                          narrow->p_vaddr, narrow->p_filesz, narrow->p_memsz,
                                          narrow->p_align};
        return error;
    }
    const Elf64_Phdr *wide = &header.of_64;
    int error = fr_elf_record_at(reader, offset, ELF_T_PHDR, &header, sizeof *wide, part);
    if (!error)
        *to = (struct fr_elf_segment){wide->p_type,   wide->p_flags, wide->p_offset, wide->p_vaddr,
                                      wide->p_filesz, wide->p_memsz, wide->p_align};
    return error;
}

static int check_segment(struct fr_elf_reader *reader, size_t i)
{
    const struct fr_elf_segment *segment = &reader->elf->segment[i];
    uint64_t bytes = reader->source->bytes, end;
    if (segment->file_bytes > 0 &&
        (segment->offset > bytes || segment->file_bytes > bytes - segment->offset))
        return fr_elf_wrong(reader->elf,
                            "is cut in segment %zu: 0x%" PRIx64 " bytes at 0x%" PRIx64
                            ", in a file of %" PRIu64,
                            i, segment->file_bytes, segment->offset, bytes);
    if (segment->type != PT_LOAD)
        return 0;
    if (__builtin_add_overflow(segment->vaddr, segment->memory_bytes, &end) ||
        (reader->elf->bits == 32 && end > UINT64_C(1) << 32))
        return fr_elf_wrong(reader->elf, "has a segment %zu that ends beyond all addresses", i);
    if (segment->file_bytes > segment->memory_bytes)
        return fr_elf_wrong(reader->elf,
                            "has a segment %zu with more bytes in the file than in memory", i);
    return 0;
}

static int read_segments(struct fr_elf_reader *reader, const struct table *table)
{
    struct fr_elf *elf = reader->elf;
    uint64_t bytes = (uint64_t)table->entries * table->entry_bytes, size = reader->source->bytes;
    if (table->entries == 0)
        return 0;
    if (table->offset > size || bytes > size - table->offset)
        return fr_elf_wrong(elf,
                            "is cut in its program headers: %" PRIu64 " bytes at 0x%" PRIx64
                            ", in a file of %" PRIu64,
                            bytes, table->offset, size);
    elf->segment = calloc(table->entries, sizeof *elf->segment);
    if (!elf->segment)
        return ENOMEM;
    elf->segments = table->entries;
    int error = 0;
    for (size_t i = 0; i < elf->segments && !error; i++) {
        error = read_segment(reader, table->offset + i * table->entry_bytes, &elf->segment[i]);
        if (!error)
            error = check_segment(reader, i);
    }
    return error;
}

static int read_interpreter(struct fr_elf_reader *reader, const struct fr_elf_segment *segment)
{
    if (segment->file_bytes == 0 || reader->elf->interpreter) /* the kernel takes the first */
        return 0;
    if (segment->file_bytes > PATH_MAX)
        return fr_elf_wrong(reader->elf,
                            "has an interpreter of %" PRIu64 " bytes, longer than any"
                            " path",
                            segment->file_bytes);
    return fr_elf_text_at(reader, segment->offset, segment->file_bytes, &reader->elf->interpreter,
                          "interpreter (PT_INTERP)");
}

static int read_contents(struct fr_elf_reader *reader)
{
    struct fr_elf *elf = reader->elf;
    int error = 0;
    for (size_t i = 0; i < elf->segments && !error; i++) {
        const struct fr_elf_segment *segment = &elf->segment[i];
        if (segment->type == PT_INTERP)
            error = read_interpreter(reader, segment);
        else if (segment->type == PT_NOTE && elf->type != ET_CORE)
            error = fr_elf_read_notes(reader, segment->offset, segment->file_bytes, segment->align);
        else if (segment->type == PT_DYNAMIC && elf->has_dynamic)
            error = fr_elf_wrong(elf, "has more than one dynamic section (PT_DYNAMIC)");
        else if (segment->type == PT_DYNAMIC && segment->file_bytes > 0)
            error = fr_elf_read_dynamic(reader, segment);
    }
    return error;
}

/* Go's linker leaves the build id out of the segments of notes. What is wrong with the sections is
 * nothing that keeps the file from being loaded: it then has no build id. */
static int read_build_id_of_sections(struct fr_elf_reader *reader, const struct table *sections)
{
    struct fr_elf *elf = reader->elf;
    if (elf->build_id || elf->segments == 0 || elf->type == ET_CORE)
        return 0;
    int error = fr_elf_read_note_sections(reader, sections->offset, sections->entry_bytes,
                                          sections->entries);
    if (error != FR_ELF_WRONG)
        return error;
    free(elf->build_id);
    elf->build_id = NULL;
    elf->build_id_bytes = 0;
    elf->problem[0] = '\0';
    return 0;
}

int fr_elf_read(struct fr_elf *elf, const struct fr_elf_source *source)
{
    struct fr_elf_reader reader = {elf, source, FR_ELF_MOST_TEXT, FR_ELF_MOST_NOTES};
    struct table table = {0}, sections = {0};
    elf_version(EV_CURRENT);
    int error = read_header(&reader, &table, &sections);
    if (!error)
        error = read_segments(&reader, &table);
    if (!error)
        error = read_contents(&reader);
    return error ? error : read_build_id_of_sections(&reader, &sections);
}

void fr_elf_free(struct fr_elf *elf)
{
    for (size_t i = 0; i < elf->tags; i++)
        free(elf->tag[i].text);
    free(elf->tag);
    free(elf->segment);
    free(elf->interpreter);
    free(elf->build_id);
    memset(elf, 0, sizeof *elf);
}
