/* Accesses of two streams, and of a stream and the host, that nothing orders, by number; and what is legal. ./cmk run
 * names each by the line of the later access, whatever the order is in which the streams run. */
#include <cuda_runtime.h>
#include "check.h"

enum { COUNT = 64, BYTES = 4 * COUNT };

/* what a case has: buffers that all work of the cases before has done with, two streams that do not wait for each
 * other, and an event */
static int *x, *y, *managed, *pinned;
static cudaStream_t a, b;
static cudaEvent_t e;
static volatile int seen;

/* each case has kernels of its own, as a place in the code is named once */
template <int which> __global__ void make(int *to)
{
    to[threadIdx.x] = 2 * which + (int)threadIdx.x; /* MAKE */
}

template <int which> __global__ void use(const int *from, int *to)
{
    to[threadIdx.x] = from[threadIdx.x] + which; /* USE */
}

template <int which> __global__ void add(int *to)
{
    atomicAdd(&to[threadIdx.x], which);
}

template <int which> __global__ void publish(int *to)
{
    to[threadIdx.x] = which;
    __threadfence_system();
    if (threadIdx.x == 0) ((volatile int *)to)[COUNT] = 1;
}

static void add_three(void *to)
{
    ((int *)to)[1] += 3;
}

static void wait_for(cudaStream_t stream, cudaStream_t other)
{
    CHECK(cudaEventRecord(e, other));
    CHECK(cudaStreamWaitEvent(stream, e, 0));
}

/* a graph of what is put into stream a, and of what waits for it in b */
template <class F> static void launch_graph(F put)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    put();
    CHECK(cudaStreamEndCapture(a, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, a));
    CHECK(cudaGraphLaunch(executable, b));
    CHECK(cudaDeviceSynchronize());
}

template <int which> static void unordered()
{
    const size_t bytes = BYTES - 4 * which; /* by which copies are told apart */
    if (which == 1) {
        make<1><<<1, COUNT, 0, a>>>(x);
        use<1><<<1, COUNT, 0, b>>>(x, y);
    } else if (which == 2) {
        use<2><<<1, COUNT, 0, a>>>(x, y);
        make<2><<<1, COUNT, 0, b>>>(x);
    } else if (which == 3) { /* the event is recorded too early */
        CHECK(cudaEventRecord(e, a));
        make<3><<<1, COUNT, 0, a>>>(x);
        CHECK(cudaStreamWaitEvent(b, e, 0));
        use<3><<<1, COUNT, 0, b>>>(x, y);
    } else if (which == 4) { /* the default stream does not wait for b */
        make<4><<<1, COUNT>>>(x);
        use<4><<<1, COUNT, 0, b>>>(x, y);
    } else if (which == 5) {
        CHECK(cudaMemcpyAsync(x, pinned, bytes, cudaMemcpyHostToDevice, a));
        use<5><<<1, COUNT, 0, b>>>(x, y);
    } else if (which == 6) {
        make<6><<<1, COUNT, 0, a>>>(x);
        CHECK(cudaMemcpyAsync(pinned, x, bytes, cudaMemcpyDeviceToHost, b));
    } else if (which == 7) {
        make<7><<<1, COUNT, 0, a>>>(managed);
        seen = managed[3]; /* HOST 7 */
    } else if (which == 8) {
        CHECK(cudaMemcpyAsync(pinned, x, bytes, cudaMemcpyDeviceToHost, a));
        seen = pinned[3]; /* HOST 8 */
    } else if (which == 9) {
        CHECK(cudaMemcpyAsync(x, pinned, bytes, cudaMemcpyHostToDevice, a));
        pinned[3] = 7; /* HOST 9 */
    } else if (which == 10) {
        add<10><<<1, COUNT, 0, a>>>(managed);
        seen = managed[5];    /* HOST 10 */
    } else if (which == 11) { /* what is waited for is the other stream */
        make<11><<<1, COUNT, 0, a>>>(managed);
        CHECK(cudaStreamSynchronize(b));
        seen = managed[6]; /* HOST 11 */
    } else if (which == 12) {
        CHECK(cudaMemsetAsync(x, 0, bytes, a));
        use<12><<<1, COUNT, 0, b>>>(x, y);
    }
    CHECK(cudaDeviceSynchronize());
}

static void legal_streams()
{
    make<20><<<1, COUNT, 0, a>>>(x);
    wait_for(b, a);
    use<20><<<1, COUNT, 0, b>>>(x, y);
    wait_for(a, b);
    make<21><<<1, COUNT, 0, a>>>(x);
    use<22><<<1, COUNT>>>(x, managed); /* the default stream waits for a, and a for it */
    make<22><<<1, COUNT, 0, a>>>(x);
    CHECK(cudaStreamSynchronize(a));
    use<23><<<1, COUNT, 0, b>>>(x, y);
    add<25><<<1, COUNT, 0, a>>>(y + COUNT); /* both are atomic */
    add<26><<<1, COUNT, 0, b>>>(y + COUNT);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemsetAsync(x, 0, BYTES, a)); /* both set the same */
    CHECK(cudaMemsetAsync(x, 0, BYTES, b));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 40; i++) { /* more streams than there are lines */
        cudaStream_t one;
        CHECK(cudaStreamCreate(&one));
        make<27><<<1, COUNT, 0, one>>>(x);
        CHECK(cudaStreamDestroy(one)); /* its work is still done, and the default stream waits for it */
        use<27><<<1, COUNT>>>(x, y);
        use<28><<<1, COUNT, 0, b>>>(pinned, managed);
    }
    CHECK(cudaDeviceSynchronize());
}

static void legal_host()
{
    make<30><<<1, COUNT, 0, b>>>(managed);
    pinned[3] = 1; /* another buffer */
    seen = managed[COUNT];
    CHECK(cudaEventRecord(e, b));
    while (cudaEventQuery(e) == cudaErrorNotReady) continue;
    seen = managed[3];
    managed[3] = 0;
    make<31><<<1, COUNT, 0, a>>>(managed);
    while (cudaStreamQuery(a) == cudaErrorNotReady) continue;
    seen = managed[3];
    make<32><<<1, COUNT, 0, a>>>(x);
    CHECK(cudaMemcpy(pinned, x, BYTES, cudaMemcpyDeviceToHost)); /* waits for a, and for itself */
    seen = pinned[3];
    make<33><<<1, COUNT, 0, a>>>(managed);
    CHECK(cudaLaunchHostFunc(a, add_three, managed));
    CHECK(cudaStreamSynchronize(a));
    seen = managed[1];
    publish<34><<<1, COUNT, 0, a>>>(managed); /* the host may look at a word that is published */
    seen = managed[COUNT];
    CHECK(cudaDeviceSynchronize());
}

static void legal_graph()
{
    launch_graph([] {
        make<40><<<1, COUNT, 0, a>>>(x);
        wait_for(b, a);
        use<40><<<1, COUNT, 0, b>>>(x, y);
        wait_for(a, b);
        use<41><<<1, COUNT, 0, a>>>(y, x);
    });
}

int main(int count, char **words)
{
    CHECK(cudaMalloc(&x, BYTES));
    CHECK(cudaMalloc(&y, 2 * BYTES));
    CHECK(cudaMallocManaged(&managed, BYTES + 4));
    CHECK(cudaMallocHost(&pinned, BYTES));
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    for (int i = 0; i < COUNT; i++) pinned[i] = managed[i] = -i;
    managed[COUNT] = 0;
    CHECK(cudaMemset(x, 0, BYTES));
    CHECK(cudaMemset(y, 0, 2 * BYTES));
    CHECK(cudaDeviceSynchronize());
    if (count == 1) {
        legal_streams(), legal_host(), legal_graph();
    } else {
        unordered<1>(), unordered<2>(), unordered<3>(), unordered<4>(), unordered<5>(), unordered<6>();
        unordered<7>(), unordered<8>(), unordered<9>(), unordered<10>(), unordered<11>(), unordered<12>();
        launch_graph([] { /* 13: two branches of a graph */
                          CHECK(cudaEventRecord(e, a));
                          CHECK(cudaStreamWaitEvent(b, e, 0));
                          make<13><<<1, COUNT, 0, a>>>(x);
                          use<13><<<1, COUNT, 0, b>>>(x, y);
                          wait_for(a, b);
        });
    }
    (void)words;
    puts("ended");
    return 0;
}
