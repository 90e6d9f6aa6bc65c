/* expect c++ cuda: cmk: span.h: a view must have the rank of the function: lines 1, images 2, volumes and batches 3 */
/* do: a view of that rank; several images are a CMK_SPAN_BATCH */
#include <cmk/cmk.h>
#include <cmk/span.h>
#include "../../consumers/views.h"

CMK_TABLE(CONSTANT, float, weights, [3][3]);
CMK_DEFINE_CONV2D(blur, float, 3, 3, weights, CMK_EDGE_ZERO);

#if defined(__cplusplus)
cudaError_t call(float *memory)
{
    cs::mdspan<const float, cs::dextents<size_t, 3>> in(memory, 2, 8, 8);
    cs::mdspan<float, cs::dextents<size_t, 3>> out(memory + 128, 2, 8, 8);
    return CMK_SPAN_CALL(blur, in, out, weights, 0);
}
#endif
