/* transfer/call.h: what the kernels of transfers between grids are called with, and what a place outside of a grid
 * reads. A layer is a plane of a volume. Of a batch of matrices layer i is row i of each, and its rows are of as many
 * matrices. Pitches and steps count elements. */
#ifndef CMK_KERNEL_TRANSFER_CALL_H
#define CMK_KERNEL_TRANSFER_CALL_H

#include "../../base.h"
#include "../../edge.h"

/* The constants of a definition. A vector of 16 bytes of the fine grid has 2 * lanes elements, of which a thread makes
 * `lanes` of the coarse grid, 8 bytes. Along an axis a coarse element takes `taps` fine ones, 2 of cells or 3 of
 * points. */
typedef struct {
    int size, lanes, taps, dims;
    int edges[3]; /* of layers, of rows, of columns */
} cmk_transfer_sizes_;

/* The arguments of a definition: the bytes of T; AT, which is the taps; 2 or 3; EDGE. */
typedef struct {
    int size, taps, dims, edge;
} cmk_transfer_definition_;

CMK_FOLDED_ cmk_transfer_sizes_ cmk_transfer_sizes_of_(cmk_transfer_definition_ d)
{
    const cmk_transfer_sizes_ s = {
        d.size,
        8 / d.size,
        d.taps,
        d.dims,
        {d.dims == 3 ? CMK_EDGE_PLANE(d.edge) : CMK_EDGE_ROW(d.edge), CMK_EDGE_ROW(d.edge), CMK_EDGE_COLUMN(d.edge)}};
    return s;
}

/* The parameter of a kernel. fine: the points of the fine grid: layers, rows of a layer, and columns. pairs: what
 * threads go along: half of these, but for the rows of a layer of matrices. Blocks are numbered along the columns
 * first, `across` of them, then along the rows, `down`, then along the layers, `deep` pairs each. With `aligned` all
 * rows of the fine grid begin at multiples of 16 bytes, and those of the coarse one at multiples of 8. */
typedef struct {
    const char *in;
    char *out;
    cmk_i64 in_step, in_pitch, out_step, out_pitch; /* from layer to layer, from row to row */
    int fine[3], pairs[3];
    unsigned across, down;
    int deep, aligned;
} cmk_transfer_call_;

/* Where an element of an axis is read, and by which factor: 0 stands for a zero, and -1 for an odd reflection. */
typedef struct {
    int at;
    float factor;
} cmk_transfer_place_;

/* Returns the place of element i, which is at most one outside. Of elements further outside it returns some place that
 * is inside. */
CMK_DEVICE_ cmk_transfer_place_ cmk_transfer_place_of_(int edge, int i, int count)
{
    const int low = i < 0, mode = low ? CMK_EDGE_LOW_(edge) : CMK_EDGE_HIGH_(edge);
    const int inner = count > 1 && (mode == CMK_EDGE_REFLECT || mode == CMK_EDGE_REFLECT_ODD);
    cmk_transfer_place_ place = {i, 1.0f};
    if (i >= 0 && i < count) return place;
    place.at = low == (mode == CMK_EDGE_WRAP) ? count - 1 - inner : inner;
    place.factor = mode == CMK_EDGE_ZERO ? 0.0f : mode == CMK_EDGE_MIRROR_ODD ? -1.0f : 1.0f;
    if (inner && mode == CMK_EDGE_REFLECT_ODD) place.factor = -1.0f;
    return place;
}

#endif
