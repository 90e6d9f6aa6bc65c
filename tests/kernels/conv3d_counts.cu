/* conv3d_counts.cu: what the counters of count.h say of CMK_DEFINE_CONV3D and CMK_DEFINE_SEPARABLE3D: two operations
 * for each tap and output, reads of shared memory without bank conflicts, and how many sectors of the output are
 * written. */
#define CMK_COUNT 1
#include <cmk/cmk.h>
#include "tap.h"

CMK_TABLE_VALUES(LITERAL, float, cube, [6], 1, 2, 3, 4, 5, 6);
CMK_TABLE_VALUES(LITERAL, double, line, [5], 1, 2, 3, 2, 1);
CMK_DEFINE_CONV3D(box, float, (2, 3, 1), cube, CMK_EDGE_CLAMP);
CMK_DEFINE_SEPARABLE3D(smooth, double, 2, (line, line, line), CMK_EDGE_WRAP);

enum { room = 16 * 40 * 256 * 8 };

static void *in, *out;

/* One kernel's counts. It writes `most` sectors at most, and exactly these where rows are aligned. */
static void counted(const char *kernel, cudaError_t launched, size_t points, int taps, size_t most, int aligned)
{
    const cmk_i64 operations = cmk_count(kernel, CMK_COUNT_OPERATIONS_DONE);
    const cmk_i64 sectors = cmk_count(kernel, CMK_COUNT_GLOBAL_STORE_SECTORS);
    tap_check(launched == cudaSuccess && operations == 2 * taps * (cmk_i64)points,
              "%s: %lld operations at %zu points of %d taps", kernel, operations, points, taps);
    tap_check(cmk_count(kernel, CMK_COUNT_SHARED_LOAD_CONFLICTS) == 0, "%s: reads without bank conflicts", kernel);
    tap_check(aligned ? sectors == (cmk_i64)most : sectors <= (cmk_i64)most, "%s: %lld sectors of %zu are written",
              kernel, sectors, most);
    cmk_count_clear();
}

/* Whole vectors write each sector once, stores of 32 elements at most 5 sectors each, and other stores one for each
 * element. */
static void volume(size_t planes, size_t rows, size_t columns)
{
    const size_t step = rows * columns, points = planes * step;
    const int aligned = columns % 128 == 0;
    cudaError_t error =
        box((const float *)in, columns, step, (float *)out, columns, step, planes, rows, columns, cube, 0);
    counted("box_kernel", error, points, 2 * 3 * 1, aligned ? points / 8 : 5 * planes * rows * ((columns + 31) / 32),
            aligned);
    error = smooth((const double *)in, columns, step, (double *)out, columns, step, planes, rows, columns, line, line,
                   line, 0);
    counted("smooth_kernel", error, points, 3 * 5, aligned ? points / 4 : points, aligned);
}

int main(void)
{
    CMK_CHECK(cudaMalloc(&in, room));
    CMK_CHECK(cudaMalloc(&out, room));
    CMK_CHECK(cudaMemset(in, 0, room));
    volume(1, 1, 1);
    volume(3, 35, 131);
    volume(16, 40, 256);
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
    return tap_done();
}
