/* expect: cmk: CMK_DEFINE_SEPARABLE: IN and OUT must be float, double, half, bfloat16 or an integer of 8 or 16 bits */
/* because: IN and OUT are the types of one channel; wider integers would lose bits in the sums */
/* do: the type of a channel and CHANNELS in place of a struct */
#include <cmk/kernel/separable.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

typedef struct {
    float red, green, blue;
} colour;

CMK_DEFINE_SEPARABLE_AS(smooth, (colour, float, float, 1), 1, (ones, ones), (CMK_EDGE_ZERO, 0));
