/* shared_layout: what the layout of a tile costs. 11 kernels write the numbers of a block's threads to shared memory in
 * one order and read them in another. Their wavefronts follow from the source; ncu reads them on a GPU as
 * smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum and ..._op_st.sum.
 *   usage: shared_layout     a table: kernel, loads and stores as counted here, loads and stores of a tutorial
 *   build: nvcc -O3 -arch=native -Iinclude -o shared_layout examples/shared_layout.cu
 *      or: gcc -O2 -Iinclude -x c examples/shared_layout.cu -o shared_layout -lm -lpthread */
#include <cmk/cmk.h>
#define WIDTH 32 /* of every tile and block: a row of threads is a warp */
#define STOP(...) (fprintf(stderr, "shared_layout: " __VA_ARGS__), exit(EXIT_FAILURE))

/* A warp reads a column of the square. Of the rectangle, 16 rows high, it reads two, as a warp of a block 16 wide does:
 * thread t reads row t % 16 of column t / 16. */
enum { pad_32 = CMK_TILE_PAD(int, WIDTH, COLUMNS, 32), pad_16 = CMK_TILE_PAD(int, WIDTH, COLUMNS, 16) };

/* name; storage, rows, pad; are there conflicts; ways of the writes (as in a block 32 wide) and of the reads (as in one
 * READ_X wide); READ_X; the tutorial's loads and stores. A conflict in a FREE kernel stops the build with the pad that
 * has none. (The tutorial's padded square reads rows, though its name says columns: with the same figures.) */
#define KERNELS(DO)                                                                                                    \
    DO(rows_rows,            STATIC,  32, 0,      FREE, ROWS,    ROWS,    32,   32,   32)                              \
    DO(columns_columns,      STATIC,  32, 0,      SOME, COLUMNS, COLUMNS, 32, 1024, 1024)                              \
    DO(rows_columns,         STATIC,  32, 0,      SOME, ROWS,    COLUMNS, 32, 1024,   32)                              \
    DO(columns_rows,         STATIC,  32, 0,      SOME, COLUMNS, ROWS,    32,   32, 1024)                              \
    DO(rows_columns_dyn,     DYNAMIC, 32, 0,      SOME, ROWS,    COLUMNS, 32, 1024,   32)                              \
    DO(rows_columns_pad,     STATIC,  32, pad_32, FREE, ROWS,    COLUMNS, 32,   32,   32)                              \
    DO(rows_columns_dyn_pad, DYNAMIC, 32, pad_32, FREE, ROWS,    COLUMNS, 32,   32,   32)                              \
    DO(rectangle,            STATIC,  16, 0,      SOME, ROWS,    COLUMNS, 16,  256,   16)                              \
    DO(rectangle_pad,        STATIC,  16, pad_16, FREE, ROWS,    COLUMNS, 16,   16,   16)                              \
    DO(rectangle_dyn,        DYNAMIC, 16, 0,      SOME, ROWS,    COLUMNS, 16,  256,   16)                              \
    DO(rectangle_dyn_pad,    DYNAMIC, 16, pad_16, FREE, ROWS,    COLUMNS, 16,   16,   16)

#define TILE_STATIC(HEIGHT, PAD) CMK_TILE(int, tile, HEIGHT, WIDTH, PAD)
#define TILE_DYNAMIC(HEIGHT, PAD) CMK_TILE_AT(int, tile, 0, WIDTH, PAD)
#define BYTES_STATIC(HEIGHT, PAD) 0
#define BYTES_DYNAMIC(HEIGHT, PAD) CMK_TILE_BYTES(int, HEIGHT, WIDTH, PAD)
#define ASSERT_FREE(WAY, BLOCK_X) CMK_TILE_ASSERT_CONFLICT_FREE(tile, WIDTH, WAY, BLOCK_X);
#define ASSERT_SOME(WAY, BLOCK_X)
#define PLACE_ROWS(t, BLOCK_X) (t) / (BLOCK_X), (t) % (BLOCK_X)
#define PLACE_COLUMNS(t, BLOCK_X) (t) % (BLOCK_X), (t) / (BLOCK_X)
#define SET(...) CMK_TILE_SET(__VA_ARGS__) /* a place is two arguments */
#define GET(...) CMK_TILE_GET(__VA_ARGS__)

#define KERNEL(name, STORAGE, HEIGHT, PAD, CONFLICTS, WRITE, READ, READ_X, LOADS, STORES)                              \
    __global__ void name(int *out)                                                                                     \
    {                                                                                                                  \
        TILE_##STORAGE(HEIGHT, PAD);                                                                                   \
        ASSERT_##CONFLICTS(WRITE, 32) ASSERT_##CONFLICTS(READ, READ_X)                                                 \
        const int t = (int)(threadIdx.y * WIDTH + threadIdx.x);                                                        \
        SET(tile, PLACE_##WRITE(t, 32), t);                                                                            \
        __syncthreads();                                                                                               \
        CMK_STORE(&out[t], GET(tile, PLACE_##READ(t, READ_X)));                                                        \
    }
KERNELS(KERNEL)

/* an access of a warp takes as many wavefronts as its degree; the block has HEIGHT warps */
#define LAYOUT(name, STORAGE, HEIGHT, PAD, CONFLICTS, WRITE, READ, READ_X, LOADS, STORES)                              \
    {#name, name, HEIGHT, BYTES_##STORAGE(HEIGHT, PAD),                                                                \
     HEIGHT * CMK_TILE_DEGREE(int, WIDTH + (PAD), READ, READ_X),                                                       \
     HEIGHT * CMK_TILE_DEGREE(int, WIDTH + (PAD), WRITE, 32), LOADS, STORES},

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        void (*kernel)(int *);
        int height;
        size_t dynamic_bytes;
        int loads, stores, published_loads, published_stores;
    } layouts[] = {KERNELS(LAYOUT)};
    int result[WIDTH * 32], *out, wrong = 0;
    if (argc != 1) STOP("usage: shared_layout, without arguments, not %s\n", argv[1]);
    CMK_CHECK(cudaMalloc((void **)&out, sizeof result));
    printf("wavefronts of a block        loads stores  published: loads stores\n");
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; ++k) {
        const int height = layouts[k].height;
        CMK_CHECK(cudaMemset(out, 0xFF, sizeof result)); /* -1 */
        CMK_CHECK(CMK_LAUNCH(layouts[k].kernel, 1, dim3(WIDTH, (unsigned)height), layouts[k].dynamic_bytes, 0, out));
        CMK_CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
        for (int i = 0; i < WIDTH * 32; ++i) {
            const int there = k < 2 ? i : i % height * WIDTH + i / height; /* all but the first two transpose */
            if (result[i] != (i < WIDTH * height ? there : -1) && wrong++ < 10)
                fprintf(stderr, "%s: element %d is %d\n", layouts[k].name, i, result[i]);
        }
        printf("%-28s %5d %6d %17d %6d\n", layouts[k].name, layouts[k].loads, layouts[k].stores,
               layouts[k].published_loads, layouts[k].published_stores);
    }
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
