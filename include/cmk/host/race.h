/* host/race.h: races between the threads of a block, in its shared memory.
 *
 * Two threads race for a word where one of them writes it, the other reads or writes it, and nothing orders the two. A
 * barrier of the block orders all that is before it ahead of all that is behind it, and so do atomic operations and
 * fences, by which threads wait for one another. __syncwarp, a shuffle or a vote orders the lanes of its warp. What the
 * order of the threads happens to be plays no part, so that one run finds what a GPU may do.
 *
 * For each word the arena has a trace: who wrote it last, and two who read it last, of two warps where there are such.
 * A read of what another thread wrote is reported at once. A write is reported when the next access comes, if it has
 * changed the word: threads may write the same value. Each place in the code is reported once, and the kernel goes on.
 *
 * ./cmk run compiles with CMK_HOST_RACES_ 1; elsewhere all of this is nothing. */
#include "../base.h"
#ifndef CMK_HOST_RACE_H
#define CMK_HOST_RACE_H

CMK_HOST_C_BEGIN_

#if CMK_HOST_RACES_

enum { CMK_HOST_ALL_WARPS_ = 32 };

/* One of two accesses that race. */
typedef struct cmk_host_racer_ {
    cmk_host_origin_ origin_;
    unsigned rank_;
    int writes_;
} cmk_host_racer_;

/* The write that the next access judges: the bytes before it, and the access that it races with. */
typedef struct cmk_host_suspect_ {
    unsigned long long block_; /* 0: there is none */
    uintptr_t offset_;
    size_t bytes_;
    unsigned char before_[4];
    cmk_host_racer_ writer_, other_;
} cmk_host_suspect_;

CMK_HOST_ONE_ __thread cmk_host_suspect_ cmk_host_suspect_now_;

/* ---- Touches: time in 32 bits, meetings of the warp in 18, bytes of the word in 4, rank of the thread in 10 */
CMK_HOST_INLINE_ uint64_t cmk_host_touch_now_(unsigned bytes)
{
    const cmk_host_worker_ *worker = cmk_host_worker_now_;
    const unsigned rank = worker->running_->rank_;
    return (uint64_t)cmk_host_time_ << 32 | (uint32_t)(worker->warps_[rank / 32].meetings_ << 14) | bytes << 10 | rank;
}

CMK_HOST_INLINE_ unsigned cmk_host_touch_rank_(uint64_t touch)
{
    return touch & 1023;
}

CMK_HOST_INLINE_ int cmk_host_touch_same_time_(uint64_t one, uint64_t two)
{
    return (one ^ two) >> 32 == 0;
}

/* Whether nothing orders an access that was before and one that comes now. */
CMK_HOST_INLINE_ int cmk_host_race_between_(uint64_t before, uint64_t now)
{
    const uint64_t differs = before ^ now;
    return differs >> 32 == 0 && (differs & 1023) != 0 && (before & now & 15 << 10) != 0 &&
           ((differs & 1023 & ~31u) != 0 || differs >> 14 == 0);
}

/* ---- Reports */

CMK_HOST_HELPER_ cmk_host_racer_ cmk_host_racer_of_(cmk_host_origin_ origin, uint64_t touch, int writes)
{
    const cmk_host_racer_ racer = {origin, cmk_host_touch_rank_(touch), writes};
    return racer;
}

/* The access to a word that its trace has as `which`. */
CMK_HOST_HELPER_ cmk_host_racer_ cmk_host_racer_before_(uintptr_t offset, int which)
{
    return cmk_host_racer_of_(cmk_host_origins_of_(offset)->of_[which], cmk_host_trace_of_(offset)->touch_[which],
                              which == cmk_host_trace_write_);
}

/* Reports the later of two accesses to the word at `offset`, and the earlier one. */
CMK_HOST_QUIET_ void cmk_host_race_say_(uintptr_t offset, size_t bytes, cmk_host_racer_ later, cmk_host_racer_ earlier)
{
    const uint3 block = cmk_host_worker_now_->launch_->block_, running = threadIdx;
    const uint3 thread = cmk_host_index_of_(earlier.rank_, block);
    const cmk_host_tile_entry_ *tile = &cmk_host_shared_now_->tiles_[*cmk_host_map_(offset) >> 2];
    const int same_warp = later.rank_ / 32 == earlier.rank_ / 32;
    if (!cmk_host_is_new_(later.origin_)) return;
    cmk_host_speaks_ = 1;
    fflush(stdout);
    threadIdx = cmk_host_index_of_(later.rank_, block);
    cmk_host_code_place_ = later.origin_.place_;
    cmk_host_print_place_(stderr, cmk_host_origin_file_(later.origin_), later.origin_.line_);
    threadIdx = running;
    fprintf(stderr, "%s %zu bytes at byte %zu of %s, which thread (%u,%u,%u) %s at ",
            later.writes_ ? "writes" : "reads", bytes, offset - tile->offset_, cmk_host_tile_name_(tile), thread.x,
            thread.y, thread.z, earlier.writes_ ? "has written" : "has read");
    cmk_host_code_place_ = earlier.origin_.place_;
    cmk_host_print_line_(stderr, cmk_host_origin_file_(earlier.origin_), earlier.origin_.line_);
    fprintf(stderr, ", with no barrier%s between the two\n", same_warp ? " or __syncwarp" : "");
    cmk_host_speaks_ = 0;
}

/* Judges the write that is pending: it races if it has changed the word. */
CMK_HOST_QUIET_ void cmk_host_race_judge_(void)
{
    cmk_host_suspect_ *suspect = &cmk_host_suspect_now_;
    const int same = suspect->block_ != cmk_host_block_number_ ||
                     memcmp(suspect->before_, (const void *)(cmk_host_arena_ + suspect->offset_), suspect->bytes_) == 0;
    suspect->block_ = 0;
    if (!same) cmk_host_race_say_(suspect->offset_, suspect->bytes_, suspect->writer_, suspect->other_);
}

/* A write races with the access `which` of the trace, unless it changes nothing. */
CMK_HOST_QUIET_ void cmk_host_race_suspect_(uintptr_t offset, size_t bytes, cmk_host_racer_ writer, int which)
{
    cmk_host_suspect_ *suspect = &cmk_host_suspect_now_;
    if (suspect->block_) return;
    suspect->block_ = cmk_host_block_number_;
    suspect->offset_ = offset;
    suspect->bytes_ = bytes;
    memcpy(suspect->before_, (const void *)(cmk_host_arena_ + offset), bytes);
    suspect->writer_ = writer;
    suspect->other_ = cmk_host_racer_before_(offset, which);
}

/* ---- Accesses */
CMK_HOST_INLINE_ void cmk_host_race_keep_(uintptr_t offset, int which, uint64_t now, cmk_host_origin_ origin)
{
    cmk_host_trace_of_(offset)->touch_[which] = now;
    cmk_host_origins_of_(offset)->of_[which] = origin;
}

/* Whoever writes a word from now on races with one of the two reads that are kept, where these are of two warps. Where
 * they are of two lanes of a warp, that is so until another warp reads, or lanes meet. */
CMK_HOST_INLINE_ void cmk_host_race_calm_(cmk_host_trace_ *trace, uint64_t now)
{
    const uint64_t kept = trace->touch_[cmk_host_trace_other_], differs = kept ^ now;
    const int warps = (differs & 1023 & ~31u) != 0;
    if (differs >> 32 != 0 || (kept & now & 15 << 10) != 15 << 10) return;
    if (!warps && ((differs & 31) == 0 || differs >> 14 != 0)) return;
    trace->quiet_ = cmk_host_moment_;
    trace->warp_ = warps ? (unsigned)CMK_HOST_ALL_WARPS_ : cmk_host_touch_rank_(now) / 32;
}

/* Keeps a read. The one before stays beside it where it is of another thread, unless the other one of the two is of
 * another warp, and it is not. */
CMK_HOST_INLINE_ void cmk_host_race_read_(uintptr_t offset, size_t bytes, uint64_t now, cmk_host_origin_ origin)
{
    cmk_host_trace_ *trace = cmk_host_trace_of_(offset);
    cmk_host_origins_ *origins = cmk_host_origins_of_(offset);
    const uint64_t before = trace->touch_[cmk_host_trace_read_], other = trace->touch_[cmk_host_trace_other_];
    const int warp = (int)cmk_host_touch_rank_(now) / 32;
    const int other_stays = cmk_host_touch_same_time_(other, now) && (int)cmk_host_touch_rank_(other) / 32 != warp;
    const int before_stays = cmk_host_touch_same_time_(before, now) && ((before ^ now) & 1023) != 0 &&
                             !(other_stays && (int)cmk_host_touch_rank_(before) / 32 == warp);
    const uint64_t written = trace->touch_[cmk_host_trace_write_];
    if (!CMK_HOST_LIKELY_(!cmk_host_race_between_(written, now)))
        cmk_host_race_say_(offset, bytes, cmk_host_racer_of_(origin, now, 0),
                           cmk_host_racer_before_(offset, cmk_host_trace_write_));
    if (before_stays) cmk_host_race_keep_(offset, cmk_host_trace_other_, before, origins->of_[cmk_host_trace_read_]);
    cmk_host_race_keep_(offset, cmk_host_trace_read_, now, origin);
    if (!cmk_host_touch_same_time_(written, now)) cmk_host_race_calm_(trace, now);
}

CMK_HOST_INLINE_ void cmk_host_race_write_(uintptr_t offset, size_t bytes, uint64_t now, cmk_host_origin_ origin)
{
    cmk_host_trace_ *trace = cmk_host_trace_of_(offset);
    trace->quiet_ = 0;
    for (int i = 0; i < cmk_host_trace_touches_; i++)
        if (!CMK_HOST_LIKELY_(!cmk_host_race_between_(trace->touch_[i], now)))
            cmk_host_race_suspect_(offset, bytes, cmk_host_racer_of_(origin, now, 1), i);
    cmk_host_race_keep_(offset, cmk_host_trace_write_, now, origin);
}

/* A write that has been made, and has changed the word. */
CMK_HOST_HELPER_ void cmk_host_race_wrote_(uintptr_t offset, size_t bytes, uint64_t then, cmk_host_origin_ origin)
{
    cmk_host_trace_ *trace = cmk_host_trace_of_(offset);
    trace->quiet_ = 0;
    for (int i = 0; i < cmk_host_trace_touches_; i++)
        if (cmk_host_race_between_(trace->touch_[i], then))
            cmk_host_race_say_(offset, bytes, cmk_host_racer_of_(origin, then, 1), cmk_host_racer_before_(offset, i));
    cmk_host_race_keep_(offset, cmk_host_trace_write_, then, origin);
}

/* Looks at an access of the running thread to shared memory, which is right in all else. */
CMK_HOST_QUIET_ void cmk_host_race_look_(uintptr_t offset, size_t bytes, int writes, cmk_host_origin_ origin)
{
    if (cmk_host_suspect_now_.block_) cmk_host_race_judge_();
    if (!cmk_host_options_now_.races_) return;
    const uint64_t now = cmk_host_touch_now_(0);
    for (uintptr_t at = offset; at < offset + bytes; at = (at | 3) + 1) {
        const size_t left = offset + bytes - at, first = at % 4, count = left < 4 - first ? left : 4 - first;
        const uint64_t touch = now | ((1u << count) - 1) << first << 10;
        if (writes)
            cmk_host_race_write_(at, count, touch, origin);
        else
            cmk_host_race_read_(at, count, touch, origin);
    }
}

/* An atomic operation: it orders the threads of the block, and what is pending is judged before it writes. */
CMK_HOST_HELPER_ void cmk_host_race_atomic_(void)
{
    if (cmk_host_suspect_now_.block_) cmk_host_race_judge_();
    CMK_HOST_ORDERED_();
}

/* Whether an access is the read of a word with nothing to add. What is pending can wait: a read changes nothing. */
CMK_HOST_INLINE_ int cmk_host_race_is_quiet_(uintptr_t offset, size_t bytes, int writes)
{
    if (writes || bytes != 4) return 0;
    const cmk_host_trace_ *trace = cmk_host_trace_of_(offset);
    return trace->quiet_ == cmk_host_moment_ &&
           (trace->warp_ == CMK_HOST_ALL_WARPS_ || trace->warp_ == cmk_host_worker_now_->running_->rank_ / 32);
}

#else

CMK_HOST_INLINE_ int cmk_host_race_is_quiet_(uintptr_t offset, size_t bytes, int writes)
{
    (void)offset, (void)bytes, (void)writes;
    return 1;
}

CMK_HOST_INLINE_ void cmk_host_race_look_(uintptr_t offset, size_t bytes, int writes, cmk_host_origin_ origin)
{
    (void)offset, (void)bytes, (void)writes, (void)origin;
}

CMK_HOST_INLINE_ void cmk_host_race_atomic_(void)
{
}

#endif

CMK_HOST_C_END_

#endif
