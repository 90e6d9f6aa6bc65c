/* shared_layout: what the layout of a tile costs. 11 kernels write the numbers of a block's threads to shared memory in
 * one order and read them in another. Their wavefronts follow from the source; ncu reads them on a GPU as
 * smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum and ..._op_st.sum.
 *   usage: shared_layout     a table: kernel, loads and stores as counted here, loads and stores of a tutorial
 *   build: nvcc -O3 -arch=native -Iinclude -o shared_layout examples/shared_layout.cu
 *      or: gcc -O2 -Iinclude -x c examples/shared_layout.cu -o shared_layout -lm -lpthread */
#include <cmk/cmk.h>

#define WIDTH 32 /* of every tile and block: a row of threads is a warp */
#define THREAD ((int)(threadIdx.y * WIDTH + threadIdx.x))

/* the pads with which a column of the square has no conflicts, and two columns of the rectangle, 16 rows high, as a
 * warp of a block 16 wide reads them: thread t row t % 16 of column t / 16 */
enum { pad_32 = CMK_TILE_PAD(int, WIDTH, COLUMNS, 32), pad_16 = CMK_TILE_PAD(int, WIDTH, COLUMNS, 16) };

/* A warp writes a row and reads a row. A conflict in a kernel with an assertion stops the build and names the pad. */
__global__ void rows_rows(int *out)
{
    CMK_TILE(int, tile, 32, WIDTH, 0);
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, WIDTH, ROWS, 32);
    const int t = THREAD;
    CMK_TILE_SET(tile, t / 32, t % 32, t);
    __syncthreads();
    CMK_STORE(&out[t], CMK_TILE_GET(tile, t / 32, t % 32));
}

/* A column lies in one bank: 32 wavefronts for each of the 32 warps. */
__global__ void columns_columns(int *out)
{
    CMK_TILE(int, tile, 32, WIDTH, 0);
    const int t = THREAD;
    CMK_TILE_SET(tile, t % 32, t / 32, t);
    __syncthreads();
    CMK_STORE(&out[t], CMK_TILE_GET(tile, t % 32, t / 32));
}

__global__ void rows_columns(int *out)
{
    CMK_TILE(int, tile, 32, WIDTH, 0);
    const int t = THREAD;
    CMK_TILE_SET(tile, t / 32, t % 32, t);
    __syncthreads();
    CMK_STORE(&out[t], CMK_TILE_GET(tile, t % 32, t / 32));
}

__global__ void columns_rows(int *out)
{
    CMK_TILE(int, tile, 32, WIDTH, 0);
    const int t = THREAD;
    CMK_TILE_SET(tile, t % 32, t / 32, t);
    __syncthreads();
    CMK_STORE(&out[t], CMK_TILE_GET(tile, t / 32, t % 32));
}

/* in dynamic shared memory */
__global__ void rows_columns_dyn(int *out)
{
    CMK_TILE_AT(int, tile, 0, WIDTH, 0);
    const int t = THREAD;
    CMK_TILE_SET(tile, t / 32, t % 32, t);
    __syncthreads();
    CMK_STORE(&out[t], CMK_TILE_GET(tile, t % 32, t / 32));
}

/* The tutorial's padded square reads rows, though its name says columns: with the same figures. */
__global__ void rows_columns_pad(int *out)
{
    CMK_TILE(int, tile, 32, WIDTH, pad_32);
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, WIDTH, ROWS, 32);
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, WIDTH, COLUMNS, 32);
    const int t = THREAD;
    CMK_TILE_SET(tile, t / 32, t % 32, t);
    __syncthreads();
    CMK_STORE(&out[t], CMK_TILE_GET(tile, t % 32, t / 32));
}

__global__ void rows_columns_dyn_pad(int *out)
{
    CMK_TILE_AT(int, tile, 0, WIDTH, pad_32);
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, WIDTH, ROWS, 32);
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, WIDTH, COLUMNS, 32);
    const int t = THREAD;
    CMK_TILE_SET(tile, t / 32, t % 32, t);
    __syncthreads();
    CMK_STORE(&out[t], CMK_TILE_GET(tile, t % 32, t / 32));
}

/* 16 rows high */
__global__ void rectangle(int *out)
{
    CMK_TILE(int, tile, 16, WIDTH, 0);
    const int t = THREAD;
    CMK_TILE_SET(tile, t / 32, t % 32, t);
    __syncthreads();
    CMK_STORE(&out[t], CMK_TILE_GET(tile, t % 16, t / 16));
}

__global__ void rectangle_pad(int *out)
{
    CMK_TILE(int, tile, 16, WIDTH, pad_16);
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, WIDTH, ROWS, 32);
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, WIDTH, COLUMNS, 16);
    const int t = THREAD;
    CMK_TILE_SET(tile, t / 32, t % 32, t);
    __syncthreads();
    CMK_STORE(&out[t], CMK_TILE_GET(tile, t % 16, t / 16));
}

__global__ void rectangle_dyn(int *out)
{
    CMK_TILE_AT(int, tile, 0, WIDTH, 0);
    const int t = THREAD;
    CMK_TILE_SET(tile, t / 32, t % 32, t);
    __syncthreads();
    CMK_STORE(&out[t], CMK_TILE_GET(tile, t % 16, t / 16));
}

__global__ void rectangle_dyn_pad(int *out)
{
    CMK_TILE_AT(int, tile, 0, WIDTH, pad_16);
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, WIDTH, ROWS, 32);
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, WIDTH, COLUMNS, 16);
    const int t = THREAD;
    CMK_TILE_SET(tile, t / 32, t % 32, t);
    __syncthreads();
    CMK_STORE(&out[t], CMK_TILE_GET(tile, t % 16, t / 16));
}

/* ---- the program: every kernel run, its result checked, its wavefronts as the compiler counts them */

typedef struct {
    const char *name;
    void (*kernel)(int *);
    int rows;
    size_t dynamic_bytes;
    int load_degree, store_degree; /* wavefronts of an access of a warp; the block has as many warps as rows */
    int published_loads, published_stores;
} layout;

#define DEGREE(PAD, WAY, BLOCK_X) CMK_TILE_DEGREE(int, WIDTH + (PAD), WAY, BLOCK_X)
#define BYTES(ROWS, PAD) CMK_TILE_BYTES(int, ROWS, WIDTH, PAD)
static const layout layouts[] = {
    {"rows_rows", rows_rows, 32, 0, DEGREE(0, ROWS, 32), DEGREE(0, ROWS, 32), 32, 32},
    {"columns_columns", columns_columns, 32, 0, DEGREE(0, COLUMNS, 32), DEGREE(0, COLUMNS, 32), 1024, 1024},
    {"rows_columns", rows_columns, 32, 0, DEGREE(0, COLUMNS, 32), DEGREE(0, ROWS, 32), 1024, 32},
    {"columns_rows", columns_rows, 32, 0, DEGREE(0, ROWS, 32), DEGREE(0, COLUMNS, 32), 32, 1024},
    {"rows_columns_dyn", rows_columns_dyn, 32, BYTES(32, 0), DEGREE(0, COLUMNS, 32), DEGREE(0, ROWS, 32), 1024, 32},
    {"rows_columns_pad", rows_columns_pad, 32, 0, DEGREE(pad_32, COLUMNS, 32), DEGREE(pad_32, ROWS, 32), 32, 32},
    {"rows_columns_dyn_pad", rows_columns_dyn_pad, 32, BYTES(32, pad_32), DEGREE(pad_32, COLUMNS, 32),
     DEGREE(pad_32, ROWS, 32), 32, 32},
    {"rectangle", rectangle, 16, 0, DEGREE(0, COLUMNS, 16), DEGREE(0, ROWS, 32), 256, 16},
    {"rectangle_pad", rectangle_pad, 16, 0, DEGREE(pad_16, COLUMNS, 16), DEGREE(pad_16, ROWS, 32), 16, 16},
    {"rectangle_dyn", rectangle_dyn, 16, BYTES(16, 0), DEGREE(0, COLUMNS, 16), DEGREE(0, ROWS, 32), 256, 16},
    {"rectangle_dyn_pad", rectangle_dyn_pad, 16, BYTES(16, pad_16), DEGREE(pad_16, COLUMNS, 16),
     DEGREE(pad_16, ROWS, 32), 16, 16},
};

int main(int argc, char **argv)
{
    static int result[WIDTH * 32];
    int *out, wrong = 0;
    if (argc != 1) {
        fprintf(stderr, "usage: shared_layout, without arguments, not %s\n", argv[1]);
        return EXIT_FAILURE;
    }
    CMK_CHECK(cudaMalloc((void **)&out, sizeof result));
    printf("wavefronts of a block        loads stores  published: loads stores\n");
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; ++k) {
        const layout *const it = &layouts[k];
        CMK_CHECK(cudaMemset(out, 0xFF, sizeof result)); /* -1 */
        CMK_CHECK(CMK_LAUNCH(it->kernel, 1, dim3(WIDTH, (unsigned)it->rows), it->dynamic_bytes, 0, out));
        CMK_CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
        for (int i = 0; i < WIDTH * 32; ++i) {
            const int read = k < 2 ? i : i % it->rows * WIDTH + i / it->rows; /* all but the first two transpose */
            const int expected = i < WIDTH * it->rows ? read : -1;
            if (result[i] == expected) continue;
            if (wrong < 10) fprintf(stderr, "%s: element %d is %d, not %d\n", it->name, i, result[i], expected);
            ++wrong;
        }
        printf("%-28s %5d %6d %17d %6d\n", it->name, it->rows * it->load_degree, it->rows * it->store_degree,
               it->published_loads, it->published_stores);
    }
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
