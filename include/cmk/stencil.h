/* stencil.h: stencil bodies of compile-time radius. Each adds to the caller's lvalue sum.
 *
 *   CMK_STENCIL_1D(sum, RADIUS, COEFFICIENT, SAMPLE);
 *       sum += COEFFICIENT(k) * SAMPLE(k - RADIUS)                               k = 0 .. 2 RADIUS
 *   CMK_STENCIL_1D_SYMMETRIC(sum, RADIUS, COEFFICIENT, SAMPLE);
 *       sum += COEFFICIENT(0) * SAMPLE(0)
 *            + COEFFICIENT(k) * (SAMPLE(k) + SAMPLE(-k))                         k = 1 .. RADIUS
 *   CMK_STENCIL_1D_ANTISYMMETRIC(sum, RADIUS, COEFFICIENT, SAMPLE);
 *       sum += COEFFICIENT(k) * (SAMPLE(k) - SAMPLE(-k))                         k = 1 .. RADIUS
 *   CMK_STENCIL_2D_BOX(sum, RADIUS, COEFFICIENT, SAMPLE);
 *       sum += COEFFICIENT(r, c) * SAMPLE(r - RADIUS, c - RADIUS)                r, c = 0 .. 2 RADIUS
 *   CMK_STENCIL_2D_BOX_SYMMETRIC(sum, RADIUS, COEFFICIENT, SAMPLE);
 *       the same where the tap opposite to the centre is equal (Gauss): half of the taps are read
 *   CMK_STENCIL_2D_BOX_ANTISYMMETRIC(sum, RADIUS, COEFFICIENT, SAMPLE);
 *       the same where it is the negative (Sobel): the centre is 0 and half of the taps are read
 *
 * RADIUS is an integer constant, 0 or more. COEFFICIENT and SAMPLE are macros or functions: coefficients are
 * numbered from the first tap (symmetric 1D: from the centre), samples by their offset from the centre, rows
 * before columns. They may read a table, registers, a shared tile or global memory; each index is a constant
 * in the unrolled loop. No barriers; any thread may call.
 *
 *   #define WEIGHT(k) CMK_TABLE_AT(weights, k)
 *   #define AROUND(d) CMK_TILE_GET(tile, 0, column + (d))
 *   float sum = 0.0f;
 *   CMK_STENCIL_1D_SYMMETRIC(sum, 4, WEIGHT, AROUND); */
#ifndef CMK_STENCIL_H
#define CMK_STENCIL_H

#include "base.h"

#define CMK_STENCIL_1D(sum, RADIUS, COEFFICIENT, SAMPLE)                                                               \
    do {                                                                                                               \
        CMK_STENCIL_ASSERT_(RADIUS);                                                                                   \
        CMK_OPERATIONS_(2 * (2 * (RADIUS) + 1));                                                                       \
        CMK_UNROLL                                                                                                     \
        for (int cmk_k_ = 0; cmk_k_ <= 2 * (RADIUS); ++cmk_k_)                                                         \
            (sum) += COEFFICIENT(cmk_k_) * SAMPLE(cmk_k_ - (RADIUS));                                                  \
    } while (0)

#define CMK_STENCIL_1D_SYMMETRIC(sum, RADIUS, COEFFICIENT, SAMPLE)                                                     \
    do {                                                                                                               \
        CMK_STENCIL_ASSERT_(RADIUS);                                                                                   \
        CMK_OPERATIONS_(3 * (RADIUS) + 2);                                                                             \
        (sum) += COEFFICIENT(0) * SAMPLE(0);                                                                           \
        CMK_UNROLL                                                                                                     \
        for (int cmk_k_ = 1; cmk_k_ <= (RADIUS); ++cmk_k_)                                                             \
            (sum) += COEFFICIENT(cmk_k_) * (SAMPLE(cmk_k_) + SAMPLE(-cmk_k_));                                         \
    } while (0)

#define CMK_STENCIL_1D_ANTISYMMETRIC(sum, RADIUS, COEFFICIENT, SAMPLE)                                                 \
    do {                                                                                                               \
        CMK_STENCIL_ASSERT_(RADIUS);                                                                                   \
        CMK_OPERATIONS_(3 * (RADIUS));                                                                                 \
        CMK_UNROLL                                                                                                     \
        for (int cmk_k_ = 1; cmk_k_ <= (RADIUS); ++cmk_k_)                                                             \
            (sum) += COEFFICIENT(cmk_k_) * (SAMPLE(cmk_k_) - SAMPLE(-cmk_k_));                                         \
    } while (0)

#define CMK_STENCIL_2D_BOX(sum, RADIUS, COEFFICIENT, SAMPLE)                                                           \
    do {                                                                                                               \
        CMK_STENCIL_ASSERT_(RADIUS);                                                                                   \
        CMK_OPERATIONS_(2 * (2 * (RADIUS) + 1) * (2 * (RADIUS) + 1));                                                  \
        CMK_UNROLL                                                                                                     \
        for (int cmk_r_ = 0; cmk_r_ <= 2 * (RADIUS); ++cmk_r_) CMK_UNROLL                                              \
        for (int cmk_c_ = 0; cmk_c_ <= 2 * (RADIUS); ++cmk_c_)                                                         \
            (sum) += COEFFICIENT(cmk_r_, cmk_c_) * SAMPLE(cmk_r_ - (RADIUS), cmk_c_ - (RADIUS));                       \
    } while (0)

#define CMK_STENCIL_2D_BOX_SYMMETRIC(sum, RADIUS, COEFFICIENT, SAMPLE)                                                 \
    do {                                                                                                               \
        CMK_STENCIL_HALF_BOX_(sum, RADIUS, COEFFICIENT, SAMPLE, +);                                                    \
        CMK_OPERATIONS_(2);                                                                                            \
        (sum) += COEFFICIENT(RADIUS, RADIUS) * SAMPLE(0, 0);                                                           \
    } while (0)

#define CMK_STENCIL_2D_BOX_ANTISYMMETRIC(sum, RADIUS, COEFFICIENT, SAMPLE)                                             \
    CMK_STENCIL_HALF_BOX_(sum, RADIUS, COEFFICIENT, SAMPLE, -)

/* the taps before the centre in row order, each with its opposite: the rows above, and half of the middle row */
#define CMK_STENCIL_HALF_BOX_(sum, RADIUS, COEFFICIENT, SAMPLE, SIGN)                                                  \
    do {                                                                                                               \
        CMK_STENCIL_ASSERT_(RADIUS);                                                                                   \
        CMK_OPERATIONS_(3 * (2 * (RADIUS) * ((RADIUS) + 1)));                                                          \
        CMK_UNROLL                                                                                                     \
        for (int cmk_r_ = 0; cmk_r_ <= (RADIUS); ++cmk_r_) CMK_UNROLL                                                  \
        for (int cmk_c_ = 0; cmk_c_ <= (cmk_r_ < (RADIUS) ? 2 * (RADIUS) : (RADIUS)-1); ++cmk_c_)                      \
            (sum) += COEFFICIENT(cmk_r_, cmk_c_) *                                                                     \
                     (SAMPLE(cmk_r_ - (RADIUS), cmk_c_ - (RADIUS)) SIGN SAMPLE((RADIUS)-cmk_r_, (RADIUS)-cmk_c_));     \
    } while (0)

#define CMK_STENCIL_ASSERT_(RADIUS)                                                                                    \
    CMK_STATIC_ASSERT((RADIUS) >= 0 && (RADIUS) <= 64, "cmk: CMK_STENCIL: RADIUS must be from 0 to 64")

#endif
