/* frlua.topology: topology.read(cpu) -> what hwloc knows of the machine and of one CPU of it | nil,
 * message, errno. hwloc asks the kernel, and on x86 every processor for itself, which takes many
 * times as long as all else that frlua reads: for the machine's passport, not for a run. */
#include <errno.h>
#include <hwloc.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char type_name[] = "frlua.topology";

/* Owns a topology, so that a lack of memory while tables are made leaks none. NULL: closed. */
struct owner {
    hwloc_topology_t topology;
};

static int l_close(lua_State *L)
{
    struct owner *owner = luaL_checkudata(L, 1, type_name);
    if (owner->topology)
        hwloc_topology_destroy(owner->topology);
    owner->topology = NULL;
    return 0;
}

static struct owner *push_owner(lua_State *L)
{
    static const luaL_Reg metamethods[] = {{"__gc", l_close}, {"__close", l_close}, {NULL, NULL}};
    struct owner *owner = lua_newuserdatauv(L, sizeof *owner, 0);
    owner->topology = NULL;
    if (luaL_newmetatable(L, type_name))
        luaL_setfuncs(L, metamethods, 0);
    lua_setmetatable(L, -2);
    return owner;
}

/* All CPUs, also those that a cgroup keeps from this process: a neighbour on the same core disturbs
 * whoever may use it. Caches of instructions are left out by default. What hwloc would print when
 * sysfs is odd is for the caller to say. */
static int load(struct owner *owner)
{
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    if (hwloc_topology_init(&owner->topology) != 0) {
        owner->topology = NULL;
        return -1;
    }
    hwloc_topology_t topology = owner->topology;
    if (hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) != 0 ||
        hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0)
        return -1;
    return hwloc_topology_load(topology);
}

static void set_integer(lua_State *L, const char *name, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, name);
}

/* Sets what is known: hwloc says 0 of what it does not know. */
static void set_positive(lua_State *L, const char *name, lua_Integer value)
{
    if (value > 0)
        set_integer(L, name, value);
}

static void set_cpus(lua_State *L, const char *name, hwloc_const_cpuset_t set)
{
    lua_newtable(L);
    lua_Integer found = 0;
    for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) {
        lua_pushinteger(L, cpu);
        lua_rawseti(L, -2, ++found);
    }
    lua_setfield(L, -2, name);
}

static const char *cache_type(hwloc_obj_cache_type_t type)
{
    return type == HWLOC_OBJ_CACHE_DATA          ? "Data"
           : type == HWLOC_OBJ_CACHE_INSTRUCTION ? "Instruction"
                                                 : "Unified";
}

/* Fully associative caches, which hwloc gives -1 ways, are told by the field of that name. */
static void push_cache(lua_State *L, hwloc_obj_t object)
{
    const struct hwloc_cache_attr_s *cache = &object->attr->cache;
    lua_newtable(L);
    set_integer(L, "level", (lua_Integer)cache->depth);
    lua_pushstring(L, cache_type(cache->type));
    lua_setfield(L, -2, "type");
    set_positive(L, "bytes", (lua_Integer)cache->size);
    set_positive(L, "line_bytes", (lua_Integer)cache->linesize);
    set_positive(L, "ways", cache->associativity);
    if (cache->associativity == -1) {
        lua_pushboolean(L, 1);
        lua_setfield(L, -2, "fully_associative");
    }
    set_cpus(L, "cpus", object->cpuset);
}

/* The caches that a processor's loads go through, nearest first; instruction caches hang between
 * them. */
static void set_caches(lua_State *L, hwloc_obj_t processor)
{
    lua_newtable(L);
    lua_Integer found = 0;
    for (hwloc_obj_t object = processor; object; object = object->parent)
        if (hwloc_obj_type_is_cache(object->type)) {
            push_cache(L, object);
            lua_rawseti(L, -2, ++found);
        }
    lua_setfield(L, -2, "caches");
}

static void set_core(lua_State *L, hwloc_topology_t topology, hwloc_obj_t processor)
{
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, processor);
    if (core)
        set_cpus(L, "core_cpus", core->cpuset);
}

static void push_topology(lua_State *L, hwloc_topology_t topology, unsigned cpu)
{
    lua_newtable(L);
    lua_pushboolean(L, hwloc_topology_is_thissystem(topology));
    lua_setfield(L, -2, "is_this_machine");
    set_positive(L, "packages", hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE));
    set_positive(L, "cores", hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE));
    set_positive(L, "numa_nodes", hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE));
    set_cpus(L, "cpus", hwloc_topology_get_topology_cpuset(topology));
    hwloc_obj_t processor = hwloc_get_pu_obj_by_os_index(topology, cpu);
    if (processor) {
        set_core(L, topology, processor);
        set_caches(L, processor);
    }
}

static int l_read(lua_State *L)
{
    lua_Integer cpu = luaL_checkinteger(L, 1);
    luaL_argcheck(L, cpu >= 0 && cpu <= INT32_MAX, 1, "a CPU's number");
    struct owner *owner = push_owner(L);
    if (load(owner) != 0) {
        int error = errno;
        luaL_pushfail(L);
        lua_pushfstring(L, "hwloc: %s", strerror(error));
        lua_pushinteger(L, error);
        return 3;
    }
    push_topology(L, owner->topology, (unsigned)cpu);
    hwloc_topology_destroy(owner->topology);
    owner->topology = NULL;
    return 1;
}

int luaopen_frlua_topology(lua_State *L);

int luaopen_frlua_topology(lua_State *L)
{
    static const luaL_Reg functions[] = {{"read", l_read}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
