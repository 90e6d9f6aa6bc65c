/* jacobi: Poisson's equation in a square by Jacobi's iteration. It ends on the device when the residual, from the same
 * pass, is small: the host launches once, and waits for the end alone.
 *   usage: jacobi [SIDE [TOLERANCE]]     SIDE x SIDE points inside: 256, on the CPU 32; TOLERANCE: of the residual, as
 *          a share of the right side: 1e-6
 *   build: nvcc -O3 -arch=native -Iinclude -o jacobi examples/jacobi.cu
 *      or: gcc -O2 -Iinclude -x c examples/jacobi.cu -o jacobi -lm -lpthread */
#include <math.h>
#include <cmk/cmk.h>

/* -(u_xx + u_yy) = f, with u = 0 on the rim. Each step leaves the largest residual of the level that it reads. */
#define EVERY 64 /* steps from one look at it to the next */
#define POISSON(USES)                                                                                                  \
    USES(NEXT, double, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)                                                            \
    USES(IN, double, f)                                                                                                \
    USES(VALUE, double, square) /* of the distance of points */                                                        \
    USES(MAX, double, largest)
#define U(dy, dx) CMK_POINT_AT(u, dy, dx)

CMK_POINT_2D(poisson, POISSON)
{
    const double residual = square * CMK_POINT_HERE(f) + (U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1) - 4.0 * U(0, 0));
    CMK_POINT_SET(u, U(0, 0) + 0.25 * residual);
    CMK_POINT_MOST(largest, fabs(residual));
}
CMK_DEFINE_STENCIL2D(poisson, POISSON);

/* ---- the program: u = x (1 - x) y (1 - y), for which second differences are exact */

#define STOP(...) (fprintf(stderr, "jacobi: " __VA_ARGS__), exit(EXIT_FAILURE))
#define MOST 100000000 /* steps */

static int read_number(const char *text, int most) /* 0 if it is none from 1 to most */
{
    const long number = strlen(text) < 10 ? strtol(text, NULL, 10) : 0;
    return text[strspn(text, "0123456789")] == '\0' && number <= most ? (int)number : 0;
}

static double read_tolerance(const char *text) /* 0 if it is none from 1e-10 to 1 */
{
    double tolerance = 0.0;
    int end = 0;
    if (sscanf(text, "%lf%n", &tolerance, &end) != 1 || text[end] != '\0') return 0.0;
    return tolerance >= 1e-10 && tolerance <= 1.0 ? tolerance : 0.0;
}

static double hump(int i, double h) /* x (1 - x) */
{
    return (i + 1) * h * (1.0 - (i + 1) * h);
}

static double worst_error(const double *u, int side, double h)
{
    double worst = 0.0;
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column) {
            const double error = fabs(u[(size_t)row * (size_t)side + (size_t)column] - hump(row, h) * hump(column, h));
            if (!(error <= worst)) worst = error;
        }
    return worst;
}

int main(int argc, char **argv)
{
    cudaDeviceProp gpu;
    CMK_CHECK(cudaGetDeviceProperties(&gpu, 0));
    const int on_cpu = strcmp(gpu.name, "cmk CPU backend") == 0;
    const int side = argc > 1 ? read_number(argv[1], 16384) : on_cpu ? 32 : 256;
    const double share = argc > 2 ? read_tolerance(argv[2]) : 1e-6;
    if (argc > 3 || side == 0 || share == 0.0)
        STOP("usage: jacobi [SIDE [TOLERANCE]], from 1 to 16384 and from 1e-10 to 1\n");

    const size_t n = (size_t)side, bytes = n * n * sizeof(double);
    const double h = 1.0 / (side + 1);
    double *const host = (double *)malloc(bytes), *u, *u_next, *f, *largest, right_side = 0.0, residual;
    cmk_turns *turns, done;
    if (host == NULL) STOP("there is no memory for %d x %d points\n", side, side);
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column) {
            const double value = 2.0 * (hump(row, h) + hump(column, h));
            host[(size_t)row * n + (size_t)column] = value;
            if (value > right_side) right_side = value;
        }
    CMK_CHECK(cudaMalloc((void **)&u, bytes));
    CMK_CHECK(cudaMalloc((void **)&u_next, bytes));
    CMK_CHECK(cudaMalloc((void **)&f, bytes));
    CMK_CHECK(cudaMalloc((void **)&largest, CMK_POINT_RESULT_BYTES));
    CMK_CHECK(cudaMalloc((void **)&turns, sizeof *turns));
    CMK_CHECK(cudaMemset(largest, 0, CMK_POINT_RESULT_BYTES));
    CMK_CHECK(cudaMemset(u, 0, bytes));
    CMK_CHECK(cudaMemcpy(f, host, bytes, cudaMemcpyHostToDevice));

    poisson_grid grid = poisson_domain(n, n, n);
    grid.u = u;
    grid.u_next = u_next;
    grid.f = f;
    grid.largest = largest;
    const double limit = share * right_side * h * h;
    CMK_CHECK(poisson_until(&grid, EVERY, cmk_until_double(MOST / EVERY, largest, limit, turns), h * h, 0));
    CMK_CHECK(cudaMemcpy(&done, turns, sizeof done, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(&residual, largest, sizeof residual, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(host, grid.u, bytes, cudaMemcpyDeviceToHost));
    residual /= h * h;
    printf("step %9llu: largest residual %.1e\n", done.turns * EVERY, residual);

    /* the error of u is at most an eighth of the residual of -(u_xx + u_yy), and what is rounded */
    const double error = worst_error(host, side, h), bound = residual / 8.0 + 4.0 * 1.1e-16 / (h * h);
    printf("largest error %.1e, at most %.1e: %s\n", error, bound, error <= bound ? "right" : "WRONG");
    return error <= bound && residual <= share * right_side ? EXIT_SUCCESS : EXIT_FAILURE;
}
