#include "engine/series.h"

#include <string.h>

static void swap(int64_t *a, int64_t *b)
{
    int64_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Hoare's selection: afterwards values[k] is what it would be if all were sorted, nothing before it
 * is larger and nothing behind it smaller. */
static void select_kth(int64_t *values, size_t n, size_t k)
{
    size_t first = 0, last = n - 1;
    while (first < last) {
        int64_t pivot = values[first + (last - first) / 2];
        size_t i = first, j = last;
        for (;;) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i >= j)
                break;
            swap(&values[i++], &values[j--]);
        }
        if (k <= j) /* values[j] is not above the pivot: that is where j has stopped */
            last = j;
        else
            first = j + 1;
    }
}

void fr_series_middle(int64_t *values, size_t n, int64_t *low, int64_t *high)
{
    size_t upper = n / 2;
    select_kth(values, n, upper);
    *high = *low = values[upper];
    if (n % 2 == 0) {
        *low = values[0];
        for (size_t i = 1; i < upper; i++)
            if (values[i] > *low)
                *low = values[i];
    }
}

static double mean_of(int64_t low, int64_t high)
{
    return (double)low + (double)(high - low) / 2;
}

/* Replaces one value of a sorted window. */
static void slide(int64_t *sorted, size_t window, int64_t leaving, int64_t entering)
{
    size_t i = 0;
    while (sorted[i] != leaving)
        i++;
    for (; i + 1 < window && sorted[i + 1] < entering; i++)
        sorted[i] = sorted[i + 1];
    for (; i > 0 && sorted[i - 1] > entering; i--)
        sorted[i] = sorted[i - 1];
    sorted[i] = entering;
}

size_t fr_series_steady(const int64_t *values, size_t n, size_t window, double fraction,
                        int64_t *scratch)
{
    if (window == 0 || n < 2 * window)
        return n;
    int64_t low, high;
    memcpy(scratch, values + n / 2, (n - n / 2) * sizeof *values);
    fr_series_middle(scratch, n - n / 2, &low, &high);
    double steady = mean_of(low, high);

    /* From the end backwards, as long as the running median stays near. */
    int64_t *sorted = scratch;
    for (size_t i = 0; i < window; i++)
        sorted[i] = values[n - window];
    for (size_t i = 1; i < window; i++)
        slide(sorted, window, values[n - window], values[n - window + i]);
    for (size_t start = n - window;; start--) {
        double median = mean_of(sorted[(window - 1) / 2], sorted[window / 2]);
        double distance = median > steady ? median - steady : steady - median;
        if (distance > fraction * steady)
            return start + 1 > n - window ? n : start + 1;
        if (start == 0)
            return 0;
        slide(sorted, window, values[start + window - 1], values[start - 1]);
    }
}
