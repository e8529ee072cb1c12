/* What is shown on a terminal: its width, that of texts, and the line of progress. */
#include "bind/bind.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/progress.h"
#include "host/terminal.h"

/* core.terminal_columns(fd) -> integer, 0 for a terminal that does not tell | nil, message, errno
 */
static int l_terminal_columns(lua_State *L)
{
    int columns = fr_terminal_columns((int)luaL_checkinteger(L, 1));
    if (columns < 0)
        return fr_push_failure(L, errno, "TIOCGWINSZ");
    lua_pushinteger(L, columns);
    return 1;
}

/* core.text_fit(text [, columns]) -> the bytes that fit, the columns that they take */
static int l_text_fit(lua_State *L)
{
    size_t bytes, taken;
    const char *text = luaL_checklstring(L, 1, &bytes);
    lua_Integer columns = luaL_optinteger(L, 2, LUA_MAXINTEGER);
    luaL_argcheck(L, columns >= 0, 2, "no width");
    size_t fit = fr_text_fit(text, bytes, (size_t)columns, &taken);
    lua_pushinteger(L, (lua_Integer)fit);
    lua_pushinteger(L, (lua_Integer)taken);
    return 2;
}

/* core.progress_start(cpus, clears) -> true | nil, message, errno. The line is written anew once a
 * second on those CPUs; with none it only changes when it is shown. */
static int l_progress_start(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer n = luaL_len(L, 1), largest = 0;
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(L, 1, i);
        lua_Integer cpu = luaL_checkinteger(L, -1);
        luaL_argcheck(L, cpu >= 0 && cpu < INT32_MAX, 1, "no CPU");
        largest = cpu > largest ? cpu : largest;
        lua_pop(L, 1);
    }
    size_t bytes = CPU_ALLOC_SIZE((size_t)largest + 1);
    cpu_set_t *set = n > 0 ? calloc(1, bytes) : NULL;
    for (lua_Integer i = 1; set && i <= n; i++) {
        lua_rawgeti(L, 1, i);
        CPU_SET_S((size_t)lua_tointeger(L, -1), bytes, set);
        lua_pop(L, 1);
    }
    int error = fr_progress_start(set, bytes, lua_toboolean(L, 2));
    free(set);
    if (error)
        return fr_push_failure(L, error, "pthread_create");
    lua_pushboolean(L, 1);
    return 1;
}

/* A text that is longer than anybody has a line for is cut. */
static void to_text(lua_State *L, const char *name, char text[FR_PROGRESS_BYTES])
{
    size_t bytes, taken;
    lua_getfield(L, 1, name);
    const char *from = luaL_checklstring(L, -1, &bytes);
    size_t fit = fr_text_fit(from, bytes, FR_PROGRESS_BYTES / 8, &taken);
    if (fit >= FR_PROGRESS_BYTES)
        fit = FR_PROGRESS_BYTES - 1;
    memcpy(text, from, fit);
    text[fit] = 0;
    lua_pop(L, 1);
}

/* core.progress_show { title, round, arm, done = texts, left_ns, others_ns }, see host/progress.h
 */
static int l_progress_show(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    struct fr_progress progress = {.left_ns = fr_field_or(L, 1, "left_ns", -1),
                                   .others_ns = fr_field_or(L, 1, "others_ns", 0)};
    to_text(L, "title", progress.title);
    to_text(L, "round", progress.round);
    to_text(L, "arm", progress.arm);
    to_text(L, "done", progress.done);
    fr_progress_show(&progress);
    return 0;
}

static int l_progress_stop(lua_State *L)
{
    (void)L;
    fr_progress_stop();
    return 0;
}

void fr_bind_terminal(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"terminal_columns", l_terminal_columns}, {"text_fit", l_text_fit},
        {"progress_start", l_progress_start},     {"progress_show", l_progress_show},
        {"progress_stop", l_progress_stop},       {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
