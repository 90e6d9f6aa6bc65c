/* devices.cu: several devices in one process: whose memory, streams, events and variables are whose. On the CPU backend
 * with CMK_HOST_DEVICES=3; on GPUs what two of them can show. */
#include <cmk/cmk.h>
#include <pthread.h>
#include "tap.h"

enum { COUNT = 64, BYTES = COUNT * (int)sizeof(int) };

static __global__ void set(int *out, int value)
{
    CMK_STORE(&out[threadIdx.x], value + (int)threadIdx.x);
}

static __global__ void add(const int *in, int *out)
{
    CMK_STORE(&out[threadIdx.x], CMK_LDG(&out[threadIdx.x]) + CMK_LDG(&in[threadIdx.x]));
}

static __constant__ int factor[1];
static __device__ int counter[1];

static __global__ void scale(int *out)
{
    CMK_STORE(&out[threadIdx.x], factor[0] * ((int)threadIdx.x + 1));
    if (threadIdx.x == 0) (void)atomicAdd(&counter[0], factor[0]);
}

#define MUST(call) CMK_CHECK(call)

static int devices;
static int *memory[2];
static cudaStream_t stream[2];
static cudaEvent_t event[2];

static void on(int device)
{
    MUST(cudaSetDevice(device));
}

static void refused(cudaError_t got, cudaError_t wanted, const char *what)
{
    (void)cudaGetLastError();
    tap_check(got == wanted, "%s: %s", what, cudaGetErrorName(got));
}

static int has(const int *device, int value, int step)
{
    int host[COUNT], right = 1;
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(host, device, BYTES, cudaMemcpyDefault));
    for (int i = 0; i < COUNT; i++) right = right && host[i] == value + step * i;
    return right;
}

static void *device_of_thread(void *found)
{
    MUST(cudaGetDevice((int *)found));
    return NULL;
}

static void test_setting(void)
{
    int now = -1, other = -1;
    pthread_t thread;
    on(1);
    MUST(cudaGetDevice(&now));
    if (pthread_create(&thread, NULL, device_of_thread, &other) != 0 || pthread_join(thread, NULL) != 0) exit(2);
    tap_check(now == 1 && other == 0, "each host thread has set a device of its own: %d and %d", now, other);
    refused(cudaSetDevice(devices), cudaErrorInvalidDevice, "a device too many");
    refused(cudaSetDevice(-1), cudaErrorInvalidDevice, "device -1");
}

static void test_owners(void)
{
    cudaPointerAttributes attributes;
    int host = 0;
    on(0);
    MUST(cudaPointerGetAttributes(&attributes, memory[1] + 3));
    tap_check(attributes.type == cudaMemoryTypeDevice && attributes.device == 1,
              "memory is of the device that was set");
    MUST(cudaPointerGetAttributes(&attributes, &host));
    tap_check(attributes.type == cudaMemoryTypeUnregistered, "the host's memory is of none");
    refused(CMK_LAUNCH(set, 1, COUNT, 0, stream[1], memory[0], 1), cudaErrorInvalidResourceHandle,
            "a launch into a stream of another device");
    refused(cudaEventRecord(event[1], stream[0]), cudaErrorInvalidResourceHandle,
            "the record of an event of another device");
}

static void test_copies(void)
{
    on(0);
    MUST(CMK_LAUNCH(set, 1, COUNT, 0, stream[0], memory[0], 10));
    MUST(cudaMemcpyPeerAsync(memory[1], 1, memory[0], 0, BYTES, stream[0]));
    MUST(cudaEventRecord(event[0], stream[0]));
    on(1);
    MUST(cudaStreamWaitEvent(stream[1], event[0], 0));
    MUST(CMK_LAUNCH(add, 1, COUNT, 0, stream[1], memory[1], memory[1]));
    tap_check(has(memory[1], 20, 2), "a copy from device to device, and a wait for it in a stream of the other");
    MUST(cudaMemcpyPeer(memory[0], 0, memory[1], 1, BYTES));
    on(0);
    tap_check(has(memory[0], 20, 2), "cudaMemcpyPeer");
    MUST(CMK_LAUNCH(set, 1, COUNT, 0, stream[0], memory[0], 30));
    MUST(cudaMemcpyAsync(memory[1], memory[0], BYTES, cudaMemcpyDefault, stream[0]));
    tap_check(has(memory[1], 30, 1), "cudaMemcpyDefault finds both devices");
}

static void test_peers(void)
{
    int can = -1, back = -1;
    MUST(cudaDeviceCanAccessPeer(&can, 0, 1));
    MUST(cudaDeviceCanAccessPeer(&back, 0, 0));
    tap_check(back == 0, "no device is its own peer");
    refused(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled, "peer access that there is none of");
    refused(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice, "peer access to itself");
    if (!can) {
        refused(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported, "peer access of devices apart");
        return;
    }
    MUST(cudaDeviceEnablePeerAccess(1, 0));
    refused(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled, "peer access twice");
    MUST(CMK_LAUNCH(set, 1, COUNT, 0, stream[0], memory[1], 5));
    tap_check(has(memory[1], 5, 1), "a kernel writes memory of a peer");
    MUST(cudaDeviceDisablePeerAccess(1));
}

static void test_variables(void)
{
    int value, counted[2];
    for (int d = 0; d < 2; d++) {
        on(d);
        value = 0;
        MUST(cudaMemcpyToSymbol(counter, &value, sizeof value));
        value = 3 + d;
        MUST(cudaMemcpyToSymbol(factor, &value, sizeof value));
    }
    for (int turn = 0; turn < 4; turn++) {
        on(turn % 2);
        MUST(CMK_LAUNCH(scale, 1, COUNT, 0, stream[turn % 2], memory[turn % 2]));
    }
    for (int d = 0; d < 2; d++) {
        on(d);
        MUST(cudaDeviceSynchronize());
        MUST(cudaMemcpyFromSymbol(&counted[d], counter, sizeof value));
        tap_check(has(memory[d], 3 + d, 3 + d), "a constant has a value on each device: %d", d);
    }
    tap_check(counted[0] == 6 && counted[1] == 8, "so has a variable that kernels change: %d and %d", counted[0],
              counted[1]);
}

static int use_two_devices(void)
{
    for (int d = 0; d < 2; d++) {
        on(d);
        MUST(cudaMalloc((void **)&memory[d], BYTES));
        MUST(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
        MUST(cudaEventCreateWithFlags(&event[d], cudaEventDisableTiming));
    }
    test_setting();
    test_owners();
    test_copies();
    test_peers();
    test_variables();
    for (int d = 0; d < 2; d++) {
        MUST(cudaFree(memory[d]));
        MUST(cudaStreamDestroy(stream[d]));
        MUST(cudaEventDestroy(event[d]));
    }
    return tap_done();
}

int main(void)
{
    tap_need_device();
    MUST(cudaGetDeviceCount(&devices));
    if (devices >= 2) return use_two_devices();
    puts("1..0 # SKIP one device only");
    return 0;
}
