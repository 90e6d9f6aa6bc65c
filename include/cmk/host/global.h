/* host/global.h: races between threads for device memory.
 *
 * Two threads race for a word where one of them writes it, the other reads or writes it, and nothing orders the two.
 * Threads of one block are ordered by barriers, atomic operations and fences, as in race.h, and lanes of a warp are
 * taken for ordered. Nothing orders two blocks of a launch, whatever the order is in which they happen to run. In a
 * launch that has an atomic operation or a fence, blocks may wait for one another, so that blocks do not race from then
 * on. Blocks of a cooperative launch do not either.
 *
 * A launch also races with a launch, a copy or a fill of another stream, and with an access of the host, where no event
 * and no wait orders the two (clock.h). Copies, fills and the host are looked at as kernels are. Two launches that both
 * have had an atomic operation or a fence may have waited for one another, and so may the host and a launch that has
 * had a fence.
 *
 * For each word of device memory a shadow has who wrote it last and who read it last. A read of what another thread
 * wrote is reported at once, a write when the next access comes, if it has changed the word. Each place in the code is
 * reported once, and the kernel goes on.
 *
 * The first 128 MiB of device memory have a shadow, managed and pinned memory among it, and so have the first 64 MiB of
 * the program, where its `__device__` variables are. It is for one OS thread, on one CPU core. ./cmk run compiles with
 * CMK_HOST_RACES_ 1; elsewhere all of this is nothing. */
#include "../base.h"
#ifndef CMK_HOST_GLOBAL_H
#define CMK_HOST_GLOBAL_H

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ cmk_host_range_ cmk_host_memory_range_; /* where device memory comes from (memory.h) */

enum { cmk_host_meets_atomic_ = 1, cmk_host_meets_fence_ = 2 };

#if CMK_HOST_RACES_

enum { CMK_HOST_PLACES_ = 4096 };
#define CMK_HOST_SHADOWED_ ((size_t)128 << 20)
#define CMK_HOST_SHADOWED_PROGRAM_ ((size_t)64 << 20)

/* The last write of a word, and of its reads the last one and the first one of the launch. Each is who and when: time
 * in 32 bits, rank of the thread in 10, bytes of the word in 4, number of the place in 12. 0: none. */
enum { cmk_host_shadow_read_, cmk_host_shadow_write_, cmk_host_shadow_first_, cmk_host_shadow_touches_ };
typedef struct cmk_host_shadow_ {
    uint64_t touch_[cmk_host_shadow_touches_];
} cmk_host_shadow_;

/* A block, from this time on. */
typedef struct cmk_host_since_ {
    uint32_t time_;
    uint3 block_;
} cmk_host_since_;

/* The launch that runs, of those that are looked at. */
typedef struct cmk_host_scene_ {
    uint32_t settled_;       /* what was before this time is over for the launch */
    uint32_t launch_;        /* the time at which the launch began */
    uint32_t block_;         /* the time at which the block that runs began */
    int looks_;              /* whether accesses are looked at */
    int meets_;              /* whether blocks may have waited for one another: cmk_host_meets_atomic_ and so on */
    int is_atomic_;          /* the access under way is one of an atomic operation */
    cmk_host_actor_ *actor_; /* who acts; null for a launch that is not looked at */
    size_t blocks_;          /* that have begun, of all launches under way */
} cmk_host_scene_;

/* A write that the next access judges. */
typedef struct cmk_host_doubt_ {
    uintptr_t address_; /* 0: there is none */
    size_t bytes_;
    unsigned char before_[4];
    uint64_t writer_, other_;
    int other_writes_;
} cmk_host_doubt_;

CMK_HOST_ONE_ cmk_host_range_ cmk_host_program_; /* the program or library that launched first */
CMK_HOST_ONE_ cmk_host_shadow_ *cmk_host_shadow_words_;
CMK_HOST_ONE_ cmk_host_origin_ cmk_host_places_[CMK_HOST_PLACES_]; /* by number */
CMK_HOST_ONE_ cmk_host_since_ *cmk_host_sinces_;
CMK_HOST_ONE_ size_t cmk_host_sinces_room_;
CMK_HOST_ONE_ __thread cmk_host_scene_ cmk_host_scene_now_;
CMK_HOST_ONE_ cmk_host_doubt_ cmk_host_doubt_now_;

/* Makes the shadow, for the first access. */
CMK_HOST_HELPER_ void cmk_host_shadow_make_(void)
{
    const int flags = MAP_PRIVATE | CMK_HOST_MAP_ANONYMOUS_ | CMK_HOST_MAP_NORESERVE_;
    if (cmk_host_shadow_words_) return;
    const size_t words = (CMK_HOST_SHADOWED_ + CMK_HOST_SHADOWED_PROGRAM_) / 4;
    void *start = mmap(NULL, words * sizeof(cmk_host_shadow_), PROT_READ | PROT_WRITE, flags, -1, 0);
    cmk_host_shadow_words_ = (cmk_host_shadow_ *)cmk_host_need_(start == MAP_FAILED ? NULL : start, "the shadow");
}

/* The shadow of the word at an address, where all these bytes have one; otherwise null. */
CMK_HOST_INLINE_ cmk_host_shadow_ *cmk_host_shadow_of_(uintptr_t address, size_t bytes)
{
    const uintptr_t own = address - cmk_host_memory_range_.low_, program = address - cmk_host_program_.low_;
    if (own + bytes <= CMK_HOST_SHADOWED_) return &cmk_host_shadow_words_[own / 4];
    if (program + bytes > CMK_HOST_SHADOWED_PROGRAM_ || program >= cmk_host_program_.bytes_) return NULL;
    return &cmk_host_shadow_words_[(CMK_HOST_SHADOWED_ + program) / 4];
}

/* ---- Touches */
CMK_HOST_INLINE_ uint32_t cmk_host_global_time_(uint64_t touch)
{
    return (uint32_t)(touch >> 32);
}

CMK_HOST_INLINE_ unsigned cmk_host_global_rank_(uint64_t touch)
{
    return (unsigned)(touch >> 22) & 1023;
}

CMK_HOST_INLINE_ uint32_t cmk_host_place_key_(cmk_host_origin_ origin)
{
    const uint32_t key = (uint32_t)(uintptr_t)origin.place_ ^ (uint32_t)origin.line_ * 2654435761u;
    return (key ^ key >> 12) % CMK_HOST_PLACES_;
}

CMK_HOST_INLINE_ int cmk_host_place_is_(unsigned number, cmk_host_origin_ origin)
{
    return cmk_host_places_[number].place_ == origin.place_ && cmk_host_places_[number].line_ == origin.line_;
}

/* The number of a place in the code. Where the table is full, that of another place. */
CMK_HOST_HELPER_ unsigned cmk_host_place_of_(cmk_host_origin_ origin)
{
    unsigned number = cmk_host_place_key_(origin);
    for (unsigned i = 0; i < 64 && !cmk_host_place_is_(number, origin); i++) {
        if (!cmk_host_places_[number].place_)
            cmk_host_places_[number] = origin;
        else
            number = (number + 1) % CMK_HOST_PLACES_;
    }
    return number;
}

/* mask: a bit for each byte of the word */
CMK_HOST_INLINE_ uint64_t cmk_host_global_touch_(uint32_t time, unsigned rank, unsigned mask, unsigned place)
{
    return (uint64_t)time << 32 | (uint64_t)rank << 22 | mask << 12 | place;
}

/* Whether nothing orders the access of an earlier actor and one that comes now. */
CMK_HOST_QUIET_ int cmk_host_global_is_apart_(uint32_t then)
{
    const cmk_host_scene_ *scene = &cmk_host_scene_now_;
    const cmk_host_actor_ *actor = cmk_host_actor_of_(then), *now = scene->actor_;
    if (!actor || !cmk_host_actor_is_apart_(actor)) return 0;
    if (actor->fill_ && actor->fill_ == now->fill_) return 0;
    if (now->name_ && actor->name_) return !(actor->meets_ && (scene->meets_ || scene->is_atomic_));
    if (now->bytes_ || actor->bytes_) return 1;
    return !((actor->meets_ | scene->meets_) & cmk_host_meets_fence_);
}

/* Whether nothing orders an access that was before and one that comes now. */
CMK_HOST_INLINE_ int cmk_host_global_races_(uint64_t before, uint64_t now)
{
    const cmk_host_scene_ *scene = &cmk_host_scene_now_;
    const uint32_t then = cmk_host_global_time_(before);
    if (then < scene->settled_ || (before & now & 15 << 12) == 0) return 0;
    if (then < scene->launch_) return cmk_host_global_is_apart_(then);
    if (then < scene->block_) return !scene->meets_;
    return then == cmk_host_global_time_(now) && cmk_host_global_rank_(before) / 32 != cmk_host_global_rank_(now) / 32;
}

/* ---- Reports */
CMK_HOST_HELPER_ uint3 cmk_host_block_at_(uint32_t time)
{
    size_t at = cmk_host_scene_now_.blocks_;
    while (at > 1 && cmk_host_sinces_[at - 1].time_ > time) at--;
    return cmk_host_sinces_[at - 1].block_;
}

/* Prints the place of a touch, FILE:LINE. */
CMK_HOST_HELPER_ void cmk_host_global_print_(uint64_t touch)
{
    const cmk_host_origin_ origin = cmk_host_places_[touch & (CMK_HOST_PLACES_ - 1)];
    cmk_host_code_place_ = origin.place_;
    cmk_host_print_line_(stderr, cmk_host_origin_file_(origin), origin.line_);
}

/* Prints the rank of a thread as its index in a block. */
CMK_HOST_HELPER_ void cmk_host_global_print_thread_(uint64_t touch, uint3 block)
{
    const uint3 thread = cmk_host_index_of_(cmk_host_global_rank_(touch), block);
    fprintf(stderr, "thread (%u,%u,%u)", thread.x, thread.y, thread.z);
}

/* Prints an access of the launch that runs, and what is missing between it and a later one. */
CMK_HOST_HELPER_ void cmk_host_global_print_own_(uint64_t earlier, const char *did)
{
    const uint3 other = cmk_host_block_at_(cmk_host_global_time_(earlier));
    const int apart = cmk_host_global_time_(earlier) < cmk_host_scene_now_.block_;
    if (apart) fprintf(stderr, "block (%u,%u,%u), ", other.x, other.y, other.z);
    cmk_host_global_print_thread_(earlier, cmk_host_scene_now_.actor_->block_);
    fprintf(stderr, " %s at ", did);
    cmk_host_global_print_(earlier);
    fprintf(stderr, ", with %s between the two\n", apart ? "nothing that orders the blocks" : "no barrier");
}

/* The same of an access of an earlier actor. */
CMK_HOST_HELPER_ void cmk_host_global_print_other_(uint64_t earlier, const char *did)
{
    const cmk_host_actor_ *actor = cmk_host_actor_of_(cmk_host_global_time_(earlier)),
                          *now = cmk_host_scene_now_.actor_;
    const int is_host = !actor->name_ && !actor->bytes_, host_is_now = !now->name_ && !now->bytes_;
    if (actor->bytes_) {
        fprintf(stderr, "a copy or a fill of %zu bytes %s", actor->bytes_, did);
    } else {
        if (is_host) fputs("the host", stderr);
        if (!is_host) fprintf(stderr, "kernel %s, ", actor->name_);
        if (!is_host) cmk_host_global_print_thread_(earlier, actor->block_);
        fprintf(stderr, " %s at ", did);
        cmk_host_global_print_(earlier);
    }
    fputs(host_is_now ? ": nothing has waited for its stream\n"
          : is_host   ? " before it waited for this stream\n"
                      : " in another stream: no event orders the two\n",
          stderr);
}

/* Reports the later of two accesses to the word at `address`, and the earlier one. */
CMK_HOST_QUIET_ void cmk_host_global_say_(uintptr_t address, size_t bytes, uint64_t later, int writes, uint64_t earlier,
                                          int wrote)
{
    const cmk_host_actor_ *now = cmk_host_scene_now_.actor_;
    const uint3 running = threadIdx, block = blockIdx;
    const cmk_host_origin_ origin = cmk_host_places_[later & (CMK_HOST_PLACES_ - 1)];
    const char *did = wrote ? "has written" : "has read";
    if (!cmk_host_is_new_(origin)) return;
    cmk_host_speaks_ = 1;
    fflush(stdout);
    cmk_host_code_place_ = origin.place_;
    if (now->name_) {
        threadIdx = cmk_host_index_of_(cmk_host_global_rank_(later), now->block_);
        blockIdx = cmk_host_block_at_(cmk_host_global_time_(later));
    }
    if (now->bytes_)
        fprintf(stderr, "cmk: a copy or a fill of %zu bytes ", now->bytes_);
    else
        cmk_host_print_place_(stderr, cmk_host_origin_file_(origin), origin.line_);
    threadIdx = running, blockIdx = block;
    if (!now->name_ && !now->bytes_) fputs("the host ", stderr);
    fprintf(stderr, "%s %zu bytes at 0x%zx, which ", writes ? "writes" : "reads", bytes, (size_t)address);
    if (cmk_host_global_time_(earlier) < cmk_host_scene_now_.launch_)
        cmk_host_global_print_other_(earlier, did);
    else
        cmk_host_global_print_own_(earlier, did);
    cmk_host_speaks_ = 0;
}

/* Judges the write that is pending: it races if it has changed the word. */
CMK_HOST_QUIET_ void cmk_host_global_judge_(void)
{
    cmk_host_doubt_ *doubt = &cmk_host_doubt_now_;
    const uintptr_t address = doubt->address_;
    doubt->address_ = 0;
    if (!address || memcmp(doubt->before_, (const void *)address, doubt->bytes_) == 0) return;
    cmk_host_shadow_of_(address, 1)->touch_[cmk_host_shadow_write_] = doubt->writer_;
    cmk_host_global_say_(address, doubt->bytes_, doubt->writer_, 1, doubt->other_, doubt->other_writes_);
}

/* ---- Accesses */

/* Which of the touches of a word a write races with; -1 where it is none. */
CMK_HOST_HELPER_ int cmk_host_global_rival_(const cmk_host_shadow_ *word, uint64_t now)
{
    static const int order[] = {cmk_host_shadow_write_, cmk_host_shadow_read_, cmk_host_shadow_first_};
    for (int i = 0; i < cmk_host_shadow_touches_; i++)
        if (cmk_host_global_races_(word->touch_[order[i]], now)) return order[i];
    return -1;
}

CMK_HOST_INLINE_ void cmk_host_global_read_(cmk_host_shadow_ *word, uint64_t now)
{
    word->touch_[cmk_host_shadow_read_] = now;
    if (cmk_host_global_time_(word->touch_[cmk_host_shadow_first_]) < cmk_host_scene_now_.launch_)
        word->touch_[cmk_host_shadow_first_] = now;
}

/* Keeps a write, or has it judged where it races. An atomic operation is one that changes the word, and orders the
 * threads of its launch. */
CMK_HOST_HELPER_ void cmk_host_global_write_(uintptr_t address, size_t bytes, uint64_t now, cmk_host_shadow_ *word)
{
    cmk_host_doubt_ *doubt = &cmk_host_doubt_now_;
    const int which = cmk_host_global_rival_(word, now);
    const int is_atomic = cmk_host_scene_now_.is_atomic_;
    if (which >= 0 && is_atomic && cmk_host_global_time_(word->touch_[which]) < cmk_host_scene_now_.launch_)
        cmk_host_global_say_(address, bytes, now, 1, word->touch_[which], which == cmk_host_shadow_write_);
    if (which < 0 || is_atomic) {
        word->touch_[cmk_host_shadow_write_] = now;
    } else if (!doubt->address_) {
        doubt->address_ = address;
        doubt->bytes_ = bytes;
        memcpy(doubt->before_, (const void *)address, bytes);
        doubt->writer_ = now;
        doubt->other_ = word->touch_[which];
        doubt->other_writes_ = which == cmk_host_shadow_write_;
    }
}

/* A write that has been made, and has changed the word. */
CMK_HOST_HELPER_ void cmk_host_global_wrote_(uintptr_t address, size_t bytes, uint64_t then)
{
    cmk_host_shadow_ *word = cmk_host_shadow_of_(address, bytes);
    const int which = cmk_host_global_rival_(word, then);
    if (which >= 0) cmk_host_global_say_(address, bytes, then, 1, word->touch_[which], which == cmk_host_shadow_write_);
    word->touch_[cmk_host_shadow_write_] = then;
}

/* Looks at an access of the running thread to device memory, which is right in all else. */
CMK_HOST_QUIET_ void cmk_host_global_words_(uintptr_t address, size_t bytes, int writes, cmk_host_origin_ origin)
{
    const unsigned rank = cmk_host_worker_now_->running_->rank_;
    const unsigned place = cmk_host_place_of_(origin);
    if (cmk_host_doubt_now_.address_) cmk_host_global_judge_();
    for (uintptr_t at = address; at < address + bytes; at = (at | 3) + 1) {
        const size_t left = address + bytes - at, first = at % 4, count = left < 4 - first ? left : 4 - first;
        const uint64_t now = cmk_host_global_touch_(cmk_host_time_, rank, ((1u << count) - 1) << first, place);
        cmk_host_shadow_ *word = cmk_host_shadow_of_(at, count);
        const uint64_t written = word->touch_[cmk_host_shadow_write_];
        if (writes) {
            cmk_host_global_write_(at, count, now, word);
        } else {
            if (cmk_host_global_races_(written, now)) cmk_host_global_say_(at, count, now, 0, written, 1);
            cmk_host_global_read_(word, now);
        }
    }
}

/* ---- Stores that follow a load. A compiler that reports plain accesses (watch.h) leaves out a store where it has
 * reported a load of the same place shortly before, as of x[i]++. So the last loads of the running thread are kept with
 * what they read. Where a word differs from that at the next access, the thread has written it. */
typedef struct cmk_host_loaded_ {
    uintptr_t address_;     /* of memory that goes on for 8 bytes */
    uint64_t value_, mask_; /* of the bytes that were read */
    const void *place_;
} cmk_host_loaded_;

enum { CMK_HOST_LOADS_ = 2 };
CMK_HOST_ONE_ __thread cmk_host_loaded_ cmk_host_loads_[CMK_HOST_LOADS_];

CMK_HOST_INLINE_ int cmk_host_load_is_old_(const cmk_host_loaded_ *load)
{
    uint64_t value;
    memcpy(&value, (const void *)load->address_, sizeof value);
    return (value & load->mask_) != load->value_;
}

CMK_HOST_INLINE_ void cmk_host_load_keep_(uintptr_t address, size_t bytes, const void *place)
{
    cmk_host_loaded_ *load = &cmk_host_loads_[0];
    cmk_host_loads_[1] = *load;
    load->address_ = address;
    load->mask_ = bytes < 8 ? ((uint64_t)1 << 8 * bytes) - 1 : ~(uint64_t)0;
    memcpy(&load->value_, (const void *)address, sizeof load->value_);
    load->value_ &= load->mask_;
    load->place_ = place;
}

/* The running thread has written what it loaded before. */
CMK_HOST_QUIET_ void cmk_host_load_wrote_(cmk_host_loaded_ *load)
{
    const cmk_host_origin_ origin = cmk_host_origin_of_(load->place_, 0);
    const uintptr_t address = load->address_, offset = address - cmk_host_arena_;
    const size_t bytes = (size_t)__builtin_popcountll(load->mask_) / 8;
    const uint64_t now = cmk_host_touch_now_(0);
    load->address_ = 0;
    for (uintptr_t at = address; at < address + bytes; at = (at | 3) + 1) {
        const size_t left = address + bytes - at, first = at % 4, count = left < 4 - first ? left : 4 - first;
        const unsigned mask = ((1u << count) - 1) << first;
        if (offset < CMK_HOST_ARENA_BYTES_)
            cmk_host_race_wrote_(at - cmk_host_arena_, count, now | mask << 10, origin);
        else if (cmk_host_scene_now_.looks_ && cmk_host_shadow_of_(at, count))
            cmk_host_global_wrote_(at, count,
                                   cmk_host_global_touch_((uint32_t)(now >> 32), cmk_host_touch_rank_(now), mask,
                                                          cmk_host_place_of_(origin)));
    }
}

/* Finds what loads are followed by stores. */
CMK_HOST_INLINE_ void cmk_host_loads_look_(void)
{
    if (!cmk_host_loads_[0].address_ && !cmk_host_loads_[1].address_) return;
    for (int i = CMK_HOST_LOADS_ - 1; i >= 0; i--) {
        cmk_host_loaded_ *load = &cmk_host_loads_[i];
        if (load->address_ && cmk_host_load_is_old_(load)) cmk_host_load_wrote_(load);
    }
}

CMK_HOST_HELPER_ void cmk_host_settle_(void)
{
    cmk_host_loads_look_();
    for (int i = 0; i < CMK_HOST_LOADS_; i++) cmk_host_loads_[i].address_ = 0;
    if (cmk_host_doubt_now_.address_) cmk_host_global_judge_();
}

/* Keeps the access to a whole word that no thread of the launch has written before, nor read where this one writes.
 * Value: 0 where it is another access. */
CMK_HOST_INLINE_ int cmk_host_global_first_(cmk_host_shadow_ *word, uintptr_t address, int writes,
                                            cmk_host_origin_ origin)
{
    const uint32_t settled = cmk_host_scene_now_.settled_, place = cmk_host_place_key_(origin);
    if (address % 4 != 0 || cmk_host_doubt_now_.address_ || !cmk_host_place_is_(place, origin)) return 0;
    if (cmk_host_global_time_(word->touch_[cmk_host_shadow_write_]) >= settled) return 0;
    if (writes && cmk_host_global_time_(word->touch_[cmk_host_shadow_read_]) >= settled) return 0;
    const unsigned rank = cmk_host_worker_now_->running_->rank_;
    const uint64_t now = cmk_host_global_touch_(cmk_host_time_, rank, 15, place);
    if (writes)
        word->touch_[cmk_host_shadow_write_] = now;
    else
        cmk_host_global_read_(word, now);
    return 1;
}

CMK_HOST_INLINE_ void cmk_host_global_look_(uintptr_t address, size_t bytes, int writes, cmk_host_origin_ origin)
{
    cmk_host_shadow_ *word = cmk_host_scene_now_.looks_ ? cmk_host_shadow_of_(address, bytes) : NULL;
    if (word && (bytes != 4 || !cmk_host_global_first_(word, address, writes, origin)))
        cmk_host_global_words_(address, bytes, writes, origin);
}

/* ---- Other actors: copies and fills, and the host */

/* Makes a copy, a fill or a step of the host the one that acts, after all that are noted. Value: for the end of it. */
CMK_HOST_HELPER_ cmk_host_scene_ cmk_host_global_act_(cmk_host_actor_ *actor)
{
    const cmk_host_scene_ outer = cmk_host_scene_now_;
    memset(&cmk_host_scene_now_, 0, sizeof cmk_host_scene_now_);
    cmk_host_scene_now_.settled_ = actor->settled_;
    cmk_host_scene_now_.launch_ = actor->time_;
    cmk_host_scene_now_.actor_ = actor;
    return outer;
}

/* An access of a copy, a fill or the host to part of a word. */
CMK_HOST_HELPER_ void cmk_host_global_part_(uintptr_t at, size_t count, int writes, unsigned place, int looks)
{
    const unsigned mask = ((1u << count) - 1) << at % 4;
    const int own = writes ? cmk_host_shadow_write_ : cmk_host_shadow_read_;
    const uint64_t now = cmk_host_global_touch_(cmk_host_scene_now_.actor_->time_, 0, mask, place);
    cmk_host_shadow_ *word = cmk_host_shadow_of_(at, count);
    int which = looks && writes ? cmk_host_global_rival_(word, now) : -1;
    if (looks && !writes && cmk_host_global_races_(word->touch_[cmk_host_shadow_write_], now))
        which = cmk_host_shadow_write_;
    if (which >= 0) cmk_host_global_say_(at, count, now, writes, word->touch_[which], which == cmk_host_shadow_write_);
    if (cmk_host_global_time_(word->touch_[own]) < cmk_host_scene_now_.actor_->time_) word->touch_[own] = now;
}

/* The same to several words, of which some may have no shadow. */
CMK_HOST_HELPER_ void cmk_host_global_parts_(uintptr_t low, size_t bytes, int writes, unsigned place, int looks)
{
    const uintptr_t start = cmk_host_memory_range_.low_;
    if (low < start || low + bytes - start > CMK_HOST_SHADOWED_) return;
    cmk_host_shadow_make_();
    for (uintptr_t at = low; at < low + bytes; at = (at | 3) + 1) {
        const size_t left = low + bytes - at, room = 4 - at % 4;
        cmk_host_global_part_(at, left < room ? left : room, writes, place, looks);
    }
}

/* All accesses of a copy or a fill. What it accesses is in the shadow then. */
CMK_HOST_HELPER_ void cmk_host_global_areas_(cmk_host_actor_ *actor, int looks)
{
    const cmk_host_origin_ origin = cmk_host_origin_of_(&cmk_host_actors_, (int)(actor->bytes_ & 0xfffffff) + 1);
    const cmk_host_scene_ outer = cmk_host_global_act_(actor);
    for (int side = 0; side < cmk_host_areas_; side++) {
        const cmk_host_area_ area = actor->area_[side];
        for (size_t plane = 0; plane < area.depth_; plane++)
            for (size_t row = 0; row < area.height_; row++)
                cmk_host_global_parts_(area.low_ + plane * area.step_ + row * area.pitch_, area.width_,
                                       side == cmk_host_area_written_, cmk_host_place_of_(origin), looks);
        actor->area_[side].depth_ = 0;
    }
    cmk_host_scene_now_ = outer;
}

/* Notes that an actor begins. Finds since when earlier ones may still be at work, and brings copies and fills among
 * them into the shadow. */
CMK_HOST_HELPER_ cmk_host_actor_ *cmk_host_global_actor_(void)
{
    cmk_host_actor_ *const begun = cmk_host_actor_new_(), *actor;
    for (unsigned nth = 1; (actor = cmk_host_actor_at_(nth)) != NULL; nth++) {
        if (!cmk_host_actor_is_apart_(actor)) continue;
        begun->settled_ = actor->time_;
        cmk_host_global_areas_(actor, 0);
    }
    return begun;
}

/* A copy or a fill begins, that the work which runs makes. */
CMK_HOST_QUIET_ void cmk_host_global_copy_(cmk_host_area_ to, cmk_host_area_ from, uint64_t fill)
{
    if (!cmk_host_is_first_() || !cmk_host_options_now_.races_) return;
    cmk_host_actor_ *actor = cmk_host_global_actor_();
    actor->bytes_ = to.width_ * to.height_ * to.depth_;
    actor->fill_ = fill;
    actor->area_[cmk_host_area_written_] = to;
    actor->area_[cmk_host_area_read_] = from;
    if (actor->settled_ < actor->time_) cmk_host_global_areas_(actor, 1);
}

/* The host accesses memory while something of a stream is not over for it. */
CMK_HOST_QUIET_ void cmk_host_global_host_(uintptr_t address, size_t bytes, int writes, cmk_host_origin_ origin)
{
    const cmk_host_clock_ *clock = cmk_host_clock_now_ ? cmk_host_clock_now_ : &cmk_host_clock_host_;
    cmk_host_actor_ *actor = cmk_host_actor_at_(0);
    if (!cmk_host_is_first_()) return;
    if (!actor || actor->name_ || actor->bytes_ || actor->line_ != clock->line_ ||
        actor->step_ != clock->step_[clock->line_])
        actor = cmk_host_global_actor_();
    const cmk_host_scene_ outer = cmk_host_global_act_(actor);
    cmk_host_global_parts_(address, bytes, writes, cmk_host_place_of_(origin), 1);
    cmk_host_scene_now_ = outer;
}

/* ---- Launches and blocks */

/* Whether the accesses of a launch are looked at. */
CMK_HOST_HELPER_ int cmk_host_global_looks_(int cooperative)
{
    if (!cmk_host_options_now_.races_ || cmk_host_options_now_.cores_ > 1 || cooperative) return 0;
    if (!cmk_host_is_first_()) return 0;
    if (!cmk_host_program_.bytes_) cmk_host_program_ = cmk_host_worker_now_->launch_->module_;
    cmk_host_shadow_make_();
    return 1;
}

/* A launch begins. Value: what is under way, for its end: a kernel may launch another one. */
CMK_HOST_QUIET_ cmk_host_scene_ cmk_host_global_begin_(int cooperative)
{
    const cmk_host_scene_ outer = cmk_host_scene_now_;
    cmk_host_scene_ *scene = &cmk_host_scene_now_;
    CMK_HOST_ORDERED_();
    scene->looks_ = cmk_host_global_looks_(cooperative);
    scene->meets_ = scene->is_atomic_ = 0;
    scene->actor_ = scene->looks_ ? cmk_host_global_actor_() : NULL;
    scene->launch_ = scene->block_ = cmk_host_time_;
    if (!scene->looks_) return outer;
    scene->settled_ = scene->actor_->settled_;
    scene->actor_->name_ = cmk_host_kernel_name_;
    scene->actor_->block_ = cmk_host_worker_now_->launch_->block_;
    return outer;
}

CMK_HOST_QUIET_ void cmk_host_global_end_(cmk_host_scene_ outer)
{
    CMK_HOST_ORDERED_();
    if (cmk_host_scene_now_.actor_) cmk_host_scene_now_.actor_->meets_ = cmk_host_scene_now_.meets_;
    cmk_host_scene_now_ = outer;
}

/* ---- Works between two blocks: what follows a word that has come runs on another OS thread (queue.h), as the one that
 * runs the kernel, and waits for it, would run them. */
typedef struct cmk_host_hand_ {
    int goes_on_;
    uint32_t time_;
    const cmk_host_clock_ *clock_;
    cmk_host_scene_ scene_;
} cmk_host_hand_;

CMK_HOST_HELPER_ cmk_host_hand_ cmk_host_hand_over_(void)
{
    CMK_HOST_ORDERED_();
    const cmk_host_hand_ hand = {cmk_host_is_first_(), cmk_host_time_, cmk_host_clock_now_, cmk_host_scene_now_};
    return hand;
}

CMK_HOST_HELPER_ void cmk_host_hand_take_(const cmk_host_hand_ *hand)
{
    cmk_host_goes_on_ = hand->goes_on_;
    cmk_host_time_ = hand->time_;
    cmk_host_clock_now_ = hand->clock_;
    cmk_host_scene_now_ = hand->scene_;
}

/* The kernel goes on. Where others have acted, it is another actor from now on. */
CMK_HOST_HELPER_ void cmk_host_hand_back_(uint32_t time)
{
    cmk_host_scene_ *const scene = &cmk_host_scene_now_;
    cmk_host_actor_ *const before = scene->actor_;
    cmk_host_time_ = time;
    if (!before || cmk_host_actor_at_(0) == before) return;
    before->meets_ = scene->meets_;
    scene->actor_ = cmk_host_actor_new_();
    time = scene->actor_->time_;
    *scene->actor_ = *before;
    scene->actor_->time_ = time;
}

/* A block begins, whose blockIdx is set. */
CMK_HOST_QUIET_ void cmk_host_global_block_(void)
{
    cmk_host_scene_ *scene = &cmk_host_scene_now_;
    if (!scene->looks_) return;
    if (scene->blocks_ == cmk_host_sinces_room_) {
        cmk_host_sinces_room_ = cmk_host_sinces_room_ ? 2 * cmk_host_sinces_room_ : 64;
        void *moved = realloc(cmk_host_sinces_, cmk_host_sinces_room_ * sizeof *cmk_host_sinces_);
        cmk_host_sinces_ = (cmk_host_since_ *)cmk_host_need_(moved, "the list of blocks");
    }
    scene->block_ = cmk_host_time_;
    cmk_host_sinces_[scene->blocks_].time_ = cmk_host_time_;
    cmk_host_sinces_[scene->blocks_++].block_ = blockIdx;
}

/* An atomic operation or a fence. */
CMK_HOST_INLINE_ void cmk_host_global_meets_(int how)
{
    if (!cmk_host_scene_now_.looks_) return;
    cmk_host_settle_();
    cmk_host_scene_now_.meets_ |= how;
    cmk_host_scene_now_.is_atomic_ = 0;
}

/* The access that comes is one of an atomic operation. */
CMK_HOST_INLINE_ void cmk_host_global_meeting_(void)
{
    cmk_host_scene_now_.is_atomic_ = 1;
}

#else

typedef int cmk_host_scene_;

CMK_HOST_INLINE_ void cmk_host_global_look_(uintptr_t address, size_t bytes, int writes, cmk_host_origin_ origin)
{
    (void)address, (void)bytes, (void)writes, (void)origin;
}

CMK_HOST_INLINE_ cmk_host_scene_ cmk_host_global_begin_(int cooperative)
{
    return cooperative;
}

CMK_HOST_INLINE_ void cmk_host_global_end_(cmk_host_scene_ outer)
{
    (void)outer;
}

CMK_HOST_INLINE_ void cmk_host_global_block_(void)
{
}

CMK_HOST_INLINE_ void cmk_host_global_meets_(int how)
{
    (void)how;
}

CMK_HOST_INLINE_ void cmk_host_global_meeting_(void)
{
}

CMK_HOST_INLINE_ void cmk_host_loads_look_(void)
{
}

#endif

CMK_HOST_C_END_

#endif
