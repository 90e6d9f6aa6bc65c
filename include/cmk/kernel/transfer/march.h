/* transfer/march.h: the kernels of transfers between grids. In 3D, for cells, they compute
 *
 *   coarse(z, y, x) = the sum over p, r, c from 0 to 1 of fine(2 z + p, 2 y + r, 2 x + c) / 8
 *   fine(2 z + p, 2 y + r, 2 x + c) += the sum over i, j, k from -1 to 1 of
 *       w(p, i) * w(r, j) * w(c, k) * coarse(z + i, y + j, x + k)
 *
 * where w(b, 0) is 3/4, and w(0, -1) and w(1, 1) are 1/4. The functions cmk_transfer_tap_ and cmk_transfer_weight_ have
 * the numbers of points too.
 *
 * A thread has a vector of 16 bytes of each row of the fine grid, and goes along the layers. So it reads of a layer
 * what the next one needs too only once. It makes sums along the columns first, then along the rows, then along the
 * layers. What threads beside it read too comes from the L1 cache. Rows that are not aligned, and the last vector of a
 * row, go by elements, in the same functions with a `whole` of 0. An element outside is one inside times a factor.
 *
 * In all functions here:
 *
 *   call, s    cmk_transfer_call_, cmk_transfer_sizes_ (call.h); s is known at compile time
 *   t          what a thread does
 *   line       the elements of a thread along the columns: floats or doubles, by s.size
 *   layer      a layer of the grid that is read; it may be one outside
 *   others     cmk_load_value_, cmk_load_plain_value_, cmk_load_store_value_, CMK_LOAD_8, CMK_LOAD_16, CMK_STORE_8 and
 *              CMK_STORE_16 (load.h) load and store an element, 8 and 16 bytes; CMK_DEVICE_ and CMK_UNROLL: base.h
 *
 * A thread calls all of them for itself; there are no barriers. */
#ifndef CMK_KERNEL_TRANSFER_MARCH_H
#define CMK_KERNEL_TRANSFER_MARCH_H

#include "../../base.h"
#include "../../load.h"
#include "call.h"

typedef union {
    float f[6];
    double d[4];
} cmk_transfer_line_;

/* Pairs of layers first to end - 1; a pair of rows; a pair of columns, the first of s.lanes. whole: 1 where each of
 * these is there and aligned. */
typedef struct {
    int first, end, row, column, whole;
} cmk_transfer_thread_;

/* Writes what the calling thread does. Returns whether there is something. */
CMK_DEVICE_ int cmk_transfer_thread_of_(cmk_transfer_thread_ *t, const cmk_transfer_call_ *call, cmk_transfer_sizes_ s)
{
    const unsigned rest = blockIdx.x / call->across;
    t->column = (int)((blockIdx.x % call->across * blockDim.x + threadIdx.x) * (unsigned)s.lanes);
    t->row = (int)(rest % call->down * blockDim.y + threadIdx.y);
    t->first = (int)(rest / call->down) * call->deep;
    t->end = cmk_least_(t->first + call->deep, call->pairs[0]);
    t->whole = call->aligned && 2 * (t->column + s.lanes) <= call->fine[2];
    return t->row < call->pairs[1] && t->column < call->pairs[2];
}

/* sum[k] += weight * x[j] */
CMK_DEVICE_ void cmk_transfer_add_(cmk_transfer_line_ *sum, int k, const cmk_transfer_line_ *x, int j, float weight,
                                   int size)
{
    CMK_OPERATIONS_(2);
    if (size == 4)
        sum->f[k] += weight * x->f[j];
    else
        sum->d[k] += (double)weight * x->d[j];
}

/* Loads elements `first` to first + count - 1 of a row of `columns`, which nobody writes meanwhile. With `whole` the
 * elements from lead on are `bytes` bytes, inside and aligned. */
CMK_DEVICE_ void cmk_transfer_load_(cmk_transfer_line_ *to, const char *row, int first, int count, int columns,
                                    cmk_transfer_sizes_ s, int whole, int lead)
{
    const int bytes = lead > 0 ? 8 : 16; /* of the coarse grid, of the fine one */
    char *const at = (char *)to;
    if (whole && bytes == 8) CMK_LOAD_8(READ_ONLY, at + lead * s.size, row + (cmk_i64)(first + lead) * s.size);
    if (whole && bytes == 16) CMK_LOAD_16(READ_ONLY, at, row + (cmk_i64)first * s.size);
    CMK_UNROLL
    for (int k = 0; k < count; ++k) {
        if (whole && k >= lead && k < lead + bytes / s.size) continue;
        const cmk_transfer_place_ place = cmk_transfer_place_of_(s.edges[2], first + k, columns);
        cmk_load_value_(at + k * s.size, row + (cmk_i64)place.at * s.size, s.size);
        if (s.size == 4)
            to->f[k] *= place.factor;
        else
            to->d[k] *= (double)place.factor;
    }
}

/* ---- From the fine grid to the coarse one */

/* Returns the weight of fine element 2 i + tap in coarse element i. */
CMK_DEVICE_ float cmk_transfer_tap_(int tap, cmk_transfer_sizes_ s)
{
    return s.taps == 2 || tap == 1 ? 0.5f : 0.25f;
}

/* Adds weight times what a layer gives to the coarse elements of the thread. */
CMK_DEVICE_ void cmk_transfer_take_(cmk_transfer_line_ *sum, const cmk_transfer_call_ *call, cmk_transfer_sizes_ s,
                                    const cmk_transfer_thread_ *t, int layer, float weight, int whole)
{
    const cmk_transfer_place_ z = cmk_transfer_place_of_(s.edges[0], layer, call->fine[0]);
    CMK_UNROLL
    for (int r = 0; r < (s.dims == 3 ? s.taps : 1); ++r) {
        const cmk_transfer_place_ y = cmk_transfer_place_of_(s.edges[1], (s.dims - 1) * t->row + r, call->fine[1]);
        const float times = weight * z.factor * (s.dims == 3 ? y.factor * cmk_transfer_tap_(r, s) : 1.0f);
        const char *const row = call->in + (z.at * call->in_step + y.at * call->in_pitch) * s.size;
        cmk_transfer_line_ line;
        cmk_transfer_load_(&line, row, 2 * t->column, 2 * s.lanes + s.taps - 2, call->fine[2], s, whole, 0);
        CMK_UNROLL
        for (int k = 0; k < s.lanes; ++k) CMK_UNROLL
        for (int tap = 0; tap < s.taps; ++tap)
            cmk_transfer_add_(sum, k, &line, 2 * k + tap, times * cmk_transfer_tap_(tap, s), s.size);
    }
}

/* The coarse elements of a thread. Of points the last layer of one is the first of the next. */
CMK_DEVICE_ void cmk_transfer_restrict_whole_(const cmk_transfer_call_ *call, cmk_transfer_sizes_ s,
                                              const cmk_transfer_thread_ *t, int whole)
{
    const int last = s.taps - 1;
    cmk_transfer_line_ sum = CMK_ZEROS_(cmk_transfer_line_);
    if (last == 2) cmk_transfer_take_(&sum, call, s, t, 2 * t->first, cmk_transfer_tap_(0, s), whole);
    for (int layer = t->first; layer < t->end; ++layer) {
        cmk_transfer_line_ next = CMK_ZEROS_(cmk_transfer_line_);
        char *const to = call->out + (layer * call->out_step + t->row * call->out_pitch + t->column) * s.size;
        cmk_transfer_take_(&sum, call, s, t, 2 * layer + last - 1, cmk_transfer_tap_(last - 1, s), whole);
        cmk_transfer_take_(&next, call, s, t, 2 * layer + last, cmk_transfer_tap_(last, s), whole);
        CMK_UNROLL
        for (int k = 0; k < s.lanes; ++k) cmk_transfer_add_(&sum, k, &next, k, 1.0f, s.size);
        if (whole) CMK_STORE_8(PLAIN, to, (const char *)&sum);
        CMK_UNROLL
        for (int k = 0; k < s.lanes; ++k)
            if (!whole && t->column + k < call->pairs[2])
                cmk_load_store_value_(to + k * s.size, (const char *)&sum + k * s.size, s.size);
        sum = last == 2 ? next : CMK_ZEROS_(cmk_transfer_line_);
    }
}

/* All that a kernel name_restrict_kernel does. */
CMK_DEVICE_ void cmk_transfer_restrict_(const cmk_transfer_call_ *call, cmk_transfer_sizes_ s)
{
    cmk_transfer_thread_ t;
    if (!cmk_transfer_thread_of_(&t, call, s)) return;
    if (t.whole)
        cmk_transfer_restrict_whole_(call, s, &t, 1);
    else
        cmk_transfer_restrict_whole_(call, s, &t, 0);
}

/* ---- From the coarse grid to the fine one */

/* Returns the weight of coarse element i + offset in fine element 2 i + b. */
CMK_DEVICE_ float cmk_transfer_weight_(int b, int offset, cmk_transfer_sizes_ s)
{
    if (s.taps == 2) return offset == 0 ? 0.75f : offset == 2 * b - 1 ? 0.25f : 0.0f;
    return b == 1 ? (offset == 0 ? 1.0f : 0.0f) : offset < 1 ? 0.5f : 0.0f;
}

/* Adds weight times a line to another one, of 2 * s.lanes elements. A weight of 0 is a constant. */
CMK_DEVICE_ void cmk_transfer_add_line_(cmk_transfer_line_ *sum, const cmk_transfer_line_ *x, float weight,
                                        float factor, cmk_transfer_sizes_ s)
{
    CMK_UNROLL
    for (int k = 0; k < 2 * s.lanes; ++k)
        if (weight > 0.0f) cmk_transfer_add_(sum, k, x, k, weight * factor, s.size);
}

/* Sets what a layer gives to the fine elements of the thread: to those of an even row, and to those of the row below.
 * A matrix has the first only. */
CMK_DEVICE_ void cmk_transfer_give_(cmk_transfer_line_ *rows, const cmk_transfer_call_ *call, cmk_transfer_sizes_ s,
                                    const cmk_transfer_thread_ *t, int layer, int whole)
{
    const int high = s.taps == 2;
    const int coarse[3] = {call->fine[0] / 2, call->fine[1] / (s.dims - 1), call->fine[2] / 2};
    const cmk_transfer_place_ z = cmk_transfer_place_of_(s.edges[0], layer, coarse[0]);
    rows[0] = rows[1] = CMK_ZEROS_(cmk_transfer_line_);
    CMK_UNROLL
    for (int r = s.dims == 3 ? -1 : 0; r <= (s.dims == 3 ? high : 0); ++r) {
        const cmk_transfer_place_ y = cmk_transfer_place_of_(s.edges[1], t->row + r, coarse[1]);
        const char *const row = call->in + (z.at * call->in_step + y.at * call->in_pitch) * s.size;
        cmk_transfer_line_ line, sum = CMK_ZEROS_(cmk_transfer_line_);
        cmk_transfer_load_(&line, row, t->column - 1, s.lanes + 1 + high, coarse[2], s, whole, 1);
        CMK_UNROLL
        for (int k = 0; k < 2 * s.lanes; ++k) CMK_UNROLL
        for (int offset = -1; offset <= high; ++offset)
            if (cmk_transfer_weight_(k % 2, offset, s) > 0.0f)
                cmk_transfer_add_(&sum, k, &line, k / 2 + 1 + offset, cmk_transfer_weight_(k % 2, offset, s), s.size);
        CMK_UNROLL
        for (int b = 0; b < 2; ++b)
            cmk_transfer_add_line_(&rows[b], &sum, s.dims == 3 ? cmk_transfer_weight_(b, r, s) : 1.0f,
                                   y.factor * z.factor, s);
    }
}

/* Loads the fine elements of the thread at `at`, or stores them. */
CMK_DEVICE_ void cmk_transfer_move_(cmk_transfer_line_ *line, char *at, const cmk_transfer_call_ *call,
                                    cmk_transfer_sizes_ s, const cmk_transfer_thread_ *t, int whole, int stores)
{
    if (whole && stores) CMK_STORE_16(PLAIN, at, (const char *)line);
    if (whole && !stores) CMK_LOAD_16(PLAIN, (char *)line, at);
    CMK_UNROLL
    for (int k = 0; k < 2 * s.lanes; ++k) {
        if (whole || 2 * t->column + k >= call->fine[2]) continue;
        if (stores)
            cmk_load_store_value_(at + k * s.size, (const char *)line + k * s.size, s.size);
        else
            cmk_load_plain_value_((char *)line + k * s.size, at + k * s.size, s.size);
    }
}

/* A pair of layers has four lines of the thread, n from 0 to 3: n / 2 is the layer, and n % 2 the row; a matrix has no
 * second row. The first returns whether the fine grid has line n, as that of cells has. The others return where line 0
 * is, and where line n is beside it, in bytes. */
CMK_DEVICE_ int cmk_transfer_has_(const cmk_transfer_call_ *call, cmk_transfer_sizes_ s, const cmk_transfer_thread_ *t,
                                  int layer, int n)
{
    if (s.dims == 2 && n % 2 > 0) return 0;
    return s.taps == 2 || (2 * layer + n / 2 < call->fine[0] && (s.dims - 1) * t->row + n % 2 < call->fine[1]);
}

CMK_DEVICE_ cmk_i64 cmk_transfer_at_(const cmk_transfer_call_ *call, cmk_transfer_sizes_ s,
                                     const cmk_transfer_thread_ *t, int layer)
{
    return (2 * layer * call->out_step + (s.dims - 1) * t->row * call->out_pitch + 2 * t->column) * s.size;
}

CMK_DEVICE_ cmk_i64 cmk_transfer_beside_(const cmk_transfer_call_ *call, cmk_transfer_sizes_ s, int n)
{
    return (n / 2 * call->out_step + n % 2 * call->out_pitch) * s.size;
}

/* The fine elements of a thread. It holds what two coarse layers give, of cells three. */
CMK_DEVICE_ void cmk_transfer_prolong_whole_(const cmk_transfer_call_ *call, cmk_transfer_sizes_ s,
                                             const cmk_transfer_thread_ *t, int whole)
{
    const int high = s.taps == 2;
    cmk_transfer_line_ layers[3][2], fine[4];
    CMK_UNROLL
    for (int i = 0; i <= high; ++i) cmk_transfer_give_(layers[i], call, s, t, t->first - 1 + i, whole);
    for (int layer = t->first; layer < t->end; ++layer) {
        char *const at = call->out + cmk_transfer_at_(call, s, t, layer);
        CMK_UNROLL
        for (int n = 0; n < 4; ++n)
            if (cmk_transfer_has_(call, s, t, layer, n))
                cmk_transfer_move_(&fine[n], at + cmk_transfer_beside_(call, s, n), call, s, t, whole, 0);
        cmk_transfer_give_(layers[1 + high], call, s, t, layer + high, whole);
        CMK_UNROLL
        for (int n = 0; n < 4; ++n) {
            if (!cmk_transfer_has_(call, s, t, layer, n)) continue;
            CMK_UNROLL
            for (int i = 0; i < 2 + high; ++i)
                cmk_transfer_add_line_(&fine[n], &layers[i][n % 2], cmk_transfer_weight_(n / 2, i - 1, s), 1.0f, s);
            cmk_transfer_move_(&fine[n], at + cmk_transfer_beside_(call, s, n), call, s, t, whole, 1);
        }
        CMK_UNROLL
        for (int i = 0; i < 2 + 2 * high; ++i) layers[i / 2][i % 2] = layers[i / 2 + 1][i % 2];
    }
}

/* All that a kernel name_prolong_kernel does. */
CMK_DEVICE_ void cmk_transfer_prolong_(const cmk_transfer_call_ *call, cmk_transfer_sizes_ s)
{
    cmk_transfer_thread_ t;
    if (!cmk_transfer_thread_of_(&t, call, s)) return;
    if (t.whole)
        cmk_transfer_prolong_whole_(call, s, &t, 1);
    else
        cmk_transfer_prolong_whole_(call, s, &t, 0);
}

#endif
