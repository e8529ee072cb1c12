/* Traces of page faults as Lua sees them, and core.trace: a trace of a function of the script's. */
#include "bind/bind.h"

#include <sys/mman.h>

#include "engine/clock.h"
#include "inspect/drainer.h"

/* What a trace needs until it is closed; in a userdata, as a lack of memory may raise an error. */
struct tracer {
    struct fr_trace trace;
    struct fr_drainer drainer;
    int is_draining;
};

static const char type_name[] = "frlua.tracer";

static int l_close(lua_State *L)
{
    struct tracer *tracer = luaL_checkudata(L, 1, type_name);
    if (tracer->is_draining)
        fr_drainer_stop(&tracer->drainer);
    tracer->is_draining = 0;
    fr_trace_close(&tracer->trace);
    return 0;
}

static struct tracer *push_tracer(lua_State *L, clockid_t clock)
{
    struct tracer *tracer = lua_newuserdatauv(L, sizeof *tracer, 0);
    tracer->is_draining = 0;
    fr_trace_init(&tracer->trace, clock);
    luaL_setmetatable(L, type_name);
    return tracer;
}

struct fr_trace *fr_push_tracer(lua_State *L, clockid_t clock)
{
    return &push_tracer(L, clock)->trace;
}

/* As many columns as a fault has facts: a million of them is no million of tables. */
static void push_faults(lua_State *L, const struct fr_records *records)
{
    int64_t *time = fr_push_series(L, records->faults);
    lua_setfield(L, -2, "time_ns");
    int64_t *address = fr_push_series(L, records->faults);
    lua_setfield(L, -2, "address");
    int64_t *code = fr_push_series(L, records->faults);
    lua_setfield(L, -2, "code");
    int64_t *kind = fr_push_series(L, records->faults);
    lua_setfield(L, -2, "kind");
    for (size_t i = 0; i < records->faults; i++) {
        const struct fr_fault *fault = &records->fault[i];
        time[i] = fault->time_ns;
        address[i] = (int64_t)fault->address;
        code[i] = (int64_t)fault->code;
        kind[i] = (fault->is_major ? 1 : 0) | (fault->from_kernel ? 2 : 0);
    }
}

static void push_mappings(lua_State *L, const struct fr_records *records)
{
    lua_createtable(L, (int)records->mappings, 0);
    for (size_t i = 0; i < records->mappings; i++) {
        const struct fr_mapping *mapping = &records->mapping[i];
        lua_createtable(L, 0, 5);
        fr_set_integer(L, "time_ns", mapping->time_ns);
        fr_set_integer(L, "from", (int64_t)mapping->start);
        fr_set_integer(L, "to", (int64_t)(mapping->start + mapping->bytes));
        lua_pushfstring(L, "%c%c%c", mapping->protection & PROT_READ ? 'r' : '-',
                        mapping->protection & PROT_WRITE ? 'w' : '-',
                        mapping->protection & PROT_EXEC ? 'x' : '-');
        lua_setfield(L, -2, "perms");
        lua_pushstring(L, mapping->path);
        lua_setfield(L, -2, "path");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* { { from_ns or nil, to_ns, lost }, … }: the records in front and behind give the times. */
static void push_gaps(lua_State *L, const struct fr_records *records)
{
    lua_createtable(L, (int)records->gaps, 0);
    for (size_t i = 0; i < records->gaps; i++) {
        const struct fr_gap *gap = &records->gap[i];
        lua_createtable(L, 0, 3);
        if (gap->before > 0)
            fr_set_integer(L, "from_ns", records->fault[gap->before - 1].time_ns);
        fr_set_integer(L, "to_ns", gap->time_ns);
        fr_set_integer(L, "lost", (int64_t)gap->lost);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

int fr_push_trace(lua_State *L, const struct fr_trace *trace)
{
    if (trace->error) {
        fr_push_failure(L, trace->error, trace->what);
        return 3;
    }
    lua_createtable(L, 0, 12);
    push_faults(L, &trace->records);
    push_mappings(L, &trace->records);
    lua_setfield(L, -2, "mappings");
    push_gaps(L, &trace->records);
    lua_setfield(L, -2, "gaps");
    fr_set_integer(L, "lost", (int64_t)trace->lost);
    lua_pushboolean(L, trace->kernel_excluded);
    lua_setfield(L, -2, "kernel_excluded");
    return 1;
}

void fr_push_exec_counts(lua_State *L, const struct fr_trace *trace)
{
    if (trace->counts_error) {
        fr_set_integer(L, "counts_error", trace->counts_error);
        return;
    }
    fr_set_integer(L, "minor_faults", trace->at_exit.minor - trace->at_exec.minor);
    fr_set_integer(L, "major_faults", trace->at_exit.major - trace->at_exec.major);
    fr_set_integer(L, "other_threads", trace->other_threads);
}

/* core.trace(run, clock id) -> true | false, what run returned | raised;
 *                              trace | nil, message, errno
 * The trace has the faults of this thread while run() is called, and in `window` the time and in
 * `minor_faults` and `major_faults` the counts of the call. A trace that is refused does not keep
 * run() from being called. */
static int l_trace(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    clockid_t clock = (clockid_t)luaL_checkinteger(L, 2);
    struct tracer *tracer = push_tracer(L, clock);
    int error = fr_drainer_start(&tracer->drainer, &tracer->trace);
    tracer->is_draining = !error;
    lua_pushvalue(L, 1);
    fr_clock_ns(clock);
    fr_faults_now(); /* the first of their readings may fault themselves */
    int64_t start_ns = fr_clock_ns(clock);
    struct fr_faults before = fr_faults_now();
    int ok = lua_pcall(L, 0, 1, 0) == LUA_OK;
    struct fr_faults after = fr_faults_now();
    int64_t end_ns = fr_clock_ns(clock);
    if (tracer->is_draining)
        fr_drainer_stop(&tracer->drainer);
    tracer->is_draining = 0;
    lua_pushboolean(L, ok);
    lua_insert(L, -2);
    if (error)
        return 2 + fr_push_failure(L, error, "a thread that drains perf's buffer");
    int pushed = fr_push_trace(L, &tracer->trace);
    fr_trace_close(&tracer->trace);
    if (pushed == 1) {
        fr_set_integer(L, "from_ns", start_ns);
        fr_set_integer(L, "to_ns", end_ns);
        fr_set_integer(L, "minor_faults", after.minor - before.minor);
        fr_set_integer(L, "major_faults", after.major - before.major);
    }
    return 2 + pushed;
}

void fr_bind_trace(lua_State *L)
{
    static const luaL_Reg metamethods[] = {{"__gc", l_close}, {"__close", l_close}, {NULL, NULL}};
    lua_pushcfunction(L, l_trace);
    lua_setfield(L, -2, "trace");
    luaL_newmetatable(L, type_name);
    luaL_setfuncs(L, metamethods, 0);
    lua_pop(L, 1);
}
