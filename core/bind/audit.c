/* Audits of layouts: of offsets before anything is written, and what a worker's audit came to. */
#include "bind/bind.h"

#include <stdio.h>
#include <string.h>

struct fr_geometry fr_to_geometry(lua_State *L, int table)
{
    return (struct fr_geometry){
        .page_bytes = (uint64_t)fr_field_or(L, table, "page_bytes", 0),
        .huge_bytes = (uint64_t)fr_field_or(L, table, "huge_bytes", 0),
        .line_bytes = (uint64_t)fr_field_or(L, table, "line_bytes", 0),
        .sets = (uint64_t)fr_field_or(L, table, "sets", 0),
    };
}

static void push_fault(lua_State *L, const struct fr_audit *audit)
{
    static const char *const faults[] = {"well", "outside", "misaligned", "no cycle"};
    lua_pushstring(L, faults[audit->fault % (sizeof faults / sizeof *faults)]);
    lua_setfield(L, -2, "fault");
    fr_set_integer(L, "fault_slot", (int64_t)audit->fault_slot + 1);
    fr_set_integer(L, "fault_address", (int64_t)audit->fault_address);
}

void fr_push_audit(lua_State *L, const struct fr_audit *audit, const struct fr_geometry *geometry)
{
    lua_createtable(L, 0, 8);
    fr_set_integer(L, "slots", (int64_t)audit->slots);
    if (geometry->line_bytes)
        fr_set_integer(L, "lines", (int64_t)audit->lines);
    fr_set_integer(L, "pages", (int64_t)audit->pages);
    if (geometry->huge_bytes)
        fr_set_integer(L, "huge_pages", (int64_t)audit->huge_pages);
    if (geometry->sets && geometry->line_bytes) {
        fr_set_integer(L, "used_sets", (int64_t)audit->used_sets);
        fr_set_integer(L, "fullest_set", (int64_t)audit->fullest_set);
        char text[20];
        snprintf(text, sizeof text, "%016llx", (unsigned long long)audit->set_hash);
        lua_pushstring(L, text); /* as a number, many readers of JSON would round it */
        lua_setfield(L, -2, "set_hash");
    }
    if (audit->fault != FR_AUDIT_WELL)
        push_fault(L, audit);
}

/* core.audit(offsets, bytes, geometry) -> what offsets in a region of so many bytes would be */
static int l_audit(lua_State *L)
{
    size_t slots, bytes = (size_t)luaL_checkinteger(L, 2);
    const int64_t *offset = fr_to_series(L, 1, &slots);
    luaL_checktype(L, 3, LUA_TTABLE);
    const struct fr_geometry geometry = fr_to_geometry(L, 3);
    size_t room = fr_audit_scratch(&geometry, bytes);
    void *scratch = memset(lua_newuserdatauv(L, room, 0), 0, room);
    struct fr_audit audit = {0};
    fr_audit_offsets(&audit, &geometry, bytes, offset, slots, scratch);
    fr_push_audit(L, &audit, &geometry);
    return 1;
}

void fr_bind_audit(lua_State *L)
{
    lua_pushcfunction(L, l_audit);
    lua_setfield(L, -2, "audit");
}
