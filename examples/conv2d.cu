/* conv2d: filters a binary PGM of 8 or 16 bit by three kernels made from one text, each timed and checked.
 *   usage: conv2d IN.pgm OUT.pgm [gauss|sharpen|sobel [RADIUS [zero|clamp]]]          gauss 2 clamp; RADIUS 1 to 7
 *   build: nvcc -O3 -arch=native -Iinclude -o conv2d examples/conv2d.cu
 *      or: gcc -O2 -Iinclude -x c examples/conv2d.cu -o conv2d -lm -lpthread */
#include <math.h>
#include <cmk/cmk.h>
#define SIDE 15 /* elements between the rows of a filter */
#define STOP(...) (fprintf(stderr, "conv2d: " __VA_ARGS__), exit(EXIT_FAILURE))
typedef struct { const float *filter; int width, height, most, radius, edge; } problem; /* most: the largest pixel */
CMK_TABLE(CONSTANT, float, weights, [SIDE][SIDE]);
#define AT(row, column) CMK_LDG(&in[(cmk_i64)(row) * s.width + (column)])
#define WITH(EDGE, row, column) CMK_EDGE_SAMPLE_2D(EDGE, AT, row, column, s.height, s.width)
#define PIXEL(row, column) (s.edge ? WITH(CMK_EDGE_CLAMP, row, column) : WITH(CMK_EDGE_ZERO, row, column))
#define FROM_GLOBAL(r, c) CMK_LDG(&s.filter[(r) * SIDE + (c)])
#define FROM_CONSTANT(r, c) CMK_TABLE_AT(weights, r, c)
#define FROM_IMAGE(dy, dx) PIXEL(y + (dy), x + (dx))
#define TO_TILE(r, c) PIXEL(y - (int)threadIdx.y - s.radius + (r), x - (int)threadIdx.x - s.radius + (c))
#define FROM_TILE(dy, dx) CMK_TILE_GET(tile, (int)threadIdx.y + s.radius + (dy), (int)threadIdx.x + s.radius + (dx))
#define FILL_TILE                                                                                             \
    CMK_TILE(float, tile, 8 + SIDE - 1, 32 + SIDE - 1, CMK_TILE_PAD(float, 32 + SIDE - 1, ROWS, 32));               \
    CMK_TILE_FILL_SYNC(tile, 8 + 2 * s.radius, 32 + 2 * s.radius, TO_TILE);
#define CASE(R, WEIGHT, SAMPLE) case R: CMK_STENCIL_2D_BOX(sum, R, WEIGHT, SAMPLE); break;
#define CONVOLUTION(name, TILE, WEIGHT, SAMPLE) /* a block of 32 x 8; one unrolled body for each radius */    \
    __global__ void name(const float *in, float *out, problem s)                                              \
    {                                                                                                         \
        const int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 8 + threadIdx.y);          \
        float sum = 0.0f;                                                                                     \
        TILE                                                                                                  \
        switch (s.radius) {                                                                                   \
            CASE(1, WEIGHT, SAMPLE) CASE(2, WEIGHT, SAMPLE) CASE(3, WEIGHT, SAMPLE) CASE(4, WEIGHT, SAMPLE)   \
            CASE(5, WEIGHT, SAMPLE) CASE(6, WEIGHT, SAMPLE) CASE(7, WEIGHT, SAMPLE)                           \
        }                                                                                                     \
        if (x < s.width && y < s.height) CMK_STORE(&out[(cmk_i64)y * s.width + x], sum);                      \
    }
CONVOLUTION(conv_basic, , FROM_GLOBAL, FROM_IMAGE)
CONVOLUTION(conv_constant, , FROM_CONSTANT, FROM_IMAGE)
CONVOLUTION(conv_tiled, FILL_TILE, FROM_CONSTANT, FROM_TILE)

static float *read_pgm(const char *name, problem *s)
{
    FILE *file = fopen(name, "rb");
    int known = 0, number[3] = {0};
    if (file == NULL || fgetc(file) != 'P' || fgetc(file) != '5') STOP("%s: no binary PGM to be read\n", name);
    for (int tries = 0; known < 3 && tries < 100; ++tries)
        known += fscanf(file, "#%*[^\n]") == 0 && fscanf(file, " %d", &number[known]) == 1;
    s->width = number[0], s->height = number[1], s->most = number[2];
    const size_t count = (size_t)s->width * (size_t)s->height;
    const int good = s->width > 0 && s->height > 0 && s->most > 0 && s->most < 65536 && count < 1u << 31;
    float *pixels = good && fgetc(file) != EOF ? (float *)malloc(count * sizeof(float)) : NULL;
    for (size_t i = 0; pixels != NULL && i < count; pixels[i++] += (float)fgetc(file))
        pixels[i] = s->most > 255 ? 256.0f * (float)fgetc(file) : 0.0f;
    if (pixels == NULL || feof(file)) STOP("%s: a bad header, or fewer pixels than it says\n", name);
    fclose(file);
    return pixels;
}

static int wrong_pixels(const float *in, const float *filter, const float *result, problem s) /* beyond rounding */
{
    int wrong = 0;
    for (int i = 0; i < s.width * s.height; ++i) {
        double difference = -result[i], scale = 0.0;
        for (int k = 0; k < SIDE * (2 * s.radius + 1); ++k) {
            const int y = i / s.width + k / SIDE - s.radius, x = i % s.width + k % SIDE - s.radius;
            const int row = y < 0 ? 0 : y < s.height ? y : s.height - 1;
            const int column = x < 0 ? 0 : x < s.width ? x : s.width - 1;
            const int counts = s.edge == CMK_EDGE_CLAMP || (row == y && column == x);
            const double term = counts ? (double)filter[k] * in[row * s.width + column] : 0.0;
            difference += term, scale += fabs(term);
        }
        wrong += !(fabs(difference) <= ldexp(scale, -24) * SIDE * SIDE);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    void (*const kernels[])(const float *, float *, problem) = {conv_basic, conv_tiled, conv_constant};
    const char *const names[] = {"basic", "tiled", "constant"}, *const edge = argc > 5 ? argv[5] : "clamp";
    const char *const kind = argc > 3 ? argv[3] : "gauss", *const radius = argc > 4 ? argv[4] : "2";
    const int filters = !strcmp(kind, "gauss") || !strcmp(kind, "sharpen") || !strcmp(kind, "sobel");
    problem s = {NULL, 0, 0, 0, strlen(radius) == 1 ? *radius - '0' : 0, *edge == 'z' ? CMK_EDGE_ZERO : CMK_EDGE_CLAMP};
    if (argc < 3 || argc > 6 || !filters || strcmp(edge, s.edge ? "clamp" : "zero") || s.radius < 1 || s.radius > 7)
        STOP("usage: conv2d IN.pgm OUT.pgm [gauss|sharpen|sobel [RADIUS 1 to 7 [zero|clamp]]]\n");
    float *picture = read_pgm(argv[1], &s), filter[SIDE * SIDE], *in, *out, ms, copy_ms;
    const double r = s.radius, taps = (2 * r + 1) * (2 * r + 1), counted[] = {0.25, 32 * taps / (16 + r) / (4 + r), .5};
    const size_t bytes = (size_t)s.width * (size_t)s.height * sizeof(float);
    float *result = (float *)malloc(bytes);
    double b[SIDE + 2] = {0.0, ldexp(1.0, 1 - 2 * s.radius)}; /* binomial coefficients of sum 1, from b[1] */
    for (int k = 1; k < 2 * s.radius; ++k) b[k + 1] = b[k] * (2 * s.radius - k) / k;
    for (int k = 0; k < SIDE * SIDE; ++k) {
        const double *v = &b[k / SIDE], *h = &b[k % SIDE], gauss = (v[0] + v[1]) * (h[0] + h[1]) / 4;
        const double sobel = (v[0] + v[1]) * (h[0] - h[1]) / 2, twice = k == s.radius * (SIDE + 1) ? 2.0 : 0.0;
        filter[k] = (float)(kind[0] == 'g' ? gauss : kind[1] == 'h' ? twice - gauss : sobel);
    }
    CMK_CHECK(cudaMalloc((void **)&in, bytes));
    CMK_CHECK(cudaMalloc((void **)&out, bytes));
    CMK_CHECK(cudaMalloc((void **)&s.filter, sizeof filter));
    CMK_CHECK(cudaMemcpy(in, picture, bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemcpy((void *)s.filter, filter, sizeof filter, cudaMemcpyHostToDevice));
    CMK_CHECK(CMK_TABLE_UPLOAD(weights, filter, 0, SIDE * SIDE));
    CMK_CHECK_TIME(copy_ms, 30, cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, 0));
    for (int k = 0; k < 3; ++k) {
        const dim3 grid = dim3((unsigned)(s.width + 31) / 32, (unsigned)(s.height + 7) / 8), block = dim3(32, 8);
        CMK_CHECK(cudaMemset(out, 0xFF, bytes));
        CMK_CHECK_TIME(ms, 30, CMK_LAUNCH(kernels[k], grid, block, 0, 0, in, out, s));
        CMK_CHECK(cudaMemcpy(result, out, bytes, cudaMemcpyDeviceToHost));
        if (wrong_pixels(picture, filter, result, s) > 0) STOP("%s gives wrong pixels\n", names[k]);
        printf("%-8s %9.3f ms %7.2f GB/s, right; operations a byte: %5.2f counted, %6.3f by the time of a copy\n",
               names[k], ms, 2e-6 * (double)bytes / ms, counted[k], taps / 4 * copy_ms / ms);
    }
    FILE *file = fopen(argv[2], "wb");
    if (file == NULL || fprintf(file, "P5\n%d %d\n%d\n", s.width, s.height, s.most) < 0) STOP("%s: no file\n", argv[2]);
    for (size_t i = 0; i < bytes / sizeof(float); ++i) { /* sobel: 0 is grey */
        const int value = (int)fmin(fmax(rint(result[i]) + (kind[1] == 'o' ? s.most / 2 : 0), 0.0), s.most);
        if (s.most > 255) fputc(value >> 8, file);
        fputc(value & 255, file);
    }
    if (ferror(file) | fclose(file)) remove(argv[2]), STOP("%s: cannot be written to the end\n", argv[2]);
    return EXIT_SUCCESS;
}
