/* kernel/tensor/march.h: a block at work. Each of its groups of four warps goes down strips of 512 columns, a step of
 * two rows at a time, which warps of its own provide it with (rows.h). The products of a step start from zero, as
 * tensor cores cut off what they add, and are added by FMAs to the rows of outputs that wait in registers; these move
 * on by two rows in doing so. Meanwhile another group multiplies. Steps of which halves do not say enough go by FMAs
 * alone. */
#ifndef CMK_KERNEL_TENSOR_MARCH_H
#define CMK_KERNEL_TENSOR_MARCH_H

#include "rows.h"

enum { cmk_tensor_products_most_ = 88, cmk_tensor_sums_most_ = 4 * cmk_tensor_slots_most_ };

#if CMK_TENSOR_HAS_

/* a group at work, with the stage that it multiplies next */
typedef struct {
    cmk_image_task_ task;
    cmk_tensor_piece_ piece;
    const cmk_tensor_notes_ *notes;
    const float *taps;
    const char *stages;
    cmk_mma_at_ table, matrices; /* of the taps, and of the stages */
    cmk_mma_barriers_ barriers;
    cmk_mma_floats_ pixels_back;
    float taps_back; /* the inverse of the scale of all taps, 0 where slots have their own */
    char *target;    /* this thread's first output of the rows that are complete next */
    int column;      /* its first output in a strip */
    int whole, some; /* whether all outputs of a row are the region's, and aligned; whether some are */
    int stage;
    unsigned phase;
    cmk_mma_barriers_ others; /* of the other group */
    int turns;                /* to multiply, that are left to both groups */
    unsigned turn;            /* the phase of the next */
} cmk_tensor_work_;

/* the first of a thread's outputs in a strip; the next two of each row are 64 further */
CMK_DEVICE_ int cmk_tensor_column_(int thread)
{
    return (thread / 32 * 16 + cmk_fragment_row_(thread)) * 8 + 2 * cmk_fragment_pair_(thread);
}

/* Starts the products of a step for a part of the slots: corrections first, while sums are small. adds: whether they
 * are added to what is there. */
CMK_DEVICE_ void cmk_tensor_products_(float *products, const cmk_tensor_work_ *w, cmk_tensor_sizes_ s, cmk_mma_at_ here,
                                      int part, int adds)
{
    const int half = s.windows / 2 ? s.windows / 2 : 1;
    cmk_mma_begin_();
    CMK_UNROLL
    for (int n = s.products - 1; n >= 0; --n) CMK_UNROLL
    for (int j = 0; j < s.windows; ++j) {
        const int joint = s.windows % 2 && j == s.windows - 1, d = joint ? 0 : j / half;
        const int block = joint ? s.windows - 1 : 2 * (j % half), low = n == 2;
        const int of_taps = (n * s.windows + j) * 2 * s.pending + part * s.pending / s.parts;
        cmk_mma_multiply_(products, s.columns,
                          cmk_mma_matrix_(here, (low * 2 + d) * s.row_bytes + block * 16, joint ? s.row_bytes : 16),
                          cmk_mma_matrix_(w->table, of_taps * 128, s.pending * 128),
                          adds || n < s.products - 1 || j > 0);
    }
    cmk_mma_end_();
}

/* a pixel of a step that was written as it is, number `at` of row d */
CMK_DEVICE_ float cmk_tensor_pixel_(const char *stage, cmk_tensor_sizes_ s, cmk_filter_parts_float_ parts, int d,
                                    int at)
{
    const int size = s.f.in_size == 1 ? 2 : s.f.in_size;
    cmk_image_chunk_ element = CMK_ZEROS_(cmk_image_chunk_);
    unsigned short half;
    float value;
    if (s.f.in_size == 1) {
        cmk_load_plain_value_(&half, stage + (d * s.width + at) * size, 2);
        return cmk_mma_half_(half, 0);
    }
    cmk_load_plain_value_(&element, stage + (d * s.width + at) * size, size);
    parts.widen(&value, &element);
    return value;
}

/* adds the taps of column c, from row r on four, times up, to the products of a part; pixels: for each row of the step
 * four */
CMK_DEVICE_ void cmk_tensor_add_taps_(float *products, const cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                      const float *pixels, float up, int part, int c, int r)
{
    const int count = s.columns / 8, first = part * count;
    float taps[4];
    cmk_load_plain_value_(taps, &w->taps[c * s.tap_rows + r], 16);
    CMK_UNROLL
    for (int i = 0; i < 4; ++i) taps[i] *= up;
    CMK_UNROLL
    for (int n = 0; n < count; ++n) CMK_UNROLL
    for (int d = 0; d < 2; ++d) {
        const int i = cmk_tensor_tap_row_(s, first + n, d) - r;
        CMK_UNROLL
        for (int e = 0; e < 4; ++e)
            if (i >= 0 && i < 4 && r + i < s.f.rows) products[4 * n + e] += taps[i] * pixels[4 * d + e];
    }
}

/* adds the products of a step, times up, by FMAs, from pixels as they are: a thread's windows move on along the rows */
CMK_DEVICE_ void cmk_tensor_fmas_(float *products, const cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                  cmk_filter_parts_float_ parts, float up, int part)
{
    const char *const stage = w->stages + w->stage * s.stage_bytes;
    const int first = s.shift + w->column, moves = s.f.channels == 1;
    float pixels[8];
    CMK_UNROLL
    for (int i = 0; i < 4; ++i)
        if (moves) pixels[2 * i + 1] = cmk_tensor_pixel_(stage, s, parts, i / 2, first + i % 2 * 64);
    CMK_NO_UNROLL
    for (int c = 0; c < s.f.columns; ++c) {
        CMK_UNROLL
        for (int i = 0; i < 4; ++i) {
            const int at = first + c * s.f.channels + i % 2 * 64;
            pixels[2 * i] = moves ? pixels[2 * i + 1] : cmk_tensor_pixel_(stage, s, parts, i / 2, at);
            pixels[2 * i + 1] = cmk_tensor_pixel_(stage, s, parts, i / 2, at + 1);
        }
        CMK_UNROLL
        for (int r = 0; r < s.tap_rows; r += 4) cmk_tensor_add_taps_(products, w, s, pixels, up, part, c, r);
    }
}

/* the products of a step by FMAs alone */
CMK_DEVICE_ void cmk_tensor_products_of_fmas_(float *products, const cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                              cmk_filter_parts_float_ parts, int part)
{
    CMK_UNROLL
    for (int n = 0; n < s.columns / 2; ++n) products[n] = 0.0f;
    cmk_tensor_fmas_(products, w, s, parts, 1.0f, part);
}

/* Adds the products of a part to the sums, which move on by two rows: those that are complete are `done`. scale: the
 * inverse of their scale. */
CMK_DEVICE_ void cmk_tensor_add_(float *done, float *sums, const float *products, cmk_tensor_sizes_ s, float scale,
                                 int part)
{
    CMK_UNROLL
    for (int n = 0; n < s.columns / 2; ++n) {
        const int at = part * (s.columns / 2) + n, new_row = at >= 4 * (s.pending - 2);
        const float sum = new_row ? products[n] * scale : products[n] * scale + sums[at];
        if (at < 8)
            done[at] = sum;
        else
            sums[at - 8] = sum;
    }
}

/* takes the scales of slots back, where these have their own, and that of the pixels */
CMK_DEVICE_ void cmk_tensor_scale_back_(float *products, const cmk_tensor_work_ *w, cmk_tensor_sizes_ s, float back,
                                        int part)
{
    const int count = s.columns / 8;
    CMK_UNROLL
    for (int n = 0; n < 4 * count; ++n) products[n] *= back * w->notes->back[part * count + n / 4];
}

/* a pair of outputs of a thread as it is stored */
CMK_DEVICE_ void cmk_tensor_narrow_(cmk_image_chunk_ *pair, const float *done, cmk_tensor_sizes_ s,
                                    cmk_filter_parts_float_ parts)
{
    const int bits = s.f.out_bits < 0 ? -s.f.out_bits - 1 : s.f.out_bits;
    const float most = (float)((1 << bits) - 1), least = s.f.out_bits < 0 ? -most - 1.0f : 0.0f;
    CMK_UNROLL
    for (int e = 0; e < 2; ++e) {
        const unsigned integer = cmk_mma_integer_(done[e], least, most);
        if (s.f.out_bits == 0) parts.narrow(&pair->bytes[e * s.f.out_size], &done[e]);
        CMK_UNROLL
        for (int n = 0; s.f.out_bits != 0 && n < s.f.out_size; ++n)
            pair->bytes[e * s.f.out_size + n] = (unsigned char)(integer >> 8 * n);
    }
}

/* writes the rows of outputs that are complete, from row y of the piece on, as far as they are its own */
CMK_DEVICE_ void cmk_tensor_save_(const float *done, cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                  cmk_filter_parts_float_ parts, int y)
{
    const cmk_image_ *const image = w->task.image;
    const int x = w->piece.x + w->column, size = s.f.out_size;
    cmk_image_chunk_ pairs[4];
    CMK_UNROLL
    for (int n = 0; n < 4; ++n) cmk_tensor_narrow_(&pairs[n], &done[2 * n], s, parts);
    if (w->whole && y >= 0 && y + 1 < w->piece.length) {
        CMK_UNROLL
        for (int n = 0; n < 4; ++n) {
            CMK_TURN_(n);
            cmk_load_store_value_(w->target + (n / 2 * image->out_pitch + n % 2 * 64) * size, &pairs[n], 2 * size);
        }
    } else if (w->some) {
        CMK_UNROLL
        for (int n = 0; n < 8; ++n) {
            const int row = y + n / 4, column = x + n / 2 % 2 * 64 + n % 2;
            CMK_TURN_(n);
            if (row >= 0 && row < w->piece.length && column >= 0 && column < image->width)
                cmk_load_store_value_(w->target + (n / 4 * image->out_pitch + (column - x)) * size,
                                      &pairs[n / 2].bytes[n % 2 * size], size);
        }
    }
    CMK_TURN_(-1);
    w->target += 2 * image->out_pitch * size;
}

/* the stage is no longer needed by this warp */
CMK_DEVICE_ void cmk_tensor_release_(const cmk_tensor_work_ *w)
{
    __syncwarp();
    if (w->column % 128 == 0) cmk_mma_arrive_(w->barriers, cmk_tensor_empty_ + w->stage); /* its first thread */
}

/* The products of a part of a step, added to the sums; back: the inverse of the scale of its pixels, 0 where they have
 * none. The rows that were complete before are written meanwhile, from row y on. */
CMK_DEVICE_ void cmk_tensor_part_(float *done, float *sums, float *products, cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                  cmk_filter_parts_float_ parts, float back, int part, int y)
{
    const int last = part == s.parts - 1;
    if (back != 0.0f) {
        const cmk_mma_at_ here = cmk_mma_matrix_(w->matrices, w->stage * s.stage_bytes, 0);
        cmk_tensor_products_(products, w, s, here, part, 0);
        if (part == 0) cmk_tensor_save_(done, w, s, parts, y);
        cmk_mma_wait_(products, s.columns);
    } else {
        if (part == 0) cmk_tensor_save_(done, w, s, parts, y);
        cmk_tensor_products_of_fmas_(products, w, s, parts, part);
    }
    if (last) cmk_tensor_release_(w);
    if (back != 0.0f && w->taps_back == 0.0f) {
        cmk_tensor_scale_back_(products, w, s, back, part);
        back = 0.0f;
    }
    cmk_tensor_add_(done, sums, products, s, back == 0.0f ? 1.0f : back * w->taps_back, part);
}

/* goes on to the stage that follows */
CMK_DEVICE_ void cmk_tensor_go_on_(cmk_tensor_work_ *w, cmk_tensor_sizes_ s)
{
    w->stage = w->stage + 1 < s.stages ? w->stage + 1 : 0;
    w->phase ^= w->stage == 0;
}

/* the rows of a piece, from row y on of those that are complete first */
CMK_DEVICE_ void cmk_tensor_go_down_(float *done, float *sums, float *products, cmk_tensor_work_ *w,
                                     cmk_tensor_sizes_ s, cmk_filter_parts_float_ parts, int y)
{
    CMK_NO_UNROLL
    for (int n = 0; n < w->piece.steps; ++n) {
        cmk_mma_await_(w->barriers, cmk_tensor_full_ + w->stage, w->phase);
        const float back = cmk_mma_read_(w->pixels_back, w->stage);
        CMK_OPERATIONS_(2 * s.f.products * 8);
        CMK_UNROLL
        for (int part = 0; part < s.parts; ++part) {
            cmk_tensor_part_(done, sums, products, w, s, parts, back, part, y);
        }
        y += 2;
        cmk_tensor_go_on_(w, s);
    }
    cmk_tensor_save_(done, w, s, parts, y);
}

/* Groups start their products in turns: those of both at once would end at once, and tensor cores would wait for what
 * both do in between. */
CMK_DEVICE_ void cmk_tensor_take_turn_(cmk_tensor_work_ *w)
{
    if (w->turns > 0) cmk_mma_await_(w->barriers, cmk_tensor_next_, w->turn);
    w->turn ^= 1;
}
CMK_DEVICE_ void cmk_tensor_pass_turn_(cmk_tensor_work_ *w)
{
    if (w->turns > 0 && w->column % 128 == 0) cmk_mma_arrive_(w->others, cmk_tensor_next_);
    --w->turns;
}

/* the steps of a group */
CMK_DEVICE_ int cmk_tensor_steps_(cmk_image_task_ task, const cmk_image_region_ *region, cmk_tensor_sizes_ s, int group)
{
    cmk_tensor_piece_ piece = cmk_tensor_share_(region, group);
    int steps = 0;
    CMK_NO_UNROLL
    while (cmk_tensor_next_piece_(&piece, task, s, region)) steps += piece.steps;
    return steps;
}

/* Adds the products of a step to sums that stay in the tensor cores, which are scaled by `up`; back: 0 where it goes by
 * FMAs. The rows that were complete before are written meanwhile, from row y on. */
CMK_DEVICE_ void cmk_tensor_add_step_(float *done, float *sums, cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                      cmk_filter_parts_float_ parts, float back, float up, int y)
{
    const cmk_mma_at_ here = cmk_mma_matrix_(w->matrices, w->stage * s.stage_bytes, 0);
    const int each = s.columns / 2;
    if (cmk_mma_most_(back != 0.0f) != 0) { /* ptxas wants to know that a warp takes one way */
        cmk_tensor_take_turn_(w);
        CMK_UNROLL
        for (int part = 0; part < s.parts; ++part) cmk_tensor_products_(sums + part * each, w, s, here, part, 1);
        cmk_tensor_pass_turn_(w);
        cmk_tensor_save_(done, w, s, parts, y);
        cmk_mma_wait_(sums, s.parts * s.columns);
    } else {
        cmk_tensor_take_turn_(w);
        cmk_tensor_pass_turn_(w);
        cmk_tensor_save_(done, w, s, parts, y);
        CMK_UNROLL
        for (int part = 0; part < s.parts; ++part) cmk_tensor_fmas_(sums + part * each, w, s, parts, up, part);
    }
    cmk_tensor_release_(w);
}

/* the same as cmk_tensor_go_down_, with sums that stay in the tensor cores: all pixels and taps have one scale */
CMK_DEVICE_ void cmk_tensor_go_down_kept_(float *done, float *sums, cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                          cmk_filter_parts_float_ parts, int y)
{
    const float back = w->taps_back;
    CMK_UNROLL
    for (int n = 0; n < 4 * s.pending; ++n) sums[n] = 0.0f;
    CMK_NO_UNROLL
    for (int n = 0; n < w->piece.steps; ++n) {
        cmk_mma_await_(w->barriers, cmk_tensor_full_ + w->stage, w->phase);
        CMK_OPERATIONS_(2 * s.f.products * 8);
        cmk_tensor_add_step_(done, sums, w, s, parts, cmk_mma_read_(w->pixels_back, w->stage), 1.0f / back, y);
        CMK_UNROLL
        for (int i = 0; i < 8; ++i) done[i] = sums[i] * back;
        CMK_UNROLL
        for (int i = 0; i < 4 * s.pending; ++i) sums[i] = i < 4 * s.pending - 8 ? sums[i + 8] : 0.0f;
        y += 2;
        cmk_tensor_go_on_(w, s);
    }
    cmk_tensor_save_(done, w, s, parts, y);
}

/* thread `thread` of a group; table: the taps that the block has written */
CMK_DEVICE_ void cmk_tensor_be_multiplier_(cmk_image_task_ task, const cmk_image_region_ *region, cmk_tensor_sizes_ s,
                                           cmk_filter_parts_float_ parts, const cmk_tensor_table_ *table, int group)
{
    const cmk_image_ *const image = &region->image;
    float sums[cmk_tensor_sums_most_], products[cmk_tensor_products_most_], done[8];
    cmk_tensor_work_ w = CMK_ZEROS_(cmk_tensor_work_);
    w.task = task;
    w.piece = cmk_tensor_share_(region, group);
    w.notes = table->notes;
    w.taps = table->taps;
    w.stages = cmk_tensor_room_(table, s, group);
    w.table = cmk_mma_at_of_(table->matrices);
    w.matrices = cmk_mma_at_of_(w.stages);
    w.barriers = cmk_mma_barriers_of_(table->notes->barriers[group]);
    w.pixels_back = cmk_mma_floats_of_(table->notes->pixels_back[group]);
    w.taps_back = table->least_back == table->most_back ? table->least_back : 0.0f;
    w.column = cmk_tensor_column_((int)threadIdx.x % cmk_tensor_group_);
    const int keeps = s.keeps && w.taps_back != 0.0f && cmk_tensor_as_are_(s, parts);
    if (keeps) {
        w.others = cmk_mma_barriers_of_(table->notes->barriers[1 - group]);
        w.turn = group == 0;
        w.turns = cmk_least_(cmk_tensor_steps_(task, region, s, 0), cmk_tensor_steps_(task, region, s, 1));
    }
    CMK_NO_UNROLL
    while (cmk_tensor_next_piece_(&w.piece, task, s, region)) {
        const int x = w.piece.x + w.column, y = -1 - s.f.rows; /* of the rows that are complete first */
        w.whole = image->out_whole && s.f.out_size < 8 && x >= 0 && x + 66 <= image->width;
        w.some = x < image->width;
        w.target = w.piece.out + ((w.piece.y + y) * image->out_pitch + x) * s.f.out_size;
        CMK_UNROLL
        for (int n = 0; n < 4 * (s.pending - 2); ++n) sums[n] = 0.0f;
        CMK_UNROLL
        for (int n = 0; n < 8; ++n) done[n] = 0.0f;
        if (keeps)
            cmk_tensor_go_down_kept_(done, sums, &w, s, parts, y);
        else
            cmk_tensor_go_down_(done, sums, products, &w, s, parts, y);
    }
}

/* a block at work on all strips: groups that multiply, and the warps that provide them with rows */
CMK_DEVICE_ void cmk_tensor_convolve_(cmk_image_task_ task, const cmk_image_region_ *region, cmk_tensor_sizes_ s,
                                      cmk_filter_parts_float_ parts)
{
    CMK_TILE_DYNAMIC(char, shared);
    __shared__ cmk_tensor_notes_ notes;
    const int warp = __shfl_sync(0xffffffffu, (int)threadIdx.x / 32, 0), first = 4 * cmk_tensor_groups_;
    const cmk_tensor_table_ empty = {(const float *)(const void *)(shared + s.table_bytes), shared, &notes, 0, 0};
    cmk_tensor_table_ table = empty;
    cmk_tensor_write_table_(&table, s, parts);
    if (warp >= first) {
        cmk_mma_fewer_registers_(s.registers);
        cmk_tensor_be_provider_(task, region, s, parts, &table, warp - first);
    } else {
        cmk_mma_more_registers_(s.registers);
        cmk_tensor_be_multiplier_(task, region, s, parts, &table, warp / 4);
    }
}

#endif

#endif
