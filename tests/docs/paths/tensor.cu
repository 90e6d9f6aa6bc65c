#define CMK_TENSOR 1 /* the tensor cores of sm_90a, computed on the CPU */
#include <cmk/cmk.h>

static const float values[11 * 11] = {1.0f};
CMK_TABLE(CONSTANT, float, weights, [11][11]);
CMK_DEFINE_CONV2D(blur, float, 11, 11, weights, CMK_EDGE_CLAMP);

#include "image.h"
