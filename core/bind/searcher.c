/* Where modules are found: beside the script first, then in frlua's library, then where lua looks.
 *
 * The names are put together here and not through package.path, in whose templates ';' and '?'
 * mean something else than characters of a directory.
 */
#include "bind/bind.h"

#include <lualib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/paths.h"

/* Registry key: the directory of the script. */
static const char script_directory[] = "frlua.script_directory";

/* Pushes the first readable of DIRECTORY/name.lua and DIRECTORY/name/init.lua; or nothing, and adds
 * to the message at `tried` what was looked for. */
static int push_readable(lua_State *L, const char *directory, const char *name, int tried)
{
    static const char *const endings[] = {".lua", "/init.lua"};
    for (int i = 0; i < 2; i++) {
        const char *file = lua_pushfstring(L, "%s/%s%s", directory, name, endings[i]);
        if (access(file, R_OK) == 0)
            return 1;
        lua_pushfstring(L, "%s\n\tno file '%s'", lua_tostring(L, tried), file);
        lua_replace(L, tried);
        lua_pop(L, 1);
    }
    return 0;
}

static int l_search(lua_State *L)
{
    const char *name = luaL_gsub(L, luaL_checkstring(L, 1), ".", "/");
    lua_pushliteral(L, "");
    int tried = lua_gettop(L), found = 0;
    if (lua_getfield(L, LUA_REGISTRYINDEX, script_directory) == LUA_TSTRING)
        found = push_readable(L, lua_tostring(L, -1), name, tried);
    if (!found && fr_paths_root()[0] != '\0') {
        const char *library = lua_pushfstring(L, "%s/share/frlua/lua", fr_paths_root());
        found = push_readable(L, library, name, tried);
    }
    if (!found) {
        lua_pushvalue(L, tried);
        return 1;
    }
    const char *file = lua_tostring(L, -1);
    if (luaL_loadfile(L, file) != LUA_OK)
        return luaL_error(L, "error loading module '%s' from file '%s':\n\t%s", lua_tostring(L, 1),
                          file, lua_tostring(L, -1));
    lua_pushstring(L, file);
    return 2;
}

/* A LUA_PATH without lua's own directories would hide the packages that the library needs: they
 * are searched last. */
static void append_default(lua_State *L, int package, const char *field, const char *path)
{
    lua_getfield(L, package, field);
    if (!strstr(lua_tostring(L, -1), path)) {
        lua_pushfstring(L, "%s;%s", lua_tostring(L, -1), path);
        lua_setfield(L, package, field);
    }
    lua_pop(L, 1);
}

void fr_bind_searcher(lua_State *L)
{
    lua_getglobal(L, LUA_LOADLIBNAME);
    int package = lua_gettop(L);
    append_default(L, package, "path", LUA_PATH_DEFAULT);
    append_default(L, package, "cpath", LUA_CPATH_DEFAULT);
    lua_getfield(L, package, "searchers");
    for (lua_Integer i = luaL_len(L, -1); i >= 2; i--) {
        lua_rawgeti(L, -1, i);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pushcfunction(L, l_search);
    lua_rawseti(L, -2, 2);
    lua_pop(L, 2);
}

void fr_bind_script_directory(lua_State *L, const char *path)
{
    char *real = path ? realpath(path, NULL) : NULL;
    char *slash = real ? strrchr(real, '/') : NULL;
    if (slash) {
        lua_pushlstring(L, real, (size_t)(slash - real));
        lua_setfield(L, LUA_REGISTRYINDEX, script_directory);
    }
    free(real);
}
