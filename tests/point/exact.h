/* exact.h: the sum of doubles without any error: partial sums that do not overlap, by Shewchuk's way; then rounded
 * once. */
#ifndef POINT_EXACT_H
#define POINT_EXACT_H

#include <math.h>

enum { partials_most = 64 };
typedef struct {
    double parts[partials_most];
    int count;
} exact_sum;

static void exact_add(exact_sum *sum, double x)
{
    int kept = 0;
    for (int i = 0; i < sum->count; ++i) {
        double y = sum->parts[i];
        if (fabs(x) < fabs(y)) {
            const double held = x;
            x = y, y = held;
        }
        const volatile double high = x + y, back = high - x;
        const double low = y - back;
        if (low != 0.0) sum->parts[kept++] = low;
        x = high;
    }
    sum->parts[kept] = x;
    sum->count = kept + 1;
}

/* from the largest on; of a tie the part behind it decides */
__attribute__((unused)) static double exact_round(const exact_sum *sum)
{
    int n = sum->count;
    double high = n > 0 ? sum->parts[--n] : 0.0, low = 0.0;
    while (n > 0) {
        const double x = high, y = sum->parts[--n];
        const volatile double total = x + y, back = total - x;
        high = total, low = y - back;
        if (low != 0.0) break;
    }
    if (n > 0 && ((low < 0.0 && sum->parts[n - 1] < 0.0) || (low > 0.0 && sum->parts[n - 1] > 0.0))) {
        const volatile double y = low * 2.0, x = high + y, back = x - high;
        if (y == back) high = x;
    }
    return high;
}

#endif
