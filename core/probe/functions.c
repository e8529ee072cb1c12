#include "probe/functions.h"

#define DEFINE(n)                                                                                  \
    long fr_probe_##n(void)                                                                        \
    {                                                                                              \
        return n;                                                                                  \
    }
FR_PROBE_EACH(DEFINE)
