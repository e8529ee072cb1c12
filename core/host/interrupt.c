#include "host/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "engine/clock.h"
#include "host/exit.h"

static volatile sig_atomic_t interrupts, deferred;
static int64_t first_ns; /* when it came; only the handler uses it */
/* One Ctrl-C may arrive twice: from the terminal and from a starter such as timeout(1). */
static const int64_t same_interrupt_ns = 200000000;
static void (*ask_to_stop)(void);

static _Noreturn void stop_now(int signal_number)
{
    static const char message[] = "frlua: interrupted\n";
    (void)signal_number;
    (void)!write(STDERR_FILENO, message, sizeof message - 1);
    _exit(FR_EXIT_INTERRUPTED);
}

static void on_interrupt(int signal_number)
{
    int64_t now = fr_clock_ns(CLOCK_MONOTONIC);
    if (interrupts && now - first_ns < same_interrupt_ns)
        return;
    if (interrupts)
        stop_now(signal_number);
    first_ns = now;
    interrupts = 1;
    if (deferred)
        return;
    alarm(1);
    if (ask_to_stop)
        ask_to_stop();
}

void fr_interrupt_install(void (*ask)(void))
{
    struct sigaction action = {.sa_handler = on_interrupt}; /* no SA_RESTART: blocked reads end */
    struct sigaction last_resort = {.sa_handler = stop_now};
    ask_to_stop = ask;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGALRM, &last_resort, NULL);
}

int fr_interrupted(void)
{
    return interrupts;
}

void fr_interrupt_clear(void)
{
    alarm(0);
    interrupts = 0;
}

void fr_interrupt_defer(int on)
{
    deferred = on;
}

void fr_interrupt_restore(void)
{
    fr_interrupt_clear();
    signal(SIGINT, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
}
