/* streams.cu: what streams, events, copies and graphs promise, whatever the order that a GPU or the CPU backend runs
 * them in: streams.py runs it under CMK_HOST_STREAMS=shuffle, too. */
#include <cmk/cmk.h>
#include "tap.h"

enum { COUNT = 64, BYTES = COUNT * (int)sizeof(int), BLOCK = 32 };

static __global__ void set(int *out, int value)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    CMK_STORE(&out[i], value + i);
}

static __global__ void add(const int *in, int *out)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    CMK_STORE(&out[i], CMK_LDG(&out[i]) + CMK_LDG(&in[i]));
}

static __constant__ int bias[1];

static __global__ void add_bias(int *out)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    CMK_STORE(&out[i], CMK_LDG(&out[i]) + bias[0]);
}

/* The first blocks write and count; those behind write only. */
static __global__ void set_and_count(int *out, int value, unsigned *word)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    CMK_STORE(&out[i], value + i);
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) cmk_stream_arrive(word);
}

#define MUST(call) CMK_CHECK(call)
#define SET(out, value, stream) MUST(CMK_LAUNCH(set, COUNT / BLOCK, BLOCK, 0, stream, out, value))
#define ADD(in, out, stream) MUST(CMK_LAUNCH(add, COUNT / BLOCK, BLOCK, 0, stream, in, out))

static int *a, *b, *c, *pinned;
static cudaStream_t one, two, apart;
static cudaEvent_t event;

/* host[i] is value + factor i */
static int is(const int *host, int value, int factor)
{
    int right = 1;
    for (int i = 0; i < COUNT; i++) right = right && host[i] == value + factor * i;
    return right;
}

static int has(const int *device, int value, int factor)
{
    int host[COUNT];
    MUST(cudaMemcpy(host, device, BYTES, cudaMemcpyDeviceToHost));
    return is(host, value, factor);
}

static void test_events(void)
{
    SET(a, 5, apart);
    MUST(cudaEventRecord(event, apart));
    MUST(cudaStreamWaitEvent(one, event, 0));
    SET(b, 7, one);
    ADD(a, b, one);
    tap_check(has(b, 12, 2), "a stream waits for an event of another");
    SET(a, 9, apart);
    MUST(cudaEventRecord(event, apart));
    MUST(cudaStreamWaitEvent(one, event, 0));
    MUST(cudaEventRecord(event, two)); /* the wait is for the record before */
    ADD(a, b, one);
    MUST(cudaStreamSynchronize(one));
    tap_check(has(b, 21, 3), "the wait is for the record that was there when it was called");
}

static void test_default_stream(void)
{
    SET(a, 1, one);
    SET(b, 2, two);
    ADD(a, b, 0);
    SET(a, 100, two);
    ADD(a, b, one);
    MUST(cudaStreamSynchronize(two));
    MUST(cudaStreamSynchronize(one));
    (void)has(a, 0, 0);
    SET(a, 3, one);
    MUST(cudaMemset(b, 0, BYTES));
    ADD(a, b, two);
    tap_check(has(b, 3, 1), "the default stream waits for streams that block, and they for it");
    SET(a, 3, cudaStreamPerThread);
    SET(b, 4, cudaStreamPerThread);
    ADD(a, b, cudaStreamPerThread);
    tap_check(has(b, 7, 2), "the default stream of a thread is in order");
}

static void test_copies(void)
{
    int host[COUNT];
    for (int i = 0; i < COUNT; i++) host[i] = 40 + i;
    MUST(cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, apart));
    memset(host, 0, sizeof host);
    MUST(cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDeviceToHost, apart));
    tap_check(is(host, 40, 1), "pageable memory is read before the call returns, and there when a copy to it returns");
    for (int i = 0; i < COUNT; i++) pinned[i] = 50 + i;
    MUST(cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, apart));
    MUST(cudaStreamSynchronize(apart));
    memset(pinned, 0, BYTES);
    MUST(cudaMemcpyAsync(b, a, BYTES, cudaMemcpyDefault, apart));
    MUST(cudaMemcpyAsync(pinned, b, BYTES, cudaMemcpyDefault, apart));
    MUST(cudaStreamSynchronize(apart));
    tap_check(is(pinned, 50, 1), "pinned memory, once the stream was waited for");
    MUST(cudaMemset2DAsync(a, 16, 0, 8, COUNT / 4, apart)); /* every other pair */
    MUST(cudaMemcpy2DAsync(b, 16, a, 16, 8, COUNT / 4, cudaMemcpyDeviceToDevice, apart));
    MUST(cudaStreamSynchronize(apart));
    MUST(cudaMemcpy(host, b, BYTES, cudaMemcpyDeviceToHost));
    int right = 1;
    for (int i = 0; i < COUNT; i++) right = right && host[i] == (i % 4 < 2 ? 0 : 50 + i);
    tap_check(right, "fills and copies of rectangles in order");
}

static void test_boxes(void)
{
    int host[COUNT];
    cudaMemcpy3DParms copy;
    memset(&copy, 0, sizeof copy);
    SET(a, 0, 0);
    MUST(cudaMemset(b, 0xff, BYTES));
    copy.srcPtr = make_cudaPitchedPtr(a, 16, 4, 4); /* 4 planes of 4 rows of 4 */
    copy.dstPtr = make_cudaPitchedPtr(b, 16, 4, 4);
    copy.srcPos = make_cudaPos(4, 1, 2);
    copy.dstPos = make_cudaPos(0, 2, 1);
    copy.extent = make_cudaExtent(12, 2, 2);
    copy.kind = cudaMemcpyDeviceToDevice;
    MUST(cudaMemcpy3DAsync(&copy, one));
    MUST(cudaStreamSynchronize(one));
    MUST(cudaMemcpy(host, b, BYTES, cudaMemcpyDeviceToHost));
    int right = 1;
    for (int i = 0; i < COUNT; i++) {
        const int x = i % 4, y = i / 4 % 4, z = i / 16;
        const int inside = x < 3 && y >= 2 && z >= 1 && z < 3;
        right = right && host[i] == (inside ? (z + 1) * 16 + (y - 1) * 4 + x + 1 : -1);
    }
    tap_check(right, "cudaMemcpy3D moves a box and nothing else");
}

static void test_calls(void)
{
    cudaStream_t passing;
    cudaEvent_t brief;
    int value = 3, least = -1, greatest = 1;
    MUST(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    tap_check(least >= greatest, "priorities from %d to %d", least, greatest);
    MUST(cudaStreamCreateWithPriority(&passing, cudaStreamNonBlocking, greatest));
    MUST(cudaEventCreateWithFlags(&brief, cudaEventDisableTiming));
    SET(a, value, passing);
    value = 8;
    SET(b, value, passing);
    value = 0;
    ADD(a, b, passing);
    MUST(cudaEventRecord(brief, passing));
    MUST(cudaStreamWaitEvent(one, brief, 0));
    MUST(cudaEventDestroy(brief));
    MUST(cudaStreamDestroy(passing));
    ADD(a, b, one);
    MUST(cudaStreamSynchronize(one));
    tap_check(has(b, 14, 3), "arguments are those of the call; what was in a destroyed stream is done");
}

static void test_queries(void)
{
    cudaEvent_t begin, end;
    float milliseconds = -1.0f;
    cudaError_t error = cudaErrorNotReady;
    MUST(cudaEventCreate(&begin));
    MUST(cudaEventCreate(&end));
    tap_check(cudaEventQuery(begin) == cudaSuccess, "an event that was never recorded is done");
    MUST(cudaEventRecord(begin, apart));
    SET(a, 1, apart);
    MUST(cudaEventRecord(end, apart));
    while (error == cudaErrorNotReady) error = cudaEventQuery(end);
    MUST(error);
    MUST(cudaEventElapsedTime(&milliseconds, begin, end));
    tap_check(milliseconds >= 0.0f && has(a, 1, 1), "an event is queried until it is done; the time between two");
    SET(a, 2, apart);
    error = cudaErrorNotReady;
    while (error == cudaErrorNotReady) error = cudaStreamQuery(apart);
    MUST(error);
    tap_check(has(a, 2, 1) && cudaGetLastError() == cudaSuccess, "a stream is queried until it is done");
    SET(a, 4, apart);
    MUST(cudaEventRecord(end, apart));
    MUST(cudaEventSynchronize(end));
    tap_check(has(a, 4, 1), "an event is waited for");
    MUST(cudaEventDestroy(begin));
    MUST(cudaEventDestroy(end));
}

static void double_all(void *data)
{
    for (int i = 0; i < COUNT; i++) ((int *)data)[i] *= 2;
}

static void test_host_function(void)
{
    SET(a, 6, apart);
    MUST(cudaMemcpyAsync(pinned, a, BYTES, cudaMemcpyDeviceToHost, apart));
    MUST(cudaLaunchHostFunc(apart, double_all, pinned));
    MUST(cudaMemcpyAsync(b, pinned, BYTES, cudaMemcpyHostToDevice, apart));
    MUST(cudaStreamSynchronize(apart));
    tap_check(has(b, 12, 2), "a function of the host, in the order of its stream");
}

static void test_symbols(void)
{
    int value = 5, back = 0;
    MUST(cudaMemcpyToSymbolAsync(bias, &value, sizeof value, 0, cudaMemcpyHostToDevice, apart));
    value = 100;
    SET(a, 1, apart);
    MUST(CMK_LAUNCH(add_bias, COUNT / BLOCK, BLOCK, 0, apart, a));
    MUST(cudaMemcpyToSymbolAsync(bias, &value, sizeof value, 0, cudaMemcpyHostToDevice, apart));
    MUST(cudaStreamSynchronize(apart));
    tap_check(has(a, 6, 1), "an upload is of its stream");
    MUST(cudaMemcpyFromSymbol(&back, bias, sizeof back));
    tap_check(back == 100, "a download waits");
}

/* Whether the driver has waits for words; a line of the test where it has not. */
static int has_waits(unsigned *word)
{
    const cudaError_t error = cmk_stream_write_value(one, word, 0);
    if (error == cudaErrorNotSupported) {
        (void)cudaGetLastError();
        tap_skip("waits for words", "the driver has none");
        return 0;
    }
    MUST(error);
    return 1;
}

static void test_words(void)
{
    unsigned *word;
    MUST(cudaMalloc((void **)&word, sizeof *word));
    if (!has_waits(word)) return;
    SET(a, 0, one);
    MUST(cmk_stream_write_value(one, word, 0));
    MUST(cudaEventRecord(event, one));
    MUST(CMK_LAUNCH(set_and_count, COUNT / BLOCK, BLOCK, 0, one, a, 70, word));
    MUST(cudaStreamWaitEvent(apart, event, 0));
    MUST(cmk_stream_wait_value(apart, word, 1));
    MUST(cudaMemsetAsync(b, 0, BYTES, apart));
    MUST(cudaMemcpyAsync(b, a, BLOCK * sizeof(int), cudaMemcpyDeviceToDevice, apart));
    MUST(cudaStreamSynchronize(apart));
    int host[COUNT], right = 1;
    MUST(cudaMemcpyAsync(host, b, BYTES, cudaMemcpyDeviceToHost, apart));
    for (int i = 0; i < COUNT; i++) right = right && host[i] == (i < BLOCK ? 70 + i : 0);
    tap_check(right, "a stream waits for the word that a kernel's first block counts");
    MUST(cudaDeviceSynchronize());
    tap_check(has(a, 70, 1), "and the rest of the kernel comes later");
    tap_check(cmk_stream_wait_value(one, NULL, 1) == cudaErrorInvalidValue, "a null word is refused");
    MUST(cudaFree(word));
    (void)cudaGetLastError();
}

/* ---- Graphs */
static cudaGraphExec_t capture_two_streams(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable = NULL;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    MUST(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    MUST(cudaStreamIsCapturing(one, &status));
    ADD(a, b, one); /* b += a */
    MUST(cudaEventRecord(event, one));
    MUST(cudaStreamWaitEvent(apart, event, 0));
    ADD(b, c, apart); /* c += b */
    ADD(b, a, one);   /* a += b */
    MUST(cudaEventRecord(event, apart));
    MUST(cudaStreamWaitEvent(one, event, 0));
    ADD(c, b, one); /* b += c */
    MUST(cudaStreamEndCapture(one, &graph));
    MUST(cudaGraphInstantiate(&executable, graph, 0));
    MUST(cudaGraphDestroy(graph));
    tap_check(status == cudaStreamCaptureStatusActive, "a stream is captured");
    return executable;
}

static void test_graphs(void)
{
    int x = 1, y = 2, z = 3;
    SET(a, x, one);
    SET(b, y, one);
    SET(c, z, one);
    MUST(cudaDeviceSynchronize());
    cudaGraphExec_t executable = capture_two_streams();
    tap_check(has(a, x, 1) && has(b, y, 1), "a capture does nothing");
    int fx = 1, fy = 1, fz = 1;
    for (int turn = 0; turn < 3; turn++) {
        MUST(cudaGraphLaunch(executable, turn == 1 ? apart : one));
        y += x, z += y, x += y, y += z;
        fy += fx, fz += fy, fx += fy, fy += fz;
    }
    MUST(cudaMemcpyAsync(pinned, b, BYTES, cudaMemcpyDeviceToHost, one));
    MUST(cudaStreamSynchronize(one));
    tap_check(is(pinned, y, fy), "a stream goes on behind the graph that it has launched");
    MUST(cudaGraphExecDestroy(executable));
    MUST(cudaDeviceSynchronize());
    tap_check(has(a, x, fx) && has(b, y, fy) && has(c, z, fz), "three launches of a graph of two streams, in order");
}

/* Each launch counts from 0 again. */
static void test_words_in_graphs(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    unsigned *word;
    int right = 1;
    MUST(cudaMalloc((void **)&word, sizeof *word));
    if (!has_waits(word)) return;
    MUST(cudaStreamSynchronize(one));
    MUST(cudaMemset(word, 0xff, sizeof *word));
    MUST(cudaDeviceSynchronize());
    MUST(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    MUST(cmk_stream_write_value(one, word, 0));
    MUST(cudaEventRecord(event, one));
    MUST(cudaStreamWaitEvent(apart, event, 0));
    MUST(CMK_LAUNCH(set_and_count, COUNT / BLOCK, BLOCK, 0, one, a, 90, word));
    MUST(cmk_stream_wait_value(apart, word, 1));
    MUST(cudaMemcpyAsync(b, a, BLOCK * sizeof(int), cudaMemcpyDeviceToDevice, apart));
    MUST(cudaEventRecord(event, apart));
    MUST(cudaStreamWaitEvent(one, event, 0));
    MUST(cudaStreamEndCapture(one, &graph));
    MUST(cudaGraphInstantiate(&executable, graph, 0));
    for (int turn = 0; turn < 3; turn++) {
        int host[COUNT];
        MUST(cudaMemsetAsync(a, 0, BYTES, one));
        MUST(cudaMemsetAsync(b, 0, BYTES, one));
        MUST(cudaGraphLaunch(executable, one));
        MUST(cudaMemcpyAsync(host, b, BYTES, cudaMemcpyDeviceToHost, one));
        MUST(cudaStreamSynchronize(one));
        for (int i = 0; i < COUNT; i++) right = right && host[i] == (i < BLOCK ? 90 + i : 0);
    }
    MUST(cudaGraphExecDestroy(executable));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaFree(word));
    tap_check(right, "waits for words in a graph, launched three times");
}

static void test_capture_errors(void)
{
    cudaGraph_t graph;
    void *memory;
    MUST(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    tap_check(cudaStreamSynchronize(one) != cudaSuccess, "a captured stream is not waited for");
    tap_check(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated, "which breaks the capture");
    MUST(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    tap_check(cudaMalloc(&memory, 16) == cudaErrorStreamCaptureUnsupported, "no cudaMalloc beside a capture");
    tap_check(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated, "which breaks it");
    MUST(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    tap_check(CMK_LAUNCH(set, 1, 1, 0, 0, a, 0) == cudaErrorStreamCaptureImplicit,
              "no launch into the default stream beside a capture of a stream that blocks");
    tap_check(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated, "which breaks it");
    (void)cudaGetLastError();
    MUST(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    SET(a, 0, one);
    MUST(cudaEventRecord(event, one));
    MUST(cudaStreamWaitEvent(apart, event, 0));
    SET(b, 0, apart);
    tap_check(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureUnjoined, "a stream that does not come back");
    (void)cudaGetLastError();
}

int main(void)
{
    tap_need_device();
    MUST(cudaMalloc((void **)&a, BYTES));
    MUST(cudaMalloc((void **)&b, BYTES));
    MUST(cudaMalloc((void **)&c, BYTES));
    MUST(cudaMallocHost((void **)&pinned, BYTES));
    MUST(cudaStreamCreate(&one));
    MUST(cudaStreamCreate(&two));
    MUST(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    test_events();
    test_default_stream();
    test_copies();
    test_boxes();
    test_calls();
    test_queries();
    test_host_function();
    test_symbols();
    test_words();
    test_graphs();
    test_words_in_graphs();
    test_capture_errors();
    MUST(cudaStreamDestroy(one));
    MUST(cudaStreamDestroy(two));
    MUST(cudaStreamDestroy(apart));
    MUST(cudaEventDestroy(event));
    MUST(cudaFree(a));
    MUST(cudaFree(b));
    MUST(cudaFree(c));
    MUST(cudaFreeHost(pinned));
    return tap_done();
}
