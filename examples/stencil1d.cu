/* stencil1d: a 9-point first derivative with zeros outside the domain, by three kernels, timed and checked.
 *   usage: stencil1d [COUNT [FILE]]     COUNT samples (16777216): random, or the first of a raw float32 file
 *   build: nvcc -O3 -arch=native -Iinclude -o stencil1d examples/stencil1d.cu
 *      or: gcc -O2 -Iinclude -x c examples/stencil1d.cu -o stencil1d -lm -lpthread */
#include <math.h>
#include <cmk/cmk.h>
#define RADIUS 4
#define BLOCK 32 /* as in the tutorial; it leaves most of the bandwidth unused */

CMK_TABLE(CONSTANT, float, coefficients, [RADIUS + 1]);

#define AT(i) CMK_LDG(&in[i])
#define FROM_DOMAIN(column) CMK_EDGE_SAMPLE(CMK_EDGE_ZERO, AT, start - RADIUS + (column), count)
#define FROM_TILE(d) CMK_TILE_GET(tile, 0, (int)threadIdx.x + RADIUS + (d))
#define FROM_CONSTANT(k) CMK_TABLE_AT(coefficients, k)
#define FROM_GLOBAL(k) CMK_LDG(&global[k])

__global__ void stencil_1d(const float *in, float *out, cmk_i64 count)
{
    CMK_TILE(float, tile, 1, BLOCK + 2 * RADIUS, 0);
    const cmk_i64 start = (cmk_i64)blockIdx.x * BLOCK, i = start + (cmk_i64)threadIdx.x;
    float sum = 0.0f;
    CMK_TILE_FILL_1D_SYNC(tile, BLOCK + 2 * RADIUS, FROM_DOMAIN);
    CMK_STENCIL_1D_ANTISYMMETRIC(sum, RADIUS, FROM_CONSTANT, FROM_TILE);
    if (i < count) CMK_STORE(&out[i], sum);
}

__global__ void stencil_1d_read_only(const float *in, float *out, cmk_i64 count, const float *global)
{
    CMK_TILE(float, tile, 1, BLOCK + 2 * RADIUS, 0);
    const cmk_i64 start = (cmk_i64)blockIdx.x * BLOCK, i = start + (cmk_i64)threadIdx.x;
    float sum = 0.0f;
    CMK_TILE_FILL_1D_SYNC(tile, BLOCK + 2 * RADIUS, FROM_DOMAIN);
    CMK_STENCIL_1D_ANTISYMMETRIC(sum, RADIUS, FROM_GLOBAL, FROM_TILE);
    if (i < count) CMK_STORE(&out[i], sum);
}

CMK_DEFINE_STENCIL1D(derivative, float, RADIUS, CMK_STENCIL_1D_ANTISYMMETRIC, coefficients, CMK_EDGE_ZERO);

static const float host_coefficients[RADIUS + 1] = {0.0f, 0.8f, -0.2f, 0.03809f, -0.00357f};
static const char *const names[] = {"copy", "stencil_1d", "stencil_1d_read_only", "derivative (definition)"};
static float *x, *result, *in, *out, *global; /* x and result on the host, the others on the device */
static size_t count = 1 << 24;

static cudaError_t run(int kernel)
{
    const unsigned blocks = (unsigned)((count + BLOCK - 1) / BLOCK);
    if (kernel == 0) return cudaMemcpyAsync(out, in, count * sizeof(float), cudaMemcpyDeviceToDevice, 0);
    if (kernel == 1) return CMK_LAUNCH(stencil_1d, blocks, BLOCK, 0, 0, in, out, (cmk_i64)count);
    if (kernel == 3) return derivative(in, out, count, coefficients, 0);
    return CMK_LAUNCH(stencil_1d_read_only, blocks, BLOCK, 0, 0, in, out, (cmk_i64)count, global);
}

/* the largest |result - reference|, in units of the sum of |coefficient * sample|, over every point */
static double worst_error(void)
{
    double worst = 0.0;
    for (size_t i = 0; i < count; ++i) {
        double reference = 0.0, scale = 1e-30;
        for (size_t k = 1; k <= RADIUS; ++k) {
            const double right = i + k < count ? x[i + k] : 0.0, left = i >= k ? x[i - k] : 0.0;
            reference += host_coefficients[k] * (right - left);
            scale += fabs(host_coefficients[k]) * (fabs(right) + fabs(left));
        }
        const double error = isfinite(result[i]) ? fabs(result[i] - reference) / scale : HUGE_VAL;
        worst = error > worst ? error : worst;
    }
    return worst;
}

static void load(int argc, char **argv)
{
    const int digits = argc < 2 || argv[1][strspn(argv[1], "0123456789")] == '\0';
    FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
    count = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : count;
    x = digits && count > 0 && count < (size_t)1 << 36 ? (float *)malloc(count * sizeof(float)) : NULL;
    for (size_t i = 0; x != NULL && argc < 3 && i < count; ++i) x[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    if (x == NULL || argc > 3 || (argc == 3 && (file == NULL || fread(x, 4, count, file) != count))) {
        fprintf(stderr, "usage: stencil1d [COUNT [FILE]], COUNT above 0, FILE of at least COUNT float32\n");
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv)
{
    load(argc, argv);
    const size_t bytes = count * sizeof(float);
    float ms, copy_ms = 0.0f;
    int failures = 0;
    result = (float *)malloc(bytes);
    CMK_CHECK(cudaMalloc((void **)&in, bytes));
    CMK_CHECK(cudaMalloc((void **)&out, bytes));
    CMK_CHECK(cudaMalloc((void **)&global, sizeof host_coefficients));
    CMK_CHECK(cudaMemcpy(in, x, bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemcpy(global, host_coefficients, sizeof host_coefficients, cudaMemcpyHostToDevice));
    CMK_CHECK(CMK_TABLE_UPLOAD(coefficients, host_coefficients, 0, RADIUS + 1));
    for (int kernel = 0; kernel < 4; ++kernel) {
        CMK_CHECK(cudaMemset(out, 0xFF, bytes));
        CMK_CHECK_TIME(ms, 30, run(kernel));
        CMK_CHECK(cudaMemcpy(result, out, bytes, cudaMemcpyDeviceToHost));
        const double error = kernel > 0 ? worst_error() : memcmp(x, result, bytes) != 0;
        failures += !(error <= 1e-6);
        copy_ms = kernel > 0 ? copy_ms : ms;
        printf("%-24s %9.3f ms %8.2f GB/s %5.1f %% of the copy, error %.1e %s\n", names[kernel], ms,
               2e-6 * (double)bytes / ms, 100.0f * copy_ms / ms, error, error <= 1e-6 ? "" : "WRONG");
    }
    return failures > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
