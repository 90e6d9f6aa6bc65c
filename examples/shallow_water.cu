/* shallow_water: a hill of water sloshes in a basin; the time step follows from the fastest wave, on the device.
 *   usage: shallow_water [SIDE [TIME [OUT]]]     SIDE x SIDE cells: 4096, on the CPU 96; TIME: 0.4, where a wave in
 *          water 1 deep crosses the basin in 1; OUT: a picture of the depth
 *   build: nvcc -O3 -arch=native -Iinclude -o shallow_water examples/shallow_water.cu
 *      or: gcc -O2 -Iinclude -x c examples/shallow_water.cu -o shallow_water -lm -lpthread */
#include <math.h>
#include <cmk/cmk.h>

#define GRAVITY 1.0

/* of a cell: its depth, and its momentum along an axis and across it */
typedef struct {
    double depth, along, across;
} water;

static __device__ inline double fastest(water w)
{
    return fabs(w.along / w.depth) + sqrt(GRAVITY * w.depth);
}

/* what flows through the face between two cells: the mean of both, and Rusanov's share of their difference */
static __device__ inline water through(water low, water high)
{
    const double speed = fmax(fastest(low), fastest(high));
    const double push_low = low.along * low.along / low.depth + 0.5 * GRAVITY * low.depth * low.depth;
    const double push_high = high.along * high.along / high.depth + 0.5 * GRAVITY * high.depth * high.depth;
    const double turn_low = low.along * low.across / low.depth, turn_high = high.along * high.across / high.depth;
    const water flow = {0.5 * (low.along + high.along - speed * (high.depth - low.depth)),
                        0.5 * (push_low + push_high - speed * (high.along - low.along)),
                        0.5 * (turn_low + turn_high - speed * (high.across - low.across))};
    return flow;
}

/* Behind a wall the water is the same, and comes as fast from the other side: the momentum through it is odd. */
#define WALLS_LEFT_RIGHT CMK_EDGE_AXES(CMK_EDGE_MIRROR, CMK_EDGE_MIRROR_ODD)
#define WALLS_ABOVE_BELOW CMK_EDGE_AXES(CMK_EDGE_MIRROR_ODD, CMK_EDGE_MIRROR)
#define BASIN(USES)                                                                                                    \
    USES(NEXT, double, depth, CMK_POINT_STAR(1), CMK_EDGE_MIRROR)                                                      \
    USES(NEXT, double, right, CMK_POINT_STAR(1), WALLS_LEFT_RIGHT) /* momenta */                                       \
    USES(NEXT, double, down, CMK_POINT_STAR(1), WALLS_ABOVE_BELOW)                                                     \
    USES(VALUE_OF, double, ratio) /* of the time step to the width of a cell */                                        \
    USES(MAX, double, speed)      /* of the water that the step begins with */                                         \
    USES(SUM, double, amount)     /* of the water that it ends with */
#define AT(field, dy, dx) CMK_POINT_AT(field, dy, dx)
#define ACROSS(dx) AT(depth, 0, dx), AT(right, 0, dx), AT(down, 0, dx)
#define DOWN(dy) AT(depth, dy, 0), AT(down, dy, 0), AT(right, dy, 0)

CMK_POINT_2D(basin, BASIN)
{
    const water left = {ACROSS(-1)}, here = {ACROSS(0)}, next = {ACROSS(1)};
    const water above = {DOWN(-1)}, turned = {DOWN(0)}, below = {DOWN(1)};
    const water from_left = through(left, here), to_right = through(here, next);
    const water from_above = through(above, turned), to_below = through(turned, below);
    const double rise = from_left.depth - to_right.depth + from_above.depth - to_below.depth;
    CMK_POINT_SET(depth, here.depth + ratio * rise);
    CMK_POINT_SET(right, here.along + ratio * (from_left.along - to_right.along + from_above.across - to_below.across));
    CMK_POINT_SET(down, here.across + ratio * (from_left.across - to_right.across + from_above.along - to_below.along));
    CMK_POINT_MOST(speed, fmax(fastest(here), fastest(turned)));
    CMK_POINT_ADD(amount, here.depth + ratio * rise);
}
CMK_DEFINE_STENCIL2D(basin, BASIN);

/* What the device knows of the time, in units of the width of a cell. */
typedef struct {
    double ratio, now, end;
    unsigned is_over;
} pace;

/* Behind a step: the next one goes as far as two fifths of a cell at the fastest speed, but not beyond the end. */
__global__ void choose_ratio(pace *p, const double *speed)
{
    p->now += p->ratio;
    const double most = 0.4 / *speed, left = p->end - p->now;
    p->is_over = !(left > 0.0);
    p->ratio = p->is_over ? 0.0 : most < left ? most : left;
}

typedef struct {
    basin_grid grid;
    pace *p;
} simulation;

/* Two steps, behind which all buffers are where they were. A step of ratio 0 changes nothing. */
static cudaError_t step_twice(void *context, cudaStream_t stream)
{
    simulation s = *(const simulation *)context;
    for (int k = 0; k < 2; ++k) {
        CMK_CHECK(basin(&s.grid, &s.p->ratio, stream));
        CMK_CHECK(CMK_LAUNCH(choose_ratio, 1, 1, 0, stream, s.p, s.grid.speed));
    }
    return cudaSuccess;
}

/* ---- the program: a hill on the diagonal, about which all stays symmetric, and the sum of all depths */

#define STOP(...) (fprintf(stderr, "shallow_water: " __VA_ARGS__), exit(EXIT_FAILURE))

static int read_number(const char *text, int most) /* 0 if it is none from 1 to most */
{
    const long number = strlen(text) < 10 ? strtol(text, NULL, 10) : 0;
    return text[strspn(text, "0123456789")] == '\0' && number <= most ? (int)number : 0;
}

static double read_time(const char *text) /* 0 if it is none from 1e-6 to 1000 */
{
    double time = 0.0;
    int end = 0;
    if (sscanf(text, "%lf%n", &time, &end) != 1 || text[end] != '\0') return 0.0;
    return time >= 1e-6 && time <= 1000.0 ? time : 0.0;
}

static void *device_memory(size_t bytes)
{
    void *memory;
    CMK_CHECK(cudaMalloc(&memory, bytes));
    CMK_CHECK(cudaMemset(memory, 0, bytes));
    return memory;
}

static double pour(double *depth, int side) /* the sum of all depths, by rows, so that little is rounded */
{
    double sum = 0.0;
    for (int row = 0; row < side; ++row) {
        double line = 0.0;
        for (int column = 0; column < side; ++column) {
            const double y = (row + 0.5) / side - 0.35, x = (column + 0.5) / side - 0.35;
            const double here = 1.0 + exp(-60.0 * (x * x + y * y));
            depth[(size_t)row * (size_t)side + (size_t)column] = here;
            line += here;
        }
        sum += line;
    }
    return sum;
}

/* the largest difference of a cell and that with row and column exchanged; of NaN, NaN */
static double asymmetry(const double *depth, int side)
{
    double worst = 0.0;
    for (int row = 0; row < side; ++row)
        for (int column = 0; column <= row; ++column) {
            const double one = depth[(size_t)row * (size_t)side + (size_t)column];
            const double other = depth[(size_t)column * (size_t)side + (size_t)row];
            if (!(fabs(one - other) <= worst)) worst = fabs(one - other);
        }
    return worst;
}

/* from a depth of 0.7, black, to 1.3, white */
static void save_picture(const char *name, const double *depth, int side)
{
    FILE *const file = fopen(name, "wb");
    if (file == NULL) STOP("%s: cannot be written\n", name);
    fprintf(file, "P5\n%d %d\n255\n", side, side);
    for (size_t i = 0; i < (size_t)side * (size_t)side; ++i)
        fputc((int)(255.0 * (depth[i] < 0.7 ? 0.0 : depth[i] > 1.3 ? 1.0 : (depth[i] - 0.7) / 0.6)), file);
    if (ferror(file) || fclose(file) != 0) STOP("%s: cannot be written to the end\n", name);
    printf("picture: %s\n", name);
}

int main(int argc, char **argv)
{
    cudaDeviceProp gpu;
    CMK_CHECK(cudaGetDeviceProperties(&gpu, 0));
    const int on_cpu = strcmp(gpu.name, "cmk CPU backend") == 0;
    const int side = argc > 1 ? read_number(argv[1], 32768) : on_cpu ? 96 : 4096;
    const double time = argc > 2 ? read_time(argv[2]) : 0.4;
    if (argc > 4 || side == 0 || time == 0.0)
        STOP("usage: shallow_water [SIDE [TIME [OUT]]], to 32768, and from 1e-6 to 1000\n");

    const size_t n = (size_t)side, bytes = n * n * sizeof(double), most = (size_t)(40.0 * time * side) + 100;
    double *const depth = (double *)malloc(bytes), *buffers[6], amount;
    pace first = {0.0, 0.0, time * side, 0};
    cmk_turns *const turns = (cmk_turns *)device_memory(sizeof *turns), done;
    if (depth == NULL) STOP("there is no memory for %d x %d cells\n", side, side);
    const double poured = pour(depth, side);
    for (int k = 0; k < 6; ++k) buffers[k] = (double *)device_memory(bytes);
    CMK_CHECK(cudaMemcpy(buffers[0], depth, bytes, cudaMemcpyHostToDevice));
    simulation s = {basin_domain(n, n, n), (pace *)device_memory(sizeof first)};
    s.grid.depth = buffers[0], s.grid.depth_next = buffers[1];
    s.grid.right = buffers[2], s.grid.right_next = buffers[3];
    s.grid.down = buffers[4], s.grid.down_next = buffers[5];
    s.grid.speed = (double *)device_memory(CMK_POINT_RESULT_BYTES);
    s.grid.amount = (double *)device_memory(CMK_POINT_RESULT_BYTES);
    CMK_CHECK(cudaMemcpy(s.p, &first, sizeof first, cudaMemcpyHostToDevice));

    CMK_CHECK(cmk_repeat(cmk_until_flag(most, &s.p->is_over, turns), step_twice, &s, 0));
    CMK_CHECK(cudaMemcpy(&done, turns, sizeof done, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(&first, s.p, sizeof first, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(&amount, s.grid.amount, sizeof amount, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(depth, s.grid.depth, bytes, cudaMemcpyDeviceToHost));
    printf("%llu steps to time %g: %.6f deep in the corner\n", 2 * done.turns, first.now / side, depth[0]);
    if (argc > 3) save_picture(argv[3], depth, side);
    const double worst = fabs(amount / poured - 1.0);
    const double tolerance =
        4.0 * 1.1e-16 * (8.0 + 2.0 * (double)done.turns); /* 4 roundings a step, of depths below 2 */
    printf("water changed by %.1e, tolerance %.1e; asymmetry %.1e\n", worst, tolerance, asymmetry(depth, side));
    if (!first.is_over || !(worst <= tolerance) || !(asymmetry(depth, side) <= 100.0 * tolerance)) STOP("WRONG\n");
    return EXIT_SUCCESS;
}
