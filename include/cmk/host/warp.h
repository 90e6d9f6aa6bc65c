/* host/warp.h: shuffles, votes and __syncwarp.
 *
 * A lane that calls one of these waits until all lanes of its mask have called one with the same mask. A mask that
 * leaves out its caller is an error. A mask is also an error if it names a lane that does not exist or has exited: CUDA
 * does not wait for such a lane, but its value is undefined. Only the full mask of __syncwarp() may name such lanes. A
 * shuffle from a lane outside of the mask gives all one bits (NaN, -1). */
#include "../base.h"
#ifndef CMK_HOST_WARP_H
#define CMK_HOST_WARP_H

#if !defined(__cplusplus)
#define __shfl_sync(mask, value, ...) CMK_HOST_SHUFFLE_(cmk_host_lane_at_, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_up_sync(mask, value, ...) CMK_HOST_SHUFFLE_(cmk_host_lane_up_, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_down_sync(mask, value, ...) CMK_HOST_SHUFFLE_(cmk_host_lane_down_, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_xor_sync(mask, value, ...) CMK_HOST_SHUFFLE_(cmk_host_lane_xor_, mask, value, __VA_ARGS__, 32, 0)

/* Adding 0 drops the qualifiers of a type and nothing else. */
#define CMK_HOST_SHUFFLE_(from, mask, value, lane, width, ...)                                                         \
    __extension__({                                                                                                    \
        __typeof__((value) + 0) cmk_value_ = (value);                                                                  \
        CMK_STATIC_ASSERT(sizeof cmk_value_ <= 8, "cmk: a shuffle moves at most 8 bytes");                             \
        const unsigned cmk_from_ = from((int)(lane), (int)(width));                                                    \
        cmk_host_shuffle_((mask), &cmk_value_, sizeof cmk_value_, cmk_from_, __FILE__, __LINE__);                      \
        cmk_value_;                                                                                                    \
    })
#endif

#define __ballot_sync(mask, condition) cmk_host_ballot_((mask), !!(condition), __FILE__, __LINE__)
#define __any_sync(mask, condition) (__ballot_sync((mask), (condition)) != 0)
#define __all_sync(mask, condition) (__ballot_sync((mask), !(condition)) == 0)

/* any: the lanes of the mask that gave the same value. all: the mask where all lanes gave the same value, and whether
 * they did. */
#define __match_any_sync(mask, value) cmk_host_match_((mask), CMK_HOST_BITS_OF_(value), __FILE__, __LINE__)
#define __match_all_sync(mask, value, all) cmk_host_match_all_((mask), __match_any_sync((mask), (value)), (all))
#define CMK_HOST_BITS_OF_(value)                                                                                       \
    __extension__({                                                                                                    \
        const __typeof__((value) + 0) cmk_value_ = (value);                                                            \
        cmk_host_bits_of_(&cmk_value_, sizeof cmk_value_);                                                             \
    })

#define CMK_HOST_REDUCE_(mask, value, reduce)                                                                          \
    ((__typeof__((value) + 0))cmk_host_reduce_((mask), (long long)(value), reduce, __FILE__, __LINE__))
#define __reduce_add_sync(mask, value) CMK_HOST_REDUCE_(mask, value, cmk_host_add_)
#define __reduce_min_sync(mask, value) CMK_HOST_REDUCE_(mask, value, cmk_host_least_)
#define __reduce_max_sync(mask, value) CMK_HOST_REDUCE_(mask, value, cmk_host_most_)
#define __reduce_and_sync(mask, value) CMK_HOST_REDUCE_(mask, value, cmk_host_and_)
#define __reduce_or_sync(mask, value) CMK_HOST_REDUCE_(mask, value, cmk_host_or_)
#define __reduce_xor_sync(mask, value) CMK_HOST_REDUCE_(mask, value, cmk_host_xor_)

/* The lanes that have not exited. Threads run one after the other, so which of them take a branch is not known. */
#define __activemask() cmk_host_active_()

/* The mask may be left out; it is then 0. */
#define __syncwarp(...) cmk_host_syncwarp_(__VA_ARGS__ + 0u, __FILE__, __LINE__)

CMK_HOST_C_BEGIN_

/* the bits of a value of at most 8 bytes */
CMK_HOST_INLINE_ uint64_t cmk_host_bits_of_(const void *value, size_t bytes)
{
    uint64_t bits = 0;
    memcpy(&bits, value, bytes);
    return bits;
}

CMK_HOST_HELPER_ unsigned cmk_host_lane_(void)
{
    return cmk_host_worker_now_->running_->rank_ % 32;
}

/* ---- The source lanes of the four shuffles, as shfl.sync of PTX defines them; width is a power of two */
CMK_HOST_HELPER_ unsigned cmk_host_lane_at_(int lane, int width)
{
    unsigned inside = (unsigned)width - 1;
    return (cmk_host_lane_() & ~inside) | ((unsigned)lane & inside);
}

CMK_HOST_HELPER_ unsigned cmk_host_lane_up_(int delta, int width)
{
    unsigned lane = cmk_host_lane_();
    unsigned inside = (unsigned)width - 1;
    return (unsigned)delta > (lane & inside) ? lane : lane - (unsigned)delta;
}

CMK_HOST_HELPER_ unsigned cmk_host_lane_down_(int delta, int width)
{
    unsigned lane = cmk_host_lane_();
    unsigned inside = (unsigned)width - 1;
    return (unsigned)delta > inside - (lane & inside) ? lane : lane + (unsigned)delta;
}

CMK_HOST_HELPER_ unsigned cmk_host_lane_xor_(int mask, int width)
{
    unsigned lane = cmk_host_lane_();
    unsigned from = (lane ^ (unsigned)mask) & 31;
    return from > (lane | ((unsigned)width - 1)) ? lane : from;
}

/* ---- The meeting of lanes */
CMK_HOST_HELPER_ uint32_t cmk_host_lanes_(const cmk_host_worker_ *worker, unsigned warp)
{
    unsigned count = worker->threads_ - warp * 32;
    return count >= 32 ? 0xffffffffu : (1u << count) - 1;
}

/* The lanes that have to come. Mask 0 stands for that of __syncwarp(). */
CMK_HOST_HELPER_ uint32_t cmk_host_needed_(const cmk_host_worker_ *worker, unsigned warp, uint32_t mask)
{
    return mask ? mask : cmk_host_lanes_(worker, warp) & ~worker->exited_[warp];
}

CMK_HOST_HELPER_ int cmk_host_same_mask_(const cmk_host_warp_ *warp, uint32_t needed, uint32_t mask)
{
    for (unsigned lane = 0; lane < 32; lane++) {
        if ((needed >> lane & 1) && warp->mask_[lane] != mask) return 0;
    }
    return 1;
}

CMK_HOST_HELPER_ uint32_t cmk_host_votes_(const cmk_host_warp_ *warp, uint32_t needed)
{
    uint32_t votes = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        if ((needed >> lane & 1) && warp->value_[lane]) votes |= 1u << lane;
    }
    return votes;
}

#define CMK_HOST_VOTE_ 32u /* stands for the source lane where a lane votes */

/* If all lanes have come, gives each its result and lets it go on. Lane `self` is the one that runs already. */
CMK_HOST_HELPER_ int cmk_host_warp_open_(cmk_host_worker_ *worker, unsigned number, uint32_t mask, unsigned self)
{
    cmk_host_warp_ *warp = &worker->warps_[number];
    uint32_t needed = cmk_host_needed_(worker, number, mask);
    if ((needed & ~worker->waiting_[number]) || !cmk_host_same_mask_(warp, needed, mask)) return 0;
    uint32_t votes = cmk_host_votes_(warp, needed);
    cmk_host_settle_();
    warp->meetings_++;
    cmk_host_moment_++;
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned source = warp->source_[lane];
        if (!(needed >> lane & 1)) continue;
        warp->result_[lane] = ~(uint64_t)0;
        if (source == CMK_HOST_VOTE_)
            warp->result_[lane] = votes;
        else if (needed >> source & 1)
            warp->result_[lane] = warp->value_[source];
        if (lane != self) cmk_host_make_ready_(worker, number * 32 + lane);
    }
    worker->waiting_[number] &= ~needed;
    return 1;
}

CMK_HOST_HELPER_ void cmk_host_check_mask_(const cmk_host_worker_ *worker, uint32_t mask, const char *file, int line)
{
    unsigned rank = worker->running_->rank_;
    uint32_t absent = mask & ~cmk_host_lanes_(worker, rank / 32);
    uint32_t exited = mask & worker->exited_[rank / 32];
    if (!(mask >> rank % 32 & 1))
        cmk_host_fail_(file, line, "wrong warp mask 0x%08x: it leaves out its caller, lane %u", mask, rank % 32);
    if (absent)
        cmk_host_fail_(file, line,
                       "wrong warp mask 0x%08x: it names lane %d, but the block has only %u threads in "
                       "this warp",
                       mask, __builtin_ctz(absent), worker->threads_ - rank / 32 * 32);
    if (exited)
        cmk_host_fail_(file, line, "wrong warp mask 0x%08x: it names lane %d, which has exited", mask,
                       __builtin_ctz(exited));
}

/* Waits for the lanes of the mask. Value: the result of this lane. */
CMK_HOST_QUIET_ uint64_t cmk_host_meet_(uint32_t mask, uint64_t value, unsigned source, const char *file, int line)
{
    cmk_host_worker_ *worker = cmk_host_worker_now_;
    unsigned rank = worker->running_->rank_, lane = rank % 32;
    cmk_host_warp_ *warp = &worker->warps_[rank / 32];
    if (mask) cmk_host_check_mask_(worker, mask, file, line);
    warp->value_[lane] = value;
    warp->source_[lane] = (unsigned char)source;
    warp->mask_[lane] = mask;
    worker->waiting_[rank / 32] |= 1u << lane;
#if CMK_HOST_TSAN_
    unsigned leader = mask ? (unsigned)__builtin_ctz(mask) : 0;
    char *meeting = &warp->meeting_[leader][warp->turn_[leader] % 2];
    __tsan_release(meeting);
#endif
    if (cmk_host_warp_open_(worker, rank / 32, mask, lane)) {
        warp->turn_[mask ? __builtin_ctz(mask) : 0]++;
    } else {
        worker->running_->file_ = file;
        worker->running_->line_ = line;
        cmk_host_wait_(worker);
    }
#if CMK_HOST_TSAN_
    __tsan_acquire(meeting);
#endif
    return warp->result_[lane];
}

CMK_HOST_QUIET_ void cmk_host_warp_exit_(cmk_host_worker_ *worker, unsigned rank)
{
    cmk_host_warp_ *warp = &worker->warps_[rank / 32];
    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(worker->waiting_[rank / 32] >> lane & 1)) continue;
        if (warp->mask_[lane] >> rank % 32 & 1) {
            const cmk_host_fiber_ *fiber = worker->fiber_of_[rank / 32 * 32 + lane];
            threadIdx = fiber->index_;
            cmk_host_fail_(fiber->file_, fiber->line_, "wrong warp mask 0x%08x: it names lane %u, which has exited",
                           warp->mask_[lane], rank % 32);
        }
        if (warp->mask_[lane] == 0 && cmk_host_warp_open_(worker, rank / 32, 0, 32)) warp->turn_[0]++;
    }
}

CMK_HOST_HELPER_ uint64_t cmk_host_exchange_(unsigned mask, uint64_t value, unsigned source, const char *file, int line)
{
    if (!mask) cmk_host_fail_(file, line, "wrong warp mask 0x00000000: it names no lane");
    return cmk_host_meet_(mask, value, source, file, line);
}

/* *value, of up to 8 bytes, becomes the value of lane `source`. */
CMK_HOST_HELPER_ void cmk_host_shuffle_(unsigned mask, void *value, size_t bytes, unsigned source, const char *file,
                                        int line)
{
    uint64_t bits = 0;
#if CMK_HOST_TRACE_
    cmk_host_count_lane_(cmk_host_shuffle_kind_, bytes, file, line);
#endif
    memcpy(&bits, value, bytes);
    bits = cmk_host_exchange_(mask, bits, source, file, line);
    memcpy(value, &bits, bytes);
}

CMK_HOST_HELPER_ unsigned cmk_host_ballot_(unsigned mask, int condition, const char *file, int line)
{
    return (unsigned)cmk_host_exchange_(mask, (uint64_t)condition, CMK_HOST_VOTE_, file, line);
}

CMK_HOST_HELPER_ void cmk_host_syncwarp_(unsigned mask, const char *file, int line)
{
    (void)cmk_host_meet_(mask == 0xffffffffu ? 0 : mask, 0, cmk_host_lane_(), file, line);
}

CMK_HOST_HELPER_ uint32_t cmk_host_active_(void)
{
    const unsigned warp = cmk_host_worker_now_->running_->rank_ / 32;
    return cmk_host_lanes_(cmk_host_worker_now_, warp) & ~cmk_host_worker_now_->exited_[warp];
}

/* ---- Operations that go through all lanes of a mask, one after the other */
CMK_HOST_HELPER_ unsigned cmk_host_match_(unsigned mask, uint64_t bits, const char *file, int line)
{
    unsigned same = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        if (mask >> lane & 1) same |= (unsigned)(cmk_host_exchange_(mask, bits, lane, file, line) == bits) << lane;
    return same;
}

CMK_HOST_HELPER_ unsigned cmk_host_match_all_(unsigned mask, unsigned same, int *all)
{
    *all = same == mask;
    return *all ? mask : 0;
}

typedef enum cmk_host_reduction_ {
    cmk_host_add_,
    cmk_host_least_,
    cmk_host_most_,
    cmk_host_and_,
    cmk_host_or_,
    cmk_host_xor_
} cmk_host_reduction_;

CMK_HOST_HELPER_ long long cmk_host_reduced_(long long sum, long long value, cmk_host_reduction_ how)
{
    switch (how) {
    case cmk_host_add_:
        return sum + value;
    case cmk_host_least_:
        return value < sum ? value : sum;
    case cmk_host_most_:
        return value > sum ? value : sum;
    case cmk_host_and_:
        return sum & value;
    case cmk_host_or_:
        return sum | value;
    default:
        return sum ^ value;
    }
}

CMK_HOST_HELPER_ long long cmk_host_reduce_(unsigned mask, long long value, cmk_host_reduction_ how, const char *file,
                                            int line)
{
    long long sum = 0;
    int first = 1;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(mask >> lane & 1)) continue;
        const long long other = (long long)cmk_host_exchange_(mask, (uint64_t)value, lane, file, line);
        sum = first ? other : cmk_host_reduced_(sum, other, how);
        first = 0;
    }
    return sum;
}

CMK_HOST_C_END_

#if defined(__cplusplus)

/* Functions: their arguments may have commas, and a program may overload them. The first does what all four have in
 * common, once they know from which lane. */
template <class element>
CMK_HOST_UNSEEN_ static inline element cmk_host_shuffled_(unsigned mask, element value, unsigned from, const char *file,
                                                          int line)
{
    CMK_STATIC_ASSERT(sizeof(element) <= 8, "cmk: a shuffle moves at most 8 bytes");
    cmk_host_shuffle_(mask, &value, sizeof value, from, file, line);
    return value;
}

template <class element>
CMK_HOST_UNSEEN_ static inline element __shfl_sync(unsigned mask, element value, int lane, int width = 32,
                                                   const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    return cmk_host_shuffled_(mask, value, cmk_host_lane_at_((int)lane, width), file, line);
}

template <class element>
CMK_HOST_UNSEEN_ static inline element __shfl_up_sync(unsigned mask, element value, unsigned lane, int width = 32,
                                                      const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    return cmk_host_shuffled_(mask, value, cmk_host_lane_up_((int)lane, width), file, line);
}

template <class element>
CMK_HOST_UNSEEN_ static inline element __shfl_down_sync(unsigned mask, element value, unsigned lane, int width = 32,
                                                        const char *file = __builtin_FILE(),
                                                        int line = __builtin_LINE())
{
    return cmk_host_shuffled_(mask, value, cmk_host_lane_down_((int)lane, width), file, line);
}

template <class element>
CMK_HOST_UNSEEN_ static inline element __shfl_xor_sync(unsigned mask, element value, int lane, int width = 32,
                                                       const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    return cmk_host_shuffled_(mask, value, cmk_host_lane_xor_((int)lane, width), file, line);
}

#endif

#endif
