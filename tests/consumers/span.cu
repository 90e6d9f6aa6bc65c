/* span.cu: each launcher called with views does what the same call with pitches does; exit status 0 when all is right.
 */
#include <cmk/cmk.h>
#include <cmk/span.h>

#include "views.h"

using plane = cs::dextents<size_t, 2>;
using space = cs::dextents<size_t, 3>;

CMK_TABLE_VALUES(LITERAL, float, line_taps, [3], 1, 2, 4);
CMK_TABLE_VALUES(CONSTANT, float, image_taps, [3][3], { 1, 2, 3 }, {4, 5, 6}, {7, 8, 9});
CMK_TABLE_VALUES(LITERAL, float, volume_taps, [1][3][3], {
    {1, 2, 3}, {4, 5, 6},
    {
        7, 8, 9
    }
});
CMK_DEFINE_STENCIL1D(smooth, float, 1, CMK_STENCIL_1D, line_taps, CMK_EDGE_ZERO);
CMK_DEFINE_CONV2D(blur, float, 3, 3, image_taps, CMK_EDGE_CLAMP);
CMK_DEFINE_CONV3D(sharpen, float, (1, 3, 3), volume_taps, CMK_EDGE_ZERO);
CMK_DEFINE_TRANSPOSE(turn, float);

enum { COUNT = 4096, PLANES = 3, ROWS = 7, COLUMNS = 11, PITCH = 16, STEP = 128 };

static float *in, *out, *wanted;
static int wrong;

static void compare(const char *what)
{
    CMK_CHECK(cudaDeviceSynchronize());
    int differ = 0, written = 0;
    for (int k = 0; k < COUNT; ++k) differ += !(out[k] == wanted[k]), written += !(out[k] == -1.0f);
    if (differ || written == 0) printf("%s: %d of %d differ\n", what, differ, written);
    wrong += differ > 0 || written == 0;
    for (int k = 0; k < COUNT; ++k) out[k] = wanted[k] = -1.0f;
}

template <class extents> static auto strided(float *memory, extents sizes, cs::array<size_t, extents::rank()> strides)
{
    return cs::mdspan<float, extents, cs::layout_stride>(memory, cs::layout_stride::mapping<extents>(sizes, strides));
}

static void lines(void)
{
    CMK_CHECK(smooth(in, wanted, 100, line_taps, 0));
    CMK_CHECK(CMK_SPAN_CALL(smooth, cs::span<const float>(in, 100), cs::span<float>(out, 100), line_taps, 0));
    compare("a span");
    cs::mdspan<const float, cs::dextents<int, 1>> line(in, 100);
    CMK_CHECK(smooth(in, wanted, 100, line_taps, 0));
    CMK_CHECK(CMK_SPAN_CALL(smooth, line, cs::span<float>(out, 100), line_taps, 0));
    compare("an mdspan of rank 1");
}

static void images(void)
{
    cs::mdspan<const float, plane> from(in, ROWS, COLUMNS);
    cs::mdspan<float, plane> to(out, ROWS, COLUMNS);
    CMK_CHECK(blur(in, COLUMNS, wanted, COLUMNS, ROWS, COLUMNS, image_taps, 0));
    CMK_CHECK(CMK_SPAN_CALL(blur, from, to, image_taps, 0));
    compare("layout_right");
    auto pitched = strided(out, plane(ROWS, COLUMNS), {PITCH, 1});
    CMK_CHECK(blur(in, COLUMNS, wanted, PITCH, ROWS, COLUMNS, image_taps, 0));
    CMK_CHECK(CMK_SPAN_CALL(blur, from, pitched, image_taps, 0));
    compare("layout_stride");
    CMK_CHECK(turn(in, COLUMNS, wanted, PITCH, ROWS, COLUMNS, 0));
    CMK_CHECK(CMK_SPAN_TRANSPOSE(turn, from, strided(out, plane(COLUMNS, ROWS), {PITCH, 1}), 0));
    compare("a transpose");
}

static void volumes(void)
{
    auto from = strided(in, space(PLANES, ROWS, COLUMNS), {STEP, PITCH, 1});
    auto to = strided(out, space(PLANES, ROWS, COLUMNS), {2 * STEP, 2 * PITCH, 1});
    CMK_CHECK(sharpen(in, PITCH, STEP, wanted, 2 * PITCH, 2 * STEP, PLANES, ROWS, COLUMNS, volume_taps, 0));
    CMK_CHECK(CMK_SPAN_CALL(sharpen, from, to, volume_taps, 0));
    compare("a volume");
    CMK_CHECK(blur_batch(in, PITCH, STEP, wanted, 2 * PITCH, 2 * STEP, ROWS, COLUMNS, PLANES, image_taps, 0));
    CMK_CHECK(CMK_SPAN_BATCH(blur, from, to, image_taps, 0));
    compare("a batch");
}

static void refused(void)
{
    cs::mdspan<float, plane> from(in, ROWS, COLUMNS), larger(out, ROWS, COLUMNS + 1);
    auto apart = strided(out, plane(ROWS, COLUMNS), {2 * COLUMNS, 2});
    wrong += CMK_SPAN_CALL(blur, from, larger, image_taps, 0) != cudaErrorInvalidValue;
    wrong += CMK_SPAN_CALL(blur, from, apart, image_taps, 0) != cudaErrorInvalidValue;
    wrong += CMK_SPAN_TRANSPOSE(turn, from, from, 0) != cudaErrorInvalidValue;
}

int main(void)
{
    CMK_CHECK(cudaMallocManaged((void **)&in, COUNT * sizeof(float), cudaMemAttachGlobal));
    CMK_CHECK(cudaMallocManaged((void **)&out, COUNT * sizeof(float), cudaMemAttachGlobal));
    CMK_CHECK(cudaMallocManaged((void **)&wanted, COUNT * sizeof(float), cudaMemAttachGlobal));
    for (int k = 0; k < COUNT; ++k) in[k] = (float)(k * 7919 % 101), out[k] = wanted[k] = -1.0f;
    lines();
    images();
    volumes();
    refused();
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
    CMK_CHECK(cudaFree(wanted));
    return wrong;
}
