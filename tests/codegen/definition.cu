/* The definitions, for the code that nvcc makes of them. */
#include <cmk/cmk.h>
#include <cmk/kernel/transfer.h>

CMK_TABLE(CONSTANT, float, coefficients, [33]);
CMK_TABLE(CONSTANT, float, weights, [5]);

CMK_DEFINE_STENCIL1D(derivative, float, 4, CMK_STENCIL_1D_ANTISYMMETRIC, weights, CMK_EDGE_ZERO);
CMK_DEFINE_STENCIL1D(widest, float, 32, CMK_STENCIL_1D_SYMMETRIC, coefficients, CMK_EDGE_CLAMP);
CMK_DEFINE_STENCIL1D(widest_double, double, 32, CMK_STENCIL_1D_SYMMETRIC, coefficients, CMK_EDGE_CLAMP);

typedef struct {
    float x, y, z, w;
} quad;
CMK_DEFINE_TRANSPOSE(transpose_1, unsigned char);
CMK_DEFINE_TRANSPOSE(transpose_2, unsigned short);
CMK_DEFINE_TRANSPOSE(transpose_4, float);
CMK_DEFINE_TRANSPOSE(transpose_8, double);
CMK_DEFINE_TRANSPOSE(transpose_16, quad);

CMK_DEFINE_TRANSFER2D(cells_2d, float, CELLS, CMK_EDGE_MIRROR_ODD);
CMK_DEFINE_TRANSFER2D(points_2d, double, POINTS, CMK_EDGE_REFLECT);
CMK_DEFINE_TRANSFER3D(cells_float, float, CELLS, CMK_EDGE_WRAP);
CMK_DEFINE_TRANSFER3D(cells_double, double, CELLS, CMK_EDGE_MIRROR_ODD);
CMK_DEFINE_TRANSFER3D(points_float, float, POINTS, CMK_EDGE_REFLECT_ODD);
CMK_DEFINE_TRANSFER3D(points_double, double, POINTS, CMK_EDGE_ZERO);
