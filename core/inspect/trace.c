#include "inspect/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/region.h"

/* The buffer has room for some hundred thousand faults, and is halved until it is as small as the
 * user's limits ask for. The reader is woken often, so that a small one is emptied in time, too. */
enum { LARGEST_RING = 4 << 20, WAKEUP_PAGES = 2 };

void fr_trace_init(struct fr_trace *trace, clockid_t clock)
{
    memset(trace, 0, sizeof *trace);
    trace->clock = clock;
    trace->minor_fd = trace->major_fd = -1;
}

/* The first thing that went wrong is the one that is told. */
static void fail(struct fr_trace *trace, int error, const char *what)
{
    if (trace->error)
        return;
    trace->error = error;
    trace->what = what;
}

static int open_event(const struct perf_event_attr *attributes, pid_t pid)
{
    return (int)syscall(SYS_perf_event_open, attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_attr attributes_of(clockid_t clock, enum fr_trace_start start)
{
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.sample_period = 1;
    attributes.sample_type = FR_SAMPLE_TYPE;
    attributes.sample_id_all = 1;
    attributes.disabled = 1;
    attributes.enable_on_exec = start == FR_TRACE_AT_EXEC;
    attributes.use_clockid = 1;
    attributes.clockid = clock;
    attributes.watermark = 1;
    return attributes;
}

/* Both kinds of faults, and mappings with the first. */
static int open_events(struct fr_trace *trace, pid_t pid, struct perf_event_attr *attributes)
{
    attributes->config = PERF_COUNT_SW_PAGE_FAULTS_MAJ;
    trace->major_fd = open_event(attributes, pid);
    if (trace->major_fd < 0)
        return errno;
    attributes->config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
    attributes->mmap = attributes->mmap_data = attributes->mmap2 = 1;
    trace->minor_fd = open_event(attributes, pid);
    return trace->minor_fd < 0 ? errno : 0;
}

static void close_events(struct fr_trace *trace)
{
    if (trace->minor_fd >= 0)
        close(trace->minor_fd);
    if (trace->major_fd >= 0)
        close(trace->major_fd);
    trace->minor_fd = trace->major_fd = -1;
}

/* The buffer of the minor faults' event. */
static int map_ring(struct fr_trace *trace, size_t bytes)
{
    const size_t page = fr_page_bytes();
    void *memory = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, trace->minor_fd, 0);
    if (memory == MAP_FAILED)
        return errno;
    trace->control = memory;
    trace->mapped = page + bytes;
    trace->ring = (struct fr_ring){(unsigned char *)memory + page, bytes};
    return 0;
}

static void unmap_ring(struct fr_trace *trace)
{
    if (trace->control)
        munmap(trace->control, trace->mapped);
    trace->control = NULL;
}

/* Major faults go to the same buffer, and are told apart by their event's identifier. */
static int join_events(struct fr_trace *trace)
{
    int failed = ioctl(trace->major_fd, PERF_EVENT_IOC_SET_OUTPUT, trace->minor_fd);
    return failed ? failed : ioctl(trace->major_fd, PERF_EVENT_IOC_ID, &trace->records.major_id);
}

/* A machine that does not let the user trace the kernel says so by EACCES (perf_event_paranoid). */
static int open_allowed(struct fr_trace *trace, pid_t pid, struct perf_event_attr *attributes)
{
    int error = open_events(trace, pid, attributes);
    if (error != EACCES && error != EPERM)
        return error;
    close_events(trace);
    trace->kernel_excluded = attributes->exclude_kernel = 1;
    attributes->mmap = attributes->mmap_data = attributes->mmap2 = 0;
    return open_events(trace, pid, attributes);
}

void fr_trace_open(struct fr_trace *trace, pid_t pid, enum fr_trace_start start)
{
    const size_t page = fr_page_bytes();
    struct perf_event_attr attributes = attributes_of(trace->clock, start);
    attributes.wakeup_watermark = (uint32_t)(WAKEUP_PAGES * page);
    int error = open_allowed(trace, pid, &attributes);
    if (error)
        fail(trace, error, "perf_event_open");
    for (size_t pages = LARGEST_RING / page; !trace->error && !trace->control; pages /= 2) {
        error = map_ring(trace, pages * page);
        int too_large = error == EPERM || error == ENOMEM || error == EAGAIN;
        if (error && !(too_large && pages > 2 * WAKEUP_PAGES))
            fail(trace, error, "mmap of perf's buffer");
    }
    if (!trace->error && join_events(trace) != 0)
        fail(trace, errno, "ioctl of perf's events");
    if (trace->error) {
        unmap_ring(trace);
        close_events(trace);
    }
}

void fr_trace_enable(struct fr_trace *trace)
{
    if (!trace->control)
        return;
    ioctl(trace->major_fd, PERF_EVENT_IOC_ENABLE, 0);
    ioctl(trace->minor_fd, PERF_EVENT_IOC_ENABLE, 0);
}

void fr_trace_disable(struct fr_trace *trace)
{
    if (!trace->control)
        return;
    ioctl(trace->minor_fd, PERF_EVENT_IOC_DISABLE, 0);
    ioctl(trace->major_fd, PERF_EVENT_IOC_DISABLE, 0);
}

void fr_trace_drain(struct fr_trace *trace)
{
    if (!trace->control)
        return;
    /* The kernel writes the records first, then data_head; it does not overwrite what lies behind
     * data_tail (perf_event_open(2)). */
    uint64_t head = __atomic_load_n(&trace->control->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = trace->control->data_tail;
    int error = fr_records_decode(&trace->records, &trace->ring, tail, head);
    __atomic_store_n(&trace->control->data_tail, head, __ATOMIC_RELEASE);
    if (error)
        fail(trace, error, error == ENOMEM ? "memory for the trace" : "a record of perf's buffer");
}

/* How many faults an event has counted, with or without a record. */
static uint64_t events_counted(int fd)
{
    uint64_t count = 0;
    return read(fd, &count, sizeof count) == sizeof count ? count : 0;
}

void fr_trace_finish(struct fr_trace *trace)
{
    if (!trace->control)
        return;
    fr_trace_drain(trace);
    uint64_t counted = events_counted(trace->minor_fd) + events_counted(trace->major_fd);
    trace->lost = counted > trace->records.faults ? counted - trace->records.faults : 0;
    unmap_ring(trace);
    close_events(trace);
}

/* A whole number among words with one space between them; -1 when there are fewer. */
static int64_t word_at(const char *text, int index)
{
    for (; index > 0 && text; index--) {
        text = strchr(text, ' ');
        text = text ? text + 1 : NULL;
    }
    return text ? strtoll(text, NULL, 10) : -1;
}

/* The fields minflt and majflt of a stat file, which are the 8th and the 10th behind the name;
 * proc(5). The name may hold anything, and ends with the last bracket. Returns 0 or an errno value.
 */
static int read_stat(const char *path, struct fr_faults *faults)
{
    char text[1024];
    FILE *file = fopen(path, "re");
    if (!file)
        return errno;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *name_end = strrchr(text, ')');
    if (!name_end)
        return EPROTO;
    *faults = (struct fr_faults){word_at(name_end, 8), word_at(name_end, 10)};
    return faults->minor < 0 || faults->major < 0 ? EPROTO : 0;
}

void fr_trace_read_counts(struct fr_trace *trace, pid_t pid)
{
    char path[64];
    struct fr_faults process = {0, 0};
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)pid);
    trace->counts_error = read_stat(path, &trace->at_exit);
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!trace->counts_error)
        trace->counts_error = read_stat(path, &process);
    trace->other_threads =
        process.minor + process.major - trace->at_exit.minor - trace->at_exit.major;
}

void fr_trace_close(struct fr_trace *trace)
{
    unmap_ring(trace);
    close_events(trace);
    fr_records_free(&trace->records);
}
