/* expect: cmk: CMK_TABLE_UPLOAD: source must point to elements of the type of the table */
/* because: bytes are copied: doubles in a table of floats would be nonsense */
/* do: an array of the table's type (`cmk_filter_float` makes one); a cast of a `void *` */
#include <cmk/table.h>

CMK_TABLE(CONSTANT, float, weights, [3]);

int main(void)
{
    const double taps[3] = {0.25, 0.5, 0.25};
    return CMK_TABLE_UPLOAD(weights, taps, 0, 3) != cudaSuccess;
}
