/* kernel/tensor/march.h: groups of four warps that go down strips of 512 columns, a step of two rows at a time. The
 * products of a step start from zero, as tensor cores cut off what they add, and are added by FMAs to the rows of
 * outputs that wait in registers; these move on by two rows in doing so. Meanwhile the next step is converted. Steps of
 * which halves do not say enough go by FMAs alone. */
#ifndef CMK_KERNEL_TENSOR_MARCH_H
#define CMK_KERNEL_TENSOR_MARCH_H

#include "rows.h"

enum { cmk_tensor_products_most_ = 104, cmk_tensor_sums_most_ = 4 * (cmk_tensor_slots_most_ - 2) };

#if CMK_TENSOR_HAS_

/* the first of a thread's outputs in a strip; the next two of each row are 64 further */
CMK_DEVICE_ int cmk_tensor_column_(const cmk_tensor_work_ *w)
{
    return (w->thread / 32 * 16 + w->thread % 32 / 4) * 8 + w->thread % 4 * 2;
}

/* row r of the filter for a row d of a step and a slot, of which 0 holds the oldest outputs */
CMK_DEVICE_ int cmk_tensor_tap_row_(cmk_image_sizes_ s, int slot, int d)
{
    return s.rows - 1 - slot + d;
}

CMK_DEVICE_ float cmk_tensor_tap_(const cmk_tensor_work_ *w, cmk_image_sizes_ s, int r, int c)
{
    return r >= 0 && r < s.rows && c >= 0 && c < s.columns ? CMK_LOAD(&w->taps[c * s.tensor.tap_rows + r]) : 0.0f;
}

/* of a slot: the scale of its taps, and whether halves say enough of them */
CMK_DEVICE_ void cmk_tensor_scale_slot_(const cmk_tensor_work_ *w, cmk_image_sizes_ s, int slot)
{
    unsigned most = 0, least = ~0u;
    float up, back;
    for (int d = 0; d < 2; ++d)
        for (int c = 0; c < s.columns; ++c) {
            const float tap = cmk_tensor_tap_(w, s, cmk_tensor_tap_row_(s, slot, d), c);
            const unsigned bits = cmk_tensor_bits_(tap) & 0x7fffffffu;
            most = bits > most ? bits : most;
            least = bits - 1 < least ? bits - 1 : least;
        }
    cmk_tensor_scale_(most, &up, &back);
    const float share = (float)(s.rows * s.columns) * cmk_tensor_float_((127u + cmk_tensor_range_taps_) << 23);
    const float most_tap = cmk_tensor_float_(most) * up,
                least_tap = least == ~0u ? most_tap : cmk_tensor_float_(least + 1) * up;
    w->notes->up[slot] = most == 0 ? 1.0f : up;
    w->notes->back[slot] = most == 0 ? 1.0f : back;
    w->notes->enough[slot] = most == 0 || (most < 0x7f800000u && most >= 0x0f000000u &&
                                           (s.tensor.products == 1 || least_tap * share >= most_tap));
}

/* 8 halves of k of a column of B: of block h of window block j, of plane */
CMK_DEVICE_ void cmk_tensor_write_taps_(const cmk_tensor_work_ *w, cmk_image_sizes_ s, char *to, int plane, int j,
                                        int h, int column)
{
    const int joint = s.tensor.windows % 2 && j == s.tensor.windows - 1,
              half = s.tensor.windows / 2 ? s.tensor.windows / 2 : 1;
    const int d = joint ? h : j / half, block = joint ? s.tensor.windows - 1 : 2 * (j % half) + h;
    const int slot = column / 8, output = column % 8, r = cmk_tensor_tap_row_(s, slot, d);
    const float up = w->notes->up[slot];
    unsigned halves[4];
    CMK_UNROLL
    for (int pair = 0; pair < 4; ++pair) {
        float taps[2];
        CMK_UNROLL
        for (int e = 0; e < 2; ++e) {
            const int from = block * 8 + 2 * pair + e - output - s.tensor.shift, c = from / s.channels;
            taps[e] = from >= 0 && from % s.channels == 0 ? cmk_tensor_tap_(w, s, r, c) * up : 0.0f;
        }
        const unsigned high = cmk_tensor_halves_(taps[0], taps[1]);
        const float first = cmk_tensor_half_(high, 0), second = cmk_tensor_half_(high, 1);
        halves[pair] = plane == 0   ? high
                       : plane == 1 ? cmk_tensor_halves_(taps[0] - first, taps[1] - second)
                                    : cmk_tensor_halves_(first / 2048.0f, second / 2048.0f);
    }
    cmk_load_store_value_(to, halves, 16);
}

/* The taps of a block: as floats, their scales, and the matrices B. All threads of the block call. */
CMK_DEVICE_ void cmk_tensor_write_table_(cmk_tensor_work_ *w, cmk_image_sizes_ s, cmk_image_parts_float_ parts)
{
    const int threads = s.tensor.groups * cmk_tensor_group_, thread = w->group * cmk_tensor_group_ + w->thread;
    const int columns = s.tensor.pending * 8;
    CMK_NO_UNROLL
    for (int n = thread; n < s.tensor.tap_rows * s.columns; n += threads) {
        const int c = n / s.tensor.tap_rows, r = n % s.tensor.tap_rows;
        CMK_STORE((float *)&w->taps[n], r < s.rows ? parts.tap(parts.tables, 1, cmk_image_tap_(s, r, c)) : 0.0f);
    }
    __syncthreads();
    if (thread < s.tensor.pending) cmk_tensor_scale_slot_(w, s, thread);
    __syncthreads();
    CMK_NO_UNROLL
    for (int n = thread; n < s.tensor.tap_planes * s.tensor.windows * 2 * columns; n += threads) {
        const int column = n % columns, block = n / columns, j = block / 2 % s.tensor.windows;
        cmk_tensor_write_taps_(w, s, w->table_bytes + n * 16, block / 2 / s.tensor.windows, j, block % 2, column);
    }
    w->least_back = w->most_back = w->notes->back[0];
    unsigned enough = 1;
    CMK_NO_UNROLL
    for (int slot = 0; slot < s.tensor.pending; ++slot) {
        const float back = w->notes->back[slot];
        w->least_back = back < w->least_back ? back : w->least_back;
        w->most_back = back > w->most_back ? back : w->most_back;
        enough &= w->notes->enough[slot];
    }
    if (!enough) w->least_back = 0.0f;
    cmk_tensor_show_();
    __syncthreads();
}

/* starts the products of a step for a part of the slots: corrections first, while sums are small */
CMK_DEVICE_ void cmk_tensor_products_(float *products, const cmk_tensor_work_ *w, cmk_image_sizes_ s, int step,
                                      int part)
{
    const cmk_tensor_at_ here = step % 2 ? w->second : w->first;
    const int half = s.tensor.windows / 2 ? s.tensor.windows / 2 : 1;
    cmk_tensor_begin_();
    CMK_UNROLL
    for (int n = s.tensor.products - 1; n >= 0; --n) CMK_UNROLL
    for (int j = 0; j < s.tensor.windows; ++j) {
        const int joint = s.tensor.windows % 2 && j == s.tensor.windows - 1, d = joint ? 0 : j / half;
        const int block = joint ? s.tensor.windows - 1 : 2 * (j % half), low = n == 2;
        cmk_tensor_multiply_(
            products, s.tensor.columns, here, (low * 2 + d) * s.tensor.row_bytes + block * 16,
            joint ? s.tensor.row_bytes : 16, w->table,
            ((n * s.tensor.windows + j) * 2 * s.tensor.pending + part * s.tensor.pending / s.tensor.parts) * 128,
            s.tensor.pending * 128, n < s.tensor.products - 1 || j > 0);
    }
    cmk_tensor_end_();
}

/* the same by FMAs, from pixels as they were copied */
CMK_DEVICE_ void cmk_tensor_fmas_(float *products, const cmk_tensor_work_ *w, cmk_image_sizes_ s,
                                  cmk_image_parts_float_ parts, int part)
{
    const char *const raw = cmk_tensor_raw_(w, s, 0);
    const int column = cmk_tensor_column_(w);
    const int first = part * s.tensor.pending / s.tensor.parts;
    CMK_UNROLL
    for (int n = 0; n < s.tensor.columns / 2; ++n) products[n] = 0.0f;
    CMK_UNROLL
    for (int d = 0; d < 2; ++d) {
        CMK_NO_UNROLL
        for (int c = 0; c < s.columns; ++c) {
            const int at = d * s.tensor.raw_width + s.tensor.skip + s.tensor.shift + c * s.channels + column;
            float pixels[4], taps[cmk_tensor_slots_most_];
            CMK_UNROLL
            for (int e = 0; e < 4; ++e) {
                cmk_image_chunk_ element;
                cmk_load_plain_value_(&element, raw + (at + e / 2 * 64 + e % 2) * s.in_size, s.in_size);
                parts.widen(&pixels[e], &element);
            }
            CMK_UNROLL
            for (int r = 0; r < s.tensor.tap_rows; r += 4)
                cmk_load_plain_value_(&taps[r], &w->taps[c * s.tensor.tap_rows + r], 16);
            CMK_UNROLL
            for (int n = 0; n < s.tensor.columns / 8; ++n) {
                const int r = cmk_tensor_tap_row_(s, first + n, d);
                CMK_UNROLL
                for (int e = 0; e < 4; ++e)
                    if (r >= 0 && r < s.rows) products[4 * n + e] += taps[r] * pixels[e];
            }
        }
    }
}

/* Adds the products of a part to the sums, which move on by two rows: those that are complete are `done`. back: the
 * inverse of the scale of their pixels, 0 where they have none. */
CMK_DEVICE_ void cmk_tensor_add_(float *done, float *sums, const float *products, const cmk_tensor_work_ *w,
                                 cmk_image_sizes_ s, float back, int part)
{
    CMK_UNROLL
    for (int n = 0; n < s.tensor.columns / 2; ++n) {
        const int at = part * (s.tensor.columns / 2) + n, new_row = at >= 4 * (s.tensor.pending - 2);
        const float scale = back == 0.0f ? 1.0f : back * w->notes->back[at / 4];
        const float sum = new_row ? products[n] * scale : products[n] * scale + sums[at];
        if (at < 8)
            done[at] = sum;
        else
            sums[at - 8] = sum;
    }
}

/* a pair of outputs of a thread as it is stored */
CMK_DEVICE_ void cmk_tensor_narrow_(cmk_image_chunk_ *pair, const float *done, cmk_image_sizes_ s,
                                    cmk_image_parts_float_ parts)
{
    CMK_UNROLL
    for (int e = 0; e < 2; ++e) {
        const float sum = CMK_CALL_OF_(cmk_image_saturate_, float)(done[e], s.out_bits);
        parts.narrow(&pair->bytes[e * s.out_size], &sum);
    }
}

/* writes the rows of outputs that are complete, from row y of the work on, as far as they are its own */
CMK_DEVICE_ void cmk_tensor_save_(const float *done, cmk_tensor_work_ *w, cmk_image_sizes_ s,
                                  cmk_image_parts_float_ parts, int y)
{
    const cmk_image_ *const image = w->task.image;
    const int x = w->x + cmk_tensor_column_(w), size = s.out_size;
    const int all = w->whole && y >= 0 && y + 1 < w->length;
    cmk_image_chunk_ pairs[4];
    CMK_UNROLL
    for (int n = 0; n < 4; ++n) cmk_tensor_narrow_(&pairs[n], &done[2 * n], s, parts);
    if (all) {
        CMK_UNROLL
        for (int n = 0; n < 4; ++n) {
            CMK_TURN_(n);
            cmk_load_store_value_(w->target + (n / 2 * image->out_pitch + n % 2 * 64) * size, &pairs[n], 2 * size);
        }
    } else {
        CMK_UNROLL
        for (int n = 0; n < 8; ++n) {
            const int row = y + n / 4, column = x + n / 2 % 2 * 64 + n % 2;
            CMK_TURN_(n);
            if (row >= 0 && row < w->length && column >= 0 && column < image->width)
                cmk_load_store_value_(w->target + (n / 4 * image->out_pitch + (column - x)) * size,
                                      &pairs[n / 2].bytes[n % 2 * size], size);
        }
    }
    CMK_TURN_(-1);
    w->target += 2 * image->out_pitch * size;
}

/* Converts step n + 1. Returns the inverse of its scale, 0 where it goes by FMAs. */
CMK_DEVICE_ float cmk_tensor_prepare_(const cmk_tensor_work_ *w, cmk_image_sizes_ s, cmk_image_parts_float_ parts,
                                      int n)
{
    float up;
    const float back = cmk_tensor_adapt_(w, s, n + 1, &up);
    cmk_tensor_convert_(w, s, parts, n + 1, 1, up);
    cmk_tensor_show_();
    return back;
}

/* Starts the copies of a step, finds the largest pixel of step n + 2, and goes on in the ring. */
CMK_DEVICE_ void cmk_tensor_look_ahead_(cmk_tensor_work_ *w, cmk_image_sizes_ s, cmk_image_parts_float_ parts, int n)
{
    cmk_tensor_fill_(w, s, n + s.tensor.ahead, s.tensor.ahead);
    if (s.tensor.adapts && n + 2 < w->steps) cmk_tensor_note_(w, s, parts, n + 2, 2);
}

/* Step n of a group, whose pixels have this scale's inverse; returns that of the next. Products are always started, as
 * ptxas would wait for each where a branch went around them. */
CMK_DEVICE_ float cmk_tensor_step_(float *done, float *sums, float *products, cmk_tensor_work_ *w, cmk_image_sizes_ s,
                                   cmk_image_parts_float_ parts, int n, float back)
{
    float next = 0.0f;
    CMK_OPERATIONS_(2 * s.products * 8);
    CMK_UNROLL
    for (int part = 0; part < s.tensor.parts; ++part) {
        cmk_tensor_products_(products, w, s, n, part);
        if (part == 0) {
            if (n + 1 < w->steps) next = cmk_tensor_prepare_(w, s, parts, n);
            if (n > 0) cmk_tensor_save_(done, w, s, parts, 2 * n - 1 - s.rows);
            cmk_tensor_look_ahead_(w, s, parts, n);
        }
        cmk_tensor_wait_(products, s.tensor.columns);
        if (back == 0.0f) cmk_tensor_fmas_(products, w, s, parts, part);
        cmk_tensor_add_(done, sums, products, w, s, back, part);
    }
    w->now = (int)(cmk_tensor_raw_(w, s, 1) - w->raw);
    return next;
}

/* copies of the step that is looked at next have arrived, and all threads of the group have seen to the one before */
CMK_DEVICE_ void cmk_tensor_meet_(const cmk_tensor_work_ *w, cmk_image_sizes_ s)
{
    CMK_FILL_ARRIVED(ASYNC, s.tensor.ahead - 3);
    cmk_tensor_sync_(w->group);
}

/* the rows of a strip of an image that are a group's, from row `at` of all strips on; how many they are */
CMK_DEVICE_ int cmk_tensor_find_(cmk_tensor_work_ *w, cmk_image_task_ task, cmk_image_sizes_ s,
                                 const cmk_tensor_region_ *region, cmk_i64 at, cmk_i64 end)
{
    const cmk_image_ *const image = &region->image;
    const cmk_i64 each = (cmk_i64)region->strips * image->rows, z = at / each, strip = at % each / image->rows;
    const cmk_i64 left = image->rows - at % image->rows;
    w->task = task;
    w->task.in += z * image->in_step * s.in_size;
    w->task.out += z * image->out_step * s.out_size;
    w->x = (int)strip * cmk_tensor_columns_ - image->head;
    w->y = (int)(at % image->rows);
    w->length = (int)(left < end - at ? left : end - at);
    w->steps = (w->length + s.rows) / 2;
    w->now = s.tensor.ahead * s.tensor.raw_bytes; /* that of step -1 */
    const int x = w->x - s.tensor.lead - s.tensor.skip, column = cmk_tensor_column_(w);
    const int chunk = 16 / s.in_size, before = image->left - x, inside = image->right - x;
    w->low = before > 0 ? cmk_image_up_(before, chunk) : 0;
    w->high = inside < s.tensor.raw_width ? inside & -chunk : s.tensor.raw_width;
    if (!image->in_whole || w->low >= w->high) w->low = w->high = s.tensor.raw_width;
    const int cut =
        !image->in_whole || (before > 0 && before % chunk) || (inside < s.tensor.raw_width && inside % chunk);
    w->ends = w->high - w->low < s.tensor.raw_width && (!s.zeros || cut);
    w->whole = image->out_whole && s.out_size < 8 && w->x >= 0 && w->x + cmk_tensor_columns_ <= image->width;
    w->source = w->task.in + ((w->y - s.row) * image->in_pitch + x) * s.in_size;
    w->target = w->task.out + ((w->y + 1 - s.rows) * image->out_pitch + w->x + column) * s.out_size;
    return w->length;
}

/* where a thread is in its block, and what this has of shared memory */
CMK_DEVICE_ cmk_tensor_work_ cmk_tensor_place_(cmk_image_sizes_ s, cmk_tensor_notes_ *notes)
{
    CMK_TILE_DYNAMIC(char, shared);
    cmk_tensor_work_ w;
    w.thread = (int)threadIdx.x % cmk_tensor_group_;
    w.group = __shfl_sync(0xffffffffu, (int)threadIdx.x / cmk_tensor_group_, 0);
    w.notes = notes;
    w.table_bytes = shared;
    w.table = cmk_tensor_at_of_(shared);
    w.taps = (const float *)(const void *)(shared + s.tensor.table_bytes);
    w.stages = shared + s.tensor.table_bytes + s.tensor.taps_bytes + w.group * s.tensor.group_bytes;
    w.raw = w.stages + 2 * s.tensor.stage_bytes;
    w.first = cmk_tensor_at_of_(w.stages);
    w.second = cmk_tensor_at_of_(w.stages + s.tensor.stage_bytes);
    return w;
}

/* the rows of a strip that were found */
CMK_DEVICE_ void cmk_tensor_go_down_(float *done, float *sums, float *products, cmk_tensor_work_ *w, cmk_image_sizes_ s,
                                     cmk_image_parts_float_ parts)
{
    float back;
    CMK_UNROLL
    for (int n = 0; n < 4 * (s.tensor.pending - 2); ++n) sums[n] = 0.0f;
    for (int n = 0; n < s.tensor.ahead - 1; ++n) cmk_tensor_fill_(w, s, n, n + 1);
    cmk_tensor_meet_(w, s);
    if (s.tensor.adapts) cmk_tensor_note_(w, s, parts, 0, 1);
    cmk_tensor_meet_(w, s);
    back = cmk_tensor_prepare_(w, s, parts, -1);
    cmk_tensor_look_ahead_(w, s, parts, -1);
    w->now = 0;
    CMK_NO_UNROLL
    for (int n = 0; n < w->steps; ++n) {
        cmk_tensor_meet_(w, s);
        back = cmk_tensor_step_(done, sums, products, w, s, parts, n, back);
    }
    cmk_tensor_save_(done, w, s, parts, 2 * w->steps - 1 - s.rows);
    CMK_FILL_ARRIVED(ASYNC, 0);
    cmk_tensor_sync_(w->group);
}

/* a block at work on all strips */
CMK_DEVICE_ void cmk_tensor_march_(cmk_image_task_ task, const cmk_tensor_region_ *region, cmk_image_sizes_ s,
                                   cmk_image_parts_float_ parts)
{
    __shared__ cmk_tensor_notes_ notes;
    float sums[cmk_tensor_sums_most_], products[cmk_tensor_products_most_], done[8];
    cmk_tensor_work_ w = cmk_tensor_place_(s, &notes);
    cmk_tensor_write_table_(&w, s, parts);
    const cmk_i64 workers = (cmk_i64)gridDim.x * s.tensor.groups;
    const cmk_i64 worker = (cmk_i64)blockIdx.x * s.tensor.groups + w.group, end = region->rows * (worker + 1) / workers;
    CMK_NO_UNROLL
    for (cmk_i64 at = region->rows * worker / workers; at < end;) {
        at += cmk_tensor_find_(&w, task, s, region, at, end);
        cmk_tensor_go_down_(done, sums, products, &w, s, parts);
    }
}

#endif

#endif
