/* Filters by tensor cores over rows that begin anywhere: dense rows of every remainder, in memory that begins at every
 * element of 16 bytes, of images, batches and regions, in and out apart, against sums in double. What lies between the
 * rows of in is no number, and the bytes around the outputs stay. */
#if !defined(CMK_TENSOR)
#define CMK_TENSOR 1
#endif
#include <math.h>
#include <cmk/cmk.h>
#include "edge_walk.h"
#include "random.h"
#include "tap.h"

enum { guard = 32, poison = 0xA5, taps_most = 81 };

/* A call: `count` images of rows one after another, from element `shift` of the memory on, `longer` elements from the
 * end of a row to the next; out begins at element `out_shift`, and its rows are `wider` elements apart. The region ends
 * `cut` pixels before each side. */
typedef struct {
    size_t count, rows, columns, shift, longer, out_shift, wider, cut;
} shape;

/* a definition whose pointers forget the types, and its filter */
typedef struct {
    const char *name;
    size_t out_size;
    int rows, columns, row, column, channels, edge;
    float outside;
    cudaError_t (*launch)(const float *in, void *out, shape s, int *way);
} definition;

static float weights[taps_most];

#define DEFINE(name, OUT, CHANNELS, ROWS, COLUMNS, ROW, COLUMN, EDGE, OUTSIDE)                                         \
    CMK_TABLE(CONSTANT, float, name##_taps, [ROWS][COLUMNS]);                                                          \
    CMK_DEFINE_CONV2D_AS(name, CORRELATION, (float, float, OUT, CHANNELS), (ROWS, COLUMNS), (ROW, COLUMN),             \
                         name##_taps, (EDGE, OUTSIDE));                                                                \
    static cudaError_t launch_##name(const float *in, void *out, shape s, int *way)                                    \
    {                                                                                                                  \
        const size_t pitch = s.columns * CHANNELS + s.longer, rows = s.rows - 2 * s.cut;                               \
        const size_t columns = s.columns - 2 * s.cut, out_pitch = columns * CHANNELS + s.wider;                        \
        OUT *const to = (OUT *)out;                                                                                    \
        name##_call call;                                                                                              \
        CMK_CHECK(CMK_TABLE_UPLOAD(name##_taps, weights, 0, (ROWS) * (COLUMNS)));                                      \
        CMK_CHECK(name##_plan(&call, NULL, in, pitch, to, out_pitch, s.rows, columns, name##_taps));                   \
        *way = name##_next(&call) ? call.engine_.way : cmk_image_kernels_;                                             \
        if (s.count > 1)                                                                                               \
            return name##_batch(in, pitch, s.rows * pitch, to, out_pitch, s.rows * out_pitch, s.rows, s.columns,       \
                                s.count, name##_taps, 0);                                                              \
        return name##_region(in, pitch, to, out_pitch, s.rows, s.columns, s.cut, s.cut, rows, columns, name##_taps,    \
                             0);                                                                                       \
    }
DEFINE(nine, float, 1, 9, 9, 4, 4, CMK_EDGE_ZERO, 0.0f)
DEFINE(before, float, 1, 4, 5, 0, 4, CMK_EDGE_CLAMP, 0.0f)
DEFINE(behind, float, 1, 4, 6, 3, 0, CMK_EDGE_ZERO, 3.0f)
DEFINE(around, float, 2, 5, 4, 2, 1, CMK_EDGE_WRAP, 0.0f)
DEFINE(colours, float, 3, 4, 7, 1, 3, CMK_EDGE_REFLECT, 0.0f)
DEFINE(rounded, short, 1, 4, 4, 2, 2, CMK_EDGE_MIRROR, 0.0f)
DEFINE(four, float, 4, 2, 9, 0, 8, CMK_EDGE_ZERO, 0.0f)
#define ROW(name, OUT, CHANNELS, ROWS, COLUMNS, ROW, COLUMN, EDGE, OUTSIDE)                                            \
    {                                                                                                                  \
#name, sizeof(OUT), ROWS, COLUMNS, ROW, COLUMN, CHANNELS, EDGE, OUTSIDE, launch_##name                         \
    }
static const definition definitions[] = {
    ROW(nine, float, 1, 9, 9, 4, 4, CMK_EDGE_ZERO, 0.0f),
    ROW(before, float, 1, 4, 5, 0, 4, CMK_EDGE_CLAMP, 0.0f),
    ROW(behind, float, 1, 4, 6, 3, 0, CMK_EDGE_ZERO, 3.0f),
    ROW(around, float, 2, 5, 4, 2, 1, CMK_EDGE_WRAP, 0.0f),
    ROW(colours, float, 3, 4, 7, 1, 3, CMK_EDGE_REFLECT, 0.0f),
    ROW(rounded, short, 1, 4, 4, 2, 2, CMK_EDGE_MIRROR, 0.0f),
    ROW(four, float, 4, 2, 9, 0, 8, CMK_EDGE_ZERO, 0.0f),
};

/* the sum of the filter at a pixel of the image that begins at `in`, and that of magnitudes */
static double sum_at(const definition *d, const float *in, shape s, size_t y, size_t x, size_t channel, double *size)
{
    const size_t channels = (size_t)d->channels, pitch = s.columns * channels + s.longer;
    double sum = 0.0;
    *size = 0.0;
    for (int r = 0; r < d->rows; ++r)
        for (int c = 0; c < d->columns; ++c) {
            const long long from_y = edge_walk(CMK_EDGE_ROW(d->edge), (long long)y + r - d->row, (long long)s.rows);
            const long long from_x =
                edge_walk(CMK_EDGE_COLUMN(d->edge), (long long)x + c - d->column, (long long)s.columns);
            const int none = from_y < 0 || from_x < 0;
            const double value = none ? d->outside : in[(size_t)from_y * pitch + (size_t)from_x * channels + channel];
            sum += weights[r * d->columns + c] * value;
            *size += fabs(weights[r * d->columns + c] * value);
        }
    return sum;
}

static double output(const char *at, size_t size)
{
    float real;
    short whole;
    memcpy(&real, at, size == sizeof real ? sizeof real : 0);
    memcpy(&whole, at, sizeof whole);
    return size == sizeof real ? (double)real : (double)whole;
}

/* how many bytes of out are wrong: outputs, or those beside them */
static int judge(const definition *d, shape s, const float *in, const char *out)
{
    const size_t channels = (size_t)d->channels, pitch = s.columns * channels + s.longer, size = d->out_size;
    const size_t rows = s.rows - 2 * s.cut, width = (s.columns - 2 * s.cut) * channels, out_pitch = width + s.wider;
    const size_t outputs = s.count * s.rows * out_pitch;
    int wrong = 0;
    for (size_t k = 0; k < outputs + 2 * guard; ++k) {
        const size_t at = k - s.out_shift, z = at / (s.rows * out_pitch), y = at / out_pitch % s.rows,
                     x = at % out_pitch;
        if (k >= s.out_shift && at < outputs && y < rows && x < width) {
            double magnitudes;
            const double sum = sum_at(d, in + s.shift + z * s.rows * pitch, s, y + s.cut, x / channels + s.cut,
                                      x % channels, &magnitudes);
            const double allowed = d->rows * d->columns * 0x1p-24 * magnitudes + (size == sizeof(short) ? 0.5 : 0.0);
            wrong += !(fabs(output(out + k * size, size) - sum) <= allowed);
        } else {
            for (size_t b = 0; b < size; ++b) wrong += (unsigned char)out[k * size + b] != poison;
        }
    }
    return wrong;
}

/* Runs a call and returns what is wrong with it, 0 for nothing. Elements of in behind the last are not in its memory,
 * nor are those before the first, but for `shift` of them. */
static int wrong_of(const definition *d, shape s, int *way)
{
    const size_t channels = (size_t)d->channels, pitch = s.columns * channels + s.longer;
    const size_t count = s.shift + s.count * s.rows * pitch - s.longer;
    const size_t out_pitch = (s.columns - 2 * s.cut) * channels + s.wider;
    const size_t outputs = s.count * s.rows * out_pitch + 2 * guard;
    float *const in = (float *)malloc(count * sizeof *in), *on_device = NULL;
    char *const out = (char *)malloc(outputs * d->out_size), *to_device = NULL;
    memset(in, 0xFF, count * sizeof *in);
    memset(out, poison, outputs * d->out_size);
    for (size_t k = s.shift; k < count; ++k)
        if ((k - s.shift) % pitch < s.columns * channels) in[k] = (float)below(1 << 20) / 0x1p17f - 4.0f;
    for (int k = 0; k < d->rows * d->columns; ++k) weights[k] = (float)below(1 << 20) / 0x1p19f - 1.0f;
    CMK_CHECK(cudaMalloc((void **)&on_device, count * sizeof *in));
    CMK_CHECK(cudaMalloc((void **)&to_device, outputs * d->out_size));
    CMK_CHECK(cudaMemcpy(on_device, in, count * sizeof *in, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemcpy(to_device, out, outputs * d->out_size, cudaMemcpyHostToDevice));
    CMK_CHECK(d->launch(on_device + s.shift, to_device + s.out_shift * d->out_size, s, way));
    CMK_CHECK(cudaMemcpy(out, to_device, outputs * d->out_size, cudaMemcpyDeviceToHost));
    const int wrong = judge(d, s, in, out);
    free(in);
    free(out);
    CMK_CHECK(cudaFree(on_device));
    CMK_CHECK(cudaFree(to_device));
    return wrong;
}

/* Widths around one strip of 512 elements, around two, and less than a filter. */
static const size_t widths[] = {1, 2, 3, 5, 9, 14, 31, 200, 505, 510, 511, 513, 518, 1019, 1025, 1054, 1535};

int main(int argc, char **argv)
{
    const size_t calls = argc > 1 ? (size_t)atoi(argv[1]) : 8;
    tap_need_device();
    for (size_t k = 0; k < sizeof definitions / sizeof *definitions; ++k) {
        const definition *const d = &definitions[k];
        for (size_t i = 0; i < sizeof widths / sizeof *widths; ++i) {
            const size_t columns = (widths[i] + (size_t)d->channels - 1) / (size_t)d->channels;
            int wrong = 0, elsewhere = 0;
            for (size_t j = 0; j < calls; ++j) {
                const size_t cut = columns > 12 && below(3) == 0 ? 1 + below(5) : 0, count = cut ? 1 : 1 + below(2);
                const size_t longer = below(3) ? 0 : below(4), wider = below(3) ? 0 : below(6);
                const shape s = {count, 11 + below(9), columns, j % 4, longer, below(4), wider, cut};
                int way = cmk_image_kernels_;
                wrong += wrong_of(d, s, &way);
                elsewhere += way != cmk_image_tensor_kernel_;
            }
            tap_check(wrong == 0 && elsewhere == 0, "%s, rows of %zu: %d wrong, %d not by tensor cores", d->name,
                      columns * (size_t)d->channels, wrong, elsewhere);
        }
    }
    return tap_done();
}
