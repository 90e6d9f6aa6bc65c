/* image.h: what conv2d.h and separable.h share: how rows of an image reach the registers, and how sums leave them.
 *
 * A lane owns lanes_ adjacent elements of a row (channels lie side by side, taps of one channel CHANNELS apart), a warp
 * 32 times as many, and a block four warps. A window is the part of a row that the outputs of a lane need, as sums:
 * left_ elements before its own, right_ behind, in chunks of lanes_.
 *
 * There are two ways. Direct: a thread computes height_ rows of outputs from windows that it loads by the read-only
 * path; what its neighbours read too comes from the L1 cache. Marching: a warp goes down length rows; step_ rows at a
 * time arrive in a ring of its own in shared memory, stages_ steps deep, by asynchronous copies of a chunk (16 bytes of
 * float, 8 or 4 of narrower elements) whose edges are treated on the way, so that the sums know no edge. Each row adds
 * to all outputs that it reaches, ROWS - 1 + step_ rows of sums in registers. */
#ifndef CMK_KERNEL_IMAGE_H
#define CMK_KERNEL_IMAGE_H

#include "../base.h"
#include "../edge.h"
#include "../fill.h"
#include "../load.h"
#include "../table.h"
#include "../tile.h"
#include "range.h"

enum { cmk_image_threads_ = 128, cmk_image_none_ = -0x7fffffff };

/* An image and a region of it. Coordinates are counted from the region's first element, columns in elements. */
typedef struct {
    cmk_i64 in_pitch_, in_step_, out_pitch_, out_step_; /* elements from row to row and from image to image */
    int top_, bottom_, left_, right_;                   /* the image: rows top to bottom - 1 */
    int rows_, width_;                                  /* the region */
    int head_;                                          /* elements from a multiple of a chunk to the first */
    int in_whole_, out_whole_;                          /* whether chunks of in and out are aligned */
    int length_, edge_length_; /* rows of a warp, and of one at the left or right edge, where rows take longer */
    int side_;                 /* 1 << side warps of a block lie side by side */
    int across_, edge_down_;   /* blocks: columns of them, and how many each of the first and last column has */
} cmk_image_;

/* the first output of this thread: column x, row y of image blockIdx.z */
typedef struct {
    int x_, y_, lane_, warp_, length_, block_; /* block: column of its first output */
} cmk_image_place_;

CMK_FUNCTION int cmk_image_up_(int value_, int multiple_)
{
    return value_ <= 0 ? 0 : (value_ + multiple_ - 1) / multiple_ * multiple_;
}

#define CMK_IMAGE_UP_(value, multiple) (((value) + (multiple)-1) / (multiple) * (multiple))

/* The sizes of a kernel. left_ and right_ are whole chunks; a row of the ring begins at a multiple of 32 bytes, so that
 * its copies read whole sectors. blocks_, the blocks of an SM, follow from the registers that sums and windows need:
 * with fewer, ptxas would keep loads of many rows in registers. Hot loops of more than 32 KB of code run at 80 % of the
 * FMA rate (measured on an H200), which limits step_. */
#define CMK_IMAGE_SIZES_(name, IN, SUM, CHANNELS, ROWS, COLUMNS, ROW, COLUMN, STEP, HELD, DIRECT)                      \
    enum {                                                                                                             \
        name##_direct_ = (DIRECT),                                                                                     \
        name##_lanes_ = sizeof(IN) == 8 || 4 * (ROWS) + ((COLUMNS)-1) * (CHANNELS) > 220 ? 2                           \
                        : sizeof(IN) == 4 || !name##_direct_ || (CHANNELS) > 1           ? 4                           \
                                                                                         : 8,                                    \
        name##_reach_ = (COLUMN) * (CHANNELS),                                                                         \
        name##_left_ = CMK_IMAGE_UP_(name##_reach_, name##_lanes_),                                                    \
        name##_beyond_ = ((COLUMNS)-1 - (COLUMN)) * (CHANNELS),                                                        \
        name##_right_ = CMK_IMAGE_UP_(name##_beyond_, name##_lanes_),                                                  \
        name##_window_ = name##_left_ + name##_lanes_ + name##_right_,                                                 \
        name##_before_ = CMK_IMAGE_UP_(name##_left_ * (int)sizeof(IN), 32) / (int)sizeof(IN),                          \
        name##_skipped_ = (name##_before_ - name##_left_) / name##_lanes_,                                             \
        name##_chunks_ = 32 + (name##_before_ + name##_right_) / name##_lanes_,                                        \
        name##_row_ = (ROW),                                                                                           \
        name##_step_ = (STEP),                                                                                         \
        name##_stages_ = name##_step_ == 1   ? 4                                                                       \
                         : name##_step_ == 2 ? 3                                                                       \
                                             : 2,                                                                      \
        name##_height_ = 4,                                                                                            \
        name##_pending_ = (ROWS)-1 + name##_step_,                                                                     \
        name##_registers_ = (name##_pending_ * name##_lanes_ + (HELD)*name##_window_) * (int)sizeof(SUM) / 4 + 26,     \
        name##_most_ = 512 / name##_registers_,                                                                        \
        name##_blocks_ = name##_direct_ || name##_most_ > 8 ? 8                                                        \
                         : name##_most_ < 1                 ? 1                                                        \
                                                            : name##_most_                                             \
    };                                                                                                                 \
    typedef struct {                                                                                                   \
        IN e_[name##_lanes_];                                                                                          \
    } __attribute__((aligned(name##_lanes_ * sizeof(IN)))) name##_chunk_

/* IN to SUM where a chunk is read, SUM to OUT where it is written: rounded to the nearest, ties to even, and saturated
 * where OUT is an integer; what is no number becomes the least. save_ writes the elements first to end - 1 of a lane,
 * or all at once where whole. */
#define CMK_IMAGE_CONVERT_(name, IN, SUM, OUT)                                                                         \
    static __device__ __forceinline__ void name##_widen_(SUM *window_, const name##_chunk_ *chunk_)                    \
    {                                                                                                                  \
        CMK_UNROLL                                                                                                     \
        for (int e_ = 0; e_ < name##_lanes_; ++e_) window_[e_] = (SUM)chunk_->e_[e_];                                  \
    }                                                                                                                  \
    static __device__ __forceinline__ OUT name##_narrow_(SUM sum_)                                                     \
    {                                                                                                                  \
        enum { bits_ = sizeof(OUT) > 2 ? 8 : 8 * sizeof(OUT) };                                                        \
        const int signed_ = !((OUT)-1 > (OUT)0);                                                                       \
        const SUM least_ = (SUM)(signed_ ? -(1 << (bits_ - 1)) : 0);                                                   \
        const SUM most_ = (SUM)((1 << (signed_ ? bits_ - 1 : bits_)) - 1);                                             \
        if (!CMK_IMAGE_INTEGER_(OUT)) return (OUT)sum_;                                                                \
        sum_ = (SUM)cmk_image_round_(sum_);                                                                            \
        return (OUT)(!(sum_ >= least_) ? least_ : sum_ > most_ ? most_ : sum_);                                        \
    }                                                                                                                  \
    static __device__ __forceinline__ void name##_save_(OUT *out_, const SUM *sums_, int first_, int end_, int whole_) \
    {                                                                                                                  \
        enum { bytes_ = name##_lanes_ * sizeof(OUT), each_ = 16 / sizeof(OUT) };                                       \
        OUT values_[(int)name##_lanes_ < (int)each_ ? (int)each_ : (int)name##_lanes_];                                \
        CMK_UNROLL                                                                                                     \
        for (int e_ = 0; e_ < name##_lanes_; ++e_) values_[e_] = name##_narrow_(sums_[e_]);                            \
        if (!whole_ || bytes_ < 4) {                                                                                   \
            CMK_UNROLL                                                                                                 \
            for (int e_ = 0; e_ < name##_lanes_; ++e_)                                                                 \
                if (e_ >= first_ && e_ < end_) CMK_STORE(&out_[e_], values_[e_]);                                      \
        } else if (bytes_ >= 16) {                                                                                     \
            CMK_UNROLL                                                                                                 \
            for (int e_ = 0; e_ < name##_lanes_; e_ += each_) CMK_STORE_16(PLAIN, &out_[e_], &values_[e_]);            \
        } else if (bytes_ == 8) {                                                                                      \
            CMK_STORE_8(PLAIN, out_, values_);                                                                         \
        } else {                                                                                                       \
            unsigned bits_;                                                                                            \
            memcpy(&bits_, values_, sizeof bits_);                                                                     \
            CMK_STORE((unsigned *)(void *)out_, bits_);                                                                \
        }                                                                                                              \
    }

/* The row and the column of the image that EDGE reads for row y and element column x, cmk_image_none_ for OUTSIDE. */
#define CMK_IMAGE_EDGES_(name, CHANNELS, EDGE)                                                                         \
    static __device__ __forceinline__ int name##_row_at_(const cmk_image_ *image_, int y_)                             \
    {                                                                                                                  \
        const cmk_i64 row_ = (cmk_i64)y_ - image_->top_, rows_ = (cmk_i64)image_->bottom_ - image_->top_;              \
        if (CMK_EDGE_EMPTY_(CMK_EDGE_ROW(EDGE), row_, rows_)) return cmk_image_none_;                                  \
        return (int)cmk_edge_index(CMK_EDGE_ROW(EDGE), row_, rows_) + image_->top_;                                    \
    }                                                                                                                  \
    static __device__ __forceinline__ int name##_column_at_(const cmk_image_ *image_, int x_)                          \
    {                                                                                                                  \
        const int from_ = x_ - image_->left_, pixels_ = (image_->right_ - image_->left_) / (CHANNELS);                 \
        const int pixel_ = (from_ < 0 ? from_ - ((CHANNELS)-1) : from_) / (CHANNELS);                                  \
        if (CMK_EDGE_EMPTY_(CMK_EDGE_COLUMN(EDGE), pixel_, pixels_)) return cmk_image_none_;                           \
        return ((int)cmk_edge_index(CMK_EDGE_COLUMN(EDGE), pixel_, pixels_) - pixel_) * (CHANNELS) + x_;               \
    }

/* Windows from global memory: of row y of a warp that needs no edge, and of any other, whose columns are those of
 * column_at_ (its branch keeps ptxas from loading many rows at once, which would spill). from is the lane's own element
 * of row 0. */
#define CMK_IMAGE_LOADS_(name, IN, SUM, OUTSIDE)                                                                       \
    static __device__ __forceinline__ void name##_load_(SUM *window_, const IN *from_)                                 \
    {                                                                                                                  \
        CMK_UNROLL                                                                                                     \
        for (int k_ = 0; k_ < name##_window_; k_ += name##_lanes_) {                                                   \
            const name##_chunk_ chunk_ = CMK_LDG((const name##_chunk_ *)(const void *)(from_ + k_ - name##_left_));    \
            name##_widen_(&window_[k_], &chunk_);                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    static __device__ __forceinline__ void name##_load_edge_(SUM *window_, const IN *in_, const cmk_image_ *image_,    \
                                                             int y_, const int *columns_)                              \
    {                                                                                                                  \
        const int row_ = name##_row_at_(image_, y_);                                                                   \
        if (row_ == cmk_image_none_) {                                                                                 \
            CMK_UNROLL                                                                                                 \
            for (int k_ = 0; k_ < name##_window_; ++k_) window_[k_] = (SUM)(IN)(OUTSIDE);                              \
        } else {                                                                                                       \
            const IN *const from_ = in_ + row_ * image_->in_pitch_;                                                    \
            CMK_UNROLL                                                                                                 \
            for (int k_ = 0; k_ < name##_window_; ++k_)                                                                \
                window_[k_] =                                                                                          \
                    columns_[k_] != cmk_image_none_ ? (SUM)CMK_LDG(from_ + columns_[k_]) : (SUM)(IN)(OUTSIDE);         \
        }                                                                                                              \
    }

/* A step of the ring: rows y to y + step - 1, of which slot is the lane's first chunk and source its first element of
 * row y. Called by a warp: one whose chunks are all inside and aligned, and any other. There low_, high_ and end_ are
 * elements of a row: chunks from low_ to high_ are inside and aligned, elements before low_ and from high_ to end_ come
 * one by one from columns, those of column_at_, and nothing needs what follows end_. */
#define CMK_IMAGE_FILL_(name, IN, OUTSIDE)                                                                             \
    static __device__ __forceinline__ name##_chunk_ name##_outside_(void)                                              \
    {                                                                                                                  \
        name##_chunk_ chunk_;                                                                                          \
        CMK_UNROLL                                                                                                     \
        for (int e_ = 0; e_ < name##_lanes_; ++e_) chunk_.e_[e_] = (IN)(OUTSIDE);                                      \
        return chunk_;                                                                                                 \
    }                                                                                                                  \
    static __device__ __forceinline__ void name##_fill_row_(name##_chunk_ *slot_, const IN *from_, int lane_,          \
                                                            int inside_, int row_)                                     \
    {                                                                                                                  \
        (void)row_;                                                                                                    \
        CMK_UNROLL                                                                                                     \
        for (int k_ = 0; k_ < name##_chunks_; k_ += 32)                                                                \
            if (k_ + 32 <= name##_chunks_ || lane_ < name##_chunks_ - k_) {                                            \
                CMK_TURN_(row_ * 64 + k_ / 32);                                                                        \
                if ((OUTSIDE) != 0 && !inside_)                                                                        \
                    CMK_STORE(&slot_[k_], name##_outside_());                                                          \
                else                                                                                                   \
                    CMK_FILL_COPY(ASYNC, sizeof(name##_chunk_), &slot_[k_], from_ + k_ * name##_lanes_, inside_);      \
            }                                                                                                          \
    }                                                                                                                  \
    static __device__ __forceinline__ void name##_fill_inner_(name##_chunk_(*slot_)[name##_chunks_], const IN *in_,    \
                                                              const cmk_image_ *image_, const IN *source_, int first_, \
                                                              int y_, int lane_)                                       \
    {                                                                                                                  \
        if (y_ >= image_->top_ && y_ + name##_step_ <= image_->bottom_) {                                              \
            CMK_UNROLL                                                                                                 \
            for (int j_ = 0; j_ < name##_step_; ++j_, source_ += image_->in_pitch_)                                    \
                name##_fill_row_(slot_[j_], source_, lane_, 1, j_);                                                    \
        } else {                                                                                                       \
            CMK_UNROLL                                                                                                 \
            for (int j_ = 0; j_ < name##_step_; ++j_) {                                                                \
                const int row_ = name##_row_at_(image_, y_ + j_), inside_ = row_ != cmk_image_none_;                   \
                name##_fill_row_(slot_[j_], in_ + (inside_ ? row_ * image_->in_pitch_ + first_ : 0), lane_, inside_,   \
                                 j_);                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        CMK_TURN_(-1);                                                                                                 \
        CMK_FILL_COMMIT(ASYNC);                                                                                        \
    }                                                                                                                  \
    static __device__ __forceinline__ void name##_fill_edge_(name##_chunk_(*slot_)[name##_chunks_], const IN *in_,     \
                                                             const cmk_image_ *image_, const int *columns_, int x_,    \
                                                             int y_, int lane_)                                        \
    {                                                                                                                  \
        enum { width_ = name##_chunks_ * name##_lanes_ };                                                              \
        const int inside_ = image_->right_ - x_, left_ = cmk_image_up_(image_->left_ - x_, name##_lanes_);             \
        const int needed_ = cmk_image_up_(inside_ + name##_beyond_, name##_lanes_);                                    \
        const int low_ = image_->in_whole_ && left_ < width_ ? left_ : width_;                                         \
        const int high_ = inside_ >= width_ ? width_ : inside_ < low_ ? low_ : inside_ & -name##_lanes_;               \
        const int end_ = low_ == width_ || needed_ > width_ ? width_ : needed_;                                        \
        CMK_NO_UNROLL                                                                                                  \
        for (int j_ = 0; j_ < name##_step_; ++j_) {                                                                    \
            const int row_ = name##_row_at_(image_, y_ + j_), in_row_ = row_ != cmk_image_none_;                       \
            const IN *const from_ = in_ + (in_row_ ? row_ * image_->in_pitch_ : 0);                                    \
            CMK_NO_UNROLL                                                                                              \
            for (int k_ = 0; k_ < name##_chunks_ - lane_; k_ += 32) {                                                  \
                const int c_ = (k_ + lane_) * name##_lanes_, copied_ = c_ >= low_ && c_ < high_;                       \
                CMK_TURN_(j_ * 64 + k_ / 32);                                                                          \
                if ((OUTSIDE) != 0 && copied_ && !in_row_)                                                             \
                    CMK_STORE(&slot_[j_][k_], name##_outside_());                                                      \
                else if (copied_ || c_ >= end_)                                                                        \
                    CMK_FILL_COPY(ASYNC, sizeof(name##_chunk_), &slot_[j_][k_], from_ + x_ + c_, copied_ && in_row_);  \
            }                                                                                                          \
            CMK_NO_UNROLL                                                                                              \
            for (int k_ = lane_; k_ < low_ + end_ - high_; k_ += 32) {                                                 \
                CMK_TURN_(j_ * 64 + k_ / 32);                                                                          \
                const int c_ = k_ < low_ ? k_ : k_ - low_ + high_, at_ = CMK_LOAD(&columns_[c_]);                      \
                IN *const to_ = &(slot_[j_] - lane_ + c_ / name##_lanes_)->e_[c_ % name##_lanes_];                     \
                if (in_row_ && at_ != cmk_image_none_)                                                                 \
                    CMK_FILL_COPY(ASYNC, sizeof(IN), to_, from_ + at_, 1);                                             \
                else                                                                                                   \
                    CMK_STORE(to_, (IN)(OUTSIDE));                                                                     \
            }                                                                                                          \
        }                                                                                                              \
        CMK_TURN_(-1);                                                                                                 \
        CMK_FILL_COMMIT(ASYNC);                                                                                        \
    }

/* The head of a kernel, and what it begins with. */
#define CMK_IMAGE_KERNEL_(name, IN, OUT, ...)                                                                          \
    CMK_STATIC_ __global__ void __launch_bounds__(cmk_image_threads_, name##_blocks_) name##_kernel(                   \
        const IN *__restrict__ in_, OUT *__restrict__ out_, const CMK_GRID_CONSTANT_ cmk_image_ image_, __VA_ARGS__)
#define CMK_IMAGE_PLACE_(name, IN, OUT)                                                                                \
    const cmk_image_place_ place_ = cmk_image_locate_(&image_, name##_lanes_, name##_direct_);                         \
    const IN *const from_ = in_ + (cmk_i64)blockIdx.z * image_.in_step_;                                               \
    OUT *const to_ = out_ + (cmk_i64)blockIdx.z * image_.out_step_;

/* whether a row of outputs of the lane is inside and aligned */
#define CMK_IMAGE_WHOLE_(name) (image_.out_whole_ && place_.x_ >= 0 && place_.x_ + name##_lanes_ <= image_.width_)

#define CMK_IMAGE_FILL_INNER_(name) name##_fill_inner_(stage_, from_, &image_, source_, first_, next_, lane_)
#define CMK_IMAGE_FILL_EDGE_(name)                                                                                     \
    name##_fill_edge_(stage_, from_, &image_, edge_[place_.warp_], first_ - lane_ * name##_lanes_, next_, lane_)
#define CMK_IMAGE_FILL_NEXT_(name, FILL)                                                                               \
    do {                                                                                                               \
        FILL(name);                                                                                                    \
        next_ += name##_step_;                                                                                         \
        source_ += name##_step_ * image_.in_pitch_;                                                                    \
        stages_ = stages_ < name##_stages_ - 1 ? stages_ + 1 : 0;                                                      \
        stage_ += stages_ > 0 ? 4 * name##_step_ : -(name##_stages_ - 1) * 4 * name##_step_;                           \
    } while (0)
#define CMK_IMAGE_SAVE_(name, first, end, WHOLE)                                                                       \
    do {                                                                                                               \
        CMK_UNROLL                                                                                                     \
        for (int j_ = 0; j_ < name##_step_; ++j_)                                                                      \
            if ((unsigned)(i_ + j_) < count_)                                                                          \
                name##_save_(target_ + j_ * image_.out_pitch_, cmk_sums_[j_], first, end, WHOLE);                      \
    } while (0)

#define CMK_IMAGE_SAVE_INNER_(name) CMK_IMAGE_SAVE_(name, 0, name##_lanes_, 1)
#define CMK_IMAGE_SAVE_EDGE_(name)                                                                                     \
    do {                                                                                                               \
        if (CMK_IMAGE_WHOLE_(name))                                                                                    \
            CMK_IMAGE_SAVE_(name, 0, name##_lanes_, 1);                                                                \
        else                                                                                                           \
            CMK_IMAGE_SAVE_(name, -place_.x_, image_.width_ - place_.x_, 0);                                           \
    } while (0)

#define CMK_IMAGE_STEPS_(name, SUM, ROWS, ADD, ARGUMENTS, FILL, SAVE)                                                  \
    for (int k_ = 0; k_ < name##_stages_ - 1; ++k_) CMK_IMAGE_FILL_NEXT_(name, FILL);                                  \
    CMK_NO_UNROLL                                                                                                      \
    for (int i_ = 1 - (ROWS); i_ < place_.length_; i_ += name##_step_) {                                               \
        SUM cmk_window_[name##_step_][name##_window_];                                                                 \
        CMK_FILL_ARRIVED(ASYNC, name##_stages_ - 2);                                                                   \
        if (name##_step_ > 1)                                                                                          \
            __syncthreads(); /* keeps the warps on neighbouring addresses */                                           \
        else                                                                                                           \
            __syncwarp();                                                                                              \
        CMK_IMAGE_FILL_NEXT_(name, FILL);                                                                              \
        CMK_UNROLL                                                                                                     \
        for (int j_ = 0; j_ < name##_step_; ++j_) CMK_UNROLL                                                           \
        for (int k_ = 0; k_ < name##_window_ / name##_lanes_; ++k_) {                                                  \
            const name##_chunk_ chunk_ = CMK_TILE_GET(stage_, j_, name##_skipped_ + k_);                               \
            name##_widen_(&cmk_window_[j_][k_ * name##_lanes_], &chunk_);                                              \
        }                                                                                                              \
        ADD ARGUMENTS;                                                                                                 \
        SAVE(name);                                                                                                    \
        CMK_UNROLL                                                                                                     \
        for (int k_ = 0; k_ < (ROWS)-1; ++k_) CMK_UNROLL                                                               \
        for (int e_ = 0; e_ < name##_lanes_; ++e_) cmk_sums_[k_][e_] = cmk_sums_[k_ + name##_step_][e_];               \
        target_ += name##_step_ * image_.out_pitch_;                                                                   \
    }

/* The march of a kernel. The macro ADD with its ARGUMENTS adds the windows cmk_window_[step_][window_] of a step to
 * cmk_sums_[pending_][lanes_], whose row k is the output ROWS - 1 - k rows above the step's first row. (The rows move
 * up in name only: the first product of the next step writes to another register.) A block away from the left and right
 * edges has steps of its own: with the loops of fill_edge_ beside them, ptxas orders the FMAs so that each coefficient
 * is fetched more often (15 % more instructions at 15 x 15), and what is seldom run waits for its instructions. */
#define CMK_IMAGE_MARCH_(name, IN, SUM, OUT, ROWS, ADD, ARGUMENTS)                                                     \
    CMK_TILE_3D(name##_chunk_, ring_, name##_stages_ * 4, name##_step_, name##_chunks_, 0);                            \
    CMK_TILE(int, edge_, 4, name##_chunks_ *name##_lanes_, 0);                                                         \
    const int lane_ = place_.lane_, first_ = place_.x_ - name##_before_;                                               \
    const int block_ = place_.block_ - name##_before_;                                                                 \
    const int end_ =                                                                                                   \
        block_ + ((32 * name##_lanes_) << image_.side_) - 32 * name##_lanes_ + name##_chunks_ * name##_lanes_;         \
    const int below_ = image_.rows_ - place_.y_;                                                                       \
    const unsigned count_ = (unsigned)(below_ < 0 ? 0 : below_ < place_.length_ ? below_ : place_.length_);            \
    SUM cmk_sums_[name##_pending_][name##_lanes_];                                                                     \
    name##_chunk_(*stage_)[name##_chunks_] = /* of this lane; the next to fill holds the oldest rows */                \
        (name##_chunk_(*)[name##_chunks_])(void *)&ring_[place_.warp_][0][lane_];                                      \
    int stages_ = 0, next_ = place_.y_ - name##_row_;                                                                  \
    const IN *source_ = from_ + (next_ * image_.in_pitch_ + first_);                                                   \
    OUT *target_ = to_ + ((place_.y_ + 1 - (ROWS)) * image_.out_pitch_ + place_.x_);                                   \
    CMK_UNROLL                                                                                                         \
    for (int k_ = 0; k_ < name##_pending_; ++k_) CMK_UNROLL                                                            \
    for (int e_ = 0; e_ < name##_lanes_; ++e_) cmk_sums_[k_][e_] = 0;                                                  \
    if (image_.in_whole_ && image_.out_whole_ && block_ >= image_.left_ && end_ <= image_.right_ &&                    \
        place_.block_ >= 0 && place_.block_ + ((32 * name##_lanes_) << image_.side_) <= image_.width_) {               \
        CMK_IMAGE_STEPS_(name, SUM, ROWS, ADD, ARGUMENTS, CMK_IMAGE_FILL_INNER_, CMK_IMAGE_SAVE_INNER_)                \
    } else {                                                                                                           \
        for (int k_ = lane_; k_ < name##_chunks_ * name##_lanes_; k_ += 32)                                            \
            CMK_TILE_SET(edge_, place_.warp_, k_, name##_column_at_(&image_, first_ - lane_ * name##_lanes_ + k_));    \
        __syncwarp();                                                                                                  \
        CMK_IMAGE_STEPS_(name, SUM, ROWS, ADD, ARGUMENTS, CMK_IMAGE_FILL_EDGE_, CMK_IMAGE_SAVE_EDGE_)                  \
    }                                                                                                                  \
    CMK_FILL_ARRIVED(ASYNC, 0);

static __device__ __forceinline__ cmk_image_place_ cmk_image_locate_(const cmk_image_ *image_, int lanes_, int direct_)
{
    const int warp_ = (int)threadIdx.x / 32, lane_ = (int)threadIdx.x % 32;
    const int side_ = direct_ ? 0 : image_->side_, inner_ = image_->across_ - 2, edges_ = 2 * image_->edge_down_;
    int across_ = (int)blockIdx.x, down_ = (int)blockIdx.y, length_ = image_->length_;
    if (!direct_ &&
        across_ < edges_) { /* the blocks of the left and right edges come first, so that none is the last */
        length_ = image_->edge_length_;
        down_ = across_ / 2;
        across_ = across_ % 2 * (inner_ + 1);
    } else if (!direct_) {
        const int wide_ = edges_ > 0 ? inner_ : inner_ + 2;
        down_ = (across_ - edges_) / wide_;
        across_ = (across_ - edges_) % wide_ + (edges_ > 0);
    }
    const cmk_image_place_ place_ = {((across_ << side_) + (warp_ & ((1 << side_) - 1))) * 32 * lanes_ +
                                         lane_ * lanes_ - image_->head_,
                                     ((down_ << (2 - side_)) + (warp_ >> side_)) * length_,
                                     lane_,
                                     warp_,
                                     length_,
                                     (across_ << side_) * 32 * lanes_ - image_->head_};
    return place_;
}

#if defined(__CUDACC__)
template <typename T_> struct cmk_image_integer_ {
    enum { value_ = 0 };
};
#define CMK_IMAGE_IS_INTEGER_(T)                                                                                       \
    template <> struct cmk_image_integer_<T> {                                                                         \
        enum { value_ = 1 };                                                                                           \
    };
CMK_IMAGE_IS_INTEGER_(char)
CMK_IMAGE_IS_INTEGER_(signed char)
CMK_IMAGE_IS_INTEGER_(unsigned char)
CMK_IMAGE_IS_INTEGER_(short)
CMK_IMAGE_IS_INTEGER_(unsigned short)
#define CMK_IMAGE_INTEGER_(T) cmk_image_integer_<T>::value_
static __device__ __forceinline__ float cmk_image_round_(float value_)
{
    return rintf(value_);
}
static __device__ __forceinline__ double cmk_image_round_(double value_)
{
    return rint(value_);
}
static __device__ __forceinline__ int cmk_image_round_(int value_)
{
    return value_;
}
#else
#define CMK_IMAGE_INTEGER_(T) ((T)0.5f == (T)0)
CMK_FUNCTION double cmk_image_round_(double value_)
{
    return __builtin_rint(value_);
}
#endif

#if CMK_HAS_HOST_

/* what a launcher is asked for */
typedef struct {
    const void *in_;
    void *out_;
    size_t in_pitch_, in_step_, out_pitch_, out_step_, count_;
    size_t rows_, columns_, row_, column_, region_rows_, region_columns_;
} cmk_image_call_;

static inline int cmk_image_valid_(const cmk_image_call_ *call_, size_t in_size_, size_t out_size_, size_t channels_)
{
    const size_t limit_ = 0x7fff0000;
    if (call_->rows_ > limit_ || call_->columns_ > limit_ / channels_ || call_->row_ > call_->rows_ ||
        call_->column_ > call_->columns_ || call_->region_rows_ > call_->rows_ - call_->row_ ||
        call_->region_columns_ > call_->columns_ - call_->column_)
        return 0;
    return cmk_range_apart_(call_->in_,
                            cmk_range_bytes_(call_->in_pitch_, call_->in_step_, call_->columns_ * channels_,
                                             call_->rows_, call_->count_, in_size_),
                            in_size_, call_->out_,
                            cmk_range_bytes_(call_->out_pitch_, call_->out_step_, call_->region_columns_ * channels_,
                                             call_->region_rows_, call_->count_, out_size_),
                            out_size_);
}

/* Describes the call for warps of 32 lanes_ elements, all but its division. in_chunk_ is what a lane reads at once,
 * out_chunk_ what it writes at once. */
static inline cmk_image_ cmk_image_describe_(const cmk_image_call_ *call_, size_t in_size_, size_t out_size_,
                                             int channels_, int lanes_)
{
    const size_t in_chunk_ = in_size_ * (size_t)lanes_, out_bytes_ = out_size_ * (size_t)lanes_;
    const size_t out_chunk_ = out_bytes_ > 16 ? 16 : out_bytes_;
    const size_t first_ = call_->row_ * call_->in_pitch_ + call_->column_ * (size_t)channels_;
    const size_t from_ = (size_t)call_->in_ + first_ * in_size_;
    cmk_image_ image_;
    memset(&image_, 0, sizeof image_);
    image_.in_pitch_ = (cmk_i64)call_->in_pitch_;
    image_.in_step_ = (cmk_i64)call_->in_step_;
    image_.out_pitch_ = (cmk_i64)call_->out_pitch_;
    image_.out_step_ = (cmk_i64)call_->out_step_;
    image_.top_ = -(int)call_->row_;
    image_.bottom_ = (int)(call_->rows_ - call_->row_);
    image_.left_ = -(int)call_->column_ * channels_;
    image_.right_ = (int)(call_->columns_ - call_->column_) * channels_;
    image_.rows_ = (int)call_->region_rows_;
    image_.width_ = (int)call_->region_columns_ * channels_;
    image_.in_whole_ = ((call_->in_pitch_ | call_->in_step_) * in_size_) % in_chunk_ == 0;
    image_.head_ = image_.in_whole_ ? (int)(from_ % in_chunk_ / in_size_) : 0;
    image_.out_whole_ = (((size_t)call_->out_ - (size_t)image_.head_ * out_size_) | call_->out_pitch_ * out_size_ |
                         call_->out_step_ * out_size_) %
                            out_chunk_ ==
                        0;
    return image_;
}

/* columns of warps */
static inline cmk_i64 cmk_image_warps_(cmk_image_ image_, int lanes_)
{
    return ((cmk_i64)image_.width_ + image_.head_ + 32 * lanes_ - 1) / (32 * lanes_);
}

/* at most most rows of the region, from y on */
static inline cmk_image_ cmk_image_part_(cmk_image_ image_, int y_, cmk_i64 most_)
{
    image_.top_ -= y_;
    image_.bottom_ -= y_;
    image_.rows_ -= y_;
    if (image_.rows_ > most_) image_.rows_ = (int)most_;
    if (image_.edge_length_ > 0) {
        const cmk_i64 each_ = (cmk_i64)image_.edge_length_ << (2 - image_.side_);
        image_.edge_down_ = (int)((image_.rows_ + each_ - 1) / each_);
    }
    return image_;
}

/* the least number of rows, at least rows and more than the halo, that with the halo makes whole steps */
static inline int cmk_image_length_(cmk_i64 rows_, int halo_, int step_)
{
    return (int)(((rows_ > halo_ ? rows_ : halo_ + 1) + halo_ + step_ - 1) / step_ * step_ - halo_);
}

/* Divides the region among warps: length_ rows for each where that is given; else 36 times the rows of the filter or,
 * where that is less, as many as make blocks_ blocks on each multiprocessor twice, but more than the halo_ that a warp
 * reads besides, in whole steps of step_. */
static inline cudaError_t cmk_image_divide_(cmk_image_ *image_, int lanes_, size_t count_, int length_, int blocks_,
                                            int halo_, int step_)
{
    const cmk_i64 warps_ = cmk_image_warps_(*image_, lanes_);
    int device_ = 0, processors_ = 1;
    cudaError_t error_ = cudaSuccess;
    image_->side_ = length_ > 0 || warps_ == 1 ? 0 : warps_ == 2 ? 1 : 2;
    image_->across_ = (int)((warps_ + (1 << image_->side_) - 1) >> image_->side_);
    image_->length_ = length_;
    if (length_ > 0) return cudaSuccess;
    error_ = cudaGetDevice(&device_);
    if (error_ == cudaSuccess) error_ = cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device_);
    if (error_ == cudaSuccess) {
        const cmk_i64 columns_ = image_->across_ * (cmk_i64)count_;
        const cmk_i64 twice_ = (2 * (cmk_i64)blocks_ * processors_ / columns_) << (2 - image_->side_);
        const cmk_i64 short_ = image_->rows_ / (36 * (halo_ + 1)), lengths_ = twice_ > short_ ? twice_ : short_ + 1;
        const cmk_i64 rows_ = (image_->rows_ + lengths_ - 1) / lengths_;
        image_->length_ = cmk_image_length_(rows_, halo_, step_);
        if (image_->across_ > 2) image_->edge_length_ = cmk_image_length_(rows_ / 4, halo_, step_);
    }
    return error_;
}

/* The host functions of a definition; PARAMETERS and ARGUMENTS are its tables, in parentheses. */
#define CMK_IMAGE_LIST_(...) __VA_ARGS__
#define CMK_IMAGE_LAUNCHERS_(name, IN, OUT, CHANNELS, ROWS, PARAMETERS, ARGUMENTS)                                     \
    static inline cudaError_t name##_launch_(const cmk_image_call_ *call_, cudaStream_t stream_,                       \
                                             CMK_IMAGE_LIST_ PARAMETERS)                                               \
    {                                                                                                                  \
        cudaError_t error_ = cudaSuccess;                                                                              \
        if (call_->count_ == 0 || call_->region_rows_ == 0 || call_->region_columns_ == 0) return cudaSuccess;         \
        if (!cmk_image_valid_(call_, sizeof(IN), sizeof(OUT), CHANNELS)) return cudaErrorInvalidValue;                 \
        cmk_image_ image_ = cmk_image_describe_(call_, sizeof(IN), sizeof(OUT), CHANNELS, name##_lanes_);              \
        const int length_ = name##_direct_ ? (int)name##_height_ : 0;                                                  \
        int blocks_ = 1;                                                                                               \
        if (!name##_direct_)                                                                                           \
            error_ = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_, name##_kernel, cmk_image_threads_, 0);    \
        if (error_ == cudaSuccess)                                                                                     \
            error_ =                                                                                                   \
                cmk_image_divide_(&image_, name##_lanes_, call_->count_, length_, blocks_, (ROWS)-1, name##_step_);    \
        const IN *const in_ = (const IN *)call_->in_ + (call_->row_ * call_->in_pitch_ + call_->column_ * (CHANNELS)); \
        const cmk_i64 each_ = (cmk_i64)image_.length_ << (2 - image_.side_), most_ = 65535 * each_;                    \
        for (size_t z_ = 0; z_ < call_->count_; z_ += 65535)                                                           \
            for (cmk_i64 y_ = 0; y_ < (cmk_i64)call_->region_rows_ && error_ == cudaSuccess; y_ += most_) {            \
                const size_t images_ = call_->count_ - z_ < 65535 ? call_->count_ - z_ : 65535;                        \
                const cmk_image_ part_ = cmk_image_part_(image_, (int)y_, most_);                                      \
                const unsigned tall_ = (unsigned)((part_.rows_ + each_ - 1) / each_), wide_ = (unsigned)part_.across_; \
                const unsigned edges_ = 2u * (unsigned)part_.edge_down_, inner_ = edges_ > 0 ? wide_ - 2 : wide_;      \
                const dim3 grid_ = name##_direct_ ? dim3(wide_, tall_, (unsigned)images_)                              \
                                                  : dim3(edges_ + inner_ * tall_, 1, (unsigned)images_);               \
                error_ = CMK_LAUNCH(name##_kernel, grid_, cmk_image_threads_, 0, stream_,                              \
                                    in_ + (z_ * call_->in_step_ + (size_t)y_ * call_->in_pitch_),                      \
                                    (OUT *)call_->out_ + (z_ * call_->out_step_ + (size_t)y_ * call_->out_pitch_),     \
                                    part_, CMK_IMAGE_LIST_ ARGUMENTS);                                                 \
            }                                                                                                          \
        return error_;                                                                                                 \
    }                                                                                                                  \
    __attribute__((unused)) static inline cudaError_t name##_region(                                                   \
        const IN *in_, size_t in_pitch_, OUT *out_, size_t out_pitch_, size_t rows_, size_t columns_, size_t row_,     \
        size_t column_, size_t region_rows_, size_t region_columns_, CMK_IMAGE_LIST_ PARAMETERS, cudaStream_t stream_) \
    {                                                                                                                  \
        const cmk_image_call_ call_ = {                                                                                \
            in_, out_, in_pitch_, 0, out_pitch_, 0, 1, rows_, columns_, row_, column_, region_rows_, region_columns_}; \
        return name##_launch_(&call_, stream_, CMK_IMAGE_LIST_ ARGUMENTS);                                             \
    }                                                                                                                  \
    __attribute__((unused)) static inline cudaError_t name##_batch(                                                    \
        const IN *in_, size_t in_pitch_, size_t in_step_, OUT *out_, size_t out_pitch_, size_t out_step_,              \
        size_t rows_, size_t columns_, size_t count_, CMK_IMAGE_LIST_ PARAMETERS, cudaStream_t stream_)                \
    {                                                                                                                  \
        const cmk_image_call_ call_ = {in_,   out_,     in_pitch_, in_step_, out_pitch_, out_step_, count_,            \
                                       rows_, columns_, 0,         0,        rows_,      columns_};                    \
        return name##_launch_(&call_, stream_, CMK_IMAGE_LIST_ ARGUMENTS);                                             \
    }                                                                                                                  \
    __attribute__((unused)) static inline cudaError_t name(const IN *in_, size_t in_pitch_, OUT *out_,                 \
                                                           size_t out_pitch_, size_t rows_, size_t columns_,           \
                                                           CMK_IMAGE_LIST_ PARAMETERS, cudaStream_t stream_)           \
    {                                                                                                                  \
        return name##_batch(in_, in_pitch_, 0, out_, out_pitch_, 0, rows_, columns_, 1, CMK_IMAGE_LIST_ ARGUMENTS,     \
                            stream_);                                                                                  \
    }

#else

#define CMK_IMAGE_LAUNCHERS_(name, IN, OUT, CHANNELS, ROWS, PARAMETERS, ARGUMENTS)

#endif

#endif
