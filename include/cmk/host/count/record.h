/* host/count/record.h: who accessed what. Where a file counts, every access of a kernel comes here with its place in
 * the source. The accesses of one place that the lanes of a warp make for the n-th time since the last barrier are one
 * request; at the barrier, and when a warp has ended, the model turns the requests into counts. */
#include "../../base.h"
#ifndef CMK_HOST_COUNT_RECORD_H
#define CMK_HOST_COUNT_RECORD_H

CMK_HOST_C_BEGIN_

/* ---- The requests of a warp are complete */
CMK_HOST_HELPER_ void cmk_host_count_request_(cmk_host_spot_ *spot, cmk_host_request_ *request)
{
    request->cost_ = cmk_host_count_cost_(spot->kind_, spot->bytes_, &request->lanes_, &spot->groups_);
    spot->requests_++;
    spot->lanes_made_ += (unsigned)__builtin_popcount(request->lanes_.mask_);
    if (spot->kind_ > cmk_host_global_store_) {
        spot->replays_ += request->cost_;
    } else if (spot->kind_ > cmk_host_shared_store_) {
        spot->sectors_ += request->cost_;
        spot->used_ += cmk_host_count_units_(&request->lanes_, 1, 0) * (unsigned long long)spot->bytes_;
    } else {
        spot->wavefronts_ += request->cost_;
        if (request->cost_ <= spot->worst_) return;
        spot->worst_ = request->cost_;
        cmk_host_copy_(&spot->sample_, request, sizeof *request);
    }
}

#if CMK_HOST_CACHES_

/* A request and its place, in the order in which a warp makes them. */
typedef struct cmk_host_ordered_ {
    const cmk_host_spot_ *spot_;
    const cmk_host_count_lanes_ *lanes_;
} cmk_host_ordered_;

CMK_HOST_ONE_ cmk_host_ordered_ *cmk_host_ordered_now_;
CMK_HOST_ONE_ size_t cmk_host_ordered_room_;

/* The requests of a warp go to the caches. */
CMK_HOST_HELPER_ void cmk_host_count_caches_(unsigned warp)
{
    static const signed char what[] = {
        -1, -1, cmk_host_cache_load_, cmk_host_cache_store_, -1, -1, cmk_host_cache_atomic_, -1, -1}; /* by kind */
    const uint3 grid = cmk_host_worker_now_->launch_->grid_;
    const unsigned made = cmk_host_made_[warp];
    if (made > cmk_host_ordered_room_) {
        cmk_host_ordered_room_ = 2 * (size_t)made;
        cmk_host_ordered_now_ = (cmk_host_ordered_ *)cmk_host_need_(
            realloc(cmk_host_ordered_now_, cmk_host_ordered_room_ * sizeof *cmk_host_ordered_now_), "the caches");
    }
    for (cmk_host_spot_ *spot = cmk_host_spot_first_; spot; spot = spot->later_)
        for (unsigned k = 0; k < spot->warps_[warp].count_; k++) {
            const cmk_host_request_ *request = &spot->warps_[warp].all_[k];
            const cmk_host_ordered_ one = {spot, &request->lanes_};
            cmk_host_ordered_now_[request->made_] = one;
        }
    cmk_host_cache_open_(cmk_host_resident_of_(cmk_host_counted_now_->block_, cmk_host_counted_now_->shared_bytes_),
                         blockIdx.x + grid.x * (blockIdx.y + (unsigned long long)grid.y * blockIdx.z), warp);
    for (unsigned k = 0; k < made; k++) {
        const cmk_host_ordered_ *one = &cmk_host_ordered_now_[k];
        if (what[one->spot_->kind_] >= 0)
            cmk_host_cache_add_(one->lanes_, one->spot_->bytes_, (unsigned)what[one->spot_->kind_]);
    }
    cmk_host_cache_close_();
}

#endif

CMK_HOST_HELPER_ void cmk_host_count_warp_(unsigned warp)
{
#if CMK_HOST_CACHES_
    if (cmk_host_made_[warp] > 0) cmk_host_count_caches_(warp);
#endif
    cmk_host_made_[warp] = 0;
    for (cmk_host_spot_ *spot = cmk_host_spot_first_; spot; spot = spot->later_) {
        cmk_host_requests_ *requests = &spot->warps_[warp];
        for (unsigned k = 0; k < requests->count_; k++) cmk_host_count_request_(spot, &requests->all_[k]);
    }
#if CMK_HOST_TRACE_
    cmk_host_forms_warp_(warp);
#endif
    for (cmk_host_spot_ *spot = cmk_host_spot_first_; spot; spot = spot->later_) {
        if (spot->warps_[warp].count_ == 0) continue;
        spot->warps_[warp].count_ = 0;
        cmk_host_fill_(&spot->lanes_[warp * 32], 0, 32 * sizeof spot->lanes_[0]);
    }
    if (!CMK_HOST_TRACE_) cmk_host_fill_(&cmk_host_turn_now_[warp * 32], 0, 32 * sizeof cmk_host_turn_now_[0]);
}

CMK_HOST_QUIET_ void cmk_host_count_phase_(const cmk_host_worker_ *worker)
{
    for (unsigned warp = 0; warp * 32 < worker->threads_; warp++) cmk_host_count_warp_(warp);
    cmk_host_count_last_ = 0;
    if (cmk_host_counted_now_ &&
        worker->shared_.static_bytes_ + worker->shared_.dynamic_bytes_ > cmk_host_counted_now_->shared_bytes_)
        cmk_host_counted_now_->shared_bytes_ = worker->shared_.static_bytes_ + worker->shared_.dynamic_bytes_;
}

/* ---- The accesses of a lane */
CMK_HOST_HELPER_ int cmk_host_spot_is_(const cmk_host_spot_ *spot, cmk_host_origin_ origin, int kind, unsigned bytes)
{
    return (origin.line_ ? spot->file_ == origin.place_ && spot->line_ == origin.line_
                         : spot->place_ == origin.place_) &&
           spot->kind_ == kind && spot->bytes_ == bytes && spot->kernel_ == cmk_host_counted_now_->kernel_;
}

CMK_HOST_HELPER_ cmk_host_spot_ *cmk_host_spot_new_(cmk_host_origin_ origin, int kind, unsigned bytes)
{
    cmk_host_spot_ *spot = (cmk_host_spot_ *)cmk_host_need_(calloc(1, sizeof *spot), "the counters");
    spot->kernel_ = cmk_host_counted_now_->kernel_;
    spot->place_ = origin.line_ ? NULL : origin.place_;
    spot->file_ = cmk_host_origin_file_(origin);
    spot->line_ = origin.line_;
    spot->kind_ = kind;
    spot->bytes_ = bytes;
    if (cmk_host_spot_last_)
        cmk_host_spot_last_->later_ = spot;
    else
        cmk_host_spot_first_ = spot;
    cmk_host_spot_last_ = spot;
    return spot;
}

CMK_HOST_HELPER_ cmk_host_spot_ *cmk_host_spot_of_(cmk_host_origin_ origin, int kind, unsigned bytes)
{
    const size_t line = (size_t)origin.line_, above = (unsigned)origin.line_ >> 20;
    const size_t place = origin.line_ ? (uintptr_t)origin.place_ / 8 : (uintptr_t)origin.place_;
    const size_t bucket = (place + line * 31u + above * 7u + (size_t)kind * 131u + bytes) % CMK_HOST_BUCKETS_;
    cmk_host_spot_ *spot = cmk_host_spots_[bucket];
    while (spot && !cmk_host_spot_is_(spot, origin, kind, bytes)) spot = spot->next_;
    if (spot) return spot;
    spot = cmk_host_spot_new_(origin, kind, bytes);
    spot->next_ = cmk_host_spots_[bucket];
    cmk_host_spots_[bucket] = spot;
    return spot;
}

/* The tile of an access. Returns the start of its row 0 in the arena: of the whole tile where a declaration has these
 * rows, for a plane has no pitch of its own. */
CMK_HOST_HELPER_ uint64_t cmk_host_count_tile_(cmk_host_spot_ *spot, const cmk_host_element_ *element)
{
    uintptr_t start = element->tile_ - cmk_host_arena_;
    const cmk_host_site_ *site = NULL;
    if (start >= CMK_HOST_ARENA_BYTES_) return 0;
    const cmk_host_tile_entry_ *entry = &cmk_host_shared_now_->tiles_[*cmk_host_map_(start) >> 2];
    if (*cmk_host_map_(start) >> 2 != 0) site = entry->site_;
    spot->tile_ = element->name_;
    spot->pitch_ = spot->columns_ = element->row_bytes_;
    spot->element_ = element->bytes_;
    spot->declared_ = site && site->element_ == spot->element_ &&
                      site->element_ * (size_t)(site->columns_ + site->pad_) == spot->pitch_;
    if (!spot->declared_) return start;
    spot->columns_ = site->element_ * (size_t)site->columns_;
    return entry->offset_;
}

CMK_HOST_INLINE_ int cmk_host_count_fits_(const cmk_host_request_ *request, const cmk_host_turn_ *turn,
                                          unsigned ordinal, uint32_t lane)
{
    return request->turn_.key_ == turn->key_ && request->ordinal_ == ordinal && !(request->lanes_.mask_ & lane);
}

/* The request of a lane at a place: the first behind the one that it made before which has its turn and ordinal and not
 * yet the lane, then one ahead of that, or a new one. Lanes that make the same accesses find each where they expect
 * it. */
CMK_HOST_HELPER_ unsigned cmk_host_count_find_(cmk_host_requests_ *requests, const cmk_host_turn_ *turn,
                                               unsigned ordinal, uint32_t lane, unsigned from)
{
    for (unsigned at = from; at < requests->count_; at++)
        if (cmk_host_count_fits_(&requests->all_[at], turn, ordinal, lane)) return at;
    for (unsigned at = 0; at < from && at < requests->count_; at++)
        if (cmk_host_count_fits_(&requests->all_[at], turn, ordinal, lane)) return at;
    if (requests->count_ == requests->room_) {
        size_t room = requests->room_ ? 2 * (size_t)requests->room_ : 4;
        requests->all_ = (cmk_host_request_ *)cmk_host_need_(realloc(requests->all_, room * sizeof(cmk_host_request_)),
                                                             "the counters");
        requests->room_ = (unsigned)room;
    }
    requests->all_[requests->count_].turn_ = *turn;
    requests->all_[requests->count_].ordinal_ = ordinal;
    requests->all_[requests->count_].order_ = cmk_host_count_order_++;
    requests->all_[requests->count_].lanes_.mask_ = 0;
    return requests->count_++;
}

/* The requests of a warp that has ended are complete: the first access of another warp takes them away. */
CMK_HOST_HELPER_ int cmk_host_warp_is_done_(const cmk_host_worker_ *worker, unsigned warp)
{
    unsigned lanes = worker->threads_ - warp * 32 < 32 ? worker->threads_ - warp * 32 : 32;
    return worker->exited_[warp] == 0xffffffffu >> (32 - lanes);
}

CMK_HOST_HELPER_ void cmk_host_count_turn_to_(unsigned warp)
{
    if (warp == cmk_host_count_last_) return;
    if (cmk_host_warp_is_done_(cmk_host_worker_now_, cmk_host_count_last_)) cmk_host_count_warp_(cmk_host_count_last_);
    cmk_host_count_last_ = warp;
}

/* One word of one lane. */
CMK_HOST_HELPER_ void cmk_host_count_word_(cmk_host_spot_ *spot, uint64_t address, uint64_t start)
{
    unsigned rank = cmk_host_worker_now_->running_->rank_;
    const cmk_host_turn_ *turn = &cmk_host_turn_now_[rank];
    uint32_t bit = 1u << rank % 32;
    cmk_host_count_turn_to_(rank / 32);
    if (spot->lanes_[rank].turn_ != turn->key_) spot->lanes_[rank].ordinal_ = 0;
    spot->lanes_[rank].turn_ = turn->key_;
    cmk_host_requests_ *requests = &spot->warps_[rank / 32];
    unsigned at = cmk_host_count_find_(requests, turn, spot->lanes_[rank].ordinal_++, bit, spot->lanes_[rank].next_);
    cmk_host_request_ *request = &requests->all_[at];
    spot->lanes_[rank].next_ = at + 1;
    if (request->lanes_.mask_ == 0) request->made_ = cmk_host_made_[rank / 32]++;
    if (request->lanes_.mask_ == 0 || start < request->start_) request->start_ = start;
    request->lanes_.mask_ |= bit;
    request->lanes_.address_[rank % 32] = address;
}

/* Names the turn of a loop that the thread is in; -1: none. */
CMK_HOST_QUIET_ void cmk_host_count_turn_(long long turn)
{
    if (cmk_host_kernel_name_ && cmk_host_counted_now_)
        cmk_host_turn_now_[cmk_host_worker_now_->running_->rank_].key_ = (uint64_t)(turn + 1);
}

/* An access of a kernel: it moves in words of its alignment, of 16 bytes at most. tile is null where it is none. */
CMK_HOST_QUIET_ void cmk_host_count_(uintptr_t address, size_t bytes, size_t align, int writes,
                                     const cmk_host_element_ *tile, const char *file, int line)
{
    if (!cmk_host_kernel_name_ || !cmk_host_counted_now_) return;
    uintptr_t offset = address - cmk_host_arena_;
    int shared = offset < CMK_HOST_ARENA_BYTES_;
    size_t all = bytes | align | 16, step = all & (~all + 1);
    int kind = (shared ? cmk_host_shared_load_ : cmk_host_global_load_) + writes;
    cmk_host_spot_ *spot = cmk_host_spot_of_(cmk_host_origin_of_(file, line), kind, (unsigned)step);
    uint64_t start = tile && shared ? cmk_host_count_tile_(spot, tile) : 0;
    for (size_t at = 0; at < bytes; at += step) cmk_host_count_word_(spot, (shared ? offset : address) + at, start);
}

/* An atomic operation of a kernel. */
CMK_HOST_QUIET_ void cmk_host_count_atomic_(uintptr_t address, size_t bytes, const char *file, int line)
{
    if (!cmk_host_kernel_name_ || !cmk_host_counted_now_) return;
    const int shared = address - cmk_host_arena_ < CMK_HOST_ARENA_BYTES_;
    const int kind = shared ? cmk_host_shared_atomic_ : cmk_host_global_atomic_;
    cmk_host_count_word_(cmk_host_spot_of_(cmk_host_origin_of_(file, line), kind, (unsigned)bytes), address, 0);
}

#if CMK_HOST_TRACE_
/* A lane of a fetch of a texture, or of a shuffle. */
CMK_HOST_QUIET_ void cmk_host_count_lane_(int kind, size_t bytes, const char *file, int line)
{
    if (!cmk_host_kernel_name_ || !cmk_host_counted_now_) return;
    cmk_host_count_word_(cmk_host_spot_of_(cmk_host_origin_of_(file, line), kind, (unsigned)bytes), 0, 0);
}
#endif

CMK_HOST_QUIET_ void cmk_host_count_constant_(long long index, const char *file, int line)
{
    if (cmk_host_kernel_name_ && cmk_host_counted_now_)
        cmk_host_count_word_(cmk_host_spot_of_(cmk_host_origin_of_(file, line), cmk_host_constant_load_, 1),
                             (uint64_t)index, 0);
}

CMK_HOST_QUIET_ void cmk_host_count_operations_(long long count)
{
    if (cmk_host_kernel_name_ && cmk_host_counted_now_) cmk_host_counted_now_->operations_ += (unsigned long long)count;
}

CMK_HOST_HELPER_ cmk_host_counted_ *cmk_host_counted_of_(const char *kernel)
{
    cmk_host_counted_ *counted = cmk_host_counted_first_;
    while (counted && strcmp(counted->kernel_, kernel) != 0) counted = counted->later_;
    return counted;
}

/* The kernel's name in its launch. Where that is of a pointer, it is the kernel's symbol, if the program shows it
 * (-rdynamic) and it is none of the backend's (plain.h). */
CMK_HOST_HELPER_ const char *cmk_host_count_name_(const cmk_host_launch_ *launch)
{
    cmk_host_named_ symbol = {NULL, NULL, NULL, NULL};
    const void *kernel = (const void *)(uintptr_t)launch->arguments_.kernel_;
    if (!cmk_host_dladdr_ || cmk_host_dladdr_(kernel, &symbol) == 0 || !symbol.name_ || symbol.address_ != kernel)
        return launch->name_;
    return strstr(symbol.name_, launch->name_) || strstr(symbol.name_, "cmk_host_plain_") ? launch->name_
                                                                                          : symbol.name_;
}

/* A launch begins, and what follows is its kernel's. One launch counts at a time. */
CMK_HOST_QUIET_ void cmk_host_count_begin_(const cmk_host_launch_ *launch)
{
    pthread_mutex_lock(&cmk_host_count_lock_);
    const char *name = cmk_host_count_name_(launch);
    cmk_host_counted_ *counted = cmk_host_counted_of_(name), **last = &cmk_host_counted_first_;
    if (!counted) {
        while (*last) last = &(*last)->later_;
        counted = *last = (cmk_host_counted_ *)cmk_host_need_(calloc(1, sizeof *counted), "the counters");
        counted->kernel_ = name;
    }
    counted->launches_++;
    counted->grid_ = launch->grid_;
    counted->block_ = launch->block_;
    const unsigned long long blocks = (unsigned long long)launch->grid_.x * launch->grid_.y * launch->grid_.z;
    counted->blocks_ = blocks > counted->blocks_ ? blocks : counted->blocks_;
    cmk_host_counted_now_ = counted;
    cmk_host_counting_ = 1;
#if CMK_HOST_CACHES_
    cmk_host_cache_begin_();
#endif
}

CMK_HOST_QUIET_ void cmk_host_count_end_(void)
{
#if CMK_HOST_CACHES_
    cmk_host_cache_end_(&cmk_host_counted_now_->traffic_,
                        cmk_host_resident_of_(cmk_host_counted_now_->block_, cmk_host_counted_now_->shared_bytes_));
#endif
    cmk_host_counting_ = 0;
    cmk_host_counted_now_ = NULL;
    pthread_mutex_unlock(&cmk_host_count_lock_);
}

CMK_HOST_CALLED_ void cmk_host_count_clear_(void)
{
    while (cmk_host_spot_first_) {
        cmk_host_spot_ *spot = cmk_host_spot_first_;
        cmk_host_spot_first_ = spot->later_;
        for (unsigned warp = 0; warp < CMK_HOST_THREADS_ / 32; warp++) free(spot->warps_[warp].all_);
        free(spot);
    }
    while (cmk_host_counted_first_) {
        cmk_host_counted_ *counted = cmk_host_counted_first_;
        cmk_host_counted_first_ = counted->later_;
        free(counted);
    }
    cmk_host_spot_last_ = NULL;
    memset(cmk_host_spots_, 0, sizeof cmk_host_spots_);
}

CMK_HOST_C_END_

#endif
