#include "engine/touch.h"

void fr_touch_write(void *base, size_t bytes, size_t stride, uint64_t value)
{
    if (stride == sizeof(uint64_t)) {
        volatile uint64_t *word = base;
        for (size_t i = 0, words = bytes / sizeof *word; i < words; i++)
            word[i] = value;
        return;
    }
    volatile unsigned char *byte = base;
    for (size_t offset = 0; offset < bytes; offset += stride)
        byte[offset] = (unsigned char)value;
}

uint64_t fr_touch_read(const void *base, size_t bytes, size_t stride)
{
    uint64_t sum = 0;
    if (stride == sizeof(uint64_t)) {
        const volatile uint64_t *word = base;
        for (size_t i = 0, words = bytes / sizeof *word; i < words; i++)
            sum += word[i];
        return sum;
    }
    const volatile unsigned char *byte = base;
    for (size_t offset = 0; offset < bytes; offset += stride)
        sum += byte[offset];
    return sum;
}

void fr_touch_keep(void *base, size_t bytes, size_t stride)
{
    unsigned char *byte = base;
    volatile unsigned char zero = 0; /* a compiler that knew the value would only read */
    const unsigned char nothing = zero;
    for (size_t offset = 0; offset < bytes; offset += stride)
        __atomic_fetch_or(&byte[offset], nothing, __ATOMIC_RELAXED);
}

void fr_touch_fill_index(void *base, size_t bytes)
{
    volatile uint64_t *word = base;
    for (size_t i = 0, words = bytes / sizeof *word; i < words; i++)
        word[i] = i;
}
