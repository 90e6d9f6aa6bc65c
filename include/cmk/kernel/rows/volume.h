/* kernel/rows/volume.h: a volume, and the region of it that a launch computes. */
#ifndef CMK_KERNEL_ROWS_VOLUME_H
#define CMK_KERNEL_ROWS_VOLUME_H

#include "../../base.h"

/* The volume of a launch, the region of it that is computed, and how that is divided: the parameter of a kernel. It is
 * made by call/volume.h and volume/plan.h. */
typedef struct {
    cmk_i64 in_pitch, in_step, out_pitch, out_step, planes, rows, columns; /* pitches in elements; the region's size */
    cmk_i64 plane, row, column, in_planes, in_rows, in_columns;            /* the region's begin; the volume's size */
    cmk_i64 deep;                  /* planes that a block goes through; the last ones may have fewer */
    unsigned across, down, blocks; /* tiles of a row, rows of tiles, and blocks of the grid, which are all in x */
    int aligned; /* whether all rows of in and of out begin, in the region, at multiples of 16 bytes */
} cmk_volume_;

#endif
