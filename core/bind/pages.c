/* Regions as Lua tables ask for them, and what came of asking the kernel about their pages. */
#include "bind/bind.h"

#include "engine/pages.h"

static int field_is_set(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    int is_set = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is_set;
}

static uint32_t flag(lua_State *L, int table, const char *name, uint32_t bit)
{
    return field_is_set(L, table, name) ? bit : 0;
}

struct fr_region_wanted fr_to_wanted(lua_State *L, int table)
{
    struct fr_region_wanted wanted = {
        .bytes = (size_t)fr_field(L, table, "bytes"),
        .align = (size_t)fr_field_or(L, table, "align", 0),
        .offset = (size_t)fr_field_or(L, table, "offset", 0),
        .huge_bytes = (size_t)fr_field_or(L, table, "huge_bytes", 0),
        .kind = field_is_set(L, table, "memfd") ? FR_MEMFD : FR_ANONYMOUS,
        .flags = flag(L, table, "shared", FR_SHARED) | flag(L, table, "read_only", FR_READ_ONLY) |
                 flag(L, table, "populate", FR_POPULATE) | flag(L, table, "lock", FR_LOCKED),
    };
    if (lua_getfield(L, table, "file") != LUA_TNIL) {
        wanted.path = luaL_checkstring(L, -1);
        wanted.kind = FR_FILE;
    }
    lua_pop(L, 1); /* the table keeps the text alive */
    return wanted;
}

void fr_push_page_table(lua_State *L, const struct fr_page_table *found)
{
    lua_createtable(L, 0, 4);
    lua_pushstring(L, found->method == FR_PAGEMAP_SCAN ? "PAGEMAP_SCAN" : "kpageflags");
    lua_setfield(L, -2, "method");
    fr_set_integer(L, "present_bytes", (int64_t)found->present_bytes);
    fr_set_integer(L, "huge_bytes", (int64_t)found->huge_bytes);
}

void fr_push_op_outcomes(lua_State *L, const struct fr_op_outcome *outcome, uint32_t ops)
{
    lua_newtable(L);
    for (uint32_t i = 0; i < ops; i++) {
        lua_createtable(L, 0, 3);
        lua_pushinteger(L, outcome[i].error);
        lua_setfield(L, -2, "error");
        lua_pushboolean(L, outcome[i].is_touch_loop != 0);
        lua_setfield(L, -2, "is_touch_loop");
        lua_pushinteger(L, (lua_Integer)outcome[i].resident_pages);
        lua_setfield(L, -2, "resident_pages");
        lua_pushinteger(L, (lua_Integer)outcome[i].slots);
        lua_setfield(L, -2, "slots");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}
