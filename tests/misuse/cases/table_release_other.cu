/* expect: cmk: CMK_TABLE_RELEASE: slot must be a slot of this table */
/* do: the name of the table from which it was taken */
#include <cmk/table.h>

CMK_TABLE_SLOTS(CONSTANT, float, weights, [3], 2);
CMK_TABLE_SLOTS(CONSTANT, float, others, [3], 2);

int main(void)
{
    const float taps[3] = {1, 2, 1};
    others_table slot;
    return CMK_TABLE_TAKE(others, slot, taps, 0) != cudaSuccess || CMK_TABLE_RELEASE(weights, slot, 0) != cudaSuccess;
}
