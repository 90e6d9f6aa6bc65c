/* host/toolkit/cuda/pipeline.h: cuda::pipeline of a thread, or of a block with stages. C++, as CUDA's.
 *
 * A copy has arrived when its call returns (barrier). So a pipeline of a thread has nothing to wait for. In one of a
 * block a stage has two barriers: its consumers wait until all producers have committed it, and its producers until all
 * consumers have released it. */
#include "barrier.h"
#ifndef CMK_HOST_TOOLKIT_CUDA_PIPELINE_H
#define CMK_HOST_TOOLKIT_CUDA_PIPELINE_H

namespace cuda
{

enum class pipeline_role { producer, consumer };

template <thread_scope SCOPE, unsigned char STAGES> struct pipeline_shared_state {
    CMK_STATIC_ASSERT(SCOPE == thread_scope_block, "cmk: the state of a cuda::pipeline is that of a block on a CPU");
    cmk_phases_ committed[STAGES], released[STAGES];
};

template <thread_scope SCOPE> class pipeline
{
    CMK_STATIC_ASSERT(SCOPE == thread_scope_thread || SCOPE == thread_scope_block,
                      "cmk: a cuda::pipeline is one of a thread or of a block on a CPU");
    cmk_phases_ *committed_, *released_; /* null in a pipeline of a thread */
    unsigned stages_, head_, tail_;      /* how many stages the thread has acquired, and consumed */

  public:
    explicit pipeline(cmk_phases_ *committed = 0, cmk_phases_ *released = 0, unsigned stages = 1)
        : committed_(committed), released_(released), stages_(stages), head_(0), tail_(0)
    {
    }
    pipeline(const pipeline &) = delete;
    pipeline(pipeline &&) = default;
    pipeline &operator=(const pipeline &) = delete;
    void producer_acquire(CMK_HOST_CALLER_)
    {
        if (released_) cmk_phases_wait_(released_ + head_ % stages_, head_ / stages_, file, line);
    }
    void producer_commit(CMK_HOST_CALLER_)
    {
        if (committed_) (void)cmk_phases_arrive_(committed_ + head_ % stages_, 1, file, line);
        head_++;
    }
    void consumer_wait(CMK_HOST_CALLER_)
    {
        if (committed_) cmk_phases_wait_(committed_ + tail_ % stages_, tail_ / stages_ + 1, file, line);
    }
    template <class duration> bool consumer_wait_for(const duration &, CMK_HOST_CALLER_)
    {
        consumer_wait(file, line);
        return true;
    }
    void consumer_release(CMK_HOST_CALLER_)
    {
        if (released_) (void)cmk_phases_arrive_(released_ + tail_ % stages_, 1, file, line);
        tail_++;
    }
    bool quit()
    {
        return true;
    }
};

template <thread_scope SCOPE> struct cmk_is_awaited_<pipeline<SCOPE>> {
    static constexpr bool value = true;
};

static inline pipeline<thread_scope_thread> make_pipeline()
{
    return pipeline<thread_scope_thread>();
}

/* All threads of the group call it. Its first thread makes the barriers of the stages. */
template <class group, thread_scope SCOPE, unsigned char STAGES>
CMK_HOST_UNSEEN_ pipeline<SCOPE> cmk_make_pipeline_(const group &all, pipeline_shared_state<SCOPE, STAGES> *state,
                                                    size_t producers, size_t consumers, const char *file, int line)
{
    if (all.thread_rank() == 0)
        for (unsigned stage = 0; stage < STAGES; stage++) {
            cmk_phases_make_(state->committed + stage, (unsigned)producers);
            cmk_phases_make_(state->released + stage, (unsigned)consumers);
        }
    all.sync(file, line);
    return pipeline<SCOPE>(state->committed, state->released, STAGES);
}

template <class group, thread_scope SCOPE, unsigned char STAGES>
pipeline<SCOPE> make_pipeline(const group &all, pipeline_shared_state<SCOPE, STAGES> *state, CMK_HOST_CALLER_)
{
    return cmk_make_pipeline_(all, state, all.size(), all.size(), file, line);
}

/* The first `producers` threads produce, the others consume. */
template <class group, thread_scope SCOPE, unsigned char STAGES>
pipeline<SCOPE> make_pipeline(const group &all, pipeline_shared_state<SCOPE, STAGES> *state, size_t producers,
                              CMK_HOST_CALLER_)
{
    return cmk_make_pipeline_(all, state, producers, all.size() - producers, file, line);
}

/* Each thread of the block says whether it produces or consumes. */
template <class group, thread_scope SCOPE, unsigned char STAGES>
pipeline<SCOPE> make_pipeline(const group &all, pipeline_shared_state<SCOPE, STAGES> *state, pipeline_role role,
                              CMK_HOST_CALLER_)
{
    const int produces = role == pipeline_role::producer;
    const size_t producers = (size_t)cmk_host_syncthreads_count_(produces, (const char *)(uintptr_t)line, file, line);
    return cmk_make_pipeline_(all, state, producers, all.size() - producers, file, line);
}

/* Waits for all stages of a pipeline of a thread but the last PRIOR ones: all have come. */
template <unsigned char PRIOR> void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &)
{
}

template <class group, class role> void pipeline_producer_commit(pipeline<thread_scope_thread> &which, role &)
{
    which.producer_commit();
}

} /* namespace cuda */

#endif
