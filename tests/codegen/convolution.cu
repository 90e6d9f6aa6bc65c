/* The convolutions, for the code that nvcc makes of them. */
#include <cmk/cmk.h>

CMK_TABLE(CONSTANT, float, taps_9, [3][3]);
CMK_TABLE(CONSTANT, float, taps_25, [5][5]);
CMK_TABLE(CONSTANT, float, line, [33]);
CMK_TABLE(CONSTANT, float, taps_27, [3][3][3]);
CMK_TABLE(CONSTANT, float, column_17, [17][1]);
CMK_TABLE(CONSTANT, float, column_25, [25][1]);
CMK_TABLE(CONSTANT, float, taps_49, [7][7]);
CMK_TABLE(PARAMETER, float, taps_81, [9][9]);
CMK_TABLE(CONSTANT, float, taps_225, [15][15]);
CMK_TABLE(CONSTANT, float, taps_1089, [33][33]);
CMK_DEFINE_CONV2D(conv2d_3, float, 3, 3, taps_9, CMK_EDGE_ZERO);
CMK_DEFINE_CONV2D(conv2d_5, float, 5, 5, taps_25, CMK_EDGE_REFLECT);
CMK_DEFINE_CONV2D(conv2d_7, float, 7, 7, taps_49, CMK_EDGE_CLAMP);
CMK_DEFINE_CONV2D(conv2d_9, float, 9, 9, taps_81, CMK_EDGE_ZERO);
CMK_DEFINE_CONV2D(conv2d_15, float, 15, 15, taps_225, CMK_EDGE_CLAMP);
CMK_DEFINE_CONV2D(conv2d_33, float, 33, 33, taps_1089, CMK_EDGE_CLAMP);
CMK_DEFINE_CONV2D(conv2d_17_1, float, 17, 1, column_17, CMK_EDGE_ZERO);
CMK_DEFINE_CONV2D(conv2d_25_1, float, 25, 1, column_25, CMK_EDGE_CLAMP);
CMK_DEFINE_SEPARABLE(separable_16, float, 16, line, line, CMK_EDGE_CLAMP);
CMK_DEFINE_CONV3D(conv3d_3, float, (3, 3, 3), taps_27, CMK_EDGE_ZERO);
