/* What came of a job, as a table. */
#include "bind/bind.h"

#include "engine/job.h"

/* { { event, side, error } or { event, side, value, enabled_ns, running_ns, empty }, … } of the
 * counters of a phase: `empty` is what it counted without its operations, where
 * it counted all the time. */
static void push_counts(lua_State *L, const struct fr_job_counts *counts)
{
    lua_createtable(L, FR_COUNTERS, 0);
    for (uint32_t i = 0; i < FR_COUNTERS; i++) {
        const struct fr_count *count = &counts->phase[i], *empty = &counts->empty[i];
        lua_createtable(L, 0, 6);
        lua_pushstring(L, fr_counters_at(i)->event);
        lua_setfield(L, -2, "event");
        lua_pushstring(L, fr_counters_at(i)->side);
        lua_setfield(L, -2, "side");
        if (count->error) {
            fr_set_integer(L, "error", count->error);
        } else {
            fr_set_integer(L, "value", (int64_t)count->value);
            fr_set_integer(L, "enabled_ns", (int64_t)count->enabled_ns);
            fr_set_integer(L, "running_ns", (int64_t)count->running_ns);
            if (empty->running_ns > 0 && empty->running_ns >= empty->enabled_ns)
                fr_set_integer(L, "empty", (int64_t)empty->value);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* { { ns, minor_faults, major_faults, from_ns, to_ns, counters } or false, … }: of each phase what
 * was finished; the window of the counts, and what counters counted, where all of it was. */
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
            if (phase->counts_offset && job->outcome.is_counted[i]) {
                push_counts(L, fr_job_counts(job, phase));
                lua_setfield(L, -2, "counters");
            }
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

/* Of each region what its audit counted; false for one without a layout. */
static void push_audits(lua_State *L, const struct fr_job *job)
{
    lua_createtable(L, (int)job->regions, 0);
    for (uint32_t i = 0; i < job->regions; i++) {
        if (job->region[i].layout_offset)
            fr_push_audit(L, &job->outcome.audit[i], &job->geometry);
        else
            lua_pushboolean(L, 0);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* Of each region { error, method, present_bytes, huge_bytes }; false where it was not read. */
static void push_tables(lua_State *L, const struct fr_job *job)
{
    lua_createtable(L, (int)job->regions, 0);
    for (uint32_t i = 0; i < job->regions; i++) {
        const struct fr_job_table *table = &job->outcome.table[i];
        if (table->is_read) {
            fr_push_page_table(L, &table->found);
            fr_set_integer(L, "error", table->error);
        } else {
            lua_pushboolean(L, 0);
        }
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

void fr_push_outcome(lua_State *L, struct fr_job *job)
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
    set_known(L, "main_ns", outcome->main_ns);
    set_known(L, "work_done_ns", outcome->work_done_ns);
    set_known(L, "exit_ns", outcome->exit_ns);
    if (outcome->stage == FR_STAGE_DONE)
        fr_set_integer(L, "checksum", (int64_t)outcome->checksum);
    fr_set_integer(L, "smaps_error", outcome->smaps_error);
    push_phases(L, job);
    lua_setfield(L, -2, "phases");
    push_addresses(L, job);
    lua_setfield(L, -2, "addresses");
    push_hints(L, job);
    lua_setfield(L, -2, "hints");
    push_audits(L, job);
    lua_setfield(L, -2, "audits");
    push_tables(L, job);
    lua_setfield(L, -2, "tables");
    fr_push_op_outcomes(L, outcome->op, job->ops);
    lua_setfield(L, -2, "ops");
    size_t smaps = outcome->smaps_bytes;
    lua_pushlstring(L, (const char *)job + job->smaps_offset,
                    smaps < job->smaps_capacity ? smaps : job->smaps_capacity);
    lua_setfield(L, -2, "smaps");
}
