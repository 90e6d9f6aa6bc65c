/* host/memory.h: device allocations, and the check of every access of a kernel to global memory.
 *
 *   CMK_HOST_READ_(pointer)          *pointer, checked
 *   CMK_HOST_WRITE_(pointer, value)  *pointer = value, checked
 *
 * Each argument is evaluated once. An access is right when it is aligned and lies in one live allocation, in shared
 * memory (shared.h adds its own rules), or in a variable of the program or library that launched which is not known to
 * be the host's (variable.h). */
#include "../base.h"
#ifndef CMK_HOST_MEMORY_H
#define CMK_HOST_MEMORY_H

#define CMK_HOST_READ_(pointer_)                                                                             \
    (*(const __typeof__(*(pointer_)) *)cmk_host_read_(                                                       \
        (pointer_), sizeof(*(pointer_)), __alignof__(__typeof__(*(pointer_))), __FILE__, CMK_HOST_LINE_))

/* The value comes first: it may read what the write is about to mark as written. */
#define CMK_HOST_WRITE_(pointer_, value_)                                                                    \
    __extension__({                                                                                          \
        __typeof__(*(pointer_)) cmk_host_value_ = (value_);                                                  \
        *(__typeof__(&*(pointer_)))cmk_host_write_(                                                          \
            (pointer_), sizeof(*(pointer_)), __alignof__(__typeof__(*(pointer_))), __FILE__, CMK_HOST_LINE_) =                 \
            cmk_host_value_;                                                                                 \
        (void)0;                                                                                             \
    })

#define __ldg(pointer_) CMK_HOST_READ_(pointer_)

/* What one OS thread knows of global memory while it runs a launch: all live allocations, sorted, and those
 * that it used last. The list is a copy, so a launch takes no lock while it runs. */
typedef struct cmk_host_view_ {
    cmk_host_range_ read_[2];
    cmk_host_range_ write_[2];
    const cmk_host_range_ *all_;
    size_t count_;
    cmk_host_range_ module_; /* the program or library that launched */
    const uint64_t *arguments_; /* the general registers that hold arguments of the launch */
} cmk_host_view_;

typedef enum cmk_host_kind_ {
    cmk_host_device_,  /* cudaMalloc: kernels only */
    cmk_host_managed_, /* kernels and the host program */
    cmk_host_pinned_,  /* the same, from cudaMallocHost */
    cmk_host_symbol_   /* a __device__ variable whose address the program asked for */
} cmk_host_kind_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ __thread cmk_host_view_ cmk_host_view_now_;

/* Live allocations, sorted by address; the last freed ones explain an access through a stale pointer. */
CMK_HOST_ONE_ pthread_mutex_t cmk_host_memory_lock_ = PTHREAD_MUTEX_INITIALIZER;
CMK_HOST_ONE_ cmk_host_range_ *cmk_host_live_;
CMK_HOST_ONE_ cmk_host_kind_ *cmk_host_live_kind_;
CMK_HOST_ONE_ size_t cmk_host_live_count_;
CMK_HOST_ONE_ size_t cmk_host_live_room_;
CMK_HOST_ONE_ cmk_host_range_ cmk_host_freed_[256];
CMK_HOST_ONE_ unsigned cmk_host_freed_count_;

/* Index of the first range that begins above address. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ size_t cmk_host_search_(
    const cmk_host_range_ *ranges_, size_t count_, uintptr_t address_)
{
    size_t first_ = 0;
    while (count_ > 0) {
        size_t half_ = count_ / 2;
        if (ranges_[first_ + half_].low_ <= address_) {
            first_ += half_ + 1;
            count_ -= half_ + 1;
        } else {
            count_ = half_;
        }
    }
    return first_;
}

/* The range that holds all bytes, or null. */
CMK_HOST_HELPER_ const cmk_host_range_ *cmk_host_find_(
    const cmk_host_range_ *ranges_, size_t count_, const void *start_, size_t bytes_)
{
    size_t above_ = cmk_host_search_(ranges_, count_, (uintptr_t)start_);
    if (above_ == 0 || !cmk_host_inside_(&ranges_[above_ - 1], (uintptr_t)start_, bytes_))
        return NULL;
    return &ranges_[above_ - 1];
}

CMK_HOST_HELPER_ void cmk_host_live_grow_(void)
{
    cmk_host_live_room_ = cmk_host_live_room_ ? 2 * cmk_host_live_room_ : 64;
    size_t ranges_ = cmk_host_live_room_ * sizeof(cmk_host_range_);
    size_t kinds_ = cmk_host_live_room_ * sizeof(cmk_host_kind_);
    void *moved_ = cmk_host_need_(realloc(cmk_host_live_, ranges_), "the list of allocations");
    cmk_host_live_ = (cmk_host_range_ *)moved_;
    moved_ = cmk_host_need_(realloc(cmk_host_live_kind_, kinds_), "the list of allocations");
    cmk_host_live_kind_ = (cmk_host_kind_ *)moved_;
}

CMK_HOST_HELPER_ void cmk_host_live_add_(void *start_, size_t bytes_, cmk_host_kind_ kind_)
{
    pthread_mutex_lock(&cmk_host_memory_lock_);
    if (cmk_host_live_count_ == cmk_host_live_room_)
        cmk_host_live_grow_();
    size_t at_ = cmk_host_search_(cmk_host_live_, cmk_host_live_count_, (uintptr_t)start_);
    size_t behind_ = cmk_host_live_count_ - at_;
    memmove(cmk_host_live_ + at_ + 1, cmk_host_live_ + at_, behind_ * sizeof *cmk_host_live_);
    memmove(cmk_host_live_kind_ + at_ + 1, cmk_host_live_kind_ + at_, behind_ * sizeof *cmk_host_live_kind_);
    cmk_host_live_[at_].low_ = (uintptr_t)start_;
    cmk_host_live_[at_].bytes_ = bytes_;
    cmk_host_live_kind_[at_] = kind_;
    cmk_host_live_count_++;
    pthread_mutex_unlock(&cmk_host_memory_lock_);
}

/* Index of the live allocation of this kind that begins at start, or -1. The caller holds the lock. */
CMK_HOST_HELPER_ ptrdiff_t cmk_host_live_index_(const void *start_, cmk_host_kind_ kind_)
{
    size_t above_ = cmk_host_search_(cmk_host_live_, cmk_host_live_count_, (uintptr_t)start_);
    if (above_ == 0 || cmk_host_live_[above_ - 1].low_ != (uintptr_t)start_)
        return -1;
    return cmk_host_live_kind_[above_ - 1] == kind_ ? (ptrdiff_t)above_ - 1 : -1;
}

/* Size of the allocation that begins at start and is no more, or 0 if there is none of this kind. */
CMK_HOST_HELPER_ size_t cmk_host_live_remove_(const void *start_, cmk_host_kind_ kind_)
{
    size_t bytes_ = 0;
    pthread_mutex_lock(&cmk_host_memory_lock_);
    ptrdiff_t at_ = cmk_host_live_index_(start_, kind_);
    if (at_ >= 0) {
        bytes_ = cmk_host_live_[at_].bytes_;
        cmk_host_freed_[cmk_host_freed_count_++ % 256] = cmk_host_live_[at_];
        size_t behind_ = --cmk_host_live_count_ - (size_t)at_;
        memmove(cmk_host_live_ + at_, cmk_host_live_ + at_ + 1, behind_ * sizeof *cmk_host_live_);
        memmove(
            cmk_host_live_kind_ + at_, cmk_host_live_kind_ + at_ + 1, behind_ * sizeof *cmk_host_live_kind_);
    }
    pthread_mutex_unlock(&cmk_host_memory_lock_);
    return bytes_;
}

/* A copy of the list for one launch; the caller frees it. */
CMK_HOST_HELPER_ cmk_host_range_ *cmk_host_live_copy_(size_t *count_)
{
    pthread_mutex_lock(&cmk_host_memory_lock_);
    size_t bytes_ = cmk_host_live_count_ * sizeof(cmk_host_range_);
    void *copy_ = cmk_host_need_(malloc(bytes_ + 1), "the list of allocations");
    if (bytes_ > 0)
        memcpy(copy_, cmk_host_live_, bytes_);
    *count_ = cmk_host_live_count_;
    pthread_mutex_unlock(&cmk_host_memory_lock_);
    return (cmk_host_range_ *)copy_;
}

/* ---- Variables of the program */
CMK_HOST_HELPER_ int cmk_host_is_variable_(uintptr_t address_, size_t bytes_)
{
    if (cmk_host_inside_(&cmk_host_view_now_.module_, address_, bytes_))
        return 1;
    if (!__ehdr_start[0])
        return 0;
    cmk_host_range_ range_ = cmk_host_thread_locals_();
    return cmk_host_inside_(&range_, address_, bytes_);
}

/* Whether the launch was given an address in the variable, which the host does not have of a `__device__` one. */
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
CMK_HOST_HELPER_ const cmk_host_range_ *cmk_host_freed_at_(uintptr_t address_)
{
    unsigned count_ = cmk_host_freed_count_ < 256 ? cmk_host_freed_count_ : 256;
    for (unsigned i_ = 1; i_ <= count_; i_++) {
        const cmk_host_range_ *range_ = &cmk_host_freed_[(cmk_host_freed_count_ - i_) % 256];
        if (cmk_host_inside_(range_, address_, 1))
            return range_;
    }
    return NULL;
}

/* An address up to this far from an allocation is reported relative to it. */
#define CMK_HOST_NEAR_ ((uintptr_t)1 << 20)

__attribute__((noreturn, cold)) CMK_HOST_HELPER_ void cmk_host_fail_distance_(
    const char *what_, uintptr_t distance_, const char *side_, const cmk_host_range_ *range_,
    const char *file_, int line_)
{
    char far_[48] = "directly";
    if (distance_ > 0)
        snprintf(far_, sizeof far_, "%zu bytes", (size_t)distance_);
    cmk_host_fail_(file_, line_, "%s, %s %s of the %zu-byte allocation at 0x%zx", what_, far_, side_,
                   range_->bytes_, (size_t)range_->low_);
}

/* Fails if the address lies just behind the allocation below it or just before the one above it. */
CMK_HOST_HELPER_ void cmk_host_fail_beside_(uintptr_t address_, const char *what_, const char *file_,
                                            int line_)
{
    const cmk_host_view_ *view_ = &cmk_host_view_now_;
    size_t above_ = cmk_host_search_(view_->all_, view_->count_, address_);
    const cmk_host_range_ *low_ = above_ > 0 ? &view_->all_[above_ - 1] : NULL;
    const cmk_host_range_ *high_ = above_ < view_->count_ ? &view_->all_[above_] : NULL;
    uintptr_t behind_ = low_ ? address_ - low_->low_ - low_->bytes_ : CMK_HOST_NEAR_;
    uintptr_t before_ = high_ ? high_->low_ - address_ : CMK_HOST_NEAR_;
    if (low_ && address_ - low_->low_ < low_->bytes_)
        cmk_host_fail_(file_, line_, "%s, across the end of the %zu-byte allocation at 0x%zx", what_,
                       low_->bytes_, (size_t)low_->low_);
    if (behind_ < CMK_HOST_NEAR_ && behind_ <= before_)
        cmk_host_fail_distance_(what_, behind_, "past the end", low_, file_, line_);
    if (before_ < CMK_HOST_NEAR_)
        cmk_host_fail_distance_(what_, before_, "before the start", high_, file_, line_);
}

/* What is done, for the sentence of a failure. */
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

/* Fails if an address in no variable lies just behind or before a `__device__` one. Where static variables are not known
 * it may lie in one. */
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

/* The access begins in the index-th variable, which is the host's. Where the launch was not given its address, the one
 * before it may be meant. */
__attribute__((noreturn, cold)) CMK_HOST_HELPER_ void cmk_host_fail_host_(const cmk_host_symbols_ *symbols,
                                                                          size_t index, const cmk_host_doing_ *doing)
{
    const char *name = cmk_host_variable_name_(&symbols->all[index]);
    const cmk_host_variable_ *below = cmk_host_variable_behind_(symbols, index, doing->address);
    char where[96];
    snprintf(where, sizeof where, ", in the host's variable `%.60s`", name);
    if (below && !cmk_host_is_passed_(&symbols->all[index])) cmk_host_fail_behind_(below, where, doing);
    cmk_host_fail_(doing->file, doing->line,
                   "%s%s: kernels have what is __device__, __constant__ or from cudaMalloc", doing->text, where);
}

__attribute__((noreturn, cold)) CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_fail_address_(
    uintptr_t address_, size_t bytes_, int writes_, const char *file_, int line_)
{
    const cmk_host_doing_ doing = cmk_host_doing_of_(address_, bytes_, writes_, file_, line_);
    const char *what_ = doing.text;
    const cmk_host_range_ module_ = cmk_host_view_now_.module_;
    const cmk_host_range_ *freed_ = cmk_host_freed_at_(address_);
    if (address_ < 4096)
        cmk_host_fail_(file_, line_, "%s, a null pointer", what_);
    if (freed_)
        cmk_host_fail_(file_, line_, "%s, in the %zu-byte allocation at 0x%zx, which has been freed", what_,
                       freed_->bytes_, (size_t)freed_->low_);
    cmk_host_fail_beside_(address_, what_, file_, line_);
    if (module_.low_ && address_ - module_.low_ < module_.bytes_ + CMK_HOST_VARIABLE_ALIGN_)
        cmk_host_fail_gap_(cmk_host_symbols_of_(module_.low_), &doing);
    cmk_host_fail_(file_, line_, "%s, which is not device memory: is it a pointer to host memory?", what_);
}

/* The bounds of the variable that an access lies in, of 0 bytes where they are not known. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ cmk_host_range_ cmk_host_variable_bounds_(uintptr_t address, size_t bytes, int writes,
                                                                        const char *file, int line)
{
    const cmk_host_range_ module = cmk_host_view_now_.module_, unknown = {0, 0};
    if (!module.low_ || !cmk_host_inside_(&module, address, 1)) return unknown;
    const cmk_host_symbols_ *symbols = cmk_host_symbols_of_(module.low_);
    const size_t above = cmk_host_symbols_search_(symbols, address);
    const cmk_host_variable_ *variable = above > 0 ? &symbols->all[above - 1] : NULL;
    const cmk_host_doing_ doing = cmk_host_doing_of_(address, bytes, writes, file, line);
    if (!variable || !cmk_host_inside_(&variable->range, address, 1)) {
        cmk_host_fail_gap_(symbols, &doing);
        return unknown;
    }
    if (cmk_host_variable_is_local_(variable)) return unknown;
    if (!cmk_host_variable_is_device_(variable)) cmk_host_fail_host_(symbols, above - 1, &doing);
    if (cmk_host_is_passed_(variable))
        cmk_host_fail_(file, line, "%s, in the variable `%s`, whose address in the host program the launch was given",
                       doing.text, cmk_host_variable_name_(variable));
    if (!cmk_host_inside_(&variable->range, address, bytes))
        cmk_host_fail_(file, line, "%s, across the end of the %zu-byte variable `%s`", doing.text,
                       variable->range.bytes_, cmk_host_variable_name_(variable));
    return variable->range;
}

/* ---- The check */
/* Checks and marks shared memory; 0 when the address is no shared memory of this block (shared.h). */
CMK_HOST_ONE_ int cmk_host_shared_access_(uintptr_t address_, size_t bytes_, int writes_, const char *file_,
                                          int line_);

/* Count an access, of a tile's element or not, and a read of a table that is constant or a parameter (count.h). */
struct cmk_host_element_;
CMK_HOST_ONE_ void cmk_host_count_constant_(long long index_, const char *file_, int line_);
CMK_HOST_ONE_ void cmk_host_count_(uintptr_t address_, size_t bytes_, size_t align_, int writes_,
                                   const struct cmk_host_element_ *tile_, const char *file_, int line_);

CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_access_(
    cmk_host_range_ *recent_, uintptr_t address_, size_t bytes_, size_t align_, int writes_,
    const char *file_, int line_)
{
    if (address_ & (align_ - 1))
        cmk_host_fail_(
            file_, line_, "%s %zu bytes at 0x%zx, which is misaligned: it must be a multiple of %zu",
            writes_ ? "writes" : "reads", bytes_, (size_t)address_, align_);
    cmk_host_range_ second_ = recent_[1];
    if (!cmk_host_inside_(&second_, address_, bytes_)) {
        const cmk_host_view_ *view_ = &cmk_host_view_now_;
        if (cmk_host_shared_access_(address_, bytes_, writes_, file_, line_))
            return;
        const cmk_host_range_ *found_ =
            cmk_host_find_(view_->all_, view_->count_, (const void *)address_, bytes_);
        if (!found_ && !cmk_host_is_variable_(address_, bytes_))
            cmk_host_fail_address_(address_, bytes_, writes_, file_, line_);
        second_ = found_ ? *found_ : cmk_host_variable_bounds_(address_, bytes_, writes_, file_, line_);
        if (second_.bytes_ == 0)
            return;
    }
    recent_[1] = recent_[0];
    recent_[0] = second_;
}

CMK_HOST_INLINE_ const void *cmk_host_readable_(const volatile void *pointer_, size_t bytes_, size_t align_,
                                                const char *file_, int line_)
{
    uintptr_t address_ = (uintptr_t)pointer_;
    cmk_host_range_ *recent_ = cmk_host_view_now_.read_;
    if (!CMK_HOST_LIKELY_(!(address_ & (align_ - 1)) && (cmk_host_inside_(&recent_[0], address_, bytes_) ||
                                                         cmk_host_inside_(&recent_[1], address_, bytes_))))
        cmk_host_access_(recent_, address_, bytes_, align_, 0, file_, line_);
    return (const void *)address_;
}

CMK_HOST_INLINE_ void *cmk_host_writable_(volatile void *pointer_, size_t bytes_, size_t align_,
                                          const char *file_, int line_)
{
    uintptr_t address_ = (uintptr_t)pointer_;
    cmk_host_range_ *recent_ = cmk_host_view_now_.write_;
    if (!CMK_HOST_LIKELY_(!(address_ & (align_ - 1)) && cmk_host_inside_(recent_, address_, bytes_)))
        cmk_host_access_(recent_, address_, bytes_, align_, 1, file_, line_);
    return (void *)address_;
}

/* The same, counted. */
CMK_HOST_INLINE_ const void *cmk_host_read_(const volatile void *pointer_, size_t bytes_, size_t align_,
                                            const char *file_, int line_)
{
    if (CMK_HOST_COUNTS_)
        cmk_host_count_((uintptr_t)pointer_, bytes_, align_, 0, 0, file_, line_);
    return cmk_host_readable_(pointer_, bytes_, align_, file_, line_);
}

CMK_HOST_INLINE_ void *cmk_host_write_(volatile void *pointer_, size_t bytes_, size_t align_,
                                       const char *file_, int line_)
{
    if (CMK_HOST_COUNTS_)
        cmk_host_count_((uintptr_t)pointer_, bytes_, align_, 1, 0, file_, line_);
    return cmk_host_writable_(pointer_, bytes_, align_, file_, line_);
}

__attribute__((noreturn, cold)) CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_fail_table_(
    long long index_, long long count_, int filled_, const char *what_, const char *name_, const char *file_, int line_)
{
    if (!filled_)
        cmk_host_fail_(file_, line_, "reads the table `%s`, which nobody has filled", name_);
    cmk_host_fail_(file_, line_, "reads %s %lld of the table `%s`, which has %lld %ss", what_, index_, name_, count_,
                   what_);
}

/* The index of an element, row or plane (what) of the table. */
CMK_HOST_INLINE_ long long cmk_host_table_index_(
    long long index_, long long count_, int filled_, const char *what_, const char *name_, const char *file_, int line_)
{
    if (!CMK_HOST_LIKELY_((unsigned long long)index_ < (unsigned long long)count_ && filled_))
        cmk_host_fail_table_(index_, count_, filled_, what_, name_, file_, line_);
    return index_;
}

CMK_HOST_C_END_

#endif
