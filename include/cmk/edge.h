/* edge.h: what a kernel reads outside of its domain, whose indices are 0 .. count - 1.
 *
 *   mode                outside of a b c d          scipy.ndimage   numpy.pad   OpenCV        CUDA texture
 *   CMK_EDGE_ZERO       0 0 0 | a b c d | 0 0 0     constant        constant    CONSTANT      Border
 *   CMK_EDGE_CLAMP      a a a | a b c d | d d d     nearest         edge        REPLICATE     Clamp
 *   CMK_EDGE_WRAP       b c d | a b c d | a b c     grid-wrap       wrap        WRAP          Wrap
 *   CMK_EDGE_MIRROR     c b a | a b c d | d c b     reflect         symmetric   REFLECT       Mirror
 *   CMK_EDGE_REFLECT    d c b | a b c d | c b a     mirror          reflect     REFLECT_101
 *   CMK_EDGE_MIRROR_ODD, CMK_EDGE_REFLECT_ODD       only for fields of point.h: 2 v - what MIRROR, REFLECT read
 *   CMK_EDGE_SIDES(LOW, HIGH)                       LOW where i < 0, HIGH where i >= count, until i is inside
 *   CMK_EDGE_AXES(ROW, COLUMN)                      for the EDGE of a kernel: one of these edges for each axis
 *   CMK_EDGE_AXES_3D(PLANE, ROW, COLUMN)
 *
 *   CMK_EDGE_SAMPLE(EDGE, READ, i, count)
 *       READ(i), or what EDGE puts in its place
 *   CMK_EDGE_SAMPLE_2D(EDGE, READ, row, column, rows, columns)
 *       READ(row, column) of rows x columns, or what EDGE puts in its place. EDGE is one edge for both axes, or
 *       CMK_EDGE_AXES
 *   CMK_EDGE_SAMPLE_OR(EDGE, value, READ, i, count)
 *   CMK_EDGE_SAMPLE_2D_OR(ROW_EDGE, COLUMN_EDGE, value, READ, row, column, rows, columns)
 *       the same with a value of the caller in place of zero. The 2D form takes an edge for each axis, ROW_EDGE and
 *       COLUMN_EDGE
 *   cmk_edge_index(EDGE, i, count)
 *       the index inside the domain that EDGE reads for i. It is i itself where EDGE reads a zero there
 *   CMK_EDGE_PLANE(EDGE), CMK_EDGE_ROW(EDGE), CMK_EDGE_COLUMN(EDGE)
 *       the edge of one axis; EDGE is one edge for all axes, or CMK_EDGE_AXES
 *   CMK_EDGE_INSIDE(i, RADIUS, count)
 *       whether i - RADIUS to i + RADIUS are all inside
 *   CMK_EDGE_SPLIT(inside, BODY, INTERIOR, BORDER);
 *       BODY(INTERIOR) where inside is true, BODY(BORDER) elsewhere. INTERIOR reads without an edge, so that a thread
 *       inside pays one comparison, in place of two for each sample. The code of BODY is compiled twice
 *
 * EDGE is an integer constant; in a sample it may be a run-time value. i may be any cmk_i64 (a signed type), also many
 * periods outside. count is of any integer type and at least 1, and may be smaller than the stencil. READ is a macro or
 * function, and is only called with indices inside. The samples are expressions that evaluate their indices more than
 * once. A constant EDGE leaves no code for its choice, and an index inside costs two comparisons.
 * Any thread may call.
 *
 *   #define AT(i) CMK_LDG(&in[i])
 *   #define INTERIOR(d) AT(i + (d))
 *   #define BORDER(d) CMK_EDGE_SAMPLE(CMK_EDGE_CLAMP, AT, i + (d), count)
 *   #define BODY(SAMPLE) CMK_STENCIL_1D(sum, 4, WEIGHT, SAMPLE)
 *   CMK_EDGE_SPLIT(CMK_EDGE_INSIDE(i, 4, count), BODY, INTERIOR, BORDER); */
#ifndef CMK_EDGE_H
#define CMK_EDGE_H

#include "base.h"

#define CMK_EDGE_ZERO 0
#define CMK_EDGE_CLAMP 1
#define CMK_EDGE_WRAP 2
#define CMK_EDGE_MIRROR 3
#define CMK_EDGE_REFLECT 4
#define CMK_EDGE_MIRROR_ODD 5 /* only for point.h, as the next one */
#define CMK_EDGE_REFLECT_ODD 6

/* An edge is stored as LOW + 8 d, where d is HIGH - LOW modulo 8. It is -1 where LOW or HIGH is not a mode. */
#define CMK_EDGE_SIDES(LOW, HIGH)                                                                                      \
    (CMK_EDGE_MODE_(LOW) && CMK_EDGE_MODE_(HIGH) ? (LOW) + 8 * (((HIGH) - (LOW) + 8) % 8) : -1)
#define CMK_EDGE_MODE_(MODE) ((MODE) >= CMK_EDGE_ZERO && (MODE) <= CMK_EDGE_REFLECT_ODD)
#define CMK_EDGE_LOW_(EDGE) ((EDGE) % 8)
#define CMK_EDGE_HIGH_(EDGE) (((EDGE) + (EDGE) / 8) % 8)

/* An edge of one axis is below 64. An edge of three axes is ROW + 64 (COLUMN - ROW) + 4096 (PLANE - ROW), both
 * differences modulo 64. */
#define CMK_EDGE_AXES(ROW, COLUMN) CMK_EDGE_AXES_3D(ROW, ROW, COLUMN)
#define CMK_EDGE_AXES_3D(PLANE, ROW, COLUMN)                                                                           \
    (CMK_EDGE_SIDES_(PLANE) && CMK_EDGE_SIDES_(ROW) && CMK_EDGE_SIDES_(COLUMN)                                         \
         ? (ROW) + 64 * (((COLUMN) - (ROW) + 64) % 64) + 4096 * (((PLANE) - (ROW) + 64) % 64)                          \
         : -1)
#define CMK_EDGE_PLANE(EDGE) (((EDGE) + (EDGE) / 4096) % 64)
#define CMK_EDGE_ROW(EDGE) ((EDGE) % 64)
#define CMK_EDGE_COLUMN(EDGE) (((EDGE) + (EDGE) / 64) % 64)

/* For the assertions of definitions: 1 where the integer constant EDGE is an edge of one axis, or of one to three axes.
 * They name EDGE several times. Give them an enumerator with its value, so that a misspelt word is reported once. */
#define CMK_EDGE_SIDES_(EDGE) ((EDGE) >= 0 && (EDGE) < 64)
#define CMK_EDGE_1D_TO_(EDGE, N) (CMK_EDGE_SIDES_(EDGE) && CMK_EDGE_LOW_(EDGE) <= (N) && CMK_EDGE_HIGH_(EDGE) <= (N))
#define CMK_EDGE_TO_(EDGE, N)                                                                                          \
    ((EDGE) >= 0 && (EDGE) < 64 * 4096 && CMK_EDGE_1D_TO_(CMK_EDGE_PLANE(EDGE), N) &&                                  \
     CMK_EDGE_1D_TO_(CMK_EDGE_ROW(EDGE), N) && CMK_EDGE_1D_TO_(CMK_EDGE_COLUMN(EDGE), N))
#define CMK_EDGE_VALID_1D_(EDGE) CMK_EDGE_1D_TO_(EDGE, CMK_EDGE_REFLECT)
#define CMK_EDGE_VALID_(EDGE) CMK_EDGE_TO_(EDGE, CMK_EDGE_REFLECT)
#define CMK_EDGE_VALID_POINT_(EDGE) CMK_EDGE_TO_(EDGE, CMK_EDGE_REFLECT_ODD)

#define CMK_EDGE_INSIDE(i, RADIUS, count) ((i) >= (RADIUS) && (i) < (cmk_i64)(count) - (RADIUS))
/* clang-format off */
#define CMK_EDGE_SPLIT(inside, BODY, INTERIOR, BORDER) \
    do { if (inside) BODY(INTERIOR); else BODY(BORDER); } while (0)
/* clang-format on */

/* Whether the sample is the value that stands in place of zero. i is not negative where it is compared with count,
 * which may be unsigned. */
#define CMK_EDGE_EMPTY_(EDGE, i, count)                                                                                \
    ((CMK_EDGE_LOW_(EDGE) == CMK_EDGE_ZERO && (i) < 0) ||                                                              \
     (CMK_EDGE_HIGH_(EDGE) == CMK_EDGE_ZERO && (i) >= 0 && (i) >= (count)))
#define CMK_EDGE_AT_(EDGE, i, count) cmk_edge_index((EDGE), (i), (cmk_i64)(count))

#define CMK_EDGE_SAMPLE(EDGE, READ, i, count) CMK_EDGE_SAMPLE_OR(EDGE, 0, READ, i, count)
#define CMK_EDGE_SAMPLE_OR(EDGE, value, READ, i, count)                                                                \
    ((EDGE) == CMK_EDGE_ZERO ? ((i) >= 0 && (i) < (count) ? READ(i) : (value))                                         \
                             : (CMK_EDGE_EMPTY_(EDGE, i, count) ? (value) : READ(CMK_EDGE_AT_(EDGE, i, count))))

#define CMK_EDGE_SAMPLE_2D(EDGE, READ, row, column, rows, columns)                                                     \
    CMK_EDGE_SAMPLE_2D_OR(CMK_EDGE_ROW(EDGE), CMK_EDGE_COLUMN(EDGE), 0, READ, row, column, rows, columns)
#define CMK_EDGE_SAMPLE_2D_OR(ROW_EDGE, COLUMN_EDGE, value, READ, row, column, rows, columns)                          \
    ((ROW_EDGE) == CMK_EDGE_ZERO && (COLUMN_EDGE) == CMK_EDGE_ZERO                                                     \
         ? (row) >= 0 && (row) < (rows) && (column) >= 0 && (column) < (columns) ? READ(row, column) : (value)         \
     : CMK_EDGE_EMPTY_(ROW_EDGE, row, rows) || CMK_EDGE_EMPTY_(COLUMN_EDGE, column, columns)                           \
         ? (value)                                                                                                     \
         : READ(CMK_EDGE_AT_(ROW_EDGE, row, rows), CMK_EDGE_AT_(COLUMN_EDGE, column, columns)))

/* i modulo period, from 0 up; without a division where i is less than one period outside */
CMK_FUNCTION cmk_i64 cmk_edge_modulo_(cmk_i64 i, cmk_i64 period)
{
    const cmk_i64 nearest = i < 0 ? i + period : i >= period ? i - period : i;
    if (nearest >= 0 && nearest < period) return nearest;
    const cmk_i64 rest = i % period;
    return rest < 0 ? rest + period : rest;
}

/* the index that is read for an i outside: the nearest one inside, or one folded back by the period of the mode */
CMK_FUNCTION cmk_i64 cmk_edge_fold_(int mode, cmk_i64 i, cmk_i64 count)
{
    if (mode == CMK_EDGE_CLAMP) return i < 0 ? 0 : count - 1;
    if (mode == CMK_EDGE_WRAP) return cmk_edge_modulo_(i, count);
    if (mode == CMK_EDGE_MIRROR) {
        const cmk_i64 at = cmk_edge_modulo_(i, 2 * count);
        return at < count ? at : 2 * count - 1 - at;
    }
    if (mode == CMK_EDGE_REFLECT && count > 1) {
        const cmk_i64 at = cmk_edge_modulo_(i, 2 * count - 2);
        return at < count ? at : 2 * count - 2 - at;
    }
    return mode == CMK_EDGE_ZERO ? i : 0;
}

CMK_FUNCTION cmk_i64 cmk_edge_index(int edge, cmk_i64 i, cmk_i64 count)
{
    if (i < 0) return cmk_edge_fold_(CMK_EDGE_LOW_(edge), i, count);
    if (i >= count) return cmk_edge_fold_(CMK_EDGE_HIGH_(edge), i, count);
    return i;
}

/* For the engines. cmk_edge_empty_: whether edge reads no sample for i, but a zero or a value. cmk_edge_find_: the
 * index that is read, -1 where no sample is. */
CMK_FUNCTION int cmk_edge_empty_(int edge, cmk_i64 i, cmk_i64 count)
{
    return edge == CMK_EDGE_ZERO ? i < 0 || i >= count : CMK_EDGE_EMPTY_(edge, i, count);
}

CMK_FUNCTION cmk_i64 cmk_edge_find_(int edge, cmk_i64 i, cmk_i64 count)
{
    return cmk_edge_empty_(edge, i, count) ? -1 : cmk_edge_index(edge, i, count);
}

#endif
