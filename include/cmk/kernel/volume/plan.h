/* kernel/volume/plan.h: the sizes of a definition of conv3d.h, and how its launcher divides a volume.
 *
 *   cmk_volume_definition_, cmk_volume_filter_   what a definition says, and the sizes that follow: constants, once
 *                                                cmk_volume_filter_of_ is inlined
 *   cmk_volume_plan_call_                        on the host: checks a call and divides it
 *
 * A block computes `width` columns of `height` rows, and goes through `deep` planes. A thread computes `lanes` columns
 * of `each` rows. The blocks of a grid, in x alone, go through `across` tiles of a row, `down` rows of tiles, and
 * chunks of planes. Outputs are counted from the first one of the region, samples from the first one of the volume.
 * What a lane loads at once is 16 bytes. The members of cmk_volume_ are in rows/volume.h. Definitions have 1 to 7
 * planes, rows and columns of float or double; a separable one has radius 1 to 8 (conv3d.h asserts it). All bounds and
 * sizes here were counted over these, by tests/kernels/sizes.cu. CMK_ZEROS_ is a struct of zeros, and CMK_FOLDED_ a
 * function whose result is a constant where its arguments are. CMK_HAS_HOST_ is 0 where NVRTC compiles, which has no
 * host, else 1. Of tune.h: cmk_volume_warps_ = 8, the warps of a block; cmk_volume_each_, the rows of outputs of a
 * thread, 1 to 4; cmk_volume_stages_, the tiles of a ring, 3 or 4; cmk_volume_blocks_, the blocks of an SM, 1 or 2. */
#ifndef CMK_KERNEL_VOLUME_PLAN_H
#define CMK_KERNEL_VOLUME_PLAN_H

#include "../call/depth.h"
#include "../call/volume.h"
#include "tune.h"

/* What a definition says: its filter has planes x rows x columns taps, or, if it is separable, the sum of them. */
typedef struct {
    int size; /* bytes of an element */
    int planes, rows, columns, separable;
    int in_order; /* whether a product and a sum are rounded once, by every compiler */
    int edge;     /* an edge of edge.h */
} cmk_volume_definition_;

/* The sizes of a definition, in elements unless bytes are named. All are constants at compile time. */
typedef struct {
    int size, planes, rows, columns, separable, in_order, edge;
    int each, stages, blocks, threads;  /* the numbers of tune.h */
    int before, above;                  /* planes and rows of the filter before its middle */
    int lanes, width, height;           /* elements of 16 bytes; columns and rows of a block */
    int tile_rows, tile_columns, start; /* the tile of a plane in the ring; its column `start` is the block's first */
    int reach, window;                  /* elements of the whole chunks beside a thread's own that the filter reads;
                                         * these and its own */
    int lag;                            /* planes between the last one that an output needs and its sum */
    int operations;                     /* operations of an output */
    int plane_bytes, row_bytes;         /* bytes of a tile, and of a row of it */
    int planes_at, ring, along, staged; /* bytes of shared memory before each */
    size_t bytes;                       /* bytes of shared memory */
} cmk_volume_filter_;

/* Bounds of a thread's arrays, over all definitions: the sums of a separable filter of radius 8, the windows of 7 rows,
 * and the rows that are summed down at once. All hold for float, whose vectors have 4 elements. Sums are planes x rows
 * of a thread x elements of a vector, 17 x 2 x 4. Windows have 4 + 2 x 4 elements, of 7 - 1 + 4 rows. A separable
 * filter has one window, of 20 elements at most. Rows down are 2 x 4, of separable filters only. */
enum { cmk_volume_sums_most_ = 17 * 2 * 4, cmk_volume_windows_most_ = 10 * 12, cmk_volume_columns_most_ = 2 * 4 };

/* Returns bytes, rounded up to a multiple of 128. */
CMK_FOLDED_ int cmk_volume_up_(int bytes)
{
    return (bytes + 127) / 128 * 128;
}

/* Returns the sizes of a definition. Shared memory holds two small tables, of columns and of planes, and the ring. Of a
 * separable filter it also holds the sums along the rows of two planes, of another one a row of outputs of each warp. A
 * row of a tile has the 16-byte chunks of 32 lanes. On both sides it has sectors of 32 bytes that hold the halo. The
 * table of columns has an int for each column of a tile; that of planes has 2 f.before, and room for two more. Shared
 * memory is 94,720 bytes at most, with double and a separable filter of radius 8; above 48 KB a launch raises the limit
 * of its kernel (tile.h). Rings begin at a multiple of 128 bytes, and rows of tiles are multiples of 64, so that chunks
 * of 16 bytes are aligned. */
CMK_FOLDED_ cmk_volume_filter_ cmk_volume_filter_of_(cmk_volume_definition_ d)
{
    cmk_volume_filter_ f = CMK_ZEROS_(cmk_volume_filter_);
    f.size = d.size;
    f.planes = d.planes;
    f.rows = d.rows;
    f.columns = d.columns;
    f.separable = d.separable;
    f.in_order = d.in_order;
    f.edge = d.edge;
    f.each = cmk_volume_each_(d.planes, d.planes * d.rows * d.columns, d.separable);
    f.stages = cmk_volume_stages_(d.planes, f.each, d.separable);
    f.blocks = cmk_volume_blocks_(d.planes, f.each, d.separable);
    f.threads = 32 * cmk_volume_warps_;
    f.before = d.planes / 2;
    f.above = d.rows / 2;
    f.lanes = 16 / d.size;
    f.width = 32 * f.lanes;
    f.height = cmk_volume_warps_ * f.each;
    f.tile_rows = f.height + d.rows - 1;
    f.tile_columns = (32 + 4 * ((d.columns / 2 * d.size + 31) / 32)) * f.lanes;
    f.start = (f.tile_columns - f.width) / 2;
    f.reach = (d.columns / 2 + f.lanes - 1) / f.lanes * f.lanes;
    f.window = f.lanes + 2 * f.reach;
    f.lag = d.separable ? 1 : 0;
    f.operations = 2 * (d.separable ? d.planes + d.rows + d.columns : d.planes * d.rows * d.columns);
    f.row_bytes = f.tile_columns * d.size;
    f.plane_bytes = f.tile_rows * f.row_bytes;
    f.planes_at = cmk_volume_up_(f.tile_columns * (int)sizeof(int));
    f.ring = f.planes_at + cmk_volume_up_(2 * (f.before + 1) * (int)sizeof(int));
    f.along = f.ring + cmk_volume_up_(f.stages * f.plane_bytes);
    f.staged = f.along + (d.separable ? 2 * f.tile_rows * f.width * f.size : 0);
    f.bytes = (size_t)(f.staged + (d.separable ? 0 : cmk_volume_warps_ * f.width * f.size));
    return f;
}

#if CMK_HAS_HOST_

/* Returns the plan of a call by FMAs, on the host: why it is refused, or its one launch. A launcher calls it with the
 * constants of its definition; call: a cmk_volume_call_ of call/volume.h; device: NULL for the current one. A block has
 * 32 lanes by cmk_volume_warps_ warps. The last argument of cmk_depth_ says that blocks do not drift apart. An empty
 * region has no launch and no error. cmk_volume_why_ refuses more than 2^31 - 1 planes, rows or columns, a region
 * outside, and wrong pitches or pointers. It returns a sentence, or NULL. cmk_volume_describe_ makes the volume of the
 * call, all but its division. cmk_depth_ (call/depth.h) returns the planes of a chunk, so that f.blocks * processors
 * blocks at once are done soonest. Tiles, planes and chunks are rounded up. That the blocks fit into x of a grid is not
 * checked: volumes with more tiles than 2^31 - 1 have more than 7 TB. cmk_plan_processors_ sets the SMs of the
 * device. */
static inline cmk_volume_plan_ cmk_volume_plan_call_(const cmk_volume_call_ *call, cmk_volume_filter_ f,
                                                     const cmk_plan_device *device)
{
    int processors = 0;
    cmk_volume_plan_ plan = CMK_ZEROS_(cmk_volume_plan_);
    cmk_volume_ *const volume = &plan.volume;
    if (call->region_planes == 0 || call->region_rows == 0 || call->region_columns == 0) return plan;
    plan.why = cmk_volume_why_(call, (size_t)f.size);
    plan.error = plan.why == NULL ? cmk_plan_processors_(device, &processors) : cudaErrorInvalidValue;
    if (plan.error != cudaSuccess) return plan;
    *volume = cmk_volume_describe_(call, (size_t)f.size);
    volume->across = (unsigned)((volume->columns - 1) / f.width + 1);
    volume->down = (unsigned)((volume->rows - 1) / f.height + 1);
    const cmk_i64 tiles = (cmk_i64)volume->across * volume->down;
    volume->deep = cmk_depth_(volume->planes, tiles, f.planes, f.blocks * processors, 0);
    volume->blocks = (unsigned)(tiles * ((volume->planes - 1) / volume->deep + 1));
    plan.in = call->in;
    plan.out = call->out;
    plan.grid = dim3(volume->blocks);
    plan.block = dim3(32, cmk_volume_warps_);
    plan.bytes = f.bytes;
    plan.launches = 1;
    return plan;
}

#endif

#endif
