/* expect: cmk: CMK_TABLE_TAKE: source must point to elements of the type of the table */
/* because: bytes are copied */
/* do: an array of the table's type */
#include <cmk/table.h>

CMK_TABLE_SLOTS(PARAMETER, float, weights, [3], 2);

int main(void)
{
    const int taps[3] = {1, 2, 1};
    weights_table slot;
    return CMK_TABLE_TAKE(weights, slot, taps, 0) != cudaSuccess;
}
