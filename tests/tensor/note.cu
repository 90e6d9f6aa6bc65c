/* note: what a program without code for sm_90a says on an H100: once, and of calls that tensor cores would take. */
#include <cmk/check.h>
#include <cmk/kernel/conv2d.h>
#include <string.h>
#include <unistd.h>
#include "tap.h"

enum { SIDE = 4096 };

CMK_TABLE(CONSTANT, float, taps, [15][15]);
CMK_DEFINE_CONV2D(smooth, float, 15, 15, taps, CMK_EDGE_ZERO);
CMK_DEFINE_CONV2D_AS(exact, CORRELATION_IN_ORDER, (float, float, float, 1), (15, 15), (7, 7), taps, (CMK_EDGE_ZERO, 0));

static float *in, *out;
static FILE *said;

/* what is said on stderr while a filter runs, of so many rows */
static const char *heard(cudaError_t filter(const float *, size_t, float *, size_t, size_t, size_t, taps_table,
                                            cudaStream_t),
                         size_t rows)
{
    static char text[256];
    const long before = ftell(said);
    CMK_CHECK(filter(in, SIDE, out, SIDE, rows, SIDE, taps, 0));
    fflush(stderr);
    fseek(said, before, SEEK_SET);
    text[fread(text, 1, sizeof text - 1, said)] = 0;
    return text;
}

int main(void)
{
    struct cudaDeviceProp device;
    struct cudaFuncAttributes code;
    tap_need_device();
    CMK_CHECK(cudaGetDeviceProperties(&device, 0));
    CMK_CHECK(cudaFuncGetAttributes(&code, (const void *)smooth_tensor_kernel));
    const int lacks = device.major == 9 && device.minor == 0 && code.sharedSizeBytes == 0;
    CMK_CHECK(cudaMalloc((void **)&in, (size_t)SIDE * SIDE * sizeof *in));
    CMK_CHECK(cudaMalloc((void **)&out, (size_t)SIDE * SIDE * sizeof *out));
    said = tmpfile();
    if (said == NULL || dup2(fileno(said), STDERR_FILENO) < 0) return EXIT_FAILURE;
    tap_check(heard(smooth, 16)[0] == 0, "nothing of a small image");
    tap_check(heard(exact, SIDE)[0] == 0, "nothing of a sum in order");
    tap_check((strstr(heard(smooth, SIDE), "nvcc -arch=sm_90a") != NULL) == lacks, "said: %d", lacks);
    tap_check(heard(smooth, SIDE)[0] == 0, "nothing from then on");
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
    return tap_done();
}
