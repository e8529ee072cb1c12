/* What only C can ask of the machine and the process. */
#include "bind/bind.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/region.h"
#include "engine/stream.h"
#include "host/child.h"
#include "inspect/hypervisor.h"

enum { SMALLEST_SET = 128, LARGEST_SET = 1 << 20 }; /* bytes: 1,024 CPUs, 8 million */

/* Reads the CPUs that this process may use into a set that grows until the kernel's fits. */
static cpu_set_t *allowed_set(size_t *bytes)
{
    for (*bytes = SMALLEST_SET; *bytes <= LARGEST_SET; *bytes *= 2) {
        cpu_set_t *set = calloc(1, *bytes);
        if (!set || sched_getaffinity(0, *bytes, set) == 0)
            return set;
        int error = errno;
        free(set);
        errno = error;
        if (error != EINVAL)
            break;
    }
    return NULL;
}

/* core.allowed_cpus() -> rising list of numbers | nil, message, errno */
static int l_allowed_cpus(lua_State *L)
{
    size_t bytes;
    cpu_set_t *set = allowed_set(&bytes);
    if (!set)
        return fr_push_failure(L, errno, "sched_getaffinity");
    lua_newtable(L);
    lua_Integer found = 0;
    for (size_t cpu = 0; cpu < 8 * bytes; cpu++)
        if (CPU_ISSET_S(cpu, bytes, set)) {
            lua_pushinteger(L, (lua_Integer)cpu);
            lua_rawseti(L, -2, ++found);
        }
    free(set);
    return 1;
}

static struct {
    cpu_set_t *set; /* what the process had before core.stay_on; NULL: it is there still */
    size_t bytes;
} roaming;

/* core.stay_on(cpu): until core.roam(), this process waits on that CPU. Nothing comes of it when it
 * is refused, and where the waiting would take the CPU from the child again and again. */
static int l_stay_on(lua_State *L)
{
    int cpu = (int)luaL_checkinteger(L, 1);
    if (!roaming.set && fr_child_can_sleep())
        roaming.set = allowed_set(&roaming.bytes);
    if (roaming.set)
        fr_child_pin(cpu);
    return 0;
}

static int l_roam(lua_State *L)
{
    (void)L;
    if (roaming.set)
        sched_setaffinity(0, roaming.bytes, roaming.set);
    free(roaming.set);
    roaming.set = NULL;
    return 0;
}

static void set_size(lua_State *L, const char *name, long value)
{
    if (value > 0) {
        lua_pushinteger(L, value);
        lua_setfield(L, -2, name);
    }
}

/* core.sizes() -> { page_bytes, line_bytes, ticks_per_second, l1d_bytes, l1d_ways, l2_bytes,
 * l3_bytes } of sysconf(3), auxv_page_bytes of getauxval(3); absent where the C library does not
 * know. */
static int l_sizes(lua_State *L)
{
    lua_newtable(L);
    set_size(L, "page_bytes", (long)fr_page_bytes());
    set_size(L, "auxv_page_bytes", (long)getauxval(AT_PAGESZ));
    set_size(L, "ticks_per_second", sysconf(_SC_CLK_TCK));
#ifdef _SC_LEVEL1_DCACHE_LINESIZE
    set_size(L, "line_bytes", sysconf(_SC_LEVEL1_DCACHE_LINESIZE));
    set_size(L, "l1d_bytes", sysconf(_SC_LEVEL1_DCACHE_SIZE));
    set_size(L, "l1d_ways", sysconf(_SC_LEVEL1_DCACHE_ASSOC));
    set_size(L, "l2_bytes", sysconf(_SC_LEVEL2_CACHE_SIZE));
    set_size(L, "l3_bytes", sysconf(_SC_LEVEL3_CACHE_SIZE));
#endif
    return 1;
}

/* core.aslr_off() -> true when this process' personality switches address randomisation off */
static int l_aslr_off(lua_State *L)
{
    lua_pushboolean(L, (personality(0xffffffff) & ADDR_NO_RANDOMIZE) != 0);
    return 1;
}

/* core.has_stream_stores() -> whether fr.stream can do anything on this architecture */
static int l_has_stream_stores(lua_State *L)
{
    lua_pushboolean(L, fr_stream_has_stores());
    return 1;
}

/* core.thp_disabled() -> bits | nil, message, errno. 1: this process gets no transparent huge
 * pages; 3: none but where it asked for them by madvise (PR_GET_THP_DISABLE(2const); the second
 * from Linux 6.18 on) */
static int l_thp_disabled(lua_State *L)
{
    int bits = prctl(PR_GET_THP_DISABLE, 0L, 0L, 0L, 0L);
    if (bits < 0)
        return fr_push_failure(L, errno, "PR_GET_THP_DISABLE");
    lua_pushinteger(L, bits);
    return 1;
}

/* core.hypervisor() -> "KVMKVMKVM" | nil where the processor tells of none */
static int l_hypervisor(lua_State *L)
{
    char signature[FR_HYPERVISOR_BYTES];
    lua_pushstring(L, fr_hypervisor_signature(signature) ? signature : NULL);
    return 1;
}

/* core.error_name(number) -> "ENOMEM" | nil for a number that is no error's */
static int l_error_name(lua_State *L)
{
    lua_pushstring(L, strerrorname_np((int)luaL_checkinteger(L, 1)));
    return 1;
}

/* core.error_text(number) -> "Cannot allocate memory" */
static int l_error_text(lua_State *L)
{
    lua_pushstring(L, strerror((int)luaL_checkinteger(L, 1)));
    return 1;
}

static void set_limit(lua_State *L, const char *name, int resource)
{
    struct rlimit limit;
    if (getrlimit((unsigned)resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    lua_pushinteger(L, (lua_Integer)limit.rlim_cur);
    lua_setfield(L, -2, name);
}

/* core.limits() -> { locked_bytes, address_space_bytes }: those that are in force, absent where
 * there is none */
static int l_limits(lua_State *L)
{
    lua_newtable(L);
    set_limit(L, "locked_bytes", RLIMIT_MEMLOCK);
    set_limit(L, "address_space_bytes", RLIMIT_AS);
    return 1;
}

static lua_Integer to_ns(struct timeval time)
{
    return (lua_Integer)time.tv_sec * 1000000000 + (lua_Integer)time.tv_usec * 1000;
}

void fr_push_rusage(lua_State *L, const struct rusage *usage)
{
    lua_createtable(L, 0, 6);
    fr_set_integer(L, "user_ns", to_ns(usage->ru_utime));
    fr_set_integer(L, "system_ns", to_ns(usage->ru_stime));
    fr_set_integer(L, "minor_faults", usage->ru_minflt);
    fr_set_integer(L, "major_faults", usage->ru_majflt);
    fr_set_integer(L, "voluntary_switches", usage->ru_nvcsw);
    fr_set_integer(L, "involuntary_switches", usage->ru_nivcsw);
}

/* core.rusage() -> table of this process */
static int l_rusage(lua_State *L)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    fr_push_rusage(L, &usage);
    return 1;
}

void fr_bind_machine(lua_State *L)
{
    static const luaL_Reg functions[] = {{"allowed_cpus", l_allowed_cpus},
                                         {"stay_on", l_stay_on},
                                         {"roam", l_roam},
                                         {"sizes", l_sizes},
                                         {"error_name", l_error_name},
                                         {"error_text", l_error_text},
                                         {"limits", l_limits},
                                         {"aslr_off", l_aslr_off},
                                         {"has_stream_stores", l_has_stream_stores},
                                         {"thp_disabled", l_thp_disabled},
                                         {"hypervisor", l_hypervisor},
                                         {"rusage", l_rusage},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
