/* stencil.h: stencil bodies whose radius is a compile-time constant. Each adds its sum to the caller's lvalue sum.
 *
 *   CMK_STENCIL_1D(sum, RADIUS, TAP, SAMPLE);
 *       sum += TAP(k) * SAMPLE(k - RADIUS)                                       k = 0 .. 2 RADIUS
 *   CMK_STENCIL_1D_SYMMETRIC(sum, RADIUS, TAP, SAMPLE);
 *       sum += TAP(0) * SAMPLE(0) + TAP(k) * (SAMPLE(k) + SAMPLE(-k))            k = 1 .. RADIUS
 *   CMK_STENCIL_1D_ANTISYMMETRIC(sum, RADIUS, TAP, SAMPLE);
 *       sum += TAP(k) * (SAMPLE(k) - SAMPLE(-k))                                 k = 1 .. RADIUS
 *   CMK_STENCIL_2D_BOX(sum, RADIUS, TAP, SAMPLE);
 *       sum += TAP(r, c) * SAMPLE(r - RADIUS, c - RADIUS)                        r, c = 0 .. 2 RADIUS
 *   CMK_STENCIL_2D_BOX_SYMMETRIC(sum, RADIUS, TAP, SAMPLE);
 *       the same where taps opposite to each other are equal (Gauss): half of the taps are read
 *   CMK_STENCIL_2D_BOX_ANTISYMMETRIC(sum, RADIUS, TAP, SAMPLE);
 *       the same where opposite taps have opposite signs (Sobel): the centre is 0, half of the taps are read
 *   CMK_STENCIL_2D_STAR(sum, RADIUS, TAP, SAMPLE);
 *       sum += TAP(0, RADIUS) * SAMPLE(0, 0)                                     k = 0 .. 2 RADIUS but RADIUS
 *            + TAP(0, k) * SAMPLE(k - RADIUS, 0) + TAP(1, k) * SAMPLE(0, k - RADIUS)
 *   CMK_STENCIL_2D_STAR_SYMMETRIC(sum, RADIUS, TAP, SAMPLE);
 *       sum += TAP(0, 0) * SAMPLE(0, 0)                                          k = 1 .. RADIUS
 *            + TAP(0, k) * (SAMPLE(k, 0) + SAMPLE(-k, 0)) + TAP(1, k) * (SAMPLE(0, k) + SAMPLE(0, -k))
 *   CMK_STENCIL_3D_BOX(sum, RADIUS, TAP, SAMPLE);
 *   CMK_STENCIL_3D_BOX_SYMMETRIC(sum, RADIUS, TAP, SAMPLE);
 *   CMK_STENCIL_3D_BOX_ANTISYMMETRIC(sum, RADIUS, TAP, SAMPLE);
 *   CMK_STENCIL_3D_STAR(sum, RADIUS, TAP, SAMPLE);
 *   CMK_STENCIL_3D_STAR_SYMMETRIC(sum, RADIUS, TAP, SAMPLE);
 *       the same with planes before rows: a box calls TAP(p, r, c), a star TAP(axis, k); both SAMPLE(p, r, c)
 *
 * RADIUS is an integer constant from 0 to 64. TAP and SAMPLE are macros or functions, in C++ also lambdas. The kernel
 * around them may be a template, and T and RADIUS its parameters. Taps are numbered from the first
 * one; in the symmetric forms of 1D and of a star they are numbered from the centre. Samples are given by their offset
 * from the centre, rows before columns. Both may read a table, registers, a shared tile, global memory or a field of an
 * update. Each index is a constant in the unrolled loop. filter.h has the taps of derivatives. Use an ANTISYMMETRIC
 * form for the first derivative, where its centre costs nothing, and a SYMMETRIC form for the second. There are no
 * barriers, and any thread may call.
 *
 * A queue of samples in registers, for a thread that goes along an axis:
 *
 *   CMK_STENCIL_QUEUE(T, queue, RADIUS);              declares it, with 2 RADIUS + 1 elements of T
 *   CMK_STENCIL_QUEUE_PUSH(queue, RADIUS, value);     all move one place to the front; value becomes the last
 *   CMK_STENCIL_QUEUE_AT(queue, RADIUS, d)            the element d behind the middle, from -RADIUS to RADIUS
 *
 *   #define WEIGHT(k) CMK_TABLE_AT(weights, k)
 *   #define AROUND(d) CMK_TILE_GET(tile, 0, column + (d))
 *   float sum = 0.0f;
 *   CMK_STENCIL_1D_SYMMETRIC(sum, 4, WEIGHT, AROUND); */
#ifndef CMK_STENCIL_H
#define CMK_STENCIL_H

#include "base.h"

/* clang-format off */
#define CMK_STENCIL_1D(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_BOX_(sum, RADIUS, TAP, SAMPLE, 1D)
#define CMK_STENCIL_1D_SYMMETRIC(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_AXES_(sum, RADIUS, TAP, SAMPLE, 1D, +, 1)
#define CMK_STENCIL_1D_ANTISYMMETRIC(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_AXES_(sum, RADIUS, TAP, SAMPLE, 1D, -, 0)
#define CMK_STENCIL_2D_BOX(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_BOX_(sum, RADIUS, TAP, SAMPLE, 2D)
#define CMK_STENCIL_2D_BOX_SYMMETRIC(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_HALF_(sum, RADIUS, TAP, SAMPLE, 2D, +, 1)
#define CMK_STENCIL_2D_BOX_ANTISYMMETRIC(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_HALF_(sum, RADIUS, TAP, SAMPLE, 2D, -, 0)
#define CMK_STENCIL_2D_STAR(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_STAR_(sum, RADIUS, TAP, SAMPLE, 2D)
#define CMK_STENCIL_2D_STAR_SYMMETRIC(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_AXES_(sum, RADIUS, TAP, SAMPLE, 2D, +, 1)
#define CMK_STENCIL_3D_BOX(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_BOX_(sum, RADIUS, TAP, SAMPLE, 3D)
#define CMK_STENCIL_3D_BOX_SYMMETRIC(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_HALF_(sum, RADIUS, TAP, SAMPLE, 3D, +, 1)
#define CMK_STENCIL_3D_BOX_ANTISYMMETRIC(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_HALF_(sum, RADIUS, TAP, SAMPLE, 3D, -, 0)
#define CMK_STENCIL_3D_STAR(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_STAR_(sum, RADIUS, TAP, SAMPLE, 3D)
#define CMK_STENCIL_3D_STAR_SYMMETRIC(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_AXES_(sum, RADIUS, TAP, SAMPLE, 3D, +, 1)

/* A box has CMK_STENCIL_LINES_ lines of taps; tap cmk_k_ of line cmk_r_ is the current one. READ is called with the
 * places of this tap along each axis, minus `from`, or with the opposite signs. */
#define CMK_STENCIL_LINES_1D_ 1
#define CMK_STENCIL_LINES_2D_ cmk_side_
#define CMK_STENCIL_LINES_3D_ (cmk_side_ * cmk_side_)
#define CMK_STENCIL_AT_1D_(READ, from, SIGN) READ((SIGN(cmk_k_ - (from))))
#define CMK_STENCIL_AT_2D_(READ, from, SIGN) READ((SIGN(cmk_r_ - (from))), (SIGN(cmk_k_ - (from))))
#define CMK_STENCIL_AT_3D_(READ, from, SIGN)                                                                           \
    READ((SIGN(cmk_r_ / cmk_side_ - (from))), (SIGN(cmk_r_ % cmk_side_ - (from))), (SIGN(cmk_k_ - (from))))

/* In a star, cmk_r_ is the axis. Line 0 has the centre. */
#define CMK_STENCIL_AXES_1D_ 1
#define CMK_STENCIL_AXES_2D_ 2
#define CMK_STENCIL_AXES_3D_ 3
#define CMK_STENCIL_TAP_1D_(READ, k) READ(k)
#define CMK_STENCIL_TAP_2D_(READ, k) READ(cmk_r_, k)
#define CMK_STENCIL_TAP_3D_(READ, k) READ(cmk_r_, k)
#define CMK_STENCIL_ON_(axis, d) (cmk_r_ == axis ? (d) : 0)
#define CMK_STENCIL_ALONG_1D_(READ, d) READ(d)
#define CMK_STENCIL_ALONG_2D_(READ, d) READ(CMK_STENCIL_ON_(0, d), CMK_STENCIL_ON_(1, d))
#define CMK_STENCIL_ALONG_3D_(READ, d) READ(CMK_STENCIL_ON_(0, d), CMK_STENCIL_ON_(1, d), CMK_STENCIL_ON_(2, d))
#define CMK_STENCIL_STEP_(RADIUS) (cmk_k_ + (cmk_r_ > 0 && cmk_k_ >= (RADIUS)))

#define CMK_STENCIL_BOX_(sum, RADIUS, TAP, SAMPLE, D)                                                                  \
    CMK_STENCIL_ADD_(sum, RADIUS, 2 * cmk_side_ * CMK_STENCIL_LINES_##D##_, CMK_STENCIL_LINES_##D##_, 0, 2 * (RADIUS), \
                     CMK_STENCIL_AT_##D##_(TAP, 0, +) * CMK_STENCIL_AT_##D##_(SAMPLE, RADIUS, +))
/* each tap of the first half with the opposite one, and where CENTRE is 1 the centre, which is the last */
#define CMK_STENCIL_HALF_(sum, RADIUS, TAP, SAMPLE, D, SIGN, CENTRE)                                                   \
    CMK_STENCIL_ADD_(sum, RADIUS, cmk_side_ * CMK_STENCIL_LINES_##D##_ / 2 * 3 + 2 * (CENTRE),                         \
        CMK_STENCIL_LINES_##D##_ / 2 + 1, 0, CMK_STENCIL_MIDDLE_(D) ? (RADIUS) - 1 + (CENTRE) : 2 * (RADIUS),          \
        CMK_STENCIL_AT_##D##_(TAP, 0, +) * (CMK_STENCIL_MIDDLE_(D) && cmk_k_ == (RADIUS)                               \
            ? CMK_STENCIL_AT_##D##_(SAMPLE, RADIUS, +)                                                                 \
            : CMK_STENCIL_AT_##D##_(SAMPLE, RADIUS, +) SIGN CMK_STENCIL_AT_##D##_(SAMPLE, RADIUS, -)))
#define CMK_STENCIL_MIDDLE_(D) (cmk_r_ == CMK_STENCIL_LINES_##D##_ / 2)
#define CMK_STENCIL_STAR_(sum, RADIUS, TAP, SAMPLE, D)                                                                 \
    CMK_STENCIL_ADD_(sum, RADIUS, 4 * (RADIUS) * CMK_STENCIL_AXES_##D##_ + 2, CMK_STENCIL_AXES_##D##_, 0,              \
        2 * (RADIUS) - (cmk_r_ > 0), CMK_STENCIL_TAP_##D##_(TAP, CMK_STENCIL_STEP_(RADIUS)) *                          \
        CMK_STENCIL_ALONG_##D##_(SAMPLE, CMK_STENCIL_STEP_(RADIUS) - (RADIUS)))
/* each tap of one side with the opposite one, and where CENTRE is 1 the centre, which is the first */
#define CMK_STENCIL_AXES_(sum, RADIUS, TAP, SAMPLE, D, SIGN, CENTRE)                                                   \
    CMK_STENCIL_ADD_(sum, RADIUS, 3 * (RADIUS) * CMK_STENCIL_AXES_##D##_ + 2 * (CENTRE), CMK_STENCIL_AXES_##D##_,      \
        cmk_r_ > 0 || !(CENTRE), RADIUS, CMK_STENCIL_TAP_##D##_(TAP, cmk_k_) * (cmk_k_ == 0                            \
            ? CMK_STENCIL_ALONG_##D##_(SAMPLE, 0)                                                                      \
            : CMK_STENCIL_ALONG_##D##_(SAMPLE, cmk_k_) SIGN CMK_STENCIL_ALONG_##D##_(SAMPLE, -cmk_k_)))

/* adds term for each of LINES lines, and in each line for cmk_k_ from FIRST to LAST */
#define CMK_STENCIL_ADD_(sum, RADIUS, operations, LINES, FIRST, LAST, term)                                            \
    do {                                                                                                               \
        enum { cmk_side_ = 2 * (RADIUS) + 1 };                                                                         \
        CMK_NEEDS_("CMK_STENCIL", (RADIUS) >= 0 && (RADIUS) <= 64, "RADIUS must be from 0 to 64");                     \
        CMK_OPERATIONS_(operations);                                                                                   \
        CMK_UNROLL for (int cmk_r_ = 0; cmk_r_ < (LINES); ++cmk_r_)                                                    \
            CMK_UNROLL for (int cmk_k_ = (FIRST); cmk_k_ <= (LAST); ++cmk_k_) (sum) += term; } while (0)

#define CMK_STENCIL_QUEUE(T, queue, RADIUS) T queue[2 * (RADIUS) + 1]
#define CMK_STENCIL_QUEUE_AT(queue, RADIUS, d) ((queue)[(RADIUS) + (d)])
#define CMK_STENCIL_QUEUE_PUSH(queue, RADIUS, value)                                                                   \
    do { CMK_UNROLL for (int cmk_k_ = 0; cmk_k_ < 2 * (RADIUS); ++cmk_k_) (queue)[cmk_k_] = (queue)[cmk_k_ + 1];       \
        (queue)[2 * (RADIUS)] = (value); } while (0)
/* clang-format on */

#endif
