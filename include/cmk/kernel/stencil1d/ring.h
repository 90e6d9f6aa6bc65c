/* stencil1d/ring.h: 1D stencils of large radius: a warp's way along a stretch of the line, and its ring.
 *
 * Warp `warp` of block `block` does `length` steps. A step is the outputs of its 32 lanes, OUTPUTS each. All steps
 * equal this C, where in[i] is what the edge reads if i is outside of the line:
 *
 *   for (int step = 0; step < length; ++step)
 *       for (int lane = 0; lane < 32; ++lane) {
 *           const long long first = (((block * length + step) * WARPS + warp) * 32 + lane) * OUTPUTS - head;
 *           float window[OUTPUTS + 2 * REACH];
 *           for (int k = 0; k < OUTPUTS + 2 * REACH; ++k) window[k] = in[first - REACH + k];
 *           for (int j = 0; j < OUTPUTS; ++j) {
 *               float sum = 0.0f;
 *               for (int d = -RADIUS; d <= RADIUS; ++d) sum += table[d + RADIUS] * window[REACH + j + d];
 *               if (first + j >= 0 && first + j < count) out[first + j] = sum;
 *           }
 *       }
 *
 * A lane's outputs are two vectors of 16 bytes, 8 floats. The samples of a step are vectors too, in a stage of the
 * warp's own ring in shared memory. Vectors of even and of odd number are in two planes, so that what the lanes read at
 * once is contiguous. Lane l holds from vector 2 l on in its registers, window[0] to the last:
 *
 *   plane 0    vector 0        vector 2        ...   vector 62        and so on to the halo's end
 *   plane 1    vector 1        vector 3        ...   vector 63
 *   window     lane 0 begins   lane 1 begins   ...   lane 31 begins
 *
 * For the store, the warp exchanges outputs: lane l then has vectors l and 32 + l of the step.
 *
 * The path of a warp, whose lanes go together:
 *
 *   host     cmk_stencil1d_plan_region_, cmk_stencil1d_divide_ (plan.h)
 *   begin    name_kernel, cmk_stencil1d_begin_ (window.h), cmk_stencil1d_enter_, cmk_stencil1d_fill_
 *   read     cmk_stencil1d_load_ (window.h), cmk_stencil1d_take_, cmk_stencil1d_wait_
 *   sum      BODY, for each of the OUTPUTS
 *   store    cmk_stencil1d_store_ (window.h), cmk_stencil1d_turn_, cmk_stencil1d_fill_, cmk_stencil1d_put_
 *
 * On tensor cores cmk_stencil1d_read_taps_ runs once, and cmk_stencil1d_multiply_ in place of a step (bands.h). */
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

/* The elements of a call, a parameter of the kernel. Sample 0 is *in, under output 0.
 *
 *   count              outputs
 *   low, high          the first sample, and the one behind the last; in_count of them
 *   head               outputs before out, from the multiple of 16 bytes where the first thread's outputs begin
 *   aligned            1 where in and out are at equal distances from such a multiple
 *   steps, length      of the line; of a warp, each as many steps behind the last one as a block has warps
 *   tensor             1 where that is enough to split taps into halves */
typedef struct {
    cmk_i64 count, low, high, in_count, steps;
    int head, aligned, length, tensor;
} cmk_stencil1d_line_;

/* The taps of a thread as halves, a pair for each 8 samples, and their inverse scale, 0 where they are not in range.
 * Pairs n and n + 1 are operands of an instruction, for even n and for odd n. */
typedef struct {
    unsigned high[2][cmk_stencil1d_blocks_most_], low[2][cmk_stencil1d_blocks_most_];
    float inverse;
} cmk_stencil1d_bands_;

/* A thread at work. Its warp's next step begins with output `first`. The next step to copy begins with sample
 * `start`. */
typedef struct {
    const char *in;
    char *out;
    cmk_i64 count, low, high, in_count; /* as in cmk_stencil1d_line_ */
    cmk_i64 first, start;
    int aligned;
    int steps, copies; /* the steps that are left, to sum and to copy */
    int stage;         /* where the step is in a plane of the ring, in bytes */
    char *ring, *spare;
    cmk_stencil1d_bands_ bands;
} cmk_stencil1d_work_;

CMK_DEVICE_ int cmk_stencil1d_lane_(void)
{
    return (int)threadIdx.x % 32;
}

/* Returns where a vector is in memory that has `planes` planes. */
CMK_DEVICE_ char *cmk_stencil1d_place_(char *memory, int planes, int plane_bytes, int vector)
{
    return memory + vector % planes * plane_bytes + vector / planes * 16;
}

/* Starts a copy of 16 bytes. It goes through L1 where the halves of a sector go to two planes, as L2 would serve them
 * one by one. */
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

/* Starts to copy the whole vectors of a step. All lanes of the warp call it. */
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

/* Starts to copy the elements of a step one by one, with the edge. All lanes of the warp call it. */
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

/* Starts the copies of a step, if there is one more. All lanes of the warp call it. */
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

/* Returns where the next step is in a plane of the ring, in bytes. */
CMK_DEVICE_ int cmk_stencil1d_next_stage_(const cmk_stencil1d_work_ *w, cmk_stencil1d_shape_ s)
{
    return w->stage == (cmk_stencil1d_stages_ - 1) * s.stage_bytes ? 0 : w->stage + s.stage_bytes;
}

/* Returns a warp's stretch, whose first steps are on their way. */
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

/* Waits until the samples of a step are there. */
CMK_DEVICE_ void cmk_stencil1d_wait_(void)
{
    CMK_FILL_ARRIVED(ASYNC, cmk_stencil1d_stages_ - 1);
    __syncwarp();
}

/* Reads a thread's window of the next step. */
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

/* Stores vectors of a step, and goes on to the next. A lane stores the vector of its number, and each 32nd one after
 * it. (Lanes that do not store to the halves of a sector in their order keep L2 busy twice as long.) */
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

/* Stores the outputs of a thread's window, which the lanes of its warp exchange for this. All of them have read their
 * windows by then, so that the stage is filled again. */
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
