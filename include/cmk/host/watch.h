/* host/watch.h: the check of the plain accesses of kernels, which the compiler reports.
 *
 * ./cmk run compiles with -fsanitize=kernel-address and with CMK_HOST_WATCH_ 1. By the first, gcc and clang call a
 * function before each access; by the second, these functions are the ones below.
 *
 * An access fails in four cases: at a null pointer; in device memory, but in no live allocation; in shared memory, but
 * in no array of the block; behind a `__device__` variable or in a variable of the host. A read of shared memory that
 * nobody has written is reported, once for each place in the code, and the kernel goes on, because programs read more
 * than they use. Nothing is known of other memory: stacks, and the heap of the host, where malloc of kernels takes its
 * memory too. addr2line, which comes with the compiler, finds the place.
 *
 * Device memory then comes from one range of addresses. No address is used twice, and there are gaps between
 * allocations. */
#include "../base.h"
#ifndef CMK_HOST_WATCH_H
#define CMK_HOST_WATCH_H

#if CMK_HOST_WATCH_

CMK_HOST_C_BEGIN_

/* The variable that was read or written last. One that was read may be `__constant__`. */
CMK_HOST_ONE_ __thread cmk_host_range_ cmk_host_watched_variable_[2];

/* strict C11 mode hides these */
FILE *cmk_host_popen_(const char *command, const char *type) __asm__("popen");
int cmk_host_pclose_(FILE *file) __asm__("pclose");

/* ---- The place */

/* Prints the place of the access that addr2line gives for its address: FILE:LINE. */
CMK_HOST_QUIET_ void cmk_host_print_line_of_code_(FILE *out)
{
    char text[1024] = "", folder[1024];
    const uintptr_t start = (uintptr_t)__ehdr_start;
    snprintf(text, sizeof text, "addr2line -e /proc/%ld/exe 0x%zx 2>/dev/null", (long)getpid(),
             (size_t)((uintptr_t)cmk_host_code_place_ - 1 - cmk_host_file_bias_(start)));
    FILE *told = cmk_host_popen_(text, "r");
    if (!told || !fgets(text, sizeof text, told) || text[0] == '?') snprintf(text, sizeof text, "a plain access");
    text[strcspn(text, " \n")] = 0;
    const size_t length = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    const int here = length > 0 && strncmp(text, folder, length) == 0 && text[length] == '/';
    fputs(here ? text + length + 1 : text, out);
}

/* Makes the place of an access the one that reports name. */
CMK_HOST_HELPER_ void cmk_host_watch_place_(const void *place)
{
    cmk_host_code_place_ = place;
    __atomic_store_n(&cmk_host_print_code_, &cmk_host_print_line_of_code_, __ATOMIC_RELAXED);
}

/* ---- The check */

/* Keeps a load that a store may follow which is not reported (global.h). */
CMK_HOST_INLINE_ void cmk_host_watch_load_(uintptr_t address, size_t bytes, int writes, const void *place)
{
#if CMK_HOST_RACES_
    if (!writes && cmk_host_options_now_.races_ && !cmk_host_speaks_) cmk_host_load_keep_(address, bytes, place);
#else
    (void)address, (void)bytes, (void)writes, (void)place;
#endif
}

/* Checks that all bytes of an access to the arena are of one array, and marks what is written. */
CMK_HOST_HELPER_ void cmk_host_watch_shared_(uintptr_t offset, size_t bytes, int writes)
{
    const cmk_host_origin_ origin = cmk_host_origin_of_(cmk_host_code_place_, 0);
    if (!cmk_host_is_of_array_(offset, bytes, writes, origin)) cmk_host_fail_shared_(offset, bytes, writes, NULL, 0);
    if (bytes <= 8) cmk_host_watch_load_(cmk_host_arena_ + offset, bytes, writes, cmk_host_code_place_);
    cmk_host_race_look_(offset, bytes, writes, origin);
}

/* Checks an access in the program's own memory. A kernel may read what the host may only read, such as tables and
 * strings. */
CMK_HOST_HELPER_ void cmk_host_watch_variable_(uintptr_t address, size_t bytes, int writes)
{
    const cmk_host_variable_ *variable =
        cmk_host_variable_at_(cmk_host_symbols_of_(cmk_host_view_now_.module_.low_), address);
    if (variable && (!variable->writable || strncmp(variable->name, "cmk_host_", 9) == 0)) return;
    const cmk_host_range_ bounds = cmk_host_variable_bounds_(address, bytes, writes, NULL, 0);
    if (bounds.bytes_ == 0) return;
    cmk_host_watched_variable_[writes] = bounds;
    cmk_host_watch_load_(address, bytes, writes, cmk_host_code_place_);
    cmk_host_global_look_(address, bytes, writes, cmk_host_origin_of_(cmk_host_code_place_, 0));
}

CMK_HOST_QUIET_ void cmk_host_watch_slow_(uintptr_t address, size_t bytes, int writes, const void *place)
{
    cmk_host_view_ *view = &cmk_host_view_now_;
    if (cmk_host_speaks_ || __atomic_load_n(&cmk_host_failed_, __ATOMIC_RELAXED)) return;
    cmk_host_watch_place_(place);
    if (address < 4096) cmk_host_fail_address_(address, bytes, writes, NULL, 0);
    if (address - cmk_host_arena_ < CMK_HOST_ARENA_BYTES_) {
        cmk_host_watch_shared_(address - cmk_host_arena_, bytes, writes);
    } else if (cmk_host_inside_(&cmk_host_memory_range_, address, 1)) {
        const cmk_host_range_ *found = cmk_host_find_(view->all_, view->count_, (const void *)address, bytes);
        if (!found) cmk_host_fail_address_(address, bytes, writes, NULL, 0);
        view->read_[1] = view->read_[0];
        view->read_[0] = *found;
        cmk_host_watch_load_(address, bytes, writes, place);
        cmk_host_global_look_(address, bytes, writes, cmk_host_origin_of_(place, 0));
    } else if (cmk_host_inside_(&view->module_, address, 1)) {
        cmk_host_watch_variable_(address, bytes, writes);
    }
}

/* An access to an array of the block, which is right in all else. */
CMK_HOST_QUIET_ void cmk_host_watch_race_(uintptr_t offset, size_t bytes, int writes, const void *place)
{
    if (cmk_host_speaks_) return;
    cmk_host_watch_place_(place);
    cmk_host_race_look_(offset, bytes, writes, cmk_host_origin_of_(place, 0));
}

/* An access of the host, which may not have waited for a stream. */
CMK_HOST_INLINE_ void cmk_host_watch_host_(uintptr_t address, size_t bytes, int writes, const void *place)
{
#if CMK_HOST_RACES_
    if (!cmk_host_host_looks_ || !cmk_host_inside_(&cmk_host_memory_range_, address, bytes)) return;
    cmk_host_watch_place_(place);
    cmk_host_global_host_(address, bytes, writes, cmk_host_origin_of_(place, 0));
#else
    (void)address, (void)bytes, (void)writes, (void)place;
#endif
}

/* Above the frame of a function lie the locals of the kernel and of what it calls, which are not looked at. */
enum { CMK_HOST_LOCALS_ = 4096 };

CMK_HOST_INLINE_ void cmk_host_watch_(const volatile void *pointer, size_t bytes, int writes, const void *place)
{
    const uintptr_t address = (uintptr_t)pointer;
    const uintptr_t offset = address - cmk_host_arena_;
    const cmk_host_range_ *recent = cmk_host_view_now_.read_;
    if (!cmk_host_kernel_name_) {
        cmk_host_watch_host_(address, bytes, writes, place);
        return;
    }
    if (offset >= CMK_HOST_ARENA_BYTES_ && address - (uintptr_t)__builtin_frame_address(0) < CMK_HOST_LOCALS_) return;
    if (cmk_host_spin_look_(pointer, bytes, writes)) {
        cmk_host_watch_place_(place);
        cmk_host_fail_spin_(pointer, bytes, NULL, 0);
    }
    cmk_host_loads_look_();
    if (offset < CMK_HOST_ARENA_BYTES_) {
        const unsigned char *map = cmk_host_map_(offset);
        if (cmk_host_is_simple_(bytes) && map[0] % 4 == CMK_HOST_WRITTEN_ && cmk_host_map_is_(map, bytes, map[0], 0)) {
            if (!cmk_host_options_now_.races_ || cmk_host_race_is_quiet_(offset, bytes, writes)) return;
            cmk_host_watch_load_(address, bytes, writes, place);
            cmk_host_watch_race_(offset, bytes, writes, place);
            return;
        }
    } else if (cmk_host_inside_(&recent[0], address, bytes) || cmk_host_inside_(&recent[1], address, bytes)) {
        cmk_host_watch_load_(address, bytes, writes, place);
        cmk_host_global_look_(address, bytes, writes, cmk_host_origin_of_(place, 0));
        return;
    } else if (cmk_host_inside_(&cmk_host_watched_variable_[writes], address, bytes)) {
        cmk_host_watch_load_(address, bytes, writes, place);
        cmk_host_global_look_(address, bytes, writes, cmk_host_origin_of_(place, 0));
        return;
    }
    cmk_host_watch_slow_(address, bytes, writes, place);
}

/* ---- What the compilers call */
#define CMK_HOST_HOOK_(hook, function, bytes, writes)                                                                  \
    CMK_HOST_ONE_ CMK_HOST_UNSEEN_ void hook(void *address)                                                            \
    {                                                                                                                  \
        function(address, bytes, writes, __builtin_return_address(0));                                                 \
    }
/* clang-format off */
CMK_HOST_HOOK_(__asan_load1_noabort, cmk_host_watch_, 1, 0)
CMK_HOST_HOOK_(__asan_store1_noabort, cmk_host_watch_, 1, 1)
CMK_HOST_HOOK_(__asan_load2_noabort, cmk_host_watch_, 2, 0)
CMK_HOST_HOOK_(__asan_store2_noabort, cmk_host_watch_, 2, 1)
CMK_HOST_HOOK_(__asan_load4_noabort, cmk_host_watch_, 4, 0)
CMK_HOST_HOOK_(__asan_store4_noabort, cmk_host_watch_, 4, 1)
CMK_HOST_HOOK_(__asan_load8_noabort, cmk_host_watch_, 8, 0)
CMK_HOST_HOOK_(__asan_store8_noabort, cmk_host_watch_, 8, 1)
CMK_HOST_HOOK_(__asan_load16_noabort, cmk_host_watch_, 16, 0)
CMK_HOST_HOOK_(__asan_store16_noabort, cmk_host_watch_, 16, 1)
/* clang-format on */

CMK_HOST_ONE_ CMK_HOST_UNSEEN_ void __asan_loadN_noabort(void *address, long bytes)
{
    cmk_host_watch_(address, (size_t)bytes, 0, __builtin_return_address(0));
}

CMK_HOST_ONE_ CMK_HOST_UNSEEN_ void __asan_storeN_noabort(void *address, long bytes)
{
    cmk_host_watch_(address, (size_t)bytes, 1, __builtin_return_address(0));
}

CMK_HOST_ONE_ void __asan_handle_no_return(void)
{
}

CMK_HOST_ONE_ void __asan_before_dynamic_init(const void *module)
{
    (void)module;
}

CMK_HOST_ONE_ void __asan_after_dynamic_init(void)
{
}

CMK_HOST_ONE_ CMK_HOST_UNSEEN_ void *__asan_memcpy(void *to, const void *from, size_t bytes)
{
    cmk_host_watch_(from, bytes, 0, __builtin_return_address(0));
    cmk_host_watch_(to, bytes, 1, __builtin_return_address(0));
    return memcpy(to, from, bytes);
}

CMK_HOST_ONE_ CMK_HOST_UNSEEN_ void *__asan_memmove(void *to, const void *from, size_t bytes)
{
    cmk_host_watch_(from, bytes, 0, __builtin_return_address(0));
    cmk_host_watch_(to, bytes, 1, __builtin_return_address(0));
    return memmove(to, from, bytes);
}

CMK_HOST_ONE_ CMK_HOST_UNSEEN_ void *__asan_memset(void *to, int value, size_t bytes)
{
    cmk_host_watch_(to, bytes, 1, __builtin_return_address(0));
    return memset(to, value, bytes);
}

CMK_HOST_C_END_

#endif

#endif
