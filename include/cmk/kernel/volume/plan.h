/* volume/plan.h: the sizes of a definition of conv3d.h, and what its launcher checks and divides.
 *
 *   cmk_volume_definition_, cmk_volume_filter_   what a definition says, and the sizes that follow: constants, once
 *                                                cmk_volume_filter_of_ is inlined
 *   cmk_volume_                                  the volume of a launch, the region of it that is computed, and the
 *                                                division of that: a kernel's parameter
 *   cmk_volume_plan_region_                      host: checks a call and divides it
 *
 * A block computes width columns of height rows and goes through deep planes; a thread computes lanes columns of each
 * rows. The blocks of a grid, in x alone, go through across tiles of a row, down rows of tiles, and chunks of planes.
 * Outputs are counted from the region's first, samples from the volume's. */
#ifndef CMK_KERNEL_VOLUME_PLAN_H
#define CMK_KERNEL_VOLUME_PLAN_H

#include "../../base.h"
#include "../launcher.h"
#include "../range.h"
#include "tune.h"

typedef struct {
    int size; /* bytes of an element */
    int planes, rows, columns, separable;
    int edge; /* of edge.h */
} cmk_volume_definition_;

/* in elements, but for what is said to be bytes */
typedef struct {
    int size, planes, rows, columns, separable, edge;
    int each, stages, blocks, threads;  /* of tune.h */
    int before, above;                  /* planes and rows of the filter ahead of its middle */
    int lanes, width, height;           /* of 16 bytes; of a block */
    int tile_rows, tile_columns, start; /* of a plane in the ring; its column start is the block's first */
    int reach, window;                  /* whole chunks beside a thread's that the filter reads; with its own */
    int lag;                            /* planes from the last that an output needs to its sum */
    int operations;                     /* of an output */
    int plane_bytes, row_bytes;         /* of a tile */
    int planes_at, ring, along;         /* bytes of shared memory before each */
    size_t bytes;                       /* of it in all */
} cmk_volume_filter_;

typedef struct {
    cmk_i64 in_pitch, in_step, out_pitch, out_step, planes, rows, columns; /* in elements; of the region */
    cmk_i64 plane, row, column, in_planes, in_rows, in_columns;            /* where it begins in the volume, of these */
    cmk_i64 deep;
    unsigned across, down, blocks;
    int aligned; /* all rows of both begin, in the region, at multiples of 16 bytes */
} cmk_volume_;

/* bounds of a thread's arrays, over all definitions: sums of a separable filter of radius 8; windows of 7 rows; rows
 * summed down at once */
enum { cmk_volume_sums_most_ = 17 * 2 * 4, cmk_volume_windows_most_ = 10 * 12, cmk_volume_columns_most_ = 2 * 4 };

/* bytes, up to the next multiple of 128 */
CMK_FOLDED_ int cmk_volume_up_(int bytes)
{
    return (bytes + 127) / 128 * 128;
}

/* Shared memory holds two small tables, of columns and of planes, the ring, and of a separable filter the sums along
 * the rows of two planes. A row of a tile has the 16-byte chunks of 32 lanes, and on both sides sectors of 32 bytes
 * that hold the halo. */
CMK_FOLDED_ cmk_volume_filter_ cmk_volume_filter_of_(cmk_volume_definition_ d)
{
    cmk_volume_filter_ f = CMK_ZEROS_(cmk_volume_filter_);
    f.size = d.size;
    f.planes = d.planes;
    f.rows = d.rows;
    f.columns = d.columns;
    f.separable = d.separable;
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
    f.bytes = (size_t)(f.along + (d.separable ? 2 * f.tile_rows * f.width * f.size : 0));
    return f;
}

#if CMK_HAS_HOST_

/* what a launcher is asked for */
typedef struct {
    const void *in;
    void *out;
    size_t in_pitch, in_step, out_pitch, out_step, planes, rows, columns;
    size_t plane, row, column, region_planes, region_rows, region_columns;
} cmk_volume_call_;

/* why its region is none of the volume */
static inline const char *cmk_volume_why_region_(const cmk_volume_call_ *call)
{
    static const char *const through[] = {"plane", "region_planes", "planes"};
    static const char *const down[] = {"row", "region_rows", "rows"};
    static const char *const across[] = {"column", "region_columns", "columns"};
    const size_t most = 0x7fffffff;
    const char *why = cmk_why_above_("planes", call->planes, most);
    if (why == NULL) why = cmk_why_above_("rows", call->rows, most);
    if (why == NULL) why = cmk_why_above_("columns", call->columns, most);
    if (why == NULL) why = cmk_why_outside_(through, call->plane, call->region_planes, call->planes);
    if (why == NULL) why = cmk_why_outside_(down, call->row, call->region_rows, call->rows);
    if (why == NULL) why = cmk_why_outside_(across, call->column, call->region_columns, call->columns);
    return why;
}

static inline const char *cmk_volume_why_(const cmk_volume_call_ *call, size_t size)
{
    const char *const columns = call->region_columns == call->columns ? "columns" : "region_columns";
    const cmk_range_ in = {"in", "in_pitch", "columns",    call->in, call->in_pitch, call->in_step, call->columns,
                           1,    call->rows, call->planes, size};
    const cmk_range_ out = {"out",
                            "out_pitch",
                            columns,
                            call->out,
                            call->out_pitch,
                            call->out_step,
                            call->region_columns,
                            1,
                            call->region_rows,
                            call->region_planes,
                            size};
    const char *const why = cmk_volume_why_region_(call);
    return why != NULL ? why : cmk_range_why_(&in, &out);
}

/* The time of a launch whose chunks are so deep, in planes of a block. Blocks beside one another drift apart, the
 * farther the deeper they are, and read less of what the other has in L2: a chunk of `drift` planes takes twice as
 * long; 0: none does. Those of a single wave begin together, and drift from some planes on. */
static inline cmk_i64 cmk_volume_cost_(cmk_i64 planes, cmk_i64 tiles, int filter_planes, int resident, int drift,
                                       cmk_i64 deep)
{
    const cmk_i64 blocks = tiles * ((planes - 1) / deep + 1);
    const cmk_i64 cost = ((blocks - 1) / resident + 1) * (deep + filter_planes - 1 + cmk_volume_start_);
    const cmk_i64 apart = blocks > resident ? deep : deep - cmk_volume_together_;
    return drift > 0 && apart > 0 ? cost + cost * apart / drift : cost;
}

/* The planes of a chunk, where the device runs so many blocks at once: each chunk costs planes - 1 more at its ends,
 * and the time until its first plane has arrived. Of the numbers of chunks that fill the device up to some times, that
 * for which all is done first. */
static inline cmk_i64 cmk_volume_deep_(cmk_i64 planes, cmk_i64 tiles, int filter_planes, int resident, int drift)
{
    cmk_i64 least = 0, best = planes;
    for (int waves = 1; waves <= cmk_volume_waves_; ++waves) {
        const cmk_i64 fit = (cmk_i64)waves * resident / tiles, chunks = fit < 1 ? 1 : fit < planes ? fit : planes;
        const cmk_i64 deep = (planes - 1) / chunks + 1;
        const cmk_i64 cost = cmk_volume_cost_(planes, tiles, filter_planes, resident, drift, deep);
        if (waves == 1 || cost < least) {
            least = cost;
            best = deep;
        }
    }
    return best;
}

/* a launch, if there is one; error says why there is none, and why, of a call that is refused */
typedef struct {
    cudaError_t error;
    const char *why;
    const void *in;
    void *out;
    cmk_volume_ volume;
    dim3 grid, block;
    size_t bytes; /* of shared memory */
    int launches; /* that are left */
    int way;      /* 1: by tensor cores, of planes/ */
} cmk_volume_plan_;

/* what a call says of its volume and its region */
static inline cmk_volume_ cmk_volume_describe_(const cmk_volume_call_ *call, size_t size)
{
    const size_t steps = call->in_pitch | call->in_step | call->out_pitch | call->out_step;
    cmk_volume_ volume = CMK_ZEROS_(cmk_volume_);
    volume.in_pitch = (cmk_i64)call->in_pitch;
    volume.in_step = (cmk_i64)call->in_step;
    volume.out_pitch = (cmk_i64)call->out_pitch;
    volume.out_step = (cmk_i64)call->out_step;
    volume.planes = (cmk_i64)call->region_planes;
    volume.rows = (cmk_i64)call->region_rows;
    volume.columns = (cmk_i64)call->region_columns;
    volume.plane = (cmk_i64)call->plane;
    volume.row = (cmk_i64)call->row;
    volume.column = (cmk_i64)call->column;
    volume.in_planes = (cmk_i64)call->planes;
    volume.in_rows = (cmk_i64)call->rows;
    volume.in_columns = (cmk_i64)call->columns;
    volume.aligned = (((size_t)call->in + call->column * size) | (size_t)call->out | steps * size) % 16 == 0;
    return volume;
}

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
    volume->deep = cmk_volume_deep_(volume->planes, tiles, f.planes, f.blocks * processors, 0);
    volume->blocks = (unsigned)(tiles * ((volume->planes - 1) / volume->deep + 1));
    plan.in = call->in;
    plan.out = call->out;
    plan.grid = dim3(volume->blocks);
    plan.block = dim3(32, cmk_volume_warps_);
    plan.bytes = f.bytes;
    plan.launches = 1;
    return plan;
}

static inline cmk_volume_plan_ cmk_volume_plan_region_(const void *in, size_t in_pitch, size_t in_step, void *out,
                                                       size_t out_pitch, size_t out_step, size_t planes, size_t rows,
                                                       size_t columns, size_t plane, size_t row, size_t column,
                                                       size_t region_planes, size_t region_rows, size_t region_columns,
                                                       cmk_volume_filter_ f, const cmk_plan_device *device)
{
    const cmk_volume_call_ call = {in,      out,   in_pitch, in_step, out_pitch,     out_step,    planes,        rows,
                                   columns, plane, row,      column,  region_planes, region_rows, region_columns};
    return cmk_volume_plan_call_(&call, f, device);
}

/* whether there is a launch left */
static inline int cmk_volume_next_(cmk_volume_plan_ *plan)
{
    return plan->launches-- > 0;
}

#endif

#endif
