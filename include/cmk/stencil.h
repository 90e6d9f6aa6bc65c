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
    CMK_STENCIL_ADD_(sum, RADIUS, 2 * (2 * (RADIUS) + 1), 0, 0, 2 * (RADIUS),                                          \
                     COEFFICIENT(cmk_k_) * SAMPLE(cmk_k_ - (RADIUS)))
#define CMK_STENCIL_1D_SYMMETRIC(sum, RADIUS, COEFFICIENT, SAMPLE)                                                     \
    CMK_STENCIL_1D_PAIRS_(sum, RADIUS, COEFFICIENT, SAMPLE, +, 1)
#define CMK_STENCIL_1D_ANTISYMMETRIC(sum, RADIUS, COEFFICIENT, SAMPLE)                                                 \
    CMK_STENCIL_1D_PAIRS_(sum, RADIUS, COEFFICIENT, SAMPLE, -, 0)

#define CMK_STENCIL_2D_BOX(sum, RADIUS, COEFFICIENT, SAMPLE)                                                           \
    CMK_STENCIL_ADD_(sum, RADIUS, 2 * (2 * (RADIUS) + 1) * (2 * (RADIUS) + 1), 2 * (RADIUS), 0, 2 * (RADIUS),          \
                     COEFFICIENT(cmk_r_, cmk_k_) * SAMPLE(cmk_r_ - (RADIUS), cmk_k_ - (RADIUS)))
#define CMK_STENCIL_2D_BOX_SYMMETRIC(sum, RADIUS, COEFFICIENT, SAMPLE)                                                 \
    CMK_STENCIL_2D_PAIRS_(sum, RADIUS, COEFFICIENT, SAMPLE, +, 1)
#define CMK_STENCIL_2D_BOX_ANTISYMMETRIC(sum, RADIUS, COEFFICIENT, SAMPLE)                                             \
    CMK_STENCIL_2D_PAIRS_(sum, RADIUS, COEFFICIENT, SAMPLE, -, 0)

/* Each tap of one side with its opposite, and the centre where CENTRE is 1: first in 1D. In 2D it is the last tap in
 * row order, after the rows above and half of the middle row. */
#define CMK_STENCIL_1D_PAIRS_(sum, RADIUS, COEFFICIENT, SAMPLE, SIGN, CENTRE)                                          \
    CMK_STENCIL_ADD_(sum, RADIUS, 3 * (RADIUS) + 2 * (CENTRE), 0, 1 - (CENTRE), RADIUS,                                \
                     COEFFICIENT(cmk_k_) * (cmk_k_ == 0 ? SAMPLE(0) : SAMPLE(cmk_k_) SIGN SAMPLE(-cmk_k_)))
#define CMK_STENCIL_2D_PAIRS_(sum, RADIUS, COEFFICIENT, SAMPLE, SIGN, CENTRE)                                          \
    CMK_STENCIL_ADD_(sum, RADIUS, 6 * (RADIUS) * ((RADIUS) + 1) + 2 * (CENTRE), RADIUS, 0,                             \
                     cmk_r_ < (RADIUS) ? 2 * (RADIUS) : (RADIUS)-1 + (CENTRE),                                         \
                     COEFFICIENT(cmk_r_, cmk_k_) * (cmk_r_ == (RADIUS) && cmk_k_ == (RADIUS)                           \
                                                        ? SAMPLE(0, 0)                                                 \
                                                        : SAMPLE(cmk_r_ - (RADIUS), cmk_k_ - (RADIUS))                 \
                                                              SIGN SAMPLE((RADIUS)-cmk_r_, (RADIUS)-cmk_k_)))

/* term for the rows cmk_r_ from 0 to BOTTOM, of which 1D has one, and for cmk_k_ from FIRST to LAST in each */
#define CMK_STENCIL_ADD_(sum, RADIUS, operations, BOTTOM, FIRST, LAST, term)                                           \
    do {                                                                                                               \
        CMK_NEEDS_("CMK_STENCIL", (RADIUS) >= 0 && (RADIUS) <= 64, "RADIUS must be from 0 to 64");                     \
        CMK_OPERATIONS_(operations);                                                                                   \
        CMK_UNROLL                                                                                                     \
        for (int cmk_r_ = 0; cmk_r_ <= (BOTTOM); ++cmk_r_) CMK_UNROLL                                                  \
        for (int cmk_k_ = (FIRST); cmk_k_ <= (LAST); ++cmk_k_) (sum) += term;                                          \
    } while (0)

#endif
