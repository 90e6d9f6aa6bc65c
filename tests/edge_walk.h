/* edge_walk.h: what is read outside of an axis, from the pictures of edge.h: the one reference of the tests in C. (That
 * of tests/conv is judge.py's, by remainders.) */
#ifndef EDGE_WALK_H
#define EDGE_WALK_H

#include <cmk/edge.h>

/* The index inside that is read for i, -1 where none is, and whether it is turned about the outside. The edge of the
 * side where i is takes it back into the domain, one period at a time. */
CMK_FUNCTION cmk_i64 edge_walk_sides(const int *sides, cmk_i64 i, cmk_i64 count, int *odd)
{
    const int mode = i < 0 ? sides[0] : sides[1];
    while (i < 0 || i >= count) {
        if (mode == CMK_EDGE_ZERO) return -1;
        if (mode == CMK_EDGE_CLAMP) i = i < 0 ? 0 : count - 1;
        if (mode == CMK_EDGE_WRAP) i = i < 0 ? i + count : i - count;
        if (mode == CMK_EDGE_MIRROR || mode == CMK_EDGE_MIRROR_ODD) i = i < 0 ? -1 - i : 2 * count - 1 - i;
        if (mode == CMK_EDGE_REFLECT || mode == CMK_EDGE_REFLECT_ODD)
            i = count == 1 ? 0 : i < 0 ? -i : 2 * count - 2 - i;
        *odd ^= mode == CMK_EDGE_MIRROR_ODD || (mode == CMK_EDGE_REFLECT_ODD && count > 1);
    }
    return i;
}

/* the same for an edge of an axis, as edge.h writes its sides in a number */
CMK_FUNCTION cmk_i64 edge_walk(int edge, cmk_i64 i, cmk_i64 count)
{
    const int sides[2] = {edge % 8, (edge % 8 + edge / 8) % 8};
    int odd = 0;
    return edge_walk_sides(sides, i, count, &odd);
}

#endif
