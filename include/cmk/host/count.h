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
    uint64_t key_;  /* the turn of a loop that the kernel has named, and the ordinal in it */
    uint32_t mask_; /* the lanes that made it */
    uint64_t address_[32];
    uint64_t start_; /* of the tile, where it is one */
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

/* ---- The model, exact where it was compared with an H200: tests/data */

/* The distinct units of 2^shift bytes that the lanes touch. */
CMK_HOST_HELPER_ unsigned cmk_host_count_units_(const cmk_host_request_ *request_, unsigned bytes_, int shift_)
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
CMK_HOST_HELPER_ unsigned cmk_host_count_worst_(const cmk_host_request_ *request_, unsigned bytes_, unsigned first_,
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
CMK_HOST_HELPER_ int cmk_host_count_agree_(const cmk_host_request_ *request_, unsigned first_, unsigned last_,
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
CMK_HOST_HELPER_ unsigned cmk_host_count_wavefronts_(const cmk_host_request_ *request_, unsigned bytes_, int loads_,
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

CMK_HOST_HELPER_ void cmk_host_count_request_(cmk_host_spot_ *spot_, const cmk_host_request_ *request_)
{
    spot_->requests_++;
    if (spot_->kind_ <= cmk_host_shared_store_) {
        unsigned wavefronts_ =
            cmk_host_count_wavefronts_(request_, spot_->bytes_, spot_->kind_ == cmk_host_shared_load_, &spot_->groups_);
        spot_->wavefronts_ += wavefronts_;
        if (wavefronts_ > spot_->worst_) {
            spot_->worst_ = wavefronts_;
            cmk_host_copy_(&spot_->sample_, request_, sizeof *request_);
        }
    } else if (spot_->kind_ <= cmk_host_global_store_) {
        spot_->sectors_ += cmk_host_count_units_(request_, spot_->bytes_, 5);
        spot_->used_ += cmk_host_count_units_(request_, 1, 0) * (unsigned long long)spot_->bytes_;
    } else {
        spot_->replays_ += cmk_host_count_units_(request_, 1, 0) - 1;
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

/* ---- What the scheduler calls (block.h, launch.h) */
CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_count_phase_(const cmk_host_worker_ *worker_)
{
    for (unsigned warp_ = 0; warp_ * 32 < worker_->threads_; warp_++) cmk_host_count_warp_(warp_);
    cmk_host_count_last_ = 0;
    if (cmk_host_counted_now_ &&
        worker_->shared_.static_bytes_ + worker_->shared_.dynamic_bytes_ > cmk_host_counted_now_->shared_bytes_)
        cmk_host_counted_now_->shared_bytes_ = worker_->shared_.static_bytes_ + worker_->shared_.dynamic_bytes_;
}

/* ---- Recording */
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
           (requests_->all_[from_].key_ != key_ || (requests_->all_[from_].mask_ & lane_)))
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
    requests_->all_[from_].mask_ = 0;
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
    if (request_->mask_ == 0 || start_ < request_->start_)
        request_->start_ = start_;
    request_->mask_ |= bit_;
    request_->address_[rank_ % 32] = address_;
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

/* ---- Totals */
CMK_HOST_HELPER_ long long cmk_host_count_of_(const cmk_host_spot_ *spot_, int counter_)
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

CMK_HOST_HELPER_ const char *cmk_host_kind_name_(int kind_)
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

/* ---- The report: text for people, CSV for programs */

/* An SM of sm_90. Beside what a block asks for, 1 KB of shared memory is reserved for it, so that it gets 227 KB at
 * most; it takes whole units of 128 bytes. */
#define CMK_HOST_SM_THREADS_ 2048u
#define CMK_HOST_SM_BLOCKS_ 32u
#define CMK_HOST_SM_SHARED_ (228u << 10)

/* Why no pad removes a conflict. */
enum {
    cmk_host_pad_swizzle_ = -1, /* none up to 128 bytes helps */
    cmk_host_pad_order_ = -2,   /* nor could it: all lanes are in one row */
    cmk_host_pad_none_ = -3     /* no conflict, or no tile */
};

/* Accesses of one kind and width on one line, or one of them. */
typedef struct cmk_host_row_ {
    const cmk_host_spot_ *spot_; /* of them, the one with the most conflicts */
    unsigned long long requests_, wavefronts_, groups_, sectors_, used_, replays_;
} cmk_host_row_;

/* What a kernel moves, and how many blocks of it an SM holds. */
typedef struct cmk_host_summary_ {
    unsigned long long moved_, used_;
    unsigned by_threads_, by_shared_;
    double occupancy_; /* percent */
} cmk_host_summary_;

/* The conflicts of the costliest request if the rows of its tile lay pitch bytes apart; -1 where its words would not be
 * aligned. */
CMK_HOST_HELPER_ int cmk_host_count_at_pitch_(const cmk_host_spot_ *spot_, size_t pitch_)
{
    cmk_host_request_ moved_ = spot_->sample_;
    unsigned long long groups_ = 0;
    if (pitch_ % spot_->bytes_ != 0) return -1;
    for (unsigned lane_ = 0; lane_ < 32; lane_++) {
        uint64_t at_ = moved_.address_[lane_] - moved_.start_;
        moved_.address_[lane_] = moved_.start_ + at_ / spot_->pitch_ * pitch_ + at_ % spot_->pitch_;
    }
    unsigned wavefronts_ =
        cmk_host_count_wavefronts_(&moved_, spot_->bytes_, spot_->kind_ == cmk_host_shared_load_, &groups_);
    return (int)(wavefronts_ - (unsigned)groups_);
}

CMK_HOST_HELPER_ int cmk_host_count_same_tile_(const cmk_host_spot_ *one_, const cmk_host_spot_ *other_)
{
    return other_->tile_ && one_->pitch_ == other_->pitch_ && one_->sample_.start_ == other_->sample_.start_ &&
           strcmp(one_->kernel_, other_->kernel_) == 0;
}

/* Whether no other access of the tile loses by this pitch. */
CMK_HOST_HELPER_ int cmk_host_count_suits_(const cmk_host_spot_ *spot_, size_t pitch_)
{
    for (const cmk_host_spot_ *other_ = cmk_host_spot_first_; other_; other_ = other_->later_) {
        if (other_ == spot_ || !cmk_host_count_same_tile_(spot_, other_)) continue;
        int conflicts_ = cmk_host_count_at_pitch_(other_, pitch_);
        if (conflicts_ < 0 || conflicts_ > cmk_host_count_at_pitch_(other_, other_->pitch_)) return 0;
    }
    return 1;
}

CMK_HOST_HELPER_ int cmk_host_count_one_row_(const cmk_host_spot_ *spot_)
{
    uint64_t low_ = UINT64_MAX, high_ = 0;
    for (unsigned lane_ = 0; lane_ < 32; lane_++) {
        uint64_t row_ = (spot_->sample_.address_[lane_] - spot_->sample_.start_) / spot_->pitch_;
        if (!(spot_->sample_.mask_ >> lane_ & 1)) continue;
        low_ = row_ < low_ ? row_ : low_;
        high_ = row_ > high_ ? row_ : high_;
    }
    return low_ == high_;
}

/* The smallest pad that removes the conflict of an access to a tile: of the columns where they are known, beyond the
 * present rows where not. */
CMK_HOST_HELPER_ int cmk_host_count_pad_(const cmk_host_spot_ *spot_)
{
    if (!spot_->tile_ || spot_->wavefronts_ == spot_->groups_) return cmk_host_pad_none_;
    if (cmk_host_count_one_row_(spot_)) return cmk_host_pad_order_;
    for (size_t pad_ = 0; pad_ * spot_->element_ <= 128; pad_++) {
        size_t pitch_ = spot_->columns_ + pad_ * spot_->element_;
        if (cmk_host_count_at_pitch_(spot_, pitch_) == 0 && cmk_host_count_suits_(spot_, pitch_)) return (int)pad_;
    }
    return cmk_host_pad_swizzle_;
}

CMK_HOST_HELPER_ void cmk_host_count_remedy_(char *text_, size_t bytes_, const cmk_host_spot_ *spot_)
{
    int pad_ = cmk_host_count_pad_(spot_);
    if (pad_ >= 0)
        snprintf(text_, bytes_, spot_->declared_ ? "PAD %d of %s" : "PAD + %d of %s", pad_, spot_->tile_);
    else
        snprintf(text_, bytes_, "%s",
                 pad_ == cmk_host_pad_swizzle_ ? "a swizzle"
                 : pad_ == cmk_host_pad_order_ ? "another order"
                                               : "-");
}

CMK_HOST_HELPER_ double cmk_host_percent_(unsigned long long part_, unsigned long long whole_)
{
    return part_ >= whole_ ? 100.0 : 100.0 * (double)part_ / (double)whole_;
}

CMK_HOST_HELPER_ double cmk_host_row_efficiency_(const cmk_host_row_ *row_)
{
    if (row_->spot_->kind_ <= cmk_host_shared_store_) return cmk_host_percent_(row_->groups_, row_->wavefronts_);
    if (row_->spot_->kind_ <= cmk_host_global_store_) return cmk_host_percent_(row_->used_, row_->sectors_ * 32);
    return cmk_host_percent_(row_->requests_, row_->requests_ + row_->replays_);
}

/* By file, line, kind, width, number on the line. */
CMK_HOST_HELPER_ int cmk_host_row_compare_(const void *left_, const void *right_)
{
    const cmk_host_spot_ *one_ = ((const cmk_host_row_ *)left_)->spot_;
    const cmk_host_spot_ *two_ = ((const cmk_host_row_ *)right_)->spot_;
    int difference_ = strcmp(one_->file_, two_->file_);
    if (difference_ == 0) difference_ = CMK_HOST_LINE_OF_(one_->line_) - CMK_HOST_LINE_OF_(two_->line_);
    if (difference_ == 0) difference_ = one_->kind_ - two_->kind_;
    if (difference_ == 0) difference_ = (int)one_->bytes_ - (int)two_->bytes_;
    return difference_ != 0 ? difference_ : one_->line_ - two_->line_;
}

CMK_HOST_HELPER_ int cmk_host_row_same_line_(const cmk_host_spot_ *one_, const cmk_host_spot_ *two_)
{
    return CMK_HOST_LINE_OF_(one_->line_) == CMK_HOST_LINE_OF_(two_->line_) && strcmp(one_->file_, two_->file_) == 0;
}

CMK_HOST_HELPER_ void cmk_host_row_add_(cmk_host_row_ *sum_, const cmk_host_row_ *row_)
{
    const cmk_host_spot_ *one_ = sum_->spot_, *two_ = row_->spot_;
    sum_->requests_ += row_->requests_;
    sum_->wavefronts_ += row_->wavefronts_;
    sum_->groups_ += row_->groups_;
    sum_->sectors_ += row_->sectors_;
    sum_->used_ += row_->used_;
    sum_->replays_ += row_->replays_;
    if (two_->wavefronts_ - two_->groups_ > one_->wavefronts_ - one_->groups_) sum_->spot_ = two_;
}

/* The accesses of a kernel in order, to be freed; those of one kind, width and line as one where sums is true. */
CMK_HOST_HELPER_ cmk_host_row_ *cmk_host_rows_(const char *kernel_, int sums_, size_t *count_)
{
    size_t all_ = 0, kept_ = 0;
    for (const cmk_host_spot_ *spot_ = cmk_host_spot_first_; spot_; spot_ = spot_->later_)
        all_ += strcmp(spot_->kernel_, kernel_) == 0;
    cmk_host_row_ *rows_ = (cmk_host_row_ *)cmk_host_need_(calloc(all_ + 1, sizeof *rows_), "the report"),
                  *row_ = rows_;
    for (const cmk_host_spot_ *spot_ = cmk_host_spot_first_; spot_; spot_ = spot_->later_) {
        if (strcmp(spot_->kernel_, kernel_) != 0) continue;
        const cmk_host_row_ one_ = {spot_,           spot_->requests_, spot_->wavefronts_, spot_->groups_,
                                    spot_->sectors_, spot_->used_,     spot_->replays_};
        *row_++ = one_;
    }
    qsort(rows_, all_, sizeof *rows_, cmk_host_row_compare_);
    for (size_t k_ = 0; k_ < all_; k_++) {
        const cmk_host_spot_ *one_ = kept_ > 0 ? rows_[kept_ - 1].spot_ : NULL, *two_ = rows_[k_].spot_;
        if (sums_ && one_ && cmk_host_row_same_line_(one_, two_) && one_->kind_ == two_->kind_ &&
            one_->bytes_ == two_->bytes_)
            cmk_host_row_add_(&rows_[kept_ - 1], &rows_[k_]);
        else
            rows_[kept_++] = rows_[k_];
    }
    *count_ = kept_;
    return rows_;
}

CMK_HOST_HELPER_ cmk_host_summary_ cmk_host_summary_of_(const cmk_host_counted_ *counted_)
{
    cmk_host_summary_ summary_ = {0, 0, 0, 0, 0.0};
    for (const cmk_host_spot_ *spot_ = cmk_host_spot_first_; spot_; spot_ = spot_->later_) {
        if (strcmp(spot_->kernel_, counted_->kernel_) != 0) continue;
        summary_.moved_ += 32 * spot_->sectors_;
        summary_.used_ += spot_->used_;
    }
    unsigned threads_ = (counted_->block_.x * counted_->block_.y * counted_->block_.z + 31) / 32 * 32;
    unsigned shared_ = ((unsigned)counted_->shared_bytes_ + 127) / 128 * 128 + 1024;
    summary_.by_threads_ = CMK_HOST_SM_THREADS_ / threads_;
    summary_.by_shared_ = CMK_HOST_SM_SHARED_ / shared_;
    if (summary_.by_threads_ > CMK_HOST_SM_BLOCKS_) summary_.by_threads_ = CMK_HOST_SM_BLOCKS_;
    if (summary_.by_shared_ > CMK_HOST_SM_BLOCKS_) summary_.by_shared_ = CMK_HOST_SM_BLOCKS_;
    unsigned blocks_ = summary_.by_threads_ < summary_.by_shared_ ? summary_.by_threads_ : summary_.by_shared_;
    summary_.occupancy_ = 100.0 * blocks_ * threads_ / CMK_HOST_SM_THREADS_;
    return summary_;
}

CMK_HOST_HELPER_ double cmk_host_intensity_(const cmk_host_counted_ *counted_, const cmk_host_summary_ *summary_)
{
    return summary_->moved_ == 0 ? 0.0 : (double)counted_->operations_ / (double)summary_->moved_;
}

/* A line of a source file without the blanks around it and a backslash at its end; empty where there is none. */
CMK_HOST_HELPER_ void cmk_host_source_line_(char *text_, size_t bytes_, const char *file_, int line_)
{
    FILE *source_ = fopen(file_, "r");
    size_t count_ = 0;
    int c_ = 0;
    while (source_ && line_ > 0 && (c_ = fgetc(source_)) != EOF) {
        int blank_ = c_ == ' ' || c_ == '\t' || c_ == '\r' || c_ == '\n';
        if (line_ == 1 && count_ + 1 < bytes_ && !(blank_ && count_ == 0)) text_[count_++] = (char)(blank_ ? ' ' : c_);
        line_ -= c_ == '\n';
    }
    while (count_ > 0 && (text_[count_ - 1] == ' ' || text_[count_ - 1] == '\\')) count_--;
    text_[count_] = 0;
    if (source_) fclose(source_);
}

CMK_HOST_HELPER_ void cmk_host_text_kernel_(FILE *text_, const cmk_host_counted_ *counted_)
{
    const cmk_host_summary_ summary_ = cmk_host_summary_of_(counted_);
    fprintf(text_,
            "kernel %s: %llu launch%s, grid %u x %u x %u, block %u x %u x %u, %zu bytes of shared memory a block\n",
            counted_->kernel_, counted_->launches_, counted_->launches_ == 1 ? "" : "es", counted_->grid_.x,
            counted_->grid_.y, counted_->grid_.z, counted_->block_.x, counted_->block_.y, counted_->block_.z,
            counted_->shared_bytes_);
    fprintf(text_, "  %llu bytes between L1 and L2, %llu used (%.1f %%); %llu operations, %.3f a byte\n",
            summary_.moved_, summary_.used_, cmk_host_percent_(summary_.used_, summary_.moved_), counted_->operations_,
            cmk_host_intensity_(counted_, &summary_));
    fprintf(text_,
            "  blocks on an SM of sm_90: %u by threads, %u by shared memory: %.0f %% of its threads; registers are not "
            "known here\n",
            summary_.by_threads_, summary_.by_shared_, summary_.occupancy_);
}

/* What an access costs, in what, and the least that it could. */
CMK_HOST_HELPER_ void cmk_host_text_row_(FILE *text_, const cmk_host_row_ *row_)
{
    static const char *const units_[] = {"wavefronts", "wavefronts", "sectors", "sectors", "replays"};
    const int kind_ = row_->spot_->kind_;
    const unsigned long long counts_[] = {row_->wavefronts_, row_->sectors_, row_->replays_};
    const unsigned long long ideals_[] = {row_->groups_, (row_->used_ + 31) / 32, 0};
    char remedy_[64];
    cmk_host_count_remedy_(remedy_, sizeof remedy_, row_->spot_);
    char bytes_[16] = "-"; /* of a constant the index is known, not the width */
    if (kind_ != cmk_host_constant_load_) snprintf(bytes_, sizeof bytes_, "%u", row_->spot_->bytes_);
    fprintf(text_, "%7d  %-13s %5s %11llu %11llu %-10s %11llu %11llu %8.1f %%  %-16s",
            CMK_HOST_LINE_OF_(row_->spot_->line_), cmk_host_kind_name_(kind_), bytes_, row_->requests_,
            counts_[kind_ / 2], units_[kind_], ideals_[kind_ / 2], row_->wavefronts_ - row_->groups_,
            cmk_host_row_efficiency_(row_), remedy_);
}

CMK_HOST_HELPER_ void cmk_host_text_rows_(FILE *text_, const char *kernel_)
{
    size_t count_;
    cmk_host_row_ *rows_ = cmk_host_rows_(kernel_, 1, &count_);
    char source_[104];
    for (size_t k_ = 0; k_ < count_; k_++) {
        const cmk_host_spot_ *spot_ = rows_[k_].spot_, *before_ = k_ > 0 ? rows_[k_ - 1].spot_ : NULL;
        if (k_ == 0 || strcmp(spot_->file_, before_->file_) != 0)
            fprintf(text_, "  %s\n%7s  %-13s %5s %11s %22s %11s %11s %10s  %-16s  %s\n", spot_->file_, "line", "access",
                    "bytes", "requests", "cost          ", "ideal", "conflicts", "efficiency", "remedy", "source");
        cmk_host_text_row_(text_, &rows_[k_]);
        cmk_host_source_line_(source_, sizeof source_, spot_->file_, CMK_HOST_LINE_OF_(spot_->line_));
        fprintf(text_, "  %s\n", before_ && cmk_host_row_same_line_(spot_, before_) ? "\"" : source_);
    }
    free(rows_);
}

CMK_HOST_HELPER_ void cmk_host_csv_text_(FILE *csv_, const char *text_)
{
    fputc('"', csv_);
    for (; *text_; text_++) {
        if (*text_ == '"') fputc('"', csv_);
        fputc(*text_, csv_);
    }
    fputs("\",", csv_);
}

/* The columns of every record: first those of an access, then those of a kernel; empty where they are the other's. */
CMK_HOST_HELPER_ void cmk_host_csv_head_(FILE *csv_)
{
    fputs(
        "record,kernel,file,line,access,kind,tile,bytes_a_lane,requests,wavefronts,ideal_wavefronts,conflicts,sectors,"
        "ideal_sectors,replays,efficiency,pad,source,bytes_moved,bytes_used,launches,grid,block,shared_bytes,"
        "operations,operations_a_byte,blocks_by_threads,blocks_by_shared,occupancy\n",
        csv_);
}

CMK_HOST_HELPER_ void cmk_host_csv_kernel_(FILE *csv_, const cmk_host_counted_ *counted_)
{
    const cmk_host_summary_ summary_ = cmk_host_summary_of_(counted_);
    const uint3 grid_ = counted_->grid_, block_ = counted_->block_;
    fputs("kernel,", csv_);
    cmk_host_csv_text_(csv_, counted_->kernel_);
    fprintf(csv_, ",,,,,,,,,,,,,%.1f,,,%llu,%llu,%llu,%ux%ux%u,%ux%ux%u,%zu,%llu,%.3f,%u,%u,%.0f\n",
            cmk_host_percent_(summary_.used_, summary_.moved_), summary_.moved_, summary_.used_, counted_->launches_,
            grid_.x, grid_.y, grid_.z, block_.x, block_.y, block_.z, counted_->shared_bytes_, counted_->operations_,
            cmk_host_intensity_(counted_, &summary_), summary_.by_threads_, summary_.by_shared_, summary_.occupancy_);
}

CMK_HOST_HELPER_ void cmk_host_csv_row_(FILE *csv_, const cmk_host_row_ *row_, int access_)
{
    const cmk_host_spot_ *spot_ = row_->spot_;
    const int pad_ = cmk_host_count_pad_(spot_);
    char source_[256];
    cmk_host_source_line_(source_, sizeof source_, spot_->file_, CMK_HOST_LINE_OF_(spot_->line_));
    fputs("access,", csv_);
    cmk_host_csv_text_(csv_, spot_->kernel_);
    cmk_host_csv_text_(csv_, spot_->file_);
    fprintf(csv_, "%d,%d,%s,", CMK_HOST_LINE_OF_(spot_->line_), access_, cmk_host_kind_name_(spot_->kind_));
    cmk_host_csv_text_(csv_, spot_->tile_ ? spot_->tile_ : "");
    if (spot_->kind_ != cmk_host_constant_load_) fprintf(csv_, "%u", spot_->bytes_);
    fprintf(csv_, ",%llu,%llu,%llu,%llu,%llu,%llu,%llu,%.1f,", row_->requests_, row_->wavefronts_, row_->groups_,
            row_->wavefronts_ - row_->groups_, row_->sectors_, (row_->used_ + 31) / 32, row_->replays_,
            cmk_host_row_efficiency_(row_));
    if (pad_ >= 0)
        fprintf(csv_, "%s%d,", spot_->declared_ ? "" : "+", pad_);
    else
        fputs(pad_ == cmk_host_pad_swizzle_ ? "swizzle," : pad_ == cmk_host_pad_order_ ? "order," : ",", csv_);
    cmk_host_csv_text_(csv_, source_);
    fprintf(csv_, "%llu,%llu,,,,,,,,,\n", row_->sectors_ * 32, row_->used_);
}

/* Every access by itself, with its number among those of its line. */
CMK_HOST_HELPER_ void cmk_host_csv_rows_(FILE *csv_, const char *kernel_)
{
    size_t count_;
    cmk_host_row_ *rows_ = cmk_host_rows_(kernel_, 0, &count_);
    int access_ = 0;
    for (size_t k_ = 0; k_ < count_; k_++) {
        access_ = k_ > 0 && cmk_host_row_same_line_(rows_[k_].spot_, rows_[k_ - 1].spot_) ? access_ + 1 : 1;
        cmk_host_csv_row_(csv_, &rows_[k_], access_);
    }
    free(rows_);
}

CMK_HOST_HELPER_ int cmk_host_written_(FILE *file_)
{
    return !file_ || (fflush(file_) == 0 && !ferror(file_));
}

CMK_HOST_ONE_ int cmk_host_count_report_(FILE *text_, FILE *csv_)
{
    if (csv_) cmk_host_csv_head_(csv_);
    if (text_ && !cmk_host_counted_first_) fputs("cmk: no kernel that counts has run\n", text_);
    for (const cmk_host_counted_ *counted_ = cmk_host_counted_first_; counted_; counted_ = counted_->later_) {
        if (text_) {
            cmk_host_text_kernel_(text_, counted_);
            cmk_host_text_rows_(text_, counted_->kernel_);
            if (counted_->later_) fputc('\n', text_);
        }
        if (csv_) {
            cmk_host_csv_kernel_(csv_, counted_);
            cmk_host_csv_rows_(csv_, counted_->kernel_);
        }
    }
    return cmk_host_written_(text_) & cmk_host_written_(csv_);
}

/* ---- The report at the end of a program whose environment asks for it */
CMK_HOST_ONE_ FILE *cmk_host_count_file_;

CMK_HOST_ONE_ void cmk_host_count_exit_(void)
{
    fflush(NULL);
    int written_ = cmk_host_count_report_(stderr, cmk_host_count_file_);
    if ((fclose(cmk_host_count_file_) == 0) & written_) return;
    fputs("cmk: CMK_COUNT_REPORT: the report could not be written\n", stderr);
    _exit(EXIT_FAILURE);
}

/* Opens the table at once, so that a wrong name is told of before the work. */
CMK_HOST_ONE_ void cmk_host_count_watch_(void)
{
    const char *name_ = getenv("CMK_COUNT_REPORT");
    if (!name_ || cmk_host_count_file_) return;
    cmk_host_count_file_ = fopen(name_, "w");
    if (!cmk_host_count_file_) cmk_host_refuse_("CMK_COUNT_REPORT", name_, "a file that can be written");
    atexit(cmk_host_count_exit_);
}

#if CMK_HOST_COUNTS_
__attribute__((constructor)) static inline void cmk_host_count_start_(void)
{
    cmk_host_count_watch_();
}
#endif

CMK_HOST_C_END_

#endif
