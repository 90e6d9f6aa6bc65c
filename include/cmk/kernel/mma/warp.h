/* kernel/mma/warp.h: halves, and mma.sync, by PTX. host/tensor.h does the same on the CPU.
 *
 * In all functions here:
 *
 *   pair         32 bits: the first half, or the first 16 bits, in the lower ones
 *   word         32 bits: byte 0 in the lowest
 *   is_signed    whether bytes have a sign
 *   adds         0: the product replaces d; else it is added to d
 *   i, j         bytes of a word, 0 to 3. For __byte_perm they are digits, as cmk_mma_permute_ explains. Digits put
 *                0 or 0x64 into the upper bytes, or what they put there is masked off
 *   CMK_TENSOR_WARP_HAS_   1 where the code has mma.sync (code.h). CMK_DEVICE_ is an inlined device function (base.h)
 *   0x80         of a signed byte this bit is turned over (^ 0x00800080), which makes its value + 128 of it. The sum
 *                with `minus` takes the 128 away
 *   asm          operands are 32 bits ("r"), 16 bits ("h") or a float ("f"), read unless "=" says written
 *
 * Each thread calls for itself, unless the comment says otherwise. An operand is a register, or some that follow one
 * another, of mma.sync; a product has 16 rows, 8 columns and 16 or 8 halves along k. */
#ifndef CMK_KERNEL_MMA_WARP_H
#define CMK_KERNEL_MMA_WARP_H

#include "../../fill.h"
#include "code.h"

#if !defined(__CUDACC__)
#include "../../host/tensor.h"
#elif CMK_TENSOR_WARP_HAS_

/* A pair of floats as halves, rounded to the nearest; and one half of a pair as a float. which: 0 for the first, 1 for
 * the second. */
CMK_DEVICE_ unsigned cmk_mma_halves_(float first, float second)
{
    unsigned pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}
CMK_DEVICE_ float cmk_mma_half_(unsigned pair, int which)
{
    float value;
    const unsigned short half = (unsigned short)(which ? pair >> 16 : pair);
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
}

/* The bits of a float; and the float that has these bits. */
CMK_DEVICE_ unsigned cmk_mma_bits_(float value)
{
    return __float_as_uint(value);
}
CMK_DEVICE_ float cmk_mma_float_(unsigned bits)
{
    return __uint_as_float(bits);
}

/* The thread of a block, read anew, so that nothing made of it stays in registers: for code that seldom runs. */
CMK_DEVICE_ int cmk_mma_thread_(void)
{
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
}

/* The largest and the least of the values of all threads of a warp, which call. 0xffffffff names all 32 of them. */
CMK_DEVICE_ unsigned cmk_mma_most_(unsigned value)
{
    return __reduce_max_sync(0xffffffffu, value);
}
CMK_DEVICE_ unsigned cmk_mma_least_(unsigned value)
{
    return ~cmk_mma_most_(~value);
}

/* The larger of two numbers without their signs, NaN where one of them is NaN. */
CMK_DEVICE_ float cmk_mma_larger_(float first, float second)
{
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(fabsf(first)), "f"(fabsf(second)));
    return larger;
}

/* Byte i of a word and byte j of another, as halves of 2^-24 times their values. same, a compile-time constant: whether
 * the two words are one. */
CMK_DEVICE_ unsigned cmk_mma_bytes_(unsigned word, int i, unsigned other, int j, int same, int is_signed)
{
    const unsigned minus = 0x80808080u; /* -128 in each half */
    unsigned halves = __byte_perm(word, same ? 0 : other, (unsigned)(i | 4 << 4 | (same ? j : 4 + j) << 8 | 4 << 12));
    if (!same) halves &= 0x00ff00ffu;
    if (is_signed) asm("add.f16x2 %0, %1, %2;" : "=r"(halves) : "r"(halves ^ 0x00800080u), "r"(minus));
    return halves;
}

/* Bytes i and i + 2 of a word as cmk_mma_bytes_ gives them, but by other instructions, so that the compiler keeps both.
 * The registers of an operand follow one another, and two that the compiler knew to be equal would be copied for each
 * product. */
CMK_DEVICE_ unsigned cmk_mma_bytes_again_(unsigned word, int i, int is_signed)
{
    unsigned halves = word >> 8 * i & 0x00ff00ffu;
    if (is_signed) asm("add.f16x2 %0, %1, %2;" : "=r"(halves) : "r"(halves ^ 0x00800080u), "r"(0x80808080u));
    return halves;
}

/* Byte i of a word and byte j of another, as halves of their values. They are put below 1024 as its last bits, and it
 * is subtracted again. 0x64 is the upper byte of 1024 as a half, and 0xe400 and 0xe480 are -1024 and -1152. same, a
 * compile-time constant: whether the two words are one. */
CMK_DEVICE_ unsigned cmk_mma_values_(unsigned word, int i, unsigned other, int j, int same, int is_signed)
{
    const unsigned digits = (unsigned)(i | 4 << 4 | (same ? j : 4 + j) << 8 | (same ? 4 : 0) << 12);
    const unsigned minus = is_signed ? 0xe480e480u : 0xe400e400u;
    unsigned halves = __byte_perm(word, same ? 0x64u : other, digits);
    if (!same) halves = (halves & 0x00ff00ffu) ^ 0x64006400u;
    if (is_signed) halves ^= 0x00800080u;
    asm("add.f16x2 %0, %1, %2;" : "=r"(halves) : "r"(halves), "r"(minus));
    return halves;
}

/* d = A B, or d + A B where adds is 1. A has 16 rows of 16 halves. Row g = threadIdx.x % 32 / 4 is in a[0] and a[2],
 * and the row 8 further in a[1] and a[3]. Thread t has those from 2 (t % 4) on, two of them, and two more 8 further. B
 * has 8 columns of 16 halves; column g is in b[0] and b[1] in the same way. Of D a thread has two elements from 2 (t %
 * 4) on, in row g and in the row 8 further. All threads of the warp call. (PTX ISA, "Matrix Fragments for
 * mma.m16n8k16".) */
CMK_DEVICE_ void cmk_mma_warp_add_(float *d, const unsigned *a, const unsigned *b, int adds)
{
    const float c0 = adds ? d[0] : 0.0f, c1 = adds ? d[1] : 0.0f, c2 = adds ? d[2] : 0.0f, c3 = adds ? d[3] : 0.0f;
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %11, %12, %13};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c0), "f"(c1), "f"(c2), "f"(c3));
}

/* d = A B, or d + A B where adds is 1, of 8 halves: a row of A is in a[0] and a[1] alone, and a column of B in b. All
 * threads of the warp call. */
CMK_DEVICE_ void cmk_mma_warp_add_eight_(float *d, const unsigned *a, unsigned b, int adds)
{
    const float c0 = adds ? d[0] : 0.0f, c1 = adds ? d[1] : 0.0f, c2 = adds ? d[2] : 0.0f, c3 = adds ? d[3] : 0.0f;
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b), "f"(c0), "f"(c1), "f"(c2), "f"(c3));
}

/* A sum as an integer from least to most, of at most 16 bits, rounded to the nearest, ties to even, and
 * saturated; a NaN becomes least. Its bits are the last of those that are returned. Adding 1.5 x 2^23 leaves no
 * fraction, as floats from 2^23 to 2^24 are integers, and takes no instruction of conversions. */
CMK_DEVICE_ unsigned cmk_mma_integer_(float sum, float least, float most)
{
    return __float_as_uint(fminf(fmaxf(sum, least), most) + 12582912.0f);
}

/* Transposes an 8 x 8 matrix of pairs of bytes. Thread t has elements 2 (t % 4) and the next of row t / 4, before and
 * after. All threads of the warp call. */
CMK_DEVICE_ unsigned cmk_mma_turn_(unsigned pair)
{
    unsigned turned;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(pair));
    return turned;
}

/* Four bytes of two words. Each of four hexadecimal digits names one: 0 to 3 of the first word, 4 to 7 of the
 * second. */
CMK_DEVICE_ unsigned cmk_mma_permute_(unsigned first, unsigned second, unsigned digits)
{
    return __byte_perm(first, second, digits);
}

/* Two sums as integers of `bits` bits, negative where they are signed, rounded to the nearest, ties to even, and
 * saturated. The first is in the lower bits. Bytes have the lower half of `above` in the bits over them. bits: 8, -8,
 * 16 or -16, known at compile time. */
CMK_DEVICE_ unsigned cmk_mma_pack_(float first, float second, int bits, unsigned above)
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

#endif
