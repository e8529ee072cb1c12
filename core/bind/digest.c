/* frlua.digest: digest.sha256(text, …) -> hexadecimal digest of the texts one after the other. */
#include <lauxlib.h>
#include <lua.h>
#include <sha2.h>

static int l_sha256(lua_State *L)
{
    SHA2_CTX context;
    char hexadecimal[SHA256_DIGEST_STRING_LENGTH];
    SHA256Init(&context);
    for (int i = 1; i <= lua_gettop(L); i++) {
        size_t length;
        const char *text = luaL_checklstring(L, i, &length);
        SHA256Update(&context, (const uint8_t *)text, length);
    }
    SHA256End(&context, hexadecimal);
    lua_pushstring(L, hexadecimal);
    return 1;
}

int luaopen_frlua_digest(lua_State *L);

int luaopen_frlua_digest(lua_State *L)
{
    static const luaL_Reg functions[] = {{"sha256", l_sha256}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
