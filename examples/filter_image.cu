/* filter_image: filters a picture, a binary PGM or PPM (P5, P6) of 8 or 16 bits.
 *   usage: filter_image IN OUT EDGE FILTER [ARGUMENT]     EDGE: zero, clamp, wrap, mirror, reflect or value:V of edge.h
 *     FILTER   gauss SIGMA, box RADIUS, sharpen, emboss, identity, sobel and laplace (magnitudes), or file NAME, a text
 *              of rows, columns, and the taps row by row, for a correlation with nothing done to them
 *   build: nvcc -O3 -arch=native -Iinclude -o filter_image examples/filter_image.cu
 *      or: gcc -O2 -Iinclude -x c examples/filter_image.cu -o filter_image -lm -lpthread */
#include <math.h>
#include <cmk/cmk.h>
#define REACH 16 /* of the largest filter from its anchor */
#define SIDE (2 * REACH + 1)
#define STOP(...) (fprintf(stderr, "filter_image: " __VA_ARGS__), exit(EXIT_FAILURE))
typedef unsigned short u16; /* values of 8 bits too */
typedef struct { int rows, columns, channels, most, edge, outside; } picture; /* most: the largest value */
CMK_TABLE(CONSTANT, float, small_taps, [5][5]); /* smaller filters are padded with zeros */
CMK_TABLE(CONSTANT, float, large_taps, [SIDE][SIDE]);
CMK_TABLE(CONSTANT, float, line_taps, [SIDE]); /* of filters that are the same down and across */
#define FOR_PIXELS_OF(N)                                                                                               \
    CMK_DEFINE_CONV2D_AS(small_##N, CORRELATION, u16, float, u16, N, 5, 5, 2, 2, small_taps, CMK_EDGE_ZERO, 0);        \
    CMK_DEFINE_CONV2D_AS(large_##N, CORRELATION, u16, float, u16, N, 33, 33, 16, 16, large_taps, CMK_EDGE_ZERO, 0);    \
    CMK_DEFINE_SEPARABLE_AS(lines_##N, u16, float, u16, N, REACH, line_taps, line_taps, CMK_EDGE_ZERO, 0);
FOR_PIXELS_OF(1) FOR_PIXELS_OF(3)
/* A definition has its edge at compile time, a user at run time: so the picture gets a margin and is filtered inside */
#define VALUE(r, c) CMK_LDG(&in[((cmk_i64)(r) * p.columns + (c)) * p.channels + x % p.channels])
__global__ void extend(const u16 *in, u16 *out, picture p)
{
    const int x = (int)(blockIdx.x * 128 + threadIdx.x), column = x / p.channels - REACH;
    for (int y = (int)blockIdx.y; column < p.columns + REACH && y < p.rows + 2 * REACH; y += (int)gridDim.y)
        CMK_STORE(&out[(cmk_i64)y * (p.columns + 2 * REACH) * p.channels + x],
            (u16)CMK_EDGE_SAMPLE_2D_OR(p.edge, p.edge, p.outside, VALUE, y - REACH, column, p.rows, p.columns));
}
#define INSIDE(f, ...) f##_region(extended, pitch, out, width, high, wide, REACH, REACH, rows, columns, __VA_ARGS__, 0)
#define FILTER(N) (size == 1 ? INSIDE(lines_##N, line_taps, line_taps)                                                 \
                   : size == 5 ? INSIDE(small_##N, small_taps) : INSIDE(large_##N, large_taps))
/* Sums below 0 become 0: a magnitude adds the passes of a filter and its negative, and of both on the other axis. */
static const struct { const char *name; float taps[3][3]; int passes; } named[] = {
    {"identity", {{0}, {0, 1}}, 1}, {"sharpen", {CMK_FILTER_SHARPEN}, 1}, {"laplace", {CMK_FILTER_LAPLACE}, 2},
    {"sobel", {CMK_FILTER_SOBEL_ACROSS}, 4}, {"emboss", {{-2, -1, 0}, {-1, 1, 1}, {0, 1, 2}}, 1}};
static float taps[SIDE * SIDE], table[SIDE * SIDE]; /* of a line, or in rows of the table's size */
static picture p;
static int passes, end; /* of a number in its text */
static u16 *read_picture(const char *name) /* into memory of host and device */
{
    FILE *file = fopen(name, "rb");
    int known = 0, number[3] = {0};
    const int magic = file == NULL || fgetc(file) != 'P' ? 0 : fgetc(file);
    if (magic != '5' && magic != '6') STOP("%s: no binary PGM or PPM to be read\n", name);
    for (int tries = 0; known < 3 && tries < 100; ++tries)
        known += fscanf(file, "#%*[^\n]") == 0 && fscanf(file, " %d", &number[known]) == 1;
    p.columns = number[0], p.rows = number[1], p.most = number[2], p.channels = magic == '5' ? 1 : 3;
    const size_t count = (size_t)p.columns * (size_t)p.rows * (size_t)p.channels;
    const int good = p.columns > 0 && p.rows > 0 && p.most > 0 && p.most < 65536 && count <= 1u << 30;
    u16 *values = NULL;
    if (good && fgetc(file) != EOF) CMK_CHECK(cudaMallocManaged((void **)&values, 2 * count, cudaMemAttachGlobal));
    for (size_t k = 0; values != NULL && k < count; values[k++] |= (u16)(fgetc(file) & 255))
        values[k] = p.most > 255 ? (u16)(fgetc(file) << 8) : 0;
    if (values == NULL || feof(file)) STOP("%s: a bad header, or fewer pixels than it says\n", name);
    return fclose(file), values;
}
static int read_filter(const char *name) /* returns the size of the table */
{
    FILE *file = fopen(name, "r");
    int rows = 0, columns = 0, good = file != NULL && fscanf(file, "%d %d", &rows, &columns) == 2;
    const int size = rows <= 5 && columns <= 5 ? 5 : SIDE;
    good = good && rows > 0 && rows <= SIDE && columns > 0 && columns <= SIDE;
    for (int k = 0; good && k < rows * columns; ++k) {
        float *const tap = &taps[(size / 2 - rows / 2 + k / columns) * size + size / 2 - columns / 2 + k % columns];
        good = fscanf(file, "%f", tap) == 1 && isfinite(*tap);
    }
    if (!good || fscanf(file, "%*1s") != EOF) STOP("%s: not rows and columns (1 to 33) and as many numbers\n", name);
    return fclose(file), size;
}
static int choose_filter(const char *kind, const char *argument) /* returns the size of the table, 1 for lines, or 0 */
{
    double number = 0.0, line[SIDE] = {0.0};
    passes = argument != NULL;
    for (int n = 0; argument == NULL && n < 5; ++n)
        for (int k = 0; k < 9 && !strcmp(kind, named[n].name); passes = named[n].passes, ++k)
            taps[(k / 3 + 1) * 5 + k % 3 + 1] = named[n].taps[k / 3][k % 3];
    if (argument == NULL) return passes > 0 ? 5 : 0;
    if (!strcmp(kind, "file")) return read_filter(argument);
    if (sscanf(argument, "%lf%n", &number, &end) != 1 || argument[end]) return 0;
    if (!strcmp(kind, "gauss") && number >= 0.1 && number <= 5.0) cmk_filter_gauss(line, REACH, number);
    if (!strcmp(kind, "box") && number >= 0.0 && number <= REACH && number == (int)number)
        cmk_filter_box(&line[REACH - (int)number], (int)number);
    cmk_filter_float(taps, line, SIDE);
    return taps[REACH] > 0.0f;
}
int main(int argc, char **argv)
{
    static const char *const edges[] = {"zero", "clamp", "wrap", "mirror", "reflect"};
    while (argc > 4 && p.edge < 5 && strcmp(argv[3], edges[p.edge])) ++p.edge;
    if (p.edge == 5 && sscanf(argv[3], "value:%d%n", &p.outside, &end) == 1 && !argv[3][end]) p.edge = CMK_EDGE_ZERO;
    const int size = argc == 5 || argc == 6 ? choose_filter(argv[4], argv[5]) : 0; /* argv[5] or its end */
    if (size == 0 || p.edge == 5) STOP("usage: filter_image IN OUT zero|clamp|wrap|mirror|reflect|value:V "
        "gauss SIGMA (0.1 to 5)|box RADIUS (0 to 16)|sobel|laplace|sharpen|emboss|identity|file NAME\n");
    u16 *const in = read_picture(argv[1]), *extended, *out;
    if (p.outside < 0 || p.outside > p.most) STOP("%s: the values are from 0 to %d\n", argv[3], p.most);
    const size_t rows = (size_t)p.rows, columns = (size_t)p.columns, width = columns * (size_t)p.channels;
    const size_t high = rows + 2 * REACH, wide = columns + 2 * REACH, pitch = wide * (size_t)p.channels;
    const dim3 grid = dim3((unsigned)(pitch / 128 + 1), high < 65535 ? (unsigned)high : 65535u);
    CMK_CHECK(cudaMallocManaged((void **)&out, rows * width * sizeof *out, cudaMemAttachGlobal));
    CMK_CHECK(cudaMalloc((void **)&extended, high * pitch * sizeof *extended));
    CMK_CHECK(CMK_LAUNCH(extend, grid, 128, 0, 0, in, extended, p));
    for (int pass = 0; pass < passes; ++pass) {
        for (int k = 0; k < size * size; ++k)
            table[k] = taps[pass < 2 ? k : k % size * size + k / size] * (pass % 2 == 0 ? 1.0f : -1.0f);
        CMK_CHECK(size == 1   ? CMK_TABLE_UPLOAD(line_taps, taps, 0, SIDE)
                  : size == 5 ? CMK_TABLE_UPLOAD(small_taps, table, 0, 25)
                              : CMK_TABLE_UPLOAD(large_taps, table, 0, SIDE * SIDE));
        CMK_CHECK(p.channels == 1 ? FILTER(1) : FILTER(3)), CMK_CHECK(cudaDeviceSynchronize());
        for (size_t k = 0; k < rows * width; ++k) in[k] = (u16)fmin(out[k] + (pass > 0 ? in[k] : 0), p.most);
    }
    FILE *const file = fopen(argv[2], "wb");
    if (file == NULL) STOP("%s: no file can be written there\n", argv[2]);
    fprintf(file, "P%d\n%d %d\n%d\n", p.channels == 1 ? 5 : 6, p.columns, p.rows, p.most);
    for (size_t k = 0; k < rows * width; fputc(in[k++] & 255, file))
        if (p.most > 255) fputc(in[k] >> 8, file);
    if (ferror(file) | fclose(file)) remove(argv[2]), STOP("%s: cannot be written to the end\n", argv[2]);
    return EXIT_SUCCESS;
}
