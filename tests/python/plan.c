/* Prints the launches of some calls as tests/python/standin/libcuda.c writes them down: those of the plans in C.
 * usage: plan KIND PROCESSORS SHARED_BYTES CODE RESIDENT STREAM CONTEXT ROWS COLUMNS IN OUT
 * heat7 is 7 steps; behind their launches is where the result is. */
#include <cmk/cmk.h>
#ifndef __FLT16_MAX__
#define _Float16 float /* of a compiler that has none: then no test of it passes */
#endif

CMK_TABLE(PARAMETER, float, taps, [3][3]);
CMK_DEFINE_CONV2D_AS(smooth, CORRELATION, (float, float, float, 1), (3, 3), (1, 1), taps, (CMK_EDGE_MIRROR, 0));
CMK_TABLE(PARAMETER, float, wide, [11][11]);
CMK_DEFINE_CONV2D_AS(large, CONVOLUTION, (float, float, float, 1), (11, 11), (5, 5), wide, (CMK_EDGE_ZERO, 0));
CMK_DEFINE_CONV2D_AS(narrow, CORRELATION, (_Float16, float, _Float16, 1), (3, 3), (1, 1), taps, (CMK_EDGE_MIRROR, 0));
CMK_TABLE(PARAMETER, float, down, [9]);
CMK_TABLE(PARAMETER, float, across, [9]);
CMK_DEFINE_SEPARABLE_AS(product, (float, float, float, 1), 4, (down, across), (CMK_EDGE_CLAMP, 0));
CMK_DEFINE_TRANSPOSE(turn, unsigned);
#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, float, k)
CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, k * CMK_POINT_AT(u, 0, 1));
}
CMK_DEFINE_STENCIL2D(heat, HEAT);
/* bits of bfloat16 */
#define SHIFT(USES) USES(NEXT, unsigned short, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO) USES(VALUE, unsigned short, k)
CMK_POINT_2D(shift, SHIFT)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1));
}
CMK_DEFINE_STENCIL2D(shift, SHIFT);

static const char *stream, *context;

/* of a kernel of a definition of Python, whose name is another */
static void print_plan(const cmk_plan *plan, const char *name)
{
    const char *const rest = strchr(plan->kernel, '_');
    printf("%s%s %u %u %u, %u %u %u, %zu, %s, %s:", name, rest, plan->grid[0], plan->grid[1], plan->grid[2],
           plan->block[0], plan->block[1], plan->block[2], plan->shared_bytes, stream, context);
    for (int k = 0; k < plan->argument_count; ++k) {
        printf(" ");
        for (size_t i = 0; i < plan->argument_bytes[k]; ++i) printf("%02x", ((unsigned char *)plan->arguments[k])[i]);
    }
    printf("\n");
}

#define PRINT(name, OTHER, ...)                                                                                        \
    do {                                                                                                               \
        name##_call call;                                                                                              \
        if (__VA_ARGS__) return 1;                                                                                     \
        while (name##_next(&call)) print_plan(&call.plan, OTHER);                                                      \
        return call.plan.error != cudaSuccess;                                                                         \
    } while (0)

static int print_filter(const char *kind, const cmk_plan_device *device, size_t rows, size_t columns, float *in,
                        float *out)
{
    float values[121];
    for (int k = 0; k < 121; ++k) values[k] = (float)k;
    if (CMK_TABLE_UPLOAD(taps, values, 0, 9) || CMK_TABLE_UPLOAD(wide, values, 0, 121) ||
        CMK_TABLE_UPLOAD(down, values, 0, 9) || CMK_TABLE_UPLOAD(across, values + 9, 0, 9))
        return 1;
    if (strcmp(kind, "smooth") == 0)
        PRINT(smooth, "filter",
              smooth_batch_plan(&call, device, in, columns, rows * columns, out, columns, rows * columns, rows, columns,
                                1, taps));
    if (strcmp(kind, "narrow") == 0)
        PRINT(narrow, "filter",
              narrow_batch_plan(&call, device, (_Float16 *)in, columns, rows * columns, (_Float16 *)out, columns,
                                rows * columns, rows, columns, 1, taps));
    if (strcmp(kind, "large") == 0)
        PRINT(large, "filter",
              large_batch_plan(&call, device, in, columns, rows * columns, out, columns, rows * columns, rows, columns,
                               1, wide));
    PRINT(product, "filter",
          product_batch_plan(&call, device, in, columns, rows * columns, out, columns, rows * columns, rows, columns, 1,
                             down, across));
}

static int print_heat(const cmk_plan_device *device, size_t rows, size_t columns, float *u, float *next, size_t steps)
{
    heat_grid grid = heat_domain(rows, columns, columns);
    heat_call call;
    grid.u = u, grid.u_next = next;
    if (heat_steps_plan(&call, device, &grid, steps, 0, 0.25f)) return 1;
    while (heat_next(&call)) print_plan(&call.plan, "update");
    printf("%zx\n", (size_t)grid.u);
    return call.plan.error != cudaSuccess;
}

static int print_shift(const cmk_plan_device *device, size_t rows, size_t columns, float *u, float *next)
{
    shift_grid grid = shift_domain(rows, columns, columns);
    shift_call call;
    grid.u = (unsigned short *)u, grid.u_next = (unsigned short *)next;
    grid.u_outside = 0x3f81;                                                      /* 1.0078125 */
    PRINT(shift, "update", shift_steps_plan(&call, device, &grid, 1, 0, 0xc000)); /* -2 */
}

int main(int count, char **words)
{
    if (count != 12) return 2;
    const int code = atoi(words[4]);
    const cmk_plan_device device = {atoi(words[2]), atoi(words[3]), 5120, code, code == 90, atoi(words[5])};
    const size_t rows = (size_t)atoll(words[8]), columns = (size_t)atoll(words[9]);
    float *const in = (float *)strtoull(words[10], NULL, 16), *const out = (float *)strtoull(words[11], NULL, 16);
    stream = words[6], context = words[7];
    if (strncmp(words[1], "heat", 4) == 0)
        return print_heat(&device, rows, columns, in, out, (size_t)atoi(words[1] + 4));
    if (strcmp(words[1], "shift") == 0) return print_shift(&device, rows, columns, in, out);
    if (strcmp(words[1], "turn") == 0)
        PRINT(turn, "turn", turn_plan(&call, &device, (unsigned *)in, columns, (unsigned *)out, rows, rows, columns));
    return print_filter(words[1], &device, rows, columns, in, out);
}
