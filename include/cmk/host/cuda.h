/* host/cuda.h: CUDA's vocabulary for a C compiler: qualifiers, dim3, vector types, built-in indices, small
 * intrinsics. The names and layouts are CUDA's; nothing here is cmk's own.
 *
 * `__shared__` and `__constant__` work as storage. A plain `__shared__` array is not checked and keeps its
 * values from block to block: CMK_TILE is the checked spelling. `__noinline__` stays undefined, because the
 * C++ library uses that word for an attribute of its own. */
#include "../base.h"
#ifndef CMK_HOST_CUDA_H
#define CMK_HOST_CUDA_H

/* By it a `__device__` variable is told from the host's (variable.h). */
#define CMK_HOST_VARIABLE_ALIGN_ 1024

#define __global__ __attribute__((unused))
#define __device__ __attribute__((unused, aligned(CMK_HOST_VARIABLE_ALIGN_)))
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __constant__ __device__
#define __shared__ static __thread __attribute__((unused))
enum { warpSize = 32 };

#define CMK_HOST_VECTORS_(scalar_, name_, align2_, align4_)                                                  \
    typedef struct name_##1                                                                                  \
    {                                                                                                        \
        scalar_ x;                                                                                           \
    }                                                                                                        \
    name_##1;                                                                                                \
    typedef struct __attribute__((aligned(align2_))) name_##2                                                \
    {                                                                                                        \
        scalar_ x, y;                                                                                        \
    }                                                                                                        \
    name_##2;                                                                                                \
    typedef struct name_##3                                                                                  \
    {                                                                                                        \
        scalar_ x, y, z;                                                                                     \
    }                                                                                                        \
    name_##3;                                                                                                \
    typedef struct __attribute__((aligned(align4_))) name_##4                                                \
    {                                                                                                        \
        scalar_ x, y, z, w;                                                                                  \
    }                                                                                                        \
    name_##4;                                                                                                \
    static inline name_##1 make_##name_##1(scalar_ x_)                                                       \
    {                                                                                                        \
        name_##1 vector_ = {x_};                                                                             \
        return vector_;                                                                                      \
    }                                                                                                        \
    static inline name_##2 make_##name_##2(scalar_ x_, scalar_ y_)                                           \
    {                                                                                                        \
        name_##2 vector_ = {x_, y_};                                                                         \
        return vector_;                                                                                      \
    }                                                                                                        \
    static inline name_##3 make_##name_##3(scalar_ x_, scalar_ y_, scalar_ z_)                               \
    {                                                                                                        \
        name_##3 vector_ = {x_, y_, z_};                                                                     \
        return vector_;                                                                                      \
    }                                                                                                        \
    static inline name_##4 make_##name_##4(scalar_ x_, scalar_ y_, scalar_ z_, scalar_ w_)                   \
    {                                                                                                        \
        name_##4 vector_ = {x_, y_, z_, w_};                                                                 \
        return vector_;                                                                                      \
    }                                                                                                        \
    CMK_STATIC_ASSERT(sizeof(name_##4) == 4 * sizeof(scalar_), "CUDA's vector types have no gaps")

CMK_HOST_VECTORS_(signed char, char, 2, 4);
CMK_HOST_VECTORS_(unsigned char, uchar, 2, 4);
CMK_HOST_VECTORS_(short, short, 4, 8);
CMK_HOST_VECTORS_(unsigned short, ushort, 4, 8);
CMK_HOST_VECTORS_(int, int, 8, 16);
CMK_HOST_VECTORS_(unsigned, uint, 8, 16);
CMK_HOST_VECTORS_(long long, longlong, 16, 16);
CMK_HOST_VECTORS_(unsigned long long, ulonglong, 16, 16);
CMK_HOST_VECTORS_(float, float, 8, 16);
CMK_HOST_VECTORS_(double, double, 16, 16);

/* dim3(4, 2) is an expression in C too; `dim3 grid;` alone leaves the members indeterminate there. */
#if defined(__cplusplus)
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 size_) : x(size_.x), y(size_.y), z(size_.z) {}
    constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
};
#else
typedef uint3 dim3;
#define dim3(...) CMK_HOST_DIM3_(__VA_ARGS__, 1, 1, 1)
#define CMK_HOST_DIM3_(x_, y_, z_, ...) ((dim3){(unsigned)(x_), (unsigned)(y_), (unsigned)(z_)})
#endif

/* Real variables, one set for each OS thread: a debugger prints them and breaks on threadIdx.x == 5. */
CMK_HOST_C_BEGIN_
CMK_HOST_ONE_ __thread uint3 threadIdx;
CMK_HOST_ONE_ __thread uint3 blockIdx;
CMK_HOST_ONE_ __thread dim3 blockDim;
CMK_HOST_ONE_ __thread dim3 gridDim;
CMK_HOST_C_END_

#define __threadfence() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define __threadfence_block() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define __threadfence_system() __atomic_thread_fence(__ATOMIC_SEQ_CST)

static inline int __popc(unsigned bits_)
{
    return __builtin_popcount(bits_);
}

static inline int __popcll(unsigned long long bits_)
{
    return __builtin_popcountll(bits_);
}

static inline int __clz(int bits_)
{
    return bits_ == 0 ? 32 : __builtin_clz((unsigned)bits_);
}

static inline int __clzll(long long bits_)
{
    return bits_ == 0 ? 64 : __builtin_clzll((unsigned long long)bits_);
}

static inline int __ffs(int bits_)
{
    return __builtin_ffs(bits_);
}

static inline int __ffsll(long long bits_)
{
    return __builtin_ffsll(bits_);
}

static inline unsigned __brev(unsigned bits_)
{
    bits_ = (bits_ >> 1 & 0x55555555u) | (bits_ & 0x55555555u) << 1;
    bits_ = (bits_ >> 2 & 0x33333333u) | (bits_ & 0x33333333u) << 2;
    bits_ = (bits_ >> 4 & 0x0f0f0f0fu) | (bits_ & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(bits_);
}

static inline int __float_as_int(float value_)
{
    int bits_;
    memcpy(&bits_, &value_, sizeof bits_);
    return bits_;
}

static inline float __int_as_float(int bits_)
{
    float value_;
    memcpy(&value_, &bits_, sizeof value_);
    return value_;
}

static inline float __fmaf_rn(float factor1_, float factor2_, float addend_)
{
    return fmaf(factor1_, factor2_, addend_);
}

static inline float rsqrtf(float value_)
{
    return 1.0f / sqrtf(value_);
}

#endif
