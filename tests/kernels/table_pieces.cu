/* A data set that is larger than a table goes through it piece by piece; the last piece is short. A program of its own,
 * since the CONSTANT table takes all 64 KB of the module. */
#include <cmk/cmk.h>
#include "tap.h"

enum { THREADS = 64, WHOLE_PIECES = 10, LARGEST = 16384, LONGEST = WHOLE_PIECES * LARGEST + LARGEST / 3 };

/* adds the elements of one piece of the data set, which begins at its element start, each with a weight that differs
 * from thread to thread; all sums are whole numbers below 2^53 */
#define WEIGHT(k, thread) (double)((k) % 31 * ((thread) + 1) % 29)

#define SUMS(SOURCE, name, COUNT)                                                                                      \
    CMK_TABLE(SOURCE, float, name, [COUNT]);                                                                           \
    static __global__ void name##_add(double *sums, int start, int count, CMK_TABLE_PARAMETER(name))                   \
    {                                                                                                                  \
        double sum = 0.0;                                                                                              \
        for (int k = 0; k < count; ++k) sum += CMK_TABLE_AT(name, k) * WEIGHT(start + k, (int)threadIdx.x);            \
        sums[threadIdx.x] += sum;                                                                                      \
    }                                                                                                                  \
    static void name##_piece(double *sums, const float *data, int start, int count, cudaStream_t stream, int wait)     \
    {                                                                                                                  \
        if (wait)                                                                                                      \
            CMK_CHECK(CMK_TABLE_UPLOAD(name, data + start, 0, (size_t)count));                                         \
        else                                                                                                           \
            CMK_CHECK(CMK_TABLE_UPLOAD_ASYNC(name, data + start, 0, (size_t)count, stream));                           \
        CMK_CHECK(CMK_LAUNCH(name##_add, 1, THREADS, 0, stream, sums, start, count, name));                            \
    }

SUMS(CONSTANT, constant, LARGEST)
SUMS(PARAMETER, parameter, 4096)
SUMS(GLOBAL, global, LARGEST)

typedef void (*piece_function)(double *sums, const float *data, int start, int count, cudaStream_t stream, int wait);

static int wrong_sums(piece_function piece, int size, int wait, double *sums)
{
    static float data[LONGEST];
    const int count = WHOLE_PIECES * size + size / 3;
    double results[THREADS];
    int wrong = 0;
    cudaStream_t stream = NULL;
    for (int k = 0; k < count; ++k) data[k] = (float)(k * 7919ll % 1021);
    if (!wait) CMK_CHECK(cudaStreamCreate(&stream));
    CMK_CHECK(cudaMemset(sums, 0, sizeof results));
    for (int start = 0; start < count; start += size)
        piece(sums, data, start, start + size < count ? size : count - start, stream, wait);
    CMK_CHECK(cudaDeviceSynchronize());
    CMK_CHECK(cudaMemcpy(results, sums, sizeof results, cudaMemcpyDeviceToHost));
    if (!wait) CMK_CHECK(cudaStreamDestroy(stream));
    for (int thread = 0; thread < THREADS; ++thread) {
        double sum = 0.0;
        for (int k = 0; k < count; ++k) sum += data[k] * WEIGHT(k, thread);
        wrong += results[thread] != sum;
    }
    return wrong;
}

static void data_set(const char *source, piece_function piece, int size, double *sums)
{
    const int wrong = wrong_sums(piece, size, 1, sums) + wrong_sums(piece, size, 0, sums);
    tap_check(wrong == 0, "%s: %d pieces of %d elements and one of %d, each waited for and in a stream: %d sums wrong",
              source, WHOLE_PIECES, size, size / 3, wrong);
}

int main(void)
{
    double *sums = NULL;
    tap_need_device();
    CMK_CHECK(cudaMalloc((void **)&sums, THREADS * sizeof(double)));
    data_set("CONSTANT", constant_piece, 4096, sums);
    data_set("CONSTANT", constant_piece, LARGEST, sums);
    data_set("PARAMETER", parameter_piece, 4096, sums);
    data_set("GLOBAL", global_piece, 4096, sums);
    data_set("GLOBAL", global_piece, LARGEST, sums);
    CMK_CHECK(cudaFree(sums));
    return tap_done();
}
