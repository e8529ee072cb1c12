#include "engine/chase.h"

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

static size_t group_of(const struct fr_chain *chain)
{
    return chain->group && chain->group < chain->slots ? chain->group : chain->slots;
}

static size_t groups_of(const struct fr_chain *chain)
{
    size_t group = group_of(chain);
    return (chain->slots + group - 1) / group;
}

/* Writes the order of visits: the groups shuffled, and the slots in each. `groups` is scratch. */
static void order_visits(const struct fr_chain *chain, uint32_t *visit, uint32_t *groups)
{
    size_t group = group_of(chain), count = groups_of(chain), at = 0;
    uint64_t state = chain->seed;
    for (size_t i = 0; i < count; i++)
        groups[i] = (uint32_t)i;
    shuffle(groups, count, &state);
    for (size_t i = 0; i < count; i++) {
        size_t first = groups[i] * group;
        size_t n = chain->slots - first < group ? chain->slots - first : group;
        for (size_t k = 0; k < n; k++)
            visit[at + k] = (uint32_t)(first + k);
        shuffle(visit + at, n, &state);
        at += n;
    }
}

static void *slot(void *base, const struct fr_chain *chain, size_t i)
{
    return (unsigned char *)base + (chain->offset ? chain->offset[i] : i * chain->stride);
}

size_t fr_chase_scratch(const struct fr_chain *chain)
{
    return chain->is_sequential ? 0 : chain->slots + groups_of(chain);
}

void fr_chase_link(void *base, const struct fr_chain *chain, uint32_t *scratch)
{
    const size_t n = chain->slots;
    const uint32_t *visit = chain->is_sequential ? NULL : scratch;
    size_t at = 0;
    if (visit) {
        order_visits(chain, scratch, scratch + n);
        while (visit[at] != 0)
            at++;
    }
    for (size_t i = 0; i < n; i++) {
        size_t next = at + 1 < n ? at + 1 : 0;
        *(void **)slot(base, chain, visit ? visit[at] : at) =
            slot(base, chain, visit ? visit[next] : next);
        at = next;
    }
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
