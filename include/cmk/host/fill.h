/* host/fill.h: the fills of fill.h. What a thread copies by PLAIN arrives at once. Other fills arrive when the thread
 * waits for them. Until then their elements count as never written, so that a kernel that reads too early is
 * stopped. */
#include "../base.h"
#ifndef CMK_HOST_FILL_H
#define CMK_HOST_FILL_H

#define CMK_HOST_FILL_STAGES_ 8
/* clang-format off */
#define CMK_HOST_NO_FILL_ {NULL, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, NULL}
/* clang-format on */

#define CMK_HOST_FILL_(pipe_, number_, tile_, rows_, columns_, source_, plane_, row_, column_)                         \
    cmk_host_fill_start_(cmk_host_fill_from_(cmk_host_fill_to_((tile_), CMK_HOST_SHAPE_(tile_), #tile_), (rows_),      \
                                             (columns_), &(source_), (plane_), (row_), (column_)),                     \
                         &(pipe_), (number_), __FILE__, CMK_HOST_LINE_)
#define CMK_HOST_FILL_WAIT_(pipe_, number_, later_)                                                                    \
    (cmk_host_fill_finish_(&(pipe_), (number_), (later_), __FILE__, CMK_HOST_LINE_), __syncthreads())

typedef struct cmk_host_matrix_ {
    const void *data_;
    long long step_, pitch_, planes_, rows_, columns_; /* in elements */
} cmk_host_matrix_;

typedef struct cmk_host_fill_of_ {
    volatile void *tile_;
    size_t tile_bytes_, row_bytes_, bytes_, align_; /* the shape of the tile (element.h) */
    int rows_, columns_;
    const cmk_host_matrix_ *source_;
    long long plane_, row_, column_, number_;
    const char *name_;
} cmk_host_fill_of_;

enum { cmk_host_fill_PLAIN_, cmk_host_fill_ASYNC_, cmk_host_fill_BULK_ };

/* of one thread: the fills that it has started and has not waited for, the oldest first */
typedef struct cmk_host_pipe_ {
    int how_, stages_, grain_, count_;
    cmk_host_fill_of_ fills_[CMK_HOST_FILL_STAGES_];
} cmk_host_pipe_;

CMK_HOST_C_BEGIN_

CMK_HOST_INLINE_ unsigned cmk_host_fill_threads_(void)
{
    return blockDim.x * blockDim.y * blockDim.z;
}

CMK_HOST_INLINE_ unsigned cmk_host_fill_thread_(void)
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

static inline int cmk_host_fill_column_(const cmk_host_pipe_ *pipe, const cmk_host_fill_of_ *fill, int row, int column)
{
    return pipe->grain_ == 0
               ? column
               : cmk_swizzle_(row, column, (unsigned)fill->row_bytes_, (unsigned)fill->bytes_, (unsigned)pipe->grain_);
}

static inline const char *cmk_host_fill_address_(const cmk_host_fill_of_ *fill, int row, int column)
{
    const cmk_host_matrix_ *source = fill->source_;
    long long at = fill->plane_ * source->step_ + (fill->row_ + row) * source->pitch_ + fill->column_ + column;
    return (const char *)((uintptr_t)source->data_ + (uintptr_t)at * fill->bytes_);
}

/* Whether the elements from column on are inside of the matrix: all of them, none, or some (1). */
static inline int cmk_host_fill_inside_(const cmk_host_fill_of_ *fill, int row, int column, int count)
{
    const cmk_host_matrix_ *source = fill->source_;
    long long y = fill->row_ + row, x = fill->column_ + column;
    if (fill->plane_ < 0 || fill->plane_ >= source->planes_ || y < 0 || y >= source->rows_ || x + count <= 0 ||
        x >= source->columns_)
        return 0;
    return x >= 0 && x + count <= source->columns_ ? count : 1;
}

/* Marks elements that are on their way as unwritten. */
static inline void cmk_host_fill_forget_(const cmk_host_fill_of_ *fill, int row, int column, int count)
{
    const uintptr_t at =
        (uintptr_t)fill->tile_ - cmk_host_arena_ + (uintptr_t)row * fill->row_bytes_ + (uintptr_t)column * fill->bytes_;
    if (at<CMK_HOST_ARENA_BYTES_ && * cmk_host_map_(at)> CMK_HOST_WRITTEN_)
        cmk_host_fill_(cmk_host_map_(at), (*cmk_host_map_(at) & ~3) | (int)CMK_HOST_UNWRITTEN_,
                       fill->bytes_ * (size_t)count);
}

/* Copies a word: count elements, all inside or all outside. Counters (count.h) do not see ASYNC and BULK. */
static inline void cmk_host_fill_word_(const cmk_host_pipe_ *pipe, const cmk_host_fill_of_ *fill, int row, int column,
                                       int count, int starts, const char *file, int line)
{
    static const char zeros[16] = {0};
    const int inside = cmk_host_fill_inside_(fill, row, column, count);
    const size_t bytes = (size_t)count * fill->bytes_;
    const char *from = inside ? cmk_host_fill_address_(fill, row, column) : zeros;
    const int at = cmk_host_fill_column_(pipe, fill, row, column);
    if (starts) {
        cmk_host_fill_forget_(fill, row, at, count);
        return;
    }
    if (inside) (void)cmk_host_readable_(from, bytes, bytes, file, line);
    cmk_host_element_ element = {
        (uintptr_t)fill->tile_, 0, fill->row_bytes_, fill->bytes_, row, at, fill->name_, file, line, 1};
    if (CMK_HOST_COUNTS_ && pipe->how_ == cmk_host_fill_PLAIN_) {
        if (inside) cmk_host_count_((uintptr_t)from, bytes, bytes, 0, 0, file, line);
        cmk_host_count_(cmk_host_element_address_(element), bytes, bytes, 1, &element, file, line);
    }
    for (int j = 0; j < count; j++) {
        element.column_ = at + j;
        memcpy(cmk_host_tile_writable_(element), from + (size_t)j * (inside ? fill->bytes_ : 0), fill->bytes_);
    }
}

/* Copies the words of a thread, in the shares that fill.h gives to threads. Words are as wide as the pitches and the
 * address allow. Elements go alone behind the last whole word of a row, and where a word is partly outside. With BULK,
 * thread 0 copies everything. Where the fill only starts, the words are marked. */
static inline void cmk_host_fill_copy_(const cmk_host_pipe_ *pipe, const cmk_host_fill_of_ *fill, int starts,
                                       const char *file, int line)
{
    const int bulk = pipe->how_ == cmk_host_fill_BULK_, size = (int)fill->bytes_;
    const int thread = (int)cmk_host_fill_thread_(), step = bulk ? 1 : (int)cmk_host_fill_threads_();
    const int pitch = (int)fill->row_bytes_ | 16, most = pitch & -pitch;
    const int wide = pipe->grain_ != 0 && pipe->grain_ < most ? pipe->grain_ : most;
    const uintptr_t from =
        (uintptr_t)cmk_host_fill_address_(fill, 0, 0) | (uintptr_t)fill->source_->pitch_ * fill->bytes_;
    const int lanes = from % (uintptr_t)wide == 0 ? wide / size : 1, words = fill->columns_ / lanes;
    const int rest = fill->columns_ - words * lanes;
    if (bulk && thread > 0) return;
    for (int k = thread; k < fill->rows_ * words; k += step) {
        const int row = k / words, column = k % words * lanes;
        const int inside = cmk_host_fill_inside_(fill, row, column, lanes);
        const int each = inside == 0 || inside == lanes ? lanes : 1;
        for (int j = 0; j < lanes; j += each)
            cmk_host_fill_word_(pipe, fill, row, column + j, each, starts, file, line);
    }
    for (int k = thread; k < fill->rows_ * rest; k += step)
        cmk_host_fill_word_(pipe, fill, k / rest, words * lanes + k % rest, 1, starts, file, line);
}

static inline void cmk_host_fill_check_(const cmk_host_pipe_ *pipe, const cmk_host_fill_of_ *fill, const char *file,
                                        int line)
{
    const uintptr_t start = (uintptr_t)(pipe->grain_ ? cmk_host_shared_now_->dynamic_ : (void *)cmk_host_arena_);
    const unsigned multiple = pipe->grain_ ? 1024 : 128;
    if (pipe->count_ == pipe->stages_)
        cmk_host_fail_(file, line, "starts fill %lld of a pipe of %d stages, all of which are in flight", fill->number_,
                       pipe->stages_);
    if (pipe->how_ == cmk_host_fill_BULK_ && ((uintptr_t)fill->tile_ - start) % multiple != 0)
        cmk_host_fail_(file, line, "fills `%s` by BULK: it must begin at a multiple of %u bytes%s", fill->name_,
                       multiple, pipe->grain_ ? " of the dynamic shared memory" : "");
}

/* describes the fill of a tile: its rows and columns, from an element of a matrix on */
CMK_HOST_INLINE_ cmk_host_fill_of_ cmk_host_fill_to_(volatile void *tile, size_t tile_bytes, size_t row_bytes,
                                                     size_t bytes, size_t align, const char *name)
{
    const cmk_host_fill_of_ fill = {tile, tile_bytes, row_bytes, bytes, align, 0, 0, NULL, 0, 0, 0, 0, name};
    return fill;
}

CMK_HOST_INLINE_ cmk_host_fill_of_ cmk_host_fill_from_(cmk_host_fill_of_ fill, int rows, int columns,
                                                       const cmk_host_matrix_ *source, long long plane, long long row,
                                                       long long column)
{
    fill.rows_ = rows;
    fill.columns_ = columns;
    fill.source_ = source;
    fill.plane_ = plane;
    fill.row_ = row;
    fill.column_ = column;
    return fill;
}

static inline void cmk_host_fill_start_(cmk_host_fill_of_ fill, cmk_host_pipe_ *pipe, long long number,
                                        const char *file, int line)
{
    fill.number_ = number;
    if (pipe->how_ == cmk_host_fill_PLAIN_) {
        cmk_host_fill_copy_(pipe, &fill, 0, file, line);
        return;
    }
    cmk_host_fill_check_(pipe, &fill, file, line);
    cmk_host_fill_copy_(pipe, &fill, 1, file, line);
    pipe->fills_[pipe->count_++] = fill;
}

/* finishes fills: with ASYNC all but the last `later`, with BULK the fill `number` */
static inline void cmk_host_fill_finish_(cmk_host_pipe_ *pipe, long long number, long long later, const char *file,
                                         int line)
{
    int kept = 0;
    for (int k = 0; k < pipe->count_; k++) {
        const cmk_host_fill_of_ *fill = &pipe->fills_[k];
        const int done = pipe->how_ == cmk_host_fill_BULK_ ? fill->number_ == number : k < pipe->count_ - (int)later;
        if (done)
            cmk_host_fill_copy_(pipe, fill, 0, file, line);
        else if (fill->number_ == number)
            cmk_host_fail_(file, line, "waits for fill %lld, after which %d were started, not %lld", number,
                           pipe->count_ - 1 - k, later);
        else
            pipe->fills_[kept++] = *fill;
    }
    pipe->count_ = kept;
}

CMK_HOST_C_END_

#endif
