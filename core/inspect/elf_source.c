/* Bytes of a file that may be anything, and change at any time. It is read, not mapped: a mapping
 * of a file that is cut meanwhile ends in SIGBUS. */
#include "inspect/elf_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int fr_elf_wrong(struct fr_elf *elf, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(elf->problem, sizeof elf->problem, format, arguments);
    va_end(arguments);
    return FR_ELF_WRONG;
}

static const char *kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFIFO:
        return "FIFO";
    case S_IFSOCK:
        return "socket";
    case S_IFCHR:
        return "character device";
    case S_IFBLK:
        return "block device";
    default:
        return "file of another kind";
    }
}

static int check_kind(struct fr_elf *elf, const struct stat *found)
{
    if (S_ISDIR(found->st_mode))
        return EISDIR;
    if (!S_ISREG(found->st_mode))
        return fr_elf_wrong(elf, "is no regular file, but a %s", kind_of(found->st_mode));
    return 0;
}

int fr_elf_open(struct fr_elf *elf, struct fr_elf_source *source, const char *path)
{
    *source = (struct fr_elf_source){.fd = -1};
    struct stat found;
    /* Asked for before it is opened: opening alone does something to some devices. */
    int error = stat(path, &found) != 0 ? errno : check_kind(elf, &found);
    if (error)
        return error;
    source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (source->fd < 0)
        return errno;
    error = fstat(source->fd, &found) != 0 ? errno : check_kind(elf, &found);
    if (error)
        fr_elf_close(source);
    else
        source->bytes = (uint64_t)found.st_size;
    return error;
}

void fr_elf_close(struct fr_elf_source *source)
{
    if (source->fd >= 0)
        close(source->fd);
    source->fd = -1;
}

static int read_file(struct fr_elf_reader *reader, uint64_t offset, unsigned char *to, size_t bytes,
                     const char *part)
{
    while (bytes > 0) {
        ssize_t got = pread(reader->source->fd, to, bytes, (off_t)offset);
        if (got < 0 && errno != EINTR)
            return errno;
        if (got == 0)
            return fr_elf_wrong(reader->elf, "became shorter while its %s was read", part);
        if (got > 0) {
            to += got;
            offset += (uint64_t)got;
            bytes -= (size_t)got;
        }
    }
    return 0;
}

int fr_elf_bytes_at(struct fr_elf_reader *reader, uint64_t offset, void *to, size_t bytes,
                    const char *part)
{
    const struct fr_elf_source *source = reader->source;
    if (offset > source->bytes || bytes > source->bytes - offset)
        return fr_elf_wrong(reader->elf,
                            "is cut in its %s: %zu bytes at 0x%" PRIx64 ", in a file of %" PRIu64,
                            part, bytes, offset, source->bytes);
    if (!source->memory)
        return read_file(reader, offset, to, bytes, part);
    memcpy(to, source->memory + offset, bytes);
    return 0;
}

int fr_elf_record_at(struct fr_elf_reader *reader, uint64_t offset, Elf_Type type, void *to,
                     size_t bytes, const char *part)
{
    int error = fr_elf_bytes_at(reader, offset, to, bytes, part);
    if (error)
        return error;
    Elf_Data data = {.d_buf = to, .d_type = type, .d_size = bytes, .d_version = EV_CURRENT};
    Elf_Data translated = data;
    unsigned order = reader->elf->is_big_endian ? ELFDATA2MSB : ELFDATA2LSB;
    if (!(reader->elf->bits == 32 ? elf32_xlatetom : elf64_xlatetom)(&translated, &data, order))
        return fr_elf_wrong(reader->elf, "has a %s that libelf does not read: %s", part,
                            elf_errmsg(-1));
    return 0;
}

/* Most names are short: what is read at first is little, and doubled. */
int fr_elf_text_at(struct fr_elf_reader *reader, uint64_t offset, uint64_t room, char **text,
                   const char *part)
{
    char *read = NULL;
    int error = 0;
    for (size_t bytes = 64; !error; bytes *= 2) {
        size_t most = room < bytes ? (size_t)room : bytes;
        char *larger = most <= reader->text_left ? realloc(read, most + 1) : NULL;
        if (!larger) {
            error = most <= reader->text_left
                        ? ENOMEM
                        : fr_elf_wrong(reader->elf, "has names of more than %d bytes",
                                       FR_ELF_MOST_TEXT);
            break;
        }
        read = larger;
        error = fr_elf_bytes_at(reader, offset, read, most, part);
        const char *end = error ? NULL : memchr(read, '\0', most);
        if (end) {
            reader->text_left -= (size_t)(end - read) + 1;
            *text = read;
            return 0;
        }
        if (!error && most == room)
            error = fr_elf_wrong(reader->elf, "is cut in its %s: no byte 0 ends it", part);
    }
    free(read);
    return error;
}
