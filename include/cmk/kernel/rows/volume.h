/* kernel/rows/volume.h: a volume, and the region of it that a launch computes. */
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

#endif
