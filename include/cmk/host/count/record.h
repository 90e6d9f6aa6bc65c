/* host/count/record.h: who accessed what. Where a file counts, every access of a kernel comes here with its place in the
 * source. The accesses of one place that the lanes of a warp make for the n-th time since the last barrier are one
 * request; at the barrier, and when a warp has ended, the model turns the requests into counts. */
#include "../../base.h"
#ifndef CMK_HOST_COUNT_RECORD_H
#define CMK_HOST_COUNT_RECORD_H

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
    uint64_t key_;   /* the turn of a loop that the kernel has named, and the ordinal in it */
    uint64_t start_; /* of the tile, where it is one */
    cmk_host_count_lanes_ lanes_;
} cmk_host_request_;

typedef struct cmk_host_requests_ {
    cmk_host_request_ *all_; /* since the last barrier */
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
    cmk_host_request_ sample_; /* that request */
    const char *tile_;         /* null where there is none; the rest in bytes */
    size_t pitch_, element_;
    size_t columns_; /* of a row without its pad; the pitch where the declaration is not known */
    int declared_;   /* whether it is */
    struct {
        unsigned turn_, ordinal_, next_; /* where its next request is expected */
    } lanes_[CMK_HOST_THREADS_];
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
CMK_HOST_ONE_ unsigned cmk_host_count_last_; /* the warp that accessed last */
CMK_HOST_ONE_ unsigned cmk_host_turn_[CMK_HOST_THREADS_]; /* of the loop that a thread is in; 0: unnamed */

/* ---- The requests of a warp are complete */
CMK_HOST_HELPER_ void cmk_host_count_request_(cmk_host_spot_ *spot_, const cmk_host_request_ *request_)
{
    spot_->requests_++;
    if (spot_->kind_ <= cmk_host_shared_store_) {
        unsigned wavefronts_ =
            cmk_host_count_wavefronts_(&request_->lanes_, spot_->bytes_, spot_->kind_ == cmk_host_shared_load_, &spot_->groups_);
        spot_->wavefronts_ += wavefronts_;
        if (wavefronts_ > spot_->worst_) {
            spot_->worst_ = wavefronts_;
            cmk_host_copy_(&spot_->sample_, request_, sizeof *request_);
        }
    } else if (spot_->kind_ <= cmk_host_global_store_) {
        spot_->sectors_ += cmk_host_count_units_(&request_->lanes_, spot_->bytes_, 5);
        spot_->used_ += cmk_host_count_units_(&request_->lanes_, 1, 0) * (unsigned long long)spot_->bytes_;
    } else {
        spot_->replays_ += cmk_host_count_units_(&request_->lanes_, 1, 0) - 1;
    }
}

CMK_HOST_HELPER_ void cmk_host_count_warp_(unsigned warp_)
{
    for (cmk_host_spot_ *spot_ = cmk_host_spot_first_; spot_; spot_ = spot_->later_) {
        cmk_host_requests_ *requests_ = &spot_->warps_[warp_];
        if (requests_->count_ == 0) continue;
        for (unsigned k_ = 0; k_ < requests_->count_; k_++) cmk_host_count_request_(spot_, &requests_->all_[k_]);
        requests_->count_ = 0;
        cmk_host_fill_(&spot_->lanes_[warp_ * 32], 0, 32 * sizeof spot_->lanes_[0]);
    }
    cmk_host_fill_(&cmk_host_turn_[warp_ * 32], 0, 32 * sizeof cmk_host_turn_[0]);
}

CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_count_phase_(const cmk_host_worker_ *worker_)
{
    for (unsigned warp_ = 0; warp_ * 32 < worker_->threads_; warp_++) cmk_host_count_warp_(warp_);
    cmk_host_count_last_ = 0;
    if (cmk_host_counted_now_ &&
        worker_->shared_.static_bytes_ + worker_->shared_.dynamic_bytes_ > cmk_host_counted_now_->shared_bytes_)
        cmk_host_counted_now_->shared_bytes_ = worker_->shared_.static_bytes_ + worker_->shared_.dynamic_bytes_;
}

/* ---- The accesses of a lane */
CMK_HOST_HELPER_ cmk_host_spot_ *cmk_host_spot_of_(const char *file_, int line_, int kind_, unsigned bytes_)
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

/* The tile of an access. Returns the start of its row 0 in the arena: of the whole tile where a declaration has these
 * rows, for a plane has no pitch of its own. */
CMK_HOST_HELPER_ uint64_t cmk_host_count_tile_(cmk_host_spot_ *spot_, const cmk_host_element_ *element_)
{
    uintptr_t start_ = element_->tile_ - cmk_host_arena_;
    const cmk_host_site_ *site_ = NULL;
    if (start_ >= CMK_HOST_ARENA_BYTES_) return 0;
    const cmk_host_tile_entry_ *entry_ = &cmk_host_shared_now_->tiles_[*cmk_host_map_(start_) >> 2];
    if (*cmk_host_map_(start_) >> 2 != 0) site_ = entry_->site_;
    spot_->tile_ = element_->name_;
    spot_->pitch_ = spot_->columns_ = element_->row_bytes_;
    spot_->element_ = element_->bytes_;
    spot_->declared_ = site_ && site_->element_ == spot_->element_ &&
                       site_->element_ * (size_t)(site_->columns_ + site_->pad_) == spot_->pitch_;
    if (!spot_->declared_) return start_;
    spot_->columns_ = site_->element_ * (size_t)site_->columns_;
    return entry_->offset_;
}

/* The request of a lane at a place: the first from where it is expected that has the key and not yet the lane, or a new
 * one. Lanes that make the same accesses find each where they expect it. */
CMK_HOST_HELPER_ unsigned cmk_host_count_find_(cmk_host_requests_ *requests_, uint64_t key_, uint32_t lane_,
                                               unsigned from_)
{
    while (from_ < requests_->count_ &&
           (requests_->all_[from_].key_ != key_ || (requests_->all_[from_].lanes_.mask_ & lane_)))
        from_++;
    if (from_ < requests_->count_)
        return from_;
    if (requests_->count_ == requests_->room_) {
        size_t room_ = requests_->room_ ? 2 * (size_t)requests_->room_ : 4;
        requests_->all_ = (cmk_host_request_ *)cmk_host_need_(
            realloc(requests_->all_, room_ * sizeof(cmk_host_request_)), "the counters");
        requests_->room_ = (unsigned)room_;
    }
    requests_->all_[from_].key_ = key_;
    requests_->all_[from_].lanes_.mask_ = 0;
    return requests_->count_++;
}

/* The requests of a warp that has ended are complete: the first access of another warp takes them away. */
CMK_HOST_HELPER_ int cmk_host_warp_is_done_(const cmk_host_worker_ *worker_, unsigned warp_)
{
    unsigned lanes_ = worker_->threads_ - warp_ * 32 < 32 ? worker_->threads_ - warp_ * 32 : 32;
    return worker_->exited_[warp_] == 0xffffffffu >> (32 - lanes_);
}

CMK_HOST_HELPER_ void cmk_host_count_turn_to_(unsigned warp_)
{
    if (warp_ == cmk_host_count_last_)
        return;
    if (cmk_host_warp_is_done_(cmk_host_worker_now_, cmk_host_count_last_))
        cmk_host_count_warp_(cmk_host_count_last_);
    cmk_host_count_last_ = warp_;
}

/* One word of one lane. */
CMK_HOST_HELPER_ void cmk_host_count_word_(cmk_host_spot_ *spot_, uint64_t address_, uint64_t start_)
{
    unsigned rank_ = cmk_host_worker_now_->running_->rank_, turn_ = cmk_host_turn_[rank_];
    uint32_t bit_ = 1u << rank_ % 32;
    cmk_host_count_turn_to_(rank_ / 32);
    if (spot_->lanes_[rank_].turn_ != turn_)
        spot_->lanes_[rank_].ordinal_ = 0;
    spot_->lanes_[rank_].turn_ = turn_;
    cmk_host_requests_ *requests_ = &spot_->warps_[rank_ / 32];
    unsigned at_ = cmk_host_count_find_(requests_, (uint64_t)turn_ << 32 | spot_->lanes_[rank_].ordinal_++, bit_,
                                        spot_->lanes_[rank_].next_);
    cmk_host_request_ *request_ = &requests_->all_[at_];
    spot_->lanes_[rank_].next_ += at_ == spot_->lanes_[rank_].next_;
    if (request_->lanes_.mask_ == 0 || start_ < request_->start_)
        request_->start_ = start_;
    request_->lanes_.mask_ |= bit_;
    request_->lanes_.address_[rank_ % 32] = address_;
}

/* Names the turn of a loop that the thread is in; -1: none. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_count_turn_(long long turn_)
{
    if (cmk_host_kernel_name_ && cmk_host_counted_now_)
        cmk_host_turn_[cmk_host_worker_now_->running_->rank_] = (unsigned)(turn_ + 1);
}

/* An access of a kernel: it moves in words of its alignment, of 16 bytes at most. tile is null where it is none. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_count_(uintptr_t address_, size_t bytes_, size_t align_, int writes_,
                                                   const cmk_host_element_ *tile_, const char *file_, int line_)
{
    if (!cmk_host_kernel_name_ || !cmk_host_counted_now_) return;
    uintptr_t offset_ = address_ - cmk_host_arena_;
    int shared_ = offset_ < CMK_HOST_ARENA_BYTES_;
    size_t all_ = bytes_ | align_ | 16, step_ = all_ & (~all_ + 1);
    int kind_ = (shared_ ? cmk_host_shared_load_ : cmk_host_global_load_) + writes_;
    cmk_host_spot_ *spot_ = cmk_host_spot_of_(file_, line_, kind_, (unsigned)step_);
    uint64_t start_ = tile_ && shared_ ? cmk_host_count_tile_(spot_, tile_) : 0;
    for (size_t at_ = 0; at_ < bytes_; at_ += step_)
        cmk_host_count_word_(spot_, (shared_ ? offset_ : address_) + at_, start_);
}

CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_count_constant_(long long index_, const char *file_, int line_)
{
    if (cmk_host_kernel_name_ && cmk_host_counted_now_)
        cmk_host_count_word_(cmk_host_spot_of_(file_, line_, cmk_host_constant_load_, 1), (uint64_t)index_, 0);
}

CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_count_operations_(long long count_)
{
    if (cmk_host_kernel_name_ && cmk_host_counted_now_)
        cmk_host_counted_now_->operations_ += (unsigned long long)count_;
}

CMK_HOST_HELPER_ cmk_host_counted_ *cmk_host_counted_of_(const char *kernel_)
{
    cmk_host_counted_ *counted_ = cmk_host_counted_first_;
    while (counted_ && strcmp(counted_->kernel_, kernel_) != 0) counted_ = counted_->later_;
    return counted_;
}

/* dladdr, which needs no name of the C library here, and may be missing. */
typedef struct cmk_host_named_ {
    const char *file_;
    void *base_;
    const char *name_;
    void *address_;
} cmk_host_named_;
int cmk_host_dladdr_(const void *address_, cmk_host_named_ *symbol_) __asm__("dladdr") __attribute__((weak));

/* The kernel's name; of one that is launched by a pointer its symbol, where the program shows it (-rdynamic). */
CMK_HOST_HELPER_ const char *cmk_host_count_name_(const cmk_host_launch_ *launch_)
{
    cmk_host_named_ symbol_ = {NULL, NULL, NULL, NULL};
    const char *name_ = launch_->name_;
    const void *kernel_ = (const void *)(uintptr_t)launch_->arguments_.kernel_;
    while (*name_ == '_' || (*name_ >= '0' && *name_ <= '9') || (*name_ >= 'A' && *name_ <= 'Z') ||
           (*name_ >= 'a' && *name_ <= 'z'))
        name_++;
    if (*name_ == 0 || !cmk_host_dladdr_ || cmk_host_dladdr_(kernel_, &symbol_) == 0) return launch_->name_;
    return symbol_.name_ && symbol_.address_ == kernel_ ? symbol_.name_ : launch_->name_;
}

/* A launch begins, and what follows is its kernel's. One launch counts at a time. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_count_begin_(const cmk_host_launch_ *launch_)
{
    pthread_mutex_lock(&cmk_host_count_lock_);
    const char *name_ = cmk_host_count_name_(launch_);
    cmk_host_counted_ *counted_ = cmk_host_counted_of_(name_), **last_ = &cmk_host_counted_first_;
    if (!counted_) {
        while (*last_) last_ = &(*last_)->later_;
        counted_ = *last_ = (cmk_host_counted_ *)cmk_host_need_(calloc(1, sizeof *counted_), "the counters");
        counted_->kernel_ = name_;
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
