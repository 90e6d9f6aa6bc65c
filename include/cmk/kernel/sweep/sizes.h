/* kernel/sweep/sizes.h: the constants of a separable filter of floats of a large radius, which goes by mma.sync on
 * tensor cores.
 *
 * A step is 16 rows of an image, of which a warp has two tiles of 16 columns. The sums across of a tile are the product
 * of the taps and of `spans` blocks of 16 columns of the image. For each block the taps are a banded matrix of 16
 * outputs by 16 columns. As halves, sums across are operand A of the sums down in the registers that they are in; B is
 * the taps of 8 rows of outputs. A step reaches `pending` tiles of 8 rows of outputs, which wait in registers.
 * Elements, sums across and taps are two halves each, high + low / 2^11; all products but those of two low ones are
 * added. (PTX ISA, "Matrix Fragments for mma.m16n8k16".)
 *
 * Of tune.h: a block has cmk_sweep_warps_ = 6 warps, an SM cmk_sweep_blocks_ = 2 blocks, and cmk_sweep_ahead_ = 2 steps
 * are copied ahead. cmk_sweep_radius_least_ = 25 is the least radius, or cmk_sweep_radius_right_ = 8 with CMK_TENSOR 1,
 * by which tensor cores are taken also where they do not pay. A row of a strip at the edge of an image takes
 * cmk_sweep_edge_zeros_ quarters of the time of one inside, or cmk_sweep_edge_. CMK_FOLDED_ is a function of host and
 * device that is a constant where its arguments are. CMK_ZEROS_ is a struct of zeros.
 *
 * In all functions here `zeros` is f.zeros of cmk_filter_ (rows/filter.h), whether all that is outside is zero. The
 * filter f is known at compile time: f.column and f.row are its radius, 1 to 32 (separable.h). cmk_image_up_ rounds up
 * to a multiple. The host counts with cmk_sweep_units_ and cmk_sweep_rate_ (plan.h), and so do blocks (march.h). All
 * parts of shared memory are multiples of 16 bytes long, and its begin is aligned, so that words of 16 bytes are. */
#ifndef CMK_KERNEL_SWEEP_SIZES_H
#define CMK_KERNEL_SWEEP_SIZES_H

#include "../mma/code.h"
#include "../rows/filter.h"
#include "tune.h"

/* A block is 16 rows of 16 columns of a step: as floats, or as two matrices of halves, which a warp loads by 16 bytes
 * of each lane. */
enum {
    cmk_sweep_row_bytes_ = 16 * 4,
    cmk_sweep_block_bytes_ = 16 * cmk_sweep_row_bytes_,
    cmk_sweep_matrix_bytes_ = 32 * 16,
    cmk_sweep_block_threads_ = cmk_sweep_block_bytes_ / 16 /* that convert a block, four elements each */
};

/* Bounds of arrays of a thread: the tiles of outputs that a step reaches, which 10 are at radius 32; the elements of a
 * window of the fallback by FMAs. A window is 20 elements and one for each of 32 taps of a round. A step of 16 rows
 * reaches 16 + 2 radius rows of outputs, which is 80 at radius 32. */
enum { cmk_sweep_pending_most_ = 10, cmk_sweep_window_most_ = 52 };

/* The constants of a definition as its functions get them, all known at compile time. Columns are counted in
 * elements. */
typedef struct {
    cmk_filter_ f;
    int on;                 /* whether the filter can go this way at all */
    int warps, threads;     /* warps and threads of a block */
    int blocks;             /* blocks of an SM that the compiler leaves room for */
    int strip;              /* columns of outputs of a block */
    int lead;               /* columns that are copied before a block's first output */
    int spans, all;         /* blocks of 16 columns that a tile needs, and that a step of a block has */
    int items, ahead;       /* fours of elements of a thread in a step; steps that are copied ahead */
    int pending;            /* tiles of outputs that a step reaches, an even number */
    int stage_bytes;        /* bytes of a step as halves; shared memory has two such stages */
    int ring, slot_bytes;   /* where steps as they are copied lie in shared memory, behind the stages; bytes of one */
    int across, down, taps; /* where the matrices of taps lie in shared memory, and the taps as floats */
    int shared_bytes;
} cmk_sweep_sizes_;

/* The quarters of a row that one row of a strip counts as, in the division of the work. at_edge: the strip is the first
 * or the last of an image, whose rows take longer (tune.h); a row of one inside is 4 quarters. */
CMK_FOLDED_ int cmk_sweep_rate_(int at_edge, int zeros)
{
    return !at_edge ? 4 : zeros ? (int)cmk_sweep_edge_zeros_ : (int)cmk_sweep_edge_;
}

/* The quarters of a row that one row of all `strips` strips counts as. */
CMK_FOLDED_ int cmk_sweep_units_(int strips, int zeros)
{
    const int edge = cmk_sweep_rate_(1, zeros);
    return strips > 1 ? 4 * strips + 2 * (edge - 4) : edge;
}

/* Bytes of a row of taps for FMAs down. There are 15 such rows behind the other taps. */
CMK_FOLDED_ int cmk_sweep_plain_bytes_(int pending)
{
    return 4 * cmk_image_up_(pending - 1, 4);
}

/* Returns the constants of a filter. `on` is 1 for separable filters of one channel with sums of float, in any order,
 * whose radius is large enough. OUT must not be an integer, and IN not a double. f.float_sums: SUM is float;
 * f.in_order: sums must be in the pixels' order. So in_size is 1, 2 or 4, and four elements are up to 16 bytes. in_kind
 * is CMK_NUMBER_ of base.h, and 6 is double; out_bits is 0 of floats. Shared memory is 81,136 bytes at most, with
 * floats and radius 32. It is never below cmk_mma_shared_least_, 16 bytes above 48 KB, from which on launchers raise
 * the limit of a kernel (mma/code.h). A step's items are rounded up to whole ones of each thread, and some threads lack
 * the last one (cmk_sweep_has_ of rows.h). */
CMK_FOLDED_ cmk_sweep_sizes_ cmk_sweep_sizes_of_(cmk_filter_ f)
{
    const int least = CMK_TENSOR ? (int)cmk_sweep_radius_right_ : (int)cmk_sweep_radius_least_;
    cmk_sweep_sizes_ s = CMK_ZEROS_(cmk_sweep_sizes_);
    s.f = f;
    s.on = f.separable && f.float_sums && !f.in_order && f.in_kind != 6 && f.out_bits == 0 && f.channels == 1 &&
           f.column >= least;
    s.warps = cmk_sweep_warps_;
    s.threads = 32 * s.warps;
    s.blocks = cmk_sweep_blocks_;
    s.strip = 32 * s.warps;
    s.lead = cmk_image_up_(f.column, 4);
    s.spans = cmk_image_up_(16 + s.lead + f.column, 16) / 16;
    s.all = 2 * s.warps + s.spans - 1;
    s.items = cmk_image_up_(2 * s.all, s.warps) / s.warps;
    s.ahead = cmk_sweep_ahead_;
    s.pending = cmk_image_up_(16 + 2 * f.column, 16) / 8;
    s.stage_bytes = s.all * cmk_sweep_block_bytes_;
    s.ring = 2 * s.stage_bytes;
    s.slot_bytes = s.items * s.threads * 4 * f.in_size;
    s.across = s.ring + s.ahead * s.slot_bytes;
    s.down = s.across + s.spans * cmk_sweep_block_bytes_;
    s.taps = s.down + s.pending * cmk_sweep_matrix_bytes_;
    s.shared_bytes = s.taps + 8 * cmk_image_up_(2 * f.column + 1, 4) + 15 * cmk_sweep_plain_bytes_(s.pending);
    s.shared_bytes = s.shared_bytes < cmk_mma_shared_least_ ? (int)cmk_mma_shared_least_ : s.shared_bytes;
    return s;
}

#endif
