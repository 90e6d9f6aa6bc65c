/* kernel/rows/filter.h: a filter of images as its definition says it, and as every engine of images gets it. IN, SUM
 * and OUT are the types of the input, of sums and of the output in a definition (conv2d.h). A pixel has `channels`
 * elements side by side. A definition is refused unless it has at most 33 rows and columns, or a radius of at most 32
 * where it is separable, and 1 to 4 channels (conv2d.h, separable.h). IN and OUT are integers of 8 or 16 bits or floats
 * of 2, 4 or 8 bytes, and SUM is float, double or int (ways.h). CMK_NUMBER_ of base.h is the kind of a type: 1 of such
 * an integer, 2 of int, 4 of a float of 2 bytes, 5 of float, 6 of double. A correlation is the sum of tap[r][c] times
 * in[y - row + r][x - column + c] over rows and columns of the filter; a flipped table is that of a convolution.
 * CMK_FOLDED_ (base.h) is a host and device function, a constant for constant arguments; CMK_DEVICE_ is an inlined
 * device function. */
#ifndef CMK_KERNEL_ROWS_FILTER_H
#define CMK_KERNEL_ROWS_FILTER_H

#include "../../edge.h"
#include "image.h"

/* A filter as its definition says it, all of it known at compile time. A flipped table is rotated by 180 degrees. */
typedef struct {
    int in_size, sum_size, out_size, out_bits; /* bytes of an element; bits of an integer OUT, negative where signed */
    int channels, edge, outside;               /* outside: whether what stands for the outside is more than a zero */
    int separable, rows, columns, row, column; /* the size of the filter, and its anchor */
    int flipped, table_bytes;                  /* whether the table is flipped; its bytes in memory, 0 of a LITERAL */
    int in_kind, float_sums;                   /* CMK_NUMBER_ of an element; whether sums are floats */
    int how; /* bits: 2 for sums in order, 4 for one product of halves, 8 for composed taps */
} cmk_filter_words_;

/* The constants of a filter as engines get them. They are those of a correlation, which a flipped table becomes too. */
typedef struct {
    int in_size, in_kind, out_size, out_bits; /* as in cmk_filter_words_ */
    int sum_size, float_sums;
    int channels, edge, zeros; /* zeros: whether all outside is zero */
    int separable, rows, columns, products;
    int row, column;           /* the anchor: rows above an output that it needs, pixels before it */
    int reach, beyond;         /* elements that an output needs before itself, and behind */
    int flipped, table_bytes;  /* as in cmk_filter_words_ */
    int in_order, one_product; /* whether sums must be in the pixels' order; whether to take one product of halves */
    int composed;              /* whether a tap need only be exact to 2^-36 of the largest (kernel/composed/) */
} cmk_filter_;

/* Makes the constants of a filter from what its definition says. All are known at compile time; the host has them too.
 * Bits 2 and 4 of w.how are CORRELATION_IN_ORDER and _FAST of conv2d.h. */
CMK_FOLDED_ cmk_filter_ cmk_filter_of_(cmk_filter_words_ w)
{
    cmk_filter_ f = CMK_ZEROS_(cmk_filter_);
    f.in_size = w.in_size;
    f.in_kind = w.in_kind;
    f.out_size = w.out_size;
    f.out_bits = w.out_bits;
    f.sum_size = w.sum_size;
    f.float_sums = w.float_sums;
    f.channels = w.channels;
    f.edge = w.edge;
    f.zeros = w.edge == CMK_EDGE_ZERO && !w.outside;
    f.separable = w.separable;
    f.rows = w.rows;
    f.columns = w.columns;
    f.products = w.separable ? w.rows + w.columns : w.rows * w.columns;
    f.row = w.flipped ? w.rows - 1 - w.row : w.row;
    f.column = w.flipped ? w.columns - 1 - w.column : w.column;
    f.reach = f.column * w.channels;
    f.beyond = (w.columns - 1 - f.column) * w.channels;
    f.flipped = w.flipped;
    f.table_bytes = w.table_bytes;
    f.in_order = (w.how & 2) != 0;
    f.one_product = (w.how & 4) != 0;
    f.composed = (w.how & 8) != 0;
    return f;
}

/* The index in the table of the tap in row r and column c of the correlation. The table is in row order, and a flipped
 * one is read from its end. A thread calls; where r and c are constants at compile time, the index is too. */
CMK_DEVICE_ int cmk_filter_tap_(cmk_filter_ f, int r, int c)
{
    const int at = r * f.columns + c;
    return f.flipped ? f.rows * f.columns - 1 - at : at;
}

/* What an engine cannot know of a definition, in a struct for each type of sums, cmk_filter_parts_TYPE_. The functions
 * widen and narrow convert one element, IN to SUM and SUM to OUT. The function tap gives tap i of the coefficients
 * down, number 1, or across, number 2. The table of a filter that is not separable has number 1. Every function is
 * inlined where a kernel hands it on. */
#define CMK_FILTER_PARTS_(SUM)                                                                                         \
    CMK_STRUCT_(cmk_filter_parts_##SUM##_, const void *const *tables;                                                  \
                SUM(*tap)(const void *const *tables, int number, int i);                                               \
                void (*widen)(void *sum, const void *element); void (*narrow)(void *element, const void *sum);)
CMK_FILTER_PARTS_(float)
CMK_FILTER_PARTS_(double)
CMK_FILTER_PARTS_(int)

#endif
