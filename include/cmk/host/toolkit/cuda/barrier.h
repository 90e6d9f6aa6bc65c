/* host/toolkit/cuda/barrier.h: cuda::barrier of the threads of a block, and cuda::memcpy_async of threads and groups,
 * which has copied when the call returns. C++, as CUDA's.
 *
 * A barrier counts its phases, and a token is the phase that it was taken in. Which phase a thread waits for is known,
 * so try_wait waits too. Barriers of the grid or of the host are not there. */
#include "../cuda_runtime.h"
#ifndef CMK_HOST_TOOLKIT_CUDA_BARRIER_H
#define CMK_HOST_TOOLKIT_CUDA_BARRIER_H

#if !defined(__cplusplus)
#error "cmk: <cuda/barrier> is C++"
#endif

#include <type_traits>

namespace cuda
{

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

/* ---- Where threads of a block wait for each other */
struct cmk_phases_ {
    unsigned made, expected, missing, phase; /* made: this number, which memory that nobody has written does not have */
};

#define CMK_HOST_BARRIER_MADE_ 0xba441e4u

CMK_HOST_HELPER_ void cmk_phases_make_(cmk_phases_ *phases, unsigned expected)
{
    const cmk_phases_ made = {CMK_HOST_BARRIER_MADE_, expected, expected, 0};
    *phases = made;
}

CMK_HOST_HELPER_ void cmk_phases_check_(const cmk_phases_ *phases, const char *file, int line)
{
    if (phases->made != CMK_HOST_BARRIER_MADE_)
        cmk_host_fail_(file, line,
                       "a barrier or pipeline of cuda:: that no thread of the block has made by init or "
                       "make_pipeline");
}

/* `count` threads arrive. Value: the phase in which they do. */
CMK_HOST_QUIET_ unsigned cmk_phases_arrive_(cmk_phases_ *phases, unsigned count, const char *file, int line)
{
    cmk_host_worker_ *worker = cmk_host_worker_now_;
    cmk_phases_check_(phases, file, line);
    if (count > phases->missing)
        cmk_host_fail_(file, line, "%u threads arrive at a barrier of cuda::, which expects only %u more", count,
                       phases->missing);
    const unsigned phase = phases->phase;
    CMK_HOST_ORDERED_();
    cmk_host_global_meets_(cmk_host_meets_fence_);
    phases->missing -= count;
    if (phases->missing > 0) return phase;
    phases->missing = phases->expected;
    phases->phase++;
    for (unsigned rank = 0; rank < worker->threads_; rank++) {
        if (worker->awaited_[rank] != phases) continue;
        worker->awaited_[rank] = NULL;
        cmk_host_make_ready_(worker, rank);
    }
    return phase;
}

/* Waits until `count` phases are over. */
CMK_HOST_QUIET_ void cmk_phases_wait_(const cmk_phases_ *phases, unsigned count, const char *file, int line)
{
    cmk_host_worker_ *worker = cmk_host_worker_now_;
    cmk_phases_check_(phases, file, line);
    while ((int)(phases->phase - count) < 0) {
        worker->running_->file_ = file;
        worker->running_->line_ = line;
        worker->awaited_[worker->running_->rank_] = phases;
        cmk_host_wait_(worker);
    }
    CMK_HOST_ORDERED_();
}

#define CMK_HOST_CALLER_ const char *file = __builtin_FILE(), int line = __builtin_LINE()

template <thread_scope SCOPE = thread_scope_system, class completion = void> class barrier
{
    CMK_STATIC_ASSERT(SCOPE == thread_scope_block, "cmk: a cuda::barrier is one of cuda::thread_scope_block on a CPU");
    cmk_phases_ phases_;

  public:
    typedef unsigned arrival_token;
    barrier() = default;
    CMK_HOST_UNSEEN_ barrier(ptrdiff_t expected)
    {
        cmk_phases_make_(&phases_, (unsigned)expected);
    }
    barrier(const barrier &) = delete;
    CMK_HOST_UNSEEN_ friend void init(barrier *which, ptrdiff_t expected)
    {
        cmk_phases_make_(&which->phases_, (unsigned)expected);
    }
    CMK_HOST_UNSEEN_ arrival_token arrive(ptrdiff_t count = 1, CMK_HOST_CALLER_)
    {
        return cmk_phases_arrive_(&phases_, (unsigned)count, file, line);
    }
    CMK_HOST_UNSEEN_ void wait(arrival_token phase, CMK_HOST_CALLER_) const
    {
        cmk_phases_wait_(&phases_, phase + 1, file, line);
    }
    CMK_HOST_UNSEEN_ void wait_parity(bool parity, CMK_HOST_CALLER_) const
    {
        if ((phases_.phase & 1) == parity) cmk_phases_wait_(&phases_, phases_.phase + 1, file, line);
    }
    CMK_HOST_UNSEEN_ bool try_wait(arrival_token phase, CMK_HOST_CALLER_) const
    {
        cmk_phases_wait_(&phases_, phase + 1, file, line);
        return true;
    }
    CMK_HOST_UNSEEN_ bool try_wait_parity(bool parity, CMK_HOST_CALLER_) const
    {
        wait_parity(parity, file, line);
        return true;
    }
    CMK_HOST_UNSEEN_ void arrive_and_wait(CMK_HOST_CALLER_)
    {
        cmk_phases_wait_(&phases_, cmk_phases_arrive_(&phases_, 1, file, line) + 1, file, line);
    }
    CMK_HOST_UNSEEN_ void arrive_and_drop(CMK_HOST_CALLER_)
    {
        cmk_phases_check_(&phases_, file, line);
        phases_.expected--;
        (void)cmk_phases_arrive_(&phases_, 1, file, line);
    }
    static constexpr ptrdiff_t max()
    {
        return (1 << 20) - 1;
    }
};

/* ---- Copies */
template <size_t ALIGNMENT> struct aligned_size_t {
    static constexpr size_t align = ALIGNMENT;
    size_t value;
    explicit constexpr aligned_size_t(size_t bytes) : value(bytes)
    {
    }
    constexpr operator size_t() const
    {
        return value;
    }
};

/* The share of one thread: words of 4 bytes where both sides have them. */
CMK_HOST_INLINE_ void cmk_copy_share_(void *to, const void *from, size_t bytes, size_t rank, size_t threads)
{
    if (((uintptr_t)to | (uintptr_t)from | bytes) % 4 == 0)
        for (size_t at = rank; at < bytes / 4; at += threads) ((unsigned *)to)[at] = ((const unsigned *)from)[at];
    else
        for (size_t at = rank; at < bytes; at += threads) ((char *)to)[at] = ((const char *)from)[at];
}

/* what a copy may be waited for by: a barrier, or a pipeline (pipeline) */
template <class any> struct cmk_is_awaited_ {
    static constexpr bool value = false;
};
template <thread_scope SCOPE, class completion> struct cmk_is_awaited_<barrier<SCOPE, completion>> {
    static constexpr bool value = true;
};

template <class shape, class awaited>
typename std::enable_if<cmk_is_awaited_<awaited>::value>::type memcpy_async(void *to, const void *from, shape bytes,
                                                                            awaited &)
{
    cmk_copy_share_(to, from, bytes, 0, 1);
}

template <class group, class shape, class awaited>
typename std::enable_if<cmk_is_awaited_<awaited>::value>::type memcpy_async(const group &all, void *to,
                                                                            const void *from, shape bytes, awaited &)
{
    cmk_copy_share_(to, from, bytes, all.thread_rank(), all.size());
}

} /* namespace cuda */

#endif
