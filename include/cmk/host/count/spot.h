/* host/count/spot.h: places in the source where kernels access memory, and the requests that warps make there. */
#include "../../base.h"
#ifndef CMK_HOST_COUNT_SPOT_H
#define CMK_HOST_COUNT_SPOT_H

#define CMK_HOST_BUCKETS_ 1024

/* the counters by kind: three of each of the first four, two of the others */
enum {
    cmk_host_shared_load_,
    cmk_host_shared_store_,
    cmk_host_global_load_,
    cmk_host_global_store_,
    cmk_host_constant_load_,
    cmk_host_shared_atomic_,
    cmk_host_global_atomic_,
#if CMK_HOST_TRACE_
    cmk_host_texture_load_, /* a fetch, and a shuffle, are requests that cost nothing else */
    cmk_host_shuffle_kind_
#endif
};

/* The turn of the loops that a thread is in. Plain accesses have all members, those by cmk the key alone. */
typedef struct cmk_host_turn_ {
    uint64_t key_; /* 0: unnamed */
    uint64_t outer_;
    uintptr_t head_;  /* of the innermost loop: the key of what is around it, its first block; 0: none */
    uint64_t number_; /* of its turn */
} cmk_host_turn_;

typedef struct cmk_host_request_ {
    cmk_host_turn_ turn_;
    unsigned ordinal_; /* in this turn */
    unsigned cost_;    /* wavefronts, sectors or replays, once the request is complete */
    unsigned made_;    /* how many the warp had made before since the last barrier */
    uint64_t order_;   /* a later request has a larger one */
    uint64_t start_;   /* of the tile, where it is one */
    cmk_host_count_lanes_ lanes_;
} cmk_host_request_;

typedef struct cmk_host_requests_ {
    cmk_host_request_ *all_; /* since the last barrier */
    unsigned count_;
    unsigned room_;
} cmk_host_requests_;

/* Forms that the machine code may give to accesses of the source (forms.h). */
enum {
    cmk_host_as_halves_, /* words of 16 bytes are two of 8 */
    cmk_host_as_pairs_,  /* neighbours are joined to words of up to 8 bytes */
    cmk_host_as_fours_,  /* the same, of up to 16 bytes */
    cmk_host_as_once_,   /* outside of its loops: each lane makes the access once in a block */
    cmk_host_as_turns_,  /* and the next two: a loop is unrolled in one of three ways */
    CMK_HOST_WAYS_ = 3,
    cmk_host_forms_ = cmk_host_as_turns_ + CMK_HOST_WAYS_
};

/* By how much the accesses of a place cost more or less in a form: requests, and wavefronts or sectors. */
typedef struct cmk_host_form_cost_ {
    long long requests_, cost_;
} cmk_host_form_cost_;

/* One place in the source where a kernel makes accesses of one kind and width. */
typedef struct cmk_host_spot_ {
    struct cmk_host_spot_ *next_;  /* of the same bucket */
    struct cmk_host_spot_ *later_; /* the one that was found next */
    const char *kernel_;
    const void *place_; /* the address of the code, of an access that the compiler reports; null of others */
    const char *file_;  /* with place_, this and line_ are found for the report (trace.h) */
    int line_;          /* with the number of the access on it above */
    int inner_;         /* whether place_ is in a function of the backend, which is called on that line */
    int kind_;
    unsigned bytes_;                           /* of one lane's word */
    unsigned long long requests_, lanes_made_; /* warps that came, and their lanes */
    unsigned long long wavefronts_, groups_, sectors_, used_, replays_;
    uintptr_t block_;                            /* the basic block of an access that the compiler reports */
    cmk_host_form_cost_ forms_[cmk_host_forms_]; /* of such an access */
#if CMK_HOST_TRACE_
    const char *symbol_;                    /* of the kernel that it is in, by addr2line; null: not known */
    uintptr_t loop_;                        /* the first block of the innermost loop around it; 0: none */
    unsigned long long number_;             /* the block of threads that accessed last */
    uint32_t been_[CMK_HOST_THREADS_ / 32]; /* by warp, its lanes that have accessed */
#endif
    unsigned worst_;           /* wavefronts of one request */
    cmk_host_request_ sample_; /* that request */
    const char *tile_;         /* null where there is none; the rest in bytes */
    size_t pitch_, element_;
    size_t columns_; /* of a row without its pad; the pitch where the declaration is not known */
    int declared_;   /* whether it is */
    struct {
        uint64_t turn_;           /* its key */
        unsigned ordinal_, next_; /* where its next request is expected */
    } lanes_[CMK_HOST_THREADS_];
    cmk_host_requests_ warps_[CMK_HOST_THREADS_ / 32];
} cmk_host_spot_;

/* One kernel of the report. */
typedef struct cmk_host_counted_ {
    struct cmk_host_counted_ *later_;
    const char *kernel_;
    unsigned long long launches_, operations_, blocks_; /* blocks_: the most of a launch */
    uint3 grid_, block_;
    size_t shared_bytes_;       /* the most of a block */
    cmk_host_traffic_ traffic_; /* over the launches */
} cmk_host_counted_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ pthread_mutex_t cmk_host_count_lock_ = PTHREAD_MUTEX_INITIALIZER; /* held by the launch that counts */
CMK_HOST_ONE_ cmk_host_spot_ *cmk_host_spots_[CMK_HOST_BUCKETS_];
CMK_HOST_ONE_ cmk_host_spot_ *cmk_host_spot_first_;
CMK_HOST_ONE_ cmk_host_spot_ *cmk_host_spot_last_;
CMK_HOST_ONE_ cmk_host_counted_ *cmk_host_counted_first_;
CMK_HOST_ONE_ cmk_host_counted_ *cmk_host_counted_now_;
CMK_HOST_ONE_ unsigned cmk_host_count_last_;  /* the warp that accessed last */
CMK_HOST_ONE_ uint64_t cmk_host_count_order_; /* of the next request */
CMK_HOST_ONE_ cmk_host_turn_ cmk_host_turn_now_[CMK_HOST_THREADS_];
CMK_HOST_ONE_ unsigned cmk_host_made_[CMK_HOST_THREADS_ / 32]; /* by warp: its requests since the last barrier */

CMK_HOST_C_END_

#endif
