#include "host/terminal.h"

#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <wchar.h>

int fr_terminal_columns(int fd)
{
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0)
        return -1;
    return size.ws_col;
}

/* wcwidth(3) knows the C library's tables of wide and combining characters, in a locale of UTF-8
 * only. (locale_t)0 where the system has none. */
static locale_t utf8_locale;

static void make_locale(void)
{
    utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* The bytes of the next character, and its columns. Without a locale, or where the text is no
 * UTF-8, every beginning of a character counts as one column. */
static size_t next_character(const char *text, size_t bytes, int has_locale, size_t *columns)
{
    wchar_t character = 0;
    mbstate_t state = {0};
    size_t length = has_locale ? mbrtowc(&character, text, bytes, &state) : (size_t)-1;
    if (length <= bytes && length > 0) {
        int width = wcwidth(character);
        *columns = width < 0 ? 1 : (size_t)width;
        return length;
    }
    *columns = 1;
    length = 1;
    while (length < bytes && ((unsigned char)text[length] & 0xC0) == 0x80)
        length++;
    return length;
}

size_t fr_text_fit(const char *text, size_t bytes, size_t columns, size_t *taken)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_locale);
    locale_t utf8 = utf8_locale, before = utf8 ? uselocale(utf8) : (locale_t)0; /* of this thread */
    size_t at = 0;
    *taken = 0;
    while (at < bytes) {
        size_t width, length = next_character(text + at, bytes - at, utf8 != (locale_t)0, &width);
        if (*taken + width > columns)
            break;
        *taken += width;
        at += length;
    }
    if (utf8)
        uselocale(before);
    return at;
}
