/* report: kernels whose costs are known, for report.py.
 *   usage: report [none | fail | files TEXT CSV] */
#include <cmk/cmk.h>

__global__ void column(const float *in, float *out)
{
    CMK_TILE(float, tile, 32, 32, 0);
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    CMK_TILE_SET(tile, y, x, CMK_LDG(&in[32 * y + x])); /* MARK fill */
    __syncthreads();
    CMK_STORE(&out[32 * y + x], CMK_TILE_GET(tile, x, y)); /* MARK column */
}

__global__ void planes(float *out)
{
    CMK_TILE_3D(float, tile, 2, 16, 32, 0);
    CMK_TILE_AT(float, dynamic, 128, 32, 0);
    const int x = (int)threadIdx.x;
    for (int y = 0; y < 16; ++y) CMK_TILE_SET(tile[1], y, x, 1.0f);
    for (int y = 0; y < 32; ++y) CMK_TILE_SET(dynamic, y, x, 1.0f);
    __syncthreads();
    const float sum = CMK_TILE_GET(tile[1], x % 16, x / 16); /* MARK planes */
    CMK_STORE(&out[x], sum + CMK_TILE_GET(dynamic, x, 0));   /* MARK dynamic */
}

__global__ void stubborn(float *out)
{
    CMK_TILE(float, tall, 1024, 1, 0);
    CMK_TILE(float, flat, 1, 64, 0);
    const int x = (int)threadIdx.x;
    CMK_TILE_SET(tall, 32 * x, 0, 1.0f); /* MARK tall */
    CMK_TILE_SET(flat, 0, 2 * x, 1.0f);  /* MARK flat */
    __syncthreads();
    CMK_STORE(&out[x], 1.0f);
}

__global__ void strided(const float *in, float *out)
{
    CMK_STORE(&out[threadIdx.x], CMK_LDG(&in[4 * threadIdx.x])); /* MARK strided, "quoted" <&> */
}

__global__ void clean(const float *in, float *out)
{
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    CMK_COUNT_OPERATIONS(2);
    CMK_STORE(&out[i], 3.0f * CMK_LOAD(&in[i]) + 1.0f); /* MARK clean */
    CMK_COUNT_OPERATIONS(0);
}

__global__ void pair(const float *in, float *out)
{
    CMK_STORE(&out[threadIdx.x], CMK_LDG(&in[threadIdx.x]) + CMK_LDG(&in[2 * threadIdx.x])); /* MARK pair */
}

static void (*const pointers[])(const float *, float *) = {pair};

static void launch_all(void)
{
    float *in, *out;
    CMK_CHECK(cudaMalloc((void **)&in, 4096));
    CMK_CHECK(cudaMalloc((void **)&out, 4096));
    CMK_CHECK(cudaMemset(in, 0, 4096));
    CMK_CHECK(CMK_LAUNCH(column, 1, dim3(32, 32), 0, 0, in, out));
    CMK_CHECK(CMK_LAUNCH(planes, 1, 32, 128 + 4096, 0, out));
    CMK_CHECK(CMK_LAUNCH(stubborn, 1, 32, 0, 0, out));
    CMK_CHECK(CMK_LAUNCH(strided, 1, 32, 0, 0, in, out));
    for (int k = 0; k < 3; ++k) CMK_CHECK(CMK_LAUNCH(clean, 4, 64, 0, 0, in, out));
    CMK_CHECK(CMK_LAUNCH(pointers[0], 1, 32, 0, 0, in, out));
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
}

/* 0 where both could be written */
static int write_files(const char *text_name, const char *csv_name)
{
    FILE *text = fopen(text_name, "w"), *csv = fopen(csv_name, "w");
    const int written = text && csv && cmk_count_report(text, csv) && cmk_count_report(NULL, NULL);
    if (text) fclose(text);
    if (csv) fclose(csv);
    return !written;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "none") == 0) return 0;
    launch_all();
    if (argc == 2 && strcmp(argv[1], "fail") == 0) return 3;
    return argc == 4 ? write_files(argv[2], argv[3]) : 0;
}
