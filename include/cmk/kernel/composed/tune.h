/* kernel/composed/tune.h: every measured number of composed steps, and what follows from it. Card: NVIDIA H200, CUDA
 * 13.0; record: bench/results/history/2026-11-29-h200-composed.md. */
#ifndef CMK_KERNEL_COMPOSED_TUNE_H
#define CMK_KERNEL_COMPOSED_TUNE_H

enum {
    cmk_composed_threads_ = 256,       /* threads of a block of the border */
    cmk_composed_blocks_ = 2,          /* such blocks that an SM has registers for, of up to two axes */
    cmk_composed_rows_at_once_ = 8,    /* rows of outputs of a thread there */
    cmk_composed_rows_3d_ = 4,         /* the same of three axes */
    cmk_composed_shared_most_ = 95000, /* bytes of shared memory of such a block; two fit in an SM of sm_90 */
    cmk_composed_slots_ = 66,          /* blocks of a part of a border at a time: 2 on 132 SMs, shared by 4 parts */
    cmk_composed_quick_ = 3,           /* the most rows and columns of a box of floats that is composed without tensor
                                        * cores too */
    cmk_composed_as_long_ = 2          /* single steps that take no longer than a pass, but along a line */
};

/* The most steps of a pass: of a line of reach RADIUS, of a product of lines, of an image or of a volume, and of a
 * filter whose longer side has COUNT taps. 1: single steps are faster. KIND is CMK_NUMBER_ of float or double. */
#define CMK_COMPOSED_LINE_(RADIUS) ((RADIUS) < 1 || (RADIUS) > 16 ? 1 : 32 / (RADIUS))
#define CMK_COMPOSED_PRODUCT_(KIND, RADIUS)                                                                            \
    ((KIND) == 5 ? ((RADIUS) > 10 ? 1 : 32 / (RADIUS)) : ((RADIUS) > 5 ? 1 : 16 / (RADIUS)))
#define CMK_COMPOSED_VOLUME_(RADIUS) ((RADIUS) > 2 ? 1 : 4 / (RADIUS))
#define CMK_COMPOSED_BOX_(KIND, ROWS, COLUMNS) CMK_COMPOSED_SIDE_(KIND, (ROWS) > (COLUMNS) ? (ROWS) : (COLUMNS))
#define CMK_COMPOSED_SIDE_(KIND, COUNT) ((KIND) == 5 ? CMK_COMPOSED_FLOATS_(COUNT) : CMK_COMPOSED_DOUBLES_(COUNT))
#define CMK_COMPOSED_FLOATS_(COUNT) ((COUNT) < 2 || (COUNT) > 7 ? 1 : (COUNT) == 3 ? 7 : 16 / ((COUNT)-1))
#define CMK_COMPOSED_DOUBLES_(COUNT) ((COUNT) < 2 || (COUNT) > 5 ? 1 : (COUNT) == 5 ? 2 : 6 / ((COUNT)-1))

#endif
