#include "engine/chase.h"

#include <errno.h>
#include <stdlib.h>

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t bits = *state += 0x9E3779B97F4A7C15;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
}

static void shuffle(uint32_t *list, size_t n, uint64_t *state)
{
    for (size_t last = n; last > 1; last--) {
        size_t pick = next_random(state) % last; /* biased by less than last / 2^64 */
        uint32_t kept = list[last - 1];
        list[last - 1] = list[pick];
        list[pick] = kept;
    }
}

/* Writes the order of visits: the groups shuffled, and the slots in each. */
static void order_visits(uint32_t *visit, size_t slots, size_t group, uint32_t *groups,
                         uint64_t *state)
{
    size_t count = (slots + group - 1) / group, at = 0;
    for (size_t i = 0; i < count; i++)
        groups[i] = (uint32_t)i;
    shuffle(groups, count, state);
    for (size_t i = 0; i < count; i++) {
        size_t first = groups[i] * group, n = slots - first < group ? slots - first : group;
        for (size_t k = 0; k < n; k++)
            visit[at + k] = (uint32_t)(first + k);
        shuffle(visit + at, n, state);
        at += n;
    }
}

static void *slot(void *base, size_t stride, uint32_t i)
{
    return (unsigned char *)base + i * stride;
}

int fr_chase_link(void *base, size_t slots, size_t stride, size_t group, uint64_t seed)
{
    if (group == 0 || group > slots)
        group = slots;
    uint32_t *visit = calloc(slots + (slots + group - 1) / group, sizeof *visit);
    if (!visit)
        return ENOMEM;
    order_visits(visit, slots, group, visit + slots, &seed);
    for (size_t i = 0; i < slots; i++)
        *(void **)slot(base, stride, visit[i]) = slot(base, stride, visit[(i + 1) % slots]);
    free(visit);
    return 0;
}

const void *fr_chase(const void *start, uint64_t steps)
{
    const void *at = start;
    for (; steps >= 8; steps -= 8) {
        at = *(const void *const *)at;
        at = *(const void *const *)at;
        at = *(const void *const *)at;
        at = *(const void *const *)at;
        at = *(const void *const *)at;
        at = *(const void *const *)at;
        at = *(const void *const *)at;
        at = *(const void *const *)at;
    }
    for (; steps > 0; steps--)
        at = *(const void *const *)at;
    return at;
}

uint64_t fr_chase_cycle(const void *start, uint64_t limit)
{
    const void *at = start;
    for (uint64_t steps = 1; steps <= limit; steps++) {
        at = *(const void *const *)at;
        if (at == start)
            return steps;
    }
    return 0;
}
