/* What the parts of the ELF reader share: reading at a place, and what is said of a wrong file. */
#ifndef FR_ELF_READER_H
#define FR_ELF_READER_H

#include <libelf.h>

#include "inspect/elf.h"

/* More than any linker writes. They bound the memory and the time that a file can cost. */
enum {
    FR_ELF_MOST_TAGS = 1 << 16,
    FR_ELF_MOST_NOTES = 1 << 16, /* of all segments and sections together */
    FR_ELF_MOST_RELOCATIONS = 1 << 22,
    FR_ELF_MOST_TEXT = 1 << 20, /* bytes of all names together */
    FR_ELF_LONGEST_BUILD_ID = 1 << 10,
};

struct fr_elf_reader {
    struct fr_elf *elf;
    const struct fr_elf_source *source;
    size_t text_left;  /* of FR_ELF_MOST_TEXT */
    size_t notes_left; /* of FR_ELF_MOST_NOTES */
};

/* Sets elf->problem; returns FR_ELF_WRONG. */
int fr_elf_wrong(struct fr_elf *elf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads bytes as they are. `part` names them where the file is cut. Returns 0, an errno value or
 * FR_ELF_WRONG, as do the others. */
int fr_elf_bytes_at(struct fr_elf_reader *reader, uint64_t offset, void *to, size_t bytes,
                    const char *part);

/* The same, translated to this machine's layout of the file's class. */
int fr_elf_record_at(struct fr_elf_reader *reader, uint64_t offset, Elf_Type type, void *to,
                     size_t bytes, const char *part);

/* Reads a text that ends with a NUL byte within `room` bytes; *text is the caller's. */
int fr_elf_text_at(struct fr_elf_reader *reader, uint64_t offset, uint64_t room, char **text,
                   const char *part);

/* Looks for the build id among the notes that lie there. */
int fr_elf_read_notes(struct fr_elf_reader *reader, uint64_t offset, uint64_t bytes,
                      uint64_t align);

/* The same among the notes of all sections. */
int fr_elf_read_note_sections(struct fr_elf_reader *reader, uint64_t offset, size_t entry_bytes,
                              size_t entries);

/* Reads the dynamic section of that segment: tags, their names, and relocations of the PLT. */
int fr_elf_read_dynamic(struct fr_elf_reader *reader, const struct fr_elf_segment *segment);

#endif
