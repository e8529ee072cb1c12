/* Programs as children of a script: core.spawn, and what it is asked for by name. */
#include "bind/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_LIMITS = 16 };

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

lua_Integer fr_strings_bytes(char *const *strings)
{
    size_t bytes = 0;
    for (; *strings; strings++)
        bytes += strlen(*strings) + 1;
    return (lua_Integer)bytes;
}

/* A text field, which the table keeps alive; NULL when it is absent. */
static const char *text_field(lua_State *L, const char *name, size_t *bytes)
{
    lua_getfield(L, 1, name);
    const char *text = luaL_optlstring(L, -1, NULL, bytes);
    lua_pop(L, 1);
    return text;
}

static int boolean_field(lua_State *L, const char *name)
{
    lua_getfield(L, 1, name);
    int is_true = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is_true;
}

/* A file with the text, read from its start: a program can't be kept waiting by it, nor the host.
 */
static int open_text(const char *text, size_t bytes)
{
    int fd = memfd_create("stdin", MFD_CLOEXEC);
    if (fd >= 0 && (fr_write_all(fd, text, bytes) != 0 || lseek(fd, 0, SEEK_SET) != 0)) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

/* Standard input: a text, a file, or nothing. Returns a descriptor or -1. */
static int open_input(lua_State *L, const char **what)
{
    size_t bytes = 0;
    const char *text = text_field(L, "input", &bytes), *path = text_field(L, "input_file", NULL);
    *what = text ? "memfd_create" : path ? path : "/dev/null";
    return text ? open_text(text, bytes) : open(*what, O_RDONLY | O_CLOEXEC);
}

/* Output or errors: into a file, kept, or discarded. Returns a descriptor or -1. */
static int open_output(struct process *process, const char *path, lua_Integer limit,
                       const char **what)
{
    if (path) {
        *what = path;
        return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    *what = limit >= 0 ? "pipe" : "/dev/null";
    return limit >= 0 ? fr_process_capture(process, (size_t)limit)
                      : open("/dev/null", O_WRONLY | O_CLOEXEC);
}

/* Fills spawn->stdio; output and errors that have no file are kept up to `capture` bytes each, or
 * discarded; else they are the host's. Returns 0, or an errno value with *what naming what failed.
 */
static int open_stdio(lua_State *L, struct process *process, struct fr_spawn *spawn,
                      const char **what)
{
    static const char *const files[] = {NULL, "output_file", "errors_file"};
    lua_Integer limit = fr_field_or(L, 1, "capture", -1);
    int discard = boolean_field(L, "discard");
    spawn->stdio[0] = open_input(L, what);
    if (spawn->stdio[0] < 0)
        return errno;
    for (int i = 1; i <= 2; i++) {
        const char *path = text_field(L, files[i], NULL);
        if (!path && limit < 0 && !discard)
            continue;
        spawn->stdio[i] = open_output(process, path, limit, what);
        if (spawn->stdio[i] < 0)
            return errno;
    }
    return 0;
}

/* { number, value, number, value … }, a value below 0 being none; into `limit`. */
static int read_limits(lua_State *L, struct fr_limit *limit)
{
    int count = 0;
    if (lua_getfield(L, 1, "limits") != LUA_TNIL) {
        int list = lua_gettop(L);
        count = (int)luaL_len(L, list) / 2;
        luaL_argcheck(L, count <= MOST_LIMITS, 1, "too many limits");
        for (int i = 0; i < count; i++) {
            lua_rawgeti(L, list, 2 * i + 1);
            lua_rawgeti(L, list, 2 * i + 2);
            lua_Integer value = luaL_checkinteger(L, -1);
            rlim_t most = value < 0 ? RLIM_INFINITY : (rlim_t)value;
            limit[i] = (struct fr_limit){(int)luaL_checkinteger(L, -2), {most, most}};
            lua_pop(L, 2);
        }
    }
    lua_pop(L, 1);
    return count;
}

/* Starts it. Returns 0, or an errno value with *what naming what failed. */
static int start(lua_State *L, struct process *process, struct fr_spawn *spawn, const char **what)
{
    fflush(NULL);
    int error = open_stdio(L, process, spawn, what);
    if (!error)
        error = fr_child_spawn(&process->child, spawn, what);
    for (int i = 0; i < 3; i++)
        if (spawn->stdio[i] >= 0)
            close(spawn->stdio[i]);
    if (error) {
        process->child.pid = 0;
        fr_process_drop(process);
    }
    return error;
}

/* core.spawn { path =, argv = {…}, env = {…} or nil, clock =, cpu = or nil, directory = or nil,
 * limits = {…} or nil; input = text or input_file = path, else it is empty; output_file =,
 * errors_file = paths, else capture = bytes of each that are kept, or discard = true, or they are
 * the host's; traced = boolean: its page faults, by that clock }
 * -> process, bytes of its arguments, bytes of its environment | nil, message, errno */
static int l_spawn(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    struct fr_limit limit[MOST_LIMITS];
    struct fr_spawn spawn = {
        .path = text_field(L, "path", NULL),
        .envp = environ,
        .cpu = (int)fr_field_or(L, 1, "cpu", -1),
        .stdio = {-1, -1, -1},
        .job_fd = -1,
        .own_group = 1,
        .clock = (clockid_t)fr_field_or(L, 1, "clock", CLOCK_MONOTONIC),
        .directory = text_field(L, "directory", NULL),
        .limit = limit,
        .limits = read_limits(L, limit),
    };
    luaL_argcheck(L, spawn.path, 1, "there is no path");
    lua_getfield(L, 1, "argv");
    spawn.argv = to_strings(L, lua_gettop(L));
    if (lua_getfield(L, 1, "env") != LUA_TNIL)
        spawn.envp = to_strings(L, lua_gettop(L));
    struct process *process = fr_push_process(L);
    fr_trace_init(&process->trace, spawn.clock);
    spawn.trace = boolean_field(L, "traced") ? &process->trace : NULL;
    const char *what = NULL;
    int error = start(L, process, &spawn, &what);
    if (error)
        return fr_push_failure(L, error, what);
    lua_pushinteger(L, fr_strings_bytes(spawn.argv));
    lua_pushinteger(L, fr_strings_bytes(spawn.envp));
    return 3;
}

/* core.environment() -> this process' own, a list of "NAME=text" in its order */
static int l_environment(lua_State *L)
{
    lua_newtable(L);
    for (int i = 0; environ && environ[i]; i++) {
        lua_pushstring(L, environ[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* core.resources: the numbers of RLIMIT_… by their names in small letters, which differ between
 * architectures. */
static void push_resources(lua_State *L)
{
    static const struct {
        const char *name;
        int number;
    } resources[] = {
        {"as", RLIMIT_AS},           {"core", RLIMIT_CORE},
        {"cpu", RLIMIT_CPU},         {"data", RLIMIT_DATA},
        {"fsize", RLIMIT_FSIZE},     {"locks", RLIMIT_LOCKS},
        {"memlock", RLIMIT_MEMLOCK}, {"msgqueue", RLIMIT_MSGQUEUE},
        {"nice", RLIMIT_NICE},       {"nofile", RLIMIT_NOFILE},
        {"nproc", RLIMIT_NPROC},     {"rss", RLIMIT_RSS},
        {"rtprio", RLIMIT_RTPRIO},   {"rttime", RLIMIT_RTTIME},
        {"stack", RLIMIT_STACK},     {"sigpending", RLIMIT_SIGPENDING},
    };
    lua_newtable(L);
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++)
        fr_set_integer(L, resources[i].name, resources[i].number);
}

void fr_bind_spawn(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"spawn", l_spawn}, {"environment", l_environment}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
    push_resources(L);
    lua_setfield(L, -2, "resources");
}
