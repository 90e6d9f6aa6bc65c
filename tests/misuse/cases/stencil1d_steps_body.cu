/* expect: cmk: CMK_DEFINE_STENCIL1D_STEPS: BODY must be CMK_STENCIL_1D, CMK_STENCIL_1D_SYMMETRIC or CMK_STENCIL_1D_ANTISYMMETRIC */
/* because: the steps are composed from the taps, and a BODY of your own has no taps that cmk knows of */
/* do: one of the three; or call a definition with your BODY once for each step */
#include <cmk/kernel/filter_steps.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

#define LEAST(sum, RADIUS, TAP, SAMPLE) (sum) = SAMPLE(0) < SAMPLE(1) ? SAMPLE(0) : SAMPLE(1)
CMK_DEFINE_STENCIL1D_STEPS(smooth, float, 1, LEAST, ones, CMK_EDGE_CLAMP);
