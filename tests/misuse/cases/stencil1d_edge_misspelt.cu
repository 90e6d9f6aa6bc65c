/* expect: CMK_EDGE_CLAMB */
/* says: `'CMK_EDGE_CLAP' undeclared`, `identifier "CMK_EDGE_CLAP" is undefined` */
/* because: the word is none of edge.h */
/* do: ZERO, CLAMP, WRAP, MIRROR or REFLECT, after `CMK_EDGE_` */
#include <cmk/kernel/stencil1d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_STENCIL1D(smooth, float, 1, CMK_STENCIL_1D, ones, CMK_EDGE_CLAMB);
