/* wave3d: a seismic shot: sound through two layers of ground, 8th order in space, recorded by a receiver.
 *   usage: wave3d [SIDE [STEPS [OUT]]]     SIDE^3 points, from 32: 512, on the CPU 32; STEPS: as long as a wave needs
 *          from the source to the floor; OUT: a picture of the pressure in the slice through the source
 *   build: nvcc -O3 -arch=native -Iinclude -o wave3d examples/wave3d.cu
 *      or: gcc -O2 -Iinclude -x c examples/wave3d.cu -o wave3d -lm -lpthread */
#include <math.h>
#include <cmk/cmk.h>

typedef struct {
    int plane, row, column, offset; /* the source, and the columns from it to the receiver */
    const float *signal;            /* what the source adds in each step */
    float *record;                  /* what the receiver hears */
} shot_data;

/* p_tt = c^2 (p_xx + p_yy + p_zz), leapfrog in time; speed is (c dt / h)^2 at each point, at most 0.2. Outside p
 * is 0, which would echo: the damping, 0 inside, takes that away. */
CMK_TABLE_VALUES(LITERAL, float, taps, [5], -205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315, -1.0f / 560);
#define ACOUSTIC(USES)                                                                                                 \
    USES(LEAPFROG, float, p, CMK_POINT_STAR(4), CMK_EDGE_ZERO)                                                         \
    USES(IN, float, speed)                                                                                             \
    USES(IN, float, damping)                                                                                           \
    USES(TABLE, taps)                                                                                                  \
    USES(VALUE, shot_data, shot)
#define P(dz, dy, dx) CMK_POINT_AT(p, dz, dy, dx)

CMK_POINT_3D(acoustic, ACOUSTIC)
{
    const float d = CMK_POINT_HERE(damping);
    float laplace = 3.0f * CMK_TABLE_AT(taps, 0) * P(0, 0, 0);
    CMK_UNROLL
    for (int k = 1; k <= 4; ++k)
        laplace +=
            CMK_TABLE_AT(taps, k) * (P(0, 0, k) + P(0, 0, -k) + P(0, k, 0) + P(0, -k, 0) + P(k, 0, 0) + P(-k, 0, 0));
    float next = (2.0f * P(0, 0, 0) - (1.0f - d) * CMK_POINT_BEFORE(p) + CMK_POINT_HERE(speed) * laplace) / (1.0f + d);
    if (CMK_POINT_PLANE == shot.plane && CMK_POINT_ROW == shot.row) {
        if (CMK_POINT_COLUMN == shot.column) next += CMK_LDG(&shot.signal[CMK_POINT_STEP]);
        if (CMK_POINT_MINE && CMK_POINT_COLUMN == shot.column + shot.offset)
            CMK_STORE(&shot.record[CMK_POINT_STEP], next);
    }
    CMK_POINT_SET(p, next);
}
CMK_DEFINE_STENCIL3D(acoustic, ACOUSTIC);

/* ---- the program: 10 m from point to point, steps of 1 ms, 3000 m/s above 4400 m/s, a signal of 40 Hz */

#define PI 3.14159265358979
#define UPPER 0.30 /* speeds: points a step */
#define LOWER 0.44
#define FREQUENCY 0.04 /* of the signal: periods a step */
#define DISTANCE 8     /* points from source to receiver */
#define STOP(...) (fprintf(stderr, "wave3d: " __VA_ARGS__), exit(EXIT_FAILURE))

static int read_number(const char *text, int most) /* 0 if it is none from 1 to most */
{
    const long number = strlen(text) < 10 ? strtol(text, NULL, 10) : 0;
    return text[strspn(text, "0123456789")] == '\0' && number <= most ? (int)number : 0;
}

static double ricker(double step) /* a wavelet with its peak 1.5 periods in */
{
    const double square = pow(PI * FREQUENCY * (step - 1.5 / FREQUENCY), 2.0);
    return (1.0 - 2.0 * square) * exp(-square);
}

static float *managed(size_t count) /* zeros that the host and the device can use */
{
    float *values = NULL;
    CMK_CHECK(cudaMallocManaged((void **)&values, count * sizeof *values, cudaMemAttachGlobal));
    memset(values, 0, count * sizeof *values);
    return values;
}

/* a grid of side^3 points at rest, of the upper layer's speed everywhere */
static acoustic_grid at_rest(int side)
{
    const size_t n = (size_t)side, count = n * n * n;
    float *const speed = managed(count);
    acoustic_grid grid = acoustic_domain(n, n, n, n * n, n);
    for (size_t i = 0; i < count; ++i) speed[i] = (float)(UPPER * UPPER);
    grid.p = managed(count), grid.p_before = managed(count);
    grid.speed = speed, grid.damping = managed(count);
    return grid;
}

/* a step of a standing wave of so many points a wavelength: the error of its second derivatives, in units of them,
 * where none reads outside */
static double error_of(int points)
{
    const int side = points + 8, count = side * side * side;
    const shot_data none = {-1, -1, -1, 0, NULL, NULL};
    const double k = 2.0 * PI / points;
    acoustic_grid grid = at_rest(side);
    double worst = 0.0, most = 0.0, wave[64];
    for (int i = 0; i < side; ++i) wave[i] = sin(k * i);
    for (int i = 0; i < count; ++i)
        grid.p[i] = grid.p_before[i] = (float)(wave[i / side / side] * wave[i / side % side] * wave[i % side]);
    CMK_CHECK(acoustic(&grid, taps, none, 0));
    CMK_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < points * points * points; ++i) {
        const int z = i / points / points + 4, y = i / points % points + 4, x = i % points + 4;
        const double now = wave[z] * wave[y] * wave[x];
        const double error = fabs((grid.p[(z * side + y) * side + x] - now) / (UPPER * UPPER * 3.0 * k * k) + now);
        if (!(error <= worst)) worst = error;
        if (fabs(now) > most) most = fabs(now);
    }
    return worst / most;
}

/* the lower third is the faster layer; the outer points damp, from nothing at a depth of 16 more and more outwards */
static void build(acoustic_grid *grid, float *speed, float *damping)
{
    const int side = (int)grid->rows, width = side < 64 ? side / 4 : 16;
    for (int z = 0; z < side; ++z)
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x) {
                const size_t at = ((size_t)z * grid->rows + (size_t)y) * grid->columns + (size_t)x;
                const int from_x = x < side - 1 - x ? x : side - 1 - x, from_y = y < side - 1 - y ? y : side - 1 - y;
                const int from_z = z < side - 1 - z ? z : side - 1 - z;
                const int here = from_x < from_y ? from_x : from_y, depth = here < from_z ? here : from_z;
                if (3 * z >= 2 * side) speed[at] = (float)(LOWER * LOWER);
                if (depth < width)
                    damping[at] = 0.1f * (float)((width - depth) * (width - depth)) / (float)(width * width);
            }
}

/* until an echo can be back: the largest difference from the wave of a point in closed form, in units of its peak */
static double worst_record(const float *record, int steps, double echo)
{
    double worst = 0.0;
    for (int n = 0; n < steps && n < echo; ++n) {
        const double exact = ricker(n + 1 - DISTANCE / UPPER);
        if (!(fabs(record[n] * (4.0 * PI * UPPER * UPPER * DISTANCE) - exact) <= worst))
            worst = fabs(record[n] * (4.0 * PI * UPPER * UPPER * DISTANCE) - exact);
    }
    return worst;
}

/* planes downwards, columns to the right; grey is no pressure */
static void save_slice(const char *name, const acoustic_grid *grid, int row)
{
    FILE *const file = fopen(name, "wb");
    if (file == NULL) STOP("%s: cannot be written\n", name);
    fprintf(file, "P5\n%zu %zu\n255\n", grid->columns, grid->planes);
    for (size_t k = 0; k < grid->planes * grid->columns; ++k) {
        const size_t at = (k / grid->columns * grid->rows + (size_t)row) * grid->columns + k % grid->columns;
        const double level = 128.0 + 127.0 * tanh(grid->p[at] * 4.0 * PI * UPPER * UPPER * DISTANCE * 3.0);
        fputc((int)level, file);
    }
    if (ferror(file) || fclose(file) != 0) STOP("%s: cannot be written to the end\n", name);
    printf("picture: %s\n", name);
}

int main(int argc, char **argv)
{
    cudaDeviceProp gpu;
    CMK_CHECK(cudaGetDeviceProperties(&gpu, 0));
    const int on_cpu = strcmp(gpu.name, "cmk CPU backend") == 0;
    const int side = argc > 1 ? read_number(argv[1], 2048) : on_cpu ? 32 : 512;
    const int usual = (int)(1.5 / FREQUENCY + 0.67 * side / UPPER);
    const int steps = argc > 2 ? read_number(argv[2], 1000000) : usual;
    if (argc > 4 || side < 32 || steps == 0)
        STOP("usage: wave3d [SIDE [STEPS [OUT]]], from 32 to 2048 and to 1000000\n");

    const double coarse = error_of(6), fine = error_of(8), order = log(coarse / fine) / log(8.0 / 6.0);
    printf("order of accuracy in space: %.2f (8)\n", order);

    acoustic_grid grid = at_rest(side);
    float *const signal = managed((size_t)steps), *const record = managed((size_t)steps);
    const shot_data shot = {side / 3, side / 2, side / 2 - DISTANCE / 2, DISTANCE, signal, record};
    for (int n = 0; n < steps; ++n) signal[n] = (float)ricker(n);
    build(&grid, (float *)grid.speed, (float *)grid.damping);
    for (int tenth = 1, done = 0; tenth <= 10; ++tenth) {
        const int next = (int)((double)steps * tenth / 10);
        if (next == done) continue;
        CMK_CHECK(acoustic_steps(&grid, (size_t)(next - done), taps, shot, 0));
        CMK_CHECK(cudaDeviceSynchronize());
        done = next;
        printf("step %5d of %d, at the receiver %9.2e\n", done, steps, record[done - 1]);
    }
    if (argc > 3) save_slice(argv[3], &grid, shot.row);

    const double echo = sqrt(4.0 * (side / 3) * (side / 3) + DISTANCE * DISTANCE) / UPPER;
    const double error = worst_record(record, steps, echo);
    printf("the record from the wave of a point, until step %.0f: %.1f %% of its peak\n", echo, 100.0 * error);
    if (!(error <= 0.05) || !(fabs(order - 8.0) <= 0.5)) STOP("WRONG\n");
    return EXIT_SUCCESS;
}
