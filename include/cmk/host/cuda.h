/* host/cuda.h: CUDA's vocabulary for a C compiler: qualifiers, dim3, vector types, built-in indices and small
 * intrinsics. The names and layouts are those of CUDA; nothing here is cmk's own.
 *
 * `__shared__` and `__constant__` work as storage. A plain `__shared__` array keeps its values from block to block, and
 * only AddressSanitizer checks accesses to it. CMK_TILE is the checked way. `__noinline__` stays undefined, because the
 * C++ library uses that word for an attribute of its own. */
#include "../base.h"
#ifndef CMK_HOST_CUDA_H
#define CMK_HOST_CUDA_H

/* This alignment distinguishes a `__device__` variable from one of the host (variable.h). */
#define CMK_HOST_VARIABLE_ALIGN_ 1024

#define __global__ __attribute__((unused))
#define __device__ __attribute__((unused, aligned(CMK_HOST_VARIABLE_ALIGN_)))
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __constant__ __device__
#if CMK_HOST_ASAN_ /* it knows no bounds of thread-local variables: blocks run on one core (pool.h) */
#define __shared__ static __attribute__((unused))
#else
#define __shared__ static __thread __attribute__((unused))
#endif
enum { warpSize = 32 };

/* clang-format off */
#define CMK_HOST_VECTOR_(name, alignment, members, parameters, ...)                             \
    typedef struct __attribute__((aligned(alignment))) name { CMK_LIST_ members } name;         \
    static inline name make_##name parameters { name vector = {__VA_ARGS__}; return vector; }
#define CMK_HOST_VECTORS_(T, name, align2, align4)                                              \
    CMK_HOST_VECTOR_(name##1, sizeof(T), (T x;), (T x), x)                                      \
    CMK_HOST_VECTOR_(name##2, align2, (T x, y;), (T x, T y), x, y)                              \
    CMK_HOST_VECTOR_(name##3, sizeof(T), (T x, y, z;), (T x, T y, T z), x, y, z)                \
    CMK_HOST_VECTOR_(name##4, align4, (T x, y, z, w;), (T x, T y, T z, T w), x, y, z, w)        \
    CMK_STATIC_ASSERT(sizeof(name##4) == 4 * sizeof(T), "CUDA's vector types have no gaps")
/* clang-format on */

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

/* dim3(4, 2) is an expression in C too. In C `dim3 grid;` alone leaves the members indeterminate. */
#if defined(__cplusplus)
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
    constexpr dim3(uint3 size_) : x(size_.x), y(size_.y), z(size_.z)
    {
    }
    constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
};
#else
typedef uint3 dim3;
#define dim3(...) CMK_HOST_DIM3_(__VA_ARGS__, 1, 1, 1)
#define CMK_HOST_DIM3_(x, y, z, ...) ((dim3){(unsigned)(x), (unsigned)(y), (unsigned)(z)})
#endif

/* The built-in indices are real variables, one set for each OS thread. A debugger prints them and can break on
 * threadIdx.x == 5. */
CMK_HOST_C_BEGIN_
CMK_HOST_ONE_ __thread uint3 threadIdx;
CMK_HOST_ONE_ __thread uint3 blockIdx;
CMK_HOST_ONE_ __thread dim3 blockDim;
CMK_HOST_ONE_ __thread dim3 gridDim;
CMK_HOST_ONE_ char cmk_host_fenced_;

/* ThreadSanitizer does not understand fences. For it, all threads meet at one address. */
static inline void cmk_host_fence_(void)
{
#if CMK_HOST_TSAN_
    __tsan_acquire(&cmk_host_fenced_);
    __tsan_release(&cmk_host_fenced_);
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
CMK_HOST_C_END_

static inline int __popc(unsigned bits)
{
    return __builtin_popcount(bits);
}

static inline int __popcll(unsigned long long bits)
{
    return __builtin_popcountll(bits);
}

static inline int __clz(int bits)
{
    return bits == 0 ? 32 : __builtin_clz((unsigned)bits);
}

static inline int __clzll(long long bits)
{
    return bits == 0 ? 64 : __builtin_clzll((unsigned long long)bits);
}

static inline int __ffs(int bits)
{
    return __builtin_ffs(bits);
}

static inline int __ffsll(long long bits)
{
    return __builtin_ffsll(bits);
}

static inline unsigned __brev(unsigned bits)
{
    bits = (bits >> 1 & 0x55555555u) | (bits & 0x55555555u) << 1;
    bits = (bits >> 2 & 0x33333333u) | (bits & 0x33333333u) << 2;
    bits = (bits >> 4 & 0x0f0f0f0fu) | (bits & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(bits);
}

static inline int __float_as_int(float value)
{
    int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float __int_as_float(int bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float __fmaf_rn(float factor1, float factor2, float addend)
{
    return fmaf(factor1, factor2, addend);
}

#define rsqrtf cmk_host_rsqrtf_ /* newer C libraries have a function of this name */
static inline float rsqrtf(float value)
{
    return 1.0f / sqrtf(value);
}

#endif
