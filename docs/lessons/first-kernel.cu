/* first-kernel: rings, one thread a pixel.
 *   usage: first-kernel PICTURE [careless]     writes a binary PGM; careless: by the kernel that forgets its edge
 *   build: nvcc -arch=native -Iinclude -o first-kernel docs/lessons/first-kernel.cu
 *      or: gcc -Iinclude -x c docs/lessons/first-kernel.cu -o first-kernel -lm -lpthread */
#include <cmk/cmk.h>

enum { WIDE = 300, HIGH = 200 };

/* a wave of the squared distance from the middle: finer and finer outwards */
CMK_FUNCTION unsigned char wave(int x, int y)
{
    const int dx = x - WIDE / 2, dy = y - HIGH / 2, phase = (dx * dx + dy * dy) / 16 % 256;
    return (unsigned char)(phase < 128 ? 2 * phase : 511 - 2 * phase);
}

__global__ void rings(unsigned char *picture)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < WIDE && y < HIGH) CMK_STORE(&picture[y * WIDE + x], wave(x, y));
}

__global__ void careless(unsigned char *picture)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    CMK_STORE(&picture[y * WIDE + x], wave(x, y));
}

int main(int argc, char **argv)
{
    const dim3 block = dim3(32, 8), grid = dim3((WIDE + 31) / 32, (HIGH + 7) / 8);
    unsigned char *picture;
    if (argc < 2) return puts("usage: first-kernel PICTURE [careless]"), 1;
    CMK_CHECK(cudaMallocManaged((void **)&picture, WIDE * HIGH, cudaMemAttachGlobal));
    if (argc > 2)
        CMK_CHECK(CMK_LAUNCH(careless, grid, block, 0, 0, picture));
    else
        CMK_CHECK(CMK_LAUNCH(rings, grid, block, 0, 0, picture));
    CMK_CHECK(cudaDeviceSynchronize());

    FILE *const file = fopen(argv[1], "wb");
    if (file == NULL) return puts("the picture cannot be written"), 1;
    fprintf(file, "P5\n%d %d\n255\n", WIDE, HIGH);
    fwrite(picture, 1, WIDE * HIGH, file);
    fclose(file);
    printf("%u x %u blocks of %u x %u threads for %d x %d pixels\n", grid.x, grid.y, block.x, block.y, WIDE, HIGH);
    return 0;
}
