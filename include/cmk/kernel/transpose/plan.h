/* transpose/plan.h: on the host: what a call of a transpose comes to: which kernel, and the launches that it takes. A
 * launcher of transpose.h calls one of cmk_transpose_plan_call_, cmk_transpose_plan_in_place_ and
 * cmk_transpose_plan_volume_, then cmk_transpose_next_ for each launch.
 *
 * To turn a matrix is to make columns of its rows. In a swap, rows stay rows, and the two axes above them change
 * places. In all functions here:
 *
 *   size            the bytes of an element: 1, 2, 4, 8 or 16
 *   batch           cmk_transpose_batch_: the matrices as they lie in `in`; pitches and steps count elements
 *   way             the kernel, by cmk_transpose_way_ of tune.h
 *   across, down    blocks along a row and along a column of a matrix, whose product is in x of the grid; of a swap,
 *                   blocks of a row, and rows of a block
 *   why             the sentence of a call that is refused, or NULL (call/why.h)
 *   threads, bytes  threads of a block; bytes of its shared memory, 64 KB at most. Above 48 KB a launch raises the
 *                   limit of its kernel (tile.h)
 *   refused         a call whose plan has an error. The checks of call/range.h refuse a pointer that is NULL or not
 *                   aligned to an element, a pitch below the width, more than 9e18 bytes, in and out that overlap, and
 *                   matrices that share elements of out
 *   cmk_transpose_width_ and the like    sizes of a tile and threads of a block (tune.h); cut: cmk_transpose_cut_ of
 *                   element.h, the rows that a block stores and the elements of a sector
 *   cmk_transpose_few_rows_, _few_columns_    of tune.h: the most bytes of the shorter side of a matrix that goes by
 *                   lines
 *   call/range.h    cmk_range_why_: why not to read one cmk_range_ and write the other; cmk_range_why_bytes_: why one
 *                   has wrong bytes. A cmk_range_ is three words, pointer, pitch, step, columns, channels, rows, count,
 *                   size
 *   others          cmk_why_pointer_, cmk_why_ (call/why.h): why a pointer is refused; a sentence by a format of
 *                   printf. cmk_batch_ (call/launcher.h): the arguments of a launcher */
#ifndef CMK_KERNEL_TRANSPOSE_PLAN_H
#define CMK_KERNEL_TRANSPOSE_PLAN_H

#include "../../base.h"
#include "../call/launcher.h"
#include "../call/range.h"
#include "call.h"
#include "element.h"
#include "tune.h"

/* The orders of axes of name_volume, as transpose.h has them: YZX swaps rows, the others turn matrices. */
enum { CMK_TRANSPOSE_ZXY = 1, CMK_TRANSPOSE_YZX, CMK_TRANSPOSE_YXZ, CMK_TRANSPOSE_XZY, CMK_TRANSPOSE_XYZ };

#if CMK_HAS_HOST_

/* A batch of `count` matrices of rows x columns elements, which have `size` bytes. Pitches and steps count elements. */
typedef struct {
    size_t in_pitch, in_step, out_pitch, out_step;
    size_t rows, columns, count, size;
} cmk_transpose_batch_;

/* A call, and its next launch. */
typedef struct {
    cudaError_t error; /* why there is no launch */
    const char *why;   /* the sentence of a call that is refused */
    cmk_transpose_way_ way;
    const char *in;
    char *out;
    cmk_transpose_batch_ batch;
    size_t across, down; /* blocks of a matrix; of swapped rows: blocks of a row, and rows of a block */
    size_t matrix, row;  /* the first matrix and the first row that no launch has done */
    cmk_transpose_call_ call;
    dim3 grid, block;
    size_t bytes; /* bytes of shared memory */
} cmk_transpose_plan_;

enum { cmk_transpose_most_ = 65535 }; /* the most blocks of a grid in y and z, as CUDA has it */

/* Returns count / each, rounded up. */
static inline size_t cmk_transpose_parts_(size_t count, size_t each)
{
    return (count + each - 1) / each;
}

/* Returns the smaller of two numbers. */
static inline size_t cmk_transpose_least_(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns why a batch that is not empty is refused, or NULL. turned: 1 where `out` has batch.columns rows of batch.rows
 * elements, 0 for a swap, where it has rows as they are. A column counts as one channel (call/range.h). */
static inline const char *cmk_transpose_why_(const void *in, const void *out, cmk_transpose_batch_ batch, int turned)
{
    const size_t width = turned ? batch.rows : batch.columns, height = turned ? batch.columns : batch.rows;
    const cmk_range_ from = {"in",          "in_pitch",    "in_step", "columns",  in,          batch.in_pitch,
                             batch.in_step, batch.columns, 1,         batch.rows, batch.count, batch.size};
    const cmk_range_ to = {"out", "out_pitch",     "out_step",     turned ? "rows" : "columns",
                           out,   batch.out_pitch, batch.out_step, width,
                           1,     height,          batch.count,    batch.size};
    return cmk_range_why_(&from, &to);
}

/* Returns a plan that is not divided into blocks yet: its grid and the tiles of its call are set later. The call is
 * aligned if both pointers, all pitches and all steps are multiples of 16 bytes. As a size is a power of two, the
 * lowest bits of the joined pitches and steps say that of all. */
static inline cmk_transpose_plan_ cmk_transpose_begin_(cmk_transpose_way_ way, const void *in, void *out,
                                                       cmk_transpose_batch_ batch, size_t threads, size_t bytes)
{
    const size_t starts = (size_t)in | (size_t)out;
    const size_t strides = (batch.in_pitch | batch.in_step | batch.out_pitch | batch.out_step) * batch.size;
    const cmk_transpose_call_ call = {in,
                                      out,
                                      (cmk_i64)batch.in_pitch,
                                      (cmk_i64)batch.in_step,
                                      (cmk_i64)batch.out_pitch,
                                      (cmk_i64)batch.out_step,
                                      (cmk_i64)batch.rows,
                                      (cmk_i64)batch.columns,
                                      0,
                                      (starts | strides) % 16 == 0};
    const cmk_transpose_plan_ plan = {cudaSuccess, NULL, way,     (const char *)in,        (char *)out, batch, 0, 0, 0,
                                      0,           call, dim3(1), dim3((unsigned)threads), bytes};
    return plan;
}

/* Returns the plan with its blocks, or with an error where a matrix needs more than 2^31 - 1 of them. down is not 0. Of
 * a swap the product is more than the blocks, and of a call in place it is the tiles of a side. */
static inline cmk_transpose_plan_ cmk_transpose_end_(cmk_transpose_plan_ plan, size_t across, size_t down)
{
    plan.across = across;
    plan.down = down;
    plan.call.tiles = (unsigned)down;
    if (across > 0x7fffffff / down) {
        plan.error = cudaErrorInvalidConfiguration;
        plan.why = "a matrix of this size needs more than 2147483647 blocks";
    }
    return plan;
}

/* Returns a plan of no launch. If the call is refused, `why` says why. */
static inline cmk_transpose_plan_ cmk_transpose_none_(const char *why)
{
    const cmk_transpose_batch_ nothing = {0, 0, 0, 0, 0, 0, 0, 1};
    cmk_transpose_plan_ plan = cmk_transpose_begin_(cmk_transpose_by_tiles_, NULL, NULL, nothing, 1, 0);
    plan.error = why == NULL ? cudaSuccess : cudaErrorInvalidValue;
    plan.why = why;
    return plan;
}

/* Returns the plan of a batch of matrices that are turned. A matrix with short rows or columns goes by lines, one whose
 * rows are aligned to 16 bytes by tiles, and any other by elements. Blocks by lines take the longer side, so that
 * `down` is 1. All divisions are rounded up. By elements, a row of the output may begin up to sector - 1 elements
 * behind a sector's begin, so that its tiles reach as many rows further. */
static inline cmk_transpose_plan_ cmk_transpose_plan_batch_(const void *in, void *out, cmk_transpose_batch_ batch)
{
    const int size = (int)batch.size, flat = batch.rows < batch.columns;
    const size_t shorter = flat ? batch.rows : batch.columns, longer = flat ? batch.columns : batch.rows;
    const cmk_transpose_cut_ cut = cmk_transpose_cut_of_(size);
    const size_t width = (size_t)cmk_transpose_width_(size), height = (size_t)cmk_transpose_height_(size);
    cmk_transpose_plan_ plan;
    if (batch.rows == 0 || batch.columns == 0 || batch.count == 0) return cmk_transpose_none_(NULL);
    const char *const why = cmk_transpose_why_(in, out, batch, 1);
    if (why != NULL) return cmk_transpose_none_(why);
    if (shorter * batch.size <= (flat ? cmk_transpose_few_rows_ : cmk_transpose_few_columns_)) {
        plan = cmk_transpose_begin_(cmk_transpose_by_lines_, in, out, batch, cmk_transpose_any_threads_, 0);
        return cmk_transpose_end_(plan, cmk_transpose_parts_(longer, cmk_transpose_any_threads_), 1);
    }
    plan = cmk_transpose_begin_(cmk_transpose_by_tiles_, in, out, batch,
                                (size_t)cmk_transpose_threads_(cmk_transpose_by_tiles_, size),
                                width * height * batch.size);
    if (plan.call.aligned)
        return cmk_transpose_end_(plan, cmk_transpose_parts_(batch.columns, width),
                                  cmk_transpose_parts_(batch.rows, height));
    plan = cmk_transpose_begin_(cmk_transpose_by_elements_, in, out, batch, cmk_transpose_any_threads_,
                                (size_t)cut.pitch * cmk_transpose_any_width_ * batch.size);
    return cmk_transpose_end_(plan, cmk_transpose_parts_(batch.columns, cmk_transpose_any_width_),
                              cmk_transpose_parts_(batch.rows + (size_t)cut.sector - 1, (size_t)cut.stored));
}

/* Returns the plan of a call of name or name_batch, as the macros of call/launcher.h ask for it. */
static inline cmk_transpose_plan_ cmk_transpose_plan_call_(const cmk_batch_ *b, size_t size)
{
    const cmk_transpose_batch_ batch = {b->in_pitch, b->in_step, b->out_pitch, b->out_step,
                                        b->rows,     b->columns, b->count,     size};
    return cmk_transpose_plan_batch_(b->in, b->out, batch);
}

/* Returns the plan of a square matrix that is turned in place. A block holds two tiles of `edge` rows and columns, so
 * that it can exchange them. The member call.tiles becomes the tiles of a side. The grid has an eighth of them in y.
 * That is more than 65,535 only for a matrix of more than 10^15 bytes. */
static inline cmk_transpose_plan_ cmk_transpose_plan_in_place_(void *matrix, size_t pitch, size_t rows, size_t size)
{
    const cmk_transpose_batch_ batch = {pitch, 0, pitch, 0, rows, rows, 1, size};
    const size_t edge = (size_t)cmk_transpose_edge_((int)size), tiles = cmk_transpose_parts_(rows, edge);
    if (rows == 0) return cmk_transpose_none_(NULL);
    const cmk_range_ range = {"matrix", "pitch", "", "rows", matrix, pitch, 0, rows, 1, rows, 1, size};
    const char *why = cmk_why_pointer_("matrix", matrix, size);
    size_t bytes = 0;
    if (why == NULL) why = cmk_range_why_bytes_(&range, &bytes);
    if (why != NULL) return cmk_transpose_none_(why);
    return cmk_transpose_end_(cmk_transpose_begin_(cmk_transpose_in_place_, matrix, matrix, batch,
                                                   (size_t)cmk_transpose_threads_(cmk_transpose_in_place_, (int)size),
                                                   2 * edge * edge * size),
                              1, tiles);
}

/* Returns the plan of a swap. The matrices are planes of `in`. Their rows are batch.out_pitch apart in `out`. A thread
 * moves a chunk of 16 bytes that is aligned in `out`; a row that is not aligned may have one chunk more. A block has
 * `down` rows of `across` threads, at most 256 threads in all: `across` divides the chunks of a row evenly among the
 * fewest blocks. */
static inline cmk_transpose_plan_ cmk_transpose_plan_swap_(const void *in, void *out, cmk_transpose_batch_ batch)
{
    const size_t lanes = 16 / batch.size, threads = cmk_transpose_any_threads_;
    cmk_transpose_plan_ plan = cmk_transpose_begin_(cmk_transpose_by_rows_, in, out, batch, threads, 0);
    const size_t chunks = cmk_transpose_parts_(batch.columns + (plan.call.aligned ? 0 : lanes - 1), lanes);
    const size_t blocks = cmk_transpose_parts_(chunks, threads), across = cmk_transpose_parts_(chunks, blocks);
    const size_t down = cmk_transpose_least_(threads / across, batch.rows);
    const char *const why = cmk_transpose_why_(in, out, batch, 0);
    if (why != NULL) return cmk_transpose_none_(why);
    plan.block = dim3((unsigned)across, (unsigned)down);
    return cmk_transpose_end_(plan, blocks, down);
}

/* Returns the plan of a volume of depth x height x width elements, by its order `axes`. In each batch the volume is
 * matrices whose turn, or whose swap, gives that order. YZX with rows of one element is one matrix, yzx_of_1, that is
 * turned. The members of each are in_pitch, in_step, out_pitch, out_step, rows, columns, count and size. The product of
 * sizes is bounded by half of the address space, 9e18 bytes, before any of them is used. */
static inline cmk_transpose_plan_ cmk_transpose_plan_volume_(const void *in, void *out, size_t depth, size_t height,
                                                             size_t width, int axes, size_t size)
{
    const size_t plane = height * width;
    const cmk_transpose_batch_ zxy = {width, plane, height, plane, height, width, depth, size};
    const cmk_transpose_batch_ yzx = {width, plane, depth * width, width, height, width, depth, size};
    const cmk_transpose_batch_ yzx_of_1 = {height, 0, depth, 0, depth, height, 1, size};
    const cmk_transpose_batch_ yxz = {plane, 0, depth, 0, depth, plane, 1, size};
    const cmk_transpose_batch_ xzy = {width, 0, depth * height, 0, depth * height, width, 1, size};
    const cmk_transpose_batch_ xyz = {plane, width, height * depth, depth, depth, width, height, size};
    if (depth == 0 || height == 0 || width == 0) return cmk_transpose_none_(NULL);
    if ((double)depth * (double)height * (double)width * (double)size > 9e18)
        return cmk_transpose_none_(
            cmk_why_("in has more bytes than half of the address space, by depth %lld, height %lld, width %lld",
                     (cmk_i64)depth, (cmk_i64)height, (cmk_i64)width));
    switch (axes) {
    case CMK_TRANSPOSE_ZXY:
        return cmk_transpose_plan_batch_(in, out, zxy);
    case CMK_TRANSPOSE_YZX:
        return width == 1 ? cmk_transpose_plan_batch_(in, out, yzx_of_1) : cmk_transpose_plan_swap_(in, out, yzx);
    case CMK_TRANSPOSE_YXZ:
        return cmk_transpose_plan_batch_(in, out, yxz);
    case CMK_TRANSPOSE_XZY:
        return cmk_transpose_plan_batch_(in, out, xzy);
    case CMK_TRANSPOSE_XYZ:
        return cmk_transpose_plan_batch_(in, out, xyz);
    default:
        return cmk_transpose_none_(cmk_why_("axes %d is no word of transpose.h", axes));
    }
}

/* Returns whether there is a launch left, and sets what its kernel is called with. A launch takes at most 65,535
 * matrices, in y of the grid, and, of a swap, as many rows, whose blocks are in z. In place the grid has four rows of
 * tiles side by side in x, as cmk_transpose_pair_ of tile.h reads it. */
static inline int cmk_transpose_next_(cmk_transpose_plan_ *plan)
{
    const cmk_transpose_batch_ batch = plan->batch;
    const int swaps = plan->way == cmk_transpose_by_rows_;
    if (plan->error != cudaSuccess || plan->row >= batch.rows) return 0;
    const size_t rows = swaps ? cmk_transpose_least_(batch.rows - plan->row, cmk_transpose_most_) : batch.rows;
    const size_t count = cmk_transpose_least_(batch.count - plan->matrix, cmk_transpose_most_);
    plan->call.in = plan->in + (plan->matrix * batch.in_step + plan->row * batch.in_pitch) * batch.size;
    plan->call.out = plan->out + (plan->matrix * batch.out_step + plan->row * batch.out_pitch) * batch.size;
    plan->call.rows = (cmk_i64)rows;
    if (swaps)
        plan->grid = dim3((unsigned)plan->across, (unsigned)count, (unsigned)cmk_transpose_parts_(rows, plan->down));
    else if (plan->way == cmk_transpose_in_place_)
        plan->grid = dim3((unsigned)(4 * (plan->down | 1)), (unsigned)cmk_transpose_parts_(plan->down, 8));
    else
        plan->grid = dim3((unsigned)(plan->across * plan->down), (unsigned)count);
    plan->matrix += count;
    if (plan->matrix < batch.count) return 1;
    plan->matrix = 0;
    plan->row += rows;
    return 1;
}

#endif

#endif
