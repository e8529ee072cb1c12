/* For LD_PRELOAD: waits busily, PLANT_NS long, in the part of a process start that PLANT names,
 * once. Who else runs on the CPU makes it longer: how long it was goes to the end of the file
 * PLANT_LOG, as "pid ns". Each place is a function that the host or the worker calls anyway:
 *
 *   start  prctl: of the host's child, before its exec
 *   load   a constructor: before the worker's main
 *   work   the worker's first sched_getcpu: before its phases
 *   leave  its second: after them
 *   end    _exit: when its last reading of the clock is over
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void wait_in(const char *place)
{
    const char *plant = getenv("PLANT"), *length = getenv("PLANT_NS");
    if (!plant || !length || strcmp(plant, place) != 0)
        return;
    int64_t start = now_ns(), now;
    do
        now = now_ns();
    while (now < start + atoll(length));
    char line[64];
    int bytes = snprintf(line, sizeof line, "%d %lld\n", getpid(), (long long)(now - start));
    int log = open(getenv("PLANT_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    (void)!write(log, line, (size_t)bytes);
    close(log);
}

static int is_worker(void)
{
    return strcmp(program_invocation_short_name, "frlua-worker") == 0;
}

__attribute__((constructor)) static void load(void)
{
    if (is_worker())
        wait_in("load");
}

int prctl(int option, ...)
{
    va_list list;
    va_start(list, option);
    unsigned long argument = va_arg(list, unsigned long);
    va_end(list);
    wait_in("start");
    return (int)syscall(SYS_prctl, option, argument, 0UL, 0UL, 0UL);
}

int sched_getcpu(void)
{
    static int calls;
    unsigned cpu = 0;
    if (is_worker())
        wait_in(++calls == 1 ? "work" : calls == 2 ? "leave" : "");
    return syscall(SYS_getcpu, &cpu, NULL, NULL) == 0 ? (int)cpu : -1;
}

void _exit(int status)
{
    if (is_worker())
        wait_in("end");
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}
