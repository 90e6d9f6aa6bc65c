/* toolkit.cu: what host/toolkit/ gives to CUDA programs, against references by the definitions. It includes CUDA's
 * headers by their names, as such programs do; launches are cmk's. Groups, bfloat16 and operators are C++. */
#include <cuda_runtime.h>

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <vector_types.h>
#if defined(__cplusplus)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#endif

#include "tap.h"

#include "random.h"

#define MUST(call) tap_check((call) == cudaSuccess, "%s", #call)

static unsigned any_word(void)
{
    return (unsigned)below(1u << 16) << 16 | (unsigned)below(1u << 16);
}

/* ---- half and bfloat16: how many bits a fraction has, and where the exponent ends */
typedef struct {
    int fraction, bias;
} format;

static const format half_format = {10, 15};

/* the value of bits that are finite, by the definition */
static double value_of(format f, unsigned bits)
{
    const unsigned exponent = (bits & 0x7fff) >> f.fraction, fraction = bits & ((1u << f.fraction) - 1);
    const double size = exponent == 0 ? ldexp(fraction, 1 - f.bias - f.fraction)
                                      : ldexp(fraction + (1 << f.fraction), (int)exponent - f.bias - f.fraction);
    return bits & 0x8000 ? -size : size;
}

static unsigned infinity_of(format f)
{
    return 0x7fffu >> f.fraction << f.fraction;
}

/* the nearest bits to a number of which a double has all digits, ties to even: found between two neighbours */
static unsigned nearest(format f, double number)
{
    const unsigned sign = signbit(number) ? 0x8000 : 0;
    const double size = fabs(number);
    unsigned low = 0, high = infinity_of(f);
    if (size != size) return 0x7fff;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        if (value_of(f, middle) <= size)
            low = middle;
        else
            high = middle;
    }
    const double to_low = size - value_of(f, low),
                 to_high = value_of(f, high) - size; /* as if infinity were a number */
    return sign | (to_low < to_high || (to_low == to_high && low % 2 == 0) ? low : high);
}

static void test_half_values(void)
{
    unsigned wrong = 0, back = 0;
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const float value = __half2float(__ushort_as_half((unsigned short)bits));
        if ((bits & 0x7fff) > 0x7c00) {
            wrong += !isnan(value);
            back += __half_as_ushort(__float2half(value)) != 0x7fff;
            continue;
        }
        const double expected =
            (bits & 0x7fff) == 0x7c00 ? (bits & 0x8000 ? -INFINITY : INFINITY) : value_of(half_format, bits);
        wrong += !((double)value == expected) || !signbit(value) != !(bits & 0x8000);
        back += __half_as_ushort(__float2half(value)) != bits;
    }
    tap_check(wrong == 0, "__half2float of all 65,536 halves, %u wrong", wrong);
    tap_check(back == 0, "__float2half of each is itself, %u are not", back);
}

/* floats at, just below and just above the middle of each two halves */
static void test_half_ties(void)
{
    unsigned wrong[4] = {0, 0, 0, 0};
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
        const float middle = (float)((value_of(half_format, bits) + value_of(half_format, bits + 1)) / 2);
        for (int side = 0; side < 2; ++side) {
            const float s = side ? -1.0f : 1.0f;
            const unsigned sign = side ? 0x8000 : 0;
            wrong[0] += __float2half(s * middle).bits != (sign | (bits + bits % 2));
            wrong[0] += __float2half(s * nextafterf(middle, 0)).bits != (sign | bits);
            wrong[0] += __float2half(s * nextafterf(middle, INFINITY)).bits != (sign | (bits + 1));
            wrong[1] += __float2half_rz(s * middle).bits != (sign | bits);
            wrong[2] += __float2half_ru(s * middle).bits != (side ? sign | bits : bits + 1);
            wrong[3] += __float2half_rd(s * middle).bits != (side ? sign | (bits + 1) : bits);
        }
    }
    tap_check(wrong[0] == 0, "__float2half of ties and their neighbours, %u wrong", wrong[0]);
    tap_check(wrong[1] == 0, "__float2half_rz, %u wrong", wrong[1]);
    tap_check(wrong[2] == 0, "__float2half_ru, %u wrong", wrong[2]);
    tap_check(wrong[3] == 0, "__float2half_rd, %u wrong", wrong[3]);
    tap_check(__double2half(1.0 + ldexp(1, -11) + ldexp(1, -40)).bits == 0x3c01 &&
                  __double2half(1.0 + ldexp(1, -11)).bits == 0x3c00,
              "__double2half rounds once");
    tap_check(__int2half_rn(2049).bits == nearest(half_format, 2049) &&
                  __int2half_rn(-2051).bits == nearest(half_format, -2051) && __int2half_rn(70000).bits == 0x7c00,
              "__int2half_rn");
}

static __half any_half(void)
{
    return __ushort_as_half((unsigned short)any_word());
}

static int is_finite(__half value)
{
    return (value.bits & 0x7fff) < 0x7c00;
}

static void test_half_arithmetic(void)
{
    unsigned wrong[5] = {0, 0, 0, 0, 0};
    for (int n = 0; n < 200000; ++n) {
        const __half a = any_half(), b = any_half();
        const double x = __half2float(a), y = __half2float(b);
        if (!is_finite(a) || !is_finite(b)) continue;
        wrong[0] += __hadd(a, b).bits != nearest(half_format, x + y);
        wrong[1] += __hsub(a, b).bits != nearest(half_format, x - y);
        wrong[2] += __hmul(a, b).bits != nearest(half_format, x * y);
        if (y != 0) wrong[3] += __hdiv(a, b).bits != nearest(half_format, x / y);
        if (x >= 0) wrong[4] += hsqrt(a).bits != nearest(half_format, sqrt(x));
    }
    tap_check(wrong[0] == 0 && wrong[1] == 0, "__hadd, __hsub: %u and %u wrong", wrong[0], wrong[1]);
    tap_check(wrong[2] == 0 && wrong[3] == 0, "__hmul, __hdiv: %u and %u wrong", wrong[2], wrong[3]);
    tap_check(wrong[4] == 0, "hsqrt: %u wrong", wrong[4]);
}

/* x y + z in units of 2^-(2 scale), exactly, of numbers that are whole in units of 2^-scale */
__extension__ typedef __int128 wide;

static wide in_units(double number, int scale)
{
    return (wide)ldexp(number, scale);
}

/* Whether bits are the nearest to the exact sum: no neighbour is nearer, and a tie is even. */
static int is_nearest(format f, unsigned bits, wide sum, int scale)
{
    const unsigned size = bits & 0x7fff;
    if (size >= infinity_of(f)) return size == infinity_of(f);
    for (int side = -1; side <= 1; side += 2) {
        const unsigned other =
            size == 0 && side < 0 ? 0x8001u ^ (bits & 0x8000) : (bits & 0x8000) | (size + (unsigned)side);
        if ((other & 0x7fff) >= infinity_of(f)) continue;
        const wide own = in_units(value_of(f, bits), scale) - sum, its = in_units(value_of(f, other), scale) - sum;
        const wide near = own < 0 ? -own : own, far = its < 0 ? -its : its;
        if (far < near || (far == near && bits % 2)) return 0;
    }
    return 1;
}

static void test_half_fma(void)
{
    unsigned wrong = 0;
    for (int n = 0; n < 200000; ++n) {
        const __half a = any_half(), b = any_half(), near = __hneg(__hmul(a, b));
        const __half c = n % 2 ? any_half() : __ushort_as_half((unsigned short)(near.bits ^ any_word() % 4));
        if (!is_finite(a) || !is_finite(b) || !is_finite(c)) continue;
        const wide sum = in_units(__half2float(a), 24) * in_units(__half2float(b), 24) + in_units(__half2float(c), 48);
        wrong += !is_nearest(half_format, __hfma(a, b, c).bits, sum, 48);
    }
    tap_check(wrong == 0, "__hfma, half of them with cancellation: %u wrong", wrong);
    /* 2^-11 is half of the last bit of 1; what is below it decides, and lies below the last bit of a float */
    const __half one = __float2half(1.0f), tiny = __ushort_as_half(1), small = __float2half(ldexpf(1, -11));
    tap_check(__hfma(tiny, tiny, __hadd(one, small)).bits == 0x3c00, "__hfma: a sum that is no half rounds first");
    const __half odd = __ushort_as_half(0x3c01);
    tap_check(__hfma(odd, odd, __ushort_as_half(0x8001)).bits ==
                  nearest(half_format, (1 + ldexp(1, -10)) * (1 + ldexp(1, -10)) - ldexp(1, -24)),
              "__hfma rounds once");
}

static void test_half_pairs(void)
{
    const __half2 pair = __floats2half2_rn(1.5f, -2.0f), other = __float2half2_rn(3.0f);
    const __half2 sum = __hadd2(pair, other), fused = __hfma2(pair, other, pair);
    const float2 floats = __half22float2(__lowhigh2highlow(sum));
    tap_check(__low2float(sum) == 4.5f && __high2float(sum) == 1.0f, "__hadd2");
    tap_check(__low2float(fused) == 6.0f && __high2float(fused) == -8.0f, "__hfma2");
    tap_check(floats.x == 1.0f && floats.y == 4.5f, "__lowhigh2highlow, __half22float2");
    tap_check(sizeof(__half2) == 4 && sizeof(__half) == 2, "sizes of __half, __half2");
    tap_check(__hlt(pair.y, pair.x) && !__hgt(__ushort_as_half(0x7e00), pair.x) && __hisnan(__ushort_as_half(0x7e00)),
              "__hlt, __hgt, __hisnan");
    tap_check(__hmin(__ushort_as_half(0x7e00), pair.x).bits == pair.x.bits &&
                  __hmin(pair.x, __ushort_as_half(0x7e00)).bits == pair.x.bits &&
                  __hmin(__ushort_as_half(0), __ushort_as_half(0x8000)).bits == 0x8000,
              "__hmin of NaN, and of zeros");
}

#if defined(__cplusplus)
static const format bfloat16_format = {7, 127};

static __nv_bfloat16 any_bfloat16(unsigned low, unsigned high)
{
    const unsigned exponent = low + any_word() % (high - low);
    return __ushort_as_bfloat16((unsigned short)(exponent << 7 | any_word() % 128 | (any_word() & 0x8000)));
}

static void test_bfloat16()
{
    unsigned wrong = 0, ties = 0, sums = 0, fused = 0;
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const float value = __ushort_as_bfloat16((unsigned short)bits);
        if ((bits & 0x7fff) > 0x7f80)
            wrong += !isnan(value) || __float2bfloat16(value).bits != 0x7fff;
        else if ((bits & 0x7fff) < 0x7f80)
            wrong += !((double)value == value_of(bfloat16_format, bits)) || __float2bfloat16(value).bits != bits;
    }
    for (unsigned bits = 0; bits < 0x7f80; ++bits) {
        const float middle = (float)((value_of(bfloat16_format, bits) + value_of(bfloat16_format, bits + 1)) / 2);
        ties += __float2bfloat16(middle).bits != bits + bits % 2;
        ties += __float2bfloat16(-nextafterf(middle, 0)).bits != (0x8000 | bits);
        ties += __float2bfloat16(nextafterf(middle, INFINITY)).bits != bits + 1;
    }
    for (int n = 0; n < 100000; ++n) {
        const __nv_bfloat16 a = any_bfloat16(117, 137), b = any_bfloat16(117, 137), c = any_bfloat16(107, 147);
        const double x = (float)a, y = (float)b;
        sums += (a + b).bits != nearest(bfloat16_format, x + y) || (a * b).bits != nearest(bfloat16_format, x * y);
        sums += (a - b).bits != nearest(bfloat16_format, x - y) || (a / b).bits != nearest(bfloat16_format, x / y);
        const wide sum = in_units((float)a, 20) * in_units((float)b, 20) + in_units((float)c, 40);
        fused += !is_nearest(bfloat16_format, __hfma(a, b, c).bits, sum, 40);
    }
    tap_check(wrong == 0, "all 65,536 of bfloat16, %u wrong", wrong);
    tap_check(ties == 0, "__float2bfloat16 of ties and their neighbours, %u wrong", ties);
    tap_check(sums == 0, "+ - * / of bfloat16, %u wrong", sums);
    tap_check(fused == 0, "__hfma of bfloat16, %u wrong", fused);
    const __nv_bfloat16 a = 1.0625f, tiny = ldexpf(1, -100); /* a * a is in the middle of two */
    tap_check(__hfma(a, a, tiny).bits == 0x3f91 && __hfma(a, a, -tiny).bits == 0x3f90,
              "__hfma of bfloat16: what a double loses decides");
}

static void test_half_operators()
{
    half a = 1.5f, b = half(2);
    a += b;
    tap_check((float)a == 3.5f && a > b && -a < b && (float)(a * b - a / b) == 5.25f, "operators of half");
    tap_check(float(half2(a, b) * half2(b, b) == half2(half(7), half(4))) == 1, "operators of half2");
    tap_check((float)max(a, b) == 3.5f && (int)a == 3 && half(3.0).bits == half(3u).bits, "max, conversions of half");
}
#endif

/* ---- Integers and bits, by loops over bits */
static unsigned reversed(unsigned word)
{
    unsigned result = 0;
    for (int n = 0; n < 32; ++n) result |= (word >> n & 1) << (31 - n);
    return result;
}

static int first_from_above(unsigned word)
{
    int count = 0;
    while (count < 32 && !(word >> (31 - count) & 1)) ++count;
    return count;
}

static unsigned permuted(unsigned x, unsigned y, unsigned selector)
{
    unsigned char from[8], to[4];
    unsigned result;
    memcpy(from, &x, 4);
    memcpy(from + 4, &y, 4);
    for (int n = 0; n < 4; ++n) {
        const unsigned char byte = from[selector >> 4 * n & 7];
        to[n] = selector >> 4 * n & 8 ? (byte >= 128 ? 255 : 0) : byte;
    }
    memcpy(&result, to, 4);
    return result;
}

static int signed_24(unsigned word)
{
    const int low = (int)(word & 0xffffff);
    return low >= 0x800000 ? low - 0x1000000 : low;
}

static void test_integers(void)
{
    unsigned wrong = 0;
    for (int n = 0; n < 50000; ++n) {
        const unsigned x = any_word() >> any_word() % 32, y = any_word(), s = any_word();
        const unsigned long long both = (unsigned long long)y << 32 | x;
        wrong += __brev(x) != reversed(x) || __clz((int)x) != first_from_above(x);
        wrong += __ffs((int)x) != (x ? 32 - first_from_above(x & (0u - x)) : 0);
        wrong += __brevll(both) != ((unsigned long long)reversed(x) << 32 | reversed(y));
        wrong += __byte_perm(x, y, s) != permuted(x, y, s);
        wrong += __umulhi(x, y) != (unsigned)(((unsigned long long)x * y) >> 32);
        wrong += __mulhi((int)x, (int)y) != (int)(((long long)(int)x * (int)y) >> 32);
        wrong += __mul24((int)x, (int)y) != (int)((long long)signed_24(x) * signed_24(y) & 0xffffffff);
        wrong += __umul24(x, y) != (unsigned)((unsigned long long)(x & 0xffffff) * (y & 0xffffff));
        wrong += __funnelshift_l(x, y, s) != (s % 32 ? y << s % 32 | x >> (32 - s % 32) : y);
        wrong += __funnelshift_r(x, y, s) != (s % 32 ? y << (32 - s % 32) | x >> s % 32 : x);
        wrong += __usad(x, y, s) != (x > y ? x - y : y - x) + s;
    }
    tap_check(wrong == 0, "operations of integers, %u wrong", wrong);
    tap_check(min(3, 4) == 3 && max(-1, 2) == 2 && min(3u, 4u) == 3 && max(1LL << 40, 2LL) == 1LL << 40, "min, max");
    tap_check(min(2.5f, -1.0f) == -1.0f && max(2.5, 3.5) == 3.5 && min(NAN, 1.0f) == 1.0f && max(1.0f, NAN) == 1.0f,
              "min, max of floats, and of NaN");
    tap_check(max(7u, 3) == 7 && min(2, 3LL) == 2, "min, max of two types");
    tap_check(__hiloint2double(__double2hiint(-1.25), __double2loint(-1.25)) == -1.25, "the halves of a double");
    tap_check(__float_as_uint(1.0f) == 0x3f800000u && __uint_as_float(0x40000000u) == 2.0f &&
                  __longlong_as_double(__double_as_longlong(0.1)) == 0.1,
              "bits of floats and doubles");
}

/* ---- Functions: the error in units of the last place, against double */
static double ulps(float got, double expected)
{
    int exponent;
    (void)frexp(expected, &exponent);
    return fabs((double)got - expected) / ldexp(1, exponent - 24 < -149 ? -149 : exponent - 24);
}

static float any_float(float low, float high)
{
    return low + (high - low) * (float)(any_word() >> 8) * (1.0f / 16777216.0f);
}

static void test_functions(void)
{
    double most[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int n = 0; n < 50000; ++n) {
        const float x = any_float(-20, 20), p = any_float(0.001f, 100);
        float s, c;
        most[0] = fmax(most[0], ulps(__expf(x), exp((double)x)));
        most[1] = fmax(most[1], ulps(__logf(p), log((double)p)));
        __sincosf(x / 7, &s, &c);
        most[2] = fmax(most[2], fmax(fabs(s - sin((double)(x / 7))), fabs(c - cos((double)(x / 7)))));
        most[3] = fmax(most[3], ulps(__powf(p, x / 10), pow((double)p, (double)(x / 10))));
        most[4] = fmax(most[4], fmax(ulps(__fdividef(x, p), (double)x / p), ulps(rsqrtf(p), 1 / sqrt((double)p))));
        most[5] = fmax(most[5], ulps(__frsqrt_rn(p), 1 / sqrt((double)p)));
        sincospif(x, &s, &c);
        most[6] = fmax(most[6], fmax(fabs(s - sin(CUDART_PI * (double)x)), fabs(c - cos(CUDART_PI * (double)x))));
        most[7] = fmax(most[7], ulps(norm3df(x, p, x), sqrt(2.0 * x * x + (double)p * p)));
    }
    tap_check(most[0] <= 2 + 1.17 * 20, "__expf, %.2f units of the last place", most[0]);
    tap_check(most[1] <= 3, "__logf, %.2f", most[1]);
    tap_check(most[2] <= ldexp(1, -21), "__sincosf, %.2g", most[2]);
    tap_check(most[3] <= 4, "__powf, %.2f", most[3]);
    tap_check(most[4] <= 2, "__fdividef, rsqrtf, %.2f", most[4]);
    tap_check(most[5] <= 0.5000001, "__frsqrt_rn, %.7f", most[5]);
    tap_check(most[6] <= ldexp(1, -22), "sincospif, %.2g", most[6]);
    tap_check(most[7] <= 1, "norm3df, %.2f", most[7]);
    tap_check(sinpif(3.0f) == 0 && cospif(0.5f) == 0 && cospi(1.0) == -1 && sinpi(0.5) == 1 && sinpi(-1.5) == 1,
              "sinpi and cospi of halves");
    tap_check(__saturatef(1.5f) == 1 && __saturatef(NAN) == 0 && __fdividef(1.0f, ldexpf(1, 127)) == 0,
              "__saturatef; __fdividef by 2^127");
}

/* ---- Floats to integers */
static double rounded(double x, int how)
{
    return how == 0 ? rint(x) : how == 1 ? trunc(x) : how == 2 ? ceil(x) : floor(x);
}

static void test_conversions(void)
{
    unsigned wrong = 0;
    for (int n = 0; n < 20000; ++n) {
        const float x = n % 3 ? any_float(-5, 5) : n % 2 ? 0.5f + (float)(n % 40 - 20) : any_float(-1e10f, 1e10f);
        const int ints[4] = {__float2int_rn(x), __float2int_rz(x), __float2int_ru(x), __float2int_rd(x)};
        const unsigned words[4] = {__float2uint_rn(x), __float2uint_rz(x), __float2uint_ru(x), __float2uint_rd(x)};
        const long long wides[4] = {__double2ll_rn(x), __double2ll_rz(x), __double2ll_ru(x), __double2ll_rd(x)};
        for (int how = 0; how < 4; ++how) {
            const double whole = rounded((double)x, how);
            wrong += (double)ints[how] != fmin(fmax(whole, -2147483648.0), 2147483647.0);
            wrong += (double)words[how] != fmin(fmax(whole, 0), 4294967295.0);
            wrong += (double)wides[how] != whole;
        }
    }
    tap_check(wrong == 0, "floats to integers, in four directions: %u wrong", wrong);
    tap_check(__float2int_rn(NAN) == 0 && __float2uint_rn(NAN) == 0 && __double2int_rz(-1e300) == INT_MIN,
              "NaN and what is out of range");
}

/* ---- Warps */
__global__ void warps(unsigned *out, int *sums)
{
    const unsigned lane = threadIdx.x % 32;
    out[threadIdx.x] = __match_any_sync(0xffffffffu, lane % 3);
    int all;
    out[64 + threadIdx.x] = __match_all_sync(0xffffffffu, lane / 32, &all);
    out[64 + threadIdx.x] += (unsigned)!all;
    sums[threadIdx.x] = __reduce_add_sync(0xffffffffu, (int)threadIdx.x);
    sums[64 + threadIdx.x] = __reduce_min_sync(0xffffffffu, 5 - (int)lane);
    sums[128 + threadIdx.x] = (int)__reduce_xor_sync(0xffffffffu, threadIdx.x);
    sums[192 + threadIdx.x] = (int)(__activemask() + 1u);
    __syncwarp(); /* until then no lane has exited */
}

static void test_warps(void)
{
    unsigned *out, wrong = 0;
    int *sums;
    MUST(cudaMallocManaged((void **)&out, 128 * sizeof *out, cudaMemAttachGlobal));
    MUST(cudaMallocManaged((void **)&sums, 256 * sizeof *sums, cudaMemAttachGlobal));
    MUST(CMK_LAUNCH(warps, 1, 64, 0, 0, out, sums));
    MUST(cudaDeviceSynchronize());
    for (unsigned n = 0; n < 64; ++n) {
        unsigned same = 0, bits = 0;
        int sum = 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
            same |= (unsigned)(lane % 3 == n % 32 % 3) << lane;
            sum += (int)(n / 32 * 32 + lane);
            bits ^= n / 32 * 32 + lane;
        }
        wrong += out[n] != same || out[64 + n] != 0xffffffffu || sums[n] != sum || sums[64 + n] != -26;
        wrong += sums[128 + n] != (int)bits || sums[192 + n] != 0;
    }
    tap_check(wrong == 0, "__match_any_sync, __match_all_sync, __reduce_*_sync, __activemask: %u wrong", wrong);
    MUST(cudaFree(out));
    MUST(cudaFree(sums));
}

/* ---- Atomic operations on memory that plain stores have written */
__global__ void atomics(double *number, unsigned short *word, unsigned long long *wide_word)
{
    atomicAdd(number, 0.25);
    atomicMax(wide_word, (unsigned long long)threadIdx.x << 40);
    (void)atomicCAS(word, (unsigned short)9999, (unsigned short)0); /* it never was */
    unsigned short old = 0, seen;
    for (;; old = seen) {
        seen = (unsigned short)atomicCAS(word, old, (unsigned short)(old + 1));
        if (seen == old) break;
    }
    atomicAdd_block(number, 1);
    atomicAdd_system(number, 1);
}

static void test_atomics(void)
{
    double *number;
    MUST(cudaMallocManaged((void **)&number, 32, cudaMemAttachGlobal));
    memset(number, 0, 32);
    MUST(CMK_LAUNCH(atomics, 1, 64, 0, 0, number, (unsigned short *)(number + 1), (unsigned long long *)(number + 2)));
    MUST(cudaDeviceSynchronize());
    tap_check(number[0] == 64 * 2.25, "atomicAdd on double, of a block, of the system");
    tap_check(*(unsigned short *)(number + 1) == 64, "atomicCAS on 16 bits");
    tap_check(*(unsigned long long *)(number + 2) == 63ull << 40, "atomicMax on 64 bits");
    MUST(cudaFree(number));
}

/* ---- The runtime */
__global__ void count_up(int *values, int by)
{
    values[threadIdx.x] += by;
}

static void test_volumes(void)
{
    cudaPitchedPtr volume;
    unsigned char host[4 * 5 * 7];
    cudaMemcpy3DParms copy;
    unsigned wrong = 0;
    MUST(cudaMalloc3D(&volume, make_cudaExtent(7, 5, 4)));
    MUST(cudaMemset3D(volume, 3, make_cudaExtent(7, 5, 4)));
    memset(&copy, 0, sizeof copy);
    copy.srcPtr = volume;
    copy.dstPtr = make_cudaPitchedPtr(host, 7, 7, 5);
    copy.extent = make_cudaExtent(7, 5, 4);
    copy.kind = cudaMemcpyDeviceToHost;
    MUST(cudaMemcpy3D(&copy));
    for (size_t n = 0; n < sizeof host; ++n) wrong += host[n] != 3;
    tap_check(wrong == 0 && volume.pitch >= 7 && volume.xsize == 7 && volume.ysize == 5, "cudaMalloc3D, cudaMemset3D");
    MUST(cudaFree(volume.ptr));
}

static void test_pinned(void)
{
    int values[32] = {0}, *device, *seen = NULL;
    cudaPointerAttributes attributes;
    MUST(cudaHostRegister(values, sizeof values, cudaHostRegisterMapped));
    tap_check(cudaHostRegister(values, 4, 0) == cudaErrorHostMemoryAlreadyRegistered, "registered twice: refused");
    MUST(cudaHostGetDevicePointer((void **)&device, values, 0));
    MUST(cudaPointerGetAttributes(&attributes, values));
    tap_check(device == values && attributes.type == cudaMemoryTypeHost, "registered memory is pinned");
    MUST(CMK_LAUNCH(count_up, 1, 32, 0, 0, device, 5));
    MUST(cudaDeviceSynchronize());
    tap_check(values[0] == 5 && values[31] == 5, "and kernels write it");
    MUST(cudaHostUnregister(values));
    tap_check(cudaHostUnregister(values) == cudaErrorHostMemoryNotRegistered, "unregistered twice: refused");
    MUST(cudaMallocAsync((void **)&seen, sizeof values, 0));
    MUST(cudaMemcpyAsync(seen, values, sizeof values, cudaMemcpyHostToDevice, 0));
    MUST(CMK_LAUNCH(count_up, 1, 32, 0, 0, seen, 1));
    MUST(cudaMemcpy(values, seen, sizeof values, cudaMemcpyDeviceToHost));
    MUST(cudaFreeAsync(seen, 0));
    tap_check(values[7] == 6, "cudaMallocAsync, cudaFreeAsync");
    tap_check(cudaFree(seen) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue, "freed twice");
}

static void test_properties(void)
{
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    int mode = -1, grid = 0, block = 0, least = 0;
    size_t heap = 0;
    MUST(cudaGetDeviceProperties(&properties, 0));
    MUST(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0));
    tap_check(properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024 && properties.clockRate > 0 &&
                  properties.maxGridSize[1] == 65535 && properties.canMapHostMemory == 1 && properties.major == 9,
              "properties");
    tap_check(mode == cudaComputeModeDefault, "cudaDevAttrComputeMode");
    MUST(cudaOccupancyMaxPotentialBlockSize(&grid, &block, count_up, 0, 256));
    tap_check(block == 256 && grid >= 4, "cudaOccupancyMaxPotentialBlockSize");
    MUST(cudaFuncGetAttributes(&attributes, count_up));
    tap_check(attributes.maxThreadsPerBlock == 1024, "cudaFuncGetAttributes");
    MUST(cudaFuncSetCacheConfig(count_up, cudaFuncCachePreferL1));
    MUST(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    MUST(cudaDeviceGetLimit(&heap, cudaLimitStackSize));
    MUST(cudaDeviceGetStreamPriorityRange(&least, &mode));
    MUST(cudaThreadSynchronize());
    MUST(cudaProfilerStart());
    tap_check(heap > 0 && strcmp(cudaGetErrorName(cudaErrorAssert), "cudaErrorAssert") == 0, "limits, names of errors");
    tap_check(sizeof(uint4) == 16 && make_double3(1, 2, 3).z == 3, "vectors");
}

static int called;
static void call_back(cudaStream_t stream, cudaError_t status, void *data)
{
    called = stream && status == cudaSuccess ? *(int *)data : -1;
}

static void test_streams(void)
{
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t executable = NULL;
    size_t nodes = 0;
    int *values, seven = 7;
    unsigned flags = 9;
    MUST(cudaMallocManaged((void **)&values, 128, cudaMemAttachGlobal));
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cudaStreamGetFlags(stream, &flags));
    MUST(cudaStreamAddCallback(stream, call_back, &seven, 0));
    MUST(cudaMemsetAsync(values, 0, 128, stream));
    MUST(cudaStreamSynchronize(stream));
    tap_check(called == 7 && flags == cudaStreamNonBlocking, "cudaStreamAddCallback, cudaStreamGetFlags");
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    MUST(CMK_LAUNCH(count_up, 1, 32, 0, stream, values, 2));
    MUST(CMK_LAUNCH(count_up, 1, 32, 0, stream, values, 3));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphGetNodes(graph, NULL, &nodes));
    MUST(cudaGraphInstantiate(&executable, graph, 0));
    MUST(cudaGraphLaunch(executable, stream));
    MUST(cudaStreamSynchronize(stream));
    tap_check(nodes == 2 && values[31] == 5, "cudaGraphGetNodes");
    MUST(cudaGraphExecDestroy(executable));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(stream));
    MUST(cudaFree(values));
}

static void add_up(void *data)
{
    const unsigned short *values = (const unsigned short *)data;
    for (int i = 0; i < 12; i++) called += values[i];
}

/* Rows of numbers of 16 bits, one of which is copied behind them, and what the host is told of both. */
static void test_nodes(void)
{
    cudaGraph_t graph, clone;
    cudaGraphExec_t executable;
    cudaGraphNode_t filled, copied, told, joined, both[2];
    cudaMemsetParams fill;
    cudaHostNodeParams call;
    unsigned short *values;
    MUST(cudaMallocManaged((void **)&values, 64, cudaMemAttachGlobal));
    memset(values, 0, 64);
    memset(&fill, 0, sizeof fill);
    fill.dst = values;
    fill.pitch = 8;
    fill.value = 0x70102;
    fill.elementSize = 2;
    fill.width = 3;
    fill.height = 2;
    call.fn = add_up;
    call.userData = values;
    called = 0;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddMemsetNode(&filled, graph, NULL, 0, &fill));
    MUST(cudaGraphAddMemcpyNode1D(&copied, graph, &filled, 1, values + 8, values + 4, 8, cudaMemcpyDefault));
    both[0] = filled;
    both[1] = copied;
    MUST(cudaGraphAddEmptyNode(&joined, graph, both, 2));
    MUST(cudaGraphAddHostNode(&told, graph, &joined, 1, &call));
    MUST(cudaGraphClone(&clone, graph));
    tap_check(cudaGraphAddEmptyNode(&joined, clone, NULL, 1) == cudaErrorInvalidValue, "nodes behind none: refused");
    fill.elementSize = 3;
    tap_check(cudaGraphAddMemsetNode(&joined, graph, NULL, 0, &fill) == cudaErrorInvalidValue, "of 3 bytes: refused");
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphInstantiate(&executable, clone, 0));
    MUST(cudaGraphDestroy(clone));
    MUST(cudaGraphLaunch(executable, 0));
    MUST(cudaDeviceSynchronize());
    tap_check(called == 9 * 0x102 && values[3] == 0 && values[10] == 0x102, "a graph by nodes");
    MUST(cudaGraphExecDestroy(executable));
    MUST(cudaFree(values));
}

/* ---- Kernels that launch kernels */

/* Notes the numbers of a tree in the order in which its launches run. */
__global__ void walk(int *notes, int *count, int number, cudaStream_t tail)
{
    const cudaError_t error = number < 8 ? cudaSuccess : cudaErrorInvalidValue; /* of a block of no threads */
    notes[(*count)++] = number;
    if (CMK_LAUNCH(walk, 1, number < 8, 0, tail, notes, count, 4 * number, tail) != error) notes[0] = -1;
    if (number < 8 && CMK_LAUNCH(walk, 1, 1, 0, 0, notes, count, 2 * number, tail) != cudaSuccess) notes[0] = -1;
    if (number < 8 && CMK_LAUNCH(walk, 1, 1, 0, 0, notes, count, 2 * number + 1, tail) != cudaSuccess) notes[0] = -1;
}

/* What walk notes, by the definition: a launch ends with all that it launches, and the tail of a launch is its last. */
static int expected_walk(int *notes, int count, int number, int has_tail)
{
    notes[count++] = number;
    if (number >= 8) return count;
    if (!has_tail) count = expected_walk(notes, count, 4 * number, has_tail);
    count = expected_walk(notes, count, 2 * number, has_tail);
    count = expected_walk(notes, count, 2 * number + 1, has_tail);
    return has_tail ? expected_walk(notes, count, 4 * number, has_tail) : count;
}

/* Every thread launches, from blocks that several cores run. */
__global__ void launch_count_up(int *values)
{
    int *mine = values + blockIdx.x * 32 + threadIdx.x;
    if (CMK_LAUNCH(count_up, 1, 1, 0, cudaStreamFireAndForget, mine, 100) == cudaSuccess) *mine = (int)threadIdx.x;
}

static void test_walk(int *values, int has_tail)
{
    int notes[128], wrong = 0;
    const int count = expected_walk(notes, 0, 1, has_tail);
    MUST(cudaMemset(values, 0, 1024));
    MUST(CMK_LAUNCH(walk, 1, 1, 0, 0, values + 1, values, 1, has_tail ? cudaStreamTailLaunch : (cudaStream_t)0));
    MUST(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++) wrong += values[1 + i] != notes[i];
    tap_check(wrong == 0 && values[0] == count, "launches by kernels, in order%s", has_tail ? ", with tails" : "");
}

static void test_nested(void)
{
    cudaStream_t stream;
    int *values, copy[32 * 32], wrong = 0;
    MUST(cudaMallocManaged((void **)&values, sizeof copy, cudaMemAttachGlobal));
    test_walk(values, 0);
    test_walk(values, 1);
    MUST(cudaStreamCreate(&stream));
    MUST(CMK_LAUNCH(launch_count_up, 32, 32, 0, stream, values));
    MUST(cudaMemcpyAsync(copy, values, sizeof copy, cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamSynchronize(stream));
    for (int i = 0; i < 32 * 32; i++) wrong += copy[i] != i % 32 + 100;
    tap_check(wrong == 0, "launches by every thread, and what follows them");
    MUST(cudaStreamDestroy(stream));
    MUST(cudaFree(values));
}

#if defined(__cplusplus)
/* ---- The numbers of a word, each by the definition of its operation */
static int field(unsigned word, int at, int bits, int is_signed)
{
    const int value = (int)(word >> at & ((1u << bits) - 1));
    return is_signed && value >= 1 << (bits - 1) ? value - (1 << bits) : value;
}

static int kept(int value, int bits, int is_signed)
{
    const int low = is_signed ? -(1 << (bits - 1)) : 0, high = is_signed ? -low - 1 : (1 << bits) - 1;
    return value < low ? low : value > high ? high : value;
}

/* half of a sum, away from 0 where it is between two numbers */
static int average(int sum)
{
    return (int)(sum < 0 ? ceil(sum / 2.0 - 0.5) : floor(sum / 2.0 + 0.5));
}

#define EACH(name, is_signed, value)                                                                                   \
    wrong += is_wrong(name##2(a, b), 16, is_signed, a, b, value, #name "2");                                           \
    wrong += is_wrong(name##4(a, b), 8, is_signed, a, b, value, #name "4")

/* clang-format off */
static int added(int x, int y, int bits, int s) { return (void)bits, (void)s, x + y; }
static int added_to_the_end(int x, int y, int bits, int s) { return kept(x + y, bits, s); }
static int taken(int x, int y, int bits, int s) { return (void)bits, (void)s, x - y; }
static int taken_to_the_end(int x, int y, int bits, int s) { return kept(x - y, bits, s); }
static int averaged(int x, int y, int bits, int s) { return (void)bits, (void)s, average(x + y); }
static int halved(int x, int y, int bits, int s) { return (void)bits, (void)s, (int)floor((x + y) / 2.0); }
static int apart(int x, int y, int bits, int s) { return (void)bits, (void)s, abs(x - y); }
static int larger(int x, int y, int bits, int s) { return (void)bits, (void)s, x > y ? x : y; }
static int smaller(int x, int y, int bits, int s) { return (void)bits, (void)s, x > y ? y : x; }
static int same(int x, int y, int bits, int s) { return (void)bits, (void)s, x == y; }
static int more(int x, int y, int bits, int s) { return (void)bits, (void)s, x > y ? -1 : 0; }
static int turned(int x, int y, int bits, int s) { return (void)y, kept(-x, bits, s); }
static int size_of(int x, int y, int bits, int s) { return (void)y, (void)bits, (void)s, abs(x); }
static int kept_size(int x, int y, int bits, int s) { return (void)y, kept(abs(x), bits, s); }

/* clang-format on */

static unsigned is_wrong(unsigned found, int bits, int is_signed, unsigned a, unsigned b,
                         int (*value)(int, int, int, int), const char *name)
{
    for (int at = 0; at < 32; at += bits) {
        const int wanted = value(field(a, at, bits, is_signed), field(b, at, bits, is_signed), bits, is_signed);
        if (field(found, at, bits, 0) == field((unsigned)wanted, 0, bits, 0)) continue;
        printf("# %s of %08x and %08x: %08x\n", name, a, b, found);
        return 1;
    }
    return 0;
}

#define vnegss2(a, b) __vnegss2(a)
#define vnegss4(a, b) __vnegss4(a)
#define vabs2(a, b) __vabs2(a)
#define vabs4(a, b) __vabs4(a)
#define vabsss2(a, b) __vabsss2(a)
#define vabsss4(a, b) __vabsss4(a)

static void test_words(void)
{
    unsigned wrong = 0;
    for (int n = 0; n < 3000; n++) {
        const unsigned a = any_word(), b = n % 3 == 0 ? a ^ 1u << below(32) : any_word();
        EACH(__vadd, 0, added);
        EACH(__vaddss, 1, added_to_the_end);
        EACH(__vaddus, 0, added_to_the_end);
        EACH(__vsub, 0, taken);
        EACH(__vsubss, 1, taken_to_the_end);
        EACH(__vsubus, 0, taken_to_the_end);
        EACH(__vavgs, 1, averaged);
        EACH(__vavgu, 0, averaged);
        EACH(__vhaddu, 0, halved);
        EACH(__vabsdiffs, 1, apart);
        EACH(__vabsdiffu, 0, apart);
        EACH(__vmaxs, 1, larger);
        EACH(__vmaxu, 0, larger);
        EACH(__vmins, 1, smaller);
        EACH(__vminu, 0, smaller);
        EACH(__vseteq, 0, same);
        EACH(__vcmpgts, 1, more);
        EACH(__vcmpgtu, 0, more);
        EACH(vnegss, 1, turned);
        EACH(vabs, 1, size_of);
        EACH(vabsss, 1, kept_size);
        unsigned sum = 0;
        for (int at = 0; at < 32; at += 8) sum += (unsigned)abs(field(a, at, 8, 1) - field(b, at, 8, 1));
        wrong += __vsads4(a, b) != sum;
    }
    tap_check(wrong == 0, "the numbers of a word: %u wrong", wrong);
}

/* ---- Directions of rounding: on which side of the exact number a result is, and that it is the next one there */
static int is_rounded(float found, double exact, int direction)
{
    const float beyond = nextafterf(found, direction > 0 || (direction == 0 && exact < 0) ? -INFINITY : INFINITY);
    const int up = direction > 0 || (direction == 0 && exact < 0);
    return up ? found >= exact && beyond < exact : found <= exact && beyond > exact;
}

static void test_directions(void)
{
    unsigned wrong = 0;
    for (int n = 0; n < 1000; n++) {
        const float x = any_float(-8, 8), y = any_float(0.5, 8);
        const int i = (int)any_word();
        const double product = (double)x * y; /* exact, as are sums of numbers of like size */
        wrong += !is_rounded(__fmul_rz(x, y), product, 0) + !is_rounded(__fmul_ru(x, y), product, 1) +
                 !is_rounded(__fmul_rd(x, y), product, -1);
        wrong += !is_rounded(__fadd_rz(x, y), (double)x + y, 0) + !is_rounded(__fsub_ru(x, y), (double)x - y, 1) +
                 !is_rounded(__fmaf_rd(x, y, 0.0f), product, -1);
        wrong += !is_rounded(__int2float_rz(i), i, 0) + !is_rounded(__int2float_ru(i), i, 1) +
                 !is_rounded(__uint2float_rd((unsigned)i), (unsigned)i, -1);
        wrong +=
            !is_rounded(__double2float_rz(product), product, 0) + !is_rounded(__double2float_rd(product), product, -1);
        const float low = __fdiv_rd(x, y), high = __fdiv_ru(x, y), root = __fsqrt_rd(y), above = __fsqrt_ru(y);
        wrong += !((double)low * y <= x && (double)high * y >= x && high <= nextafterf(low, INFINITY));
        wrong += !((double)root * root <= y && (double)above * above >= y && above <= nextafterf(root, INFINITY));
        wrong += !(__dadd_ru(x, 1e-30) > x && __dsub_rd(x, 1e-30) < x && fabs(__ddiv_rz(x, 3.0)) * 3.0 <= fabs(x));
    }
    tap_check(wrong == 0 && __ll2float_ru(0x7fffffffffffffffLL) == 0x1p63f &&
                  __ull2float_rz(0xffffffffffffffffULL) == 0x1.fffffep63f &&
                  __ull2double_rd((1ULL << 53) + 1) == 0x1p53,
              "directions of rounding: %u wrong", wrong);
}

/* ---- Textures: of a drawn image, against a read by the definition */
enum { columns = 7, rows = 5 };

__global__ void fetch(cudaTextureObject_t texture, const float2 *places, float *out, int count)
{
    for (int n = 0; n < count; ++n) out[n] = tex2D<float>(texture, places[n].x, places[n].y);
}

static int folded(int i, int size, cudaTextureAddressMode mode)
{
    if (mode == cudaAddressModeClamp) return min(max(i, 0), size - 1);
    while (mode == cudaAddressModeWrap && i < 0) i += size;
    while (mode == cudaAddressModeWrap && i >= size) i -= size;
    while (mode == cudaAddressModeMirror && (i < 0 || i >= size)) i = i < 0 ? -1 - i : 2 * size - 1 - i;
    return i < 0 || i >= size ? -1 : i;
}

static double texel(const float *image, int x, int y, cudaTextureAddressMode mode)
{
    const int i = folded(x, columns, mode), j = folded(y, rows, mode);
    return i < 0 || j < 0 ? 0 : (double)image[j * columns + i];
}

static double expected_texel(const float *image, float2 place, cudaTextureDesc how)
{
    const double x = how.normalizedCoords ? (double)place.x * columns : (double)place.x;
    const double y = how.normalizedCoords ? (double)place.y * rows : (double)place.y;
    const cudaTextureAddressMode mode = how.addressMode[0];
    if (how.filterMode == cudaFilterModePoint) return texel(image, (int)floor(x), (int)floor(y), mode);
    const int i = (int)floor(x - 0.5), j = (int)floor(y - 0.5);
    const double a = x - 0.5 - i, b = y - 0.5 - j;
    return (1 - b) * ((1 - a) * texel(image, i, j, mode) + a * texel(image, i + 1, j, mode)) +
           b * ((1 - a) * texel(image, i, j + 1, mode) + a * texel(image, i + 1, j + 1, mode));
}

static void test_texture(const cudaResourceDesc &resource, const float *image, const cudaTextureDesc &how)
{
    enum { count = 400 };
    cudaTextureObject_t texture;
    float2 *places;
    float *out;
    double most = 0;
    if (cudaCreateTextureObject(&texture, &resource, &how, NULL) != cudaSuccess) return;
    if (cudaMallocManaged(&places, count * sizeof *places) != cudaSuccess) return;
    if (cudaMallocManaged(&out, count * sizeof *out) != cudaSuccess) return;
    for (int n = 0; n < count; ++n)
        places[n] = how.normalizedCoords ? make_float2(any_float(-2, 3), any_float(-2, 3))
                                         : make_float2(any_float(-9, 16), any_float(-9, 14));
    const cudaError_t error = CMK_LAUNCH(fetch, 1, 1, 0, 0, texture, places, out, (int)count);
    (void)cudaDeviceSynchronize();
    for (int n = 0; n < count; ++n) most = fmax(most, fabs(out[n] - expected_texel(image, places[n], how)));
    tap_check(error == cudaSuccess && most <= (how.filterMode == cudaFilterModePoint ? 0 : 4.0 / 512),
              "textures: %s, address mode %d, %s, %s: %.2g off",
              resource.resType == cudaResourceTypeArray ? "an array" : "pitched", (int)how.addressMode[0],
              how.filterMode == cudaFilterModePoint ? "points" : "linear",
              how.normalizedCoords ? "normalized" : "plain", most);
    (void)cudaDestroyTextureObject(texture);
    (void)cudaFree(places);
    (void)cudaFree(out);
}

static void test_textures()
{
    float image[rows * columns];
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc array = {}, pitched = {};
    void *memory;
    for (float &value : image) value = any_float(-1, 1);
    MUST(cudaMallocArray(&array.res.array.array, &format, columns, rows));
    MUST(cudaMemcpy2DToArray(array.res.array.array, 0, 0, image, columns * 4, columns * 4, rows,
                             cudaMemcpyHostToDevice));
    array.resType = cudaResourceTypeArray;
    pitched.resType = cudaResourceTypePitch2D;
    pitched.res.pitch2D.desc = format;
    pitched.res.pitch2D.width = columns;
    pitched.res.pitch2D.height = rows;
    MUST(cudaMallocPitch(&memory, &pitched.res.pitch2D.pitchInBytes, columns * 4, rows));
    MUST(cudaMemcpy2D(memory, pitched.res.pitch2D.pitchInBytes, image, columns * 4, columns * 4, rows,
                      cudaMemcpyHostToDevice));
    pitched.res.pitch2D.devPtr = memory;
    for (int mode = 0; mode < 4; ++mode) {
        for (int kind = 0; kind < 4; ++kind) {
            cudaTextureDesc how = {};
            how.addressMode[0] = how.addressMode[1] = (cudaTextureAddressMode)mode;
            how.filterMode = (cudaTextureFilterMode)(kind & 1);
            how.normalizedCoords = kind / 2;
            if (kind / 2 == 0 && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)) continue;
            test_texture(kind & 1 ? pitched : array, image, how);
        }
    }
    MUST(cudaFreeArray(array.res.array.array));
    MUST(cudaFree(memory));
}

__global__ void fetch_others(cudaTextureObject_t volume, cudaTextureObject_t line, float *out)
{
    out[0] = tex3D<float>(volume, 2.5f, 1.5f, 3.5f);
    out[1] = tex3D<float>(volume, 2.5f, 1.5f, 4.0f);
    const float4 pixel = tex1Dfetch<float4>(line, 1);
    out[2] = pixel.x;
    out[3] = pixel.w;
    out[4] = tex1Dfetch<float4>(line, 3).y;
}

/* a volume by 3D copies, and bytes of four channels as numbers from 0 to 1 */
static void test_other_textures()
{
    unsigned short words[4 * 3 * 5];
    const unsigned char bytes[12] = {255, 0, 51, 102, 51, 0, 0, 255, 1, 2, 3, 4};
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned short>();
    cudaResourceDesc volume = {}, line = {};
    cudaMemcpy3DParms copy = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t textures[2];
    float *out;
    for (int n = 0; n < 60; ++n) words[n] = (unsigned short)(1000 * n);
    MUST(cudaMalloc3DArray(&volume.res.array.array, &format, make_cudaExtent(4, 3, 5)));
    copy.srcPtr = make_cudaPitchedPtr(words, 8, 4, 3);
    copy.dstArray = volume.res.array.array;
    copy.extent = make_cudaExtent(4, 3, 5);
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeNormalizedFloat;
    MUST(cudaCreateTextureObject(&textures[0], &volume, &how, NULL));
    line.resType = cudaResourceTypeLinear;
    line.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    line.res.linear.sizeInBytes = sizeof bytes;
    MUST(cudaMalloc(&line.res.linear.devPtr, sizeof bytes));
    MUST(cudaMemcpy(line.res.linear.devPtr, bytes, sizeof bytes, cudaMemcpyHostToDevice));
    MUST(cudaCreateTextureObject(&textures[1], &line, &how, NULL));
    MUST(cudaMallocManaged(&out, 5 * sizeof *out));
    MUST(CMK_LAUNCH(fetch_others, 1, 1, 0, 0, textures[0], textures[1], out));
    MUST(cudaDeviceSynchronize());
    tap_check(fabs(out[0] - 42000 / 65535.0) <= 1e-6 && fabs(out[1] - 48000 / 65535.0) <= 1e-6, "tex3D");
    tap_check(fabs(out[2] - 0.2) <= 1e-6 && out[3] == 1 && out[4] == 0, "tex1Dfetch of bytes, and outside");
    for (int n = 0; n < 2; ++n) MUST(cudaDestroyTextureObject(textures[n]));
    MUST(cudaFreeArray(volume.res.array.array));
    MUST(cudaFree(line.res.linear.devPtr));
    MUST(cudaFree(out));
}

/* ---- Groups */
namespace cg = cooperative_groups;

__global__ void groups(int *out)
{
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    const auto quad = cg::tiled_partition<4>(warp);
    const cg::thread_group sixteen = cg::tiled_partition(block, 16);
    const int self = (int)block.thread_rank(), lane = (int)warp.thread_rank();
    int *own = out + 12 * self;
    own[0] = cg::reduce(warp, self, cg::plus<int>());
    own[1] = cg::reduce(quad, self, cg::greater<int>());
    own[2] = quad.shfl_xor(self, 1);
    own[3] = (int)quad.ballot(lane % 2);
    own[4] = (int)(quad.meta_group_rank() * 100 + quad.thread_rank() * 10 + sixteen.size() / 16);
    own[5] = cg::inclusive_scan(warp, lane);
    own[6] = cg::exclusive_scan(quad, 1);
    const cg::coalesced_group third = cg::labeled_partition(warp, lane % 3);
    own[7] = (int)third.size() * 100 + third.shfl(lane, 0);
    own[8] = warp.shfl_down(lane, 30);
    own[9] = quad.all(lane >= 0) + 2 * quad.any(lane == 5);
    own[10] = (int)cg::coalesced_threads().size();
    cg::sync(block);
    sixteen.sync();
    own[11] = (int)(block.group_index().x + block.thread_index().x);
}

static void test_groups()
{
    enum { threads = 64 };
    int *out;
    unsigned wrong[12] = {0};
    MUST(cudaMallocManaged(&out, 12 * threads * sizeof(int)));
    MUST(CMK_LAUNCH(groups, 1, dim3(threads), 0, 0, out));
    MUST(cudaDeviceSynchronize());
    for (int n = 0; n < threads; ++n) {
        const int lane = n % 32, warp = n / 32 * 32,
                  expected[12] = {32 * warp + 496,
                                  n / 4 * 4 + 3,
                                  n ^ 1,
                                  0xa,
                                  lane / 4 * 100 + lane % 4 * 10 + 1,
                                  lane * (lane + 1) / 2,
                                  lane % 4,
                                  (lane % 3 == 2 ? 10 : 11) * 100 + lane % 3,
                                  lane < 2 ? lane + 30 : lane,
                                  1 + 2 * (lane / 4 == 1),
                                  1,
                                  n};
        for (int i = 0; i < 12; ++i) wrong[i] += out[12 * n + i] != expected[i];
    }
    for (int i = 0; i < 12; ++i) tap_check(wrong[i] == 0, "groups, value %d: %u wrong", i, wrong[i]);
    MUST(cudaFree(out));
}

template <class T, int FACTOR> __global__ void turned(T *from, T *to, int count)
{
    const cg::grid_group grid = cg::this_grid();
    const int i = (int)grid.thread_rank();
    if (i < count) from[i] = (T)(i * FACTOR);
    grid.sync();
    if (i < count) to[i] = from[count - 1 - i];
    cg::sync(grid);
    if (i < count) from[i] = to[count - 1 - i] + (T)1;
}

static void test_cooperative()
{
    enum { count = 300 };
    float *from, *to;
    int all = count;
    unsigned wrong = 0;
    MUST(cudaMallocManaged(&from, count * sizeof(float)));
    MUST(cudaMallocManaged(&to, count * sizeof(float)));
    void *arguments[] = {&from, &to, &all};
    MUST(cudaLaunchCooperativeKernel((void *)turned<float, 3>, dim3(10), dim3(32), arguments, 0, 0));
    MUST(cudaDeviceSynchronize());
    for (int n = 0; n < count; ++n)
        wrong += !(to[n] == 3.0f * (float)(count - 1 - n) && from[n] == 3.0f * (float)n + 1);
    tap_check(wrong == 0, "barriers of a grid, %u wrong", wrong);
    tap_check(cudaLaunchCooperativeKernel(turned<float, 3>, 1025, 32, arguments) == cudaErrorCooperativeLaunchTooLarge,
              "1025 blocks are too many");
    int by = 4, *values = (int *)from;
    void *two[] = {&values, &by};
    memset(values, 0, 128);
    MUST(cudaLaunchKernel((const void *)&count_up, dim3(1), dim3(32), two, 0, 0));
    MUST(cudaDeviceSynchronize());
    tap_check(values[31] == 4, "cudaLaunchKernel");
    MUST(cudaFree(from));
    MUST(cudaFree(to));
}

/* A program may have its own. */
static double atomicAdd(double *address, double value)
{
    *address += 2 * value;
    return 0;
}

static int max(int one, int two)
{
    return one > two ? one : -two;
}

static void test_overloads()
{
    double number = 1;
    (void)atomicAdd(&number, 1.0);
    tap_check(number == 3 && max(1, 2) == -2 && max(1u, 2u) == 2, "functions of the program by CUDA's names");
}
#endif

int main(void)
{
    random_state = 1;
    test_half_values();
    test_half_ties();
    test_half_arithmetic();
    test_half_fma();
    test_half_pairs();
    test_integers();
    test_functions();
    test_conversions();
    test_warps();
    test_atomics();
    test_volumes();
    test_pinned();
    test_properties();
    test_streams();
    test_nodes();
    test_nested();
#if defined(__cplusplus)
    test_bfloat16();
    test_half_operators();
    test_words();
    test_directions();
    test_textures();
    test_other_textures();
    test_groups();
    test_cooperative();
    test_overloads();
#endif
    return tap_done();
}
