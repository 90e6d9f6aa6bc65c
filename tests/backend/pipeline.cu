/* pipeline.cu: steps of a sum over neighbours in a ring, whose border is copied beside the interior, as between two
 * GPUs. Named as an argument, one thing is left out that the order of a stream may need; streams.py shows that
 * CMK_HOST_STREAMS=shuffle finds it.
 *
 * Two buffers of BLOCKS * 32 numbers with a ghost at each end, of which the first and the last number of the other end
 * are copied in. Border first: the blocks of the border are the first two, and count. */
#include <cmk/cmk.h>
#include <stdio.h>
#include <string.h>

enum { BLOCKS = 6, BLOCK = 32, COUNT = BLOCKS * BLOCK, STEPS = 4, ALL = COUNT + 2 };

static const char *omitted = "";

static int does(const char *what)
{
    return strcmp(omitted, what) != 0;
}

/* out[i] = in[i - 1] + in[i + 1] */
static __global__ void step(const int *in, int *out, unsigned *word, int early)
{
    const int order[BLOCKS] = {0, BLOCKS - 1, 1, 2, 3, 4};
    const int i = order[blockIdx.x] * BLOCK + (int)threadIdx.x + 1;
    if (early && blockIdx.x == 0 && threadIdx.x == 0) cmk_stream_arrive(word);
    CMK_STORE(&out[i], (CMK_LDG(&in[i - 1]) + CMK_LDG(&in[i + 1])) % 1000);
    __syncthreads();
    if (blockIdx.x < 2 && threadIdx.x == 0 && !(early && blockIdx.x == 1)) cmk_stream_arrive(word);
}

typedef struct {
    int *buffer[2], *host;
    unsigned *word;
    cudaStream_t compute, copies;
    cudaEvent_t begun, computed, copied;
} pipeline;

static void exchange(const pipeline *p, int *out)
{
    const cudaMemcpyKind kind = cudaMemcpyDeviceToDevice;
    CMK_CHECK(cudaMemcpyAsync(out, out + COUNT, sizeof *out, kind, p->copies));
    CMK_CHECK(cudaMemcpyAsync(out + COUNT + 1, out + 1, sizeof *out, kind, p->copies));
    CMK_CHECK(cudaEventRecord(p->copied, p->copies));
    if (does("copied")) CMK_CHECK(cudaStreamWaitEvent(p->compute, p->copied, 0));
}

/* The exchange begins behind the border's blocks. */
static void step_by_word(const pipeline *p, int turn)
{
    const int *in = p->buffer[turn % 2];
    int *out = p->buffer[1 - turn % 2];
    CMK_CHECK(cmk_stream_write_value(p->compute, p->word, 0));
    CMK_CHECK(cudaEventRecord(p->begun, p->compute));
    if (does("kernel")) CMK_CHECK(CMK_LAUNCH(step, BLOCKS, BLOCK, 0, p->compute, in, out, p->word, !does("border")));
    if (does("begun")) CMK_CHECK(cudaStreamWaitEvent(p->copies, p->begun, 0));
    if (does("word")) CMK_CHECK(cmk_stream_wait_value(p->copies, p->word, does("both") ? 2 : 1));
    exchange(p, out);
}

/* The exchange begins behind the kernel. */
static void step_by_event(const pipeline *p, int turn)
{
    const int *in = p->buffer[turn % 2];
    int *out = p->buffer[1 - turn % 2];
    if (!does("order")) CMK_CHECK(cudaEventRecord(p->computed, p->compute));
    CMK_CHECK(CMK_LAUNCH(step, BLOCKS, BLOCK, 0, p->compute, in, out, p->word, 0));
    if (does("order")) CMK_CHECK(cudaEventRecord(p->computed, p->compute));
    if (does("computed")) CMK_CHECK(cudaStreamWaitEvent(p->copies, p->computed, 0));
    exchange(p, out);
}

static void fill(int *values)
{
    for (int i = 0; i < ALL; i++) values[i] = (i + COUNT - 1) % COUNT * 7 % 100;
}

/* The same by a plain loop; how many numbers are wrong. */
static int judge(const int *got)
{
    int now[ALL], next[ALL], wrong = 0;
    fill(now);
    for (int turn = 0; turn < 2 * STEPS; turn++) {
        for (int i = 1; i <= COUNT; i++) next[i] = (now[i - 1] + now[i + 1]) % 1000;
        next[0] = next[COUNT];
        next[COUNT + 1] = next[1];
        memcpy(now, next, sizeof now);
    }
    for (int i = 0; i < ALL; i++) wrong += got[i] != now[i];
    return wrong;
}

static pipeline make(void)
{
    pipeline p;
    for (int i = 0; i < 2; i++) CMK_CHECK(cudaMalloc((void **)&p.buffer[i], ALL * sizeof(int)));
    CMK_CHECK(cudaMallocHost((void **)&p.host, ALL * sizeof(int)));
    CMK_CHECK(cudaMalloc((void **)&p.word, sizeof *p.word));
    CMK_CHECK(cudaStreamCreateWithFlags(&p.compute, cudaStreamNonBlocking));
    CMK_CHECK(cudaStreamCreateWithFlags(&p.copies, cudaStreamNonBlocking));
    CMK_CHECK(cudaEventCreateWithFlags(&p.begun, cudaEventDisableTiming));
    CMK_CHECK(cudaEventCreateWithFlags(&p.computed, cudaEventDisableTiming));
    CMK_CHECK(cudaEventCreateWithFlags(&p.copied, cudaEventDisableTiming));
    CMK_CHECK(cudaMemset(p.word, 0, sizeof *p.word));
    CMK_CHECK(cudaDeviceSynchronize());
    return p;
}

static void destroy(pipeline *p)
{
    CMK_CHECK(cudaFree(p->buffer[0]));
    CMK_CHECK(cudaFree(p->buffer[1]));
    CMK_CHECK(cudaFree(p->word));
    CMK_CHECK(cudaFreeHost(p->host));
    CMK_CHECK(cudaStreamDestroy(p->compute));
    CMK_CHECK(cudaStreamDestroy(p->copies));
    CMK_CHECK(cudaEventDestroy(p->begun));
    CMK_CHECK(cudaEventDestroy(p->computed));
    CMK_CHECK(cudaEventDestroy(p->copied));
}

int main(int count, char **arguments)
{
    pipeline p = make();
    if (count > 1) omitted = arguments[1];
    fill(p.host);
    CMK_CHECK(cudaMemcpyAsync(p.buffer[0], p.host, ALL * sizeof(int), cudaMemcpyHostToDevice, p.compute));
    if (does("upload")) CMK_CHECK(cudaStreamSynchronize(p.compute));
    memset(p.host, 0, ALL * sizeof(int));
    for (int turn = 0; turn < STEPS; turn++) step_by_word(&p, turn);
    for (int turn = 0; turn < STEPS; turn++) step_by_event(&p, turn);
    CMK_CHECK(cudaMemcpyAsync(p.host, p.buffer[0], ALL * sizeof(int), cudaMemcpyDeviceToHost, p.compute));
    if (does("download")) CMK_CHECK(cudaStreamSynchronize(p.compute));
    const int wrong = judge(p.host);
    printf("%d numbers are wrong\n", wrong);
    destroy(&p);
    return wrong != 0;
}
