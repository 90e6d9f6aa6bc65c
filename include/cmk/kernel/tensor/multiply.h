/* kernel/tensor/multiply.h: what engines use of the tensor cores of sm_90a, by PTX; host/tensor.h does the same.
 *
 * A group is four warps, which multiply together. A product of a group is D = A B or D + A B: A has 64 rows of 16
 * halves, B 16 rows of `columns` halves, D floats. A and B lie in shared memory in blocks of 8 rows (of B: columns) by
 * 8 halves of k, 128 consecutive bytes each, 16 a row: blocks of the next 8 rows or columns follow one another, and the
 * 8 halves that follow in k lie a number of bytes further, `lead`, which is 16 where the rows are windows of a row of
 * an image, 8 elements apart. Of D thread t has, for each 8 columns, those 2 (t % 4) and behind of row t / 4 % 8 + t /
 * 32 * 16, and of that 8 rows further. (PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate
 * Instructions".) */
#ifndef CMK_KERNEL_TENSOR_MULTIPLY_H
#define CMK_KERNEL_TENSOR_MULTIPLY_H

#include "../../fill.h"
#include "tune.h"

/* Whether the code that is compiled has products of a group, that of sm_90a, and those of a warp, sm_80 and later. That
 * of nvcc -G has none: a product of a group must not be under way where a function is called. On the CPU none is taken
 * unless CMK_TENSOR is 1. */
#if defined(__CUDACC__)
#define CMK_TENSOR_TAKEN_ !CMK_DEBUG_
#else
#define CMK_TENSOR_TAKEN_ CMK_TENSOR
#endif
#if !CMK_TENSOR_TAKEN_ || (defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL))
#define CMK_TENSOR_HAS_ 0
#else
#define CMK_TENSOR_HAS_ 1
#endif
#if !CMK_TENSOR_TAKEN_ || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800)
#define CMK_TENSOR_WARP_HAS_ 0
#else
#define CMK_TENSOR_WARP_HAS_ 1
#endif

#if !defined(__CUDACC__)
#include "../../host/tensor.h"
#elif CMK_TENSOR_WARP_HAS_

/* a pair of halves, rounded to the nearest, and one of them as a float */
CMK_DEVICE_ unsigned cmk_tensor_halves_(float first, float second)
{
    unsigned pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}
CMK_DEVICE_ float cmk_tensor_half_(unsigned pair, int which)
{
    float value;
    const unsigned short half = (unsigned short)(which ? pair >> 16 : pair);
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
}

/* the bits of a float, and a float of these */
CMK_DEVICE_ unsigned cmk_tensor_bits_(float value)
{
    return __float_as_uint(value);
}
CMK_DEVICE_ float cmk_tensor_float_(unsigned bits)
{
    return __uint_as_float(bits);
}

/* the thread of a block, read anew: for code that seldom runs, of which nothing is to stay in registers */
CMK_DEVICE_ int cmk_tensor_thread_(void)
{
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
}

/* the largest and the least of the values of a warp */
CMK_DEVICE_ unsigned cmk_tensor_most_(unsigned value)
{
    return __reduce_max_sync(0xffffffffu, value);
}
CMK_DEVICE_ unsigned cmk_tensor_least_(unsigned value)
{
    return ~cmk_tensor_most_(~value);
}

/* the larger of two numbers without their signs, no number where one is none */
CMK_DEVICE_ float cmk_tensor_larger_(float first, float second)
{
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(fabsf(first)), "f"(fabsf(second)));
    return larger;
}

/* byte i of a word and byte j of another, as halves of 2^-24 each; same: whether the words are one, a constant */
CMK_DEVICE_ unsigned cmk_tensor_bytes_(unsigned word, int i, unsigned other, int j, int same, int is_signed)
{
    const unsigned minus = 0x80808080u; /* -128 of each */
    unsigned halves = __byte_perm(word, same ? 0 : other, (unsigned)(i | 4 << 4 | (same ? j : 4 + j) << 8 | 4 << 12));
    if (!same) halves &= 0x00ff00ffu;
    if (is_signed) asm("add.f16x2 %0, %1, %2;" : "=r"(halves) : "r"(halves ^ 0x00800080u), "r"(minus));
    return halves;
}

/* The same of bytes i and i + 2 of a word, by other instructions, so that the compiler keeps both: registers of an
 * operand follow one another, and two that it knew to be equal would be copied for each product. */
CMK_DEVICE_ unsigned cmk_tensor_bytes_again_(unsigned word, int i, int is_signed)
{
    unsigned halves = word >> 8 * i & 0x00ff00ffu;
    if (is_signed) asm("add.f16x2 %0, %1, %2;" : "=r"(halves) : "r"(halves ^ 0x00800080u), "r"(0x80808080u));
    return halves;
}

/* byte i of a word and byte j of another, as halves of their values: put below 1024, of which they then are the last
 * bits; same: as above */
CMK_DEVICE_ unsigned cmk_tensor_values_(unsigned word, int i, unsigned other, int j, int same, int is_signed)
{
    const unsigned digits = (unsigned)(i | 4 << 4 | (same ? j : 4 + j) << 8 | (same ? 4 : 0) << 12);
    const unsigned minus = is_signed ? 0xe480e480u : 0xe400e400u;
    unsigned halves = __byte_perm(word, same ? 0x64u : other, digits);
    if (!same) halves = (halves & 0x00ff00ffu) ^ 0x64006400u;
    if (is_signed) halves ^= 0x00800080u;
    asm("add.f16x2 %0, %1, %2;" : "=r"(halves) : "r"(halves), "r"(minus));
    return halves;
}

/* d += A B, or d = A B. A has 16 rows of 16 halves, those of row threadIdx.x % 32 / 4 in a[0] and a[2], those of 8 rows
 * further in a[1] and a[3]: of thread t % 4 two at 2 t and two at 2 t + 8. B has 8 columns of as many, in b[0] and
 * b[1] those of column t / 4. Of D a thread has elements 2 (t % 4) and behind of row t / 4, and of 8 rows further. (PTX
 * ISA, "Matrix Fragments for mma.m16n8k16".) */
CMK_DEVICE_ void cmk_tensor_warp_add_(float *d, const unsigned *a, const unsigned *b, int adds)
{
    const float c0 = adds ? d[0] : 0.0f, c1 = adds ? d[1] : 0.0f, c2 = adds ? d[2] : 0.0f, c3 = adds ? d[3] : 0.0f;
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %11, %12, %13};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c0), "f"(c1), "f"(c2), "f"(c3));
}

/* the same of 8 halves: a row of A and a column of B have a[0], a[1] and b alone */
CMK_DEVICE_ void cmk_tensor_warp_add_eight_(float *d, const unsigned *a, unsigned b, int adds)
{
    const float c0 = adds ? d[0] : 0.0f, c1 = adds ? d[1] : 0.0f, c2 = adds ? d[2] : 0.0f, c3 = adds ? d[3] : 0.0f;
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b), "f"(c0), "f"(c1), "f"(c2), "f"(c3));
}

/* A sum as an integer from least to most, of at most 16 bits: rounded to the nearest, ties to even, and saturated; its
 * bits are the last of what it returns. 1.5 x 2^23 leaves no fraction, and takes no instruction of conversions. */
CMK_DEVICE_ unsigned cmk_tensor_integer_(float sum, float least, float most)
{
    return __float_as_uint(fminf(fmaxf(sum, least), most) + 12582912.0f);
}

/* an 8 x 8 matrix of pairs of bytes turned: thread t has elements 2 (t % 4) and behind of row t / 4 */
CMK_DEVICE_ unsigned cmk_tensor_turn_(unsigned pair)
{
    unsigned turned;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(pair));
    return turned;
}

/* four bytes of two words, that of each of four digits: 0 to 3 of the first, 4 to 7 of the second */
CMK_DEVICE_ unsigned cmk_tensor_permute_(unsigned first, unsigned second, unsigned digits)
{
    return __byte_perm(first, second, digits);
}

/* two sums as integers of so many bits, negative where they are signed, rounded to the nearest, ties to even, and
 * saturated; the first in the lower bits, `above` over bytes */
CMK_DEVICE_ unsigned cmk_tensor_pack_(float first, float second, int bits, unsigned above)
{
    const int low = __float2int_rn(first), high = __float2int_rn(second);
    unsigned pair;
    if (bits == 8) asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(pair) : "r"(high), "r"(low), "r"(above));
    if (bits == -8) asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(pair) : "r"(high), "r"(low), "r"(above));
    if (bits == 16) asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(pair) : "r"(high), "r"(low));
    if (bits == -16) asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(pair) : "r"(high), "r"(low));
    return pair;
}

#endif

#if defined(__CUDACC__) && CMK_TENSOR_HAS_

/* Barriers in shared memory. A phase of one ends when so many threads have arrived; phases are counted modulo 2, and
 * the one before the first is 1. Threads that wait for the end of a phase see what others wrote before they arrived.
 * Their address is an operand that the compiler keeps, as it takes long to find. */
typedef unsigned long long cmk_tensor_barrier_;
typedef unsigned cmk_tensor_barriers_;
CMK_DEVICE_ cmk_tensor_barriers_ cmk_tensor_barriers_of_(cmk_tensor_barrier_ *first)
{
    unsigned at = cmk_fill_shared_(first);
    asm volatile("" : "+r"(at));
    return at;
}
CMK_DEVICE_ void cmk_tensor_begin_barrier_(cmk_tensor_barrier_ *barrier, int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(cmk_fill_shared_(barrier)), "r"(count) : "memory");
}
CMK_DEVICE_ void cmk_tensor_arrive_(cmk_tensor_barriers_ barriers, int n)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" : : "r"(barriers + 8 * n) : "memory");
}
CMK_DEVICE_ void cmk_tensor_await_(cmk_tensor_barriers_ barriers, int n, unsigned phase)
{
    unsigned done;
    do {
        asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
                     : "=r"(done)
                     : "r"(barriers + 8 * n), "r"(phase)
                     : "memory");
    } while (done == 0);
}

/* of pairs of numbers of 16 bits, without signs: the larger, and the lesser of the first and the second less 1, where 0
 * is the largest */
CMK_DEVICE_ unsigned cmk_tensor_most_of_two_(unsigned first, unsigned second)
{
    return __vmaxu2(first, second);
}
CMK_DEVICE_ unsigned cmk_tensor_least_of_two_(unsigned first, unsigned second)
{
    return __viaddmin_u16x2(second, 0xffffffffu, first);
}

/* floats in shared memory, their address kept likewise, and one of them */
typedef unsigned cmk_tensor_floats_;
CMK_DEVICE_ cmk_tensor_floats_ cmk_tensor_floats_of_(const float *first)
{
    unsigned at = cmk_fill_shared_(first);
    asm volatile("" : "+r"(at));
    return at;
}
CMK_DEVICE_ float cmk_tensor_read_(cmk_tensor_floats_ floats, int n)
{
    float value;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(floats + 4 * n) : "memory");
    return value;
}

/* Arrives at a barrier, of which the phase also ends after so many bytes have been copied. */
CMK_DEVICE_ void cmk_tensor_expect_(cmk_tensor_barriers_ barriers, int n, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" : : "r"(barriers + 8 * n), "r"(bytes) : "memory");
}

/* starts to copy so many bytes, a multiple of 16, from global to shared memory, both aligned to 16 */
CMK_DEVICE_ void cmk_tensor_copy_bulk_(void *to, const void *from, int bytes, cmk_tensor_barriers_ barriers, int n)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :
                 : "r"(cmk_fill_shared_(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barriers + 8 * n)
                 : "memory");
}

/* Of the threads of a block those that multiply take more registers, of a number of which the others leave what they
 * have: 168 of 512 threads, 216 or 232 of 384. All threads of a group call. */
CMK_DEVICE_ void cmk_tensor_more_registers_(int count)
{
    if (count == 168) asm volatile("setmaxnreg.inc.sync.aligned.u32 168;");
    if (count == 216) asm volatile("setmaxnreg.inc.sync.aligned.u32 216;");
    if (count == 232) asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
}
CMK_DEVICE_ void cmk_tensor_fewer_registers_(int count)
{
    if (count == 168) asm volatile("setmaxnreg.dec.sync.aligned.u32 88;");
    if (count == 216) asm volatile("setmaxnreg.dec.sync.aligned.u32 72;");
    if (count == 232) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
}

/* what this thread wrote to shared memory is seen by products that begin after the next barrier */
CMK_DEVICE_ void cmk_tensor_show_(void)
{
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

/* before the first product of some, and after the last */
CMK_DEVICE_ void cmk_tensor_begin_(void)
{
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}
CMK_DEVICE_ void cmk_tensor_end_(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}

/* until they are in d, which nothing may touch before */
CMK_DEVICE_ void cmk_tensor_wait_(float *d, int columns)
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
    CMK_UNROLL
    for (int i = 0; i < columns / 2; ++i) asm volatile("" : "+f"(d[i]) : : "memory");
}

/* where matrices lie, of which one begins so many bytes further: address and distance of 8 rows in units of 16 bytes */
typedef unsigned long long cmk_tensor_at_;
CMK_DEVICE_ cmk_tensor_at_ cmk_tensor_at_of_(const void *pointer)
{
    unsigned address = cmk_fill_shared_(pointer) / 16 & 0x3fff;
    asm volatile("" : "+r"(address));
    return address | 8ull << 32;
}
CMK_DEVICE_ cmk_tensor_at_ cmk_tensor_matrix_(cmk_tensor_at_ at, int bytes, int lead)
{
    return at + (unsigned)(bytes / 16 + lead / 16 * 65536);
}

/* clang-format off: lists of operands */
#define CMK_TENSOR_FOUR_(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define CMK_TENSOR_D_(i) CMK_TENSOR_FOUR_(i), CMK_TENSOR_FOUR_(i + 4)
#define CMK_TENSOR_D_1_ CMK_TENSOR_D_(0)
#define CMK_TENSOR_D_2_ CMK_TENSOR_D_1_, CMK_TENSOR_D_(8)
#define CMK_TENSOR_D_3_ CMK_TENSOR_D_2_, CMK_TENSOR_D_(16)
#define CMK_TENSOR_D_4_ CMK_TENSOR_D_3_, CMK_TENSOR_D_(24)
#define CMK_TENSOR_D_5_ CMK_TENSOR_D_4_, CMK_TENSOR_D_(32)
#define CMK_TENSOR_D_6_ CMK_TENSOR_D_5_, CMK_TENSOR_D_(40)
#define CMK_TENSOR_D_7_ CMK_TENSOR_D_6_, CMK_TENSOR_D_(48)
#define CMK_TENSOR_D_8_ CMK_TENSOR_D_7_, CMK_TENSOR_D_(56)
#define CMK_TENSOR_D_9_ CMK_TENSOR_D_8_, CMK_TENSOR_D_(64)
#define CMK_TENSOR_D_10_ CMK_TENSOR_D_9_, CMK_TENSOR_D_(72)
#define CMK_TENSOR_D_11_ CMK_TENSOR_D_10_, CMK_TENSOR_D_(80)
#define CMK_TENSOR_D_12_ CMK_TENSOR_D_11_, CMK_TENSOR_D_(88)
#define CMK_TENSOR_D_13_ CMK_TENSOR_D_12_, CMK_TENSOR_D_(96)
#define CMK_TENSOR_D_14_ CMK_TENSOR_D_13_, CMK_TENSOR_D_(104)
#define CMK_TENSOR_D_15_ CMK_TENSOR_D_14_, CMK_TENSOR_D_(112)
#define CMK_TENSOR_D_16_ CMK_TENSOR_D_15_, CMK_TENSOR_D_(120)
#define CMK_TENSOR_D_6_AND_4_ CMK_TENSOR_D_6_, CMK_TENSOR_FOUR_(48)
#define CMK_TENSOR_D_7_AND_4_ CMK_TENSOR_D_7_, CMK_TENSOR_FOUR_(56)
#define CMK_TENSOR_D_8_AND_4_ CMK_TENSOR_D_8_, CMK_TENSOR_FOUR_(64)
#define CMK_TENSOR_TEXT_1_ "%0, %1, %2, %3, %4, %5, %6, %7"
#define CMK_TENSOR_TEXT_2_ CMK_TENSOR_TEXT_1_ ", %8, %9, %10, %11, %12, %13, %14, %15"
#define CMK_TENSOR_TEXT_3_ CMK_TENSOR_TEXT_2_ ", %16, %17, %18, %19, %20, %21, %22, %23"
#define CMK_TENSOR_TEXT_4_ CMK_TENSOR_TEXT_3_ ", %24, %25, %26, %27, %28, %29, %30, %31"
#define CMK_TENSOR_TEXT_5_ CMK_TENSOR_TEXT_4_ ", %32, %33, %34, %35, %36, %37, %38, %39"
#define CMK_TENSOR_TEXT_6_ CMK_TENSOR_TEXT_5_ ", %40, %41, %42, %43, %44, %45, %46, %47"
#define CMK_TENSOR_TEXT_7_ CMK_TENSOR_TEXT_6_ ", %48, %49, %50, %51, %52, %53, %54, %55"
#define CMK_TENSOR_TEXT_8_ CMK_TENSOR_TEXT_7_ ", %56, %57, %58, %59, %60, %61, %62, %63"
#define CMK_TENSOR_TEXT_9_ CMK_TENSOR_TEXT_8_ ", %64, %65, %66, %67, %68, %69, %70, %71"
#define CMK_TENSOR_TEXT_10_ CMK_TENSOR_TEXT_9_ ", %72, %73, %74, %75, %76, %77, %78, %79"
#define CMK_TENSOR_TEXT_11_ CMK_TENSOR_TEXT_10_ ", %80, %81, %82, %83, %84, %85, %86, %87"
#define CMK_TENSOR_TEXT_12_ CMK_TENSOR_TEXT_11_ ", %88, %89, %90, %91, %92, %93, %94, %95"
#define CMK_TENSOR_TEXT_13_ CMK_TENSOR_TEXT_12_ ", %96, %97, %98, %99, %100, %101, %102, %103"
#define CMK_TENSOR_TEXT_14_ CMK_TENSOR_TEXT_13_ ", %104, %105, %106, %107, %108, %109, %110, %111"
#define CMK_TENSOR_TEXT_15_ CMK_TENSOR_TEXT_14_ ", %112, %113, %114, %115, %116, %117, %118, %119"
#define CMK_TENSOR_TEXT_16_ CMK_TENSOR_TEXT_15_ ", %120, %121, %122, %123, %124, %125, %126, %127"
#define CMK_TENSOR_TEXT_6_AND_4_ CMK_TENSOR_TEXT_6_ ", %48, %49, %50, %51"
#define CMK_TENSOR_TEXT_7_AND_4_ CMK_TENSOR_TEXT_7_ ", %56, %57, %58, %59"
#define CMK_TENSOR_TEXT_8_AND_4_ CMK_TENSOR_TEXT_8_ ", %64, %65, %66, %67"
/* clang-format on */
#define CMK_TENSOR_ADDS_(number) "{ .reg .pred adds; setp.ne.b32 adds, %" #number ", 0; "
#define CMK_TENSOR_OF_(N) "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.f16.f16 "
#define CMK_TENSOR_FROM_(a_number, b_number) "%" #a_number ", %" #b_number ", adds, 1, 1, 0, 0; }"
#define CMK_TENSOR_PRODUCT_(N, LIST, a_number, b_number, add_number)                                                   \
    asm volatile(CMK_TENSOR_ADDS_(add_number) CMK_TENSOR_OF_(N) "{" CMK_TENSOR_TEXT_##LIST##_                          \
                 "}, " CMK_TENSOR_FROM_(a_number, b_number)                                                            \
                 : CMK_TENSOR_D_##LIST##_                                                                              \
                 : "l"(left), "l"(right), "r"(adds))

/* d = A B, or d + A B; columns: a multiple of 16, or 104, 120 or 136 */
CMK_DEVICE_ void cmk_tensor_multiply_(float *d, int columns, cmk_tensor_at_ a, int a_bytes, int a_lead,
                                      cmk_tensor_at_ b, int b_bytes, int b_lead, int adds)
{
    const unsigned long long left = cmk_tensor_matrix_(a, a_bytes, a_lead);
    const unsigned long long right = cmk_tensor_matrix_(b, b_bytes, b_lead);
    if (columns == 16) CMK_TENSOR_PRODUCT_(16, 1, 8, 9, 10);
    if (columns == 32) CMK_TENSOR_PRODUCT_(32, 2, 16, 17, 18);
    if (columns == 48) CMK_TENSOR_PRODUCT_(48, 3, 24, 25, 26);
    if (columns == 64) CMK_TENSOR_PRODUCT_(64, 4, 32, 33, 34);
    if (columns == 80) CMK_TENSOR_PRODUCT_(80, 5, 40, 41, 42);
    if (columns == 96) CMK_TENSOR_PRODUCT_(96, 6, 48, 49, 50);
    if (columns == 112) CMK_TENSOR_PRODUCT_(112, 7, 56, 57, 58);
    if (columns == 128) CMK_TENSOR_PRODUCT_(128, 8, 64, 65, 66);
    if (columns == 104) CMK_TENSOR_PRODUCT_(104, 6_AND_4, 52, 53, 54);
    if (columns == 120) CMK_TENSOR_PRODUCT_(120, 7_AND_4, 60, 61, 62);
    if (columns == 136) CMK_TENSOR_PRODUCT_(136, 8_AND_4, 68, 69, 70);
    if (columns == 144) CMK_TENSOR_PRODUCT_(144, 9, 72, 73, 74);
    if (columns == 160) CMK_TENSOR_PRODUCT_(160, 10, 80, 81, 82);
    if (columns == 176) CMK_TENSOR_PRODUCT_(176, 11, 88, 89, 90);
    if (columns == 192) CMK_TENSOR_PRODUCT_(192, 12, 96, 97, 98);
    if (columns == 208) CMK_TENSOR_PRODUCT_(208, 13, 104, 105, 106);
    if (columns == 224) CMK_TENSOR_PRODUCT_(224, 14, 112, 113, 114);
    if (columns == 240) CMK_TENSOR_PRODUCT_(240, 15, 120, 121, 122);
    if (columns == 256) CMK_TENSOR_PRODUCT_(256, 16, 128, 129, 130);
}

#endif

#endif
