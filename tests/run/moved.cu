/* Stores that may leave a loop: of one instance of the template they do, since nothing in the loop reads them; of the
 * other they stay. A load of what a barrier does not change leaves its loop too. */
enum { TURNS = 20 };

template <bool READS> __global__ void keep(const float *__restrict__ in, float *__restrict__ out, int turns)
{
    float sum = 0;
    for (int k = 0; k < turns; k++) {
        if (READS) sum += out[32 + threadIdx.x * (turns - TURNS + 1)];
        sum += in[k * 32 + threadIdx.x];
        out[threadIdx.x] = sum; // MARK store
    }
}

__global__ void scale(const float *__restrict__ in, float *__restrict__ out, int turns)
{
    float sum = 0;
    for (int k = 0; k < turns; k++) {
        const float factor = in[threadIdx.x]; // MARK load
        sum = (sum + out[k * 32 + threadIdx.x]) * factor;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

int main()
{
    float *in, *out;
    if (cudaMalloc(&in, TURNS * 128) != cudaSuccess || cudaMalloc(&out, TURNS * 128) != cudaSuccess) return 1;
    cudaMemset(in, 0, TURNS * 128), cudaMemset(out, 0, TURNS * 128);
    keep<false><<<1, 32>>>(in, out, TURNS);
    keep<true><<<1, 32>>>(in, out, TURNS);
    scale<<<1, 32>>>(in, out, TURNS);
    return cudaDeviceSynchronize() != cudaSuccess;
}
