/* kernel/rows/volume.h: a volume, the region of it that a launch computes, and how that is divided into items. */
#ifndef CMK_KERNEL_ROWS_VOLUME_H
#define CMK_KERNEL_ROWS_VOLUME_H

#include "../../base.h"

/* The volume of a launch, the region of it that is computed, and how that is divided: the parameter of a kernel.
 * call/volume.h sets what the call says. volume/plan.h then divides it for FMAs, or planes/plan.h for tensor cores. */
typedef struct {
    cmk_i64 in_pitch, in_step, out_pitch, out_step, planes, rows, columns; /* pitches in elements; the region's size */
    cmk_i64 plane, row, column, in_planes, in_rows, in_columns;            /* the region's begin; the volume's size */
    /* By FMAs: the planes that a block goes through, the last of which may be fewer; the tiles side by side and below
     * one another, and the blocks of the grid, which are all in x. By tensor cores: the rows of an item, the strips
     * side by side and the sets of planes, and the number of items. */
    cmk_i64 deep;
    unsigned across, down, blocks;
    int aligned; /* by FMAs: whether all rows of in and of out begin at multiples of 16 bytes in the region; by tensor
                  * cores two bits, of in and out by 16 bytes, and of out by 8 */
} cmk_volume_;

/* An item of the region, counted in outputs from its first one: the first column; the first row, or by tensor cores
 * the first plane; and the planes, or by tensor cores the rows, that are gone through, `length` from `first` on. */
typedef struct {
    cmk_i64 column, line, first;
    int length;
} cmk_volume_item_;

/* Returns item `number`, 0 to volume->blocks - 1. Items are `wide` columns, `high` lines and volume->deep long; the
 * last of `all` planes, or rows, may be shorter. Its columns and lines may be beyond the region's end. A thread calls.
 */
CMK_DEVICE_ cmk_volume_item_ cmk_volume_item_of_(const cmk_volume_ *volume, unsigned number, int wide, int high,
                                                 cmk_i64 all)
{
    cmk_volume_item_ item;
    item.column = (cmk_i64)(number % volume->across) * wide;
    item.line = (cmk_i64)(number / volume->across % volume->down) * high;
    item.first = (cmk_i64)(number / volume->across / volume->down) * volume->deep;
    const cmk_i64 left = all - item.first;
    item.length = (int)(left < volume->deep ? left : volume->deep);
    return item;
}

#endif
