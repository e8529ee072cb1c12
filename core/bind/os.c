/* os.exit and os.execute as the host needs them, and the end of the process. */
#include "bind/bind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/child.h"
#include "host/exit.h"
#include "host/interrupt.h"

int fr_in_child;

/* A script whose output did not reach its file has not succeeded, whatever it returned. */
static int flush_output(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "frlua: cannot write standard output: %s\n",
            errno ? strerror(errno) : "an earlier write failed");
    return status == FR_EXIT_INTERRUPTED ? status : FR_EXIT_OUTPUT;
}

int fr_bind_close(lua_State *L, int status)
{
    lua_close(L);
    /* A script that caught the interrupt's error has been interrupted all the same. */
    return flush_output(fr_interrupted() ? FR_EXIT_INTERRUPTED : status);
}

/* os.exit([code [, close]]) as in lua, with the output checked; in a forked child it leaves the
 * host's buffers and handlers alone. */
static int l_exit(lua_State *L)
{
    int status = lua_isboolean(L, 1) ? (lua_toboolean(L, 1) ? EXIT_SUCCESS : EXIT_FAILURE)
                                     : (int)luaL_optinteger(L, 1, EXIT_SUCCESS);
    if (fr_in_child) {
        fflush(NULL);
        _exit(status);
    }
    if (lua_toboolean(L, 2))
        lua_close(L);
    exit(flush_output(status));
}

/* os.execute([command]) as in lua. system(3) would have the host ignore SIGINT meanwhile. */
static int l_execute(lua_State *L)
{
    const char *line = luaL_optstring(L, 1, NULL);
    if (!line) {
        lua_pushboolean(L, access("/bin/sh", X_OK) == 0);
        return 1;
    }
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)line, NULL};
    struct fr_spawn spawn = {
        .path = "/bin/sh",
        .argv = argv,
        .envp = environ,
        .cpu = -1,
        .stdio = {-1, -1, -1},
        .job_fd = -1,
        .clock = CLOCK_MONOTONIC,
    };
    struct fr_child child;
    struct fr_child_end end;
    const char *what = NULL;
    fflush(NULL);
    int error = fr_child_spawn(&child, &spawn, &what);
    if (!error)
        error = fr_child_wait(&child, -1, NULL, 0, &end);
    if (error)
        return fr_push_failure(L, error, what);
    if (end.how == FR_EXITED && end.status == 0)
        lua_pushboolean(L, 1);
    else
        luaL_pushfail(L);
    lua_pushstring(L, end.how == FR_EXITED ? "exit" : "signal");
    lua_pushinteger(L, end.status);
    return 3;
}

void fr_bind_os(lua_State *L)
{
    static const luaL_Reg functions[] = {{"exit", l_exit}, {"execute", l_execute}, {NULL, NULL}};
    lua_getglobal(L, "os");
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
