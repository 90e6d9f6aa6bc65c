/* const_access: what reads of a constant table cost as the lanes of a warp spread over it, beside a global table.
 *   The CPU backend gives right sums and checks every access, but its times tell nothing of a GPU.
 *   usage: const_access [PATTERN|all [BLOCK [SUMS]]]
 *          PATTERN block, warp, thread or random; BLOCK 1 to 1024 (1024); SUMS (12800000, with all also 128000)
 *   build: nvcc -O3 -arch=native -Iinclude -o const_access examples/const_access.cu
 *      or: gcc -O2 -Iinclude -x c examples/const_access.cu -o const_access -lm -lpthread */
#include <cmk/cmk.h>
#define ENTRIES 16384 /* ints: all 64 KB of constant memory, so this file can have no other constants */
#define STOP(...) (fprintf(stderr, "const_access: " __VA_ARGS__), exit(EXIT_FAILURE))

/* One text for two kernels: SOURCE is the home of the table. The pattern is the same for all threads of a launch. */
#define ADDITION(name, SOURCE, table)                                                                                  \
    CMK_TABLE(SOURCE, int, table, [ENTRIES]);                                                                          \
    __global__ void name(int *sums, const int *inputs, unsigned count, int pattern)                                    \
    {                                                                                                                  \
        const unsigned block = blockIdx.x, thread = threadIdx.x, i = block * blockDim.x + thread;                      \
        const unsigned row = pattern == 0   ? block                                                                    \
                             : pattern == 1 ? thread / 32                                                              \
                             : pattern == 2 ? thread                                                                   \
                                            : thread * 1357;                                                           \
        if (i < count) CMK_STORE(&sums[i], CMK_LDG(&inputs[i]) + CMK_TABLE_AT(table, row % ENTRIES));                  \
    }
ADDITION(add_constant, CONSTANT, constant_values)
ADDITION(add_global, GLOBAL, global_values)

static const char *const names[] = {"block", "warp", "thread", "random", "all"};
static void (*const kernels[])(int *, const int *, unsigned, int) = {add_constant, add_global};
static int values[ENTRIES], *inputs, *result, *in, *out; /* in and out on the device */
static unsigned block_size = 1024;

/* the tutorial's milliseconds on an RTX 3090, 1024 threads a block: 12,800,000 and 128,000 sums, kernel, pattern */
static const double tutorial[2][2][4] = {
    {{0.151798, 0.164012, 0.281967, 1.2925}, {0.171404, 0.189501, 0.164649, 0.159621}},
    {{0.00289792, 0.00315392, 0.00596992, 0.0215347}, {0.00323584, 0.00359392, 0.00383264, 0.00482304}}};

static unsigned entry_of(int pattern, unsigned block, unsigned thread)
{
    const unsigned entries[] = {block, thread / 32, thread, 1357 * thread};
    return entries[pattern] % ENTRIES;
}

/* the different entries that a block's first warp reads: as many steps, of which all but one are replays */
static int entries_of_a_warp(int pattern)
{
    int different = 0;
    for (unsigned thread = 0; thread < 32 && thread < block_size; ++thread) {
        unsigned first = 0;
        while (entry_of(pattern, 0, first) != entry_of(pattern, 0, thread)) ++first;
        different += first == thread;
    }
    return different;
}

static cudaError_t launch(int kernel, int pattern, unsigned count, int times)
{
    cudaError_t error = cudaSuccess;
    for (int k = 0; k < times && error == cudaSuccess; ++k)
        error = CMK_LAUNCH(kernels[kernel], (count - 1) / block_size + 1, block_size, 0, 0, out, in, count, pattern);
    return error;
}

/* milliseconds of a launch; a short one is timed in batches of 20, beside which starting the clock takes no time */
static double checked_time(int kernel, int pattern, unsigned count)
{
    float ms;
    CMK_CHECK(cudaMemset(out, 0xFF, count * sizeof(int)));
    CMK_CHECK_TIME(ms, 1, launch(kernel, pattern, count, 1));
    CMK_CHECK(cudaMemcpy(result, out, count * sizeof(int), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < count; ++i) {
        const int wanted = inputs[i] + values[entry_of(pattern, i / block_size, i % block_size)];
        if (result[i] != wanted) STOP("%s: sum %u is %d, not %d\n", names[pattern], i, result[i], wanted);
    }
    if (ms > 1.0f) return ms;
    CMK_CHECK_TIME(ms, 30, launch(kernel, pattern, count, 20));
    return ms / 20.0f;
}

static void show(int pattern, unsigned count)
{
    const double constant = checked_time(0, pattern, count), global = checked_time(1, pattern, count);
    const double theirs = tutorial[count == 128000][0][pattern], their_global = tutorial[count == 128000][1][pattern];
    printf("%9u  %-7s %7d  %10.5f %10.5f %6.2f", count, names[pattern], entries_of_a_warp(pattern), constant, global,
           constant / global);
    if (block_size == 1024 && (count == 12800000 || count == 128000))
        printf("  %10.5f %10.5f %6.2f", theirs, their_global, theirs / their_global);
    printf("\n");
}

static unsigned number(const char *text, unsigned most) /* 0 if it is none from 1 to most */
{
    const unsigned long long value = strtoull(text, NULL, 10);
    return text[strspn(text, "0123456789")] == '\0' && value <= most ? (unsigned)value : 0;
}

int main(int argc, char **argv)
{
    const unsigned count = argc > 3 ? number(argv[3], 0x7fffffff) : 12800000;
    int pattern = 0;
    while (pattern < 5 && strcmp(argc > 1 ? argv[1] : "all", names[pattern])) ++pattern;
    block_size = argc > 2 ? number(argv[2], 1024) : block_size;
    inputs = (int *)malloc(count * sizeof(int));
    result = (int *)malloc(count * sizeof(int));
    if (argc > 4 || pattern == 5 || block_size == 0 || count == 0 || inputs == NULL || result == NULL)
        STOP("usage: const_access [block|warp|thread|random|all [BLOCK 1 to 1024 [SUMS 1 to what memory holds]]]\n");
    for (unsigned i = 0; i < count; ++i) inputs[i] = rand() / 2 - RAND_MAX / 4;
    for (unsigned i = 0; i < ENTRIES; ++i) values[i] = rand() / 2 - RAND_MAX / 4;
    CMK_CHECK(cudaMalloc((void **)&in, count * sizeof(int)));
    CMK_CHECK(cudaMalloc((void **)&out, count * sizeof(int)));
    CMK_CHECK(cudaMemcpy(in, inputs, count * sizeof(int), cudaMemcpyHostToDevice));
    CMK_CHECK(CMK_TABLE_UPLOAD(constant_values, values, 0, ENTRIES));
    CMK_CHECK(CMK_TABLE_UPLOAD(global_values, values, 0, ENTRIES));
    printf("blocks of %4u: a launch's ms       on this device            on the tutorial's RTX 3090\n"
           "     sums  pattern entries    constant     global  ratio    constant     global  ratio\n",
           block_size);
    for (int k = 0; k < 4; ++k)
        if (pattern == 4 || pattern == k) show(k, count);
    for (int k = 0; k < 4 && pattern == 4 && argc < 4; ++k) show(k, 128000);
    return EXIT_SUCCESS;
}
