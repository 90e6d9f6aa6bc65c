/* note: what a program without code for sm_90a says on an H100: once, and of calls that tensor cores would take; and
 * that launchers find the kernels that code for sm_80 has. */
#include <cmk/check.h>
#include <cmk/kernel/conv2d.h>
#include <cmk/kernel/separable.h>
#include <string.h>
#include <unistd.h>
#include "tap.h"

enum { SIDE = 4096 };

CMK_TABLE(CONSTANT, float, taps, [15][15]);
CMK_DEFINE_CONV2D(smooth, float, 15, 15, taps, CMK_EDGE_ZERO);
CMK_DEFINE_CONV2D_AS(exact, CORRELATION_IN_ORDER, (float, float, float, 1), (15, 15), (7, 7), taps, (CMK_EDGE_ZERO, 0));

CMK_TABLE(CONSTANT, float, few, [3][3]);
CMK_TABLE(CONSTANT, float, line, [17]);
CMK_TABLE(CONSTANT, float, long_line, [65]);
CMK_DEFINE_CONV2D_AS(bytes, CORRELATION, (unsigned char, float, unsigned char, 1), (3, 3), (1, 1), few,
                     (CMK_EDGE_ZERO, 0));
CMK_DEFINE_SEPARABLE_AS(bands, (unsigned char, float, unsigned char, 1), 8, (line, line), (CMK_EDGE_ZERO, 0));
CMK_DEFINE_SEPARABLE(sweep, float, 32, long_line, long_line, CMK_EDGE_ZERO);

static float *in, *out;
static FILE *said;

/* whether a launcher finds the kernel of tensor cores of a definition */
static int found(const void *kernel, cmk_ways_ ways)
{
    return cmk_ways_runs_((size_t)kernel, &ways, NULL);
}

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
    const int has = code.ptxVersion >= 80;
    tap_check(found((const void *)bytes_tensor_kernel, cmk_ways_of_(bytes_filter_())) == has, "filters of bytes: %d",
              has);
    tap_check(found((const void *)bands_tensor_kernel, cmk_ways_of_(bands_filter_())) == has,
              "separable ones of bytes: %d", has);
    tap_check(found((const void *)sweep_tensor_kernel, cmk_ways_of_(sweep_filter_())) == has,
              "separable ones of floats: %d", has);
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
    return tap_done();
}
