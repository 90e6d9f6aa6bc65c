/* const_literal: coefficients in five places, and how PTX loads them; their update; data through constants in pieces.
 *   usage: const_literal [ROUNDS [BLOCKS]]    rounds of the loop (65536), blocks of 256 threads (1056, on a CPU 1)
 *   build: nvcc -O3 -arch=native -Iinclude -o const_literal examples/const_literal.cu
 *      or: gcc -O2 -Iinclude -x c examples/const_literal.cu -o const_literal -lm -lpthread */
#define _DEFAULT_SOURCE 1 /* popen, setenv */
#include <cmk/cmk.h>

enum { BLOCK = 256, PIECE = 16376, WORDS = 16 * PIECE }; /* a piece: 64 KB of constants, less A to D twice */
enum { A = 0x55555555, B = 0x00770000, C = 0x73ffffff, D = 0x00001100 }; /* the coefficients */

/* Without the sums a compiler makes two operations of the sixteen that four rounds with literals have. */
CMK_FUNCTION unsigned step(unsigned d, unsigned i, unsigned a, unsigned b, unsigned c, unsigned e)
{
    d = (d ^ a) + i;
    d = (d | b) + i;
    d = (d & c) + i;
    return (d | e) + i;
}

CMK_TABLE_VALUES(LITERAL, unsigned, literal, [4], A, B, C, D);
__global__ void loop_literal(unsigned *out, unsigned rounds, CMK_TABLE_PARAMETER(literal))
{
    unsigned d = threadIdx.x;
    for (unsigned i = 0; i < rounds; ++i)
        d = step(d, i, CMK_TABLE_AT(literal, 0), CMK_TABLE_AT(literal, 1), CMK_TABLE_AT(literal, 2),
                 CMK_TABLE_AT(literal, 3));
    CMK_STORE(&out[blockIdx.x * BLOCK + threadIdx.x], d);
}

CMK_TABLE_VALUES(CONSTANT, unsigned, constant, [4], A, B, C, D);
__global__ void loop_constant(unsigned *out, unsigned rounds, CMK_TABLE_PARAMETER(constant))
{
    unsigned d = threadIdx.x;
    for (unsigned i = 0; i < rounds; ++i)
        d = step(d, i, CMK_TABLE_AT(constant, 0), CMK_TABLE_AT(constant, 1), CMK_TABLE_AT(constant, 2),
                 CMK_TABLE_AT(constant, 3));
    CMK_STORE(&out[blockIdx.x * BLOCK + threadIdx.x], d);
}

CMK_TABLE_VALUES(PARAMETER, unsigned, parameter, [4], A, B, C, D);
__global__ void loop_parameter(unsigned *out, unsigned rounds, CMK_TABLE_PARAMETER(parameter))
{
    unsigned d = threadIdx.x;
    for (unsigned i = 0; i < rounds; ++i)
        d = step(d, i, CMK_TABLE_AT(parameter, 0), CMK_TABLE_AT(parameter, 1), CMK_TABLE_AT(parameter, 2),
                 CMK_TABLE_AT(parameter, 3));
    CMK_STORE(&out[blockIdx.x * BLOCK + threadIdx.x], d);
}

CMK_TABLE_VALUES(GLOBAL, unsigned, global, [4], A, B, C, D);
__global__ void loop_global(unsigned *out, unsigned rounds, CMK_TABLE_PARAMETER(global))
{
    unsigned d = threadIdx.x;
    for (unsigned i = 0; i < rounds; ++i)
        d = step(d, i, CMK_TABLE_AT(global, 0), CMK_TABLE_AT(global, 1), CMK_TABLE_AT(global, 2),
                 CMK_TABLE_AT(global, 3));
    CMK_STORE(&out[blockIdx.x * BLOCK + threadIdx.x], d);
}

static __constant__ const unsigned scalar_a = A, scalar_b = B, scalar_c = C, scalar_d = D;
__global__ void loop_scalars(unsigned *out, unsigned rounds)
{
    unsigned d = threadIdx.x;
    for (unsigned i = 0; i < rounds; ++i) d = step(d, i, scalar_a, scalar_b, scalar_c, scalar_d);
    CMK_STORE(&out[blockIdx.x * BLOCK + threadIdx.x], d);
}

/* data that every thread reads, larger than constant memory: a piece of it at a time, or all from global memory */
CMK_TABLE(CONSTANT, unsigned, piece, [PIECE]);
__global__ void digest_piece(unsigned *out, int first)
{
    unsigned *const at = &out[blockIdx.x * BLOCK + threadIdx.x], d = first ? threadIdx.x : CMK_LOAD(at);
    for (unsigned i = 0; i < PIECE; ++i) d = (31 * d) ^ CMK_TABLE_AT(piece, i);
    CMK_STORE(at, d);
}

CMK_TABLE(GLOBAL, unsigned, whole, [WORDS]);
__global__ void digest_whole(unsigned *out)
{
    unsigned d = threadIdx.x;
    for (unsigned i = 0; i < WORDS; ++i) d = (31 * d) ^ CMK_TABLE_AT(whole, i);
    CMK_STORE(&out[blockIdx.x * BLOCK + threadIdx.x], d);
}

/* ---- the program: results checked, times, what the compiler made of the loads */

#define STOP(...) (fprintf(stderr, "const_literal: " __VA_ARGS__), exit(EXIT_FAILURE))

typedef struct {
    unsigned rounds, blocks, *result, *data, *out; /* out on the device */
} problem;

enum { LOOPS = 5, IN_PIECES = 5, AT_ONCE = 6 };
static const char *const names[] = {"literal", "scalars", "constant", "parameter", "global", "in pieces", "at once"};

static cudaError_t run_in_pieces(const problem *p) /* in one stream, so each upload waits for the launch before it */
{
    for (unsigned at = 0; at < WORDS; at += PIECE) {
        CMK_CHECK(CMK_TABLE_UPLOAD_ASYNC(piece, p->data + at, 0, PIECE, 0));
        CMK_CHECK(CMK_LAUNCH(digest_piece, p->blocks, BLOCK, 0, 0, p->out, at == 0));
    }
    return cudaSuccess;
}

static cudaError_t run(const problem *p, int version)
{
    if (version == 0) return CMK_LAUNCH(loop_literal, p->blocks, BLOCK, 0, 0, p->out, p->rounds, literal);
    if (version == 1) return CMK_LAUNCH(loop_scalars, p->blocks, BLOCK, 0, 0, p->out, p->rounds);
    if (version == 2) return CMK_LAUNCH(loop_constant, p->blocks, BLOCK, 0, 0, p->out, p->rounds, constant);
    if (version == 3) return CMK_LAUNCH(loop_parameter, p->blocks, BLOCK, 0, 0, p->out, p->rounds, parameter);
    if (version == 4) return CMK_LAUNCH(loop_global, p->blocks, BLOCK, 0, 0, p->out, p->rounds, global);
    if (version == IN_PIECES) return run_in_pieces(p);
    CMK_CHECK(CMK_TABLE_UPLOAD_ASYNC(whole, p->data, 0, WORDS, 0));
    return CMK_LAUNCH(digest_whole, p->blocks, BLOCK, 0, 0, p->out);
}

static unsigned expected(const problem *p, int version, unsigned thread, const unsigned *v)
{
    unsigned d = thread;
    for (unsigned i = 0; i < p->rounds && version < LOOPS; ++i)
        d = (((((((d ^ v[0]) + i) | v[1]) + i) & v[2]) + i) | v[3]) + i;
    for (unsigned i = 0; i < WORDS && version >= LOOPS; ++i) d = (31 * d) ^ p->data[i];
    return d;
}

static void show(const problem *p, int version, const unsigned *coefficients, const char *note)
{
    const size_t bytes = p->blocks * BLOCK * sizeof *p->out;
    float ms;
    CMK_CHECK(cudaMemset(p->out, 0xFF, bytes));
    CMK_CHECK_TIME(ms, 30, run(p, version));
    CMK_CHECK(cudaMemcpy(p->result, p->out, bytes, cudaMemcpyDeviceToHost));
    for (unsigned thread = 0; thread < BLOCK; ++thread) {
        const unsigned d = expected(p, version, thread, coefficients);
        for (unsigned i = thread; i < p->blocks * BLOCK; i += BLOCK)
            if (p->result[i] != d) STOP("%s: thread %u: %u, not %u\n", names[version], i, p->result[i], d);
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

static unsigned read_number(const char *text, unsigned most) /* 0 if it is none from 1 to most */
{
    const unsigned long long value = strtoull(text, NULL, 10);
    return text[strspn(text, "0123456789")] == '\0' && value <= most ? (unsigned)value : 0;
}

int main(int argc, char **argv)
{
    static const unsigned first[] = {A, B, C, D}, second[] = {0xaaaaaaaa, 0x00e00000, 0xff3fffff, 0x80000000};
    char loads[LOOPS][32] = {"none", "none", "none", "none", "none"};
    problem p = {65536, 1, NULL, NULL, NULL};
#if defined(__CUDACC__)
    p.blocks = 1056;
#endif
    if (argc > 1) p.rounds = read_number(argv[1], 999999999);
    if (argc > 2) p.blocks = read_number(argv[2], 1u << 20);
    if (argc > 3 || p.rounds == 0 || p.blocks == 0)
        STOP("usage: const_literal [ROUNDS 1 to 999999999 [BLOCKS 1 to 1048576]]\n");
    CMK_CHECK(cudaMalloc((void **)&p.out, p.blocks * BLOCK * sizeof *p.out));
    CMK_CHECK(cudaMallocHost((void **)&p.result, p.blocks * BLOCK * sizeof *p.out));
    CMK_CHECK(cudaMallocHost((void **)&p.data, WORDS * sizeof *p.data));
    const int known = read_ptx(loads);
    printf("version            ms   %s\n", known ? "loads of coefficients in PTX" : "no PTX: no nvcc, source or cmk");
    for (int k = 0; k < LOOPS; ++k) show(&p, k, first, known ? loads[k] : "");
    CMK_CHECK(CMK_TABLE_UPLOAD(constant, second, 0, 4));
    CMK_CHECK(CMK_TABLE_UPLOAD(parameter, second, 0, 4));
    CMK_CHECK(CMK_TABLE_UPLOAD(global, second, 0, 4));
    for (int k = 2; k < LOOPS; ++k) show(&p, k, second, "with other coefficients, uploaded");
    for (unsigned i = 0; i < WORDS; ++i) p.data[i] = (unsigned)rand();
    show(&p, IN_PIECES, NULL, "for 1 MB in pieces of 64 KB, each uploaded to constant memory, then read");
    show(&p, AT_ONCE, NULL, "for the same 1 MB, uploaded to global memory, then read");
    return EXIT_SUCCESS;
}
