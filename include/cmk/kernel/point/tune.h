/* point/tune.h: the measured numbers of stencil2d.h and stencil3d.h. */
#ifndef CMK_KERNEL_POINT_TUNE_H
#define CMK_KERNEL_POINT_TUNE_H

#ifndef V_W2
#define V_W2 4
#endif
#ifndef V_W3
#define V_W3 8
#endif
#ifndef V_B2
#define V_B2 8
#endif
#ifndef V_B3
#define V_B3 4
#endif
#define CMK_POINT_BLOCKS_(DIMS) ((DIMS)==3?V_B3:V_B2)
#ifndef V_E
#define V_E 2
#endif
enum {
    cmk_point_edge_ = V_E, /* rows or planes at once where a tile is at an edge */
    cmk_point_warps_2d_ = V_W2, /* of a block, one above the other */
    cmk_point_warps_3d_ = V_W3
};

#endif
