#include "host/progress.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/clock.h"
#include "host/terminal.h"

enum { LINE_BYTES = 5 * FR_PROGRESS_BYTES };
static const int64_t second_ns = 1000000000;
static const char cut_mark[] = "..";

static struct {
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows, and of writing the line */
    pthread_cond_t changed;
    struct fr_progress shown;
    int64_t shown_ns;
    size_t columns; /* of the line that is on the terminal */
    int has_thread, is_shown, stops, clears;
} line = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void write_duration(char *text, size_t capacity, int64_t ns)
{
    long long seconds = (ns + second_ns - 1) / second_ns;
    if (seconds < 60)
        snprintf(text, capacity, "%lld s", seconds);
    else
        snprintf(text, capacity, "%lld min %02lld s", seconds / 60, seconds % 60);
}

/* ", 12 s left, 3 s in this sample": the second only when it has run for a second. */
static void write_times(const struct fr_progress *progress, int64_t ns, char *text, size_t capacity)
{
    char left[64], own[64], *next = text;
    int64_t least = progress->others_ns, remaining = progress->left_ns - ns;
    *text = 0;
    if (remaining < least)
        remaining = least;
    if (progress->left_ns >= 0 && remaining > 0) {
        write_duration(left, sizeof left, remaining);
        next += snprintf(text, capacity, ", %s left", left);
    }
    if (ns >= second_ns) {
        write_duration(own, sizeof own, ns / second_ns * second_ns);
        snprintf(next, capacity - (size_t)(next - text), ", %s in this sample", own);
    }
}

/* Appends a text, cut to so many columns; one that is cut has a mark. */
static void append(char **at, const char *text, size_t columns)
{
    size_t bytes = strlen(text), taken, mark = 0;
    size_t fit = fr_text_fit(text, bytes, columns, &taken);
    if (fit < bytes && columns > sizeof cut_mark - 1) {
        mark = sizeof cut_mark - 1;
        fit = fr_text_fit(text, bytes, columns - mark, &taken);
    }
    memcpy(*at, text, fit);
    memcpy(*at + fit, cut_mark, mark);
    *at += fit + mark;
    **at = 0;
}

static size_t columns_of(const char *text)
{
    size_t taken;
    fr_text_fit(text, strlen(text), SIZE_MAX, &taken);
    return taken;
}

size_t fr_progress_text(const struct fr_progress *progress, int64_t ns, size_t columns, char *text,
                        size_t capacity)
{
    char times[160], whole[LINE_BYTES + 8], *at = whole;
    write_times(progress, ns, times, sizeof times);
    size_t fixed = columns_of(progress->round) + columns_of(progress->done) + columns_of(times);
    size_t title = columns_of(progress->title), arm = columns_of(progress->arm);
    size_t room = columns > fixed ? columns - fixed : 0, taken;
    if (title + arm > room) {
        size_t third = room / 3;
        size_t of_title = room > arm + third ? room - arm : third;
        title = title < of_title ? title : of_title;
        arm = room - title;
    }
    append(&at, progress->title, title);
    append(&at, progress->round, SIZE_MAX);
    append(&at, progress->arm, arm);
    append(&at, progress->done, SIZE_MAX);
    append(&at, times, SIZE_MAX);
    size_t bytes = (size_t)(at - whole);
    size_t fit = fr_text_fit(whole, bytes < capacity ? bytes : capacity - 1, columns, &taken);
    memcpy(text, whole, fit);
    text[fit] = 0;
    return taken;
}

/* In one call, or a terminal would show the line half cleared. */
static void put(const char *text, size_t columns)
{
    char all[2 * LINE_BYTES];
    int bytes;
    if (line.clears)
        bytes = snprintf(all, sizeof all, "\r\33[K%s", text);
    else /* written over with spaces */
        bytes = snprintf(all, sizeof all, "\r%*s\r%s", (int)line.columns, "", text);
    (void)!write(STDERR_FILENO, all, (size_t)bytes < sizeof all ? (size_t)bytes : sizeof all - 1);
    line.columns = columns;
}

/* The last column stays free: some terminals begin a new line when it is taken. */
static void draw(void)
{
    char text[LINE_BYTES];
    int width = fr_terminal_columns(STDERR_FILENO);
    size_t columns =
        fr_progress_text(&line.shown, fr_clock_ns(CLOCK_MONOTONIC) - line.shown_ns,
                         width > 1 ? (size_t)width - 1 : LINE_BYTES - 1, text, sizeof text);
    put(text, columns);
}

static void *draw_until_stopped(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&line.lock);
    while (!line.stops) {
        int64_t next = fr_clock_ns(CLOCK_MONOTONIC) + second_ns;
        struct timespec at = {(time_t)(next / second_ns), (long)(next % second_ns)};
        pthread_cond_timedwait(&line.changed, &line.lock, &at);
        int64_t ns = fr_clock_ns(CLOCK_MONOTONIC) - line.shown_ns;
        if (!line.stops && line.is_shown && ns >= second_ns)
            draw();
    }
    pthread_mutex_unlock(&line.lock);
    return NULL;
}

static int start_thread(const cpu_set_t *cpus, size_t bytes)
{
    pthread_attr_t attributes;
    pthread_condattr_t monotonic;
    sigset_t all, before;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&line.changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_attr_init(&attributes);
    int error = pthread_attr_setaffinity_np(&attributes, bytes, cpus);
    sigfillset(&all); /* signals are for the thread that waits for samples */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!error)
        error = pthread_create(&line.thread, &attributes, draw_until_stopped, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

int fr_progress_start(const cpu_set_t *cpus, size_t bytes, int clears)
{
    fr_progress_stop();
    line.stops = 0;
    line.columns = 0;
    line.clears = clears;
    int error = cpus ? start_thread(cpus, bytes) : 0;
    line.has_thread = cpus && !error;
    return error;
}

void fr_progress_show(const struct fr_progress *progress)
{
    pthread_mutex_lock(&line.lock);
    line.shown = *progress;
    line.shown_ns = fr_clock_ns(CLOCK_MONOTONIC);
    line.is_shown = 1;
    draw();
    pthread_mutex_unlock(&line.lock);
}

void fr_progress_stop(void)
{
    if (line.has_thread) {
        pthread_mutex_lock(&line.lock);
        line.stops = 1;
        pthread_cond_signal(&line.changed);
        pthread_mutex_unlock(&line.lock);
        pthread_join(line.thread, NULL);
        pthread_cond_destroy(&line.changed);
    }
    line.has_thread = 0;
    if (line.is_shown)
        put("", 0);
    line.is_shown = 0;
}
