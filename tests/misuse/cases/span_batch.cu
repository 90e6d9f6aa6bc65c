/* expect c++ cuda: blur_batch_call */
/* says: `blur_batch_call` is undeclared */
/* because: the sizes of a batch stand in another order than those of a volume */
/* do: CMK_SPAN_BATCH of the name without _batch */
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
    return CMK_SPAN_CALL(blur_batch, in, out, weights, 0);
}
#endif
