/* frlua.hold: programs held at their exec, to look at how they are mapped. */
#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "inspect/hold.h"

static const char type_name[] = "frlua.hold";

static struct fr_hold *to_hold(lua_State *L)
{
    struct fr_hold *hold = luaL_checkudata(L, 1, type_name);
    luaL_argcheck(L, hold->pid > 0, 1, "the program has been ended");
    return hold;
}

static int push_failure(lua_State *L, int error, const char *what)
{
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", what, strerror(error));
    lua_pushinteger(L, error);
    return 3;
}

static int l_close(lua_State *L)
{
    fr_hold_end(luaL_checkudata(L, 1, type_name));
    return 0;
}

static int l_pid(lua_State *L)
{
    lua_pushinteger(L, to_hold(L)->pid);
    return 1;
}

static int l_release(lua_State *L)
{
    int error = fr_hold_release(to_hold(L));
    if (error)
        return push_failure(L, error, "ptrace");
    lua_pushboolean(L, 1);
    return 1;
}

static int l_has_ended(lua_State *L)
{
    lua_pushboolean(L, fr_hold_has_ended(to_hold(L)));
    return 1;
}

/* hold.start { program, argument, … } -> held | nil, message, errno. held:pid(); held:release()
 * lets it run; held:has_ended(); it is killed when it is closed or collected. */
static int l_start(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer n = luaL_len(L, 1);
    luaL_argcheck(L, n > 0, 1, "there is no program");
    const char **argv = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *argv, 0);
    for (lua_Integer i = 0; i < n; i++) {
        lua_rawgeti(L, 1, i + 1);
        argv[i] = luaL_checkstring(L, -1); /* the list keeps it alive */
        lua_pop(L, 1);
    }
    argv[n] = NULL;
    struct fr_hold *hold = lua_newuserdatauv(L, sizeof *hold, 0);
    *hold = (struct fr_hold){0, -1};
    luaL_setmetatable(L, type_name);
    fflush(NULL); /* or the child could write what is buffered, too */
    const char *what = NULL;
    int error = fr_hold_start(hold, (char *const *)(uintptr_t)argv, &what);
    return error ? push_failure(L, error, what) : 1;
}

int luaopen_frlua_hold(lua_State *L);

int luaopen_frlua_hold(lua_State *L)
{
    static const luaL_Reg functions[] = {{"start", l_start}, {NULL, NULL}};
    static const luaL_Reg methods[] = {
        {"pid", l_pid},     {"release", l_release}, {"has_ended", l_has_ended},
        {"close", l_close}, {"__gc", l_close},      {"__close", l_close},
        {NULL, NULL}};
    luaL_newmetatable(L, type_name);
    luaL_setfuncs(L, methods, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
    luaL_newlib(L, functions);
    return 1;
}
