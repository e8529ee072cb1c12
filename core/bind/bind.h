/* The Lua side of the host: one file per primitive, each a list of functions of `frlua.core`.
 *
 * A binding checks its arguments, makes one engine or host call and pushes the result. Failures of
 * the system are nil, message, errno. The functions are plain and unforgiving; the library in
 * lua/frlua is what scripts call, and checks values by the names that scripts give them.
 */
#ifndef FR_BIND_H
#define FR_BIND_H

#include <lauxlib.h>
#include <lua.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/audit.h"
#include "engine/ops.h"
#include "engine/pagetable.h"
#include "inspect/trace.h"

/* Opens the standard libraries, `arg`-less, and makes frlua.core known. */
void fr_bind_open(lua_State *L, int argc, char **argv, int ignore_environment);

/* Closes the state, flushes standard output; returns the exit status, with a lost output in it. */
int fr_bind_close(lua_State *L, int status);

/* The index of the first argument that belongs to the library's command line. */
void fr_bind_command_line(int first);

/* Modules are found beside this script; a symlink to it is followed. */
void fr_bind_script_directory(lua_State *L, const char *path);

/* Turns an error object into a message with traceback; one with an exit status stays as it is. */
int fr_bind_message_handler(lua_State *L);

/* The parts of frlua.core: each adds its functions to the table on top of the stack. */
void fr_bind_audit(lua_State *L);
void fr_bind_clock(lua_State *L);
void fr_bind_job(lua_State *L);
void fr_bind_lift(lua_State *L);
void fr_bind_machine(lua_State *L);
void fr_bind_process(lua_State *L);
void fr_bind_region(lua_State *L);
void fr_bind_series(lua_State *L);
void fr_bind_spawn(lua_State *L);
void fr_bind_terminal(lua_State *L);
void fr_bind_trace(lua_State *L);

/* Puts the searcher for modules beside the script and in the library into package.searchers. */
void fr_bind_searcher(lua_State *L);

/* Replaces os.exit and os.execute by ones that keep the host's promises. */
void fr_bind_os(lua_State *L);

/* nil, "what: message", errno; returns 3. */
int fr_push_failure(lua_State *L, int error, const char *what);

/* Integer fields of a table argument; the second with a value for an absent one. */
lua_Integer fr_field(lua_State *L, int table, const char *name);
lua_Integer fr_field_or(lua_State *L, int table, const char *name, lua_Integer absent);

/* table[name] = value, of the table on top of the stack. */
void fr_set_integer(lua_State *L, const char *name, int64_t value);

/* Reads operation number `i` of the list at `list`. */
struct fr_op fr_to_op(lua_State *L, int list, lua_Integer i);

/* Reads what memory a table asks for: bytes, align, offset, huge_bytes; memfd, shared, read_only,
 * populate, lock; file, whose text is valid as long as the table has it. */
struct fr_region_wanted fr_to_wanted(lua_State *L, int table);

/* Pushes { method, present_bytes, huge_bytes }. */
void fr_push_page_table(lua_State *L, const struct fr_page_table *found);

/* Pushes { { error, is_touch_loop, resident_pages, slots }, … }: what came of each operation. */
void fr_push_op_outcomes(lua_State *L, const struct fr_op_outcome *outcome, uint32_t ops);

/* Pushes a userdata with room for n 64-bit integers; its elements are the caller's to write. */
int64_t *fr_push_series(lua_State *L, size_t n);

/* The elements of a series, *n of them. */
const int64_t *fr_to_series(lua_State *L, int index, size_t *n);

/* Reads the fields page_bytes, huge_bytes, line_bytes and sets of a table; absent ones are 0. */
struct fr_geometry fr_to_geometry(lua_State *L, int table);

/* Pushes what was counted, without what the geometry does not know, and `fault`, a text with
 * fault_slot (from 1) and fault_address, where one was found. */
void fr_push_audit(lua_State *L, const struct fr_audit *audit, const struct fr_geometry *geometry);

/* Pushes { ns = series, minor_faults = {{iteration, count}, …}, major_faults = likewise }. */
void fr_push_readings(lua_State *L, const struct fr_reading *reading, size_t n);

/* Pushes a table of the fields of a struct rusage: times in ns, counts. */
struct rusage;
void fr_push_rusage(lua_State *L, const struct rusage *usage);

/* Pushes how a child ended: { how, exit_status or signal, pid, wall_ns, times, rusage, … }. */
struct fr_child_end;
void fr_push_end(lua_State *L, pid_t pid, const struct fr_child_end *end);

/* Pushes a table of a job's outcome, with what was reached of it. */
struct fr_job;
void fr_push_outcome(lua_State *L, struct fr_job *job);

/* Pushes the owner of a trace, still empty, that lives until the owner is collected. */
struct fr_trace *fr_push_tracer(lua_State *L, clockid_t clock);

/* Pushes a finished trace, or nil, message, errno; returns how many values. The table: the series
 * time_ns, address, code and kind (1: major, 2: of the kernel's code, 3: both), an element for each
 * fault; mappings = {{ time_ns, from, to, perms, path }, …}; gaps = {{ from_ns, to_ns, lost }, …};
 * lost; kernel_excluded. */
int fr_push_trace(lua_State *L, const struct fr_trace *trace);

/* Adds minor_faults, major_faults of a traced program and other_threads, or counts_error, to the
 * table on top of the stack. */
void fr_push_exec_counts(lua_State *L, const struct fr_trace *trace);

/* 1 in a child made by frlua.core.fork, which must end with _exit. */
extern int fr_in_child;

#endif
