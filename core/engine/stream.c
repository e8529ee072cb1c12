#include "engine/stream.h"

/* In assembler, so that no compiler merges, widens or drops any of them. */

#if defined(__x86_64__)

enum { HAS_STORES = 1 };

/* MOVNTI, and SFENCE, which has the buffers that collect such stores written out (Intel SDM, volume
 * 2). */
static inline __attribute__((always_inline)) void store_words(void *base, size_t words,
                                                              uint64_t value)
{
    uint64_t *word = base;
    for (size_t i = 0; i < words; i++)
        __asm__ volatile("movnti %1, %0" : "=m"(word[i]) : "r"(value));
    __asm__ volatile("sfence" : : : "memory");
}

#elif defined(__aarch64__)

enum { HAS_STORES = 1 };

/* STNP, which stores pairs (Arm ARM, C6.2); an odd last word is a pair of its halves, in the order
 * that they have in memory. DSB waits until the stores are done. */
static inline __attribute__((always_inline)) void store_words(void *base, size_t words,
                                                              uint64_t value)
{
    uint64_t *word = base;
    const union {
        uint64_t whole;
        uint32_t half[2];
    } odd = {value};
    for (size_t i = 0; i + 1 < words; i += 2)
        __asm__ volatile("stnp %0, %0, [%1]" : : "r"(value), "r"(&word[i]) : "memory");
    if (words % 2)
        __asm__ volatile("stnp %w0, %w1, [%2]"
                         :
                         : "r"(odd.half[0]), "r"(odd.half[1]), "r"(&word[words - 1])
                         : "memory");
    __asm__ volatile("dsb ishst" : : : "memory");
}

#else

enum { HAS_STORES = 0 };

static void store_words(void *base, size_t words, uint64_t value)
{
    (void)base;
    (void)words;
    (void)value;
}

#endif

int fr_stream_has_stores(void)
{
    return HAS_STORES;
}

void fr_stream_write(void *base, size_t bytes, uint64_t value)
{
    store_words(base, bytes / sizeof(uint64_t), value);
}
