/* core.clock(): the chosen clock, measured once; core.now(): one reading of it. */
#include "bind/bind.h"

#include "engine/clock.h"

static struct fr_clock chosen;

static const struct fr_clock *chosen_clock(void)
{
    if (!chosen.name)
        fr_clock_choose(&chosen);
    return &chosen;
}

static void set_number(lua_State *L, const char *name, double value)
{
    if (value > 0)
        lua_pushnumber(L, value);
    else
        lua_pushnil(L); /* the clock did not move: there is nothing to say */
    lua_setfield(L, -2, name);
}

/* { id, source, vdso, read_ns, syscall_read_ns, getres_ns, step_ns, backward }; absent: unknown. */
static int l_clock(lua_State *L)
{
    const struct fr_clock *clock = chosen_clock();
    lua_createtable(L, 0, 8);
    fr_set_integer(L, "id", clock->id);
    lua_pushstring(L, clock->name);
    lua_setfield(L, -2, "source");
    lua_pushboolean(L, clock->from_vdso);
    lua_setfield(L, -2, "vdso");
    set_number(L, "read_ns", clock->read_ns);
    set_number(L, "syscall_read_ns", clock->syscall_read_ns);
    fr_set_integer(L, "getres_ns", clock->getres_ns);
    if (clock->step_ns > 0)
        fr_set_integer(L, "step_ns", clock->step_ns);
    fr_set_integer(L, "backward", clock->backward);
    return 1;
}

static int l_now(lua_State *L)
{
    lua_pushinteger(L, fr_clock_ns(chosen_clock()->id));
    return 1;
}

void fr_bind_clock(lua_State *L)
{
    static const luaL_Reg functions[] = {{"clock", l_clock}, {"now", l_now}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
