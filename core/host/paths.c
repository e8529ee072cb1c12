#include "host/paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* Cuts the last component off; a path without one becomes empty. */
static void cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    *(slash ? slash : path) = '\0';
}

const char *fr_paths_root(void)
{
    static char root[PATH_MAX];
    if (root[0])
        return root;
    /* Without /proc there is still the name that the kernel was given for the executable. */
    const char *executed = (const char *)getauxval(AT_EXECFN); // NOLINT: an address by contract
    if (!realpath("/proc/self/exe", root) && !(executed && realpath(executed, root)))
        root[0] = '\0';
    cut_last(root); /* the executable */
    cut_last(root); /* bin */
    return root;
}
