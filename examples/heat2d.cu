/* heat2d: the heat equation on a square plate whose rim is held at 0: a sine mode, which decays in closed form.
 *   usage: heat2d [SIDE [STEPS]]     SIDE x SIDE points: 8192, on the CPU 192; STEPS: 1000, on the CPU 100
 *   build: nvcc -O3 -arch=native -Iinclude -o heat2d examples/heat2d.cu
 *      or: gcc -O2 -Iinclude -x c examples/heat2d.cu -o heat2d -lm -lpthread */
#include <math.h>
#include <cmk/cmk.h>

/* u_t = u_xx + u_yy, explicit in time: k is the time step over the square of the distance of points, at most 1/4. The
 * rim is the row or column outside of the grid: ZERO reads 0 there. Held at another value: grid.u_outside; insulated:
 * CMK_EDGE_CLAMP; a torus: CMK_EDGE_WRAP; each by side and axis with CMK_EDGE_AXES and CMK_EDGE_SIDES. */
#define HEAT(USES)                                                                                                     \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)                                                             \
    USES(VALUE, float, k)
#define U(dy, dx) CMK_POINT_AT(u, dy, dx)

CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, U(0, 0) + k * (U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1) - 4.0f * U(0, 0)));
}
CMK_DEFINE_STENCIL2D(heat, HEAT);

/* ---- the program: a mode of some half waves along each axis, and how far the points are from it at the end */

#define STOP(...) (fprintf(stderr, "heat2d: " __VA_ARGS__), exit(EXIT_FAILURE))

static int read_number(const char *text, int most) /* 0 if it is none from 1 to most */
{
    const long number = strlen(text) < 10 ? strtol(text, NULL, 10) : 0;
    return text[strspn(text, "0123456789")] == '\0' && number <= most ? (int)number : 0;
}

/* the mode along an axis: sin(angle (i + 1)), 0 at both ends outside */
static double *sines_of(int side, double angle)
{
    double *const sines = (double *)malloc((size_t)side * sizeof *sines);
    if (sines == NULL) STOP("there is no memory for %d points\n", side);
    for (int i = 0; i < side; ++i) sines[i] = sin(angle * (i + 1));
    return sines;
}

/* the largest |u - height * mode|; of NaN, NaN */
static double worst_error(const float *u, const double *sines, int side, double height)
{
    double worst = 0.0;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            const double error = fabs(u[(size_t)y * (size_t)side + (size_t)x] - height * sines[y] * sines[x]);
            if (!(error <= worst)) worst = error;
        }
    return worst;
}

/* of the mode in u: the sum of u * mode over that of mode * mode */
static double height_of(const float *u, const double *sines, int side)
{
    double sum = 0.0, scale = 0.0;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            sum += u[(size_t)y * (size_t)side + (size_t)x] * sines[y] * sines[x];
            scale += sines[y] * sines[y] * sines[x] * sines[x];
        }
    return sum / scale;
}

int main(int argc, char **argv)
{
    cudaDeviceProp gpu;
    CMK_CHECK(cudaGetDeviceProperties(&gpu, 0));
    const int on_cpu = strcmp(gpu.name, "cmk CPU backend") == 0;
    const int side = argc > 1 ? read_number(argv[1], 65535) : on_cpu ? 192 : 8192;
    const int steps = argc > 2 ? read_number(argv[2], 10000000) : on_cpu ? 100 : 1000;
    if (argc > 3 || side == 0 || steps == 0) STOP("usage: heat2d [SIDE [STEPS]], to 65535 and to 10000000\n");

    const size_t n = (size_t)side, bytes = n * n * sizeof(float);
    const int waves = side < 64 ? 1 : side / 32;
    const double k = 0.2, angle = waves * acos(-1.0) / (side + 1);
    double *const sines = sines_of(side, angle);
    float *const host = (float *)malloc(bytes), *a, *b, ms = 0.0f, part;
    if (host == NULL) STOP("there is no memory for %d x %d points\n", side, side);
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) host[(size_t)y * n + (size_t)x] = (float)(sines[y] * sines[x]);
    CMK_CHECK(cudaMalloc((void **)&a, bytes));
    CMK_CHECK(cudaMalloc((void **)&b, bytes));
    CMK_CHECK(cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice));

    cudaEvent_t begin, end;
    CMK_CHECK(cudaEventCreate(&begin));
    CMK_CHECK(cudaEventCreate(&end));
    heat_grid grid = heat_domain(n, n, n);
    grid.u = a;
    grid.u_next = b;
    printf("%d x %d floats, %d steps, a mode of %d x %d half waves\n", side, side, steps, waves, waves);
    for (int tenth = 1, done = 0; tenth <= 10; ++tenth) {
        const int next = (int)((double)steps * tenth / 10);
        if (next == done) continue;
        CMK_CHECK(cudaEventRecord(begin, 0));
        CMK_CHECK(heat_steps(&grid, (size_t)(next - done), (float)k, 0));
        CMK_CHECK(cudaEventRecord(end, 0));
        CMK_CHECK(cudaEventSynchronize(end));
        CMK_CHECK(cudaEventElapsedTime(&part, begin, end));
        ms += part;
        done = next;
        printf("step %8d, %10.1f ms\n", done, ms);
    }
    CMK_CHECK(cudaMemcpy(host, grid.u, bytes, cudaMemcpyDeviceToHost)); /* the newest level, whichever buffer it is */

    /* each step multiplies the mode by 1 - 8 k sin^2(angle / 2), and the equation itself by exp(-2 k angle^2) */
    const double height = pow(1.0 - 8.0 * k * sin(angle / 2) * sin(angle / 2), steps);
    const double error = worst_error(host, sines, side, height);
    const double tolerance = 4.0 * 5.96e-8 * (1.0 + steps); /* of values up to 1, with 4 roundings a step */
    printf("%.3f G points/s\n", 1e-6 * (double)steps * (double)(n * n) / (ms > 1e-6f ? ms : 1e-6f));
    printf("height of the mode: %.6f, in closed form %.6f, of the equation itself %.6f\n", height_of(host, sines, side),
           height, exp(-2.0 * k * angle * angle * steps));
    printf("largest error %.1e, tolerance %.1e: %s\n", error, tolerance, error <= tolerance ? "right" : "WRONG");
    return error <= tolerance ? EXIT_SUCCESS : EXIT_FAILURE;
}
