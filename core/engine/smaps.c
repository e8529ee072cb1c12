#include "engine/smaps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether an entry that begins at or behind `address` is in the text's whole lines from *line on,
 * which moves to the last, unfinished line. Entries begin with an address, fields with a capital.
 */
static int has_passed(const char *text, size_t bytes, size_t *line, uint64_t address)
{
    const char *newline;
    while ((newline = memchr(text + *line, '\n', bytes - *line))) {
        char first = text[*line];
        int is_entry = (first >= '0' && first <= '9') || (first >= 'a' && first <= 'f');
        if (is_entry && strtoull(text + *line, NULL, 16) >= address)
            return 1;
        *line = (size_t)(newline + 1 - text);
    }
    return 0;
}

enum { PIECE = 1024 }; /* about one entry: the kernel makes no more than is asked for */

/* The kernel makes the text as it is read, in rising addresses, and the libraries behind the
 * regions are most of it: it is not read further than it must be. */
int fr_smaps_copy(char *text, size_t capacity, uint64_t end, uint64_t *bytes)
{
    size_t line = 0;
    ssize_t got = 0;
    int error = 0;
    int file = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno;
    do {
        size_t room = capacity - *bytes;
        if (room == 0) {
            error = EFBIG;
            break;
        }
        got = read(file, text + *bytes, room < PIECE ? room : PIECE);
        if (got < 0)
            error = errno;
        else
            *bytes += (uint64_t)got;
    } while (got > 0 && !has_passed(text, *bytes, &line, end));
    close(file);
    return error;
}
