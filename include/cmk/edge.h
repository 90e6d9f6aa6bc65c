/* edge.h: what a kernel reads outside its domain.
 *
 *   CMK_EDGE_ZERO       outside samples are 0                  0 0 | a b c d | 0 0
 *   CMK_EDGE_CLAMP      outside samples repeat the nearest     a a | a b c d | d d
 *
 *   CMK_EDGE_SAMPLE(EDGE, READ, i, count)
 *                       READ(i), or what EDGE puts in its place where i is outside 0 .. count - 1
 *   CMK_EDGE_SAMPLE_2D(EDGE, READ, row, column, rows, columns)
 *                       READ(row, column), likewise on both axes
 *   cmk_edge_clamp(i, count)
 *                       the index inside that is nearest to i
 *
 * i may be any cmk_i64 (a signed type), count is at least 1. READ is a macro or function; it is only called inside. The samples
 * are expressions that evaluate their indices more than once; the choice of a constant EDGE leaves no code. Any
 * thread may call.
 *
 *   #define AT(i) CMK_LDG(&in[i])
 *   const float left = CMK_EDGE_SAMPLE(CMK_EDGE_CLAMP, AT, i - 1, count); */
#ifndef CMK_EDGE_H
#define CMK_EDGE_H

#include "base.h"

#define CMK_EDGE_ZERO 0
#define CMK_EDGE_CLAMP 1

#define CMK_EDGE_SAMPLE(EDGE, READ, i, count)                                                                          \
    ((EDGE) == CMK_EDGE_CLAMP ? READ(cmk_edge_clamp((i), (count))) : (i) >= 0 && (i) < (count) ? READ(i) : 0)

#define CMK_EDGE_SAMPLE_2D(EDGE, READ, row, column, rows, columns)                                                     \
    ((EDGE) == CMK_EDGE_CLAMP ? READ(cmk_edge_clamp((row), (rows)), cmk_edge_clamp((column), (columns)))               \
     : (row) >= 0 && (row) < (rows) && (column) >= 0 && (column) < (columns) ? READ(row, column)                       \
                                                                             : 0)

CMK_FUNCTION cmk_i64 cmk_edge_clamp(cmk_i64 i_, cmk_i64 count_)
{
    return i_ < 0 ? 0 : i_ < count_ ? i_ : count_ - 1;
}

#endif
