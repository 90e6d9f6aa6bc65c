/* stencil1d/window.h: what a thread of a 1D stencil reads, into registers, and what it writes. An element is moved by
 * its size, whatever its type is. */
#ifndef CMK_KERNEL_STENCIL1D_WINDOW_H
#define CMK_KERNEL_STENCIL1D_WINDOW_H

#include "../../base.h"
#include "../../edge.h"
#include "../../load.h"
#include "tune.h"

/* The elements of a call. The outputs of a thread begin at a multiple of 16 bytes: those of the first, head elements
 * before out. aligned: in and out lie at equal distances from such a multiple. */
typedef struct {
    cmk_i64 count;
    int head, aligned;
} cmk_stencil1d_line_;

/* constants of a definition: an element has size bytes; a thread computes outputs, and reads reach elements more on
 * each side, both whole vectors of 16 bytes */
typedef struct {
    int size, outputs, reach, edge;
} cmk_stencil1d_shape_;

/* the first output of this thread */
CMK_DEVICE_ cmk_i64 cmk_stencil1d_first_(cmk_stencil1d_line_ line, cmk_stencil1d_shape_ shape)
{
    return ((cmk_i64)blockIdx.x * cmk_stencil1d_threads_ + (cmk_i64)threadIdx.x) * shape.outputs - line.head;
}

/* window[k] = in[first - reach + k], treated by edge outside the line. What neighbours read too comes from the L1
 * cache. */
CMK_DEVICE_ void cmk_stencil1d_load_(void *window, const void *in, cmk_stencil1d_line_ line, cmk_stencil1d_shape_ shape)
{
    const int size = shape.size, elements = shape.outputs + 2 * shape.reach;
    const cmk_i64 start = cmk_stencil1d_first_(line, shape) - shape.reach;
    const char *const from = (const char *)in;
    char *const to = (char *)window;
    if (line.aligned && start >= 0 && start + elements <= line.count) {
        CMK_UNROLL
        for (int k = 0; k < elements; k += 16 / size) CMK_LOAD_16(READ_ONLY, to + k * size, from + (start + k) * size);
        return;
    }
    CMK_UNROLL
    for (int k = 0; k < elements; ++k) {
        const cmk_i64 i = start + k;
        CMK_TURN_(k);
        if (CMK_EDGE_EMPTY_(shape.edge, i, line.count))
            memset(to + k * size, 0, (size_t)size);
        else
            cmk_load_value_(to + k * size, from + cmk_edge_index(shape.edge, i, line.count) * size, size);
    }
    CMK_TURN_(-1);
}

/* out[first + j] = sums[j] inside the line */
CMK_DEVICE_ void cmk_stencil1d_store_(void *out, const void *sums, cmk_stencil1d_line_ line, cmk_stencil1d_shape_ shape)
{
    const int size = shape.size;
    const cmk_i64 first = cmk_stencil1d_first_(line, shape);
    const char *const from = (const char *)sums;
    char *const to = (char *)out;
    if (first >= 0 && line.count - first >= shape.outputs) {
        CMK_UNROLL
        for (int j = 0; j < shape.outputs; j += 16 / size)
            CMK_STORE_16(PLAIN, to + (first + j) * size, from + j * size);
        return;
    }
    CMK_UNROLL
    for (int j = 0; j < shape.outputs; ++j) {
        CMK_TURN_(j);
        if (first + j >= 0 && first + j < line.count)
            cmk_load_store_value_(to + (first + j) * size, from + j * size, size);
    }
    CMK_TURN_(-1);
}

#endif
