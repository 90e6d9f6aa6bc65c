/* CMK_DEFINE_STENCIL1D with a table, for the code that nvcc makes of it. */
#include <cmk/cmk.h>

CMK_TABLE(CONSTANT, float, coefficients, [33]);

CMK_DEFINE_STENCIL1D(derivative, float, 4, CMK_STENCIL_1D_ANTISYMMETRIC, coefficients, CMK_EDGE_ZERO);
CMK_DEFINE_STENCIL1D(widest, float, 32, CMK_STENCIL_1D_SYMMETRIC, coefficients, CMK_EDGE_CLAMP);
CMK_DEFINE_STENCIL1D(widest_double, double, 32, CMK_STENCIL_1D_SYMMETRIC, coefficients, CMK_EDGE_CLAMP);
