/* kernel/sweep/rows.h: a step of rows on its way. It is copied to a slot of shared memory some steps ahead. While the
 * step before is multiplied, it passes through registers into one of two stages in shared memory, as halves in the
 * order of the registers of an operand.
 *
 * cmk_sweep_go_down_ and cmk_sweep_add_ (march.h) call cmk_sweep_copy_, cmk_sweep_convert_ and cmk_sweep_meet_, with
 * all threads of a block. A thread converts what it has copied itself. In all functions here:
 *
 *   s                     cmk_sweep_sizes_ (sizes.h), known at compile time. s.f is the cmk_filter_ of rows/filter.h:
 *                         s.f.in_size is the bytes of an element, s.f.row the radius, s.f.edge an edge of edge.h.
 *                         s.f.zeros: whether all that is outside is zero
 *   s.all, s.items        blocks of 16 columns of a step of a block; fours of elements of a thread in a step, at most
 *   s.warps, s.threads    of a block: 6 warps. s.ahead: steps that are copied ahead, which is the number of slots, 2
 *   s.ring, s.slot_bytes  bytes of shared memory before the slots; bytes of a slot. s.stage_bytes: bytes of a stage
 *   s.lead                columns that are copied before a block's first output: the radius, rounded up to 4
 *   w                     cmk_sweep_work_ (taps.h), the state of the block, of which each thread has a copy. w->x and
 *                         w->row are the column of the block's first output, and the first row of the step to copy next
 *   w->stage, w->slot     the number of the stage, 0 or 1, of the step that is multiplied; of the slot to convert next
 *   w->shared, w->notes   the dynamic shared memory of the block; what threads tell one another there (taps.h)
 *   w->source, w->task    this thread's first element of the step to copy next; pointers of the kernel, of which in is
 *                         to the region's first element of the image, and outside to what stands for the outside
 *   w->plain, w->inside   whether that step goes by FMAs; whether all columns that the block reads are in the image,
 *                         and fours of them are aligned
 *   image                 cmk_image_ (rows/image.h). The image has rows top to bottom - 1 and columns left to right -
 *                         1, counted from the region's first; rows and width are the region's. in_whole: fours are
 *                         aligned. in_pitch: elements from row to row
 *   parts                 functions of the definition, inlined (rows/filter.h): parts.widen converts an element to
 *                         float
 *   cmk_fill_async_       starts a copy of n bytes to shared memory, or writes n zeros where its last argument is 0
 *                         (fill.h). Both addresses are multiples of n: an item is 4, 8 or 16 bytes, its place in a slot
 *                         is a multiple of that, and rows begin at a multiple of an element
 *   cmk_image_row_at_     the row that the edge reads for a row. Both count from the region's first and may be below 0.
 *                         It is cmk_image_none_, no index, where none is read. cmk_image_column_at_: the column
 *   cmk_image_copy_       copies an element, or what stands for the outside (rows/copy.h)
 *   w->most, w->least     and range, a cmk_halves_range_: bits of a float without sign, doubled, with the exponent in
 *                         bits 24 to 31. least is less by 1, and zeros do not count. NaN and infinity have 255 there
 *   cmk_mma_most_         the largest of the values of a warp; cmk_mma_least_: the least (mma/warp.h).
 *                         cmk_mma_float_(bits): the float of these bits; n << 23 are those of 2^(n - 127)
 *   cmk_halves_note_      adds a number to a range, which cmk_halves_no_range_ begins; cmk_halves_split_(high, low, a,
 *                         b): two numbers as halves, a in the lower bits of both words (mma/halves.h)
 *   cmk_halves_exponent_least_   64: scales are made of exponents from 2^-63 on, so that they are normal floats
 *   cmk_mma_thread_()     threadIdx.x; cmk_fragment_row_(t) is t % 32 / 4, and cmk_fragment_pair_(t) is t % 4
 *   cmk_sweep_..._bytes_  of a row of 16 floats, 64; of a matrix, 512; of a block, 1024. cmk_sweep_block_threads_ is
 *                         64, the threads that convert a block (sizes.h)
 *   cmk_load_plain_value_ loads n aligned bytes as one word; cmk_load_store_value_ stores them. CMK_LOAD, CMK_STORE: of
 *                         one number of shared memory (load.h). CMK_FILL_COMMIT: this thread's copies become a group
 *   CMK_TURN_             for the counters of the CPU backend; it does nothing on a GPU. CMK_UNROLL unrolls the next
 *                         loop. CMK_TENSOR_WARP_HAS_: whether the compiled code has mma.sync (mma/code.h) */
#ifndef CMK_KERNEL_SWEEP_ROWS_H
#define CMK_KERNEL_SWEEP_ROWS_H

#include "taps.h"

#if CMK_TENSOR_WARP_HAS_

/* An item is four neighbouring elements in one row of a step. The items of a thread are in one row, in blocks of 16
 * columns, `warps` / 2 blocks apart. The first function returns the thread's row, 0 to 15. */
CMK_DEVICE_ int cmk_sweep_row_(void)
{
    const int thread = cmk_mma_thread_();
    return thread / 32 % 2 * 8 + cmk_fragment_row_(thread);
}
/* Returns the column of the thread's item 0, from the first column of the step on. */
CMK_DEVICE_ int cmk_sweep_column_(void)
{
    const int thread = cmk_mma_thread_();
    return thread / cmk_sweep_block_threads_ * 16 + 4 * cmk_fragment_pair_(thread);
}
/* Returns whether the thread has item i. That is known at compile time for all items but the last. A step has 2 s.all
 * matrices of 8 rows, and each warp takes one of s.warps of them. */
CMK_DEVICE_ int cmk_sweep_has_(cmk_sweep_sizes_ s, int i)
{
    return (i + 1) * s.warps <= 2 * s.all || (int)threadIdx.x / 32 + i * s.warps < 2 * s.all;
}

/* Returns where item 0 of the thread lies in the slot of the step to convert, as it was copied. Items are 4 s.threads
 * elements apart there. */
CMK_DEVICE_ char *cmk_sweep_slot_(const cmk_sweep_work_ *w, cmk_sweep_sizes_ s)
{
    return w->shared + s.ring + w->slot * s.slot_bytes + (int)threadIdx.x * 4 * s.f.in_size;
}
/* Returns where item 0 of the thread lies in a stage, as halves. `later`: 0 for the stage of the step that is
 * multiplied, 1 for that of the step after it. Items are s.warps matrices apart there. A matrix is 8 rows of a block of
 * 16 columns, whose item of 16 bytes is two words of high halves and two of low ones. */
CMK_DEVICE_ char *cmk_sweep_stage_(const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, int later)
{
    return w->shared + (w->stage ^ later) * s.stage_bytes +
           (int)threadIdx.x / cmk_sweep_block_threads_ * cmk_sweep_block_bytes_ +
           (int)threadIdx.x % cmk_sweep_block_threads_ * 16;
}

/* Starts to copy four elements of a row from column x on, one by one, as the edge has them. row is where column 0 of
 * the region is in that row, or null for a row that is outside. Columns behind those that an output needs become zeros,
 * or the element that stands for the outside. The 1 is the channels of a pixel. Where nothing is read, the pointer to
 * copy from is w->task.in, which is a legal address. A thread calls it for itself. */
CMK_DEVICE_ void cmk_sweep_copy_four_(char *to, const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, const char *row, int x)
{
    const cmk_image_ *const image = w->task.image;
    CMK_NO_UNROLL
    for (int e = 0; e < 4; ++e) {
        const int needed = row && x + e < image->width + s.f.row;
        const int at = needed ? cmk_image_column_at_(image, s.f.edge, 1, x + e) : cmk_image_none_;
        CMK_TURN_(e);
        cmk_image_copy_(to + e * s.f.in_size, at == cmk_image_none_ ? w->task.in : row + at * s.f.in_size, s.f.in_size,
                        at != cmk_image_none_, w->task.outside);
    }
    CMK_TURN_(-1);
}

/* Starts to copy the thread's items of a row from column x on, where not all of them are inside the image. row is as
 * for cmk_sweep_copy_four_. An item that is all zeros, or inside and aligned, is one copy; one that is inside and
 * unaligned is four. The bits of `rest` are the other items, which cmk_sweep_copy_four_ takes; s.items is 6 at most.
 * Items are `apart` columns apart in the image, and `each` bytes in the slot. A thread calls it for itself. */
CMK_DEVICE_ void cmk_sweep_copy_row_(char *to, const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, const char *row, int x)
{
    const cmk_image_ *const image = w->task.image;
    const int each = s.threads * 4 * s.f.in_size, apart = 8 * s.warps;
    unsigned rest = 0;
    CMK_UNROLL
    for (int i = 0; i < s.items; ++i) {
        const int at = x + i * apart, in = row && at >= image->left && at + 4 <= image->right;
        const int zeros = s.f.zeros && (!row || at + 4 <= image->left || at >= image->right);
        CMK_TURN_(i);
        if (!cmk_sweep_has_(s, i)) continue;
        if (zeros || (in && image->in_whole)) {
            cmk_fill_async_(4 * s.f.in_size, to + i * each, in ? row + at * s.f.in_size : w->task.in, in);
        } else if (in) {
            CMK_UNROLL
            for (int e = 0; e < 4; ++e)
                cmk_fill_async_(s.f.in_size, to + i * each + e * s.f.in_size, row + (at + e) * s.f.in_size, 1);
        } else {
            rest |= 1u << i;
        }
    }
    CMK_TURN_(-1);
    CMK_NO_UNROLL
    for (int i = 0; rest >> i > 0; ++i)
        if (rest >> i & 1) cmk_sweep_copy_four_(to + i * each, w, s, row, x + i * apart);
}

/* Starts to copy the next step, if there is one more, to the slot that w->slot names, whose step, if there was one, is
 * converted by then. Every thread of the block calls it and commits one group, also without a copy. w->slot moves on to
 * the step to convert next. w->row may be negative; rows more than the radius below the region are not needed, and come
 * as what is outside. Without w->inside, or with rows outside the image, each row goes by the edge. */
CMK_DEVICE_ void cmk_sweep_copy_(cmk_sweep_work_ *w, cmk_sweep_sizes_ s, int more)
{
    const cmk_image_ *const image = w->task.image;
    char *const to = cmk_sweep_slot_(w, s);
    const int each = s.threads * 4 * s.f.in_size, apart = 8 * s.warps;
    if (more && w->inside && w->row >= image->top && w->row + 16 <= image->bottom) {
        CMK_UNROLL
        for (int i = 0; i < s.items; ++i) {
            CMK_TURN_(i);
            if (cmk_sweep_has_(s, i))
                cmk_fill_async_(4 * s.f.in_size, to + i * each, w->source + i * apart * s.f.in_size, 1);
        }
        CMK_TURN_(-1);
    } else if (more) {
        const int y = w->row + cmk_sweep_row_(), x = w->x - s.lead + cmk_sweep_column_();
        const int at = y < image->rows + s.f.row ? cmk_image_row_at_(image, s.f.edge, y) : cmk_image_none_;
        const char *const row = at == cmk_image_none_ ? NULL : w->task.in + at * image->in_pitch * s.f.in_size;
        cmk_sweep_copy_row_(to, w, s, row, x);
    }
    CMK_FILL_COMMIT(ASYNC);
    w->row += 16;
    w->source += 16 * image->in_pitch * s.f.in_size;
    w->slot = w->slot + 1 == s.ahead ? 0 : w->slot + 1;
}

/* Loads the elements of item i of a step that was copied, as floats: x[0] to x[3]. slot is what cmk_sweep_slot_
 * returns. The thread's own copies must have arrived. Four elements of 1, 2 or 4 bytes fit into the 16 of a chunk. */
CMK_DEVICE_ void cmk_sweep_take_(float *x, const char *slot, cmk_sweep_sizes_ s, cmk_filter_parts_float_ parts, int i)
{
    cmk_image_chunk_ four;
    cmk_load_plain_value_(four.bytes, slot + i * s.threads * 4 * s.f.in_size, 4 * s.f.in_size);
    CMK_UNROLL
    for (int e = 0; e < 4; ++e) parts.widen(&x[e], &four.bytes[e * s.f.in_size]);
}

/* Stores a step as halves of its elements times w->scale, in the stage of the step that is multiplied, or with `later`
 * 1 of the one after it. Returns whether this thread's elements are in range for that scale (w->most, w->least). All
 * threads of the block call, once their own copies have arrived. A block barrier must follow before others read. */
CMK_DEVICE_ int cmk_sweep_convert_(const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, cmk_filter_parts_float_ parts,
                                   int later)
{
    const char *const slot = cmk_sweep_slot_(w, s);
    char *const stage = cmk_sweep_stage_(w, s, later);
    cmk_halves_range_ range = cmk_halves_no_range_();
    CMK_UNROLL
    for (int i = 0; i < s.items; ++i) {
        unsigned words[4];
        float x[4];
        CMK_TURN_(i);
        if (!cmk_sweep_has_(s, i)) continue;
        cmk_sweep_take_(x, slot, s, parts, i);
        CMK_UNROLL
        for (int e = 0; e < 4; ++e) {
            cmk_halves_note_(&range, x[e]);
            x[e] *= w->scale;
        }
        cmk_halves_split_(&words[0], &words[2], x[0], x[1]);
        cmk_halves_split_(&words[1], &words[3], x[2], x[3]);
        cmk_load_store_value_(stage + i * s.warps * cmk_sweep_matrix_bytes_, words, 16);
    }
    CMK_TURN_(-1);
    return range.most < w->most && range.least >= w->least;
}

/* Where four elements of a row lie in a block of 16 columns of a step that is stored as floats, in bytes. `row` is 0 to
 * 15, and `four` is their number in the row, modulo 4. It is a swizzle: those of 8 rows are in all banks. */
CMK_DEVICE_ int cmk_sweep_place_(int row, int four)
{
    return row * cmk_sweep_row_bytes_ + (four % 4 ^ row / 2 % 4) * 16;
}

/* Stores a step as floats, without a scale, in the stage of the step that is multiplied. Returns the largest and the
 * least of this thread's elements. All threads of the block call. */
CMK_DEVICE_ cmk_halves_range_ cmk_sweep_keep_(const cmk_sweep_work_ *w, cmk_sweep_sizes_ s,
                                              cmk_filter_parts_float_ parts)
{
    const int thread = cmk_mma_thread_();
    const char *const slot = cmk_sweep_slot_(w, s);
    char *const to = w->shared + w->stage * s.stage_bytes + thread / cmk_sweep_block_threads_ * cmk_sweep_block_bytes_ +
                     cmk_sweep_place_(thread % cmk_sweep_block_threads_ / 4, thread);
    cmk_halves_range_ range = cmk_halves_no_range_();
    CMK_UNROLL
    for (int i = 0; i < s.items; ++i) {
        float x[4];
        CMK_TURN_(i);
        if (!cmk_sweep_has_(s, i)) continue;
        cmk_sweep_take_(x, slot, s, parts, i);
        cmk_load_store_value_(to + i * s.warps * cmk_sweep_matrix_bytes_, x, 16);
        CMK_UNROLL
        for (int e = 0; e < 4; ++e) cmk_halves_note_(&range, x[e]);
    }
    CMK_TURN_(-1);
    return range;
}

/* The largest and the least element of all threads of the block, which call. `range` is that of one thread. The barrier
 * of the block in it also shows to all what cmk_sweep_keep_ stored. */
CMK_DEVICE_ cmk_halves_range_ cmk_sweep_look_(const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, cmk_halves_range_ range)
{
    range.most = cmk_mma_most_(range.most);
    range.least = cmk_mma_least_(range.least);
    if (threadIdx.x % 32 == 0) {
        CMK_STORE(&w->notes->most[threadIdx.x / 32], range.most);
        CMK_STORE(&w->notes->least[threadIdx.x / 32], range.least);
    }
    __syncthreads();
    CMK_NO_UNROLL
    for (int n = 0; n < s.warps; ++n) {
        const unsigned most = CMK_LOAD(&w->notes->most[n]), least = CMK_LOAD(&w->notes->least[n]);
        range.most = most > range.most ? most : range.most;
        range.least = least < range.least ? least : range.least;
    }
    return range;
}

/* Finds the scale of a step's elements by which they are in range, with powers of two to spare for the steps to come.
 * There is none for infinities and NaN, for numbers near the ends of the range of floats, or for numbers too far from
 * one another; such a step goes by FMAs. Here most and least are exponents as the bits of a float have them, and 2^(top
 * + 1) is the bound of the largest element times the scale. 26 and 28 are 12 + 14 and 14 + 14, so that the least one is
 * not below 2^-14. In range are then elements from 2^-14, the least normal half, to below 2^15. 137 stands for a step
 * of zeros, as if its largest were 2^10. Above exponent 252, with top 12, w->most loses its upper bit. Then no later
 * step but one of zeros is in its range, and each gets a scale of its own. Inverse scales outside of 1e-36 to 1e36
 * count as too near the ends of the range of floats. All threads of the block call with the same range. So they get the
 * same scale. */
CMK_DEVICE_ void cmk_sweep_adapt_(cmk_sweep_work_ *w, cmk_halves_range_ range)
{
    const unsigned most = range.most == 0 ? 137 : range.most >> 24;
    const unsigned least = range.least == ~0u ? most : (range.least + 1) >> 24;
    const unsigned top = most - least <= 26 ? 12 : 14;
    w->plain = 1;
    if (most < cmk_halves_exponent_least_ || most >= 255 || most - least > 28) return;
    const float inverse = cmk_mma_float_((most - top) << 23), all = inverse * CMK_LOAD(&w->notes->inverse);
    const float across = inverse * CMK_LOAD(&w->notes->inverse_across);
    if (!(all >= 1e-36f && all <= 1e36f && across >= 1e-36f && across <= 1e36f)) return;
    w->plain = 0;
    w->scale = cmk_mma_float_((127 + 127 + top - most) << 23);
    w->most = (most + 15 - top) << 24;
    w->least = ((most - 14 - top) << 24) - 1;
    w->inverse_across = across;
    w->inverse = all;
}

/* Makes the next step, which was converted, the one that is multiplied. It keeps the scale of the step before where its
 * elements are in range, of all threads of the block. Otherwise it gets a scale of its own, or goes by FMAs; it is then
 * stored in its stage once more, from its slot. enough: whether this thread's elements are in range. A w->inverse of 0
 * says that no step had a scale yet; a notes->inverse of 0 says that taps are not in range, so that all steps go by
 * FMAs. All threads of the block call, as it has barriers; behind the last one all may read the stage. */
CMK_DEVICE_ void cmk_sweep_meet_(cmk_sweep_work_ *w, cmk_sweep_sizes_ s, cmk_filter_parts_float_ parts, int enough)
{
    w->stage ^= 1;
    w->plain = 0;
    if (!__syncthreads_or(!enough || w->inverse == 0.0f)) return;
    const cmk_halves_range_ range = cmk_sweep_keep_(w, s, parts);
    w->plain = CMK_LOAD(&w->notes->inverse) == 0.0f;
    if (w->plain)
        __syncthreads();
    else
        cmk_sweep_adapt_(w, cmk_sweep_look_(w, s, range));
    if (w->plain) return;
    (void)cmk_sweep_convert_(w, s, parts, 0);
    __syncthreads();
}

#endif

#endif
