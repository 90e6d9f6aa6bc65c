/* host/system.h: what the CPU backend takes from the C library, the compiler and the sanitizers.
 *
 * Only names that the C library shows in strict ISO C11 mode are used. The user may have included <stdio.h> before this
 * file, and then it is too late to ask the C library for more. */
#include "../base.h"
#ifndef CMK_HOST_SYSTEM_H
#define CMK_HOST_SYSTEM_H

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Linux has the same two values on both architectures. Strict C11 mode hides the names. */
#if defined(MAP_ANONYMOUS)
#define CMK_HOST_MAP_ANONYMOUS_ MAP_ANONYMOUS
#else
#define CMK_HOST_MAP_ANONYMOUS_ 0x20
#endif
#if defined(MAP_NORESERVE)
#define CMK_HOST_MAP_NORESERVE_ MAP_NORESERVE
#else
#define CMK_HOST_MAP_NORESERVE_ 0x4000
#endif

/* 1 where the compiler reports plain accesses (watch.h) */
#ifndef CMK_HOST_WATCH_
#define CMK_HOST_WATCH_ 0
#endif

/* 1 where the compiler also reports each step of the code from one basic block to another, and the accesses are counted
 * (count/trace.h). It does so by the options of ThreadSanitizer, which is not at work then. */
#ifndef CMK_HOST_TRACE_
#define CMK_HOST_TRACE_ 0
#endif

/* 1 where a report plays the requests of kernels to caches (count/cache.h) */
#ifndef CMK_HOST_CACHES_
#define CMK_HOST_CACHES_ 0
#endif

/* 1 where threads of a block that race for shared memory are reported (race.h) */
#ifndef CMK_HOST_RACES_
#define CMK_HOST_RACES_ (CMK_HOST_WATCH_ && !CMK_HOST_TRACE_)
#endif

/* 1 where plain stores write shared memory, as in programs of CUDA alone (atomic.h) */
#ifndef CMK_HOST_PLAIN_
#define CMK_HOST_PLAIN_ 0
#endif

#if CMK_HOST_WATCH_
#define CMK_HOST_ASAN_ 0
#elif defined(__SANITIZE_ADDRESS__)
#define CMK_HOST_ASAN_ 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CMK_HOST_ASAN_ 1
#endif
#endif
#ifndef CMK_HOST_ASAN_
#define CMK_HOST_ASAN_ 0
#endif

#if defined(__SANITIZE_THREAD__)
#define CMK_HOST_TSAN_ 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CMK_HOST_TSAN_ 1
#endif
#endif
#if CMK_HOST_TRACE_
#undef CMK_HOST_TSAN_
#endif
#ifndef CMK_HOST_TSAN_
#define CMK_HOST_TSAN_ 0
#endif

#if CMK_HOST_ASAN_
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__clang__)
#define CMK_HOST_CALLED_BEGIN_
#define CMK_HOST_CALLED_END_
#else
#define CMK_HOST_CALLED_BEGIN_ _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wattributes\"")
#define CMK_HOST_CALLED_END_ _Pragma("GCC diagnostic pop")
#endif

#if defined(__cplusplus)
/* clang-format off */
#define CMK_HOST_C_BEGIN_ CMK_HOST_CALLED_BEGIN_ extern "C" {
#define CMK_HOST_C_END_ } CMK_HOST_CALLED_END_
/* clang-format on */
#define CMK_HOST_DEFAULT_(value) = value
#else
#define CMK_HOST_C_BEGIN_ CMK_HOST_CALLED_BEGIN_
#define CMK_HOST_C_END_ CMK_HOST_CALLED_END_
#define CMK_HOST_DEFAULT_(value)
#endif

/* Gives a variable or a function one instance in the program and the shared libraries linked to it, however many C and
 * C++ files include the header, also with -fvisibility=hidden. So kernels of the program may use what a library
 * allocates (library.h). Variables have it, and functions that the compiler calls. All other functions belong to each
 * file, and are compiled only where something calls them. */
#define CMK_HOST_ONE_ __attribute__((weak, visibility("default")))
#define CMK_HOST_INLINE_ static inline __attribute__((always_inline, unused))

/* A function that is not inlined, and about which its callers know nothing. It is declared `inline`, because -O0
 * compiles any other function even where nothing calls it. gcc warns of this contradiction; CMK_HOST_C_BEGIN_ turns the
 * warning off. */
#if defined(__clang__)
#define CMK_HOST_CALLED_ static inline __attribute__((noinline))
#else
#define CMK_HOST_CALLED_ static inline __attribute__((noinline, noipa))
#endif
#define CMK_HOST_LIKELY_(condition) __builtin_expect(!!(condition), 1)

/* ThreadSanitizer must not see the scheduler. It leaves a function on another stack than it entered on, and its own
 * memory must not order the CUDA threads. clang has two words for that. Without the first one it inlines the function
 * where ThreadSanitizer looks. Without the second one ThreadSanitizer sees where the function begins and ends. */
#if CMK_HOST_TSAN_ && defined(__clang__)
#define CMK_HOST_UNSEEN_ __attribute__((no_sanitize("thread"), disable_sanitizer_instrumentation))
#elif CMK_HOST_TSAN_
#define CMK_HOST_UNSEEN_ __attribute__((no_sanitize("thread")))
#elif CMK_HOST_TRACE_
#define CMK_HOST_UNSEEN_ __attribute__((no_sanitize("thread"), no_sanitize_coverage))
#elif CMK_HOST_WATCH_ /* the accesses of the backend are not those of the kernel */
#define CMK_HOST_UNSEEN_ __attribute__((no_sanitize_address))
#else
#define CMK_HOST_UNSEEN_
#endif
#define CMK_HOST_QUIET_ CMK_HOST_CALLED_ CMK_HOST_UNSEEN_
#define CMK_HOST_HELPER_ CMK_HOST_UNSEEN_ static inline

/* A function in assembly (assembly.h): every object file carries it, and the linker keeps one. */
/* clang-format off */
#define CMK_HOST_ASM_ENTRY_(name) \
    ".weak " #name "\n\t.hidden " #name "\n\t.type " #name ", %function\n" #name ":\n\t"
#define CMK_HOST_ASM_BEGIN_(name) \
    ".ifndef " #name "\n\t.pushsection .text." #name ", \"axG\", %progbits, " #name ", comdat\n\t.balign 16\n\t" \
    CMK_HOST_ASM_ENTRY_(name) ".cfi_startproc\n\t"
#define CMK_HOST_ASM_END_(name) \
    ".cfi_endproc\n\t.size " #name ", . - " #name "\n\t.popsection\n\t.endif\n"
/* clang-format on */

CMK_HOST_C_BEGIN_

#if CMK_HOST_TSAN_
void *__tsan_create_fiber(unsigned);
void *__tsan_get_current_fiber(void);
void __tsan_acquire(void *);
void __tsan_destroy_fiber(void *);
void __tsan_release(void *);
void __tsan_switch_to_fiber(void *, unsigned);
#endif

int cmk_host_madvise_(void *start, size_t bytes, int advice) __asm__("madvise"); /* strict C11 mode hides it */

/* memset that ThreadSanitizer does not count as an access of the current CUDA thread. */
CMK_HOST_QUIET_ void cmk_host_fill_(void *start, int value, size_t bytes)
{
#if CMK_HOST_TSAN_
    volatile unsigned char *byte = (volatile unsigned char *)start;
    while (bytes-- > 0) *byte++ = (unsigned char)value;
#else
    memset(start, value, bytes);
#endif
}

/* The same for memcpy. */
CMK_HOST_QUIET_ void cmk_host_copy_(void *to, const void *from, size_t bytes)
{
#if CMK_HOST_TSAN_
    for (size_t i = 0; i < bytes; i++) ((volatile unsigned char *)to)[i] = ((const unsigned char *)from)[i];
#else
    memcpy(to, from, bytes);
#endif
}

/* Tells AddressSanitizer about memory whose bytes malloc does not manage one by one. */
static inline void cmk_host_asan_forbid_(const void *start, size_t bytes)
{
#if CMK_HOST_ASAN_
    __asan_poison_memory_region(start, bytes);
#else
    (void)start;
    (void)bytes;
#endif
}

static inline void cmk_host_asan_allow_(const void *start, size_t bytes)
{
#if CMK_HOST_ASAN_
    __asan_unpoison_memory_region(start, bytes);
#else
    (void)start;
    (void)bytes;
#endif
}

CMK_HOST_C_END_

#endif
