/* multigrid: Poisson's equation in a cube, -(u_xx + u_yy + u_zz) = f with u = 0 on all faces, by V-cycles in double.
 *   usage: multigrid [SIDE [SHARE]]      SIDE^3 cells, 2 to 7 times a power of 2: 256, on the
 *          CPU 32; cycles are repeated on the device until the residual is this SHARE of f: 1e-10
 *   build: nvcc -O3 -arch=native -Iinclude -o multigrid examples/multigrid.cu
 *      or: gcc -O2 -Iinclude -x c examples/multigrid.cu -o multigrid -lm -lpthread */
#include <math.h>
#include <cmk/cmk.h>
#include <cmk/kernel/transfer.h>

/* A sweep of Gauss-Seidel: the cells of one colour, then those of the other. Values are those of the middles of cells,
 * and the edge makes 0 on the faces. */
#define AROUND (((U(-1, 0, 0) + U(1, 0, 0)) + (U(0, -1, 0) + U(0, 1, 0))) + (U(0, 0, -1) + U(0, 0, 1)))
#define U(dz, dy, dx) CMK_POINT_AT(u, dz, dy, dx)
#define SMOOTH(USES)                                                                                                   \
    USES(NEXT, double, u, CMK_POINT_STAR(1), CMK_EDGE_MIRROR_ODD)                                                      \
    USES(IN, double, f)                                                                                                \
    USES(VALUE, double, square) /* of the width of a cell */
CMK_POINT_3D_STAGES(smooth, SMOOTH, 2)
{
    const double next = (AROUND + square * CMK_POINT_HERE(f)) * (1.0 / 6.0);
    if (CMK_POINT_COLOUR == CMK_POINT_STAGE) CMK_POINT_SET(u, next);
}
CMK_DEFINE_STENCIL3D(smooth, SMOOTH);

/* what u lacks, and the largest of it */
#define RESIDUAL(USES)                                                                                                 \
    USES(IN, double, u, CMK_POINT_STAR(1), CMK_EDGE_MIRROR_ODD)                                                        \
    USES(IN, double, f)                                                                                                \
    USES(OUT, double, r)                                                                                               \
    USES(MAX, double, largest)                                                                                         \
    USES(VALUE, double, inverse) /* of that square */
CMK_POINT_3D(residual, RESIDUAL)
{
    const double value = CMK_POINT_HERE(f) + inverse * (AROUND - 6.0 * U(0, 0, 0));
    CMK_POINT_SET(r, value);
    CMK_POINT_MOST(largest, fabs(value));
}
CMK_DEFINE_STENCIL3D(residual, RESIDUAL);

CMK_DEFINE_TRANSFER3D(cells, double, CELLS, CMK_EDGE_MIRROR_ODD);

/* A grid of n^3 cells; the next level has cells twice as wide. */
typedef struct {
    size_t n;
    double *f;
    smooth_grid smooth;
    residual_grid residual;
} level;

static void residual_of(level *fine, cudaStream_t stream)
{
    fine->residual.u = fine->smooth.u; /* sweeps exchange their buffers */
    CMK_CHECK(residual(&fine->residual, (double)(fine->n * fine->n), stream));
}

/* The V-cycle V(2, 2): the coarse grid has the residual for f, and its u is what the fine u lacks. */
static void cycle(level *fine, cudaStream_t stream)
{
    const size_t n = fine->n, half = n / 2;
    const double square = 1.0 / (double)(n * n);
    level *const coarse = fine + 1;
    if (n % 2 == 1 || n == 2) { /* the coarsest grid */
        CMK_CHECK(smooth_steps(&fine->smooth, 2 * n, square, stream));
        return;
    }
    CMK_CHECK(smooth_steps(&fine->smooth, 2, square, stream));
    residual_of(fine, stream);
    CMK_CHECK(cells_restrict(fine->residual.r, n, n * n, coarse->f, half, half * half, n, n, n, stream));
    CMK_CHECK(cudaMemsetAsync(coarse->smooth.u, 0, half * half * half * sizeof(double), stream));
    cycle(coarse, stream);
    CMK_CHECK(cells_prolong(coarse->smooth.u, half, half * half, fine->smooth.u, n, n * n, n, n, n, stream));
    CMK_CHECK(smooth_steps(&fine->smooth, 2, square, stream));
}

static cudaError_t turn(void *levels, cudaStream_t stream)
{
    cycle((level *)levels, stream);
    residual_of((level *)levels, stream);
    return cudaSuccess;
}

/* ---- the program: f is a sum of waves, of which the solution on the grid is known too */

#define STOP(...) (fprintf(stderr, "multigrid: " __VA_ARGS__), exit(EXIT_FAILURE))
enum { most_levels = 12, most_cycles = 40, most_side = 1024, waves = 4 };

static int read_number(const char *text, int most) /* 0 if it is none from 1 to most */
{
    const long number = strlen(text) < 10 ? strtol(text, NULL, 10) : 0;
    return text[strspn(text, "0123456789")] == '\0' && number <= most ? (int)number : 0;
}

static void *device_of(size_t bytes) /* zeros */
{
    void *memory;
    CMK_CHECK(cudaMalloc(&memory, bytes));
    CMK_CHECK(cudaMemset(memory, 0, bytes));
    return memory;
}

static level level_of(size_t n, double *largest)
{
    const size_t bytes = n * n * n * sizeof(double);
    level l = {n, (double *)device_of(bytes), smooth_domain(n, n, n, n * n, n), residual_domain(n, n, n, n * n, n)};
    l.smooth.u = (double *)device_of(bytes);
    l.smooth.u_next = (double *)device_of(bytes);
    l.smooth.f = l.residual.f = l.f;
    l.residual.r = (double *)device_of(bytes);
    l.residual.largest = largest;
    return l;
}

/* The sum over waves of amplitude * sin(a z) sin(b y) sin(c x) in all cells, and f. Second differences of a sine are a
 * multiple of it, which is 2 - 2 cos(a h) of (a h)^2. */
static void fill_waves(double *u, double *f, size_t n)
{
    const int top = (int)n,
              numbers[waves][3] = {{1, 1, 1}, {2, 3, 1}, {1, top / 2 + 1, top / 4 + 1}, {top, top - 1, 1}};
    const double h = 1.0 / (double)n, pi = 3.14159265358979323846;
    for (size_t k = 0; k < n * n * n; ++k) {
        const size_t place[3] = {k / (n * n), k / n % n, k % n};
        u[k] = f[k] = 0.0;
        for (int w = 0; w < waves; ++w) {
            double wave = 1.0, factor = 0.0;
            for (int axis = 0; axis < 3; ++axis) {
                wave *= sin(pi * numbers[w][axis] * ((double)place[axis] + 0.5) * h);
                factor += (2.0 - 2.0 * cos(pi * numbers[w][axis] * h)) / (h * h);
            }
            u[k] += wave / (1.0 + 0.01 * factor), f[k] += factor * wave / (1.0 + 0.01 * factor);
        }
    }
}

int main(int argc, char **argv)
{
    cudaDeviceProp gpu;
    CMK_CHECK(cudaGetDeviceProperties(&gpu, 0));
    const int on_cpu = strcmp(gpu.name, "cmk CPU backend") == 0;
    const int side = argc > 1 ? read_number(argv[1], most_side) : on_cpu ? 32 : 256;
    char *end = NULL;
    const double share = argc > 2 ? strtod(argv[2], &end) : 1e-10;
    int coarse = side;
    while (coarse > 2 && coarse % 2 == 0) coarse /= 2;
    if (argc > 3 || side < 2 || coarse > 7 || !(share >= 1e-11 && share < 1.0) || (end != NULL && *end != '\0'))
        STOP("usage: multigrid [SIDE [SHARE]], 2 to 7 times a power of 2, to %d, and from 1e-11 to 1\n", most_side);

    level levels[most_levels];
    int count = 0;
    double *const largest = (double *)device_of(CMK_POINT_RESULT_BYTES);
    cmk_turns *const turns = (cmk_turns *)device_of(sizeof *turns), done;
    size_t n = (size_t)side;
    while (n % 2 == 0 && n > 2) levels[count++] = level_of(n, largest), n /= 2;
    levels[count] = level_of(n, largest);

    n = (size_t)side;
    const size_t bytes = n * n * n * sizeof(double);
    double *const solution = (double *)malloc(bytes), *const host = (double *)malloc(bytes);
    if (solution == NULL || host == NULL) STOP("there is no memory for %d^3 cells\n", side);
    fill_waves(solution, host, n);
    double right_side = 0.0, left;
    for (size_t k = 0; k < n * n * n; ++k) right_side = fmax(right_side, fabs(host[k]));
    CMK_CHECK(cudaMemcpy(levels[0].f, host, bytes, cudaMemcpyHostToDevice));

    const cmk_until until = cmk_until_double(most_cycles, largest, share * right_side, turns);
    CMK_CHECK(cmk_repeat(until, turn, levels, 0)); /* nothing up to here waits for the device */
    CMK_CHECK(cudaMemcpy(&done, turns, sizeof done, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(&left, largest, sizeof left, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(host, levels[0].smooth.u, bytes, cudaMemcpyDeviceToHost));

    /* what a residual comes to by rounding; an error is at most an eighth of the residual, and somewhat more by cells;
     * a cycle makes the residual at least 6 times smaller */
    double error = 0.0, size = 0.0;
    for (size_t k = 0; k < n * n * n; ++k)
        error = fmax(error, fabs(host[k] - solution[k])), size = fmax(size, fabs(solution[k]));
    const double rounded = 12.0 * 1.2e-16 * size * (double)(n * n) * 6.0;
    const int cycles = (int)done.turns, right = left <= share * right_side && error <= left / 7.0 + rounded &&
                                                cycles <= 1 - (int)(log(share) / log(6.0));
    printf("%d cycles: largest residual %.1e of f\n", cycles, left / right_side);
    printf("largest error %.1e: %s\n", error, right ? "right" : "WRONG");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
