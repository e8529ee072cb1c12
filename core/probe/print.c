#include <stdio.h>

#include "probe/each.h"

static void print_list(const char *name, const int64_t *ns)
{
    printf("\"%s\":[", name);
    for (int i = 0; i < FR_PROBE_FUNCTIONS; i++)
        printf("%s%lld", i > 0 ? "," : "", (long long)ns[i]);
    printf("],");
}

void fr_each_print(const struct fr_each *each, int64_t open_ns)
{
    printf("{");
    print_list("first_ns", each->first_ns);
    print_list("second_ns", each->second_ns);
    if (open_ns >= 0)
        printf("\"open_ns\":%lld,", (long long)open_ns);
    printf("\"first_faults\":%lld,\"second_faults\":%lld,\"slots\":%ld,\"bound_before\":%ld,"
           "\"bound_after\":%ld,\"sink\":%ld}\n",
           (long long)each->first_faults, (long long)each->second_faults, each->before.all,
           each->before.bound, each->after.bound, each->sink);
}
