/* cuda::barrier and cuda::pipeline, as NVIDIA's samples use them: sums of tiles that are copied ahead of their use. */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline_primitives.h>

#include <utility>

#include "check.h"

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

enum { THREADS = 96, TILES = 7, STAGES = 3 };

/* Each thread adds what its neighbour has written, in phases of one barrier: by arrive and wait, and by both at once.
 */
__global__ void by_barrier(const float *in, float *out)
{
    __shared__ float tile[THREADS];
    __shared__ block_barrier bar;
    const int t = threadIdx.x;
    cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    float sum = 0.0f;
    for (int n = 0; n < TILES; n++) {
        tile[t] = in[n * THREADS + t];
        block_barrier::arrival_token token = bar.arrive();
        sum += 1.0f; /* what needs no other thread */
        bar.wait(std::move(token));
        sum += tile[(t + 1) % THREADS];
        bar.arrive_and_wait();
    }
    out[t] = sum;
}

/* The threads of the first warp leave the barrier after the first tile; copies are waited for by a barrier. */
__global__ void by_fewer(const float *in, float *out)
{
    __shared__ float tile[THREADS];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bars[2];
    const int t = threadIdx.x;
    if (t < 2) init(&bars[t], THREADS);
    __syncthreads();
    cuda::memcpy_async(&tile[t], &in[t], sizeof(float), bars[0]);
    bars[0].arrive_and_wait();
    out[t] = tile[(t + 1) % THREADS] + 1.0f;
    if (t < 32) {
        bars[1].arrive_and_drop();
        return;
    }
    bars[1].arrive_and_wait();
    for (int n = 1; n < TILES; n++) {
        tile[t] = in[n * THREADS + t];
        bars[1].arrive_and_wait();
        out[t] += tile[32 + (t - 31) % (THREADS - 32)] + 1.0f;
        while (!bars[1].try_wait(bars[1].arrive())) {
        }
    }
}

/* A thread's own pipeline: its copies are ahead by STAGES - 1 tiles. */
__global__ void by_thread(const float *in, float *out)
{
    __shared__ alignas(16) float tiles[STAGES][THREADS];
    const int t = threadIdx.x;
    const auto bytes = cuda::aligned_size_t<alignof(float)>(sizeof(float));
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    float sum = 0.0f;
    for (int n = 0, ahead = 0; n < TILES; n++) {
        for (; ahead < TILES && ahead < n + STAGES; ahead++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tiles[ahead % STAGES][t], &in[ahead * THREADS + t], bytes, pipe);
            pipe.producer_commit();
        }
        cuda::pipeline_consumer_wait_prior<STAGES - 1>(pipe);
        __syncthreads();
        sum += tiles[n % STAGES][(t + 1) % THREADS] + 1.0f;
        __syncthreads();
        pipe.consumer_release();
    }
    out[t] = sum;
}

/* A block's pipeline, with all threads on both sides. */
__global__ void by_block(const float *in, float *out)
{
    extern __shared__ float tiles[];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    float sum = 0.0f;
    for (int n = 0, ahead = 0; n < TILES; n++) {
        for (; ahead < TILES && ahead < n + STAGES; ahead++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tiles + ahead % STAGES * THREADS, in + ahead * THREADS, sizeof(float) * THREADS,
                               pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += tiles[n % STAGES * THREADS + (threadIdx.x + 1) % THREADS] + 1.0f;
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

/* A block's pipeline, whose first warp copies for the others. */
__global__ void by_roles(const float *in, float *out)
{
    __shared__ float tiles[STAGES][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    const int t = threadIdx.x;
    const auto role = t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state, role);
    for (int n = 0; n < TILES && role == cuda::pipeline_role::producer; n++) {
        pipe.producer_acquire();
        for (int i = t; i < THREADS; i += 32) cuda::memcpy_async(&tiles[n % STAGES][i], &in[n * THREADS + i], 4, pipe);
        pipe.producer_commit();
    }
    for (int n = 0; n < TILES && role == cuda::pipeline_role::consumer; n++) {
        pipe.consumer_wait();
        for (int i = t - 32; i < THREADS; i += 64)
            out[i] = (n > 0 ? out[i] : 0.0f) + tiles[n % STAGES][(i + 1) % THREADS] + 1.0f;
        pipe.consumer_release();
    }
}

/* By the primitives: the last tile has only half of its numbers, and the rest is 0. */
__global__ void by_primitives(const float *in, float *out)
{
    __shared__ float4 tile[THREADS];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], in + 4 * t, 16, t < THREADS / 2 ? 0 : 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    const float4 four = tile[(t + 1) % THREADS];
    out[t] = four.x + four.y + four.z + four.w;
}

__global__ void unmade(float *out)
{
    __shared__ block_barrier bar;
    bar.arrive_and_wait(); // MARK unmade
    *out = 1.0f;
}

/* The barrier expects one thread at a time, and has none left. */
__global__ void more(float *out)
{
    __shared__ block_barrier bar;
    if (threadIdx.x == 0) init(&bar, 1);
    __syncthreads();
    bar.arrive_and_drop();
    bar.arrive_and_drop(); // MARK more
    *out = 1.0f;
}

static int judge(const char *what, const float *out, const float *in, int tiles)
{
    int right = 1;
    for (int t = 0; t < THREADS; t++) {
        double wanted = 0.0;
        for (int n = 0; n < tiles; n++) wanted += in[n * THREADS + (t + 1) % THREADS] + 1.0;
        right &= near_enough(what, t, out[t], wanted);
    }
    return right;
}

int main(int count, char **words)
{
    float *in, *out;
    CHECK(cudaMallocManaged(&in, TILES * THREADS * sizeof *in));
    CHECK(cudaMallocManaged(&out, THREADS * sizeof *out));
    for (int i = 0; i < TILES * THREADS; i++) in[i] = (float)(i % 37);
    int right = 1;
    if (count > 1 && words[1][0] == 'u') unmade<<<1, 1>>>(out);
    if (count > 1) more<<<1, 1>>>(out);
    by_barrier<<<1, THREADS>>>(in, out);
    CHECK(cudaDeviceSynchronize());
    right &= judge("by a barrier", out, in, TILES);
    by_fewer<<<1, THREADS>>>(in, out);
    CHECK(cudaDeviceSynchronize());
    for (int t = 32; t < THREADS; t++)
        for (int n = 1; n < TILES; n++) out[t] -= in[n * THREADS + 32 + (t - 31) % (THREADS - 32)] + 1.0f;
    right &= judge("by fewer", out, in, 1);
    by_thread<<<1, THREADS>>>(in, out);
    CHECK(cudaDeviceSynchronize());
    right &= judge("by a thread's pipeline", out, in, TILES);
    by_block<<<1, THREADS, STAGES * THREADS * sizeof *in>>>(in, out);
    CHECK(cudaDeviceSynchronize());
    right &= judge("by a block's pipeline", out, in, TILES);
    by_roles<<<1, THREADS>>>(in, out);
    CHECK(cudaDeviceSynchronize());
    right &= judge("by roles", out, in, TILES);
    by_primitives<<<1, THREADS>>>(in, out);
    CHECK(cudaDeviceSynchronize());
    for (int t = 0; t < THREADS; t++) {
        double wanted = 0.0;
        const int from = (t + 1) % THREADS;
        for (int i = 0; i < (from < THREADS / 2 ? 4 : 2); i++) wanted += in[4 * from + i];
        right &= near_enough("by primitives", t, out[t], wanted);
    }
    puts(right ? "right" : "wrong");
    return !right;
}
