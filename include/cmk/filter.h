/* filter.h: the taps of well-known filters, at compile time as lists for CMK_TABLE_VALUES, or at run time as arrays.
 *
 *   2 RADIUS + 1 taps, along a row or a column:
 *   CMK_FILTER_BOX(RADIUS)              equal, of sum 1
 *   CMK_FILTER_BINOMIAL(RADIUS)         the row 2 RADIUS of Pascal's triangle / 4^RADIUS: of sum 1 exactly, of variance
 *                                       RADIUS / 2; near a Gauss of SIGMA sqrt(RADIUS / 2)
 *   CMK_FILTER_GAUSS(RADIUS, SIGMA)     exp(-k^2 / (2 SIGMA^2)) at k = -RADIUS .. RADIUS, divided by their sum; beyond
 *                                       3 SIGMA lies 0.3 % of a Gauss
 *   CMK_FILTER_DERIVATIVE(NTH, ACCURACY, STEP)
 *                                       the first or second derivative, by NTH, of samples that are STEP apart, by
 *                                       central differences. It is exact for polynomials of a degree up to ACCURACY +
 *                                       NTH - 1; RADIUS is ACCURACY / 2
 *   CMK_FILTER_SOBEL_SMOOTH             1 2 1, and
 *   CMK_FILTER_SOBEL_DIFFERENCE         -1 0 1; Sobel's filters are products of these two
 *
 *   3 x 3 integer taps, as rows in braces for a SHAPE of [3][3]:
 *   CMK_FILTER_SOBEL_ACROSS             8 times the derivative along a row
 *   CMK_FILTER_SOBEL_DOWN               8 times the derivative along a column
 *   CMK_FILTER_LAPLACE                  the sum of both second derivatives
 *   CMK_FILTER_SHARPEN                  an image minus its Laplacian, of sum 1
 *
 *   At run time, into arrays of double or of float:
 *   cmk_filter_box(taps, radius)        the taps above, 2 radius + 1 of them, of any radius from 0 up
 *   cmk_filter_binomial(taps, radius)
 *   cmk_filter_gauss(taps, radius, sigma)
 *                                       sigma above 0, in samples
 *   cmk_filter_derivative(taps, radius, nth, step)
 *                                       the first or second derivative, by nth (1 or 2), of samples that are step
 *                                       apart; of accuracy 2 radius; radius is at least 1
 *   cmk_filter_outer(table, down, rows, across, columns)
 *                                       table[r * columns + c] = down[r] * across[c]: a 2D filter of rows x columns
 *                                       taps from two 1D filters, down of rows taps and across of columns taps
 *   cmk_filter_float(to, from, count)   count floats from doubles
 *
 * RADIUS is 1 to 8, and 1 to 16 for a Gauss; NTH is 1 or 2; ACCURACY is 2, 4, 6 or 8. Each is a decimal literal, or a
 * macro that stands for one. SIGMA and STEP are constant expressions above 0. The lists hold constant expressions,
 * which serve for tables of every source. They are of int where all taps are whole, and of double elsewhere. Each tap
 * is right to 2e-15 of its value, a tap of a Gauss to 2.5e-14; a Gauss has 0 for taps below 2e-28 of the largest.
 * Functions compute in double, and round once where an array is of float.
 * The taps are for correlation: out[i] = sum of taps[k] in[i + k - RADIUS]. For a convolution, turn the sign of the
 * first derivative and of Sobel. The functions run on host and device. taps[radius] is the centre, so that taps +
 * radius is the table that CMK_STENCIL_1D_SYMMETRIC and CMK_STENCIL_1D_ANTISYMMETRIC read.
 *
 *   CMK_TABLE_VALUES(LITERAL, float, gauss, [7], CMK_FILTER_GAUSS(3, 1.0));
 *   CMK_TABLE_VALUES(CONSTANT, double, slope, [9], CMK_FILTER_DERIVATIVE(1, 8, 0.01));
 *   CMK_TABLE_VALUES(CONSTANT, int, edges, [3][3], CMK_FILTER_SOBEL_ACROSS); */
#ifndef CMK_FILTER_H
#define CMK_FILTER_H

#include "base.h"

/* ---- Lists. The helpers take the taps from the centre outwards; s is the factor of every tap. */
/* clang-format off */
#define CMK_FILTER_BOX(RADIUS) CMK_FILTER_BOX_(RADIUS)
#define CMK_FILTER_BINOMIAL(RADIUS) CMK_FILTER_BINOMIAL_(RADIUS)
#define CMK_FILTER_GAUSS(RADIUS, SIGMA) CMK_FILTER_GAUSS_(RADIUS, 2.0 * (SIGMA) * (SIGMA))
#define CMK_FILTER_DERIVATIVE(NTH, ACCURACY, STEP) CMK_FILTER_DERIVATIVE_(NTH, ACCURACY, STEP)

#define CMK_FILTER_BOX_(RADIUS) CMK_FILTER_NORMAL_(RADIUS, CMK_FILTER_BOX_##RADIUS##_)
#define CMK_FILTER_BINOMIAL_(RADIUS) CMK_FILTER_NORMAL_(RADIUS, CMK_FILTER_BINOMIAL_##RADIUS##_)
#define CMK_FILTER_GAUSS_(RADIUS, S) CMK_FILTER_GAUSS_##RADIUS##_(CMK_FILTER_SHARE_(CMK_FILTER_BELLS_##RADIUS##_(S)), S)
#define CMK_FILTER_DERIVATIVE_(NTH, ACCURACY, STEP) CMK_FILTER_DERIVATIVE_##NTH##_##ACCURACY##_((double)(STEP))

#define CMK_FILTER_NORMAL_(RADIUS, ...) CMK_FILTER_SYMMETRIC_##RADIUS##_(CMK_FILTER_SCALE_(__VA_ARGS__), __VA_ARGS__)
#define CMK_FILTER_SCALE_(...) (1.0 / CMK_FILTER_SUM_(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0))
#define CMK_FILTER_SHARE_(bells) (1.0 / (1 + 2 * (bells)))
#define CMK_FILTER_SUM_(a, b, c, d, e, f, g, h, i, ...) (a + 2 * (b + c + d + e + f + g + h + i))

#define CMK_FILTER_SYMMETRIC_1_(s, a, b) s * b, s * a, s * b
#define CMK_FILTER_SYMMETRIC_2_(s, a, b, c) s * c, CMK_FILTER_SYMMETRIC_1_(s, a, b), s * c
#define CMK_FILTER_SYMMETRIC_3_(s, a, b, c, d) s * d, CMK_FILTER_SYMMETRIC_2_(s, a, b, c), s * d
#define CMK_FILTER_SYMMETRIC_4_(s, a, b, c, d, e) s * e, CMK_FILTER_SYMMETRIC_3_(s, a, b, c, d), s * e
#define CMK_FILTER_SYMMETRIC_5_(s, a, b, c, d, e, f) s * f, CMK_FILTER_SYMMETRIC_4_(s, a, b, c, d, e), s * f
#define CMK_FILTER_SYMMETRIC_6_(s, a, b, c, d, e, f, g) s * g, CMK_FILTER_SYMMETRIC_5_(s, a, b, c, d, e, f), s * g
#define CMK_FILTER_SYMMETRIC_7_(s, a, b, c, d, e, f, g, h) s * h, CMK_FILTER_SYMMETRIC_6_(s, a, b, c, d, e, f, g), s * h
#define CMK_FILTER_SYMMETRIC_8_(s, a, b, c, d, e, f, g, h, i)                                                          \
    s * i, CMK_FILTER_SYMMETRIC_7_(s, a, b, c, d, e, f, g, h), s * i

#define CMK_FILTER_ANTISYMMETRIC_1_(s, a) -s * a, 0, s * a
#define CMK_FILTER_ANTISYMMETRIC_2_(s, a, b) -s * b, CMK_FILTER_ANTISYMMETRIC_1_(s, a), s * b
#define CMK_FILTER_ANTISYMMETRIC_3_(s, a, b, c) -s * c, CMK_FILTER_ANTISYMMETRIC_2_(s, a, b), s * c
#define CMK_FILTER_ANTISYMMETRIC_4_(s, a, b, c, d) -s * d, CMK_FILTER_ANTISYMMETRIC_3_(s, a, b, c), s * d

#define CMK_FILTER_BOX_1_ 1, 1
#define CMK_FILTER_BOX_2_ 1, 1, 1
#define CMK_FILTER_BOX_3_ 1, 1, 1, 1
#define CMK_FILTER_BOX_4_ 1, 1, 1, 1, 1
#define CMK_FILTER_BOX_5_ 1, 1, 1, 1, 1, 1
#define CMK_FILTER_BOX_6_ 1, 1, 1, 1, 1, 1, 1
#define CMK_FILTER_BOX_7_ 1, 1, 1, 1, 1, 1, 1, 1
#define CMK_FILTER_BOX_8_ 1, 1, 1, 1, 1, 1, 1, 1, 1

#define CMK_FILTER_BINOMIAL_1_ 2, 1
#define CMK_FILTER_BINOMIAL_2_ 6, 4, 1
#define CMK_FILTER_BINOMIAL_3_ 20, 15, 6, 1
#define CMK_FILTER_BINOMIAL_4_ 70, 56, 28, 8, 1
#define CMK_FILTER_BINOMIAL_5_ 252, 210, 120, 45, 10, 1
#define CMK_FILTER_BINOMIAL_6_ 924, 792, 495, 220, 66, 12, 1
#define CMK_FILTER_BINOMIAL_7_ 3432, 3003, 2002, 1001, 364, 91, 14, 1
#define CMK_FILTER_BINOMIAL_8_ 12870, 11440, 8008, 4368, 1820, 560, 120, 16, 1

#define CMK_FILTER_GAUSS_1_(s, S) s * CMK_FILTER_BELL_(1, S), s, s * CMK_FILTER_BELL_(1, S)
#define CMK_FILTER_GAUSS_2_(s, S) s * CMK_FILTER_BELL_(2, S), CMK_FILTER_GAUSS_1_(s, S), s * CMK_FILTER_BELL_(2, S)
#define CMK_FILTER_GAUSS_3_(s, S) s * CMK_FILTER_BELL_(3, S), CMK_FILTER_GAUSS_2_(s, S), s * CMK_FILTER_BELL_(3, S)
#define CMK_FILTER_GAUSS_4_(s, S) s * CMK_FILTER_BELL_(4, S), CMK_FILTER_GAUSS_3_(s, S), s * CMK_FILTER_BELL_(4, S)
#define CMK_FILTER_GAUSS_5_(s, S) s * CMK_FILTER_BELL_(5, S), CMK_FILTER_GAUSS_4_(s, S), s * CMK_FILTER_BELL_(5, S)
#define CMK_FILTER_GAUSS_6_(s, S) s * CMK_FILTER_BELL_(6, S), CMK_FILTER_GAUSS_5_(s, S), s * CMK_FILTER_BELL_(6, S)
#define CMK_FILTER_GAUSS_7_(s, S) s * CMK_FILTER_BELL_(7, S), CMK_FILTER_GAUSS_6_(s, S), s * CMK_FILTER_BELL_(7, S)
#define CMK_FILTER_GAUSS_8_(s, S) s * CMK_FILTER_BELL_(8, S), CMK_FILTER_GAUSS_7_(s, S), s * CMK_FILTER_BELL_(8, S)
#define CMK_FILTER_GAUSS_9_(s, S) s * CMK_FILTER_BELL_(9, S), CMK_FILTER_GAUSS_8_(s, S), s * CMK_FILTER_BELL_(9, S)
#define CMK_FILTER_GAUSS_10_(s, S) s * CMK_FILTER_BELL_(10, S), CMK_FILTER_GAUSS_9_(s, S), s * CMK_FILTER_BELL_(10, S)
#define CMK_FILTER_GAUSS_11_(s, S) s * CMK_FILTER_BELL_(11, S), CMK_FILTER_GAUSS_10_(s, S), s * CMK_FILTER_BELL_(11, S)
#define CMK_FILTER_GAUSS_12_(s, S) s * CMK_FILTER_BELL_(12, S), CMK_FILTER_GAUSS_11_(s, S), s * CMK_FILTER_BELL_(12, S)
#define CMK_FILTER_GAUSS_13_(s, S) s * CMK_FILTER_BELL_(13, S), CMK_FILTER_GAUSS_12_(s, S), s * CMK_FILTER_BELL_(13, S)
#define CMK_FILTER_GAUSS_14_(s, S) s * CMK_FILTER_BELL_(14, S), CMK_FILTER_GAUSS_13_(s, S), s * CMK_FILTER_BELL_(14, S)
#define CMK_FILTER_GAUSS_15_(s, S) s * CMK_FILTER_BELL_(15, S), CMK_FILTER_GAUSS_14_(s, S), s * CMK_FILTER_BELL_(15, S)
#define CMK_FILTER_GAUSS_16_(s, S) s * CMK_FILTER_BELL_(16, S), CMK_FILTER_GAUSS_15_(s, S), s * CMK_FILTER_BELL_(16, S)

#define CMK_FILTER_BELLS_1_(S) CMK_FILTER_BELL_(1, S)
#define CMK_FILTER_BELLS_2_(S) CMK_FILTER_BELLS_1_(S) + CMK_FILTER_BELL_(2, S)
#define CMK_FILTER_BELLS_3_(S) CMK_FILTER_BELLS_2_(S) + CMK_FILTER_BELL_(3, S)
#define CMK_FILTER_BELLS_4_(S) CMK_FILTER_BELLS_3_(S) + CMK_FILTER_BELL_(4, S)
#define CMK_FILTER_BELLS_5_(S) CMK_FILTER_BELLS_4_(S) + CMK_FILTER_BELL_(5, S)
#define CMK_FILTER_BELLS_6_(S) CMK_FILTER_BELLS_5_(S) + CMK_FILTER_BELL_(6, S)
#define CMK_FILTER_BELLS_7_(S) CMK_FILTER_BELLS_6_(S) + CMK_FILTER_BELL_(7, S)
#define CMK_FILTER_BELLS_8_(S) CMK_FILTER_BELLS_7_(S) + CMK_FILTER_BELL_(8, S)
#define CMK_FILTER_BELLS_9_(S) CMK_FILTER_BELLS_8_(S) + CMK_FILTER_BELL_(9, S)
#define CMK_FILTER_BELLS_10_(S) CMK_FILTER_BELLS_9_(S) + CMK_FILTER_BELL_(10, S)
#define CMK_FILTER_BELLS_11_(S) CMK_FILTER_BELLS_10_(S) + CMK_FILTER_BELL_(11, S)
#define CMK_FILTER_BELLS_12_(S) CMK_FILTER_BELLS_11_(S) + CMK_FILTER_BELL_(12, S)
#define CMK_FILTER_BELLS_13_(S) CMK_FILTER_BELLS_12_(S) + CMK_FILTER_BELL_(13, S)
#define CMK_FILTER_BELLS_14_(S) CMK_FILTER_BELLS_13_(S) + CMK_FILTER_BELL_(14, S)
#define CMK_FILTER_BELLS_15_(S) CMK_FILTER_BELLS_14_(S) + CMK_FILTER_BELL_(15, S)
#define CMK_FILTER_BELLS_16_(S) CMK_FILTER_BELLS_15_(S) + CMK_FILTER_BELL_(16, S)

/* exp(-k^2 / S): in C++ a call, in C the whole text, because no function of C is a constant expression */
#if defined(__cplusplus)
#define CMK_FILTER_BELL_(k, S) cmk_filter_exp_(k * k / (S))
#else
#define CMK_FILTER_BELL_(k, S) CMK_FILTER_EXP_((k * k / (S)))
#endif

/* exp(-t) is a product: of exp(-2^j / 16) for each bit j that is set in the whole sixteenths of t, and
 * of the Taylor series at the rest. The first term of the series that is left out is below 5e-17. From t = 64 on the
 * result is 0; exp(-64) is about 1.6e-28. */
#define CMK_FILTER_EXP_(t)                                                                                             \
    (t >= 64 ? 0.0 : CMK_FILTER_BIT_(t, 1, 9.3941306281347579e-1) * CMK_FILTER_BIT_(t, 2, 8.8249690258459540e-1) *     \
               CMK_FILTER_BIT_(t, 4, 7.7880078307140487e-1) * CMK_FILTER_BIT_(t, 8, 6.0653065971263342e-1) *           \
               CMK_FILTER_BIT_(t, 16, 3.6787944117144232e-1) * CMK_FILTER_BIT_(t, 32, 1.3533528323661269e-1) *         \
               CMK_FILTER_BIT_(t, 64, 1.8315638888734180e-2) * CMK_FILTER_BIT_(t, 128, 3.3546262790251184e-4) *        \
               CMK_FILTER_BIT_(t, 256, 1.1253517471925911e-7) * CMK_FILTER_BIT_(t, 512, 1.2664165549094176e-14) *      \
               CMK_FILTER_SERIES_((t - (int)(16 * t) / 16.0)))
#define CMK_FILTER_BIT_(t, BIT, value) ((int)(16 * t) & BIT ? value : 1.0)
#define CMK_FILTER_SERIES_(x)                                                                                          \
    (1 - x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6 * (1 - x / 7 * (1 - x / 8))))))))

/* B. Fornberg, Generation of finite difference formulas on arbitrarily spaced grids, Math. Comp. 51 (1988), table 1 */
#define CMK_FILTER_DERIVATIVE_1_2_(h) CMK_FILTER_ANTISYMMETRIC_1_((1 / (2 * h)), 1)
#define CMK_FILTER_DERIVATIVE_1_4_(h) CMK_FILTER_ANTISYMMETRIC_2_((1 / (12 * h)), 8, -1)
#define CMK_FILTER_DERIVATIVE_1_6_(h) CMK_FILTER_ANTISYMMETRIC_3_((1 / (60 * h)), 45, -9, 1)
#define CMK_FILTER_DERIVATIVE_1_8_(h) CMK_FILTER_ANTISYMMETRIC_4_((1 / (840 * h)), 672, -168, 32, -3)
#define CMK_FILTER_DERIVATIVE_2_2_(h) CMK_FILTER_SYMMETRIC_1_((1 / (h * h)), -2, 1)
#define CMK_FILTER_DERIVATIVE_2_4_(h) CMK_FILTER_SYMMETRIC_2_((1 / (12 * h * h)), -30, 16, -1)
#define CMK_FILTER_DERIVATIVE_2_6_(h) CMK_FILTER_SYMMETRIC_3_((1 / (180 * h * h)), -490, 270, -27, 2)
#define CMK_FILTER_DERIVATIVE_2_8_(h) CMK_FILTER_SYMMETRIC_4_((1 / (5040 * h * h)), -14350, 8064, -1008, 128, -9)

#define CMK_FILTER_SOBEL_SMOOTH 1, 2, 1
#define CMK_FILTER_SOBEL_DIFFERENCE -1, 0, 1
#define CMK_FILTER_SOBEL_ACROSS {-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}
#define CMK_FILTER_SOBEL_DOWN {-1, -2, -1}, {0, 0, 0}, {1, 2, 1}
#define CMK_FILTER_LAPLACE {0, 1, 0}, {1, -4, 1}, {0, 1, 0}
#define CMK_FILTER_SHARPEN {0, -1, 0}, {-1, 5, -1}, {0, -1, 0}
/* clang-format on */

/* ---- At run time. Taps are computed in double. cmk_filter_taps_ is an array of them. */
#define cmk_filter_box(taps, radius) cmk_filter_box_(CMK_FILTER_TO_(taps), radius)
#define cmk_filter_binomial(taps, radius) cmk_filter_binomial_(CMK_FILTER_TO_(taps), radius)
#define cmk_filter_gauss(taps, radius, sigma) cmk_filter_gauss_(CMK_FILTER_TO_(taps), radius, sigma)
#define cmk_filter_derivative(taps, radius, ...) cmk_filter_derivative_(CMK_FILTER_TO_(taps), radius, __VA_ARGS__)
#define cmk_filter_outer(table, down, rows, across, columns)                                                           \
    cmk_filter_outer_(CMK_FILTER_TO_(table), CMK_FILTER_FROM_(down), rows, CMK_FILTER_FROM_(across), columns)

typedef struct {
    void *at;
    int is_float; /* or double */
} cmk_filter_taps_;

#define CMK_FILTER_TYPES_ "cmk: the functions of filter.h make taps of float or double"
#if defined(__cplusplus)
template <typename number> CMK_FUNCTION cmk_filter_taps_ cmk_filter_to_(number *taps)
{
    CMK_STATIC_ASSERT(CMK_NUMBER_(number) >= 5, CMK_FILTER_TYPES_);
    const cmk_filter_taps_ array = {(void *)taps, CMK_NUMBER_(number) == 5};
    return array;
}
template <typename number> CMK_FUNCTION cmk_filter_taps_ cmk_filter_from_(const number *taps)
{
    return cmk_filter_to_((number *)taps);
}
#define CMK_FILTER_TO_(taps) cmk_filter_to_(taps)
#define CMK_FILTER_FROM_(taps) cmk_filter_from_(taps)
#else
CMK_FUNCTION cmk_filter_taps_ cmk_filter_to_(void *taps, int is_float)
{
    const cmk_filter_taps_ array = {taps, is_float};
    return array;
}
#define CMK_FILTER_TO_(taps) CMK_FILTER_OF_(taps, CMK_NUMBER_(CMK_TYPE_OF_(*(taps))))
#define CMK_FILTER_FROM_(taps) CMK_FILTER_OF_((void *)(taps), CMK_NUMBER_(CMK_TYPE_OF_(*(taps) + 0)))
#define CMK_FILTER_OF_(taps, KIND) (CMK_ASSERT_HERE_(KIND >= 5, CMK_FILTER_TYPES_), cmk_filter_to_(taps, KIND == 5))
#endif

CMK_FUNCTION void cmk_filter_set_(cmk_filter_taps_ taps, int k, double tap)
{
    if (taps.is_float) {
        ((float *)taps.at)[k] = (float)tap;
    } else {
        ((double *)taps.at)[k] = tap;
    }
}

CMK_FUNCTION double cmk_filter_tap_at_(cmk_filter_taps_ taps, int k)
{
    return taps.is_float ? ((float *)taps.at)[k] : ((double *)taps.at)[k];
}

CMK_FUNCTION CMK_CONSTEXPR_ double cmk_filter_exp_(double t)
{
    return CMK_FILTER_EXP_(t);
}

CMK_FUNCTION void cmk_filter_box_(cmk_filter_taps_ taps, int radius)
{
    for (int k = 0; k <= 2 * radius; ++k) cmk_filter_set_(taps, k, 1.0 / (2 * radius + 1));
}

/* Computes from the centre outwards. The tap at the centre, 1/2 3/4 5/6 ..., does not underflow. */
CMK_FUNCTION void cmk_filter_binomial_(cmk_filter_taps_ taps, int radius)
{
    double tap = 1.0;
    for (int k = 1; k <= radius; ++k) tap = tap * (2.0 * k - 1.0) / (2.0 * k);
    cmk_filter_set_(taps, radius, tap);
    for (int k = 1; k <= radius; ++k) {
        tap = tap * (radius - k + 1) / (radius + k);
        cmk_filter_set_(taps, radius + k, tap);
        cmk_filter_set_(taps, radius - k, tap);
    }
}

CMK_FUNCTION double cmk_filter_bell_(int k, double sigma)
{
    const double sigmas = k / sigma;
    return cmk_filter_exp_(sigmas * sigmas / 2);
}

CMK_FUNCTION void cmk_filter_gauss_(cmk_filter_taps_ taps, int radius, double sigma)
{
    double sum = 0.0;
    for (int k = -radius; k <= radius; ++k) sum += cmk_filter_bell_(k, sigma);
    for (int k = -radius; k <= radius; ++k) cmk_filter_set_(taps, radius + k, cmk_filter_bell_(k, sigma) / sum);
}

/* Tap k of the first derivative is (-1)^(k + 1) R!^2 / (k (R - k)! (R + k)!), for k from 1 to R. That of the second
 * derivative is 2 / k times as much. Both differentiate, at 0, the polynomial of Lagrange through the 2 R + 1
 * samples. */
CMK_FUNCTION void cmk_filter_derivative_(cmk_filter_taps_ taps, int radius, int nth, double step)
{
    double product = -1.0; /* (-1)^(k + 1) R!^2 / ((R - k)! (R + k)!) */
    double centre = 0.0;
    for (int k = 1; k <= radius; ++k) {
        product *= -(double)(radius - k + 1) / (radius + k);
        const double after = product / k / step * (nth == 1 ? 1.0 : 2 / (k * step)), before = nth == 1 ? -after : after;
        cmk_filter_set_(taps, radius + k, after);
        cmk_filter_set_(taps, radius - k, before);
        centre -= after + before;
    }
    cmk_filter_set_(taps, radius, centre);
}

CMK_FUNCTION void cmk_filter_outer_(cmk_filter_taps_ table, cmk_filter_taps_ down, int rows, cmk_filter_taps_ across,
                                    int columns)
{
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
            cmk_filter_set_(table, row * columns + column,
                            cmk_filter_tap_at_(down, row) * cmk_filter_tap_at_(across, column));
}

CMK_FUNCTION void cmk_filter_float(float *to, const double *from, size_t count)
{
    for (size_t k = 0; k < count; ++k) to[k] = (float)from[k];
}

#endif
