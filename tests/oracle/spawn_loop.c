/* spawn_loop CPU NAME=VALUE PROGRAM: for every byte on standard input one process of the program,
 * by posix_spawn from a plain loop on that CPU, with that environment alone and this standard
 * output. Exit status: 0, 1 refused. */
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc != 4)
        return 1;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(atoi(argv[1]), &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0)
        return 1;
    char *environment[] = {argv[2], NULL}, *arguments[] = {argv[3], NULL}, byte;
    while (read(STDIN_FILENO, &byte, 1) == 1) {
        pid_t pid;
        int status;
        if (posix_spawn(&pid, argv[3], NULL, NULL, arguments, environment) != 0 ||
            waitpid(pid, &status, 0) != pid || status != 0)
            return 1;
    }
    return 0;
}
