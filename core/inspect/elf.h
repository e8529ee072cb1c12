/* What an ELF file says of how it is loaded: its header, segments, dynamic section and build id.
 *
 * Only what the program headers lead to is read, as the kernel and the loader do (a build id that
 * they don't lead to excepted): section headers may be missing, or lie. libelf translates the
 * layouts of both classes and both orders of bytes; its handles are not used, because they take
 * memory by what the section headers claim. Every offset and size is held against the file before
 * it is used.
 */
#ifndef FR_ELF_H
#define FR_ELF_H

#include <stddef.h>
#include <stdint.h>

/* Where the bytes come from: a file, or memory when it is not NULL. */
struct fr_elf_source {
    int fd; /* owned, see fr_elf_close; -1: none */
    const unsigned char *memory;
    uint64_t bytes;
};

struct fr_elf_segment {
    uint32_t type, flags; /* PT_*, PF_* */
    uint64_t offset, vaddr, file_bytes, memory_bytes, align;
};

struct fr_elf_tag {
    int64_t tag; /* DT_* */
    uint64_t value;
    char *text; /* of DT_NEEDED, DT_SONAME, DT_RPATH and DT_RUNPATH; else NULL */
};

enum { FR_ELF_PROBLEM_BYTES = 160 };

/* Owned by the caller, who frees it with fr_elf_free; all zero is an empty one. */
struct fr_elf {
    unsigned bits; /* 32 or 64 */
    int is_big_endian;
    unsigned type, machine; /* ET_*, EM_* */
    uint64_t entry;
    struct fr_elf_segment *segment;
    struct fr_elf_tag *tag; /* up to DT_NULL, which is not among them */
    size_t segments, tags;
    int has_dynamic;          /* PT_DYNAMIC, with bytes in the file */
    char *interpreter;        /* NULL: none */
    uint64_t plt_relocations; /* entries of DT_JMPREL */
    int64_t jump_slots;       /* those of them that are bound when first called; -1: unknown, it is
                                 not known which these are on such a machine */
    unsigned char *build_id;
    size_t build_id_bytes;
    char problem[FR_ELF_PROBLEM_BYTES];
};

/* What the functions return for a file that is wrong; elf->problem says how, as the rest of a
 * sentence that begins with the file's name. */
enum { FR_ELF_WRONG = -1 };

/* Opens a regular file; of any other kind nothing is opened, so that none blocks. Returns 0, an
 * errno value or FR_ELF_WRONG. */
int fr_elf_open(struct fr_elf *elf, struct fr_elf_source *source, const char *path);

/* A second time does nothing. */
void fr_elf_close(struct fr_elf_source *source);

/* Reads all of it. Returns 0, an errno value or FR_ELF_WRONG. */
int fr_elf_read(struct fr_elf *elf, const struct fr_elf_source *source);

/* Frees everything; a second time does nothing. */
void fr_elf_free(struct fr_elf *elf);

#endif
