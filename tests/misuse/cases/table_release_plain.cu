/* expect: cmk: CMK_TABLE_RELEASE: the table has no slots: CMK_TABLE_SLOTS */
/* do: nothing: only what was taken is released */
#include <cmk/table.h>

CMK_TABLE(PARAMETER, float, weights, [3]);

int main(void)
{
    return CMK_TABLE_RELEASE(weights, weights, 0) != cudaSuccess;
}
