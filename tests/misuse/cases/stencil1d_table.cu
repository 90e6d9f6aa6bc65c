/* expect: ones_element_ */
#include <cmk/kernel/stencil1d.h>

static const float ones[3] = {1, 1, 1};

CMK_DEFINE_STENCIL1D(smooth, float, 1, CMK_STENCIL_1D, ones, CMK_EDGE_ZERO);
