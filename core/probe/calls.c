/* calls: the first and the second call of 512 functions of a library that it is linked with. */
#include "probe/each.h"

static struct fr_each each;

int main(void)
{
    fr_each_run(&each);
    fr_each_print(&each, -1);
    return 0;
}
