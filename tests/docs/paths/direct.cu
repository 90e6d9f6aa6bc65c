#include <cmk/cmk.h>

static const float values[3 * 3] = {1.0f};
CMK_TABLE(CONSTANT, float, weights, [3][3]);
CMK_DEFINE_CONV2D(blur, float, 3, 3, weights, CMK_EDGE_CLAMP);

#include "image.h"
