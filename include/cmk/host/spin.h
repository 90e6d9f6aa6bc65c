/* host/spin.h: CUDA threads that read one word again and again, until another thread writes it. Only in programs that
 * ./cmk run builds: the compiler reports the reads (watch.h).
 *
 * The word may be the host's to write, after the launch. So a launch goes on beside the host from then on (queue.h).
 * Where no thread is left that could write the word, the thread that waits ends the program with a sentence. */
#include "../base.h"
#ifndef CMK_HOST_SPIN_H
#define CMK_HOST_SPIN_H

CMK_HOST_C_BEGIN_

/* OS threads of this process; 0 where that is not known. */
static inline unsigned cmk_host_os_threads_(void)
{
    char line[128];
    unsigned threads = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && threads == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "Threads:", 8) == 0) threads = (unsigned)strtoul(line + 8, NULL, 10);
    if (file) fclose(file);
    return threads;
}

#if CMK_HOST_WATCH_

#if CMK_HOST_TRACE_ /* whose accesses take longer, as they are counted */
#define CMK_HOST_SPIN_READS_ (1u << 8)
#else
#define CMK_HOST_SPIN_READS_ (1u << 20) /* how often a word is read in a row until it is looked at */
#endif
#define CMK_HOST_SPIN_LOOKS_ 256u /* how often it is looked at, and nobody could write it, until it fails */

/* What a CUDA thread reads in a row. */
typedef struct cmk_host_spin_ {
    uintptr_t address_;
    unsigned long long reads_;
    uint64_t value_;
    int counts_; /* it is one of cmk_host_spinning_ */
    unsigned looks_;
    unsigned long long done_;
} cmk_host_spin_;

CMK_HOST_ONE_ __thread cmk_host_spin_ cmk_host_spin_now_;
CMK_HOST_ONE_ __thread int cmk_host_is_aside_; /* this OS thread runs launches beside the host */
CMK_HOST_ONE_ int cmk_host_spins_;             /* set by a thread that spins, for the host thread that has launched */
CMK_HOST_ONE_ unsigned cmk_host_asides_;       /* OS threads beside the host */
CMK_HOST_ONE_ unsigned cmk_host_busy_;         /* of these, those that run a launch */
CMK_HOST_ONE_ unsigned cmk_host_spinning_;     /* of these, those that spin */
CMK_HOST_ONE_ unsigned cmk_host_holding_;      /* host threads that wait for what runs */

CMK_HOST_QUIET_ void cmk_host_spin_end_(void)
{
    cmk_host_spin_ *spin = &cmk_host_spin_now_;
    if (spin->counts_) __atomic_fetch_sub(&cmk_host_spinning_, 1, __ATOMIC_SEQ_CST);
    memset(spin, 0, sizeof *spin);
}

/* Whether no other thread can write now: each host thread waits for what runs, and all that runs spins. Where a grid
 * has several OS threads that is not known. */
CMK_HOST_QUIET_ int cmk_host_spins_alone_(void)
{
    const cmk_host_worker_ *worker = cmk_host_worker_now_;
    const unsigned own = cmk_host_is_aside_ ? __atomic_load_n(&cmk_host_holding_, __ATOMIC_SEQ_CST) : 1;
    if (cmk_host_options_now_.cores_ > 1 || worker->launch_->cooperative_) return 0;
    return __atomic_load_n(&cmk_host_busy_, __ATOMIC_SEQ_CST) ==
               __atomic_load_n(&cmk_host_spinning_, __ATOMIC_SEQ_CST) &&
           cmk_host_os_threads_() == own + cmk_host_helpers_ + cmk_host_asides_;
}

/* Looks at a word that has been read many times. Value: whether the thread waits for ever. */
CMK_HOST_QUIET_ int cmk_host_spin_on_(const volatile void *word, size_t bytes)
{
    cmk_host_spin_ *spin = &cmk_host_spin_now_;
    uint64_t value = 0;
    memcpy(&value, (const void *)(uintptr_t)word, bytes < 8 ? bytes : 8);
    if (value != spin->value_ || spin->reads_ == CMK_HOST_SPIN_READS_) spin->looks_ = 0;
    spin->value_ = value;
    if (cmk_host_is_aside_ && !spin->counts_) {
        spin->counts_ = 1;
        __atomic_fetch_add(&cmk_host_spinning_, 1, __ATOMIC_SEQ_CST);
    }
    __atomic_store_n(&cmk_host_spins_, 1, __ATOMIC_SEQ_CST);
    (void)sched_yield();
    spin->looks_ = cmk_host_spins_alone_() ? spin->looks_ + 1 : 0;
    return spin->looks_ > CMK_HOST_SPIN_LOOKS_;
}

/* An access to a word. Value: whether the thread waits for ever. */
CMK_HOST_INLINE_ int cmk_host_spin_look_(const volatile void *word, size_t bytes, int writes)
{
    cmk_host_spin_ *spin = &cmk_host_spin_now_;
    if (CMK_HOST_LIKELY_(spin->address_ != (uintptr_t)word || writes)) {
        if (spin->reads_ >= CMK_HOST_SPIN_READS_) cmk_host_spin_end_();
        spin->address_ = writes ? 0 : (uintptr_t)word;
        spin->reads_ = 0;
        return 0;
    }
    return ++spin->reads_ % CMK_HOST_SPIN_READS_ == 0 && cmk_host_spin_on_(word, bytes);
}

__attribute__((noreturn, cold)) CMK_HOST_QUIET_ void cmk_host_fail_spin_(const volatile void *word, size_t bytes,
                                                                         const char *file, int line)
{
    cmk_host_fail_(
        file, line,
        "deadlock: this thread reads %zu bytes at 0x%zx again and again, and nobody is left to write them: %s", bytes,
        (size_t)(uintptr_t)word,
        cmk_host_is_aside_ ? "the host waits for the kernel"
                           : "the threads of a grid run one after the other here, and the host behind them");
}

#endif

CMK_HOST_C_END_

#endif
