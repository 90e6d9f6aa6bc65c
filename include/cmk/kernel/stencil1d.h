/* stencil1d.h: a complete 1D stencil, at the speed of a copy up to a radius of 32 bytes.
 *
 *   CMK_DEFINE_STENCIL1D(name, T, RADIUS, BODY, TABLE, EDGE);      at file scope
 *   cudaError_t name(const T *in, T *out, size_t count, TABLE_table table, cudaStream_t stream);
 *
 * defines out[i] = BODY over in[i - RADIUS .. i + RADIUS] for every i from 0 to count - 1.
 *   T             float, double, or another arithmetic type whose size divides 16
 *   RADIUS        0 to 32
 *   BODY          CMK_STENCIL_1D, CMK_STENCIL_1D_SYMMETRIC, CMK_STENCIL_1D_ANTISYMMETRIC, or one of yours
 *   TABLE         the name of a table of table.h, from any source; table is that name, or a slot of it
 *   EDGE          CMK_EDGE_ZERO, CMK_EDGE_CLAMP or another edge of edge.h
 * in and out are device memory. Any count and any alignment of T is right; in and out at equal distances from
 * a multiple of 16 bytes are fastest. The call returns before the kernel has run. It returns
 * cudaErrorInvalidValue, with nothing launched, for a null or misaligned pointer, for ranges that overlap, and
 * for a count whose bytes exceed the address space; a count of 0 is right and launches nothing.
 *
 *   CMK_TABLE_VALUES(CONSTANT, float, weights, [5], 0.2f, 0.16f, 0.12f, 0.08f, 0.04f);
 *   CMK_DEFINE_STENCIL1D(smooth, float, 4, CMK_STENCIL_1D_SYMMETRIC, weights, CMK_EDGE_CLAMP);
 *   CMK_CHECK(smooth(in, out, count, weights, stream)); */
#ifndef CMK_KERNEL_STENCIL1D_H
#define CMK_KERNEL_STENCIL1D_H

#include "../base.h"
#include "../edge.h"
#include "../load.h"
#include "../stencil.h"
#include "../table.h"

/* CMK_DEFINE_STENCIL1D(smooth, float, 4, BODY, weights, EDGE); generates
 *
 *   enum { smooth_lanes_ = 4, smooth_outputs_ = 4, smooth_reach_ = 4 };
 *   static void smooth_window_(float *window, const float *in, cmk_i64 first, cmk_i64 count, int aligned);
 *   static void smooth_save_(float *out, const float *sums, cmk_i64 first, cmk_i64 count);
 *   __global__ void smooth_kernel(const float *in, float *out, cmk_i64 count, int head, int aligned,
 *                                 weights_table table);
 *   cudaError_t smooth(const float *in, float *out, size_t count, weights_table table, cudaStream_t stream);
 *
 * A thread computes the outputs that start at a multiple of 16 bytes (lanes elements): one such vector, or two
 * where the radius exceeds 32 bytes (on an H200, float: 86 % of the copy in place of 72 % at radius 16, but 93 % in
 * place of 99 % at radius 4). The first thread begins head elements before out. It reads the window of those
 * outputs, reach elements more on each side, as whole vectors into registers: what its neighbours read too comes
 * from the L1 cache. */
#define CMK_DEFINE_STENCIL1D(name, T, RADIUS, BODY, TABLE, EDGE)                                                       \
    CMK_STATIC_ASSERT((RADIUS) >= 0 && (RADIUS) <= 32, "cmk: CMK_DEFINE_STENCIL1D: RADIUS must be from 0 to 32");      \
    CMK_STATIC_ASSERT(16 % sizeof(T) == 0, "cmk: CMK_DEFINE_STENCIL1D: the size of T must divide 16 bytes");           \
    enum {                                                                                                             \
        name##_lanes_ = 16 / sizeof(T),                                                                                \
        name##_outputs_ = (RADIUS) * sizeof(T) > 32 ? 2 * name##_lanes_ : name##_lanes_,                               \
        name##_reach_ = ((RADIUS) + name##_lanes_ - 1) / name##_lanes_ * name##_lanes_                                 \
    };                                                                                                                 \
    CMK_STENCIL1D_WINDOW_(name, T, EDGE)                                                                               \
    CMK_STENCIL1D_SAVE_(name, T)                                                                                       \
    CMK_STENCIL1D_KERNEL_(name, T, RADIUS, BODY, TABLE)                                                                \
    CMK_STENCIL1D_LAUNCHER_(name, T, TABLE)                                                                            \
    CMK_SEMICOLON_

enum { cmk_stencil1d_threads_ = 256 };

#define CMK_STENCIL1D_AT_(i) CMK_LDG(&in_[i])

/* window[k] = in[first - reach + k], treated by EDGE outside the domain */
#define CMK_STENCIL1D_WINDOW_(name, T, EDGE)                                                                           \
    static __device__ __forceinline__ void name##_window_(T *window_, const T *in_, cmk_i64 first_, cmk_i64 count_,    \
                                                          int aligned_)                                                \
    {                                                                                                                  \
        enum { size_ = name##_outputs_ + 2 * name##_reach_ };                                                          \
        const cmk_i64 start_ = first_ - name##_reach_;                                                                 \
        if (aligned_ && start_ >= 0 && start_ + size_ <= count_) {                                                     \
            CMK_UNROLL                                                                                                 \
            for (int k_ = 0; k_ < size_; k_ += name##_lanes_) CMK_LOAD_16(READ_ONLY, &window_[k_], &in_[start_ + k_]); \
        } else {                                                                                                       \
            CMK_UNROLL                                                                                                 \
            for (int k_ = 0; k_ < size_; ++k_) {                                                                       \
                const cmk_i64 at_ = start_ + k_;                                                                       \
                window_[k_] = CMK_EDGE_SAMPLE(EDGE, CMK_STENCIL1D_AT_, at_, count_);                                   \
            }                                                                                                          \
        }                                                                                                              \
    }

/* out[first + j] = sums[j] inside the domain; out + first is a multiple of 16 bytes */
#define CMK_STENCIL1D_SAVE_(name, T)                                                                                   \
    static __device__ __forceinline__ void name##_save_(T *out_, const T *sums_, cmk_i64 first_, cmk_i64 count_)       \
    {                                                                                                                  \
        if (first_ >= 0 && first_ + name##_outputs_ <= count_) {                                                       \
            CMK_UNROLL                                                                                                 \
            for (int j_ = 0; j_ < name##_outputs_; j_ += name##_lanes_)                                                \
                CMK_STORE_16(PLAIN, &out_[first_ + j_], &sums_[j_]);                                                   \
        } else {                                                                                                       \
            CMK_UNROLL                                                                                                 \
            for (int j_ = 0; j_ < name##_outputs_; ++j_)                                                               \
                if (first_ + j_ >= 0 && first_ + j_ < count_) CMK_STORE(&out_[first_ + j_], sums_[j_]);                \
        }                                                                                                              \
    }

/* the sample accessor of BODY: offset d from output j of the thread's window */
#define CMK_STENCIL1D_SAMPLE_(d) cmk_window_[cmk_centre_ + (d)]

#define CMK_STENCIL1D_KERNEL_(name, T, RADIUS, BODY, TABLE)                                                            \
    CMK_STATIC_ __global__ void __launch_bounds__(cmk_stencil1d_threads_)                                              \
        name##_kernel(const T *__restrict__ in_, T *__restrict__ out_, cmk_i64 count_, int head_, int aligned_,        \
                      CMK_TABLE_PARAMETER_AS_(TABLE, cmk_table_))                                                      \
    {                                                                                                                  \
        const cmk_i64 thread_ = (cmk_i64)blockIdx.x * cmk_stencil1d_threads_ + (cmk_i64)threadIdx.x;                   \
        const cmk_i64 first_ = thread_ * name##_outputs_ - head_;                                                      \
        T cmk_window_[name##_outputs_ + 2 * name##_reach_], sums_[name##_outputs_];                                    \
        name##_window_(cmk_window_, in_, first_, count_, aligned_);                                                    \
        CMK_UNROLL                                                                                                     \
        for (int cmk_centre_ = name##_reach_; cmk_centre_ < name##_reach_ + name##_outputs_; ++cmk_centre_) {          \
            T sum_ = 0;                                                                                                \
            BODY(sum_, RADIUS, TABLE##_get_ CMK_TABLE_OF_KERNEL_, CMK_STENCIL1D_SAMPLE_);                              \
            sums_[cmk_centre_ - name##_reach_] = sum_;                                                                 \
        }                                                                                                              \
        name##_save_(out_, sums_, first_, count_);                                                                     \
    }

#if CMK_HAS_HOST_

#define CMK_STENCIL1D_LAUNCHER_(name, T, TABLE)                                                                        \
    __attribute__((unused)) static inline cudaError_t name(const T *in_, T *out_, size_t count_, TABLE##_table table_, \
                                                           cudaStream_t stream_)                                       \
    {                                                                                                                  \
        const int head_ = CMK_LOAD_HEAD(out_, 16);                                                                     \
        const int aligned_ = (size_t)in_ % 16 == (size_t)out_ % 16;                                                    \
        if (count_ == 0) return cudaSuccess;                                                                           \
        if (!cmk_stencil1d_ranges_valid_(in_, out_, count_, sizeof(T))) return cudaErrorInvalidValue;                  \
        return CMK_LAUNCH(name##_kernel, cmk_stencil1d_blocks_(count_ + (size_t)head_, name##_outputs_),               \
                          cmk_stencil1d_threads_, 0, stream_, in_, out_, (cmk_i64)count_, head_, aligned_, table_);    \
    }

static inline int cmk_stencil1d_ranges_valid_(const void *in_, const void *out_, size_t count_, size_t size_)
{
    const size_t from_ = (size_t)in_, to_ = (size_t)out_;
    const size_t distance_ = from_ > to_ ? from_ - to_ : to_ - from_;
    const size_t most_ = (size_t)-1 / 2 / size_;
    return from_ != 0 && to_ != 0 && from_ % size_ == 0 && to_ % size_ == 0 && count_ <= most_ &&
           distance_ >= count_ * size_;
}

static inline unsigned cmk_stencil1d_blocks_(size_t count_, int outputs_)
{
    const size_t each_ = (size_t)cmk_stencil1d_threads_ * (size_t)outputs_;
    return (unsigned)((count_ + each_ - 1) / each_);
}

#else

#define CMK_STENCIL1D_LAUNCHER_(name, T, TABLE)

#endif

#endif
