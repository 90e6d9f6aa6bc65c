/* Each kind of definition at odd sizes, against plain loops in double: debug.py builds it by nvcc -G, where engines are
 * other code than in a release build, and it is run on the CPU backend too. */
#include <cmk/cmk.h>
#include "point/plain.h"

#define CONV2D(name, T, CHANNELS, SIDE, EDGE)                                                                          \
    CMK_TABLE(CONSTANT, float, name##_taps, [SIDE][SIDE]);                                                             \
    CMK_DEFINE_CONV2D_AS(name, CORRELATION, (T, float, T, CHANNELS), (SIDE, SIDE), ((SIDE) / 2, (SIDE) / 2),           \
                         name##_taps, (EDGE, 0))

CONV2D(small, float, 1, 3, CMK_EDGE_CLAMP);
CONV2D(middle, float, 1, 15, CMK_EDGE_REFLECT);
CONV2D(large, float, 1, 33, CMK_EDGE_ZERO);
CONV2D(grey, unsigned char, 1, 3, CMK_EDGE_MIRROR);
CONV2D(colour, unsigned char, 3, 5, CMK_EDGE_WRAP);
CMK_TABLE(PARAMETER, float, line_taps, [9]);
CMK_TABLE(CONSTANT, float, long_taps, [61]);
CMK_DEFINE_SEPARABLE(smooth, float, 4, line_taps, line_taps, CMK_EDGE_WRAP);
CMK_TABLE(CONSTANT, float, volume_taps, [3][3][5]);
CMK_DEFINE_CONV3D(blur, float, (3, 3, 5), volume_taps, CMK_EDGE_REFLECT);
CMK_DEFINE_SEPARABLE3D(smooth_volume, float, 4, (line_taps, line_taps, line_taps), CMK_EDGE_CLAMP);
CMK_DEFINE_STENCIL1D(line, float, 4, CMK_STENCIL_1D, line_taps, CMK_EDGE_MIRROR);
CMK_DEFINE_STENCIL1D(long_line, float, 30, CMK_STENCIL_1D, long_taps, CMK_EDGE_ZERO);
CMK_DEFINE_TRANSPOSE(turn, float);

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, float, k)
CMK_POINT_2D(heat, HEAT)
{
    const float beside = CMK_POINT_AT(u, 0, -1) + CMK_POINT_AT(u, 0, 1);
    const float all = CMK_POINT_AT(u, -1, 0) + CMK_POINT_AT(u, 1, 0) + beside;
    CMK_POINT_SET(u, CMK_POINT_HERE(u) + k * (all - 4.0f * CMK_POINT_HERE(u)));
}
CMK_DEFINE_STENCIL2D(heat, HEAT);

CMK_POINT_3D(heat3d, HEAT)
{
    const float beside = CMK_POINT_AT(u, 0, 0, -1) + CMK_POINT_AT(u, 0, 0, 1) + CMK_POINT_AT(u, 0, -1, 0);
    const float all = CMK_POINT_AT(u, -1, 0, 0) + CMK_POINT_AT(u, 1, 0, 0) + CMK_POINT_AT(u, 0, 1, 0) + beside;
    CMK_POINT_SET(u, CMK_POINT_HERE(u) + k * (all - 6.0f * CMK_POINT_HERE(u)));
}
CMK_DEFINE_STENCIL3D(heat3d, HEAT);
CMK_DEFINE_BORDERED(heat3d, HEAT);

/* ---- Filters. taps: of a filter of planes x rows x columns, as a table gets them. */

static float taps[33 * 33];

/* such that sums of bytes are floats without an error */
static void draw_taps(int count)
{
    int unit = 64;
    while (unit < 64 * count) unit *= 2;
    for (int k = 0; k < count; ++k) taps[k] = (float)(1 + rand() % 64) / (float)unit;
}

/* the element at a place of a field of pixels, whose channels lie side by side */
static double pixel_value(const plain_field *f, int z, int y, int x, int channels)
{
    int odd = 0;
    const int channel = (x % channels + channels) % channels;
    const long long pixel = edge_walk_sides(f->edges[2], (x - channel) / channels, f->columns / channels, &odd);
    return pixel < 0 ? f->outside : plain_value(f, z, y, (int)pixel * channels + channel);
}

static void filter_plainly(plain_field *f, const int *size, int channels, int separable, int rounds)
{
    PLAIN_EACH(*f, z, y, x)
    {
        double sum = 0.0;
        for (int k = 0; k < size[0] * size[1] * size[2]; ++k) {
            const int p = k / (size[1] * size[2]), r = k / size[2] % size[1], c = k % size[2];
            const double down = (double)taps[r] * (size[0] > 1 ? (double)taps[p] : 1.0);
            sum += (separable ? down * (double)taps[c] : (double)taps[k]) *
                   pixel_value(f, z + p - size[0] / 2, y + r - size[1] / 2, x + (c - size[2] / 2) * channels, channels);
        }
        plain_set(f, z, y, x, rounds ? fmin(fmax(rint(sum), 0.0), 255.0) : sum);
    }
    plain_advance(f);
}

#define TEST_CONV2D(name, T, CHANNELS, SIDE, EDGE, ROWS, COLUMNS, TOLERANCE)                                           \
    do {                                                                                                               \
        const int size[3] = {1, SIDE, SIDE}, rounds = sizeof(T) == 1, width = (COLUMNS) * (CHANNELS);                  \
        plain_field f = plain_make(1, ROWS, width, EDGE, 0.0, rounds ? 255.0 : 1.0);                                   \
        for (int k = 0; rounds && k < (ROWS)*width; ++k) f.now[k] = floor(f.now[k]);                                   \
        T *const in = (T *)plain_upload(&f, sizeof(T), (size_t)width + 3);                                             \
        T *const out = (T *)plain_upload(&f, sizeof(T), (size_t)width);                                                \
        draw_taps((SIDE) * (SIDE));                                                                                    \
        CMK_CHECK(CMK_TABLE_UPLOAD(name##_taps, taps, 0, (SIDE) * (SIDE)));                                            \
        CMK_CHECK(name(in, (size_t)width + 3, out, (size_t)width, ROWS, COLUMNS, name##_taps, 0));                     \
        filter_plainly(&f, size, CHANNELS, 0, rounds);                                                                 \
        PLAIN_CHECK(T, out, f, (size_t)width, TOLERANCE, "conv2d " #name);                                             \
    } while (0)

static void test_conv2d(void)
{
    TEST_CONV2D(small, float, 1, 3, CMK_EDGE_CLAMP, 37, 301, 1e-6);
    TEST_CONV2D(middle, float, 1, 15, CMK_EDGE_REFLECT, 41, 299, 1e-5);
    TEST_CONV2D(large, float, 1, 33, CMK_EDGE_ZERO, 35, 211, 1e-4);
    TEST_CONV2D(grey, unsigned char, 1, 3, CMK_EDGE_MIRROR, 29, 203, 0.0);
    TEST_CONV2D(colour, unsigned char, 3, 5, CMK_EDGE_WRAP, 27, 101, 0.0);
}

static void test_separable(void)
{
    const int size[3] = {1, 9, 9};
    plain_field f = plain_make(1, 43, 277, CMK_EDGE_WRAP, 0.0, 1.0);
    float *const in = (float *)plain_upload(&f, 4, 280), *const out = (float *)plain_upload(&f, 4, 277);
    draw_taps(9);
    CMK_CHECK(CMK_TABLE_UPLOAD(line_taps, taps, 0, 9));
    CMK_CHECK(smooth(in, 280, out, 277, 43, 277, line_taps, line_taps, 0));
    filter_plainly(&f, size, 1, 1, 0);
    PLAIN_CHECK(float, out, f, 277, 1e-5, "separable");
}

static void test_volumes(void)
{
    const int size[3] = {3, 3, 5}, wide[3] = {9, 9, 9};
    plain_field f = plain_make(7, 19, 75, CMK_EDGE_REFLECT, 0.0, 1.0);
    plain_field g = plain_make(11, 13, 69, CMK_EDGE_CLAMP, 0.0, 1.0);
    float *const in = (float *)plain_upload(&f, 4, 77), *const out = (float *)plain_upload(&f, 4, 75);
    float *const from = (float *)plain_upload(&g, 4, 69), *const to = (float *)plain_upload(&g, 4, 72);
    draw_taps(45);
    CMK_CHECK(CMK_TABLE_UPLOAD(volume_taps, taps, 0, 45));
    CMK_CHECK(blur(in, 77, 77 * 19, out, 75, 75 * 19, 7, 19, 75, volume_taps, 0));
    filter_plainly(&f, size, 1, 0, 0);
    PLAIN_CHECK(float, out, f, 75, 1e-5, "conv3d");
    draw_taps(9);
    CMK_CHECK(CMK_TABLE_UPLOAD(line_taps, taps, 0, 9));
    CMK_CHECK(smooth_volume(from, 69, 69 * 13, to, 72, 72 * 13, 11, 13, 69, line_taps, line_taps, line_taps, 0));
    filter_plainly(&g, wide, 1, 1, 0);
    PLAIN_CHECK(float, to, g, 72, 1e-5, "separable3d");
}

static void test_stencil1d(void)
{
    const int size[3] = {1, 1, 9}, wide[3] = {1, 1, 61};
    plain_field f = plain_make(1, 1, 4099, CMK_EDGE_MIRROR, 0.0, 1.0);
    plain_field g = plain_make(1, 1, 40007, CMK_EDGE_ZERO, 0.0, 1.0);
    float *const in = (float *)plain_upload(&f, 4, 4099), *const out = (float *)plain_upload(&f, 4, 4099);
    float *const from = (float *)plain_upload(&g, 4, 40007), *const to = (float *)plain_upload(&g, 4, 40007);
    draw_taps(9);
    CMK_CHECK(CMK_TABLE_UPLOAD(line_taps, taps, 0, 9));
    CMK_CHECK(line(in, out, 4099, line_taps, 0));
    filter_plainly(&f, size, 1, 0, 0);
    PLAIN_CHECK(float, out, f, 4099, 1e-6, "stencil1d of radius 4");
    draw_taps(61);
    CMK_CHECK(CMK_TABLE_UPLOAD(long_taps, taps, 0, 61));
    CMK_CHECK(long_line(from, to, 40007, long_taps, 0));
    filter_plainly(&g, wide, 1, 0, 0);
    PLAIN_CHECK(float, to, g, 40007, 1e-5, "stencil1d of radius 30");
}

static void test_transpose(void)
{
    plain_field f = plain_make(1, 67, 131, CMK_EDGE_ZERO, 0.0, 1.0), turned = plain_make(1, 131, 67, 0, 0.0, 1.0);
    float *const in = (float *)plain_upload(&f, 4, 133), *const out = (float *)plain_upload(&turned, 4, 67);
    CMK_CHECK(turn(in, 133, out, 67, 67, 131, 0));
    PLAIN_EACH(turned, z, y, x)
    plain_set(&turned, z, y, x, plain_value(&f, 0, x, y));
    plain_advance(&turned);
    PLAIN_CHECK(float, out, turned, 67, 0.0, "transpose");
}

/* ---- Stencils: steps of heat, in 2 or 3 dimensions */

static void heat_plainly(plain_field *f, int dims, int steps, double k)
{
    for (int step = 0; step < steps; ++step) {
        PLAIN_EACH(*f, z, y, x)
        {
            const double here = plain_value(f, z, y, x);
            double sum = -2.0 * dims * here;
            for (int to = -1; to <= 1; to += 2) {
                sum += plain_value(f, z, y + to, x) + plain_value(f, z, y, x + to);
                if (dims == 3) sum += plain_value(f, z + to, y, x);
            }
            plain_set(f, z, y, x, here + k * sum);
        }
        plain_advance(f);
    }
}

static void test_stencil2d(int rows, int columns, size_t pitch, int steps)
{
    plain_field f = plain_make(1, rows, columns, CMK_EDGE_CLAMP, 0.0, 1.0);
    heat_grid grid = heat_domain((size_t)rows, (size_t)columns, pitch);
    grid.u = (float *)plain_upload(&f, 4, pitch);
    grid.u_next = (float *)plain_upload(&f, 4, pitch);
    CMK_CHECK(heat_steps(&grid, (size_t)steps, 0.2f, 0));
    CMK_CHECK(heat(&grid, 0.2f, 0));
    heat_plainly(&f, 2, steps + 1, 0.2f);
    PLAIN_CHECK(float, grid.u, f, pitch, 1e-6, "stencil2d");
}

static void test_stencil3d(int planes, int rows, int columns, size_t pitch, int steps)
{
    plain_field f = plain_make(planes, rows, columns, CMK_EDGE_CLAMP, 0.0, 1.0);
    heat3d_grid grid = heat3d_domain((size_t)planes, (size_t)rows, (size_t)columns, pitch * (size_t)rows, pitch);
    cmk_point_border border = {{1, 0, 0}, {2, 0, 3}, NULL, 0};
    unsigned count = 0;
    grid.u = (float *)plain_upload(&f, 4, pitch);
    grid.u_next = (float *)plain_upload(&f, 4, pitch);
    CMK_CHECK(cudaMalloc((void **)&border.arrived, sizeof count));
    CMK_CHECK(cudaMemset(border.arrived, 0, sizeof count));
    CMK_CHECK(heat3d_steps(&grid, (size_t)steps, 0.1f, 0));
    CMK_CHECK(heat3d_bordered(&grid, &border, 0.1f, 0));
    heat_plainly(&f, 3, steps + 1, 0.1f);
    PLAIN_CHECK(float, grid.u, f, pitch, 1e-6, "stencil3d, and a bordered step");
    CMK_CHECK(cudaMemcpy(&count, border.arrived, sizeof count, cudaMemcpyDeviceToHost));
    tap_check(count == border.count && count > 0, "the border is counted: %u of %u", count, border.count);
    CMK_CHECK(cudaFree(border.arrived));
}

int main(void)
{
    tap_need_device();
    test_conv2d();
    test_separable();
    test_volumes();
    test_stencil1d();
    test_transpose();
    test_stencil2d(45, 143, 145, 3);
    test_stencil2d(200, 520, 520, 19);
    test_stencil3d(9, 13, 37, 39, 2);
    test_stencil3d(21, 66, 128, 128, 5);
    plain_end();
    return tap_done();
}
