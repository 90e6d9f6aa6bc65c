/* stencil1d/window.h: what a thread of a 1D stencil reads into registers, and what it writes. An element is moved by
 * its size, whatever its type is.
 *
 * The kernels in stencil1d.h call cmk_stencil1d_begin_, cmk_stencil1d_load_ and cmk_stencil1d_store_. In all functions
 * here:
 *
 *   s                  cmk_stencil1d_shape_ (sizes.h), known at compile time. s.size is the bytes of an element;
 *                      s.outputs counts those that a thread computes, and s.reach those of its window on each side of
 *                      them, whole vectors of 16 bytes
 *   s.ring, s.tensor   whether samples come by a ring of the warp (ring.h); whether tensor cores may sum (bands.h)
 *   s.off              1 in the kernel for short lines of a definition that does not need one: it does nothing
 *   line               cmk_stencil1d_line_ (ring.h), the parameter of the kernel, in elements. Samples low to high - 1
 *                      are in_count, outputs are 0 to count - 1, and head of the first thread's are before output 0
 *   w                  cmk_stencil1d_work_ (ring.h), the state of a thread; w->steps: the steps that are left
 *   in, out            sample 0, under output 0; output 0. Both are aligned to an element, or plan.h refuses the call
 *   vectors            16 bytes aligned to 16: s.size divides 16, s.outputs and s.reach are whole vectors, and head is
 *                      counted from a multiple of 16 bytes of out. line.aligned says that in is as far from one as out
 *   cmk_load_value_    loads n bytes by the read-only cache, as nobody writes `in` meanwhile (load.h). CMK_LOAD_16 does
 *                      so with 16. cmk_load_store_value_ stores n bytes, CMK_STORE_16 stores 16
 *   cmk_edge_index     the index from 0 to in_count - 1 that the edge reads; CMK_EDGE_EMPTY_: whether it reads none
 *   PLAIN, READ_ONLY   hints of load.h: an ordinary access; the read-only cache
 *   ring.h, bands.h    cmk_stencil1d_enter_: begins a stretch. cmk_stencil1d_take_: reads the window of the next step.
 *                      cmk_stencil1d_turn_: stores its outputs. cmk_stencil1d_read_taps_: splits taps into halves.
 *                      cmk_stencil1d_multiply_: does a step by tensor cores, or returns 0. cmk_stencil1d_tap_: a
 *                      function that reads a tap
 *   base.h             CMK_DEVICE_: an inlined device function. CMK_UNROLL unrolls the next loop, CMK_NO_UNROLL does
 *                      not. CMK_ZEROS_(T): a T of zeros
 *   CMK_TURN_          for the counters of the CPU backend; it does nothing on a GPU */
#ifndef CMK_KERNEL_STENCIL1D_WINDOW_H
#define CMK_KERNEL_STENCIL1D_WINDOW_H

#include "bands.h"

/* Returns the first output of the calling thread, where there is no ring. It is below 0 for the first thread if the
 * line has a head, and at or beyond line.count for threads behind the end. */
CMK_DEVICE_ cmk_i64 cmk_stencil1d_first_(cmk_stencil1d_line_ line, cmk_stencil1d_shape_ s)
{
    return ((cmk_i64)blockIdx.x * s.threads + (cmk_i64)threadIdx.x) * s.outputs - line.head;
}

/* Sets window[k] = in[first - reach + k], with the edge outside the line. A thread calls it for itself; it has no
 * barrier. Vectors of 16 bytes are loaded where all of the window is inside and aligned, else elements. `all` is where
 * the first sample of the line is, and i counts from it; both start and i may be negative. What neighbouring threads
 * read too comes from the L1 cache. */
CMK_DEVICE_ void cmk_stencil1d_load_directly_(void *window, const void *in, cmk_stencil1d_line_ line,
                                              cmk_stencil1d_shape_ s)
{
    const int size = s.size, elements = s.outputs + 2 * s.reach;
    const cmk_i64 start = cmk_stencil1d_first_(line, s) - s.reach;
    const char *const from = (const char *)in, *const all = from + line.low * size;
    char *const to = (char *)window;
    if (line.aligned && start >= line.low && start + elements <= line.high) {
        CMK_UNROLL
        for (int k = 0; k < elements; k += 16 / size) CMK_LOAD_16(READ_ONLY, to + k * size, from + (start + k) * size);
        return;
    }
    CMK_UNROLL
    for (int k = 0; k < elements; ++k) {
        const cmk_i64 i = start - line.low + k;
        CMK_TURN_(k);
        if (CMK_EDGE_EMPTY_(s.edge, i, line.in_count))
            memset(to + k * size, 0, (size_t)size);
        else
            cmk_load_value_(to + k * size, all + cmk_edge_index(s.edge, i, line.in_count) * size, size);
    }
    CMK_TURN_(-1);
}

/* Sets out[first + j] = sums[j] inside the line, by vectors of 16 bytes where all outputs of the thread are inside. The
 * first outputs of threads are aligned to 16 bytes. */
CMK_DEVICE_ void cmk_stencil1d_store_directly_(void *out, const void *sums, cmk_stencil1d_line_ line,
                                               cmk_stencil1d_shape_ s)
{
    const int size = s.size;
    const cmk_i64 first = cmk_stencil1d_first_(line, s);
    const char *const from = (const char *)sums;
    char *const to = (char *)out;
    if (first >= 0 && line.count - first >= s.outputs) {
        CMK_UNROLL
        for (int j = 0; j < s.outputs; j += 16 / size) CMK_STORE_16(PLAIN, to + (first + j) * size, from + j * size);
        return;
    }
    CMK_UNROLL
    for (int j = 0; j < s.outputs; ++j) {
        CMK_TURN_(j);
        if (first + j >= 0 && first + j < line.count)
            cmk_load_store_value_(to + (first + j) * size, from + j * size, size);
    }
    CMK_TURN_(-1);
}

/* Returns a thread's work: a stretch of steps with a ring, or one step without. A kernel calls it first, with all
 * threads of a block. `table` and `tap` are the taps for tensor cores (bands.h). */
CMK_DEVICE_ cmk_stencil1d_work_ cmk_stencil1d_begin_(const void *in, void *out, cmk_stencil1d_line_ line,
                                                     cmk_stencil1d_shape_ s, const void *table, cmk_stencil1d_tap_ tap)
{
    cmk_stencil1d_work_ w = CMK_ZEROS_(cmk_stencil1d_work_);
    if (s.ring) {
        w = cmk_stencil1d_enter_(in, out, line, s);
        if (s.tensor && line.tensor) cmk_stencil1d_read_taps_(&w, s, table, tap);
    } else {
        w.in = (const char *)in;
        w.out = (char *)out;
        w.steps = !s.off;
    }
    return w;
}

/* Reads the window of the next step that tensor cores do not sum; the steps before it are summed by tensor cores and
 * stored here. Returns 0 where there is none. With a ring all lanes of a warp call it. The kernel then expands BODY
 * over window. */
CMK_DEVICE_ int cmk_stencil1d_load_(void *window, cmk_stencil1d_work_ *w, cmk_stencil1d_line_ line,
                                    cmk_stencil1d_shape_ s)
{
    if (s.tensor) {
        CMK_NO_UNROLL
        while (w->steps > 0 && cmk_stencil1d_multiply_(w, s)) continue;
    }
    if (w->steps <= 0) return 0;
    if (s.ring)
        cmk_stencil1d_take_(window, w, s);
    else
        cmk_stencil1d_load_directly_(window, w->in, line, s);
    return 1;
}

/* Stores the outputs of the step, s.outputs sums, and goes on to the next. With a ring all lanes of a warp call it. */
CMK_DEVICE_ void cmk_stencil1d_store_(cmk_stencil1d_work_ *w, const void *sums, cmk_stencil1d_line_ line,
                                      cmk_stencil1d_shape_ s)
{
    if (s.ring) {
        cmk_stencil1d_turn_(w, sums, s);
    } else {
        cmk_stencil1d_store_directly_(w->out, sums, line, s);
        w->steps = 0;
    }
}

#endif
