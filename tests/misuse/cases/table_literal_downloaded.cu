/* expect: cmk: CMK_TABLE_DOWNLOAD: a LITERAL table and one with slots cannot be read back */
/* because: the one is in the instructions, the others are filled from the host */
/* do: keep the host's copy */
#include <cmk/table.h>

CMK_TABLE_VALUES(LITERAL, float, weights, [3], 1, 2, 1);

int main(void)
{
    float taps[3];
    return CMK_TABLE_DOWNLOAD(weights, taps, 0, 3) != cudaSuccess;
}
