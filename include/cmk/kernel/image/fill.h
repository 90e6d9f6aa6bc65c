/* kernel/image/fill.h: copies rows of an image into the ring of a warp, by bytes, and treats every edge on the way.
 *
 * The ring of a warp is shared memory that no other warp uses: `stages` steps of `step` rows. The rings of a block's
 * four warps lie side by side, stage by stage. A chunk, 16 bytes mostly, comes by an asynchronous copy. Zeros outside
 * need no frame where rows begin and end with a chunk: there a chunk outside is a copy of no bytes.
 *
 * Rows that begin anywhere have no aligned chunks. There a row of the ring is filled in pieces of 32 adjacent elements,
 * one for each lane, so that a copy of the warp reads adjacent addresses. What edges put in their place is known by
 * lane and piece, and is found once for all rows. Outputs are stored in pieces too, after lanes have written theirs
 * into the ring in place of rows that all have read.
 *
 * In all functions here:
 *   s          cmk_image_sizes_ of sizes.h, a constant at compile time with all its members. s.lanes: elements of a
 *              chunk. s.chunk_bytes, s.row_bytes: bytes of a chunk and of a row of the ring, which has s.chunks
 *              chunks. s.before: elements of such a row before the strip. s.f: the filter (rows/filter.h).
 *              s.f.in_size: bytes of an element; s.f.zeros: whether all outside is zero; s.f.row: rows above an
 *              output that it needs; s.f.beyond: elements behind one; s.f.rows: the filter's rows. s.step, s.stages:
 *              rows of a step, and steps of a ring. s.f.edge: an edge of edge.h. s.f.channels: elements of a pixel.
 *              s.f.out_size: bytes of an output. s.unaligned: whether rows begin anywhere. s.skipped: chunks of a row
 *              of the ring before the lane's window
 *   m          cmk_image_march_, below, the state of a warp. m->place: where it is (rows/image.h). m->place.lane,
 *              m->place.warp: the numbers of the thread in its warp and of the warp in its block. m->place.length:
 *              rows of outputs of the warp
 *   image      cmk_image_ of rows/image.h, a parameter of the kernel. Pitches, steps, left and right count
 *              elements. Rows and columns are counted from the region's first element, and columns in elements. The
 *              image has rows top to bottom - 1 and columns left to right - 1
 *   in_frame   whether the warp is of the frame: whether it may need what is outside the image, or chunks that are
 *              not aligned; a constant at compile time
 *
 * Chunks have 2, 4, 8 or 16 bytes, and rows of the ring a multiple of 32, so that all chunks of the ring are aligned.
 * Those of the image are where image->in_whole is set: pitch and steps are whole chunks then, and strips begin
 * image->head elements earlier, with a chunk. Elements are always aligned to their size; other calls are refused.
 *
 * Functions of other files:
 *   cmk_image_row_at_(image, edge, y), cmk_image_column_at_(image, edge, channels, x)   of rows/image.h: the row, or
 *              the column in elements, that the edge reads for one that may be negative or behind the image. The
 *              result may be negative too. cmk_image_none_, which is no index, says that it reads none
 *   cmk_image_up_(a, b): a rounded up to a multiple of b, 0 where a < 0. cmk_image_within_(a, b, c): b <= a < c
 *   cmk_fill_async_(bytes, to, from, inside)   of fill.h: starts a copy; with inside 0 writes zeros, and reads nothing.
 *              CMK_FILL_COMMIT(ASYNC): the copies that this thread has started since its last one become a group
 *   cmk_image_copy_(to, from, size, inside, outside)   of rows/copy.h: the same of one element; with inside 0 it stores
 *              the element at outside, zeros where that is null. cmk_image_at_(row, i, size): where element i lies
 *   cmk_load_store_value_(to, from, size): stores `size` aligned bytes as one word. CMK_LOAD, CMK_STORE: of an int,
 *              here in shared memory; the CPU backend checks the access
 *   cmk_image_locate_(image, lanes)   of rows/image.h: the place of this thread, by blockIdx.x and threadIdx.x. Its x
 *              and y are those of the thread's first output. cmk_image_warps_ is 4, the warps of a block
 *   CMK_TILE_DYNAMIC(T, name): T *name is the dynamic shared memory, which begins at a multiple of 1024 bytes
 *
 * On a GPU CMK_TURN_ does nothing. By it the counters of the CPU backend learn which turn of a loop a thread is in; -1
 * is none. A row of the ring has fewer than 64 x 32 chunks, so that row and chunk make one number: a separable filter
 * of radius 32 with 4 channels has the most, 32 and two times 64. CMK_DEVICE_ functions are inlined in their kernel,
 * and CMK_FUNCTION is for the host too. CMK_UNROLL unrolls the next loop, CMK_NO_UNROLL does not. */
#ifndef CMK_KERNEL_IMAGE_FILL_H
#define CMK_KERNEL_IMAGE_FILL_H

#include "../../tile.h"
#include "../rows/copy.h"
#include "../rows/image.h"
#include "sizes.h"

/* A row of the ring of a warp of the frame, whose first element is column x. Elements low to high - 1 are chunks that
 * are inside and aligned. Those before low, and from high to end - 1, come one by one. Nothing needs what follows
 * end. */
typedef struct {
    int x, low, high, end;
} cmk_image_span_;

/* The most pieces of a row of the ring, and the most outputs of a lane in a step, where rows begin anywhere
 * (tests/kernels/sizes.cu). */
enum { cmk_image_pieces_most_ = 10, cmk_image_piece_outputs_most_ = 16 };

/* A warp on its way down, as each of its lanes has it. */
typedef struct {
    const cmk_image_ *image;
    const void *outside; /* the element in place of what is outside, null for zeros */
    cmk_image_place_ place;
    cmk_image_span_ span;  /* of the frame: which elements of a row come in chunks */
    int *columns;          /* the columns that the edge reads for the elements of a row; shared memory of the warp */
    const char *in;        /* the region's first element of the image */
    const char *source;    /* the lane's first element of the next row to fill */
    char *target;          /* the lane's first output of the rows that are complete next */
    char *stage;           /* the lane's first chunk of the stage to fill next, which holds the oldest rows */
    int first;             /* the column of the lane's first chunk in a row of the ring */
    int bottom;            /* the row behind the last that the warp reads */
    int next, stage_index; /* the row of the image to fill next; the number of that stage, 0 to stages - 1 */
    /* where rows begin anywhere: for the lane's element of each piece the column that the edge reads, and as bit n of
     * in_columns whether that of piece n is in the image */
    int at[cmk_image_pieces_most_];
    unsigned in_columns;
} cmk_image_march_;

/* The span of `width` elements from column x on. Of those behind the image `beyond` are needed. lanes, a power of two:
 * elements of a chunk. inside: elements from x to the image's end, which may be negative; then high is low. Where no
 * chunk is aligned, all come one by one. */
CMK_FUNCTION cmk_image_span_ cmk_image_span_at_(const cmk_image_ *image, int x, int lanes, int width, int beyond)
{
    const int inside = image->right - x, left = cmk_image_up_(image->left - x, lanes);
    const int needed = cmk_image_up_(inside + beyond, lanes);
    const int low = image->in_whole && left < width ? left : width;
    const int high = inside >= width ? width : inside < low ? low : inside & -lanes;
    const cmk_image_span_ span = {x, low, high, low == width || needed > width ? width : needed};
    return span;
}

/* Whether the lane has a chunk among the 32 from chunk c of a row on. Known at compile time but for the last of them.
 */
CMK_DEVICE_ int cmk_image_has_(cmk_image_sizes_ s, int lane, int c)
{
    return c + 32 <= s.chunks || lane < s.chunks - c;
}

/* Starts to copy the rows of a step of a warp inside, all of whose chunks are aligned. Where zeros stand for the
 * outside, a chunk outside is a copy of no bytes. All lanes of the warp call, each for its chunks: number lane, lane +
 * 32 and so on of each row. What the warp does not need is a copy of no bytes too. Without zeros outside, a warp inside
 * reads whole steps (cmk_image_length_ of plan.h), so that the step's first row decides for all of its rows. */
CMK_DEVICE_ void cmk_image_fill_inside_(const cmk_image_march_ *m, cmk_image_sizes_ s)
{
    CMK_UNROLL
    for (int j = 0; j < s.step; ++j) {
        const char *const from = m->source + j * m->image->in_pitch * s.f.in_size;
        const int in_row = s.f.zeros ? cmk_image_within_(m->next + j, m->image->top, m->bottom) : m->next < m->bottom;
        CMK_UNROLL
        for (int c = 0; c < s.chunks; c += 32)
            if (cmk_image_has_(s, m->place.lane, c)) {
                const int in = cmk_image_within_(m->first + c * s.lanes, m->image->left, m->image->right);
                CMK_TURN_(j * 64 + c / 32);
                cmk_fill_async_(s.chunk_bytes, m->stage + j * s.row_bytes + c * s.chunk_bytes, from + c * s.chunk_bytes,
                                in_row && (!s.f.zeros || in));
            }
    }
    CMK_TURN_(-1);
}

/* Where element i of a row lies. start: the address of the row, or 0, which is that of no row. size: bytes of an
 * element. It may be an address that nobody reads. */
CMK_DEVICE_ const char *cmk_image_from_(size_t start, int i, int size)
{
    return (const char *)(start + (size_t)i * (size_t)size);
}

/* Fills the chunks of row j of a step that are inside and aligned, and those that nothing needs. start: the address of
 * the row, 0 for one that is outside. There the element outside is stored, or zeros where m->outside is null. What
 * nothing needs becomes zeros. c counts elements from the first of the row of the ring. The local chunk repeats the
 * element outside; s.lanes elements have at most the 16 bytes of a cmk_image_chunk_ (rows/image.h), which is aligned to
 * as many. */
CMK_DEVICE_ void cmk_image_fill_chunks_(const cmk_image_march_ *m, cmk_image_sizes_ s, int j, size_t start)
{
    CMK_UNROLL
    for (int n = 0; n < s.chunks; n += 32) {
        const int c = (n + m->place.lane) * s.lanes, copied = c >= m->span.low && c < m->span.high;
        char *const to = m->stage + j * s.row_bytes + n * s.chunk_bytes;
        if (!cmk_image_has_(s, m->place.lane, n)) break;
        CMK_TURN_(j * 64 + n / 32);
        if (m->outside && copied && start == 0) {
            cmk_image_chunk_ chunk;
            CMK_UNROLL
            for (int e = 0; e < s.lanes; ++e) memcpy(&chunk.bytes[e * s.f.in_size], m->outside, (size_t)s.f.in_size);
            cmk_load_store_value_(to, &chunk, s.chunk_bytes);
        } else if (copied || c >= m->span.end) {
            cmk_fill_async_(s.chunk_bytes, to, cmk_image_from_(start, m->span.x + c, s.f.in_size),
                            start != 0 && copied);
        }
    }
}

/* Fills the elements of a step that come one by one: those before m->span.low and from high to end - 1. Each lane has
 * every 32nd of them. starts: the address of each row, 0 for one that is outside. Element c of a row of the ring comes
 * from column `at`, which the edge reads for it. stage is where the stage begins, and m->stage the lane's chunk. */
CMK_DEVICE_ void cmk_image_fill_elements_(const cmk_image_march_ *m, cmk_image_sizes_ s, const size_t *starts)
{
    const int low = m->span.low, high = m->span.high, end = m->span.end, lane = m->place.lane;
    const int *const columns = m->columns;
    char *const stage = m->stage - lane * s.chunk_bytes;
    CMK_NO_UNROLL
    for (int n = 0; n < low + end - high; n += 32) {
        const int c = n + lane < low ? n + lane : n + lane - low + high;
        if (c >= end) break;
        const int at = CMK_LOAD(&columns[c]);
        CMK_UNROLL
        for (int j = 0; j < s.step; ++j) {
            const int inside = at != cmk_image_none_ && starts[j] != 0;
            char *const to = cmk_image_at_(stage + j * s.row_bytes, c, s.f.in_size);
            CMK_TURN_(j * 64 + n / 32);
            cmk_image_copy_(to, cmk_image_from_(starts[j], at, s.f.in_size), s.f.in_size, inside, m->outside);
        }
    }
}

/* Fills the rows of a step of a warp of the frame. Each lane finds the start of a row for all others: lane j has row j
 * of the step, and a shuffle hands it on. All lanes of the warp call. at: the address of column 0 of that row, which is
 * not used for cmk_image_none_. A step has at most cmk_conv2d_rolled_step_ = 8 rows (tests/kernels/sizes.cu). */
CMK_DEVICE_ void cmk_image_fill_frame_(const cmk_image_march_ *m, cmk_image_sizes_ s)
{
    const int row = cmk_image_row_at_(m->image, s.f.edge, m->next + m->place.lane);
    const size_t at = (size_t)(const void *)m->in + (size_t)(row * m->image->in_pitch) * (size_t)s.f.in_size;
    const size_t start = row != cmk_image_none_ ? at : 0;
    size_t starts[cmk_conv2d_rolled_step_]; /* of `step` rows, no kernel has more; 0 for one that is outside */
    CMK_UNROLL
    for (int j = 0; j < s.step; ++j) {
        starts[j] = __shfl_sync(0xffffffffu, start, j);
        cmk_image_fill_chunks_(m, s, j, starts[j]);
    }
    cmk_image_fill_elements_(m, s, starts);
    CMK_TURN_(-1);
}

/* Starts to copy the rows of a step where rows begin anywhere, in pieces. Each lane finds the start of a row for all
 * others, as above. What windows do not need is not filled. All lanes of the warp call, after
 * cmk_image_find_pieces_. */
CMK_DEVICE_ void cmk_image_fill_pieces_(const cmk_image_march_ *m, cmk_image_sizes_ s)
{
    const int size = s.f.in_size, lane = m->place.lane, count = cmk_image_needed_(s);
    const int rows_end = cmk_edge_empty_(CMK_EDGE_ROW(s.f.edge), -1, 1);
    const int columns_end = cmk_edge_empty_(CMK_EDGE_COLUMN(s.f.edge), -1, 1);
    const int row = cmk_image_row_at_(m->image, s.f.edge, m->next + lane);
    const size_t at = (size_t)(const void *)m->in + (size_t)(row * m->image->in_pitch) * (size_t)size;
    const size_t start = row != cmk_image_none_ ? at : 0;
    char *const stage = m->stage + lane * (size - s.chunk_bytes) + s.skipped * s.chunk_bytes;
    size_t starts[cmk_conv2d_rolled_step_]; /* of `step` rows; 0 for one that is outside */
    CMK_UNROLL
    for (int j = 0; j < s.step; ++j) starts[j] = __shfl_sync(0xffffffffu, start, j);
    CMK_UNROLL
    for (int j = 0; j < s.step; ++j) {
        const unsigned in = rows_end && starts[j] == 0 ? 0 : columns_end ? m->in_columns : 0xffffffffu;
        CMK_UNROLL
        for (int n = 0; n < count; n += 32) {
            const char *const from = cmk_image_from_(starts[j], m->at[n / 32], size);
            CMK_TURN_(j * 64 + n / 32);
            if (n + 32 <= count || lane < count - n)
                cmk_image_copy_(stage + j * s.row_bytes + n * size, from, size, in >> n / 32 & 1, m->outside);
        }
    }
    CMK_TURN_(-1);
}

/* Starts the copies of the next step, and goes on to the stage after it. They are one group of each lane. All lanes of
 * the warp call, after all have read the stage. Between two stages of a warp lie the rows of the same step of the
 * block's other warps. */
CMK_DEVICE_ void cmk_image_fill_(cmk_image_march_ *m, cmk_image_sizes_ s, int in_frame)
{
    if (s.unaligned)
        cmk_image_fill_pieces_(m, s);
    else if (in_frame)
        cmk_image_fill_frame_(m, s);
    else
        cmk_image_fill_inside_(m, s);
    CMK_FILL_COMMIT(ASYNC);
    m->next += s.step;
    m->source += s.step * m->image->in_pitch * s.f.in_size;
    m->stage_index = m->stage_index < s.stages - 1 ? m->stage_index + 1 : 0;
    m->stage += (m->stage_index > 0 ? cmk_image_warps_ : -(s.stages - 1) * cmk_image_warps_) * s.step * s.row_bytes;
}

/* Stores the rows of a step where rows begin anywhere, in pieces, from row i of the warp's outputs on: those that are
 * the warp's, and of them what is in the region. Lanes have written their outputs where m->stage is, and a barrier
 * follows before it is filled again. All loads come first, and then all stores. All lanes of the warp call. */
CMK_DEVICE_ void cmk_image_save_pieces_(const cmk_image_march_ *m, cmk_image_sizes_ s, int i)
{
    const int size = s.f.out_size, lane = m->place.lane;
    const int left = m->image->width - (m->place.x - lane * s.lanes) - lane;
    const char *const stage = m->stage + lane * (size - s.chunk_bytes);
    cmk_image_chunk_ outputs[cmk_image_piece_outputs_most_];
    CMK_UNROLL
    for (int j = 0; j < s.step; ++j) CMK_UNROLL
    for (int n = 0; n < s.lanes; ++n) {
        CMK_TURN_(j * 16 + n);
        cmk_load_plain_value_(&outputs[j * s.lanes + n], stage + j * s.row_bytes + n * 32 * size, size);
    }
    CMK_UNROLL
    for (int j = 0; j < s.step; ++j) {
        const int end = cmk_image_within_(i + j, 0, m->place.length) ? left : 0;
        char *const out = m->target + j * m->image->out_pitch * size;
        CMK_UNROLL
        for (int n = 0; n < s.lanes; ++n) {
            CMK_TURN_(j * 16 + n);
            if (n * 32 < end) cmk_load_store_value_(out + n * 32 * size, &outputs[j * s.lanes + n], size);
        }
    }
    CMK_TURN_(-1);
}

/* Waits until all have read a stage, which may be filled after it. It also makes the copies of all lanes visible, which
 * each lane has waited for. All threads of the block call where whole_block is not 0, else those of the warp. A barrier
 * of the block, in place of one of the warp, keeps its warps on neighbouring addresses, and in the same part of a code
 * larger than the instruction cache. */
CMK_DEVICE_ void cmk_image_sync_(int whole_block)
{
    if (whole_block)
        __syncthreads();
    else
        __syncwarp();
}

/* Sets up a warp at its first row. All threads call. The block's dynamic shared memory has its ring of s.ring_bytes
 * bytes, then for each warp the columns of a row of its ring, as ints. Image blockIdx.z of the batch is the warp's. The
 * span is left empty; cmk_image_find_columns_ sets it. The pointer m.target begins ROWS - 1 rows above the warp's first
 * output, as the first steps complete rows that are not stored. last: the row behind the last that an output needs. The
 * pointers in and out of task (rows/image.h) are to the region's first element of image 0. CMK_ZEROS_: a struct of
 * zeros. */
CMK_DEVICE_ cmk_image_march_ cmk_image_begin_(cmk_image_task_ task, cmk_image_sizes_ s)
{
    const cmk_image_ *const image = task.image;
    CMK_TILE_DYNAMIC(char, ring);
    cmk_image_march_ m = CMK_ZEROS_(cmk_image_march_);
    m.image = image;
    m.outside = task.outside;
    m.place = cmk_image_locate_(image, s.lanes);
    m.columns = (int *)(void *)(ring + s.ring_bytes) + m.place.warp * s.chunks * s.lanes;
    m.first = m.place.x - s.before;
    m.next = m.place.y - s.f.row;
    const int last = m.place.y + m.place.length - s.f.row + s.f.rows - 1;
    m.bottom = last < image->bottom ? last : image->bottom;
    m.stage_index = 0;
    m.stage = ring + m.place.warp * s.step * s.row_bytes + m.place.lane * s.chunk_bytes;
    m.in = task.in + blockIdx.z * image->in_step * s.f.in_size;
    m.source = m.in + (m.next * image->in_pitch + m.first) * s.f.in_size;
    m.target = task.out + (blockIdx.z * image->out_step + (m.place.y + 1 - s.f.rows) * image->out_pitch + m.place.x) *
                              s.f.out_size;
    return m;
}

/* Finds which columns a warp of the frame reads for the elements of a row, and its span. All lanes of the warp call,
 * once, and a barrier of the warp is in it. x: the column of the first element in a row of the ring. */
CMK_DEVICE_ void cmk_image_find_columns_(cmk_image_march_ *m, cmk_image_sizes_ s)
{
    const int x = m->first - m->place.lane * s.lanes, width = s.chunks * s.lanes;
    for (int n = m->place.lane; n < width; n += 32)
        CMK_STORE(&m->columns[n], cmk_image_column_at_(m->image, s.f.edge, s.f.channels, x + n));
    __syncwarp();
    m->span = cmk_image_span_at_(m->image, x, s.lanes, width, s.f.beyond);
}

/* Finds which columns a warp reads for the pieces of a row, where rows begin anywhere. The target of *m goes on from
 * the lane's own first output to the one that it stores of the first piece. The local first is the column of the lane's
 * element of the first piece. */
CMK_DEVICE_ void cmk_image_find_pieces_(cmk_image_march_ *m, cmk_image_sizes_ s)
{
    const int lane = m->place.lane, first = m->first + s.skipped * s.lanes - lane * (s.lanes - 1);
    CMK_UNROLL
    for (int n = 0; n < cmk_image_needed_(s); n += 32) {
        const int column = cmk_image_column_at_(m->image, s.f.edge, s.f.channels, first + n);
        m->at[n / 32] = column == cmk_image_none_ ? 0 : column;
        m->in_columns |= (unsigned)(column != cmk_image_none_) << n / 32;
    }
    m->target -= lane * (s.lanes - 1) * s.f.out_size;
}

#endif
