/* const_access: what reads of a constant table cost as the lanes of a warp spread over it, beside a global table.
 *   The CPU backend gives right sums and checks every access, but its times tell nothing of a GPU.
 *   usage: const_access [PATTERN|all [BLOCK [SUMS]]]
 *          PATTERN block, warp, thread or random; BLOCK 1 to 1024 (1024); SUMS (12800000, with all also 128000)
 *   build: nvcc -O3 -arch=native -Iinclude -o const_access examples/const_access.cu
 *      or: gcc -O2 -Iinclude -x c examples/const_access.cu -o const_access -lm -lpthread */
#include <cmk/cmk.h>

#define ENTRIES 16384 /* ints: all 64 KB of constant memory, so this file can have no other constants */
CMK_TABLE(CONSTANT, int, constant_values, [ENTRIES]);
CMK_TABLE(GLOBAL, int, global_values, [ENTRIES]);

/* The entry of the table that a thread reads: one for the block, for its warp, for the thread, or scattered. All
 * threads of a launch have the same pattern. */
enum { BLOCK, WARP, THREAD, RANDOM, ALL };
CMK_FUNCTION unsigned entry_of(int pattern, unsigned block, unsigned thread)
{
    const unsigned row = pattern == BLOCK    ? block
                         : pattern == WARP   ? thread / 32
                         : pattern == THREAD ? thread
                                             : thread * 1357;
    return row % ENTRIES;
}

__global__ void add_constant(int *sums, const int *inputs, unsigned count, int pattern)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, entry = entry_of(pattern, blockIdx.x, threadIdx.x);
    if (i < count) CMK_STORE(&sums[i], CMK_LDG(&inputs[i]) + CMK_TABLE_AT(constant_values, entry));
}

__global__ void add_global(int *sums, const int *inputs, unsigned count, int pattern)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, entry = entry_of(pattern, blockIdx.x, threadIdx.x);
    if (i < count) CMK_STORE(&sums[i], CMK_LDG(&inputs[i]) + CMK_TABLE_AT(global_values, entry));
}

/* ---- the program: sums checked, times beside those of a tutorial */

#define STOP(...) (fprintf(stderr, "const_access: " __VA_ARGS__), exit(EXIT_FAILURE))

static const char *const names[] = {"block", "warp", "thread", "random", "all"};
static void (*const kernels[])(int *, const int *, unsigned, int) = {add_constant, add_global};

/* the tutorial's milliseconds on an RTX 3090, 1024 threads a block: 12,800,000 and 128,000 sums, kernel, pattern */
static const double tutorial[2][2][4] = {
    {{0.151798, 0.164012, 0.281967, 1.2925}, {0.171404, 0.189501, 0.164649, 0.159621}},
    {{0.00289792, 0.00315392, 0.00596992, 0.0215347}, {0.00323584, 0.00359392, 0.00383264, 0.00482304}}};

typedef struct {
    unsigned block_size;
    int *values, *inputs, *result; /* on the host */
    int *in, *out;                 /* on the device */
} problem;

/* the different entries that a block's first warp reads: as many steps, of which all but one are replays */
static int entries_of_a_warp(int pattern, unsigned block_size)
{
    int different = 0;
    for (unsigned thread = 0; thread < 32 && thread < block_size; ++thread) {
        unsigned first = 0;
        while (entry_of(pattern, 0, first) != entry_of(pattern, 0, thread)) ++first;
        if (first == thread) ++different;
    }
    return different;
}

static cudaError_t launch(const problem *p, int kernel, int pattern, unsigned count, int times)
{
    const unsigned blocks = (count - 1) / p->block_size + 1;
    cudaError_t error = cudaSuccess;
    for (int k = 0; k < times && error == cudaSuccess; ++k)
        error = CMK_LAUNCH(kernels[kernel], blocks, p->block_size, 0, 0, p->out, p->in, count, pattern);
    return error;
}

/* milliseconds of a launch; a short one is timed in batches of 20, beside which starting the clock takes no time */
static double checked_time(const problem *p, int kernel, int pattern, unsigned count)
{
    float ms;
    CMK_CHECK(cudaMemset(p->out, 0xFF, count * sizeof(int)));
    CMK_CHECK_TIME(ms, 1, launch(p, kernel, pattern, count, 1));
    CMK_CHECK(cudaMemcpy(p->result, p->out, count * sizeof(int), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < count; ++i) {
        const int wanted = p->inputs[i] + p->values[entry_of(pattern, i / p->block_size, i % p->block_size)];
        if (p->result[i] != wanted) STOP("%s: sum %u is %d, not %d\n", names[pattern], i, p->result[i], wanted);
    }
    if (ms > 1.0f) return ms;
    CMK_CHECK_TIME(ms, 30, launch(p, kernel, pattern, count, 20));
    return ms / 20.0f;
}

static void show(const problem *p, int pattern, unsigned count)
{
    const double constant = checked_time(p, 0, pattern, count), global = checked_time(p, 1, pattern, count);
    printf("%9u  %-7s %7d  %10.5f %10.5f %6.2f", count, names[pattern], entries_of_a_warp(pattern, p->block_size),
           constant, global, constant / global);
    if (p->block_size == 1024 && (count == 12800000 || count == 128000)) {
        const double theirs = tutorial[count == 128000][0][pattern], beside = tutorial[count == 128000][1][pattern];
        printf("  %10.5f %10.5f %6.2f", theirs, beside, theirs / beside);
    }
    printf("\n");
}

static unsigned read_number(const char *text, unsigned most) /* 0 if it is none from 1 to most */
{
    const unsigned long long value = strtoull(text, NULL, 10);
    return text[strspn(text, "0123456789")] == '\0' && value <= most ? (unsigned)value : 0;
}

int main(int argc, char **argv)
{
    problem p = {1024, NULL, NULL, NULL, NULL, NULL};
    unsigned count = 12800000;
    int pattern = BLOCK;
    while (pattern <= ALL && strcmp(argc > 1 ? argv[1] : "all", names[pattern]) != 0) ++pattern;
    if (argc > 2) p.block_size = read_number(argv[2], 1024);
    if (argc > 3) count = read_number(argv[3], 0x7fffffff);
    if (argc > 4 || pattern > ALL || p.block_size == 0 || count == 0)
        STOP("usage: const_access [block|warp|thread|random|all [BLOCK 1 to 1024 [SUMS 1 to what memory holds]]]\n");
    p.values = (int *)malloc(ENTRIES * sizeof(int));
    p.inputs = (int *)malloc(count * sizeof(int));
    p.result = (int *)malloc(count * sizeof(int));
    if (p.values == NULL || p.inputs == NULL || p.result == NULL) STOP("there is no memory for %u sums\n", count);
    for (unsigned i = 0; i < count; ++i) p.inputs[i] = rand() / 2 - RAND_MAX / 4;
    for (unsigned i = 0; i < ENTRIES; ++i) p.values[i] = rand() / 2 - RAND_MAX / 4;
    CMK_CHECK(cudaMalloc((void **)&p.in, count * sizeof(int)));
    CMK_CHECK(cudaMalloc((void **)&p.out, count * sizeof(int)));
    CMK_CHECK(cudaMemcpy(p.in, p.inputs, count * sizeof(int), cudaMemcpyHostToDevice));
    CMK_CHECK(CMK_TABLE_UPLOAD(constant_values, p.values, 0, ENTRIES));
    CMK_CHECK(CMK_TABLE_UPLOAD(global_values, p.values, 0, ENTRIES));
    printf("blocks of %4u: a launch's ms       on this device            on the tutorial's RTX 3090\n", p.block_size);
    printf("     sums  pattern entries    constant     global  ratio    constant     global  ratio\n");
    for (int k = BLOCK; k < ALL; ++k)
        if (pattern == ALL || pattern == k) show(&p, k, count);
    if (pattern == ALL && argc < 4)
        for (int k = BLOCK; k < ALL; ++k) show(&p, k, 128000);
    return EXIT_SUCCESS;
}
