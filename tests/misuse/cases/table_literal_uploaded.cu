/* expect: cmk: CMK_TABLE_UPLOAD: a LITERAL table cannot be changed */
/* because: its values are in the instructions */
/* do: another source */
#include <cmk/table.h>

CMK_TABLE_VALUES(LITERAL, float, weights, [3], 1.0f, 2.0f, 3.0f);

__global__ void scale(float *data)
{
    data[threadIdx.x] *= CMK_TABLE_AT(weights, 1);
}

int main(void)
{
    const float reversed[3] = {3.0f, 2.0f, 1.0f};
    return CMK_TABLE_UPLOAD(weights, reversed, 0, 3) != cudaSuccess;
}
