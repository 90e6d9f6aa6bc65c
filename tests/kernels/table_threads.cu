/* Two host threads, each with a stream and filters of its own, launch one kernel text at the same time. LITERAL has a
 * table for each thread; the other sources have one table with slots, of which a thread takes one in each round and
 * releases it behind the launch; where there is one slot for both, a thread tries until it gets it. Nothing waits for
 * the GPU before the end of a batch, so that the launches of both threads overlap. All sums are whole numbers that a
 * float holds. */
#include <pthread.h>
#include <cmk/cmk.h>
#include "tap.h"

#if !defined(__CUDACC__) && CMK_HOST_TSAN_
enum { ROUNDS = 100, OUT = 2 }; /* ThreadSanitizer makes a thread of every CUDA thread */
#else
enum { ROUNDS = 1000, OUT = 16 };
#endif

enum { SIDE = 5, IN = OUT + SIDE - 1, BATCH = 50, TAPS = SIDE * SIDE };

#define FILTER(k, thread, round) (float)(((k)*7 + (round)*13 + (thread)*5) % 23 - 11)
#define SAMPLE(y, x) (float)(((y)*31 + (x)*17) % 41)
/* clang-format off */
#define ROW(thread, k) {FILTER(k, thread, 0), FILTER((k) + 1, thread, 0), FILTER((k) + 2, thread, 0), \
                        FILTER((k) + 3, thread, 0), FILTER((k) + 4, thread, 0)}
/* clang-format on */
#define FILTER_ROWS(thread) ROW(thread, 0), ROW(thread, 5), ROW(thread, 10), ROW(thread, 15), ROW(thread, 20)

#if defined(__CUDA_ARCH__)
#define DELAY() __nanosleep(10000) /* the other thread goes on meanwhile */
#else
#define DELAY() (void)0
#endif

#define CONVOLUTION(name)                                                                                              \
    static __global__ void name##_kernel(const float *in, float *out, CMK_TABLE_PARAMETER(name))                       \
    {                                                                                                                  \
        const int x = (int)threadIdx.x, y = (int)threadIdx.y;                                                          \
        float sum = 0.0f;                                                                                              \
        DELAY();                                                                                                       \
        CMK_UNROLL                                                                                                     \
        for (int r = 0; r < SIDE; ++r) {                                                                               \
            CMK_UNROLL                                                                                                 \
            for (int c = 0; c < SIDE; ++c) sum += CMK_TABLE_AT(name, r, c) * in[(y + r) * IN + x + c];                 \
        }                                                                                                              \
        out[y * OUT + x] = sum;                                                                                        \
    }

typedef cudaError_t (*filter_function)(const float *filter, const float *in, float *out, cudaStream_t stream);

#define LITERAL_FILTER(name, thread)                                                                                   \
    CMK_TABLE_VALUES(LITERAL, float, name, [SIDE][SIDE], FILTER_ROWS(thread));                                         \
    CONVOLUTION(name)                                                                                                  \
    static cudaError_t name##_filter(const float *filter, const float *in, float *out, cudaStream_t stream)            \
    {                                                                                                                  \
        (void)filter;                                                                                                  \
        return CMK_LAUNCH(name##_kernel, 1, dim3(OUT, OUT), 0, stream, in, out, name);                                 \
    }

#define SLOT_FILTER(SOURCE, name, SLOTS)                                                                               \
    CMK_TABLE_SLOTS(SOURCE, float, name, [SIDE][SIDE], SLOTS);                                                         \
    CONVOLUTION(name)                                                                                                  \
    static cudaError_t name##_filter(const float *filter, const float *in, float *out, cudaStream_t stream)            \
    {                                                                                                                  \
        name##_table slot;                                                                                             \
        cudaError_t error;                                                                                             \
        do error = CMK_TABLE_TAKE(name, slot, filter, stream);                                                         \
        while (SLOTS == 1 && error == cudaErrorNotReady);                                                              \
        if (error == cudaSuccess) error = CMK_LAUNCH(name##_kernel, 1, dim3(OUT, OUT), 0, stream, in, out, slot);      \
        return error == cudaSuccess ? CMK_TABLE_RELEASE(name, slot, stream) : error;                                   \
    }

LITERAL_FILTER(literal_0, 0)
LITERAL_FILTER(literal_1, 1)
SLOT_FILTER(CONSTANT, constant, 2)
SLOT_FILTER(CONSTANT, constant_alone, 1)
SLOT_FILTER(PARAMETER, parameter, 2)
SLOT_FILTER(GLOBAL, global, 2)
SLOT_FILTER(GLOBAL, global_alone, 1)

typedef struct {
    filter_function filter;
    const float *in;
    int number, changing; /* of the thread; whether each round has another filter */
    int errors, wrong;
} worker;

static int wrong_round(const float *out, int number, int round)
{
    int wrong = 0;
    for (int k = 0; k < OUT * OUT; ++k) {
        double sum = 0.0;
        for (int tap = 0; tap < TAPS; ++tap)
            sum += (double)FILTER(tap, number, round) * SAMPLE(k / OUT + tap / SIDE, k % OUT + tap % SIDE);
        wrong += out[k] != sum;
    }
    return wrong;
}

static int batch(worker *work, int first, float *device, float *results, cudaStream_t stream)
{
    const size_t bytes = BATCH * OUT * OUT * sizeof(float);
    float filter[TAPS];
    int wrong = 0;
    CMK_CHECK(cudaMemsetAsync(device, 0xFF, bytes, stream));
    for (int round = first; round < first + BATCH; ++round) {
        for (int tap = 0; tap < TAPS; ++tap) filter[tap] = FILTER(tap, work->number, work->changing * round);
        work->errors += work->filter(filter, work->in, device + (round - first) * OUT * OUT, stream) != cudaSuccess;
    }
    CMK_CHECK(cudaMemcpyAsync(results, device, bytes, cudaMemcpyDeviceToHost, stream));
    CMK_CHECK(cudaStreamSynchronize(stream));
    for (int round = first; round < first + BATCH; ++round)
        wrong += wrong_round(results + (round - first) * OUT * OUT, work->number, work->changing * round) != 0;
    return wrong;
}

static void *work_on(void *memory)
{
    worker *work = (worker *)memory;
    float *device = NULL, *results = (float *)malloc(BATCH * OUT * OUT * sizeof(float));
    cudaStream_t stream = NULL;
    CMK_CHECK(cudaMalloc((void **)&device, BATCH * OUT * OUT * sizeof(float)));
    CMK_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int first = 0; first < ROUNDS; first += BATCH) work->wrong += batch(work, first, device, results, stream);
    CMK_CHECK(cudaStreamDestroy(stream));
    CMK_CHECK(cudaFree(device));
    free(results);
    return 0;
}

static void two_threads(const char *source, filter_function first, filter_function second, int changing,
                        const float *in)
{
    worker work[2] = {{first, in, 0, changing, 0, 0}, {second, in, 1, changing, 0, 0}};
    pthread_t threads[2];
    for (int k = 0; k < 2; ++k)
        if (pthread_create(&threads[k], 0, work_on, &work[k]) != 0) exit(2);
    for (int k = 0; k < 2; ++k)
        if (pthread_join(threads[k], 0) != 0) exit(2);
    tap_check(work[0].wrong + work[1].wrong + work[0].errors + work[1].errors == 0,
              "%s: two host threads, streams and filters, %d rounds each: %d and %d wrong, %d and %d errors", source,
              ROUNDS, work[0].wrong, work[1].wrong, work[0].errors, work[1].errors);
}

int main(void)
{
    float host_in[IN * IN], *in = NULL;
    tap_need_device();
    for (int k = 0; k < IN * IN; ++k) host_in[k] = SAMPLE(k / IN, k % IN);
    CMK_CHECK(cudaMalloc((void **)&in, sizeof host_in));
    CMK_CHECK(cudaMemcpy(in, host_in, sizeof host_in, cudaMemcpyHostToDevice));
    two_threads("LITERAL, a table and a kernel for each thread", literal_0_filter, literal_1_filter, 0, in);
    two_threads("CONSTANT, two slots of one table", constant_filter, constant_filter, 1, in);
    two_threads("CONSTANT, one slot", constant_alone_filter, constant_alone_filter, 1, in);
    two_threads("PARAMETER, two slots of one table", parameter_filter, parameter_filter, 1, in);
    two_threads("GLOBAL, two slots of one table", global_filter, global_filter, 1, in);
    two_threads("GLOBAL, one slot", global_alone_filter, global_alone_filter, 1, in);
    CMK_CHECK(cudaFree(in));
    return tap_done();
}
