/* walk.h: what is read outside of an axis, from the pictures of edge.h: the reference of this folder. */
#ifndef POINT_WALK_H
#define POINT_WALK_H

/* the index inside that is read for i, and whether it is turned about the outside; -1 where that itself is read. The
 * edge of the side where i is takes it back into the grid, one period at a time. */
static long long walk(const int *edges, long long i, long long count, int *odd)
{
    const int mode = i < 0 ? edges[0] : edges[1];
    while (i < 0 || i >= count) {
        if (mode == CMK_EDGE_ZERO) return -1;
        if (mode == CMK_EDGE_CLAMP) i = i < 0 ? 0 : count - 1;
        if (mode == CMK_EDGE_WRAP) i = i < 0 ? i + count : i - count;
        if (mode == CMK_EDGE_MIRROR || mode == CMK_EDGE_MIRROR_ODD) i = i < 0 ? -1 - i : 2 * count - 1 - i;
        if (mode == CMK_EDGE_REFLECT || mode == CMK_EDGE_REFLECT_ODD)
            i = count == 1 ? 0 : i < 0 ? -i : 2 * count - 2 - i;
        *odd ^= mode == CMK_EDGE_MIRROR_ODD || mode == CMK_EDGE_REFLECT_ODD;
    }
    return i;
}

#endif
