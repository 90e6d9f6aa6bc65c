/* expect c++ cuda: heat_update_must_not_stand_in_a_class_ */
#include <cmk/kernel/stencil2d.h>

template <class element> struct solvers {
#define HEAT(USES) USES(NEXT, element, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)
    CMK_POINT_2D(heat, HEAT)
    {
        CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1));
    }
    CMK_DEFINE_STENCIL2D(heat, HEAT);
};
