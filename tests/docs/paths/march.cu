#include <cmk/cmk.h>

static const float values[9 * 9] = {1.0f};
CMK_TABLE(CONSTANT, float, weights, [9][9]);
CMK_DEFINE_CONV2D(blur, float, 9, 9, weights, CMK_EDGE_CLAMP);

#include "image.h"
