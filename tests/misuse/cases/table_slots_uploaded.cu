/* expect: cmk: CMK_TABLE_UPLOAD: a table with slots is filled by CMK_TABLE_TAKE */
/* because: an upload would not know which slot */
/* do: `CMK_TABLE_TAKE(weights, slot, source, stream)` */
#include <cmk/table.h>

CMK_TABLE_SLOTS(CONSTANT, float, weights, [3], 2);

int main(void)
{
    const float taps[3] = {1, 2, 1};
    return CMK_TABLE_UPLOAD(weights, taps, 0, 3) != cudaSuccess;
}
