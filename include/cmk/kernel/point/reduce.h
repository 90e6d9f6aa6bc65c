/* kernel/point/reduce.h: sums, and the most and the least, of what an update says of its points.
 *
 * The bits of a result depend on the values alone. They depend neither on the order of the points, nor on tiles, strips
 * and blocks, nor on the part that a call computes. No order is kept for that: a sum is made of integers, whose sums
 * have no order. Values that an update gives as floats have one sum, all others another; the result is the one and the
 * other, added. A sum has digits of B bits, 16 of floats and 32 of doubles. Where u is a power of 2 it equals this C:
 *
 *   u = least power of 2^B, times 2^-818 or 2^-1074, of which 2^(B - 1) exceed the largest |x|; not below that of
 *       digit 46 of floats
 *   for (int k = 0; k < 3; ++k, u /= 2^B) {
 *       long long sum = 0;
 *       for each x: { r = round(x / u); sum += r; x -= r * u; }
 *       total += sum * u;                     exactly
 *   }
 *
 * So a sum holds 32 bits of floats below the largest value, and 64 of doubles, or more; what is below is dropped. The
 * total is rounded once. Of values whose bits are all above that it is the sum without any error. A bin is the sum for
 * one u; bin j has u = 2^(32 j - 1074), of floats 2^(16 j - 818). As 2^(B - 1) u exceed |x|, a value has no digit above
 * its first bin, so that the digits are the same where the bins begin higher.
 *
 * round(x / u), to the even one of two that are as near, is (1.5 * 2^23 u + x) - 1.5 * 2^23 u, by the float's own
 * rounding, and with 2^52 by the double's. The bits of the first sum, less those of 1.5 * 2^23 u, are that integer.
 *
 *   thread    cmk_point_reduce_, behind each tile, plane of a march or row of a pass: its values to its three bins.
 *             Larger values move the bins up
 *   warp      cmk_point_deliver_, at the end of the kernel: adds the bins of its threads up, and then to words in
 *             memory, one of cmk_point_copies_ copies, by atomic additions of integers. It waits for nothing
 *   launch    cmk_point_conclude_, in a launch of one warp behind the last step of a call: adds the copies up, writes
 *             the result, and leaves zeros. The result of steps before it is NULL, so that they add nothing
 *   ranks     cmk_halo_fold_ of ../../halo/reduce.h, in a launch: folds the copies into two, whose sum over all ranks
 *             is made. Then comes cmk_point_conclude_
 *
 * What it costs: the words of a result are 80 KB, of which floats use 16 KB. With fewer copies the atomic additions of
 * many warps wait for one another (bench/results/history/2026-11-28-h200-reductions.md). A value of a sum of floats
 * takes 10 instructions; a maximum takes 1. The launch takes 2 to 4 us.
 *
 * The most is a maximum of integers in the order of the values, by a key: 0 for no value, all bits set for NaN. The
 * least is the most of the values with the other sign.
 *
 * In all functions here, which each thread calls where no other caller is named:
 *
 *   f         cmk_point_field_ (grid.h), known at compile time: the result; f.size 4 or 8, of float or double
 *   p         cmk_point_place_ (point.h): the thread's tile; p->mine has a bit for each point that is written, and
 *             p->level.held for each that is not updated. In a tile all that are set count
 *   grid      the name_grid, which begins with cmk_point_sizes_ (grid.h)
 *   sets      a mark for each value: 0, cmk_point_as_float_ (point.h) for one that was given as a float, or another one
 *   sum       cmk_point_sum_ (below), of a thread or a warp
 *   kind      cmk_point_doubles_ or cmk_point_singles_, of a sum's bins
 *   result    the memory of a result, CMK_POINT_RESULT_BYTES: the result, then the words of all copies
 *   mask      the threads of the warp */
#ifndef CMK_KERNEL_POINT_REDUCE_H
#define CMK_KERNEL_POINT_REDUCE_H

#include "grid.h"

/* The bins of a sum that are kept, the bins of doubles, and the copies of the words. */
enum { cmk_point_bins_kept_ = 3, cmk_point_bins_ = 64, cmk_point_copies_ = 128 };
/* The largest exponents of finite values, as the bits of a double and of a float have them: larger ones count as
 * infinite. The least top of floats, the number of the bins above it, and all words that floats have in a copy. */
enum { cmk_point_exponent_most_ = 1995, cmk_point_exponent_single_ = 235 };
enum { cmk_point_top_single_ = 43, cmk_point_bins_single_ = 14, cmk_point_floats_words_ = 16 };
/* Whether values are infinite. NaN is both. A copy has the endless top for floats where a value is +infinity or NaN,
 * and that for doubles where one is -infinity or NaN. */
enum { cmk_point_is_high_ = 1, cmk_point_is_low_ = 2, cmk_point_is_nan_ = 3, cmk_point_top_endless_ = 255 };
enum { cmk_point_doubles_, cmk_point_singles_, cmk_point_bins_kinds_ };

/* The bins of values of a kind: bins[k] are for bin top + cmk_point_bins_kept_ - k. Where there are no values top is
 * 0. */
typedef struct {
    cmk_i64 bins[cmk_point_bins_kept_];
    int top;
} cmk_point_bins_of_;

/* A sum: odd has bits for infinite values and NaN. Of the most there is that alone: cmk_point_most_of_. */
typedef struct {
    cmk_point_bins_of_ of[cmk_point_bins_kinds_];
    unsigned odd;
    unsigned long long most;
} cmk_point_sum_;

/* The words of a copy, of which the first 128 bytes are those that floats need. Bin j of floats is
 * singles[j - cmk_point_top_single_ - 1], and bin j of doubles is doubles[j]: bins 0 and 1 are not used, and doubles[0]
 * is their largest top. */
typedef struct {
    unsigned long long singles[cmk_point_bins_single_], top;
    unsigned long long key; /* of the most */
    unsigned long long doubles[cmk_point_bins_];
} cmk_point_partial_;
/* Its words. Of these from the first top to the second one the largest of all copies counts, of others the sum. */
enum { cmk_point_partial_words_ = (int)sizeof(cmk_point_partial_) / 8, cmk_point_tops_ = cmk_point_bins_single_ };

/* The memory of a result. */
typedef struct {
    double result, unused[15];
    cmk_point_partial_ copies[cmk_point_copies_];
} cmk_point_result_;
CMK_STATIC_ASSERT(sizeof(cmk_point_result_) == CMK_POINT_RESULT_BYTES, "CMK_POINT_RESULT_BYTES");

CMK_INLINED_ unsigned long long cmk_point_bits_(double value)
{
    unsigned long long bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

CMK_INLINED_ double cmk_point_double_(unsigned long long bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

CMK_INLINED_ unsigned cmk_point_single_bits_(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

CMK_INLINED_ float cmk_point_single_of_(unsigned bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns value k of a thread as a double. */
CMK_INLINED_ double cmk_point_value_(const void *values, cmk_point_field_ f, int k)
{
    float single = 0.0f;
    double value = 0.0;
    if (f.size == 8)
        memcpy(&value, (const char *)values + 8 * k, sizeof value);
    else
        memcpy(&single, (const char *)values + 4 * k, sizeof single);
#if !defined(__CUDACC__)
    __asm__("" : "+m"(value), "+m"(single)); /* so that it is no product to contract */
#endif
    return f.size == 8 ? value : (double)single;
}

/* Returns whether point k counts: an update has said a value, and the point is of the part. */
CMK_INLINED_ int cmk_point_counts_(const char *sets, const cmk_point_place_ *p, int k)
{
    return sets[k] && (p->way == cmk_point_in_tile_ || ((p->mine & ~p->level.held) >> k & 1));
}

/* Returns whether it counts, and was given as a float or not. */
CMK_INLINED_ int cmk_point_is_of_(const char *sets, cmk_point_field_ f, const cmk_point_place_ *p, int kind, int k)
{
    return cmk_point_counts_(sets, p, k) &&
           (f.size == 4 || sets[k] == cmk_point_as_float_) == (kind == cmk_point_singles_);
}

/* ---- Sums. Moves bins up to a higher top; what falls below them is dropped. */
CMK_INLINED_ void cmk_point_raise_(cmk_point_bins_of_ *b, int top)
{
    const int by = top - b->top;
    if (by <= 0) return;
    b->bins[2] = by == 1 ? b->bins[1] : by == 2 ? b->bins[0] : 0;
    b->bins[1] = by == 1 ? b->bins[0] : 0;
    b->bins[0] = 0;
    b->top = top;
}

/* Returns the number that bin k of a top begins with, 1.5 * 2^52 u or 1.5 * 2^23 u. */
CMK_INLINED_ double cmk_point_magic_(int top, int k)
{
    return cmk_point_double_((unsigned long long)(32 * (top + cmk_point_bins_kept_ - k) + 1) << 52 | 1ull << 51);
}

CMK_INLINED_ float cmk_point_single_magic_(int top, int k)
{
    return cmk_point_single_of_((unsigned)(16 * (top + cmk_point_bins_kept_ - k) - 668) << 23 | 1u << 22);
}

/* Sums and differences that no compiler contracts with a product. */
#if defined(__CUDACC__)
#define CMK_POINT_PLUS_(a, b) __dadd_rn(a, b)
#define CMK_POINT_PLUS_SINGLE_(a, b) __fadd_rn(a, b)
#else
#define CMK_POINT_PLUS_(a, b) ((a) + (b))
#define CMK_POINT_PLUS_SINGLE_(a, b) ((a) + (b))
#endif

/* Adds a value to three bins: to each the bits of magic[k] + x, of what the bin before has left of x. Those of magic[k]
 * are subtracted once for all values. Nothing is contracted: of a product x, x - part would be another. */
CMK_INLINED_ void cmk_point_deposit_(cmk_i64 *sums, const double *magic, double x)
{
    CMK_UNROLL
    for (int k = 0; k < cmk_point_bins_kept_; ++k) {
        const double next = CMK_POINT_PLUS_(magic[k], x);
        sums[k] = (cmk_i64)((unsigned long long)sums[k] + cmk_point_bits_(next));
        x = CMK_POINT_PLUS_(x, -CMK_POINT_PLUS_(next, -magic[k]));
    }
}

CMK_INLINED_ void cmk_point_deposit_single_(unsigned *sums, const float *magic, float x)
{
    CMK_UNROLL
    for (int k = 0; k < cmk_point_bins_kept_; ++k) {
        const float next = CMK_POINT_PLUS_SINGLE_(magic[k], x);
        sums[k] += cmk_point_single_bits_(next);
        x = CMK_POINT_PLUS_SINGLE_(x, -CMK_POINT_PLUS_SINGLE_(next, -magic[k]));
    }
}

/* Notes the thread's values that are not finite. They decide the result, so that nothing else of it is needed. */
CMK_INLINED_ void cmk_point_note_odd_(cmk_point_sum_ *sum, const void *values, const char *sets, cmk_point_field_ f,
                                      const cmk_point_place_ *p, int kind)
{
    CMK_UNROLL
    for (int k = 0; k < cmk_point_points_(p->tile); ++k) {
        const double x = cmk_point_value_(values, f, k);
        if (!cmk_point_is_of_(sets, f, p, kind, k)) continue;
        const int odd = x != x ? cmk_point_is_nan_ : x > 0.0 ? cmk_point_is_high_ : cmk_point_is_low_;
        const int single = ((cmk_point_single_bits_((float)x) >> 23) & 0xff) > cmk_point_exponent_single_;
        const int wide = (cmk_point_bits_(x) >> 52 & 0x7ff) > cmk_point_exponent_most_;
        if (kind == cmk_point_singles_ ? single : wide) sum->odd |= (unsigned)odd;
    }
}

/* Returns whether the thread has values of a kind, and their largest exponent, as its bits have it. */
CMK_INLINED_ int cmk_point_exponent_(const void *values, const char *sets, cmk_point_field_ f,
                                     const cmk_point_place_ *p, int kind, int *exponent)
{
    unsigned most = 0;
    int any = 0;
    CMK_UNROLL
    for (int k = 0; k < cmk_point_points_(p->tile); ++k) {
        if (!cmk_point_is_of_(sets, f, p, kind, k)) continue;
        const double value = cmk_point_value_(values, f, k);
        const unsigned high = kind == cmk_point_singles_ ? cmk_point_single_bits_((float)value)
                                                         : (unsigned)(cmk_point_bits_(value) >> 32);
        most = (high & 0x7fffffffu) > most ? high & 0x7fffffffu : most;
        any = 1;
    }
    *exponent = (int)(most >> (kind == cmk_point_singles_ ? 23 : 20));
    return any;
}

/* Adds the thread's values of doubles. 2^31 u exceed the largest, whose exponent is e, where 32 j is e + 21 or more.
 * Bins of the least top hold no bits below 2^-1042. */
CMK_INLINED_ void cmk_point_add_doubles_(cmk_point_sum_ *sum, const void *values, const char *sets, cmk_point_field_ f,
                                         const cmk_point_place_ *p)
{
    cmk_point_bins_of_ *const b = &sum->of[cmk_point_doubles_];
    const int points = cmk_point_points_(p->tile);
    int exponent;
    if (!cmk_point_exponent_(values, sets, f, p, cmk_point_doubles_, &exponent)) return;
    const int top = (exponent + 52) / 32 - cmk_point_bins_kept_;
    if (exponent > cmk_point_exponent_most_) {
        cmk_point_note_odd_(sum, values, sets, f, p, cmk_point_doubles_);
        return;
    }
    cmk_point_raise_(b, top > 1 ? top : 1);
    double magic[cmk_point_bins_kept_];
    CMK_UNROLL
    for (int k = 0; k < cmk_point_bins_kept_; ++k) {
        magic[k] = cmk_point_magic_(b->top, k);
        b->bins[k] = (cmk_i64)((unsigned long long)b->bins[k] - (unsigned)points * cmk_point_bits_(magic[k]));
    }
    CMK_UNROLL
    for (int k = 0; k < points; ++k)
        cmk_point_deposit_(b->bins, magic,
                           cmk_point_is_of_(sets, f, p, cmk_point_doubles_, k) ? cmk_point_value_(values, f, k) : 0.0);
}

/* The same of floats. 2^15 u exceed the largest where 16 j is e + 677 or more. */
CMK_INLINED_ void cmk_point_add_singles_(cmk_point_sum_ *sum, const void *values, const char *sets, cmk_point_field_ f,
                                         const cmk_point_place_ *p)
{
    cmk_point_bins_of_ *const b = &sum->of[cmk_point_singles_];
    const int points = cmk_point_points_(p->tile);
    int exponent;
    if (!cmk_point_exponent_(values, sets, f, p, cmk_point_singles_, &exponent)) return;
    const int top = (exponent + 692) / 16 - cmk_point_bins_kept_;
    if (exponent > cmk_point_exponent_single_) {
        cmk_point_note_odd_(sum, values, sets, f, p, cmk_point_singles_);
        return;
    }
    cmk_point_raise_(b, top > cmk_point_top_single_ ? top : cmk_point_top_single_);
    float magic[cmk_point_bins_kept_];
    unsigned sums[cmk_point_bins_kept_];
    CMK_UNROLL
    for (int k = 0; k < cmk_point_bins_kept_; ++k) {
        magic[k] = cmk_point_single_magic_(b->top, k);
        sums[k] = 0u - (unsigned)points * cmk_point_single_bits_(magic[k]);
    }
    CMK_UNROLL
    for (int k = 0; k < points; ++k)
        cmk_point_deposit_single_(
            sums, magic,
            cmk_point_is_of_(sets, f, p, cmk_point_singles_, k) ? (float)cmk_point_value_(values, f, k) : 0.0f);
    CMK_UNROLL
    for (int k = 0; k < cmk_point_bins_kept_; ++k) b->bins[k] += (int)sums[k];
}

/* ---- The most. Returns its key: larger for larger values, the same for both zeros. */
CMK_INLINED_ unsigned long long cmk_point_key_(double value)
{
    const unsigned long long bits = cmk_point_bits_(value + 0.0);
    if (value != value) return ~0ull;
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

/* Returns the value of a key: for 0 minus infinity, the most of no values. */
CMK_INLINED_ double cmk_point_of_key_(unsigned long long key)
{
    if (key == 0) return cmk_point_double_(0xfffull << 52);
    if (key == ~0ull) return cmk_point_double_(0x7ff8ull << 48);
    return cmk_point_double_(key >> 63 ? key & ~(1ull << 63) : ~key);
}

/* Returns the key of a float, of 32 bits, and the key of the double that is as large. */
CMK_INLINED_ unsigned cmk_point_single_key_(float value)
{
    const unsigned bits = cmk_point_single_bits_(value), sign = 1u << 31;
    if (value != value) return ~0u;
    return bits & sign ? ~bits : bits | sign;
}

CMK_INLINED_ unsigned long long cmk_point_long_key_(unsigned key)
{
    if (key == 0 || key == ~0u) return key == 0 ? 0 : ~0ull;
    return cmk_point_key_((double)cmk_point_single_of_(key >> 31 ? key & ~(1u << 31) : ~key));
}

/* Returns the larger of two floats, NaN where one of them is NaN. */
CMK_INLINED_ float cmk_point_larger_(float a, float b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
    return larger;
#else
    return b > a || b != b ? b : a;
#endif
}

/* The most of a thread, so far. It is kept with the bits of minus infinity changed, so that zeros are no value. */
CMK_INLINED_ double cmk_point_most_of_(const cmk_point_sum_ *sum)
{
    return cmk_point_double_(sum->most ^ 0xfffull << 52);
}

CMK_INLINED_ float cmk_point_single_most_of_(const cmk_point_sum_ *sum)
{
    return cmk_point_single_of_((unsigned)sum->most ^ 0x1ffu << 23);
}

/* Takes the most of the thread's points; the comparison keeps a NaN. Of the least all values have the other sign. */
CMK_INLINED_ void cmk_point_take_points_(cmk_point_sum_ *sum, const void *values, const char *sets, cmk_point_field_ f,
                                         const cmk_point_place_ *p)
{
    const double sign = f.kind == cmk_point_KIND_MIN ? -1.0 : 1.0, none = cmk_point_of_key_(0);
    double most = cmk_point_most_of_(sum);
    float single = cmk_point_single_most_of_(sum);
    CMK_UNROLL
    for (int k = 0; k < cmk_point_points_(p->tile); ++k) {
        const double value = cmk_point_counts_(sets, p, k) ? cmk_point_value_(values, f, k) * sign : none;
        if (f.size == 8)
            most = value > most || value != value ? value : most;
        else
            single = cmk_point_larger_(single, (float)value);
    }
    sum->most = f.size == 8 ? cmk_point_bits_(most) ^ 0xfffull << 52 : cmk_point_single_bits_(single) ^ 0x1ffu << 23;
}

/* Returns a bit for each point of a thread: whether it is of the part. With deep ghosts points beside it are updated
 * too. */
CMK_INLINED_ unsigned long long cmk_point_of_part_(const void *grid, const cmk_point_place_ *p)
{
    unsigned long long bits = 0;
    cmk_point_sizes_ s;
    memcpy((void *)&s, grid, sizeof s);
    if (s.deep_ghosts == 0) return ~0ull;
    CMK_UNROLL
    for (int k = 0; k < cmk_point_points_(p->tile); ++k) {
        cmk_point_place_ at = *p;
        cmk_point_move_to_(&at, k);
        const int is_of = (size_t)at.plane - s.first_plane < s.end_plane - s.first_plane &&
                          (size_t)at.row - s.first_row < s.end_row - s.first_row &&
                          (size_t)at.column - s.first_column < s.end_column - s.first_column;
        bits |= (is_of ? 1ull : 0ull) << k;
    }
    return bits;
}

/* Takes what an update has said of the thread's points, for one result, in a pass in its last step. The sets are marks
 * for each of the values. Most threads have points of the part alone, and others, at the sides of a strip, have none:
 * of these two no point is asked for. Points beside the part are updated in the way that f.beside says. */
CMK_INLINED_ void cmk_point_reduce_(cmk_point_sum_ *sum, const void *values, const char *sets, cmk_point_field_ f,
                                    const void *grid, const cmk_point_place_ *p)
{
    const int points = cmk_point_points_(p->tile), beside = f.beside >> (p->way == cmk_point_in_pass_) & 1;
    const unsigned long long all = points < 64 ? (1ull << points) - 1 : ~0ull, most = sum->most;
    unsigned long long own = p->way == cmk_point_in_tile_ ? all : p->mine & ~p->level.held & all;
    if (beside) own &= cmk_point_of_part_(grid, p);
    const int is_whole = own == all;
    if (p->level.early) return;
    cmk_point_place_ whole = *p, some = *p;
    whole.way = cmk_point_in_tile_;
    some.way = cmk_point_in_pass_;
    some.mine = own;
    some.level.held = 0;
    if (f.kind != cmk_point_KIND_SUM) {
        cmk_point_take_points_(sum, values, sets, f, &whole);
        if (!is_whole) sum->most = most;
        if (!is_whole && own != 0) cmk_point_take_points_(sum, values, sets, f, &some);
    } else if (is_whole) {
        cmk_point_add_doubles_(sum, values, sets, f, &whole), cmk_point_add_singles_(sum, values, sets, f, &whole);
    } else if (own != 0) {
        cmk_point_add_doubles_(sum, values, sets, f, &some), cmk_point_add_singles_(sum, values, sets, f, &some);
    }
}

/* ---- A warp. Returns the sum, or the most, of the values of the threads of a mask, which call it, in all of them. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
CMK_INLINED_ unsigned cmk_point_warp_(unsigned mask, unsigned value, int most)
{
    unsigned total = 0;
    for (int lane = 0; lane < 32; ++lane) {
        const unsigned other = __shfl_sync(mask, value, mask >> lane & 1 ? lane : 0);
        if (mask >> lane & 1) total = !most ? total + other : other > total ? other : total;
    }
    return total;
}
#define CMK_POINT_WARP_SUM_(mask, value) cmk_point_warp_(mask, value, 0)
#define CMK_POINT_WARP_MOST_(mask, value) cmk_point_warp_(mask, value, 1)
#else
#define CMK_POINT_WARP_SUM_(mask, value) __reduce_add_sync(mask, value)
#define CMK_POINT_WARP_MOST_(mask, value) __reduce_max_sync(mask, value)
#endif

/* Returns the sum of integers of 64 bits, by 24, 24 and 16 bits: the sum of 32 of them has 5 bits more. Where all fit
 * into 26 bits, one sum is enough. */
CMK_INLINED_ cmk_i64 cmk_point_warp_long_(unsigned mask, cmk_i64 value)
{
    const unsigned part = 0xffffff;
    if (!__any_sync(mask, value != (cmk_i64)((int)((unsigned)value << 6) >> 6)))
        return (int)CMK_POINT_WARP_SUM_(mask, (unsigned)value);
    const cmk_i64 low = CMK_POINT_WARP_SUM_(mask, (unsigned)value & part);
    const cmk_i64 middle = CMK_POINT_WARP_SUM_(mask, (unsigned)(value >> 24) & part);
    const cmk_i64 high = (int)CMK_POINT_WARP_SUM_(mask, (unsigned)(value >> 48));
    return low + middle * (1ll << 24) + high * (1ll << 48);
}

/* Returns the largest of keys of 64 bits, in the same way. */
CMK_INLINED_ unsigned long long cmk_point_warp_key_(unsigned mask, unsigned long long key)
{
    const unsigned high = CMK_POINT_WARP_MOST_(mask, (unsigned)(key >> 32));
    const unsigned low = CMK_POINT_WARP_MOST_(mask, key >> 32 == high ? (unsigned)key : 0u);
    return (unsigned long long)high << 32 | low;
}

/* Joins the bins of values of a kind, in the same way. Returns whether there are values. `few` is 1 where the sum of a
 * warp is known to fit 32 bits. */
CMK_INLINED_ int cmk_point_join_bins_(cmk_point_bins_of_ *b, unsigned mask, int few)
{
    if (!__any_sync(mask, b->top != 0)) return 0;
    const int top = (int)CMK_POINT_WARP_MOST_(mask, (unsigned)b->top);
    if (__any_sync(mask, b->top != top)) cmk_point_raise_(b, top);
    CMK_UNROLL
    for (int k = 0; k < cmk_point_bins_kept_; ++k)
        b->bins[k] =
            few ? (int)CMK_POINT_WARP_SUM_(mask, (unsigned)b->bins[k]) : cmk_point_warp_long_(mask, b->bins[k]);
    return 1;
}

/* Adds a warp's bins to words of a copy, of which words[0] is bin `first`. A thread adds a bin, or says the top. */
CMK_INLINED_ void cmk_point_deliver_bins_(unsigned long long *words, unsigned long long *top,
                                          const cmk_point_bins_of_ *b, int first, int lane)
{
    const cmk_i64 bin = lane == 0 ? b->bins[0] : lane == 1 ? b->bins[1] : b->bins[2];
    if (lane == cmk_point_bins_kept_) atomicMax(top, (unsigned long long)b->top);
    if (lane < cmk_point_bins_kept_)
        atomicAdd(&words[b->top + cmk_point_bins_kept_ - lane - first], (unsigned long long)bin);
}

/* Returns the key of the most of the threads of a mask, which call it. */
CMK_INLINED_ unsigned long long cmk_point_join_most_(const cmk_point_sum_ *sum, cmk_point_field_ f, unsigned mask)
{
    if (f.size == 8) return cmk_point_warp_key_(mask, cmk_point_key_(cmk_point_most_of_(sum)));
    return cmk_point_long_key_(CMK_POINT_WARP_MOST_(mask, cmk_point_single_key_(cmk_point_single_most_of_(sum))));
}

/* Ends a kernel for one result: adds what a warp has to a copy of the words. All threads call it. `whole` is 1 where
 * all warps have 32 threads, and `once` where a thread has one tile, of at most cmk_point_most_ points. */
CMK_INLINED_ void cmk_point_deliver_(cmk_point_sum_ *sum, void *result, cmk_point_field_ f, int whole, int once)
{
    const int threads = (int)(blockDim.x * blockDim.y), thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    const int warp = thread / 32, lane = thread % 32, count = whole ? 32 : cmk_least_(32, threads - 32 * warp);
    const unsigned number = blockIdx.x * (unsigned)((threads + 31) / 32) + (unsigned)warp;
    const unsigned mask = count == 32 ? 0xffffffffu : (1u << count) - 1;
    cmk_point_partial_ *const words = &((cmk_point_result_ *)result)->copies[number % cmk_point_copies_];
    cmk_point_bins_of_ *const doubles = &sum->of[cmk_point_doubles_], *const singles = &sum->of[cmk_point_singles_];
    if (f.kind != cmk_point_KIND_SUM) {
        const unsigned long long key = cmk_point_join_most_(sum, f, mask);
        if (lane == 0) atomicMax(&words->key, key);
        return;
    }
    if (cmk_point_join_bins_(singles, mask, once))
        cmk_point_deliver_bins_(words->singles, &words->top, singles, cmk_point_top_single_ + 1, lane);
    if (cmk_point_join_bins_(doubles, mask, 0))
        cmk_point_deliver_bins_(words->doubles, &words->doubles[0], doubles, 0, lane);
    if (!__any_sync(mask, sum->odd != 0)) return;
    const int high = __any_sync(mask, sum->odd & cmk_point_is_high_);
    const int low = __any_sync(mask, sum->odd & cmk_point_is_low_);
    if (lane == 0 && high) atomicMax(&words->top, (unsigned long long)cmk_point_top_endless_);
    if (lane == 0 && low) atomicMax(&words->doubles[0], (unsigned long long)cmk_point_top_endless_);
}

/* ---- The launch behind it, of a warp, all of whose threads call these functions. Thread `lane` does copies lane,
 * lane + 32 and so on. Loads stand together, as each takes long. Returns the word of a copy, where `at` is that of
 * copy 0. */
CMK_INLINED_ unsigned long long *cmk_point_of_copy_(unsigned long long *at, int copy)
{
    return at + copy * (int)(sizeof(cmk_point_partial_) / sizeof *at);
}

/* Sets `count` words of each copy to 0. */
CMK_INLINED_ void cmk_point_zero_(unsigned long long *at, int count, int lane)
{
    __syncwarp();
    for (int i = lane; i < cmk_point_copies_ * count; i += 32) cmk_point_of_copy_(at, i / count)[i % count] = 0;
}

/* Returns the largest key of the copies, and leaves zeros. */
CMK_INLINED_ unsigned long long cmk_point_take_key_(cmk_point_partial_ *copies, int lane)
{
    unsigned long long most = 0;
    CMK_UNROLL
    for (int copy = 0; copy < cmk_point_copies_; copy += 32)
        most = copies[copy + lane].key > most ? copies[copy + lane].key : most;
    cmk_point_zero_(&copies[0].key, 1, lane);
    return cmk_point_warp_key_(0xffffffffu, most);
}

/* Returns 2^exponent, of a normal double. */
CMK_INLINED_ double cmk_point_power_(int exponent)
{
    return cmk_point_double_((unsigned long long)(exponent + 1023) << 52);
}

/* Returns digits, of 32 bits each from the lowest one up, times 2^exponent, rounded once. All are from 0 to 2^32 - 1,
 * and digits[0] and [1] are 0. They move up until the last is not 0, by constant indices, so that they are in
 * registers. Of the bits below the highest 64 the last bit says whether there are any. */
CMK_INLINED_ double cmk_point_round_digits_(cmk_i64 *digits, int count, int exponent)
{
    int shift = 0;
    unsigned long long rest = 0;
    CMK_UNROLL
    for (int turn = 3; turn < count; ++turn) {
        if (digits[count - 1] != 0) continue;
        CMK_UNROLL
        for (int k = count - 1; k > 0; --k) digits[k] = digits[k - 1];
        digits[0] = 0;
        shift += 32;
    }
    CMK_UNROLL
    for (int k = 0; k < count - 3; ++k) rest |= (unsigned long long)digits[k];
    unsigned long long high = (unsigned long long)digits[count - 1] << 32 | (unsigned long long)digits[count - 2];
    unsigned long long low = (unsigned long long)digits[count - 3];
    if (high == 0) return 0.0;
    for (; high >> 63 == 0; ++shift) {
        high = high << 1 | (low >> 31 & 1);
        low <<= 1;
    }
    if ((low & 0xffffffffull) != 0 || rest != 0) high |= 1;
    const int scale = exponent + 32 * (count - 2) - shift;
    return (double)high * cmk_point_power_(scale / 2) * cmk_point_power_(scale - scale / 2);
}

/* Returns the sum of bins of `bits` bits, whose lower and upper words are given, lowest bin first, where the lowest has
 * u = 2^exponent. Digits of 32 bits are carried from the lowest one up. A negative sum has a negative last digit: its
 * digits get the other sign, and are carried again. */
CMK_INLINED_ double cmk_point_total_(const unsigned long long *low, const unsigned long long *high, int bits,
                                     int exponent)
{
    enum { digits_ = cmk_point_bins_kept_ + 4 };
    cmk_i64 digits[digits_] = {0};
    int negative = 0;
    CMK_UNROLL
    for (int k = 0; k < cmk_point_bins_kept_; ++k) {
        const int at = 2 + bits * k / 32;
        const cmk_i64 scale = 1ll << bits * k % 32;
        digits[at] += (cmk_i64)(low[k] & 0xffffffffull) * scale;
        digits[at + 1] += (cmk_i64)(high[k] + (low[k] >> 32)) * scale;
    }
    for (int turn = 0; turn < 2; ++turn) {
        CMK_UNROLL
        for (int k = 0; k < digits_ - 1; ++k) {
            digits[k + 1] += digits[k] >> 32;
            digits[k] &= 0xffffffff;
        }
        if (digits[digits_ - 1] >= 0) break;
        negative = 1;
        CMK_UNROLL
        for (int k = 0; k < digits_; ++k) digits[k] = -digits[k];
    }
    const double total = cmk_point_round_digits_(digits, digits_, exponent - 64);
    return negative ? -total : total;
}

/* Returns the sum of bins of `bits` bits, where the lowest has u = 2^exponent, and is word `at` of copy 0. Of folded
 * copies an even one has the lower 32 bits of bins, and the odd one behind it what is above. */
CMK_INLINED_ double cmk_point_sum_bins_(unsigned long long *at, int bits, int exponent, int folded, int lane)
{
    cmk_i64 lower[cmk_point_bins_kept_] = {0}, upper[cmk_point_bins_kept_] = {0};
    unsigned long long low[cmk_point_bins_kept_], high[cmk_point_bins_kept_];
    CMK_UNROLL
    for (int copy = 0; copy < cmk_point_copies_; copy += 32) {
        CMK_UNROLL
        for (int k = 0; k < cmk_point_bins_kept_; ++k) {
            const cmk_i64 bin = (cmk_i64)cmk_point_of_copy_(at, copy + lane)[k];
            lower[k] += !folded ? bin & 0xffffffff : lane % 2 == 0 ? bin : 0;
            upper[k] += !folded ? bin >> 32 : lane % 2 == 0 ? 0 : bin;
        }
    }
    CMK_UNROLL
    for (int k = 0; k < cmk_point_bins_kept_; ++k) {
        low[k] = (unsigned long long)cmk_point_warp_long_(0xffffffffu, lower[k]);
        high[k] = (unsigned long long)cmk_point_warp_long_(0xffffffffu, upper[k]);
    }
    return cmk_point_total_(low, high, bits, exponent);
}

/* Returns the sum of doubles and of floats, and leaves zeros. */
CMK_INLINED_ double cmk_point_sum_both_(cmk_point_partial_ *copies, int folded, int lane)
{
    unsigned top = 0, single = 0;
    double doubles = 0.0, singles = 0.0;
    CMK_UNROLL
    for (int copy = 0; copy < cmk_point_copies_; copy += 32) {
        const cmk_point_partial_ *const own = &copies[copy + lane];
        const unsigned tops[] = {(unsigned)own->doubles[0], (unsigned)own->top};
        top = tops[0] > top ? tops[0] : top;
        single = tops[1] > single ? tops[1] : single;
    }
    top = CMK_POINT_WARP_MOST_(0xffffffffu, top);
    single = CMK_POINT_WARP_MOST_(0xffffffffu, single);
    const int high = single == cmk_point_top_endless_, low = top == cmk_point_top_endless_;
    if (single > 0 && !high)
        singles = cmk_point_sum_bins_(&copies[0].singles[(int)single - cmk_point_top_single_], 16,
                                      16 * ((int)single + 1) - 818, folded, lane);
    cmk_point_zero_((unsigned long long *)(void *)copies, cmk_point_floats_words_, lane);
    if (top > 0 && !low)
        doubles = cmk_point_sum_bins_(&copies[0].doubles[top + 1], 32, 32 * ((int)top + 1) - 1074, folded, lane);
    if (top > 0) cmk_point_zero_(copies[0].doubles, cmk_point_bins_, lane);
    if (!high && !low) return CMK_POINT_PLUS_(doubles, singles);
    return cmk_point_of_key_(!high ? 0 : !low ? 0xfffull << 52 : ~0ull);
}

/* Writes a result, behind the launches of a call, in a launch of one warp for each result. */
CMK_DEVICE_ void cmk_point_conclude_(void *result, cmk_point_field_ f, int folded)
{
    cmk_point_result_ *const memory = (cmk_point_result_ *)result;
    const int lane = (int)threadIdx.x;
    double total = 0.0;
    if (f.kind == cmk_point_KIND_SUM) {
        total = cmk_point_sum_both_(memory->copies, folded, lane);
    } else {
        total = cmk_point_of_key_(cmk_point_take_key_(memory->copies, lane));
        if (f.kind == cmk_point_KIND_MIN) total = total == total ? 0.0 - total : total;
    }
    if (lane != 0) return;
    const float single = (float)total;
    memcpy((void *)&memory->result, f.size == 8 ? (const void *)&total : (const void *)&single, (size_t)f.size);
}

/* ---- The end of a kernel. All warps have 32 threads where `whole` is 1; a thread then has one tile where `once` is 1
 * too. The launch behind the last step, which writes the results, has 1 for `concludes`. Of the results as many as
 * `results` come before the one at hand. */
typedef struct {
    int whole, once, concludes;
    unsigned results;
} cmk_point_end_;

/* Ends a kernel for one result: adds what the thread has to it, or writes it. All threads call it, for each result in
 * the order of LIST. The result is NULL in a step behind which others follow, and nothing is done. */
CMK_INLINED_ void cmk_point_finish_(cmk_point_sum_ *sums, void *result, cmk_point_field_ f, cmk_point_end_ *end)
{
    const unsigned i = end->results++;
    if (result == NULL) return;
    if (!end->concludes)
        cmk_point_deliver_(&sums[i], result, f, end->whole, end->whole && end->once);
    else if (i == blockIdx.x)
        cmk_point_conclude_(result, f, 0);
}

#endif
