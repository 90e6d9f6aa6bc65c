/* race: a rod that cools down in a shared tile, by a kernel that lacks a barrier and by one that has it.
 *   usage: race [PICTURE PICTURE]
 *   build: nvcc -arch=native -Iinclude -o race docs/lessons/race.cu
 *      or: gcc -Iinclude -x c docs/lessons/race.cu -o race -lm -lpthread */
#include <cmk/cmk.h>

enum { COUNT = 128, STEPS = 96 };
#define POINT(i) CMK_TILE_GET(tile, 0, t + 1 + (i))
#define STEPPED (POINT(0) + 0.25f * (POINT(-1) - 2.0f * POINT(0) + POINT(1)))

/* a thread may write its point while its neighbour has not read it */
__global__ void torn(const float *in, float *out)
{
    CMK_TILE(float, tile, 1, COUNT + 2, 0);
    const int t = (int)threadIdx.x;
    CMK_TILE_SET(tile, 0, t + 1, CMK_LDG(&in[t]));
    if (t < 2) CMK_TILE_SET(tile, 0, t * (COUNT + 1), 0.0f);
    for (int step = 0; step < STEPS; ++step) {
        __syncthreads();
        const float next = STEPPED;
        CMK_TILE_SET(tile, 0, t + 1, next);
        CMK_STORE(&out[step * COUNT + t], next);
    }
}

/* all threads have read before one of them writes */
__global__ void whole(const float *in, float *out)
{
    CMK_TILE(float, tile, 1, COUNT + 2, 0);
    const int t = (int)threadIdx.x;
    CMK_TILE_SET(tile, 0, t + 1, CMK_LDG(&in[t]));
    if (t < 2) CMK_TILE_SET(tile, 0, t * (COUNT + 1), 0.0f);
    for (int step = 0; step < STEPS; ++step) {
        __syncthreads();
        const float next = STEPPED;
        __syncthreads();
        CMK_TILE_SET(tile, 0, t + 1, next);
        CMK_STORE(&out[step * COUNT + t], next);
    }
}

static int save(const char *path, const float *rows)
{
    FILE *const file = fopen(path, "wb");
    if (file == NULL) return fprintf(stderr, "race: cannot open %s\n", path), 1;
    fprintf(file, "P5\n%d %d\n255\n", COUNT, STEPS);
    for (int i = 0; i < STEPS * COUNT; ++i) fputc((int)(rows[i] + 0.5f), file);
    return fclose(file) != 0;
}

int main(int argc, char **argv)
{
    float *in, *out[2];
    int differ = 0;
    if (argc != 1 && argc != 3) return fprintf(stderr, "usage: %s [PICTURE PICTURE]\n", argv[0]), 1;
    CMK_CHECK(cudaMallocManaged((void **)&in, COUNT * sizeof(float), cudaMemAttachGlobal));
    for (int k = 0; k < 2; ++k)
        CMK_CHECK(cudaMallocManaged((void **)&out[k], STEPS * COUNT * sizeof(float), cudaMemAttachGlobal));
    for (int i = 0; i < COUNT; ++i) in[i] = i / 8 % 4 == 2 ? 250.0f : 10.0f;
    CMK_CHECK(CMK_LAUNCH(torn, 1, COUNT, 0, 0, in, out[0]));
    CMK_CHECK(CMK_LAUNCH(whole, 1, COUNT, 0, 0, in, out[1]));
    CMK_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < STEPS * COUNT; ++i) differ += !(out[0][i] - out[1][i] <= 0.5f && out[1][i] - out[0][i] <= 0.5f);
    printf("%d of %d points differ by more than half a degree\n", differ, STEPS * COUNT);
    return argc == 3 && (save(argv[1], out[0]) || save(argv[2], out[1]));
}
