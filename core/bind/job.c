/* core.sample: one job in one fresh worker process, from the shared memory to the reaped child. */
#include "bind/bind.h"

#include <errno.h>
#include <limits.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/job.h"
#include "host/child.h"
#include "host/paths.h"

enum { SMAPS_CAPACITY = 1 << 20 }; /* address space only: pages are taken as they are written */
enum { KEPT_BYTES = 16 << 20 };

/* The memory shared with workers. One is reused for all samples, as one worker runs at a time: to
 * make it and to fault it in anew would be a good part of what a small sample costs. */
static struct {
    struct fr_job *job;
    size_t bytes;
    int fd;
} shared = {NULL, 0, -1};

static void release_shared(void)
{
    if (shared.job)
        munmap(shared.job, shared.bytes);
    if (shared.fd >= 0)
        close(shared.fd);
    shared.job = NULL;
    shared.bytes = 0;
    shared.fd = -1;
}

/* Returns memory for `bytes` at least; NULL with errno set. */
static struct fr_job *reserve_shared(size_t bytes)
{
    if (shared.bytes >= bytes)
        return shared.job;
    release_shared();
    shared.fd = memfd_create("frlua-job", MFD_CLOEXEC);
    if (shared.fd < 0 || ftruncate(shared.fd, (off_t)bytes) != 0)
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared.fd, 0);
    if (memory == MAP_FAILED)
        return NULL;
    shared.job = memory;
    shared.bytes = bytes;
    return shared.job;
}

/* Reads the regions; paths[i] is the path of a region's file, or NULL. */
static void read_regions(lua_State *L, struct fr_job *job, const char **paths)
{
    lua_getfield(L, 1, "regions");
    int list = lua_gettop(L);
    job->regions = (uint32_t)luaL_len(L, list);
    luaL_argcheck(L, job->regions <= FR_JOB_REGIONS, 1, "too many regions");
    for (uint32_t i = 0; i < job->regions; i++) {
        lua_rawgeti(L, list, i + 1);
        int table = lua_gettop(L);
        struct fr_region_wanted wanted = fr_to_wanted(L, table);
        job->region[i] = (struct fr_job_region){
            .bytes = wanted.bytes,
            .align = wanted.align,
            .offset = wanted.offset,
            .huge_bytes = wanted.huge_bytes,
            .kind = wanted.kind,
            .flags = wanted.flags,
            .advice = (int32_t)fr_field_or(L, table, "advice", -1),
            .fill_index = (uint32_t)fr_field_or(L, table, "fill_index", 0),
            .chain_stride = (uint64_t)fr_field_or(L, table, "chain_stride", 0),
            .chain_group = (uint64_t)fr_field_or(L, table, "chain_group", 0),
            .chain_seed = (uint64_t)fr_field_or(L, table, "chain_seed", 0),
        };
        paths[i] = wanted.path;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static int has_regions(const struct fr_op *op)
{
    return op->code != FR_OP_EVICT && op->code != FR_OP_SLEEP && op->code != FR_OP_SPIN;
}

/* The operations of the phase on top of the stack, behind those of the phases before. */
static void read_ops(lua_State *L, struct fr_job *job, struct fr_job_phase *phase)
{
    lua_getfield(L, -1, "ops");
    int list = lua_gettop(L);
    phase->first_op = job->ops;
    phase->ops = (uint32_t)luaL_len(L, list);
    luaL_argcheck(L, job->ops + phase->ops <= FR_JOB_OPS, 1, "too many operations");
    for (uint32_t i = 0; i < phase->ops; i++) {
        struct fr_op op = fr_to_op(L, list, i + 1);
        luaL_argcheck(L, !has_regions(&op) || (op.region < job->regions && op.from < job->regions),
                      1, "an operation's region is not in the job");
        job->op[job->ops++] = op;
    }
    lua_pop(L, 1);
}

/* Reads the phases and lays the readings out behind the struct. */
static void read_phases(lua_State *L, struct fr_job *job)
{
    lua_getfield(L, 1, "phases");
    int list = lua_gettop(L);
    job->phases = (uint32_t)luaL_len(L, list);
    luaL_argcheck(L, job->phases <= FR_JOB_PHASES, 1, "too many phases");
    const uint64_t align = alignof(struct fr_reading);
    job->bytes = (sizeof *job + align - 1) / align * align;
    for (uint32_t i = 0; i < job->phases; i++) {
        struct fr_job_phase *phase = &job->phase[i];
        lua_rawgeti(L, list, i + 1);
        read_ops(L, job, phase);
        phase->iterations = (uint64_t)fr_field(L, lua_gettop(L), "iterations");
        lua_getfield(L, -1, "timed");
        if (lua_toboolean(L, -1)) {
            luaL_argcheck(L, phase->iterations <= INT64_MAX / sizeof(struct fr_reading) / 16, 1,
                          "too many iterations");
            phase->readings_offset = job->bytes;
            job->bytes += phase->iterations * sizeof(struct fr_reading);
        }
        lua_pop(L, 2);
    }
    lua_pop(L, 1);
    lua_getfield(L, 1, "smaps");
    job->smaps_offset = job->bytes;
    job->smaps_capacity = lua_toboolean(L, -1) ? SMAPS_CAPACITY : 0;
    job->bytes += job->smaps_capacity;
    lua_pop(L, 1);
}

/* Lays the paths out behind what is there already. */
static void lay_out_paths(struct fr_job *job, const char *const *paths)
{
    for (uint32_t i = 0; i < job->regions; i++)
        if (paths[i]) {
            job->region[i].path_offset = job->bytes;
            job->bytes += strlen(paths[i]) + 1;
        }
}

static void write_paths(struct fr_job *job, const char *const *paths)
{
    for (uint32_t i = 0; i < job->regions; i++)
        if (paths[i])
            memcpy((char *)job + job->region[i].path_offset, paths[i], strlen(paths[i]) + 1);
}

/* { { ns, minor_faults, major_faults, from_ns, to_ns } or false, … }: of each phase what was
 * finished; the window of the counts where all of it was. */
static void push_phases(lua_State *L, struct fr_job *job)
{
    lua_createtable(L, (int)job->phases, 0);
    for (uint32_t i = 0; i < job->phases; i++) {
        const struct fr_job_phase *phase = &job->phase[i];
        uint64_t finished = job->outcome.finished[i];
        if (phase->readings_offset) {
            fr_push_readings(L, fr_job_readings(job, phase),
                             finished < phase->iterations ? finished : phase->iterations);
            fr_set_integer(L, "from_ns", job->outcome.window[i].start_ns);
            fr_set_integer(L, "to_ns", job->outcome.window[i].end_ns);
        } else {
            lua_pushboolean(L, 0);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_addresses(lua_State *L, const struct fr_job *job)
{
    lua_createtable(L, (int)job->regions, 0);
    for (uint32_t i = 0; i < job->regions; i++) {
        lua_pushinteger(L, (lua_Integer)job->outcome.region_address[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* { { advice_error, lock_error }, … } of each region. */
static void push_hints(lua_State *L, const struct fr_job *job)
{
    lua_createtable(L, (int)job->regions, 0);
    for (uint32_t i = 0; i < job->regions; i++) {
        lua_createtable(L, 0, 2);
        fr_set_integer(L, "advice_error", job->outcome.hints[i].advice_error);
        fr_set_integer(L, "lock_error", job->outcome.hints[i].lock_error);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* What is unknown is left out. */
static void set_known(lua_State *L, const char *name, int64_t value)
{
    if (value >= 0)
        fr_set_integer(L, name, value);
}

static void push_outcome(lua_State *L, struct fr_job *job)
{
    static const char *const stages[] = {"start", "map", "phase", "read back", "done"};
    const struct fr_job_outcome *outcome = &job->outcome;
    lua_createtable(L, 0, 16);
    lua_pushstring(L, stages[outcome->stage % (sizeof stages / sizeof *stages)]);
    lua_setfield(L, -2, "stage");
    fr_set_integer(L, "phase", (int64_t)outcome->phase + 1);
    fr_set_integer(L, "error", outcome->error);
    fr_set_integer(L, "error_region", (int64_t)outcome->error_region + 1);
    if (outcome->error_op < job->ops)
        fr_set_integer(L, "error_op", (int64_t)outcome->error_op + 1);
    set_known(L, "cpu_before", outcome->cpu_before);
    set_known(L, "cpu_after", outcome->cpu_after);
    set_known(L, "minor_faults", outcome->minor_faults);
    set_known(L, "major_faults", outcome->major_faults);
    set_known(L, "voluntary_switches", outcome->voluntary_switches);
    set_known(L, "involuntary_switches", outcome->involuntary_switches);
    if (outcome->stage == FR_STAGE_DONE)
        fr_set_integer(L, "checksum", (int64_t)outcome->checksum);
    fr_set_integer(L, "smaps_error", outcome->smaps_error);
    push_phases(L, job);
    lua_setfield(L, -2, "phases");
    push_addresses(L, job);
    lua_setfield(L, -2, "addresses");
    push_hints(L, job);
    lua_setfield(L, -2, "hints");
    fr_push_op_outcomes(L, outcome->op, job->ops);
    lua_setfield(L, -2, "ops");
    size_t smaps = outcome->smaps_bytes;
    lua_pushlstring(L, (const char *)job + job->smaps_offset,
                    smaps < job->smaps_capacity ? smaps : job->smaps_capacity);
    lua_setfield(L, -2, "smaps");
}

static int run_worker(int cpu, int64_t limit_ns, struct fr_trace *trace, pid_t *pid,
                      struct fr_child_end *end, const char **what)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/bin/frlua-worker", fr_paths_root());
    *what = "frlua-worker";
    if (length < 0 || (size_t)length >= sizeof path)
        return ENAMETOOLONG;
    char *argv[] = {(char[]){"frlua-worker"}, NULL};
    struct fr_spawn spawn = {path, argv, environ, cpu, {-1, -1, -1}, shared.fd, 1, trace};
    struct fr_child child;
    int error = fr_child_spawn(&child, &spawn, what);
    if (error)
        return error;
    *pid = child.pid;
    *what = "wait";
    return fr_child_wait(&child, limit_ns, NULL, 0, end);
}

/* core.sample(job, cpu, limit_ns, traced) -> outcome, end | nil, message, errno; traced, there
 * follows the trace | nil, message, errno of a trace that was refused */
static int l_sample(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    int cpu = (int)luaL_checkinteger(L, 2);
    int64_t limit_ns = luaL_checkinteger(L, 3);
    struct fr_job job;
    memset(&job, 0, sizeof job);
    job.layout = sizeof job;
    fr_job_forget(&job.outcome);
    job.clock = (int32_t)fr_field(L, 1, "clock");
    const char *paths[FR_JOB_REGIONS] = {NULL};
    read_regions(L, &job, paths);
    read_phases(L, &job);
    lay_out_paths(&job, paths);
    struct fr_job *shared_job = reserve_shared(job.bytes);
    if (!shared_job)
        return fr_push_failure(L, errno, "shared memory for the job");
    job.bytes = shared.bytes;
    *shared_job = job;
    write_paths(shared_job, paths);
    struct fr_trace *trace = lua_toboolean(L, 4) ? fr_push_tracer(L, job.clock) : NULL;
    struct fr_child_end end;
    const char *what = NULL;
    pid_t pid = 0;
    int error = run_worker(cpu, limit_ns, trace, &pid, &end, &what);
    if (error)
        return fr_push_failure(L, error, what);
    push_outcome(L, shared_job);
    fr_push_end(L, pid, &end);
    if (shared.bytes > KEPT_BYTES)
        release_shared();
    return 2 + (trace ? fr_push_trace(L, trace) : 0);
}

void fr_bind_job(lua_State *L)
{
    lua_pushcfunction(L, l_sample);
    lua_setfield(L, -2, "sample");
}
