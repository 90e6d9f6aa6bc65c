/* transpose.h: transposes of matrices of any size and pitch, in place too, and of volumes; fastest where all rows are
 * aligned to 16 bytes.
 *
 *   CMK_DEFINE_TRANSPOSE(name, T);      at file scope
 *   cudaError_t name(const T *in, size_t in_pitch, T *out, size_t out_pitch, size_t rows, size_t columns,
 *                    cudaStream_t stream);
 *   cudaError_t name_batch(const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch, size_t out_step,
 *                          size_t rows, size_t columns, size_t count, cudaStream_t stream);
 *   cudaError_t name_in_place(T *matrix, size_t pitch, size_t rows, cudaStream_t stream);
 *   cudaError_t name_volume(const T *in, T *out, size_t depth, size_t height, size_t width, int axes,
 *                           cudaStream_t stream);
 *
 * defines out[c * out_pitch + r] = in[r * in_pitch + c] for every row r < rows and column c < columns; of a batch, for
 * count matrices, in_step and out_step elements apart; in place, of a square matrix with as many columns as rows. T has
 * 1, 2, 4, 8 or 16 bytes; pitches count elements. What lies between the rows is neither read nor written.
 *
 * A volume in[z][y][x] of depth z, height y and width x is contiguous, as is out. axes names those of in, the slowest
 * first, in the order that they have in out:
 *   CMK_TRANSPOSE_ZXY      out[z][x][y]
 *   CMK_TRANSPOSE_YZX      out[y][z][x]; moves whole rows
 *   CMK_TRANSPOSE_YXZ      out[y][x][z]
 *   CMK_TRANSPOSE_XZY      out[x][z][y]
 *   CMK_TRANSPOSE_XYZ      out[x][y][z]
 * Of pitched volumes all but YZX are batches: XYZ is count = height matrices of depth rows, in_pitch the elements from
 * plane to plane of in, in_step those from row to row, out_pitch and out_step likewise of out.
 *
 * The call returns before the kernel has run. It returns cudaErrorInvalidValue, with nothing launched, for a null or
 * misaligned pointer, a pitch below the width, sizes whose bytes exceed the address space, other axes, and for ranges
 * of in and out that overlap; no rows, columns or matrices is right and launches nothing.
 *
 *   CMK_DEFINE_TRANSPOSE(transpose, float);
 *   CMK_CHECK(transpose(in, columns, out, rows, rows, columns, stream));
 *   CMK_CHECK(transpose_in_place(square, n, n, stream));
 *   CMK_CHECK(transpose_volume(in, out, depth, height, width, CMK_TRANSPOSE_XYZ, stream)); */
#ifndef CMK_KERNEL_TRANSPOSE_H
#define CMK_KERNEL_TRANSPOSE_H

#include "../base.h"
#include "../load.h"
#include "../tile.h"
#include "range.h"

/* CMK_DEFINE_TRANSPOSE(transpose, float); generates
 *
 *   enum { transpose_lanes_ = 4, ... };                       the sizes of its tiles
 *   typedef struct { float e_[4]; } transpose_chunk_;         16 bytes
 *   typedef struct { float e_[1]; } transpose_piece_;         4 bytes, or one wider element
 *   __global__ void transpose_kernel(...);                    rows aligned to 16 bytes: by 16 bytes on both sides
 *   __global__ void transpose_kernel_any(...);                others: by element, in whole sectors of the output
 *   __global__ void transpose_kernel_thin(...);               few rows or columns
 *   __global__ void transpose_square(...);                    in place
 *   __global__ void transpose_swap(...);                      whole rows
 *   cudaError_t transpose_batch(...);     cudaError_t transpose(...);
 *   cudaError_t transpose_in_place(...);  cudaError_t transpose_volume(...);
 *
 * blocks is the least number of blocks an SM: 1 lets ptxas take more registers than by itself (0), which was faster on
 * an H200 but for 1 and 8 bytes.
 * A matrix of the caller is one cmk_transpose_side_: start, elements from row to row and from matrix to matrix. */
#define CMK_DEFINE_TRANSPOSE(name, T)                                                                                  \
    CMK_STATIC_ASSERT(sizeof(T) <= 16 && 16 % sizeof(T) == 0,                                                          \
                      "cmk: CMK_DEFINE_TRANSPOSE: the size of T must be 1, 2, 4, 8 or 16 bytes");                      \
    enum {                                                                                                             \
        name##_size_ = sizeof(T),                                                                                      \
        name##_lanes_ = 16 / name##_size_,                                                                             \
        name##_stack_ = name##_size_ < 4 ? 4 / name##_size_ : 1,                                                       \
        name##_width_ = 256 / name##_size_,                                                                            \
        name##_height_ = name##_size_ == 16 ? 32 : name##_width_,                                                      \
        name##_threads_ = name##_size_ == 1   ? 1024                                                                   \
                          : name##_size_ == 2 ? 512                                                                    \
                                              : 256,                                                                   \
        name##_bytes_ = name##_width_ * name##_height_ * name##_size_,                                                 \
        name##_blocks_ = name##_size_ != 1 && name##_size_ != 8,                                                       \
        name##_edge_ = name##_size_ < 4    ? 128                                                                       \
                       : name##_size_ == 4 ? 64                                                                        \
                       : name##_size_ == 8 ? 32                                                                        \
                                           : 16,                                                                       \
        name##_square_threads_ = name##_size_ == 2 ? 512 : 256,                                                        \
        name##_square_bytes_ = 2 * name##_edge_ * name##_edge_ * name##_size_,                                         \
        name##_sector_ = 32 / name##_size_,                                                                            \
        name##_any_height_ = (name##_size_ == 4    ? 136                                                               \
                              : name##_size_ == 8  ? 64                                                                \
                              : name##_size_ == 16 ? 32                                                                \
                                                   : 128) -                                                            \
                             name##_sector_,                                                                           \
        name##_any_pitch_ = name##_any_height_ + name##_sector_ + (name##_size_ < 4 ? 4 / name##_size_ : 1)            \
    };                                                                                                                 \
    typedef struct {                                                                                                   \
        T e_[name##_lanes_];                                                                                           \
    } __attribute__((aligned(16))) name##_chunk_;                                                                      \
    typedef struct {                                                                                                   \
        T e_[name##_stack_];                                                                                           \
    } __attribute__((aligned(name##_size_ < 4 ? 4 : name##_size_))) name##_piece_;                                     \
    CMK_TRANSPOSE_KERNEL_(name, T)                                                                                     \
    CMK_TRANSPOSE_KERNEL_ANY_(name, T)                                                                                 \
    CMK_TRANSPOSE_KERNEL_THIN_(name, T)                                                                                \
    CMK_TRANSPOSE_SQUARE_(name, T)                                                                                     \
    CMK_TRANSPOSE_SWAP_(name, T)                                                                                       \
    CMK_TRANSPOSE_LAUNCHER_(name, T)                                                                                   \
    CMK_TRANSPOSE_IN_PLACE_(name, T)                                                                                   \
    CMK_TRANSPOSE_VOLUME_(name, T)                                                                                     \
    CMK_SEMICOLON_

typedef struct {
    cmk_i64 pitch_, step_; /* elements */
} cmk_transpose_side_;

enum { CMK_TRANSPOSE_ZXY = 1, CMK_TRANSPOSE_YZX, CMK_TRANSPOSE_YXZ, CMK_TRANSPOSE_XZY, CMK_TRANSPOSE_XYZ };

enum { cmk_transpose_any_width_ = 64, cmk_transpose_any_threads_ = 256 };

/* A tile of width columns and height rows. A thread loads 16 bytes of each of stack neighbouring rows, and writes them
 * to shared memory as one piece (stack elements of a column) for each of its columns. There a column of the tile is a
 * row of 16-byte chunks, which the second half reads whole and stores. Chunk c of column x lies at c ^ (x / lanes % 8):
 * the 32 pieces that a warp writes at once, of 8 chunks by 4 stacks, then lie in 32 banks, and so do 8 chunks of a row.
 * Blocks walk down the columns of the input, so that neighbours write neighbouring parts of the same rows. */
#define CMK_TRANSPOSE_KERNEL_(name, T)                                                                                 \
    CMK_STATIC_ __global__ void __launch_bounds__(name##_threads_, name##_blocks_)                                     \
        name##_kernel(const T *__restrict__ in_, cmk_transpose_side_ from_, T *__restrict__ out_,                      \
                      cmk_transpose_side_ to_, cmk_i64 rows_, cmk_i64 columns_, unsigned down_)                        \
    {                                                                                                                  \
        CMK_TRANSPOSE_SIZES_(name, name##_width_, name##_height_, name##_threads_);                                    \
        CMK_TILE_DYNAMIC(name##_chunk_, tile_);                                                                        \
        const cmk_i64 left_ = (cmk_i64)(blockIdx.x / down_) * width_;                                                  \
        const cmk_i64 top_ = (cmk_i64)(blockIdx.x % down_) * height_;                                                  \
        const int whole_ = left_ + width_ <= columns_ && top_ + height_ <= rows_;                                      \
        T v_[each_][name##_stack_][name##_lanes_];                                                                     \
        in_ += blockIdx.y * from_.step_ + top_ * from_.pitch_;                                                         \
        out_ += blockIdx.y * to_.step_ + left_ * to_.pitch_;                                                           \
        CMK_TRANSPOSE_LOAD_(name, READ_ONLY, whole_, v_, in_, from_.pitch_, left_, columns_, rows_ - top_)             \
        CMK_TRANSPOSE_TURN_(name, tile_, v_)                                                                           \
        __syncthreads();                                                                                               \
        CMK_TRANSPOSE_STORE_(name, out_, to_.pitch_, top_, rows_, columns_ - left_, tile_)                             \
    }

/* In place, a block takes the tiles (i, j) and (j, i) of tiles x tiles, i <= j, and reads both before it writes either.
 * That triangle folds into a rectangle, tiles | 1 wide and tiles / 2 high, rounded up: its row b holds row b of the
 * triangle and, before it, backwards, the row that is as much shorter. Blocks walk along four such rows at once, so
 * that the parts of a sector that belong to neighbouring tiles meet in the L2 cache. */
#define CMK_TRANSPOSE_PAIR_                                                                                            \
    const cmk_i64 even_ = tiles_ % 2 == 0, last_ = tiles_ - 1;                                                         \
    const cmk_i64 a_ = blockIdx.x / 4, b_ = (cmk_i64)blockIdx.y * 4 + blockIdx.x % 4;                                  \
    const int first_ = a_ >= b_ + even_;                                                                               \
    const cmk_i64 i_ = first_ ? b_ : tiles_ - even_ - b_, j_ = first_ ? a_ - even_ : last_ - a_;                       \
    const cmk_i64 top_[2] = {i_ * edge_, j_ * edge_}, left_[2] = {j_ * edge_, i_ * edge_};                             \
    const int count_ = i_ == j_ ? 1 : 2;                                                                               \
    if (2 * b_ >= tiles_) return;

#define CMK_TRANSPOSE_SQUARE_(name, T)                                                                                 \
    CMK_STATIC_ __global__ void __launch_bounds__(name##_square_threads_, name##_blocks_)                              \
        name##_square(T *matrix_, cmk_i64 pitch_, cmk_i64 rows_, cmk_i64 tiles_, int aligned_)                         \
    {                                                                                                                  \
        enum { edge_ = name##_edge_ };                                                                                 \
        CMK_TRANSPOSE_SIZES_(name, edge_, edge_, name##_square_threads_);                                              \
        CMK_TILE_DYNAMIC(name##_chunk_, tile_);                                                                        \
        CMK_TRANSPOSE_PAIR_                                                                                            \
        const int whole_ = aligned_ && left_[0] + edge_ <= rows_;                                                      \
        T v_[2][each_][name##_stack_][name##_lanes_];                                                                  \
        if (whole_) {                                                                                                  \
            CMK_TRANSPOSE_BOTH_(CMK_TRANSPOSE_LOAD_(name, PLAIN, 1, v_[s_], (&matrix_[top_[s_] * pitch_]), pitch_,     \
                                                    left_[s_], rows_, rows_ - top_[s_]))                               \
        } else {                                                                                                       \
            CMK_TRANSPOSE_BOTH_(CMK_TRANSPOSE_LOAD_(name, PLAIN, 0, v_[s_], (&matrix_[top_[s_] * pitch_]), pitch_,     \
                                                    left_[s_], rows_, rows_ - top_[s_]))                               \
        }                                                                                                              \
        CMK_TRANSPOSE_BOTH_(CMK_TRANSPOSE_TURN_(name, (tile_ + s_ * edge_ * high_), v_[s_]))                           \
        __syncthreads(); /* both tiles have been read */                                                               \
        CMK_TRANSPOSE_BOTH_(CMK_TRANSPOSE_STORE_(name, (&matrix_[left_[s_] * pitch_]), pitch_, top_[s_], rows_,        \
                                                 rows_ - left_[s_], (tile_ + s_ * edge_ * high_)))                     \
    }

#define CMK_TRANSPOSE_BOTH_(STEP)                                                                                      \
    CMK_UNROLL                                                                                                         \
    for (int s_ = 0; s_ < 2; ++s_)                                                                                     \
        if (s_ < count_) {                                                                                             \
            STEP                                                                                                       \
        }

#define CMK_TRANSPOSE_SIZES_(name, WIDTH, HEIGHT, THREADS)                                                             \
    enum {                                                                                                             \
        width_ = (WIDTH),                                                                                              \
        height_ = (HEIGHT),                                                                                            \
        threads_ = (THREADS),                                                                                          \
        wide_ = width_ / name##_lanes_,                                                                                \
        high_ = height_ / name##_lanes_,                                                                               \
        each_ = wide_ * height_ / name##_stack_ / threads_,                                                            \
        stored_ = width_ * high_ / threads_                                                                            \
    }

/* the three steps of those kernels: a thread's chunks from the rows of its tile (from is the first, columns ends them,
 * rows are left), as pieces to shared memory, and from there its chunks to the columns' rows */
#define CMK_TRANSPOSE_LOAD_(name, HOW, whole, v, from, pitch, left, columns, rows)                                     \
    CMK_UNROLL                                                                                                         \
    for (int k_ = 0; k_ < each_; ++k_) {                                                                               \
        const int x_ = CMK_TRANSPOSE_CHUNK_(name, k_) * name##_lanes_;                                                 \
        const int y_ = CMK_TRANSPOSE_STACK_(name, k_) * name##_stack_;                                                 \
        CMK_UNROLL                                                                                                     \
        for (int r_ = 0; r_ < name##_stack_; ++r_) {                                                                   \
            if (whole)                                                                                                 \
                CMK_LOAD_BYTES_(cmk_load_by_##HOW##_, 16, v[k_][r_], &from[(y_ + r_) * pitch + left + x_]);            \
            else if (y_ + r_ < rows)                                                                                   \
                CMK_LOAD_PART_(cmk_load_by_##HOW##_, 16, v[k_][r_], &from[(y_ + r_) * pitch], left + x_, columns);     \
        }                                                                                                              \
    }
#define CMK_TRANSPOSE_TURN_(name, tile, v)                                                                             \
    CMK_UNROLL                                                                                                         \
    for (int k_ = 0; k_ < each_; ++k_) {                                                                               \
        const int chunk_ = CMK_TRANSPOSE_CHUNK_(name, k_), y_ = CMK_TRANSPOSE_STACK_(name, k_) * name##_stack_;        \
        CMK_UNROLL                                                                                                     \
        for (int j_ = 0; j_ < name##_lanes_; ++j_) {                                                                   \
            name##_chunk_ *const at_ =                                                                                 \
                &tile[(chunk_ * name##_lanes_ + j_) * high_ + (y_ / name##_lanes_ ^ chunk_ % 8)];                      \
            name##_piece_ piece_;                                                                                      \
            CMK_UNROLL                                                                                                 \
            for (int r_ = 0; r_ < name##_stack_; ++r_) piece_.e_[r_] = v[k_][r_][j_];                                  \
            CMK_STORE((name##_piece_ *)at_ + y_ % name##_lanes_ / name##_stack_, piece_);                              \
        }                                                                                                              \
    }
#define CMK_TRANSPOSE_STORE_(name, to, pitch, top, rows, columns, tile)                                                \
    CMK_UNROLL                                                                                                         \
    for (int k_ = 0; k_ < stored_; ++k_) {                                                                             \
        const int m_ = (int)threadIdx.x + k_ * threads_, x_ = m_ / high_, c_ = m_ % high_;                             \
        const name##_chunk_ chunk_ = CMK_LOAD(&tile[x_ * high_ + (c_ ^ x_ / name##_lanes_ % 8)]);                      \
        if (whole_)                                                                                                    \
            CMK_STORE_16(PLAIN, &to[x_ * pitch + top + c_ * name##_lanes_], chunk_.e_);                                \
        else if (x_ < columns)                                                                                         \
            CMK_STORE_PART(PLAIN, 16, &to[x_ * pitch], top + c_ * name##_lanes_, rows, chunk_.e_);                     \
    }

/* the k-th chunk of a row and stack of rows of a thread: a warp covers 8 chunks of 4 stacks */
#define CMK_TRANSPOSE_TASK_(name, k) (((int)threadIdx.x + (k)*threads_) / 32)
#define CMK_TRANSPOSE_CHUNK_(name, k) ((int)threadIdx.x % 8 + CMK_TRANSPOSE_TASK_(name, k) % (wide_ / 8) * 8)
#define CMK_TRANSPOSE_STACK_(name, k) ((int)threadIdx.x / 8 % 4 + CMK_TRANSPOSE_TASK_(name, k) / (wide_ / 8) * 4)

/* Where rows are not aligned a thread moves single elements. Each row of the output is cut at multiples of 32 bytes, so
 * that no two blocks write into one sector: the tile begins shift rows higher for it, of up to sector - 1, and holds
 * that many rows more than a block stores. (Partly written sectors cost a tenth of the bandwidth on an H200.) */
#define CMK_TRANSPOSE_KERNEL_ANY_(name, T)                                                                             \
    CMK_STATIC_ __global__ void __launch_bounds__(cmk_transpose_any_threads_, 4)                                       \
        name##_kernel_any(const T *__restrict__ in_, cmk_transpose_side_ from_, T *__restrict__ out_,                  \
                          cmk_transpose_side_ to_, cmk_i64 rows_, cmk_i64 columns_, unsigned down_)                    \
    {                                                                                                                  \
        enum {                                                                                                         \
            loaded_ = cmk_transpose_any_width_ * (name##_any_height_ + name##_sector_),                                \
            stored_ = cmk_transpose_any_width_ * name##_any_height_,                                                   \
            half_ = loaded_ / cmk_transpose_any_threads_ / (loaded_ > 4096 ? 2 : 1),                                   \
            each_ = 4                                                                                                  \
        };                                                                                                             \
        CMK_TILE_DYNAMIC(T, tile_);                                                                                    \
        const cmk_i64 left_ = (cmk_i64)(blockIdx.x / down_) * cmk_transpose_any_width_;                                \
        const cmk_i64 first_ = (cmk_i64)(blockIdx.x % down_) * name##_any_height_, top_ = first_ - name##_sector_;     \
        const int whole_ =                                                                                             \
            top_ >= 0 && first_ + name##_any_height_ <= rows_ && left_ + cmk_transpose_any_width_ <= columns_;         \
        in_ += blockIdx.y * from_.step_ + left_;                                                                       \
        out_ += blockIdx.y * to_.step_ + left_ * to_.pitch_;                                                           \
        CMK_NO_UNROLL                                                                                                  \
        for (unsigned begin_ = threadIdx.x; begin_ < loaded_; begin_ += half_ * cmk_transpose_any_threads_) {          \
            T v_[half_];                                                                                               \
            if (whole_) {                                                                                              \
                CMK_TRANSPOSE_ANY_LOAD_(1)                                                                             \
            } else {                                                                                                   \
                CMK_TRANSPOSE_ANY_LOAD_(left_ + x_ < columns_ && row_ >= 0 && row_ < rows_)                            \
            }                                                                                                          \
            CMK_UNROLL                                                                                                 \
            for (int k_ = 0; k_ < half_; ++k_) {                                                                       \
                const unsigned m_ = begin_ + (unsigned)k_ * cmk_transpose_any_threads_,                                \
                               x_ = m_ % cmk_transpose_any_width_;                                                     \
                CMK_STORE(&tile_[x_ * name##_any_pitch_ + m_ / cmk_transpose_any_width_], v_[k_]);                     \
            }                                                                                                          \
        }                                                                                                              \
        __syncthreads();                                                                                               \
        if (whole_) {                                                                                                  \
            CMK_TRANSPOSE_ANY_STORE_(name, T, 1)                                                                       \
        } else {                                                                                                       \
            CMK_TRANSPOSE_ANY_STORE_(name, T, left_ + x_ < columns_ && row_ >= 0 && row_ < rows_)                      \
        }                                                                                                              \
    }

/* the loops of that kernel over the elements of a thread; INSIDE tells whether an element exists */
#define CMK_TRANSPOSE_ANY_LOAD_(INSIDE)                                                                                \
    CMK_UNROLL                                                                                                         \
    for (int k_ = 0; k_ < half_; ++k_) {                                                                               \
        const unsigned m_ = begin_ + (unsigned)k_ * cmk_transpose_any_threads_, x_ = m_ % cmk_transpose_any_width_;    \
        const cmk_i64 row_ = top_ + m_ / cmk_transpose_any_width_;                                                     \
        CMK_TURN_(m_ / cmk_transpose_any_threads_);                                                                    \
        if (INSIDE) v_[k_] = CMK_LDG(&in_[row_ * from_.pitch_ + x_]);                                                  \
    }
#define CMK_TRANSPOSE_ANY_STORE_(name, T, INSIDE)                                                                      \
    CMK_NO_UNROLL                                                                                                      \
    for (unsigned begin_ = threadIdx.x; begin_ < stored_; begin_ += each_ * cmk_transpose_any_threads_) {              \
        CMK_UNROLL                                                                                                     \
        for (int k_ = 0; k_ < each_; ++k_) {                                                                           \
            const unsigned m_ = begin_ + (unsigned)k_ * cmk_transpose_any_threads_;                                    \
            const unsigned x_ = m_ / name##_any_height_, y_ = m_ % name##_any_height_;                                 \
            T *const to_row_ = &out_[x_ * to_.pitch_];                                                                 \
            const unsigned shift_ = (unsigned)(((size_t)to_row_ / name##_size_ + (size_t)first_) % name##_sector_);    \
            const cmk_i64 row_ = first_ - shift_ + y_;                                                                 \
            CMK_TURN_(m_ / cmk_transpose_any_threads_);                                                                \
            if (m_ < stored_ && (INSIDE))                                                                              \
                CMK_STORE(&to_row_[row_], CMK_LOAD(&tile_[x_ * name##_any_pitch_ + name##_sector_ - shift_ + y_]));    \
        }                                                                                                              \
    }

/* Rows of width elements from in[z][y] to out[y][z], for rows many y. A thread stores 16 aligned bytes of a row. */
#define CMK_TRANSPOSE_SWAP_(name, T)                                                                                   \
    CMK_STATIC_ __global__ void __launch_bounds__(cmk_transpose_any_threads_)                                          \
        name##_swap(const T *__restrict__ in_, T *__restrict__ out_, cmk_i64 depth_, cmk_i64 height_, cmk_i64 width_,  \
                    int rows_, int aligned_)                                                                           \
    {                                                                                                                  \
        const int y_ = (int)(blockIdx.z * blockDim.y + threadIdx.y);                                                   \
        const T *const from_ = in_ + (blockIdx.y * height_ + y_) * width_;                                             \
        T *const to_ = out_ + (y_ * depth_ + blockIdx.y) * width_;                                                     \
        const cmk_i64 chunk_ = (cmk_i64)blockIdx.x * blockDim.x + threadIdx.x;                                         \
        const cmk_i64 x_ = chunk_ * name##_lanes_ - CMK_LOAD_HEAD(to_, 16);                                            \
        T v_[name##_lanes_];                                                                                           \
        if (y_ >= rows_ || x_ >= width_) return;                                                                       \
        if (aligned_) {                                                                                                \
            CMK_LOAD_16(READ_ONLY, v_, from_ + x_);                                                                    \
            CMK_STORE_16(PLAIN, to_ + x_, v_);                                                                         \
        } else {                                                                                                       \
            CMK_LOAD_PART(READ_ONLY, 16, v_, from_, x_, width_);                                                       \
            CMK_STORE_PART(PLAIN, 16, to_, x_, width_, v_);                                                            \
        }                                                                                                              \
    }

/* A matrix of few rows (up to 32 bytes in all) or columns (64) would leave most of a tile empty: a thread takes one
 * element of each. */
#define CMK_TRANSPOSE_KERNEL_THIN_(name, T)                                                                            \
    CMK_STATIC_ __global__ void __launch_bounds__(cmk_transpose_any_threads_)                                          \
        name##_kernel_thin(const T *__restrict__ in_, cmk_transpose_side_ from_, T *__restrict__ out_,                 \
                           cmk_transpose_side_ to_, cmk_i64 rows_, cmk_i64 columns_)                                   \
    {                                                                                                                  \
        const cmk_i64 i_ = (cmk_i64)blockIdx.x * cmk_transpose_any_threads_ + threadIdx.x;                             \
        in_ += blockIdx.y * from_.step_;                                                                               \
        out_ += blockIdx.y * to_.step_;                                                                                \
        if (rows_ < columns_ && i_ < columns_)                                                                         \
            for (cmk_i64 r_ = 0; r_ < rows_; ++r_)                                                                     \
                CMK_STORE(&out_[i_ * to_.pitch_ + r_], CMK_LDG(&in_[r_ * from_.pitch_ + i_]));                         \
        if (rows_ >= columns_ && i_ < rows_)                                                                           \
            for (cmk_i64 c_ = 0; c_ < columns_; ++c_)                                                                  \
                CMK_STORE(&out_[c_ * to_.pitch_ + i_], CMK_LDG(&in_[i_ * from_.pitch_ + c_]));                         \
    }

#if CMK_HAS_HOST_

#define CMK_TRANSPOSE_LAUNCHER_(name, T)                                                                               \
    __attribute__((unused)) static inline cudaError_t name##_batch(                                                    \
        const T *in_, size_t in_pitch_, size_t in_step_, T *out_, size_t out_pitch_, size_t out_step_, size_t rows_,   \
        size_t columns_, size_t count_, cudaStream_t stream_)                                                          \
    {                                                                                                                  \
        const cmk_transpose_side_ from_ = {(cmk_i64)in_pitch_, (cmk_i64)in_step_};                                     \
        const cmk_transpose_side_ to_ = {(cmk_i64)out_pitch_, (cmk_i64)out_step_};                                     \
        const int aligned_ = ((size_t)in_ | (size_t)out_ | in_pitch_ * sizeof(T) | out_pitch_ * sizeof(T) |            \
                              in_step_ * sizeof(T) | out_step_ * sizeof(T)) %                                          \
                                 16 ==                                                                                 \
                             0;                                                                                        \
        const size_t width_ = aligned_ ? (size_t)name##_width_ : (size_t)cmk_transpose_any_width_;                     \
        const size_t height_ = aligned_ ? (size_t)name##_height_ : (size_t)name##_any_height_;                         \
        const size_t more_ = aligned_ ? 0 : (size_t)name##_sector_ - 1;                                                \
        const size_t down_ = (rows_ + more_ + height_ - 1) / height_, across_ = (columns_ + width_ - 1) / width_;      \
        const size_t any_bytes_ = sizeof(T) * name##_any_pitch_ * cmk_transpose_any_width_;                            \
        const size_t short_ = rows_ < columns_ ? rows_ : columns_, long_ = rows_ < columns_ ? columns_ : rows_;        \
        const size_t along_ = (long_ + cmk_transpose_any_threads_ - 1) / cmk_transpose_any_threads_;                   \
        cudaError_t error_ = cudaSuccess;                                                                              \
        if (rows_ == 0 || columns_ == 0 || count_ == 0) return cudaSuccess;                                            \
        if (!cmk_transpose_valid_(in_, in_pitch_, in_step_, columns_, rows_, out_, out_pitch_, out_step_, count_,      \
                                  sizeof(T)))                                                                          \
            return cudaErrorInvalidValue;                                                                              \
        if (aligned_ && name##_bytes_ > 49152)                                                                         \
            error_ = cudaFuncSetAttribute(name##_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, name##_bytes_);  \
        for (size_t done_ = 0; done_ < count_ && error_ == cudaSuccess; done_ += 65535) {                              \
            const int thin_ = short_ * sizeof(T) <= (rows_ < columns_ ? 32 : 64) && along_ < 0x7fffffff;               \
            const dim3 grid_ = dim3((unsigned)(thin_ ? along_ : down_ * across_),                                      \
                                    (unsigned)(count_ - done_ < 65535 ? count_ - done_ : 65535));                      \
            const T *const first_in_ = in_ + done_ * in_step_;                                                         \
            T *const first_out_ = out_ + done_ * out_step_;                                                            \
            if (thin_)                                                                                                 \
                error_ = CMK_LAUNCH(name##_kernel_thin, grid_, cmk_transpose_any_threads_, 0, stream_, first_in_,      \
                                    from_, first_out_, to_, (cmk_i64)rows_, (cmk_i64)columns_);                        \
            else if (aligned_)                                                                                         \
                error_ = CMK_LAUNCH(name##_kernel, grid_, name##_threads_, name##_bytes_, stream_, first_in_, from_,   \
                                    first_out_, to_, (cmk_i64)rows_, (cmk_i64)columns_, (unsigned)down_);              \
            else                                                                                                       \
                error_ =                                                                                               \
                    CMK_LAUNCH(name##_kernel_any, grid_, cmk_transpose_any_threads_, any_bytes_, stream_, first_in_,   \
                               from_, first_out_, to_, (cmk_i64)rows_, (cmk_i64)columns_, (unsigned)down_);            \
        }                                                                                                              \
        return error_;                                                                                                 \
    }                                                                                                                  \
    __attribute__((unused)) static inline cudaError_t name(const T *in_, size_t in_pitch_, T *out_, size_t out_pitch_, \
                                                           size_t rows_, size_t columns_, cudaStream_t stream_)        \
    {                                                                                                                  \
        return name##_batch(in_, in_pitch_, 0, out_, out_pitch_, 0, rows_, columns_, 1, stream_);                      \
    }

#define CMK_TRANSPOSE_IN_PLACE_(name, T)                                                                               \
    __attribute__((unused)) static inline cudaError_t name##_in_place(T *matrix_, size_t pitch_, size_t rows_,         \
                                                                      cudaStream_t stream_)                            \
    {                                                                                                                  \
        const int aligned_ = ((size_t)matrix_ | pitch_ * sizeof(T)) % 16 == 0;                                         \
        const size_t tiles_ = (rows_ + name##_edge_ - 1) / name##_edge_;                                               \
        const dim3 grid_ = dim3((unsigned)(4 * (tiles_ | 1)), (unsigned)((tiles_ + 7) / 8));                           \
        cudaError_t error_ = cudaSuccess;                                                                              \
        if (rows_ == 0) return cudaSuccess;                                                                            \
        if (matrix_ == NULL || (size_t)matrix_ % sizeof(T) != 0 ||                                                     \
            cmk_range_bytes_(pitch_, 0, rows_, rows_, 1, sizeof(T)) == 0)                                              \
            return cudaErrorInvalidValue;                                                                              \
        if (name##_square_bytes_ > 49152)                                                                              \
            error_ = cudaFuncSetAttribute(name##_square, cudaFuncAttributeMaxDynamicSharedMemorySize,                  \
                                          name##_square_bytes_);                                                       \
        if (error_ != cudaSuccess) return error_;                                                                      \
        return CMK_LAUNCH(name##_square, grid_, name##_square_threads_, name##_square_bytes_, stream_, matrix_,        \
                          (cmk_i64)pitch_, (cmk_i64)rows_, (cmk_i64)tiles_, aligned_);                                 \
    }

#define CMK_TRANSPOSE_VOLUME_(name, T)                                                                                 \
    static inline cudaError_t name##_swapped_(const T *in_, T *out_, size_t depth_, size_t height_, size_t width_,     \
                                              cudaStream_t stream_)                                                    \
    {                                                                                                                  \
        const size_t count_ = depth_ * height_ * width_;                                                               \
        const int aligned_ = ((size_t)in_ | (size_t)out_ | width_ * sizeof(T)) % 16 == 0;                              \
        const size_t chunks_ = (width_ + (aligned_ ? 0 : name##_lanes_ - 1) + name##_lanes_ - 1) / name##_lanes_;      \
        const size_t parts_ = (chunks_ - 1) / cmk_transpose_any_threads_ + 1, across_ = (chunks_ - 1) / parts_ + 1;    \
        const size_t most_ = cmk_transpose_any_threads_ / across_, down_ = height_ < most_ ? height_ : most_;          \
        const dim3 block_ = dim3((unsigned)across_, (unsigned)down_);                                                  \
        cudaError_t error_ = cudaSuccess;                                                                              \
        if (!cmk_transpose_valid_(in_, count_, 0, count_, 1, out_, 1, 0, 1, sizeof(T))) return cudaErrorInvalidValue;  \
        for (size_t y_ = 0; y_ < height_; y_ += 65535)                                                                 \
            for (size_t z_ = 0; z_ < depth_ && error_ == cudaSuccess; z_ += 65535) {                                   \
                const size_t rows_ = height_ - y_ < 65535 ? height_ - y_ : 65535;                                      \
                const size_t planes_ = depth_ - z_ < 65535 ? depth_ - z_ : 65535;                                      \
                const dim3 grid_ = dim3((unsigned)parts_, (unsigned)planes_, (unsigned)((rows_ - 1) / down_ + 1));     \
                error_ = CMK_LAUNCH(name##_swap, grid_, block_, 0, stream_, in_ + (z_ * height_ + y_) * width_,        \
                                    out_ + (y_ * depth_ + z_) * width_, (cmk_i64)depth_, (cmk_i64)height_,             \
                                    (cmk_i64)width_, (int)rows_, aligned_);                                            \
            }                                                                                                          \
        return error_;                                                                                                 \
    }                                                                                                                  \
    __attribute__((unused)) static inline cudaError_t name##_volume(                                                   \
        const T *in_, T *out_, size_t depth_, size_t height_, size_t width_, int axes_, cudaStream_t stream_)          \
    {                                                                                                                  \
        const size_t plane_ = height_ * width_;                                                                        \
        if (depth_ == 0 || height_ == 0 || width_ == 0) return cudaSuccess;                                            \
        if ((double)depth_ * (double)height_ * (double)width_ * (double)sizeof(T) > 9e18)                              \
            return cudaErrorInvalidValue;                                                                              \
        switch (axes_) {                                                                                               \
        case CMK_TRANSPOSE_ZXY:                                                                                        \
            return name##_batch(in_, width_, plane_, out_, height_, plane_, height_, width_, depth_, stream_);         \
        case CMK_TRANSPOSE_YZX:                                                                                        \
            if (width_ == 1) return name(in_, height_, out_, depth_, depth_, height_, stream_);                        \
            return name##_swapped_(in_, out_, depth_, height_, width_, stream_);                                       \
        case CMK_TRANSPOSE_YXZ:                                                                                        \
            return name(in_, plane_, out_, depth_, depth_, plane_, stream_);                                           \
        case CMK_TRANSPOSE_XZY:                                                                                        \
            return name(in_, width_, out_, depth_ * height_, depth_ * height_, width_, stream_);                       \
        case CMK_TRANSPOSE_XYZ:                                                                                        \
            return name##_batch(in_, plane_, width_, out_, height_ * depth_, depth_, depth_, width_, height_,          \
                                stream_);                                                                              \
        default:                                                                                                       \
            return cudaErrorInvalidValue;                                                                              \
        }                                                                                                              \
    }

static inline int cmk_transpose_valid_(const void *in_, size_t in_pitch_, size_t in_step_, size_t columns_,
                                       size_t rows_, const void *out_, size_t out_pitch_, size_t out_step_,
                                       size_t count_, size_t size_)
{
    const size_t read_ = cmk_range_bytes_(in_pitch_, in_step_, columns_, rows_, count_, size_);
    const size_t written_ = cmk_range_bytes_(out_pitch_, out_step_, rows_, columns_, count_, size_);
    return cmk_range_apart_(in_, read_, size_, out_, written_, size_);
}

#else

#define CMK_TRANSPOSE_LAUNCHER_(name, T)
#define CMK_TRANSPOSE_IN_PLACE_(name, T)
#define CMK_TRANSPOSE_VOLUME_(name, T)

#endif

#endif
