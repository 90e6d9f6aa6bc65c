/* transfer/tune.h: the numbers of transfers between grids that are not given by what they compute. They were chosen for
 * an NVIDIA H200 (sm_90), from what ptxas says and from bytes that must be on their way. */
#ifndef CMK_KERNEL_TRANSFER_TUNE_H
#define CMK_KERNEL_TRANSFER_TUNE_H

enum {
    cmk_transfer_threads_ = 128, /* threads of a block */
    cmk_transfer_resident_ = 5,  /* blocks of an SM, by which ptxas bounds the registers of a thread */
    cmk_transfer_wide_ = 32,     /* threads of a block side by side, in 3D; rows of the fine grid are then read once */
    cmk_transfer_deep_ = 8,      /* the most layers of the coarse grid that a thread goes along */
    cmk_transfer_blocks_ = 1024  /* a block has fewer layers where there would be fewer blocks than this */
};

#endif
