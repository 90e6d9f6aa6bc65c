/* transpose.h: transposes of matrices of any size and pitch; fastest where the rows of both are aligned to 16 bytes.
 *
 *   CMK_DEFINE_TRANSPOSE(name, T);      at file scope
 *   cudaError_t name(const T *in, size_t in_pitch, T *out, size_t out_pitch, size_t rows, size_t columns,
 *                    cudaStream_t stream);
 *   cudaError_t name_batch(const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch, size_t out_step,
 *                          size_t rows, size_t columns, size_t count, cudaStream_t stream);
 *
 * defines out[c * out_pitch + r] = in[r * in_pitch + c] for every row r < rows and column c < columns; of a batch, for
 * count matrices, in_step and out_step elements apart. T has 1, 2, 4, 8 or 16 bytes; pitches count elements. What lies
 * between the rows is neither read nor written. Strided axes of a volume are batches: volume[z][y][x] becomes
 * out[x][y][z] as count = Y matrices of Z rows, in_pitch Y * X, in_step X, out_pitch Y * Z, out_step Z.
 *
 * The call returns before the kernel has run. It returns cudaErrorInvalidValue, with nothing launched, for a null or
 * misaligned pointer, a pitch below the width, sizes whose bytes exceed the address space, and for ranges of in and out
 * that overlap; no rows, columns or matrices is right and launches nothing.
 *
 *   CMK_DEFINE_TRANSPOSE(transpose, float);
 *   CMK_CHECK(transpose(in, columns, out, rows, rows, columns, stream)); */
#ifndef CMK_KERNEL_TRANSPOSE_H
#define CMK_KERNEL_TRANSPOSE_H

#include "../base.h"
#include "../load.h"
#include "../tile.h"

/* CMK_DEFINE_TRANSPOSE(transpose, float); generates
 *
 *   enum { transpose_lanes_ = 4, ... };                       the sizes of its tiles
 *   typedef struct { float e_[4]; } transpose_chunk_;         16 bytes
 *   typedef struct { float e_[1]; } transpose_piece_;         4 bytes, or one wider element
 *   __global__ void transpose_kernel(...);                    rows aligned to 16 bytes: by 16 bytes on both sides
 *   __global__ void transpose_kernel_any(...);                others: by element, in whole sectors of the output
 *   cudaError_t transpose_batch(...);  cudaError_t transpose(...);
 *
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
    CMK_TRANSPOSE_LAUNCHER_(name, T)                                                                                   \
    CMK_SEMICOLON_

typedef struct {
    cmk_i64 pitch_, step_; /* elements */
} cmk_transpose_side_;

enum { cmk_transpose_any_width_ = 64, cmk_transpose_any_threads_ = 256 };

/* A tile of width columns and height rows. A thread loads 16 bytes of each of stack neighbouring rows, and writes them
 * to shared memory as one piece (stack elements of a column) for each of its columns. There a column of the tile is a
 * row of 16-byte chunks, which the second half reads whole and stores. Chunk c of column x lies at c ^ (x / lanes % 8):
 * the 32 pieces that a warp writes at once, of 8 chunks by 4 stacks, then lie in 32 banks, and so do 8 chunks of a row.
 * Blocks walk down the columns of the input, so that neighbours write neighbouring parts of the same rows. */
#define CMK_TRANSPOSE_KERNEL_(name, T)                                                                                 \
    CMK_STATIC_ __global__ void __launch_bounds__(name##_threads_)                                                     \
        name##_kernel(const T *__restrict__ in_, cmk_transpose_side_ from_, T *__restrict__ out_,                      \
                      cmk_transpose_side_ to_, cmk_i64 rows_, cmk_i64 columns_, unsigned down_)                        \
    {                                                                                                                  \
        enum {                                                                                                         \
            wide_ = name##_width_ / name##_lanes_,                                                                     \
            high_ = name##_height_ / name##_lanes_,                                                                    \
            each_ = wide_ * name##_height_ / name##_stack_ / name##_threads_,                                          \
            stored_ = name##_width_ * high_ / name##_threads_                                                          \
        };                                                                                                             \
        CMK_TILE_DYNAMIC(name##_chunk_, tile_);                                                                        \
        const cmk_i64 left_ = (cmk_i64)(blockIdx.x / down_) * name##_width_;                                           \
        const cmk_i64 top_ = (cmk_i64)(blockIdx.x % down_) * name##_height_;                                           \
        const int whole_ = left_ + name##_width_ <= columns_ && top_ + name##_height_ <= rows_;                        \
        T v_[each_][name##_stack_][name##_lanes_];                                                                     \
        in_ += blockIdx.y * from_.step_ + top_ * from_.pitch_;                                                         \
        out_ += blockIdx.y * to_.step_ + left_ * to_.pitch_;                                                           \
        CMK_UNROLL                                                                                                     \
        for (int k_ = 0; k_ < each_; ++k_) {                                                                           \
            const int x_ = CMK_TRANSPOSE_CHUNK_(name, k_) * name##_lanes_;                                             \
            const int y_ = CMK_TRANSPOSE_STACK_(name, k_) * name##_stack_;                                             \
            CMK_UNROLL                                                                                                 \
            for (int r_ = 0; r_ < name##_stack_; ++r_) {                                                               \
                if (whole_)                                                                                            \
                    CMK_LOAD_16(READ_ONLY, v_[k_][r_], &in_[(y_ + r_) * from_.pitch_ + left_ + x_]);                   \
                else if (top_ + y_ + r_ < rows_)                                                                       \
                    CMK_LOAD_PART(READ_ONLY, 16, v_[k_][r_], &in_[(y_ + r_) * from_.pitch_], left_ + x_, columns_);    \
            }                                                                                                          \
        }                                                                                                              \
        CMK_UNROLL                                                                                                     \
        for (int k_ = 0; k_ < each_; ++k_) {                                                                           \
            const int chunk_ = CMK_TRANSPOSE_CHUNK_(name, k_), y_ = CMK_TRANSPOSE_STACK_(name, k_) * name##_stack_;    \
            CMK_UNROLL                                                                                                 \
            for (int j_ = 0; j_ < name##_lanes_; ++j_) {                                                               \
                name##_chunk_ *const at_ =                                                                             \
                    &tile_[(chunk_ * name##_lanes_ + j_) * high_ + (y_ / name##_lanes_ ^ chunk_ % 8)];                 \
                name##_piece_ piece_;                                                                                  \
                CMK_UNROLL                                                                                             \
                for (int r_ = 0; r_ < name##_stack_; ++r_) piece_.e_[r_] = v_[k_][r_][j_];                             \
                CMK_STORE((name##_piece_ *)at_ + y_ % name##_lanes_ / name##_stack_, piece_);                          \
            }                                                                                                          \
        }                                                                                                              \
        __syncthreads();                                                                                               \
        CMK_UNROLL                                                                                                     \
        for (int k_ = 0; k_ < stored_; ++k_) {                                                                         \
            const int m_ = (int)threadIdx.x + k_ * name##_threads_, x_ = m_ / high_, c_ = m_ % high_;                  \
            const name##_chunk_ chunk_ = CMK_LOAD(&tile_[x_ * high_ + (c_ ^ x_ / name##_lanes_ % 8)]);                 \
            if (whole_)                                                                                                \
                CMK_STORE_16(PLAIN, &out_[x_ * to_.pitch_ + top_ + c_ * name##_lanes_], chunk_.e_);                    \
            else if (left_ + x_ < columns_)                                                                            \
                CMK_STORE_PART(PLAIN, 16, &out_[x_ * to_.pitch_], top_ + c_ * name##_lanes_, rows_, chunk_.e_);        \
        }                                                                                                              \
    }

/* the k-th chunk of a row and stack of rows of a thread: a warp covers 8 chunks of 4 stacks */
#define CMK_TRANSPOSE_TASK_(name, k) (((int)threadIdx.x + (k)*name##_threads_) / 32)
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
            if (m_ < stored_ && (INSIDE))                                                                              \
                CMK_STORE(&to_row_[row_], CMK_LOAD(&tile_[x_ * name##_any_pitch_ + name##_sector_ - shift_ + y_]));    \
        }                                                                                                              \
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
        cudaError_t error_ = cudaSuccess;                                                                              \
        if (rows_ == 0 || columns_ == 0 || count_ == 0) return cudaSuccess;                                            \
        if (!cmk_transpose_valid_(in_, in_pitch_, in_step_, columns_, rows_, out_, out_pitch_, out_step_, count_,      \
                                  sizeof(T)))                                                                          \
            return cudaErrorInvalidValue;                                                                              \
        if (aligned_ && name##_bytes_ > 49152)                                                                         \
            error_ = cudaFuncSetAttribute(name##_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, name##_bytes_);  \
        for (size_t done_ = 0; done_ < count_ && error_ == cudaSuccess; done_ += 65535) {                              \
            const dim3 grid_ =                                                                                         \
                dim3((unsigned)(down_ * across_), (unsigned)(count_ - done_ < 65535 ? count_ - done_ : 65535));        \
            const T *const first_in_ = in_ + done_ * in_step_;                                                         \
            T *const first_out_ = out_ + done_ * out_step_;                                                            \
            if (aligned_)                                                                                              \
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

/* the bytes from the first element of a batch to behind its last, 0 when they exceed half of the address space */
static inline size_t cmk_transpose_extent_(size_t pitch_, size_t step_, size_t width_, size_t height_, size_t count_,
                                           size_t size_)
{
    const double bytes_ =
        ((double)pitch_ * (double)(height_ - 1) + (double)step_ * (double)(count_ - 1) + (double)width_) *
        (double)size_;
    if (bytes_ > 9e18 || pitch_ < width_) return 0;
    return (pitch_ * (height_ - 1) + step_ * (count_ - 1) + width_) * size_;
}

static inline int cmk_transpose_valid_(const void *in_, size_t in_pitch_, size_t in_step_, size_t columns_,
                                       size_t rows_, const void *out_, size_t out_pitch_, size_t out_step_,
                                       size_t count_, size_t size_)
{
    const size_t from_ = (size_t)in_, to_ = (size_t)out_;
    const size_t read_ = cmk_transpose_extent_(in_pitch_, in_step_, columns_, rows_, count_, size_);
    const size_t written_ = cmk_transpose_extent_(out_pitch_, out_step_, rows_, columns_, count_, size_);
    return from_ != 0 && to_ != 0 && from_ % size_ == 0 && to_ % size_ == 0 && read_ > 0 && written_ > 0 &&
           (from_ > to_ ? from_ - to_ >= written_ : to_ - from_ >= read_);
}

#else

#define CMK_TRANSPOSE_LAUNCHER_(name, T)

#endif

#endif
