/* CMK_DEFINE_STENCIL1D with a table, for the code that nvcc makes of it. */
#include <cmk/cmk.h>

CMK_TABLE(float, coefficients, 33);
#define COEFFICIENT(k) CMK_TABLE_AT(coefficients, k)

CMK_DEFINE_STENCIL1D(derivative, float, 4, CMK_STENCIL_1D_ANTISYMMETRIC, COEFFICIENT, CMK_EDGE_ZERO);
CMK_DEFINE_STENCIL1D(widest, float, 32, CMK_STENCIL_1D_SYMMETRIC, COEFFICIENT, CMK_EDGE_CLAMP);
CMK_DEFINE_STENCIL1D(widest_double, double, 32, CMK_STENCIL_1D_SYMMETRIC, COEFFICIENT, CMK_EDGE_CLAMP);
