/* host/assembly.h: four things that C cannot express, written in assembly.
 *
 *   cmk_host_capture_   is called in place of a kernel, through a pointer of the kernel's type: hands the
 *                       argument registers and the address of the stack arguments to the function that
 *                       cmk_host_capture_to_ points to
 *   cmk_host_replay_    calls a kernel with captured arguments
 *   cmk_host_switch_    leaves one stack for another
 *   cmk_host_resume_, cmk_host_resume_thread_   where a stack that was left goes on running
 *
 * x86_64.h and aarch64.h have the code. Every object file carries a copy, and the linker keeps one of them. */
#include "../base.h"
#ifndef CMK_HOST_ASSEMBLY_H
#define CMK_HOST_ASSEMBLY_H

/* The arguments of a launch, in the places where the calling convention passes them. The assembly knows the offsets. */
typedef struct cmk_host_arguments_ {
    void (*kernel_)(void);
    size_t stack_bytes_; /* a multiple of 8 */
    void *stack_;
    unsigned stack_low_;     /* the low 8 bits of their address: a parameter may be aligned to 256 bytes */
    unsigned vector_bytes_;  /* kept of each vector register, the rest is 0: 16, 32 or 64; 0: 16 without AVX */
    uint64_t registers_[72]; /* in the order that the assembly gives */
} cmk_host_arguments_;

/* A stack that a CUDA thread runs on. This struct lies at its upper end. What a switch needs shares a cache line. */
typedef struct cmk_host_fiber_ {
    void (*pc_)(void); /* where it goes on; the assembly knows the offsets of the first two members */
    void *sp_;
    uint3 index_;      /* threadIdx of the CUDA thread */
    unsigned rank_;    /* of the CUDA thread in its block */
    const char *file_; /* where it waits */
    int line_;
    char *low_;
    size_t bytes_;
    void *fake_stack_; /* AddressSanitizer's */
    void *shadow_;     /* ThreadSanitizer's fiber of the CUDA thread */
} cmk_host_fiber_;

CMK_STATIC_ASSERT(offsetof(cmk_host_arguments_, stack_bytes_) == 8, "the assembly knows this offset");
CMK_STATIC_ASSERT(offsetof(cmk_host_arguments_, stack_) == 16, "the assembly knows this offset");
CMK_STATIC_ASSERT(offsetof(cmk_host_arguments_, stack_low_) == 24, "the assembly knows this offset");
CMK_STATIC_ASSERT(offsetof(cmk_host_arguments_, vector_bytes_) == 28, "the assembly knows this offset");
CMK_STATIC_ASSERT(offsetof(cmk_host_arguments_, registers_) == 32, "the assembly knows this offset");

CMK_STATIC_ASSERT(offsetof(cmk_host_fiber_, sp_) == 8, "the assembly knows this offset");

CMK_HOST_C_BEGIN_

/* Points to cmk_host_captured_ of launch.h from the first launch on. The assembly is in every object file, and needs no
 * launch.h there. */
CMK_HOST_ONE_ __attribute__((used)) void (*cmk_host_capture_to_)(const uint64_t *registers, const uint64_t *stack);

__attribute__((visibility("hidden"))) void cmk_host_capture_(void);
#if defined(__x86_64__)
__attribute__((visibility("hidden"))) void cmk_host_capture_32_(void); /* for a processor with AVX */
__attribute__((visibility("hidden"))) void cmk_host_capture_64_(void); /* with AVX-512 */
#endif
__attribute__((visibility("hidden"))) void cmk_host_replay_(const cmk_host_arguments_ *arguments);
__attribute__((visibility("hidden"))) void cmk_host_switch_(cmk_host_fiber_ *from, cmk_host_fiber_ *to,
                                                            void (*resume)(void));

/* How a fiber goes on: by cmk_host_resume_thread_ if it waits below a kernel, by cmk_host_resume_ otherwise. */
__attribute__((visibility("hidden"))) void cmk_host_resume_(void);
__attribute__((visibility("hidden"))) void cmk_host_resume_thread_(void);

CMK_HOST_C_END_

#if defined(__x86_64__)
#include "x86_64.h"
#else
#include "aarch64.h"
#endif

#endif
