/* gray_scott: two substances that react and diffuse on a torus, and the pattern that grows from a few drops.
 *   usage: gray_scott [SIDE [STEPS [OUT]]]     SIDE x SIDE points, 2048, on the CPU 128; STEPS: 10000, on the CPU 2000
 *          with OUT, pictures OUT-1.ppm to OUT-4.ppm: at each quarter of the steps
 *   build: nvcc -O3 -arch=native -Iinclude -o gray_scott examples/gray_scott.cu
 *      or: gcc -O2 -Iinclude -x c examples/gray_scott.cu -o gray_scott -lm -lpthread */
#include <math.h>
#include <cmk/cmk.h>

/* v eats u: u + 2 v -> 3 v. u flows in and both flow out; the two rates decide which pattern grows. */
#define GRAY_SCOTT(USES)                                                                                               \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_WRAP)                                                             \
    USES(NEXT, float, v, CMK_POINT_STAR(1), CMK_EDGE_WRAP)                                                             \
    USES(VALUE, float, feed)                                                                                           \
    USES(VALUE, float, kill)
#define AT(field, dy, dx) CMK_POINT_AT(field, dy, dx)
#define LAPLACE(field)                                                                                                 \
    (AT(field, -1, 0) + AT(field, 1, 0) + AT(field, 0, -1) + AT(field, 0, 1) - 4.0f * AT(field, 0, 0))

CMK_POINT_2D(gray_scott, GRAY_SCOTT)
{
    const float a = AT(u, 0, 0), b = AT(v, 0, 0), reaction = a * b * b;
    CMK_POINT_SET(u, a + 0.2f * LAPLACE(u) - reaction + feed * (1.0f - a));
    CMK_POINT_SET(v, b + 0.1f * LAPLACE(v) + reaction - (feed + kill) * b);
}
CMK_DEFINE_STENCIL2D(gray_scott, GRAY_SCOTT);

/* ---- the program: drops, pictures, and the last step beside a plain loop in double */

#define FEED 0.0545
#define KILL 0.062
#define STOP(...) (fprintf(stderr, "gray_scott: " __VA_ARGS__), exit(EXIT_FAILURE))

static int read_number(const char *text, int most) /* 0 if it is none from 1 to most */
{
    const long number = strlen(text) < 10 ? strtol(text, NULL, 10) : 0;
    return text[strspn(text, "0123456789")] == '\0' && number <= most ? (int)number : 0;
}

static float *floats_of(size_t count)
{
    float *const values = (float *)malloc(count * sizeof *values);
    if (values == NULL) STOP("there is no memory for so many points\n");
    return values;
}

/* of v, from 0 to about 0.4: from dark blue over orange to white */
static void save_picture(const char *name, const float *v, int side)
{
    FILE *const file = fopen(name, "wb");
    if (file == NULL) STOP("%s: cannot be written\n", name);
    fprintf(file, "P6\n%d %d\n255\n", side, side);
    for (size_t i = 0; i < (size_t)side * (size_t)side; ++i) {
        const double level = v[i] < 0.0f ? 0.0 : v[i] > 0.4f ? 1.0 : v[i] / 0.4;
        fputc((int)(255.0 * sqrt(level)), file);
        fputc((int)(255.0 * pow(level, 1.5)), file);
        fputc((int)(64.0 + 191.0 * pow(level, 6.0) - 64.0 * level * (1.0 - level)), file);
    }
    if (ferror(file) || fclose(file) != 0) STOP("%s: cannot be written to the end\n", name);
}

/* square drops of the same kind at random places; on less than 16 x 16 points, one point */
static void drop(float *u, float *v, int side)
{
    unsigned random = 1;
    const int drops = side < 16 ? 1 : 3 + side / 32, size = side < 16 ? 1 : 8;
    for (size_t i = 0; i < (size_t)side * (size_t)side; ++i) u[i] = 1.0f, v[i] = 0.0f;
    for (int d = 0; d < drops; ++d) {
        const int top = (int)((random = random * 1664525u + 1013904223u) >> 16) % side;
        const int left = (int)((random = random * 1664525u + 1013904223u) >> 16) % side;
        for (int k = 0; k < size * size; ++k) {
            const int row = (top + k / size) % side, column = (left + k % size) % side;
            u[(size_t)row * (size_t)side + (size_t)column] = 0.5f;
            v[(size_t)row * (size_t)side + (size_t)column] = 0.25f;
        }
    }
}

static double laplace_of(const float *f, int side, int row, int column)
{
    const size_t n = (size_t)side, y = (size_t)row, x = (size_t)column;
    const size_t above = (y + n - 1) % n, below = (y + 1) % n, left = (x + n - 1) % n, right = (x + 1) % n;
    return (double)f[above * n + x] + f[below * n + x] + f[y * n + left] + f[y * n + right] - 4.0 * f[y * n + x];
}

/* the largest difference of u2, v2 from a step of u, v in double */
static double worst_error(const float *u, const float *v, const float *u2, const float *v2, int side)
{
    double worst = 0.0;
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column) {
            const size_t i = (size_t)row * (size_t)side + (size_t)column;
            const double a = u[i], b = v[i], reaction = a * b * b;
            const double next_a = a + 0.2 * laplace_of(u, side, row, column) - reaction + FEED * (1.0 - a);
            const double next_b = b + 0.1 * laplace_of(v, side, row, column) + reaction - (FEED + KILL) * b;
            if (!(fabs(u2[i] - next_a) <= worst)) worst = fabs(u2[i] - next_a);
            if (!(fabs(v2[i] - next_b) <= worst)) worst = fabs(v2[i] - next_b);
        }
    return worst;
}

static double covered(const float *v, size_t count) /* percent of the points with more than 0.1 of v */
{
    size_t points = 0;
    for (size_t i = 0; i < count; ++i)
        if (v[i] > 0.1f) ++points;
    return 100.0 * (double)points / (double)count;
}

int main(int argc, char **argv)
{
    cudaDeviceProp gpu;
    CMK_CHECK(cudaGetDeviceProperties(&gpu, 0));
    const int on_cpu = strcmp(gpu.name, "cmk CPU backend") == 0;
    const int side = argc > 1 ? read_number(argv[1], 32768) : on_cpu ? 128 : 2048;
    const int steps = argc > 2 ? read_number(argv[2], 100000000) : on_cpu ? 2000 : 10000;
    if (argc > 4 || side == 0 || steps == 0)
        STOP("usage: gray_scott [SIDE [STEPS [OUT]]], to 32768 and to 100000000\n");

    const size_t n = (size_t)side, count = n * n, bytes = count * sizeof(float);
    float *const u = floats_of(count), *const v = floats_of(count);
    float *const u2 = floats_of(count), *const v2 = floats_of(count);
    float *buffers[4];
    for (int k = 0; k < 4; ++k) CMK_CHECK(cudaMalloc((void **)&buffers[k], bytes));
    drop(u, v, side);
    CMK_CHECK(cudaMemcpy(buffers[0], u, bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemcpy(buffers[1], v, bytes, cudaMemcpyHostToDevice));

    gray_scott_grid grid = gray_scott_domain(n, n, n);
    grid.u = buffers[0], grid.v = buffers[1];
    grid.u_next = buffers[2], grid.v_next = buffers[3];
    for (int quarter = 1, done = 0; quarter <= 4; ++quarter) {
        const int next = (int)((double)steps * quarter / 4);
        if (next > done) CMK_CHECK(gray_scott_steps(&grid, (size_t)(next - done - 1), FEED, KILL, 0));
        CMK_CHECK(cudaMemcpy(u, grid.u, bytes, cudaMemcpyDeviceToHost));
        CMK_CHECK(cudaMemcpy(v, grid.v, bytes, cudaMemcpyDeviceToHost));
        if (next > done) CMK_CHECK(gray_scott(&grid, FEED, KILL, 0));
        CMK_CHECK(cudaMemcpy(u2, grid.u, bytes, cudaMemcpyDeviceToHost));
        CMK_CHECK(cudaMemcpy(v2, grid.v, bytes, cudaMemcpyDeviceToHost));
        const double error = next > done ? worst_error(u, v, u2, v2, side) : 0.0;
        done = next;
        printf("step %d: v covers %.1f %%; the step from a loop in double: %.1e\n", done, covered(v2, count), error);
        if (!(error <= 16.0 * 5.96e-8)) STOP("WRONG: more than 16 roundings of values up to 1\n");
        if (argc < 4) continue;
        char name[4096];
        if (snprintf(name, sizeof name, "%s-%d.ppm", argv[3], quarter) >= (int)sizeof name)
            STOP("OUT has more than 4000 characters\n");
        save_picture(name, v2, side);
        printf("picture: %s\n", name);
    }
    return EXIT_SUCCESS;
}
