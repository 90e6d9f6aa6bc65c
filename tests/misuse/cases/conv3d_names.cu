/* compiles */
/* types and tables may have the plain names of what a definition has */
#include <cmk/cmk.h>
typedef float found;
typedef double axis;
CMK_TABLE(PARAMETER, float, tables, [27]);
CMK_TABLE(PARAMETER, float, in, [3]);
CMK_TABLE(CONSTANT, float, through, [3]);
CMK_TABLE(CONSTANT, float, volume, [3]);
CMK_DEFINE_CONV3D(box, found, (3, 3, 3), tables, CMK_EDGE_CLAMP);
CMK_DEFINE_SEPARABLE3D(smooth, axis, 1, (in, through, volume), CMK_EDGE_CLAMP);
CMK_DEFINE_STENCIL1D(line, found, 1, CMK_STENCIL_1D, in, CMK_EDGE_CLAMP);
CMK_DEFINE_TRANSPOSE(turn, axis);
