/* coefficients: one convolution, of 5 x 5 and of 15 x 15 taps, with its coefficients in each of the four sources of
 * table.h; every pixel is checked, and with cuobjdump on the PATH the instructions of each kernel are counted.
 *   usage: coefficients [WIDTH HEIGHT]     16384 16384, on the CPU 512 512; random pixels, zeros outside
 *   build: nvcc -O3 -arch=native -Iinclude -o coefficients examples/coefficients.cu
 *      or: gcc -O2 -Iinclude -x c examples/coefficients.cu -o coefficients -lm -lpthread */
#define _POSIX_C_SOURCE 200809L /* popen */
#include <math.h>
#include <cmk/cmk.h>

#define MARGIN 8 /* rows and columns of zeros around the image: no less than the radius, a multiple of 4 */
#define REACH(R) (((R) + 3) / 4 * 4) /* of the window beside the outputs, in whole vectors */
typedef struct {
    int width, height, pitch; /* pitch: elements from a row of the input to the next */
} image;

/* A thread computes 4 x ROWS pixels. All of its loops are unrolled, so that every index of the table is a constant;
 * ROWS keeps that below the 32 KB of an SM's instruction cache. The kernels differ in the first word alone. */
#define CONVOLUTION(SOURCE, name, R, ROWS, ...)                                                                        \
    CMK_TABLE_VALUES(SOURCE, float, name##_filter, [2 * R + 1][2 * R + 1], __VA_ARGS__);                               \
    __global__ void __launch_bounds__(128, ROWS > 2 ? 8 : 0)                                                           \
        name(const float *in, float *out, image s, CMK_TABLE_PARAMETER(name##_filter))                                 \
    {                                                                                                                  \
        const int x = 4 * (int)(blockIdx.x * 32 + threadIdx.x), y = ROWS * (int)(blockIdx.y * 4 + threadIdx.y);        \
        float sum[ROWS][4] = {{0.0f}}, window[4 + 2 * REACH(R)];                                                       \
        CMK_UNROLL                                                                                                     \
        for (int r = -R; r < ROWS + R; ++r) {                                                                          \
            CMK_UNROLL                                                                                                 \
            for (int k = 0; k < 4 + 2 * REACH(R); k += 4)                                                              \
                CMK_LOAD_16(READ_ONLY, &window[k], &in[(cmk_i64)(y + r) * s.pitch + x - REACH(R) + k]);                \
            CMK_UNROLL                                                                                                 \
            for (int o = 0; o < ROWS; ++o) CMK_UNROLL                                                                  \
            for (int j = 0; j < 4; ++j) CMK_UNROLL                                                                     \
            for (int c = 0; c <= 2 * R; ++c)                                                                           \
                if (r - o >= -R && r - o <= R)                                                                         \
                    sum[o][j] += CMK_TABLE_AT(name##_filter, r - o + R, c) * window[REACH(R) - R + j + c];             \
        }                                                                                                              \
        CMK_UNROLL                                                                                                     \
        for (int o = 0; o < ROWS; ++o)                                                                                 \
            if (y + o < s.height) CMK_STORE_PART(PLAIN, 16, &out[(cmk_i64)(y + o) * s.width], x, s.width, sum[o]);     \
    }                                                                                                                  \
    static cudaError_t launch_##name(const float *in, float *out, image s)                                             \
    {                                                                                                                  \
        const dim3 grid = dim3((unsigned)(s.width + 127) / 128, (unsigned)(s.height + 4 * ROWS - 1) / (4 * ROWS));     \
        return CMK_LAUNCH(name, grid, dim3(32, 4), 0, 0, in, out, s, name##_filter);                                   \
    }

#define ROW_2(a)                                                                                                       \
    {                                                                                                                  \
        .1f - (a), .2f + (a), .3f - (a), .4f + (a), .5f - (a)                                                          \
    }
#define ROW_7(a)                                                                                                       \
    {                                                                                                                  \
        .1f - (a), .2f + (a), .3f - (a), .4f + (a), .5f - (a), .6f + (a), .7f - (a), .8f + (a), .9f - (a), 1 + (a),    \
            1.1f - (a), 1.2f + (a), 1.3f - (a), 1.4f + (a), 1.5f - (a)                                                 \
    }
#define VALUES_2 ROW_2(.01f), ROW_2(.02f), ROW_2(.03f), ROW_2(.04f), ROW_2(.05f)
#define VALUES_7                                                                                                       \
    ROW_7(.01f), ROW_7(.02f), ROW_7(.03f), ROW_7(.04f), ROW_7(.05f), ROW_7(.06f), ROW_7(.07f), ROW_7(.08f),            \
        ROW_7(.09f), ROW_7(.11f), ROW_7(.12f), ROW_7(.13f), ROW_7(.14f), ROW_7(.15f), ROW_7(.16f)
CONVOLUTION(LITERAL, literal_5x5, 2, 4, VALUES_2)
CONVOLUTION(CONSTANT, constant_5x5, 2, 4, VALUES_2)
CONVOLUTION(PARAMETER, parameter_5x5, 2, 4, VALUES_2)
CONVOLUTION(GLOBAL, global_5x5, 2, 4, VALUES_2)
CONVOLUTION(LITERAL, literal_15x15, 7, 2, VALUES_7)
CONVOLUTION(CONSTANT, constant_15x15, 7, 2, VALUES_7)
CONVOLUTION(PARAMETER, parameter_15x15, 7, 2, VALUES_7)
CONVOLUTION(GLOBAL, global_15x15, 7, 2, VALUES_7)

/* ---- the program: reference, times, machine code */

/* a plain loop in double, a thread a pixel; the tolerance is taps x epsilon x the sum of |terms| */
__global__ void compare(const float *in, const float *out, image s, int radius, unsigned *wrong)
{
    const int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)blockIdx.y;
    double sum = 0.0, scale = 0.0;
    if (x >= s.width) return;
    for (int r = -radius; r <= radius; ++r)
        for (int c = -radius; c <= radius; ++c) {
            const float weight = radius == 2 ? CMK_TABLE_AT(global_5x5_filter, r + 2, c + 2)
                                             : CMK_TABLE_AT(global_15x15_filter, r + 7, c + 7);
            const double term = (double)weight * CMK_LOAD(&in[(cmk_i64)(y + r) * s.pitch + x + c]);
            sum += term;
            scale += fabs(term);
        }
    scale *= (2 * radius + 1) * (2 * radius + 1) * 5.96e-8;
    if (!(fabs(sum - CMK_LOAD(&out[(cmk_i64)y * s.width + x])) <= scale)) atomicAdd(wrong, 1u);
}

/* registers, instructions and loads of a kernel, where there is a cuobjdump that finds it in this program */
static void print_code(const char *program, const char *kernel)
{
    char line[4096];
    int inside = 0, registers = 0, instructions = 0, global = 0, uniform = 0;
    snprintf(line, sizeof line, "cuobjdump -sass -res-usage '%s' 2>&1", program);
    FILE *pipe = strchr(program, '\'') == NULL ? popen(line, "r") : NULL;
    while (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) {
        if (strstr(line, "Function") != NULL) inside = strstr(line, kernel) != NULL;
        if (inside && strstr(line, "REG:") != NULL) registers = atoi(strstr(line, "REG:") + 4);
        instructions += inside && strstr(line, " ;") != NULL;
        global += inside && strstr(line, " LDG") != NULL;
        uniform += inside && (strstr(line, " ULDC") != NULL || strstr(line, " LDCU") != NULL);
    }
    if (instructions > 0) printf("%10d %12d %12d %13d", registers, instructions, global, uniform);
    if (pipe != NULL) pclose(pipe);
}

static const struct {
    const char *name;
    int radius;
    cudaError_t (*launch)(const float *, float *, image);
} kernels[] = {{"literal_5x5", 2, launch_literal_5x5},         {"constant_5x5", 2, launch_constant_5x5},
               {"parameter_5x5", 2, launch_parameter_5x5},     {"global_5x5", 2, launch_global_5x5},
               {"literal_15x15", 7, launch_literal_15x15},     {"constant_15x15", 7, launch_constant_15x15},
               {"parameter_15x15", 7, launch_parameter_15x15}, {"global_15x15", 7, launch_global_15x15}};

#if defined(__CUDACC__)
enum { ON_GPU = 1, SIZE = 16384 };
#else
enum { ON_GPU = 0, SIZE = 512 }; /* times of a CPU say nothing of a GPU's limits */
#endif

static int read_size(const char *text) /* 0 if it is none from 1 to 65535 */
{
    const unsigned long size = strtoul(text, NULL, 10);
    return text[strspn(text, "0123456789")] == '\0' && size <= 65535 ? (int)size : 0;
}

int main(int argc, char **argv)
{
    image s = {SIZE, SIZE, 0};
    float *in, *out, ms, copy_ms;
    unsigned *wrong;
    if (argc == 3) {
        s.width = read_size(argv[1]);
        s.height = read_size(argv[2]);
    }
    if (argc == 2 || argc > 3 || s.width == 0 || s.height == 0) {
        fprintf(stderr, "usage: coefficients [WIDTH HEIGHT], each from 1 to 65535\n");
        return EXIT_FAILURE;
    }
    s.pitch = (s.width + 127) / 128 * 128 + 2 * MARGIN;
    const size_t width = (size_t)s.width, height = (size_t)s.height, pitch = (size_t)s.pitch;
    const size_t bytes = width * height * sizeof(float), first = pitch * MARGIN + MARGIN;
    const size_t padded = pitch * ((height + 15) / 16 * 16 + 2 * MARGIN) * sizeof(float);
    float *const host = (float *)calloc(padded, 1);
    CMK_CHECK(host == NULL ? cudaErrorMemoryAllocation : cudaSuccess);
    for (size_t y = 0; y < height; ++y)
        for (size_t x = 0; x < width; ++x) host[first + y * pitch + x] = (float)rand() / (float)RAND_MAX;
    CMK_CHECK(cudaMalloc((void **)&in, padded));
    CMK_CHECK(cudaMalloc((void **)&out, bytes));
    CMK_CHECK(cudaMallocManaged((void **)&wrong, sizeof *wrong, cudaMemAttachGlobal));
    *wrong = 0;
    CMK_CHECK(cudaMemcpy(in, host, padded, cudaMemcpyHostToDevice));
    CMK_CHECK_TIME(copy_ms, 31, cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, 0));
    printf("kernel                 ms%s\n",
           ON_GPU ? "    % copy   TFLOP/s registers instructions global loads uniform loads" : "");
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; ++k) {
        const int taps = (2 * kernels[k].radius + 1) * (2 * kernels[k].radius + 1);
        CMK_CHECK(cudaMemset(out, 0xFF, bytes)); /* NaN */
        CMK_CHECK_TIME(ms, 31, kernels[k].launch(in + first, out, s));
        CMK_CHECK(CMK_LAUNCH(compare, dim3((unsigned)(s.width + 31) / 32, (unsigned)s.height), 32, 0, 0, in + first,
                             out, s, kernels[k].radius, wrong));
        CMK_CHECK(cudaDeviceSynchronize());
        if (*wrong > 0) {
            fprintf(stderr, "coefficients: %s: %u wrong pixels\n", kernels[k].name, *wrong);
            return EXIT_FAILURE;
        }
        if (!(ms > 1e-6f)) ms = 1e-6f; /* a CPU's clock may stand still */
        printf("%-15s %9.3f", kernels[k].name, ms);
        if (ON_GPU) {
            printf(" %9.1f %9.2f", 100.0f * copy_ms / ms, 2e-9 * (double)(width * height) * taps / ms);
            print_code(argv[0], kernels[k].name);
        }
        printf("\n");
    }
    return EXIT_SUCCESS;
}
