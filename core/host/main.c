/* The frlua command: what `lua` takes and does, and experiments.
 *
 * A script that returns nothing is a plain Lua program. What a script returns goes to the library
 * (frlua.cli), which is loaded only then, or when a long option or a subcommand comes first.
 */
#include <fcntl.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bind/bind.h"
#include "host/exit.h"
#include "host/interrupt.h"
#include "host/options.h"

static lua_State *running; /* for the signal handler */

static void raise_interrupt(lua_State *L, lua_Debug *unused)
{
    (void)unused;
    lua_sethook(L, NULL, 0, 0);
    luaL_error(L, "interrupted!");
}

static void ask_to_stop(void)
{
    int mask = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
    lua_sethook(running, raise_interrupt, mask, 1);
}

/* Prints the error on top of the stack and pops it. Returns the exit status: an error object may
 * bring its own (the library's usage errors do), everything else is 1. */
static int report(lua_State *L)
{
    int status = FR_EXIT_SCRIPT;
    if (luaL_getmetafield(L, -1, "__exit_status") != LUA_TNIL) {
        status = (int)lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    const char *message = luaL_tolstring(L, -1, NULL);
    if (*message)
        fprintf(stderr, "frlua: %s\n", message);
    lua_pop(L, 2);
    return fr_interrupted() ? FR_EXIT_INTERRUPTED : status;
}

/* Calls what is on the stack. Returns 0 with the results on the stack, or the exit status. */
static int call(lua_State *L, int arguments, int results)
{
    int base = lua_gettop(L) - arguments;
    lua_pushcfunction(L, fr_bind_message_handler);
    lua_insert(L, base);
    int failed = lua_pcall(L, arguments, results, base) != LUA_OK;
    lua_remove(L, base);
    return failed ? report(L) : 0;
}

/* Calls frlua.cli's function `name`; its arguments, already pushed, are below. */
static int call_cli(lua_State *L, const char *name, int arguments, int results)
{
    lua_getglobal(L, "require");
    lua_pushliteral(L, "frlua.cli");
    int status = call(L, 1, 1);
    if (status)
        return status;
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
    lua_insert(L, -1 - arguments);
    return call(L, arguments, results);
}

static int run_text(lua_State *L, const char *text, const char *name)
{
    if (luaL_loadbuffer(L, text, strlen(text), name) != LUA_OK)
        return report(L);
    return call(L, 0, 0);
}

/* -l name, or -l global=name. */
static int run_require(lua_State *L, char *name)
{
    char *module = strchr(name, '=');
    if (module)
        *module++ = '\0';
    else
        module = name;
    lua_getglobal(L, "require");
    lua_pushstring(L, module);
    int status = call(L, 1, 1);
    if (!status)
        lua_setglobal(L, name);
    return status;
}

static int run_init(lua_State *L)
{
    const char *name = "=LUA_INIT_5_4", *init = getenv("LUA_INIT_5_4");
    if (!init) {
        name = "=LUA_INIT";
        init = getenv("LUA_INIT");
    }
    if (!init)
        return 0;
    if (init[0] != '@')
        return run_text(L, init, name);
    return luaL_loadfile(L, init + 1) == LUA_OK ? call(L, 0, 0) : report(L);
}

/* The global `arg`, as lua sets it: the script at 0, what comes before it at negative indices;
 * without a script the command itself is at 0. */
static void set_arg(lua_State *L, int argc, char **argv, int script)
{
    if (script >= argc)
        script = 0;
    lua_createtable(L, argc - script, script + 1);
    for (int i = 0; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i - script);
    }
    lua_setglobal(L, "arg");
}

/* Whether the script has asked for its arguments, so that the library's options were taken out. */
static int took_options(lua_State *L)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    int taken = lua_getfield(L, -1, "frlua.cli") != LUA_TNIL;
    lua_pop(L, 2);
    return taken;
}

/* Runs argv[script] ("-": standard input) and hands what it returns to the library. `first` is
 * where options that are not lua's begin. */
static int run_script(lua_State *L, int argc, char **argv, int script, int first)
{
    int base = lua_gettop(L);
    int from_stdin = strcmp(argv[script], "-") == 0 && strcmp(argv[script - 1], "--") != 0;
    const char *path = from_stdin ? NULL : argv[script];
    if (path)
        fr_bind_script_directory(L, path);
    if (luaL_loadfile(L, path) != LUA_OK)
        return report(L);
    luaL_checkstack(L, argc - script, "too many arguments");
    for (int i = script + 1; i < argc; i++)
        lua_pushstring(L, argv[i]);
    int status = call(L, argc - script - 1, LUA_MULTRET);
    int returned = lua_gettop(L) - base;
    if (status || (returned == 0 && first == script && !took_options(L)))
        return status;
    status = call_cli(L, "finish", returned, 1);
    return status ? status : (int)lua_tointeger(L, -1);
}

struct command {
    int argc;
    char **argv;
    struct fr_options options;
};

/* Runs the -e, -l and -W before `end` in their order. */
static int run_options(lua_State *L, char **argv, int end)
{
    int status = 0;
    for (int i = 1; i < end && !status; i++) {
        char kind = argv[i][1];
        if (kind == 'W')
            lua_warning(L, "@on", 0);
        if (kind != 'e' && kind != 'l')
            continue;
        char *value = argv[i][2] ? argv[i] + 2 : argv[++i];
        status = kind == 'e' ? run_text(L, value, "=(command line)") : run_require(L, value);
    }
    return status;
}

static int run_repl(lua_State *L)
{
    lua_getglobal(L, "require");
    lua_pushliteral(L, "frlua.repl");
    int status = call(L, 1, 1);
    return status ? status : call(L, 0, 0);
}

/* An option of the library's, or a subcommand: the library says which argument is the script.
 * Returns its index, or -1 with *status when there is none to run. */
static int find_script(lua_State *L, int first, int *status)
{
    lua_pushinteger(L, first);
    *status = call_cli(L, "begin", 1, 2);
    if (*status)
        return -1;
    int script = lua_isinteger(L, -2) ? (int)lua_tointeger(L, -2) : -1;
    *status = (int)lua_tointeger(L, -1);
    lua_pop(L, 2);
    return script;
}

static int run_all(lua_State *L, int argc, char **argv, const struct fr_options *options)
{
    int first = options->next, ended = argv[first] && strcmp(argv[first], "--") == 0;
    int script = first += ended;
    set_arg(L, argc, argv, script);
    int status = options->environment_ignored ? 0 : run_init(L);
    if (!status)
        status = run_options(L, argv, first);
    if (status)
        return status;
    fr_bind_command_line(first);
    if (!ended && argv[first] && fr_options_is_command(argv[first])) {
        script = find_script(L, first, &status);
        if (script < 0 || status)
            return status;
        set_arg(L, argc, argv, script);
    }
    if (script < argc)
        status = run_script(L, argc, argv, script, first);
    else if (!options->interactive && (options->executed || options->version))
        return 0;
    else if (!options->interactive && !isatty(STDIN_FILENO))
        return luaL_loadfile(L, NULL) == LUA_OK ? call(L, 0, 0) : report(L);
    else
        return run_repl(L);
    return status || !options->interactive ? status : run_repl(L);
}

/* All that may raise a Lua error (a lack of memory, at least), under the pcall of main. */
static int protected_main(lua_State *L)
{
    const struct command *command = lua_touserdata(L, 1);
    const struct fr_options *options = &command->options;
    if (options->version)
        printf("frlua %s  %s\n", FRLUA_VERSION, LUA_COPYRIGHT);
    fr_bind_open(L, command->argc, command->argv, options->environment_ignored);
    lua_pushinteger(L, run_all(L, command->argc, command->argv, options));
    return 1;
}

/* A descriptor that the starter has closed is taken by one that fails when it is used: otherwise
 * the next file that is opened would become standard output. */
static void occupy_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    occupy_standard_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of its write */
    struct command command = {argc, argv, {0}};
    int status = fr_options_read(&command.options, argv);
    if (status)
        return status;
    lua_State *L = luaL_newstate();
    if (!L) {
        fprintf(stderr, "frlua: not enough memory to start\n");
        return FR_EXIT_SCRIPT;
    }
    running = L;
    fr_interrupt_install(ask_to_stop);
    lua_pushcfunction(L, protected_main);
    lua_pushlightuserdata(L, &command);
    status = lua_pcall(L, 1, 1, 0) == LUA_OK ? (int)lua_tointeger(L, -1) : report(L);
    return fr_bind_close(L, status);
}
