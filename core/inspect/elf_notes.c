/* Notes (elf(5), "Notes (Nhdr)"): of these only the build id is kept. */
#include "inspect/elf_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char part[] = "notes";

struct range {
    uint64_t offset, bytes, pad;
};

static int read_build_id(struct fr_elf_reader *reader, uint64_t offset, size_t bytes)
{
    struct fr_elf *elf = reader->elf;
    if (bytes > FR_ELF_LONGEST_BUILD_ID)
        return fr_elf_wrong(elf, "has a build id of %zu bytes, more than %d", bytes,
                            FR_ELF_LONGEST_BUILD_ID);
    if (elf->build_id)
        return 0;
    elf->build_id = malloc(bytes + 1);
    if (!elf->build_id)
        return ENOMEM;
    elf->build_id_bytes = bytes;
    return fr_elf_bytes_at(reader, offset, elf->build_id, bytes, "build id");
}

/* A header of three words, a name and a descriptor, each padded. Moves *at behind it. */
static int read_note(struct fr_elf_reader *reader, const struct range *range, uint64_t *at)
{
    Elf32_Nhdr note;
    char name[sizeof ELF_NOTE_GNU] = "";
    uint64_t start = range->offset + *at, up = range->pad - 1;
    int error = fr_elf_record_at(reader, start, ELF_T_WORD, &note, sizeof note, part);
    if (error)
        return error;
    uint64_t descriptor = (sizeof note + (uint64_t)note.n_namesz + up) & ~up;
    uint64_t end = descriptor + note.n_descsz, left = range->bytes - *at;
    if (end > left)
        return fr_elf_wrong(reader->elf,
                            "is cut in its notes: one has 0x%" PRIx64 " bytes, where 0x%" PRIx64
                            " are left",
                            end, left);
    *at += (end + up) & ~up;
    if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof name)
        return 0;
    error = fr_elf_bytes_at(reader, start + sizeof note, name, sizeof name, part);
    if (error || memcmp(name, ELF_NOTE_GNU, sizeof name) != 0)
        return error;
    return read_build_id(reader, start + descriptor, note.n_descsz);
}

int fr_elf_read_notes(struct fr_elf_reader *reader, uint64_t offset, uint64_t bytes, uint64_t align)
{
    const struct range range = {offset, bytes, align == 8 ? 8 : 4};
    uint64_t at = 0;
    int error = 0;
    /* What is shorter than a header is padding. */
    while (!error && at < bytes && bytes - at >= sizeof(Elf32_Nhdr)) {
        if (reader->notes_left == 0)
            return fr_elf_wrong(reader->elf, "has more than %d notes", FR_ELF_MOST_NOTES);
        reader->notes_left--;
        error = read_note(reader, &range, &at);
    }
    return error;
}

int fr_elf_read_note_sections(struct fr_elf_reader *reader, uint64_t offset, size_t entry_bytes,
                              size_t entries)
{
    union {
        Elf32_Shdr of_32;
        Elf64_Shdr of_64;
    } header;
    const Elf32_Shdr *narrow = &header.of_32;
    const Elf64_Shdr *wide = &header.of_64;
    int is_narrow = reader->elf->bits == 32, error = 0;
    size_t expected = is_narrow ? sizeof *narrow : sizeof *wide;
    if (entry_bytes != expected || offset > reader->source->bytes)
        return 0;
    for (size_t i = 0; i < entries && !error; i++) {
        error = fr_elf_record_at(reader, offset + i * entry_bytes, ELF_T_SHDR, &header, expected,
                                 "section headers");
        if (!error && (is_narrow ? narrow->sh_type : wide->sh_type) == SHT_NOTE)
            error = is_narrow ? fr_elf_read_notes(reader, narrow->sh_offset, narrow->sh_size,
                                                  narrow->sh_addralign)
                              : fr_elf_read_notes(reader, wide->sh_offset, wide->sh_size,
                                                  wide->sh_addralign);
    }
    return error;
}
