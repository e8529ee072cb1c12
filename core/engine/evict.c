#include "engine/evict.h"

#include "engine/region.h"
#include "engine/touch.h"

static struct fr_region buffer;

int fr_evict_prepare(size_t bytes)
{
    if (bytes <= buffer.bytes)
        return 0;
    /* A smaller buffer of an earlier call is left where it is: nothing is ever unmapped here. When
     * the larger one is refused, the smaller is still of use. */
    struct fr_region larger;
    int error = fr_region_map(&larger, bytes, 0);
    if (!error)
        buffer = larger;
    return error;
}

uint64_t fr_evict(size_t bytes, size_t line)
{
    fr_touch_write(buffer.base, bytes, sizeof(uint64_t), bytes);
    return fr_touch_read(buffer.base, bytes, line);
}
