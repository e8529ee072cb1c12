/* Region userdata, and core.time: operations on regions run and timed in this very process.
 *
 * A region has the methods in core.region_methods, to which the library adds its own, and the
 * fields bytes (as asked for), pages (that hold them) and address.
 */
#include "bind/bind.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "engine/advice.h"
#include "engine/pages.h"
#include "engine/pagetable.h"
#include "host/guard.h"

static const char type_name[] = "frlua.region";

static struct fr_region *to_region(lua_State *L, int index)
{
    struct fr_region *region = luaL_checkudata(L, index, type_name);
    if (!region->base)
        luaL_error(L, "the region is closed");
    return region;
}

/* core.region_state(value) -> "open", "closed", or nil for what is no region */
static int l_region_state(lua_State *L)
{
    const struct fr_region *region = luaL_testudata(L, 1, type_name);
    lua_pushstring(L, !region ? NULL : region->base ? "open" : "closed");
    return 1;
}

/* A method (upvalue 1), or a field; nil for any other name. */
static int l_index(lua_State *L)
{
    lua_settop(L, 2);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL || lua_type(L, 2) != LUA_TSTRING)
        return 1;
    const char *name = lua_tostring(L, 2);
    if (strcmp(name, "bytes") == 0)
        lua_pushinteger(L, (lua_Integer)to_region(L, 1)->bytes);
    else if (strcmp(name, "pages") == 0)
        lua_pushinteger(L, (lua_Integer)(to_region(L, 1)->mapped / fr_page_bytes()));
    else if (strcmp(name, "address") == 0)
        lua_pushinteger(L, (lua_Integer)(uintptr_t)to_region(L, 1)->base);
    return 1;
}

/* core.map { bytes = …, as fr_to_wanted says } -> region | nil, message, errno */
static int l_map(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    const struct fr_region_wanted wanted = fr_to_wanted(L, 1);
    struct fr_region *region = lua_newuserdatauv(L, sizeof *region, 0);
    *region = (struct fr_region){0};
    luaL_setmetatable(L, type_name);
    int error = fr_region_open(region, &wanted);
    return error ? fr_push_failure(L, error, "mmap") : 1;
}

static int l_close(lua_State *L)
{
    fr_region_unmap(luaL_checkudata(L, 1, type_name));
    return 0;
}

/* region:madvise(number) -> true | nil, message, errno */
static int l_madvise(lua_State *L)
{
    int error = fr_region_advise(to_region(L, 1), (int)luaL_checkinteger(L, 2));
    if (error)
        return fr_push_failure(L, error, "madvise");
    lua_pushboolean(L, 1);
    return 1;
}

/* nil, "SIGBUS", nil, index of the region, byte in it; returns 5. */
static int push_trap(lua_State *L, const struct fr_trap *trap)
{
    lua_pushnil(L);
    lua_pushstring(L, trap->signal == SIGBUS ? "SIGBUS" : "SIGSEGV");
    lua_pushnil(L);
    lua_pushinteger(L, (lua_Integer)trap->region + 1);
    lua_pushinteger(L, (lua_Integer)trap->offset);
    return 5;
}

struct filling {
    const struct fr_region *region;
    int error;
};

static void run_fill(void *argument)
{
    struct filling *filling = argument;
    filling->error = fr_pages_fill_index(filling->region);
}

/* region:fill_index() -> true | nil, message, errno, region, byte */
static int l_fill_index(lua_State *L)
{
    struct filling filling = {to_region(L, 1), 0};
    struct fr_trap trap;
    fr_guard(filling.region, 1, run_fill, &filling, &trap);
    if (trap.signal)
        return push_trap(L, &trap);
    if (filling.error)
        return fr_push_failure(L, filling.error, "write");
    lua_pushboolean(L, 1);
    return 1;
}

/* region:count_resident() -> pages | nil, message, errno */
static int l_count_resident(lua_State *L)
{
    size_t pages;
    int error = fr_pages_resident(to_region(L, 1), &pages);
    if (error)
        return fr_push_failure(L, error, "mincore");
    lua_pushinteger(L, (lua_Integer)pages);
    return 1;
}

/* region:read_page_table() -> { method, present_bytes, huge_bytes } | nil, message, errno */
static int l_read_page_table(lua_State *L)
{
    const struct fr_region *region = to_region(L, 1);
    struct fr_page_table found;
    int error = fr_page_table_read(region->base, region->mapped, &found);
    if (error)
        return fr_push_failure(L, error, "/proc/self/pagemap");
    fr_push_page_table(L, &found);
    return 1;
}

/* core.advice_number(name) -> number | nil; core.advice_names() -> list */
static int l_advice_number(lua_State *L)
{
    int number = fr_advice_number(luaL_checkstring(L, 1));
    if (number < 0)
        lua_pushnil(L);
    else
        lua_pushinteger(L, number);
    return 1;
}

static int l_advice_names(lua_State *L)
{
    lua_newtable(L);
    for (size_t i = 0; fr_advice_name(i); i++) {
        lua_pushstring(L, fr_advice_name(i));
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

struct fr_op fr_to_op(lua_State *L, int list, lua_Integer i)
{
    static const char *const codes[] = {"write",      "read",  "evict",  "sleep", "spin",
                                        "affine",     "chase", "stream", "count", "populate",
                                        "advise",     "lock",  "unlock", "remap", "read_file",
                                        "evict_file", "link",  NULL};
    struct fr_op op = {0};
    lua_rawgeti(L, list, i);
    int table = lua_gettop(L);
    lua_getfield(L, table, "code");
    op.code = (uint32_t)luaL_checkoption(L, -1, NULL, codes);
    op.region = (uint32_t)(fr_field_or(L, table, "region", 1) - 1);
    op.from = (uint32_t)(fr_field_or(L, table, "from", 1) - 1);
    op.stride = (uint64_t)fr_field_or(L, table, "stride", sizeof(uint64_t));
    op.amount = (uint64_t)fr_field_or(L, table, "amount", 0);
    op.mul = (uint64_t)fr_field_or(L, table, "mul", 0);
    op.value = (uint64_t)fr_field_or(L, table, "value", 0);
    op.flags = (uint32_t)fr_field_or(L, table, "flags", 0);
    lua_settop(L, table - 1);
    return op;
}

/* Room for n items that the collector frees, also when an error is raised; zeroed, which touches
 * it: recording into it does not fault. */
static void *push_room(lua_State *L, lua_Integer n, size_t item_bytes)
{
    size_t bytes = (size_t)n * item_bytes;
    return memset(lua_newuserdatauv(L, bytes, 0), 0, bytes);
}

static const struct fr_op *push_ops(lua_State *L, lua_Integer n)
{
    struct fr_op *op = push_room(L, n, sizeof *op);
    for (lua_Integer i = 0; i < n; i++)
        op[i] = fr_to_op(L, 1, i + 1);
    return op;
}

static const struct fr_region *push_regions(lua_State *L, lua_Integer n)
{
    struct fr_region *region = push_room(L, n, sizeof *region);
    for (lua_Integer i = 0; i < n; i++) {
        lua_rawgeti(L, 2, i + 1);
        region[i] = *to_region(L, -1);
        lua_pop(L, 1);
    }
    return region;
}

struct timing {
    struct fr_program program;
    uint64_t iterations;
    struct fr_reading *reading;
    volatile uint64_t finished, sum;
    struct fr_window window;
};

static void run_timing(void *argument)
{
    struct timing *timing = argument;
    timing->sum = fr_ops_time(&timing->program, timing->iterations, timing->reading,
                              &timing->finished, &timing->window, NULL);
}

/* core.time(ops, regions, iterations, clock id) -> readings with `sum` and `ops`
 * | nil, message, errno | nil, signal, nil, region, byte: memory that is not there was touched */
static int l_time(lua_State *L)
{
    lua_Integer iterations = luaL_checkinteger(L, 3);
    luaL_argcheck(L, iterations > 0 && (size_t)iterations <= SIZE_MAX / sizeof(struct fr_reading),
                  3, "too many iterations");
    lua_Integer ops = luaL_len(L, 1), regions = luaL_len(L, 2);
    struct fr_op_outcome *outcome = push_room(L, ops, sizeof *outcome);
    struct timing timing = {{push_ops(L, ops), (uint32_t)ops, push_regions(L, regions),
                             (clockid_t)luaL_checkinteger(L, 4), outcome},
                            (uint64_t)iterations,
                            NULL,
                            0,
                            0,
                            {0, 0}};
    int error = fr_ops_prepare(&timing.program);
    if (error)
        return fr_push_failure(L, error, "mmap of the evict buffer");
    timing.reading = push_room(L, iterations, sizeof *timing.reading);
    struct fr_trap trap;
    fr_guard(timing.program.region, (uint32_t)regions, run_timing, &timing, &trap);
    if (trap.signal)
        return push_trap(L, &trap);
    fr_push_readings(L, timing.reading, (size_t)iterations);
    lua_pushinteger(L, (lua_Integer)timing.sum);
    lua_setfield(L, -2, "sum");
    lua_pushinteger(L, timing.window.start_ns);
    lua_setfield(L, -2, "from_ns");
    lua_pushinteger(L, timing.window.end_ns);
    lua_setfield(L, -2, "to_ns");
    fr_push_op_outcomes(L, outcome, (uint32_t)ops);
    lua_setfield(L, -2, "ops");
    return 1;
}

void fr_bind_region(lua_State *L)
{
    static const luaL_Reg methods[] = {{"close", l_close},
                                       {"madvise", l_madvise},
                                       {"fill_index", l_fill_index},
                                       {"count_resident", l_count_resident},
                                       {"read_page_table", l_read_page_table},
                                       {NULL, NULL}};
    static const luaL_Reg metamethods[] = {{"__gc", l_close}, {"__close", l_close}, {NULL, NULL}};
    static const luaL_Reg functions[] = {{"map", l_map},
                                         {"region_state", l_region_state},
                                         {"advice_number", l_advice_number},
                                         {"advice_names", l_advice_names},
                                         {"time", l_time},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
    luaL_newmetatable(L, type_name);
    luaL_setfuncs(L, metamethods, 0);
    luaL_newlib(L, methods);
    lua_pushvalue(L, -1);
    lua_setfield(L, -4, "region_methods");
    lua_pushcclosure(L, l_index, 1);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}
