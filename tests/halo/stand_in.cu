/* stand_in.cu: the stand-in for NCCL (nccl/nccl.h): messages, reductions, puts and graphs of ranks in one thread, and
 * in threads. Named as an argument, one call is wrong in a way that NCCL hangs at or writes past a buffer by, or,
 * behind `registered`, one of memory that is registered; stand_in.py has the sentences. */
#include <cmk/cmk.h>
#include <nccl.h>
#include <pthread.h>
#include <string.h>
#include "../tap.h"

enum { RANKS = 4, COUNT = 64, BYTES = COUNT * (int)sizeof(int) };

static __global__ void set(int *out, int value)
{
    CMK_STORE(&out[threadIdx.x], value + (int)threadIdx.x);
}

static __global__ void add(const int *in, int *out)
{
    CMK_STORE(&out[threadIdx.x], CMK_LDG(&out[threadIdx.x]) + CMK_LDG(&in[threadIdx.x]));
}

#define MUST(call) CMK_CHECK(call)
#define NCCL(call) nccl((call), #call, __LINE__)

static void nccl(ncclResult_t result, const char *call, int line)
{
    if (result == ncclSuccess) return;
    fprintf(stderr, "%d: %s: %s\n", line, call, ncclGetErrorString(result));
    exit(3);
}

typedef struct {
    ncclComm_t comm;
    int device;
    int *out, *in, *more;
    cudaStream_t stream;
} rank_;

static void begin(rank_ *r)
{
    NCCL(ncclCommCuDevice(r->comm, &r->device));
    MUST(cudaSetDevice(r->device));
    NCCL(ncclMemAlloc((void **)&r->out, BYTES));
    NCCL(ncclMemAlloc((void **)&r->in, BYTES));
    NCCL(ncclMemAlloc((void **)&r->more, BYTES));
    MUST(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
}

static void end(rank_ *r)
{
    MUST(cudaSetDevice(r->device));
    MUST(cudaStreamSynchronize(r->stream));
    MUST(cudaStreamDestroy(r->stream));
    NCCL(ncclMemFree(r->out));
    NCCL(ncclMemFree(r->in));
    NCCL(ncclMemFree(r->more));
    NCCL(ncclCommDestroy(r->comm));
}

static void launch_set(const rank_ *r, int *out, int value)
{
    MUST(cudaSetDevice(r->device));
    MUST(CMK_LAUNCH(set, 1, COUNT, 0, r->stream, out, value));
}

static void launch_add(const rank_ *r, const int *in, int *out)
{
    MUST(cudaSetDevice(r->device));
    MUST(CMK_LAUNCH(add, 1, COUNT, 0, r->stream, in, out));
}

static int has(const rank_ *r, const int *device, int value, int step)
{
    int host[COUNT], right = 1;
    MUST(cudaStreamSynchronize(r->stream));
    MUST(cudaMemcpy(host, device, BYTES, cudaMemcpyDefault));
    for (int i = 0; i < COUNT; i++) right = right && host[i] == value + step * i;
    return right;
}

/* to the next rank what is in out, from the one before into in */
static void post(const rank_ *r, int rank)
{
    NCCL(ncclSend(r->out, COUNT, ncclInt32, (rank + 1) % RANKS, r->comm, r->stream));
    NCCL(ncclRecv(r->in, COUNT, ncclInt32, (rank + RANKS - 1) % RANKS, r->comm, r->stream));
}

static void test_ring(rank_ *ranks)
{
    int right = 1;
    for (int turn = 0; turn < 3; turn++) {
        for (int r = 0; r < RANKS; r++) launch_set(&ranks[r], ranks[r].out, 100 * turn + 10 * r);
        NCCL(ncclGroupStart());
        for (int r = 0; r < RANKS; r++) post(&ranks[r], r);
        NCCL(ncclGroupEnd());
        for (int r = 0; r < RANKS; r++) launch_add(&ranks[r], ranks[r].in, ranks[r].out);
    }
    for (int r = 0; r < RANKS; r++)
        right = right && has(&ranks[r], ranks[r].out, 400 + 10 * r + 10 * ((r + RANKS - 1) % RANKS), 2);
    tap_check(right, "a ring of %d ranks, in stream order", RANKS);
}

static void test_order(rank_ *ranks)
{
    const rank_ *a = &ranks[0], *b = &ranks[1];
    launch_set(a, a->out, 1);
    launch_set(a, a->more, 1000);
    NCCL(ncclGroupStart());
    NCCL(ncclRecv(b->more, COUNT, ncclInt32, 0, b->comm, b->stream));
    NCCL(ncclSend(a->out, COUNT, ncclInt32, 1, a->comm, a->stream));
    NCCL(ncclRecv(b->in, COUNT, ncclInt32, 0, b->comm, b->stream));
    NCCL(ncclSend(a->more, COUNT, ncclInt32, 1, a->comm, a->stream));
    NCCL(ncclGroupEnd());
    tap_check(has(b, b->more, 1, 1) && has(b, b->in, 1000, 1), "messages between two ranks are matched by their order");
    NCCL(ncclGroupStart());
    NCCL(ncclSend(a->more, COUNT, ncclInt32, 0, a->comm, a->stream));
    NCCL(ncclRecv(a->in, COUNT, ncclInt32, 0, a->comm, a->stream));
    NCCL(ncclGroupEnd());
    tap_check(has(a, a->in, 1000, 1), "a rank sends to itself");
}

static void test_reductions(rank_ *ranks)
{
    cmk_i64 *values[RANKS], got[2];
    int right = 1;
    for (int r = 0; r < RANKS; r++) {
        const cmk_i64 own[2] = {(r * 7) % 5 - ((cmk_i64)1 << 40), -r};
        MUST(cudaSetDevice(ranks[r].device));
        MUST(cudaMalloc((void **)&values[r], sizeof own));
        MUST(cudaMemcpy(values[r], own, sizeof own, cudaMemcpyHostToDevice));
    }
    for (int turn = 0; turn < 2; turn++) {
        NCCL(ncclGroupStart());
        for (int r = 0; r < RANKS; r++)
            NCCL(ncclAllReduce(values[r], values[r], 2, ncclInt64, ncclMax, ranks[r].comm, ranks[r].stream));
        NCCL(ncclGroupEnd());
    }
    for (int r = 0; r < RANKS; r++) {
        MUST(cudaStreamSynchronize(ranks[r].stream));
        MUST(cudaMemcpy(got, values[r], sizeof got, cudaMemcpyDefault));
        right = right && got[0] == 4 - ((cmk_i64)1 << 40) && got[1] == 0;
        MUST(cudaSetDevice(ranks[r].device));
        MUST(cudaFree(values[r]));
    }
    tap_check(right, "the largest of all ranks, in place");
}

static void put_and_wait(const rank_ *ranks, ncclWindow_t *window)
{
    NCCL(ncclGroupStart());
    for (int r = 0; r < RANKS; r++)
        NCCL(ncclPutSignal(ranks[r].out, COUNT / 2, ncclInt32, (r + 1) % RANKS, window[r], BYTES / 2, 0, 0, 0,
                           ranks[r].comm, ranks[r].stream));
    NCCL(ncclGroupEnd());
    NCCL(ncclGroupStart());
    for (int r = 0; r < RANKS; r++) {
        ncclWaitSignalDesc_t signal = {1, (r + RANKS - 1) % RANKS, 0, 0};
        NCCL(ncclWaitSignal(1, &signal, ranks[r].comm, ranks[r].stream));
    }
    NCCL(ncclGroupEnd());
}

static void test_puts(rank_ *ranks)
{
    ncclWindow_t window[RANKS], own[RANKS];
    int right = 1;
    for (int r = 0; r < RANKS; r++) {
        launch_set(&ranks[r], ranks[r].out, 10 * r);
        launch_set(&ranks[r], ranks[r].in, 1000);
        NCCL(ncclCommWindowRegister(ranks[r].comm, ranks[r].in, BYTES, &window[r], NCCL_WIN_COLL_SYMMETRIC));
        NCCL(ncclCommWindowRegister(ranks[r].comm, ranks[r].out, BYTES, &own[r], NCCL_WIN_COLL_SYMMETRIC));
    }
    MUST(cudaDeviceSynchronize());
    for (int r = 0; r < RANKS; r++) MUST(cudaStreamSynchronize(ranks[r].stream));
    put_and_wait(ranks, window);
    for (int r = 0; r < RANKS; r++) {
        int host[COUNT];
        MUST(cudaMemcpyAsync(host, ranks[r].in, BYTES, cudaMemcpyDefault, ranks[r].stream));
        MUST(cudaStreamSynchronize(ranks[r].stream));
        for (int i = 0; i < COUNT; i++)
            right = right && host[i] == (i < COUNT / 2 ? 1000 + i : 10 * ((r + RANKS - 1) % RANKS) + i - COUNT / 2);
    }
    for (int r = 0; r < RANKS; r++) {
        NCCL(ncclCommWindowDeregister(ranks[r].comm, window[r]));
        NCCL(ncclCommWindowDeregister(ranks[r].comm, own[r]));
    }
    tap_check(right, "puts, and waits for their signals");
}

static void test_registered(rank_ *ranks)
{
    const rank_ *a = &ranks[0], *b = &ranks[1];
    void *sent = NULL, *got = NULL, *none = &sent;
    launch_set(a, a->out, 5);
    NCCL(ncclCommRegister(a->comm, a->out, BYTES, &sent));
    NCCL(ncclCommRegister(b->comm, b->in, BYTES, &got));
    NCCL(ncclGroupStart());
    NCCL(ncclSend(a->out + 1, COUNT - 1, ncclInt32, 1, a->comm, a->stream));
    NCCL(ncclRecv(b->in, COUNT - 1, ncclInt32, 0, b->comm, b->stream));
    NCCL(ncclGroupEnd());
    MUST(cudaStreamSynchronize(b->stream));
    NCCL(ncclCommDeregister(a->comm, sent));
    NCCL(ncclCommDeregister(b->comm, got));
    tap_check(ncclCommDeregister(b->comm, got) == ncclInvalidUsage, "memory is registered, and then no longer");
    tap_check(ncclCommRegister(a->comm, &sent, 1, &none) == ncclUnhandledCudaError && none == NULL, "registered: %s",
              ncclGetLastError(a->comm));
}

/* A step of each rank as a graph: out goes to the next rank, and is added to what comes. */
static void test_graphs(rank_ *ranks)
{
    cudaGraphExec_t step[RANKS];
    cudaGraph_t graph;
    int value[RANKS], factor = 1, right = 1;
    for (int r = 0; r < RANKS; r++) launch_set(&ranks[r], ranks[r].out, value[r] = 10 * r);
    for (int r = 0; r < RANKS; r++) {
        MUST(cudaSetDevice(ranks[r].device));
        MUST(cudaStreamBeginCapture(ranks[r].stream, cudaStreamCaptureModeThreadLocal));
        NCCL(ncclGroupStart());
        post(&ranks[r], r);
        NCCL(ncclGroupEnd());
        launch_add(&ranks[r], ranks[r].in, ranks[r].out);
        MUST(cudaStreamEndCapture(ranks[r].stream, &graph));
        MUST(cudaGraphInstantiate(&step[r], graph, 0));
        MUST(cudaGraphDestroy(graph));
    }
    for (int turn = 0; turn < 3; turn++) {
        int before[RANKS];
        memcpy(before, value, sizeof value);
        for (int r = 0; r < RANKS; r++) {
            MUST(cudaGraphLaunch(step[r], ranks[r].stream));
            value[r] += before[(r + RANKS - 1) % RANKS];
        }
        factor *= 2;
    }
    for (int r = 0; r < RANKS; r++) right = right && has(&ranks[r], ranks[r].out, value[r], factor);
    for (int r = 0; r < RANKS; r++) MUST(cudaGraphExecDestroy(step[r]));
    tap_check(right, "messages in graphs, launched three times");
}

static void test_errors(rank_ *ranks)
{
    const rank_ *a = &ranks[0];
    int count = 0, rank = -1;
    NCCL(ncclCommCount(a->comm, &count));
    NCCL(ncclCommUserRank(ranks[2].comm, &rank));
    tap_check(count == RANKS && rank == 2, "a communicator knows its ranks");
    tap_check(ncclSend(a->out, 1, ncclChar, RANKS, a->comm, a->stream) == ncclInvalidArgument, "a rank too many: %s",
              ncclGetLastError(a->comm));
    tap_check(ncclGroupEnd() == ncclInvalidUsage, "a group that did not begin");
    tap_check(ncclSend(a->out, 1, ncclChar, 0, NULL, a->stream) == ncclInvalidArgument, "no communicator");
    NCCL(ncclGroupStart());
    (void)ncclRecv(a->in, 1, ncclChar, -1, a->comm, a->stream);
    tap_check(ncclGroupEnd() == ncclInvalidArgument, "an error within a group is the group's");
}

static void test_broken(void)
{
    rank_ ranks[2];
    ncclComm_t comms[2];
    cudaEvent_t event;
    ncclResult_t error = ncclSuccess;
    NCCL(ncclCommInitAll(comms, 2, NULL));
    for (int r = 0; r < 2; r++) {
        ranks[r].comm = comms[r];
        begin(&ranks[r]);
    }
    MUST(cudaSetDevice(ranks[1].device));
    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    cmk_nccl_break(comms[0], ncclRemoteError);
    NCCL(ncclGroupStart());
    NCCL(ncclSend(ranks[0].out, COUNT, ncclInt32, 1, comms[0], ranks[0].stream));
    NCCL(ncclRecv(ranks[1].in, COUNT, ncclInt32, 0, comms[1], ranks[1].stream));
    NCCL(ncclGroupEnd());
    MUST(cudaEventRecord(event, ranks[1].stream));
    int waited = 1;
    for (int k = 0; k < 100; k++) waited = waited && cudaEventQuery(event) == cudaErrorNotReady;
    NCCL(ncclCommGetAsyncError(comms[0], &error));
    tap_check(waited && error == ncclRemoteError, "messages of a broken communicator do not arrive");
    NCCL(ncclCommAbort(comms[0]));
    NCCL(ncclCommGetAsyncError(comms[1], &error));
    tap_check(error == ncclRemoteError && cudaEventSynchronize(event) == cudaSuccess, "an abort ends them");
    NCCL(ncclCommAbort(comms[1]));
    for (int r = 0; r < 2; r++) {
        MUST(cudaSetDevice(ranks[r].device));
        MUST(cudaStreamDestroy(ranks[r].stream));
        NCCL(ncclMemFree(ranks[r].out));
        NCCL(ncclMemFree(ranks[r].in));
        NCCL(ncclMemFree(ranks[r].more));
    }
    MUST(cudaEventDestroy(event));
}

/* ---- A host thread for each rank */
static ncclUniqueId id;

typedef struct {
    int rank, right;
} worker;

static void *work_on(void *argument)
{
    worker *work = (worker *)argument;
    int devices = 1, value = 10 * work->rank;
    rank_ r;
    MUST(cudaGetDeviceCount(&devices));
    MUST(cudaSetDevice(work->rank % devices));
    NCCL(ncclCommInitRank(&r.comm, RANKS, id, work->rank));
    begin(&r);
    for (int turn = 0; turn < 20; turn++) {
        launch_set(&r, r.out, value + turn);
        NCCL(ncclGroupStart());
        post(&r, work->rank);
        NCCL(ncclGroupEnd());
    }
    work->right = has(&r, r.in, 10 * ((work->rank + RANKS - 1) % RANKS) + 19, 1);
    end(&r);
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[RANKS];
    worker work[RANKS];
    int right = 1;
    NCCL(ncclGetUniqueId(&id));
    for (int r = 0; r < RANKS; r++) {
        work[r].rank = r;
        if (pthread_create(&threads[r], NULL, work_on, &work[r]) != 0) exit(2);
    }
    for (int r = 0; r < RANKS; r++) {
        if (pthread_join(threads[r], NULL) != 0) exit(2);
        right = right && work[r].right;
    }
    tap_check(right, "a host thread for each rank, 20 exchanges");
}

/* ---- What would hang, or go past the end */
static void register_wrong(const rank_ *ranks, const char *how)
{
    const rank_ *a = &ranks[0], *b = &ranks[1];
    int *freed = NULL;
    void *handle = NULL;
    NCCL(ncclCommRegister(a->comm, a->out, !strcmp(how, "over") ? BYTES + 1 : BYTES, &handle));
    if (!strcmp(how, "left")) NCCL(ncclCommDestroy(a->comm));
    if (!strcmp(how, "freed")) NCCL(ncclMemFree(a->out));
    if (!strcmp(how, "gone")) {
        MUST(cudaSetDevice(a->device));
        MUST(cudaMalloc((void **)&freed, BYTES));
        NCCL(ncclCommRegister(a->comm, freed, BYTES, &handle));
        MUST(cudaFree(freed));
        NCCL(ncclCommDeregister(a->comm, handle));
    }
    NCCL(ncclGroupStart());
    NCCL(ncclSend(!strcmp(how, "beside") ? a->more : a->out, COUNT, ncclInt32, 1, a->comm, a->stream));
    NCCL(ncclRecv(b->in, COUNT, ncclInt32, 0, b->comm, b->stream));
    NCCL(ncclGroupEnd());
}

static void go_wrong(const rank_ *ranks, const char *how)
{
    const rank_ *a = &ranks[0], *b = &ranks[1];
    ncclWindow_t window;
    if (!strcmp(how, "send")) NCCL(ncclSend(a->out, COUNT, ncclInt32, 1, a->comm, a->stream));
    if (!strcmp(how, "receive")) NCCL(ncclRecv(b->in, COUNT, ncclInt32, 0, b->comm, b->stream));
    if (!strcmp(how, "reduce")) {
        NCCL(ncclAllReduce(a->in, a->in, 2, ncclInt64, ncclMax, a->comm, a->stream));
        MUST(cudaStreamSynchronize(a->stream));
    }
    if (!strcmp(how, "signal")) {
        ncclWaitSignalDesc_t signal = {2, 1, 0, 0};
        NCCL(ncclSignal(0, 0, 0, 0, b->comm, b->stream));
        NCCL(ncclWaitSignal(1, &signal, a->comm, a->stream));
        MUST(cudaStreamSynchronize(a->stream));
    }
    NCCL(ncclGroupStart());
    if (!strcmp(how, "sizes")) {
        NCCL(ncclSend(a->out, COUNT, ncclInt32, 1, a->comm, a->stream));
        NCCL(ncclRecv(b->in, COUNT - 1, ncclInt32, 0, b->comm, b->stream));
    }
    if (!strcmp(how, "end")) NCCL(ncclSend(a->out + 1, COUNT, ncclInt32, 1, a->comm, a->stream));
    if (!strcmp(how, "host")) NCCL(ncclSend(&how, 1, ncclInt32, 1, a->comm, a->stream));
    if (!strcmp(how, "device")) NCCL(ncclSend(b->out, 1, ncclInt32, 1, a->comm, a->stream));
    if (!strcmp(how, "window")) {
        NCCL(ncclCommWindowRegister(a->comm, a->in, BYTES, &window, 0));
        NCCL(ncclPutSignal(a->in, 1, ncclInt32, 1, window, 0, 0, 0, 0, a->comm, a->stream));
    }
    if (!strcmp(how, "past")) {
        NCCL(ncclCommWindowRegister(a->comm, a->in, BYTES, &window, 0));
        NCCL(ncclPutSignal(a->in, 2, ncclInt32, 0, window, BYTES - 4, 0, 0, 0, a->comm, a->stream));
    }
    if (!strcmp(how, "join")) {
        ncclComm_t comm;
        NCCL(ncclGetUniqueId(&id));
        NCCL(ncclCommInitRank(&comm, 2, id, 1));
    }
    NCCL(ncclGroupEnd());
}

int main(int count, char **arguments)
{
    rank_ ranks[RANKS];
    ncclComm_t comms[RANKS];
    tap_need_device();
    NCCL(ncclCommInitAll(comms, RANKS, NULL));
    for (int r = 0; r < RANKS; r++) {
        ranks[r].comm = comms[r];
        begin(&ranks[r]);
    }
    if (count > 2) register_wrong(ranks, arguments[2]);
    if (count > 1) go_wrong(ranks, arguments[1]);
    if (count > 1) return 4;
    test_ring(ranks);
    test_order(ranks);
    test_reductions(ranks);
    test_puts(ranks);
    test_registered(ranks);
    test_graphs(ranks);
    test_errors(ranks);
    for (int r = 0; r < RANKS; r++) end(&ranks[r]);
    test_broken();
    test_threads();
    return tap_done();
}
