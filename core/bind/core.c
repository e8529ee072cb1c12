/* frlua.core itself, and what the bindings share. */
#include "bind/bind.h"

#include <lualib.h>
#include <stdio.h>
#include <string.h>

#include "host/exit.h"
#include "host/interrupt.h"
#include "host/paths.h"

static struct {
    int argc;
    char **argv;
    int first; /* where the library's command line begins */
} command;

int fr_push_failure(lua_State *L, int error, const char *what)
{
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", what, strerror(error));
    lua_pushinteger(L, error);
    return 3;
}

lua_Integer fr_field_or(lua_State *L, int table, const char *name, lua_Integer absent)
{
    int type = lua_getfield(L, table, name), whole = 1;
    lua_Integer value = type == LUA_TNIL ? absent : lua_tointegerx(L, -1, &whole);
    if (!whole)
        luaL_error(L, "field '%s' is not a whole number", name);
    lua_pop(L, 1);
    return value;
}

lua_Integer fr_field(lua_State *L, int table, const char *name)
{
    if (lua_getfield(L, table, name) == LUA_TNIL)
        luaL_error(L, "field '%s' is missing", name);
    lua_pop(L, 1);
    return fr_field_or(L, table, name, 0);
}

void fr_set_integer(lua_State *L, const char *name, int64_t value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, name);
}

int fr_bind_message_handler(lua_State *L)
{
    const char *message = lua_tostring(L, 1);
    if (!message) {
        if (luaL_getmetafield(L, 1, "__exit_status") != LUA_TNIL) {
            lua_settop(L, 1);
            return 1;
        }
        if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING)
            message = lua_tostring(L, -1);
        else
            message = lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
    }
    luaL_traceback(L, L, message, 1);
    return 1;
}

/* The arguments from the first that is the library's: the script's name, or an option before it. */
static int l_arguments(lua_State *L)
{
    lua_createtable(L, command.argc - command.first, 0);
    for (int i = command.first; i < command.argc; i++) {
        lua_pushstring(L, command.argv[i]);
        lua_rawseti(L, -2, i - command.first + 1);
    }
    return 1;
}

static int l_interrupted(lua_State *L)
{
    lua_pushboolean(L, fr_interrupted());
    return 1;
}

static int l_defer_interrupt(lua_State *L)
{
    fr_interrupt_defer(lua_toboolean(L, 1));
    return 0;
}

static int l_clear_interrupt(lua_State *L)
{
    (void)L;
    fr_interrupt_clear();
    return 0;
}

static int open_core(lua_State *L)
{
    static const luaL_Reg functions[] = {{"arguments", l_arguments},
                                         {"interrupted", l_interrupted},
                                         {"defer_interrupt", l_defer_interrupt},
                                         {"clear_interrupt", l_clear_interrupt},
                                         {"message_handler", fr_bind_message_handler},
                                         {NULL, NULL}};
    luaL_newlib(L, functions);
    lua_pushstring(L, fr_paths_root());
    lua_setfield(L, -2, "root");
    lua_pushliteral(L, FRLUA_VERSION);
    lua_setfield(L, -2, "version");
    lua_pushliteral(L, FRLUA_COMMIT);
    lua_setfield(L, -2, "commit");
    lua_pushliteral(L, FRLUA_COMPILER);
    lua_setfield(L, -2, "compiler");
    lua_pushliteral(L, FRLUA_FLAGS);
    lua_setfield(L, -2, "flags");
    fr_bind_audit(L);
    fr_bind_clock(L);
    fr_bind_job(L);
    fr_bind_lift(L);
    fr_bind_machine(L);
    fr_bind_process(L);
    fr_bind_region(L);
    fr_bind_series(L);
    fr_bind_spawn(L);
    fr_bind_terminal(L);
    fr_bind_trace(L);
    return 1;
}

void fr_bind_open(lua_State *L, int argc, char **argv, int ignore_environment)
{
    command.argc = argc;
    command.argv = argv;
    command.first = argc;
    if (ignore_environment) {
        lua_pushboolean(L, 1);
        lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
    }
    luaL_openlibs(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, open_core);
    lua_setfield(L, -2, "frlua.core");
    lua_pop(L, 1);
    fr_bind_searcher(L);
    fr_bind_os(L);
    /* As lua.c does: the collector's generational mode suits programs that make short-lived data.
     */
    lua_gc(L, LUA_GCGEN, 0, 0);
}

void fr_bind_command_line(int first)
{
    command.first = first;
}
