/* kernel/sweep/plan.h: the part of the sweep on the host: how rows of all strips are divided among blocks. A strip is
 * s->strip columns of an image. The constants of a definition are s, cmk_sweep_sizes_ of sizes.h. A block has
 * s->shared_bytes of shared memory, and an SM s->blocks = 2 blocks. By s->f.zeros all that is outside is zero. Of the
 * plan, cmk_image_plan_ of call/image.h, `call` has the sizes, and `region` gets what the kernel needs. There
 * image.head is the elements from an aligned chunk to the region's first one. The function cmk_sweep_units_(strips,
 * zeros) of sizes.h returns the quarters of a row that a row of all strips counts as. processors: the SMs of the
 * device. f: the cmk_filter_ of rows/filter.h, whose `rows` and `products` count taps. The function cmk_image_over_(a,
 * b) is a / b, rounded up. To cmk_image_describe_ of call/image.h go the elements that a thread stores at once, and the
 * bytes that it loads at once. Before the plan is made, the launcher has refused images of more than 0x7fff0000 rows or
 * elements of a row; sums of an int and of a strip or radius fit. */
#ifndef CMK_KERNEL_SWEEP_PLAN_H
#define CMK_KERNEL_SWEEP_PLAN_H

#include "../call/image.h"
#include "sizes.h"

#if CMK_HAS_HOST_

/* Whether blocks of `rows` rows each are sooner done than FMAs, by a sixth or so. Each block computes the rows above
 * and below its own too. outputs: the pixels of the regions of all images. Both times are in clocks. Of tune.h: a step
 * of 16 rows takes cmk_sweep_step_clocks_, and a share cmk_sweep_begin_steps_ beside its rows; by FMAs an SM does
 * cmk_sweep_other_fmas_ a clock, and they must take more than cmk_sweep_margin_ = 120 hundredths of the time. */
static inline int cmk_sweep_pays_(const cmk_filter_ *f, double rows, double outputs, int processors)
{
    const double steps = (rows + f->rows) / 16 + (int)cmk_sweep_begin_steps_;
    const double other = outputs * f->products / ((double)processors * (int)cmk_sweep_other_fmas_);
    return 0.01 * (int)cmk_sweep_margin_ * steps * (int)cmk_sweep_step_clocks_ < other;
}

/* Returns the blocks of a plan, or 0 where FMAs are sooner done. Sets the region of the plan, whose `rows` counts all
 * strips of all images in quarters of a row, and its shared memory. cmk_ways_blocks_ (ways.h) calls it. Threads store 2
 * elements at once and load 4, of 1, 2 or 4 bytes, which the arguments of cmk_image_describe_ say. There are no more
 * blocks than there are shares of 64 quarters, which are the 16 rows of a step inside. With CMK_TENSOR 1 the sweep is
 * taken also where it does not pay. */
static inline cmk_i64 cmk_sweep_blocks_of_(cmk_image_plan_ *plan, const cmk_sweep_sizes_ *s, int processors)
{
    cmk_image_region_ *const region = &plan->region;
    const cmk_i64 most = (cmk_i64)processors * s->blocks, count = (cmk_i64)plan->call.count;
    region->image = cmk_image_describe_(&plan->call, &s->f, 2, 4 * s->f.in_size);
    region->strips = (int)cmk_image_over_((cmk_i64)region->image.width + region->image.head, s->strip);
    region->rows = (cmk_i64)cmk_sweep_units_(region->strips, s->f.zeros) * region->image.rows * count;
    const double rows = 0.25 * (double)region->rows / (double)most;
    const double outputs = (double)count * region->image.rows * region->image.width;
    if (!CMK_TENSOR && !cmk_sweep_pays_(&s->f, rows, outputs, processors)) return 0;
    const cmk_i64 blocks = cmk_image_over_(region->rows, 64);
    plan->bytes = (size_t)s->shared_bytes;
    return blocks < most ? blocks : most;
}

#endif

#endif
