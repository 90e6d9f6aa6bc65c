/* kernel/bytes/sizes.h: the constants of filters of bytes, by products of a warp on tensor cores.
 *
 * Small ones: a product is D = A B: A has 16 windows of an image, of 16 bytes each, B the taps between a window and its
 * 8 outputs, D these outputs. Windows are two rows of 8 pixels, 4 pixels apart, with 2 x 4 outputs each, where the
 * filter has up to 5 columns; otherwise 16 pixels of a row, 8 apart, with 8 outputs. Rows of a window are a step; each
 * is multiplied by `pending` matrices, one for each step's outputs that it reaches. Pixels of several channels are as
 * many windows. Bytes are halves as they stand, of 2^-24 each; a tap is the sum of two halves. (PTX ISA, "Matrix
 * Fragments for mma.m16n8k16".)
 *
 * Separable ones of radius 3 to 16, bands: a tile is 16 columns and 8 rows. Sums across are the taps, a banded matrix
 * of 16 outputs by 16 columns of each of `spans` blocks of the image, times these; as two halves they are the operand A
 * of the sums down as they stand, of `older` tiles above and the new one, and the taps are B. */
#ifndef CMK_KERNEL_BYTES_SIZES_H
#define CMK_KERNEL_BYTES_SIZES_H

#include "../mma/code.h"
#include "../rows/filter.h"
#include "tune.h"

enum {
    cmk_bytes_rows_most_ = 9, /* of a filter */
    cmk_bytes_taps_pitch_ = 28,
    cmk_bytes_taps_before_ = 11, /* zeros before a row of taps: as many as a window has, and behind */
    cmk_bytes_taps_most_ = (cmk_bytes_rows_most_ + 3) * cmk_bytes_taps_pitch_,
    cmk_bytes_pending_most_ = 9,
    cmk_bytes_pairs_most_ = 10,  /* pairs of registers with taps */
    cmk_bytes_values_most_ = 16, /* outputs of a step of a thread */
    cmk_bytes_words_most_ = 12,  /* that a thread loads for a step */
    cmk_bytes_ahead_most_ = 9,   /* steps that it holds */
    cmk_bands_radius_most_ = 16,
    cmk_bands_across_ = 48,    /* where a block's taps across begin; those down begin at 0 */
    cmk_bands_tiles_most_ = 8, /* of a warp, those of each channel */
    cmk_bands_quads_most_ = 3
};

/* the constants of a definition as its functions get them; columns in pixels */
typedef struct {
    cmk_filter_ f;
    int on;              /* whether there is the way at all */
    int threads;         /* of a block */
    int grey, colours;   /* whether it is that of one channel and two rows; of several channels */
    int span;            /* words of an item that a thread loads: of two pixels, at most one besides; of four */
    int bands;           /* whether it is that of bands: */
    int tiles, spans;    /*   tiles side by side, an even number; blocks of columns that each needs */
    int older, quads;    /*   tiles above that it needs; pairs of tiles that cover these and it */
    int ring;            /* whether rows of warps inside come by a ring in shared memory, 8 rows a stage: */
    int lead;            /*   bytes of a row of the ring before a strip's first word */
    int chunks;          /*   of 16 bytes, of a row */
    int loose_chunks;    /*   of a row that begins anywhere */
    int row_bytes;       /*   an odd number of chunks, so that 8 rows lie in different banks */
    int ring_bytes;      /*   of a warp: of as many rows as a turn */
    int early;           /*   rows of the first turn that give no outputs; not of bands */
    int step, pending;   /* rows of a step; steps of outputs that are under way */
    int stride, parts;   /* from window to window; products side by side, of 16 windows each */
    int strip, loose;    /* columns of a warp; with a ring, where rows begin anywhere: so that words are stored whole */
    int before;          /* from a strip's first word to its first output */
    int above, below;    /* rows that are loaded before the first output, and behind the last */
    int shift;           /* pixels of a window before those of its first output */
    int reads;           /* behind a strip's first word, up to the last that it reads */
    int ahead;           /* without a ring: steps that are loaded ahead, a multiple of pending */
    int grain;           /* rows of a warp are a multiple, less those that are early */
    int turn;            /* rows, whose code is a loop; all of a ring, a multiple of pending steps */
    int words, values;   /* that a thread loads and outputs in a step */
    int chunk, pair;     /* bytes of a load, and outputs of a store, where these are aligned */
    int least;           /* outputs times FMAs of the other way up to which it is as fast */
    int longest, begins; /* rows of a warp, at most; as many as take the time that it needs to begin */
    int blocks;          /* of an SM that the compiler leaves room for */
} cmk_bytes_sizes_;

/* whether a filter may go by products of a warp: of bytes, by floats, to integers, where FMAs are not as fast */
CMK_FOLDED_ int cmk_bytes_may_(cmk_filter_ f)
{
    const int light = !CMK_TENSOR && f.products <= cmk_bytes_light_ * (f.in_size + f.out_size);
    return f.in_kind == 1 && f.in_size == 1 && f.out_bits != 0 && f.float_sums && !f.in_order && !light;
}

CMK_FOLDED_ int cmk_bytes_blocks_(int registers)
{
    const int most = (int)cmk_image_registers_ / registers;
    return most > 8 ? 8 : most;
}

/* columns of a warp; neat: where rows are aligned */
CMK_FOLDED_ int cmk_bytes_strip_(cmk_bytes_sizes_ k, int neat)
{
    return k.ring && !neat ? k.loose : k.strip;
}

/* a ring of rows of so many bytes from a strip's first word on */
CMK_FOLDED_ cmk_bytes_sizes_ cmk_bytes_ring_of_(cmk_bytes_sizes_ k, int bytes)
{
    const int size = k.f.channels * k.f.out_size;
    k.ring = 1;
    k.loose = k.strip - (7 + size - 1) / size;
    k.chunks = (k.lead + bytes + 15) / 16;
    k.loose_chunks = (k.lead + bytes + 30) / 16;
    k.row_bytes = 16 * (k.loose_chunks + 1 - k.loose_chunks % 2);
    k.ring_bytes = k.turn * k.row_bytes;
    k.chunk = 16;
    return k;
}

/* what is added of filters of which a step is two rows */
CMK_FOLDED_ cmk_bytes_sizes_ cmk_bytes_narrow_of_(cmk_bytes_sizes_ k)
{
    k.lead = 16;
    k.turn = k.pending == 5 ? 40 : 24;
    k.grain = 8;
    k.early = 2 * (k.pending - 1);
    return cmk_bytes_ring_of_(k, k.strip * k.f.channels + 4 * k.span);
}

/* those of bands */
CMK_FOLDED_ cmk_bytes_sizes_ cmk_bands_sizes_of_(cmk_filter_ f)
{
    cmk_bytes_sizes_ k = CMK_ZEROS_(cmk_bytes_sizes_);
    k.f = f;
    k.bands = 1;
    k.threads = cmk_image_threads_;
    k.older = (f.column + 3) / 4;
    k.quads = (k.older + 1) / 2 + 1;
    k.spans = f.column <= 8 ? 2 : 3;
    k.tiles = f.channels == 1 && k.older <= 2 ? 4 : 2;
    k.step = 8;
    k.strip = 16 * k.tiles;
    k.before = 8 * (k.spans - 1);
    k.above = k.below = 4 * k.older;
    k.reads = 16 * (k.tiles + k.spans - 1);
    k.turn = k.grain = 16 * k.quads;
    k.span = f.channels;
    k.lead = k.before * f.channels % 16 > 0 ? 8 : 0;
    k.words = (k.tiles + k.spans - 1) * f.channels;
    k.values = 4 * k.tiles * f.channels;
    k = cmk_bytes_ring_of_(k, 16 * k.words);
    k.pair = f.out_size == 1 ? 8 : 4;
    k.least = cmk_bands_products_least_;
    k.longest = cmk_bands_length_most_;
    k.begins = cmk_bands_length_begins_;
    k.blocks = cmk_bytes_blocks_(4 * k.older * k.tiles * f.channels + 4 * k.spans + 2 * k.older + k.words +
                                 (int)cmk_bands_registers_);
    k.on = cmk_bytes_may_(f) && f.separable && f.column > 2 && f.column <= cmk_bands_radius_most_ &&
           f.column * f.channels <= cmk_bands_reach_most_;
    return k;
}

CMK_FOLDED_ cmk_bytes_sizes_ cmk_bytes_sizes_of_(cmk_filter_ f)
{
    const int beyond = f.columns - 1 - f.column, narrow = f.column <= 2 && beyond <= 2, one = f.channels == 1;
    cmk_bytes_sizes_ k = CMK_ZEROS_(cmk_bytes_sizes_);
    k.f = f;
    k.threads = cmk_image_threads_;
    k.grey = one && narrow;
    k.colours = !one;
    k.span = f.channels > 2 ? 2 : 1;
    k.step = narrow ? 2 : 1;
    k.pending = f.rows / k.step + k.step - 1;
    k.stride = 8 / k.step;
    k.parts = one ? k.step : 1;
    k.strip = 16 * k.stride * k.parts;
    k.before = narrow ? 0 : 4;
    k.above = f.row;
    k.below = (k.pending - 1) * k.step - f.row;
    k.shift = 4 / k.step - f.column;
    k.reads = k.strip + (narrow ? 4 : 8);
    k.ahead = k.pending > 2 ? k.pending : (int)cmk_bytes_ahead_;
    k.turn = k.grain = k.ahead;
    k.words = k.grey ? 5 : k.colours ? 3 * k.span : 2;
    k.values = 4 * k.parts * f.channels;
    k.chunk = 4;
    k.pair = k.grey || (k.colours && f.channels < 4) ? 8 : k.colours ? 16 : 2;
    if (narrow) k = cmk_bytes_narrow_of_(k);
    k.least = cmk_bytes_products_least_;
    k.longest = one && k.pending > 2 ? (int)cmk_bytes_length_grey_ : (int)cmk_bytes_length_most_;
    k.begins = cmk_bytes_length_begins_;
    const int registers = k.grey ? (int)cmk_bytes_registers_grey_
                          : one  ? (int)cmk_bytes_registers_wide_
                                 : (int)cmk_bytes_registers_;
    k.blocks = cmk_bytes_blocks_(k.pending * (k.values + 4) + (narrow ? 1 : k.ahead) * k.words + registers);
    k.on = cmk_bytes_may_(f) && f.rows <= cmk_bytes_rows_most_ && f.columns >= cmk_bytes_columns_least_ &&
           (narrow || (one && f.column <= 4 && beyond <= 4));
    return k;
}

#endif
