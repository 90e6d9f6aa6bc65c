/* host/shared.h: the shared memory of a block.
 *
 *   CMK_HOST_TILE_(T, name, shape, rows, columns, pad);   T (*const name) shape: [columns + pad], or in 3D
 *                                                    [rows of a plane][columns + pad]; rows counts those of all planes
 *   CMK_HOST_TILE_DYNAMIC_(T, name);                 T *const name, the dynamic shared memory of the launch
 *   CMK_HOST_TILE_AT_(T, name, shape, offset);       T (*const name) shape, from its byte `offset` on
 *
 * All of this comes from an arena that each OS thread owns. Behind the arena lies a map, with one byte for each byte of
 * the arena. It holds the state of the byte and the number of its tile. New tiles are filled with 0xff (NaN, -1), so
 * that nothing leaks from block to block. element.h has the accesses. */
#include "../base.h"
#ifndef CMK_HOST_SHARED_H
#define CMK_HOST_SHARED_H

#define CMK_HOST_ARENA_BYTES_ ((uintptr_t)256 << 10)
#define CMK_HOST_ARENA_GAP_ 128      /* free bytes around a tile; also its alignment, so that it begins in bank 0 */
#define CMK_HOST_DYNAMIC_START_ 1024 /* the dynamic shared memory begins at a multiple of it */
#define CMK_HOST_TILES_ 62
#define CMK_HOST_STATIC_LIMIT_ ((size_t)48 << 10)
#define CMK_HOST_SHARED_LIMIT_ ((size_t)227 << 10)

/* The state of a byte, the low two bits of its byte of the map. The bits above are the number of its tile, from 1. */
#define CMK_HOST_OUTSIDE_ 0u
#define CMK_HOST_PAD_ 1u
#define CMK_HOST_UNWRITTEN_ 2u
#define CMK_HOST_WRITTEN_ 3u

/* clang-format off */
#define CMK_HOST_TILE_(T_, name_, shape_, rows_, columns_, pad_) \
    T_(*const name_) shape_ = (T_(*) shape_)CMK_HOST_TILE_HERE_(T_, name_, rows_, columns_, pad_)
#define CMK_HOST_TILE_AT_(T_, name_, shape_, offset_) \
    T_(*const name_) shape_ = (T_(*) shape_)((char *)cmk_host_dynamic_() + (offset_))
/* clang-format on */

#define CMK_HOST_TILE_HERE_(T_, name_, rows_, columns_, pad_)                                                          \
    __extension__({                                                                                                    \
        static __thread cmk_host_slot_ cmk_slot_;                                                                      \
        static const cmk_host_site_ cmk_site_ = {#name_, #T_, __FILE__, __LINE__, sizeof(T_), rows_, columns_, pad_};  \
        cmk_host_tile_(&cmk_slot_, &cmk_site_);                                                                        \
    })

#define CMK_HOST_TILE_DYNAMIC_(T_, name_) T_ *const name_ = (T_ *)cmk_host_dynamic_()

/* site_ is one declaration of a tile in the source. slot_ is where its memory is for one OS thread in one block. */
typedef struct cmk_host_site_ {
    const char *name_;
    const char *type_;
    const char *file_;
    int line_;
    size_t element_;
    long long rows_;
    long long columns_;
    long long pad_;
} cmk_host_site_;

typedef struct cmk_host_slot_ {
    unsigned long long block_;
    void *start_;
} cmk_host_slot_;

typedef struct cmk_host_tile_entry_ {
    const cmk_host_site_ *site_; /* null for the dynamic shared memory */
    size_t offset_;
    size_t bytes_;
} cmk_host_tile_entry_;

typedef struct cmk_host_shared_ {
    cmk_host_tile_entry_ tiles_[CMK_HOST_TILES_ + 1]; /* by number, from 1 */
    unsigned count_;
    size_t used_;         /* bytes of the arena, gaps included */
    size_t static_bytes_; /* bytes of static tiles */
    size_t dynamic_bytes_;
    void *dynamic_;
} cmk_host_shared_;

/* One access to a tile, for the cold path. */
typedef struct cmk_host_element_ {
    uintptr_t tile_;
    size_t rows_; /* of the array that the tile is; 0 for a pointer */
    size_t row_bytes_;
    size_t bytes_;
    long long row_;
    long long column_;
    const char *name_;
    const char *file_;
    int line_;
    int writes_;
} cmk_host_element_;

/* The accesses to a word of the arena that race.h remembers: the last write and two reads. touch_ has when and by whom,
 * as race.h packs it; origins_ stands apart, since it is seldom used. */
enum { cmk_host_trace_write_, cmk_host_trace_read_, cmk_host_trace_other_, cmk_host_trace_touches_ };
typedef struct cmk_host_trace_ {
    uint64_t touch_[cmk_host_trace_touches_];
    uint32_t quiet_; /* cmk_host_moment_ while further reads have nothing to add: */
    uint32_t warp_;  /* those of this warp, or of all where it is above all */
} cmk_host_trace_;
typedef struct cmk_host_origins_ {
    cmk_host_origin_ of_[cmk_host_trace_touches_];
} cmk_host_origins_;

/* Where the traces begin, behind the arena and its map, and where their origins do. */
#define CMK_HOST_TRACES_ (2 * CMK_HOST_ARENA_BYTES_ + 4096)
#define CMK_HOST_ORIGINS_ (CMK_HOST_TRACES_ + CMK_HOST_ARENA_BYTES_ / 4 * sizeof(cmk_host_trace_))

/* All threads of the block are ordered here: what ran before is ahead of what comes. */
#if CMK_HOST_RACES_
#define CMK_HOST_ORDERED_() (cmk_host_settle_(), (void)(++cmk_host_time_, ++cmk_host_moment_))
#else
#define CMK_HOST_ORDERED_() ((void)0)
#endif

CMK_HOST_C_BEGIN_

/* The running thread is about to wait, to end or to be ordered: judges what is pending of its accesses (global.h). */
#if CMK_HOST_RACES_
static inline void cmk_host_settle_(void);
#else
CMK_HOST_INLINE_ void cmk_host_settle_(void)
{
}
#endif

CMK_HOST_ONE_ __thread uint32_t cmk_host_time_;   /* counts what orders the threads of a block */
CMK_HOST_ONE_ __thread uint32_t cmk_host_moment_; /* the same, and meetings of lanes */
CMK_HOST_ONE_ __thread uintptr_t cmk_host_arena_;
CMK_HOST_ONE_ __thread unsigned long long cmk_host_block_number_; /* counts the blocks that this OS thread runs */
CMK_HOST_ONE_ __thread cmk_host_shared_ *cmk_host_shared_now_;

/* ---- The device memory that was freed last: it explains an access through a stale pointer. The lock is held while the
 * list changes. */
CMK_HOST_ONE_ pthread_mutex_t cmk_host_memory_lock_ = PTHREAD_MUTEX_INITIALIZER;
CMK_HOST_ONE_ cmk_host_range_ cmk_host_freed_[256];
CMK_HOST_ONE_ unsigned cmk_host_freed_count_;

/* The allocation freed last that had one of these bytes, or null. */
CMK_HOST_HELPER_ const cmk_host_range_ *cmk_host_freed_at_(uintptr_t address, size_t bytes)
{
    const unsigned count = cmk_host_freed_count_ < 256 ? cmk_host_freed_count_ : 256;
    for (unsigned i = 1; i <= count; i++) {
        const cmk_host_range_ *range = &cmk_host_freed_[(cmk_host_freed_count_ - i) % 256];
        if (address < range->low_ + range->bytes_ && range->low_ < address + bytes) return range;
    }
    return NULL;
}

/* ---- The arena */
CMK_HOST_INLINE_ unsigned char *cmk_host_map_(uintptr_t offset)
{
    return (unsigned char *)(cmk_host_arena_ + CMK_HOST_ARENA_BYTES_ + offset);
}

CMK_HOST_INLINE_ cmk_host_trace_ *cmk_host_trace_of_(uintptr_t offset)
{
    return (cmk_host_trace_ *)(cmk_host_arena_ + CMK_HOST_TRACES_) + offset / 4;
}

CMK_HOST_INLINE_ cmk_host_origins_ *cmk_host_origins_of_(uintptr_t offset)
{
    return (cmk_host_origins_ *)(cmk_host_arena_ + CMK_HOST_ORIGINS_) + offset / 4;
}

/* The bytes of the arena with all that is behind it. */
CMK_HOST_INLINE_ size_t cmk_host_arena_whole_(void)
{
    if (!CMK_HOST_RACES_) return CMK_HOST_TRACES_;
    return CMK_HOST_ORIGINS_ + CMK_HOST_ARENA_BYTES_ / 4 * sizeof(cmk_host_origins_);
}

CMK_HOST_HELPER_ void *cmk_host_arena_map_(size_t bytes)
{
    const int flags = MAP_PRIVATE | CMK_HOST_MAP_ANONYMOUS_ | CMK_HOST_MAP_NORESERVE_;
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
}

/* Maps the arena where no device memory was that has been freed, so that a stale pointer is not taken for one to shared
 * memory. A larger mapping, of which the begin is kept, lies where the system has more room than that memory had. */
CMK_HOST_HELPER_ void cmk_host_arena_get_(void)
{
    const size_t whole = cmk_host_arena_whole_();
    size_t bytes = whole;
    void *start = cmk_host_arena_map_(bytes);
    pthread_mutex_lock(&cmk_host_memory_lock_);
    while (start != MAP_FAILED && cmk_host_freed_at_((uintptr_t)start, whole)) {
        munmap(start, bytes);
        bytes *= 2;
        start = cmk_host_arena_map_(bytes);
    }
    pthread_mutex_unlock(&cmk_host_memory_lock_);
    if (start == MAP_FAILED)
        start = cmk_host_arena_map_(whole);
    else if (bytes > whole)
        munmap((char *)start + whole, bytes - whole);
    cmk_host_need_(start == MAP_FAILED ? NULL : start, "the shared memory of a block");
    cmk_host_arena_ = (uintptr_t)start;
    cmk_host_asan_forbid_(start, CMK_HOST_ARENA_BYTES_);
#if CMK_HOST_TSAN_
    memset(start, 0xff, CMK_HOST_ARENA_BYTES_);
#endif
}

CMK_HOST_HELPER_ void cmk_host_arena_put_(void)
{
    if (!cmk_host_arena_) return;
    cmk_host_asan_allow_((void *)cmk_host_arena_, CMK_HOST_ARENA_BYTES_);
    munmap((void *)cmk_host_arena_, cmk_host_arena_whole_());
    cmk_host_arena_ = 0;
}

/* Takes memory for a tile, all of it unwritten, and a gap behind it. Value: the number of the tile. */
CMK_HOST_HELPER_ unsigned cmk_host_shared_take_(const cmk_host_site_ *site, size_t bytes)
{
    cmk_host_shared_ *shared = cmk_host_shared_now_;
    unsigned number = ++shared->count_;
    cmk_host_tile_entry_ *tile = &shared->tiles_[number];
    tile->site_ = site;
    tile->offset_ = shared->used_;
    tile->bytes_ = bytes;
    char *start = (char *)(cmk_host_arena_ + tile->offset_);
    cmk_host_asan_allow_(start, bytes);
#if !CMK_HOST_TSAN_ /* with it every block gets a new arena, filled before its threads begin */
    memset(start, 0xff, bytes);
#endif
    cmk_host_fill_(cmk_host_map_(tile->offset_), (int)(number << 2 | CMK_HOST_UNWRITTEN_), bytes);
    size_t whole = (bytes + CMK_HOST_ARENA_GAP_ - 1) / CMK_HOST_ARENA_GAP_ * CMK_HOST_ARENA_GAP_;
    shared->used_ += whole + CMK_HOST_ARENA_GAP_;
    return number;
}

/* Prepares the shared memory of a block, before its threads start. */
CMK_HOST_HELPER_ void cmk_host_shared_begin_(size_t dynamic_bytes)
{
    cmk_host_shared_ *shared = cmk_host_shared_now_;
#if CMK_HOST_TSAN_
    cmk_host_arena_put_();
#endif
    if (!cmk_host_arena_)
        cmk_host_arena_get_();
    else
        memset(cmk_host_map_(0), 0, shared->used_);
    cmk_host_asan_forbid_((void *)cmk_host_arena_, shared->used_);
    cmk_host_block_number_++;
    CMK_HOST_ORDERED_();
    shared->count_ = 0;
    shared->used_ = dynamic_bytes > 0 ? CMK_HOST_DYNAMIC_START_ : CMK_HOST_ARENA_GAP_;
    shared->static_bytes_ = 0;
    shared->dynamic_bytes_ = dynamic_bytes;
    shared->dynamic_ = (void *)(cmk_host_arena_ + shared->used_);
    if (dynamic_bytes > 0) cmk_host_shared_take_(NULL, dynamic_bytes);
}

CMK_HOST_HELPER_ void cmk_host_shared_limits_(const cmk_host_site_ *site, size_t bytes)
{
    cmk_host_shared_ *shared = cmk_host_shared_now_;
    size_t static_bytes = shared->static_bytes_ + bytes;
    const char *file = site->file_;
    if (shared->count_ == CMK_HOST_TILES_)
        cmk_host_fail_(file, site->line_, "tile `%s`: a block may have %d tiles", site->name_, CMK_HOST_TILES_);
    if (static_bytes > CMK_HOST_STATIC_LIMIT_)
        cmk_host_fail_(file, site->line_,
                       "tile `%s` (%zu bytes) brings the block to %zu bytes of static shared "
                       "memory; 49152 are allowed",
                       site->name_, bytes, static_bytes);
    if (static_bytes + shared->dynamic_bytes_ > CMK_HOST_SHARED_LIMIT_)
        cmk_host_fail_(file, site->line_,
                       "tile `%s` (%zu bytes) brings the block to %zu bytes of shared memory, "
                       "%zu of them dynamic; 232448 are allowed",
                       site->name_, bytes, static_bytes + shared->dynamic_bytes_, shared->dynamic_bytes_);
    shared->static_bytes_ = static_bytes;
}

/* Takes the memory of a tile in this block, and marks the pads. */
CMK_HOST_HELPER_ void cmk_host_tile_take_(cmk_host_slot_ *slot, const cmk_host_site_ *site)
{
    size_t data = site->element_ * (size_t)site->columns_;
    size_t pitch = data + site->element_ * (size_t)site->pad_;
    size_t bytes = pitch * (size_t)site->rows_;
    cmk_host_shared_limits_(site, bytes);
    size_t offset = cmk_host_shared_now_->used_;
    int pad = (int)(cmk_host_shared_take_(site, bytes) << 2 | CMK_HOST_PAD_);
    for (long long row = 0; row < site->rows_ && pitch > data; row++)
        cmk_host_fill_(cmk_host_map_(offset + pitch * (size_t)row + data), pad, pitch - data);
    slot->block_ = cmk_host_block_number_;
    slot->start_ = (void *)(cmk_host_arena_ + offset);
}

/* The first thread of a block that reaches the declaration takes the memory. */
CMK_HOST_QUIET_ void *cmk_host_tile_slow_(cmk_host_slot_ *slot, const cmk_host_site_ *site)
{
    if (!cmk_host_kernel_name_)
        cmk_host_fail_(site->file_, site->line_, "tile `%s` is declared outside of a kernel", site->name_);
    if (slot->block_ != cmk_host_block_number_) cmk_host_tile_take_(slot, site);
    return slot->start_;
}

CMK_HOST_INLINE_ void *cmk_host_tile_(cmk_host_slot_ *slot, const cmk_host_site_ *site)
{
    if (!CMK_HOST_TSAN_ && CMK_HOST_LIKELY_(slot->block_ == cmk_host_block_number_)) return slot->start_;
    return cmk_host_tile_slow_(slot, site);
}

CMK_HOST_HELPER_ void *cmk_host_dynamic_(void)
{
    return cmk_host_shared_now_->dynamic_;
}

/* ---- Accesses by pointer */

/* For elements whose size is not a power of two, and for every access under ThreadSanitizer. */
CMK_HOST_HELPER_ int cmk_host_element_bytewise_(const cmk_host_element_ *element, uintptr_t at, unsigned byte)
{
    volatile unsigned char *map = cmk_host_map_(at);
    for (size_t i = 0; i < element->bytes_; i++) {
        unsigned state = element->writes_ ? map[i] | 1u : map[i];
        if (state != byte) return 0;
        if (element->writes_) map[i] = (unsigned char)byte;
    }
    return 1;
}

CMK_HOST_HELPER_ const char *cmk_host_tile_name_(const cmk_host_tile_entry_ *tile)
{
    return tile->site_ ? tile->site_->name_ : "dynamic shared memory";
}

/* The nearest tile that ends at or before the offset, null if there is none. */
CMK_HOST_HELPER_ const cmk_host_tile_entry_ *cmk_host_tile_below_(uintptr_t offset)
{
    const cmk_host_shared_ *shared = cmk_host_shared_now_;
    const cmk_host_tile_entry_ *below = NULL;
    for (unsigned i = 1; i <= shared->count_; i++) {
        if (shared->tiles_[i].offset_ + shared->tiles_[i].bytes_ <= offset) below = &shared->tiles_[i];
    }
    return below;
}

__attribute__((noreturn, cold)) CMK_HOST_QUIET_ void cmk_host_fail_shared_(uintptr_t offset, size_t bytes, int writes,
                                                                           const char *file, int line)
{
    const char *verb = writes ? "writes" : "reads";
    unsigned state = *cmk_host_map_(offset);
    unsigned last = *cmk_host_map_(offset + bytes - 1);
    const cmk_host_tile_entry_ *tile = &cmk_host_shared_now_->tiles_[state >> 2];
    const cmk_host_tile_entry_ *below = cmk_host_tile_below_(offset);
    if (state && !last)
        cmk_host_fail_(file, line, "%s %zu bytes across the end of %s (%zu bytes)", verb, bytes,
                       cmk_host_tile_name_(tile), tile->bytes_);
    if (state && ((state & 3) == CMK_HOST_PAD_ || (last & 3) == CMK_HOST_PAD_))
        cmk_host_fail_(file, line, "%s %zu bytes in the pad of %s", verb, bytes, cmk_host_tile_name_(tile));
    if (state)
        cmk_host_fail_(file, line, "reads %zu bytes at byte %zu of %s, which no thread of the block has written", bytes,
                       offset - tile->offset_, cmk_host_tile_name_(tile));
    if (below)
        cmk_host_fail_(file, line, "%s %zu bytes of shared memory, %zu bytes past the end of %s (%zu bytes)", verb,
                       bytes, offset - below->offset_ - below->bytes_, cmk_host_tile_name_(below), below->bytes_);
    cmk_host_fail_(file, line,
                   "%s %zu bytes of shared memory outside of all tiles; the launch gave %zu bytes of "
                   "dynamic shared memory",
                   verb, bytes, cmk_host_shared_now_->dynamic_bytes_);
}

#if CMK_HOST_WATCH_
/* Whether all bytes of an access are of one array. What is written is marked. A read of which nobody has written a byte
 * is reported, and the kernel goes on. */
CMK_HOST_QUIET_ int cmk_host_is_of_array_(uintptr_t offset, size_t bytes, int writes, cmk_host_origin_ origin)
{
    unsigned char *map = cmk_host_map_(offset);
    const cmk_host_tile_entry_ *tile = &cmk_host_shared_now_->tiles_[map[0] >> 2];
    size_t written = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (map[i] >> 2 != map[0] >> 2 || (map[i] & CMK_HOST_UNWRITTEN_) == 0) return 0;
        written += map[i] % 4 == CMK_HOST_WRITTEN_;
    }
    for (size_t i = 0; writes && i < bytes; i++) map[i] |= CMK_HOST_WRITTEN_;
    if (bytes == 0 || writes || written > 0 || !cmk_host_is_new_(origin)) return 1;
    cmk_host_speaks_ = 1;
    fflush(stdout);
    cmk_host_print_place_(stderr, cmk_host_origin_file_(origin), origin.line_);
    fprintf(stderr, "reads %zu bytes at byte %zu of %s, which no thread of the block has written\n", bytes,
            offset - tile->offset_, cmk_host_tile_name_(tile));
    cmk_host_speaks_ = 0;
    return 1;
}
#endif

/* Checks and marks an access to shared memory. Value: 0 where the address is not in shared memory of this block. */
CMK_HOST_QUIET_ int cmk_host_shared_access_(uintptr_t address, size_t bytes, int writes, const char *file, int line)
{
    uintptr_t offset = address - cmk_host_arena_;
    if (offset >= CMK_HOST_ARENA_BYTES_) return 0;
    cmk_host_element_ element = {address, 0, 0, bytes, 0, 0, NULL, file, line, writes};
    unsigned byte = *cmk_host_map_(offset) | CMK_HOST_WRITTEN_;
    if (byte != CMK_HOST_WRITTEN_ && cmk_host_element_bytewise_(&element, offset, byte)) return 1;
#if CMK_HOST_WATCH_
    if (cmk_host_is_of_array_(offset, bytes, writes, cmk_host_origin_of_(file, line))) return 1;
#endif
    cmk_host_fail_shared_(offset, bytes, writes, file, line);
}

CMK_HOST_C_END_

#endif
