/* What a terminal has room for: its width, and the columns that a text takes on it.
 *
 * Texts are UTF-8. No locale of the process is looked at or changed.
 */
#ifndef FR_TERMINAL_H
#define FR_TERMINAL_H

#include <stddef.h>

/* The columns of the terminal behind a descriptor; -1 with errno set where there is none, 0 for a
 * terminal that does not tell. */
int fr_terminal_columns(int fd);

/* How many bytes of a text fit into so many columns, in whole characters; *taken is what those
 * take. A character that combines with the one before stays with it. */
size_t fr_text_fit(const char *text, size_t bytes, size_t columns, size_t *taken);

#endif
