/* kernel/sweep/sizes.h: the constants of a separable filter of floats of a large radius, by products of a warp on
 * tensor cores.
 *
 * A step is 16 rows of an image, of which a warp has two tiles of 16 columns. Sums across of a tile are the taps, a
 * banded matrix of 16 outputs by 16 columns of each of `spans` blocks of the image, times these; as halves they are the
 * operand A of the sums down as they stand, and the taps, of 8 rows of outputs, are B. A step reaches `pending` tiles
 * of 8 rows of outputs, which wait in registers. Elements, sums across and taps are two halves each, high + low / 2^11;
 * of products all but those of two low ones are added. (PTX ISA, "Matrix Fragments for mma.m16n8k16".) */
#ifndef CMK_KERNEL_SWEEP_SIZES_H
#define CMK_KERNEL_SWEEP_SIZES_H

#include "../mma/code.h"
#include "../rows/filter.h"
#include "tune.h"

enum { cmk_sweep_pending_most_ = 10, cmk_sweep_window_most_ = 52 };

/* the constants of a definition as its functions get them; columns in elements */
typedef struct {
    cmk_filter_ f;
    int on;                 /* whether there is the way at all */
    int warps, threads;     /* of a block */
    int blocks;             /* of an SM that the compiler leaves room for */
    int strip;              /* columns of outputs of a block */
    int lead;               /* columns that are copied before its first output */
    int spans, all;         /* blocks of 16 columns that a tile needs, and that a step of a block has */
    int items, ahead;       /* fours of elements of a thread in a step; steps that are copied ahead */
    int pending;            /* tiles of outputs that a step reaches, an even number */
    int stage_bytes;        /* of a step as halves, of which shared memory has two */
    int ring, slot_bytes;   /* where steps lie behind these as they are copied, and how many bytes */
    int across, down, taps; /* where matrices of taps lie, and taps as floats */
    int shared_bytes;
} cmk_sweep_sizes_;

/* quarters of a row that one of a strip counts as: at an edge, inside */
CMK_FOLDED_ int cmk_sweep_rate_(int at_edge, int zeros)
{
    return !at_edge ? 4 : zeros ? (int)cmk_sweep_edge_zeros_ : (int)cmk_sweep_edge_;
}

/* those of so many strips */
CMK_FOLDED_ int cmk_sweep_units_(int strips, int zeros)
{
    const int edge = cmk_sweep_rate_(1, zeros);
    return strips > 1 ? 4 * strips + 2 * (edge - 4) : edge;
}

/* bytes of a row of taps for FMAs down, of which there are 15 behind the others */
CMK_FOLDED_ int cmk_sweep_plain_bytes_(int pending)
{
    return 4 * cmk_image_up_(pending - 1, 4);
}

CMK_FOLDED_ cmk_sweep_sizes_ cmk_sweep_sizes_of_(cmk_filter_ f)
{
    const int least = CMK_TENSOR ? (int)cmk_sweep_radius_right_ : (int)cmk_sweep_radius_least_;
    cmk_sweep_sizes_ k = CMK_ZEROS_(cmk_sweep_sizes_);
    k.f = f;
    k.on = f.separable && f.float_sums && !f.in_order && f.in_kind != 6 && f.out_bits == 0 && f.channels == 1 &&
           f.column >= least;
    k.warps = cmk_sweep_warps_;
    k.threads = 32 * k.warps;
    k.blocks = cmk_sweep_blocks_;
    k.strip = 32 * k.warps;
    k.lead = cmk_image_up_(f.column, 4);
    k.spans = cmk_image_up_(16 + k.lead + f.column, 16) / 16;
    k.all = 2 * k.warps + k.spans - 1;
    k.items = cmk_image_up_(2 * k.all, k.warps) / k.warps;
    k.ahead = cmk_sweep_ahead_;
    k.pending = cmk_image_up_(16 + 2 * f.column, 16) / 8;
    k.stage_bytes = k.all * 1024;
    k.ring = 2 * k.stage_bytes;
    k.slot_bytes = k.items * k.threads * 4 * f.in_size;
    k.across = k.ring + k.ahead * k.slot_bytes;
    k.down = k.across + k.spans * 1024;
    k.taps = k.down + k.pending * 512;
    k.shared_bytes = k.taps + 8 * cmk_image_up_(2 * f.column + 1, 4) + 15 * cmk_sweep_plain_bytes_(k.pending);
    k.shared_bytes = k.shared_bytes < cmk_mma_shared_least_ ? (int)cmk_mma_shared_least_ : k.shared_bytes;
    return k;
}

#endif
