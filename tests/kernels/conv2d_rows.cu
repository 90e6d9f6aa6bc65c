/* CMK_DEFINE_CONV2D_AS and CMK_DEFINE_SEPARABLE_AS where rows begin anywhere: dense rows of every remainder, in memory
 * that begins at every element of a chunk, of images, batches and regions, against the plain loop in double. The bytes
 * around the outputs stay. */
#include <math.h>
#include <cmk/cmk.h>
#include "edge_walk.h"
#include "element.h"
#include "random.h"
#include "tap.h"

enum { guard = 32, poison = 0xA5 };

/* A call: `count` images of rows one after another, from element `shift` of the memory on; out begins `apart` elements
 * further on, and its rows are `wider` elements longer. The region ends `cut` pixels before each side. */
typedef struct {
    size_t count, rows, columns, shift, apart, wider, cut;
} shape;

/* a definition whose pointers forget the type, and its filter */
typedef struct {
    const char *name;
    size_t size;
    int rows, columns, row, column, channels, edge;
    double outside;
    int marches;        /* whether it has no skew, but a kernel for rows that begin anywhere */
    const double *taps; /* rows x columns */
    cudaError_t (*launch)(const void *in, void *out, shape s, int *skew);
} definition;

static const double all_taps[25] = {0.5,  -1.0, 0.25, 2.0,   -0.5, 1.5, 0.75, -0.25, 1.0,  -1.5, 0.125, 0.5, -0.75,
                                    1.25, -2.0, 0.5,  -0.25, 1.0,  1.5, -1.0, 0.25,  -0.5, 2.0,  0.75,  1.0};
static double products_3[9], products_9[81]; /* of the first taps down and across */
#define FIRST_9 0.5f, -1.0f, 0.25f, 2.0f, -0.5f, 1.5f, 0.75f, -0.25f, 1.0f
#define ALL_25                                                                                                         \
    FIRST_9, -1.5f, 0.125f, 0.5f, -0.75f, 1.25f, -2.0f, 0.5f, -0.25f, 1.0f, 1.5f, -1.0f, 0.25f, -0.5f, 2.0f, 0.75f, 1.0f
CMK_TABLE_VALUES(CONSTANT, float, taps_3, [3], 0.5f, -1.0f, 0.25f);
CMK_TABLE_VALUES(CONSTANT, float, taps_9, [9], FIRST_9);
CMK_TABLE_VALUES(LITERAL, double, taps_10, [10], FIRST_9, -1.5);
CMK_TABLE_VALUES(PARAMETER, float, taps_25, [25], ALL_25);
CMK_TABLE_VALUES(CONSTANT, float, taps_21, [21], FIRST_9, -1.5f, 0.125f, 0.5f, -0.75f, 1.25f, -2.0f, 0.5f, -0.25f, 1.0f,
                 1.5f, -1.0f, 0.25f);

/* The launcher of a definition with these tables; *skew becomes the image's, -1 by the kernel for rows that begin
 * anywhere. */
#define LAUNCH(name, T, CHANNELS, ...)                                                                                 \
    static cudaError_t launch_##name(const void *in, void *out, shape s, int *skew)                                    \
    {                                                                                                                  \
        const size_t pitch = s.columns * CHANNELS, out_pitch = pitch + s.wider;                                        \
        name##_call call;                                                                                              \
        if (s.count > 1)                                                                                               \
            CMK_CHECK(name##_batch_plan(&call, NULL, (const T *)in, pitch, s.rows *pitch, (T *)out, out_pitch,         \
                                        s.rows *out_pitch, s.rows, s.columns, s.count, __VA_ARGS__));                  \
        else                                                                                                           \
            CMK_CHECK(name##_region_plan(&call, NULL, (const T *)in, pitch, (T *)out, out_pitch, s.rows, s.columns,    \
                                         s.cut, s.cut, s.rows - 2 * s.cut, s.columns - 2 * s.cut, __VA_ARGS__));       \
        *skew = call.engine_.way == cmk_image_unaligned_kernel_ ? -1 : call.engine_.image.skew;                        \
        if (s.count > 1)                                                                                               \
            return name##_batch((const T *)in, pitch, s.rows * pitch, (T *)out, out_pitch, s.rows * out_pitch, s.rows, \
                                s.columns, s.count, __VA_ARGS__, 0);                                                   \
        return name##_region((const T *)in, pitch, (T *)out, out_pitch, s.rows, s.columns, s.cut, s.cut,               \
                             s.rows - 2 * s.cut, s.columns - 2 * s.cut, __VA_ARGS__, 0);                               \
    }
#define DEFINE(name, T, CHANNELS, ROWS, COLUMNS, ROW, COLUMN, TABLE, EDGE, OUTSIDE)                                    \
    CMK_DEFINE_CONV2D_AS(name, CORRELATION, (T, T, T, CHANNELS), (ROWS, COLUMNS), (ROW, COLUMN), TABLE,                \
                         (EDGE, OUTSIDE));                                                                             \
    LAUNCH(name, T, CHANNELS, TABLE)
#define SEPARABLE(name, T, CHANNELS, RADIUS, DOWN, ACROSS, EDGE, OUTSIDE)                                              \
    CMK_DEFINE_SEPARABLE_AS(name, (T, T, T, CHANNELS), RADIUS, (DOWN, ACROSS), (EDGE, OUTSIDE));                       \
    LAUNCH(name, T, CHANNELS, DOWN, ACROSS)
DEFINE(sharp, float, 1, 3, 3, 1, 1, taps_9, CMK_EDGE_ZERO, 0.0f)
DEFINE(smooth, float, 1, 5, 5, 0, 4, taps_25, CMK_EDGE_CLAMP, 0.0f)
DEFINE(wide, double, 1, 2, 5, 1, 3, taps_10, CMK_EDGE_ZERO, 3.0)
DEFINE(colours, float, 3, 3, 3, 2, 0, taps_9, CMK_EDGE_REFLECT, 0.0f)
DEFINE(line, float, 1, 1, 25, 0, 20, taps_25, CMK_EDGE_ZERO, 0.0f)
DEFINE(column, float, 1, 7, 3, 2, 0, taps_21, CMK_EDGE_CLAMP, 0.0f)
DEFINE(doubles, double, 2, 1, 10, 0, 1, taps_10, CMK_EDGE_ZERO, 3.0)
SEPARABLE(product, float, 1, 1, taps_3, taps_3, CMK_EDGE_WRAP, 0.0f)
SEPARABLE(blur, float, 3, 4, taps_9, taps_9, CMK_EDGE_ZERO, 0.0f)
#define ROW(name, T, CHANNELS, ROWS, COLUMNS, ROW, COLUMN, EDGE, OUTSIDE, MARCHES, TAPS)                               \
    {                                                                                                                  \
#name, sizeof(T), ROWS, COLUMNS, ROW, COLUMN, CHANNELS, EDGE, OUTSIDE, MARCHES, TAPS, launch_##name            \
    }
static const definition definitions[] = {
    ROW(sharp, float, 1, 3, 3, 1, 1, CMK_EDGE_ZERO, 0.0, 0, all_taps),
    ROW(smooth, float, 1, 5, 5, 0, 4, CMK_EDGE_CLAMP, 0.0, 0, all_taps),
    ROW(wide, double, 1, 2, 5, 1, 3, CMK_EDGE_ZERO, 3.0, 0, all_taps),
    ROW(colours, float, 3, 3, 3, 2, 0, CMK_EDGE_REFLECT, 0.0, 0, all_taps),
    ROW(line, float, 1, 1, 25, 0, 20, CMK_EDGE_ZERO, 0.0, 1, all_taps),
    ROW(column, float, 1, 7, 3, 2, 0, CMK_EDGE_CLAMP, 0.0, 1, all_taps),
    ROW(doubles, double, 2, 1, 10, 0, 1, CMK_EDGE_ZERO, 3.0, 1, all_taps),
    ROW(product, float, 1, 3, 3, 1, 1, CMK_EDGE_WRAP, 0.0, 1, products_3),
    ROW(blur, float, 3, 9, 9, 4, 4, CMK_EDGE_ZERO, 0.0, 1, products_9),
};

/* the sum of the filter at a pixel of the image whose first element is at `in` */
static double sum_at(const definition *d, const char *in, shape s, long long y, long long x, int channel)
{
    double sum = 0.0;
    for (int r = 0; r < d->rows; ++r)
        for (int c = 0; c < d->columns; ++c) {
            const long long from_y = edge_walk(CMK_EDGE_ROW(d->edge), y + r - d->row, (long long)s.rows);
            const long long from_x = edge_walk(CMK_EDGE_COLUMN(d->edge), x + c - d->column, (long long)s.columns);
            const size_t at = ((size_t)from_y * s.columns + (size_t)from_x) * (size_t)d->channels + (size_t)channel;
            const double value = from_y < 0 || from_x < 0 ? d->outside : element(in + at * d->size, d->size);
            sum += d->taps[r * d->columns + c] * value;
        }
    return sum;
}

/* Runs a call and returns what is wrong with it, 0 for nothing: outputs, or bytes beside them. */
static int wrong_of(const definition *d, shape s, int *skew)
{
    const size_t pitch = s.columns * (size_t)d->channels, out_pitch = pitch + s.wider, size = d->size;
    const size_t count = s.count * s.rows * pitch, outputs = s.count * s.rows * out_pitch;
    const size_t in_bytes = (count + 2 * guard) * size, out_bytes = (outputs + 2 * guard) * size;
    char *const in = (char *)malloc(in_bytes), *const out = (char *)malloc(out_bytes);
    char *on_device = NULL, *to_device = NULL;
    int wrong = 0;
    memset(in, 0xFF, in_bytes);
    memset(out, poison, out_bytes);
    for (size_t k = 0; k < count; ++k) {
        const double value = (double)below(257) / 16.0 - 8.0;
        const float narrow = (float)value;
        memcpy(in + (s.shift + k) * size, size == sizeof narrow ? (const void *)&narrow : (const void *)&value, size);
    }
    CMK_CHECK(cudaMalloc((void **)&on_device, in_bytes));
    CMK_CHECK(cudaMalloc((void **)&to_device, out_bytes));
    CMK_CHECK(cudaMemcpy(on_device, in, in_bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemcpy(to_device, out, out_bytes, cudaMemcpyHostToDevice));
    const size_t first = s.shift + s.apart;
    CMK_CHECK(d->launch(on_device + s.shift * size, to_device + first * size, s, skew));
    CMK_CHECK(cudaMemcpy(out, to_device, out_bytes, cudaMemcpyDeviceToHost));
    const size_t rows = s.rows - 2 * s.cut, width = (s.columns - 2 * s.cut) * (size_t)d->channels;
    for (size_t k = 0; k < outputs + 2 * guard; ++k) {
        const size_t at = k - first, z = at / (s.rows * out_pitch), y = at / out_pitch % s.rows, x = at % out_pitch;
        if (k >= first && at < outputs && y < rows && x < width) {
            const char *const image = in + (s.shift + z * s.rows * pitch) * size;
            const double expected =
                sum_at(d, image, s, (long long)(y + s.cut), (long long)(x / (size_t)d->channels + s.cut),
                       (int)(x % (size_t)d->channels));
            wrong += !(fabs(element(out + k * size, size) - expected) <= 1e-5 * 800.0);
        } else {
            for (size_t b = 0; b < size; ++b) wrong += (unsigned char)out[k * size + b] != poison;
        }
    }
    free(in);
    free(out);
    CMK_CHECK(cudaFree(on_device));
    CMK_CHECK(cudaFree(to_device));
    return wrong;
}

/* A batch of 65,537 images of 5 pixels is two launches, which begin differently far behind a chunk. */
static void test_launches(void)
{
    enum { columns = 5, count = 65537 };
    const char *const in = (const char *)(size_t)0x1000000, *const out = in + 0x1000000;
    sharp_call call;
    int launches = 0, wrong = 0;
    CMK_CHECK(sharp_batch_plan(&call, NULL, (const float *)(const void *)in, columns, columns, (float *)(size_t)out,
                               columns, columns, 1, columns, count, taps_9));
    for (; sharp_next(&call); ++launches) wrong += (size_t)call.engine_.in / 4 % 4 != (size_t)call.engine_.image.lead;
    tap_check(launches == 2 && wrong == 0, "%d launches of a batch of %d images, %d begin elsewhere", launches, count,
              wrong);
}

int main(void)
{
    tap_need_device();
    test_launches();
    for (int k = 0; k < 81; ++k) products_9[k] = all_taps[k / 9] * all_taps[k % 9];
    for (int k = 0; k < 9; ++k) products_3[k] = all_taps[k / 3] * all_taps[k % 3];
    for (size_t k = 0; k < sizeof definitions / sizeof *definitions; ++k) {
        const definition *const d = &definitions[k];
        const size_t lanes = 16 / d->size, block = 32 * lanes / (size_t)d->channels;
        for (size_t i = 0; i < 8; ++i) {
            const size_t columns = i < 4 ? 3 * block + i : 2 + 3 * i;
            int wrong = 0, other = 0;
            for (size_t j = 0; j < 2 * lanes + 2; ++j) {
                const size_t apart = j == 2 * lanes, wider = j > 2 * lanes;
                const size_t cut = j % 3 == 1 && columns > 10 ? 1 + j % 4 : 0;
                const shape s = {(size_t)(cut || j % 2 ? 1 : 2), 23, columns, j % lanes, apart, wider, cut};
                const size_t pitch = columns * (size_t)d->channels, before = cut * (pitch + (size_t)d->channels);
                const int alike = (before - apart) % lanes == 0 && !wider;
                int skew = -1;
                wrong += wrong_of(d, s, &skew);
                const int whole = alike && pitch % lanes == 0 && (s.count == 1 || s.rows * pitch % lanes == 0);
                other += skew != (d->marches ? -!whole : alike ? (int)(pitch % lanes) : 0);
            }
            tap_check(wrong == 0 && other == 0, "%s, dense rows of %zu: %d wrong, %d of another skew", d->name, columns,
                      wrong, other);
        }
    }
    return tap_done();
}
