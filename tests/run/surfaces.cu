/* Surfaces and layered textures: what kernels write and read there, against arrays of the host by the definitions. With
 * a word: a read outside that must stop. */
#include <cuda_runtime.h>

#include "check.h"

enum { WIDTH = 9, HEIGHT = 5, DEPTH = 3, ALL = WIDTH * HEIGHT * DEPTH };

/* The number of an element, which is what it holds. */
__host__ __device__ inline float number(int x, int y, int z)
{
    return (float)((z * HEIGHT + y) * WIDTH + x);
}

__global__ void fill(cudaSurfaceObject_t volume, cudaSurfaceObject_t layers, cudaSurfaceObject_t image,
                     cudaSurfaceObject_t row, cudaSurfaceObject_t rows)
{
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                surf3Dwrite(number(x, y, z), volume, x * 4, y, z);
                surf2DLayeredwrite(make_float2(number(x, y, z), 1), layers, x * 8, y, z);
                surf2Dwrite((unsigned char)number(x, y, 0), image, x, y, cudaBoundaryModeZero);
                surf1Dwrite(number(x, 0, 0), row, x * 4);
                surf1DLayeredwrite(number(x, 0, z), rows, x * 4, z);
            }
    surf2Dwrite((unsigned char)255, image, WIDTH, 0, cudaBoundaryModeZero); /* not written */
    surf2Dwrite((unsigned char)77, image, WIDTH + 3, HEIGHT, cudaBoundaryModeClamp);
}

/* Of the 27 places around and in the volume, and of each other surface, what is read: 0 outside, or the nearest. */
__global__ void look(cudaSurfaceObject_t volume, cudaSurfaceObject_t layers, cudaSurfaceObject_t row,
                     cudaSurfaceObject_t rows, cudaTextureObject_t texture, float *out)
{
    const int xs[] = {-1, 4, WIDTH}, ys[] = {-2, 3, HEIGHT + 1}, zs[] = {-1, 1, DEPTH};
    for (int n = 0; n < 27; n++) {
        const int x = xs[n % 3], y = ys[n / 3 % 3], z = zs[n / 9];
        out[6 * n] = surf3Dread<float>(volume, 4 * x, y, z, cudaBoundaryModeZero);
        surf3Dread(&out[6 * n + 1], volume, 4 * x, y, z, cudaBoundaryModeClamp);
        out[6 * n + 2] = surf2DLayeredread<float2>(layers, 8 * x, y, z, cudaBoundaryModeClamp).x;
        out[6 * n + 3] = surf1Dread<float>(row, 4 * x, cudaBoundaryModeClamp);
        out[6 * n + 4] = surf1DLayeredread<float>(rows, 4 * x, z, cudaBoundaryModeZero);
        out[6 * n + 5] = tex2DLayered<float2>(texture, (float)x + 0.5f, (float)y + 0.5f, z).x;
    }
}

__global__ void look_between(cudaTextureObject_t texture, float *out)
{
    out[0] = tex2DLayered<float2>(texture, 3.75f, 2.5f, 1).x; /* a quarter of the way from 3 to 4 */
    out[1] = tex2DLayered<float2>(texture, 3.5f, 3.0f, 2).x;  /* half way from row 2 to row 3 */
}

__global__ void leave(cudaSurfaceObject_t image, unsigned char *out)
{
    *out = surf2Dread<unsigned char>(image, WIDTH, 1); // MARK trap
}

template <class T> static cudaResourceDesc made(int width, int height, int depth, unsigned flags)
{
    cudaResourceDesc resource = {};
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    resource.resType = cudaResourceTypeArray;
    CHECK(cudaMalloc3DArray(&resource.res.array.array, &format, make_cudaExtent(width, height, depth), flags));
    return resource;
}

static cudaSurfaceObject_t surface_of(const cudaResourceDesc &resource)
{
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource, cudaTextureFilterMode filter)
{
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

static int inside(int i, int size)
{
    return i < 0 ? 0 : i < size ? i : size - 1;
}

static int judge(const float *out)
{
    const int xs[] = {-1, 4, WIDTH}, ys[] = {-2, 3, HEIGHT + 1}, zs[] = {-1, 1, DEPTH};
    int right = 1;
    for (int n = 0; n < 27; n++, out += 6) {
        const int x = xs[n % 3], y = ys[n / 3 % 3], z = zs[n / 9];
        const int i = inside(x, WIDTH), j = inside(y, HEIGHT), k = inside(z, DEPTH);
        right &= near_enough("zero", n, out[0], i == x && j == y && k == z ? number(x, y, z) : 0.0);
        right &= near_enough("clamp", n, out[1], number(i, j, k));
        right &= near_enough("layers", n, out[2], number(i, j, k));
        right &= near_enough("a row", n, out[3], number(i, 0, 0));
        right &= near_enough("layers of rows", n, out[4], i == x && k == z ? number(i, 0, k) : 0.0);
        right &= near_enough("a layered texture", n, out[5], number(i, j, k));
    }
    return right;
}

static int judge_image(cudaArray_t image)
{
    unsigned char found[HEIGHT][WIDTH];
    int right = 1;
    CHECK(cudaMemcpy2DFromArray(found, WIDTH, image, 0, 0, WIDTH, HEIGHT, cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            right &= near_enough("image", x, found[y][x],
                                 x == WIDTH - 1 && y == HEIGHT - 1 ? 77.0 : (double)number(x, y, 0));
    return right;
}

int main(int count, char **)
{
    const unsigned store = cudaArraySurfaceLoadStore;
    const cudaResourceDesc volume = made<float>(WIDTH, HEIGHT, DEPTH, store), row = made<float>(WIDTH, 0, 0, store);
    const cudaResourceDesc layers = made<float2>(WIDTH, HEIGHT, DEPTH, store | cudaArrayLayered);
    const cudaResourceDesc rows = made<float>(WIDTH, 0, DEPTH, store | cudaArrayLayered);
    const cudaResourceDesc image = made<unsigned char>(WIDTH, HEIGHT, 0, store);
    const cudaResourceDesc plain = made<float>(WIDTH, HEIGHT, 0, cudaArrayDefault);
    cudaSurfaceObject_t refused;
    float *out;
    CHECK(cudaMallocManaged(&out, 27 * 6 * sizeof *out));
    int right = cudaCreateSurfaceObject(&refused, &plain) == cudaErrorInvalidValue;
    cudaExtent extent;
    unsigned flags = 0;
    CHECK(cudaArrayGetInfo(NULL, &extent, &flags, layers.res.array.array));
    right &= extent.width == WIDTH && extent.depth == DEPTH && flags == (store | cudaArrayLayered);
    fill<<<1, 1>>>(surface_of(volume), surface_of(layers), surface_of(image), surface_of(row), surface_of(rows));
    look<<<1, 1>>>(surface_of(volume), surface_of(layers), surface_of(row), surface_of(rows),
                   texture_of(layers, cudaFilterModePoint), out);
    CHECK(cudaDeviceSynchronize());
    right &= judge(out) & judge_image(image.res.array.array);
    look_between<<<1, 1>>>(texture_of(layers, cudaFilterModeLinear), out);
    CHECK(cudaDeviceSynchronize());
    right &= near_enough("between columns", 0, out[0], number(3, 2, 1) + 0.25);
    right &= near_enough("between rows", 1, out[1], 0.5 * (number(3, 2, 2) + number(3, 3, 2)));
    if (count > 1) {
        leave<<<1, 1>>>(surface_of(image), (unsigned char *)out);
        CHECK(cudaDeviceSynchronize());
    }
    puts(right ? "right" : "wrong");
    return !right;
}
