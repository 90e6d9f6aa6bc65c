/* stencils.h: the row of a stencil of kernel/stencil2d.h or stencil3d.h, verified at every point; for
 * bench/stencils.cu.
 *
 *   field(i)                      buffer i of the program, in which random numbers or old values are; bytes from begin
 *   refresh<T>(count)             random numbers in all buffers, and the copies that a judge reads
 *   around<T> u = {old(i), grid}; u(z, y, x) is a value of the old buffer i in double, 0 outside
 *   judge(name, got, shape, most, expected);      compares got with expected(z, y, x) in every point
 *   time(name, points, bytes, operations, step);  the row of step(), a launch */
#ifndef BENCH_STENCILS_H
#define BENCH_STENCILS_H

#include "bench.h"

typedef struct {
    long long planes, rows, columns, pitch; /* rows follow one another across planes */
} shape;

enum { buffers_most = 40 };
static void *now[buffers_most], *before[buffers_most];

template <class T> struct around {
    const void *values;
    shape s;
    __device__ double operator()(long long z, long long y, long long x) const
    {
        if (z < 0 || y < 0 || x < 0 || z >= s.planes || y >= s.rows || x >= s.columns) return 0.0;
        return (double)((const T *)values)[(z * s.rows + y) * s.pitch + x];
    }
};

template <class T> static around<T> old(int i, shape s)
{
    return {before[i], s};
}

template <class T, class EXPECTED> __global__ void compare(const T *got, shape s, EXPECTED expected)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < s.planes * s.rows * s.columns;
         i += (long long)gridDim.x * blockDim.x) {
        const long long z = i / (s.rows * s.columns), y = i / s.columns % s.rows, x = i % s.columns;
        note_error(fabs((double)got[(z * s.rows + y) * s.pitch + x] - expected(z, y, x)));
    }
}

/* buffers 0 to count - 1 */
template <class T> static void refresh(int count, shape s)
{
    const size_t elements = (size_t)(s.planes * s.rows * s.pitch);
    for (int i = 0; i < count; ++i) {
        CMK_CHECK(CMK_LAUNCH(random_fill<T>, 4096, 256, 0, 0, (T *)now[i], elements, 7u * (unsigned)i + 1));
        CMK_CHECK(cudaMemcpy(before[i], now[i], elements * sizeof(T), cudaMemcpyDeviceToDevice));
    }
}

template <class T, class EXPECTED>
static float judge(const char *name, const T *got, shape s, float most, EXPECTED expected)
{
    forget_errors();
    CMK_CHECK(CMK_LAUNCH((compare<T, EXPECTED>), 132 * 16, 256, 0, 0, got, s, expected));
    return largest_error(name, most);
}

template <class STEP>
static void time_row(const char *name, shape s, double bytes, double operations, float error, STEP step)
{
    float ms;
    CMK_CHECK_TIME(ms, 31, step());
    row(name, (double)(s.planes * s.rows * s.columns), bytes, operations, ms, error);
}

#endif
