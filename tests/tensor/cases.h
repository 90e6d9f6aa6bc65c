/* cases.h: what tensor cores filter, against sums in double: pixels and taps of all ranges. An output may be off by
 * taps x epsilon x sum |w||x|, as a sum of floats in order may; where its window has an infinity or no number, it is
 * what such a sum is. Of a separable filter, taps are those down and those across. Prints the largest error of each
 * definition in that measure without the number of taps, in 2^-24, beside that of sums of floats in order; where OUT is
 * an integer, how many outputs in a million are not the integer nearest to the sum in double, likewise. CMK_TENSOR lets
 * the CPU backend and small images take the way too. Images are drawn and judged by kernels, thousands in seconds.
 *
 *   static const filter_case name_filter = FILTER_CASE(planes, rows, columns, plane, row, column, edge, separable,
 *                                                      IN, OUT, channels);
 *   static const definition definitions[] = {DEFINED(name, text), ...};
 *       with name_run, which filters a case
 *   return run_definitions(definitions, count, draw_sizes, elements, across, cases, only);
 *       in main; draw_sizes: of the image of a case; elements: the most of one; across: the most sums across; only:
 *       what a definition has in its name, null for all */
#ifndef CASES_H
#define CASES_H

#if !defined(CMK_TENSOR)
#define CMK_TENSOR 1
#endif
#include "short_floats.h"
#include <cmk/check.h>
#include <cmk/edge.h>
#include <math.h>
#include <string.h>
#include "edge_walk.h"
#include "random.h"
#include "tap.h"

enum { TAPS_MOST = 33 * 33, BLOCKS = 264, THREADS = 128 };

/* ---- Types of elements */
typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
enum { TYPE_float, TYPE_test_half, TYPE_test_bfloat16, TYPE_u8, TYPE_s8, TYPE_u16, TYPE_s16 };

CMK_FUNCTION float loaded(const void *from, size_t i, int type)
{
    switch (type) {
#if TEST_HAS_half
    case TYPE_test_half:
        return (float)((const test_half *)from)[i];
#endif
#if TEST_HAS_bfloat16
    case TYPE_test_bfloat16:
        return (float)((const test_bfloat16 *)from)[i];
#endif
    case TYPE_u8:
        return ((const u8 *)from)[i];
    case TYPE_s8:
        return ((const s8 *)from)[i];
    case TYPE_u16:
        return ((const u16 *)from)[i];
    case TYPE_s16:
        return ((const s16 *)from)[i];
    default:
        return ((const float *)from)[i];
    }
}

CMK_FUNCTION void stored(void *to, size_t i, int type, double value)
{
    switch (type) {
#if TEST_HAS_half
    case TYPE_test_half:
        ((test_half *)to)[i] = (test_half)(float)value;
        break;
#endif
#if TEST_HAS_bfloat16
    case TYPE_test_bfloat16:
        ((test_bfloat16 *)to)[i] = (test_bfloat16)(float)value;
        break;
#endif
    case TYPE_u8:
        ((u8 *)to)[i] = (u8)value;
        break;
    case TYPE_s8:
        ((s8 *)to)[i] = (s8)value;
        break;
    case TYPE_u16:
        ((u16 *)to)[i] = (u16)value;
        break;
    case TYPE_s16:
        ((s16 *)to)[i] = (s16)value;
        break;
    default:
        ((float *)to)[i] = (float)value;
    }
}

CMK_FUNCTION size_t size_of(int type)
{
    return type == TYPE_float ? 4 : type == TYPE_u8 || type == TYPE_s8 ? 1 : 2;
}

/* an integer's range: 0 to 0 of the others */
CMK_FUNCTION double least_of(int type)
{
    return type == TYPE_s8 ? -128.0 : type == TYPE_s16 ? -32768.0 : 0.0;
}
CMK_FUNCTION double most_of(int type)
{
    return type == TYPE_u8    ? 255.0
           : type == TYPE_s8  ? 127.0
           : type == TYPE_u16 ? 65535.0
           : type == TYPE_s16 ? 32767.0
                              : 0.0;
}

/* ---- A case: a filter and an image, all pixels and taps of a kind, or few of another among them */
typedef struct {
    int planes, rows, columns, plane, row, column, edge, separable; /* of one plane, but of a volume */
    int in, out, channels, pixels, shift; /* types; the kind of pixels, where lattices begin */
    unsigned seed;
    size_t image_planes, image_rows, image_columns, pitch;
} filter_case;

CMK_FUNCTION size_t width_of(const filter_case *c)
{
    return c->image_columns * (size_t)c->channels;
}

static size_t elements_of(const filter_case *c)
{
    return c->image_planes * c->image_rows * c->pitch;
}

enum {
    PLAIN,
    SIGNED,
    ALTERNATING,
    EQUAL,
    WIDE,
    ONE_HUGE,
    FEW_HUGE,
    DENORMAL,
    FEW_ZERO,
    LARGE,
    SPECIAL,
    PIXEL_KINDS,
    /* infinities and no numbers, further apart than the filter is wide: a shift for each place */
    LATTICE = PIXEL_KINDS,
    INTEGERS,
    SPARSE
};
static const char *const kind_names[] = {
    "0 to 1",        "both signs",           "signs that alternate",   "all equal to 1",
    "1e-30 to 1e30", "one 1e30 among 1e-30", "1e30 among 1e-30",       "denormal",
    "mostly zero",   "near the largest",     "infinities, no numbers", "infinities, no numbers, at all places",
    "integers",      "few among zeros"};
enum { EVEN, TAPS_WIDE, TAPS_TINY, TAPS_EQUAL, TAPS_ALTERNATING, TAPS_SPECIAL, TAP_KINDS, TAPS_FAR = TAP_KINDS };
enum { TAPS_FEW_HUGE = TAPS_FAR + 1 }; /* of integers: with few pixels, outputs of small taps alone */

static double uniform(void)
{
    return ((double)below(1 << 24) + 0.5) / (1 << 24);
}

static double tap_of(int kind, int i)
{
    const double sign = below(2) ? 1.0 : -1.0;
    if (kind == TAPS_WIDE) return sign * pow(10.0, 40.0 * uniform() - 20.0);
    if (kind == TAPS_TINY) return below(3) ? 0.0 : sign * uniform() * 1e-20;
    if (kind == TAPS_EQUAL) return 1.0;
    if (kind == TAPS_ALTERNATING) return i % 2 ? -1.0 : 1.0;
    if (kind == TAPS_FAR) return sign * exp2(-(double)(7 * i % 50));
    if (kind == TAPS_FEW_HUGE) return below(8) ? uniform() : 0x1p40;
    if (kind == TAPS_SPECIAL && below(40) == 0) return below(2) ? sign * (double)INFINITY : (double)NAN;
    return 2.0 * uniform() - 1.0;
}

/* number k of element i, from 0 to 2^24 - 1 */
CMK_FUNCTION unsigned drawn(const filter_case *c, size_t i, unsigned k)
{
    unsigned h = c->seed * 0x9e3779b9u + (unsigned)i * 2654435761u + k * 0x85ebca6bu;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return (h ^ h >> 16) >> 8;
}

CMK_FUNCTION double special_of(unsigned number)
{
    return number % 2 ? (double)NAN : number / 2 % 2 ? (double)INFINITY : -(double)INFINITY;
}

CMK_FUNCTION double integer_of(const filter_case *c, size_t i, int odd)
{
    const double least = least_of(c->in), most = most_of(c->in);
    if (c->pixels == ALTERNATING) return odd ? most : least;
    if (c->pixels == EQUAL) return 1.0;
    if (c->pixels == SPARSE && drawn(c, i, 1) % (unsigned)(c->rows * c->columns)) return 0.0;
    if (c->pixels > EQUAL && c->pixels % 2 && drawn(c, i, 1) % 4) return 0.0;
    return least + drawn(c, i, 0) % (unsigned)(most - least + 1.0);
}

CMK_FUNCTION double pixel_of(const filter_case *c, size_t i)
{
    const double part = (drawn(c, i, 0) + 0.5) * 0x1p-24, sign = drawn(c, i, 1) % 2 ? 1.0 : -1.0;
    const size_t z = i / c->pitch / c->image_rows, y = i / c->pitch % c->image_rows, x = i % c->pitch;
    const int is_half = c->in == TYPE_test_half, odd = (int)((x + y + z) % 2);
    const double tiny = is_half ? 0x1p-24 : 1e-30, huge = is_half ? 6e4 : 1e30;
    const size_t shift = (size_t)c->shift, wide = (size_t)c->columns + 1, high = (size_t)c->rows + 1;
    const size_t deep = c->planes > 1 ? (size_t)c->planes + 1 : 1;
    switch (most_of(c->in) > 0.0 ? INTEGERS : c->pixels) {
    case PLAIN:
        return part;
    case SIGNED:
        return 2.0 * part - 1.0;
    case ALTERNATING:
        return odd ? -1.0 - 0x1p-9 * part : 1.0;
    case EQUAL:
        return 1.0;
    case WIDE:
        return sign * exp2(is_half ? 40.0 * part - 24.5 : 200.0 * part - 100.0);
    case ONE_HUGE:
        return i == c->seed % (c->image_planes * c->image_rows * c->pitch) ? huge : tiny * (1.0 + part);
    case FEW_HUGE:
        return drawn(c, i, 2) % 300 ? tiny * part : huge;
    case DENORMAL:
        return sign * (is_half ? floor(1024.0 * part) * 0x1p-24 : floor(0x1p20 * part) * 0x1p-149);
    case FEW_ZERO:
        return drawn(c, i, 2) % 50 ? sign * part * exp2(-(double)(drawn(c, i, 3) % 30)) : 0.0;
    case LARGE:
        return sign * (1.0 + part) * (is_half ? 3e4 : 1e36);
    case SPECIAL:
        return drawn(c, i, 2) % 200 ? part : special_of(drawn(c, i, 3));
    case LATTICE:
        return (x + shift) % wide || (y + shift / wide) % high || (z + shift / wide / high) % deep
                   ? part
                   : special_of(drawn(c, i, 3));
    case SPARSE: /* most sums across a row are those of one pixel */
        return drawn(c, i, 2) % 200 ? 0.0 : sign * exp2(-25.0 * part);
    default:
        return integer_of(c, i, odd);
    }
}

static __global__ void draw_pixels(void *in, filter_case c)
{
    const size_t count = c.image_planes * c.image_rows * c.pitch;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        stored(in, i, c.in, pixel_of(&c, i));
}

/* ---- Judgement: sums in double, those of magnitudes, and those of floats in order */
typedef struct {
    double sum, size;
    float plain;
} sums;

/* the largest errors here and of sums of floats, as bits of positive floats; outputs that are wrong, and those that are
 * not the nearest integer */
typedef struct {
    unsigned here, floats, wrong, here_off, floats_off;
} errors;

CMK_DEVICE_ void note_error(unsigned *largest, double error)
{
    const float bounded = (float)fmin(error, 1e9); /* positive: of two such the larger has the larger bits */
    unsigned bits;
    memcpy(&bits, &bounded, sizeof bits);
    if (bits > *largest) atomicMax(largest, bits);
}

static float float_of(unsigned bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

CMK_FUNCTION void add_product(sums *to, float tap, float pixel)
{
    const double product = (double)tap * pixel;
    to->sum += product;
    to->size += isfinite(product) ? fabs(product) : 0.0;
    to->plain = fmaf(tap, pixel, to->plain);
}

/* x counts elements, of a filter's column k */
CMK_FUNCTION float pixel_at(const void *in, const filter_case *c, cmk_i64 z, cmk_i64 y, cmk_i64 x, int k)
{
    const cmk_i64 channels = c->channels;
    const cmk_i64 plane = edge_walk(CMK_EDGE_PLANE(c->edge), z, (cmk_i64)c->image_planes);
    const cmk_i64 row = edge_walk(CMK_EDGE_ROW(c->edge), y, (cmk_i64)c->image_rows);
    const cmk_i64 across = x / channels + k - c->column;
    const cmk_i64 column = edge_walk(CMK_EDGE_COLUMN(c->edge), across, (cmk_i64)c->image_columns);
    if (plane < 0 || row < 0 || column < 0) return 0.0f;
    return loaded(in,
                  ((size_t)plane * c->image_rows + (size_t)row) * c->pitch + (size_t)(column * channels + x % channels),
                  c->in);
}

/* sums across of a separable filter, of the rows above and below an image too */
static __global__ void sum_across(const void *in, sums *across, const float *taps, filter_case c)
{
    const size_t rows = c.image_rows + (size_t)c.rows - 1, width = width_of(&c);
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * width; i += gridDim.x * blockDim.x) {
        const cmk_i64 y = (cmk_i64)(i / width) - c.row, x = (cmk_i64)(i % width);
        sums found = {0.0, 0.0, 0.0f};
        for (int k = 0; k < c.columns; ++k) add_product(&found, taps[c.rows + k], pixel_at(in, &c, 0, y, x, k));
        across[i] = found;
    }
}

/* The sums of output (z, y, x). least: what is lost of it where sums across are as small as floats can be; largest: how
 * large these are. */
CMK_FUNCTION sums summed(const void *in, const sums *across, const float *taps, const filter_case *c, cmk_i64 z,
                         cmk_i64 y, cmk_i64 x, double *least, double *largest)
{
    sums found = {0.0, 0.0, 0.0f};
    *least = 0x1p-149;
    *largest = 0.0;
    for (int r = 0; c->separable && r < c->rows; ++r) {
        const sums row = across[(size_t)(y + r) * width_of(c) + (size_t)x];
        const double tap = taps[r];
        found.sum += tap * row.sum;
        found.size += isfinite(tap) ? fabs(tap) * row.size : 0.0;
        found.plain = fmaf(taps[r], row.plain, found.plain);
        *least += isfinite(tap) ? 0x1p-149 * fabs(tap) : 0.0;
        *largest = row.size > *largest ? row.size : *largest;
    }
    for (int i = 0; !c->separable && i < c->planes * c->rows * c->columns; ++i) {
        const int p = i / c->columns / c->rows, r = i / c->columns % c->rows, k = i % c->columns;
        add_product(&found, taps[i], pixel_at(in, c, z + p - c->plane, y + r - c->row, x, k));
    }
    return found;
}

CMK_FUNCTION double clamped(double sum, int type)
{
    return fmin(fmax(sum, least_of(type)), most_of(type));
}

/* Notes what is said of one output, got: nothing where sums of floats in another order may overflow, or an integer
 * would stand for no number. */
CMK_DEVICE_ void judge_one(errors *found, const filter_case *c, sums s, double got, double least, double largest)
{
    const int whole = most_of(c->out) > 0.0;
    const int taps = c->separable && !whole ? c->rows + c->columns : c->planes * c->rows * c->columns;
    const double allowed = taps * (0x1p-24 * s.size + least), unit = s.size * 0x1p-24;
    int right = 1;
    if (!(s.size < 1e38 && largest < 1e38) || (whole && isnan(s.sum))) return;
    if (whole) { /* rounded and saturated: off by a half and what a sum of floats may be */
        const double expected = clamped(s.sum, c->out);
        right = fabs(got - expected) <= 0.5 + allowed + 0x1p-18;
        if (got != rint(expected)) atomicAdd(&found->here_off, 1u);
        if (rint(clamped(s.plain, c->out)) != rint(expected)) atomicAdd(&found->floats_off, 1u);
    } else if (isnan(s.sum) || isinf(s.sum)) {
        right = isnan(s.sum) ? isnan(got) : got == s.sum;
    } else {
        right = fabs(got - s.sum) <= allowed;
        if (s.size > 1e-30) {
            note_error(&found->here, fabs(got - s.sum) / unit);
            note_error(&found->floats, fabs((double)s.plain - s.sum) / unit);
        }
    }
    if (!right) atomicAdd(&found->wrong, 1u);
}

static __global__ void judge(errors *found, const void *in, const void *out, const sums *across, const float *taps,
                             filter_case c)
{
    const size_t rows = c.image_planes * c.image_rows, width = width_of(&c);
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * width; i += gridDim.x * blockDim.x) {
        const size_t row = i / width, x = i % width;
        double least, largest;
        const sums s = summed(in, across, taps, &c, (cmk_i64)(row / c.image_rows), (cmk_i64)(row % c.image_rows),
                              (cmk_i64)x, &least, &largest);
        judge_one(found, &c, s, loaded(out, row * c.pitch + x, c.out), least, largest);
    }
}

/* ---- Definitions */
typedef struct {
    const char *name;
    filter_case filter;
    cudaError_t (*run)(const void *in, void *out, const filter_case *c, const float *taps);
} definition;

#define FILTER_CASE(planes, rows, columns, plane, row, column, edge, separable, IN, OUT, channels)                     \
    {                                                                                                                  \
        planes, rows, columns, plane, row, column, edge, separable, TYPE_##IN, TYPE_##OUT, channels, 0, 0, 0, 1, 0, 0, \
            0                                                                                                          \
    }
#define DEFINED(name, text)                                                                                            \
    {                                                                                                                  \
        text, name##_filter, name##_run                                                                                \
    }

/* ---- Cases of a definition */
typedef struct {
    void *in, *out;
    sums *across;
    float *taps;
    errors *found;
} arrays;

/* what all cases of a definition came to */
typedef struct {
    size_t wrong, outputs, here_off, floats_off;
    float here, floats;
    const char *worst; /* the pixels of the largest error */
} tally;

/* case number of so many: a fifth has what is no number at each place in turn */
static filter_case drawn_case(const definition *d, void (*draw_sizes)(filter_case *), int number, int cases,
                              int *taps_kind)
{
    filter_case c = d->filter;
    draw_sizes(&c);
    c.pixels = (int)below(PIXEL_KINDS);
    c.shift = number;
    if (c.separable && c.planes <= 1 && number % 8 == 7 && most_of(c.in) == 0.0) c.pixels = SPARSE;
    if (number < cases / 5 && most_of(c.in) == 0.0) c.pixels = LATTICE;
    c.seed = (unsigned)below((size_t)1 << 30);
    *taps_kind = c.pixels == LATTICE ? EVEN : (int)below(TAP_KINDS);
    if (c.pixels == SPARSE) *taps_kind = number % 16 == 15 ? TAPS_FAR : EVEN;
    if (most_of(c.out) > 0.0 && number % 6 == 5) {
        c.pixels = SPARSE;
        *taps_kind = TAPS_FEW_HUGE;
    }
    return c;
}

static errors run_case(const definition *d, const filter_case *c, const float *taps, int count, arrays *a)
{
    errors found;
    CMK_CHECK(cudaMemset(a->found, 0, sizeof found));
    CMK_CHECK(cudaMemset(a->out, 0xff, elements_of(c) * size_of(c->out)));
    CMK_CHECK(cudaMemcpy(a->taps, taps, (size_t)count * sizeof *taps, cudaMemcpyHostToDevice));
    CMK_CHECK(CMK_LAUNCH(draw_pixels, BLOCKS, THREADS, 0, 0, a->in, *c));
    CMK_CHECK(d->run(a->in, a->out, c, taps));
    if (c->separable) CMK_CHECK(CMK_LAUNCH(sum_across, BLOCKS, THREADS, 0, 0, a->in, a->across, a->taps, *c));
    CMK_CHECK(CMK_LAUNCH(judge, BLOCKS, THREADS, 0, 0, a->found, a->in, a->out, a->across, a->taps, *c));
    CMK_CHECK(cudaMemcpy(&found, a->found, sizeof found, cudaMemcpyDeviceToHost));
    return found;
}

static void add_case(tally *all, const filter_case *c, const errors *found, int taps_kind)
{
    const float here = float_of(found->here), floats = float_of(found->floats);
    const char *const pixels = kind_names[most_of(c->in) > 0.0 ? INTEGERS : c->pixels];
    if (here > all->here) all->worst = pixels;
    all->here = here > all->here ? here : all->here;
    all->floats = floats > all->floats ? floats : all->floats;
    all->wrong += found->wrong;
    all->here_off += found->here_off;
    all->floats_off += found->floats_off;
    all->outputs += c->image_planes * c->image_rows * width_of(c);
    if (found->wrong > 0)
        printf("# %u of %zu x %zu x %zu wrong, pitch %zu, pixels: %s, taps of kind %d\n", found->wrong, c->image_planes,
               c->image_rows, c->image_columns, c->pitch, pixels, taps_kind);
}

static void run_definition(const definition *d, void (*draw_sizes)(filter_case *), int cases, arrays *a)
{
    tally all = {0, 0, 0, 0, 0.0f, 0.0f, "none"};
    for (int i = 0; i < cases && all.wrong == 0; ++i) {
        float taps[TAPS_MOST];
        int kind;
        const filter_case c = drawn_case(d, draw_sizes, i, cases, &kind);
        const int count = c.separable ? c.rows + c.columns : c.planes * c.rows * c.columns;
        for (int k = 0; k < count; ++k) taps[k] = (float)tap_of(kind, k);
        const errors found = run_case(d, &c, taps, count, a);
        add_case(&all, &c, &found, kind);
    }
    tap_check(all.wrong == 0 && all.outputs > 0, "%s: %d images", d->name, cases);
    if (most_of(d->filter.out) > 0.0)
        printf("# %s: not the nearest integer, in a million: %.2f, of sums of floats %.2f; %zu outputs\n", d->name,
               1e6 * (double)all.here_off / (double)all.outputs, 1e6 * (double)all.floats_off / (double)all.outputs,
               all.outputs);
    else
        printf("# %s: largest error over sum |w||x|, in 2^-24: %.1f, of sums of floats %.1f; %zu outputs; pixels: %s\n",
               d->name, all.here, all.floats, all.outputs, all.worst);
    fflush(stdout);
}

/* all cases of so many definitions, or of those with `only` in their name; returns what main does */
static int run_definitions(const definition *all, size_t count, void (*draw_sizes)(filter_case *), size_t elements,
                           size_t across, int cases, const char *only)
{
    arrays a;
    tap_need_device();
    CMK_CHECK(cudaMalloc(&a.in, elements * sizeof(float)));
    CMK_CHECK(cudaMalloc(&a.out, elements * sizeof(float)));
    CMK_CHECK(cudaMalloc((void **)&a.across, across * sizeof *a.across));
    CMK_CHECK(cudaMalloc((void **)&a.taps, TAPS_MOST * sizeof *a.taps));
    CMK_CHECK(cudaMalloc((void **)&a.found, sizeof *a.found));
    for (size_t k = 0; k < count; ++k) {
        if (only != NULL && strstr(all[k].name, only) == NULL) continue;
        random_state = k;
        run_definition(&all[k], draw_sizes, cases, &a);
    }
    CMK_CHECK(cudaFree(a.in));
    CMK_CHECK(cudaFree(a.out));
    CMK_CHECK(cudaFree(a.across));
    CMK_CHECK(cudaFree(a.taps));
    CMK_CHECK(cudaFree(a.found));
    return tap_done();
}

#endif
