/* host/memory.h: device allocations, and the check of every access of a kernel to global memory.
 *
 *   CMK_HOST_READ_(pointer)          *pointer, checked
 *   CMK_HOST_WRITE_(pointer, value)  *pointer = value, checked
 *
 * Each argument is evaluated once. A right access is aligned, and lies in one of three places. The first is one live
 * allocation. The second is shared memory, where shared.h adds its own rules. The third is a variable of the program or
 * library that launched, unless it is known to be the host's (variable.h). */
#include "../base.h"
#ifndef CMK_HOST_MEMORY_H
#define CMK_HOST_MEMORY_H

#define CMK_HOST_READ_(pointer_) (*(const __typeof__(*(pointer_)) *)cmk_host_read_(CMK_HOST_AT_(pointer_)))
#define CMK_HOST_WRITE_(pointer_, value_) CMK_HOST_ASSIGN_(*(pointer_), cmk_host_write_(CMK_HOST_AT_(pointer_)), value_)

/* address, size and alignment of what a pointer points to, and the place of the access in the source */
#define CMK_HOST_AT_(pointer_)                                                                                         \
    (pointer_), sizeof(*(pointer_)), __alignof__(__typeof__(*(pointer_))), __FILE__, CMK_HOST_LINE_

/* Writes value_ to an element of the type of lvalue_ at address_. value_ is evaluated first. It may read the element
 * that the check in address_ is about to mark as written. */
#define CMK_HOST_ASSIGN_(lvalue_, address_, value_)                                                                    \
    __extension__({                                                                                                    \
        __typeof__(lvalue_) cmk_host_value_ = (value_);                                                                \
        (void)(*(__typeof__(cmk_host_value_) *)(address_) = cmk_host_value_);                                          \
    })

#define __ldg(pointer_) CMK_HOST_READ_(pointer_)

/* What one OS thread knows of global memory while it runs a launch: all live allocations, sorted, and those that it
 * used last. The list is a copy, so that no lock is taken while the launch runs. */
typedef struct cmk_host_view_ {
    cmk_host_range_ read_[2];
    cmk_host_range_ write_[2];
    const cmk_host_range_ *all_;
    size_t count_;
    cmk_host_range_ module_;    /* the program or library that launched */
    const uint64_t *arguments_; /* the general registers that hold arguments of the launch */
    int runs_on_;               /* the device on which the launch runs */
} cmk_host_view_;

typedef enum cmk_host_kind_ {
    cmk_host_device_,     /* cudaMalloc: kernels only */
    cmk_host_managed_,    /* kernels and the host program */
    cmk_host_pinned_,     /* the same, from cudaMallocHost */
    cmk_host_registered_, /* the same, by cudaHostRegister */
    cmk_host_symbol_      /* a __device__ variable whose address the program asked for */
} cmk_host_kind_;

typedef struct cmk_host_owner_ {
    cmk_host_kind_ kind_;
    int device_; /* the current device at the allocation */
} cmk_host_owner_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ __thread cmk_host_view_ cmk_host_view_now_;

/* Live allocations, sorted by address. cmk_host_memory_lock_ (shared.h) is held while they change. */
CMK_HOST_ONE_ cmk_host_range_ *cmk_host_live_;
CMK_HOST_ONE_ cmk_host_owner_ *cmk_host_live_owner_;
CMK_HOST_ONE_ size_t cmk_host_live_count_;
CMK_HOST_ONE_ size_t cmk_host_live_room_;

/* Index of the first range that begins above address. */
CMK_HOST_QUIET_ size_t cmk_host_search_(const cmk_host_range_ *ranges, size_t count, uintptr_t address)
{
    size_t first = 0;
    while (count > 0) {
        size_t half = count / 2;
        if (ranges[first + half].low_ <= address) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

/* The range that holds all bytes of an access, or null. */
CMK_HOST_HELPER_ const cmk_host_range_ *cmk_host_find_(const cmk_host_range_ *ranges, size_t count, const void *start,
                                                       size_t bytes)
{
    size_t above = cmk_host_search_(ranges, count, (uintptr_t)start);
    if (above == 0 || !cmk_host_inside_(&ranges[above - 1], (uintptr_t)start, bytes)) return NULL;
    return &ranges[above - 1];
}

CMK_HOST_HELPER_ void cmk_host_live_grow_(void)
{
    cmk_host_live_room_ = cmk_host_live_room_ ? 2 * cmk_host_live_room_ : 64;
    size_t ranges = cmk_host_live_room_ * sizeof(cmk_host_range_);
    size_t owners = cmk_host_live_room_ * sizeof(cmk_host_owner_);
    void *moved = cmk_host_need_(realloc(cmk_host_live_, ranges), "the list of allocations");
    cmk_host_live_ = (cmk_host_range_ *)moved;
    moved = cmk_host_need_(realloc(cmk_host_live_owner_, owners), "the list of allocations");
    cmk_host_live_owner_ = (cmk_host_owner_ *)moved;
}

/* Whether an address lies in a live allocation, for the other backends of the process. */
CMK_HOST_HELPER_ int cmk_host_live_holds_(uintptr_t address)
{
    pthread_mutex_lock(&cmk_host_memory_lock_);
    const int holds = cmk_host_find_(cmk_host_live_, cmk_host_live_count_, (const void *)address, 1) != NULL;
    pthread_mutex_unlock(&cmk_host_memory_lock_);
    return holds;
}

CMK_HOST_HELPER_ void cmk_host_live_add_(void *start, size_t bytes, cmk_host_kind_ kind)
{
    pthread_mutex_lock(&cmk_host_memory_lock_);
    if (cmk_host_live_count_ == 0) cmk_host_page_get_()->holds_ = cmk_host_live_holds_;
    if (cmk_host_live_count_ == cmk_host_live_room_) cmk_host_live_grow_();
    size_t at = cmk_host_search_(cmk_host_live_, cmk_host_live_count_, (uintptr_t)start);
    size_t behind = cmk_host_live_count_ - at;
    memmove(cmk_host_live_ + at + 1, cmk_host_live_ + at, behind * sizeof *cmk_host_live_);
    memmove(cmk_host_live_owner_ + at + 1, cmk_host_live_owner_ + at, behind * sizeof *cmk_host_live_owner_);
    cmk_host_live_[at].low_ = (uintptr_t)start;
    cmk_host_live_[at].bytes_ = bytes;
    cmk_host_live_owner_[at].kind_ = kind;
    cmk_host_live_owner_[at].device_ = cmk_host_device_now_;
    cmk_host_live_count_++;
    pthread_mutex_unlock(&cmk_host_memory_lock_);
}

/* Index of the live allocation of this kind that begins at start, or -1. The caller holds the lock. */
CMK_HOST_HELPER_ ptrdiff_t cmk_host_live_index_(const void *start, cmk_host_kind_ kind)
{
    size_t above = cmk_host_search_(cmk_host_live_, cmk_host_live_count_, (uintptr_t)start);
    if (above == 0 || cmk_host_live_[above - 1].low_ != (uintptr_t)start) return -1;
    return cmk_host_live_owner_[above - 1].kind_ == kind ? (ptrdiff_t)above - 1 : -1;
}

/* Removes the allocation that begins at start. Value: its size, or 0 where there is none of this kind. */
CMK_HOST_HELPER_ size_t cmk_host_live_remove_(const void *start, cmk_host_kind_ kind)
{
    size_t bytes = 0;
    pthread_mutex_lock(&cmk_host_memory_lock_);
    ptrdiff_t at = cmk_host_live_index_(start, kind);
    if (at >= 0) {
        bytes = cmk_host_live_[at].bytes_;
        if (kind != cmk_host_registered_) /* that stays memory of the program */
            cmk_host_freed_[cmk_host_freed_count_++ % 256] = cmk_host_live_[at];
        size_t behind = --cmk_host_live_count_ - (size_t)at;
        memmove(cmk_host_live_ + at, cmk_host_live_ + at + 1, behind * sizeof *cmk_host_live_);
        memmove(cmk_host_live_owner_ + at, cmk_host_live_owner_ + at + 1, behind * sizeof *cmk_host_live_owner_);
    }
    pthread_mutex_unlock(&cmk_host_memory_lock_);
    return bytes;
}

/* Whether kernels of a device may access a live allocation. */
CMK_HOST_HELPER_ int cmk_host_is_open_(size_t index, int device)
{
    const cmk_host_owner_ *owner = &cmk_host_live_owner_[index];
    return owner->kind_ != cmk_host_device_ || cmk_host_has_access_(device, owner->device_);
}

/* A copy of the list for one launch, with what its device may access. The caller frees it. */
CMK_HOST_HELPER_ cmk_host_range_ *cmk_host_live_copy_(size_t *count, int device)
{
    pthread_mutex_lock(&cmk_host_memory_lock_);
    size_t bytes = cmk_host_live_count_ * sizeof(cmk_host_range_);
    cmk_host_range_ *copy = (cmk_host_range_ *)cmk_host_need_(malloc(bytes + 1), "the list of allocations");
    if (bytes > 0) memcpy(copy, cmk_host_live_, bytes);
    *count = cmk_host_live_count_;
    if (cmk_host_options_now_.devices_ > 1) {
        *count = 0;
        for (size_t i = 0; i < cmk_host_live_count_; i++)
            if (cmk_host_is_open_(i, device)) copy[(*count)++] = cmk_host_live_[i];
    }
    pthread_mutex_unlock(&cmk_host_memory_lock_);
    return copy;
}

/* ---- Where device memory comes from: the heap, or a range of its own where plain accesses are watched
 * (watch.h) and where races are reported (global.h) */
CMK_HOST_ONE_ uintptr_t cmk_host_memory_next_; /* in the range; nothing above it is taken */

#if CMK_HOST_RACES_ || CMK_HOST_WATCH_
#define CMK_HOST_MEMORY_BYTES_ ((size_t)1 << 40)
#define CMK_HOST_MEMORY_GAP_ ((size_t)1 << 20)

/* Takes memory from the range. Null where the range cannot be had, or is used up. The caller does not hold the lock. */
CMK_HOST_HELPER_ void *cmk_host_memory_watched_(size_t bytes)
{
    const size_t whole = (bytes + CMK_HOST_MEMORY_GAP_ - 1) / CMK_HOST_MEMORY_GAP_ * CMK_HOST_MEMORY_GAP_;
    void *taken = NULL;
    pthread_mutex_lock(&cmk_host_memory_lock_);
    if (!cmk_host_memory_next_) {
        void *start = mmap(NULL, CMK_HOST_MEMORY_BYTES_, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | CMK_HOST_MAP_ANONYMOUS_ | CMK_HOST_MAP_NORESERVE_, -1, 0);
        cmk_host_memory_range_.low_ = start == MAP_FAILED ? 1 : (uintptr_t)start;
        cmk_host_memory_range_.bytes_ = start == MAP_FAILED ? 0 : CMK_HOST_MEMORY_BYTES_;
        cmk_host_memory_next_ = cmk_host_memory_range_.low_ + CMK_HOST_MEMORY_GAP_;
    }
    if (cmk_host_inside_(&cmk_host_memory_range_, cmk_host_memory_next_, whole + CMK_HOST_MEMORY_GAP_)) {
        taken = (void *)cmk_host_memory_next_;
        cmk_host_memory_next_ += whole + CMK_HOST_MEMORY_GAP_;
    }
    pthread_mutex_unlock(&cmk_host_memory_lock_);
    return taken;
}
#endif

CMK_HOST_HELPER_ void *cmk_host_memory_take_(size_t bytes)
{
#if CMK_HOST_RACES_ || CMK_HOST_WATCH_
    void *taken = cmk_host_memory_watched_(bytes);
    if (taken) return taken;
#endif
    return aligned_alloc(256, (bytes + 255) / 256 * 256);
}

/* Gives memory back. Addresses of the range are not used again, so that a stale pointer shows. */
CMK_HOST_HELPER_ void cmk_host_memory_give_back_(void *memory, size_t bytes)
{
    enum { DONT_NEED = 4 };
    if (!cmk_host_inside_(&cmk_host_memory_range_, (uintptr_t)memory, 1))
        free(memory);
    else
        (void)cmk_host_madvise_(memory, bytes, DONT_NEED);
}

/* ---- Variables of the program */
CMK_HOST_HELPER_ int cmk_host_is_variable_(uintptr_t address, size_t bytes)
{
    if (cmk_host_inside_(&cmk_host_view_now_.module_, address, bytes)) return 1;
    if (!__ehdr_start[0]) return 0;
    cmk_host_range_ range = cmk_host_thread_locals_();
    return cmk_host_inside_(&range, address, bytes);
}

/* Whether an argument of the launch is an address in the variable. */
CMK_HOST_HELPER_ int cmk_host_is_passed_(const cmk_host_variable_ *variable)
{
#if defined(__x86_64__)
    enum { registers = 6 };
#else
    enum { registers = 8 };
#endif
    for (int i = 0; i < registers; i++)
        if (cmk_host_inside_(&variable->range, (uintptr_t)cmk_host_view_now_.arguments_[i], 1)) return 1;
    return 0;
}

/* ---- What is wrong with an address */

/* Whether a live allocation lies where a freed one was. */
CMK_HOST_HELPER_ int cmk_host_is_reused_(const cmk_host_range_ *freed)
{
    const cmk_host_view_ *view = &cmk_host_view_now_;
    const size_t above = cmk_host_search_(view->all_, view->count_, freed->low_ + freed->bytes_ - 1);
    return above > 0 && view->all_[above - 1].low_ + view->all_[above - 1].bytes_ > freed->low_;
}

/* An address up to this far from an allocation is reported relative to it. */
#define CMK_HOST_NEAR_ ((uintptr_t)1 << 20)

__attribute__((noreturn, cold)) CMK_HOST_HELPER_ void cmk_host_fail_distance_(const char *what, uintptr_t distance,
                                                                              const char *side,
                                                                              const cmk_host_range_ *range,
                                                                              const char *file, int line)
{
    char apart[48] = "directly";
    if (distance > 0) snprintf(apart, sizeof apart, "%zu bytes", (size_t)distance);
    cmk_host_fail_(file, line, "%s, %s %s of the %zu-byte allocation at 0x%zx", what, apart, side, range->bytes_,
                   (size_t)range->low_);
}

/* Fails if the address lies in memory of a device that this one has no access to. */
CMK_HOST_HELPER_ void cmk_host_fail_foreign_(uintptr_t address, const char *what, const char *file, int line)
{
    const int device = cmk_host_view_now_.runs_on_;
    pthread_mutex_lock(&cmk_host_memory_lock_);
    const cmk_host_range_ *range = cmk_host_find_(cmk_host_live_, cmk_host_live_count_, (const void *)address, 1);
    const size_t index = range ? (size_t)(range - cmk_host_live_) : 0;
    if (range && !cmk_host_is_open_(index, device))
        cmk_host_fail_(
            file, line,
            "%s, in the %zu-byte allocation at 0x%zx of device %d: the kernel runs on device %d, which has no "
            "access to it (cudaDeviceEnablePeerAccess)",
            what, range->bytes_, (size_t)range->low_, cmk_host_live_owner_[index].device_, device);
    pthread_mutex_unlock(&cmk_host_memory_lock_);
}

/* Fails if the address lies just behind the allocation below it or just before the one above it. */
CMK_HOST_HELPER_ void cmk_host_fail_beside_(uintptr_t address, const char *what, const char *file, int line)
{
    const cmk_host_view_ *view = &cmk_host_view_now_;
    size_t above = cmk_host_search_(view->all_, view->count_, address);
    const cmk_host_range_ *low = above > 0 ? &view->all_[above - 1] : NULL;
    const cmk_host_range_ *high = above < view->count_ ? &view->all_[above] : NULL;
    uintptr_t behind = low ? address - low->low_ - low->bytes_ : CMK_HOST_NEAR_;
    uintptr_t before = high ? high->low_ - address : CMK_HOST_NEAR_;
    if (low && address - low->low_ < low->bytes_)
        cmk_host_fail_(file, line, "%s, across the end of the %zu-byte allocation at 0x%zx", what, low->bytes_,
                       (size_t)low->low_);
    if (behind < CMK_HOST_NEAR_ && behind <= before)
        cmk_host_fail_distance_(what, behind, "past the end", low, file, line);
    if (before < CMK_HOST_NEAR_) cmk_host_fail_distance_(what, before, "before the start", high, file, line);
}

/* An access, and the words for it in the sentence of a failure. */
typedef struct cmk_host_doing_ {
    uintptr_t address;
    size_t bytes;
    const char *file;
    int line;
    char text[96];
} cmk_host_doing_;

CMK_HOST_HELPER_ cmk_host_doing_ cmk_host_doing_of_(uintptr_t address, size_t bytes, int writes, const char *file,
                                                    int line)
{
    cmk_host_doing_ doing = {address, bytes, file, line, {0}};
    snprintf(doing.text, sizeof doing.text, "%s %zu bytes at 0x%zx", writes ? "writes" : "reads", bytes,
             (size_t)address);
    return doing;
}

CMK_HOST_HELPER_ void cmk_host_fail_behind_(const cmk_host_variable_ *variable, const char *where,
                                            const cmk_host_doing_ *doing)
{
    cmk_host_fail_(doing->file, doing->line, "%s, %zu bytes past the end of the %zu-byte variable `%s`%s", doing->text,
                   (size_t)(doing->address - variable->range.low_ - variable->range.bytes_), variable->range.bytes_,
                   cmk_host_variable_name_(variable), where);
}

/* Fails if an address that is in no variable lies just behind or before a `__device__` variable. Where static variables
 * are not known it does not fail, as the address may lie in one. */
CMK_HOST_HELPER_ void cmk_host_fail_gap_(const cmk_host_symbols_ *symbols, const cmk_host_doing_ *doing)
{
    size_t index = cmk_host_symbols_search_(symbols, doing->address);
    const cmk_host_variable_ *below = cmk_host_variable_behind_(symbols, index, doing->address);
    const cmk_host_variable_ *above = index < symbols->count ? &symbols->all[index] : NULL;
    if (!symbols->complete) return;
    if (below) cmk_host_fail_behind_(below, "", doing);
    if (above && above->writable && cmk_host_variable_is_device_(above) &&
        above->range.low_ - doing->address < CMK_HOST_VARIABLE_ALIGN_)
        cmk_host_fail_(doing->file, doing->line, "%s, %zu bytes before the start of the %zu-byte variable `%s`",
                       doing->text, (size_t)(above->range.low_ - doing->address), above->range.bytes_,
                       cmk_host_variable_name_(above));
}

/* Fails for an access that begins in the index-th variable, which is the host's. Where the launch was not given the
 * address of this variable, the access may run past the `__device__` variable before it. */
__attribute__((noreturn, cold)) CMK_HOST_HELPER_ void cmk_host_fail_host_(const cmk_host_symbols_ *symbols,
                                                                          size_t index, const cmk_host_doing_ *doing)
{
    const char *name = cmk_host_variable_name_(&symbols->all[index]);
    const cmk_host_variable_ *below = cmk_host_variable_behind_(symbols, index, doing->address);
    char where[96];
    snprintf(where, sizeof where, ", in the host's variable `%.60s`", name);
    if (below && !cmk_host_is_passed_(&symbols->all[index])) cmk_host_fail_behind_(below, where, doing);
    cmk_host_fail_(doing->file, doing->line, "%s%s: kernels have what is __device__, __constant__ or from cudaMalloc",
                   doing->text, where);
}

__attribute__((noreturn, cold)) CMK_HOST_QUIET_ void cmk_host_fail_address_(uintptr_t address, size_t bytes, int writes,
                                                                            const char *file, int line)
{
    const cmk_host_doing_ doing = cmk_host_doing_of_(address, bytes, writes, file, line);
    const char *what = doing.text;
    const cmk_host_range_ program = cmk_host_view_now_.module_;
    const cmk_host_range_ *freed = cmk_host_freed_at_(address, 1);
    if (address < 4096) cmk_host_fail_(file, line, "%s, a null pointer", what);
    if (freed && cmk_host_is_reused_(freed)) cmk_host_fail_beside_(address, what, file, line);
    if (freed)
        cmk_host_fail_(file, line, "%s, in the %zu-byte allocation at 0x%zx, which has been freed", what, freed->bytes_,
                       (size_t)freed->low_);
    cmk_host_fail_foreign_(address, what, file, line);
    cmk_host_fail_beside_(address, what, file, line);
    if (program.low_ && address - program.low_ < program.bytes_ + CMK_HOST_VARIABLE_ALIGN_)
        cmk_host_fail_gap_(cmk_host_symbols_of_(program.low_), &doing);
    if (cmk_host_is_foreign_(address))
        cmk_host_fail_(
            file, line,
            "%s, which is memory of another CPU backend: a library that is loaded by dlopen shares that of a "
            "program linked with -rdynamic",
            what);
    cmk_host_fail_(file, line, "%s, which is not device memory: is it a pointer to host memory?", what);
}

/* The bounds of the variable that an access lies in. They have 0 bytes where the variable is not known. */
CMK_HOST_QUIET_ cmk_host_range_ cmk_host_variable_bounds_(uintptr_t address, size_t bytes, int writes, const char *file,
                                                          int line)
{
    const cmk_host_range_ program = cmk_host_view_now_.module_, unknown = {0, 0};
    if (!program.low_ || !cmk_host_inside_(&program, address, 1)) return unknown;
    const cmk_host_symbols_ *symbols = cmk_host_symbols_of_(program.low_);
    const cmk_host_variable_ *variable = cmk_host_variable_at_(symbols, address);
    const cmk_host_doing_ doing = cmk_host_doing_of_(address, bytes, writes, file, line);
    if (!variable) {
        cmk_host_fail_gap_(symbols, &doing);
        return unknown;
    }
    if (cmk_host_variable_is_local_(variable)) return unknown;
    const cmk_host_view_ *view = &cmk_host_view_now_;
    const cmk_host_range_ *found = cmk_host_find_(view->all_, view->count_, (const void *)address, bytes);
    if (!cmk_host_variable_is_device_(variable) && found) return *found; /* it is registered */
    if (!cmk_host_variable_is_device_(variable))
        cmk_host_fail_host_(symbols, (size_t)(variable - symbols->all), &doing);
    if (!cmk_host_inside_(&variable->range, address, bytes))
        cmk_host_fail_(file, line, "%s, across the end of the %zu-byte variable `%s`", doing.text,
                       variable->range.bytes_, cmk_host_variable_name_(variable));
#if CMK_HOST_WATCH_
    if (writes && cmk_host_variable_is_constant_(variable))
        cmk_host_fail_(file, line, "%s, in the variable `%s`, which is __constant__: kernels can only read it",
                       doing.text, cmk_host_variable_name_(variable));
#endif
    return variable->range;
}

/* ---- The check */
CMK_HOST_QUIET_ void cmk_host_access_(cmk_host_range_ *recent, uintptr_t address, size_t bytes, size_t align,
                                      int writes, const char *file, int line)
{
    if (address & (align - 1))
        cmk_host_fail_(file, line, "%s %zu bytes at 0x%zx, which is misaligned: it must be a multiple of %zu",
                       writes ? "writes" : "reads", bytes, (size_t)address, align);
    cmk_host_range_ second = recent[1];
    if (!cmk_host_inside_(&second, address, bytes)) {
        const cmk_host_view_ *view = &cmk_host_view_now_;
        if (cmk_host_shared_access_(address, bytes, writes, file, line)) return;
        const cmk_host_range_ *found = cmk_host_find_(view->all_, view->count_, (const void *)address, bytes);
        if (!found && !cmk_host_is_variable_(address, bytes))
            cmk_host_fail_address_(address, bytes, writes, file, line);
        const int asks = !found || (CMK_HOST_WATCH_ && cmk_host_inside_(&view->module_, address, 1));
        second = asks ? cmk_host_variable_bounds_(address, bytes, writes, file, line) : *found;
        if (second.bytes_ == 0) return;
    }
    recent[1] = recent[0];
    recent[0] = second;
}

CMK_HOST_INLINE_ void cmk_host_check_read_(uintptr_t address, size_t bytes, size_t align, const char *file, int line)
{
    cmk_host_range_ *recent = cmk_host_view_now_.read_;
    if (!CMK_HOST_LIKELY_(!(address & (align - 1)) && (cmk_host_inside_(&recent[0], address, bytes) ||
                                                       cmk_host_inside_(&recent[1], address, bytes))))
        cmk_host_access_(recent, address, bytes, align, 0, file, line);
}

CMK_HOST_INLINE_ const void *cmk_host_readable_(const volatile void *pointer, size_t bytes, size_t align,
                                                const char *file, int line)
{
    uintptr_t address = (uintptr_t)pointer;
    cmk_host_check_read_(address, bytes, align, file, line);
    if (!CMK_HOST_WATCH_) cmk_host_global_look_(address, bytes, 0, cmk_host_origin_of_(file, line));
    return (const void *)address;
}

CMK_HOST_INLINE_ void *cmk_host_writable_(volatile void *pointer, size_t bytes, size_t align, const char *file,
                                          int line)
{
    uintptr_t address = (uintptr_t)pointer;
    cmk_host_range_ *recent = cmk_host_view_now_.write_;
    if (!CMK_HOST_LIKELY_(!(address & (align - 1)) && cmk_host_inside_(recent, address, bytes)))
        cmk_host_access_(recent, address, bytes, align, 1, file, line);
    if (!CMK_HOST_WATCH_) cmk_host_global_look_(address, bytes, 1, cmk_host_origin_of_(file, line));
    return (void *)address;
}

/* The same, with counters (count.h). */
CMK_HOST_INLINE_ const void *cmk_host_read_(const volatile void *pointer, size_t bytes, size_t align, const char *file,
                                            int line)
{
    if (CMK_HOST_COUNTS_ && !CMK_HOST_TRACE_) cmk_host_count_((uintptr_t)pointer, bytes, align, 0, 0, file, line);
    return cmk_host_readable_(pointer, bytes, align, file, line);
}

/* Reads what another thread may write at the same time, where the reader does not use it then: no race is looked for.
 */
CMK_HOST_INLINE_ void cmk_host_read_in_place_(void *to, const void *from, int size, const char *file, int line)
{
    const size_t bytes = (size_t)size;
    if (CMK_HOST_COUNTS_ && !CMK_HOST_TRACE_) cmk_host_count_((uintptr_t)from, bytes, bytes, 0, 0, file, line);
    cmk_host_check_read_((uintptr_t)from, bytes, bytes, file, line);
    if (CMK_HOST_TSAN_)
        cmk_host_copy_(to, from, bytes);
    else
        memcpy(to, from, bytes);
}

CMK_HOST_INLINE_ void *cmk_host_write_(volatile void *pointer, size_t bytes, size_t align, const char *file, int line)
{
    if (CMK_HOST_COUNTS_ && !CMK_HOST_TRACE_) cmk_host_count_((uintptr_t)pointer, bytes, align, 1, 0, file, line);
    return cmk_host_writable_(pointer, bytes, align, file, line);
}

__attribute__((noreturn, cold)) CMK_HOST_QUIET_ void cmk_host_fail_table_(long long index, long long count, int filled,
                                                                          const char *what, const char *name,
                                                                          const char *file, int line)
{
    if (!filled) cmk_host_fail_(file, line, "reads the table `%s`, which nobody has filled", name);
    cmk_host_fail_(file, line, "reads %s %lld of the table `%s`, which has %lld %ss", what, index, name, count, what);
}

/* Checks the index of an element, row or plane (`what`) of a table, and returns it. */
CMK_HOST_INLINE_ long long cmk_host_table_index_(long long index, long long count, int filled, const char *what,
                                                 const char *name, const char *file, int line)
{
    if (!CMK_HOST_LIKELY_((unsigned long long)index < (unsigned long long)count && filled))
        cmk_host_fail_table_(index, count, filled, what, name, file, line);
    return index;
}

CMK_HOST_C_END_

#endif
