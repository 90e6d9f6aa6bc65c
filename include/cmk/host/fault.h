/* host/fault.h: prints where a kernel was that ends by a memory fault, as a GPU would have stopped it with an error.
 *
 *   cmk: kernel NAME, block (x,y,z), thread (x,y,z): the stack of this thread is exceeded: ...
 *   cmk: kernel NAME, block (x,y,z), thread (x,y,z): a plain access at 0x..., where there is no memory
 *
 * Behind a report of AddressSanitizer it prints in which kernel, block and thread the access was.
 *
 * Then the fault has its usual effect: a core, a debugger, SIGSEGV. A program, a sanitizer or a debugger that has a
 * handler of its own keeps it. */
#include "../base.h"
#ifndef CMK_HOST_FAULT_H
#define CMK_HOST_FAULT_H

/* Strict C11 mode hides these types of the C library. Both layouts are those of Linux on x86-64 and aarch64. */
typedef struct cmk_host_action_ {
    void (*handler_)(int signal, void *info, void *context);
    unsigned long mask_[16];
    int flags_;
    void (*restorer_)(void);
} cmk_host_action_;

typedef struct cmk_host_signal_stack_ {
    void *start_;
    int flags_;
    size_t bytes_;
} cmk_host_signal_stack_;

enum { cmk_host_with_info_ = 4, cmk_host_on_stack_ = 0x08000000, cmk_host_no_stack_ = 2 };
#define CMK_HOST_SIGNAL_BYTES_ ((size_t)64 << 10)

CMK_HOST_C_BEGIN_

int cmk_host_sigaction_(int signal, const cmk_host_action_ *new_action,
                        cmk_host_action_ *old_action) __asm__("sigaction");
int cmk_host_sigaltstack_(const cmk_host_signal_stack_ *new_stack,
                          cmk_host_signal_stack_ *old_stack) __asm__("sigaltstack");

CMK_HOST_ONE_ pthread_once_t cmk_host_fault_once_ = PTHREAD_ONCE_INIT;

/* Prints by write, because the fault may have come within stdio. */
static inline void cmk_host_fault_print_(const cmk_host_worker_ *worker, const char *address)
{
    char text[1024];
    const char *low = worker->running_->low_;
    int length =
        snprintf(text, sizeof text, "cmk: kernel %.200s, block (%u,%u,%u), thread (%u,%u,%u): ", cmk_host_kernel_name_,
                 blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
    if (address < low && address >= low - CMK_HOST_GUARD_)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "the stack of this thread is exceeded: it has %zu KB for locals and calls\n",
                           CMK_HOST_STACK_ >> 10);
    else
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "a plain access at %p, where there is no memory\n", (const void *)address);
    if (write(STDERR_FILENO, text, (size_t)length) < 0) return; /* nobody reads stderr */
}

CMK_HOST_QUIET_ void cmk_host_fault_(int signal, void *info, void *context)
{
    int code;
    const char *address;
    memcpy(&code, (const char *)info + 8, sizeof code);
    memcpy(&address, (const char *)info + 16, sizeof address);
    (void)context;
    cmk_host_action_ usual;
    memset(&usual, 0, sizeof usual);
    if (code > 0 && cmk_host_kernel_name_) {
        while (__atomic_exchange_n(&cmk_host_failed_, 1, __ATOMIC_ACQ_REL))
            pause(); /* with several cores only the first failure is printed */
        cmk_host_fault_print_(cmk_host_worker_now_, address);
    }
    (void)cmk_host_sigaction_(signal, &usual, NULL); /* the access is repeated */
    if (code <= 0) (void)raise(signal);              /* the signal does not come from an access */
}

#if CMK_HOST_ASAN_
/* AddressSanitizer has reported an access. This prints which CUDA thread made it. */
CMK_HOST_CALLED_ void cmk_host_asan_tell_(const char *report)
{
    (void)report;
    if (cmk_host_kernel_name_)
        fprintf(stderr, "in kernel %s, block (%u,%u,%u), thread (%u,%u,%u)\n", cmk_host_kernel_name_, blockIdx.x,
                blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
}
#endif

CMK_HOST_CALLED_ void cmk_host_fault_install_(void)
{
    cmk_host_action_ action;
#if CMK_HOST_ASAN_
    __asan_set_error_report_callback(cmk_host_asan_tell_);
#endif
    if (cmk_host_sigaction_(SIGSEGV, NULL, &action) != 0 || action.handler_) return;
    action.handler_ = cmk_host_fault_;
    action.flags_ = cmk_host_with_info_ | cmk_host_on_stack_;
    (void)cmk_host_sigaction_(SIGSEGV, &action, NULL);
}

/* Installs the handler for this OS thread. It needs a stack of its own, and uses one that is there already. */
CMK_HOST_HELPER_ void cmk_host_fault_begin_(cmk_host_worker_ *worker)
{
    cmk_host_signal_stack_ stack;
    (void)pthread_once(&cmk_host_fault_once_, cmk_host_fault_install_);
    if (cmk_host_sigaltstack_(NULL, &stack) != 0 || !(stack.flags_ & cmk_host_no_stack_)) return;
    stack.start_ = worker->signal_stack_ = (char *)malloc(CMK_HOST_SIGNAL_BYTES_);
    stack.bytes_ = CMK_HOST_SIGNAL_BYTES_;
    stack.flags_ = 0;
    if (stack.start_) (void)cmk_host_sigaltstack_(&stack, NULL);
}

CMK_HOST_HELPER_ void cmk_host_fault_end_(cmk_host_worker_ *worker)
{
    cmk_host_signal_stack_ stack;
    if (cmk_host_sigaltstack_(NULL, &stack) == 0 && worker->signal_stack_ && stack.start_ == worker->signal_stack_) {
        stack.flags_ = cmk_host_no_stack_;
        (void)cmk_host_sigaltstack_(&stack, NULL);
    }
    free(worker->signal_stack_);
}

CMK_HOST_C_END_

#endif
