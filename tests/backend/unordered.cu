/* unordered.cu: copies and fills of two streams, ordered or not, by the name of a case. streams.py runs them. */
#include <cmk/cmk.h>

enum { BYTES = 1024 };

static int is(const char *name, const char *other)
{
    return strcmp(name, other) == 0;
}

int main(int count, char **arguments)
{
    const char *const name = count > 1 ? arguments[1] : "";
    char *a, *b, *host;
    unsigned *word;
    cudaStream_t one, two;
    cudaEvent_t event;
    CMK_CHECK(cudaMalloc((void **)&a, BYTES));
    CMK_CHECK(cudaMalloc((void **)&b, BYTES));
    CMK_CHECK(cudaMalloc((void **)&word, sizeof *word));
    CMK_CHECK(cudaMemset(word, 0, sizeof *word));
    CMK_CHECK(cudaMallocHost((void **)&host, BYTES));
    CMK_CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CMK_CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    CMK_CHECK(cudaEventCreate(&event));
    CMK_CHECK(cudaDeviceSynchronize());
    const int is_read = is(name, "read"), is_second = is(name, "second");
    if (!is_read && !is_second) CMK_CHECK(cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, one));
    if (is_read) CMK_CHECK(cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDeviceToHost, one));
    if (is_second) CMK_CHECK(cudaMemcpy2DAsync(a, 64, host, 64, 32, 8, cudaMemcpyHostToDevice, one));
    CMK_CHECK(cudaEventRecord(event, one));
    CMK_CHECK(cmk_stream_write_value(one, word, 1));
    if (is(name, "event")) CMK_CHECK(cudaStreamWaitEvent(two, event, 0));
    if (is(name, "word")) CMK_CHECK(cmk_stream_wait_value(two, word, 1));
    if (is(name, "wait")) CMK_CHECK(cudaStreamSynchronize(one));
    if (is(name, "half")) {
        CMK_CHECK(cudaMemsetAsync(b, 0, BYTES, two));
    } else if (is(name, "fill") || is_read) {
        CMK_CHECK(cudaMemsetAsync(a + BYTES - 1, 0, 1, two));
    } else if (is_second) {
        CMK_CHECK(cudaMemcpy2DAsync(b, 64, a + 32, 64, 32, 8, cudaMemcpyDeviceToDevice, two));
    } else {
        CMK_CHECK(cudaMemcpyAsync(b, a, BYTES, cudaMemcpyDeviceToDevice, two));
    }
    CMK_CHECK(cudaDeviceSynchronize());
    return 0;
}
