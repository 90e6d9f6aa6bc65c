/* expect: cmk: CMK_TABLE_RELEASE: the table has no slots: CMK_TABLE_SLOTS */
#include <cmk/table.h>

CMK_TABLE(PARAMETER, float, weights, [3]);

int main(void)
{
    return CMK_TABLE_RELEASE(weights, weights, 0) != cudaSuccess;
}
