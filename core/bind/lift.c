/* Long arrays of integers are lifted out of JSON before it is read, so that millions of readings
 * never become Lua tables.
 *
 * core.lift(text) gives the text with objects {"frlua:series":k} in their places, and the list of
 * series in which each has its index k. All that is not valid stays for the reader to complain of.
 */
#include "bind/bind.h"

#include <stdio.h>

enum { FEWEST_TO_LIFT = 32 }; /* shorter arrays cost little as tables */

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

/* Reads an integer as JSON writes them; NULL for anything else, and beyond 64 bits. */
static const char *read_integer(const char *at, const char *end, int64_t *value)
{
    int negative = at < end && *at == '-';
    const char *digits = at += negative;
    *value = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_sub_overflow(*value, *at - '0', value)) /* below 0 there is one more */
            return NULL;
    }
    if (at == digits || (*digits == '0' && at > digits + 1))
        return NULL;
    if (!negative && __builtin_sub_overflow(0, *value, value))
        return NULL;
    return at;
}

/* Reads an array of integers, from behind its bracket. Returns where it ends, or NULL for any other
 * array; *n is how many there are. They are stored unless `stored` is NULL. */
static const char *read_integers(const char *at, const char *end, int64_t *stored, size_t *n)
{
    for (*n = 0;; at++) {
        int64_t value;
        at = read_integer(skip_space(at, end), end, &value);
        if (!at)
            return NULL;
        if (stored)
            stored[*n] = value;
        ++*n;
        at = skip_space(at, end);
        if (at < end && *at == ']')
            return at + 1;
        if (at == end || *at != ',')
            return NULL;
    }
}

/* The place behind a string, from behind its first quote. */
static const char *skip_string(const char *at, const char *end)
{
    while (at < end && *at != '"')
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

static int l_lift(lua_State *L)
{
    size_t length, n;
    const char *at = luaL_checklstring(L, 1, &length), *end = at + length, *kept = at;
    lua_Integer lifted = 0;
    luaL_Buffer text;
    lua_settop(L, 1);
    lua_newtable(L);
    luaL_buffinit(L, &text);
    while (at < end) {
        const char *start = at++;
        if (*start == '"') {
            at = skip_string(at, end);
            continue;
        }
        const char *after = *start == '[' ? read_integers(at, end, NULL, &n) : NULL;
        if (!after || n < FEWEST_TO_LIFT)
            continue;
        luaL_addlstring(&text, kept, (size_t)(start - kept));
        char *place = luaL_prepbuffsize(&text, 48);
        luaL_addsize(&text,
                     (size_t)snprintf(place, 48, "{\"frlua:series\":%lld}", (long long)++lifted));
        read_integers(at, end, fr_push_series(L, n), &n);
        lua_rawseti(L, 2, lifted);
        kept = at = after;
    }
    luaL_addlstring(&text, kept, (size_t)(end - kept));
    luaL_pushresult(&text);
    lua_pushvalue(L, 2);
    return 2;
}

void fr_bind_lift(lua_State *L)
{
    lua_pushcfunction(L, l_lift);
    lua_setfield(L, -2, "lift");
}
