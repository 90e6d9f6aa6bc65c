/* host/simd.h: CUDA's operations on the two or four numbers of a word: __vadd2, __vabsdiffu4. It is for programs that
 * include CUDA's headers by toolkit/. A name ends with how many numbers a word has; before that, `s` stands for signed
 * numbers, `u` for unsigned ones, and another `s` for a result that stays at the end of its range. C++. */
#include "../base.h"
#ifndef CMK_HOST_SIMD_H
#define CMK_HOST_SIMD_H

#if defined(__cplusplus)

#include <limits>

/* What `operate` makes of each two numbers of type T. */
template <class T, class operation> unsigned cmk_host_numbers_(unsigned first, unsigned second, operation operate)
{
    const int bits = 8 * (int)sizeof(T);
    unsigned result = 0;
    for (int at = 0; at < 32; at += bits)
        result |= ((unsigned)operate((T)(first >> at), (T)(second >> at)) & ((1u << bits) - 1)) << at;
    return result;
}

/* A number, or the end of T's range that it is beyond. */
template <class T> int cmk_host_end_(int number)
{
    const int low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    return number < low ? low : number > high ? high : number;
}

template <class T> unsigned cmk_host_sum_of_(unsigned word)
{
    unsigned sum = 0;
    for (int at = 0; at < 32; at += 8 * (int)sizeof(T)) sum += (T)(word >> at);
    return sum;
}

/* clang-format off */
#define CMK_HOST_WORD_(name, T, ...) inline unsigned name(unsigned a, unsigned b) CMK_HOST_WORD_OF_(T, __VA_ARGS__)
#define CMK_HOST_WORD_OF_(T, ...) { return cmk_host_numbers_<T>(a, b, __VA_ARGS__); }
#define CMK_HOST_WORDS_S_(name, ...) CMK_HOST_PAIR_(name, int16_t, int8_t, __VA_ARGS__)
#define CMK_HOST_WORDS_U_(name, ...) CMK_HOST_PAIR_(name, uint16_t, uint8_t, __VA_ARGS__)
#define CMK_HOST_PAIR_(name, T, U, ...) CMK_HOST_WORD_(name##2, T, __VA_ARGS__) CMK_HOST_WORD_(name##4, U, __VA_ARGS__)
CMK_HOST_WORDS_U_(__vadd, [](auto x, auto y) { return x + y; })
CMK_HOST_WORDS_S_(__vaddss, [](auto x, auto y) { return cmk_host_end_<decltype(x)>(x + y); })
CMK_HOST_WORDS_U_(__vaddus, [](auto x, auto y) { return cmk_host_end_<decltype(x)>(x + y); })
CMK_HOST_WORDS_U_(__vsub, [](auto x, auto y) { return x - y; })
CMK_HOST_WORDS_S_(__vsubss, [](auto x, auto y) { return cmk_host_end_<decltype(x)>(x - y); })
CMK_HOST_WORDS_U_(__vsubus, [](auto x, auto y) { return cmk_host_end_<decltype(x)>(x - y); })
CMK_HOST_WORDS_S_(__vavgs, [](auto x, auto y) { return (x + y + (x + y >= 0)) >> 1; }) /* a half goes away from 0 */
CMK_HOST_WORDS_U_(__vavgu, [](auto x, auto y) { return (x + y + 1) >> 1; })
CMK_HOST_WORDS_U_(__vhaddu, [](auto x, auto y) { return (x + y) >> 1; })
CMK_HOST_WORDS_S_(__vabsdiffs, [](auto x, auto y) { return x < y ? y - x : x - y; })
CMK_HOST_WORDS_U_(__vabsdiffu, [](auto x, auto y) { return x < y ? y - x : x - y; })
CMK_HOST_WORDS_S_(__vmaxs, [](auto x, auto y) { return x < y ? y : x; })
CMK_HOST_WORDS_U_(__vmaxu, [](auto x, auto y) { return x < y ? y : x; })
CMK_HOST_WORDS_S_(__vmins, [](auto x, auto y) { return y < x ? y : x; })
CMK_HOST_WORDS_U_(__vminu, [](auto x, auto y) { return y < x ? y : x; })

/* Of a comparison, set gives 1, and cmp all bits, where it holds. */
#define CMK_HOST_SET_(S, how, is) CMK_HOST_WORDS_##S##_(__vset##how, [](auto x, auto y) { return x is y; })
#define CMK_HOST_CMP_(S, how, is) CMK_HOST_WORDS_##S##_(__vcmp##how, [](auto x, auto y) { return x is y ? -1 : 0; })
CMK_HOST_SET_(U, eq, ==) CMK_HOST_SET_(U, ne, !=) CMK_HOST_CMP_(U, eq, ==) CMK_HOST_CMP_(U, ne, !=)
CMK_HOST_SET_(S, ges, >=) CMK_HOST_SET_(U, geu, >=) CMK_HOST_CMP_(S, ges, >=) CMK_HOST_CMP_(U, geu, >=)
CMK_HOST_SET_(S, gts, >) CMK_HOST_SET_(U, gtu, >) CMK_HOST_CMP_(S, gts, >) CMK_HOST_CMP_(U, gtu, >)
CMK_HOST_SET_(S, les, <=) CMK_HOST_SET_(U, leu, <=) CMK_HOST_CMP_(S, les, <=) CMK_HOST_CMP_(U, leu, <=)
CMK_HOST_SET_(S, lts, <) CMK_HOST_SET_(U, ltu, <) CMK_HOST_CMP_(S, lts, <) CMK_HOST_CMP_(U, ltu, <)

/* Of one word, and the sum of a word's differences. */
inline unsigned __vneg2(unsigned word) { return __vsub2(0, word); }
inline unsigned __vneg4(unsigned word) { return __vsub4(0, word); }
inline unsigned __vnegss2(unsigned word) { return __vsubss2(0, word); }
inline unsigned __vnegss4(unsigned word) { return __vsubss4(0, word); }
inline unsigned __vabs2(unsigned word) { return __vabsdiffs2(word, 0); }
inline unsigned __vabs4(unsigned word) { return __vabsdiffs4(word, 0); }
inline unsigned __vabsss2(unsigned word) { return __vmaxs2(word, __vnegss2(word)); }
inline unsigned __vabsss4(unsigned word) { return __vmaxs4(word, __vnegss4(word)); }
inline unsigned __vsads2(unsigned a, unsigned b) { return cmk_host_sum_of_<uint16_t>(__vabsdiffs2(a, b)); }
inline unsigned __vsads4(unsigned a, unsigned b) { return cmk_host_sum_of_<uint8_t>(__vabsdiffs4(a, b)); }
inline unsigned __vsadu2(unsigned a, unsigned b) { return cmk_host_sum_of_<uint16_t>(__vabsdiffu2(a, b)); }
inline unsigned __vsadu4(unsigned a, unsigned b) { return cmk_host_sum_of_<uint8_t>(__vabsdiffu4(a, b)); }
/* clang-format on */

#endif

#endif
