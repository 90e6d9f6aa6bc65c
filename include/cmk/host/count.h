/* host/count.h: the counters of count.h. Where a file counts, every access of a kernel comes here with its place in the
 * source. The accesses of one place that the lanes of a warp make for the n-th time since the last barrier are one
 * request; at the barrier, and when a warp has ended, the model turns the requests into counts. */
#include "../base.h"
#ifndef CMK_HOST_COUNT_H
#define CMK_HOST_COUNT_H

#define CMK_HOST_BUCKETS_ 1024

/* the counters by kind: three of each of the first four, two of constants */
enum {
    cmk_host_shared_load_,
    cmk_host_shared_store_,
    cmk_host_global_load_,
    cmk_host_global_store_,
    cmk_host_constant_load_
};

typedef struct cmk_host_request_ {
    uint32_t mask_; /* the lanes that made it */
    uint64_t address_[32];
} cmk_host_request_;

typedef struct cmk_host_requests_ {
    cmk_host_request_ *all_; /* by the lanes' ordinal since the last barrier */
    unsigned count_;
    unsigned room_;
} cmk_host_requests_;

/* One place in the source where a kernel makes accesses of one kind and width. */
typedef struct cmk_host_spot_ {
    struct cmk_host_spot_ *next_;  /* of the same bucket */
    struct cmk_host_spot_ *later_; /* the one that was found next */
    const char *kernel_;
    const char *file_;
    int line_; /* with the number of the access on it above */
    int kind_;
    unsigned bytes_; /* of one lane's word */
    unsigned long long requests_, wavefronts_, groups_, sectors_, used_, replays_;
    unsigned worst_;           /* wavefronts of one request */
    cmk_host_request_ sample_; /* that request, of a tile */
    size_t pitch_, element_;   /* the tile's, in bytes; 0 where there is none */
    unsigned ordinal_[CMK_HOST_THREADS_];
    cmk_host_requests_ warps_[CMK_HOST_THREADS_ / 32];
} cmk_host_spot_;

/* One kernel of the report. */
typedef struct cmk_host_counted_ {
    struct cmk_host_counted_ *later_;
    const char *kernel_;
    unsigned long long launches_, operations_;
    uint3 grid_, block_;
    size_t shared_bytes_; /* the most of a block */
} cmk_host_counted_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ pthread_mutex_t cmk_host_count_lock_ = PTHREAD_MUTEX_INITIALIZER; /* held by the launch that counts */
CMK_HOST_ONE_ cmk_host_spot_ *cmk_host_spots_[CMK_HOST_BUCKETS_];
CMK_HOST_ONE_ cmk_host_spot_ *cmk_host_spot_first_;
CMK_HOST_ONE_ cmk_host_spot_ *cmk_host_spot_last_;
CMK_HOST_ONE_ cmk_host_counted_ *cmk_host_counted_first_;
CMK_HOST_ONE_ cmk_host_counted_ *cmk_host_counted_now_;

/* ---- The model, exact where it was compared with an H200: tests/data */

/* The distinct units of 2^shift bytes that lanes first to last - 1 touch. */
static inline unsigned cmk_host_count_units_(const cmk_host_request_ *request_, unsigned bytes_, int shift_)
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
static inline unsigned cmk_host_count_worst_(const cmk_host_request_ *request_, unsigned bytes_, unsigned first_,
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

/* Whether each lane that takes part agrees in its address with the lane at this distance, if that takes part. */
static inline int cmk_host_count_agree_(const cmk_host_request_ *request_, unsigned distance_)
{
    for (unsigned lane_ = 0; lane_ < 32; lane_++) {
        unsigned other_ = lane_ ^ distance_;
        if ((request_->mask_ >> lane_ & 1) && (request_->mask_ >> other_ & 1) &&
            request_->address_[lane_] != request_->address_[other_])
            return 0;
    }
    return 1;
}

/* Lanes of up to 4 bytes are served as one group, of 8 as two, of 16 as four; loads whose lanes agree in pairs in half
 * as many. Adds the groups that are served to *groups. */
static inline unsigned cmk_host_count_wavefronts_(const cmk_host_request_ *request_, unsigned bytes_, int loads_,
                                                  unsigned long long *groups_)
{
    unsigned count_ = bytes_ <= 4 ? 1 : bytes_ / 4, sum_ = 0;
    if (loads_ && count_ > 1 && (cmk_host_count_agree_(request_, 1) || cmk_host_count_agree_(request_, 2))) count_ /= 2;
    for (unsigned group_ = 0; group_ < count_; group_++) {
        unsigned worst_ = cmk_host_count_worst_(request_, bytes_, group_ * 32 / count_, (group_ + 1) * 32 / count_);
        sum_ += worst_;
        *groups_ += worst_ > 0;
    }
    return sum_;
}

static inline void cmk_host_count_request_(cmk_host_spot_ *spot_, const cmk_host_request_ *request_)
{
    spot_->requests_++;
    if (spot_->kind_ <= cmk_host_shared_store_) {
        unsigned wavefronts_ =
            cmk_host_count_wavefronts_(request_, spot_->bytes_, spot_->kind_ == cmk_host_shared_load_, &spot_->groups_);
        spot_->wavefronts_ += wavefronts_;
        if (wavefronts_ > spot_->worst_) {
            spot_->worst_ = wavefronts_;
            spot_->sample_ = *request_;
        }
    } else if (spot_->kind_ <= cmk_host_global_store_) {
        spot_->sectors_ += cmk_host_count_units_(request_, spot_->bytes_, 5);
        spot_->used_ += cmk_host_count_units_(request_, 1, 0) * (unsigned long long)spot_->bytes_;
    } else {
        spot_->replays_ += cmk_host_count_units_(request_, 1, 0) - 1;
    }
}

CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_count_warp_(unsigned warp_)
{
    for (cmk_host_spot_ *spot_ = cmk_host_spot_first_; spot_; spot_ = spot_->later_) {
        cmk_host_requests_ *requests_ = &spot_->warps_[warp_];
        if (requests_->count_ == 0) continue;
        for (unsigned k_ = 0; k_ < requests_->count_; k_++) cmk_host_count_request_(spot_, &requests_->all_[k_]);
        requests_->count_ = 0;
        memset(&spot_->ordinal_[warp_ * 32], 0, 32 * sizeof spot_->ordinal_[0]);
    }
}

/* ---- What the scheduler calls (block.h, launch.h) */
CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_count_phase_(const cmk_host_worker_ *worker_)
{
    for (unsigned warp_ = 0; warp_ * 32 < worker_->threads_; warp_++) cmk_host_count_warp_(warp_);
    if (cmk_host_counted_now_ &&
        worker_->shared_.static_bytes_ + worker_->shared_.dynamic_bytes_ > cmk_host_counted_now_->shared_bytes_)
        cmk_host_counted_now_->shared_bytes_ = worker_->shared_.static_bytes_ + worker_->shared_.dynamic_bytes_;
}

/* ---- Recording */
static inline cmk_host_spot_ *cmk_host_spot_of_(const char *file_, int line_, int kind_, unsigned bytes_)
{
    size_t bucket_ = ((uintptr_t)file_ / 8 + (size_t)line_ * 31u + (size_t)(unsigned)(line_ >> 20) * 7u +
                      (size_t)kind_ * 131u + bytes_) %
                     CMK_HOST_BUCKETS_;
    cmk_host_spot_ *spot_ = cmk_host_spots_[bucket_];
    while (spot_ && !(spot_->line_ == line_ && spot_->kind_ == kind_ && spot_->bytes_ == bytes_ &&
                      spot_->file_ == file_ && spot_->kernel_ == cmk_host_counted_now_->kernel_))
        spot_ = spot_->next_;
    if (spot_) return spot_;
    spot_ = (cmk_host_spot_ *)cmk_host_need_(calloc(1, sizeof *spot_), "the counters");
    spot_->kernel_ = cmk_host_counted_now_->kernel_;
    spot_->file_ = file_;
    spot_->line_ = line_;
    spot_->kind_ = kind_;
    spot_->bytes_ = bytes_;
    spot_->next_ = cmk_host_spots_[bucket_];
    cmk_host_spots_[bucket_] = spot_;
    if (cmk_host_spot_last_)
        cmk_host_spot_last_->later_ = spot_;
    else
        cmk_host_spot_first_ = spot_;
    cmk_host_spot_last_ = spot_;
    return spot_;
}

/* One word of one lane. */
static inline void cmk_host_count_word_(cmk_host_spot_ *spot_, uint64_t address_)
{
    unsigned rank_ = cmk_host_worker_now_->running_->rank_, ordinal_ = spot_->ordinal_[rank_]++;
    cmk_host_requests_ *requests_ = &spot_->warps_[rank_ / 32];
    if (ordinal_ >= requests_->room_) {
        size_t room_ = requests_->room_ ? 2 * (size_t)requests_->room_ : 4;
        requests_->all_ = (cmk_host_request_ *)cmk_host_need_(
            realloc(requests_->all_, room_ * sizeof(cmk_host_request_)), "the counters");
        requests_->room_ = (unsigned)room_;
    }
    cmk_host_request_ *request_ = &requests_->all_[ordinal_];
    if (ordinal_ >= requests_->count_) {
        requests_->count_ = ordinal_ + 1;
        request_->mask_ = 0;
    }
    request_->mask_ |= 1u << rank_ % 32;
    request_->address_[rank_ % 32] = address_;
}

/* An access of a kernel: it moves in words of its alignment, of 16 bytes at most. pitch is that of a tile's rows. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_count_(uintptr_t address_, size_t bytes_, size_t align_, int writes_,
                                                   size_t pitch_, const char *file_, int line_)
{
    if (!cmk_host_kernel_name_ || !cmk_host_counted_now_) return;
    uintptr_t offset_ = address_ - cmk_host_arena_;
    int shared_ = offset_ < CMK_HOST_ARENA_BYTES_;
    size_t all_ = bytes_ | align_ | 16, step_ = all_ & (~all_ + 1);
    int kind_ = (shared_ ? cmk_host_shared_load_ : cmk_host_global_load_) + writes_;
    cmk_host_spot_ *spot_ = cmk_host_spot_of_(file_, line_, kind_, (unsigned)step_);
    if (pitch_ != 0 && shared_) {
        spot_->pitch_ = pitch_;
        spot_->element_ = bytes_;
    }
    for (size_t at_ = 0; at_ < bytes_; at_ += step_) cmk_host_count_word_(spot_, (shared_ ? offset_ : address_) + at_);
}

CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_count_constant_(long long index_, const char *file_, int line_)
{
    if (cmk_host_kernel_name_ && cmk_host_counted_now_)
        cmk_host_count_word_(cmk_host_spot_of_(file_, line_, cmk_host_constant_load_, 1), (uint64_t)index_);
}

CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_count_operations_(long long count_)
{
    if (cmk_host_kernel_name_ && cmk_host_counted_now_)
        cmk_host_counted_now_->operations_ += (unsigned long long)count_;
}

static inline cmk_host_counted_ *cmk_host_counted_of_(const char *kernel_)
{
    cmk_host_counted_ *counted_ = cmk_host_counted_first_;
    while (counted_ && strcmp(counted_->kernel_, kernel_) != 0) counted_ = counted_->later_;
    return counted_;
}

/* A launch begins, and what follows is its kernel's. One launch counts at a time. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_count_begin_(const cmk_host_launch_ *launch_)
{
    pthread_mutex_lock(&cmk_host_count_lock_);
    cmk_host_counted_ *counted_ = cmk_host_counted_of_(launch_->name_), **last_ = &cmk_host_counted_first_;
    if (!counted_) {
        while (*last_) last_ = &(*last_)->later_;
        counted_ = *last_ = (cmk_host_counted_ *)cmk_host_need_(calloc(1, sizeof *counted_), "the counters");
        counted_->kernel_ = launch_->name_;
    }
    counted_->launches_++;
    counted_->grid_ = launch_->grid_;
    counted_->block_ = launch_->block_;
    cmk_host_counted_now_ = counted_;
    cmk_host_counting_ = 1;
}

CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_count_end_(void)
{
    cmk_host_counting_ = 0;
    cmk_host_counted_now_ = NULL;
    pthread_mutex_unlock(&cmk_host_count_lock_);
}

/* ---- Totals */
static inline long long cmk_host_count_of_(const cmk_host_spot_ *spot_, int counter_)
{
    const unsigned long long conflicts_ = spot_->wavefronts_ - spot_->groups_;
    const unsigned long long shared_[] = {spot_->requests_, spot_->wavefronts_, conflicts_};
    const unsigned long long global_[] = {spot_->requests_, spot_->sectors_, spot_->used_};
    int kind_ = counter_ < 12 ? counter_ / 3 : cmk_host_constant_load_;
    if (spot_->kind_ != kind_) return 0;
    if (kind_ == cmk_host_constant_load_) return (long long)(counter_ == 12 ? spot_->requests_ : spot_->replays_);
    return (long long)(kind_ <= cmk_host_shared_store_ ? shared_ : global_)[counter_ % 3];
}

CMK_HOST_ONE_ long long cmk_host_count_total_(const char *kernel_, int counter_)
{
    const cmk_host_counted_ *counted_ = cmk_host_counted_of_(kernel_);
    long long total_ = 0;
    if (!counted_) return -1;
    if (counter_ == 14) return (long long)counted_->operations_;
    for (const cmk_host_spot_ *spot_ = cmk_host_spot_first_; spot_; spot_ = spot_->later_) {
        if (strcmp(spot_->kernel_, kernel_) == 0) total_ += cmk_host_count_of_(spot_, counter_);
    }
    return total_;
}

static inline const char *cmk_host_kind_name_(int kind_)
{
    static const char *const names_[] = {"shared load", "shared store", "global load", "global store",
                                         "constant load"};
    return names_[kind_];
}

/* Complains of each access that has conflicts or moves more bytes than it uses; and of a kernel that has not run. */
CMK_HOST_ONE_ int cmk_host_count_clean_(const char *kernel_)
{
    int clean_ = 1;
    if (!cmk_host_counted_of_(kernel_)) {
        fprintf(stderr, "cmk: kernel %s: nothing is counted, or it has not run\n", kernel_);
        return 0;
    }
    for (const cmk_host_spot_ *spot_ = cmk_host_spot_first_; spot_; spot_ = spot_->later_) {
        unsigned long long moved_ = spot_->sectors_ * 32, conflicts_ = spot_->wavefronts_ - spot_->groups_;
        if (strcmp(spot_->kernel_, kernel_) != 0 || (conflicts_ == 0 && moved_ <= spot_->used_))
            continue;
        clean_ = 0;
        fprintf(stderr, "cmk: kernel %s: %s:%d: %s: ", kernel_, spot_->file_, CMK_HOST_LINE_OF_(spot_->line_),
                cmk_host_kind_name_(spot_->kind_));
        if (conflicts_ > 0)
            fprintf(stderr, "%llu bank conflicts in %llu requests\n", conflicts_, spot_->requests_);
        else
            fprintf(stderr, "uses %llu of %llu bytes\n", spot_->used_, moved_);
    }
    return clean_;
}

CMK_HOST_ONE_ void cmk_host_count_clear_(void)
{
    while (cmk_host_spot_first_) {
        cmk_host_spot_ *spot_ = cmk_host_spot_first_;
        cmk_host_spot_first_ = spot_->later_;
        for (unsigned warp_ = 0; warp_ < CMK_HOST_THREADS_ / 32; warp_++) free(spot_->warps_[warp_].all_);
        free(spot_);
    }
    while (cmk_host_counted_first_) {
        cmk_host_counted_ *counted_ = cmk_host_counted_first_;
        cmk_host_counted_first_ = counted_->later_;
        free(counted_);
    }
    cmk_host_spot_last_ = NULL;
    memset(cmk_host_spots_, 0, sizeof cmk_host_spots_);
}

CMK_HOST_C_END_

#endif
