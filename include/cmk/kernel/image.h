/* image.h: what conv2d.h and separable.h share: how rows of an image reach the registers, and how sums leave them.
 *
 * A lane owns lanes_ adjacent elements of a row (channels lie side by side, taps of one channel CHANNELS apart), a warp
 * 32 times as many, and a block four warps. A window is the part of a row that the outputs of a lane need, as sums:
 * left_ elements before its own, right_ behind, in chunks of lanes_.
 *
 * There are two ways. Direct: a thread computes height_ rows of outputs from windows that it loads by the read-only
 * path; what its neighbours read too comes from the L1 cache. Marching: a warp goes down length rows; step_ rows at a
 * time arrive in a ring of its own in shared memory, stages_ steps deep, by asynchronous copies of a chunk (16 bytes
 * mostly) whose edges are treated on the way, so that the sums know no edge. Each row adds to all outputs that it
 * reaches, ROWS - 1 + step_ rows of sums in registers.
 *
 * Outputs that may need what is outside the image, or chunks that are not aligned, are the frame. Where all marches,
 * the frame has warps of its own, so that those inside pay for no edge. Zeros outside need no frame where rows begin
 * and end with a chunk: there a chunk outside is a copy of no bytes. */
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

/* An image, a region of it, and how it is divided among warps: a frame, whose outputs may need an edge, and what is
 * inside. Coordinates are counted from the region's first element, columns in elements. */
typedef struct {
    cmk_i64 in_pitch_, in_step_, out_pitch_, out_step_; /* elements from row to row and from image to image */
    int top_, bottom_, left_, right_;                   /* the image: rows top to bottom - 1 */
    int rows_, width_;                                  /* the region */
    int head_;                                          /* elements from a multiple of a chunk to the first */
    int in_whole_, out_whole_;                          /* whether chunks of in and out are aligned, */
    int left_whole_, right_whole_;                      /* and image and region begin and end with one */
    int columns_, before_, behind_;                     /* columns of warps; of the frame at the left, at the right */
    int above_, below_;                                 /* rows of the frame */
    int length_, edge_length_;                          /* rows of a warp inside, and of one of the frame's columns */
    int sides_;                                         /* warps of the frame's columns */
    unsigned frame_;                                    /* blocks of the frame, which come first */
    int start_;                                         /* first row of the launch */
} cmk_image_;

/* the first output of this thread: column x, row y of image blockIdx.z; the rows of its warp, of which those before
 * done_ are another's too, and are written by that */
typedef struct {
    int x_, y_, lane_, warp_, length_, done_;
} cmk_image_place_;

/* A row of the ring of a warp with an edge, whose first element is column x: elements low to high - 1 are chunks inside
 * and aligned; those before low and from high to end - 1 come one by one; nothing needs what follows end. */
typedef struct {
    int x_, low_, high_, end_;
} cmk_image_span_;

CMK_FUNCTION int cmk_image_up_(int value_, int multiple_)
{
    return value_ <= 0 ? 0 : (value_ + multiple_ - 1) / multiple_ * multiple_;
}

/* low <= value < high, where low <= high */
CMK_FUNCTION int cmk_image_within_(int value_, int low_, int high_)
{
    return (unsigned)value_ - (unsigned)low_ < (unsigned)high_ - (unsigned)low_;
}

/* the span of width elements from column x, of which those up to beyond behind the image are needed */
CMK_FUNCTION cmk_image_span_ cmk_image_span_at_(const cmk_image_ *image_, int x_, int lanes_, int width_, int beyond_)
{
    const int inside_ = image_->right_ - x_, left_ = cmk_image_up_(image_->left_ - x_, lanes_);
    const int needed_ = cmk_image_up_(inside_ + beyond_, lanes_);
    const int low_ = image_->in_whole_ && left_ < width_ ? left_ : width_;
    const int high_ = inside_ >= width_ ? width_ : inside_ < low_ ? low_ : inside_ & -lanes_;
    const cmk_image_span_ span_ = {x_, low_, high_, low_ == width_ || needed_ > width_ ? width_ : needed_};
    return span_;
}

#define CMK_IMAGE_UP_(value, multiple) (((value) + (multiple)-1) / (multiple) * (multiple))

/* Elements of a lane: 16 bytes of float or half, as far as the sums fit in registers, with the BESIDE elements of
 * windows that are not the lane's own, and the code in 32 KB; rows of a step: up to 4, as far as its sums and its HELD
 * elements of windows fit in 124 registers and its code in 16 KB, and most coefficients stay in uniform registers. (Hot
 * loops of more than 32 KB of code run at 80 % of the FMA rate, measured on an H200.) For kernels whose loops are
 * unrolled. */
#define CMK_IMAGE_LANES_(name, IN, SUM, ROWS, BESIDE)                                                                  \
    (sizeof(IN) == 8 || sizeof(SUM) * (ROWS) + (BESIDE) > 220 || name##_products_ > 480 ? 2                            \
     : sizeof(IN) == 4 || 2 * sizeof(SUM) * (ROWS) + (BESIDE) > 130                     ? 4                            \
                                                                                        : 8)
#define CMK_IMAGE_BIG_(name, step) (name##_products_ * name##_lanes_ * (step) > 1000)
#define CMK_IMAGE_FITS_(name, SUM, ROWS, HELD, step)                                                                   \
    (!CMK_IMAGE_BIG_(name, step) && name##_products_ <= 100 &&                                                         \
     (((ROWS)-1 + (step)) * name##_lanes_ + HELD(name, step)) * (int)sizeof(SUM) <= 496)
#define CMK_IMAGE_STEP_(name, SUM, ROWS, HELD)                                                                         \
    (CMK_IMAGE_FITS_(name, SUM, ROWS, HELD, 4)   ? 4                                                                   \
     : CMK_IMAGE_FITS_(name, SUM, ROWS, HELD, 3) ? 3                                                                   \
     : CMK_IMAGE_FITS_(name, SUM, ROWS, HELD, 2) ? 2                                                                   \
                                                 : 1)

/* the rows of a step of which so many stages, for the warps of a block, with the columns of its edges take 48 KB */
#define CMK_IMAGE_ROOM_(name, IN, stages)                                                                              \
    ((49152 / (name##_chunks_ * name##_lanes_) - 4 * (int)sizeof(int)) / ((stages)*4 * (int)sizeof(IN)))

/* The sizes of a kernel, of products_ for an output that reads and writes bytes_. left_ and right_ are whole chunks; a
 * row of the ring begins and ends at a multiple of 32 bytes, in global and in shared memory, so that its copies move
 * whole sectors. blocks_, the blocks of an SM, follow from the registers that sums and windows need: with fewer, ptxas
 * would keep loads of many rows in registers. Where light_ says that memory alone is waited for, few_ warps with a ring
 * of more stages, where there is room, read less halo. heavy_ is where more than 9 products a byte make the FMA rate
 * the limit, big_ where the FMAs of a step are more than 16 KB of code. */
#define CMK_IMAGE_SIZES_(name, IN, SUM, CHANNELS, ROWS, COLUMNS, ROW, COLUMN, LANES, STEP, HELD, DIRECT)               \
    enum {                                                                                                             \
        name##_lanes_ = (LANES),                                                                                       \
        name##_direct_ = (DIRECT),                                                                                     \
        name##_reach_ = (COLUMN) * (CHANNELS),                                                                         \
        name##_left_ = CMK_IMAGE_UP_(name##_reach_, name##_lanes_),                                                    \
        name##_beyond_ = ((COLUMNS)-1 - (COLUMN)) * (CHANNELS),                                                        \
        name##_right_ = CMK_IMAGE_UP_(name##_beyond_, name##_lanes_),                                                  \
        name##_window_ = name##_left_ + name##_lanes_ + name##_right_,                                                 \
        name##_before_ = CMK_IMAGE_UP_(name##_left_ * (int)sizeof(IN), 32) / (int)sizeof(IN),                          \
        name##_past_ = CMK_IMAGE_UP_(name##_right_ * (int)sizeof(IN), 32) / (int)sizeof(IN),                           \
        name##_skipped_ = (name##_before_ - name##_left_) / name##_lanes_,                                             \
        name##_chunks_ = 32 + (name##_before_ + name##_past_) / name##_lanes_,                                         \
        name##_row_ = (ROW),                                                                                           \
        name##_step_ = (STEP),                                                                                         \
        name##_few_ = name##_light_ && name##_step_ > 2 && name##_lanes_ * sizeof(IN) >= 16 &&                         \
                      name##_step_ <= CMK_IMAGE_ROOM_(name, IN, 3),                                                    \
        name##_stages_ = name##_step_ > 2 && !name##_few_                            ? 2                               \
                         : name##_step_ == 1 && name##_lanes_ * (int)sizeof(IN) < 16 ? 4                               \
                                                                                     : 3,                              \
        name##_height_ = 4,                                                                                            \
        name##_heavy_ = name##_products_ > 9 * name##_bytes_,                                                          \
        name##_big_ = CMK_IMAGE_BIG_(name, name##_step_),                                                              \
        name##_pending_ = (ROWS)-1 + name##_step_,                                                                     \
        name##_registers_ = (name##_pending_ * name##_lanes_ + HELD(name, name##_step_)) * (int)sizeof(SUM) / 4 + 26,  \
        name##_most_ = name##_direct_ ? (name##_lanes_ == 8 ? 4 : 7)                                                   \
                       : name##_few_  ? 2                                                                              \
                                      : 512 / name##_registers_,                                                        \
        name##_blocks_ = name##_most_ > 8   ? 8                                                                        \
                         : name##_most_ < 1 ? 1                                                                        \
                                            : name##_most_                                                             \
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

/* Whether all outside is zero; the row and the column of the image that EDGE reads for row y and element column x,
 * cmk_image_none_ for OUTSIDE. */
#define CMK_IMAGE_EDGES_(name, CHANNELS, EDGE, OUTSIDE)                                                                \
    CMK_FUNCTION int name##_zeros_(void)                                                                               \
    {                                                                                                                  \
        return (EDGE) == CMK_EDGE_ZERO && (OUTSIDE) == 0;                                                              \
    }                                                                                                                  \
    static __device__ __forceinline__ int name##_row_at_(const cmk_image_ *image_, int y_)                             \
    {                                                                                                                  \
        const int row_ = y_ - image_->top_, rows_ = image_->bottom_ - image_->top_;                                    \
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

/* Windows from global memory: of a warp inside; with zeros outside; and of row y with any edge, from the columns of
 * column_at_ unless inside (its branch keeps ptxas from loading many rows at once, which would spill). from is the
 * lane's own element of row y, x its column. */
#define CMK_IMAGE_LOADS_(name, IN, SUM, OUTSIDE)                                                                       \
    static __device__ __forceinline__ void name##_load_(SUM *window_, const IN *from_)                                 \
    {                                                                                                                  \
        CMK_UNROLL                                                                                                     \
        for (int k_ = 0; k_ < name##_window_; k_ += name##_lanes_) {                                                   \
            const name##_chunk_ chunk_ = CMK_LDG((const name##_chunk_ *)(const void *)(from_ + k_ - name##_left_));    \
            name##_widen_(&window_[k_], &chunk_);                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    static __device__ __forceinline__ void name##_load_zeros_(SUM *window_, const IN *from_, const cmk_image_ *image_, \
                                                              int x_, int y_)                                          \
    {                                                                                                                  \
        const int in_row_ = cmk_image_within_(y_, image_->top_, image_->bottom_);                                      \
        CMK_UNROLL                                                                                                     \
        for (int k_ = 0; k_ < name##_window_; k_ += name##_lanes_) {                                                   \
            const int c_ = k_ - name##_left_;                                                                          \
            const int first_ = x_ + c_ - image_->left_, count_ = image_->right_ - image_->left_;                       \
            name##_chunk_ chunk_;                                                                                      \
            memset(&chunk_, 0, sizeof chunk_);                                                                         \
            if (image_->in_whole_ && first_ >= 0 && first_ <= count_ - name##_lanes_) {                                \
                if (in_row_) chunk_ = CMK_LDG((const name##_chunk_ *)(const void *)(from_ + c_));                      \
            } else if (in_row_ && first_ > -name##_lanes_ && first_ < count_) {                                        \
                CMK_UNROLL                                                                                             \
                for (int e_ = 0; e_ < name##_lanes_; ++e_)                                                             \
                    if (cmk_image_within_(first_ + e_, 0, count_)) chunk_.e_[e_] = CMK_LDG(from_ + c_ + e_);           \
            }                                                                                                          \
            name##_widen_(&window_[k_], &chunk_);                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    static __device__ __forceinline__ void name##_load_edge_(SUM *window_, const IN *in_, const cmk_image_ *image_,    \
                                                             int x_, int y_, int inside_, const int *columns_)         \
    {                                                                                                                  \
        const int row_ = name##_row_at_(image_, y_);                                                                   \
        if (row_ == cmk_image_none_) {                                                                                 \
            CMK_UNROLL                                                                                                 \
            for (int k_ = 0; k_ < name##_window_; ++k_) window_[k_] = (SUM)(IN)(OUTSIDE);                              \
        } else if (inside_) {                                                                                          \
            name##_load_(window_, in_ + (row_ * image_->in_pitch_ + x_));                                              \
        } else {                                                                                                       \
            const IN *const from_ = in_ + row_ * image_->in_pitch_;                                                    \
            CMK_UNROLL                                                                                                 \
            for (int k_ = 0; k_ < name##_window_; ++k_)                                                                \
                window_[k_] =                                                                                          \
                    columns_[k_] != cmk_image_none_ ? (SUM)CMK_LDG(from_ + columns_[k_]) : (SUM)(IN)(OUTSIDE);         \
        }                                                                                                              \
    }

/* whether the lane has a chunk among 32 from chunk k of a row */
#define CMK_IMAGE_HAS_(name, k) ((k) + 32 <= name##_chunks_ || lane_ < name##_chunks_ - (k))

/* element i of the row that starts at an address */
#define CMK_IMAGE_AT_(IN, start, i) ((const IN *)(const void *)((start) + (size_t)(i) * sizeof(IN)))

/* A step of the ring: rows y to y + step - 1, of which slot is the lane's first chunk. Called by a warp: one whose
 * chunks are all inside and aligned, from its first element of row y; and any other, from the image: elements one by
 * one from columns, those of column_at_. There each lane finds the start of a row, 0 for OUTSIDE, for all others. */
#define CMK_IMAGE_FILL_(name, IN, OUTSIDE)                                                                             \
    static __device__ __forceinline__ name##_chunk_ name##_outside_(void)                                              \
    {                                                                                                                  \
        name##_chunk_ chunk_;                                                                                          \
        CMK_UNROLL                                                                                                     \
        for (int e_ = 0; e_ < name##_lanes_; ++e_) chunk_.e_[e_] = (IN)(OUTSIDE);                                      \
        return chunk_;                                                                                                 \
    }                                                                                                                  \
    static __device__ __forceinline__ void name##_fill_inner_(name##_chunk_(*slot_)[name##_chunks_], const IN *from_,  \
                                                              const cmk_image_ *image_, int x_, int y_, int bottom_,   \
                                                              int lane_)                                               \
    {                                                                                                                  \
        CMK_UNROLL                                                                                                     \
        for (int j_ = 0; j_ < name##_step_; ++j_, from_ += image_->in_pitch_) {                                        \
            const int in_row_ = name##_zeros_() ? cmk_image_within_(y_ + j_, image_->top_, bottom_) : y_ < bottom_;    \
            CMK_UNROLL                                                                                                 \
            for (int k_ = 0; k_ < name##_chunks_; k_ += 32)                                                            \
                if (CMK_IMAGE_HAS_(name, k_)) {                                                                        \
                    const int in_ = cmk_image_within_(x_ + k_ * name##_lanes_, image_->left_, image_->right_);         \
                    CMK_TURN_(j_ * 64 + k_ / 32);                                                                      \
                    CMK_FILL_COPY(ASYNC, sizeof(name##_chunk_), &slot_[j_][k_], from_ + k_ * name##_lanes_,            \
                                  in_row_ && (!name##_zeros_() || in_));                                               \
                }                                                                                                      \
        }                                                                                                              \
        CMK_TURN_(-1);                                                                                                 \
    }                                                                                                                  \
    static __device__ __forceinline__ void name##_fill_edge_(name##_chunk_(*slot_)[name##_chunks_], const IN *in_,     \
                                                             const cmk_image_ *image_, const cmk_image_span_ *span_,   \
                                                             const int *columns_, int y_, int lane_)                   \
    {                                                                                                                  \
        const int low_ = span_->low_, high_ = span_->high_, end_ = span_->end_;                                        \
        const int row_ = name##_row_at_(image_, y_ + lane_);                                                           \
        const size_t start_ = row_ != cmk_image_none_ ? (size_t)(const void *)(in_ + row_ * image_->in_pitch_) : 0;    \
        size_t starts_[name##_step_];                                                                                  \
        CMK_UNROLL                                                                                                     \
        for (int j_ = 0; j_ < name##_step_; ++j_) {                                                                    \
            starts_[j_] = __shfl_sync(0xffffffffu, start_, j_);                                                        \
            CMK_UNROLL                                                                                                 \
            for (int k_ = 0; k_ < name##_chunks_; k_ += 32) {                                                          \
                const int c_ = (k_ + lane_) * name##_lanes_, copied_ = c_ >= low_ && c_ < high_;                       \
                if (!CMK_IMAGE_HAS_(name, k_)) break;                                                                  \
                CMK_TURN_(j_ * 64 + k_ / 32);                                                                          \
                if ((OUTSIDE) != 0 && copied_ && starts_[j_] == 0)                                                     \
                    CMK_STORE(&slot_[j_][k_], name##_outside_());                                                      \
                else if (copied_ || c_ >= end_)                                                                        \
                    CMK_FILL_COPY(ASYNC, sizeof(name##_chunk_), &slot_[j_][k_],                                        \
                                  CMK_IMAGE_AT_(IN, starts_[j_], span_->x_ + c_), starts_[j_] != 0 && copied_);        \
            }                                                                                                          \
        }                                                                                                              \
        CMK_NO_UNROLL                                                                                                  \
        for (int k_ = 0; k_ < low_ + end_ - high_; k_ += 32) {                                                         \
            const int c_ = k_ + lane_ < low_ ? k_ + lane_ : k_ + lane_ - low_ + high_;                                 \
            if (c_ >= end_) break;                                                                                     \
            const int at_ = CMK_LOAD(&columns_[c_]);                                                                   \
            CMK_UNROLL                                                                                                 \
            for (int j_ = 0; j_ < name##_step_; ++j_) {                                                                \
                const int inside_ = at_ != cmk_image_none_ && starts_[j_] != 0;                                        \
                IN *const to_ = (IN *)(void *)(slot_[j_] - lane_) + c_;                                                \
                CMK_TURN_(j_ * 64 + k_ / 32);                                                                          \
                if ((OUTSIDE) != 0 && !inside_)                                                                        \
                    CMK_STORE(to_, (IN)(OUTSIDE));                                                                     \
                else                                                                                                   \
                    CMK_FILL_COPY(ASYNC, sizeof(IN), to_, CMK_IMAGE_AT_(IN, starts_[j_], at_), inside_);               \
            }                                                                                                          \
        }                                                                                                              \
        CMK_TURN_(-1);                                                                                                 \
    }

/* The head of a kernel, and what it begins with. */
#define CMK_IMAGE_KERNEL_(name, IN, OUT, ...)                                                                          \
    CMK_STATIC_ __global__ void __launch_bounds__(cmk_image_threads_, name##_blocks_) name##_kernel(                   \
        const IN *__restrict__ in_, OUT *__restrict__ out_, const CMK_GRID_CONSTANT_ cmk_image_ image_, __VA_ARGS__)
#define CMK_IMAGE_PLACE_(name, IN, OUT)                                                                                \
    const cmk_image_place_ place_ = name##_direct_ ? cmk_image_locate_direct_(&image_, name##_lanes_, name##_height_)  \
                                                   : cmk_image_locate_(&image_, name##_lanes_);                        \
    const IN *const from_ = in_ + blockIdx.z * image_.in_step_;                                                        \
    OUT *const to_ = out_ + blockIdx.z * image_.out_step_;

/* whether a row of outputs of the lane is inside and aligned */
#define CMK_IMAGE_WHOLE_(name) (image_.out_whole_ && place_.x_ >= 0 && place_.x_ + name##_lanes_ <= image_.width_)

#define CMK_IMAGE_FILL_INNER_(name) name##_fill_inner_(stage_, source_, &image_, first_, next_, bottom_, lane_)
#define CMK_IMAGE_FILL_EDGE_(name) name##_fill_edge_(stage_, from_, &image_, &span_, edge_[place_.warp_], next_, lane_)

/* what follows may fill the stage that was read; keeps the warps of a block on neighbouring addresses, and in the same
 * part of a code larger than the instruction cache */
#define CMK_IMAGE_SYNC_INNER_(name) CMK_IMAGE_SYNC_(name##_step_ > 1)
#define CMK_IMAGE_SYNC_EDGE_(name) CMK_IMAGE_SYNC_(name##_alone_)
#define CMK_IMAGE_SYNC_(block)                                                                                         \
    do {                                                                                                               \
        if (block)                                                                                                     \
            __syncthreads();                                                                                           \
        else                                                                                                           \
            __syncwarp();                                                                                              \
    } while (0)

#define CMK_IMAGE_SAVE_INNER_(name)                                                                                    \
    CMK_UNROLL                                                                                                         \
    for (int j_ = 0; j_ < name##_step_; ++j_)                                                                          \
        if (i_ + j_ >= place_.done_ && (!name##_zeros_() || place_.x_ < image_.width_))                                \
            name##_save_(target_ + j_ * image_.out_pitch_, cmk_sums_[j_], 0, name##_lanes_, 1);
#define CMK_IMAGE_SAVE_EDGE_(name)                                                                                     \
    CMK_UNROLL                                                                                                         \
    for (int j_ = 0; j_ < name##_step_; ++j_)                                                                          \
        if (i_ + j_ >= 0 && i_ + j_ < place_.length_)                                                                  \
            name##_save_(target_ + j_ * image_.out_pitch_, cmk_sums_[j_], -place_.x_, image_.width_ - place_.x_,       \
                         CMK_IMAGE_WHOLE_(name));

#define CMK_IMAGE_FILL_NEXT_(name, KIND)                                                                               \
    do {                                                                                                               \
        CMK_IMAGE_FILL_##KIND##_(name);                                                                                \
        CMK_FILL_COMMIT(ASYNC);                                                                                        \
        next_ += name##_step_;                                                                                         \
        source_ += name##_step_ * image_.in_pitch_;                                                                    \
        stages_ = stages_ < name##_stages_ - 1 ? stages_ + 1 : 0;                                                      \
        stage_ += stages_ > 0 ? 4 * name##_step_ : -(name##_stages_ - 1) * 4 * name##_step_;                           \
    } while (0)

#define CMK_IMAGE_STEPS_(name, SUM, ROWS, ADD, ARGUMENTS, KIND, length)                                                \
    for (int k_ = 0; k_ < name##_stages_ - 1; ++k_) CMK_IMAGE_FILL_NEXT_(name, KIND);                                  \
    CMK_NO_UNROLL                                                                                                      \
    for (int i_ = 1 - (ROWS); i_ < (length); i_ += name##_step_) {                                                     \
        CMK_FILL_ARRIVED(ASYNC, name##_stages_ - 2);                                                                   \
        CMK_IMAGE_SYNC_##KIND##_(name);                                                                                \
        CMK_IMAGE_FILL_NEXT_(name, KIND);                                                                              \
        ADD ARGUMENTS;                                                                                                 \
        CMK_IMAGE_SAVE_##KIND##_(name);                                                                                \
        CMK_UNROLL                                                                                                     \
        for (int k_ = 0; k_ < (ROWS)-1; ++k_) CMK_UNROLL                                                               \
        for (int e_ = 0; e_ < name##_lanes_; ++e_) cmk_sums_[k_][e_] = cmk_sums_[k_ + name##_step_][e_];               \
        target_ += name##_step_ * image_.out_pitch_;                                                                   \
    }

/* The elements first to end - 1, whole chunks, of the rows of a step, into cmk_window_[step_][...]; slot is the chunk
 * of the lane where element 0 is. */
#define CMK_IMAGE_WINDOW_(name, slot, first, end)                                                                      \
    CMK_UNROLL                                                                                                         \
    for (int j_ = 0; j_ < name##_step_; ++j_) CMK_UNROLL                                                               \
    for (int k_ = (first) / name##_lanes_; k_ < (end) / name##_lanes_; ++k_) {                                         \
        const name##_chunk_ chunk_ = CMK_TILE_GET(slot, j_, name##_skipped_ + k_);                                     \
        name##_widen_(&cmk_window_[j_][k_ * name##_lanes_], &chunk_);                                                  \
    }

/* The march of a kernel. The macro ADD with its ARGUMENTS adds the rows of a step, at stage_, to
 * cmk_sums_[pending_][lanes_], whose row k is the output ROWS - 1 - k rows above the step's first row. (Where ADD is
 * unrolled, rows move up in name only: the first product of the next step writes to another register.) A warp inside
 * has steps of its own, with no edge in them: with the loops of fill_edge_ beside them, ptxas orders the FMAs so that
 * each coefficient is fetched more often (15 % more instructions at 15 x 15). */
#define CMK_IMAGE_MARCH_(name, IN, SUM, OUT, ROWS, ADD, ARGUMENTS)                                                     \
    CMK_TILE_3D(name##_chunk_, ring_, name##_stages_ * 4, name##_step_, name##_chunks_, 0);                            \
    CMK_TILE(int, edge_, 4, name##_chunks_ *name##_lanes_, 0);                                                         \
    const int lane_ = place_.lane_, first_ = place_.x_ - name##_before_;                                               \
    SUM cmk_sums_[name##_pending_][name##_lanes_];                                                                     \
    name##_chunk_(*stage_)[name##_chunks_] = /* of this lane; the next to fill holds the oldest rows */                \
        (name##_chunk_(*)[name##_chunks_])(void *)&ring_[place_.warp_][0][lane_];                                      \
    const int last_ = place_.y_ + place_.length_ - name##_row_ + (ROWS)-1; /* behind the last row of this warp */      \
    const int bottom_ = last_ < image_.bottom_ ? last_ : image_.bottom_;                                               \
    int stages_ = 0, next_ = place_.y_ - name##_row_;                                                                  \
    const IN *source_ = from_ + (next_ * image_.in_pitch_ + first_);                                                   \
    OUT *target_ = to_ + ((place_.y_ + 1 - (ROWS)) * image_.out_pitch_ + place_.x_);                                   \
    CMK_UNROLL                                                                                                         \
    for (int k_ = 0; k_ < name##_pending_; ++k_) CMK_UNROLL                                                            \
    for (int e_ = 0; e_ < name##_lanes_; ++e_) cmk_sums_[k_][e_] = 0;                                                  \
    if (blockIdx.x >= image_.frame_) {                                                                                 \
        CMK_IMAGE_STEPS_(name, SUM, ROWS, ADD, ARGUMENTS, INNER, image_.length_)                                       \
    } else if (name##_alone_ || place_.length_ > 0) {                                                                  \
        for (int k_ = lane_; k_ < name##_chunks_ * name##_lanes_; k_ += 32)                                            \
            CMK_TILE_SET(edge_, place_.warp_, k_, name##_column_at_(&image_, first_ - lane_ * name##_lanes_ + k_));    \
        __syncwarp();                                                                                                  \
        const cmk_image_span_ span_ = cmk_image_span_at_(&image_, first_ - lane_ * name##_lanes_, name##_lanes_,       \
                                                         name##_chunks_ * name##_lanes_, name##_beyond_);              \
        CMK_IMAGE_STEPS_(name, SUM, ROWS, ADD, ARGUMENTS, EDGE, name##_alone_ ? image_.edge_length_ : place_.length_)  \
    }                                                                                                                  \
    CMK_FILL_ARRIVED(ASYNC, 0);

/* The warps of a block have rows below each other of one column. */
static __device__ __forceinline__ cmk_image_place_ cmk_image_locate_direct_(const cmk_image_ *image_, int lanes_,
                                                                            int height_)
{
    const int warp_ = (int)(threadIdx.x / 32), lane_ = (int)(threadIdx.x % 32);
    const cmk_image_place_ place_ = {((int)blockIdx.x * 32 + lane_) * lanes_ - image_->head_,
                                     image_->start_ + ((int)blockIdx.y * 4 + warp_) * height_,
                                     lane_,
                                     warp_,
                                     height_,
                                     0};
    return place_;
}

/* A warp of the frame has rows of one of its columns, or those above or below in one column of warps. Inside, the warps
 * of a block lie side by side; the last rows reach up into those of another warp, so that all are as many. */
static __device__ __forceinline__ cmk_image_place_ cmk_image_locate_(const cmk_image_ *image_, int lanes_)
{
    const int warp_ = (int)(threadIdx.x / 32), lane_ = (int)(threadIdx.x % 32);
    const int end_ = image_->rows_ - image_->below_, edges_ = image_->before_ + image_->behind_;
    const unsigned wide_ = (unsigned)(image_->columns_ - edges_);
    int column_ = 0, length_ = 0, done_ = 0;
    cmk_i64 y_ = 0;
    if (blockIdx.x >= image_->frame_) {
        const unsigned at_ = 4 * (blockIdx.x - image_->frame_) + (unsigned)warp_, down_ = at_ / wide_;
        column_ = image_->before_ + (int)(at_ - down_ * wide_);
        length_ = image_->length_;
        y_ = image_->above_ + (cmk_i64)down_ * length_;
        done_ = y_ > end_ - length_ ? (int)(y_ - (end_ - length_)) : 0;
        y_ -= done_;
    } else if ((int)blockIdx.x * 4 + warp_ < image_->sides_) {
        const int at_ = (int)blockIdx.x * 4 + warp_, down_ = at_ / edges_, edge_ = at_ - down_ * edges_;
        column_ = edge_ < image_->before_ ? edge_ : edge_ + (int)wide_;
        y_ = image_->above_ + (cmk_i64)down_ * image_->edge_length_;
        length_ = end_ - (int)y_ < image_->edge_length_ ? end_ - (int)y_ : image_->edge_length_;
    } else {
        const int strip_ = (int)blockIdx.x * 4 + warp_ - image_->sides_;
        const int at_ = image_->above_ > 0 ? strip_ : strip_ + image_->columns_, above_ = at_ < image_->columns_;
        column_ = above_ ? at_ : at_ - image_->columns_;
        y_ = above_ ? 0 : end_;
        length_ = above_ ? image_->above_ : column_ < image_->columns_ ? image_->below_ : 0;
    }
    const cmk_image_place_ place_ = {
        (column_ * 32 + lane_) * lanes_ - image_->head_, (int)y_, lane_, warp_, length_, done_};
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
    image_.left_whole_ = image_.head_ == 0 && image_.left_ % lanes_ == 0;
    image_.right_whole_ = (image_.right_ + image_.head_) % lanes_ == 0 && (image_.width_ + image_.head_) % lanes_ == 0;
    return image_;
}

/* a / b, rounded up */
static inline cmk_i64 cmk_image_over_(cmk_i64 a_, cmk_i64 b_)
{
    return (a_ + b_ - 1) / b_;
}

/* the least number of rows, at least rows, that with the halo makes whole steps; the most where that is above most */
static inline cmk_i64 cmk_image_length_(cmk_i64 rows_, cmk_i64 most_, cmk_i64 halo_, cmk_i64 step_)
{
    const cmk_i64 length_ = cmk_image_over_(rows_ + halo_, step_) * step_ - halo_;
    return length_ <= most_ ? length_ : (most_ + halo_) / step_ * step_ - halo_;
}

/* what a kernel needs to be divided */
typedef struct {
    int lanes_, ahead_, past_; /* elements of a lane; of a row of the ring before and behind those of the warp */
    int row_, halo_, step_;    /* rows that an output needs above it, and all but its own */
    int zeros_;                /* whether a warp inside may read zeros outside */
    int alone_;                /* whether all is frame where any is */
    int few_;                  /* whether two blocks of an SM are enough */
    int heavy_;                /* whether the FMA rate is the limit */
    int big_;                  /* whether the frame's code and that of the inside do not fit in the cache together */
} cmk_image_sizes_;

/* Finds the frame: the columns of warps and the rows that are not inside. */
static inline void cmk_image_frame_(cmk_image_ *image_, const cmk_image_sizes_ *sizes_)
{
    const int wide_ = 32 * sizes_->lanes_, left_ = image_->left_ + sizes_->ahead_, head_ = image_->head_;
    const int right_ =
        image_->right_ - sizes_->past_ < image_->width_ ? image_->right_ - sizes_->past_ : image_->width_;
    const int top_ = image_->top_ + sizes_->row_, bottom_ = image_->bottom_ - sizes_->halo_ + sizes_->row_;
    const int zeros_ = sizes_->zeros_, columns_ = (int)cmk_image_over_((cmk_i64)image_->width_ + head_, wide_);
    const int before_ =
        zeros_ && image_->left_whole_ ? 0 : (int)cmk_image_over_((left_ > 0 ? left_ : 0) + head_, wide_);
    const int end_ = zeros_ && image_->right_whole_ ? columns_ : right_ < 0 ? 0 : (right_ + head_) / wide_;
    image_->columns_ = columns_;
    image_->before_ = columns_;
    if (image_->in_whole_ && image_->out_whole_ && before_ < end_) {
        image_->before_ = before_;
        image_->behind_ = columns_ - end_;
        image_->above_ = zeros_ || top_ < 0 ? 0 : top_ < image_->rows_ ? top_ : image_->rows_;
        image_->below_ = zeros_ || bottom_ >= image_->rows_
                             ? 0
                             : image_->rows_ - (bottom_ > image_->above_ ? bottom_ : image_->above_);
    }
}

/* what a division comes to: the rows inside that its longest warp has time for, 0 where it leaves none; blocks inside
 */
typedef struct {
    cmk_i64 rows_, blocks_;
} cmk_image_share_;

/* Divides the region among the warps of so many blocks. A row of the frame takes half as long again as one inside, so
 * that its warps have two thirds of the rows. Those above and below have as many where the blocks are to end together;
 * otherwise no more than they must, and are not counted. */
static inline cmk_image_share_ cmk_image_cut_(cmk_image_ *image_, const cmk_image_sizes_ *sizes_, cmk_i64 blocks_,
                                              int together_)
{
    const cmk_i64 all_ = image_->columns_, edges_ = image_->before_ + image_->behind_, columns_ = all_ - edges_;
    const cmk_i64 warps_ = 4 * blocks_, weight_ = 2 * columns_ + 3 * edges_;
    const cmk_i64 strips_ = columns_ > 0 ? (image_->above_ > 0) + (image_->below_ > 0) : 0;
    const cmk_i64 counted_ = together_ ? strips_ : 0;
    cmk_image_share_ share_ = {0, 0};
    if (columns_ > 0 && warps_ <= counted_ * all_) return share_;
    const cmk_i64 side_ =
        columns_ > 0 ? cmk_image_over_(image_->rows_ * weight_, 3 * (warps_ - counted_ * all_) + counted_ * weight_)
                     : cmk_image_over_(image_->rows_, warps_ > all_ ? warps_ / all_ : 1);
    if (counted_ > 0 && image_->above_ > 0 && image_->above_ < side_) image_->above_ = (int)side_;
    if (counted_ > 0 && image_->below_ > 0 && image_->below_ < side_) image_->below_ = (int)side_;
    const cmk_i64 inside_ = (cmk_i64)image_->rows_ - image_->above_ - image_->below_;
    if (inside_ <= 0) return share_;
    const cmk_i64 sides_ = cmk_image_over_(inside_, side_) * edges_;
    cmk_i64 length_ = 0;
    if (columns_ > 0) {
        const cmk_i64 down_ = 4 * (blocks_ - cmk_image_over_(sides_ + counted_ * all_, 4)) / columns_;
        length_ =
            cmk_image_length_(cmk_image_over_(inside_, down_ > 0 ? down_ : 1), inside_, sizes_->halo_, sizes_->step_);
        if (length_ <= 0) return share_;
        share_.blocks_ = cmk_image_over_(cmk_image_over_(inside_, length_) * columns_, 4);
    }
    image_->length_ = (int)length_;
    image_->edge_length_ = (int)side_;
    image_->sides_ = (int)sides_;
    image_->frame_ = (unsigned)cmk_image_over_(sides_ + strips_ * all_, 4);
    share_.rows_ = columns_ == 0 ? side_ : 3 * side_ / 2 > length_ ? 3 * side_ / 2 : length_;
    return share_;
}

/* The time of so many blocks of an SM, in hundredths of that of one among as many as there is room for: fewer at a time
 * hide less latency. Measured on an H200. */
static inline cmk_i64 cmk_image_time_(cmk_i64 blocks_, int room_, int heavy_)
{
    static const int slower_[2][4] = {{0, 167, 119, 109}, {0, 132, 103, 101}};
    const cmk_i64 rest_ = blocks_ % room_;
    return 100 * (blocks_ - rest_) + rest_ * (rest_ > 3 ? 100 : slower_[heavy_][rest_]);
}

/* Divides the region among warps that march: one to all blocks for which an SM has room, or two waves of them, whatever
 * takes the least time. Fewer and longer warps read less halo; a single wave ends with its slowest block (2 to 4 %).
 * Where the codes of frame and inside are too big to share an SM's cache, all may be frame, for 12 % more time,
 * or there are two waves, whose end waits for the rows above and below. Returns the number of blocks. */
static inline cmk_i64 cmk_image_divide_(cmk_image_ *image_, const cmk_image_sizes_ *sizes_, int processors_,
                                        int blocks_, cmk_i64 count_)
{
    const int framed_ = image_->before_ + image_->behind_ + image_->above_ + image_->below_ > 0;
    const int room_ = sizes_->few_ && blocks_ > 2 ? 2 : blocks_ > 0 ? blocks_ : 1;
    cmk_image_ given_ = *image_;
    cmk_i64 least_ = 0, inner_ = 0;
    for (int edges_ = sizes_->alone_ ? framed_ : given_.before_ == given_.columns_; edges_ < 2; ++edges_) {
        if (edges_ && least_ > 0 && !(framed_ && sizes_->big_)) break;
        if (edges_) {
            given_.before_ = given_.columns_;
            given_.behind_ = given_.above_ = given_.below_ = 0;
        }
        for (int n_ = 1; n_ <= (sizes_->few_ ? 1 : 2) * room_; n_ += n_ < room_ ? 1 : room_) {
            const int together_ = n_ <= room_;
            if (!edges_ && framed_ && sizes_->big_ && together_) continue;
            cmk_image_ cut_ = given_;
            const cmk_image_share_ share_ =
                cmk_image_cut_(&cut_, sizes_, cmk_image_over_((cmk_i64)processors_ * n_, count_), together_);
            if (share_.rows_ <= 0) continue;
            const cmk_i64 steps_ = cmk_image_over_(share_.rows_ + sizes_->halo_, sizes_->step_) * sizes_->step_;
            const cmk_i64 frame_ = together_ ? (cmk_i64)cut_.frame_ : cmk_image_over_(cut_.sides_, 4);
            const cmk_i64 each_ = cmk_image_over_((frame_ + share_.blocks_) * count_, processors_);
            const cmk_i64 strip_ = together_ ? 0 : cut_.above_ > cut_.below_ ? cut_.above_ : cut_.below_;
            const int longer_ = (together_ ? framed_ ? 4 : 2 : 0) + (edges_ && !sizes_->alone_ ? 12 : 0);
            const cmk_i64 time_ = steps_ * cmk_image_time_(each_, room_, sizes_->heavy_) * (100 + longer_) +
                                  (strip_ > 0 ? (strip_ + sizes_->halo_) * 15000 * room_ : 0);
            if (least_ == 0 || time_ < least_) {
                *image_ = cut_;
                inner_ = share_.blocks_;
                least_ = time_;
            }
        }
    }
    return image_->frame_ + inner_;
}

/* The host functions of a definition; PARAMETERS and ARGUMENTS are its tables, in parentheses. */
#define CMK_IMAGE_LIST_(...) __VA_ARGS__
#define CMK_IMAGE_LAUNCHERS_(name, IN, OUT, CHANNELS, ROWS, PARAMETERS, ARGUMENTS)                                     \
    static inline cudaError_t name##_launch_(const cmk_image_call_ *call_, cudaStream_t stream_,                       \
                                             CMK_IMAGE_LIST_ PARAMETERS)                                               \
    {                                                                                                                  \
        if (call_->count_ == 0 || call_->region_rows_ == 0 || call_->region_columns_ == 0) return cudaSuccess;         \
        if (!cmk_image_valid_(call_, sizeof(IN), sizeof(OUT), CHANNELS)) return cudaErrorInvalidValue;                 \
        cmk_image_ image_ = cmk_image_describe_(call_, sizeof(IN), sizeof(OUT), CHANNELS, name##_lanes_);              \
        const cmk_image_sizes_ sizes_ = {name##_lanes_,                                                                \
                                         name##_before_,                                                               \
                                         name##_past_,                                                                 \
                                         name##_row_,                                                                  \
                                         (ROWS)-1,                                                                     \
                                         name##_step_,                                                                 \
                                         name##_zeros_() && !name##_direct_,                                           \
                                         name##_alone_,                                                                \
                                         name##_few_,                                                                  \
                                         name##_heavy_,                                                                \
                                         name##_big_};                                                                 \
        const IN *const in_ = (const IN *)call_->in_ + (call_->row_ * call_->in_pitch_ + call_->column_ * (CHANNELS)); \
        const size_t each_ = name##_direct_ ? 65535 * 4 * (size_t)name##_height_ : call_->region_rows_;                \
        cudaError_t error_ = cudaSuccess;                                                                              \
        dim3 grid_ = dim3(1, 1, 1);                                                                                    \
        cmk_image_frame_(&image_, &sizes_);                                                                            \
        if (name##_direct_) {                                                                                          \
            grid_.x = (unsigned)image_.columns_;                                                                       \
        } else {                                                                                                       \
            int device_ = 0, processors_ = 1, blocks_ = 1;                                                             \
            error_ = cudaGetDevice(&device_);                                                                          \
            if (error_ == cudaSuccess)                                                                                 \
                error_ = cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device_);                \
            if (error_ == cudaSuccess)                                                                                 \
                error_ =                                                                                               \
                    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_, name##_kernel, cmk_image_threads_, 0);     \
            grid_.x = (unsigned)cmk_image_divide_(&image_, &sizes_, processors_, blocks_, (cmk_i64)call_->count_);     \
        }                                                                                                              \
        for (size_t z_ = 0; z_ < call_->count_; z_ += 65535)                                                           \
            for (size_t y_ = 0; y_ < call_->region_rows_ && error_ == cudaSuccess; y_ += each_) {                      \
                const size_t rows_ = call_->region_rows_ - y_ < each_ ? call_->region_rows_ - y_ : each_;              \
                image_.start_ = (int)y_;                                                                               \
                if (name##_direct_) grid_.y = (unsigned)cmk_image_over_((cmk_i64)rows_, 4 * name##_height_);           \
                grid_.z = (unsigned)(call_->count_ - z_ < 65535 ? call_->count_ - z_ : 65535);                         \
                error_ = CMK_LAUNCH(name##_kernel, grid_, cmk_image_threads_, 0, stream_, in_ + z_ * call_->in_step_,  \
                                    (OUT *)call_->out_ + z_ * call_->out_step_, image_, CMK_IMAGE_LIST_ ARGUMENTS);    \
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
