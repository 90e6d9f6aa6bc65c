/* CMK_DEFINE_CONV3D and CMK_DEFINE_SEPARABLE3D against the plain loop in double: filters of many shapes from every
 * source, every edge on every axis, odd sizes, pitches, steps and alignments; volumes, and regions of them. */
#include <math.h>
#include <cmk/cmk.h>
#include "edge_walk.h"
#include "random.h"
#include "tap.h"

enum { guard = 64, poison = 0xA5, most_taps = 7 * 7 * 7, most_radius = 8 };

static int shapes = 24, large = 70000;

/* of a call: outputs of a region, which begins at a point of the volume */
typedef struct {
    size_t planes, rows, columns;
    size_t in_pitch, in_step, in_shift;
    size_t out_pitch, out_step, out_shift;
    size_t plane, row, column, region[3];
} shape;

/* a definition whose pointers forget the type, and its filter: taps[p][r][c] */
typedef struct {
    const char *name;
    size_t size;
    int lengths[3], edge;
    cudaError_t (*launch)(const void *in, void *out, shape s);
    const double *taps;
} definition;

static double any_taps[most_taps], separable_taps[most_radius + 1][17 * 17 * 17];

/* ---- the definitions */

static int is_whole(shape s)
{
    return s.plane + s.row + s.column == 0 && s.region[0] == s.planes && s.region[1] == s.rows &&
           s.region[2] == s.columns;
}

#define LITERALS 3.0f, -1.0f, 2.0f, 5.0f, 1.0f, -4.0f
static const double literal_taps[] = {LITERALS};
CMK_TABLE_VALUES(LITERAL, float, literals, [6], LITERALS);

#define CALL(name, T, ...)                                                                                             \
    static cudaError_t launch_##name(const void *in, void *out, shape s)                                               \
    {                                                                                                                  \
        if (is_whole(s))                                                                                               \
            return name((const T *)in, s.in_pitch, s.in_step, (T *)out, s.out_pitch, s.out_step, s.planes, s.rows,     \
                        s.columns, __VA_ARGS__, 0);                                                                    \
        return name##_region((const T *)in, s.in_pitch, s.in_step, (T *)out, s.out_pitch, s.out_step, s.planes,        \
                             s.rows, s.columns, s.plane, s.row, s.column, s.region[0], s.region[1], s.region[2],       \
                             __VA_ARGS__, 0);                                                                          \
    }

#define DEFINE(SOURCE, T, P, R, C, EDGE)                                                                               \
    CMK_TABLE(SOURCE, T, taps_##T##_##P##R##C, [P][R][C]);                                                             \
    CMK_DEFINE_CONV3D(box_##T##_##P##R##C, T, (P, R, C), taps_##T##_##P##R##C, EDGE);                                  \
    CALL(box_##T##_##P##R##C, T, taps_##T##_##P##R##C)
#define DEFINE_SEPARABLE(SOURCE, T, R, EDGE)                                                                           \
    CMK_TABLE(SOURCE, T, through_##T##_##R, [2 * R + 1]);                                                              \
    CMK_TABLE(SOURCE, T, down_##T##_##R, [2 * R + 1]);                                                                 \
    CMK_TABLE(SOURCE, T, across_##T##_##R, [2 * R + 1]);                                                               \
    CMK_DEFINE_SEPARABLE3D(separable_##T##_##R, T, R, (through_##T##_##R, down_##T##_##R, across_##T##_##R), EDGE);    \
    CALL(separable_##T##_##R, T, through_##T##_##R, down_##T##_##R, across_##T##_##R)

#define CLAMP_WRAP_MIRROR CMK_EDGE_AXES_3D(CMK_EDGE_CLAMP, CMK_EDGE_WRAP, CMK_EDGE_MIRROR)
#define WRAP_REFLECT_CLAMP CMK_EDGE_AXES_3D(CMK_EDGE_WRAP, CMK_EDGE_REFLECT, CMK_EDGE_CLAMP)
#define REFLECT_MIRROR_WRAP CMK_EDGE_AXES_3D(CMK_EDGE_REFLECT, CMK_EDGE_MIRROR, CMK_EDGE_WRAP)
#define MIRROR_CLAMP_REFLECT CMK_EDGE_AXES_3D(CMK_EDGE_MIRROR, CMK_EDGE_CLAMP, CMK_EDGE_REFLECT)
#define ZERO_CLAMP_SIDES                                                                                               \
    CMK_EDGE_AXES_3D(CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_WRAP), CMK_EDGE_SIDES(CMK_EDGE_CLAMP, CMK_EDGE_ZERO),      \
                     CMK_EDGE_SIDES(CMK_EDGE_MIRROR, CMK_EDGE_ZERO))
#define ZERO_PLANES CMK_EDGE_AXES_3D(CMK_EDGE_ZERO, CMK_EDGE_CLAMP, CMK_EDGE_WRAP)

/* clang-format off */
#define BOXES(CASE) \
    CASE(CONSTANT, float, 3, 3, 3, CMK_EDGE_ZERO) \
    CASE(CONSTANT, double, 3, 3, 3, CLAMP_WRAP_MIRROR) \
    CASE(GLOBAL, float, 2, 3, 2, REFLECT_MIRROR_WRAP) \
    CASE(PARAMETER, float, 1, 2, 3, MIRROR_CLAMP_REFLECT) \
    CASE(PARAMETER, double, 3, 1, 2, ZERO_CLAMP_SIDES) \
    CASE(CONSTANT, float, 1, 1, 1, CMK_EDGE_CLAMP) \
    CASE(CONSTANT, float, 5, 5, 5, CMK_EDGE_ZERO) \
    CASE(PARAMETER, float, 4, 5, 6, CLAMP_WRAP_MIRROR) \
    CASE(GLOBAL, double, 7, 2, 3, WRAP_REFLECT_CLAMP) \
    CASE(CONSTANT, float, 1, 7, 6, REFLECT_MIRROR_WRAP) \
    CASE(CONSTANT, double, 2, 4, 7, ZERO_PLANES) \
    CASE(CONSTANT, float, 7, 7, 7, MIRROR_CLAMP_REFLECT) \
    CASE(CONSTANT, double, 7, 7, 7, ZERO_CLAMP_SIDES)
#define SEPARABLES(CASE) \
    CASE(CONSTANT, float, 1, CMK_EDGE_ZERO) \
    CASE(PARAMETER, double, 1, WRAP_REFLECT_CLAMP) \
    CASE(GLOBAL, float, 2, CLAMP_WRAP_MIRROR) \
    CASE(CONSTANT, double, 3, MIRROR_CLAMP_REFLECT) \
    CASE(CONSTANT, float, 4, REFLECT_MIRROR_WRAP) \
    CASE(PARAMETER, float, 5, ZERO_CLAMP_SIDES) \
    CASE(CONSTANT, float, 8, ZERO_PLANES) \
    CASE(CONSTANT, double, 8, CLAMP_WRAP_MIRROR)
/* clang-format on */

BOXES(DEFINE)
SEPARABLES(DEFINE_SEPARABLE)
CMK_DEFINE_CONV3D(literal, float, (3, 2, 1), literals, WRAP_REFLECT_CLAMP);
CALL(literal, float, literals)

#define BOX_ROW(SOURCE, T, P, R, C, EDGE)                                                                              \
    {#T " " #P " x " #R " x " #C " " #SOURCE " " #EDGE,                                                                \
     sizeof(T),                                                                                                        \
     {P, R, C},                                                                                                        \
     EDGE,                                                                                                             \
     launch_box_##T##_##P##R##C,                                                                                       \
     any_taps},
#define SEPARABLE_ROW(SOURCE, T, R, EDGE)                                                                              \
    {"separable " #T " " #R " " #SOURCE " " #EDGE,                                                                     \
     sizeof(T),                                                                                                        \
     {2 * R + 1, 2 * R + 1, 2 * R + 1},                                                                                \
     EDGE,                                                                                                             \
     launch_separable_##T##_##R,                                                                                       \
     separable_taps[R]},
static const definition definitions[] = {BOXES(BOX_ROW) SEPARABLES(SEPARABLE_ROW){
    "float 3 x 2 x 1 LITERAL", sizeof(float), {3, 2, 1}, WRAP_REFLECT_CLAMP, launch_literal, literal_taps}};

/* integers, which float and double hold exactly */
#define UPLOAD(T, table, count, values)                                                                                \
    do {                                                                                                               \
        T uploaded[count];                                                                                             \
        for (int k = 0; k < count; ++k) uploaded[k] = (T)(values)[k];                                                  \
        CMK_CHECK(CMK_TABLE_UPLOAD(table, uploaded, 0, count));                                                        \
    } while (0);
#define UPLOAD_BOX(SOURCE, T, P, R, C, EDGE) UPLOAD(T, taps_##T##_##P##R##C, P *R *C, any_taps)
#define UPLOAD_SEPARABLE(SOURCE, T, R, EDGE)                                                                           \
    UPLOAD(T, through_##T##_##R, 2 * R + 1, any_taps)                                                                  \
    UPLOAD(T, down_##T##_##R, 2 * R + 1, any_taps + 1)                                                                 \
    UPLOAD(T, across_##T##_##R, 2 * R + 1, any_taps + 2)

static void fill_tables(void)
{
    for (int k = 0; k < most_taps; ++k) any_taps[k] = rand() % 19 - 9;
    for (int radius = 1; radius <= most_radius; ++radius) {
        const int length = 2 * radius + 1;
        for (int k = 0; k < length * length * length; ++k)
            separable_taps[radius][k] =
                any_taps[k / length / length] * any_taps[1 + k / length % length] * any_taps[2 + k % length];
    }
    BOXES(UPLOAD_BOX)
    SEPARABLES(UPLOAD_SEPARABLE)
}

/* ---- one shape */

static size_t extent(size_t step, size_t pitch, size_t planes, size_t rows, size_t columns)
{
    const int empty = planes == 0 || rows == 0 || columns == 0;
    return empty ? 0 : (planes - 1) * step + (rows - 1) * pitch + columns;
}

static void *allocated(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory != NULL) return memory;
    puts("Bail out! no memory");
    exit(EXIT_FAILURE);
}

static double element(const void *array, size_t size, size_t at)
{
    return size == sizeof(float) ? (double)((const float *)array)[at] : ((const double *)array)[at];
}

/* the sum at a point, and the sum of the absolute terms; from[axis][k] is the index that tap k reads */
static double reference(const definition *d, const void *in, shape s, cmk_i64 from[3][17], double *scale)
{
    double sum = 0.0;
    const double *tap = d->taps;
    *scale = 0.0;
    for (int p = 0; p < d->lengths[0]; ++p)
        for (int r = 0; r < d->lengths[1]; ++r)
            for (int c = 0; c < d->lengths[2]; ++c, ++tap) {
                const cmk_i64 z = from[0][p], y = from[1][r], x = from[2][c];
                const size_t at = s.in_shift + (size_t)z * s.in_step + (size_t)y * s.in_pitch + (size_t)x;
                const double term = z < 0 || y < 0 || x < 0 ? 0.0 : *tap * element(in, d->size, at);
                sum += term;
                *scale += fabs(term);
            }
    return sum;
}

static void sources(const definition *d, int axis, size_t i, size_t count, cmk_i64 *from)
{
    const int edges[] = {CMK_EDGE_PLANE(d->edge), CMK_EDGE_ROW(d->edge), CMK_EDGE_COLUMN(d->edge)};
    for (int k = 0; k < d->lengths[axis]; ++k)
        from[k] = edge_walk(edges[axis], (cmk_i64)i + k - d->lengths[axis] / 2, (cmk_i64)count);
}

/* checks every point, and puts poison back there */
static int points_right(const definition *d, const void *in, unsigned char *out, size_t out_at, shape s)
{
    const double epsilon = d->size == sizeof(float) ? 5.9604645e-8 : 1.1102230e-16;
    const double taps = d->lengths[0] * d->lengths[1] * d->lengths[2];
    cmk_i64 from[3][17];
    int right = 1;
    for (size_t z = 0; z < s.region[0]; ++z)
        for (size_t y = 0; y < s.region[1]; ++y)
            for (size_t x = 0; x < s.region[2]; ++x) {
                const size_t at = out_at + z * s.out_step + y * s.out_pitch + x;
                double scale, expected, difference;
                sources(d, 0, s.plane + z, s.planes, from[0]);
                sources(d, 1, s.row + y, s.rows, from[1]);
                sources(d, 2, s.column + x, s.columns, from[2]);
                expected = reference(d, in, s, from, &scale);
                difference = fabs(element(out, d->size, at) - expected);
                right &= difference <= taps * epsilon * scale;
                memset(out + d->size * at, poison, d->size);
            }
    return right;
}

/* The input ends with its last element; around the output, and in its gaps, poison has to stay. */
static int right(const definition *d, shape s)
{
    const size_t in_count = s.in_shift + extent(s.in_step, s.in_pitch, s.planes, s.rows, s.columns);
    const size_t outputs = extent(s.out_step, s.out_pitch, s.region[0], s.region[1], s.region[2]);
    const size_t out_at = guard + s.out_shift, out_count = out_at + outputs + guard;
    void *const in = allocated(d->size * (in_count + 1));
    unsigned char *const out = (unsigned char *)allocated(d->size * out_count);
    unsigned char *device_in = NULL, *device_out = NULL;
    int same;
    for (size_t k = 0; k <= in_count; ++k) {
        const double value = (double)below(2001) / 1000.0 - 1.0;
        if (d->size == sizeof(float))
            ((float *)in)[k] = (float)value;
        else
            ((double *)in)[k] = value;
    }
    CMK_CHECK(cudaMalloc((void **)&device_in, d->size * (in_count + (in_count == 0))));
    CMK_CHECK(cudaMalloc((void **)&device_out, d->size * out_count));
    CMK_CHECK(cudaMemcpy(device_in, in, d->size * in_count, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemset(device_out, poison, d->size * out_count));
    CMK_CHECK(d->launch(device_in + d->size * s.in_shift, device_out + d->size * out_at, s));
    CMK_CHECK(cudaMemcpy(out, device_out, d->size * out_count, cudaMemcpyDeviceToHost));
    same = points_right(d, in, out, out_at, s);
    for (size_t b = 0; b < d->size * out_count; ++b) same &= out[b] == poison;
    CMK_CHECK(cudaFree(device_in));
    CMK_CHECK(cudaFree(device_out));
    free(in);
    free(out);
    return same;
}

/* ---- many shapes */

static size_t up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* a length that meets the tile of 8 planes, 8 to 32 rows or 64 or 128 columns, or the radius */
static size_t any_length(int axis, int taps)
{
    static const size_t near_rows[] = {7, 8, 9, 15, 16, 17, 31, 32, 33};
    static const size_t near_columns[] = {63, 64, 65, 127, 128, 129, 131, 257};
    const size_t kind = below(12);
    if (kind == 0) return 0 < below(4);
    if (kind < 3) return 1;
    if (kind == 3) return (size_t)taps / 2 + 1;
    if (kind == 4) return (size_t)taps;
    if (kind < 8 && axis < 2) return near_rows[below(sizeof near_rows / sizeof near_rows[0])];
    if (kind < 8) return near_columns[below(sizeof near_columns / sizeof near_columns[0])];
    return 1 + below(13);
}

/* a region of a volume, or all of it */
static void any_region(shape *s, size_t unit)
{
    const size_t sizes[3] = {s->planes, s->rows, s->columns};
    size_t *const firsts[3] = {&s->plane, &s->row, &s->column};
    const int whole = below(3) == 0;
    for (int axis = 0; axis < 3; ++axis) {
        const size_t size = sizes[axis], kind = whole ? 0 : below(4), up_to = axis == 2 ? unit : 1;
        const size_t first = kind == 0 ? 0 : below(size + 1) / up_to * up_to;
        *firsts[axis] = first;
        s->region[axis] = kind < 2 ? size - first : below(size - first + 1);
    }
}

/* At most two axes are long. Of every second shape all rows begin at multiples of 16 bytes. */
static shape any_shape(const definition *d)
{
    const size_t unit = below(2) == 0 ? 16 / d->size : 1, thin = below(3);
    size_t lengths[3];
    shape s;
    memset(&s, 0, sizeof s);
    for (size_t axis = 0; axis < 3; ++axis)
        lengths[axis] = axis == thin ? 1 + below(5) : any_length((int)axis, d->lengths[axis]);
    s.planes = lengths[0];
    s.rows = lengths[1];
    s.columns = up(lengths[2], unit);
    any_region(&s, unit);
    s.in_pitch = up(s.columns + below(2) * below(20), unit);
    s.out_pitch = up(s.region[2] + below(2) * below(20), unit);
    s.in_step = up(s.rows * s.in_pitch + below(2) * below(50), unit);
    s.out_step = up(s.region[1] * s.out_pitch + below(2) * below(50), unit);
    s.in_shift = up(below(2) * below(16), unit);
    s.out_shift = up(below(2) * below(16), unit);
    return s;
}

static shape volume(size_t planes, size_t rows, size_t columns)
{
    const shape s = {planes, rows, columns, columns, rows * columns,         0, columns, rows * columns,
                     0,      0,    0,       0,       {planes, rows, columns}};
    return s;
}

static void check_shapes(const definition *d)
{
    shape first = volume(0, 0, 0), rows_of_planes = volume(3, 5, 12), beside = volume(2, 9, 320);
    int failures = 0;
    random_state = d->size + (size_t)d->lengths[0];
    for (int k = 0; k < shapes; ++k) {
        const shape s = any_shape(d);
        if (right(d, s)) continue;
        if (failures++ == 0) first = s;
    }
    tap_check(failures == 0, "%s: %d of %d shapes wrong", d->name, failures, shapes);
    if (failures != 0)
        printf("# first: %zu x %zu x %zu; in: pitch %zu, step %zu, shift %zu; out: %zu, %zu, %zu; region: %zu x %zu x "
               "%zu from %zu, %zu, %zu\n",
               first.planes, first.rows, first.columns, first.in_pitch, first.in_step, first.in_shift, first.out_pitch,
               first.out_step, first.out_shift, first.region[0], first.region[1], first.region[2], first.plane,
               first.row, first.column);
    rows_of_planes.in_pitch = rows_of_planes.out_pitch = 3 * 12;
    rows_of_planes.in_step = rows_of_planes.out_step = 12;
    tap_check(right(d, rows_of_planes), "%s: a step below the pitch", d->name);
    beside.column = 1, beside.region[2] = 300;
    tap_check(right(d, beside), "%s: a region that begins an element behind a multiple of 16 bytes", d->name);
}

/* more than 65,535 along each axis, by both definitions */
static void check_large(void)
{
    for (size_t k = 0; k < sizeof definitions / sizeof definitions[0]; ++k) {
        const definition *d = &definitions[k];
        if (d->size != sizeof(float) || d->lengths[0] != 3 || d->lengths[2] != 3) continue;
        tap_check(right(d, volume((size_t)large, 2, 4)), "%s: %d planes", d->name, large);
        tap_check(right(d, volume(2, (size_t)large, 4)), "%s: %d rows", d->name, large);
        tap_check(right(d, volume(2, 3, (size_t)large)), "%s: %d columns", d->name, large);
    }
}

/* ---- regions that are all of a volume */

enum { most_boxes = 8 };

/* whether sums come in one order wherever a region begins: tensor cores look at what is beside them */
static int in_order(const definition *d)
{
    const int *const n = d->lengths;
    return !CMK_TENSOR || d->taps != any_taps || d->size != sizeof(float) || n[0] < 3 || n[1] < 5 || n[2] < 3;
}

/* the volume cut through a point, before a column that is a multiple of unit */
static int cut(const size_t sizes[3], size_t unit, cmk_box *boxes)
{
    size_t at[3];
    for (int axis = 0; axis < 3; ++axis) at[axis] = below(sizes[axis] + 1);
    at[2] -= at[2] % unit;
    for (int k = 0; k < 8; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            const int high = k >> axis & 1;
            boxes[k].first[axis] = high ? (cmk_i64)at[axis] : 0;
            boxes[k].count[axis] = (cmk_i64)(high ? sizes[axis] - at[axis] : at[axis]);
        }
    return 8;
}

/* border and interior, as of a rank between others */
static int border_of(const size_t sizes[3], cmk_box *boxes)
{
    const cmk_i64 global[3] = {3 * (cmk_i64)sizes[0], 3 * (cmk_i64)sizes[1], 3 * (cmk_i64)sizes[2]};
    const int parts[3] = {3, 3, 3}, width[3] = {1 + (int)below(3), (int)below(3), (int)below(9)};
    cmk_grid grid;
    if (!cmk_grid_split(&grid, 13, 27, global, parts, NULL)) return 0;
    const int count = cmk_grid_border(&grid, width, boxes);
    boxes[count] = cmk_grid_interior(&grid, width);
    return count + 1;
}

/* writes the boxes of a volume at their places of out */
static void launch_boxes(const definition *d, const char *in, char *out, shape s, const cmk_box *boxes, int count)
{
    for (int k = 0; k < count; ++k) {
        shape part = s;
        part.plane = (size_t)boxes[k].first[0], part.row = (size_t)boxes[k].first[1];
        part.column = (size_t)boxes[k].first[2];
        for (int axis = 0; axis < 3; ++axis) part.region[axis] = (size_t)boxes[k].count[axis];
        const size_t at = part.plane * s.out_step + part.row * s.out_pitch + part.column;
        CMK_CHECK(d->launch(in, out + at * d->size, part));
    }
}

/* whether boxes come to what the whole does, bit by bit */
static int same_by(const definition *d, shape s, const cmk_box *boxes, int count)
{
    const size_t bytes = s.planes * s.rows * s.columns * d->size;
    char *const in = (char *)allocated(bytes), *const outs[2] = {(char *)allocated(bytes), (char *)allocated(bytes)};
    char *device_in = NULL, *device_out = NULL;
    CMK_CHECK(cudaMalloc((void **)&device_in, bytes));
    CMK_CHECK(cudaMalloc((void **)&device_out, bytes));
    for (size_t k = 0; k < bytes / d->size; ++k) {
        const double value = (double)below(2001) / 1000.0 - 1.0;
        if (d->size == sizeof(float))
            ((float *)(void *)in)[k] = (float)value;
        else
            ((double *)(void *)in)[k] = value;
    }
    CMK_CHECK(cudaMemcpy(device_in, in, bytes, cudaMemcpyHostToDevice));
    for (int by = 0; by < 2; ++by) {
        CMK_CHECK(cudaMemset(device_out, poison + by, bytes));
        if (by == 0) CMK_CHECK(d->launch(device_in, device_out, s));
        if (by == 1) launch_boxes(d, device_in, device_out, s, boxes, count);
        CMK_CHECK(cudaMemcpy(outs[by], device_out, bytes, cudaMemcpyDeviceToHost));
    }
    const int same = memcmp(outs[0], outs[1], bytes) == 0;
    CMK_CHECK(cudaFree(device_in));
    CMK_CHECK(cudaFree(device_out));
    free(in), free(outs[0]), free(outs[1]);
    return same;
}

static void check_boxes(const definition *d)
{
    int cuts = 0, borders = 0, all = shapes / 8 + 1;
    if (!in_order(d)) return;
    for (int k = 0; k < all; ++k) {
        const int wide = k % 2; /* so that regions go by 16 bytes, if they begin where they can */
        const shape s = volume(9 + below(9), 9 + below(wide ? 4 : 20), wide ? 4 * (80 + below(20)) : 30 + below(40));
        const size_t sizes[3] = {s.planes, s.rows, s.columns};
        cmk_box boxes[most_boxes];
        cuts += same_by(d, s, boxes, cut(sizes, k % 4 == 1 ? 4 : 1, boxes));
        borders += same_by(d, s, boxes, border_of(sizes, boxes));
    }
    tap_check(cuts == all, "%s: %d volumes cut through a point have the bits of the whole", d->name, all);
    tap_check(borders == all, "%s: %d borders and interiors have the bits of the whole", d->name, all);
}

/* ---- refused calls */

enum { room = 512, half = room / 2 };

static float *x, *y; /* one allocation: y begins where the first half ends */

static void refused(cudaError_t error, const char *text)
{
    tap_check(error == cudaErrorInvalidValue, "%s", text);
}

static const char *kind;

static cudaError_t call(const void *in, size_t in_pitch, size_t in_step, void *out, size_t out_pitch, size_t out_step,
                        size_t planes, size_t rows, size_t columns)
{
    const shape s = {
        planes, rows, columns, in_pitch, in_step, 0, out_pitch, out_step, 0, 0, 0, 0, {planes, rows, columns}};
    return kind == NULL ? launch_box_float_333(in, out, s) : launch_separable_float_1(in, out, s);
}

/* of a volume of 2 x 3 x 4 */
static cudaError_t call_region(void *out, size_t plane, size_t row, size_t column, size_t planes, size_t rows,
                               size_t columns)
{
    const shape s = {2, 3, 4, 4, 12, 0, 4, 12, 0, plane, row, column, {planes, rows, columns}};
    return kind == NULL ? launch_box_float_333(x, out, s) : launch_separable_float_1(x, out, s);
}

static void refuses_bad_regions(void)
{
    const size_t below_0 = (size_t)-1;
    refused(call_region(y, 1, 0, 0, 2, 3, 4), "a region behind the last plane is refused");
    refused(call_region(y, 0, 1, 0, 2, 3, 4), "a region behind the last row is refused");
    refused(call_region(y, 0, 0, 1, 2, 3, 4), "a region behind the last column is refused");
    refused(call_region(y, 3, 0, 0, below_0, 1, 1), "a region of -1 planes is refused");
    refused(call_region(y, 0, below_0, 0, 1, 1, 1), "a region that begins at row -1 is refused");
    refused(call_region(y, 0, 0, below_0, 1, 1, 2), "a region that begins at column -1 is refused");
    refused(call_region(x + 23, 1, 0, 0, 1, 1, 1), "an output on the last sample of the volume is refused");
    tap_check(call_region(y, 2, 0, 0, 0, 3, 4) == cudaSuccess, "a region of 0 planes is right");
    tap_check(call_region(y, 0, 3, 0, 2, 0, 4) == cudaSuccess, "a region of 0 rows is right");
    tap_check(call_region(y, 0, 0, 4, 2, 3, 0) == cudaSuccess, "a region of 0 columns is right");
}

static void refuses_bad_input(void)
{
    const size_t huge = (size_t)-1 / 4, wraps = (size_t)1 << sizeof(size_t) * 4, beyond = (size_t)1 << 31;
    refused(call(NULL, 4, 12, y, 4, 12, 2, 3, 4), "a null input is refused");
    refused(call(x, 4, 12, NULL, 4, 12, 2, 3, 4), "a null output is refused");
    refused(call((char *)x + 1, 4, 12, y, 4, 12, 2, 3, 4), "a misaligned input is refused");
    refused(call(x, 4, 12, (char *)y + 2, 4, 12, 2, 3, 4), "a misaligned output is refused");
    refused(call(x, 3, 12, y, 4, 12, 2, 3, 4), "an input pitch below the columns is refused");
    refused(call(x, 4, 12, y, 3, 12, 2, 3, 4), "an output pitch below the columns is refused");
    refused(call(x, huge, 12, y, 4, 12, 2, 3, 4), "an input pitch beyond the address space is refused");
    refused(call(x, 4, 12, y, huge, 12, 2, 3, 4), "an output pitch beyond the address space is refused");
    refused(call(x, 4, huge, y, 4, 12, 3, 3, 4), "an input step beyond the address space is refused");
    refused(call(x, 4, 12, y, 4, huge, 3, 3, 4), "an output step beyond the address space is refused");
    refused(call(x, wraps, wraps, y, wraps, wraps, wraps, wraps, wraps), "sizes that wrap to 0 are refused");
    refused(call(x, 1, 0, (char *)x + 4 * beyond, 1, 0, beyond, 1, 1), "2^31 planes are refused");
    refused(call(x, 1, 0, (char *)x + 4 * beyond, 1, 0, 1, beyond, 1), "2^31 rows are refused");
    refused(call(x, beyond, 0, (char *)x + 4 * beyond, beyond, 0, 1, 1, beyond), "2^31 columns are refused");
    refused(call(x, 4, 12, y, 4, 11, 2, 3, 4), "output planes that share an element are refused");
    refused(call(x, 4, 12, x, 4, 12, 2, 3, 4), "in place is refused");
    refused(call(x, 4, 12, x + 23, 4, 12, 2, 3, 4), "an overlap by one element is refused");
    refused(call(x + 23, 4, 12, x, 4, 12, 2, 3, 4), "an overlap by one element from above is refused");
    refused(call(x, 8, 24, x + 43, 4, 12, 2, 3, 4), "an overlap by the last element of a pitched input is refused");
    refused(call(x + 43, 4, 12, x, 8, 24, 2, 3, 4), "an overlap by the last element of a pitched output is refused");
    tap_check(call(NULL, 4, 12, NULL, 4, 12, 0, 3, 4) == cudaSuccess, "0 planes are right");
    tap_check(call(NULL, 4, 12, NULL, 4, 12, 2, 0, 4) == cudaSuccess, "0 rows are right");
    tap_check(call(NULL, 0, 0, NULL, 0, 0, 2, 3, 0) == cudaSuccess, "0 columns are right");
}

static void check_refusals(void)
{
    unsigned char bytes[sizeof(float) * room];
    int changed = 0;
    CMK_CHECK(cudaMalloc((void **)&x, sizeof bytes));
    CMK_CHECK(cudaMemset(x, poison, sizeof bytes));
    y = x + half;
    refuses_bad_input();
    refuses_bad_regions();
    kind = "separable";
    refuses_bad_input();
    refuses_bad_regions();
    CMK_CHECK(cudaMemcpy(bytes, x, sizeof bytes, cudaMemcpyDeviceToHost));
    for (size_t b = 0; b < sizeof bytes; ++b) changed += bytes[b] != poison;
    tap_check(changed == 0, "none of these calls writes: %d bytes changed", changed);
    tap_check(call(x, 4, 12, x + 24, 4, 12, 2, 3, 4) == cudaSuccess, "adjacent ranges are right");
    tap_check(call(x + 24, 4, 12, x, 4, 12, 2, 3, 4) == cudaSuccess, "adjacent ranges from above are right");
    tap_check(cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess, "no error is left behind");
    CMK_CHECK(cudaFree(x));
}

int main(int count, char **arguments)
{
    tap_need_device();
    if (count > 1) shapes = atoi(arguments[1]);
    if (getenv("CMK_HOST_ORDER") != NULL) { /* hundreds of runs: see orders.py */
        shapes = 3;
        large = 700;
    }
    fill_tables();
    for (size_t k = 0; k < sizeof definitions / sizeof definitions[0]; ++k) check_shapes(&definitions[k]);
    for (size_t k = 0; k < sizeof definitions / sizeof definitions[0]; ++k) check_boxes(&definitions[k]);
    check_large();
    check_refusals();
    return tap_done();
}
