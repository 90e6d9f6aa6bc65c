/* stencils.h: the row of a stencil of kernel/stencil2d.h or stencil3d.h, verified at every point; for
 * bench/stencils2d.cu, stencils3d.cu and, but for its rows, bench/steps.h.
 *
 *   TAP(k), exact[k]                     the taps of all stars, from the centre outwards: a table, and for judges
 *   U(dy, dx), V(dz, dy, dx)             the field u around a point
 *   make_buffers();                      in main: now[i] and before[i], of field_most elements each
 *   dense(planes, rows, columns), pitched(...)       shapes: rows without a gap; rows of whole 128 bytes of floats
 *   PLANE_GRID(name, s), CUBE_GRID(name, s)          a name_grid of this shape
 *   NAMED(text)                          "text, size", where the caller has char name[64] and const char *size
 *   fill<T>(buffers, count, s);          random numbers in the first of these buffers, the same in each call
 *   refresh<T>(count, s);                random numbers in now[], and the same in before[], which a judge reads
 *   around<T> u = old<T>(i, s);          u(z, y, x) is a value of before[i] in double, 0 outside
 *   judge(name, got, s, most, expected);                compares got with expected(z, y, x) in every point
 *   time_row(name, s, bytes, operations, error, step);  the row of step(), a launch */
#ifndef BENCH_STENCILS_H
#define BENCH_STENCILS_H

#include "bench.h"

#define TAPS 2.1f, 0.31f, -0.17f, 0.07f, -0.03f
CMK_TABLE_VALUES(LITERAL, float, tap, [5], TAPS);
#define TAP(k) CMK_TABLE_AT(tap, k)
__device__ const double exact[5] = {TAPS};
#define U(dy, dx) CMK_POINT_AT(u, dy, dx)
#define V(dz, dy, dx) CMK_POINT_AT(u, dz, dy, dx)

typedef struct {
    long long planes, rows, columns, pitch; /* rows follow one another across planes */
} shape;

static shape dense(long long planes, long long rows, long long columns)
{
    return {planes, rows, columns, columns};
}

static shape pitched(long long planes, long long rows, long long columns)
{
    return {planes, rows, columns, (columns + 31) / 32 * 32};
}

#define PLANE_GRID(name, s) name##_domain((size_t)s.rows, (size_t)s.columns, (size_t)s.pitch)
#define CUBE_GRID(name, s)                                                                                             \
    name##_domain((size_t)s.planes, (size_t)s.rows, (size_t)s.columns, (size_t)(s.rows * s.pitch), (size_t)s.pitch)
#define NAMED(text) (snprintf(name, sizeof name, text ", %s", size), name)

enum { buffers = 18, buffers_double = 3 }; /* of all; of those whose elements may be double */
static const size_t field_most = 16384ull * 16512;
static void *now[buffers], *before[buffers];

static void make_buffers(void)
{
    for (int i = 0; i < buffers; ++i) {
        const size_t bytes = field_most * (i < buffers_double ? 8 : 4);
        CMK_CHECK(cudaMalloc(&now[i], bytes));
        CMK_CHECK(cudaMalloc(&before[i], bytes));
    }
}

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

static size_t elements_of(shape s)
{
    return (size_t)(s.planes * s.rows * s.pitch);
}

template <class T> static void fill(void **all, int count, shape s)
{
    for (int i = 0; i < count; ++i)
        CMK_CHECK(CMK_LAUNCH(random_fill<T>, 4096, 256, 0, 0, (T *)all[i], elements_of(s), 7u * (unsigned)i + 1));
}

template <class T> static void refresh(int count, shape s)
{
    fill<T>(now, count, s);
    for (int i = 0; i < count; ++i)
        CMK_CHECK(cudaMemcpy(before[i], now[i], elements_of(s) * sizeof(T), cudaMemcpyDeviceToDevice));
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
