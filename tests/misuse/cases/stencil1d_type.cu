/* expect: cmk: CMK_DEFINE_STENCIL1D: the size of T must divide 16 bytes */
#include <cmk/kernel/stencil1d.h>

#define ONE(k) 1.0f

typedef struct {
    float red, green, blue;
} colour;

CMK_DEFINE_STENCIL1D(smooth, colour, 1, CMK_STENCIL_1D, ONE, CMK_EDGE_ZERO);
