/* kernel/point/reduce.h: sums, and the most and the least, of what an update says of its points.
 *
 * The bits of a result depend on the values alone. They depend neither on the order of the points, nor on tiles, strips
 * and blocks, nor on the part that a call computes. No order is kept for that: a sum is made of integers, whose sums
 * have no order. Where u is a power of 2 it equals this C:
 *
 *   u = least power of 2^32, times 2^-1074, of which 2^32 exceed the largest |x|;
 *   for (int k = 0; k < 3; ++k, u /= 4294967296.0) {
 *       long long sum = 0;
 *       for each x: { r = round(x / u); sum += r; x -= r * u; }
 *       total += sum * u;                     exactly
 *   }
 *
 * So a sum holds 64 bits below the largest value, or more, and what is below them is dropped: at most 2^-65 of the
 * largest |x| for each value. The total is rounded once. Of values whose bits are all above that it is the sum without
 * any error. A bin is the sum for one u; bin j has u = 2^(32 j - 1074).
 *
 * round(x / u) is (1.5 * 2^52 u + x) - 1.5 * 2^52 u, by double's own rounding. Many such sums go to one double, M: its
 * bits, less those of 1.5 * 2^52 u, are the sum of the integers. The lowest bit of x is set before, so that x never is
 * in the middle of two integers, where rounding would depend on M.
 *
 *   thread    cmk_point_reduce_, behind each tile, plane of a march or row of a pass: its values to its three bins, in
 *             registers. Larger values move the bins up
 *   block     cmk_point_finish_, at the end of the kernel: by shuffles and shared memory; then one thread adds the bins
 *             to words in memory, one of cmk_point_copies_ copies, by atomic additions of integers
 *   launch    the block that comes last adds up the copies, writes the result, and leaves zeros
 *
 * What it costs: 8 bytes of results are 12.5 KB of words, which stay in L2. A block has about 10 atomic operations.
 * A value of a sum takes 7 additions of doubles and 8 other instructions, and a thread 8 registers; a maximum takes 3
 * instructions and 2 registers.
 *
 * The most is a maximum of integers in the order of the values, by a key: 0 for no value, all bits set for NaN. The
 * least is the most of the values with the other sign.
 *
 * In all functions here, which each thread calls where no other caller is named:
 *
 *   f         cmk_point_field_ (grid.h), known at compile time: the result; f.size 4 or 8, of float or double
 *   p         cmk_point_place_ (point.h): the thread's tile; p->mine has a bit for each point that is written, and
 *             p->level.held for each that is not updated. In a tile all that are set count
 *   sum       cmk_point_sum_ (below), of a thread, a warp or a block
 *   memory    the memory of a result, CMK_POINT_RESULT_BYTES: the result, a count, then the words of all copies
 *   last      1 in the launch behind which a result is complete: that of the last stage of a step */
#ifndef CMK_KERNEL_POINT_REDUCE_H
#define CMK_KERNEL_POINT_REDUCE_H

#include "grid.h"

/* The bins of a sum that are kept, the bins of a copy of the words, the copies, and the largest exponent of a finite
 * value, as the bits of a double have it: larger ones count as infinite. */
enum { cmk_point_bins_kept_ = 3, cmk_point_bins_ = 64, cmk_point_copies_ = 8, cmk_point_exponent_most_ = 1996 };
enum { cmk_point_warps_most_ = 16 }; /* of a block of any kernel here */
enum { cmk_point_is_high_ = 1, cmk_point_is_low_ = 2, cmk_point_is_nan_ = 4 };

/* A sum: bins[k] are for bin top + cmk_point_bins_kept_ - k, and odd has bits for infinite values and NaN. Of the most
 * it is the key alone. */
typedef struct {
    cmk_i64 bins[cmk_point_bins_kept_];
    int top, odd;
    unsigned long long key;
} cmk_point_sum_;

/* The memory of a result. Of a sum a bin has the lower 32 bits and the rest of what blocks have added apart, so that
 * neither overflows, and the number of blocks whose highest bin it is. The key of the most is keys[0]. */
typedef struct {
    double result;
    unsigned done, unused;
    struct {
        unsigned long long low[cmk_point_bins_], high[cmk_point_bins_], tops[cmk_point_bins_], odd[3], key;
    } copies[cmk_point_copies_];
} cmk_point_result_;
CMK_STATIC_ASSERT(sizeof(cmk_point_result_) == CMK_POINT_RESULT_BYTES, "cmk: the bytes of a result");

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

/* Returns value k of a thread as a double. */
CMK_INLINED_ double cmk_point_value_(const void *values, cmk_point_field_ f, int k)
{
    float single;
    double value;
    if (f.size == 8) {
        memcpy(&value, (const char *)values + 8 * k, sizeof value);
#if !defined(__CUDACC__)
        __asm__("" : "+m"(value)); /* so that it is no product to contract */
#endif
        return value;
    }
    memcpy(&single, (const char *)values + 4 * k, sizeof single);
    return (double)single;
}

/* Returns whether point k counts: an update has said a value, and the point is of the part. */
CMK_INLINED_ int cmk_point_counts_(const char *sets, const cmk_point_place_ *p, int k)
{
    return sets[k] && (p->way == cmk_point_in_tile_ || ((p->mine & ~p->level.held) >> k & 1));
}

/* ---- Sums. Moves the bins of a sum up to a higher top; what falls below them is dropped. */
CMK_INLINED_ void cmk_point_raise_(cmk_point_sum_ *sum, int top)
{
    const int by = top - sum->top;
    if (by <= 0) return;
    sum->bins[2] = by == 1 ? sum->bins[1] : by == 2 ? sum->bins[0] : 0;
    sum->bins[1] = by == 1 ? sum->bins[0] : 0;
    sum->bins[0] = 0;
    sum->top = top;
}

/* Returns the double that bin k of a top begins with, 1.5 * 2^52 u, whose exponent has 32 j + 1 for bin j. */
CMK_INLINED_ double cmk_point_magic_(int top, int k)
{
    return cmk_point_double_((unsigned long long)(32 * (top + cmk_point_bins_kept_ - k) + 1) << 52 | 1ull << 51);
}

/* Sums and differences that no compiler contracts with a product. */
#if defined(__CUDACC__)
#define CMK_POINT_PLUS_(a, b) __dadd_rn(a, b)
#else
#define CMK_POINT_PLUS_(a, b) ((a) + (b))
#endif

/* Adds a value to the doubles of the three bins. Nothing is contracted: of a product x, x - part would be another. */
CMK_INLINED_ void cmk_point_deposit_(double *magic, double x)
{
    CMK_UNROLL
    for (int k = 0; k < cmk_point_bins_kept_; ++k) {
        const double next = CMK_POINT_PLUS_(magic[k], cmk_point_double_(cmk_point_bits_(x) | 1));
        x = CMK_POINT_PLUS_(x, -CMK_POINT_PLUS_(next, -magic[k]));
        magic[k] = next;
    }
}

/* Notes values that are not finite. They decide the result, so that nothing else of the thread's is needed. */
CMK_INLINED_ void cmk_point_note_odd_(cmk_point_sum_ *sum, double x)
{
    if ((cmk_point_bits_(x) >> 52 & 0x7ff) <= cmk_point_exponent_most_) return;
    sum->odd |= x != x ? cmk_point_is_nan_ : x > 0.0 ? cmk_point_is_high_ : cmk_point_is_low_;
}

/* Adds the values of the thread's points. The bins are those of the largest: 2^32 u exceeds it, whose exponent is e,
 * where 32 j is e + 20 or more. Bins of the least top hold no bits below 2^-1042. */
CMK_INLINED_ void cmk_point_add_all_(cmk_point_sum_ *sum, const void *values, const char *sets, cmk_point_field_ f,
                                     const cmk_point_place_ *p)
{
    const int points = cmk_point_points_(p->tile);
    unsigned most = 0;
    CMK_UNROLL
    for (int k = 0; k < points; ++k) {
        const unsigned high = (unsigned)(cmk_point_bits_(cmk_point_value_(values, f, k)) >> 32) & 0x7fffffffu;
        most = cmk_point_counts_(sets, p, k) && high > most ? high : most;
    }
    const int exponent = (int)(most >> 20), top = (exponent + 51) / 32 - cmk_point_bins_kept_;
    if (exponent > cmk_point_exponent_most_) {
        CMK_UNROLL
        for (int k = 0; k < points; ++k)
            if (cmk_point_counts_(sets, p, k)) cmk_point_note_odd_(sum, cmk_point_value_(values, f, k));
        return;
    }
    cmk_point_raise_(sum, top);
    double magic[cmk_point_bins_kept_];
    CMK_UNROLL
    for (int k = 0; k < cmk_point_bins_kept_; ++k) magic[k] = cmk_point_magic_(sum->top, k);
    CMK_UNROLL
    for (int k = 0; k < points; ++k)
        cmk_point_deposit_(magic, cmk_point_counts_(sets, p, k) ? cmk_point_value_(values, f, k) : 0.0);
    CMK_UNROLL
    for (int k = 0; k < cmk_point_bins_kept_; ++k)
        sum->bins[k] += (cmk_i64)(cmk_point_bits_(magic[k]) - cmk_point_bits_(cmk_point_magic_(sum->top, k)));
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

/* Takes the most of the thread's points; `sign` is -1 for the least. The comparison keeps a NaN. */
CMK_INLINED_ void cmk_point_most_all_(cmk_point_sum_ *sum, const void *values, const char *sets, cmk_point_field_ f,
                                      const cmk_point_place_ *p, float sign)
{
    float single = (float)cmk_point_of_key_(0);
    double most = cmk_point_of_key_(0);
    CMK_UNROLL
    for (int k = 0; k < cmk_point_points_(p->tile); ++k) {
        const double value = cmk_point_value_(values, f, k) * (double)sign;
        const float narrow = (float)value;
        const int more = f.size == 8 ? value > most || value != value : narrow > single || narrow != narrow;
        if (!cmk_point_counts_(sets, p, k) || !more) continue;
        single = narrow;
        most = value;
    }
    const unsigned long long key = cmk_point_key_(f.size == 8 ? most : (double)single);
    sum->key = key > sum->key ? key : sum->key;
}

/* Takes what an update has said of the thread's points, for one result. The sets are marks for each of the values. */
CMK_INLINED_ void cmk_point_reduce_(cmk_point_sum_ *sum, const void *values, const char *sets, cmk_point_field_ f,
                                    const cmk_point_place_ *p)
{
    if (f.kind == cmk_point_KIND_SUM)
        cmk_point_add_all_(sum, values, sets, f, p);
    else
        cmk_point_most_all_(sum, values, sets, f, p, f.kind == cmk_point_KIND_MIN ? -1.0f : 1.0f);
}

/* ---- A block. Joins two sums. */
CMK_INLINED_ void cmk_point_join_(cmk_point_sum_ *sum, cmk_point_sum_ other)
{
    cmk_point_raise_(sum, other.top);
    cmk_point_raise_(&other, sum->top);
    CMK_UNROLL
    for (int k = 0; k < cmk_point_bins_kept_; ++k) sum->bins[k] += other.bins[k];
    sum->odd |= other.odd;
    sum->key = other.key > sum->key ? other.key : sum->key;
}

/* Joins the sums of the first `count` threads of a warp, which call it, in thread 0. */
CMK_INLINED_ void cmk_point_join_warp_(cmk_point_sum_ *sum, cmk_point_field_ f, int lane, int count)
{
    const unsigned mask = count >= 32 ? 0xffffffffu : (1u << count) - 1;
    CMK_UNROLL
    for (int by = 16; by > 0; by /= 2) {
        cmk_point_sum_ other = *sum;
        if (f.kind == cmk_point_KIND_SUM) {
            CMK_UNROLL
            for (int k = 0; k < cmk_point_bins_kept_; ++k)
                other.bins[k] = __shfl_down_sync(mask, sum->bins[k], (unsigned)by);
            other.top = __shfl_down_sync(mask, sum->top, (unsigned)by);
            other.odd = __shfl_down_sync(mask, sum->odd, (unsigned)by);
        } else
            other.key = __shfl_down_sync(mask, sum->key, (unsigned)by);
        if (lane < by && lane + by < count) cmk_point_join_(sum, other);
    }
}

/* Adds a block's sum to a copy of the words. The lower 32 bits of a bin and the rest go to words of their own. */
CMK_INLINED_ void cmk_point_deliver_(cmk_point_result_ *memory, const cmk_point_sum_ *sum, cmk_point_field_ f)
{
    const unsigned copy = blockIdx.x % cmk_point_copies_;
    if (f.kind != cmk_point_KIND_SUM) {
        atomicMax(&memory->copies[copy].key, sum->key);
        return;
    }
    atomicAdd(&memory->copies[copy].tops[sum->top], 1ull);
    CMK_UNROLL
    for (int k = 0; k < cmk_point_bins_kept_; ++k) {
        const int j = sum->top + cmk_point_bins_kept_ - k;
        if (sum->bins[k] == 0) continue;
        atomicAdd(&memory->copies[copy].low[j], (unsigned long long)sum->bins[k] & 0xffffffffull);
        atomicAdd(&memory->copies[copy].high[j], (unsigned long long)(sum->bins[k] >> 32));
    }
    CMK_UNROLL
    for (int k = 0; k < 3; ++k)
        if (sum->odd >> k & 1) atomicAdd(&memory->copies[copy].odd[k], 1ull);
}

/* ---- The last block. Returns the sum of a word over the copies, and leaves zeros. `at` is the word of copy 0. */
CMK_INLINED_ unsigned long long cmk_point_take_(cmk_point_result_ *memory, const unsigned long long *at)
{
    const size_t offset = (size_t)((const char *)at - (const char *)&memory->copies[0]);
    unsigned long long total = 0;
    CMK_UNROLL
    for (int copy = 0; copy < cmk_point_copies_; ++copy)
        total += atomicExch((unsigned long long *)(void *)((char *)&memory->copies[copy] + offset), 0ull);
    return total;
}

/* Returns 2^exponent, of a normal double. */
CMK_INLINED_ double cmk_point_power_(int exponent)
{
    return cmk_point_double_((unsigned long long)(exponent + 1023) << 52);
}

/* Returns digits, of 32 bits each from the lowest one up, times 2^exponent, rounded once. All are from 0 to 2^32 - 1,
 * and digits[0] and [1] are 0. Of the bits below the highest 64 the last bit says whether there are any. */
CMK_INLINED_ double cmk_point_round_digits_(const cmk_i64 *digits, int count, int exponent)
{
    int i = count - 1, rest = 0;
    while (i > 2 && digits[i] == 0) --i;
    for (int k = 0; k < i - 2; ++k) rest |= digits[k] != 0;
    unsigned long long high = (unsigned long long)digits[i] << 32 | (unsigned long long)digits[i - 1];
    unsigned long long low = (unsigned long long)digits[i - 2];
    int shift = 0;
    if (high == 0) return 0.0;
    for (; high >> 63 == 0; ++shift) {
        high = high << 1 | (low >> 31 & 1);
        low <<= 1;
    }
    if ((low & 0xffffffffull) != 0 || rest) high |= 1;
    const int scale = exponent + 32 * (i - 1) - shift;
    return (double)high * cmk_point_power_(scale / 2) * cmk_point_power_(scale - scale / 2);
}

/* Returns the sum of the bins that end at bin j, whose lower and upper words are given, lowest bin first. Digits are
 * carried from the lowest one up. A negative sum has a negative last digit: its digits get the other sign, and are
 * carried again. */
CMK_INLINED_ double cmk_point_total_(const unsigned long long *low, const unsigned long long *high, int j)
{
    enum { digits_ = cmk_point_bins_kept_ + 4 };
    cmk_i64 digits[digits_] = {0};
    int negative = 0;
    for (int k = 0; k < cmk_point_bins_kept_; ++k) {
        digits[k + 2] += (cmk_i64)low[k];
        digits[k + 3] += (cmk_i64)high[k];
    }
    for (int turn = 0; turn < 2; ++turn) {
        for (int k = 0; k < digits_ - 1; ++k) {
            digits[k + 1] += digits[k] >> 32;
            digits[k] &= 0xffffffff;
        }
        if (digits[digits_ - 1] >= 0) break;
        negative = 1;
        for (int k = 0; k < digits_; ++k) digits[k] = -digits[k];
    }
    const double total = cmk_point_round_digits_(digits, digits_, 32 * (j - cmk_point_bins_kept_ + 1 - 2) - 1074);
    return negative ? -total : total;
}

/* Returns the sum of all blocks. All threads of the warp call it; thread `lane` takes words lane and lane + 32 of each
 * array. */
CMK_INLINED_ double cmk_point_sum_up_(cmk_point_result_ *memory, int lane)
{
    unsigned long long low[2], high[2], tops[2], lows[cmk_point_bins_kept_], highs[cmk_point_bins_kept_];
    const unsigned all = 0xffffffffu;
    int top = 0, odd = 0;
    CMK_UNROLL
    for (int i = 0; i < 2; ++i) {
        low[i] = cmk_point_take_(memory, &memory->copies[0].low[lane + 32 * i]);
        high[i] = cmk_point_take_(memory, &memory->copies[0].high[lane + 32 * i]);
        tops[i] = cmk_point_take_(memory, &memory->copies[0].tops[lane + 32 * i]);
        if (tops[i] != 0) top = lane + 32 * i;
    }
    if (lane < 3 && cmk_point_take_(memory, &memory->copies[0].odd[lane]) != 0) odd = 1 << lane;
    CMK_UNROLL
    for (int by = 16; by > 0; by /= 2) {
        const int other = __shfl_xor_sync(all, top, by);
        top = other > top ? other : top;
        odd |= __shfl_xor_sync(all, odd, by);
    }
    CMK_UNROLL
    for (int k = 0; k < cmk_point_bins_kept_; ++k) {
        const int j = top + 1 + k;
        lows[k] = __shfl_sync(all, j < 32 ? low[0] : low[1], j % 32);
        highs[k] = __shfl_sync(all, j < 32 ? high[0] : high[1], j % 32);
    }
    if (odd != 0)
        return cmk_point_of_key_(odd == cmk_point_is_low_ ? 0 : odd == cmk_point_is_high_ ? 0xfffull << 52 : ~0ull);
    return cmk_point_total_(lows, highs, top + cmk_point_bins_kept_);
}

/* Writes the result. All threads of a warp of the last block call it. */
CMK_INLINED_ void cmk_point_conclude_(cmk_point_result_ *memory, cmk_point_field_ f, int lane)
{
    double result = 0.0;
    if (f.kind == cmk_point_KIND_SUM) {
        result = cmk_point_sum_up_(memory, lane);
    } else {
        unsigned long long key = 0;
        for (int copy = 0; copy < cmk_point_copies_ && lane == 0; ++copy) {
            const unsigned long long other = atomicExch(&memory->copies[copy].key, 0ull);
            key = other > key ? other : key;
        }
        result = cmk_point_of_key_(key);
        if (f.kind == cmk_point_KIND_MIN) result = result == result ? 0.0 - result : result;
    }
    if (lane != 0) return;
    const float single = (float)result;
    memcpy((void *)&memory->result, f.size == 8 ? (const void *)&result : (const void *)&single, (size_t)f.size);
}

/* Ends a launch for one result. All threads of a block call it, at the end of the kernel. The first barrier is for the
 * shared memory of the result before. */
CMK_DEVICE_ void cmk_point_finish_(cmk_point_sum_ *sum, void *result, cmk_point_field_ f, int last)
{
    __shared__ cmk_point_sum_ sums[cmk_point_warps_most_];
    cmk_point_result_ *const memory = (cmk_point_result_ *)result;
    const int threads = (int)(blockDim.x * blockDim.y), thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    const int warp = thread / 32, lane = thread % 32, warps = (threads + 31) / 32;
    int is_last = 0;
    cmk_point_join_warp_(sum, f, lane, cmk_least_(32, threads - 32 * warp));
    __syncthreads();
    if (lane == 0) sums[warp] = *sum;
    __syncthreads();
    if (warp > 0) return;
    *sum = lane < warps ? sums[lane] : CMK_ZEROS_(cmk_point_sum_);
    cmk_point_join_warp_(sum, f, lane, 32);
    if (lane == 0) cmk_point_deliver_(memory, sum, f);
    if (!last) return;
    if (lane == 0) {
        __threadfence();
        is_last = atomicInc(&memory->done, gridDim.x - 1) == gridDim.x - 1;
    }
    is_last = __shfl_sync(0xffffffffu, is_last, 0);
    if (!is_last) return;
    __threadfence();
    cmk_point_conclude_(memory, f, lane);
}

#endif
