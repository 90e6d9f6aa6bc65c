/* stream.h: streams that wait for a word in memory, so that work can begin when a part of a kernel is done.
 *
 *   cudaError_t cmk_stream_wait_value(cudaStream_t stream, const unsigned *word, unsigned value);
 *                                       what follows in the stream runs once *word has reached value: once *word -
 *                                       value, as a signed number, is 0 or more
 *   cudaError_t cmk_stream_write_value(cudaStream_t stream, unsigned *word, unsigned value);
 *                                       *word = value, in the order of the stream
 *   void cmk_stream_arrive(unsigned *word);
 *                                       in a kernel, by one thread, behind a barrier that all writers of the block have
 *                                       reached: *word += 1. Who has waited for the word sees what they wrote
 *
 * word is device memory (cudaMalloc) on the device of the stream, at a multiple of 4 bytes. A wait takes no thread and
 * no block of the GPU. A wait for a value that never comes does not end. Launch the kernel that counts before the wait,
 * because streams may share a queue of the hardware.
 *
 * Both host functions may be captured into a graph. All its replays have the same word and value. So set the word back
 * to 0 ahead of the kernel, and make the waiting stream wait for an event behind that. Otherwise it might see the count
 * of the replay before.
 *
 * Errors: cudaErrorInvalidValue for a word that is null or misaligned, and cudaErrorNotSupported where the driver has
 * no such waits. An event behind the kernel then does the same, but later.
 *
 * A kernel runs 4 blocks on the stream `compute`. The stream `copies` wants what the first two of them have written:
 *
 *   __global__ void step(const float *in, float *out, unsigned *done)
 *   {
 *       CMK_STORE(&out[blockIdx.x * 32 + threadIdx.x], 2 * CMK_LDG(&in[blockIdx.x * 32 + threadIdx.x]));
 *       __syncthreads();
 *       if (blockIdx.x < 2 && threadIdx.x == 0) cmk_stream_arrive(done);
 *   }
 *   CMK_CHECK(cmk_stream_write_value(compute, done, 0));
 *   CMK_CHECK(cudaEventRecord(begun, compute));
 *   CMK_CHECK(CMK_LAUNCH(step, 4, 32, 0, compute, in, out, done));
 *   CMK_CHECK(cudaStreamWaitEvent(copies, begun, 0));
 *   CMK_CHECK(cmk_stream_wait_value(copies, done, 2));
 *   CMK_CHECK(cudaMemcpyAsync(ghosts, out, 64 * sizeof(float), cudaMemcpyDeviceToDevice, copies)); */
#ifndef CMK_STREAM_H
#define CMK_STREAM_H

#include "base.h"

CMK_INLINED_ void cmk_stream_arrive(unsigned *word)
{
    __threadfence_system();
    (void)atomicAdd(word, 1u);
}

#if CMK_HAS_HOST_

static inline cudaError_t cmk_stream_check_(const unsigned *word)
{
    return word != NULL && (size_t)word % sizeof *word == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

#if defined(__CUDACC__)

/* The driver's cuStreamWaitValue32 and cuStreamWriteValue32 are found through the runtime, so that a program need not
 * link the driver. Their results have the numbers of cudaError_t. With flags 0 they compare as described above. */
typedef int (*cmk_stream_driver_)(cudaStream_t stream, unsigned long long word, unsigned value, unsigned flags);

static inline cudaError_t cmk_stream_find_(const char *name, void **found)
{
#if CMK_TOOLKIT_ >= 1200
    void *call = __atomic_load_n(found, __ATOMIC_RELAXED);
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    if (call != NULL) return cudaSuccess;
    const cudaError_t error = CMK_DRIVER_ENTRY_(name, &call, &result);
    if (error != cudaSuccess) return error;
    if (result != cudaDriverEntryPointSuccess || call == NULL) return cudaErrorNotSupported;
    __atomic_store_n(found, call, __ATOMIC_RELAXED);
    return cudaSuccess;
#else
    (void)name, (void)found;
    return cudaErrorNotSupported;
#endif
}

static inline cudaError_t cmk_stream_call_(const char *name, void **found, cudaStream_t stream, const unsigned *word,
                                           unsigned value)
{
    cudaError_t error = cmk_stream_check_(word);
    if (error == cudaSuccess) error = cmk_stream_find_(name, found);
    if (error != cudaSuccess) return error;
    return (cudaError_t)((cmk_stream_driver_)*found)(stream, (unsigned long long)(size_t)word, value, 0);
}

__attribute__((unused)) static inline cudaError_t cmk_stream_wait_value(cudaStream_t stream, const unsigned *word,
                                                                        unsigned value)
{
    static void *found;
    return cmk_stream_call_("cuStreamWaitValue32", &found, stream, word, value);
}

__attribute__((unused)) static inline cudaError_t cmk_stream_write_value(cudaStream_t stream, unsigned *word,
                                                                         unsigned value)
{
    static void *found;
    return cmk_stream_call_("cuStreamWriteValue32", &found, stream, word, value);
}

#else

static inline cudaError_t cmk_stream_wait_value(cudaStream_t stream, const unsigned *word, unsigned value)
{
    const cudaError_t error = cmk_stream_check_(word);
    return error == cudaSuccess ? cmk_host_wait_value_(stream, word, value) : error;
}

static inline cudaError_t cmk_stream_write_value(cudaStream_t stream, unsigned *word, unsigned value)
{
    const cudaError_t error = cmk_stream_check_(word);
    return error == cudaSuccess ? cmk_host_write_value_(stream, word, value) : error;
}

#endif

#endif

#endif
