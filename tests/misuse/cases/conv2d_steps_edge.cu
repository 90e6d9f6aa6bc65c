/* expect: cmk: CMK_DEFINE_CONV2D_STEPS: an axis of EDGE must wrap at both ends, or at none */
/* because: a pass computes nothing beside an edge that wraps, and all that its steps reach beside another */
/* do: `CMK_EDGE_WRAP` at both ends, or at none */
#include <cmk/kernel/filter_steps.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_CONV2D_STEPS(smooth, float, 1, 3, ones,
                        CMK_EDGE_AXES(CMK_EDGE_ZERO, CMK_EDGE_SIDES(CMK_EDGE_CLAMP, CMK_EDGE_WRAP)));
