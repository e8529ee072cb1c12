/* frlua.elf: what an ELF file says, as it is in the file; lua/frlua/elf.lua has the meaning. */
#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "inspect/elf.h"

static const char type_name[] = "frlua.elf";

static int l_close(lua_State *L)
{
    fr_elf_free(luaL_checkudata(L, 1, type_name));
    return 0;
}

static void set_integer(lua_State *L, const char *name, uint64_t value)
{
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, name);
}

static void push_segments(lua_State *L, const struct fr_elf *elf)
{
    lua_createtable(L, (int)elf->segments, 0);
    for (size_t i = 0; i < elf->segments; i++) {
        const struct fr_elf_segment *segment = &elf->segment[i];
        lua_createtable(L, 0, 7);
        set_integer(L, "type", segment->type);
        set_integer(L, "flags", segment->flags);
        set_integer(L, "offset", segment->offset);
        set_integer(L, "vaddr", segment->vaddr);
        set_integer(L, "filesz", segment->file_bytes);
        set_integer(L, "memsz", segment->memory_bytes);
        set_integer(L, "align", segment->align);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_tags(lua_State *L, const struct fr_elf *elf)
{
    lua_createtable(L, (int)elf->tags, 0);
    for (size_t i = 0; i < elf->tags; i++) {
        lua_createtable(L, 0, 3);
        set_integer(L, "tag", (uint64_t)elf->tag[i].tag);
        set_integer(L, "value", elf->tag[i].value);
        lua_pushstring(L, elf->tag[i].text); /* nil for none */
        lua_setfield(L, -2, "text");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_build_id(lua_State *L, const struct fr_elf *elf)
{
    static const char digits[] = "0123456789abcdef";
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    for (size_t i = 0; i < elf->build_id_bytes; i++) {
        luaL_addchar(&text, digits[elf->build_id[i] >> 4]);
        luaL_addchar(&text, digits[elf->build_id[i] & 15]);
    }
    luaL_pushresult(&text);
}

static void push_elf(lua_State *L, const struct fr_elf *elf)
{
    lua_createtable(L, 0, 11);
    set_integer(L, "class", elf->bits);
    lua_pushstring(L, elf->is_big_endian ? "big" : "little");
    lua_setfield(L, -2, "byte_order");
    set_integer(L, "type", elf->type);
    set_integer(L, "machine", elf->machine);
    set_integer(L, "entry", elf->entry);
    push_segments(L, elf);
    lua_setfield(L, -2, "segments");
    lua_pushstring(L, elf->interpreter);
    lua_setfield(L, -2, "interpreter");
    if (elf->has_dynamic) {
        push_tags(L, elf);
        lua_setfield(L, -2, "tags");
    }
    set_integer(L, "plt_relocations", elf->plt_relocations);
    if (elf->jump_slots >= 0)
        set_integer(L, "jump_slots", (uint64_t)elf->jump_slots);
    if (elf->build_id) {
        push_build_id(L, elf);
        lua_setfield(L, -2, "build_id");
    }
}

/* elf.read(path) -> table | nil, what is wrong with the file | nil, message, errno. The table:
 * class, byte_order, type, machine, entry; segments = {{ type, flags, offset, vaddr, filesz, memsz,
 * align }, …}; interpreter; tags = {{ tag, value, text }, …}, nil without a dynamic section;
 * plt_relocations, jump_slots; build_id in hexadecimal digits. */
static int l_read(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    struct fr_elf *elf = lua_newuserdatauv(L, sizeof *elf, 0);
    memset(elf, 0, sizeof *elf);
    luaL_setmetatable(L, type_name);
    struct fr_elf_source source;
    int error = fr_elf_open(elf, &source, path);
    if (!error)
        error = fr_elf_read(elf, &source);
    fr_elf_close(&source);
    if (!error) {
        push_elf(L, elf);
        fr_elf_free(elf); /* the collector does not know how large it is */
        return 1;
    }
    lua_pushnil(L);
    lua_pushstring(L, error == FR_ELF_WRONG ? elf->problem : strerror(error));
    if (error == FR_ELF_WRONG)
        return 2;
    lua_pushinteger(L, error);
    return 3;
}

int luaopen_frlua_elf(lua_State *L);

int luaopen_frlua_elf(lua_State *L)
{
    static const luaL_Reg functions[] = {{"read", l_read}, {NULL, NULL}};
    static const luaL_Reg metamethods[] = {{"__gc", l_close}, {NULL, NULL}};
    luaL_newmetatable(L, type_name);
    luaL_setfuncs(L, metamethods, 0);
    lua_pop(L, 1);
    luaL_newlib(L, functions);
    return 1;
}
