/* one of two translation units of a program, compiled with -DUNIT=0 and -DUNIT=1: both define the same names,
 * each with a table of its own */
#include <cmk/cmk.h>
#include "units.h"

#define COUNT 100
#define NAME_OF(unit) NAME_WITH(unit)
#define NAME_WITH(unit) unit_##unit

CMK_TABLE(CONSTANT, float, weights, [1]);
CMK_DEFINE_STENCIL1D(scale, float, 0, CMK_STENCIL_1D, weights, CMK_EDGE_ZERO);

static __global__ void add_weight(float *data, cmk_i64 count)
{
    const cmk_i64 i = (cmk_i64)blockIdx.x * 32 + (cmk_i64)threadIdx.x;
    if (i < count) data[i] += CMK_TABLE_AT(weights, 0);
}

static void upload(void)
{
    const float weight = UNIT + 2.0f;
    CMK_CHECK(CMK_TABLE_UPLOAD(weights, &weight, 0, 1));
}

/* how many elements differ from 3 weight + weight */
static int launch(const float *threes)
{
    float *in, *out, result[COUNT];
    int wrong = 0;
    CMK_CHECK(cudaMalloc((void **)&in, sizeof result));
    CMK_CHECK(cudaMalloc((void **)&out, sizeof result));
    CMK_CHECK(cudaMemcpy(in, threes, sizeof result, cudaMemcpyHostToDevice));
    CMK_CHECK(scale(in, out, COUNT, weights, 0));
    CMK_CHECK(CMK_LAUNCH(add_weight, (COUNT + 31) / 32, 32, 0, 0, out, COUNT));
    CMK_CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; ++i) wrong += !(result[i] >= 4 * (UNIT + 2) && result[i] <= 4 * (UNIT + 2));
    return wrong;
}

const struct unit NAME_OF(UNIT) = {upload, launch};
