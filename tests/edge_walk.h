/* edge_walk.h: what an edge reads, from its picture: the reference of the edge tests. */
#ifndef EDGE_WALK_H
#define EDGE_WALK_H

/* The index inside that a mode other than zero reads for i: steps back into the domain, one period at a time. */
CMK_FUNCTION cmk_i64 edge_walk(int mode, cmk_i64 i, cmk_i64 count)
{
    while (i < 0 || i >= count) {
        if (mode == CMK_EDGE_CLAMP) i = i < 0 ? i + 1 : i - 1;
        if (mode == CMK_EDGE_WRAP) i = i < 0 ? i + count : i - count;
        if (mode == CMK_EDGE_MIRROR) i = i < 0 ? -1 - i : 2 * count - 1 - i;
        if (mode == CMK_EDGE_REFLECT) i = count == 1 ? 0 : i < 0 ? -i : 2 * count - 2 - i;
    }
    return i;
}

#endif
