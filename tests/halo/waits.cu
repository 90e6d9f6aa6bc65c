/* What a host says that has waited too long, by copies, and by NCCL (-DBY_NCCL), where communicators fail too. */
#include <cmk/check.h>
#include <cmk/halo.h>
#include <cmk/stream.h>
#include <tap.h>
#if defined(BY_NCCL)
#include <cmk/halo/nccl.h>
#include <pthread.h>
#endif

enum { RANKS = 2 };

static cmk_halo halos[RANKS];
static cmk_grid grids[RANKS];
static cudaStream_t streams[RANKS];
static float *memory[RANKS];

static void make(int r, cmk_halo_transport transport)
{
    const cmk_i64 global[3] = {8, 8, 8};
    int devices = 1;
    cmk_field field = {NULL, NULL, sizeof(float), 8, 64, {1, 0, 0}, 0, NULL, {{0, 0, 0}, {0, 0, 0}}};
    if (!cmk_grid_split(&grids[r], r, RANKS, global, NULL, NULL)) exit(EXIT_FAILURE);
    CMK_CHECK(cudaGetDeviceCount(&devices));
    CMK_CHECK(cudaSetDevice(r % devices));
    CMK_CHECK(cudaMalloc((void **)&memory[r], 6 * 64 * sizeof(float)));
    CMK_CHECK(cudaMemset(memory[r], 0, 6 * 64 * sizeof(float)));
    field.data = memory[r] + 64;
    CMK_CHECK(cudaStreamCreateWithFlags(&streams[r], cudaStreamNonBlocking));
    CMK_CHECK(cmk_halo_create(&halos[r], &grids[r], transport, CMK_HALO_STAR, &field, 1));
}

static void clear(void)
{
    CMK_CHECK(cmk_halo_destroy_all(halos, RANKS));
    for (int r = 0; r < RANKS; ++r) {
        CMK_CHECK(cudaFree(memory[r]));
        CMK_CHECK(cudaStreamDestroy(streams[r]));
    }
}

static void check_wait(cudaStream_t stream, const char *sentence)
{
    halos[0].patience = 0.2;
    const cudaError_t error = cmk_halo_wait(&halos[0], stream);
    const int right = tap_check(error != cudaSuccess && strcmp(halos[0].why, sentence) == 0, "waits: %s", sentence);
    if (!right) printf("# %s: %s\n", cudaGetErrorName(error), halos[0].why);
    halos[0].patience = CMK_HALO_PATIENCE;
}

static void check_copies(void)
{
    unsigned *word = NULL;
    cudaStream_t beside;
    CMK_CHECK(cudaMalloc((void **)&word, sizeof *word));
    CMK_CHECK(cudaMemset(word, 0, sizeof *word));
    CMK_CHECK(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
    for (int r = 0; r < RANKS; ++r) make(r, cmk_halo_peer());
    CMK_CHECK(cmk_halo_connect_all(halos, RANKS));
    CMK_CHECK(cmk_stream_wait_value(streams[0], word, 1));
    check_wait(streams[0], "rank 0: a stream has not ended, though the last exchange has, within 0.2 s");
    CMK_CHECK(cmk_halo_begin_all(halos, RANKS, 0, streams));
    CMK_CHECK(cmk_halo_end_all(halos, RANKS, streams));
    check_wait(streams[0], "rank 0: an exchange has not begun, as what comes before it has not ended, within 0.2 s");
    CMK_CHECK(cmk_stream_write_value(beside, word, 1));
    tap_check(cmk_halo_wait(&halos[0], streams[0]) == cudaSuccess && halos[0].why[0] == 0, "and then it ends");
    clear();
    CMK_CHECK(cudaStreamDestroy(beside));
    CMK_CHECK(cudaFree(word));
}

#if defined(BY_NCCL)
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

/* the other rank, in a host thread of its own, as soon as it may */
static void *exchange_late(void *unused)
{
    pthread_mutex_lock(&held);
    CMK_CHECK(cmk_halo_begin(&halos[1], 0, streams[1]));
    CMK_CHECK(cmk_halo_end(&halos[1], streams[1]));
    CMK_CHECK(cmk_halo_wait(&halos[1], streams[1]));
    pthread_mutex_unlock(&held);
    return unused;
}

static void check_nccl(void)
{
    pthread_t thread;
    ncclComm_t comms[RANKS];
    if (ncclCommInitAll(comms, RANKS, NULL) != ncclSuccess) exit(EXIT_FAILURE);
    for (int r = 0; r < RANKS; ++r) make(r, cmk_halo_nccl(comms[r]));
    CMK_CHECK(cmk_halo_connect_all(halos, RANKS));
    pthread_mutex_lock(&held);
    if (pthread_create(&thread, NULL, exchange_late, NULL) != 0) exit(EXIT_FAILURE);
    CMK_CHECK(cmk_halo_begin(&halos[0], 0, streams[0]));
    CMK_CHECK(cmk_halo_end(&halos[0], streams[0]));
    check_wait(streams[0], "rank 0: an exchange has not ended within 0.2 s; receives 256 bytes from rank 1; sends 256 "
                           "bytes to rank 1");
    pthread_mutex_unlock(&held);
    tap_check(cmk_halo_wait(&halos[0], streams[0]) == cudaSuccess, "and then it ends");
    if (pthread_join(thread, NULL) != 0) exit(EXIT_FAILURE);
#if !defined(__CUDACC__)
    cmk_nccl_break(comms[0], ncclRemoteError);
    tap_check(cmk_halo_begin_all(halos, RANKS, 0, streams) != cudaSuccess ||
                  cmk_halo_end_all(halos, RANKS, streams) != cudaSuccess,
              "a communicator in error: %s", halos[0].why);
    tap_check(strstr(halos[0].why, "remote") != NULL, "and which error");
#endif
    for (int r = 0; r < RANKS; ++r) (void)ncclCommAbort(comms[r]);
    clear();
}

/* whether an exchange of all ranks arrives */
static int arrives(void)
{
    return cmk_halo_begin_all(halos, RANKS, 0, streams) == cudaSuccess &&
           cmk_halo_end_all(halos, RANKS, streams) == cudaSuccess &&
           cmk_halo_wait(&halos[0], streams[0]) == cudaSuccess && cmk_halo_wait(&halos[1], streams[1]) == cudaSuccess;
}

static void check_captured(void)
{
    cudaGraph_t graph;
    CMK_CHECK(cudaSetDevice(halos[0].device));
    CMK_CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeRelaxed));
    tap_check(cmk_halo_begin(&halos[0], 0, streams[0]) == cudaErrorStreamCaptureUnsupported, "not captured: %s",
              halos[0].why);
    CMK_CHECK(cudaStreamWaitEvent(streams[0], halos[0].packed, 0));
    CMK_CHECK(cudaStreamEndCapture(streams[0], &graph));
    CMK_CHECK(cudaGraphDestroy(graph));
    tap_check(arrives(), "and then one that is not captured arrives: %s", halos[0].why);
}

#if !defined(__CUDACC__)
/* NCCL refuses what it would add to a capture */
static void check_loop(ncclComm_t *comms)
{
    cudaGraph_t graph = NULL;
    for (int r = 0; r < RANKS; ++r) make(r, cmk_halo_nccl(comms[r]));
    CMK_CHECK(cmk_halo_connect_all(halos, RANKS));
    CMK_CHECK(cudaSetDevice(halos[0].device));
    cmk_nccl_refuse_captures(1);
    CMK_CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeRelaxed));
    tap_check(cmk_halo_begin(&halos[0], 0, streams[0]) != cudaSuccess &&
                  strstr(halos[0].why, "not supported; in a loop of until.h comm has graphUsageMode = 1") != NULL,
              "NCCL refuses a capture: %s", halos[0].why);
    (void)cudaStreamEndCapture(streams[0], &graph);
    cmk_nccl_refuse_captures(0);
    tap_check(arrives(), "and then one that is not captured arrives, too: %s", halos[0].why);
    clear();
}
#endif

static void check_registered(void)
{
    ncclComm_t comms[RANKS];
    if (ncclCommInitAll(comms, RANKS, NULL) != ncclSuccess) exit(EXIT_FAILURE);
    for (int r = 0; r < RANKS; ++r) make(r, cmk_halo_nccl_registered(comms[r]));
    CMK_CHECK(cmk_halo_connect_all(halos, RANKS));
    check_captured();
    clear();
#if !defined(__CUDACC__)
    check_loop(comms);
    float host[6 * 64] = {0.0f};
    cmk_nccl_register_nothing(1);
    for (int r = 0; r < RANKS; ++r) make(r, cmk_halo_nccl_registered(comms[r]));
    tap_check(cmk_halo_connect_all(halos, RANKS) == cudaSuccess && arrives(), "where NCCL registers nothing");
    clear();
    cmk_nccl_register_nothing(0);
    for (int r = 0; r < RANKS; ++r) make(r, cmk_halo_nccl_registered(comms[r]));
    cmk_field field = halos[1].field[0];
    field.data = host + 64;
    CMK_CHECK(cmk_halo_destroy(&halos[1]));
    CMK_CHECK(cmk_halo_create(&halos[1], &grids[1], cmk_halo_nccl_registered(comms[1]), CMK_HALO_STAR, &field, 1));
    tap_check(cmk_halo_connect_all(halos, RANKS) != cudaSuccess &&
                  strncmp(halos[0].why, "rank 1: ncclCommRegister: ", 26) == 0,
              "refused: %s", halos[0].why);
    clear();
#endif
    for (int r = 0; r < RANKS; ++r) (void)ncclCommDestroy(comms[r]);
}

/* communicators that have changed places, and ranks of which one alone has registered memory */
static void check_refused(void)
{
    ncclComm_t comms[RANKS];
    if (ncclCommInitAll(comms, RANKS, NULL) != ncclSuccess) exit(EXIT_FAILURE);
    for (int r = 0; r < RANKS; ++r) make(r, cmk_halo_nccl(comms[1 - r]));
    tap_check(cmk_halo_connect_all(halos, RANKS) != cudaSuccess &&
                  strcmp(halos[0].why, "rank 0: the grid has 2 ranks, the communicator 2, and calls this one 1") == 0,
              "refused: %s", halos[0].why);
    clear();
    for (int r = 0; r < RANKS; ++r) make(r, r ? cmk_halo_nccl_registered(comms[r]) : cmk_halo_nccl(comms[r]));
    tap_check(cmk_halo_connect_all(halos, RANKS) != cudaSuccess &&
                  strcmp(halos[0].why, "rank 0: the ranks do not have the same transport") == 0,
              "refused: %s", halos[0].why);
    clear();
    for (int r = 0; r < RANKS; ++r) (void)ncclCommDestroy(comms[r]);
}
#endif

int main(void)
{
#if defined(BY_NCCL)
#if defined(__CUDACC__)
    const int least = RANKS;
#else
    const int least = 1;
#endif
    int devices = 1;
#endif
    tap_need_device();
    check_copies();
#if defined(BY_NCCL)
    CMK_CHECK(cudaGetDeviceCount(&devices));
    if (devices < least) {
        tap_skip("waits for NCCL", "it has a rank a device, and here is one");
        return tap_done();
    }
    check_nccl();
    check_registered();
    check_refused();
#endif
    return tap_done();
}
