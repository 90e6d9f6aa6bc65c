/* ranges [CASES]: what tensor cores filter against sums in double: pixels and taps of all ranges. An output may be off
 * by taps x epsilon x sum |w||x|, as a sum of floats in order may; where its window has an infinity or no number, it is
 * what such a sum is. Prints the largest error of each type in that measure without the number of taps, in 2^-24,
 * beside that of sums of floats. CMK_TENSOR lets the CPU backend and small
 * images take the way too. */
#if !defined(CMK_TENSOR)
#define CMK_TENSOR 1
#endif
#include "short_floats.h"
#include <cmk/check.h>
#include <cmk/kernel/conv2d.h>
#include <cmk/kernel/separable.h>
#include <math.h>
#include "random.h"
#include "tap.h"

enum { ROWS_MOST = 160, COLUMNS_MOST = 1300, TAPS_MOST = 15 * 15 };

static double uniform(void)
{
    return ((double)below(1 << 24) + 0.5) / (1 << 24);
}

static double sign(void)
{
    return below(2) ? 1.0 : -1.0;
}

/* ---- Pixels and taps: all of a kind, or few of another among them */
enum { PLAIN, SIGNED, EQUAL, WIDE, HUGE_AMONG_TINY, DENORMAL, FEW_ZERO, LARGE, SPECIAL, PIXEL_KINDS };
static const char *const kind_names[] = {"0 to 1",        "both signs",           "all equal to 1",
                                         "1e-30 to 1e30", "one 1e30 among 1e-30", "denormal",
                                         "mostly zero",   "near the largest",     "infinities, no numbers"};

static double pixel_of(int kind)
{
    switch (kind) {
    case PLAIN:
        return uniform();
    case SIGNED:
        return 2.0 * uniform() - 1.0;
    case EQUAL:
        return 1.0;
    case WIDE:
        return sign() * pow(10.0, 60.0 * uniform() - 30.0);
    case HUGE_AMONG_TINY:
        return below(300) ? 1e-30 * uniform() : 1e30;
    case DENORMAL:
        return sign() * (double)below(1 << 20) * 0x1p-149;
    case FEW_ZERO:
        return below(50) ? 0.0 : sign() * uniform() * pow(2.0, -(double)below(30));
    case LARGE:
        return sign() * (1e36 + 1e36 * uniform());
    default:
        return below(200) ? uniform() : below(2) ? sign() * (double)INFINITY : (double)NAN;
    }
}

static double tap_of(int kind)
{
    if (kind == 1) return sign() * pow(10.0, 40.0 * uniform() - 20.0);
    if (kind == 2) return below(3) ? 0.0 : sign() * uniform() * 1e-20;
    return kind == 3 ? 1.0 : 2.0 * uniform() - 1.0;
}

/* ---- A definition: its filter, and how its elements are read and written */
typedef struct {
    const char *name;
    int rows, columns, row, column, edge, separable;
    size_t in_size, out_size;
    double least, most, out_most; /* of an integer in; of an integer out the largest, negative where it is signed */
    int integers;
    void (*store)(void *to, double value);
    double (*load)(const void *from);
    double (*load_out)(const void *from);
    cudaError_t (*run)(const void *in, void *out, size_t rows, size_t columns, size_t pitch, const float *taps);
} definition;

#define DEFINITION(name, HOW, IN, OUT, R, C, ROW, COLUMN, EDGE)                                                        \
    CMK_TABLE(CONSTANT, float, name##_taps, [R][C]);                                                                   \
    CMK_DEFINE_CONV2D_AS(name, HOW, (IN, float, OUT, 1), (R, C), (ROW, COLUMN), name##_taps, (EDGE, 0));               \
    ELEMENTS(name, IN, OUT)                                                                                            \
    static cudaError_t name##_run(const void *in, void *out, size_t rows, size_t columns, size_t pitch,                \
                                  const float *taps)                                                                   \
    {                                                                                                                  \
        const cudaError_t error = CMK_TABLE_UPLOAD(name##_taps, taps, 0, (R) * (C));                                   \
        if (error != cudaSuccess) return error;                                                                        \
        return name((const IN *)in, pitch, (OUT *)out, pitch, rows, columns, name##_taps, 0);                          \
    }
#define SEPARABLE(name, IN, OUT, RADIUS, EDGE)                                                                         \
    CMK_TABLE(CONSTANT, float, name##_down, [2 * RADIUS + 1]);                                                         \
    CMK_TABLE(CONSTANT, float, name##_across, [2 * RADIUS + 1]);                                                       \
    CMK_DEFINE_SEPARABLE_AS(name, (IN, float, OUT, 1), RADIUS, (name##_down, name##_across), (EDGE, 0));               \
    ELEMENTS(name, IN, OUT)                                                                                            \
    static cudaError_t name##_run(const void *in, void *out, size_t rows, size_t columns, size_t pitch,                \
                                  const float *taps)                                                                   \
    {                                                                                                                  \
        const size_t count = 2 * RADIUS + 1;                                                                           \
        cudaError_t error = CMK_TABLE_UPLOAD(name##_down, taps, 0, count);                                             \
        if (error == cudaSuccess) error = CMK_TABLE_UPLOAD(name##_across, taps + count, 0, count);                     \
        if (error != cudaSuccess) return error;                                                                        \
        return name((const IN *)in, pitch, (OUT *)out, pitch, rows, columns, name##_down, name##_across, 0);           \
    }
#define ELEMENTS(name, IN, OUT)                                                                                        \
    static void name##_store(void *to, double value)                                                                   \
    {                                                                                                                  \
        *(IN *)to = (IN)(float)value;                                                                                  \
    }                                                                                                                  \
    static double name##_load(const void *from)                                                                        \
    {                                                                                                                  \
        return (double)(float)*(const IN *)from;                                                                       \
    }                                                                                                                  \
    static double name##_load_out(const void *from)                                                                    \
    {                                                                                                                  \
        return (double)(float)*(const OUT *)from;                                                                      \
    }
#define ROW_OF(name, text, IN, OUT, R, C, ROW, COLUMN, EDGE, LEAST, MOST, OUT_MOST, INTEGERS)                          \
    {                                                                                                                  \
        text, R, C, ROW, COLUMN, EDGE, 0, sizeof(IN), sizeof(OUT), LEAST, MOST, OUT_MOST, INTEGERS, name##_store,      \
            name##_load, name##_load_out, name##_run                                                                   \
    }
#define SEPARABLE_ROW_OF(name, text, IN, OUT, RADIUS, EDGE, LEAST, MOST, OUT_MOST)                                     \
    {                                                                                                                  \
        text, 2 * RADIUS + 1, 2 * RADIUS + 1, RADIUS, RADIUS, EDGE, 1, sizeof(IN), sizeof(OUT), LEAST, MOST, OUT_MOST, \
            1, name##_store, name##_load, name##_load_out, name##_run                                                  \
    }

DEFINITION(nine, CORRELATION, float, float, 9, 9, 4, 4, CMK_EDGE_ZERO)
DEFINITION(fifteen, CORRELATION, float, float, 15, 15, 7, 7, CMK_EDGE_CLAMP)
DEFINITION(even, CORRELATION, float, float, 6, 11, 1, 9, CMK_EDGE_WRAP)
DEFINITION(bytes, CORRELATION, unsigned char, float, 7, 7, 3, 3, CMK_EDGE_MIRROR)
DEFINITION(small, CORRELATION, unsigned char, unsigned char, 5, 5, 2, 2, CMK_EDGE_CLAMP)
DEFINITION(sides, CORRELATION, signed char, short, 3, 8, 1, 4, CMK_EDGE_ZERO)
DEFINITION(words, CORRELATION, short, float, 9, 5, 4, 2, CMK_EDGE_REFLECT)
SEPARABLE(narrow, unsigned char, unsigned char, 3, CMK_EDGE_MIRROR)
SEPARABLE(middle, unsigned char, unsigned char, 8, CMK_EDGE_CLAMP)
SEPARABLE(longer, signed char, short, 5, CMK_EDGE_ZERO)
SEPARABLE(wide, unsigned char, unsigned short, 11, CMK_EDGE_WRAP)
SEPARABLE(widest, signed char, signed char, 16, CMK_EDGE_REFLECT)
#if TEST_HAS_half
DEFINITION(halves, CORRELATION, test_half, float, 9, 9, 4, 4, CMK_EDGE_CLAMP)
#endif
#if TEST_HAS_bfloat16
DEFINITION(brains, CORRELATION, test_bfloat16, float, 8, 8, 0, 7, CMK_EDGE_ZERO)
#endif

static const definition definitions[] = {
    ROW_OF(nine, "float, 9 x 9", float, float, 9, 9, 4, 4, CMK_EDGE_ZERO, 0, 0, 0, 0),
    ROW_OF(fifteen, "float, 15 x 15", float, float, 15, 15, 7, 7, CMK_EDGE_CLAMP, 0, 0, 0, 0),
    ROW_OF(even, "float, 6 x 11", float, float, 6, 11, 1, 9, CMK_EDGE_WRAP, 0, 0, 0, 0),
    ROW_OF(bytes, "bytes, 7 x 7", unsigned char, float, 7, 7, 3, 3, CMK_EDGE_MIRROR, 0, 255, 0, 1),
    ROW_OF(small, "bytes to bytes, 5 x 5", unsigned char, unsigned char, 5, 5, 2, 2, CMK_EDGE_CLAMP, 0, 255, 255, 1),
    ROW_OF(sides, "signed bytes to 16 bits, 3 x 8", signed char, short, 3, 8, 1, 4, CMK_EDGE_ZERO, -128, 127, -32767,
           1),
    ROW_OF(words, "16-bit integers, 9 x 5", short, float, 9, 5, 4, 2, CMK_EDGE_REFLECT, -32768, 32767, 0, 1),
    SEPARABLE_ROW_OF(narrow, "separable, bytes, radius 3", unsigned char, unsigned char, 3, CMK_EDGE_MIRROR, 0, 255,
                     255),
    SEPARABLE_ROW_OF(middle, "separable, bytes, radius 8", unsigned char, unsigned char, 8, CMK_EDGE_CLAMP, 0, 255,
                     255),
    SEPARABLE_ROW_OF(longer, "separable, signed bytes to 16 bits, radius 5", signed char, short, 5, CMK_EDGE_ZERO, -128,
                     127, -32767),
    SEPARABLE_ROW_OF(wide, "separable, bytes to 16 bits, radius 11", unsigned char, unsigned short, 11, CMK_EDGE_WRAP,
                     0, 255, 65535),
    SEPARABLE_ROW_OF(widest, "separable, signed bytes, radius 16", signed char, signed char, 16, CMK_EDGE_REFLECT, -128,
                     127, -127),
#if TEST_HAS_half
    ROW_OF(halves, "half, 9 x 9", test_half, float, 9, 9, 4, 4, CMK_EDGE_CLAMP, 0, 0, 0, 0),
#endif
#if TEST_HAS_bfloat16
    ROW_OF(brains, "bfloat16, 8 x 8", test_bfloat16, float, 8, 8, 0, 7, CMK_EDGE_ZERO, 0, 0, 0, 0),
#endif
};

/* ---- A case */
typedef struct {
    size_t rows, columns, pitch;
    int pixels, taps_kind;
    float taps[TAPS_MOST];
} drawn_case;

static drawn_case draw(const definition *d)
{
    drawn_case c;
    c.rows = 1 + below(d->separable                   ? ROWS_MOST /* tiles inside are many rows */
                       : d->out_most == 0 && below(4) ? 12
                                                      : 70);
    c.columns = 1 + below(d->separable ? 400 : below(3) ? 40 : COLUMNS_MOST);
    c.pitch = below(d->separable ? 5 : 2) ? (c.columns + 15) / 16 * 16 : c.columns + below(5);
    c.pixels = (int)below(PIXEL_KINDS);
    c.taps_kind = (int)below(5);
    for (int i = 0; i < (d->separable ? d->rows + d->columns : d->rows * d->columns); ++i)
        c.taps[i] = (float)tap_of(c.taps_kind);
    return c;
}

static double pixel_at(const definition *d, const drawn_case *c, const char *in, cmk_i64 y, cmk_i64 x)
{
    const cmk_i64 rows = (cmk_i64)c->rows, columns = (cmk_i64)c->columns;
    if (d->edge == CMK_EDGE_ZERO && (y < 0 || y >= rows || x < 0 || x >= columns)) return 0.0;
    const cmk_i64 row = cmk_edge_index(d->edge, y, rows), column = cmk_edge_index(d->edge, x, columns);
    return d->load(in + ((size_t)row * c->pitch + (size_t)column) * d->in_size);
}

/* of a separable filter those down come first */
static double tap_at(const definition *d, const drawn_case *c, int row, int column)
{
    if (d->separable) return (double)c->taps[row] * c->taps[d->rows + column];
    return c->taps[row * d->columns + column];
}

/* the largest errors of tensor cores and of sums of floats, over sum |w||x|, in 2^-24 */
typedef struct {
    double here, floats;
    size_t wrong, compared;
} errors;

/* one output: the sum in double, of magnitudes, and of floats in order */
static void judge_one(const definition *d, const drawn_case *c, const char *in, size_t y, size_t x, double got,
                      errors *found)
{
    double sum = 0.0, size = 0.0;
    float plain = 0.0f;
    for (int r = 0; r < d->rows; ++r)
        for (int k = 0; k < d->columns; ++k) {
            const double tap = tap_at(d, c, r, k);
            const double pixel = pixel_at(d, c, in, (cmk_i64)y + r - d->row, (cmk_i64)x + k - d->column);
            sum += tap * pixel;
            size += fabs(tap * pixel);
            plain = fmaf((float)tap, (float)pixel, plain);
        }
    if (d->out_most != 0) { /* rounded and saturated: off by a half and what a sum of floats may be */
        const double most = fabs(d->out_most), least = d->out_most < 0 ? -most - 1.0 : 0.0;
        const double allowed = d->rows * d->columns * 0x1p-24 * size + 0x1p-18;
        found->wrong += !(fabs(got - fmin(fmax(sum, least), most)) <= 0.5 + allowed);
    } else if (isnan(sum) || isinf(sum)) {
        found->wrong += isnan(sum) ? !isnan(got) : got != sum;
    } else if (size < 1e38) { /* else sums of floats in another order overflow */
        const double allowed = d->rows * d->columns * (0x1p-24 * size + 0x1p-149), off = fabs(got - sum);
        found->wrong += !(off <= allowed);
        if (size > 1e-30 && off / size * 0x1p24 > found->here) found->here = off / size * 0x1p24;
        if (size > 1e-30) found->floats = fmax(found->floats, fabs((double)plain - sum) / size * 0x1p24);
    }
    ++found->compared;
}

static void run_case(const definition *d, errors *found, char *in, char *out, void *device_in, void *device_out)
{
    const drawn_case c = draw(d);
    const size_t count = c.rows * c.pitch;
    for (size_t i = 0; i < count; ++i) {
        const double pixel = !d->integers               ? pixel_of(c.pixels)
                             : c.pixels % 2 && below(4) ? 0.0
                                                        : d->least + (double)below((size_t)(d->most - d->least) + 1);
        d->store(in + i * d->in_size, pixel);
    }
    const size_t before = found->wrong;
    CMK_CHECK(cudaMemcpy(device_in, in, count * d->in_size, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemset(device_out, 0xff, count * d->out_size));
    CMK_CHECK(d->run(device_in, device_out, c.rows, c.columns, c.pitch, c.taps));
    CMK_CHECK(cudaDeviceSynchronize());
    CMK_CHECK(cudaMemcpy(out, device_out, count * d->out_size, cudaMemcpyDeviceToHost));
    for (size_t y = 0; y < c.rows; ++y)
        for (size_t x = 0; x < c.columns; ++x)
            judge_one(d, &c, in, y, x, d->load_out(out + (y * c.pitch + x) * d->out_size), found);
    if (found->wrong > before)
        printf("# %zu of %zu x %zu wrong, pitch %zu, pixels: %s, taps of kind %d\n", found->wrong - before, c.rows,
               c.columns, c.pitch, d->integers ? "integers" : kind_names[c.pixels], c.taps_kind);
}

int main(int count, char **arguments)
{
    const size_t bytes = (size_t)ROWS_MOST * (COLUMNS_MOST + 16) * 4;
    const int cases = count > 1 ? atoi(arguments[1]) : 40;
    char *const in = (char *)malloc(bytes), *const out = (char *)malloc(bytes);
    void *device_in, *device_out;
    tap_need_device();
    CMK_CHECK(cudaMalloc(&device_in, bytes));
    CMK_CHECK(cudaMalloc(&device_out, bytes));
    for (size_t k = 0; k < sizeof definitions / sizeof definitions[0]; ++k) {
        errors found = {0.0, 0.0, 0, 0};
        random_state = k;
        for (int i = 0; i < cases; ++i) run_case(&definitions[k], &found, in, out, device_in, device_out);
        tap_check(found.wrong == 0 && found.compared > 0, "%s: %d images", definitions[k].name, cases);
        if (definitions[k].out_most == 0)
            printf("# largest error over sum |w||x|, in 2^-24: %.1f, of sums of floats %.1f; %zu outputs\n", found.here,
                   found.floats, found.compared);
    }
    CMK_CHECK(cudaFree(device_in));
    CMK_CHECK(cudaFree(device_out));
    free(in);
    free(out);
    return tap_done();
}
