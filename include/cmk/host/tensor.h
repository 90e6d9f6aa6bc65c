/* host/tensor.h: what kernel/mma/ takes from PTX. A product is done at once, by each thread for its own elements.
 * Products of mma.sync are added exactly but for one rounding toward zero. A GPU cuts off its sums of 16 products at a
 * place that depends on the largest; for wgmma this is done here too. */
#include "../base.h"
#ifndef CMK_HOST_TENSOR_H
#define CMK_HOST_TENSOR_H

#include "half.h"

CMK_HOST_C_BEGIN_

CMK_HOST_HELPER_ unsigned cmk_mma_bits_(float value)
{
    return cmk_host_float_bits_(value);
}

CMK_HOST_HELPER_ float cmk_mma_float_(unsigned bits)
{
    return cmk_host_bits_float_(bits);
}

CMK_HOST_HELPER_ float cmk_mma_half_(unsigned pair, int which)
{
    return cmk_host_half_value_((unsigned short)(which ? pair >> 16 : pair));
}

CMK_HOST_HELPER_ unsigned cmk_mma_halves_(float first, float second)
{
    return cmk_host_half_bits_(first) | (unsigned)cmk_host_half_bits_(second) << 16;
}

/* ---- Barriers for some threads of a block. What is copied in bulk arrives at once. */
typedef struct {
    unsigned char count, missing, phase;
    int bytes; /* that have not arrived yet */
} cmk_mma_barrier_;

typedef cmk_mma_barrier_ *cmk_mma_barriers_;
CMK_HOST_HELPER_ cmk_mma_barriers_ cmk_mma_barriers_of_(cmk_mma_barrier_ *first)
{
    return first;
}

CMK_HOST_HELPER_ void cmk_mma_begin_barrier_(cmk_mma_barrier_ *barrier, int count)
{
    barrier->count = barrier->missing = (unsigned char)count;
    barrier->phase = 0;
    barrier->bytes = 0;
}

/* `threads` threads have arrived, and the bytes that are still to come change by `bytes` */
CMK_HOST_QUIET_ void cmk_host_tensor_arrive_(cmk_mma_barrier_ *barrier, int threads, int bytes)
{
    cmk_host_worker_ *worker = cmk_host_worker_now_;
#if CMK_HOST_TSAN_
    __tsan_release(barrier);
#endif
    barrier->missing = (unsigned char)(barrier->missing - threads);
    barrier->bytes += bytes;
    if (barrier->missing > 0 || barrier->bytes != 0) return;
    barrier->missing = barrier->count;
    barrier->phase ^= 1;
    CMK_HOST_ORDERED_();
    for (unsigned rank = 0; rank < worker->threads_; rank++) {
        if (worker->awaited_[rank] != barrier) continue;
        worker->awaited_[rank] = NULL;
        cmk_host_make_ready_(worker, rank);
    }
}

CMK_HOST_HELPER_ void cmk_mma_arrive_(cmk_mma_barriers_ barriers, int n)
{
    cmk_host_tensor_arrive_(barriers + n, 1, 0);
}

CMK_HOST_HELPER_ void cmk_mma_expect_(cmk_mma_barriers_ barriers, int n, int bytes)
{
    cmk_host_tensor_arrive_(barriers + n, 1, bytes);
}

CMK_HOST_QUIET_ void cmk_mma_await_(cmk_mma_barriers_ barriers, int n, unsigned phase)
{
    cmk_mma_barrier_ *barrier = barriers + n;
    cmk_host_worker_ *worker = cmk_host_worker_now_;
    while (barrier->phase == phase) {
        worker->awaited_[worker->running_->rank_] = barrier;
        cmk_host_wait_(worker);
    }
#if CMK_HOST_TSAN_
    __tsan_acquire(barrier);
#endif
}

typedef const float *cmk_mma_floats_;
CMK_HOST_HELPER_ cmk_mma_floats_ cmk_mma_floats_of_(const float *first)
{
    return first;
}

CMK_HOST_HELPER_ float cmk_mma_read_(cmk_mma_floats_ floats, int n)
{
    return floats[n];
}

CMK_HOST_HELPER_ void cmk_mma_copy_bulk_(char *to, const char *from, int bytes, cmk_mma_barriers_ barriers, int n)
{
    for (int at = 0; at < bytes; at += 16)
        memcpy(cmk_host_write_(to + at, 16, 16, __FILE__, __LINE__),
               cmk_host_read_(from + at, 16, 16, __FILE__, __LINE__), 16);
    cmk_host_tensor_arrive_(barriers + n, 0, -bytes);
}

CMK_HOST_HELPER_ void cmk_mma_more_registers_(int count)
{
    (void)count;
}

CMK_HOST_HELPER_ void cmk_mma_fewer_registers_(int count)
{
    (void)count;
}

CMK_HOST_HELPER_ float cmk_mma_larger_(float first, float second)
{
    const unsigned a = cmk_mma_bits_(first) & 0x7fffffff, b = cmk_mma_bits_(second) & 0x7fffffff;
    return cmk_mma_float_(a > b ? a : b);
}

CMK_HOST_HELPER_ unsigned cmk_mma_most_of_two_(unsigned first, unsigned second)
{
    const unsigned low = (first & 0xffff) > (second & 0xffff) ? first : second, high = first > second ? first : second;
    return (low & 0xffff) | (high & 0xffff0000);
}

CMK_HOST_HELPER_ unsigned cmk_mma_least_of_two_(unsigned first, unsigned second)
{
    const unsigned less = ((second - 1) & 0xffff) | ((second - 0x10000) & 0xffff0000);
    const unsigned low = (first & 0xffff) < (less & 0xffff) ? first : less, high = first < less ? first : less;
    return (low & 0xffff) | (high & 0xffff0000);
}

CMK_HOST_HELPER_ int cmk_mma_thread_(void)
{
    return (int)threadIdx.x;
}

CMK_HOST_HELPER_ unsigned cmk_mma_most_(unsigned value)
{
    for (int step = 16; step > 0; step /= 2) {
        const unsigned other = __shfl_xor_sync(0xffffffffu, value, step);
        value = other > value ? other : value;
    }
    return value;
}

CMK_HOST_HELPER_ unsigned cmk_mma_least_(unsigned value)
{
    return ~cmk_mma_most_(~value);
}

CMK_HOST_HELPER_ unsigned cmk_mma_bytes_(unsigned word, int i, unsigned other, int j, int same, int is_signed)
{
    unsigned halves = 0;
    (void)same;
    for (int e = 0; e < 2; ++e) {
        const int byte = (int)((e ? other >> 8 * j : word >> 8 * i) & 0xff),
                  value = is_signed ? (byte ^ 128) - 128 : byte;
        halves |= (value < 0 ? 0x8000u | (unsigned)-value : (unsigned)value) << 16 * e;
    }
    return halves;
}

CMK_HOST_HELPER_ unsigned cmk_mma_bytes_again_(unsigned word, int i, int is_signed)
{
    return cmk_mma_bytes_(word, i, word, i + 2, 1, is_signed);
}

CMK_HOST_HELPER_ unsigned cmk_mma_values_(unsigned word, int i, unsigned other, int j, int same, int is_signed)
{
    const unsigned bytes = cmk_mma_bytes_(word, i, other, j, same, is_signed);
    return cmk_mma_halves_(0x1p24f * cmk_mma_half_(bytes, 0), 0x1p24f * cmk_mma_half_(bytes, 1));
}

/* a sum, cut off to a float */
CMK_HOST_HELPER_ float cmk_host_tensor_cut_(double sum)
{
    const float rounded = (float)sum;
    return fabs((double)rounded) > fabs(sum) ? nextafterf(rounded, 0.0f) : rounded;
}

/* the power of two of a half as it is stored, at least -14; a very small number for 0 */
CMK_HOST_HELPER_ int cmk_host_tensor_power_(float half)
{
    const int power = (int)(cmk_mma_bits_(half) >> 23 & 0xff) - 127;
    return half == 0.0f ? -1000 : power < -14 ? -14 : power;
}

/* d plus `count` products of halves, 8 or 16. Each product is cut off 25 bits below the largest power of two. This is
 * the largest of d and of the products, each by the powers of its factors as they are stored; so measured on an H200.
 * Then the sum is cut off to a float. */
CMK_HOST_HELPER_ float cmk_host_tensor_sum_(float d, const float *a, const float *b, int count)
{
    int most = d == 0.0f ? -1000 : (int)(cmk_mma_bits_(d) >> 23 & 0xff) - 127;
    double sum = (double)d;
    for (int k = 0; k < count; ++k) {
        const int power = cmk_host_tensor_power_(a[k]) + cmk_host_tensor_power_(b[k]);
        most = power > most ? power : most;
        sum += (double)a[k] * (double)b[k];
    }
    if (!(fabs(sum) < 0x1p120) || most < -200) return cmk_host_tensor_cut_(sum);
    const double up = ldexp(1.0, 25 - most);
    sum = trunc((double)d * up);
    for (int k = 0; k < count; ++k) sum += trunc((double)a[k] * (double)b[k] * up);
    return cmk_host_tensor_cut_(sum / up);
}

/* adds products of `halves` halves, 8 or 16, by mma.sync */
CMK_HOST_HELPER_ void cmk_host_tensor_add_(float *d, const unsigned *a, const unsigned *b, int adds, int halves)
{
    const int lane = (int)threadIdx.x % 32;
    for (int i = 0; i < 4; ++i) {
        double sum = adds ? (double)d[i] : 0.0;
        for (int k = 0; k < halves / 2; ++k) {
            const unsigned left = __shfl_sync(0xffffffffu, a[k / 4 * 2 + i / 2], lane / 4 * 4 + k % 4);
            const unsigned right = __shfl_sync(0xffffffffu, b[k / 4], (lane % 4 * 2 + i % 2) * 4 + k % 4);
            for (int e = 0; e < 2; ++e) sum += (double)cmk_mma_half_(left, e) * (double)cmk_mma_half_(right, e);
        }
        d[i] = cmk_host_tensor_cut_(sum);
    }
}

CMK_HOST_HELPER_ void cmk_mma_warp_add_(float *d, const unsigned *a, const unsigned *b, int adds)
{
    cmk_host_tensor_add_(d, a, b, adds, 16);
}

CMK_HOST_HELPER_ void cmk_mma_warp_add_eight_(float *d, const unsigned *a, unsigned b, int adds)
{
    cmk_host_tensor_add_(d, a, &b, adds, 8);
}

CMK_HOST_HELPER_ unsigned cmk_mma_turn_(unsigned pair)
{
    const int lane = (int)threadIdx.x % 32, row = lane / 4, which = row % 2 * 16;
    const unsigned first = __shfl_sync(0xffffffffu, pair, lane % 4 * 8 + row / 2);
    const unsigned second = __shfl_sync(0xffffffffu, pair, lane % 4 * 8 + 4 + row / 2);
    return (first >> which & 0xffff) | (second >> which & 0xffff) << 16;
}

CMK_HOST_HELPER_ unsigned cmk_mma_permute_(unsigned first, unsigned second, unsigned digits)
{
    unsigned bytes = 0;
    for (int n = 0; n < 4; ++n) {
        const unsigned digit = digits >> 4 * n & 7;
        bytes |= ((digit < 4 ? first : second) >> digit % 4 * 8 & 0xff) << 8 * n;
    }
    return bytes;
}

CMK_HOST_HELPER_ unsigned cmk_mma_pack_(float first, float second, int bits, unsigned above)
{
    const int wide = bits < 0 ? -bits : bits;
    const double least = bits < 0 ? -(double)(1 << (wide - 1)) : 0.0;
    const double most = (double)((1 << (bits < 0 ? wide - 1 : wide)) - 1);
    const unsigned mask = (1u << wide) - 1;
    const int low = isnan(first) ? 0 : (int)fmin(fmax(rint((double)first), least), most);
    const int high = isnan(second) ? 0 : (int)fmin(fmax(rint((double)second), least), most);
    return ((unsigned)low & mask) | ((unsigned)high & mask) << wide | (wide == 8 ? above << 16 : 0);
}

CMK_HOST_HELPER_ unsigned cmk_mma_integer_(float sum, float least, float most)
{
    const float above = sum > least ? sum : least, within = above < most ? above : most;
    return cmk_mma_bits_(within + 12582912.0f);
}

CMK_HOST_HELPER_ void cmk_mma_show_(void)
{
}

CMK_HOST_HELPER_ void cmk_mma_begin_(void)
{
}

CMK_HOST_HELPER_ void cmk_mma_end_(void)
{
}

CMK_HOST_HELPER_ void cmk_mma_wait_(float *d, int columns)
{
    (void)d;
    (void)columns;
}

typedef struct {
    const char *first;
    int lead;
} cmk_mma_at_;
CMK_HOST_HELPER_ cmk_mma_at_ cmk_mma_at_of_(const void *pointer)
{
    const cmk_mma_at_ at = {(const char *)pointer, 0};
    return at;
}

CMK_HOST_HELPER_ cmk_mma_at_ cmk_mma_matrix_(cmk_mma_at_ at, int bytes, int lead)
{
    const cmk_mma_at_ matrix = {at.first + bytes, at.lead + lead};
    return matrix;
}

/* the 16 halves along k of row or column i of a matrix */
CMK_HOST_HELPER_ void cmk_host_tensor_row_(float *values, cmk_mma_at_ at, int i)
{
    for (int block = 0; block < 2; ++block)
        for (int pair = 0; pair < 4; ++pair) {
            const unsigned *const from =
                (const unsigned *)(const void *)(at.first + block * at.lead + i / 8 * 128 + i % 8 * 16 + pair * 4);
            const unsigned halves = CMK_HOST_READ_(from);
            values[block * 8 + pair * 2] = cmk_mma_half_(halves, 0);
            values[block * 8 + pair * 2 + 1] = cmk_mma_half_(halves, 1);
        }
}

CMK_HOST_HELPER_ void cmk_mma_multiply_(float *d, int columns, cmk_mma_at_ a, cmk_mma_at_ b, int adds)
{
    const int thread = (int)threadIdx.x % 128, row = thread / 32 * 16 + thread % 32 / 4;
    float left[2][16], right[16];
    for (int below = 0; below < 2; ++below) cmk_host_tensor_row_(left[below], a, row + 8 * below);
    for (int i = 0; i < columns / 4; ++i) {
        cmk_host_tensor_row_(right, b, i / 2 * 8 + thread % 4 * 2 + i % 2);
        for (int below = 0; below < 2; ++below) {
            float *const sum = &d[i / 2 * 4 + below * 2 + i % 2];
            *sum = cmk_host_tensor_sum_(adds ? *sum : 0.0f, left[below], right, 16);
        }
    }
}

/* the same where A is in registers, as kernel/mma/group.h describes */
CMK_HOST_HELPER_ void cmk_mma_multiply_held_(float *d, int columns, const unsigned *left, cmk_mma_at_ b, int adds)
{
    const int lane = (int)threadIdx.x % 32;
    float rows[2][16], right[16];
    for (int i = 0; i < 16; ++i) {
        const unsigned pair = __shfl_sync(0xffffffffu, left[i / 8 * 2 + i / 4 % 2], lane / 4 * 4 + i % 4);
        for (int e = 0; e < 2; ++e) rows[i / 4 % 2][i / 8 * 8 + i % 4 * 2 + e] = cmk_mma_half_(pair, e);
    }
    for (int i = 0; i < columns / 4; ++i) {
        cmk_host_tensor_row_(right, b, i / 2 * 8 + lane % 4 * 2 + i % 2);
        for (int below = 0; below < 2; ++below) {
            float *const sum = &d[i / 2 * 4 + below * 2 + i % 2];
            *sum = cmk_host_tensor_sum_(adds ? *sum : 0.0f, rows[below], right, 16);
        }
    }
}

CMK_HOST_C_END_

#endif
