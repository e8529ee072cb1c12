#include "engine/evict.h"

#include "engine/region.h"
#include "engine/touch.h"

static struct fr_region buffer;

int fr_evict_prepare(size_t bytes)
{
    if (bytes <= buffer.bytes)
        return 0;
    /* A smaller buffer of an earlier call is left where it is: nothing is ever unmapped here. */
    return fr_region_map(&buffer, bytes, 0);
}

uint64_t fr_evict(size_t bytes, size_t line)
{
    fr_touch_write(buffer.base, bytes, sizeof(uint64_t), bytes);
    return fr_touch_read(buffer.base, bytes, line);
}
