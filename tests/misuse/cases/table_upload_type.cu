/* expect: cmk: CMK_TABLE_UPLOAD: source must point to elements of the type of the table */
#include <cmk/table.h>

CMK_TABLE(CONSTANT, float, weights, [3]);

int main(void)
{
    const double taps[3] = {0.25, 0.5, 0.25};
    return CMK_TABLE_UPLOAD(weights, taps, 0, 3) != cudaSuccess;
}
