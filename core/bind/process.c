/* Children of a script: the handle, its wait, and forks of the host (core.fork). */
#include "bind/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/exit.h"
#include "host/interrupt.h"

static const char type_name[] = "frlua.process";

struct process *fr_push_process(lua_State *L)
{
    struct process *process = lua_newuserdatauv(L, sizeof *process, 0);
    *process = (struct process){.capture = {{.fd = -1}, {.fd = -1}}};
    fr_trace_init(&process->trace, CLOCK_MONOTONIC);
    luaL_setmetatable(L, type_name);
    return process;
}

void fr_process_drop(struct process *process)
{
    fr_trace_close(&process->trace);
    for (int i = 0; i < process->captures; i++) {
        if (process->capture[i].fd >= 0)
            close(process->capture[i].fd);
        free(process->capture[i].data);
    }
    process->captures = 0;
}

int fr_process_capture(struct process *process, size_t limit)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    process->capture[process->captures++] = (struct fr_capture){.fd = ends[0], .limit = limit};
    return ends[1];
}

/* Kills and reaps what still runs. */
static int l_close(lua_State *L)
{
    struct process *process = luaL_checkudata(L, 1, type_name);
    struct fr_child_end end;
    if (process->child.pid > 0)
        fr_child_wait(&process->child, 0, process->capture, process->captures, &end);
    process->child.pid = 0;
    fr_process_drop(process);
    return 0;
}

/* { start_ns, exec_ns, exec_seen_ns, exit_seen_ns, reaped_ns }; what is unknown is left out. */
static void push_moments(lua_State *L, const struct fr_moments *at)
{
    const struct {
        const char *name;
        int64_t ns;
    } moments[] = {
        {"start_ns", at->start_ns},         {"exec_ns", at->exec_ns},
        {"exec_seen_ns", at->exec_seen_ns}, {"exit_seen_ns", at->exit_seen_ns},
        {"reaped_ns", at->reaped_ns},
    };
    lua_createtable(L, 0, 5);
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++)
        if (moments[i].ns >= 0)
            fr_set_integer(L, moments[i].name, moments[i].ns);
}

void fr_push_end(lua_State *L, pid_t pid, const struct fr_child_end *end)
{
    static const char *const how[] = {"exited", "killed", "timed out", "interrupted"};
    lua_createtable(L, 0, 8);
    lua_pushstring(L, how[end->how]);
    lua_setfield(L, -2, "how");
    lua_pushinteger(L, end->status);
    lua_setfield(L, -2, end->how == FR_EXITED ? "exit_status" : "signal");
    fr_set_integer(L, "pid", pid);
    fr_set_integer(L, "wall_ns", end->at.reaped_ns - end->at.start_ns);
    push_moments(L, &end->at);
    lua_setfield(L, -2, "times");
    if (end->peak_resident_bytes >= 0)
        fr_set_integer(L, "peak_resident_bytes", end->peak_resident_bytes);
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
    fr_process_drop(process); /* the collector does not know how large they are */
    return 4 + traced;
}

int fr_write_all(int fd, const char *text, size_t left)
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
    if (fr_write_all(result, text, bytes) != 0 || lost)
        _exit(FR_EXIT_OUTPUT);
    _exit(0);
}

/* core.fork(main) -> process | nil, message, errno. The child calls main(); the text that it
 * returns is the process' first captured one. */
static int l_fork(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    struct process *process = fr_push_process(L);
    int result = fr_process_capture(process, SIZE_MAX);
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
        fr_process_drop(process);
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
    static const luaL_Reg functions[] = {{"fork", l_fork}, {"pin", l_pin}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
    luaL_newmetatable(L, type_name);
    luaL_setfuncs(L, metamethods, 0);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}
