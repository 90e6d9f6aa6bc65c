/* expect c++ cuda: cmk: span.h: rows must be contiguous: layout_right, or layout_stride with a last stride of 1 */
/* because: a kernel reads along rows; the columns of layout_left are the rows of its transpose */
/* do: the view of the transpose, with its sizes exchanged, and the transpose of the filter */
#include <cmk/cmk.h>
#include <cmk/span.h>
#include "../../consumers/views.h"

CMK_TABLE(CONSTANT, float, weights, [3][3]);
CMK_DEFINE_CONV2D(blur, float, 3, 3, weights, CMK_EDGE_ZERO);

#if defined(__cplusplus)
cudaError_t call(float *memory)
{
    typedef cs::dextents<size_t, 2> sizes;
    cs::mdspan<const float, sizes> in(memory, 8, 8);
    cs::mdspan<float, sizes, cs::layout_left> out(memory + 64, 8, 8);
    return CMK_SPAN_CALL(blur, in, out, weights, 0);
}
#endif
