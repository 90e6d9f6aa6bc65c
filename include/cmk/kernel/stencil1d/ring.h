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
 * On tensor cores cmk_stencil1d_read_taps_ runs once, and cmk_stencil1d_multiply_ in place of a step (bands.h).
 *
 * In all functions here:
 *
 *   s                  cmk_stencil1d_shape_ (sizes.h), known at compile time. s.size is the bytes of an element,
 *                      s.outputs the OUTPUTS of a lane, s.reach the REACH, and s.step the 32 * OUTPUTS of a warp.
 *                      s.edge is an edge of edge.h
 *   s.vectors, s.halo  vectors of 16 bytes of a lane's outputs, which are 2; those of its window beside them
 *   s.planes           planes of a ring: 2, or 1 for tensor cores
 *   s.stage_bytes      bytes of a stage in one plane; s.plane_bytes: those of a plane, with all stages
 *   s.spare_bytes      bytes of a plane of the memory by which lanes exchange outputs
 *   line               cmk_stencil1d_line_, the parameter of the kernel, in elements
 *   w                  cmk_stencil1d_work_, the state of a warp; w->steps and w->copies are the steps left to sum and
 *                      to copy
 *   vectors            16 bytes aligned to 16: s.size divides 16, and s.reach, s.step and planes are whole vectors.
 *                      Output `first` is at a multiple of 16 bytes, as head is counted from one. With `aligned` its
 *                      sample is too. in and out are aligned to an element, or the call is refused (plan.h)
 *   cmk_fill_async_    (n, to, from, inside) starts a copy of n bytes to shared memory, or writes n zeros (fill.h).
 *                      CMK_FILL_COMMIT makes those of a thread a group; CMK_FILL_ARRIVED waits for all groups but the
 *                      last n, which is its last argument
 *   cmk_edge_index     the index from 0 to in_count - 1 that the edge reads; CMK_EDGE_EMPTY_: whether it reads none
 *   cmk_load_plain_value_, cmk_load_store_value_    load and store n bytes as one word (load.h)
 *   s.warp_bytes       bytes of shared memory of a warp: its ring, then the memory for outputs or halves
 *   cmk_stencil1d_stages_    of tune.h: the steps that a ring holds, 3; cmk_stencil1d_vectors_: 2
 *   CMK_STORE_16       (PLAIN, to, from) stores 16 bytes of global memory, by an ordinary store (load.h). ASYNC: the
 *                      copies of fill.h
 *   cmk_fill_async_shared_    (fill.h) starts a copy of 16 bytes through L1; only code for sm_80 and later,
 *                      CMK_TENSOR_WARP_HAS_, has it
 *   CMK_TILE_DYNAMIC   (T, name): T *name is the dynamic shared memory of the block, at a multiple of 1024 bytes
 *                      (tile.h)
 *   base.h             CMK_DEVICE_: an inlined device function. CMK_UNROLL unrolls the next loop, CMK_NO_UNROLL does
 *                      not. CMK_ZEROS_(T): a T of zeros
 *   CMK_TURN_          for the counters of the CPU backend; it does nothing on a GPU */
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
 *   head               outputs before out, from the multiple of 16 bytes where the first thread's outputs begin: 0 if
 *                      out itself is one
 *   aligned            1 where in and out are at equal distances from such a multiple
 *   steps, length      steps of the line; steps of a warp, of which each is as many steps of the line behind the last
 *                      one as a block has warps
 *   tensor             1 where warps split taps into halves first: on a GPU where they have steps enough for
 *                      that to pay, and wherever CMK_TENSOR is 1 */
typedef struct {
    cmk_i64 count, low, high, in_count, steps;
    int head, aligned, length, tensor;
} cmk_stencil1d_line_;

/* For tensor cores: the taps of a thread as halves, a pair for each 8 samples, and their inverse scale, 0 where they
 * are not in range. The arrays have s.blocks pairs, which are cmk_stencil1d_blocks_most_ at most (sizes.h). The two
 * copies [0] and [1] are for the first 8 outputs of 16 and for the next 8, and hold the same.
 * Pairs n and n + 1 are operands of an instruction, for even n and for odd n. */
typedef struct {
    unsigned high[2][cmk_stencil1d_blocks_most_], low[2][cmk_stencil1d_blocks_most_];
    float inverse;
} cmk_stencil1d_bands_;

/* A thread at work; but for `bands` it holds the same in all lanes of a warp. Its warp's next step begins with output
 * `first`, which is below 0 for the first step of the line if that has a head. The next step to copy begins with sample
 * `start`. */
typedef struct {
    const char *in;
    char *out;
    cmk_i64 count, low, high, in_count; /* as in cmk_stencil1d_line_ */
    cmk_i64 first, start;
    int aligned;
    int steps, copies;  /* the steps that are left, to sum and to copy */
    int stage;          /* where the step is in a plane of the ring, in bytes */
    char *ring, *spare; /* the warp's own shared memory: its ring; memory to exchange outputs, or for halves */
    cmk_stencil1d_bands_ bands;
} cmk_stencil1d_work_;

/* Returns the lane of the calling thread in its warp. */
CMK_DEVICE_ int cmk_stencil1d_lane_(void)
{
    return (int)threadIdx.x % 32;
}

/* Returns where a vector of 16 bytes is in memory that has `planes` planes, 1 or 2, plane_bytes bytes apart. Vectors go
 * to the planes in turn. */
CMK_DEVICE_ char *cmk_stencil1d_place_(char *memory, int planes, int plane_bytes, int vector)
{
    return memory + vector % planes * plane_bytes + vector / planes * 16;
}

/* Starts a copy of 16 bytes by one thread; `planes` is s.planes, and both addresses are multiples of 16. It goes
 * through L1 where the halves of a sector go to two planes, as L2 would serve them one by one. The last 1 says that
 * there is something to copy. */
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

/* Starts to copy a step whose samples are all inside the line and aligned. A lane copies the vector of its number and
 * each 32nd one after it, 512 bytes further. In a plane these are 512 / s.planes bytes apart, as 32 is even. All lanes
 * of the warp call it. */
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

/* Starts to copy the elements of a step one by one, with what the edge reads outside of the line, or zeros. Here `line`
 * is where the first sample of the line is. The index i counts from it, so that it may be negative. A vector has `each`
 * elements. Nothing is read where the edge reads none. All lanes of the warp call it. */
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

/* Starts the copies of a step, if there is one more, into w->stage, which all lanes must have read before. It commits
 * one group in any case. The warp's next step is as many steps further as a block has warps, s.threads / 32. All lanes
 * of the warp call it. */
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

/* Returns a warp's stretch, whose first steps are on their way into all stages of its ring. Here `first` is the warp's
 * first step in the line, and `left` the steps that it has from there to the end, rounded up. They may be 0 or less;
 * then it copies and computes nothing. The number of the warp comes from its lane 0. w.stage is 0 again behind the loop
 * over all stages. All threads of a block call it, at the start of a kernel. */
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

/* Waits until the samples of the warp's next step are there, which is the oldest of the groups of copies, one for each
 * stage. All lanes of the warp call it, as it has a barrier of the warp. */
CMK_DEVICE_ void cmk_stencil1d_wait_(void)
{
    CMK_FILL_ARRIVED(ASYNC, cmk_stencil1d_stages_ - 1);
    __syncwarp();
}

/* Reads a thread's window of the next step, s.vectors + s.halo vectors, once it has arrived. All lanes of the warp call
 * it. */
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

/* Stores vectors of a step, and goes on to the next. A lane stores the vector of its number in the step, and each 32nd
 * one after it; vectors has these s.vectors vectors. A step that is not wholly in the line goes by elements. Here `at`
 * is the lane's first output in the step, and `each` the elements of a vector. (Lanes that do not store to the halves
 * of a sector in their order keep L2 busy twice as long.) */
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

/* Stores the outputs of a thread's window, s.outputs sums, which the lanes of its warp exchange for this. All of them
 * have read their windows by then, so that the stage is filled again, with a step that is cmk_stencil1d_stages_
 * further. A lane writes its vector v to plane v, and reads vectors lane and 32 + lane of the step; s.vectors is 2, as
 * large as the array. All lanes of the warp call it, as it has a barrier of the warp. */
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
