/* The line of progress: what it says after how long, and in how many columns. */
#include "host/progress.h"

#include "host/terminal.h"

#include "test.h"

static const int64_t second = 1000000000;

static struct fr_progress example(void)
{
    return (struct fr_progress){.title = "first_run",
                                .round = ": round 3 of 10, ",
                                .arm = "prefault,sleep",
                                .done = ", 14 of 60 samples done",
                                .left_ns = 20 * second,
                                .others_ns = 17 * second};
}

static char *text_at(const struct fr_progress *progress, int64_t ns, size_t columns)
{
    static char text[4096];
    size_t taken = fr_progress_text(progress, ns, columns, text, sizeof text);
    assert_true(taken <= columns);
    return text;
}

static void the_time_left_is_counted_down_but_not_below_what_comes_after(void **state)
{
    (void)state;
    struct fr_progress progress = example();
    const char *start = "first_run: round 3 of 10, prefault,sleep, 14 of 60 samples done";
    const struct {
        int64_t ns;
        const char *end;
    } expected[] = {
        {0, ", 20 s left"},
        {second / 2, ", 20 s left"},
        {second, ", 19 s left, 1 s in this sample"},
        {5 * second / 2, ", 18 s left, 2 s in this sample"},
        {3 * second, ", 17 s left, 3 s in this sample"},
        {61 * second, ", 17 s left, 1 min 01 s in this sample"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const char *text = text_at(&progress, expected[i].ns, 1000);
        assert_memory_equal(text, start, strlen(start));
        assert_string_equal(text + strlen(start), expected[i].end);
    }
}

static void nothing_is_said_of_the_time_left_where_it_is_unknown_or_over(void **state)
{
    (void)state;
    struct fr_progress progress = example();
    progress.left_ns = -1;
    assert_null(strstr(text_at(&progress, 0, 1000), " left"));
    assert_non_null(strstr(text_at(&progress, 4 * second, 1000), "done, 4 s in this sample"));
    progress.left_ns = 2 * second;
    progress.others_ns = 0;
    assert_non_null(strstr(text_at(&progress, second, 1000), "done, 1 s left, 1 s in"));
    assert_non_null(strstr(text_at(&progress, 2 * second, 1000), "done, 2 s in this sample"));
}

static void a_narrow_line_is_cut_in_its_names_before_its_figures(void **state)
{
    (void)state;
    struct fr_progress progress = example();
    for (size_t columns = 0; columns < 120; columns++) {
        const char *text = text_at(&progress, 2 * second, columns);
        if (columns >= 73)
            assert_non_null(strstr(text, ", 14 of 60 samples done, 18 s left, 2 s in this sample"));
        if (columns >= 96)
            assert_null(strstr(text, ".."));
    }
    memset(progress.arm, 'x', 300);
    const char *text = text_at(&progress, 0, 79);
    assert_non_null(strstr(text, "first_run: round 3 of 10, xxxx"));
    assert_non_null(strstr(text, "xx.., 14 of 60 samples done, 20 s left"));
    assert_int_equal(strlen(text), 79);
}

static void wide_characters_are_never_halved(void **state)
{
    (void)state;
    struct fr_progress progress = example();
    strcpy(progress.arm, "日本語日本語日本語日本語日本語");
    for (size_t columns = 0; columns < 120; columns++) {
        const char *text = text_at(&progress, 0, columns);
        for (const unsigned char *at = (const unsigned char *)text; *at;) {
            size_t length = *at < 0x80 ? 1 : 3; /* all others here have three bytes */
            for (size_t i = 1; i < length; i++)
                assert_int_equal(at[i] & 0xC0, 0x80);
            at += length;
        }
    }
}

static void a_text_takes_the_columns_of_its_characters(void **state)
{
    (void)state;
    const struct {
        const char *text;
        size_t columns, fit, taken;
    } expected[] = {
        {"", 10, 0, 0},          {"abc", 10, 3, 3},       {"abc", 2, 2, 2},
        {"日本", 4, 6, 4},       {"日本", 3, 3, 2},       {"e\u0301x", 1, 3, 1},
        {"a\xFF\xFE", 10, 3, 3}, {"a\xE6\x97", 10, 3, 2}, {"日", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        size_t taken;
        const char *text = expected[i].text;
        assert_int_equal(fr_text_fit(text, strlen(text), expected[i].columns, &taken),
                         expected[i].fit);
        assert_int_equal(taken, expected[i].taken);
    }
}

static void a_nul_byte_has_an_end(void **state)
{
    (void)state;
    size_t taken;
    assert_int_equal(fr_text_fit("a\0b", 3, 10, &taken), 3);
}

static void what_is_no_terminal_has_no_width(void **state)
{
    (void)state;
    int file = open("/dev/null", O_RDONLY);
    assert_int_equal(fr_terminal_columns(file), -1);
    close(file);
}

static void it_may_be_stopped_twice_and_started_again(void **state)
{
    (void)state;
    cpu_set_t cpus;
    struct fr_progress progress = example();
    int kept = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    sched_getaffinity(0, sizeof cpus, &cpus);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(fr_progress_start(i % 2 ? &cpus : NULL, sizeof cpus, i % 3 == 0), 0);
        fr_progress_show(&progress);
        fr_progress_stop();
        fr_progress_stop();
    }
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(null);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_time_left_is_counted_down_but_not_below_what_comes_after),
        cmocka_unit_test(nothing_is_said_of_the_time_left_where_it_is_unknown_or_over),
        cmocka_unit_test(a_narrow_line_is_cut_in_its_names_before_its_figures),
        cmocka_unit_test(wide_characters_are_never_halved),
        cmocka_unit_test(a_text_takes_the_columns_of_its_characters),
        cmocka_unit_test(a_nul_byte_has_an_end),
        cmocka_unit_test(what_is_no_terminal_has_no_width),
        cmocka_unit_test(it_may_be_stopped_twice_and_started_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
