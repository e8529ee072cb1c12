/* Series userdata: long lists of integers that never become Lua tables.
 *
 * series[i] and #series as with a table; series:middle(from, to) gives the two middle values,
 * series:bounds(from, to) the smallest and the largest, series:steady(window, fraction) the first
 * steady iteration or nil, series:json() the text of a JSON array, series:rows(from, to, before,
 * after) a line for each value: before, the iteration, a comma, the value, after. Iterations count
 * from 1.
 */
#include "bind/bind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/series.h"

struct series {
    size_t n;
    int64_t value[];
};

static const char type_name[] = "frlua.series";

int64_t *fr_push_series(lua_State *L, size_t n)
{
    struct series *series = lua_newuserdatauv(L, sizeof *series + n * sizeof *series->value, 0);
    series->n = n;
    luaL_setmetatable(L, type_name);
    return series->value;
}

static struct series *to_series(lua_State *L)
{
    return luaL_checkudata(L, 1, type_name);
}

const int64_t *fr_to_series(lua_State *L, int index, size_t *n)
{
    const struct series *series = luaL_checkudata(L, index, type_name);
    *n = series->n;
    return series->value;
}

static int l_length(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)to_series(L)->n);
    return 1;
}

/* An element for an integer key, a method (upvalue 1) for any other. */
static int l_index(lua_State *L)
{
    const struct series *series = to_series(L);
    int whole;
    lua_Integer i = lua_tointegerx(L, 2, &whole);
    if (!whole)
        lua_rawget(L, lua_upvalueindex(1));
    else if (i >= 1 && (lua_Unsigned)i <= series->n)
        lua_pushinteger(L, series->value[i - 1]);
    else
        lua_pushnil(L);
    return 1;
}

/* The arguments from, to (default: all); returns the number of values, 0 for an empty range. */
static size_t range(lua_State *L, const struct series *series, size_t *first)
{
    lua_Integer from = luaL_optinteger(L, 2, 1);
    lua_Integer to = luaL_optinteger(L, 3, (lua_Integer)series->n);
    luaL_argcheck(L, from >= 1, 2, "iterations count from 1");
    if (to > (lua_Integer)series->n)
        to = (lua_Integer)series->n;
    *first = (size_t)from - 1;
    return to < from ? 0 : (size_t)(to - from + 1);
}

static int64_t *copy(lua_State *L, const int64_t *values, size_t n)
{
    int64_t *copied = lua_newuserdatauv(L, n * sizeof *values, 0);
    return memcpy(copied, values, n * sizeof *values);
}

static int l_middle(lua_State *L)
{
    const struct series *series = to_series(L);
    size_t first, n = range(L, series, &first);
    if (n == 0)
        return 0;
    int64_t low, high;
    fr_series_middle(copy(L, series->value + first, n), n, &low, &high);
    lua_pushinteger(L, low);
    lua_pushinteger(L, high);
    return 2;
}

static int l_bounds(lua_State *L)
{
    const struct series *series = to_series(L);
    size_t first, n = range(L, series, &first);
    if (n == 0)
        return 0;
    int64_t smallest = series->value[first], largest = smallest;
    for (size_t i = first; i < first + n; i++) {
        if (series->value[i] < smallest)
            smallest = series->value[i];
        if (series->value[i] > largest)
            largest = series->value[i];
    }
    lua_pushinteger(L, smallest);
    lua_pushinteger(L, largest);
    return 2;
}

static int l_steady(lua_State *L)
{
    const struct series *series = to_series(L);
    size_t window = (size_t)luaL_checkinteger(L, 2);
    double fraction = luaL_checknumber(L, 3);
    int64_t *scratch = lua_newuserdatauv(L, (series->n + 1) * sizeof *scratch, 0);
    size_t start = fr_series_steady(series->value, series->n, window, fraction, scratch);
    if (start == series->n)
        lua_pushnil(L);
    else
        lua_pushinteger(L, (lua_Integer)start + 1);
    return 1;
}

static int l_json(lua_State *L)
{
    const struct series *series = to_series(L);
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    luaL_addchar(&text, '[');
    for (size_t i = 0; i < series->n; i++) {
        char *room = luaL_prepbuffsize(&text, 24);
        int length = snprintf(room, 24, "%s%lld", i ? "," : "", (long long)series->value[i]);
        luaL_addsize(&text, (size_t)length);
    }
    luaL_addchar(&text, ']');
    luaL_pushresult(&text);
    return 1;
}

static int l_rows(lua_State *L)
{
    const struct series *series = to_series(L);
    size_t first, n = range(L, series, &first), before_length, after_length;
    const char *before = luaL_checklstring(L, 4, &before_length);
    const char *after = luaL_checklstring(L, 5, &after_length);
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    for (size_t i = first; i < first + n; i++) {
        luaL_addlstring(&text, before, before_length);
        char *room = luaL_prepbuffsize(&text, 48);
        int length = snprintf(room, 48, "%zu,%lld", i + 1, (long long)series->value[i]);
        luaL_addsize(&text, (size_t)length);
        luaL_addlstring(&text, after, after_length);
    }
    luaL_pushresult(&text);
    return 1;
}

/* core.series { 1, 2, 3 }: a series of a table's integers. */
static int l_new(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    size_t n = lua_rawlen(L, 1);
    int64_t *value = fr_push_series(L, n);
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, 1, (lua_Integer)i + 1);
        value[i] = luaL_checkinteger(L, -1);
        lua_pop(L, 1);
    }
    return 1;
}

/* Pushes {{iteration, count}, …} of one kind of fault: only iterations that had some. */
static void push_faults(lua_State *L, const struct fr_reading *reading, size_t n, int major)
{
    lua_newtable(L);
    for (size_t i = 0, listed = 0; i < n; i++) {
        uint32_t count = major ? reading[i].major_faults : reading[i].minor_faults;
        if (count == 0)
            continue;
        lua_createtable(L, 2, 0);
        lua_pushinteger(L, (lua_Integer)i + 1);
        lua_rawseti(L, -2, 1);
        lua_pushinteger(L, count);
        lua_rawseti(L, -2, 2);
        lua_rawseti(L, -2, (lua_Integer)++listed);
    }
}

void fr_push_readings(lua_State *L, const struct fr_reading *reading, size_t n)
{
    lua_createtable(L, 0, 3);
    int64_t *ns = fr_push_series(L, n);
    for (size_t i = 0; i < n; i++)
        ns[i] = reading[i].ns;
    lua_setfield(L, -2, "ns");
    push_faults(L, reading, n, 0);
    lua_setfield(L, -2, "minor_faults");
    push_faults(L, reading, n, 1);
    lua_setfield(L, -2, "major_faults");
}

void fr_bind_series(lua_State *L)
{
    static const luaL_Reg methods[] = {{"middle", l_middle}, {"bounds", l_bounds},
                                       {"steady", l_steady}, {"json", l_json},
                                       {"rows", l_rows},     {NULL, NULL}};
    luaL_newmetatable(L, type_name);
    luaL_newlib(L, methods);
    lua_pushcclosure(L, l_index, 1);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, l_length);
    lua_setfield(L, -2, "__len");
    lua_pop(L, 1);
    lua_pushcfunction(L, l_new);
    lua_setfield(L, -2, "series");
}
