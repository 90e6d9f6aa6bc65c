/* host/warp.h: shuffles, votes and __syncwarp.
 *
 * A lane that calls one waits until all lanes of its mask have called one with the same mask. A mask that
 * leaves out its caller is an error. So is one that names a lane that does not exist or has exited: CUDA does
 * not wait for it, but its value is undefined. The full mask of __syncwarp() may name such lanes. A shuffle
 * from a lane outside of the mask gives all one bits (NaN, -1). */
#include "../base.h"
#ifndef CMK_HOST_WARP_H
#define CMK_HOST_WARP_H

#define __shfl_sync(mask, value, ...) CMK_HOST_SHUFFLE_(cmk_host_lane_at_, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_up_sync(mask, value, ...) CMK_HOST_SHUFFLE_(cmk_host_lane_up_, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_down_sync(mask, value, ...) CMK_HOST_SHUFFLE_(cmk_host_lane_down_, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_xor_sync(mask, value, ...) CMK_HOST_SHUFFLE_(cmk_host_lane_xor_, mask, value, __VA_ARGS__, 32, 0)

/* Adding 0 drops qualifiers and leaves the type. */
#define CMK_HOST_SHUFFLE_(from, mask, value, lane, width, ...)                                                         \
    __extension__({                                                                                                    \
        __typeof__((value) + 0) cmk_value_ = (value);                                                                  \
        CMK_STATIC_ASSERT(sizeof cmk_value_ <= 8, "cmk: a shuffle moves at most 8 bytes");                             \
        cmk_host_shuffle_((mask), &cmk_value_, sizeof cmk_value_, from((int)(lane), (int)(width)), __FILE__, __LINE__); \
        cmk_value_;                                                                                                    \
    })

#define __ballot_sync(mask_, condition_) cmk_host_ballot_((mask_), !!(condition_), __FILE__, __LINE__)
#define __any_sync(mask_, condition_) (__ballot_sync((mask_), (condition_)) != 0)
#define __all_sync(mask_, condition_) (__ballot_sync((mask_), !(condition_)) == 0)

/* Works without an argument too, which then is 0. */
#define __syncwarp(...) cmk_host_syncwarp_(__VA_ARGS__ + 0u, __FILE__, __LINE__)

CMK_HOST_C_BEGIN_

CMK_HOST_HELPER_ unsigned cmk_host_lane_(void)
{
    return cmk_host_worker_now_->running_->rank_ % 32;
}

/* ---- The source lanes of the four shuffles, as PTX's shfl.sync defines them; width is a power of two */
CMK_HOST_HELPER_ unsigned cmk_host_lane_at_(int lane_, int width_)
{
    unsigned inside_ = (unsigned)width_ - 1;
    return (cmk_host_lane_() & ~inside_) | ((unsigned)lane_ & inside_);
}

CMK_HOST_HELPER_ unsigned cmk_host_lane_up_(int delta_, int width_)
{
    unsigned lane_ = cmk_host_lane_();
    unsigned inside_ = (unsigned)width_ - 1;
    return (unsigned)delta_ > (lane_ & inside_) ? lane_ : lane_ - (unsigned)delta_;
}

CMK_HOST_HELPER_ unsigned cmk_host_lane_down_(int delta_, int width_)
{
    unsigned lane_ = cmk_host_lane_();
    unsigned inside_ = (unsigned)width_ - 1;
    return (unsigned)delta_ > inside_ - (lane_ & inside_) ? lane_ : lane_ + (unsigned)delta_;
}

CMK_HOST_HELPER_ unsigned cmk_host_lane_xor_(int mask_, int width_)
{
    unsigned lane_ = cmk_host_lane_();
    unsigned from_ = (lane_ ^ (unsigned)mask_) & 31;
    return from_ > (lane_ | ((unsigned)width_ - 1)) ? lane_ : from_;
}

/* ---- The meeting of lanes */
CMK_HOST_HELPER_ uint32_t cmk_host_lanes_(const cmk_host_worker_ *worker_, unsigned warp_)
{
    unsigned count_ = worker_->threads_ - warp_ * 32;
    return count_ >= 32 ? 0xffffffffu : (1u << count_) - 1;
}

/* The lanes that have to come; mask 0 is that of __syncwarp(). */
CMK_HOST_HELPER_ uint32_t cmk_host_needed_(const cmk_host_worker_ *worker_, unsigned warp_, uint32_t mask_)
{
    return mask_ ? mask_ : cmk_host_lanes_(worker_, warp_) & ~worker_->exited_[warp_];
}

CMK_HOST_HELPER_ int cmk_host_same_mask_(const cmk_host_warp_ *warp_, uint32_t needed_, uint32_t mask_)
{
    for (unsigned lane_ = 0; lane_ < 32; lane_++) {
        if ((needed_ >> lane_ & 1) && warp_->mask_[lane_] != mask_)
            return 0;
    }
    return 1;
}

CMK_HOST_HELPER_ uint32_t cmk_host_votes_(const cmk_host_warp_ *warp_, uint32_t needed_)
{
    uint32_t votes_ = 0;
    for (unsigned lane_ = 0; lane_ < 32; lane_++) {
        if ((needed_ >> lane_ & 1) && warp_->value_[lane_])
            votes_ |= 1u << lane_;
    }
    return votes_;
}

#define CMK_HOST_VOTE_ 32u /* the source of a lane that votes */

/* If all lanes have come, gives each its result and lets it go on. Lane `self` runs already. */
CMK_HOST_HELPER_ int cmk_host_warp_open_(cmk_host_worker_ *worker_, unsigned number_, uint32_t mask_,
                                         unsigned self_)
{
    cmk_host_warp_ *warp_ = &worker_->warps_[number_];
    uint32_t needed_ = cmk_host_needed_(worker_, number_, mask_);
    if ((needed_ & ~worker_->waiting_[number_]) || !cmk_host_same_mask_(warp_, needed_, mask_))
        return 0;
    uint32_t votes_ = cmk_host_votes_(warp_, needed_);
    for (unsigned lane_ = 0; lane_ < 32; lane_++) {
        unsigned source_ = warp_->source_[lane_];
        if (!(needed_ >> lane_ & 1))
            continue;
        warp_->result_[lane_] = ~(uint64_t)0;
        if (source_ == CMK_HOST_VOTE_)
            warp_->result_[lane_] = votes_;
        else if (needed_ >> source_ & 1)
            warp_->result_[lane_] = warp_->value_[source_];
        if (lane_ != self_)
            cmk_host_make_ready_(worker_, number_ * 32 + lane_);
    }
    worker_->waiting_[number_] &= ~needed_;
    return 1;
}

CMK_HOST_HELPER_ void cmk_host_check_mask_(const cmk_host_worker_ *worker_, uint32_t mask_, const char *file_,
                                           int line_)
{
    unsigned rank_ = worker_->running_->rank_;
    uint32_t absent_ = mask_ & ~cmk_host_lanes_(worker_, rank_ / 32);
    uint32_t exited_ = mask_ & worker_->exited_[rank_ / 32];
    if (!(mask_ >> rank_ % 32 & 1))
        cmk_host_fail_(
            file_, line_, "wrong warp mask 0x%08x: it leaves out its caller, lane %u", mask_, rank_ % 32);
    if (absent_)
        cmk_host_fail_(
            file_, line_,
            "wrong warp mask 0x%08x: it names lane %d, but the block has only %u threads in "
            "this warp",
            mask_, __builtin_ctz(absent_), worker_->threads_ - rank_ / 32 * 32);
    if (exited_)
        cmk_host_fail_(file_, line_, "wrong warp mask 0x%08x: it names lane %d, which has exited", mask_,
                       __builtin_ctz(exited_));
}

/* Waits for the lanes of the mask; the result of this lane. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ uint64_t
cmk_host_meet_(uint32_t mask_, uint64_t value_, unsigned source_, const char *file_, int line_)
{
    cmk_host_worker_ *worker_ = cmk_host_worker_now_;
    unsigned rank_ = worker_->running_->rank_, lane_ = rank_ % 32;
    cmk_host_warp_ *warp_ = &worker_->warps_[rank_ / 32];
    if (mask_)
        cmk_host_check_mask_(worker_, mask_, file_, line_);
    warp_->value_[lane_] = value_;
    warp_->source_[lane_] = (unsigned char)source_;
    warp_->mask_[lane_] = mask_;
    worker_->waiting_[rank_ / 32] |= 1u << lane_;
#if CMK_HOST_TSAN_
    unsigned leader_ = mask_ ? (unsigned)__builtin_ctz(mask_) : 0;
    char *meeting_ = &warp_->meeting_[leader_][warp_->turn_[leader_] % 2];
    __tsan_release(meeting_);
#endif
    if (cmk_host_warp_open_(worker_, rank_ / 32, mask_, lane_)) {
        warp_->turn_[mask_ ? __builtin_ctz(mask_) : 0]++;
    } else {
        worker_->running_->file_ = file_;
        worker_->running_->line_ = line_;
        cmk_host_wait_(worker_);
    }
#if CMK_HOST_TSAN_
    __tsan_acquire(meeting_);
#endif
    return warp_->result_[lane_];
}

CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_warp_exit_(cmk_host_worker_ *worker_, unsigned rank_)
{
    cmk_host_warp_ *warp_ = &worker_->warps_[rank_ / 32];
    for (unsigned lane_ = 0; lane_ < 32; lane_++) {
        if (!(worker_->waiting_[rank_ / 32] >> lane_ & 1))
            continue;
        if (warp_->mask_[lane_] >> rank_ % 32 & 1) {
            const cmk_host_fiber_ *fiber_ = worker_->fiber_of_[rank_ / 32 * 32 + lane_];
            threadIdx = fiber_->index_;
            cmk_host_fail_(
                fiber_->file_, fiber_->line_, "wrong warp mask 0x%08x: it names lane %u, which has exited",
                warp_->mask_[lane_], rank_ % 32);
        }
        if (warp_->mask_[lane_] == 0 && cmk_host_warp_open_(worker_, rank_ / 32, 0, 32))
            warp_->turn_[0]++;
    }
}

CMK_HOST_HELPER_ uint64_t cmk_host_exchange_(unsigned mask, uint64_t value, unsigned source, const char *file, int line)
{
    if (!mask)
        cmk_host_fail_(file, line, "wrong warp mask 0x00000000: it names no lane");
    return cmk_host_meet_(mask, value, source, file, line);
}

/* *value, of up to 8 bytes, becomes that of lane `source`. */
CMK_HOST_HELPER_ void cmk_host_shuffle_(unsigned mask, void *value, size_t bytes, unsigned source, const char *file,
                                        int line)
{
    uint64_t bits = 0;
    memcpy(&bits, value, bytes);
    bits = cmk_host_exchange_(mask, bits, source, file, line);
    memcpy(value, &bits, bytes);
}

CMK_HOST_HELPER_ unsigned cmk_host_ballot_(unsigned mask, int condition, const char *file, int line)
{
    return (unsigned)cmk_host_exchange_(mask, (uint64_t)condition, CMK_HOST_VOTE_, file, line);
}

CMK_HOST_HELPER_ void cmk_host_syncwarp_(unsigned mask_, const char *file_, int line_)
{
    (void)cmk_host_meet_(mask_ == 0xffffffffu ? 0 : mask_, 0, cmk_host_lane_(), file_, line_);
}

CMK_HOST_C_END_

#endif
