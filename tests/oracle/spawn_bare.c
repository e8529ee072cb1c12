/* spawn_bare PROGRAM: how long posix_spawn and waitpid of a program take, in ns, once. */
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: spawn_bare PROGRAM\n");
        return 2;
    }
    char *arguments[] = {argv[1], NULL};
    pid_t pid;
    int status;
    long long start = now();
    if (posix_spawn(&pid, argv[1], NULL, NULL, arguments, environ) != 0)
        return 1;
    if (waitpid(pid, &status, 0) != pid || status != 0)
        return 1;
    printf("%lld\n", now() - start);
    return 0;
}
