/* CMK_DEFINE_TRANSPOSE against the plain loop: every size of an element, odd shapes, pitches, steps and alignments; one
 * matrix, a batch, in place, and the axes of a volume. */
#include <cmk/cmk.h>
#include "random.h"
#include "tap.h"

enum { guard = 64, poison = 0xA5 };

static int shapes = 200, large = 70000;

typedef struct {
    unsigned words[4];
} quad;

typedef struct {
    size_t rows, columns, count;
    size_t in_pitch, in_step, in_shift;
    size_t out_pitch, out_step, out_shift;
} shape;

/* a definition whose pointers forget the type; a single matrix goes through the function for one */
typedef struct {
    const char *name;
    size_t size;
    cudaError_t (*launch)(const void *in, void *out, shape s);
    cudaError_t (*in_place)(void *matrix, size_t pitch, size_t rows);
    cudaError_t (*volume)(const void *in, void *out, const size_t *lengths, int axes);
} definition;

#define DEFINE(name, T)                                                                                                \
    CMK_DEFINE_TRANSPOSE(transpose_##name, T);                                                                         \
    static cudaError_t launch_##name(const void *in, void *out, shape s)                                               \
    {                                                                                                                  \
        const T *from = (const T *)in;                                                                                 \
        T *to = (T *)out;                                                                                              \
        if (s.count == 1) return transpose_##name(from, s.in_pitch, to, s.out_pitch, s.rows, s.columns, 0);            \
        return transpose_##name##_batch(from, s.in_pitch, s.in_step, to, s.out_pitch, s.out_step, s.rows, s.columns,   \
                                        s.count, 0);                                                                   \
    }                                                                                                                  \
    static cudaError_t in_place_##name(void *matrix, size_t pitch, size_t rows)                                        \
    {                                                                                                                  \
        return transpose_##name##_in_place((T *)matrix, pitch, rows, 0);                                               \
    }                                                                                                                  \
    static cudaError_t volume_##name(const void *in, void *out, const size_t *lengths, int axes)                       \
    {                                                                                                                  \
        return transpose_##name##_volume((const T *)in, (T *)out, lengths[0], lengths[1], lengths[2], axes, 0);        \
    }                                                                                                                  \
    static const definition define_##name = {#name, sizeof(T), launch_##name, in_place_##name, volume_##name};

DEFINE(byte, unsigned char)
DEFINE(short, unsigned short)
DEFINE(float, float)
DEFINE(double, double)
DEFINE(quad, quad)

/* ---- one shape */

/* elements from the first of the first matrix to the last of the last */
static size_t extent(size_t step, size_t pitch, size_t rows, size_t columns, size_t count)
{
    return rows == 0 || columns == 0 || count == 0 ? 0 : (count - 1) * step + (rows - 1) * pitch + columns;
}

static void *allocated(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory != NULL) return memory;
    puts("Bail out! no memory");
    exit(EXIT_FAILURE);
}

static void plain_loop(const unsigned char *in, unsigned char *out, shape s, size_t size)
{
    for (size_t m = 0; m < s.count; ++m)
        for (size_t r = 0; r < s.rows; ++r)
            for (size_t c = 0; c < s.columns; ++c)
                memcpy(out + size * (m * s.out_step + c * s.out_pitch + r),
                       in + size * (m * s.in_step + r * s.in_pitch + c), size);
}

/* The input ends with its last element; around the output, and in its gaps, poison has to stay. */
static int right(definition d, shape s)
{
    const size_t size = d.size;
    const size_t in_bytes = size * (s.in_shift + extent(s.in_step, s.in_pitch, s.rows, s.columns, s.count) + 1);
    const size_t out_extent = extent(s.out_step, s.out_pitch, s.columns, s.rows, s.count);
    const size_t out_bytes = size * (guard + s.out_shift + out_extent + guard);
    const size_t in_at = size * s.in_shift, out_at = size * (guard + s.out_shift);
    unsigned char *const in = (unsigned char *)allocated(in_bytes), *const out = (unsigned char *)allocated(out_bytes);
    unsigned char *const expected = (unsigned char *)allocated(out_bytes);
    unsigned char *device_in = NULL, *device_out = NULL;
    int same;
    for (size_t b = 0; b < in_bytes; ++b) in[b] = (unsigned char)below(256);
    memset(expected, poison, out_bytes);
    plain_loop(in + in_at, expected + out_at, s, size);
    CMK_CHECK(cudaMalloc((void **)&device_in, in_bytes));
    CMK_CHECK(cudaMalloc((void **)&device_out, out_bytes));
    CMK_CHECK(cudaMemcpy(device_in, in, in_bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemset(device_out, poison, out_bytes));
    CMK_CHECK(d.launch(device_in + in_at, device_out + out_at, s));
    CMK_CHECK(cudaMemcpy(out, device_out, out_bytes, cudaMemcpyDeviceToHost));
    same = memcmp(out, expected, out_bytes) == 0;
    CMK_CHECK(cudaFree(device_in));
    CMK_CHECK(cudaFree(device_out));
    free(in);
    free(out);
    free(expected);
    return same;
}

/* ---- many shapes */

static size_t any_length(void)
{
    static const size_t near_tiles[] = {15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257};
    static const size_t primes[] = {2, 3, 5, 7, 11, 13, 37, 61, 97, 131, 151, 199, 241, 293};
    const size_t kind = below(16);
    if (kind == 0) return 0 < below(4);
    if (kind == 1) return 1;
    if (kind < 7) return near_tiles[below(sizeof near_tiles / sizeof near_tiles[0])];
    if (kind < 9) return primes[below(sizeof primes / sizeof primes[0])];
    return 1 + below(kind < 11 ? 40 : 300);
}

static size_t up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static size_t any_pitch(size_t width, size_t size)
{
    const size_t vector = 16 / size;
    const size_t pitch[] = {width, width + 1 + below(40), (width + below(20)) | 1, up(width, vector) + vector};
    return pitch[below(4)];
}

/* Of every second shape all rows begin at multiples of 16 bytes. */
static shape any_shape(size_t size)
{
    const size_t unit = below(2) == 0 ? 16 / size : 1;
    shape s = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    s.rows = any_length();
    s.columns = any_length();
    s.count = below(20) == 0 ? 0 : 1 + below(3);
    s.in_pitch = up(any_pitch(s.columns, size), unit);
    s.out_pitch = up(any_pitch(s.rows, size), unit);
    s.in_step = up(s.rows * s.in_pitch + below(2) * below(50), unit);
    s.out_step = up(s.columns * s.out_pitch + below(2) * below(50), unit);
    s.in_shift = up(below(2) * below(16), unit);
    s.out_shift = up(below(2) * below(16), unit);
    return s;
}

static shape matrix(size_t rows, size_t columns)
{
    const shape s = {rows, columns, 1, columns, rows * columns, 0, rows, rows * columns, 0};
    return s;
}

static void check_shapes(definition d)
{
    shape first_wrong = {0, 0, 0, 0, 0, 0, 0, 0, 0}, side_by_side = matrix(37, 50), tall = matrix((size_t)large, 3);
    int failures = 0;
    random_state = d.size;
    for (int k = 0; k < shapes; ++k) {
        const shape s = any_shape(d.size);
        if (right(d, s)) continue;
        if (failures++ == 0) first_wrong = s;
    }
    tap_check(failures == 0, "%s: %d of %d shapes wrong", d.name, failures, shapes);
    if (failures != 0) {
        const shape s = first_wrong;
        printf("# first: %zu x %zu, %zu matrices; in: pitch %zu, step %zu, shift %zu; out: %zu, %zu, %zu\n", s.rows,
               s.columns, s.count, s.in_pitch, s.in_step, s.in_shift, s.out_pitch, s.out_step, s.out_shift);
    }
    tap_check(right(d, tall), "%s: %d x 3", d.name, large);
    tall.in_pitch = 5;
    tall.out_pitch = (size_t)large + 7;
    tap_check(right(d, tall), "%s: %d x 3 with pitches", d.name, large);
    tap_check(right(d, matrix(3, (size_t)large)), "%s: 3 x %d", d.name, large);
    side_by_side.count = 3;
    side_by_side.in_pitch = 3 * side_by_side.columns;
    side_by_side.in_step = side_by_side.columns;
    side_by_side.out_pitch = 3 * side_by_side.rows;
    side_by_side.out_step = side_by_side.rows;
    tap_check(right(d, side_by_side), "%s: matrices side by side", d.name);
}

/* more than one launch of 65,535 matrices can hold */
static void check_many_matrices(void)
{
    shape s = matrix(2, 3);
    s.count = (size_t)large;
    tap_check(right(define_quad, s), "%d matrices", large);
}

/* ---- in place */

/* Around the matrix, and in its gaps, everything has to stay. */
static int right_in_place(definition d, size_t rows, size_t pitch, size_t shift)
{
    const size_t bytes = d.size * (guard + shift + extent(0, pitch, rows, rows, 1) + guard);
    const size_t at = d.size * (guard + shift);
    unsigned char *const matrix = (unsigned char *)allocated(bytes), *const expected =
                                                                         (unsigned char *)allocated(bytes);
    unsigned char *device = NULL;
    int same;
    for (size_t b = 0; b < bytes; ++b) matrix[b] = (unsigned char)below(256);
    memcpy(expected, matrix, bytes);
    for (size_t r = 0; r < rows; ++r)
        for (size_t c = 0; c < rows; ++c)
            memcpy(expected + at + d.size * (c * pitch + r), matrix + at + d.size * (r * pitch + c), d.size);
    CMK_CHECK(cudaMalloc((void **)&device, bytes));
    CMK_CHECK(cudaMemcpy(device, matrix, bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(d.in_place(device + at, pitch, rows));
    CMK_CHECK(cudaMemcpy(matrix, device, bytes, cudaMemcpyDeviceToHost));
    same = memcmp(matrix, expected, bytes) == 0;
    CMK_CHECK(cudaFree(device));
    free(matrix);
    free(expected);
    return same;
}

/* every rows by itself, aligned to 16 bytes, and then with an odd pitch */
static void check_in_place(definition d)
{
    static const size_t near_tiles[] = {0,  1,  2,  3,  15, 16,  17,  31,  32,  33, 47,
                                        48, 49, 63, 64, 65, 127, 128, 129, 255, 257};
    const size_t vector = 16 / d.size, listed = sizeof near_tiles / sizeof near_tiles[0];
    size_t tried = 0, failures = 0, wrong_rows = 0, wrong_pitch = 0, wrong_shift = 0;
    random_state = d.size;
    for (size_t k = 0; k < listed + (size_t)shapes / 4; ++k) {
        const size_t rows = k < listed ? near_tiles[k] : any_length();
        const size_t pitches[] = {up(rows, vector) + below(3) * vector, rows + below(40)};
        for (int aligned = 0; aligned < 2; ++aligned) {
            const size_t pitch = pitches[aligned], shift = below(2) * (aligned == 0 ? vector : below(vector));
            ++tried;
            if (right_in_place(d, rows, pitch, shift)) continue;
            if (failures++ != 0) continue;
            wrong_rows = rows;
            wrong_pitch = pitch;
            wrong_shift = shift;
        }
    }
    tap_check(failures == 0, "%s: %zu of %zu matrices in place wrong", d.name, failures, tried);
    if (failures != 0) printf("# first: %zu rows, pitch %zu, shift %zu\n", wrong_rows, wrong_pitch, wrong_shift);
}

/* ---- volumes */

static const struct {
    int axes;
    const char *name;
} orders[] = {{CMK_TRANSPOSE_ZXY, "ZXY"},
              {CMK_TRANSPOSE_YZX, "YZX"},
              {CMK_TRANSPOSE_YXZ, "YXZ"},
              {CMK_TRANSPOSE_XZY, "XZY"},
              {CMK_TRANSPOSE_XYZ, "XYZ"}};

enum { order_count = sizeof orders / sizeof orders[0] };

/* out[i][j][k], where i, j and k go along the axes of in that name has at these places */
static void plain_volume(const unsigned char *in, unsigned char *out, const size_t *lengths, const char *name,
                         size_t size)
{
    size_t at[3];
    for (at[0] = 0; at[0] < lengths[0]; ++at[0])
        for (at[1] = 0; at[1] < lengths[1]; ++at[1])
            for (at[2] = 0; at[2] < lengths[2]; ++at[2]) {
                size_t from = 0, to = 0;
                for (int axis = 0; axis < 3; ++axis) {
                    const int taken = 'Z' - name[axis];
                    from = from * lengths[axis] + at[axis];
                    to = to * lengths[taken] + at[taken];
                }
                memcpy(out + size * to, in + size * from, size);
            }
}

static int right_volume(definition d, const size_t *lengths, int order, size_t in_shift, size_t out_shift)
{
    const size_t bytes = d.size * lengths[0] * lengths[1] * lengths[2];
    const size_t in_at = d.size * in_shift, out_at = d.size * (guard + out_shift), out_bytes = out_at + bytes + guard;
    unsigned char *const in = (unsigned char *)allocated(bytes + 1), *const out = (unsigned char *)allocated(out_bytes);
    unsigned char *const expected = (unsigned char *)allocated(out_bytes);
    unsigned char *device_in = NULL, *device_out = NULL;
    int same;
    for (size_t b = 0; b < bytes; ++b) in[b] = (unsigned char)below(256);
    memset(expected, poison, out_bytes);
    plain_volume(in, expected + out_at, lengths, orders[order].name, d.size);
    CMK_CHECK(cudaMalloc((void **)&device_in, in_at + bytes + d.size));
    CMK_CHECK(cudaMalloc((void **)&device_out, out_bytes));
    CMK_CHECK(cudaMemcpy(device_in + in_at, in, bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemset(device_out, poison, out_bytes));
    CMK_CHECK(d.volume(device_in + in_at, device_out + out_at, lengths, orders[order].axes));
    CMK_CHECK(cudaMemcpy(out, device_out, out_bytes, cudaMemcpyDeviceToHost));
    same = memcmp(out, expected, out_bytes) == 0;
    CMK_CHECK(cudaFree(device_in));
    CMK_CHECK(cudaFree(device_out));
    free(in);
    free(out);
    free(expected);
    return same;
}

static void check_volumes(definition d)
{
    int failures[order_count] = {0};
    size_t wrong[order_count][3] = {{0}};
    random_state = d.size;
    for (int k = 0; k < shapes / 5; ++k) {
        const size_t unit = below(2) == 0 ? 16 / d.size : 1;
        const size_t short_ones[] = {below(8) != 0, 1 + below(9), 1 + below(40)};
        size_t lengths[3];
        for (int axis = 0; axis < 3; ++axis) lengths[axis] = up(short_ones[below(3)], unit);
        lengths[below(3)] = up(any_length(), unit);
        for (int order = 0; order < order_count; ++order) {
            const size_t in_shift = up(below(2) * below(16), unit), out_shift = up(below(2) * below(16), unit);
            if (right_volume(d, lengths, order, in_shift, out_shift)) continue;
            if (failures[order]++ == 0) memcpy(wrong[order], lengths, sizeof lengths);
        }
    }
    for (int order = 0; order < order_count; ++order) {
        const size_t *first = wrong[order];
        const int right = failures[order] == 0;
        tap_check(right, "%s: %d of %d volumes to %s wrong", d.name, failures[order], shapes / 5, orders[order].name);
        if (!right) printf("# first: %zu x %zu x %zu\n", first[0], first[1], first[2]);
    }
}

/* more rows or planes than a grid has blocks in y; the other orders go through the batch */
static void check_large_volumes(void)
{
    for (int axis = 0; axis < 3; ++axis) {
        size_t lengths[] = {2, 2, 3};
        lengths[axis] = (size_t)large;
        tap_check(right_volume(define_float, lengths, 1, 0, 0), "volume to %s: %zu x %zu x %zu", orders[1].name,
                  lengths[0], lengths[1], lengths[2]);
    }
}

/* ---- refused calls */

enum { room = 256, half = room / 2 };

static float *x, *y; /* one allocation: y begins where the first half ends */

static void refused(cudaError_t error, const char *text)
{
    tap_check(error == cudaErrorInvalidValue, "%s", text);
}

static cudaError_t one(const void *in, size_t in_pitch, void *out, size_t out_pitch, size_t rows, size_t columns)
{
    return transpose_float((const float *)in, in_pitch, (float *)out, out_pitch, rows, columns, 0);
}

static cudaError_t batch(const float *in, size_t in_step, float *out, size_t out_step, size_t count)
{
    return transpose_float_batch(in, 4, in_step, out, 3, out_step, 3, 4, count, 0);
}

static cudaError_t in_place(void *matrix, size_t pitch, size_t rows)
{
    return transpose_float_in_place((float *)matrix, pitch, rows, 0);
}

static cudaError_t volume(const void *in, void *out, size_t depth, size_t height, size_t width, int axes)
{
    return transpose_float_volume((const float *)in, (float *)out, depth, height, width, axes, 0);
}

static void refuses_bad_volumes(void)
{
    const size_t wraps = (size_t)1 << sizeof(size_t) * 4;
    refused(volume(x, y, 2, 3, 4, 0), "volume: axes 0 are refused");
    refused(volume(x, y, 2, 3, 4, CMK_TRANSPOSE_XYZ + 1), "volume: axes past the last are refused");
    for (int order = 0; order < order_count; ++order) {
        const int axes = orders[order].axes;
        const char *name = orders[order].name;
        int kept = 0;
        kept += volume(NULL, y, 2, 3, 4, axes) == cudaErrorInvalidValue;
        kept += volume(x, NULL, 2, 3, 4, axes) == cudaErrorInvalidValue;
        kept += volume((char *)x + 1, y, 2, 3, 4, axes) == cudaErrorInvalidValue;
        kept += volume(x, (char *)y + 2, 2, 3, 4, axes) == cudaErrorInvalidValue;
        tap_check(kept == 4, "volume to %s: null and misaligned pointers are refused", name);
        kept = volume(x, x, 2, 3, 4, axes) == cudaErrorInvalidValue;
        kept += volume(x, x + 23, 2, 3, 4, axes) == cudaErrorInvalidValue;
        kept += volume(x + 23, x, 2, 3, 4, axes) == cudaErrorInvalidValue;
        tap_check(kept == 3, "volume to %s: an overlap is refused", name);
        kept = volume(x, y, wraps, wraps, 4, axes) == cudaErrorInvalidValue;
        kept += volume(x, y, wraps, 4, wraps, axes) == cudaErrorInvalidValue;
        kept += volume(x, y, 4, wraps, wraps, axes) == cudaErrorInvalidValue;
        tap_check(kept == 3, "volume to %s: sizes beyond the address space are refused", name);
        kept = volume(NULL, NULL, 0, 3, 4, axes) == cudaSuccess;
        kept += volume(NULL, NULL, 2, 0, 4, axes) == cudaSuccess;
        kept += volume(NULL, NULL, 2, 3, 0, axes) == cudaSuccess;
        tap_check(kept == 3, "volume to %s: a length of 0 is right", name);
    }
}

/* by looking at every element */
static int plainly_distinct(size_t pitch, size_t step, size_t width, size_t height, size_t count)
{
    static unsigned char taken[1000];
    memset(taken, 0, sizeof taken);
    for (size_t m = 0; m < count; ++m)
        for (size_t row = 0; row < height; ++row)
            for (size_t c = 0; c < width; ++c)
                if (taken[m * step + row * pitch + c]++ != 0) return 0;
    return 1;
}

/* every batch of small numbers: only one whose matrices share an element is refused */
static void check_distinct(void)
{
    int tried = 0, wrong = 0, distinct = 0;
    for (size_t pitch = 1; pitch <= 9; ++pitch)
        for (size_t width = 1; width <= pitch; ++width)
            for (size_t height = 1; height <= 5; ++height)
                for (size_t count = 0; count <= 7; ++count)
                    for (size_t step = 0; step <= 48; ++step, ++tried) {
                        const int right = plainly_distinct(pitch, step, width, height, count);
                        wrong += cmk_range_distinct_(pitch, step, width, height, count) != right;
                        distinct += right;
                    }
    tap_check(wrong == 0 && distinct > 0, "%d of %d batches, %d without an overlap, are taken wrongly", wrong, tried,
              distinct);
}

static void refuses_overlapping_matrices(void)
{
    const size_t steps[] = {0, 1, 2, 3, 4, 11};
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k)
        refused(batch(x, 12, y, steps[k], 2), "batch: matrices of out that overlap are refused");
    refused(transpose_float_batch(x, 4, 12, y, 7, 2, 3, 4, 2, 0), "batch: columns of out that overlap are refused");
    refused(transpose_float_batch(x, 4, 12, y, 9, 4, 3, 4, 3, 0),
            "batch: an overlap of the first and the third matrix is refused");
}

static void refuses_bad_input(void)
{
    const size_t huge = (size_t)-1 / 4, wraps = (size_t)1 << sizeof(size_t) * 4;
    unsigned char bytes[sizeof(float) * room];
    int changed = 0;
    CMK_CHECK(cudaMalloc((void **)&x, sizeof bytes));
    CMK_CHECK(cudaMemset(x, poison, sizeof bytes));
    y = x + half;
    refused(one(NULL, 4, y, 3, 3, 4), "a null input is refused");
    refused(one(x, 4, NULL, 3, 3, 4), "a null output is refused");
    refused(one((char *)x + 1, 4, y, 3, 3, 4), "a misaligned input is refused");
    refused(one(x, 4, (char *)y + 2, 3, 3, 4), "a misaligned output is refused");
    refused(one(x, 3, y, 3, 3, 4), "an input pitch below the columns is refused");
    refused(one(x, 4, y, 2, 3, 4), "an output pitch below the rows is refused");
    refused(one(x, 4, y, huge, huge, 4), "rows beyond the address space are refused");
    refused(one(x, huge, y, 3, 3, huge), "columns beyond the address space are refused");
    refused(one(x, wraps, y, wraps, wraps, wraps), "a product that wraps to 0 is refused");
    refused(one(x, huge, y, 3, 3, 4), "an input pitch beyond the address space is refused");
    refused(one(x, 4, y, huge, 3, 4), "an output pitch beyond the address space is refused");
    refused(one(x, 4, x, 3, 3, 4), "in place is refused");
    refused(one(x, 4, x + 11, 3, 3, 4), "an overlap by one element is refused");
    refused(one(x + 11, 4, x, 3, 3, 4), "an overlap by one element from above is refused");
    refused(one(x, 8, x + 19, 3, 3, 4), "an overlap by the last element of a pitched input is refused");
    refused(one(x + 23, 4, x, 7, 3, 4), "an overlap by the last element of a pitched output is refused");
    refused(batch(NULL, 12, y, 12, 2), "batch: a null input is refused");
    refused(batch(x, 12, NULL, 12, 2), "batch: a null output is refused");
    refused(batch(x, huge, y, 12, 3), "batch: an input step beyond the address space is refused");
    refused(batch(x, 12, y, huge, 3), "batch: an output step beyond the address space is refused");
    refused(batch(x, 12, y, 12, huge), "batch: a count beyond the address space is refused");
    refused(batch(x, 12, x + 23, 12, 2), "batch: an overlap by one element is refused");
    refused(batch(x + 23, 12, x, 12, 2), "batch: an overlap by one element from above is refused");
    refuses_overlapping_matrices();
    refused(in_place(NULL, 4, 4), "in place: a null matrix is refused");
    refused(in_place((char *)x + 1, 4, 4), "in place: a misaligned matrix is refused");
    refused(in_place(x, 3, 4), "in place: a pitch below the rows is refused");
    refused(in_place(x, huge, 4), "in place: a pitch beyond the address space is refused");
    refused(in_place(x, wraps, wraps), "in place: rows beyond the address space are refused");
    refuses_bad_volumes();
    tap_check(in_place(NULL, 0, 0) == cudaSuccess, "in place: 0 rows are right");
    tap_check(one(NULL, 4, NULL, 0, 0, 4) == cudaSuccess, "0 rows are right");
    tap_check(one(NULL, 0, NULL, 3, 3, 0) == cudaSuccess, "0 columns are right");
    tap_check(batch(NULL, 12, NULL, 12, 0) == cudaSuccess, "a count of 0 is right");
    CMK_CHECK(cudaMemcpy(bytes, x, sizeof bytes, cudaMemcpyDeviceToHost));
    for (size_t b = 0; b < sizeof bytes; ++b) changed += bytes[b] != poison;
    tap_check(changed == 0, "none of these calls writes: %d bytes changed", changed);
    tap_check(one(x, 4, x + 12, 3, 3, 4) == cudaSuccess, "adjacent ranges are right");
    tap_check(one(x + 12, 4, x, 3, 3, 4) == cudaSuccess, "adjacent ranges from above are right");
    tap_check(batch(x, 12, x + 24, 12, 2) == cudaSuccess, "batch: adjacent ranges are right");
    tap_check(transpose_float_batch(x, 4, 0, y, 6, 3, 3, 4, 2, 0) == cudaSuccess, "batch: side by side is right");
    tap_check(batch(x, 0, y, 0, 1) == cudaSuccess, "batch: one matrix needs no step");
    tap_check(cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess, "no error is left behind");
    CMK_CHECK(cudaFree(x));
}

int main(int count, char **arguments)
{
    const definition definitions[] = {define_byte, define_short, define_float, define_double, define_quad};
    tap_need_device();
    if (count > 1) shapes = atoi(arguments[1]);
    if (getenv("CMK_HOST_ORDER") != NULL) { /* hundreds of runs: see orders.py */
        shapes = 8;
        large = 700;
    }
    for (size_t k = 0; k < sizeof definitions / sizeof definitions[0]; ++k) {
        check_shapes(definitions[k]);
        check_in_place(definitions[k]);
        check_volumes(definitions[k]);
    }
    check_many_matrices();
    check_large_volumes();
    check_distinct();
    refuses_bad_input();
    return tap_done();
}
