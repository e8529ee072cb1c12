#include "engine/advice.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* Values of <asm-generic/mman-common.h>: older C libraries do not name the newer ones. */
static const struct {
    const char *name;
    int number;
} advices[] = {
    {"normal", 0},           {"random", 1},          {"sequential", 2},
    {"willneed", 3},         {"dontneed", 4},        {"free", 8},
    {"remove", 9},           {"dontfork", 10},       {"dofork", 11},
    {"mergeable", 12},       {"unmergeable", 13},    {"hugepage", 14},
    {"nohugepage", 15},      {"dontdump", 16},       {"dodump", 17},
    {"wipeonfork", 18},      {"keeponfork", 19},     {"cold", 20},
    {"pageout", 21},         {"populate_read", 22},  {"populate_write", 23},
    {"dontneed_locked", 24}, {"collapse", 25},       {"hwpoison", 100},
    {"soft_offline", 101},   {"guard_install", 102}, {"guard_remove", 103},
};

enum { ADVICES = sizeof advices / sizeof *advices };

int fr_advice_number(const char *name)
{
    for (size_t i = 0; i < ADVICES; i++)
        if (strcmp(advices[i].name, name) == 0)
            return advices[i].number;
    return -1;
}

const char *fr_advice_name(size_t i)
{
    return i < ADVICES ? advices[i].name : NULL;
}

int fr_region_advise(const struct fr_region *region, int advice)
{
    return madvise(region->base, region->mapped, advice) == 0 ? 0 : errno;
}
