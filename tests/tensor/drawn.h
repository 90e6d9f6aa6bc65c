/* drawn.h: samples and taps of all ranges, and a sum of them judged by one in double. */
#ifndef DRAWN_H
#define DRAWN_H

#include <math.h>
#include "random.h"

static double uniform(void)
{
    return ((double)below(1 << 24) + 0.5) / (1 << 24);
}

static double sign(void)
{
    return below(2) ? 1.0 : -1.0;
}

/* ---- Samples and taps: all of a kind, or few of another among them */
enum { PLAIN, SIGNED, EQUAL, WIDE, HUGE_AMONG_TINY, DENORMAL, FEW_ZERO, LARGE, NEARLY_WIDE, SPECIAL, SAMPLE_KINDS };
static const char *const kind_names[] = {
    "0 to 1",   "both signs",  "all equal to 1",   "1e-30 to 1e30",    "1e30 in 1e-30",
    "denormal", "mostly zero", "near the largest", "2^26 in the mean", "infinities, no numbers"};

static double sample_of(int kind)
{
    switch (kind) {
    case PLAIN:
        return uniform();
    case SIGNED:
        return 2.0 * uniform() - 1.0;
    case EQUAL:
        return 1.0;
    case WIDE:
        return sign() * pow(10.0, 60.0 * uniform() - 30.0);
    case HUGE_AMONG_TINY:
        return below(300) ? 1e-30 * uniform() : 1e30;
    case DENORMAL:
        return sign() * (double)below(1 << 20) * 0x1p-149;
    case FEW_ZERO:
        return below(50) ? 0.0 : sign() * uniform() * pow(2.0, -(double)below(30));
    case LARGE:
        return sign() * (1e36 + 1e36 * uniform());
    case NEARLY_WIDE:
        return sign() * (1.0 + uniform()) * pow(2.0, -(double)below(27));
    default:
        return below(2000) ? uniform() : below(2) ? sign() * (double)INFINITY : (double)NAN;
    }
}

static double tap_of(int kind)
{
    if (kind == 1) return sign() * pow(10.0, 40.0 * uniform() - 20.0);
    if (kind == 2) return below(3) ? 0.0 : sign() * uniform() * 1e-20;
    if (kind == 4) return sign() * (1.0 + uniform()) * pow(2.0, -(double)below(26));
    return kind == 3 ? 1.0 : 2.0 * uniform() - 1.0;
}

/* the largest errors of tensor cores and of sums of floats, over sum |w||x|, in 2^-24 */
typedef struct {
    double here, floats;
    size_t wrong, compared;
} errors;

/* judges an output of so many taps by its sum in double; size: that of magnitudes; plain: that of floats in order */
static void judge_sum(errors *found, int taps, double sum, double size, float plain, double got)
{
    if (isnan(sum) || isinf(sum)) {
        found->wrong += (size_t)(isnan(sum) ? !isnan(got) : got != sum);
    } else if (size < 1e38) { /* else sums of floats in another order overflow */
        const double off = fabs(got - sum);
        found->wrong += (size_t) !(off <= taps * (0x1p-24 * size + 0x1p-149));
        if (size > 1e-30) found->here = fmax(found->here, off / size * 0x1p24);
        if (size > 1e-30) found->floats = fmax(found->floats, fabs((double)plain - sum) / size * 0x1p24);
    }
    ++found->compared;
}

#endif
