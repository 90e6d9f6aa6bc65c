/* expect: cmk: CMK_TABLE_DOWNLOAD: target must point to elements of the type of the table */
/* because: bytes are copied */
/* do: an array of the table's type */
#include <cmk/table.h>

CMK_TABLE(GLOBAL, float, weights, [3]);

int main(void)
{
    double taps[3];
    return CMK_TABLE_DOWNLOAD_ASYNC(weights, taps, 0, 3, 0) != cudaSuccess;
}
