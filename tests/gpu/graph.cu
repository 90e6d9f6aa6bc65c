/* Coefficient tables in captured graphs and on several devices, which the CPU backend does not have. */
#include <cmk/cmk.h>
#include "tap.h"

enum { COUNT = 64, REPLAYS = 100, CUT = 10 };

static float value(int k, int round)
{
    return (float)((k * 37 + round * 101) % 1021);
}

/* The results of each run stand behind those of the run before. */
#define STORE_KERNEL(name)                                                                                             \
    static __global__ void name##_store(float *results, int *runs, CMK_TABLE_PARAMETER(name))                          \
    {                                                                                                                  \
        const int k = (int)threadIdx.x, run = *runs;                                                                   \
        __syncthreads();                                                                                               \
        results[run * COUNT + k] = CMK_TABLE_AT(name, k);                                                              \
        if (k == 0) *runs = run + 1;                                                                                   \
    }

static float *results;
static int *runs;

/* how many of the runs since the last begin() do not show the values of round first + run * step */
static int wrong_runs(int count, int first, int step)
{
    static float host[REPLAYS * COUNT];
    int wrong = 0;
    CMK_CHECK(cudaMemcpy(host, results, (size_t)count * COUNT * sizeof(float), cudaMemcpyDeviceToHost));
    for (int run = 0; run < count; ++run)
        for (int k = 0; k < COUNT; ++k) wrong += host[run * COUNT + k] != value(k, first + run * step);
    return wrong;
}

static void begin(void)
{
    CMK_CHECK(cudaMemset(results, 0xFF, REPLAYS * COUNT * sizeof(float)));
    CMK_CHECK(cudaMemset(runs, 0, sizeof *runs));
}

static void fill(float *values, int round)
{
    for (int k = 0; k < COUNT; ++k) values[k] = value(k, round);
}

static cudaGraphExec_t end_capture(cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    CMK_CHECK(cudaStreamEndCapture(stream, &graph));
    CMK_CHECK(cudaGraphInstantiateWithFlags(&replay, graph, 0));
    CMK_CHECK(cudaGraphDestroy(graph));
    return replay;
}

/* ---- An upload that is a node of a graph; it runs once before the capture, since that loads the module */
#define REPLAYED(SOURCE, name)                                                                                         \
    CMK_TABLE(SOURCE, float, name, [COUNT]);                                                                           \
    STORE_KERNEL(name)                                                                                                 \
    static void name##_run(const float *source, cudaStream_t stream)                                                   \
    {                                                                                                                  \
        CMK_CHECK(CMK_TABLE_UPLOAD_ASYNC(name, source, 0, CUT, stream));                                               \
        CMK_CHECK(CMK_TABLE_UPLOAD_ASYNC(name, source + CUT, CUT, COUNT - CUT, stream));                               \
        CMK_CHECK(CMK_LAUNCH(name##_store, 1, COUNT, 0, stream, results, runs, name));                                 \
    }
REPLAYED(CONSTANT, constant)
REPLAYED(GLOBAL, global)

static void uploads_replayed(const char *source_name, void (*run)(const float *source, cudaStream_t stream),
                             cudaStream_t stream)
{
    float *source;
    CMK_CHECK(cudaMallocHost((void **)&source, COUNT * sizeof(float)));
    fill(source, 1000);
    begin();
    run(source, stream);
    CMK_CHECK(cudaStreamSynchronize(stream));
    const int before = wrong_runs(1, 1000, 0);
    CMK_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    run(source, stream);
    const cudaGraphExec_t replay = end_capture(stream);
    begin();
    for (int round = 0; round < REPLAYS; ++round) {
        fill(source, round);
        CMK_CHECK(cudaGraphLaunch(replay, stream));
        CMK_CHECK(cudaStreamSynchronize(stream));
    }
    const int after = wrong_runs(REPLAYS, 0, 1);
    tap_check(before + after == 0, "%s: an upload in a graph reads its source at each of %d replays: %d and %d wrong",
              source_name, REPLAYS, before, after);
    CMK_CHECK(cudaGraphExecDestroy(replay));
    CMK_CHECK(cudaFreeHost(source));
}

/* ---- A parameter, whose values are those of the capture */
CMK_TABLE(PARAMETER, float, parameter, [COUNT]);
STORE_KERNEL(parameter)

static void upload_refused(cudaStream_t stream)
{
    float before[COUNT], other[COUNT], after[COUNT];
    cudaGraph_t graph = NULL;
    fill(before, 1);
    fill(other, 2);
    CMK_CHECK(CMK_TABLE_UPLOAD(parameter, before, 0, COUNT));
    CMK_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const cudaError_t error = CMK_TABLE_UPLOAD_ASYNC(parameter, other, 0, COUNT, stream);
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph != NULL) CMK_CHECK(cudaGraphDestroy(graph));
    (void)cudaGetLastError(); /* CUDA ends such a capture with an error too */
    CMK_CHECK(CMK_TABLE_DOWNLOAD(parameter, after, 0, COUNT));
    tap_check(error != cudaSuccess && memcmp(before, after, sizeof before) == 0,
              "PARAMETER: an upload under capture is refused and changes nothing: %s", cudaGetErrorName(error));
}

static void values_of_capture(cudaStream_t stream)
{
    float values[COUNT];
    fill(values, 3);
    CMK_CHECK(CMK_TABLE_UPLOAD(parameter, values, 0, COUNT));
    begin();
    CMK_CHECK(CMK_LAUNCH(parameter_store, 1, COUNT, 0, stream, results, runs, parameter));
    CMK_CHECK(cudaStreamSynchronize(stream));
    CMK_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CMK_CHECK(CMK_LAUNCH(parameter_store, 1, COUNT, 0, stream, results, runs, parameter));
    const cudaGraphExec_t replay = end_capture(stream);
    begin();
    for (int round = 0; round < REPLAYS - 1; ++round) {
        fill(values, 4 + round);
        CMK_CHECK(CMK_TABLE_UPLOAD(parameter, values, 0, COUNT));
        CMK_CHECK(cudaGraphLaunch(replay, stream));
    }
    CMK_CHECK(cudaStreamSynchronize(stream));
    const int wrong = wrong_runs(REPLAYS - 1, 3, 0);
    begin();
    CMK_CHECK(CMK_LAUNCH(parameter_store, 1, COUNT, 0, stream, results, runs, parameter));
    CMK_CHECK(cudaStreamSynchronize(stream));
    const int later = wrong_runs(1, 4 + REPLAYS - 2, 0);
    tap_check(wrong + later == 0,
              "PARAMETER: a graph keeps the values of its capture, a launch has the new ones: %d wrong", wrong + later);
    CMK_CHECK(cudaGraphExecDestroy(replay));
}

/* ---- Two devices: each has its own values and its own slots */
CMK_TABLE_SLOTS(CONSTANT, float, constant_slots, [COUNT], 1);
CMK_TABLE_SLOTS(GLOBAL, float, global_slots, [COUNT], 1);
STORE_KERNEL(constant_slots)
STORE_KERNEL(global_slots)

static void upload_on(int device, constant_slots_table *constant_slot, global_slots_table *global_slot)
{
    float values[COUNT];
    CMK_CHECK(cudaSetDevice(device));
    fill(values, 4 * device);
    CMK_CHECK(CMK_TABLE_UPLOAD(constant, values, 0, COUNT));
    fill(values, 4 * device + 1);
    CMK_CHECK(CMK_TABLE_UPLOAD(global, values, 0, COUNT));
    fill(values, 4 * device + 2);
    CMK_CHECK(CMK_TABLE_TAKE(constant_slots, *constant_slot, values, 0));
    fill(values, 4 * device + 3);
    CMK_CHECK(CMK_TABLE_TAKE(global_slots, *global_slot, values, 0));
}

static int wrong_on(int device, constant_slots_table constant_slot, global_slots_table global_slot)
{
    CMK_CHECK(cudaSetDevice(device));
    CMK_CHECK(cudaMalloc((void **)&results, REPLAYS * COUNT * sizeof(float)));
    CMK_CHECK(cudaMalloc((void **)&runs, sizeof *runs));
    begin();
    CMK_CHECK(CMK_LAUNCH(constant_store, 1, COUNT, 0, 0, results, runs, constant));
    CMK_CHECK(CMK_LAUNCH(global_store, 1, COUNT, 0, 0, results, runs, global));
    CMK_CHECK(CMK_LAUNCH(constant_slots_store, 1, COUNT, 0, 0, results, runs, constant_slot));
    CMK_CHECK(CMK_LAUNCH(global_slots_store, 1, COUNT, 0, 0, results, runs, global_slot));
    CMK_CHECK(CMK_TABLE_RELEASE(constant_slots, constant_slot, 0));
    CMK_CHECK(CMK_TABLE_RELEASE(global_slots, global_slot, 0));
    const int wrong = wrong_runs(4, 4 * device, 1);
    CMK_CHECK(cudaFree(results));
    CMK_CHECK(cudaFree(runs));
    return wrong;
}

static void two_devices(void)
{
    static const char *const text = "each of two devices has its own values and slots";
    constant_slots_table constant_taken[2];
    global_slots_table global_taken[2];
    int devices, wrong = 0;
    CMK_CHECK(cudaGetDeviceCount(&devices));
    if (devices < 2) {
        tap_skip(text, "one device");
        return;
    }
    for (int device = 0; device < 2; ++device) upload_on(device, &constant_taken[device], &global_taken[device]);
    for (int device = 0; device < 2; ++device) wrong += wrong_on(device, constant_taken[device], global_taken[device]);
    tap_check(wrong == 0, "%s: %d wrong", text, wrong);
}

int main(void)
{
    cudaStream_t stream;
    tap_need_device();
    CMK_CHECK(cudaStreamCreate(&stream));
    CMK_CHECK(cudaMalloc((void **)&results, REPLAYS * COUNT * sizeof(float)));
    CMK_CHECK(cudaMalloc((void **)&runs, sizeof *runs));
    uploads_replayed("CONSTANT", constant_run, stream);
    uploads_replayed("GLOBAL", global_run, stream);
    upload_refused(stream);
    values_of_capture(stream);
    CMK_CHECK(cudaFree(results));
    CMK_CHECK(cudaFree(runs));
    CMK_CHECK(cudaStreamDestroy(stream));
    two_devices();
    return tap_done();
}
