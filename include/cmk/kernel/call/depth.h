/* kernel/call/depth.h: on the host: the chunks that the planes of a grid or a volume are cut into. Each block goes
 * along the planes of one chunk. In all functions here:
 *
 *   planes          the planes of the region, along which blocks go; the engine of planes/ gives its rows
 *   tiles           the blocks side by side that one chunk takes
 *   filter_planes   the planes of input that an output needs
 *   resident        the blocks that the device runs at once
 *   drift, deep     the depth at which a chunk takes twice as long, 0 for none (card.h); the planes of a chunk */
#ifndef CMK_KERNEL_CALL_DEPTH_H
#define CMK_KERNEL_CALL_DEPTH_H

#include "../../base.h"

#if CMK_HAS_HOST_

/* The card is an NVIDIA H200, with CUDA 13.0. The records are the rows "conv3d" and "separable3d" of
 * bench/results/history/2026-11-21-h200-convolution.md. */
enum {
    cmk_depth_waves_ = 16, /* the most waves of all blocks that run at once: more cost more planes than they balance */
    cmk_depth_start_ = 2,  /* the time until a block's first plane has arrived, in planes */
    cmk_depth_together_ = 256 /* planes that blocks of a single wave go before they drift apart */
};

/* Returns the time of a launch whose chunks have `deep` planes. Its unit is the time of a block for one plane. The
 * deeper blocks are that go side by side, the farther they drift apart. Then a block finds less in L2 of what the other
 * has read. A chunk of `drift` planes takes twice as long; with a `drift` of 0 none does. Blocks of a single wave begin
 * together, and drift apart only from cmk_depth_together_ planes on. */
static inline cmk_i64 cmk_depth_time_(cmk_i64 planes, cmk_i64 tiles, int filter_planes, int resident, int drift,
                                      cmk_i64 deep)
{
    const cmk_i64 blocks = tiles * ((planes - 1) / deep + 1);
    const cmk_i64 cost = ((blocks - 1) / resident + 1) * (deep + filter_planes - 1 + cmk_depth_start_);
    const cmk_i64 apart = blocks > resident ? deep : deep - cmk_depth_together_;
    return drift > 0 && apart > 0 ? cost + cost * apart / drift : cost;
}

/* Returns the planes of a chunk, where the device runs `resident` blocks at once. Each chunk costs filter_planes - 1
 * planes more at its ends, and the time until its first plane has arrived. Of the numbers of chunks that fill the
 * device up to cmk_depth_waves_ times, it takes the one with which all is done first. */
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
