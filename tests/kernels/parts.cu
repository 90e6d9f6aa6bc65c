/* The parts one by one: edges, tables, tiles, stencil bodies, launches. */
#include <math.h>
#include <cmk/cmk.h>
#include "edge_walk.h"
#include "tap.h"

#define SIDE 7
CMK_TABLE(CONSTANT, float, weights, [SIDE][SIDE]);
CMK_TABLE(CONSTANT, int, short_table, [3]);

/* which integers are edges: sides of modes, and axes of sides */
#define NO_EDGE(EDGE) CMK_STATIC_ASSERT(!CMK_EDGE_VALID_(EDGE) && !CMK_EDGE_VALID_1D_(EDGE), "an edge: " #EDGE)
#define AN_EDGE(EDGE, AXES)                                                                                            \
    CMK_STATIC_ASSERT(CMK_EDGE_VALID_(EDGE) && CMK_EDGE_VALID_1D_(EDGE) == ((AXES) == 1), "no edge: " #EDGE)
AN_EDGE(CMK_EDGE_ZERO, 1);
AN_EDGE(CMK_EDGE_REFLECT, 1);
AN_EDGE(CMK_EDGE_SIDES(CMK_EDGE_REFLECT, CMK_EDGE_ZERO), 1);
AN_EDGE(CMK_EDGE_AXES(CMK_EDGE_WRAP, CMK_EDGE_WRAP), 1);
AN_EDGE(CMK_EDGE_AXES(CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_REFLECT), CMK_EDGE_WRAP), 2);
AN_EDGE(CMK_EDGE_AXES_3D(CMK_EDGE_CLAMP, CMK_EDGE_WRAP, CMK_EDGE_MIRROR), 3);
NO_EDGE(-1);
NO_EDGE(5);
NO_EDGE(7);
NO_EDGE(63);
NO_EDGE(64 * 4096);
NO_EDGE(CMK_EDGE_SIDES(CMK_EDGE_CLAMP, 7));
NO_EDGE(CMK_EDGE_SIDES(CMK_EDGE_CLAMP, -1));
NO_EDGE(CMK_EDGE_AXES(CMK_EDGE_CLAMP, 5));
NO_EDGE(CMK_EDGE_AXES(CMK_EDGE_CLAMP, 100));
NO_EDGE(CMK_EDGE_AXES_3D(-1, CMK_EDGE_CLAMP, CMK_EDGE_CLAMP));
NO_EDGE(CMK_EDGE_AXES(CMK_EDGE_AXES(CMK_EDGE_CLAMP, CMK_EDGE_WRAP), CMK_EDGE_CLAMP));

static int wrong_indices(int mode, int edge, cmk_i64 first, cmk_i64 last)
{
    int wrong = 0;
    for (cmk_i64 count = 1; count <= 9; ++count)
        for (cmk_i64 i = first; i <= last; ++i)
            wrong += i < 0 || i >= count ? cmk_edge_index(edge, i, count) != edge_walk(mode, i, count)
                                         : cmk_edge_index(edge, i, count) != i;
    return wrong;
}

/* the samples that CMK_EDGE_SPLIT reads without an edge are those of a stencil that is inside as a whole */
static void split(void)
{
    int wrong = 0;
    for (int radius = 0; radius <= 4; ++radius)
        for (int count = 1; count <= 12; ++count)
            for (int i = -6; i < count + 6; ++i) {
                int inside = 1, which = 0;
                for (int d = -radius; d <= radius; ++d) inside &= i + d >= 0 && i + d < count;
#define CHOICE(side) which += side
                CMK_EDGE_SPLIT(CMK_EDGE_INSIDE(i, radius, count), CHOICE, 1, 2);
                wrong += which != (inside ? 1 : 2);
            }
    tap_check(wrong == 0, "inside and border are told apart: %d indices wrong", wrong);
}

#define SQUARE(i) ((i) * (i))
#define PAIR(i, j) (10 * (i) + (j))

/* an int beside a size_t: a compiler that is asked for it warns, and the result is right */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
static void unsigned_counts(void)
{
    const size_t count = 3, rows = 2;
    const int clamp_then_zero = CMK_EDGE_SIDES(CMK_EDGE_CLAMP, CMK_EDGE_ZERO), left = -2, above = -1;
    tap_check(CMK_EDGE_SAMPLE_OR(clamp_then_zero, 7, SQUARE, left, count) == 0 &&
                  CMK_EDGE_SAMPLE_2D_OR(clamp_then_zero, CMK_EDGE_CLAMP, 7, PAIR, above, 5, rows, count) == 2 &&
                  CMK_EDGE_SAMPLE_2D_OR(CMK_EDGE_CLAMP, clamp_then_zero, 7, PAIR, 5, left, rows, count) == 10,
              "signed indices and unsigned counts");
    tap_check(!CMK_EDGE_INSIDE(left + 7, 4, count) && CMK_EDGE_INSIDE(left + 3, 1, count),
              "an unsigned count below the radius");
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

static void edges(void)
{
    static const char *const names[] = {"zero", "clamp", "wrap", "mirror", "reflect"};
    const cmk_i64 far = ((cmk_i64)1 << 60) + 1; /* 2 modulo 5, 2 modulo 8 */
    for (int mode = CMK_EDGE_CLAMP; mode <= CMK_EDGE_REFLECT; ++mode) {
        int wrong = 0;
        for (int other = CMK_EDGE_CLAMP; other <= CMK_EDGE_REFLECT; ++other) {
            wrong += wrong_indices(mode, CMK_EDGE_SIDES(mode, other), -60, 8 * (mode == other));
            wrong += wrong_indices(mode, CMK_EDGE_SIDES(other, mode), mode == other ? 0 : 9, 60);
        }
        tap_check(wrong == 0 && CMK_EDGE_SIDES(mode, mode) == mode, "%s, on each side of every other: %d indices wrong",
                  names[mode], wrong);
    }
    tap_check(
        cmk_edge_index(CMK_EDGE_CLAMP, -far, 5) == 0 && cmk_edge_index(CMK_EDGE_CLAMP, far, 5) == 4 &&
            cmk_edge_index(CMK_EDGE_WRAP, far, 5) == far % 5 && cmk_edge_index(CMK_EDGE_WRAP, -far, 5) == 5 - far % 5 &&
            cmk_edge_index(CMK_EDGE_MIRROR, far, 4) == far % 8 && cmk_edge_index(CMK_EDGE_REFLECT, far, 5) == far % 8,
        "indices 2^60 outside");
    tap_check(CMK_EDGE_SAMPLE(CMK_EDGE_ZERO, SQUARE, 3, 4) == 9 && CMK_EDGE_SAMPLE(CMK_EDGE_ZERO, SQUARE, 4, 4) == 0 &&
                  CMK_EDGE_SAMPLE(CMK_EDGE_ZERO, SQUARE, -1, 4) == 0,
              "zero outside");
    tap_check(CMK_EDGE_SAMPLE_OR(CMK_EDGE_ZERO, 7, SQUARE, 4, 4) == 7, "a value of the caller's outside");
    tap_check(CMK_EDGE_SAMPLE_OR(CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_CLAMP), 7, SQUARE, -1, 4) == 7 &&
                  CMK_EDGE_SAMPLE_OR(CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_CLAMP), 7, SQUARE, 9, 4) == 9 &&
                  CMK_EDGE_SAMPLE_OR(CMK_EDGE_SIDES(CMK_EDGE_WRAP, CMK_EDGE_ZERO), 7, SQUARE, -1, 4) == 9 &&
                  CMK_EDGE_SAMPLE_OR(CMK_EDGE_SIDES(CMK_EDGE_WRAP, CMK_EDGE_ZERO), 7, SQUARE, 4, 4) == 7,
              "a value on one side only");
    tap_check(CMK_EDGE_SAMPLE_2D(CMK_EDGE_CLAMP, PAIR, -1, 9, 3, 4) == 3 &&
                  CMK_EDGE_SAMPLE_2D(CMK_EDGE_ZERO, PAIR, 2, 4, 3, 4) == 0 &&
                  CMK_EDGE_SAMPLE_2D(CMK_EDGE_ZERO, PAIR, 3, 0, 3, 4) == 0 &&
                  CMK_EDGE_SAMPLE_2D(CMK_EDGE_ZERO, PAIR, 2, 3, 3, 4) == 23,
              "one edge for both axes");
    tap_check(CMK_EDGE_SAMPLE_2D_OR(CMK_EDGE_WRAP, CMK_EDGE_REFLECT, 7, PAIR, -1, 4, 3, 4) == 22 &&
                  CMK_EDGE_SAMPLE_2D_OR(CMK_EDGE_ZERO, CMK_EDGE_MIRROR, 7, PAIR, 0, -2, 3, 4) == 1 &&
                  CMK_EDGE_SAMPLE_2D_OR(CMK_EDGE_ZERO, CMK_EDGE_MIRROR, 7, PAIR, 3, -2, 3, 4) == 7,
              "an edge for each axis");
    tap_check(CMK_EDGE_SAMPLE_2D(CMK_EDGE_AXES(CMK_EDGE_CLAMP, CMK_EDGE_WRAP), PAIR, -1, 5, 3, 4) == 1 &&
                  CMK_EDGE_SAMPLE_2D(CMK_EDGE_AXES(CMK_EDGE_ZERO, CMK_EDGE_REFLECT), PAIR, 2, -1, 3, 4) == 21 &&
                  CMK_EDGE_SAMPLE_2D(CMK_EDGE_AXES(CMK_EDGE_ZERO, CMK_EDGE_REFLECT), PAIR, 3, -1, 3, 4) == 0,
              "an edge for each axis, as one");
    unsigned_counts();
    split();
}

__global__ void read_table(int *out)
{
    CMK_STORE(&out[threadIdx.x], CMK_TABLE_AT(short_table, threadIdx.x));
}

static void tables(void)
{
    const int first[4] = {1, 2, 3, 4}, second[1] = {9};
    int *device, host[3];
    CMK_CHECK(cudaMalloc((void **)&device, sizeof host));
    CMK_CHECK(CMK_TABLE_UPLOAD(short_table, first, 0, 3));
    CMK_CHECK(CMK_TABLE_UPLOAD(short_table, second, 0, 1));
    tap_check(CMK_TABLE_UPLOAD(short_table, first, 0, 4) == cudaErrorInvalidValue,
              "an upload past the table is refused");
    (void)cudaGetLastError();
    CMK_CHECK(CMK_LAUNCH(read_table, 1, 3, 0, 0, device));
    CMK_CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    tap_check(host[0] == 9 && host[1] == 2 && host[2] == 3, "a short upload sets the first elements and no others");
    CMK_CHECK(cudaFree(device));
}

#define ROWS 8
#define AT(row, column) CMK_LDG(&in[(row)*width + (column)])
#define WITH(EDGE, r, c) CMK_EDGE_SAMPLE_2D(EDGE, AT, top + (r), left + (c), height, width)
#define TO_TILE(r, c) (edge == CMK_EDGE_CLAMP ? WITH(CMK_EDGE_CLAMP, r, c) : WITH(CMK_EDGE_ZERO, r, c))
#define FROM_TILE(dy, dx) CMK_TILE_GET(tile, (int)threadIdx.y + 3 + (dy), (int)threadIdx.x + 3 + (dx))
#define FROM_DYNAMIC(dy, dx) CMK_LOAD(&dynamic[((int)threadIdx.y + 3 + (dy)) * 22 + (int)threadIdx.x + 3 + (dx)])
#define WEIGHT(r, c) CMK_TABLE_AT(weights, r, c)
#define ROW_WEIGHT(k) CMK_TABLE_AT(weights, k)
#define ALONG_X(d) FROM_TILE(0, d)

/* form 0 to 2: 2D box, symmetric, antisymmetric, of radius 3; 3 to 5: 1D along x */
__global__ void bodies(const float *in, float *out, int height, int width, int edge, int form)
{
    CMK_TILE(float, tile, ROWS + 6, 16 + 6, CMK_TILE_PAD(float, 16 + 6, ROWS, 16));
    CMK_TILE_DYNAMIC(float, dynamic);
    const int top = (int)blockIdx.y * ROWS - 3, left = (int)blockIdx.x * 16 - 3;
    const int y = top + 3 + (int)threadIdx.y, x = left + 3 + (int)threadIdx.x;
    float sum = 0.0f;
    CMK_TILE_FILL_SYNC(tile, ROWS + 6, 16 + 6, TO_TILE);
    for (int k = (int)(threadIdx.y * 16 + threadIdx.x); k < (ROWS + 6) * 22; k += 16 * ROWS)
        CMK_STORE(&dynamic[k], CMK_TILE_GET(tile, k / 22, k % 22));
    __syncthreads();
    if (form == 0) CMK_STENCIL_2D_BOX(sum, 3, WEIGHT, FROM_DYNAMIC);
    if (form == 1) CMK_STENCIL_2D_BOX_SYMMETRIC(sum, 3, WEIGHT, FROM_TILE);
    if (form == 2) CMK_STENCIL_2D_BOX_ANTISYMMETRIC(sum, 3, WEIGHT, FROM_TILE);
    if (form == 3) CMK_STENCIL_1D(sum, 3, ROW_WEIGHT, ALONG_X);
    if (form == 4) CMK_STENCIL_1D_SYMMETRIC(sum, 3, ROW_WEIGHT, ALONG_X);
    if (form == 5) CMK_STENCIL_1D_ANTISYMMETRIC(sum, 3, ROW_WEIGHT, ALONG_X);
    if (y < height && x < width) CMK_STORE(&out[y * width + x], sum);
}

static double tap_weight(const float *w, int form, int dy, int dx)
{
    const int tap = (dy + 3) * SIDE + dx + 3, middle = SIDE * SIDE / 2, distance = dx < 0 ? -dx : dx;
    if (form >= 3 && dy != 0) return 0.0;
    if (form == 0) return w[tap];
    if (form == 1) return tap <= middle ? w[tap] : w[2 * middle - tap];
    if (form == 2) return tap < middle ? w[tap] : tap > middle ? -w[2 * middle - tap] : 0.0;
    if (form == 3) return w[dx + 3];
    if (form == 4) return w[distance];
    return dx > 0 ? w[distance] : dx < 0 ? -w[distance] : 0.0;
}

static int wrong_outputs(const float *w, const float *in, const float *out, int height, int width, int edge, int form)
{
    int wrong = 0;
    for (int i = 0; i < height * width; ++i) {
        double sum = 0.0, scale = 0.0;
        for (int dy = -3; dy <= 3; ++dy)
            for (int dx = -3; dx <= 3; ++dx) {
                const int y = i / width + dy, x = i % width + dx, outside = y < 0 || y >= height || x < 0 || x >= width;
                const int near_y = y < 0         ? 0
                                   : y >= height ? height - 1
                                                 : y,
                          near_x = x < 0        ? 0
                                   : x >= width ? width - 1
                                                : x;
                const double sample = outside && edge == CMK_EDGE_ZERO ? 0.0 : in[near_y * width + near_x];
                sum += tap_weight(w, form, dy, dx) * sample;
                scale += fabs(tap_weight(w, form, dy, dx) * sample);
            }
        wrong += !(fabs(out[i] - sum) <= SIDE * SIDE * 5.9604645e-8 * scale);
    }
    return wrong;
}

static void stencils(void)
{
    static const char *const names[] = {"2D box",     "2D symmetric", "2D antisymmetric",
                                        "1D general", "1D symmetric", "1D antisymmetric"};
    static const int shapes[][2] = {{1, 1}, {1, 50}, {50, 1}, {3, 3}, {7, 16}, {8, 15}, {9, 17}, {31, 37}};
    static float in[31 * 50], out[31 * 50], w[SIDE * SIDE], *device_in, *device_out;
    for (int k = 0; k < SIDE * SIDE; ++k) w[k] = (float)rand() / (float)RAND_MAX - 0.5f;
    for (int k = 0; k < 31 * 50; ++k) in[k] = (float)rand() / (float)RAND_MAX;
    CMK_CHECK(CMK_TABLE_UPLOAD(weights, w, 0, SIDE * SIDE));
    CMK_CHECK(cudaMalloc((void **)&device_in, sizeof in));
    CMK_CHECK(cudaMalloc((void **)&device_out, sizeof out));
    CMK_CHECK(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
    for (int form = 0; form < 6; ++form) {
        int wrong = 0;
        for (size_t s = 0; s < 2 * sizeof shapes / sizeof shapes[0]; ++s) {
            const int height = shapes[s / 2][0], width = shapes[s / 2][1],
                      edge = s % 2 ? CMK_EDGE_CLAMP : CMK_EDGE_ZERO;
            const dim3 grid = dim3((unsigned)(width + 15) / 16, (unsigned)(height + ROWS - 1) / ROWS);
            CMK_CHECK(cudaMemset(device_out, 0xFF, sizeof out));
            CMK_CHECK(CMK_LAUNCH(bodies, grid, dim3(16, ROWS), (ROWS + 6) * 22 * sizeof(float), 0, device_in,
                                 device_out, height, width, edge, form));
            CMK_CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
            wrong += wrong_outputs(w, in, out, height, width, edge, form);
        }
        tap_check(wrong == 0, "%s, both edges, 8 shapes: %d outputs wrong", names[form], wrong);
    }
}

__global__ void nothing(void)
{
}

static void launches(void)
{
    tap_check(CMK_LAUNCH(nothing, 1, 1, 0, 0, ) == cudaSuccess, "a kernel without parameters");
    /* CUDA 13 says cudaErrorInvalidValue, earlier ones cudaErrorInvalidConfiguration */
    tap_check(CMK_LAUNCH(nothing, 0, 1, 0, 0, ) != cudaSuccess, "an empty grid is refused");
    tap_check(CMK_LAUNCH(nothing, 1, 1025, 0, 0, ) != cudaSuccess, "a block of 1025 threads is refused");
    tap_check(CMK_LAUNCH(nothing, dim3(1, 70000), 1, 0, 0, ) != cudaSuccess, "70,000 blocks in y are refused");
    tap_check(CMK_LAUNCH(nothing, 1, 1, 1 << 20, 0, ) != cudaSuccess, "1 MB of shared memory is refused");
    tap_check(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess, "no error is left behind");
}

int main(void)
{
    tap_need_device();
    edges();
    tables();
    stencils();
    launches();
    return tap_done();
}
