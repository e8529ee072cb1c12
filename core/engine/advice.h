/* What madvise(2) can be told, by name. */
#ifndef FR_ADVICE_H
#define FR_ADVICE_H

#include "engine/region.h"

/* madvise(2) over the whole region. Returns 0 or an errno value. */
int fr_region_advise(const struct fr_region *region, int advice);

/* The number of an advice by madvise's name in lower case ("nohugepage"), or -1. */
int fr_advice_number(const char *name);

/* The i-th known name, or NULL past the end. */
const char *fr_advice_name(size_t i);

#endif
