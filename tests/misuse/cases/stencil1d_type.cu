/* expect: cmk: CMK_DEFINE_STENCIL1D: the size of T must divide 16 bytes */
/* because: a thread moves 16 bytes */
/* do: an arithmetic type, or a padded struct */
#include <cmk/kernel/stencil1d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

typedef struct {
    float red, green, blue;
} colour;

CMK_DEFINE_STENCIL1D(smooth, colour, 1, CMK_STENCIL_1D, ones, CMK_EDGE_ZERO);
