/* host/count/model.h: what the requests of warps cost, by their addresses alone: exact where it was compared with an
 * H200 (tests/data). A request is one access of the lanes of a warp. */
#include "../../base.h"
#ifndef CMK_HOST_COUNT_MODEL_H
#define CMK_HOST_COUNT_MODEL_H

typedef struct cmk_host_count_lanes_ {
    uint32_t mask_; /* the lanes that take part */
    uint64_t address_[32];
} cmk_host_count_lanes_;

CMK_HOST_C_BEGIN_

/* The distinct units of 2^shift bytes that the lanes touch. */
CMK_HOST_HELPER_ unsigned cmk_host_count_units_(const cmk_host_count_lanes_ *request_, unsigned bytes_, int shift_)
{
    uint64_t seen_[32 * 16];
    unsigned count_ = 0;
    for (unsigned lane_ = 0; lane_ < 32; lane_++) {
        if (!(request_->mask_ >> lane_ & 1)) continue;
        for (uint64_t unit_ = request_->address_[lane_] >> shift_;
             unit_ <= (request_->address_[lane_] + bytes_ - 1) >> shift_; unit_++) {
            unsigned k_ = 0;
            while (k_ < count_ && seen_[count_ - 1 - k_] != unit_) k_++;
            if (k_ == count_) seen_[count_++] = unit_;
        }
    }
    return count_;
}

/* The words of the worst bank among lanes first to last - 1. */
CMK_HOST_HELPER_ unsigned cmk_host_count_worst_(const cmk_host_count_lanes_ *request_, unsigned bytes_, unsigned first_,
                                             unsigned last_)
{
    uint64_t words_[32][32];
    unsigned char used_[32] = {0};
    unsigned worst_ = 0;
    for (unsigned lane_ = first_; lane_ < last_; lane_++) {
        if (!(request_->mask_ >> lane_ & 1)) continue;
        for (uint64_t word_ = request_->address_[lane_] >> 2; word_ <= (request_->address_[lane_] + bytes_ - 1) >> 2;
             word_++) {
            unsigned bank_ = (unsigned)(word_ & 31), k_ = 0;
            while (k_ < used_[bank_] && words_[bank_][k_] != word_) k_++;
            if (k_ == used_[bank_]) words_[bank_][used_[bank_]++] = word_;
            worst_ = used_[bank_] > worst_ ? used_[bank_] : worst_;
        }
    }
    return worst_;
}

/* Whether lanes first to last - 1 agree in their addresses with the lanes at this distance. A lane whose partner takes
 * no part agrees, except where partners are needed. */
CMK_HOST_HELPER_ int cmk_host_count_agree_(const cmk_host_count_lanes_ *request_, unsigned first_, unsigned last_,
                                        unsigned distance_, int needed_)
{
    for (unsigned lane_ = first_; lane_ < last_; lane_++) {
        unsigned other_ = lane_ ^ distance_;
        if (!(request_->mask_ >> lane_ & 1)) continue;
        if (request_->mask_ >> other_ & 1 ? request_->address_[lane_] != request_->address_[other_] : needed_) return 0;
    }
    return 1;
}

/* Lanes of up to 4 bytes are served as one group, of 8 as two, of 16 as four. Of a load two neighbouring groups are
 * served together where their lanes agree in pairs, of neighbours or of next but one, and have no conflict then. By 16
 * bytes and where lane 31 takes part, the first two need whole pairs. Adds the groups that are served to *groups. */
CMK_HOST_HELPER_ unsigned cmk_host_count_wavefronts_(const cmk_host_count_lanes_ *request_, unsigned bytes_, int loads_,
                                                  unsigned long long *groups_)
{
    unsigned count_ = bytes_ <= 4 ? 1 : bytes_ / 4, lanes_ = 32 / count_, sum_ = 0;
    for (unsigned first_ = 0; first_ < 32; first_ += 2 * lanes_) {
        unsigned last_ = first_ + 2 * lanes_;
        int needed_ = bytes_ == 16 && first_ == 0 && request_->mask_ >> 31;
        int together_ = loads_ && count_ > 1 &&
                        (cmk_host_count_agree_(request_, first_, last_, 1, needed_) ||
                         cmk_host_count_agree_(request_, first_, last_, 2, needed_)) &&
                        cmk_host_count_worst_(request_, bytes_, first_, last_) <= 1;
        for (unsigned at_ = first_; at_ < last_ && at_ < 32; at_ += together_ ? 2 * lanes_ : lanes_) {
            unsigned worst_ = cmk_host_count_worst_(request_, bytes_, at_, together_ ? last_ : at_ + lanes_);
            sum_ += worst_;
            *groups_ += worst_ > 0;
        }
    }
    return sum_;
}

CMK_HOST_C_END_

#endif
