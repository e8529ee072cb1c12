#include "host/guard.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>

static sigjmp_buf way_back;
static const struct fr_region *watched;
static uint32_t watched_count;
static struct fr_trap *told;

static void on_trap(int signal_number, siginfo_t *info, void *unused)
{
    (void)unused;
    uintptr_t address = (uintptr_t)info->si_addr;
    for (uint32_t i = 0; i < watched_count; i++) {
        uintptr_t base = (uintptr_t)watched[i].base;
        if (address < base || address - base >= watched[i].mapped)
            continue;
        *told = (struct fr_trap){signal_number, i, address - base};
        siglongjmp(way_back, 1);
    }
    signal(signal_number, SIG_DFL); /* the access is repeated, and ends the process */
}

void fr_guard(const struct fr_region *region, uint32_t regions, void (*run)(void *), void *argument,
              struct fr_trap *trap)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO}, bus, segv;
    watched = region;
    watched_count = regions;
    told = trap;
    trap->signal = 0;
    sigaction(SIGBUS, &action, &bus);
    sigaction(SIGSEGV, &action, &segv);
    if (sigsetjmp(way_back, 1) == 0)
        run(argument);
    sigaction(SIGBUS, &bus, NULL);
    sigaction(SIGSEGV, &segv, NULL);
}
