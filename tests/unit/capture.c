/* Output that is captured while a child is waited for, and what a child leaves behind. */
#include "child.h"

#include <dirent.h>

enum { OUTPUT, ERRORS, STREAMS };

/* Starts `sh -c line` with both streams captured, and waits for it. The texts are the caller's. */
static struct fr_child_end captured(char *line, size_t limit, struct fr_capture *capture)
{
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, line, NULL};
    struct fr_spawn spawn = shell(argv);
    int ends[STREAMS][2];
    for (int i = 0; i < STREAMS; i++) {
        assert_int_equal(pipe2(ends[i], O_CLOEXEC), 0);
        capture[i] = (struct fr_capture){.fd = ends[i][0], .limit = limit};
        spawn.stdio[1 + i] = ends[i][1];
    }
    struct fr_child child = started(&spawn);
    close(ends[OUTPUT][1]);
    close(ends[ERRORS][1]);
    struct fr_child_end end;
    assert_int_equal(fr_child_wait(&child, -1, capture, STREAMS, &end), 0);
    return end;
}

static void free_captures(struct fr_capture *capture)
{
    for (int i = 0; i < STREAMS; i++) {
        assert_int_equal(capture[i].fd, -1);
        free(capture[i].data);
    }
}

static int descriptors_open(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static void both_streams_arrive_whole_although_each_fills_its_pipe(void **state)
{
    (void)state;
    char line[] =
        "head -c 200000 /dev/zero | tr '\\0' e >&2; head -c 300000 /dev/zero | tr '\\0' o;"
        "exit 3";
    struct fr_capture capture[STREAMS];
    struct fr_child_end end = captured(line, SIZE_MAX, capture);
    assert_int_equal(end.how, FR_EXITED);
    assert_int_equal(end.status, 3);
    assert_int_equal(capture[OUTPUT].bytes, 300000);
    assert_int_equal(capture[ERRORS].bytes, 200000);
    for (size_t i = 0; i < 200000; i++)
        assert_true(capture[OUTPUT].data[i] == 'o' && capture[ERRORS].data[i] == 'e');
    assert_int_equal(capture[OUTPUT].dropped + capture[ERRORS].dropped, 0);
    free_captures(capture);
}

static void what_exceeds_the_limit_is_read_counted_and_dropped(void **state)
{
    (void)state;
    char line[] = "echo first; head -c 200000 /dev/zero; echo error >&2";
    struct fr_capture capture[STREAMS];
    captured(line, 6, capture);
    assert_int_equal(capture[OUTPUT].bytes, 6);
    assert_memory_equal(capture[OUTPUT].data, "first\n", 6);
    assert_int_equal(capture[OUTPUT].dropped, 200000);
    assert_memory_equal(capture[ERRORS].data, "error\n", 6);
    assert_int_equal(capture[ERRORS].dropped, 0);
    free_captures(capture);
    captured(line, 0, capture);
    assert_int_equal(capture[OUTPUT].bytes, 0);
    assert_int_equal(capture[OUTPUT].dropped, 200006);
    free_captures(capture);
}

static void a_child_that_closes_its_output_and_runs_on_is_waited_for(void **state)
{
    (void)state;
    struct fr_capture capture[STREAMS];
    char line[] = "exec >&- 2>&-; sleep 0.1; exit 4";
    assert_int_equal(captured(line, SIZE_MAX, capture).status, 4);
    free_captures(capture);
}

/* In a session of its own; its pid is told once it has come there. */
#define OUTSIDE(command)                                                                           \
    "setsid " command " & until [ $(cut -d' ' -f6 /proc/$!/stat) = $! ]; do :; done; echo $!"

static pid_t grandchild_of(const struct fr_capture *capture)
{
    pid_t pid = (pid_t)strtol(capture[OUTPUT].data, NULL, 10);
    assert_true(pid > 1);
    return pid;
}

static void a_grandchild_outside_of_the_group_that_holds_the_pipe_is_not_waited_for(void **state)
{
    (void)state;
    struct fr_capture capture[STREAMS];
    char line[] = OUTSIDE("sleep 300");
    assert_int_equal(captured(line, SIZE_MAX, capture).how, FR_EXITED);
    pid_t grandchild = grandchild_of(capture);
    assert_int_equal(waitpid(grandchild, NULL, WNOHANG), 0); /* alive */
    kill(grandchild, SIGKILL);
    status_of_orphan(grandchild);
    free_captures(capture);
}

static void nor_is_one_that_goes_on_writing(void **state)
{
    (void)state;
    struct fr_capture capture[STREAMS];
    char line[] = OUTSIDE("yes >&2");
    assert_int_equal(captured(line, 1000, capture).how, FR_EXITED);
    pid_t grandchild = grandchild_of(capture);
    kill(grandchild, SIGKILL);
    status_of_orphan(grandchild);
    free_captures(capture);
}

static void a_grandchild_left_in_the_group_is_killed(void **state)
{
    (void)state;
    struct fr_capture capture[STREAMS];
    char line[] = "sleep 300 & echo $!";
    assert_int_equal(captured(line, SIZE_MAX, capture).how, FR_EXITED);
    int status = status_of_orphan(grandchild_of(capture));
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    free_captures(capture);
}

static void no_zombie_and_no_descriptor_is_left(void **state)
{
    (void)state;
    int before = descriptors_open();
    for (int i = 0; i < 20; i++) {
        struct fr_capture capture[STREAMS];
        char line[] = "echo x";
        captured(line, SIZE_MAX, capture);
        free_captures(capture);
    }
    assert_int_equal(descriptors_open(), before);
    assert_no_child_is_left();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_streams_arrive_whole_although_each_fills_its_pipe),
        cmocka_unit_test(what_exceeds_the_limit_is_read_counted_and_dropped),
        cmocka_unit_test(a_child_that_closes_its_output_and_runs_on_is_waited_for),
        cmocka_unit_test(a_grandchild_outside_of_the_group_that_holds_the_pipe_is_not_waited_for),
        cmocka_unit_test(nor_is_one_that_goes_on_writing),
        cmocka_unit_test(a_grandchild_left_in_the_group_is_killed),
        cmocka_unit_test(no_zombie_and_no_descriptor_is_left),
    };
    return RUN_NATIVELY(tests);
}
