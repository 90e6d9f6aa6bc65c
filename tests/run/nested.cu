/* Kernels that launch kernels: a sort that divides itself, sums of two steps in one stream, what a tail adds. */
#include <cuda_runtime.h>
#include "check.h"

#define COUNT 200
#define SHORT 8

/* Swaps what is greater than the pivot to the right, and leaves both parts to launches of their own. */
__global__ void sort(int *x, int count)
{
    if (count <= SHORT) {
        for (int i = 1; i < count; i++)
            for (int k = i; k > 0 && x[k - 1] > x[k]; k--) {
                const int kept = x[k];
                x[k] = x[k - 1];
                x[k - 1] = kept;
            }
        return;
    }
    const int pivot = x[count / 2];
    int low = 0, high = count - 1;
    while (low <= high) {
        while (x[low] < pivot) low++;
        while (x[high] > pivot) high--;
        if (low > high) break;
        const int kept = x[low];
        x[low++] = x[high];
        x[high--] = kept;
    }
    cudaStream_t beside;
    cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking);
    sort<<<1, 1, 0, beside>>>(x, high + 1);
    cudaStreamDestroy(beside);
    sort<<<1, 1>>>(x + low, count - low);
}

template <class T> __global__ void add_rows(const T *in, T *sums, int columns)
{
    __shared__ T row[32];
    const int i = threadIdx.x;
    row[i] = i < columns ? in[blockIdx.x * columns + i] : T(0);
    __syncthreads();
    for (int step = 16; step > 0; step /= 2) {
        if (i < step) row[i] += row[i + step];
        __syncthreads();
    }
    if (i == 0) sums[blockIdx.x] = row[0];
}

/* Half of the sum of the rows' sums, to which a tail adds the same again. */
template <class T> __global__ void add(const T *sums, T *total, int count)
{
    T sum = 0;
    for (int i = 0; i < count; i++) sum += sums[i];
    *total += sum / 2;
}

__global__ void add_all(const double *in, double *sums, double *total, int rows, int columns)
{
    *total = -1.0;
    if (threadIdx.x > 0) return;
    add<double><<<1, 1, 0, cudaStreamTailLaunch>>>(sums, total, rows);
    add_rows<<<rows, 32>>>(in, sums, columns);
    add<<<1, 1>>>(sums, total, rows);
    add<<<1, 2048>>>(sums, total, rows);
    if (cudaGetLastError() == cudaSuccess) *total = 1e9;
}

__device__ int launches;

__global__ void count_launches()
{
    atomicAdd(&launches, 1);
}

__global__ void launch_by_all()
{
    count_launches<<<2, 1>>>();
}

int main()
{
    int *x, counted = 0;
    double *numbers;
    int right = 1;
    CHECK(cudaMallocManaged((void **)&x, COUNT * sizeof *x));
    CHECK(cudaMallocManaged((void **)&numbers, (COUNT + 20 + 1) * sizeof *numbers));
    for (int i = 0; i < COUNT; i++) x[i] = (i * 77 + 13) % COUNT;
    sort<<<1, 1>>>(x, COUNT);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++) right &= near_enough("sort", i, x[i], i);
    double wanted = 0.0;
    for (int i = 0; i < COUNT; i++) wanted += numbers[i] = i % 7 + 0.25;
    add_all<<<1, 2>>>(numbers, numbers + COUNT, numbers + COUNT + 20, 20, 10);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    right &= near_enough("sum", 0, numbers[COUNT + 20], wanted - 1.0);
    launch_by_all<<<40, 3>>>();
    CHECK(cudaMemcpyFromSymbol(&counted, launches, sizeof counted));
    right &= near_enough("launches", 0, counted, 2 * 40 * 3);
    puts(right ? "right" : "wrong");
    return !right;
}
