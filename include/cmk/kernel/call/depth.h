/* kernel/call/depth.h: into how many chunks the planes of a grid or a volume are cut, where each block goes along the
 * planes of one. */
#ifndef CMK_KERNEL_CALL_DEPTH_H
#define CMK_KERNEL_CALL_DEPTH_H

#include "../../base.h"

#if CMK_HAS_HOST_

/* Card: NVIDIA H200, CUDA 13.0; rows "conv3d" and "separable3d" of
 * bench/results/history/2026-11-21-h200-convolution.md. */
enum {
    cmk_depth_waves_ = 16,    /* of all blocks that run at once: more of them cost more planes than they balance */
    cmk_depth_start_ = 2,     /* planes' time until the first plane of a block has arrived */
    cmk_depth_together_ = 256 /* planes that blocks of a single wave go before they drift apart */
};

/* The time of a launch whose chunks are so deep, in planes of a block. Blocks beside one another drift apart, the
 * farther the deeper they are, and read less of what the other has in L2: a chunk of `drift` planes takes twice as
 * long; 0: none does. Those of a single wave begin together, and drift from some planes on. */
static inline cmk_i64 cmk_depth_time_(cmk_i64 planes, cmk_i64 tiles, int filter_planes, int resident, int drift,
                                      cmk_i64 deep)
{
    const cmk_i64 blocks = tiles * ((planes - 1) / deep + 1);
    const cmk_i64 cost = ((blocks - 1) / resident + 1) * (deep + filter_planes - 1 + cmk_depth_start_);
    const cmk_i64 apart = blocks > resident ? deep : deep - cmk_depth_together_;
    return drift > 0 && apart > 0 ? cost + cost * apart / drift : cost;
}

/* The planes of a chunk, where the device runs so many blocks at once: each chunk costs planes - 1 more at its ends,
 * and the time until its first plane has arrived. Of the numbers of chunks that fill the device up to some times, that
 * for which all is done first. */
static inline cmk_i64 cmk_depth_(cmk_i64 planes, cmk_i64 tiles, int filter_planes, int resident, int drift)
{
    cmk_i64 least = 0, best = planes;
    for (int waves = 1; waves <= cmk_depth_waves_; ++waves) {
        const cmk_i64 fit = (cmk_i64)waves * resident / tiles, chunks = fit < 1 ? 1 : fit < planes ? fit : planes;
        const cmk_i64 deep = (planes - 1) / chunks + 1;
        const cmk_i64 cost = cmk_depth_time_(planes, tiles, filter_planes, resident, drift, deep);
        if (waves == 1 || cost < least) {
            least = cost;
            best = deep;
        }
    }
    return best;
}

#endif

#endif
