/* kernel/bytes/sizes.h: the constants of filters of bytes that go by mma.sync on tensor cores.
 *
 * Small filters: a product is D = A B. A has 16 windows of an image, of 16 bytes each. B has the taps between a window
 * and its 8 outputs, and D is these outputs. Where the filter has up to 5 columns, a window is two rows of 8 pixels
 * with 2 x 4 outputs, and windows are 4 pixels apart. Otherwise a window is 16 pixels of a row with 8 outputs, and
 * windows are 8 pixels apart. The rows of a window are a step. Each step is multiplied by `pending` matrices B, one for
 * each step of outputs that it reaches. Pixels of several channels have a window for each channel. The bits of a byte
 * are taken for those of a half, which makes it a multiple of 2^-24; a tap is the sum of two halves. (PTX ISA, "Matrix
 * Fragments for mma.m16n8k16".)
 *
 * Separable filters of radius 3 to 16 go by bands. A tile is 16 columns and 8 rows. Sums across are the product of the
 * taps and of `spans` blocks of 16 columns of the image; for each block the taps are a banded matrix of 16 outputs by
 * 16 columns. As two halves, the sums across of a tile are operand A of the sums down in the registers that they are
 * in. Sums down add up `older` tiles above and the new one, and the taps are B.
 *
 * All functions here make constants: a launcher calls them on the host, and kernels have their results at compile time.
 * In all of them:
 *   f    cmk_filter_ of rows/filter.h, the filter of a definition. rows, columns: its size; row, column: its anchor, in
 *        rows and pixels. channels: values of a pixel. in_size, out_size: bytes of an element; out_bits: bits of an
 *        integer OUT, 0 of another type. products: FMAs of an output. in_kind: 1 of integers of 8 or 16 bits.
 *        float_sums: whether SUM is float. in_order: whether sums must be in the pixels' order
 *   s    the constants that are made, cmk_bytes_sizes_ below; f is its first member
 *
 * cmk_image_threads_ = 128 are the threads of a block, and cmk_image_registers_ = 512 the registers of an SM for each
 * thread of a block. A definition has at most 33 x 33 taps, a radius of 32 where it is separable, and 4 channels.
 * CMK_TENSOR of mma/code.h is 1 where tensor cores are to be taken also where FMAs are as fast, else 0. CMK_ZEROS_ is a
 * struct of zeros, and CMK_FOLDED_ a function whose result is a constant where its arguments are. Measured numbers, of
 * tune.h: up to cmk_bytes_light_ FMAs for a byte of memory, or with less than cmk_bytes_columns_least_ = 3 columns,
 * FMAs are as fast. A warp has at most length_most_ rows, or cmk_bytes_length_grey_, and begins in the time of
 * length_begins_ rows. Names with registers: those of a thread beside sums, taps and rows. Names with products_least_:
 * outputs times FMAs of an output. At least cmk_bytes_ahead_ = 2 steps are loaded ahead. cmk_bands_reach_most_ = 32 is
 * the radius times the channels up to which registers suffice. */
#ifndef CMK_KERNEL_BYTES_SIZES_H
#define CMK_KERNEL_BYTES_SIZES_H

#include "../mma/code.h"
#include "../rows/filter.h"
#include "tune.h"

/* Bounds of arrays. cmk_bytes_rows_most_ and cmk_bands_radius_most_ are limits of s.on, below: larger filters go by
 * FMAs. The other names with `most` are the largest numbers of all filters that remain; tests/kernels/sizes.cu fails
 * where one is not. Taps down and across of bands are up to 2 x 16 + 1 = 33, and 48 floats hold each. A window reads
 * the taps of columns -11 to 15, of which the last is float 26 of its row. Rows -1 to ROWS + 1 are read. */
enum {
    cmk_bytes_rows_most_ = 9,    /* rows of a filter */
    cmk_bytes_taps_pitch_ = 28,  /* floats from a row of taps in shared memory to the next */
    cmk_bytes_taps_before_ = 11, /* zeros before a row of taps, as far as a window reaches; there are some behind it */
    /* floats of all rows of taps, with one row of zeros above and two below */
    cmk_bytes_taps_most_ = (cmk_bytes_rows_most_ + 3) * cmk_bytes_taps_pitch_,
    cmk_bytes_pending_most_ = 9, /* steps of outputs that are under way */
    cmk_bytes_pairs_most_ = 10,  /* pairs of registers with taps in a thread */
    cmk_bytes_values_most_ = 16, /* outputs of a thread in a step */
    cmk_bytes_words_most_ = 12,  /* words that a thread loads for a step */
    cmk_bytes_ahead_most_ = 9,   /* steps that a thread holds */
    cmk_bands_radius_most_ = 16, /* pixels from the anchor to the end of a filter by bands */
    cmk_bands_across_ = 48,      /* the index where a block's taps across begin; those down begin at 0 */
    cmk_bands_tiles_most_ = 8,   /* tiles of a warp, those of all channels together */
    cmk_bands_quads_most_ = 3    /* pairs of tiles, one above the other, that a warp holds at once */
};

/* The constants of a definition as its functions get them, all known at compile time. Columns are counted in pixels. */
typedef struct {
    cmk_filter_ f;
    int on;            /* whether the filter can go this way at all */
    int threads;       /* threads of a block */
    int grey, colours; /* whether the filter has one channel and steps of two rows; whether it has several channels */
    int span;          /* words of an item: 1, of small filters with 3 or 4 channels 2, of bands one a channel */
    int bands;         /* whether the filter goes by bands. Of bands alone: */
    int tiles, spans;  /*   tiles side by side, an even number; blocks of 16 columns that each of them needs */
    int older, quads;  /*   tiles above that a tile needs; pairs of tiles that cover these and the tile itself */
    int ring;          /* whether rows inside come by a ring in shared memory, 8 rows a stage. Of a ring alone: */
    int lead;          /*   bytes of a row of the ring before a strip's first word */
    int chunks;        /*   chunks of 16 bytes in a row of the ring */
    int unaligned_chunks; /*   chunks of a row of the ring that begins anywhere */
    int row_bytes;        /*   bytes of a ring's row: an odd number of chunks, so that 8 rows lie in different banks */
    int ring_bytes;       /*   bytes of the ring of a warp, which has as many rows as a turn */
    int early;            /*   rows of the first turn that give no outputs; 0 with bands */
    int step, pending;    /* rows of a step; steps of outputs that are under way */
    int stride, parts;    /* pixels from a window to the next; products side by side, of 16 windows each */
    int strip,
        unaligned_strip; /* columns of a warp's outputs; fewer where rows of a ring begin anywhere, for whole words */
    int before;          /* columns from a strip's first word to its first output */
    int above, below;    /* rows that are loaded before the first output, and behind the last */
    int shift;           /* pixels of a window before the first that its first output needs */
    int reads;           /* columns from a strip's first word to the last that it reads */
    int ahead;           /* steps that are loaded ahead without a ring, a multiple of pending */
    int grain;           /* the rows of a warp and the early ones together are a multiple of this number */
    int turn;            /* rows of a pass of the unrolled loop: all rows of a ring, a multiple of pending steps */
    int words, values;   /* words that a thread loads, and outputs that it computes, in a step */
    int chunk, pair;     /* bytes of a load, and outputs of a store, where both are aligned */
    int least;           /* outputs times FMAs of an output up to which the way by FMAs is as fast */
    int longest, begins; /* rows of a warp, at most; rows that take as long as a warp takes to begin */
    int blocks;          /* blocks of an SM that the compiler leaves room for */
} cmk_bytes_sizes_;

/* Whether a filter may go by mma.sync: from bytes, by sums of floats, to integers, where FMAs are not as fast. */
CMK_FOLDED_ int cmk_bytes_may_(cmk_filter_ f)
{
    const int light = !CMK_TENSOR && f.products <= cmk_bytes_light_ * (f.in_size + f.out_size);
    return f.in_kind == 1 && f.in_size == 1 && f.out_bits != 0 && f.float_sums && !f.in_order && !light;
}

/* Returns the blocks of an SM, from 1 to 8, for which there is room where a thread has this many registers. With 8 it
 * has 64. That there is room for one is checked by tests/kernels/sizes.cu, for all filters with s.on. */
CMK_FOLDED_ int cmk_bytes_blocks_(int registers)
{
    const int most = (int)cmk_image_registers_ / registers;
    return most > 8 ? 8 : most;
}

/* The columns of outputs of a warp, in pixels. `aligned`: whether rows are aligned, which the call alone decides. */
CMK_FOLDED_ int cmk_bytes_strip_(cmk_bytes_sizes_ s, int aligned)
{
    return s.ring && !aligned ? s.unaligned_strip : s.strip;
}

/* Adds the constants of a ring whose rows have `bytes` bytes from a strip's first word on. lead, turn and strip are
 * set. size: bytes of an output pixel. A strip that begins anywhere is shorter by the pixels of 7 bytes, rounded up, as
 * its stores of 8 bytes begin at the first multiple of 8. A row that begins anywhere has up to 15 bytes more in its
 * first chunk, and may need one chunk more. Rows of the ring begin at multiples of 16 bytes. */
CMK_FOLDED_ cmk_bytes_sizes_ cmk_bytes_ring_of_(cmk_bytes_sizes_ s, int bytes)
{
    const int size = s.f.channels * s.f.out_size;
    s.ring = 1;
    s.unaligned_strip = s.strip - (7 + size - 1) / size;
    s.chunks = (s.lead + bytes + 15) / 16;
    s.unaligned_chunks = (s.lead + bytes + 30) / 16;
    s.row_bytes = 16 * (s.unaligned_chunks + 1 - s.unaligned_chunks % 2);
    s.ring_bytes = s.turn * s.row_bytes;
    s.chunk = 16;
    return s;
}

/* Adds the constants of small filters whose steps are two rows, which go by a ring. pending, strip and span are set. A
 * turn is 3 or 5 stages of 8 rows, a multiple of the rows of `pending` steps: pending is 1 to 5 where s.on is set, and
 * 24 rows are 12 steps, 40 rows 20. */
CMK_FOLDED_ cmk_bytes_sizes_ cmk_bytes_narrow_of_(cmk_bytes_sizes_ s)
{
    s.lead = 16;
    s.turn = s.pending == 5 ? 40 : 24;
    s.grain = 8;
    s.early = 2 * (s.pending - 1);
    return cmk_bytes_ring_of_(s, s.strip * s.f.channels + 4 * s.span);
}

/* The constants of a separable filter that goes by bands. Its member on is 0 where the filter cannot. Then the other
 * constants may be beyond their bounds, and nothing uses them. f.column is the radius, in pixels. An output needs 2
 * radius rows above those of its new tile, in tiles of 8. Pairs of tiles cover these whether they begin with an even
 * tile or an odd one. 16 outputs need 16 + 2 radius columns, in blocks of 16. lead makes the 8 or 16 columns before a
 * strip's first output whole chunks of 16 bytes. */
CMK_FOLDED_ cmk_bytes_sizes_ cmk_bands_sizes_of_(cmk_filter_ f)
{
    cmk_bytes_sizes_ s = CMK_ZEROS_(cmk_bytes_sizes_);
    s.f = f;
    s.bands = 1;
    s.threads = cmk_image_threads_;
    s.older = (f.column + 3) / 4;
    s.quads = (s.older + 1) / 2 + 1;
    s.spans = f.column <= 8 ? 2 : 3;
    s.tiles = f.channels == 1 && s.older <= 2 ? 4 : 2;
    s.step = 8;
    s.strip = 16 * s.tiles;
    s.before = 8 * (s.spans - 1);
    s.above = s.below = 4 * s.older;
    s.reads = 16 * (s.tiles + s.spans - 1);
    s.turn = s.grain = 16 * s.quads;
    s.span = f.channels;
    s.lead = s.before * f.channels % 16 > 0 ? 8 : 0;
    s.words = (s.tiles + s.spans - 1) * f.channels;
    s.values = 4 * s.tiles * f.channels;
    s = cmk_bytes_ring_of_(s, 16 * s.words);
    s.pair = f.out_size == 1 ? 8 : 4;
    s.least = cmk_bands_products_least_;
    s.longest = cmk_bands_length_most_;
    s.begins = cmk_bands_length_begins_;
    /* registers of a thread: sums across of the tiles above, half of the taps, words of a row, and others */
    s.blocks = cmk_bytes_blocks_(4 * s.older * s.tiles * f.channels + 4 * s.spans + 2 * s.older + s.words +
                                 (int)cmk_bands_registers_);
    s.on = cmk_bytes_may_(f) && f.separable && f.column > 2 && f.column <= cmk_bands_radius_most_ &&
           f.column * f.channels <= cmk_bands_reach_most_;
    return s;
}

/* The constants of a small filter. Its member on is 0 where the filter cannot go this way. narrow: whether a row has up
 * to 2 pixels on each side of the anchor. Steps are then two rows. beyond: pixels behind the anchor. registers: those
 * of a thread beside sums, taps and rows (tune.h). A step of one row reaches as many steps of outputs as the filter has
 * rows. One of two rows reaches half as many, rounded down, and one more. */
CMK_FOLDED_ cmk_bytes_sizes_ cmk_bytes_sizes_of_(cmk_filter_ f)
{
    const int beyond = f.columns - 1 - f.column, narrow = f.column <= 2 && beyond <= 2, one = f.channels == 1;
    cmk_bytes_sizes_ s = CMK_ZEROS_(cmk_bytes_sizes_);
    s.f = f;
    s.threads = cmk_image_threads_;
    s.grey = one && narrow;
    s.colours = !one;
    s.span = f.channels > 2 ? 2 : 1;
    s.step = narrow ? 2 : 1;
    s.pending = f.rows / s.step + s.step - 1;
    s.stride = 8 / s.step;
    s.parts = one ? s.step : 1;
    s.strip = 16 * s.stride * s.parts;
    s.before = narrow ? 0 : 4;
    s.above = f.row;
    s.below = (s.pending - 1) * s.step - f.row;
    s.shift = 4 / s.step - f.column;
    s.reads = s.strip + (narrow ? 4 : 8);
    s.ahead = s.pending > 2 ? s.pending : (int)cmk_bytes_ahead_;
    s.turn = s.grain = s.ahead;
    s.words = s.grey ? 5 : s.colours ? 3 * s.span : 2;
    s.values = 4 * s.parts * f.channels;
    s.chunk = 4;
    s.pair = s.grey || (s.colours && f.channels < 4) ? 8 : s.colours ? 16 : 2;
    if (narrow) s = cmk_bytes_narrow_of_(s);
    s.least = cmk_bytes_products_least_;
    s.longest = one && s.pending > 2 ? (int)cmk_bytes_length_grey_ : (int)cmk_bytes_length_most_;
    s.begins = cmk_bytes_length_begins_;
    const int registers = s.grey ? (int)cmk_bytes_registers_grey_
                          : one  ? (int)cmk_bytes_registers_wide_
                                 : (int)cmk_bytes_registers_;
    /* sums and taps of the slots, words of the steps that are loaded, and others */
    s.blocks = cmk_bytes_blocks_(s.pending * (s.values + 4) + (narrow ? 1 : s.ahead) * s.words + registers);
    s.on = cmk_bytes_may_(f) && f.rows <= cmk_bytes_rows_most_ && f.columns >= cmk_bytes_columns_least_ &&
           (narrow || (one && f.column <= 4 && beyond <= 4));
    return s;
}

#endif
