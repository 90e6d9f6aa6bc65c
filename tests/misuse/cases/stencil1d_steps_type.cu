/* expect: cmk: CMK_DEFINE_STENCIL1D_STEPS: T must be float or double */
/* because: composed taps are rounded to T */
/* do: convert the array */
#include <cmk/kernel/filter_steps.h>

CMK_TABLE_VALUES(LITERAL, int, ones, [3], 1, 1, 1);

CMK_DEFINE_STENCIL1D_STEPS(smooth, int, 1, CMK_STENCIL_1D, ones, CMK_EDGE_CLAMP);
