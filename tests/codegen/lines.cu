/* One definition of each kind in its short form, for the lines that its instructions have. */
#include <cmk/cmk.h>

CMK_TABLE(CONSTANT, float, coefficients, [5]);
CMK_TABLE(CONSTANT, float, line, [17]);
CMK_TABLE(CONSTANT, float, square, [9][9]);
CMK_TABLE(CONSTANT, float, cube, [3][3][3]);
CMK_DEFINE_CONV2D(conv2d_9, float, 9, 9, square, CMK_EDGE_CLAMP);
CMK_DEFINE_SEPARABLE(separable_8, float, 8, line, line, CMK_EDGE_REFLECT);
CMK_DEFINE_CONV3D(conv3d_3, float, (3, 3, 3), cube, CMK_EDGE_ZERO);
CMK_DEFINE_TRANSPOSE(transpose_4, float);
CMK_DEFINE_STENCIL1D(stencil_4, float, 4, CMK_STENCIL_1D_SYMMETRIC, coefficients, CMK_EDGE_CLAMP);
