/* expect c: neither array nor pointer */
/* expect c++: invalid types */
/* expect cuda: expression must have pointer-to-object type */
/* says: `subscripted value is neither array nor pointer`, `expression must have pointer-to-object type` */
/* because: the table has fewer dimensions */
/* do: as many indices as SHAPE has, or one that counts all elements */
#include <cmk/table.h>

CMK_TABLE(CONSTANT, float, weights, [5]);

__global__ void scale(float *data)
{
    data[threadIdx.x] *= CMK_TABLE_AT(weights, 1, 2, 3);
}
