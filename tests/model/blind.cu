// deck_b.cu - small kernels with everyday memory access patterns.
//   deck_b         prints the kernel names, one a line
//   deck_b all     runs each kernel once, in that order
//   deck_b NAME    runs that kernel only
// A run prints "NAME checksum", the checksum being the plain sum of the output.
// Floating-point inputs are small multiples of 1/4, so nearly all sums are exact.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

// ---------------------------------------------------------------- kernels
// 1. SAXPY as a grid-stride loop: y is read, modified, written
__global__ void saxpy_grid_stride(int n, float a, const float *x, float *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}
// 2. array of structs (32 bytes) in, struct of arrays out
struct Particle {
    float x, y, z, vx, vy, vz, mass;
    int id;
};
__global__ void aos_to_soa(const Particle *p, float *sx, float *sy, float *sz, float *energy, int *id, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sx[i] = p[i].x + dt * p[i].vx;
        sy[i] = p[i].y + dt * p[i].vy;
        sz[i] = p[i].z + dt * p[i].vz;
        float v2 = p[i].vx * p[i].vx + p[i].vy * p[i].vy + p[i].vz * p[i].vz;
        energy[i] = 0.5f * p[i].mass * v2;
        id[i] = p[i].id;
    }
}
// 3. vector loads and stores of 8 and 16 bytes
__global__ void vector_types(const float4 *a, const int2 *b, const double2 *c, float2 *o2, float4 *o4, double2 *od,
                             int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = a[i];
    int2 k = b[i];
    double2 d = c[i];
    o2[i] = make_float2(v.x + v.y, v.z - v.w);
    o4[i] = make_float4(v.x * k.x, v.y * k.x, v.z * k.y, v.w * k.y);
    od[i] = make_double2(d.y + k.x, d.x - k.y);
}
// 4. struct of 12 bytes, updated in place
struct Vec3 {
    float x, y, z;
};
__global__ void xyz_normalize(Vec3 *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Vec3 p = v[i];
        float len = sqrtf(p.x * p.x + p.y * p.y + p.z * p.z);
        p.x /= len;
        p.y /= len;
        p.z /= len;
        v[i] = p;
    }
}
// 5. bytes in, shorts and bytes out: colour to grey on a 2D grid
__global__ void gray_bytes(const unsigned char *rgb, short *gray, unsigned char *mask, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int i = y * width + x;
        int r = rgb[3 * i];
        int g = rgb[3 * i + 1];
        int b = rgb[3 * i + 2];
        int v = (77 * r + 150 * g + 29 * b) >> 8;
        gray[i] = (short)(v - 128);
        mask[i] = v > 128 ? 255 : 0;
    }
}
// 6. strides 2, 8, 32 on loads, an odd stride on the store, a misaligned load
__global__ void strided_offset_copy(const float *in, float *out, int n, int stride, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i * 2];
        out[n + i] = in[i * 8];
        out[2 * n + i] = in[i * 32];
        out[3 * n + i * stride] = in[i + offset];
    }
}
// 7. reversal in place by swapping two elements
__global__ void reverse_swap(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        int j = n - 1 - i;
        int t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
}
// 8. random gather through the read-only path, scatter by a permutation
__global__ void gather_scatter(const float *__restrict__ in, const int *__restrict__ idx, const int *__restrict__ perm,
                               float *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[perm[i]] = __ldg(&in[idx[i]]);
}
// 9. naive matrix product, block of 24 x 10 threads
__global__ void matmul_naive(const float *A, const float *B, float *C, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}
// 10. tiled matrix product, tiles 16 x 16, sizes which are no multiple of the tile
#define T16 16
__global__ void matmul_tiled16(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[T16][T16];
    __shared__ float Bs[T16][T16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * T16 + ty;
    int col = blockIdx.x * T16 + tx;
    float sum = 0.0f;
    for (int t = 0; t < (K + T16 - 1) / T16; t++) {
        int ka = t * T16 + tx;
        int kb = t * T16 + ty;
        As[ty][tx] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
        Bs[ty][tx] = (kb < K && col < N) ? B[kb * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < T16; k++) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}
// 11. tiled matrix product C = A * B^T, tiles 32 x 32; the columns of Bs conflict
#define T32 32
__global__ void matmul_tiled32(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[T32][T32];
    __shared__ float Bs[T32][T32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * T32 + ty;
    int col = blockIdx.x * T32 + tx;
    float sum = 0.0f;
    for (int t = 0; t < n; t += T32) {
        As[ty][tx] = A[row * n + t + tx];
        Bs[ty][tx] = B[(blockIdx.x * T32 + ty) * n + t + tx];
        __syncthreads();
        for (int k = 0; k < T32; k++) sum += As[ty][k] * Bs[tx][k];
        __syncthreads();
    }
    C[row * n + col] = sum;
}
// 12. naive transpose
__global__ void transpose_naive(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
// 13. transpose through an unpadded tile, 32 x 8 threads
__global__ void transpose_shared(const float *in, float *out, int width, int height)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
// 14. transpose of doubles through a padded tile with guards
__global__ void transpose_padded(const double *in, double *out, int width, int height)
{
    __shared__ double tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
// 15. transpose of a square matrix: blocks in diagonal order, tile stored diagonally
__global__ void transpose_diagonal(const int *in, int *out, int n)
{
    __shared__ int tile[32][32];
    int by = blockIdx.x;
    int bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    int tx = threadIdx.x, ty = threadIdx.y;
    for (int j = ty; j < 32; j += blockDim.y) tile[j][(tx + j) % 32] = in[(by * 32 + j) * n + bx * 32 + tx];
    __syncthreads();
    for (int j = ty; j < 32; j += blockDim.y) out[(bx * 32 + j) * n + by * 32 + tx] = tile[tx][(tx + j) % 32];
}
// 16. 1D stencil, the first threads load the halo
#define RADIUS 3
#define STENCIL_BLOCK 128
__global__ void stencil1d_halo(const int *in, int *out)
{
    __shared__ int temp[STENCIL_BLOCK + 2 * RADIUS];
    int g = blockIdx.x * blockDim.x + threadIdx.x + RADIUS;
    int l = threadIdx.x + RADIUS;
    temp[l] = in[g];
    if (threadIdx.x < RADIUS) {
        temp[l - RADIUS] = in[g - RADIUS];
        temp[l + STENCIL_BLOCK] = in[g + STENCIL_BLOCK];
    }
    __syncthreads();
    int result = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) result += temp[l + k];
    out[g - RADIUS] = result;
}
// 17. 2D five-point stencil, edge threads load the halo, border clamped
__global__ void stencil2d_halo(const float *in, float *out, int width, int height)
{
    __shared__ float s[18][18];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    int cx = x < width ? x : width - 1;
    int cy = y < height ? y : height - 1;
    s[ty][tx] = in[cy * width + cx];
    if (threadIdx.x == 0) s[ty][0] = in[cy * width + (cx > 0 ? cx - 1 : 0)];
    if (threadIdx.x == 15) s[ty][17] = in[cy * width + (cx + 1 < width ? cx + 1 : cx)];
    if (threadIdx.y == 0) s[0][tx] = in[(cy > 0 ? cy - 1 : 0) * width + cx];
    if (threadIdx.y == 15) s[17][tx] = in[(cy + 1 < height ? cy + 1 : cy) * width + cx];
    __syncthreads();
    if (x < width && y < height)
        out[y * width + x] =
            0.5f * s[ty][tx] + 0.125f * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx]);
}
// 18. tree reduction, interleaved addressing with divergent branches
__global__ void reduce_interleaved(const int *in, int *out, int n)
{
    __shared__ int sdata[256];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    sdata[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sdata[0];
}
// 19. tree reduction, sequential addressing, last warp by shuffles
__device__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

__global__ void reduce_shuffle(const float *in, float *out, int n)
{
    __shared__ float sdata[256];
    int tid = threadIdx.x;
    int i = blockIdx.x * (blockDim.x * 2) + tid;
    float v = i < n ? in[i] : 0.0f;
    if (i + blockDim.x < n) v += in[i + blockDim.x];
    sdata[tid] = v;
    __syncthreads();
    for (int s = blockDim.x / 2; s >= 32; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32) {
        v = warp_sum(sdata[tid]);
        if (tid == 0) out[blockIdx.x] = v;
    }
}
// 20. inclusive block scan, Hillis and Steele, double buffer
__global__ void scan_hillis_steele(const int *in, int *out)
{
    __shared__ int temp[2][192];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    int cur = 0;
    temp[cur][tid] = in[i];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int next = 1 - cur;
        if (tid >= d)
            temp[next][tid] = temp[cur][tid] + temp[cur][tid - d];
        else
            temp[next][tid] = temp[cur][tid];
        cur = next;
        __syncthreads();
    }
    out[i] = temp[cur][tid];
}
// 21. exclusive block scan, Blelloch, on 64-bit integers with its bank conflicts
__global__ void scan_blelloch(const long long *in, long long *out)
{
    __shared__ long long temp[256];
    const int n = 256;
    int tid = threadIdx.x;
    int base = blockIdx.x * n;
    int offset = 1;
    temp[2 * tid] = in[base + 2 * tid];
    temp[2 * tid + 1] = in[base + 2 * tid + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            int ai = offset * (2 * tid + 1) - 1;
            int bi = offset * (2 * tid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (tid == 0) temp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (tid < d) {
            int ai = offset * (2 * tid + 1) - 1;
            int bi = offset * (2 * tid + 2) - 1;
            long long t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();
    out[base + 2 * tid] = temp[2 * tid];
    out[base + 2 * tid + 1] = temp[2 * tid + 1];
}
// 22. histogram: shared atomics, then global atomics
#define BINS 64
__global__ void histogram_shared(const unsigned char *data, unsigned int *hist, int n)
{
    __shared__ unsigned int bins[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i] / 4], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&hist[b], bins[b]);
}
// 23. 2D convolution, filter in constant memory with a uniform index
#define MAX_FILTER 49
__constant__ float c_filter[MAX_FILTER];
__global__ void conv_constant(const float *in, float *out, int width, int height, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    for (int dy = -r; dy <= r; dy++) {
        for (int dx = -r; dx <= r; dx++) {
            int xx = x + dx, yy = y + dy;
            if (xx >= 0 && xx < width && yy >= 0 && yy < height)
                sum += c_filter[(dy + r) * (2 * r + 1) + dx + r] * in[yy * width + xx];
        }
    }
    out[y * width + x] = sum;
}
// 24. lookup table in constant memory with a divergent index
__constant__ int c_lut[256];
__global__ void const_lut(const unsigned char *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = in[i];
        out[i] = c_lut[v] - c_lut[i % 8];
    }
}
// 25. bitonic sort of (key, value) pairs; dynamic shared memory carved into two arrays
__global__ void bitonic_pairs(int *keys, float *values)
{
    extern __shared__ int smem[];
    int *sk = smem;
    float *sv = (float *)&smem[blockDim.x];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    sk[tid] = keys[i];
    sv[tid] = values[i];
    __syncthreads();
    for (int k = 2; k <= blockDim.x; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            int other = tid ^ j;
            if (other > tid) {
                bool up = (tid & k) == 0;
                if ((sk[tid] > sk[other]) == up) {
                    int tk = sk[tid];
                    sk[tid] = sk[other];
                    sk[other] = tk;
                    float tv = sv[tid];
                    sv[tid] = sv[other];
                    sv[other] = tv;
                }
            }
            __syncthreads();
        }
    }
    keys[i] = sk[tid];
    values[i] = sv[tid];
}
// 26. Collatz: while loop with break and continue
__global__ void collatz_steps(const int *start, int *steps, int n, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        long long v = start[i];
        int count = 0;
        while (true) {
            if (v == 1 || count >= limit) break;
            count++;
            if (v % 2 == 0) {
                v /= 2;
                continue;
            }
            v = 3 * v + 1;
        }
        steps[i] = count;
    }
}
// 27. CSR sparse matrix times vector, a row a thread
__global__ void spmv_scalar(int rows, const int *row_ptr, const int *col, const float *val, const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int j = row_ptr[row]; j < row_ptr[row + 1]; j++) sum += val[j] * x[col[j]];
        y[row] = sum;
    }
}
// 28. CSR sparse matrix times vector, a row a warp
__global__ void spmv_vector(int rows, const int *__restrict__ row_ptr, const int *__restrict__ col,
                            const float *__restrict__ val, const float *__restrict__ x, float *__restrict__ y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < rows) {
        int end = row_ptr[row + 1];
        float sum = 0.0f;
        for (int j = row_ptr[row] + lane; j < end; j += 32) sum += val[j] * x[col[j]];
        sum = warp_sum(sum);
        if (lane == 0) y[row] = sum;
    }
}
// 29. lower bound in a sorted __device__ array
#define SORTED 1000
__device__ int d_sorted[SORTED];
__global__ void binary_search(const int *query, int *pos, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int q = query[i];
        int lo = 0, hi = SORTED;
        while (lo < hi) {
            int mid = (lo + hi) / 2;
            if (d_sorted[mid] < q)
                lo = mid + 1;
            else
                hi = mid;
        }
        pos[i] = lo;
    }
}
// 30. linked lists: part of a warp returns early, then do-while; 100 threads a block
struct Node {
    int value;
    int next;
};
__global__ void list_chase(const int *head, const Node *node, int *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || head[i] < 0) return;
    int p = head[i];
    int s = 0;
    do {
        s += node[p].value;
        p = node[p].next;
    } while (p >= 0);
    sum[i] = s;
}
// 31. nested divergent ifs, a device function called from two branches
__device__ float polynomial(const float *coef, float x)
{
    float r = coef[0];
    for (int k = 1; k < 4; k++) r = r * x + coef[k];
    return r;
}

__global__ void nested_ifs(const float *a, const float *b, const float *coef, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = a[i];
    float r = 0.0f;
    if (v > 0.0f) {
        if (threadIdx.x % 2 == 0)
            r = polynomial(coef, v);
        else if (v > 2.0f)
            r = b[n - 1 - i];
    } else {
        if (v < -2.0f) {
            r = polynomial(coef + 4, b[i]);
        } else {
            if (i % 3 == 0) r = b[2 * i] - v;
        }
    }
    out[i] = r;
}
// 32. switch of four cases by threadIdx on a shared array
__global__ void switch_cases(const int *in, int *out)
{
    __shared__ int s[256];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    s[tid] = in[i];
    __syncthreads();
    int r;
    switch (tid % 4) {
    case 0:
        r = s[tid] + s[255 - tid];
        break;
    case 1:
        r = s[(tid * 2) % 256] * 3;
        break;
    case 2:
        r = s[tid & ~31] - s[(tid * 16 + tid / 16) % 256];
        break;
    default:
        r = in[blockIdx.x * blockDim.x] + (s[tid] > 10 ? s[tid - 1] : s[tid - 3]);
        break;
    }
    out[i] = r;
}
// 33. 2D shared array of structs (double inside), 3D blocks of 8 x 8 x 4 threads
struct Cell {
    double energy;
    int hits;
    int level;
};
__global__ void struct_tile(const double *energy, const int *hits, double *out_e, int *out_h, int nx, int ny)
{
    __shared__ Cell tile[4][64];
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    int i = (z * ny + y) * nx + x;
    int here = threadIdx.y * 8 + threadIdx.x;
    int mirror = threadIdx.x * 8 + threadIdx.y;
    tile[threadIdx.z][here].energy = energy[i];
    tile[threadIdx.z][here].hits = hits[i];
    tile[threadIdx.z][here].level = z + y;
    __syncthreads();
    Cell m = tile[threadIdx.z][mirror];
    Cell u = tile[(threadIdx.z + 1) % 4][here];
    out_e[i] = m.energy + 0.5 * u.energy;
    out_h[i] = m.hits * m.level - u.hits;
}
// 34. prefix sums in registers, eight consecutive elements a thread
#define ITEMS 8
__global__ void register_prefix(const int *in, int *out, int *total, int threads)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < threads) {
        int v[ITEMS];
        for (int k = 0; k < ITEMS; k++) v[k] = in[t * ITEMS + k];
        for (int k = 1; k < ITEMS; k++) v[k] += v[k - 1];
        for (int k = 0; k < ITEMS; k++) out[t * ITEMS + k] = v[k];
        total[t] = v[ITEMS - 1];
    }
}

// ---------------------------------------------------------------- host helpers

static const char *current = "";
static unsigned int lcg_state;
static std::vector<void *> allocated;

static void check(cudaError_t e)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", current, cudaGetErrorString(e));
        exit(1);
    }
}
static void done()
{ // after each launch
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
}
static int rnd(int below)
{
    lcg_state = lcg_state * 1664525u + 1013904223u;
    return (int)((lcg_state >> 8) % (unsigned int)below);
}
static float rndf()
{
    return (rnd(33) - 16) * 0.25f;
}

static std::vector<int> ints(int n, int below)
{
    std::vector<int> v(n);
    for (int &e : v) e = rnd(below);
    return v;
}
static std::vector<unsigned char> bytes(int n)
{
    std::vector<unsigned char> v(n);
    for (unsigned char &e : v) e = (unsigned char)rnd(256);
    return v;
}
static std::vector<float> floats(int n)
{
    std::vector<float> v(n);
    for (float &e : v) e = rndf();
    return v;
}
static std::vector<double> doubles(int n)
{
    std::vector<double> v(n);
    for (double &e : v) e = rndf();
    return v;
}
static std::vector<int> permutation(int n)
{
    std::vector<int> p(n);
    for (int i = 0; i < n; i++) p[i] = i;
    for (int i = n - 1; i > 0; i--) std::swap(p[i], p[rnd(i + 1)]);
    return p;
}
static void csr(int rows, int cols, int longest, std::vector<int> &row_ptr, std::vector<int> &col)
{
    row_ptr.assign(1, 0);
    for (int r = 0; r < rows; r++) {
        int len = rnd(longest + 1);
        std::vector<int> c = ints(len, cols);
        std::sort(c.begin(), c.end());
        col.insert(col.end(), c.begin(), c.end());
        row_ptr.push_back((int)col.size());
    }
}
template <class T> static T *up(const std::vector<T> &v)
{
    T *d = nullptr;
    check(cudaMalloc((void **)&d, v.size() * sizeof(T)));
    check(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    allocated.push_back(d);
    return d;
}
template <class T> static T *zeros(int n)
{
    return up(std::vector<T>(n));
}
template <class T> static std::vector<T> down(T *d, int n)
{
    std::vector<T> v(n);
    check(cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}
template <class T> static long long isum(T *d, int n)
{
    long long s = 0;
    for (T e : down(d, n)) s += (long long)e;
    return s;
}
template <class T> static double fsum(T *d, int n)
{
    double s = 0;
    for (T e : down(d, n)) s += (double)e;
    return s;
}
static void print(double s)
{
    printf("%s %.9g\n", current, s);
}
static void print(long long s)
{
    printf("%s %lld\n", current, s);
}
static int blocks(int n, int block)
{
    return (n + block - 1) / block;
}
static dim3 blocks2(int w, int h, int bx, int by)
{
    return dim3(blocks(w, bx), blocks(h, by));
}

// ---------------------------------------------------------------- one runner a kernel

struct Runner {
    const char *name;
    void (*run)();
};
static std::vector<Runner> runners;
struct Register {
    Register(const char *name, void (*run)())
    {
        runners.push_back(Runner{name, run});
    }
};
#define RUN(k)                                                                                                         \
    static void run_##k();                                                                                             \
    static Register register_##k(#k, run_##k);                                                                         \
    static void run_##k()
RUN(saxpy_grid_stride)
{
    int n = 10007;
    float *x = up(floats(n)), *y = up(floats(n));
    saxpy_grid_stride<<<16, 256>>>(n, 2.5f, x, y);
    done();
    print(fsum(y, n));
}
RUN(aos_to_soa)
{
    int n = 3000;
    std::vector<Particle> h(n);
    for (Particle &e : h) e = Particle{rndf(), rndf(), rndf(), rndf(), rndf(), rndf(), 1.0f + rnd(4), rnd(1000)};
    Particle *p = up(h);
    float *x = zeros<float>(n), *y = zeros<float>(n), *z = zeros<float>(n), *energy = zeros<float>(n);
    int *id = zeros<int>(n);
    aos_to_soa<<<blocks(n, 128), 128>>>(p, x, y, z, energy, id, 0.125f, n);
    done();
    print(fsum(x, n) + fsum(y, n) + fsum(z, n) + fsum(energy, n) + fsum(id, n));
}
RUN(vector_types)
{
    int n = 2500; // a float4 is uploaded as four floats, and so on
    float4 *a = (float4 *)up(floats(4 * n));
    int2 *b = (int2 *)up(ints(2 * n, 9));
    double2 *c = (double2 *)up(doubles(2 * n));
    float *o2 = zeros<float>(2 * n), *o4 = zeros<float>(4 * n);
    double *od = zeros<double>(2 * n);
    vector_types<<<blocks(n, 96), 96>>>(a, b, c, (float2 *)o2, (float4 *)o4, (double2 *)od, n);
    done();
    print(fsum(o2, 2 * n) + fsum(o4, 4 * n) + fsum(od, 2 * n));
}
RUN(xyz_normalize)
{
    int n = 4000;
    std::vector<Vec3> h(n);
    for (Vec3 &e : h) e = Vec3{rndf(), rndf(), 1.0f + rnd(8)};
    Vec3 *v = up(h);
    xyz_normalize<<<blocks(n, 256), 256>>>(v, n);
    done();
    print(fsum((float *)v, 3 * n));
}
RUN(gray_bytes)
{
    int w = 200, h = 75, n = w * h;
    unsigned char *rgb = up(bytes(3 * n)), *mask = zeros<unsigned char>(n);
    short *gray = zeros<short>(n);
    gray_bytes<<<blocks2(w, h, 32, 8), dim3(32, 8)>>>(rgb, gray, mask, w, h);
    done();
    print(isum(gray, n) + isum(mask, n));
}
RUN(strided_offset_copy)
{
    int n = 2000, stride = 7, size = (3 + stride) * n;
    float *in = up(floats(32 * n)), *out = zeros<float>(size);
    strided_offset_copy<<<blocks(n, 256), 256>>>(in, out, n, stride, 3);
    done();
    print(fsum(out, size));
}
RUN(reverse_swap)
{
    int n = 5003, *a = up(ints(n, 1000));
    reverse_swap<<<blocks(n / 2, 128), 128>>>(a, n);
    done();
    print(isum(a, n));
}
RUN(gather_scatter)
{
    int n = 6000, *idx = up(ints(n, n)), *perm = up(permutation(n));
    float *in = up(floats(n)), *out = zeros<float>(n);
    gather_scatter<<<blocks(n, 192), 192>>>(in, idx, perm, out, n);
    done();
    print(fsum(out, n));
}
RUN(matmul_naive)
{
    int M = 50, N = 70, K = 40;
    float *A = up(floats(M * K)), *B = up(floats(K * N)), *C = zeros<float>(M * N);
    matmul_naive<<<blocks2(N, M, 24, 10), dim3(24, 10)>>>(A, B, C, M, N, K);
    done();
    print(fsum(C, M * N));
}
RUN(matmul_tiled16)
{
    int M = 72, N = 90, K = 50;
    float *A = up(floats(M * K)), *B = up(floats(K * N)), *C = zeros<float>(M * N);
    matmul_tiled16<<<blocks2(N, M, 16, 16), dim3(16, 16)>>>(A, B, C, M, N, K);
    done();
    print(fsum(C, M * N));
}
RUN(matmul_tiled32)
{
    int n = 96;
    float *A = up(floats(n * n)), *B = up(floats(n * n)), *C = zeros<float>(n * n);
    matmul_tiled32<<<blocks2(n, n, 32, 32), dim3(32, 32)>>>(A, B, C, n);
    done();
    print(fsum(C, n * n));
}
RUN(transpose_naive)
{
    int w = 100, h = 72;
    float *in = up(floats(w * h)), *out = zeros<float>(w * h);
    transpose_naive<<<blocks2(w, h, 16, 16), dim3(16, 16)>>>(in, out, w, h);
    done();
    print(fsum(out, w * h));
}
RUN(transpose_shared)
{
    int w = 128, h = 64;
    float *in = up(floats(w * h)), *out = zeros<float>(w * h);
    transpose_shared<<<blocks2(w, h, 32, 32), dim3(32, 8)>>>(in, out, w, h);
    done();
    print(fsum(out, w * h));
}
RUN(transpose_padded)
{
    int w = 90, h = 52;
    double *in = up(doubles(w * h)), *out = zeros<double>(w * h);
    transpose_padded<<<blocks2(w, h, 16, 16), dim3(16, 16)>>>(in, out, w, h);
    done();
    print(fsum(out, w * h));
}
RUN(transpose_diagonal)
{
    int n = 128, *in = up(ints(n * n, 1000)), *out = zeros<int>(n * n);
    transpose_diagonal<<<blocks2(n, n, 32, 32), dim3(32, 4)>>>(in, out, n);
    done();
    print(isum(out, n * n));
}
RUN(stencil1d_halo)
{
    int n = 20 * STENCIL_BLOCK, *in = up(ints(n + 2 * RADIUS, 100)), *out = zeros<int>(n);
    stencil1d_halo<<<n / STENCIL_BLOCK, STENCIL_BLOCK>>>(in, out);
    done();
    print(isum(out, n));
}
RUN(stencil2d_halo)
{
    int w = 90, h = 70;
    float *in = up(floats(w * h)), *out = zeros<float>(w * h);
    stencil2d_halo<<<blocks2(w, h, 16, 16), dim3(16, 16)>>>(in, out, w, h);
    done();
    print(fsum(out, w * h));
}
RUN(reduce_interleaved)
{
    int n = 5000, nb = blocks(n, 256), *in = up(ints(n, 100)), *out = zeros<int>(nb);
    reduce_interleaved<<<nb, 256>>>(in, out, n);
    done();
    print(isum(out, nb));
}
RUN(reduce_shuffle)
{
    int n = 8100, nb = blocks(n, 512);
    float *in = up(floats(n)), *out = zeros<float>(nb);
    reduce_shuffle<<<nb, 256>>>(in, out, n);
    done();
    print(fsum(out, nb));
}
RUN(scan_hillis_steele)
{
    int nb = 10, n = nb * 192, *in = up(ints(n, 50)), *out = zeros<int>(n);
    scan_hillis_steele<<<nb, 192>>>(in, out);
    done();
    print(isum(out, n));
}
RUN(scan_blelloch)
{
    int nb = 8, n = nb * 256;
    std::vector<long long> h(n);
    for (long long &e : h) e = rnd(1000000) * 4096LL;
    long long *in = up(h), *out = zeros<long long>(n);
    scan_blelloch<<<nb, 128>>>(in, out);
    done();
    print(isum(out, n));
}
RUN(histogram_shared)
{
    int n = 12345;
    unsigned char *data = up(bytes(n));
    unsigned int *hist = zeros<unsigned int>(BINS);
    histogram_shared<<<12, 192>>>(data, hist, n);
    done();
    print(isum(hist, BINS));
}
RUN(conv_constant)
{
    int w = 100, h = 40, r = 2, taps = (2 * r + 1) * (2 * r + 1);
    check(cudaMemcpyToSymbol(c_filter, floats(taps).data(), taps * sizeof(float)));
    float *in = up(floats(w * h)), *out = zeros<float>(w * h);
    conv_constant<<<blocks2(w, h, 32, 4), dim3(32, 4)>>>(in, out, w, h, r);
    done();
    print(fsum(out, w * h));
}
RUN(const_lut)
{
    int n = 4001, *out = zeros<int>(n);
    check(cudaMemcpyToSymbol(c_lut, ints(256, 10000).data(), 256 * sizeof(int)));
    unsigned char *in = up(bytes(n));
    const_lut<<<blocks(n, 160), 160>>>(in, out, n);
    done();
    print(isum(out, n));
}
RUN(bitonic_pairs)
{
    int nb = 6, n = nb * 256, *keys = up(ints(n, 5000));
    float *values = up(floats(n));
    bitonic_pairs<<<nb, 256, 256 * (sizeof(int) + sizeof(float))>>>(keys, values);
    done();
    print(fsum(keys, n) + fsum(values, n));
}
RUN(collatz_steps)
{
    int n = 2000;
    std::vector<int> h = ints(n, 3000);
    for (int &e : h) e += 1;
    int *start = up(h), *steps = zeros<int>(n);
    collatz_steps<<<blocks(n, 128), 128>>>(start, steps, n, 150);
    done();
    print(isum(steps, n));
}
RUN(spmv_scalar)
{
    int rows = 1000, cols = 800;
    std::vector<int> hr, hc;
    csr(rows, cols, 20, hr, hc);
    int *row_ptr = up(hr), *col = up(hc);
    float *val = up(floats((int)hc.size())), *x = up(floats(cols)), *y = zeros<float>(rows);
    spmv_scalar<<<blocks(rows, 128), 128>>>(rows, row_ptr, col, val, x, y);
    done();
    print(fsum(y, rows));
}
RUN(spmv_vector)
{
    int rows = 150, cols = 700;
    std::vector<int> hr, hc;
    csr(rows, cols, 110, hr, hc);
    int *row_ptr = up(hr), *col = up(hc);
    float *val = up(floats((int)hc.size())), *x = up(floats(cols)), *y = zeros<float>(rows);
    spmv_vector<<<blocks(rows * 32, 128), 128>>>(rows, row_ptr, col, val, x, y);
    done();
    print(fsum(y, rows));
}
RUN(binary_search)
{
    int n = 3000;
    std::vector<int> h = ints(SORTED, 20000);
    std::sort(h.begin(), h.end());
    check(cudaMemcpyToSymbol(d_sorted, h.data(), SORTED * sizeof(int)));
    int *query = up(ints(n, 21000)), *pos = zeros<int>(n);
    binary_search<<<blocks(n, 256), 256>>>(query, pos, n);
    done();
    print(isum(pos, n));
}
RUN(list_chase)
{
    int n = 750, longest = 16;
    std::vector<int> order = permutation(n * longest), hh(n);
    std::vector<Node> hn(n * longest);
    for (Node &e : hn) e = Node{rnd(100), -1};
    for (int i = 0; i < n; i++) {
        int len = rnd(longest + 1), *o = &order[i * longest];
        hh[i] = len == 0 || rnd(4) == 0 ? -1 : o[0];
        for (int k = 0; k + 1 < len; k++) hn[o[k]].next = o[k + 1];
    }
    int *head = up(hh), *sum = zeros<int>(n);
    Node *node = up(hn);
    list_chase<<<blocks(n, 100), 100>>>(head, node, sum, n);
    done();
    print(isum(sum, n));
}
RUN(nested_ifs)
{
    int n = 3000;
    float *a = up(floats(n)), *b = up(floats(2 * n)), *coef = up(floats(8)), *out = zeros<float>(n);
    nested_ifs<<<blocks(n, 128), 128>>>(a, b, coef, out, n);
    done();
    print(fsum(out, n));
}
RUN(switch_cases)
{
    int nb = 8, n = nb * 256, *in = up(ints(n, 21)), *out = zeros<int>(n);
    switch_cases<<<nb, 256>>>(in, out);
    done();
    print(isum(out, n));
}
RUN(struct_tile)
{
    int nx = 32, ny = 16, nz = 8, n = nx * ny * nz, *hits = up(ints(n, 50)), *oh = zeros<int>(n);
    double *energy = up(doubles(n)), *oe = zeros<double>(n);
    struct_tile<<<dim3(nx / 8, ny / 8, nz / 4), dim3(8, 8, 4)>>>(energy, hits, oe, oh, nx, ny);
    done();
    print(fsum(oe, n) + fsum(oh, n));
}
RUN(register_prefix)
{
    int threads = 1500, n = threads * ITEMS;
    int *in = up(ints(n, 100)), *out = zeros<int>(n), *total = zeros<int>(threads);
    register_prefix<<<blocks(threads, 64), 64>>>(in, out, total, threads);
    done();
    print(isum(out, n) + isum(total, threads));
}

// ---------------------------------------------------------------- main

int main(int argc, char **argv)
{
    bool found = argc < 2;
    for (const Runner &e : runners) {
        if (argc < 2) {
            printf("%s\n", e.name);
        } else if (strcmp(argv[1], "all") == 0 || strcmp(argv[1], e.name) == 0) {
            found = true;
            current = e.name;
            lcg_state = 12345u;
            e.run();
            for (void *d : allocated) check(cudaFree(d));
            allocated.clear();
            fflush(stdout);
        }
    }
    if (!found) fprintf(stderr, "no kernel named %s\n", argv[1]);
    return found ? 0 : 2;
}
