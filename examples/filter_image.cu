/* filter_image: filters a picture, a binary PGM or PPM (P5, P6) of 8 or 16 bits.
 *   usage: filter_image IN OUT EDGE FILTER [ARGUMENT]     EDGE: zero, clamp, wrap, mirror, reflect or value:V of edge.h
 *     FILTER   gauss SIGMA, box RADIUS, sharpen, emboss, identity, sobel and laplace (magnitudes), or file NAME, a text
 *              of rows, columns, and the taps row by row, for a correlation with nothing done to them
 *   build: nvcc -O3 -arch=native -Iinclude -o filter_image examples/filter_image.cu
 *      or: gcc -O2 -Iinclude -x c examples/filter_image.cu -o filter_image -lm -lpthread */
#define _XOPEN_SOURCE 700 /* realpath */
#include <ctype.h>
#include <math.h>
#include <sys/stat.h>
#include <cmk/cmk.h>

#define REACH 16 /* of the largest filter from its anchor */
#define SIDE (2 * REACH + 1)
typedef unsigned short u16;                     /* values of 8 bits too */
CMK_TABLE(CONSTANT, float, small_taps, [5][5]); /* smaller filters are padded with zeros */
CMK_TABLE(CONSTANT, float, large_taps, [SIDE][SIDE]);
CMK_TABLE(CONSTANT, float, line_taps, [SIDE]); /* of filters that are the same down and across */

#define FILTERS_OF(N) /* N channels */                                                                                 \
    CMK_DEFINE_CONV2D_AS(small_##N, CORRELATION, (u16, float, u16, N), (5, 5), (2, 2), small_taps,                     \
                         (CMK_EDGE_ZERO, 0));                                                                          \
    CMK_DEFINE_CONV2D_AS(large_##N, CORRELATION, (u16, float, u16, N), (33, 33), (16, 16), large_taps,                 \
                         (CMK_EDGE_ZERO, 0));                                                                          \
    CMK_DEFINE_SEPARABLE_AS(lines_##N, (u16, float, u16, N), REACH, (line_taps, line_taps), (CMK_EDGE_ZERO, 0))
FILTERS_OF(1); /* grey */
FILTERS_OF(3); /* red, green, blue */

typedef struct {
    int rows, columns, channels, most, edge, outside; /* most: the largest value */
} picture;

/* A definition has its edge at compile time, a user at run time: the picture gets a margin and is filtered inside. */
#define VALUE(r, c) CMK_LDG(&in[((cmk_i64)(r)*p.columns + (c)) * p.channels + x % p.channels])
__global__ void extend(const u16 *in, u16 *out, picture p)
{
    const int x = (int)(blockIdx.x * 128 + threadIdx.x), column = x / p.channels - REACH;
    const cmk_i64 pitch = (cmk_i64)(p.columns + 2 * REACH) * p.channels;
    if (column >= p.columns + REACH) return;
    for (int y = (int)blockIdx.y; y < p.rows + 2 * REACH; y += (int)gridDim.y)
        CMK_STORE(&out[y * pitch + x],
                  (u16)CMK_EDGE_SAMPLE_2D_OR(p.edge, p.edge, p.outside, VALUE, y - REACH, column, p.rows, p.columns));
}

static cudaError_t filter(int size, const u16 *extended, u16 *out, picture p) /* size of the table, 1 for lines */
{
    const size_t rows = (size_t)p.rows, columns = (size_t)p.columns, width = columns * (size_t)p.channels;
    const size_t high = rows + 2 * REACH, wide = columns + 2 * REACH, pitch = wide * (size_t)p.channels;
#define INSIDE(name, ...)                                                                                              \
    name##_region(extended, pitch, out, width, high, wide, REACH, REACH, rows, columns, __VA_ARGS__, 0)
    if (size == 1)
        return p.channels == 1 ? INSIDE(lines_1, line_taps, line_taps) : INSIDE(lines_3, line_taps, line_taps);
    if (size == 5) return p.channels == 1 ? INSIDE(small_1, small_taps) : INSIDE(small_3, small_taps);
    return p.channels == 1 ? INSIDE(large_1, large_taps) : INSIDE(large_3, large_taps);
}

/* ---- pictures and filters from files */
#define STOP(...) (fprintf(stderr, "filter_image: " __VA_ARGS__), exit(EXIT_FAILURE))
static int read_number(FILE *file) /* behind comments, and the blank or comment that ends it; -1 if there is none */
{
    int number = -1;
    while (fscanf(file, "%9d", &number) != 1) /* so many digits fit in an int */
        if (fgetc(file) != '#' || fscanf(file, "%*[^\n]") == EOF) return -1;
    int c = fgetc(file);
    if (c == '#' && fscanf(file, "%*[^\n]") != EOF) c = fgetc(file);
    return isspace(c) ? number : -1;
}

static u16 *read_picture(const char *name, picture *p) /* memory grows with what is there, whatever a header says */
{
    FILE *const file = fopen(name, "rb");
    const int magic = file == NULL || fgetc(file) != 'P' ? 0 : fgetc(file);
    if (magic != '5' && magic != '6') STOP("%s: no binary PGM or PPM to be read\n", name);
    p->channels = magic == '5' ? 1 : 3;
    p->columns = read_number(file);
    p->rows = read_number(file);
    p->most = read_number(file);
    if (p->columns < 1 || p->rows < 1 || p->most < 1 || p->most > 65535) STOP("%s: a bad header\n", name);
    const size_t wanted = (size_t)p->rows * (size_t)p->columns * (size_t)p->channels;
    if (wanted > 1 << 30) STOP("%s: more than 2^30 values\n", name);
    u16 *values = NULL;
    for (size_t k = 0, room = 0; k < wanted; ++k) {
        if (k == room) values = (u16 *)realloc(values, (room = 2 * room + 4096) * sizeof *values);
        const int high = p->most > 255 ? fgetc(file) : 0, low = high != EOF ? fgetc(file) : EOF;
        if (values == NULL || low == EOF) STOP("%s: fewer pixels than its header says\n", name);
        values[k] = (u16)(high << 8 | low);
    }
    fclose(file);
    return values;
}

/* a file, which may be IN, beside its place, renamed when it is whole; a device or a pipe directly, never removed */
static void save_picture(const char *name, const u16 *values, picture p)
{
    struct stat before;
    const int exists = stat(name, &before) == 0, direct = exists && !S_ISREG(before.st_mode);
    char *const target = exists ? realpath(name, NULL) : lstat(name, &before) != 0 ? strdup(name) : NULL; /* no link */
    char *const path = target != NULL ? (char *)malloc(strlen(target) + sizeof ".new") : NULL;
    if (path == NULL) STOP("%s: %s\n", name, exists ? "cannot be written" : "a link to a file that is not there");
    strcat(strcpy(path, target), direct ? "" : ".new");
    FILE *const file = fopen(path, direct ? "wb" : "wbx"); /* x: fails where there is such a file */
    if (file == NULL) STOP("%s: %s cannot be made\n", name, path);
    fprintf(file, "P%d\n%d %d\n%d\n", p.channels == 1 ? 5 : 6, p.columns, p.rows, p.most);
    for (size_t k = 0; k < (size_t)p.rows * (size_t)p.columns * (size_t)p.channels; ++k) {
        if (p.most > 255) fputc(values[k] >> 8, file);
        fputc(values[k] & 255, file);
    }
    int good = fflush(file) == 0 && !ferror(file) && fclose(file) == 0;
    if (!direct) good = good && (!exists || chmod(path, before.st_mode & 0777) == 0) && rename(path, target) == 0;
    if (!direct && !good) remove(path);
    if (!good) STOP("%s: cannot be written to the end\n", name);
}

static float taps[SIDE * SIDE]; /* of a line, or in rows of the table's size */

static int read_filter(const char *name) /* returns the size of the table */
{
    FILE *const file = fopen(name, "r");
    const int rows = file != NULL ? read_number(file) : 0, columns = rows > 0 ? read_number(file) : 0;
    const int size = rows <= 5 && columns <= 5 ? 5 : SIDE;
    int good = rows > 0 && rows <= SIDE && columns > 0 && columns <= SIDE;
    for (int k = 0; good && k < rows * columns; ++k) {
        const int at = (size / 2 - rows / 2 + k / columns) * size + size / 2 - columns / 2 + k % columns;
        good = fscanf(file, "%f", &taps[at]) == 1 && isfinite(taps[at]);
    }
    if (!good || fscanf(file, "%*1s") != EOF) STOP("%s: not rows and columns (1 to 33) and as many numbers\n", name);
    fclose(file);
    return size;
}

/* Sums below 0 become 0: a magnitude adds the passes of a filter and its negative, and of both on the other axis. */
static const char *const names[] = {"identity", "sharpen", "laplace", "sobel", "emboss"};
static const int times[] = {1, 1, 2, 4, 1};
static const float small_filters[][3][3] = {{{0}, {0, 1}},
                                            {CMK_FILTER_SHARPEN},
                                            {CMK_FILTER_LAPLACE},
                                            {CMK_FILTER_SOBEL_ACROSS},
                                            {{-2, -1, 0}, {-1, 1, 1}, {0, 1, 2}}};

static int choose_filter(const char *kind, const char *argument, int *passes) /* size of the table, 1 for lines, or 0 */
{
    double number = 0.0, line[SIDE] = {0.0};
    int end = 0;
    for (int n = 0; argument == NULL && n < 5; ++n)
        if (strcmp(kind, names[n]) == 0) {
            for (int k = 0; k < 9; ++k) taps[(k / 3 + 1) * 5 + k % 3 + 1] = small_filters[n][k / 3][k % 3];
            *passes = times[n];
            return 5;
        }
    if (argument != NULL && strcmp(kind, "file") == 0) return read_filter(argument);
    if (argument == NULL || sscanf(argument, "%lf%n", &number, &end) != 1 || argument[end] != '\0') return 0;
    const int gauss = strcmp(kind, "gauss") == 0 && number >= 0.1 && number <= 5.0;
    const int box = strcmp(kind, "box") == 0 && number >= 0.0 && number <= REACH && number == (int)number;
    if (gauss) cmk_filter_gauss(line, REACH, number);
    if (box) cmk_filter_box(&line[REACH - (int)number], (int)number);
    cmk_filter_float(taps, line, SIDE);
    return gauss || box;
}

static int choose_edge(const char *text, picture *p) /* whether there is such an edge */
{
    static const char *const edges[] = {"zero", "clamp", "wrap", "mirror", "reflect"};
    int end = 0;
    for (p->edge = 0; p->edge < 5; ++p->edge)
        if (strcmp(text, edges[p->edge]) == 0) return 1;
    p->edge = CMK_EDGE_ZERO;
    return sscanf(text, "value:%9d%n", &p->outside, &end) == 1 && text[end] == '\0';
}

int main(int argc, char **argv)
{
    picture p = {0, 0, 0, 0, 0, 0};
    int passes = 1, size = 0;
    if ((argc == 5 || argc == 6) && choose_edge(argv[3], &p)) size = choose_filter(argv[4], argv[5], &passes);
    if (size == 0)
        STOP("usage: filter_image IN OUT zero|clamp|wrap|mirror|reflect|value:V FILTER: gauss SIGMA (0.1 to 5), "
             "box RADIUS (0 to 16), sobel, laplace, sharpen, emboss, identity or file NAME\n");
    u16 *const result = read_picture(argv[1], &p), *in, *extended, *out;
    if (p.outside < 0 || p.outside > p.most) STOP("%s: the values are from 0 to %d\n", argv[3], p.most);
    const size_t rows = (size_t)p.rows, columns = (size_t)p.columns, channels = (size_t)p.channels;
    const size_t count = rows * columns * channels, pitch = (columns + 2 * REACH) * channels;
    CMK_CHECK(cudaMalloc((void **)&in, count * sizeof *in));
    CMK_CHECK(cudaMemcpy(in, result, count * sizeof *in, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMallocManaged((void **)&out, count * sizeof *out, cudaMemAttachGlobal));
    CMK_CHECK(cudaMalloc((void **)&extended, (rows + 2 * REACH) * pitch * sizeof *extended));
    CMK_CHECK(CMK_LAUNCH(extend, dim3((unsigned)(pitch / 128 + 1), 256), 128, 0, 0, in, extended, p));
    for (int pass = 0; pass < passes; ++pass) {
        float table[SIDE * SIDE]; /* of passes 2 and 3 the taps with their axes exchanged, of 1 and 3 their negatives */
        for (int k = 0; k < size * size; ++k)
            table[k] = taps[pass < 2 ? k : k % size * size + k / size] * (pass % 2 == 0 ? 1.0f : -1.0f);
        if (size == 1) CMK_CHECK(CMK_TABLE_UPLOAD(line_taps, taps, 0, SIDE));
        if (size == 5) CMK_CHECK(CMK_TABLE_UPLOAD(small_taps, table, 0, 5 * 5));
        if (size == SIDE) CMK_CHECK(CMK_TABLE_UPLOAD(large_taps, table, 0, SIDE * SIDE));
        CMK_CHECK(filter(size, extended, out, p));
        CMK_CHECK(cudaDeviceSynchronize());
        for (size_t k = 0; k < count; ++k) result[k] = (u16)fmin(out[k] + (pass > 0 ? result[k] : 0), p.most);
    }
    save_picture(argv[2], result, p);
    return EXIT_SUCCESS;
}
