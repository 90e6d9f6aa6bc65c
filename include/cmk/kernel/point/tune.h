/* point/tune.h: the measured numbers of stencil2d.h and stencil3d.h. */
#ifndef CMK_KERNEL_POINT_TUNE_H
#define CMK_KERNEL_POINT_TUNE_H

#ifndef V_Y2
#define V_Y2 2
#endif
#ifndef V_A
#define V_A 2
#endif
#ifndef V_B2
#define V_B2 5
#endif
#ifndef V_B3
#define V_B3 4
#endif
#ifndef V_BR
#define V_BR 2
#endif
#ifndef V_SH
#define V_SH 110000
#endif
#ifndef V_WR
#define V_WR 8
#endif
#ifndef V_R1
#define V_R1 0
#endif
enum {
    cmk_point_ring_warps_ = V_WR,
    cmk_point_warps_2d_ = 4, /* of a block, one above the other */
    cmk_point_warps_3d_ = 8,
    cmk_point_two_rows_ = V_Y2,
    cmk_point_ahead_ = V_A,      /* planes under way */
    cmk_point_shared_most_ = V_SH /* bytes of a block */
};

#endif
