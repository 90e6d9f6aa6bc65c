/* conjugate_gradients: Poisson's equation in a square by conjugate gradients. Two updates make an iteration, with their
 * sums; two kernels of one thread make the next update's factors of these. It ends on the device when the residual is
 * small: the host launches once, and waits for the end alone. In double.
 *   usage: conjugate_gradients [SIDE [TOLERANCE]]     SIDE x SIDE points inside: 2048, on the CPU 32; TOLERANCE: of the
 *          residual's length, as a share of the right side's: 1e-10
 *   build: nvcc -O3 -arch=native -Iinclude -o conjugate_gradients examples/conjugate_gradients.cu
 *      or: gcc -O2 -Iinclude -x c examples/conjugate_gradients.cu -o conjugate_gradients -lm -lpthread */
#include <math.h>
#include <cmk/cmk.h>

/* The next direction p = r + beta p, what the matrix makes of it, and their product. A is the negative Laplacian times
 * the square of the distance of points, with 0 on the rim. */
#define SEARCH(USES)                                                                                                   \
    USES(IN, double, r, CMK_POINT_STAR(1), CMK_EDGE_ZERO)                                                              \
    USES(NEXT, double, p, CMK_POINT_STAR(1), CMK_EDGE_ZERO)                                                            \
    USES(OUT, double, a_p)                                                                                             \
    USES(VALUE_OF, double, beta)                                                                                       \
    USES(SUM, double, p_a_p)
#define P(dy, dx) (CMK_POINT_AT(r, dy, dx) + beta * CMK_POINT_AT(p, dy, dx))

CMK_POINT_2D(search, SEARCH)
{
    const double p_here = P(0, 0), a_p_here = 4.0 * p_here - (P(-1, 0) + P(1, 0) + P(0, -1) + P(0, 1));
    CMK_POINT_SET(p, p_here);
    CMK_POINT_SET(a_p, a_p_here);
    CMK_POINT_ADD(p_a_p, p_here * a_p_here);
}
CMK_DEFINE_STENCIL2D(search, SEARCH);

/* The step of length alpha in that direction, what is left of the right side, and its length, squared. */
#define ADVANCE(USES)                                                                                                  \
    USES(SAME, double, u)                                                                                              \
    USES(SAME, double, r)                                                                                              \
    USES(IN, double, p)                                                                                                \
    USES(IN, double, a_p)                                                                                              \
    USES(VALUE_OF, double, alpha)                                                                                      \
    USES(SUM, double, r_r)

CMK_POINT_2D(advance, ADVANCE)
{
    const double left = CMK_POINT_HERE(r) - alpha * CMK_POINT_HERE(a_p);
    CMK_POINT_SET(u, CMK_POINT_HERE(u) + alpha * CMK_POINT_HERE(p));
    CMK_POINT_SET(r, left);
    CMK_POINT_ADD(r_r, left * left);
}
CMK_DEFINE_STENCIL2D(advance, ADVANCE);

typedef struct {
    double alpha, beta, r_r; /* the factors, and the length of the residual before, squared */
} factors;

/* Of a residual of 0 nothing is left to do, and the factors are 0. */
__global__ void find_alpha(factors *f, const double *p_a_p)
{
    f->alpha = *p_a_p > 0.0 ? f->r_r / *p_a_p : 0.0;
}

__global__ void find_beta(factors *f, const double *r_r)
{
    f->beta = f->r_r > 0.0 ? *r_r / f->r_r : 0.0;
    f->r_r = *r_r;
}

typedef struct {
    search_grid search;
    advance_grid advance;
    factors *f;
} solver;

/* Two iterations, behind which the two buffers of p are where they were. */
static cudaError_t iterate_twice(void *context, cudaStream_t stream)
{
    solver s = *(const solver *)context;
    for (int k = 0; k < 2; ++k) {
        CMK_CHECK(search(&s.search, &s.f->beta, stream));
        CMK_CHECK(CMK_LAUNCH(find_alpha, 1, 1, 0, stream, s.f, s.search.p_a_p));
        s.advance.p = s.search.p;
        CMK_CHECK(advance(&s.advance, &s.f->alpha, stream));
        CMK_CHECK(CMK_LAUNCH(find_beta, 1, 1, 0, stream, s.f, s.advance.r_r));
    }
    return cudaSuccess;
}

/* ---- the program: u = x (1 - x) y (1 - y) exp(x), for which the right side is the matrix's own product */

#define STOP(...) (fprintf(stderr, "conjugate_gradients: " __VA_ARGS__), exit(EXIT_FAILURE))

static int read_number(const char *text, int most) /* 0 if it is none from 1 to most */
{
    const long number = strlen(text) < 10 ? strtol(text, NULL, 10) : 0;
    return text[strspn(text, "0123456789")] == '\0' && number <= most ? (int)number : 0;
}

static double read_tolerance(const char *text) /* 0 if it is none from 1e-12 to 1 */
{
    double tolerance = 0.0;
    int end = 0;
    if (sscanf(text, "%lf%n", &tolerance, &end) != 1 || text[end] != '\0') return 0.0;
    return tolerance >= 1e-12 && tolerance <= 1.0 ? tolerance : 0.0;
}

static double solution(int row, int column, int side) /* 0 on the rim, and a little not to be found at once */
{
    const double y = (row + 1.0) / (side + 1), x = (column + 1.0) / (side + 1);
    return x * (1.0 - x) * y * (1.0 - y) * exp(x + 0.5 * sin(9.0 * y));
}

static double right_side(int row, int column, int side)
{
    return 4.0 * solution(row, column, side) - (solution(row - 1, column, side) + solution(row + 1, column, side)) -
           (solution(row, column - 1, side) + solution(row, column + 1, side));
}

static void *device_memory(size_t bytes)
{
    void *memory;
    CMK_CHECK(cudaMalloc(&memory, bytes));
    CMK_CHECK(cudaMemset(memory, 0, bytes));
    return memory;
}

int main(int argc, char **argv)
{
    cudaDeviceProp gpu;
    CMK_CHECK(cudaGetDeviceProperties(&gpu, 0));
    const int on_cpu = strcmp(gpu.name, "cmk CPU backend") == 0;
    const int side = argc > 1 ? read_number(argv[1], 16384) : on_cpu ? 32 : 2048;
    const double share = argc > 2 ? read_tolerance(argv[2]) : 1e-10;
    if (argc > 3 || side == 0 || share == 0.0)
        STOP("usage: conjugate_gradients [SIDE [TOLERANCE]], from 1 to 16384 and from 1e-12 to 1\n");

    const size_t n = (size_t)side, bytes = n * n * sizeof(double), most = 20 * n + 100;
    double *const host = (double *)malloc(bytes);
    if (host == NULL) STOP("there is no memory for %d x %d points\n", side, side);
    factors first = {0.0, 0.0, 0.0};
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column) {
            const double value = right_side(row, column, side);
            host[(size_t)row * n + (size_t)column] = value;
            first.r_r += value * value;
        }

    solver s;
    s.search = search_domain(n, n, n);
    s.advance = advance_domain(n, n, n);
    s.search.r = s.advance.r = (double *)device_memory(bytes);
    s.search.a_p = (double *)device_memory(bytes);
    s.advance.a_p = s.search.a_p;
    s.search.p = (double *)device_memory(bytes);
    s.search.p_next = (double *)device_memory(bytes);
    s.search.p_a_p = (double *)device_memory(CMK_POINT_RESULT_BYTES);
    s.advance.u = (double *)device_memory(bytes);
    s.advance.r_r = (double *)device_memory(CMK_POINT_RESULT_BYTES);
    s.f = (factors *)device_memory(sizeof first);
    cmk_turns *const turns = (cmk_turns *)device_memory(sizeof *turns), done;
    double r_r, worst = 0.0;
    CMK_CHECK(cudaMemcpy(s.advance.r, host, bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemcpy(s.f, &first, sizeof first, cudaMemcpyHostToDevice));
    const double limit = share * share * first.r_r;
    CMK_CHECK(cmk_repeat(cmk_until_double(most, s.advance.r_r, limit, turns), iterate_twice, &s, 0));
    CMK_CHECK(cudaMemcpy(&done, turns, sizeof done, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(&r_r, s.advance.r_r, sizeof r_r, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(host, s.advance.u, bytes, cudaMemcpyDeviceToHost));
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column) {
            const double error = fabs(host[(size_t)row * n + (size_t)column] - solution(row, column, side));
            if (!(error <= worst)) worst = error;
        }

    /* the length of the error is at most that of the residual over the least eigenvalue of the matrix, and what is
     * rounded in u and on the way there */
    const double least = 8.0 * pow(sin(1.5707963267948966 / (side + 1)), 2.0), left = sqrt(r_r / first.r_r);
    const double bound = sqrt(r_r) / least + 1e-13 * sqrt(first.r_r) / least;
    printf("%llu iterations: residual %.1e of the right side\n", 2 * done.turns, left);
    printf("largest error %.1e, at most %.1e: %s\n", worst, bound, worst <= bound ? "right" : "WRONG");
    return worst <= bound && left <= share ? EXIT_SUCCESS : EXIT_FAILURE;
}
