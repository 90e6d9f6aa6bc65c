/* CMK_DEFINE_TRANSPOSE against the plain loop: every size of an element, odd shapes, pitches, steps and alignments. */
#include <cmk/cmk.h>
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
typedef cudaError_t (*launcher)(const void *in, void *out, shape s);

#define DEFINE(name, T)                                                                                                \
    CMK_DEFINE_TRANSPOSE(transpose_##name, T);                                                                         \
    static cudaError_t launch_##name(const void *in, void *out, shape s)                                               \
    {                                                                                                                  \
        const T *from = (const T *)in;                                                                                 \
        T *to = (T *)out;                                                                                              \
        if (s.count == 1) return transpose_##name(from, s.in_pitch, to, s.out_pitch, s.rows, s.columns, 0);            \
        return transpose_##name##_batch(from, s.in_pitch, s.in_step, to, s.out_pitch, s.out_step, s.rows, s.columns,   \
                                        s.count, 0);                                                                   \
    }

DEFINE(byte, unsigned char)
DEFINE(short, unsigned short)
DEFINE(float, float)
DEFINE(double, double)
DEFINE(quad, quad)

/* ---- one shape */

static unsigned long long state;

static size_t below(size_t bound) /* a number from 0 to bound - 1 */
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % bound;
}

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
static int right(launcher launch, size_t size, shape s)
{
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
    CMK_CHECK(launch(device_in + in_at, device_out + out_at, s));
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

static void check_shapes(launcher launch, size_t size, const char *name)
{
    shape first_wrong = {0, 0, 0, 0, 0, 0, 0, 0, 0}, side_by_side = matrix(37, 50);
    int failures = 0;
    state = size;
    for (int k = 0; k < shapes; ++k) {
        const shape s = any_shape(size);
        if (right(launch, size, s)) continue;
        if (failures++ == 0) first_wrong = s;
    }
    tap_check(failures == 0, "%s: %d of %d shapes wrong", name, failures, shapes);
    if (failures != 0) {
        const shape s = first_wrong;
        printf("# first: %zu x %zu, %zu matrices; in: pitch %zu, step %zu, shift %zu; out: %zu, %zu, %zu\n", s.rows,
               s.columns, s.count, s.in_pitch, s.in_step, s.in_shift, s.out_pitch, s.out_step, s.out_shift);
    }
    tap_check(right(launch, size, matrix((size_t)large, 3)), "%s: %d x 3", name, large);
    tap_check(right(launch, size, matrix(3, (size_t)large)), "%s: 3 x %d", name, large);
    side_by_side.count = 3;
    side_by_side.in_pitch = 3 * side_by_side.columns;
    side_by_side.in_step = side_by_side.columns;
    side_by_side.out_pitch = 3 * side_by_side.rows;
    side_by_side.out_step = side_by_side.rows;
    tap_check(right(launch, size, side_by_side), "%s: matrices side by side", name);
}

/* more than one launch of 65,535 matrices can hold */
static void check_many_matrices(void)
{
    shape s = matrix(2, 3);
    s.count = (size_t)large;
    tap_check(right(launch_quad, sizeof(quad), s), "%d matrices", large);
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
    tap_check(one(NULL, 4, NULL, 0, 0, 4) == cudaSuccess, "0 rows are right");
    tap_check(one(NULL, 0, NULL, 3, 3, 0) == cudaSuccess, "0 columns are right");
    tap_check(batch(NULL, 12, NULL, 12, 0) == cudaSuccess, "a count of 0 is right");
    CMK_CHECK(cudaMemcpy(bytes, x, sizeof bytes, cudaMemcpyDeviceToHost));
    for (size_t b = 0; b < sizeof bytes; ++b) changed += bytes[b] != poison;
    tap_check(changed == 0, "none of these calls writes: %d bytes changed", changed);
    tap_check(one(x, 4, x + 12, 3, 3, 4) == cudaSuccess, "adjacent ranges are right");
    tap_check(one(x + 12, 4, x, 3, 3, 4) == cudaSuccess, "adjacent ranges from above are right");
    tap_check(batch(x, 12, x + 24, 12, 2) == cudaSuccess, "batch: adjacent ranges are right");
    tap_check(cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess, "no error is left behind");
    CMK_CHECK(cudaFree(x));
}

int main(void)
{
    tap_need_device();
    if (getenv("CMK_HOST_ORDER") != NULL) { /* hundreds of runs: see orders.py */
        shapes = 8;
        large = 700;
    }
    check_shapes(launch_byte, sizeof(unsigned char), "unsigned char");
    check_shapes(launch_short, sizeof(unsigned short), "unsigned short");
    check_shapes(launch_float, sizeof(float), "float");
    check_shapes(launch_double, sizeof(double), "double");
    check_shapes(launch_quad, sizeof(quad), "16-byte struct");
    check_many_matrices();
    refuses_bad_input();
    return tap_done();
}
