/* Medians and the steady rule, against sorting and against the rule written down as it is said. */
#include "engine/series.h"

#include "test.h"

enum { MOST = 400 };

static int by_value(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void sorted_middle(const int64_t *values, size_t n, int64_t *low, int64_t *high)
{
    int64_t sorted[MOST];
    memcpy(sorted, values, n * sizeof *values);
    qsort(sorted, n, sizeof *sorted, by_value);
    *low = sorted[(n - 1) / 2];
    *high = sorted[n / 2];
}

static void check_middle(const int64_t *values, size_t n)
{
    int64_t work[MOST], low, high, expected_low, expected_high;
    memcpy(work, values, n * sizeof *values);
    sorted_middle(values, n, &expected_low, &expected_high);
    fr_series_middle(work, n, &low, &high);
    assert_true(low == expected_low);
    assert_true(high == expected_high);
    qsort(work, n, sizeof *work, by_value); /* reordered, nothing lost */
    for (size_t i = 0; i + 1 < n; i++)
        assert_true(work[i] <= work[i + 1]);
    assert_true(work[(n - 1) / 2] == expected_low);
}

static void the_middle_values_are_those_of_the_sorted_series(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (size_t round = 0; round < 4000; round++) {
        int64_t values[MOST];
        size_t n = 1 + next_random(&seed) % (round % 2 ? MOST : 12);
        uint64_t kinds = 1 + next_random(&seed) % (round % 3 ? 1000000 : 4); /* few: many equal */
        for (size_t i = 0; i < n; i++)
            values[i] = (int64_t)(next_random(&seed) % kinds);
        check_middle(values, n);
    }
}

static void order_does_not_matter(void **state)
{
    (void)state;
    int64_t rising[MOST], falling[MOST], organ[MOST], equal[MOST];
    for (size_t n = 1; n <= MOST; n++) {
        for (size_t i = 0; i < n; i++) {
            rising[i] = (int64_t)i;
            falling[i] = (int64_t)(n - i);
            organ[i] = (int64_t)(i < n / 2 ? i : n - i);
            equal[i] = 7;
        }
        check_middle(rising, n);
        check_middle(falling, n);
        check_middle(organ, n);
        check_middle(equal, n);
    }
}

static void large_values_lose_no_digit(void **state)
{
    (void)state;
    const int64_t exact = ((int64_t)1 << 53) + 1;
    check_middle((const int64_t[]){exact, exact + 2}, 2);
    check_middle((const int64_t[]){INT64_MAX, INT64_MAX - 2, INT64_MIN, INT64_MIN + 1}, 4);
    check_middle((const int64_t[]){INT64_MIN, INT64_MAX}, 2);
}

static double median(const int64_t *values, size_t n)
{
    int64_t low, high;
    sorted_middle(values, n, &low, &high);
    return ((double)low + (double)high) / 2;
}

/* The first index from which on every running median stays near the second half's. */
static size_t steady_as_said(const int64_t *values, size_t n, size_t window, double fraction)
{
    if (window == 0 || n < 2 * window)
        return n;
    double level = median(values + n / 2, n - n / 2);
    for (size_t first = 0; first + window <= n; first++) {
        size_t start = first;
        for (; start + window <= n; start++) {
            double distance = median(values + start, window) - level;
            if (distance > fraction * level || -distance > fraction * level)
                break;
        }
        if (start + window > n)
            return first;
    }
    return n;
}

/* Series as timings make them: a slow start that decays, noise, now and then an outlier. */
static void make_series(int64_t *values, size_t n, uint64_t *seed)
{
    int64_t level = 100 + (int64_t)(next_random(seed) % 1000);
    int64_t extra = (int64_t)(next_random(seed) % 1000);
    uint64_t noise = 1 + next_random(seed) % (uint64_t)(level / 4),
             outlier = 2 + next_random(seed) % 30;
    for (size_t i = 0; i < n; i++) {
        values[i] = level + extra / (int64_t)(i / 4 + 1) + (int64_t)(next_random(seed) % noise);
        if (next_random(seed) % outlier == 0)
            values[i] *= 5;
    }
}

static void the_steady_state_begins_where_the_rule_says(void **state)
{
    (void)state;
    uint64_t seed = 5;
    size_t seen_first = 0, seen_later = 0, seen_none = 0;
    for (int round = 0; round < 3000; round++) {
        int64_t values[MOST], scratch[MOST];
        size_t n = 1 + next_random(&seed) % 120, window = 1 + next_random(&seed) % 21;
        double fraction = (double)(next_random(&seed) % 10) / 100;
        make_series(values, n, &seed);
        size_t expected = steady_as_said(values, n, window, fraction);
        assert_int_equal(fr_series_steady(values, n, window, fraction, scratch), expected);
        seen_first += expected == 0;
        seen_none += expected == n;
        seen_later += expected > 0 && expected < n;
    }
    assert_true(seen_first > 100 && seen_later > 100 && seen_none > 100);
}

static void a_series_that_never_settles_or_is_too_short_has_no_steady_state(void **state)
{
    (void)state;
    int64_t values[MOST], scratch[MOST];
    for (size_t i = 0; i < MOST; i++)
        values[i] = (int64_t)(100 * i);
    assert_int_equal(fr_series_steady(values, MOST, 20, 0.02, scratch), MOST);
    for (size_t i = 0; i < MOST; i++)
        values[i] = 100;
    assert_int_equal(fr_series_steady(values, 39, 20, 0.02, scratch), 39);
    assert_int_equal(fr_series_steady(values, 40, 20, 0.02, scratch), 0);
    assert_int_equal(fr_series_steady(values, 0, 20, 0.02, scratch), 0);
    assert_int_equal(fr_series_steady(values, 10, 0, 0.02, scratch), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_middle_values_are_those_of_the_sorted_series),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(large_values_lose_no_digit),
        cmocka_unit_test(the_steady_state_begins_where_the_rule_says),
        cmocka_unit_test(a_series_that_never_settles_or_is_too_short_has_no_steady_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
