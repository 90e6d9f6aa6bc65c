/* fdtd2d: light in a metal box with a glass rod in it, by Yee's staggered fields; its energy stays what it was.
 *   usage: fdtd2d [SIDE [STEPS [OUT]]]     SIDE x SIDE cells: 4096, on the CPU 160; STEPS: SIDE; OUT: a picture of ez
 *   build: nvcc -O3 -arch=native -Iinclude -o fdtd2d examples/fdtd2d.cu
 *      or: gcc -O2 -Iinclude -x c examples/fdtd2d.cu -o fdtd2d -lm -lpthread */
#include <math.h>
#include <cmk/cmk.h>

/* Maxwell's equations with ez, hx and hy, in place: ez on the corners of cells, hx half a row below its corner, hy half
 * a column beside it, both half a step later. courant is c dt / h, at most 0.7. The walls are metal, where ez is 0: row
 * and column 0, which are never set, and the row and column behind the last, which ZERO reads. */
#define LIGHT(USES)                                                                                                    \
    USES(SAME, float, ez, CMK_POINT_REACH(0, 1, 1), CMK_EDGE_ZERO)                                                     \
    USES(SAME, float, hx, CMK_POINT_REACH(0, 1, 0), CMK_EDGE_ZERO)                                                     \
    USES(SAME, float, hy, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_ZERO)                                                     \
    USES(IN, float, permittivity)                                                                                      \
    USES(VALUE, float, courant)
#define AT(field, dy, dx) CMK_POINT_AT(field, dy, dx)

CMK_POINT_2D_STAGES(light, LIGHT, 2)
{
    if (CMK_POINT_STAGE == 0) {
        CMK_POINT_SET(hx, AT(hx, 0, 0) - courant * (AT(ez, 1, 0) - AT(ez, 0, 0)));
        CMK_POINT_SET(hy, AT(hy, 0, 0) + courant * (AT(ez, 0, 1) - AT(ez, 0, 0)));
    } else if (CMK_POINT_INSIDE || (CMK_POINT_ROW > 0 && CMK_POINT_COLUMN > 0)) {
        const float curl = AT(hy, 0, 0) - AT(hy, 0, -1) - AT(hx, 0, 0) + AT(hx, -1, 0);
        CMK_POINT_SET(ez, AT(ez, 0, 0) + courant / CMK_POINT_HERE(permittivity) * curl);
    }
}
CMK_DEFINE_STENCIL2D(light, LIGHT);

/* ---- the program: a flash beside the rod, its energy in each quarter of the steps, a picture at the end */

#define COURANT 0.6f
#define STOP(...) (fprintf(stderr, "fdtd2d: " __VA_ARGS__), exit(EXIT_FAILURE))

static int read_number(const char *text, int most) /* 0 if it is none from 1 to most */
{
    const long number = strlen(text) < 10 ? strtol(text, NULL, 10) : 0;
    return text[strspn(text, "0123456789")] == '\0' && number <= most ? (int)number : 0;
}

static float *floats_of(size_t count)
{
    float *const values = (float *)malloc(count * sizeof *values);
    if (values == NULL) STOP("there is no memory for so many cells\n");
    return values;
}

/* a flash in the left half, and a rod of glass, of index 1.5, in the right one */
static void build(float *ez, float *permittivity, int side)
{
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column) {
            const size_t at = (size_t)row * (size_t)side + (size_t)column;
            const double y = (double)row / side - 0.5, x = (double)column / side;
            ez[at] = row > 0 && column > 0 ? (float)exp(-2000.0 * ((x - 0.3) * (x - 0.3) + y * y)) : 0.0f;
            permittivity[at] = (x - 0.65) * (x - 0.65) + y * y < 0.15 * 0.15 ? 2.25f : 1.0f;
        }
}

/* One step, and the energy that it keeps: of ez before and after it, and of hx and hy between the two. */
static double step_energy(light_grid *grid, const float *permittivity, float *before, float *values)
{
    const size_t count = grid->rows * grid->columns, bytes = count * sizeof(float);
    double energy = 0.0;
    CMK_CHECK(cudaMemcpy(before, grid->ez, bytes, cudaMemcpyDeviceToHost));
    CMK_CHECK(light(grid, COURANT, 0));
    CMK_CHECK(cudaMemcpy(values, grid->ez, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; ++i) energy += (double)permittivity[i] * before[i] * values[i];
    CMK_CHECK(cudaMemcpy(values, grid->hx, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; ++i) energy += (double)values[i] * values[i];
    CMK_CHECK(cudaMemcpy(values, grid->hy, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; ++i) energy += (double)values[i] * values[i];
    return energy;
}

/* the flash is above and below the middle row alike: the largest difference of a row and its mirror image */
static double asymmetry(const float *ez, int side)
{
    double worst = 0.0;
    for (int row = 1; row < side; ++row)
        for (int column = 0; column < side; ++column) {
            const double upper = ez[(size_t)row * (size_t)side + (size_t)column];
            const double lower = ez[(size_t)(side - row) * (size_t)side + (size_t)column];
            if (!(fabs(upper - lower) <= worst)) worst = fabs(upper - lower);
        }
    return worst;
}

/* grey is no field; the rod is lighter */
static void save_picture(const char *name, const float *ez, const float *permittivity, int side)
{
    FILE *const file = fopen(name, "wb");
    if (file == NULL) STOP("%s: cannot be written\n", name);
    fprintf(file, "P5\n%d %d\n255\n", side, side);
    for (size_t i = 0; i < (size_t)side * (size_t)side; ++i)
        fputc((int)(100.0 + 100.0 * tanh(10.0 * ez[i]) + (permittivity[i] > 1.0f ? 40.0 : 0.0)), file);
    if (ferror(file) || fclose(file) != 0) STOP("%s: cannot be written to the end\n", name);
    printf("picture: %s\n", name);
}

int main(int argc, char **argv)
{
    cudaDeviceProp gpu;
    CMK_CHECK(cudaGetDeviceProperties(&gpu, 0));
    const int on_cpu = strcmp(gpu.name, "cmk CPU backend") == 0;
    const int side = argc > 1 ? read_number(argv[1], 32768) : on_cpu ? 160 : 4096;
    const int steps = argc > 2 ? read_number(argv[2], 100000000) : side;
    if (argc > 4 || side < 8 || steps == 0)
        STOP("usage: fdtd2d [SIDE [STEPS [OUT]]], from 8 to 32768 and to 100000000\n");

    const size_t n = (size_t)side, bytes = n * n * sizeof(float);
    float *const ez = floats_of(n * n), *const before = floats_of(n * n), *const permittivity = floats_of(n * n);
    float *fields[3], *glass;
    build(ez, permittivity, side);
    for (int k = 0; k < 3; ++k) {
        CMK_CHECK(cudaMalloc((void **)&fields[k], bytes));
        CMK_CHECK(cudaMemset(fields[k], 0, bytes));
    }
    CMK_CHECK(cudaMalloc((void **)&glass, bytes));
    CMK_CHECK(cudaMemcpy(fields[0], ez, bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemcpy(glass, permittivity, bytes, cudaMemcpyHostToDevice));
    light_grid grid = light_domain(n, n, n);
    grid.ez = fields[0], grid.hx = fields[1], grid.hy = fields[2];
    grid.permittivity = glass;
    CMK_CHECK(light_prepare(&grid, 0)); /* for several steps in one pass over memory */

    const double first = step_energy(&grid, permittivity, before, ez);
    double last = first;
    printf("step 1: energy %.8g\n", first);
    for (int quarter = 1, done = 1; quarter <= 4; ++quarter) {
        const int next = (int)((double)steps * quarter / 4);
        if (next <= done) continue;
        CMK_CHECK(light_steps(&grid, (size_t)(next - done - 1), COURANT, 0));
        last = step_energy(&grid, permittivity, before, ez);
        done = next;
        printf("step %d: energy %.8g\n", done, last);
    }
    CMK_CHECK(light_release(&grid, 0));
    CMK_CHECK(cudaMemcpy(ez, grid.ez, bytes, cudaMemcpyDeviceToHost));
    if (argc > 3) save_picture(argv[3], ez, permittivity, side);

    const double change = fabs(last / first - 1.0), tolerance = 8.0 * 5.96e-8 * steps; /* 8 roundings a step */
    printf("change of the energy %.1e, tolerance %.1e; asymmetry %.1e\n", change, tolerance, asymmetry(ez, side));
    if (!(change <= tolerance) || !(asymmetry(ez, side) <= tolerance)) STOP("WRONG\n");
    return EXIT_SUCCESS;
}
