/* expect: heat_has_an_update_ */
/* says: `'heat_has_an_update_' undeclared` */
/* because: a definition needs the update of its name before it */
/* do: `CMK_POINT_2D(heat, HEAT) { ... }` */
#include <cmk/kernel/stencil2d.h>

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)

CMK_DEFINE_STENCIL2D(heat, HEAT);
