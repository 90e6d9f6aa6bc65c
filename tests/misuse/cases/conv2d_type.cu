/* expect: cmk: CMK_DEFINE_CONV2D: IN and OUT must be float, double, half, bfloat16 or an integer of 8 or 16 bits */
/* because: IN and OUT are the types of one channel; wider integers would lose bits in the sums */
/* do: the type of a channel and CHANNELS in place of a struct */
#include <cmk/kernel/conv2d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

typedef struct {
    float red, green, blue;
} colour;

CMK_DEFINE_CONV2D_AS(smooth, CORRELATION, (float, float, colour, 1), (1, 3), (0, 1), ones, (CMK_EDGE_ZERO, 0));
