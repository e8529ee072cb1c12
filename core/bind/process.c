/* Children of a script: programs (core.spawn) and forks of the host (core.fork). */
#include "bind/bind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/child.h"
#include "host/exit.h"
#include "host/interrupt.h"

struct process {
    struct fr_trace trace; /* of a traced program */
    struct fr_child child; /* pid 0: not started, or reaped */
    struct fr_capture capture[2];
    int captures;
};

static const char type_name[] = "frlua.process";

static struct process *push_process(lua_State *L)
{
    struct process *process = lua_newuserdatauv(L, sizeof *process, 0);
    *process = (struct process){.capture = {{.fd = -1}, {.fd = -1}}};
    fr_trace_init(&process->trace, CLOCK_MONOTONIC);
    luaL_setmetatable(L, type_name);
    return process;
}

static void drop_kept(struct process *process)
{
    fr_trace_close(&process->trace);
    for (int i = 0; i < process->captures; i++) {
        if (process->capture[i].fd >= 0)
            close(process->capture[i].fd);
        free(process->capture[i].data);
    }
    process->captures = 0;
}

/* Kills and reaps what still runs. */
static int l_close(lua_State *L)
{
    struct process *process = luaL_checkudata(L, 1, type_name);
    struct fr_child_end end;
    if (process->child.pid > 0)
        fr_child_wait(&process->child, 0, process->capture, process->captures, &end);
    process->child.pid = 0;
    drop_kept(process);
    return 0;
}

void fr_push_end(lua_State *L, pid_t pid, const struct fr_child_end *end)
{
    static const char *const how[] = {"exited", "killed", "timed out", "interrupted"};
    lua_createtable(L, 0, 8);
    lua_pushstring(L, how[end->how]);
    lua_setfield(L, -2, "how");
    lua_pushinteger(L, end->status);
    lua_setfield(L, -2, end->how == FR_EXITED ? "exit_status" : "signal");
    lua_pushinteger(L, pid);
    lua_setfield(L, -2, "pid");
    lua_pushinteger(L, end->wall_ns);
    lua_setfield(L, -2, "wall_ns");
    if (end->peak_resident_bytes >= 0) {
        lua_pushinteger(L, end->peak_resident_bytes);
        lua_setfield(L, -2, "peak_resident_bytes");
    }
    fr_push_rusage(L, &end->rusage);
    lua_setfield(L, -2, "rusage");
}

/* process:wait(limit_ns) -> end, first captured text, second, bytes dropped | nil, message, errno;
 * of a traced program there follows the trace | nil, message, errno of one that was refused */
static int l_wait(lua_State *L)
{
    struct process *process = luaL_checkudata(L, 1, type_name);
    luaL_argcheck(L, process->child.pid > 0, 1, "the process was waited for already");
    struct fr_child_end end;
    int error = fr_child_wait(&process->child, luaL_optinteger(L, 2, -1), process->capture,
                              process->captures, &end);
    pid_t pid = process->child.pid;
    process->child.pid = 0;
    if (error)
        return fr_push_failure(L, error, "wait");
    fr_push_end(L, pid, &end);
    size_t dropped = 0;
    for (int i = 0; i < 2; i++) {
        const struct fr_capture *capture = &process->capture[i];
        lua_pushlstring(L, capture->data ? capture->data : "", capture->bytes);
        dropped += capture->dropped;
    }
    lua_pushinteger(L, (lua_Integer)dropped);
    int traced = process->child.trace ? fr_push_trace(L, &process->trace) : 0;
    if (traced == 1)
        fr_push_exec_counts(L, &process->trace);
    drop_kept(process); /* the collector does not know how large they are */
    return 4 + traced;
}

/* A list of strings as a NULL-terminated array; owned by the userdata left on the stack. */
static char **to_strings(lua_State *L, int list)
{
    lua_Integer n = luaL_len(L, list);
    char **strings = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *strings, 0);
    for (lua_Integer i = 0; i < n; i++) {
        lua_rawgeti(L, list, i + 1);
        strings[i] = (char *)(uintptr_t)luaL_checkstring(L, -1); /* the list keeps it alive */
        lua_pop(L, 1);
    }
    strings[n] = NULL;
    return strings;
}

/* A pipe whose read end is the process' next capture; returns the write end, or -1. */
static int open_capture(struct process *process, size_t limit)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    process->capture[process->captures++] = (struct fr_capture){.fd = ends[0], .limit = limit};
    return ends[1];
}

/* Fills spawn->stdio: standard input is empty; output and errors are kept up to `limit` bytes each,
 * or discarded; else they are the host's. Returns 0, or an errno value with *what naming what
 * failed. */
static int open_stdio(struct process *process, struct fr_spawn *spawn, lua_Integer limit,
                      int discard, const char **what)
{
    *what = "/dev/null";
    spawn->stdio[0] = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (spawn->stdio[0] < 0)
        return errno;
    *what = "pipe";
    for (int i = 1; i <= 2; i++) {
        if (limit >= 0)
            spawn->stdio[i] = open_capture(process, (size_t)limit);
        else if (discard)
            spawn->stdio[i] = fcntl(spawn->stdio[0], F_DUPFD_CLOEXEC, 0);
        if (spawn->stdio[i] < 0 && (limit >= 0 || discard))
            return errno;
    }
    return 0;
}

/* core.spawn { path =, argv = {…}, env = {…} or nil, cpu = or nil, capture = bytes or nil,
 * discard = boolean, traced = boolean: its page faults, by CLOCK_MONOTONIC }: standard input is
 * empty; with `capture`, output and errors are kept up to that many bytes each, with `discard` not
 * at all, without either they are the host's.
 * -> process | nil, message, errno */
static int l_spawn(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    struct fr_spawn spawn = {.envp = environ, .stdio = {-1, -1, -1}, .job_fd = -1, .own_group = 1};
    spawn.cpu = (int)fr_field_or(L, 1, "cpu", -1);
    lua_Integer limit = fr_field_or(L, 1, "capture", -1);
    lua_getfield(L, 1, "path");
    spawn.path = luaL_checkstring(L, -1);
    lua_getfield(L, 1, "argv");
    spawn.argv = to_strings(L, lua_gettop(L));
    if (lua_getfield(L, 1, "env") != LUA_TNIL)
        spawn.envp = to_strings(L, lua_gettop(L));
    lua_getfield(L, 1, "discard");
    int discard = lua_toboolean(L, -1);
    struct process *process = push_process(L);
    lua_getfield(L, 1, "traced");
    spawn.trace = lua_toboolean(L, -1) ? &process->trace : NULL;
    lua_pop(L, 1);
    const char *what = NULL;
    fflush(NULL);
    int error = open_stdio(process, &spawn, limit, discard, &what);
    if (!error)
        error = fr_child_spawn(&process->child, &spawn, &what);
    for (int i = 0; i < 3; i++)
        if (spawn.stdio[i] >= 0)
            close(spawn.stdio[i]);
    if (error) {
        process->child.pid = 0;
        drop_kept(process);
        return fr_push_failure(L, error, what);
    }
    return 1;
}

/* Returns 0 when all of it was written. */
static int write_all(int fd, const char *text, size_t left)
{
    while (left > 0) {
        ssize_t written = write(fd, text, left);
        if (written < 0 && errno != EINTR)
            return -1;
        if (written > 0) {
            text += written;
            left -= (size_t)written;
        }
    }
    return 0;
}

/* The life of a forked child: it never comes back to the script, whatever happens in `main`. What
 * it printed must have reached its file, as in the host. Its standard input is `empty`: a process
 * of a group in the background is stopped when it reads a terminal. */
static _Noreturn void live_as_child(lua_State *L, int main, int result, int empty)
{
    fr_in_child = 1;
    fr_interrupt_restore();
    dup2(empty, STDIN_FILENO);
    __fpurge(stdin); /* what the host has read ahead is the host's */
    lua_pushvalue(L, main);
    lua_pcall(L, 0, 1, 0); /* a message, when memory is short, takes the place of the text */
    size_t bytes = 0;
    const char *text = lua_tolstring(L, -1, &bytes);
    int lost = fflush(NULL) != 0 || ferror(stdout);
    if (write_all(result, text, bytes) != 0 || lost)
        _exit(FR_EXIT_OUTPUT);
    _exit(0);
}

/* core.fork(main) -> process | nil, message, errno. The child calls main(); the text that it
 * returns is the process' first captured one. */
static int l_fork(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    struct process *process = push_process(L);
    int result = open_capture(process, SIZE_MAX);
    if (result < 0)
        return fr_push_failure(L, errno, "pipe");
    int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (empty < 0) {
        int refused = errno;
        close(result);
        return fr_push_failure(L, refused, "/dev/null");
    }
    fflush(NULL); /* or both would write what the host has buffered */
    int error = fr_child_fork(&process->child);
    if (!error && process->child.pid == 0)
        live_as_child(L, 1, result, empty);
    close(empty);
    close(result);
    if (error) {
        process->child.pid = 0;
        drop_kept(process);
        return fr_push_failure(L, error, "fork");
    }
    return 1;
}

/* core.pin(cpu) -> true | nil, message, errno: for this process. */
static int l_pin(lua_State *L)
{
    int error = fr_child_pin((int)luaL_checkinteger(L, 1));
    if (error)
        return fr_push_failure(L, error, "sched_setaffinity");
    lua_pushboolean(L, 1);
    return 1;
}

void fr_bind_process(lua_State *L)
{
    static const luaL_Reg methods[] = {{"wait", l_wait}, {"close", l_close}, {NULL, NULL}};
    static const luaL_Reg metamethods[] = {{"__gc", l_close}, {"__close", l_close}, {NULL, NULL}};
    static const luaL_Reg functions[] = {
        {"spawn", l_spawn}, {"fork", l_fork}, {"pin", l_pin}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
    luaL_newmetatable(L, type_name);
    luaL_setfuncs(L, metamethods, 0);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}
