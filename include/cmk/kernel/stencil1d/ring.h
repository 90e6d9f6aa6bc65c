/* stencil1d/ring.h: 1D stencils of large radius: a warp's way along a stretch of the line, and its ring. */
#ifndef CMK_KERNEL_STENCIL1D_RING_H
#define CMK_KERNEL_STENCIL1D_RING_H

#include "../../base.h"
#include "../../edge.h"
#include "../../fill.h"
#include "../../load.h"
#include "../../tile.h"
#include "../mma/fragment.h"
#include "../mma/halves.h"
#include "sizes.h"

/* The elements of a call: count outputs, and samples low to high - 1, in_count of them. `in` is sample 0, which is
 * under output 0. The outputs of a thread begin at a multiple of 16 bytes: those of the first, head elements before
 * out. aligned: in and out lie at equal distances from such a multiple; steps: of the line, of which a warp has
 * `length`, each as many steps behind the last as a block has warps; tensor: whether that is enough to split taps. */
typedef struct {
    cmk_i64 count, low, high, in_count, steps;
    int head, aligned, length, tensor;
} cmk_stencil1d_line_;

/* The taps of a thread as halves, each 8 samples a pair, and the inverse of their scale, 0 where halves do not say
 * enough of them. Pairs of halves n and n + 1 are operands for even n, and for odd n. */
typedef struct {
    unsigned high[2][cmk_stencil1d_blocks_most_], low[2][cmk_stencil1d_blocks_most_];
    float back;
} cmk_stencil1d_bands_;

/* a thread at work: its warp's next step begins with output `first`, the next to copy with sample `start` */
typedef struct {
    const char *in;
    char *out;
    cmk_i64 count, low, high, in_count; /* of the call */
    cmk_i64 first, start;
    int aligned;
    int steps, copies; /* steps left, to sum and to copy */
    int stage;         /* where the step lies in a plane of the ring, in bytes */
    char *ring, *spare;
    cmk_stencil1d_bands_ bands;
} cmk_stencil1d_work_;

CMK_DEVICE_ int cmk_stencil1d_lane_(void)
{
    return (int)threadIdx.x % 32;
}

/* where a vector lies that is in one of some planes */
CMK_DEVICE_ char *cmk_stencil1d_place_(char *memory, int planes, int plane_bytes, int vector)
{
    return memory + vector % planes * plane_bytes + vector / planes * 16;
}

/* starts a copy of 16 bytes; by L1 where halves of a sector go to two planes, which L2 would serve one by one */
CMK_DEVICE_ void cmk_stencil1d_copy_(char *to, const char *from, int planes)
{
#if CMK_TENSOR_WARP_HAS_
    if (planes > 1)
        cmk_fill_async_shared_(to, from);
    else
#endif
        cmk_fill_async_(16, to, from, 1);
    (void)planes;
}

/* starts to copy the whole vectors of a step */
CMK_DEVICE_ void cmk_stencil1d_fill_vectors_(const cmk_stencil1d_work_ *w, cmk_stencil1d_shape_ s)
{
    const int lane = cmk_stencil1d_lane_();
    const char *const from = w->in + w->start * s.size + lane * 16;
    char *const to = cmk_stencil1d_place_(w->ring + w->stage, s.planes, s.plane_bytes, lane);
    CMK_UNROLL
    for (int v = 0; v * 32 < s.vectors * 32 + s.halo; ++v) {
        CMK_TURN_(v);
        if (v < s.vectors || (v - s.vectors) * 32 + lane < s.halo)
            cmk_stencil1d_copy_(to + 512 / s.planes * v, from + 512 * v, s.planes);
    }
    CMK_TURN_(-1);
}

/* starts to copy the elements of a step one by one, treated by the edge */
CMK_DEVICE_ void cmk_stencil1d_fill_elements_(const cmk_stencil1d_work_ *w, cmk_stencil1d_shape_ s)
{
    const int each = 16 / s.size;
    const char *const line = w->in + w->low * s.size;
    CMK_NO_UNROLL
    for (int e = cmk_stencil1d_lane_(); e < s.step + 2 * s.reach; e += 32) {
        const cmk_i64 i = w->start - w->low + e;
        const int empty = CMK_EDGE_EMPTY_(s.edge, i, w->in_count);
        const cmk_i64 at = empty ? 0 : cmk_edge_index(s.edge, i, w->in_count);
        char *const to = cmk_stencil1d_place_(w->ring + w->stage, s.planes, s.plane_bytes, e / each);
        CMK_TURN_(e / 32);
        cmk_fill_async_(s.size, to + e % each * s.size, line + at * s.size, !empty);
    }
    CMK_TURN_(-1);
}

/* starts the copies of a step, if there is one more */
CMK_DEVICE_ void cmk_stencil1d_fill_(cmk_stencil1d_work_ *w, cmk_stencil1d_shape_ s)
{
    const int inside = w->start >= w->low && w->start + s.step + 2 * s.reach <= w->high;
    if (w->copies > 0 && inside && w->aligned)
        cmk_stencil1d_fill_vectors_(w, s);
    else if (w->copies > 0)
        cmk_stencil1d_fill_elements_(w, s);
    CMK_FILL_COMMIT(ASYNC);
    w->start += s.threads / 32 * s.step;
    --w->copies;
}

/* where the next step lies */
CMK_DEVICE_ int cmk_stencil1d_next_stage_(const cmk_stencil1d_work_ *w, cmk_stencil1d_shape_ s)
{
    return w->stage == (cmk_stencil1d_stages_ - 1) * s.stage_bytes ? 0 : w->stage + s.stage_bytes;
}

/* a warp's stretch, whose first steps are on their way */
CMK_DEVICE_ cmk_stencil1d_work_ cmk_stencil1d_enter_(const void *in, void *out, cmk_stencil1d_line_ line,
                                                     cmk_stencil1d_shape_ s)
{
    CMK_TILE_DYNAMIC(char, shared);
    const int warp = (int)__shfl_sync(0xffffffffu, threadIdx.x / 32, 0), warps = s.threads / 32;
    const cmk_i64 first = (cmk_i64)blockIdx.x * warps * line.length + warp;
    const cmk_i64 left = (line.steps - first + warps - 1) / warps;
    cmk_stencil1d_work_ w = CMK_ZEROS_(cmk_stencil1d_work_);
    w.in = (const char *)in;
    w.out = (char *)out;
    w.count = line.count;
    w.low = line.low;
    w.high = line.high;
    w.in_count = line.in_count;
    w.aligned = line.aligned;
    w.first = first * s.step - line.head;
    w.start = w.first - s.reach;
    w.steps = w.copies = left < line.length ? (int)left : line.length;
    w.ring = shared + warp * s.warp_bytes;
    w.spare = w.ring + s.planes * s.plane_bytes;
    CMK_NO_UNROLL
    for (int n = 0; n < cmk_stencil1d_stages_; ++n) {
        cmk_stencil1d_fill_(&w, s);
        w.stage = cmk_stencil1d_next_stage_(&w, s);
    }
    return w;
}

/* until the samples of a step are there */
CMK_DEVICE_ void cmk_stencil1d_wait_(void)
{
    CMK_FILL_ARRIVED(ASYNC, cmk_stencil1d_stages_ - 1);
    __syncwarp();
}

/* a thread's window of the next step */
CMK_DEVICE_ void cmk_stencil1d_take_(void *window, cmk_stencil1d_work_ *w, cmk_stencil1d_shape_ s)
{
    char *const from = w->ring + w->stage + cmk_stencil1d_lane_() * s.vectors / s.planes * 16;
    cmk_stencil1d_wait_();
    CMK_UNROLL
    for (int v = 0; v < s.vectors + s.halo; ++v) {
        CMK_TURN_(v);
        cmk_load_plain_value_((char *)window + v * 16, cmk_stencil1d_place_(from, s.planes, s.plane_bytes, v), 16);
    }
    CMK_TURN_(-1);
}

/* Stores vectors of a step, of a thread those of its number and every 32nd further, and goes on. (Neighbours that do
 * not store to halves of a sector in their order keep L2 busy twice as long.) */
CMK_DEVICE_ void cmk_stencil1d_put_(cmk_stencil1d_work_ *w, const void *vectors, cmk_stencil1d_shape_ s)
{
    const int each = 16 / s.size, at = cmk_stencil1d_lane_() * each;
    const char *const from = (const char *)vectors;
    if (w->first >= 0 && w->first + s.step <= w->count) {
        CMK_UNROLL
        for (int v = 0; v < s.vectors; ++v)
            CMK_STORE_16(PLAIN, w->out + (w->first + at + v * 32 * each) * s.size, from + v * 16);
    } else {
        CMK_UNROLL
        for (int j = 0; j < s.outputs; ++j) {
            const cmk_i64 i = w->first + at + j / each * 32 * each + j % each;
            CMK_TURN_(j);
            if (i >= 0 && i < w->count) cmk_load_store_value_(w->out + i * s.size, from + j * s.size, s.size);
        }
        CMK_TURN_(-1);
    }
    w->first += s.threads / 32 * s.step;
    w->stage = cmk_stencil1d_next_stage_(w, s);
    --w->steps;
}

/* Stores the outputs of a thread's windows, which its warp exchanges for this. All have their windows then, and the
 * stage is filled again. */
CMK_DEVICE_ void cmk_stencil1d_turn_(cmk_stencil1d_work_ *w, const void *sums, cmk_stencil1d_shape_ s)
{
    const int lane = cmk_stencil1d_lane_();
    char *const to = w->spare + lane * 16;
    char *const from = cmk_stencil1d_place_(w->spare, s.vectors, s.spare_bytes, lane);
    unsigned vectors[cmk_stencil1d_vectors_][4];
    CMK_UNROLL
    for (int v = 0; v < s.vectors; ++v) {
        CMK_TURN_(v);
        cmk_load_store_value_(to + v * s.spare_bytes, (const char *)sums + v * 16, 16);
    }
    CMK_TURN_(-1);
    __syncwarp();
    cmk_stencil1d_fill_(w, s);
    CMK_UNROLL
    for (int v = 0; v < s.vectors; ++v) {
        CMK_TURN_(v);
        cmk_load_plain_value_(vectors[v], from + 512 / s.vectors * v, 16);
    }
    CMK_TURN_(-1);
    cmk_stencil1d_put_(w, vectors, s);
}

#endif
