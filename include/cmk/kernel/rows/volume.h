/* kernel/rows/volume.h: a volume, and the region of it that a launch computes. */
#ifndef CMK_KERNEL_ROWS_VOLUME_H
#define CMK_KERNEL_ROWS_VOLUME_H

#include "../../base.h"

/* the volume of a launch, the region of it that is computed, and the division of that: a kernel's parameter */
typedef struct {
    cmk_i64 in_pitch, in_step, out_pitch, out_step, planes, rows, columns; /* in elements; of the region */
    cmk_i64 plane, row, column, in_planes, in_rows, in_columns;            /* where it begins in the volume, of these */
    cmk_i64 deep;
    unsigned across, down, blocks;
    int aligned; /* all rows of both begin, in the region, at multiples of 16 bytes */
} cmk_volume_;

#endif
