/* core.sample: one job in one fresh worker process, from the shared memory to the reaped child. */
#include "bind/process.h"

#include <errno.h>
#include <limits.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/job.h"
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

/* The offsets of a region's layout, which the table keeps alive, or NULL. */
static const int64_t *layout_of(lua_State *L, int table, struct fr_job_region *region)
{
    const int64_t *offsets = NULL;
    if (lua_getfield(L, table, "layout") != LUA_TNIL) {
        size_t slots;
        offsets = fr_to_series(L, -1, &slots);
        luaL_argcheck(L, slots > 0, 1, "a layout without slots");
        region->chain_slots = slots;
    }
    lua_pop(L, 1);
    return offsets;
}

/* Reads the regions; paths[i] is the path of a region's file, layouts[i] the offsets of its layout,
 * or NULL. */
static void read_regions(lua_State *L, struct fr_job *job, const char **paths,
                         const int64_t **layouts)
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
            .chain_is_sequential = (uint32_t)fr_field_or(L, table, "chain_is_sequential", 0),
        };
        layouts[i] = layout_of(L, table, &job->region[i]);
        paths[i] = wanted.path;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static int has_regions(const struct fr_op *op)
{
    return op->code != FR_OP_EVICT && op->code != FR_OP_SLEEP && op->code != FR_OP_SPIN &&
           op->code != FR_OP_COUNT;
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

static void lay_out_counts(struct fr_job *job, struct fr_job_phase *phase)
{
    const uint64_t align = alignof(struct fr_job_counts);
    phase->counts_offset = (job->bytes + align - 1) / align * align;
    job->bytes = phase->counts_offset + sizeof(struct fr_job_counts);
}

/* Reads the phases and lays the readings and counts out behind the struct. */
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
            luaL_argcheck(
                L, phase->iterations <= INT64_MAX / sizeof(struct fr_reading) / FR_JOB_PHASES, 1,
                "too many iterations");
            phase->readings_offset = job->bytes;
            job->bytes += phase->iterations * sizeof(struct fr_reading);
            if (job->counters)
                lay_out_counts(job, phase);
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

/* Lays layouts and paths out behind what is there already. */
static void lay_out_regions(struct fr_job *job, const char *const *paths,
                            const int64_t *const *layouts)
{
    for (uint32_t i = 0; i < job->regions; i++)
        if (layouts[i]) {
            job->region[i].layout_offset = job->bytes;
            job->bytes += job->region[i].chain_slots * sizeof(int64_t);
        }
    for (uint32_t i = 0; i < job->regions; i++)
        if (paths[i]) {
            job->region[i].path_offset = job->bytes;
            job->bytes += strlen(paths[i]) + 1;
        }
}

static void write_regions(struct fr_job *job, const char *const *paths,
                          const int64_t *const *layouts)
{
    for (uint32_t i = 0; i < job->regions; i++) {
        const struct fr_job_region *region = &job->region[i];
        if (layouts[i])
            memcpy((char *)job + region->layout_offset, layouts[i],
                   region->chain_slots * sizeof(int64_t));
        if (paths[i])
            memcpy((char *)job + region->path_offset, paths[i], strlen(paths[i]) + 1);
    }
}

static char worker_name[] = "frlua-worker";
static char *const worker_argv[] = {worker_name, NULL};

static int run_worker(int cpu, int64_t limit_ns, struct fr_trace *trace, pid_t *pid,
                      struct fr_child_end *end, const char **what)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/bin/frlua-worker", fr_paths_root());
    *what = "frlua-worker";
    if (length < 0 || (size_t)length >= sizeof path)
        return ENAMETOOLONG;
    struct fr_spawn spawn = {
        .path = path,
        .argv = worker_argv,
        .envp = environ,
        .cpu = cpu,
        .stdio = {-1, -1, -1},
        .job_fd = shared.fd,
        .own_group = 1,
        .trace = trace,
        .clock = shared.job->clock,
    };
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
    job.counters = (uint32_t)fr_field_or(L, 1, "counters", 0);
    lua_getfield(L, 1, "geometry");
    if (!lua_isnil(L, -1))
        job.geometry = fr_to_geometry(L, lua_gettop(L));
    lua_pop(L, 1);
    const char *paths[FR_JOB_REGIONS] = {NULL};
    const int64_t *layouts[FR_JOB_REGIONS] = {NULL};
    read_regions(L, &job, paths, layouts);
    read_phases(L, &job);
    lay_out_regions(&job, paths, layouts);
    struct fr_job *shared_job = reserve_shared(job.bytes);
    if (!shared_job)
        return fr_push_failure(L, errno, "shared memory for the job");
    job.bytes = shared.bytes;
    *shared_job = job;
    write_regions(shared_job, paths, layouts);
    struct fr_trace *trace = lua_toboolean(L, 4) ? fr_push_tracer(L, job.clock) : NULL;
    struct fr_child_end end;
    const char *what = NULL;
    pid_t pid = 0;
    int error = run_worker(cpu, limit_ns, trace, &pid, &end, &what);
    if (error)
        return fr_push_failure(L, error, what);
    fr_push_outcome(L, shared_job);
    fr_push_end(L, pid, &end);
    fr_set_integer(L, "argument_bytes", fr_strings_bytes(worker_argv));
    fr_set_integer(L, "environment_bytes", fr_strings_bytes(environ));
    if (shared.bytes > KEPT_BYTES)
        release_shared();
    return 2 + (trace ? fr_push_trace(L, trace) : 0);
}

void fr_bind_job(lua_State *L)
{
    lua_pushcfunction(L, l_sample);
    lua_setfield(L, -2, "sample");
}
