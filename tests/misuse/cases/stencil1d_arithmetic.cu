/* expect: cmk: CMK_DEFINE_STENCIL1D: T must be an arithmetic type */
/* because: the sums are of T */
/* do: the members of a struct one by one */
#include <cmk/kernel/stencil1d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

typedef struct {
    float red, green, blue, alpha;
} colour;

CMK_DEFINE_STENCIL1D(smooth, colour, 1, CMK_STENCIL_1D, ones, CMK_EDGE_ZERO);
