/* scales: what tensor cores filter by taps of rows whose magnitudes are far apart, against sums in double. Then each
 * two rows of taps have a scale of their own. An output may be off by taps x epsilon x sum |w||x|. */
#if !defined(CMK_TENSOR)
#define CMK_TENSOR 1
#endif
#include "short_floats.h"
#include <cmk/check.h>
#include <cmk/kernel/conv2d.h>
#include <math.h>
#include "random.h"
#include "tap.h"

enum { ROWS = 41, COLUMNS = 530, SIDE = 15, BESIDE = SIDE / 2 };

CMK_TABLE(CONSTANT, float, taps, [SIDE][SIDE]);
CMK_DEFINE_CONV2D(filter, float, SIDE, SIDE, taps, CMK_EDGE_ZERO);
#if TEST_HAS_half
CMK_DEFINE_CONV2D_AS(filter_halves, CORRELATION, (test_half, float, float, 1), (SIDE, SIDE), (BESIDE, BESIDE), taps,
                     (CMK_EDGE_ZERO, 0));
#endif

static float drawn(void)
{
    return ((float)below(1 << 20) + 1.0f) / (1 << 20);
}

/* the largest error of an output over sum |w||x|, in epsilon */
static double judged(const float *in, const float *out, const float *w)
{
    double largest = 0.0;
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < COLUMNS; ++x) {
            double sum = 0.0, size = 0.0;
            for (int r = 0; r < SIDE; ++r)
                for (int c = 0; c < SIDE; ++c) {
                    const int row = y + r - BESIDE, column = x + c - BESIDE;
                    if (row < 0 || row >= ROWS || column < 0 || column >= COLUMNS) continue;
                    const double term = (double)w[r * SIDE + c] * in[row * COLUMNS + column];
                    sum += term;
                    size += fabs(term);
                }
            const double off = fabs(out[y * COLUMNS + x] - sum) / size * 0x1p24;
            largest = off <= largest ? largest : off;
        }
    return largest;
}

#if TEST_HAS_half
static void check_halves(const float *in, float *device_out, const float *w, int powers)
{
    static test_half halves[ROWS * COLUMNS];
    static float out[ROWS * COLUMNS];
    test_half *device_in;
    for (int i = 0; i < ROWS * COLUMNS; ++i) halves[i] = (test_half)in[i];
    CMK_CHECK(cudaMalloc((void **)&device_in, sizeof halves));
    CMK_CHECK(cudaMemcpy(device_in, halves, sizeof halves, cudaMemcpyHostToDevice));
    CMK_CHECK(filter_halves(device_in, COLUMNS, device_out, COLUMNS, ROWS, COLUMNS, taps, 0));
    CMK_CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaFree(device_in));
    const double largest = judged(in, out, w);
    tap_check(largest <= SIDE * SIDE, "halves, rows of taps 2^%d apart: off by %.1f epsilon", powers, largest);
}
#endif

int main(void)
{
    static float in[ROWS * COLUMNS], out[ROWS * COLUMNS], w[SIDE * SIDE];
    float *device_in, *device_out;
    tap_need_device();
    CMK_CHECK(cudaMalloc((void **)&device_in, sizeof in));
    CMK_CHECK(cudaMalloc((void **)&device_out, sizeof out));
    for (int powers = 0; powers < 6; ++powers) {
        for (int i = 0; i < ROWS * COLUMNS; ++i) in[i] = ((float)below(1 << 11) + 1.0f) / (1 << 11); /* halves */
        for (int i = 0; i < SIDE * SIDE; ++i)
            w[i] = (float)(ldexp((double)drawn() + 0.01, -powers * (i / SIDE)) * (below(2) ? 1.0 : -1.0));
        CMK_CHECK(CMK_TABLE_UPLOAD(taps, w, 0, SIDE * SIDE));
        CMK_CHECK(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
        CMK_CHECK(filter(device_in, COLUMNS, device_out, COLUMNS, ROWS, COLUMNS, taps, 0));
        CMK_CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
        const double largest = judged(in, out, w);
        tap_check(largest <= SIDE * SIDE, "rows of taps 2^%d apart: off by %.1f epsilon", powers, largest);
#if TEST_HAS_half
        check_halves(in, device_out, w, powers);
#endif
    }
    CMK_CHECK(cudaFree(device_in));
    CMK_CHECK(cudaFree(device_out));
    return tap_done();
}
