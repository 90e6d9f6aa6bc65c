/* host/fill.h: the fills of fill.h. What a thread copies by PLAIN arrives at once, the rest when it waits for it; until
 * then its elements count as never written, so that a kernel that reads too early is stopped. */
#include "../base.h"
#ifndef CMK_HOST_FILL_H
#define CMK_HOST_FILL_H

#define CMK_HOST_FILL_STAGES_ 8
/* clang-format off */
#define CMK_HOST_NO_FILL_ {NULL, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, NULL}
/* clang-format on */

#define CMK_HOST_FILL_(pipe_, number_, tile_, rows_, columns_, source_, plane_, row_, column_)                         \
    do {                                                                                                               \
        const cmk_host_fill_of_ cmk_fill_ = {(tile_), CMK_HOST_SHAPE_(tile_), (rows_), (columns_), &(source_),         \
                                             (plane_), (row_), (column_), (number_), #tile_};                          \
        cmk_host_fill_start_(&(pipe_), &cmk_fill_, __FILE__, CMK_HOST_LINE_);                                          \
    } while (0)
#define CMK_HOST_FILL_WAIT_(pipe_, number_, later_)                                                                    \
    do {                                                                                                               \
        cmk_host_fill_finish_(&(pipe_), (number_), (later_), __FILE__, CMK_HOST_LINE_);                                \
        __syncthreads();                                                                                               \
    } while (0)

typedef struct cmk_host_matrix_ {
    const void *data_;
    long long step_, pitch_, planes_, rows_, columns_; /* in elements */
} cmk_host_matrix_;

typedef struct cmk_host_fill_of_ {
    volatile void *tile_;
    size_t tile_bytes_, row_bytes_, bytes_, align_; /* the tile's shape: element.h */
    int rows_, columns_;
    const cmk_host_matrix_ *source_;
    long long plane_, row_, column_, number_;
    const char *name_;
} cmk_host_fill_of_;

enum { cmk_host_fill_PLAIN_, cmk_host_fill_ASYNC_, cmk_host_fill_BULK_ };

/* of one thread: the fills that it has started and not waited for, the oldest first */
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

static inline int cmk_host_fill_column_(const cmk_host_pipe_ *pipe_, const cmk_host_fill_of_ *fill_, int row_,
                                        int column_)
{
    return pipe_->grain_ == 0 ? column_
                              : cmk_swizzle_(row_, column_, (unsigned)fill_->row_bytes_, (unsigned)fill_->bytes_,
                                             (unsigned)pipe_->grain_);
}

static inline const char *cmk_host_fill_from_(const cmk_host_fill_of_ *fill_, int row_, int column_)
{
    const cmk_host_matrix_ *source_ = fill_->source_;
    long long at_ = fill_->plane_ * source_->step_ + (fill_->row_ + row_) * source_->pitch_ + fill_->column_ + column_;
    return (const char *)((uintptr_t)source_->data_ + (uintptr_t)at_ * fill_->bytes_);
}

/* How many of the elements from column on are inside of the matrix: all, none, or some (1). */
static inline int cmk_host_fill_inside_(const cmk_host_fill_of_ *fill_, int row_, int column_, int count_)
{
    const cmk_host_matrix_ *source_ = fill_->source_;
    long long y_ = fill_->row_ + row_, x_ = fill_->column_ + column_;
    if (fill_->plane_ < 0 || fill_->plane_ >= source_->planes_ || y_ < 0 || y_ >= source_->rows_ || x_ + count_ <= 0 ||
        x_ >= source_->columns_)
        return 0;
    return x_ >= 0 && x_ + count_ <= source_->columns_ ? count_ : 1;
}

/* Elements on their way count as unwritten. */
static inline void cmk_host_fill_forget_(const cmk_host_fill_of_ *fill_, int row_, int column_, int count_)
{
    const uintptr_t at_ = (uintptr_t)fill_->tile_ - cmk_host_arena_ + (uintptr_t)row_ * fill_->row_bytes_ +
                          (uintptr_t)column_ * fill_->bytes_;
    if (at_<CMK_HOST_ARENA_BYTES_ && * cmk_host_map_(at_)> CMK_HOST_WRITTEN_)
        cmk_host_fill_(cmk_host_map_(at_), (*cmk_host_map_(at_) & ~3) | (int)CMK_HOST_UNWRITTEN_,
                       fill_->bytes_ * (size_t)count_);
}

/* A word of the copy: count elements that are all inside or all outside. ASYNC and BULK are not counted. */
static inline void cmk_host_fill_word_(const cmk_host_pipe_ *pipe_, const cmk_host_fill_of_ *fill_, int row_,
                                       int column_, int count_, int starts_, const char *file_, int line_)
{
    static const char zeros_[16] = {0};
    const int inside_ = cmk_host_fill_inside_(fill_, row_, column_, count_);
    const size_t bytes_ = (size_t)count_ * fill_->bytes_;
    const char *from_ = inside_ ? cmk_host_fill_from_(fill_, row_, column_) : zeros_;
    const int at_ = cmk_host_fill_column_(pipe_, fill_, row_, column_);
    if (starts_) {
        cmk_host_fill_forget_(fill_, row_, at_, count_);
        return;
    }
    if (inside_) (void)cmk_host_readable_(from_, bytes_, bytes_, file_, line_);
    if (CMK_HOST_COUNTS_ && pipe_->how_ == cmk_host_fill_PLAIN_) {
        const cmk_host_element_ element_ = {
            (uintptr_t)fill_->tile_, 0, fill_->row_bytes_, fill_->bytes_, row_, at_, fill_->name_, file_, line_, 1};
        if (inside_) cmk_host_count_((uintptr_t)from_, bytes_, bytes_, 0, 0, file_, line_);
        cmk_host_count_(cmk_host_element_address_(element_), bytes_, bytes_, 1, &element_, file_, line_);
    }
    for (int j_ = 0; j_ < count_; j_++)
        memcpy(cmk_host_tile_writable_(fill_->tile_, 0, fill_->row_bytes_, fill_->bytes_, row_, at_ + j_, fill_->name_,
                                       file_, line_),
               from_ + (size_t)j_ * (inside_ ? fill_->bytes_ : 0), fill_->bytes_);
}

/* The words of a thread, as fill.h shares them out: as wide as the pitches and the address allow, elements behind the
 * last whole word of a row and where a word is partly outside. BULK: thread 0 copies all. Where the fill only starts,
 * the words are marked. */
static inline void cmk_host_fill_copy_(const cmk_host_pipe_ *pipe_, const cmk_host_fill_of_ *fill_, int starts_,
                                       const char *file_, int line_)
{
    const int bulk_ = pipe_->how_ == cmk_host_fill_BULK_, size_ = (int)fill_->bytes_;
    const int thread_ = (int)cmk_host_fill_thread_(), step_ = bulk_ ? 1 : (int)cmk_host_fill_threads_();
    const int pitch_ = (int)fill_->row_bytes_ | 16, most_ = pitch_ & -pitch_;
    const int wide_ = pipe_->grain_ != 0 && pipe_->grain_ < most_ ? pipe_->grain_ : most_;
    const uintptr_t from_ =
        (uintptr_t)cmk_host_fill_from_(fill_, 0, 0) | (uintptr_t)fill_->source_->pitch_ * fill_->bytes_;
    const int lanes_ = from_ % (uintptr_t)wide_ == 0 ? wide_ / size_ : 1, words_ = fill_->columns_ / lanes_;
    const int rest_ = fill_->columns_ - words_ * lanes_;
    if (bulk_ && thread_ > 0) return;
    for (int k_ = thread_; k_ < fill_->rows_ * words_; k_ += step_) {
        const int row_ = k_ / words_, column_ = k_ % words_ * lanes_;
        const int inside_ = cmk_host_fill_inside_(fill_, row_, column_, lanes_);
        const int each_ = inside_ == 0 || inside_ == lanes_ ? lanes_ : 1;
        for (int j_ = 0; j_ < lanes_; j_ += each_)
            cmk_host_fill_word_(pipe_, fill_, row_, column_ + j_, each_, starts_, file_, line_);
    }
    for (int k_ = thread_; k_ < fill_->rows_ * rest_; k_ += step_)
        cmk_host_fill_word_(pipe_, fill_, k_ / rest_, words_ * lanes_ + k_ % rest_, 1, starts_, file_, line_);
}

static inline void cmk_host_fill_check_(const cmk_host_pipe_ *pipe_, const cmk_host_fill_of_ *fill_, const char *file_,
                                        int line_)
{
    const uintptr_t start_ = (uintptr_t)(pipe_->grain_ ? cmk_host_shared_now_->dynamic_ : (void *)cmk_host_arena_);
    const unsigned multiple_ = pipe_->grain_ ? 1024 : 128;
    if (pipe_->count_ == pipe_->stages_)
        cmk_host_fail_(file_, line_, "starts fill %lld of a pipe of %d stages, all of which are in flight",
                       fill_->number_, pipe_->stages_);
    if (pipe_->how_ == cmk_host_fill_BULK_ && ((uintptr_t)fill_->tile_ - start_) % multiple_ != 0)
        cmk_host_fail_(file_, line_, "fills `%s` by BULK: it must begin at a multiple of %u bytes%s", fill_->name_,
                       multiple_, pipe_->grain_ ? " of the dynamic shared memory" : "");
}

static inline void cmk_host_fill_start_(cmk_host_pipe_ *pipe_, const cmk_host_fill_of_ *fill_, const char *file_,
                                        int line_)
{
    const size_t has_rows = cmk_host_tile_rows_(fill_->tile_bytes_, fill_->row_bytes_);
    if (has_rows > 0 && fill_->rows_ > 0 && (size_t)fill_->rows_ > has_rows)
        cmk_host_fail_(file_, line_, "fills %d rows of `%s`, which has %zu rows", fill_->rows_, fill_->name_, has_rows);
    if (pipe_->how_ == cmk_host_fill_PLAIN_) {
        cmk_host_fill_copy_(pipe_, fill_, 0, file_, line_);
        return;
    }
    cmk_host_fill_check_(pipe_, fill_, file_, line_);
    cmk_host_fill_copy_(pipe_, fill_, 1, file_, line_);
    pipe_->fills_[pipe_->count_++] = *fill_;
}

/* ASYNC: all fills but the last later; BULK: fill number */
static inline void cmk_host_fill_finish_(cmk_host_pipe_ *pipe_, long long number_, long long later_, const char *file_,
                                         int line_)
{
    int kept_ = 0;
    for (int k_ = 0; k_ < pipe_->count_; k_++) {
        const cmk_host_fill_of_ *fill_ = &pipe_->fills_[k_];
        const int done_ =
            pipe_->how_ == cmk_host_fill_BULK_ ? fill_->number_ == number_ : k_ < pipe_->count_ - (int)later_;
        if (done_)
            cmk_host_fill_copy_(pipe_, fill_, 0, file_, line_);
        else if (fill_->number_ == number_)
            cmk_host_fail_(file_, line_, "waits for fill %lld, after which %d were started, not %lld", number_,
                           pipe_->count_ - 1 - k_, later_);
        else
            pipe_->fills_[kept_++] = *fill_;
    }
    pipe_->count_ = kept_;
}

CMK_HOST_C_END_

#endif
