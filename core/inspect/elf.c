#include "inspect/elf_reader.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

static int read_header(struct fr_elf_reader *reader, struct table *table)
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

static int read_build_id(struct fr_elf_reader *reader, uint64_t offset, size_t bytes)
{
    struct fr_elf *elf = reader->elf;
    if (bytes > FR_ELF_LONGEST_BUILD_ID)
        return fr_elf_wrong(elf, "has a build id of %zu bytes, more than %d", bytes,
                            FR_ELF_LONGEST_BUILD_ID);
    free(elf->build_id);
    elf->build_id = malloc(bytes + 1);
    if (!elf->build_id)
        return ENOMEM;
    elf->build_id_bytes = bytes;
    return fr_elf_bytes_at(reader, offset, elf->build_id, bytes, "build id");
}

/* elf(5), "Notes": a header of three words, a name and a descriptor, each padded. */
static int read_note(struct fr_elf_reader *reader, const struct fr_elf_segment *segment,
                     uint64_t *at)
{
    Elf32_Nhdr note;
    char name[sizeof ELF_NOTE_GNU] = "";
    uint64_t pad = segment->align == 8 ? 8 : 4, start = segment->offset + *at;
    int error = fr_elf_record_at(reader, start, ELF_T_WORD, &note, sizeof note, "notes (PT_NOTE)");
    if (error)
        return error;
    uint64_t name_end = sizeof note + (uint64_t)note.n_namesz;
    uint64_t descriptor = (name_end + pad - 1) & ~(pad - 1), end = descriptor + note.n_descsz;
    if (end > segment->file_bytes - *at)
        return fr_elf_wrong(reader->elf,
                            "is cut in its notes (PT_NOTE): one has 0x%" PRIx64
                            " bytes, where 0x%" PRIx64 " are left",
                            end, segment->file_bytes - *at);
    *at += (end + pad - 1) & ~(pad - 1);
    if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof name)
        return 0;
    error = fr_elf_bytes_at(reader, start + sizeof note, name, sizeof name, "notes (PT_NOTE)");
    if (error || memcmp(name, ELF_NOTE_GNU, sizeof name) != 0)
        return error;
    return read_build_id(reader, start + descriptor, note.n_descsz);
}

static int read_notes(struct fr_elf_reader *reader, const struct fr_elf_segment *segment)
{
    uint64_t at = 0;
    int error = 0;
    for (size_t notes = 0; !error && segment->file_bytes > at; notes++) {
        if (segment->file_bytes - at < sizeof(Elf32_Nhdr))
            break; /* padding */
        error = notes < FR_ELF_MOST_NOTES
                    ? read_note(reader, segment, &at)
                    : fr_elf_wrong(reader->elf, "has more than %d notes", FR_ELF_MOST_NOTES);
    }
    return error;
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
            error = read_notes(reader, segment);
        else if (segment->type == PT_DYNAMIC && elf->has_dynamic)
            error = fr_elf_wrong(elf, "has more than one dynamic section (PT_DYNAMIC)");
        else if (segment->type == PT_DYNAMIC && segment->file_bytes > 0)
            error = fr_elf_read_dynamic(reader, segment);
    }
    return error;
}

int fr_elf_read(struct fr_elf *elf, const struct fr_elf_source *source)
{
    struct fr_elf_reader reader = {elf, source, FR_ELF_MOST_TEXT};
    struct table table = {0};
    elf_version(EV_CURRENT);
    int error = read_header(&reader, &table);
    if (!error)
        error = read_segments(&reader, &table);
    return error ? error : read_contents(&reader);
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
