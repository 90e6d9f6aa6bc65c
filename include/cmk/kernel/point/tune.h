/* point/tune.h: the measured numbers of stencil2d.h and stencil3d.h. */
#ifndef CMK_KERNEL_POINT_TUNE_H
#define CMK_KERNEL_POINT_TUNE_H

enum {
    cmk_point_warps_2d_ = 4, /* of a block, one above the other */
    cmk_point_warps_3d_ = 8
};

#endif
