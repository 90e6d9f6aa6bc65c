/* expect: cmk: CMK_TABLE_TAKE: the table has no slots: CMK_TABLE_SLOTS */
/* do: `CMK_TABLE_SLOTS` in place of `CMK_TABLE`, or `CMK_TABLE_UPLOAD` */
#include <cmk/table.h>

CMK_TABLE(PARAMETER, float, weights, [3]);

int main(void)
{
    const float taps[3] = {1, 2, 1};
    weights_table slot;
    return CMK_TABLE_TAKE(weights, slot, taps, 0) != cudaSuccess;
}
