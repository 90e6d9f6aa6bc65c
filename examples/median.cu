/* median: takes specks out of a picture, a binary PGM of 8 bits: each pixel becomes the median of those around it.
 *   usage: median [IN OUT [3|5]]     of 3 x 3 or 5 x 5 pixels (3); without a picture, specks in one that is made
 *   build: nvcc -O3 -arch=native -Iinclude -o median examples/median.cu
 *      or: gcc -O2 -Iinclude -x c examples/median.cu -o median -lm -lpthread */
#include <ctype.h>
#include <cmk/cmk.h>

typedef unsigned char byte;
#define PIXELS(RADIUS, USES) USES(IN, byte, in, CMK_POINT_BOX(RADIUS), CMK_EDGE_MIRROR) USES(OUT, byte, out)
#define PIXELS_3X3(USES) PIXELS(1, USES)
#define PIXELS_5X5(USES) PIXELS(2, USES)

/* The largest m with at most half of the pixels below it, bit by bit from the highest: no branch and no sorting. An
 * update may use any function; one that is always inlined keeps the pixels in registers. */
#define MEDIAN(RADIUS, AT)                                                                                             \
    int m = 0;                                                                                                         \
    CMK_NO_UNROLL                                                                                                      \
    for (int bit = 128; bit > 0; bit /= 2) {                                                                           \
        int below = 0;                                                                                                 \
        CMK_UNROLL                                                                                                     \
        for (int dy = -(RADIUS); dy <= (RADIUS); ++dy) CMK_UNROLL                                                      \
        for (int dx = -(RADIUS); dx <= (RADIUS); ++dx) below += AT(in, dy, dx) < m + bit;                              \
        if (below <= (2 * (RADIUS) + 1) * (2 * (RADIUS) + 1) / 2) m += bit;                                            \
    }

CMK_POINT_2D(median_3x3, PIXELS_3X3)
{
    MEDIAN(1, CMK_POINT_AT)
    CMK_POINT_SET(out, (byte)m);
}
CMK_DEFINE_STENCIL2D(median_3x3, PIXELS_3X3);

CMK_POINT_2D(median_5x5, PIXELS_5X5)
{
    MEDIAN(2, CMK_POINT_AT)
    CMK_POINT_SET(out, (byte)m);
}
CMK_DEFINE_STENCIL2D(median_5x5, PIXELS_5X5);

/* ---- the program: a picture from a file or made, and every pixel of the result beside a sort */

#define STOP(...) (fprintf(stderr, "median: " __VA_ARGS__), exit(EXIT_FAILURE))

typedef struct {
    size_t rows, columns;
    byte *pixels;
} picture;

static int read_number(FILE *file) /* behind comments, and the blank that ends it; -1 if there is none */
{
    int number = -1;
    while (fscanf(file, "%9d", &number) != 1)
        if (fgetc(file) != '#' || fscanf(file, "%*[^\n]") == EOF) return -1;
    return isspace(fgetc(file)) ? number : -1;
}

static byte *bytes_of(size_t count)
{
    byte *const bytes = (byte *)malloc(count);
    if (bytes == NULL) STOP("there is no memory for so many pixels\n");
    return bytes;
}

static picture read_picture(const char *name)
{
    picture p;
    FILE *const file = fopen(name, "rb");
    if (file == NULL || fgetc(file) != 'P' || fgetc(file) != '5') STOP("%s: no binary PGM to be read\n", name);
    const int columns = read_number(file), rows = read_number(file), most = read_number(file);
    if (columns < 1 || rows < 1 || most < 1 || most > 255) STOP("%s: a bad header, or not of 8 bits\n", name);
    p.rows = (size_t)rows;
    p.columns = (size_t)columns;
    if (p.rows * p.columns > 1 << 30) STOP("%s: more than 2^30 pixels\n", name);
    p.pixels = bytes_of(p.rows * p.columns);
    if (fread(p.pixels, 1, p.rows * p.columns, file) != p.rows * p.columns)
        STOP("%s: fewer pixels than its header says\n", name);
    fclose(file);
    return p;
}

static void save_picture(const char *name, picture p)
{
    FILE *const file = fopen(name, "wb");
    if (file == NULL) STOP("%s: cannot be written\n", name);
    fprintf(file, "P5\n%zu %zu\n255\n", p.columns, p.rows);
    fwrite(p.pixels, 1, p.rows * p.columns, file);
    if (ferror(file) || fclose(file) != 0) STOP("%s: cannot be written to the end\n", name);
}

/* stripes of light and dark, with a speck of black or white on each tenth pixel or so */
static picture make_picture(void)
{
    picture p = {180, 240, bytes_of(180 * 240)};
    unsigned random = 1;
    for (size_t i = 0; i < p.rows * p.columns; ++i) {
        const unsigned draw = (random = random * 1664525u + 1013904223u) >> 16;
        p.pixels[i] = draw % 10 > 0 ? (byte)((i / p.columns + i % p.columns) / 20 % 2 * 80 + 60) : draw % 20 ? 255 : 0;
    }
    return p;
}

static size_t mirror(long at, size_t count)
{
    const long period = 2 * (long)count, place = ((at % period) + period) % period;
    return (size_t)(place < (long)count ? place : period - 1 - place);
}

static byte median_of(picture p, size_t row, size_t column, int radius)
{
    byte sorted[25];
    int count = 0;
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx) {
            const byte pixel =
                p.pixels[mirror((long)row + dy, p.rows) * p.columns + mirror((long)column + dx, p.columns)];
            int at = count++;
            for (; at > 0 && sorted[at - 1] > pixel; --at) sorted[at] = sorted[at - 1];
            sorted[at] = pixel;
        }
    return sorted[count / 2];
}

static size_t count_wrong(picture p, picture result, int radius)
{
    size_t wrong = 0;
    for (size_t row = 0; row < p.rows; ++row)
        for (size_t column = 0; column < p.columns; ++column)
            wrong += result.pixels[row * p.columns + column] != median_of(p, row, column, radius);
    return wrong;
}

static size_t count_specks(picture p)
{
    size_t specks = 0;
    for (size_t i = 0; i < p.rows * p.columns; ++i) specks += p.pixels[i] == 0 || p.pixels[i] == 255;
    return specks;
}

int main(int argc, char **argv)
{
    const int side = argc > 3 && strlen(argv[3]) == 1 ? argv[3][0] - '0' : 3;
    if (argc == 2 || argc > 4 || (argc == 4 && strcmp(argv[3], "3") != 0 && strcmp(argv[3], "5") != 0))
        STOP("usage: median [IN OUT [3|5]]\n");
    const picture p = argc > 1 ? read_picture(argv[1]) : make_picture();
    const size_t count = p.rows * p.columns;
    const picture result = {p.rows, p.columns, bytes_of(count)};
    byte *in, *out;
    CMK_CHECK(cudaMalloc((void **)&in, count));
    CMK_CHECK(cudaMalloc((void **)&out, count));
    CMK_CHECK(cudaMemcpy(in, p.pixels, count, cudaMemcpyHostToDevice));

    if (side == 3) {
        median_3x3_grid grid = median_3x3_domain(p.rows, p.columns, p.columns);
        grid.in = in, grid.out = out;
        CMK_CHECK(median_3x3(&grid, 0));
    } else {
        median_5x5_grid grid = median_5x5_domain(p.rows, p.columns, p.columns);
        grid.in = in, grid.out = out;
        CMK_CHECK(median_5x5(&grid, 0));
    }
    CMK_CHECK(cudaMemcpy(result.pixels, out, count, cudaMemcpyDeviceToHost));

    const size_t wrong = count_wrong(p, result, side / 2);
    printf("%zu x %zu pixels, medians of %d x %d: %zu wrong beside a sort\n", p.columns, p.rows, side, side, wrong);
    if (argc == 1) printf("specks: %zu before, %zu after\n", count_specks(p), count_specks(result));
    if (wrong > 0) return EXIT_FAILURE;
    if (argc > 1) save_picture(argv[2], result);
    return EXIT_SUCCESS;
}
