/* host/intrinsics.h: functions of CUDA's device code whose names are common words or names of the C library: min and
 * max, __expf, clock64. base.h leaves these names to the program. The headers of toolkit/ include this file, and so may
 * any program; for a CUDA compiler, which knows the names, it is empty.
 *
 * What CUDA approximates is exact here to the last place of the C library. This is within the bounds that CUDA
 * documents. */
#include "../base.h"
#if !defined(CMK_HOST_INTRINSICS_H) && !defined(__CUDACC__)
#define CMK_HOST_INTRINSICS_H

/* ---- Approximate functions. The C library declares some of these names itself. */
#define __expf(x) expf(x)
#define __exp10f(x) powf(10.0f, (x))
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __tanhf(x) tanhf(x)
#define __powf(x, y) powf((x), (y))
#define __sincosf(x, sine, cosine) cmk_host_sincosf_((x), (sine), (cosine))
#define __fdividef(x, y) cmk_host_fdividef_((x), (y))
#define __saturatef(x) cmk_host_saturatef_(x)
#define sinpif cmk_host_sinpif_ /* this and the next: only newer C libraries */
#define cospif cmk_host_cospif_
#define sinpi cmk_host_sinpi_
#define cospi cmk_host_cospi_
#define rsqrt cmk_host_rsqrt_

#if !defined(_GNU_SOURCE) /* otherwise the C library has them */
#define sincosf(x, sine, cosine) cmk_host_sincosf_((x), (sine), (cosine))
#define sincos(x, sine, cosine) cmk_host_sincos_((x), (sine), (cosine))
#define exp10f(x) powf(10.0f, (x))
#define exp10(x) pow(10.0, (x))
#endif

/* ---- Operations that name a direction of rounding. The processor rounds to the nearest, so only this one is here. */
#define __fadd_rn(x, y) ((float)(x) + (float)(y))
#define __fsub_rn(x, y) ((float)(x) - (float)(y))
#define __fmul_rn(x, y) ((float)(x) * (float)(y))
#define __fdiv_rn(x, y) ((float)(x) / (float)(y))
#define __frcp_rn(x) (1.0f / (float)(x))
#define __fsqrt_rn(x) sqrtf(x)
#define __frsqrt_rn(x) ((float)(1.0 / sqrt((double)(float)(x))))
#define __dadd_rn(x, y) ((double)(x) + (double)(y))
#define __dsub_rn(x, y) ((double)(x) - (double)(y))
#define __dmul_rn(x, y) ((double)(x) * (double)(y))
#define __ddiv_rn(x, y) ((double)(x) / (double)(y))
#define __drcp_rn(x) (1.0 / (double)(x))
#define __dsqrt_rn(x) sqrt(x)
#define __fma_rn(x, y, z) fma((x), (y), (z))

CMK_HOST_C_BEGIN_

static inline float cmk_host_saturatef_(float x)
{
    return x > 0.0f ? x < 1.0f ? x : 1.0f : 0.0f;
}

/* As CUDA defines it, a divisor between 2^126 and 2^128 gives 0. */
static inline float cmk_host_fdividef_(float x, float y)
{
    const float size = fabsf(y);
    if (size > 0x1p126f && size <= 0x1.fffffep127f) return isinf(x) ? x - x : copysignf(0.0f, copysignf(1.0f, x) * y);
    return x / y;
}

static inline void cmk_host_sincosf_(float x, float *sine, float *cosine)
{
    *sine = sinf(x);
    *cosine = cosf(x);
}

static inline void cmk_host_sincos_(double x, double *sine, double *cosine)
{
    *sine = sin(x);
    *cosine = cos(x);
}

/* sin(pi x). x is first reduced to a quarter of a period, so that whole numbers give 0. */
static inline double sinpi(double x)
{
    const double turn = x - 2.0 * floor(x / 2.0); /* from 0 to 2 */
    const double half = turn > 1.0 ? turn - 1.0 : turn, sign = turn > 1.0 ? -1.0 : 1.0;
    if (x == 0.0 || half == 0.0 || half == 1.0) return copysign(0.0, x);
    return sign * (half > 0.5 ? sin(3.14159265358979323846 * (1.0 - half)) : sin(3.14159265358979323846 * half));
}

static inline double cospi(double x)
{
    const double turn = fabs(x) - 2.0 * floor(fabs(x) / 2.0);
    if (turn == 0.5 || turn == 1.5) return 0.0;
    return sinpi(turn + 0.5);
}

static inline float sinpif(float x)
{
    return (float)sinpi(x);
}

static inline float cospif(float x)
{
    return (float)cospi(x);
}

static inline void sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}

static inline void sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}

static inline double rsqrt(double x)
{
    return 1.0 / sqrt(x);
}

static inline float rcbrtf(float x)
{
    return (float)(1.0 / cbrt((double)x));
}

static inline double rcbrt(double x)
{
    return 1.0 / cbrt(x);
}

static inline float rhypotf(float x, float y)
{
    return (float)(1.0 / hypot((double)x, (double)y));
}

static inline float norm3df(float x, float y, float z)
{
    return (float)sqrt((double)x * x + (double)y * y + (double)z * z);
}

static inline float rnorm3df(float x, float y, float z)
{
    return (float)(1.0 / sqrt((double)x * x + (double)y * y + (double)z * z));
}

static inline float norm4df(float x, float y, float z, float w)
{
    return (float)sqrt((double)x * x + (double)y * y + (double)z * z + (double)w * w);
}

static inline double normcdf(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

static inline float normcdff(float x)
{
    return (float)normcdf((double)x);
}

static inline float fdividef(float x, float y)
{
    return x / y;
}

/* ---- Conversions. A number out of range becomes the end of the range. NaN becomes 0, in 64 bits the highest bit
 * alone. */
#define CMK_HOST_TO_INTEGER_(name, FROM, TO, round, low, high, nan)                                                    \
    static inline TO name(FROM x)                                                                                      \
    {                                                                                                                  \
        const FROM whole = round(x);                                                                                   \
        return whole != whole ? (TO)(nan) : whole <= (FROM)(low) ? (low) : whole >= (FROM)(high) ? (high) : (TO)whole; \
    }
#define CMK_HOST_TO_INTEGERS_(stem, FROM, suffix, TO, low, high, nan)                                                  \
    CMK_HOST_TO_INTEGER_(stem##_rn, FROM, TO, rint##suffix, low, high, nan)                                            \
    CMK_HOST_TO_INTEGER_(stem##_rz, FROM, TO, trunc##suffix, low, high, nan)                                           \
    CMK_HOST_TO_INTEGER_(stem##_ru, FROM, TO, ceil##suffix, low, high, nan)                                            \
    CMK_HOST_TO_INTEGER_(stem##_rd, FROM, TO, floor##suffix, low, high, nan)
CMK_HOST_TO_INTEGERS_(__float2int, float, f, int, -0x7fffffff - 1, 0x7fffffff, 0)
CMK_HOST_TO_INTEGERS_(__float2uint, float, f, unsigned, 0u, 0xffffffffu, 0)
CMK_HOST_TO_INTEGERS_(__float2ll, float, f, long long, -0x7fffffffffffffffLL - 1, 0x7fffffffffffffffLL, 1ULL << 63)
CMK_HOST_TO_INTEGERS_(__float2ull, float, f, unsigned long long, 0ULL, 0xffffffffffffffffULL, 1ULL << 63)
CMK_HOST_TO_INTEGERS_(__double2int, double, , int, -0x7fffffff - 1, 0x7fffffff, 0)
CMK_HOST_TO_INTEGERS_(__double2uint, double, , unsigned, 0u, 0xffffffffu, 0)
CMK_HOST_TO_INTEGERS_(__double2ll, double, , long long, -0x7fffffffffffffffLL - 1, 0x7fffffffffffffffLL, 1ULL << 63)
CMK_HOST_TO_INTEGERS_(__double2ull, double, , unsigned long long, 0ULL, 0xffffffffffffffffULL, 1ULL << 63)

#define __int2float_rn(x) ((float)(int)(x))
#define __uint2float_rn(x) ((float)(unsigned)(x))
#define __ll2float_rn(x) ((float)(long long)(x))
#define __ull2float_rn(x) ((float)(unsigned long long)(x))
#define __int2double_rn(x) ((double)(int)(x))
#define __uint2double_rn(x) ((double)(unsigned)(x))
#define __ll2double_rn(x) ((double)(long long)(x))
#define __ull2double_rn(x) ((double)(unsigned long long)(x))
#define __double2float_rn(x) ((float)(double)(x))

/* ---- Bits */
static inline unsigned __float_as_uint(float value)
{
    return (unsigned)__float_as_int(value);
}

static inline float __uint_as_float(unsigned bits)
{
    return __int_as_float((int)bits);
}

static inline long long __double_as_longlong(double value)
{
    long long bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double __longlong_as_double(long long bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline int __double2hiint(double value)
{
    return (int)(__double_as_longlong(value) >> 32);
}

static inline int __double2loint(double value)
{
    return (int)__double_as_longlong(value);
}

static inline double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

static inline unsigned long long __brevll(unsigned long long bits)
{
    return (unsigned long long)__brev((unsigned)bits) << 32 | __brev((unsigned)(bits >> 32));
}

/* Byte n of the result is one of the 8 bytes of x and y. The n-th 4 bits of the selector choose it. If the highest of
 * these bits is set, all bits of the result byte are the sign of the chosen byte. */
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    const unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int n = 0; n < 4; n++) {
        const unsigned choice = selector >> 4 * n & 15;
        unsigned byte = (unsigned)(bytes >> 8 * (choice & 7)) & 255;
        if (choice & 8) byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * n;
    }
    return result;
}

static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}

static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}

/* ---- Integers */
static inline int __mul24(int x, int y)
{
    return (int)((unsigned)((int)((unsigned)x << 8) >> 8) * (unsigned)((int)((unsigned)y << 8) >> 8));
}

static inline unsigned __umul24(unsigned x, unsigned y)
{
    return (x & 0xffffff) * (y & 0xffffff);
}

static inline int __mulhi(int x, int y)
{
    return (int)((long long)x * y >> 32);
}

static inline unsigned __umulhi(unsigned x, unsigned y)
{
    return (unsigned)((unsigned long long)x * y >> 32);
}

static inline long long __mul64hi(long long x, long long y)
{
    return (long long)((__extension__(__int128) x * y) >> 64);
}

static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((__extension__(unsigned __int128) x * y) >> 64);
}

static inline unsigned __sad(int x, int y, unsigned z)
{
    return z + (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x);
}

static inline unsigned __usad(unsigned x, unsigned y, unsigned z)
{
    return z + (x > y ? x - y : y - x);
}

static inline int __dp4a(int x, int y, int sum)
{
    unsigned total = (unsigned)sum;
    for (int n = 0; n < 32; n += 8) total += (unsigned)((signed char)(x >> n) * (signed char)(y >> n));
    return (int)total;
}

/* ---- Time: nanoseconds stand for the cycles of a GPU */
static inline long long clock64(void)
{
    struct timespec now = {0, 0};
    (void)timespec_get(&now, TIME_UTC);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void __nanosleep(unsigned nanoseconds)
{
    (void)nanoseconds;
}

#define __trap() cmk_host_fail_(__FILE__, __LINE__, "__trap")
#define __brkpt() ((void)0)

CMK_HOST_C_END_

/* ---- min and max. Of a number and NaN they give the number. In C they are macros, unless the program has its own. */
#if defined(__cplusplus)
template <class first, class second, bool are = (CMK_NUMBER_(first) > 0 && CMK_NUMBER_(second) > 0)>
struct cmk_host_common_ {
};
template <class first, class second> struct cmk_host_common_<first, second, true> {
    typedef decltype(0 ? first() : second()) type;
};
template <class first, class second>
constexpr typename cmk_host_common_<first, second>::type(min)(first one, second two)
{
    typedef typename cmk_host_common_<first, second>::type type;
    const type x = (type)one, y = (type)two;
    return y < x || x != x ? y : x;
}
template <class first, class second>
constexpr typename cmk_host_common_<first, second>::type(max)(first one, second two)
{
    typedef typename cmk_host_common_<first, second>::type type;
    const type x = (type)one, y = (type)two;
    return x < y || x != x ? y : x;
}
template <class first, class second> constexpr unsigned umin(first one, second two)
{
    return (min)((unsigned)one, (unsigned)two);
}
template <class first, class second> constexpr unsigned umax(first one, second two)
{
    return (max)((unsigned)one, (unsigned)two);
}
#else
/* clang-format off */
#define CMK_HOST_MIN_(T, name) static inline T cmk_host_min_##name(T x, T y) { return y < x || x != x ? y : x; }
#define CMK_HOST_MAX_(T, name) static inline T cmk_host_max_##name(T x, T y) { return x < y || x != x ? y : x; }
CMK_HOST_MIN_(int, int) CMK_HOST_MIN_(unsigned, unsigned) CMK_HOST_MIN_(float, float) CMK_HOST_MIN_(double, double)
CMK_HOST_MIN_(long, long) CMK_HOST_MIN_(unsigned long, ulong)
CMK_HOST_MIN_(long long, llong) CMK_HOST_MIN_(unsigned long long, ullong)
CMK_HOST_MAX_(int, int) CMK_HOST_MAX_(unsigned, unsigned) CMK_HOST_MAX_(float, float) CMK_HOST_MAX_(double, double)
CMK_HOST_MAX_(long, long) CMK_HOST_MAX_(unsigned long, ulong)
CMK_HOST_MAX_(long long, llong) CMK_HOST_MAX_(unsigned long long, ullong)
/* The function for the common type of two numbers. A product by 0 has the type of arithmetic, and does not overflow. */
#define CMK_HOST_OF_BOTH_(stem, x, y)                                                                                  \
    _Generic((x) * 0 + (y) * 0, int: stem##int, unsigned: stem##unsigned, float: stem##float, double: stem##double,    \
             long: stem##long, unsigned long: stem##ulong, long long: stem##llong, unsigned long long: stem##ullong)   \
        ((x), (y))
/* clang-format on */
#define umin(x, y) cmk_host_min_unsigned((unsigned)(x), (unsigned)(y))
#define umax(x, y) cmk_host_max_unsigned((unsigned)(x), (unsigned)(y))
#if !defined(min)
#define min(x, y) CMK_HOST_OF_BOTH_(cmk_host_min_, x, y)
#endif
#if !defined(max)
#define max(x, y) CMK_HOST_OF_BOTH_(cmk_host_max_, x, y)
#endif
#endif

#endif
