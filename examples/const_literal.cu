/* const_literal: coefficients in five places, and how PTX loads them; their update; data through constants in pieces.
 *   usage: const_literal [ROUNDS [BLOCKS]]    rounds of the loop (65536), blocks of 256 threads (1056, on a CPU 1)
 *   build: nvcc -O3 -arch=native -Iinclude -o const_literal examples/const_literal.cu
 *      or: gcc -O2 -Iinclude -x c examples/const_literal.cu -o const_literal -lm -lpthread */
#define _DEFAULT_SOURCE 1 /* popen, setenv */
#include <cmk/cmk.h>
#define STOP(...) (fprintf(stderr, "const_literal: " __VA_ARGS__), exit(EXIT_FAILURE))
enum { BLOCK = 256, PIECE = 16376, WORDS = 16 * PIECE }; /* a piece: 64 KB of constants, less A to D twice */
enum { A = 0x55555555, B = 0x00770000, C = 0x73ffffff, D = 0x00001100 }; /* the coefficients */

/* Without the sums a compiler makes two operations of the sixteen that four rounds with literals have. */
#define LOOP(name, AT, ...)                                                                                            \
    __global__ void loop_##name(unsigned *out, __VA_ARGS__)                                                            \
    {                                                                                                                  \
        unsigned d = threadIdx.x;                                                                                      \
        for (unsigned i = 0; i < rounds; ++i) {                                                                        \
            d = (d ^ AT(name, 0)) + i, d = (d | AT(name, 1)) + i;                                                      \
            d = (d & AT(name, 2)) + i, d = (d | AT(name, 3)) + i;                                                      \
        }                                                                                                              \
        CMK_STORE(&out[blockIdx.x * BLOCK + threadIdx.x], d);                                                          \
    }
#define TABLE_LOOP(SOURCE, name)                                                                                       \
    CMK_TABLE_VALUES(SOURCE, unsigned, name, [4], A, B, C, D);                                                         \
    LOOP(name, CMK_TABLE_AT, unsigned rounds, CMK_TABLE_PARAMETER(name))
#define SCALAR(name, k) scalar_##k
static __constant__ const unsigned scalar_0 = A, scalar_1 = B, scalar_2 = C, scalar_3 = D;
LOOP(scalars, SCALAR, unsigned rounds)
TABLE_LOOP(LITERAL, literal)
TABLE_LOOP(CONSTANT, constant)
TABLE_LOOP(PARAMETER, parameter)
TABLE_LOOP(GLOBAL, global)
#define DIGEST(SOURCE, table, COUNT)                                                                                   \
    CMK_TABLE(SOURCE, unsigned, table, [COUNT]);                                                                       \
    __global__ void digest_##table(unsigned *out, int first)                                                           \
    {                                                                                                                  \
        unsigned *const at = &out[blockIdx.x * BLOCK + threadIdx.x], d = first ? threadIdx.x : CMK_LOAD(at);           \
        for (unsigned i = 0; i < COUNT; ++i) d = (31 * d) ^ CMK_TABLE_AT(table, i);                                    \
        CMK_STORE(at, d);                                                                                              \
    }
DIGEST(CONSTANT, piece, PIECE)
DIGEST(GLOBAL, whole, WORDS)
static const char *const names[] = {"literal", "scalars", "constant", "parameter", "global", "in pieces", "at once"};
static unsigned rounds = 65536, blocks = 1, *result, *data, *out; /* out on the device */

static cudaError_t run(int version)
{
    if (version == 0) return CMK_LAUNCH(loop_literal, blocks, BLOCK, 0, 0, out, rounds, literal);
    if (version == 1) return CMK_LAUNCH(loop_scalars, blocks, BLOCK, 0, 0, out, rounds);
    if (version == 2) return CMK_LAUNCH(loop_constant, blocks, BLOCK, 0, 0, out, rounds, constant);
    if (version == 3) return CMK_LAUNCH(loop_parameter, blocks, BLOCK, 0, 0, out, rounds, parameter);
    if (version == 4) return CMK_LAUNCH(loop_global, blocks, BLOCK, 0, 0, out, rounds, global);
    if (version == 6) CMK_CHECK(CMK_TABLE_UPLOAD_ASYNC(whole, data, 0, WORDS, 0));
    if (version == 6) return CMK_LAUNCH(digest_whole, blocks, BLOCK, 0, 0, out, 1);
    for (unsigned at = 0; at < WORDS; at += PIECE) { /* in one stream, so each upload waits for the launch before it */
        CMK_CHECK(CMK_TABLE_UPLOAD_ASYNC(piece, data + at, 0, PIECE, 0));
        CMK_CHECK(CMK_LAUNCH(digest_piece, blocks, BLOCK, 0, 0, out, at == 0));
    }
    return cudaSuccess;
}

static void show(int version, const unsigned *v, const char *note) /* v: the coefficients */
{
    float ms;
    CMK_CHECK(cudaMemset(out, 0xFF, blocks * BLOCK * sizeof *out));
    CMK_CHECK_TIME(ms, 30, run(version));
    CMK_CHECK(cudaMemcpy(result, out, blocks * BLOCK * sizeof *out, cudaMemcpyDeviceToHost));
    for (unsigned thread = 0; thread < BLOCK; ++thread) {
        unsigned d = thread;
        for (unsigned i = 0; i < rounds && version < 5; ++i)
            d = (((((((d ^ v[0]) + i) | v[1]) + i) & v[2]) + i) | v[3]) + i;
        for (unsigned i = 0; i < WORDS && version > 4; ++i) d = (31 * d) ^ data[i];
        for (unsigned i = thread; i < blocks * BLOCK; i += BLOCK)
            if (result[i] != d) STOP("%s: thread %u: %u, not %u\n", names[version], i, result[i], d);
    }
    printf("%-10s %10.3f   %s\n", names[version], ms, note);
}

/* finds how each version loads its coefficients; 0 without nvcc, this file, and cmk in CMK_INCLUDE or ../include */
static int read_ptx(char loads[5][32])
{
    const char *const command =
        "command -v nvcc >/dev/null && [ -r \"$CMK_FILE\" ] && cd \"$(dirname \"$CMK_FILE\")\" && "
        "nvcc -O3 -ptx -I\"${CMK_INCLUDE:-../include}\" -o - \"./$(basename \"$CMK_FILE\")\"";
    FILE *const ptx = setenv("CMK_FILE", __FILE__, 1) == 0 ? popen(command, "r") : NULL;
    char line[4096];
    for (int version = -1; ptx != NULL && fgets(line, sizeof line, ptx) != NULL;) {
        const char *const load = strstr(line, "\tld.");
        if (strstr(line, ".entry") != NULL)
            for (version = 4; version >= 0 && strstr(line, names[version]) == NULL;) --version;
        if (load == NULL || version < 0 || strstr(line, "_param_0]") || strstr(line, "_param_1]")) continue;
        sscanf(load, "%31s", loads[version]); /* not of out, not of rounds */
    }
    return ptx != NULL && pclose(ptx) == 0;
}

int main(int argc, char **argv)
{
    static const unsigned first[] = {A, B, C, D}, second[] = {0xaaaaaaaa, 0x00e00000, 0xff3fffff, 0x80000000};
    char loads[5][32] = {"none", "none", "none", "none", "none"}, rest;
#if defined(__CUDACC__)
    blocks = 1056;
#endif
    if (argc > 3 || (argc > 1 && sscanf(argv[1], "%9u%c", &rounds, &rest) != 1) || rounds - 1 > 1u << 30 ||
        (argc > 2 && sscanf(argv[2], "%9u%c", &blocks, &rest) != 1) || blocks - 1 >= 1u << 20)
        STOP("usage: const_literal [ROUNDS 1 to 999999999 [BLOCKS 1 to 1048576]]\n");
    CMK_CHECK(cudaMalloc((void **)&out, blocks * BLOCK * sizeof *out));
    CMK_CHECK(cudaMallocHost((void **)&result, blocks * BLOCK * sizeof *out));
    CMK_CHECK(cudaMallocHost((void **)&data, WORDS * sizeof *data));
    const int known = read_ptx(loads);
    printf("version            ms   %s\n", known ? "loads of coefficients in PTX" : "no PTX: no nvcc, source or cmk");
    for (int k = 0; k < 5; ++k) show(k, first, known ? loads[k] : "");
    CMK_CHECK(CMK_TABLE_UPLOAD(constant, second, 0, 4));
    CMK_CHECK(CMK_TABLE_UPLOAD(parameter, second, 0, 4));
    CMK_CHECK(CMK_TABLE_UPLOAD(global, second, 0, 4));
    for (int k = 2; k < 5; ++k) show(k, second, "with other coefficients, uploaded");
    for (unsigned i = 0; i < WORDS; ++i) data[i] = (unsigned)rand();
    show(5, NULL, "for 1 MB in pieces of 64 KB, each uploaded to constant memory, then read");
    show(6, NULL, "for the same 1 MB, uploaded to global memory, then read");
    return EXIT_SUCCESS;
}
