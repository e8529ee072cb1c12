/* Faults of known kinds and number: one write a page, MADV_POPULATE_WRITE, mlock(2), read(2), each
 * on as many new pages of its own. A line for each: its name, the address, and before and after it
 * the time, by system call, and then the process' count of faults.
 *
 *   fault_kinds PAGES        the four kinds, on PAGES pages each
 *   fault_kinds PAGES stop   the writes only, while the process that started this one is stopped
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { KINDS = 4, POPULATE_WRITE = 23 };

struct reading {
    long long ns, faults;
};

static const char *const names[KINDS] = {"write", "populate", "mlock", "read"};
static size_t page, bytes;
static int zero;

static struct reading read_faults(void)
{
    struct timespec now;
    struct rusage usage;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    getrusage(RUSAGE_SELF, &usage);
    return (struct reading){now.tv_sec * 1000000000LL + now.tv_nsec,
                            usage.ru_minflt + usage.ru_majflt};
}

static int act(int kind, unsigned char *memory)
{
    switch (kind) {
    case 0:
        for (size_t i = 0; i < bytes; i += page)
            ((volatile unsigned char *)memory)[i] = 1;
        return 0;
    case 1:
        return madvise(memory, bytes, POPULATE_WRITE);
    case 2:
        return mlock(memory, bytes);
    default:
        return read(zero, memory, bytes) == (ssize_t)bytes ? 0 : -1;
    }
}

int main(int argc, char **argv)
{
    int stop = argc > 2, kinds = stop ? 1 : KINDS, failed[KINDS];
    unsigned char *memory[KINDS];
    struct reading before[KINDS], after[KINDS];
    page = (size_t)sysconf(_SC_PAGESIZE);
    bytes = page * strtoul(argc > 1 ? argv[1] : "8", NULL, 10);
    zero = open("/dev/zero", O_RDONLY);
    for (int kind = 0; kind < kinds; kind++) {
        memory[kind] =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        madvise(memory[kind], bytes, MADV_NOHUGEPAGE);
        madvise(memory[kind], 0, MADV_NORMAL); /* all of their code has run once */
        mlock(memory[kind], 0);
        before[kind] = after[kind] = read_faults();
    }
    if (stop)
        kill(getppid(), SIGSTOP);
    for (int kind = 0; kind < kinds; kind++) {
        (void)!read(zero, memory[kind], 0);
        before[kind] = read_faults();
        failed[kind] = act(kind, memory[kind]);
        after[kind] = read_faults();
    }
    if (stop)
        kill(getppid(), SIGCONT);
    for (int kind = 0; kind < kinds; kind++)
        if (!failed[kind])
            printf("%s %lld %lld %lld %lld %lld\n", names[kind], (long long)(size_t)memory[kind],
                   before[kind].ns, before[kind].faults, after[kind].ns, after[kind].faults);
    return 0;
}
