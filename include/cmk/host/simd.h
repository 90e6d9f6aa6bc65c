/* host/simd.h: CUDA's operations on the two or four numbers of a word: __vadd2, __vabsdiffu4. It is for programs that
 * include CUDA's headers by toolkit/. A name ends with how many numbers a word has; before that, `s` stands for signed
 * numbers, `u` for unsigned ones, and another `s` for a result that stays at the end of its range. */
#include "../base.h"
#ifndef CMK_HOST_SIMD_H
#define CMK_HOST_SIMD_H

CMK_HOST_C_BEGIN_

/* A number at the end of its range if it is beyond it. */
static inline int cmk_host_signed_end_(int number, int bits)
{
    const int end = 1 << (bits - 1);
    return number < -end ? -end : number >= end ? end - 1 : number;
}

static inline int cmk_host_unsigned_end_(int number, int bits)
{
    const int end = 1 << bits;
    return number < 0 ? 0 : number >= end ? end - 1 : number;
}

/* name2 and name4 of two words: `value` for each two numbers x and y of `bits` bits. */
#define CMK_HOST_SIMD_OF_(name, T, width, value)                                                                       \
    static inline unsigned name(unsigned first, unsigned second)                                                       \
    {                                                                                                                  \
        const int bits = width;                                                                                        \
        unsigned result = 0;                                                                                           \
        for (int at = 0; at < 32; at += bits) {                                                                        \
            const int x = (T)(first >> at), y = (T)(second >> at);                                                     \
            result |= ((unsigned)(value) & ((1u << bits) - 1)) << at;                                                  \
        }                                                                                                              \
        return result;                                                                                                 \
    }
#define CMK_HOST_SIMD_S_(name, value)                                                                                  \
    CMK_HOST_SIMD_OF_(name##2, short, 16, value) CMK_HOST_SIMD_OF_(name##4, signed char, 8, value)
#define CMK_HOST_SIMD_U_(name, value)                                                                                  \
    CMK_HOST_SIMD_OF_(name##2, unsigned short, 16, value) CMK_HOST_SIMD_OF_(name##4, unsigned char, 8, value)

CMK_HOST_SIMD_U_(__vadd, x + y)
CMK_HOST_SIMD_S_(__vaddss, cmk_host_signed_end_(x + y, bits))
CMK_HOST_SIMD_U_(__vaddus, cmk_host_unsigned_end_(x + y, bits))
CMK_HOST_SIMD_U_(__vsub, x - y)
CMK_HOST_SIMD_S_(__vsubss, cmk_host_signed_end_(x - y, bits))
CMK_HOST_SIMD_U_(__vsubus, cmk_host_unsigned_end_(x - y, bits))
CMK_HOST_SIMD_S_(__vavgs, (x + y + (x + y >= 0)) >> 1) /* a half is rounded away from 0 */
CMK_HOST_SIMD_U_(__vavgu, (x + y + 1) >> 1)
CMK_HOST_SIMD_U_(__vhaddu, (x + y) >> 1)
CMK_HOST_SIMD_S_(__vabsdiffs, x < y ? y - x : x - y)
CMK_HOST_SIMD_U_(__vabsdiffu, x < y ? y - x : x - y)
CMK_HOST_SIMD_S_(__vmaxs, x < y ? y : x)
CMK_HOST_SIMD_U_(__vmaxu, x < y ? y : x)
CMK_HOST_SIMD_S_(__vmins, y < x ? y : x)
CMK_HOST_SIMD_U_(__vminu, y < x ? y : x)

/* Of a comparison, set gives 1 and cmp all bits where it holds. */
#define CMK_HOST_SIMD_TEST_(SIGN, how, holds)                                                                          \
    CMK_HOST_SIMD_##SIGN##_(__vset##how, holds) CMK_HOST_SIMD_##SIGN##_(__vcmp##how, (holds) ? -1 : 0)
CMK_HOST_SIMD_TEST_(U, eq, x == y)
CMK_HOST_SIMD_TEST_(U, ne, x != y)
CMK_HOST_SIMD_TEST_(S, ges, x >= y)
CMK_HOST_SIMD_TEST_(S, gts, x > y)
CMK_HOST_SIMD_TEST_(S, les, x <= y)
CMK_HOST_SIMD_TEST_(S, lts, x < y)
CMK_HOST_SIMD_TEST_(U, geu, x >= y)
CMK_HOST_SIMD_TEST_(U, gtu, x > y)
CMK_HOST_SIMD_TEST_(U, leu, x <= y)
CMK_HOST_SIMD_TEST_(U, ltu, x < y)

/* Of one word; and the sum of a word's differences, which are unsigned. */
#define CMK_HOST_SIMD_ONE_(name, value)                                                                                \
    static inline unsigned name(unsigned word)                                                                         \
    {                                                                                                                  \
        return value;                                                                                                  \
    }
#define CMK_HOST_SIMD_SUM_(name, differences, width)                                                                   \
    static inline unsigned name(unsigned first, unsigned second)                                                       \
    {                                                                                                                  \
        const unsigned all = differences(first, second);                                                               \
        unsigned sum = 0;                                                                                              \
        for (int at = 0; at < 32; at += width) sum += all >> at & ((1u << width) - 1);                                 \
        return sum;                                                                                                    \
    }
#define CMK_HOST_SIMD_ONES_(count, width)                                                                              \
    CMK_HOST_SIMD_ONE_(__vneg##count, __vsub##count(0, word))                                                          \
    CMK_HOST_SIMD_ONE_(__vnegss##count, __vsubss##count(0, word))                                                      \
    CMK_HOST_SIMD_ONE_(__vabs##count, __vabsdiffs##count(word, 0))                                                     \
    CMK_HOST_SIMD_ONE_(__vabsss##count, __vmaxs##count(word, __vnegss##count(word)))                                   \
    CMK_HOST_SIMD_SUM_(__vsads##count, __vabsdiffs##count, width)                                                      \
    CMK_HOST_SIMD_SUM_(__vsadu##count, __vabsdiffu##count, width)
CMK_HOST_SIMD_ONES_(2, 16)
CMK_HOST_SIMD_ONES_(4, 8)

CMK_HOST_C_END_

#endif
