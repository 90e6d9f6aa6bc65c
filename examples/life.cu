/* life: Conway's Game of Life on a torus of bytes: one plane with a glider, which is checked, one with random cells.
 *   usage: life [SIDE [STEPS [OUT]]]     SIDE x SIDE cells, from 5: 8192, on the CPU 192; STEPS: 1000, on the CPU 200,
 *          rounded up to a multiple of 4; OUT: a picture of the random cells at the end
 *   build: nvcc -O3 -arch=native -Iinclude -o life examples/life.cu
 *      or: gcc -O2 -Iinclude -x c examples/life.cu -o life -lm -lpthread */
#include <cmk/cmk.h>

typedef unsigned char byte;
#define LIFE(USES) USES(NEXT, byte, cell, CMK_POINT_BOX(1), CMK_EDGE_WRAP)
#define C(dy, dx) CMK_POINT_AT(cell, dy, dx)

CMK_POINT_2D(life, LIFE)
{
    const int alive = C(-1, -1) + C(-1, 0) + C(-1, 1) + C(0, -1) + C(0, 1) + C(1, -1) + C(1, 0) + C(1, 1);
    CMK_POINT_SET(cell, (alive | C(0, 0)) == 3);
}
CMK_DEFINE_STENCIL2D(life, LIFE);

/* ---- the program: where the glider is, and the last step of the random cells beside a plain loop */

#define STOP(...) (fprintf(stderr, "life: " __VA_ARGS__), exit(EXIT_FAILURE))

static int read_number(const char *text, int most) /* 0 if it is none from 1 to most */
{
    const long number = strlen(text) < 10 ? strtol(text, NULL, 10) : 0;
    return text[strspn(text, "0123456789")] == '\0' && number <= most ? (int)number : 0;
}

/* a glider with its upper left corner at (at, at), around the torus; every 4 steps it is one further down and right */
static void put_glider(byte *cells, size_t side, size_t at)
{
    static const size_t rows[] = {0, 1, 2, 2, 2}, columns[] = {1, 2, 0, 1, 2};
    memset(cells, 0, side * side);
    for (int k = 0; k < 5; ++k) cells[(at + rows[k]) % side * side + (at + columns[k]) % side] = 1;
}

static void put_random(byte *cells, size_t side) /* a third of them alive */
{
    unsigned random = 1;
    for (size_t i = 0; i < side * side; ++i) cells[i] = (random = random * 1664525u + 1013904223u) >> 16 < 65536 / 3;
}

static byte next_of(const byte *cells, size_t side, size_t row, size_t column)
{
    int alive = 0;
    for (size_t k = 0; k < 9; ++k)
        if (k != 4) alive += cells[(row + side + k / 3 - 1) % side * side + (column + side + k % 3 - 1) % side];
    return alive == 3 || (alive == 2 && cells[row * side + column]);
}

static size_t count_wrong(const byte *before, const byte *after, size_t side)
{
    size_t wrong = 0;
    for (size_t row = 0; row < side; ++row)
        for (size_t column = 0; column < side; ++column)
            wrong += after[row * side + column] != next_of(before, side, row, column);
    return wrong;
}

static size_t count_alive(const byte *cells, size_t side)
{
    size_t alive = 0;
    for (size_t i = 0; i < side * side; ++i) alive += cells[i];
    return alive;
}

static void save_picture(const char *name, const byte *cells, size_t side)
{
    FILE *const file = fopen(name, "wb");
    if (file == NULL) STOP("%s: cannot be written\n", name);
    fprintf(file, "P5\n%zu %zu\n1\n", side, side);
    fwrite(cells, 1, side * side, file);
    if (ferror(file) || fclose(file) != 0) STOP("%s: cannot be written to the end\n", name);
    printf("picture: %s\n", name);
}

int main(int argc, char **argv)
{
    cudaDeviceProp gpu;
    CMK_CHECK(cudaGetDeviceProperties(&gpu, 0));
    const int on_cpu = strcmp(gpu.name, "cmk CPU backend") == 0;
    const int wanted = argc > 1 ? read_number(argv[1], 65535) : on_cpu ? 192 : 8192;
    const int least = argc > 2 ? read_number(argv[2], 100000000) : on_cpu ? 200 : 1000;
    if (argc > 4 || wanted < 5 || least == 0)
        STOP("usage: life [SIDE [STEPS [OUT]]], from 5 to 65535 and to 100000000\n");

    const size_t side = (size_t)wanted, steps = ((size_t)least + 3) / 4 * 4, count = side * side;
    byte *const before = (byte *)malloc(2 * count), *const after = (byte *)malloc(2 * count), *a, *b;
    if (before == NULL || after == NULL) STOP("there is no memory for so many cells\n");
    put_glider(before, side, 0);
    put_random(before + count, side);
    CMK_CHECK(cudaMalloc((void **)&a, 2 * count));
    CMK_CHECK(cudaMalloc((void **)&b, 2 * count));
    CMK_CHECK(cudaMemcpy(a, before, 2 * count, cudaMemcpyHostToDevice));

    life_grid grid = life_domain(side, side, side);
    grid.planes = grid.end_plane = 2; /* two images of one call */
    grid.plane_pitch = count;
    grid.cell = a;
    grid.cell_next = b;
    for (size_t tenth = 1, done = 0; tenth <= 10; ++tenth) {
        const size_t next = tenth < 10 ? steps * tenth / 10 : steps - 1;
        if (next <= done) continue;
        CMK_CHECK(life_steps(&grid, next - done, 0));
        CMK_CHECK(cudaMemcpy(before, grid.cell, 2 * count, cudaMemcpyDeviceToHost));
        done = next;
        printf("step %zu: %zu of %zu random cells are alive\n", done, count_alive(before + count, side), count);
    }
    CMK_CHECK(life(&grid, 0));
    CMK_CHECK(cudaMemcpy(after, grid.cell, 2 * count, cudaMemcpyDeviceToHost));
    if (argc > 3) save_picture(argv[3], after + count, side);

    const size_t wrong = count_wrong(before + count, after + count, side);
    printf("step %zu: %zu wrong cells beside a plain loop\n", steps, wrong);
    put_glider(before, side, steps / 4);
    const int flew = memcmp(before, after, count) == 0;
    printf("the glider is %s at (%zu, %zu)\n", flew ? "right" : "not", steps / 4 % side, steps / 4 % side);
    return wrong == 0 && flew ? EXIT_SUCCESS : EXIT_FAILURE;
}
