/* open LIBRARY lazy|now: dlopen of a library that calls 512 functions of another, by RTLD_LAZY or
 * by RTLD_NOW, and their first and second calls from there. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "engine/clock.h"
#include "probe/each.h"

static struct fr_each each;

int main(int argc, char **argv)
{
    if (argc != 3 || (strcmp(argv[2], "lazy") != 0 && strcmp(argv[2], "now") != 0)) {
        fputs("open LIBRARY lazy|now\n", stderr);
        return 1;
    }
    int mode = strcmp(argv[2], "now") == 0 ? RTLD_NOW : RTLD_LAZY;
    dlerror(); /* the first call of the loader's interface is not that of dlopen */
    fr_clock_ns(CLOCK_MONOTONIC);
    int64_t start = fr_clock_ns(CLOCK_MONOTONIC);
    void *library = dlopen(argv[1], mode | RTLD_LOCAL);
    int64_t open_ns = fr_clock_ns(CLOCK_MONOTONIC) - start;
    void *symbol = library ? dlsym(library, "fr_each_run") : NULL;
    if (!symbol) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    void (*run)(struct fr_each *);
    memcpy(&run, &symbol, sizeof run); /* ISO C has no cast for that, POSIX promises the size */
    run(&each);
    fr_each_print(&each, open_ns);
    return 0;
}
