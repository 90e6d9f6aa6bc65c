/* stencil1d: a 9-point first derivative with zeros outside the domain, by three kernels, timed and checked.
 *   usage: stencil1d [COUNT [FILE]]     COUNT samples (16777216): random, or the first of a raw float32 file
 *   build: nvcc -O3 -arch=native -Iinclude -o stencil1d examples/stencil1d.cu
 *      or: gcc -O2 -Iinclude -x c examples/stencil1d.cu -o stencil1d -lm -lpthread */
#include <math.h>
#include <cmk/cmk.h>

#define RADIUS 4
#define BLOCK 32 /* as in the tutorial; it leaves most of the bandwidth unused */

CMK_TABLE(CONSTANT, float, coefficients, [RADIUS + 1]); /* of the centre, then outwards */

#define AT(i) CMK_LDG(&in[i])
#define FROM_DOMAIN(column) CMK_EDGE_SAMPLE(CMK_EDGE_ZERO, AT, start - RADIUS + (column), count)
#define FROM_TILE(d) CMK_TILE_GET(tile, 0, (int)threadIdx.x + RADIUS + (d))

/* 1: coefficients in constant memory */
#define FROM_CONSTANT(k) CMK_TABLE_AT(coefficients, k)
__global__ void stencil_1d(const float *in, float *out, cmk_i64 count)
{
    CMK_TILE(float, tile, 1, BLOCK + 2 * RADIUS, 0);
    const cmk_i64 start = (cmk_i64)blockIdx.x * BLOCK, i = start + (cmk_i64)threadIdx.x;
    float sum = 0.0f;
    CMK_TILE_FILL_1D_SYNC(tile, BLOCK + 2 * RADIUS, FROM_DOMAIN);
    CMK_STENCIL_1D_ANTISYMMETRIC(sum, RADIUS, FROM_CONSTANT, FROM_TILE);
    if (i < count) CMK_STORE(&out[i], sum);
}

/* 2: coefficients in global memory, through the read-only cache */
#define FROM_GLOBAL(k) CMK_LDG(&global[k])
__global__ void stencil_1d_read_only(const float *in, float *out, cmk_i64 count, const float *global)
{
    CMK_TILE(float, tile, 1, BLOCK + 2 * RADIUS, 0);
    const cmk_i64 start = (cmk_i64)blockIdx.x * BLOCK, i = start + (cmk_i64)threadIdx.x;
    float sum = 0.0f;
    CMK_TILE_FILL_1D_SYNC(tile, BLOCK + 2 * RADIUS, FROM_DOMAIN);
    CMK_STENCIL_1D_ANTISYMMETRIC(sum, RADIUS, FROM_GLOBAL, FROM_TILE);
    if (i < count) CMK_STORE(&out[i], sum);
}

/* 3: for every size and alignment, at the speed of a copy */
CMK_DEFINE_STENCIL1D(derivative, float, RADIUS, CMK_STENCIL_1D_ANTISYMMETRIC, coefficients, CMK_EDGE_ZERO);

/* ---- the program: samples, reference, times */

static const float host_coefficients[RADIUS + 1] = {0.0f, 0.8f, -0.2f, 0.03809f, -0.00357f};
enum { COPY, CONSTANT_MEMORY, READ_ONLY, DEFINITION, KINDS };
static const char *const names[] = {"copy", "stencil_1d", "stencil_1d_read_only", "derivative (definition)"};

typedef struct {
    size_t count;
    float *samples, *result;  /* on the host */
    float *in, *out, *global; /* on the device */
} problem;

static cudaError_t run(int kind, const problem *p)
{
    const unsigned blocks = (unsigned)((p->count + BLOCK - 1) / BLOCK);
    const cmk_i64 count = (cmk_i64)p->count;
    if (kind == COPY) return cudaMemcpyAsync(p->out, p->in, p->count * sizeof(float), cudaMemcpyDeviceToDevice, 0);
    if (kind == CONSTANT_MEMORY) return CMK_LAUNCH(stencil_1d, blocks, BLOCK, 0, 0, p->in, p->out, count);
    if (kind == READ_ONLY)
        return CMK_LAUNCH(stencil_1d_read_only, blocks, BLOCK, 0, 0, p->in, p->out, count, p->global);
    return derivative(p->in, p->out, p->count, coefficients, 0);
}

#if defined(__CUDACC__)
enum { ON_GPU = 1 };
#else
enum { ON_GPU = 0 }; /* times of a CPU say nothing of a GPU's limits */
#endif

/* the largest |result - reference|, in units of the sum of |coefficient * sample|, over every point */
static double worst_error(const problem *p)
{
    double worst = 0.0;
    for (size_t i = 0; i < p->count; ++i) {
        double reference = 0.0, scale = 1e-30;
        for (size_t k = 1; k <= RADIUS; ++k) {
            const double right = i + k < p->count ? p->samples[i + k] : 0.0;
            const double left = i >= k ? p->samples[i - k] : 0.0;
            reference += host_coefficients[k] * (right - left);
            scale += fabs(host_coefficients[k]) * (fabs(right) + fabs(left));
        }
        const double error = isfinite(p->result[i]) ? fabs(p->result[i] - reference) / scale : HUGE_VAL;
        if (error > worst) worst = error;
    }
    return worst;
}

static void stop(const char *what)
{
    fprintf(stderr, "stencil1d: %s\nusage: stencil1d [COUNT [FILE]], COUNT above 0, FILE of at least COUNT float32\n",
            what);
    exit(EXIT_FAILURE);
}

static size_t read_count(const char *text)
{
    const unsigned long long count = strtoull(text, NULL, 10);
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0') stop("COUNT is no number");
    if (count < 1 || count >= 1ull << 36) stop("COUNT must be from 1 to 2^36 - 1");
    return (size_t)count;
}

static void read_samples(const char *name, const problem *p)
{
    FILE *const file = fopen(name, "rb");
    if (file == NULL) stop("FILE cannot be read");
    if (fread(p->samples, sizeof(float), p->count, file) != p->count) stop("FILE has fewer samples than COUNT");
    fclose(file);
}

int main(int argc, char **argv)
{
    problem p = {(size_t)1 << 24, NULL, NULL, NULL, NULL, NULL};
    float ms, copy_ms = 0.0f;
    int failures = 0;
    if (argc > 3) stop("too many arguments");
    if (argc > 1) p.count = read_count(argv[1]);
    const size_t bytes = p.count * sizeof(float);
    p.samples = (float *)malloc(bytes);
    p.result = (float *)malloc(bytes);
    if (p.samples == NULL || p.result == NULL) stop("there is no memory for so many samples");
    for (size_t i = 0; i < p.count; ++i) p.samples[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    if (argc > 2) read_samples(argv[2], &p);

    CMK_CHECK(cudaMalloc((void **)&p.in, bytes));
    CMK_CHECK(cudaMalloc((void **)&p.out, bytes));
    CMK_CHECK(cudaMalloc((void **)&p.global, sizeof host_coefficients));
    CMK_CHECK(cudaMemcpy(p.in, p.samples, bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemcpy(p.global, host_coefficients, sizeof host_coefficients, cudaMemcpyHostToDevice));
    CMK_CHECK(CMK_TABLE_UPLOAD(coefficients, host_coefficients, 0, RADIUS + 1));

    for (int kind = COPY; kind < KINDS; ++kind) {
        CMK_CHECK(cudaMemset(p.out, 0xFF, bytes)); /* NaN */
        CMK_CHECK_TIME(ms, 30, run(kind, &p));
        CMK_CHECK(cudaMemcpy(p.result, p.out, bytes, cudaMemcpyDeviceToHost));
        if (!(ms > 1e-6f)) ms = 1e-6f; /* a CPU's clock may stand still */
        if (kind == COPY) copy_ms = ms;
        const double error = kind == COPY ? memcmp(p.samples, p.result, bytes) != 0 : worst_error(&p);
        const int right = error <= 1e-6; /* not where it is NaN */
        if (!right) ++failures;
        printf("%-24s %9.3f ms", names[kind], ms);
        if (ON_GPU) printf(" %8.2f GB/s %5.1f %% of the copy", 2e-6 * (double)bytes / ms, 100.0f * copy_ms / ms);
        printf(", error %.1e %s\n", error, right ? "" : "WRONG");
    }
    return failures > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
