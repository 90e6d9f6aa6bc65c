/* Small kernels, one for each rule of the counters in count.h: model.py compares what the CPU backend counts of them
 * with what a profiler has read of them on a GPU. usage: probes               lists the kernels probes all|KERNEL runs
 * them; counts them too where counters are on, one line of CSV for each Addresses come from arguments of the launch and
 * results are stored, so that the compiler keeps every access. */
#include <cmk/cmk.h>

typedef unsigned char byte;
typedef unsigned short half_word;
typedef unsigned word;
typedef unsigned long long wide;
typedef struct {
    unsigned e[4];
} __attribute__((aligned(16))) quad;
typedef struct {
    unsigned x, y, z;
} triple;
typedef struct {
    unsigned x, y;
} pair; /* 8 bytes aligned to 4: two words */

#define THREAD (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))
#define THREADS (int)(blockDim.x * blockDim.y * blockDim.z)
#define BLOCK (int)(blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z))

/* ---- Shared loads: a tile is written in order, then thread t reads one element. T, elements, index, block, a, b */
#define SHARED_LOADS(X)                                                                                                \
    X(load_1_stride_1, byte, 32, t *a, 32, 1, 0)                                                                       \
    X(load_1_stride_3, byte, 96, t *a, 32, 3, 0)                                                                       \
    X(load_1_stride_33, byte, 1024, t *a, 32, 33, 0)                                                                   \
    X(load_1_stride_128, byte, 3969, t *a, 32, 128, 0)                                                                 \
    X(load_2_stride_1, half_word, 32, t *a, 32, 1, 0)                                                                  \
    X(load_2_stride_2, half_word, 64, t *a, 32, 2, 0)                                                                  \
    X(load_2_stride_32, half_word, 993, t *a, 32, 32, 0)                                                               \
    X(load_2_stride_33, half_word, 1024, t *a, 32, 33, 0)                                                              \
    X(load_2_stride_64, half_word, 1985, t *a, 32, 64, 0)                                                              \
    X(load_4_stride_1, word, 32, t *a, 32, 1, 0)                                                                       \
    X(load_4_stride_2, word, 63, t *a, 32, 2, 0)                                                                       \
    X(load_4_stride_3, word, 94, t *a, 32, 3, 0)                                                                       \
    X(load_4_stride_4, word, 125, t *a, 32, 4, 0)                                                                      \
    X(load_4_stride_6, word, 187, t *a, 32, 6, 0)                                                                      \
    X(load_4_stride_8, word, 249, t *a, 32, 8, 0)                                                                      \
    X(load_4_stride_12, word, 373, t *a, 32, 12, 0)                                                                    \
    X(load_4_stride_16, word, 497, t *a, 32, 16, 0)                                                                    \
    X(load_4_stride_31, word, 962, t *a, 32, 31, 0)                                                                    \
    X(load_4_stride_32, word, 993, t *a, 32, 32, 0)                                                                    \
    X(load_4_stride_33, word, 1024, t *a, 32, 33, 0)                                                                   \
    X(load_4_backwards, word, 132, b - t * a, 32, 1, 99)                                                               \
    X(load_4_one, word, 32, t *a + b, 32, 0, 7)                                                                        \
    X(load_4_pairs, word, 1000, (t / 2) * a, 32, 32, 0)                                                                \
    X(load_4_mixed, word, 1024, t *t *a % 1024, 32, 5, 0)                                                              \
    X(load_4_warps, word, 1024, t *a % 1024, 256, 8, 0)                                                                \
    X(load_4_part_of_a_warp, word, 1024, t *a, 20, 32, 0)                                                              \
    X(load_4_one_and_a_part, word, 1024, t *a % 1024, 45, 16, 0)                                                       \
    X(load_8_stride_1, wide, 32, t *a, 32, 1, 0)                                                                       \
    X(load_8_stride_2, wide, 63, t *a, 32, 2, 0)                                                                       \
    X(load_8_stride_3, wide, 94, t *a, 32, 3, 0)                                                                       \
    X(load_8_stride_4, wide, 125, t *a, 32, 4, 0)                                                                      \
    X(load_8_stride_16, wide, 497, t *a, 32, 16, 0)                                                                    \
    X(load_8_stride_17, wide, 528, t *a, 32, 17, 0)                                                                    \
    X(load_8_one, wide, 32, t *a + b, 32, 0, 3)                                                                        \
    X(load_8_pairs_1, wide, 250, (t / 2) * a, 32, 1, 0)                                                                \
    X(load_8_pairs_1_apart, wide, 250, (t / 2) * a, 32, 16, 0)                                                         \
    X(load_8_pairs_2, wide, 250, (t % 2 + t / 4 * 2) * a, 32, 1, 0)                                                    \
    X(load_8_pairs_2_apart, wide, 250, (t % 2 + t / 4 * 2) * a, 32, 16, 0)                                             \
    X(load_8_pairs_4, wide, 250, (t % 4 + t / 8 * 4) * a, 32, 1, 0)                                                    \
    X(load_8_pairs_16, wide, 250, (t % 16) * a, 32, 1, 0)                                                              \
    X(load_8_pairs_but_one, wide, 250, (t / 2) * a + t / 31, 32, 1, 0)                                                 \
    X(load_8_half_pairs, wide, 250, (t < 16 ? t / 2 : t) * a, 32, 1, 0)                                                \
    X(load_8_part_of_a_warp, wide, 250, t *a, 16, 1, 0)                                                                \
    X(load_8_pairs_part, wide, 250, (t / 2) * a, 19, 3, 0)                                                             \
    X(load_16_stride_1, quad, 32, t *a, 32, 1, 0)                                                                      \
    X(load_16_stride_2, quad, 63, t *a, 32, 2, 0)                                                                      \
    X(load_16_stride_3, quad, 94, t *a, 32, 3, 0)                                                                      \
    X(load_16_stride_8, quad, 249, t *a, 32, 8, 0)                                                                     \
    X(load_16_stride_9, quad, 280, t *a, 32, 9, 0)                                                                     \
    X(load_16_one, quad, 32, t *a + b, 32, 0, 5)                                                                       \
    X(load_16_pairs_1, quad, 125, (t / 2) * a, 32, 1, 0)                                                               \
    X(load_16_pairs_1_apart, quad, 125, (t / 2) * a, 32, 8, 0)                                                         \
    X(load_16_pairs_2, quad, 125, (t % 2 + t / 4 * 2) * a, 32, 1, 0)                                                   \
    X(load_16_pairs_4, quad, 125, (t % 4 + t / 8 * 4) * a, 32, 1, 0)                                                   \
    X(load_16_fours, quad, 125, (t / 4) * a, 32, 1, 0)                                                                 \
    X(load_16_eights, quad, 125, (t / 8) * a, 32, 8, 0)                                                                \
    X(load_16_part_of_a_warp, quad, 125, t *a, 9, 1, 0)                                                                \
    X(load_16_mixed, quad, 125, t *t *a % 64, 32, 3, 0)                                                                \
    X(load_8_pairs_two_banks, wide, 128, (t / 2 % 8) * a + t / 16, 32, 16, 0)                                          \
    X(load_8_pairs_low_conflict, wide, 128, t < 16 ? t / 2 % 2 * a + t / 4 : t / 2, 32, 16, 0)                         \
    X(load_8_pairs_high_conflict, wide, 128, t >= 16 ? t / 2 % 2 * a + t / 4 : t / 2 + 8, 32, 16, 0)                   \
    X(load_8_pairs_same_halves, wide, 128, (t / 2 % 8) * a, 32, 16, 0)                                                 \
    X(load_8_pairs_two_far, wide, 128, t / 16 * a, 32, 16, 0)                                                          \
    X(load_16_pairs_two_banks, quad, 64, (t / 2 % 4) * a + t / 8, 32, 8, 0)                                            \
    X(load_16_pairs_low_conflict, quad, 64, t < 16 ? (t / 2 % 4) * a + t / 8 : 32 + t / 2 % 8, 32, 8, 0)               \
    X(load_16_pairs_high_conflict, quad, 64, t >= 16 ? (t / 2 % 4) * a + t / 8 : 32 + t / 2 % 8, 32, 8, 0)             \
    X(load_16_low_pairs, quad, 64, t < 16 ? t / 2 * a : 32 + t, 32, 1, 0)                                              \
    X(load_16_high_pairs, quad, 64, t < 16 ? t * a : 32 + t / 2, 32, 1, 0)                                             \
    X(load_16_pairs_1_and_2, quad, 64, t < 16 ? t / 2 * a : 32 + t % 2 + t / 4 * 2, 32, 1, 0)                          \
    X(load_12_stride_1, triple, 32, t *a, 32, 1, 0)                                                                    \
    X(load_12_stride_8, triple, 249, t *a, 32, 8, 0)                                                                   \
    X(load_4_and_4, pair, 125, t *a, 32, 1, 0)

#define SHARED_LOAD(name, T, SIZE, INDEX, threads, a_, b_)                                                             \
    __global__ void name(const T *in, T *out, int a, int b)                                                            \
    {                                                                                                                  \
        CMK_TILE(T, tile, 1, SIZE, 0);                                                                                 \
        const int t = THREAD;                                                                                          \
        for (int k = t; k < SIZE; k += THREADS) CMK_TILE_SET(tile, 0, k, CMK_LDG(&in[k]));                             \
        __syncthreads();                                                                                               \
        (void)b;                                                                                                       \
        CMK_STORE(&out[t], CMK_TILE_GET(tile, 0, INDEX));                                                              \
    }
SHARED_LOADS(SHARED_LOAD)

/* ---- Shared loads by some lanes, which is where pairs of lanes are incomplete. T, lanes, index, a, b */
#define LONE_LOADS(X)                                                                                                  \
    X(lone_8_even, wide, t % a == b, t / 2, 2, 0)                                                                      \
    X(lone_8_odd, wide, t % a == b, t / 2, 2, 1)                                                                       \
    X(lone_8_even_apart, wide, t % a == b, t / 2 + t % 2 * 7, 2, 0)                                                    \
    X(lone_8_odd_apart, wide, t % a == b, t / 2 + t % 2 * 7, 2, 1)                                                     \
    X(lone_8_third_0, wide, t % a == b, t * 11 % 32, 3, 0)                                                             \
    X(lone_8_third_1, wide, t % a == b, t * 11 % 32, 3, 1)                                                             \
    X(lone_8_third_2, wide, t % a == b, t * 11 % 32, 3, 2)                                                             \
    X(lone_8_fourth_0, wide, t % a == b, t / 2, 4, 0)                                                                  \
    X(lone_8_fourth_1, wide, t % a == b, t / 2, 4, 1)                                                                  \
    X(lone_8_fourth_2, wide, t % a == b, t / 2, 4, 2)                                                                  \
    X(lone_8_fourth_3, wide, t % a == b, t / 2, 4, 3)                                                                  \
    X(lone_8_low_pairs, wide, t % a < b, t % 2 + t / 4 * 2, 4, 2)                                                      \
    X(lone_8_high_pairs, wide, t % a >= b, t % 2 + t / 4 * 2, 4, 2)                                                    \
    X(lone_8_two_even, wide, t % a == b, t, 18, 0)                                                                     \
    X(lone_8_two_odd, wide, t % a == b, t, 18, 1)                                                                      \
    X(lone_8_three, wide, t % a == b, t, 15, 0)                                                                        \
    X(lone_8_all_but_4, wide, t != a + b, t / 2, 4, 0)                                                                 \
    X(lone_8_all_but_5, wide, t != a + b, t / 2, 5, 0)                                                                 \
    X(lone_8_all_but_6_by_2, wide, t != a + b, t % 2 + t / 4 * 2, 6, 0)                                                \
    X(lone_8_all_but_4_by_2, wide, t != a + b, t % 2 + t / 4 * 2, 4, 0)                                                \
    X(lone_8_low_24, wide, t < a, t / 2, 24, 0)                                                                        \
    X(lone_8_low_23, wide, t < a, t / 2, 23, 0)                                                                        \
    X(lone_8_from_7, wide, t >= a, t / 2, 7, 0)                                                                        \
    X(lone_8_from_8, wide, t >= a, t / 2, 8, 0)                                                                        \
    X(lone_16_even, quad, t % a == b, t / 2, 2, 0)                                                                     \
    X(lone_16_odd, quad, t % a == b, t / 2, 2, 1)                                                                      \
    X(lone_16_third_1, quad, t % a == b, t * 11 % 32, 3, 1)                                                            \
    X(lone_16_fourth_0, quad, t % a == b, t / 4, 4, 0)                                                                 \
    X(lone_16_fourth_3, quad, t % a == b, t / 4, 4, 3)                                                                 \
    X(lone_16_eighth_0, quad, t % a == b, t / 8, 8, 0)                                                                 \
    X(lone_16_eighth_7, quad, t % a == b, t / 8, 8, 7)                                                                 \
    X(lone_16_two_even, quad, t % a == b, t, 18, 0)                                                                    \
    X(lone_16_all_but_4, quad, t != a + b, t / 2, 4, 0)                                                                \
    X(lone_16_all_but_5, quad, t != a + b, t / 2, 5, 0)                                                                \
    X(lone_16_eighth_but_31, quad, t % a == b && t < 31, t / 8, 8, 7)                                                  \
    X(lone_16_odd_but_31, quad, t % a == b && t < 31, t / 2, 2, 1)                                                     \
    X(lone_16_even_and_31, quad, t % a == b || t == 31, t / 2, 2, 0)                                                   \
    X(lone_16_low_odd, quad, t % a == b && t < 16, t / 2, 2, 1)                                                        \
    X(lone_16_low_odd_and_30, quad, (t % a == b && t < 16) || t == 30, t / 2, 2, 1)                                    \
    X(lone_16_low_odd_and_31, quad, (t % a == b && t < 16) || t == 31, t / 2, 2, 1)                                    \
    X(lone_16_high_odd, quad, t % a == b && t >= 16, t / 2, 2, 1)                                                      \
    X(lone_16_low_19, quad, t < a, t / 2, 19, 0)

#define LONE_LOAD(name, T, LANES, INDEX, a_, b_)                                                                       \
    __global__ void name(const T *in, T *out, int a, int b)                                                            \
    {                                                                                                                  \
        CMK_TILE(T, tile, 1, 64, 0);                                                                                   \
        const int t = THREAD;                                                                                          \
        for (int k = t; k < 64; k += THREADS) CMK_TILE_SET(tile, 0, k, CMK_LDG(&in[k]));                               \
        __syncthreads();                                                                                               \
        (void)b;                                                                                                       \
        if (LANES) CMK_STORE(&out[t], CMK_TILE_GET(tile, 0, INDEX));                                                   \
    }
LONE_LOADS(LONE_LOAD)

/* ---- Shared stores: thread t writes one element, and reads it back after a barrier */
#define SHARED_STORES(X)                                                                                               \
    X(store_1_stride_1, byte, 32, t *a, 32, 1, 0)                                                                      \
    X(store_1_stride_4, byte, 128, t *a, 32, 4, 0)                                                                     \
    X(store_1_stride_132, byte, 4096, t *a, 32, 132, 0)                                                                \
    X(store_2_stride_1, half_word, 32, t *a, 32, 1, 0)                                                                 \
    X(store_2_stride_64, half_word, 2048, t *a, 32, 64, 0)                                                             \
    X(store_4_stride_1, word, 32, t *a, 32, 1, 0)                                                                      \
    X(store_4_stride_5, word, 160, t *a, 32, 5, 0)                                                                     \
    X(store_4_stride_10, word, 320, t *a, 32, 10, 0)                                                                   \
    X(store_4_stride_32, word, 1024, t *a, 32, 32, 0)                                                                  \
    X(store_4_stride_33, word, 1056, t *a, 32, 33, 0)                                                                  \
    X(store_4_one, word, 32, t *a + b, 32, 0, 9)                                                                       \
    X(store_4_pairs, word, 1024, (t / 2) * a, 32, 32, 0)                                                               \
    X(store_4_warps, word, 2048, t *a, 128, 16, 0)                                                                     \
    X(store_8_stride_1, wide, 32, t *a, 32, 1, 0)                                                                      \
    X(store_8_stride_2, wide, 64, t *a, 32, 2, 0)                                                                      \
    X(store_8_stride_16, wide, 512, t *a, 32, 16, 0)                                                                   \
    X(store_8_one, wide, 32, t *a + b, 32, 0, 9)                                                                       \
    X(store_8_pairs_1, wide, 256, (t / 2) * a, 32, 1, 0)                                                               \
    X(store_8_pairs_2, wide, 256, (t % 2 + t / 4 * 2) * a, 32, 1, 0)                                                   \
    X(store_16_stride_1, quad, 32, t *a, 32, 1, 0)                                                                     \
    X(store_16_stride_2, quad, 64, t *a, 32, 2, 0)                                                                     \
    X(store_16_stride_9, quad, 288, t *a, 32, 9, 0)                                                                    \
    X(store_16_one, quad, 32, t *a + b, 32, 0, 9)                                                                      \
    X(store_16_pairs_1, quad, 128, (t / 2) * a, 32, 1, 0)                                                              \
    X(store_16_part_of_a_warp, quad, 128, t *a, 11, 3, 0)                                                              \
    X(store_12_stride_1, triple, 32, t *a, 32, 1, 0)

#define SHARED_STORE(name, T, SIZE, INDEX, threads, a_, b_)                                                            \
    __global__ void name(const T *in, T *out, int a, int b)                                                            \
    {                                                                                                                  \
        CMK_TILE(T, tile, 1, SIZE, 0);                                                                                 \
        const int t = THREAD;                                                                                          \
        (void)b;                                                                                                       \
        CMK_TILE_SET(tile, 0, INDEX, CMK_LDG(&in[t]));                                                                 \
        __syncthreads();                                                                                               \
        CMK_STORE(&out[t], CMK_TILE_GET(tile, 0, INDEX));                                                              \
    }
SHARED_STORES(SHARED_STORE)

/* ---- Global loads of one element by each thread, by the read-only path (READ_ONLY) or an ordinary one (PLAIN) */
#define GLOBAL_LOADS(X)                                                                                                \
    X(global_load_1_stride_1, byte, READ_ONLY, t *a + b, 32, 1, 0)                                                     \
    X(global_load_1_across, byte, READ_ONLY, t *a + b, 64, 1, 17)                                                      \
    X(global_load_2_stride_1, half_word, READ_ONLY, t *a + b, 32, 1, 0)                                                \
    X(global_load_4_stride_1, word, READ_ONLY, t *a + b, 32, 1, 0)                                                     \
    X(global_load_4_misaligned, word, READ_ONLY, t *a + b, 32, 1, 1)                                                   \
    X(global_load_4_stride_2, word, READ_ONLY, t *a + b, 32, 2, 0)                                                     \
    X(global_load_4_stride_3, word, PLAIN, t *a + b, 32, 3, 5)                                                         \
    X(global_load_4_stride_8, word, READ_ONLY, t *a + b, 32, 8, 0)                                                     \
    X(global_load_4_stride_33, word, PLAIN, t *a + b, 32, 33, 0)                                                       \
    X(global_load_4_one, word, PLAIN, t *a + b, 32, 0, 11)                                                             \
    X(global_load_4_pairs, word, READ_ONLY, (t / 2) * a, 32, 8, 0)                                                     \
    X(global_load_4_backwards, word, STREAMING, b - t * a, 32, 1, 1000)                                                \
    X(global_load_4_warps, word, LAST_USE, t *a + b, 200, 1, 3)                                                        \
    X(global_load_8_stride_1, wide, READ_ONLY, t *a + b, 32, 1, 0)                                                     \
    X(global_load_8_misaligned, wide, PLAIN, t *a + b, 32, 1, 1)                                                       \
    X(global_load_8_one, wide, PLAIN, t *a + b, 32, 0, 1)                                                              \
    X(global_load_16_stride_1, quad, READ_ONLY, t *a + b, 32, 1, 0)                                                    \
    X(global_load_16_misaligned, quad, EVICT_FIRST, t *a + b, 32, 1, 1)                                                \
    X(global_load_16_stride_3, quad, PLAIN, t *a + b, 32, 3, 0)                                                        \
    X(global_load_16_part_of_a_warp, quad, EVICT_LAST, t *a + b, 13, 1, 0)                                             \
    X(global_load_12, triple, READ_ONLY, t *a + b, 32, 1, 0)                                                           \
    X(global_load_12_plain, triple, PLAIN, t *a + b, 32, 2, 1)                                                         \
    X(global_load_4_and_4, pair, STREAMING, t *a + b, 32, 1, 3)

#define GLOBAL_LOAD(name, T, HOW, INDEX, threads, a_, b_)                                                              \
    __global__ void name(const T *in, T *out, int a, int b)                                                            \
    {                                                                                                                  \
        const int t = THREAD;                                                                                          \
        (void)b;                                                                                                       \
        CMK_STORE(&out[t], CMK_LOAD_AS(HOW, &in[INDEX]));                                                              \
    }
GLOBAL_LOADS(GLOBAL_LOAD)

#define GLOBAL_STORES(X)                                                                                               \
    X(global_store_1_stride_33, byte, PLAIN, t *a + b, 32, 33, 0)                                                      \
    X(global_store_2_stride_1, half_word, STREAMING, t *a + b, 32, 1, 7)                                               \
    X(global_store_4_misaligned, word, PLAIN, t *a + b, 32, 1, 3)                                                      \
    X(global_store_4_stride_16, word, STREAMING, t *a + b, 32, 16, 0)                                                  \
    X(global_store_4_one, word, PLAIN, t *a + b, 32, 0, 3)                                                             \
    X(global_store_8_stride_5, wide, PLAIN, t *a + b, 32, 5, 0)                                                        \
    X(global_store_16_stride_1, quad, EVICT_FIRST, t *a + b, 32, 1, 0)                                                 \
    X(global_store_16_misaligned, quad, EVICT_LAST, t *a + b, 32, 1, 1)                                                \
    X(global_store_16_stride_2, quad, PLAIN, t *a + b, 32, 2, 0)                                                       \
    X(global_store_12, triple, PLAIN, t *a + b, 32, 1, 0)

#define GLOBAL_STORE(name, T, HOW, INDEX, threads, a_, b_)                                                             \
    __global__ void name(const T *in, T *out, int a, int b)                                                            \
    {                                                                                                                  \
        const int t = THREAD;                                                                                          \
        (void)b;                                                                                                       \
        CMK_STORE_AS(HOW, &out[INDEX], CMK_LDG(&in[t]));                                                               \
    }
GLOBAL_STORES(GLOBAL_STORE)

/* ---- Tables: thread t reads one element */
CMK_TABLE(CONSTANT, float, constants, [1024]);
CMK_TABLE(CONSTANT, wide, wide_constants, [64]);
CMK_TABLE(PARAMETER, float, parameters, [64]);
CMK_TABLE(GLOBAL, float, globals, [512]);
CMK_TABLE_VALUES(LITERAL, float, literals, [8], 1, 2, 3, 4, 5, 6, 7, 8);

#define TABLES(X)                                                                                                      \
    X(constant_one, constants, t *a + b, 32, 0, 5)                                                                     \
    X(constant_2, constants, (t / 16) * a + b, 32, 1, 0)                                                               \
    X(constant_2_in_turn, constants, (t % 2) * a + b, 32, 1, 0)                                                        \
    X(constant_4, constants, (t / 8) * a + b, 32, 3, 0)                                                                \
    X(constant_8, constants, (t % 8) * a + b, 32, 1, 0)                                                                \
    X(constant_32, constants, t *a + b, 32, 1, 0)                                                                      \
    X(constant_32_apart, constants, t *a + b, 32, 31, 0)                                                               \
    X(constant_warps, constants, (t / 32) * a + b, 128, 1, 0)                                                          \
    X(constant_warps_2, constants, (t / 16) * a + b, 128, 1, 0)                                                        \
    X(constant_part_of_a_warp, constants, t *a + b, 7, 1, 0)                                                           \
    X(constant_8_bytes, wide_constants, (t % 8) * a + b, 32, 1, 0)                                                     \
    X(parameter_one, parameters, t *a + b, 32, 0, 9)                                                                   \
    X(parameter_32, parameters, t *a + b, 32, 1, 0)                                                                    \
    X(global_table_one, globals, t *a + b, 32, 0, 9)                                                                   \
    X(global_table_32, globals, t *a + b, 32, 8, 0)                                                                    \
    X(literal_one, literals, t *a + b, 32, 0, 3)                                                                       \
    X(literal_8, literals, (t % 8) * a + b, 32, 1, 0)

#define TABLE(name, TABLE, INDEX, threads, a_, b_)                                                                     \
    __global__ void name(TABLE##_element_ *out, int a, int b, CMK_TABLE_PARAMETER(TABLE))                              \
    {                                                                                                                  \
        const int t = THREAD;                                                                                          \
        CMK_STORE(&out[t], CMK_TABLE_AT(TABLE, INDEX));                                                                \
    }
TABLES(TABLE)

/* ---- Other kernels of words: grid, block, dynamic shared memory, a, b */
#define KERNELS(X)                                                                                                     \
    X(tile_rows, 1, dim3(32, 32), 0, 1, 0)                                                                             \
    X(tile_columns, 1, dim3(32, 32), 0, 1, 0)                                                                          \
    X(tile_padded, 1, dim3(32, 32), 0, 1, 0)                                                                           \
    X(tile_swizzled, 1, dim3(32, 32), 0, 1, 0)                                                                         \
    X(tile_swizzled_quads, 1, dim3(8, 32), 0, 1, 0)                                                                    \
    X(tile_3d, 1, dim3(16, 8), 0, 3, 0)                                                                                \
    X(tile_dynamic, 1, 64, 1024, 4, 0)                                                                                 \
    X(tile_at, 1, dim3(32, 4), 4 * 4 * 33 + 64 + 4 * 4 * 32, 1, 0)                                                     \
    X(tile_3d_at, 1, dim3(32, 4), 2 * 4 * 36 * 4, 1, 0)                                                                \
    X(tile_fill, 1, dim3(32, 4), 0, 24, 0)                                                                             \
    X(tile_fill_1d, 1, 64, 0, 200, 0)                                                                                  \
    X(tile_halo, 1, dim3(16, 16), 0, 1, 0)                                                                             \
    X(block_20, 1, dim3(20, 5), 0, 1, 0)                                                                               \
    X(block_20_columns, 1, dim3(20, 5), 0, 1, 0)                                                                       \
    X(block_3d, 1, dim3(4, 4, 4), 0, 1, 0)                                                                             \
    X(block_5_7_3, dim3(2, 2), dim3(5, 7, 3), 0, 1, 0)                                                                 \
    X(blocks, dim3(3, 2), 96, 0, 2, 1)                                                                                 \
    X(loop_of_barriers, 2, 64, 0, 5, 1)                                                                                \
    X(loop_without_barrier, 1, 64, 0, 7, 3)                                                                            \
    X(loop_of_uneven_length, 1, 64, 0, 1, 0)                                                                           \
    X(reduction, 1, 128, 0, 1, 0)                                                                                      \
    X(some_lanes, 1, 64, 0, 3, 1)                                                                                      \
    X(some_lanes_wide, 1, 64, 0, 3, 1)                                                                                 \
    X(early_return, 1, 64, 0, 45, 0)                                                                                   \
    X(no_lane_of_a_warp, 1, 96, 0, 20, 0)                                                                              \
    X(either, 1, 64, 0, 16, 3)                                                                                         \
    X(either_on_a_line, 1, 64, 0, 16, 3)                                                                               \
    X(either_global, 1, 64, 0, 16, 3)                                                                                  \
    X(either_store, 1, 64, 0, 16, 3)                                                                                   \
    X(vector_16, 2, 64, 0, 1, 0)                                                                                       \
    X(vector_8, 2, 64, 0, 3, 0)                                                                                        \
    X(vector_shared, 1, 32, 0, 1, 0)                                                                                   \
    X(part_inside, 2, 64, 0, 512, 0)                                                                                   \
    X(part_at_the_end, 2, 64, 0, 301, 0)                                                                               \
    X(part_misaligned, 2, 64, 0, 301, 1)                                                                               \
    X(part_at_the_start, 1, 32, 0, 128, 3)                                                                             \
    X(strided_1, 1, 32, 0, 1, 0)                                                                                       \
    X(strided_32, 1, 32, 0, 32, 5)                                                                                     \
    X(pitched, 1, dim3(32, 4), 0, 100, 0)                                                                              \
    X(atomic_shared, 1, 32, 0, 1, 0)                                                                                   \
    X(atomic_global, 1, 32, 0, 1, 0)                                                                                   \
    X(plain_accesses, 1, 32, 0, 1, 0)                                                                                  \
    X(widened, 1, 32, 0, 1, 0)                                                                                         \
    X(read_twice, 1, 32, 0, 1, 0)                                                                                      \
    X(not_needed, 1, 32, 0, 1, 0)                                                                                      \
    X(skipped_turns, 1, 32, 0, 8, 0)

#define ARGUMENTS const word *in, word *out, int a, int b
#define X_ (int)threadIdx.x
#define Y_ (int)threadIdx.y

/* a tile of 32 x 32 that is written by rows */
#define SQUARE(name, TILE, COLUMN, ROW_READ, COLUMN_READ)                                                              \
    __global__ void name(ARGUMENTS)                                                                                    \
    {                                                                                                                  \
        TILE;                                                                                                          \
        const int x = X_ * a, y = Y_;                                                                                  \
        CMK_TILE_SET(tile, y, COLUMN(y, x), CMK_LDG(&in[y * 32 + x]));                                                 \
        __syncthreads();                                                                                               \
        CMK_STORE(&out[y * 32 + x + b], CMK_TILE_GET(tile, ROW_READ, COLUMN(ROW_READ, COLUMN_READ)));                  \
    }
#define IN_ORDER(row, column) (column)
#define SWIZZLED(row, column) CMK_TILE_SWIZZLE(word, 32, 4, row, column)
#define SWIZZLED_QUADS(row, column) CMK_TILE_SWIZZLE(quad, 8, 16, row, column)
SQUARE(tile_rows, CMK_TILE(word, tile, 32, 32, 0), IN_ORDER, y, x)
SQUARE(tile_columns, CMK_TILE(word, tile, 32, 32, 0), IN_ORDER, x, y)
SQUARE(tile_padded, CMK_TILE(word, tile, 32, 32, CMK_TILE_PAD(word, 32, BOTH, 32)), IN_ORDER, x, y)
SQUARE(tile_swizzled, CMK_TILE_SWIZZLED(word, tile, 32, 32, 4), SWIZZLED, x, y)

__global__ void tile_swizzled_quads(ARGUMENTS)
{
    CMK_TILE_SWIZZLED(quad, tile, 32, 8, 16);
    const int x = X_ * a, y = Y_, row = y / 8 * 8 + x, column = y % 8;
    CMK_TILE_SET(tile, y, SWIZZLED_QUADS(y, x), CMK_LDG((const quad *)in + y * 8 + x));
    __syncthreads();
    CMK_STORE((quad *)out + y * 8 + x + b, CMK_TILE_GET(tile, row, SWIZZLED_QUADS(row, column)));
}

__global__ void tile_3d(ARGUMENTS)
{
    CMK_TILE_3D(word, ring, 3, 8, 16, 0);
    const int x = X_, y = Y_;
    for (int k = 0; k < a; ++k) CMK_TILE_SET(ring[k % 3], y, x, CMK_LDG(&in[k * 128 + y * 16 + x]));
    __syncthreads();
    for (int k = 0; k < a; ++k) CMK_STORE(&out[k * 128 + y * 16 + x + b], CMK_TILE_GET(ring[k % 3], x % 8, y + x / 8));
}

__global__ void tile_dynamic(ARGUMENTS)
{
    CMK_TILE_DYNAMIC(word, tile);
    const int t = THREAD;
    CMK_STORE(&tile[t * a], CMK_LDG(&in[t]));
    __syncthreads();
    CMK_STORE(&out[t], CMK_LOAD(&tile[(t + b) * a]));
}

__global__ void tile_at(ARGUMENTS)
{
    CMK_TILE_AT(word, first, 0, 32, 1);
    CMK_TILE_AT(word, second, 4 * 4 * 33 + 64, 32, 0);
    const int x = X_ * a, y = Y_;
    CMK_TILE_SET(first, y, x, CMK_LDG(&in[y * 32 + x]));
    CMK_TILE_SET(second, y, 31 - x, CMK_LDG(&in[b + y * 32 + x]));
    __syncthreads();
    CMK_STORE(&out[y * 32 + x], CMK_TILE_GET(first, x % 4, y * 8 + x / 4));
    CMK_STORE(&out[128 + y * 32 + x], CMK_TILE_GET(second, x % 4, y * 8 + x / 4));
}

__global__ void tile_3d_at(ARGUMENTS)
{
    CMK_TILE_3D_AT(word, tile, 0, 4, 32, 4);
    const int x = X_ * a, y = Y_;
    for (int k = 0; k < 2; ++k) CMK_TILE_SET(tile[k], y, x, CMK_LDG(&in[b + k * 128 + y * 32 + x]));
    __syncthreads();
    for (int k = 0; k < 2; ++k) CMK_STORE(&out[k * 128 + y * 32 + x], CMK_TILE_GET(tile[k], x % 4, y * 8 + x / 4));
}

__global__ void tile_fill(ARGUMENTS)
{
#define READ(r, c) CMK_LDG(&in[(r)*40 + (c) + b])
    CMK_TILE(word, tile, 24, 40, 1);
    CMK_TILE_FILL_SYNC(tile, a, 40, READ);
    CMK_STORE(&out[THREAD], CMK_TILE_GET(tile, X_ % a, Y_));
#undef READ
}

__global__ void tile_fill_1d(ARGUMENTS)
{
#define READ(c) CMK_LDG(&in[(c) + b])
    CMK_TILE(word, tile, 1, 200, 0);
    CMK_TILE_FILL_1D_SYNC(tile, a, READ);
    CMK_STORE(&out[THREAD], CMK_TILE_GET(tile, 0, X_ * 3));
#undef READ
}

__global__ void tile_halo(ARGUMENTS)
{
#define READ(r, c) CMK_LDG(&in[(r)*18 + (c)])
    CMK_TILE(word, tile, 18, 18, 0);
    word sum = 0;
    CMK_TILE_FILL_SYNC(tile, 18, 18, READ);
    for (int k = b; k < 3 * a; ++k) sum += CMK_TILE_GET(tile, Y_ + k, X_ + 1);
    CMK_STORE(&out[THREAD], sum);
#undef READ
}

/* blocks whose warps cover rows in part */
#define UNEVEN(name, ROWS, COLUMNS, SET, GET)                                                                          \
    __global__ void name(ARGUMENTS)                                                                                    \
    {                                                                                                                  \
        CMK_TILE(word, tile, ROWS, COLUMNS, 0);                                                                        \
        const int t = THREAD + b, x = X_ * a, y = Y_, z = (int)threadIdx.z, m = BLOCK;                                 \
        (void)z;                                                                                                       \
        (void)y;                                                                                                       \
        (void)x;                                                                                                       \
        CMK_TILE_SET(tile, SET, CMK_LDG(&in[m * THREADS + t]));                                                        \
        __syncthreads();                                                                                               \
        CMK_STORE(&out[m * THREADS + t], CMK_TILE_GET(tile, GET));                                                     \
    }
#define ROW_COLUMN(row, column) row, column
UNEVEN(block_20, 5, 20, ROW_COLUMN(y, x), ROW_COLUMN(4 - y, x))
UNEVEN(block_20_columns, 20, 32, ROW_COLUMN(x, y), ROW_COLUMN(19 - x, y))
UNEVEN(block_3d, 16, 32, ROW_COLUMN(z * 4 + y, x), ROW_COLUMN(z * 4 + x, y))
UNEVEN(block_5_7_3, 7, 15, ROW_COLUMN(y, x + 5 * z), ROW_COLUMN(6 - y, 14 - x - 5 * z))

__global__ void blocks(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 192, 0);
    const int t = THREAD, first = BLOCK * 96;
    CMK_TILE_SET(tile, 0, t * a, CMK_LDG(&in[first + t + b]));
    __syncthreads();
    CMK_STORE(&out[first + t], CMK_TILE_GET(tile, 0, (95 - t) * a));
}

__global__ void loop_of_barriers(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 512, 0);
    const int t = THREAD;
    for (int k = 0; k < a; ++k) {
        CMK_TILE_SET(tile, 0, t * (k + b), CMK_LDG(&in[k * 64 + t]));
        __syncthreads();
        CMK_STORE(&out[(BLOCK * a + k) * 64 + t], CMK_TILE_GET(tile, 0, (63 - t) * (k + b)));
        __syncthreads();
    }
}

__global__ void loop_without_barrier(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 64, 0);
    const int t = THREAD;
    word sum = 0;
    CMK_TILE_SET(tile, 0, t, CMK_LDG(&in[t]));
    __syncthreads();
    for (int k = 0; k < a; ++k) sum = sum * 3 + CMK_TILE_GET(tile, 0, t * (k + b) % 64);
    CMK_STORE(&out[t], sum);
}

/* lane t goes round t + 1 times */
__global__ void loop_of_uneven_length(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 128, 0);
    const int t = THREAD;
    word sum = 0;
    CMK_TILE_SET(tile, 0, 2 * t, CMK_LDG(&in[t]));
    __syncthreads();
    for (int k = b; k <= t; k += a) sum = sum * 3 + CMK_TILE_GET(tile, 0, 2 * k);
    CMK_STORE(&out[t], sum);
}

__global__ void reduction(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 128, 0);
    const int t = THREAD;
    CMK_TILE_SET(tile, 0, t, CMK_LDG(&in[t + b]));
    __syncthreads();
    for (int half = 64; half >= a; half /= 2) {
        if (t < half) CMK_TILE_SET(tile, 0, t, CMK_TILE_GET(tile, 0, t) + CMK_TILE_GET(tile, 0, t + half));
        __syncthreads();
    }
    if (t == 0) CMK_STORE(out, CMK_TILE_GET(tile, 0, 0));
}

/* every third lane takes part */
#define SOME(name, T)                                                                                                  \
    __global__ void name(ARGUMENTS)                                                                                    \
    {                                                                                                                  \
        CMK_TILE(T, tile, 1, 512, 0);                                                                                  \
        const int t = THREAD;                                                                                          \
        if (t % a == b) CMK_TILE_SET(tile, 0, t * 8, CMK_LDG((const T *)in + t));                                      \
        __syncthreads();                                                                                               \
        if (t % a == b) CMK_STORE((T *)out + t, CMK_TILE_GET(tile, 0, t * 8));                                         \
    }
SOME(some_lanes, word)
SOME(some_lanes_wide, wide)

__global__ void early_return(ARGUMENTS)
{
    const int t = THREAD;
    if (t >= a) return;
    CMK_STORE(&out[t * 3], CMK_LOAD(&in[t * 2 + b]));
}

__global__ void no_lane_of_a_warp(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 96, 0);
    const int t = THREAD;
    word value = 7;
    CMK_TILE_SET(tile, 0, t, CMK_LDG(&in[t]));
    __syncthreads();
    if (t < a) value = CMK_TILE_GET(tile, 0, t + b);
    CMK_STORE(&out[t], value);
}

/* two accesses of one statement, each for some lanes: in a warp that has both kinds, in one that has one */
__global__ void either(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 256, 0);
    const int t = THREAD;
    word value;
    for (int k = t; k < 256; k += 64) CMK_TILE_SET(tile, 0, k, CMK_LDG(&in[k]));
    __syncthreads();
    if (t < a)
        value = CMK_TILE_GET(tile, 0, t * b) * 5 / (t + 3u);
    else
        value = CMK_TILE_GET(tile, 0, t * 2) + 7 % (t + 9u);
    CMK_STORE(&out[t], value);
}

__global__ void either_on_a_line(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 256, 0);
    const int t = THREAD;
    for (int k = t; k < 256; k += 64) CMK_TILE_SET(tile, 0, k, CMK_LDG(&in[k]));
    __syncthreads();
    CMK_STORE(&out[t], t < a ? CMK_TILE_GET(tile, 0, t * b) : CMK_TILE_GET(tile, 0, t * 2));
}

__global__ void either_global(ARGUMENTS)
{
    const int t = THREAD;
    CMK_STORE(&out[t], t < a ? CMK_LDG(&in[t * b]) : CMK_LDG(&in[t * 2]));
}

__global__ void either_store(ARGUMENTS)
{
    const int t = THREAD;
    const word value = CMK_LDG(&in[t]);
    if (t < a)
        CMK_STORE(&out[t * b], value);
    else
        CMK_STORE(&out[1024 + t * 2], value);
}

/* ---- Vectors and parts */
__global__ void vector_16(ARGUMENTS)
{
    const int first = 4 * (BLOCK * THREADS + THREAD) * a + 4 * b;
    word v[4];
    CMK_LOAD_16(READ_ONLY, v, &in[first]);
    CMK_STORE_16(STREAMING, &out[first], v);
}

__global__ void vector_8(ARGUMENTS)
{
    const int first = 2 * (BLOCK * THREADS + THREAD) * a + 2 * b;
    word v[2];
    CMK_LOAD_8(PLAIN, v, &in[first]);
    CMK_STORE_8(PLAIN, &out[first], v);
}

/* 16 bytes of a tile of words by one access */
__global__ void vector_shared(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 128, 0);
    const int t = THREAD;
    for (int k = t; k < 128; k += 32) CMK_TILE_SET(tile, 0, k, CMK_LDG(&in[k + b]));
    __syncthreads();
    CMK_STORE((quad *)out + t, CMK_LOAD((const quad *)&tile[0][0] + t * a));
}

#define PART(name, FIRST)                                                                                              \
    __global__ void name(ARGUMENTS)                                                                                    \
    {                                                                                                                  \
        const cmk_i64 first = 4 * (cmk_i64)(BLOCK * THREADS + THREAD) - (FIRST);                                       \
        word v[4] = {0, 0, 0, 0};                                                                                      \
        (void)b;                                                                                                       \
        CMK_LOAD_PART(READ_ONLY, 16, v, in, first, a);                                                                 \
        CMK_STORE_PART(PLAIN, 16, out, first, a, v);                                                                   \
    }
PART(part_inside, 0)
PART(part_at_the_end, 0)
PART(part_misaligned, -b)
PART(part_at_the_start, b)

#define STRIDED(name)                                                                                                  \
    __global__ void name(ARGUMENTS)                                                                                    \
    {                                                                                                                  \
        word v[4];                                                                                                     \
        CMK_LOAD_STRIDED(READ_ONLY, v, 4, &in[THREAD * 4 + b], a);                                                     \
        CMK_STORE_16(PLAIN, &out[4 * THREAD], v);                                                                      \
    }
STRIDED(strided_1)
STRIDED(strided_32)

__global__ void pitched(ARGUMENTS)
{
    const word *const row = CMK_LOAD_ROW(in, a, Y_);
    CMK_STORE(&out[THREAD], CMK_LDG(&row[X_ + b]));
}

/* ---- What is not seen */
__global__ void atomic_shared(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 8, 0);
    const int t = THREAD;
    if (t < 8) CMK_TILE_SET(tile, 0, t, CMK_LDG(&in[t]));
    __syncthreads();
    CMK_STORE(&out[t], atomicAdd(&tile[0][t % 8 * a], (word)b + 1));
}

__global__ void atomic_global(ARGUMENTS)
{
    const int t = THREAD;
    CMK_STORE(&out[64 + t], atomicAdd(&out[t % 8 * a], CMK_LDG(&in[t]) + (word)b));
}

__global__ void plain_accesses(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 64, 0);
    const int t = THREAD;
    tile[0][t * a] = in[t];
    __syncthreads();
    out[t] = tile[0][(31 - t) * a + b];
}

/* four words of one thread side by side */
__global__ void widened(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 128, 0);
    const int t = THREAD;
    word sum = 0;
    for (int k = t; k < 128; k += 32) CMK_TILE_SET(tile, 0, k, CMK_LDG(&in[k + b]));
    __syncthreads();
    CMK_UNROLL
    for (int k = 0; k < 4; ++k) sum = sum * 3 + CMK_TILE_GET(tile, 0, t * 4 + k);
    CMK_STORE(&out[t], sum * (word)a);
}

__global__ void read_twice(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 64, 0);
    const int t = THREAD;
    CMK_TILE_SET(tile, 0, t * 2, CMK_LDG(&in[t]));
    __syncthreads();
    CMK_STORE(&out[t], CMK_TILE_GET(tile, 0, t * 2) * (word)a + (CMK_TILE_GET(tile, 0, t * 2) ^ (word)b));
}

__global__ void not_needed(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 64, 0);
    const int t = THREAD;
    CMK_TILE_SET(tile, 0, t * 2, CMK_LDG(&in[t]));
    __syncthreads();
    CMK_STORE(&out[t], CMK_TILE_GET(tile, 0, t * 2) + CMK_LDG(&in[64 + t]) * 0 + (word)(a + b));
}

/* a lane that skips a turn of a loop comes to the access in the next turn for the first time */
__global__ void skipped_turns(ARGUMENTS)
{
    CMK_TILE(word, tile, 1, 64, 0);
    const int t = THREAD;
    word sum = 0;
    CMK_TILE_SET(tile, 0, t, CMK_LDG(&in[t]));
    __syncthreads();
    for (int k = 0; k < a; ++k)
        if ((k + t) % 2 == b) sum = sum * 3 + CMK_TILE_GET(tile, 0, (t + k) % 32);
    CMK_STORE(&out[t], sum);
}

/* ---- Fills of fill.h: the tile is read by rows. T, HOW, rows, columns, pad, grain; rows, columns and pitch of the
 * matrix; row and column of the tile in it; block */
#define FILLS(X)                                                                                                       \
    X(fill_inside, word, PLAIN, 16, 32, 0, 0, 64, 64, 64, 8, 4, dim3(32, 4))                                           \
    X(fill_misaligned, word, PLAIN, 16, 32, 0, 0, 64, 64, 64, 8, 5, dim3(32, 4))                                       \
    X(fill_padded, word, PLAIN, 16, 32, 1, 0, 64, 64, 64, 8, 4, dim3(32, 4))                                           \
    X(fill_padded_by_4, word, PLAIN, 16, 32, 4, 0, 64, 64, 64, 8, 4, 128)                                              \
    X(fill_odd_pitch, word, PLAIN, 16, 32, 0, 0, 64, 63, 63, 8, 4, 96)                                                 \
    X(fill_rest, word, PLAIN, 16, 34, 2, 0, 64, 64, 64, 8, 4, 128)                                                     \
    X(fill_swizzled, word, PLAIN, 16, 32, 0, 16, 64, 64, 64, 8, 4, 128)                                                \
    X(fill_swizzled_by_4, word, PLAIN, 16, 32, 0, 4, 64, 64, 64, 8, 4, 128)                                            \
    X(fill_bytes, byte, PLAIN, 16, 64, 0, 0, 64, 128, 128, 8, 16, 64)                                                  \
    X(fill_half_words, half_word, PLAIN, 16, 32, 2, 0, 64, 64, 64, 8, 2, 64)                                           \
    X(fill_wide, wide, PLAIN, 8, 32, 0, 0, 64, 64, 64, 8, 1, 64)                                                       \
    X(fill_quads, quad, PLAIN, 8, 8, 0, 0, 16, 16, 16, 3, 3, 32)                                                       \
    X(fill_past_the_end, word, PLAIN, 16, 32, 0, 0, 64, 64, 64, 56, 48, 128)                                           \
    X(fill_before_the_start, word, PLAIN, 16, 32, 0, 0, 64, 64, 64, -4, -8, 128)                                       \
    X(fill_past_the_end_in_part, word, PLAIN, 16, 32, 0, 0, 64, 62, 64, 56, 48, 128)                                   \
    X(fill_before_the_start_misaligned, word, PLAIN, 16, 32, 0, 0, 64, 64, 64, -1, -1, 128)                            \
    X(fill_outside, word, PLAIN, 16, 32, 0, 0, 64, 64, 64, 100, 0, 128)                                                \
    X(fill_async, word, ASYNC, 16, 32, 0, 0, 64, 64, 64, 8, 4, dim3(32, 4))                                            \
    X(fill_bulk, word, BULK, 16, 32, 0, 0, 64, 64, 64, 8, 4, dim3(32, 4))

#define FILL(name, T, HOW, ROWS, COLUMNS, PAD, GRAIN, rows_, columns_, pitch_, row_, column_, block_)                  \
    __global__ void name(CMK_FILL_PARAMETER(source), T *out, int row, int column)                                      \
    {                                                                                                                  \
        CMK_TILE(T, tile, ROWS, COLUMNS, PAD);                                                                         \
        CMK_FILL_PIPE_SYNC(HOW, pipe, 1, GRAIN);                                                                       \
        CMK_FILL(pipe, 0, tile, ROWS, COLUMNS, source, row, column);                                                   \
        CMK_FILL_WAIT_SYNC(pipe, 0, 0);                                                                                \
        for (int k = THREAD; k < (ROWS) * (COLUMNS); k += THREADS)                                                     \
            CMK_STORE(&out[k], CMK_TILE_GET(tile, k / (COLUMNS), k % (COLUMNS)));                                      \
    }
FILLS(FILL)

/* ---- Definitions: their kernels are the probes. T, elements by which in is off, rows, columns, pitch of in and out */
#define TRANSPOSES(X)                                                                                                  \
    X(turn_1, byte, _kernel, 0, 256, 272, 272, 256)                                                                    \
    X(turn_2, half_word, _kernel, 0, 136, 152, 152, 136)                                                               \
    X(turn_4, word, _kernel, 0, 100, 76, 76, 100)                                                                      \
    X(turn_8, wide, _kernel, 0, 64, 34, 34, 64)                                                                        \
    X(turn_16, quad, _kernel, 0, 33, 35, 35, 33)                                                                       \
    X(turn_any_1, byte, _kernel_any, 1, 133, 131, 131, 133)                                                            \
    X(turn_any_2, half_word, _kernel_any, 0, 131, 133, 133, 131)                                                       \
    X(turn_any_4, word, _kernel_any, 1, 100, 76, 76, 100)                                                              \
    X(turn_any_8, wide, _kernel_any, 0, 65, 35, 35, 65)                                                                \
    X(turn_thin_4, word, _kernel_thin, 0, 3, 300, 300, 3)                                                              \
    X(turn_thin_2, half_word, _kernel_thin, 0, 500, 5, 5, 500)

#define TRANSPOSE(name, T, kernel, shift, rows, columns, from, to) CMK_DEFINE_TRANSPOSE(name, T);
TRANSPOSES(TRANSPOSE)

CMK_TABLE_VALUES(LITERAL, float, weights, [5], 1, 2, 3, 4, 5);
CMK_DEFINE_STENCIL1D(smooth, float, 4, CMK_STENCIL_1D_SYMMETRIC, weights, CMK_EDGE_CLAMP);
CMK_DEFINE_STENCIL1D(smooth_off, float, 4, CMK_STENCIL_1D_SYMMETRIC, weights, CMK_EDGE_CLAMP);
#define STENCILS(X)                                                                                                    \
    X(smooth, float, 0, 5000, weights)                                                                                 \
    X(smooth_off, float, 1, 3001, weights)

/* ---- One function for each probe: launches it on two buffers of BYTES */
#define BYTES (1 << 20)

#define RUN_SHARED(name, T, SIZE, INDEX, threads, a, b) RUN(name, T, 1, threads, 0, in, out, a, b)
#define RUN_LONE(name, T, LANES, INDEX, a, b) RUN(name, T, 1, 32, 0, in, out, a, b)
#define RUN_GLOBAL(name, T, HOW, INDEX, threads, a, b) RUN(name, T, 1, threads, 0, in, out, a, b)
#define RUN_TABLE(name, TABLE, INDEX, threads, a, b) RUN(name, TABLE##_element_, 1, threads, 0, out, a, b, TABLE)
#define RUN_KERNEL(name, grid, block, bytes, a, b) RUN(name, word, grid, block, bytes, in, out, a, b)
#define RUN(name, T, grid, block, bytes, ...)                                                                          \
    static cudaError_t run_##name(void *in_, void *out_)                                                               \
    {                                                                                                                  \
        const T *const in = (const T *)in_;                                                                            \
        T *const out = (T *)out_;                                                                                      \
        (void)in;                                                                                                      \
        return CMK_LAUNCH(name, grid, block, bytes, 0, __VA_ARGS__);                                                   \
    }
#define RUN_FILL(name, T, HOW, ROWS, COLUMNS, PAD, GRAIN, rows, columns, pitch, row, column, block)                    \
    static cudaError_t run_##name(void *in, void *out)                                                                 \
    {                                                                                                                  \
        cmk_fill_source source;                                                                                        \
        CMK_CHECK(CMK_FILL_SOURCE(&source, (const T *)in, pitch, rows, columns, ROWS, COLUMNS, GRAIN));                \
        return CMK_LAUNCH(name, 1, block, 0, 0, source, (T *)out, row, column);                                        \
    }
#define RUN_TRANSPOSE(name, T, kernel, shift, rows, columns, from, to)                                                 \
    static cudaError_t run_##name(void *in, void *out)                                                                 \
    {                                                                                                                  \
        return name((const T *)in + (shift), from, (T *)out, to, rows, columns, 0);                                    \
    }
#define RUN_STENCIL(name, T, shift, count, table)                                                                      \
    static cudaError_t run_##name(void *in, void *out)                                                                 \
    {                                                                                                                  \
        return name((const T *)in + (shift), (T *)out, count, table, 0);                                               \
    }
SHARED_LOADS(RUN_SHARED)
LONE_LOADS(RUN_LONE)
SHARED_STORES(RUN_SHARED)
GLOBAL_LOADS(RUN_GLOBAL)
GLOBAL_STORES(RUN_GLOBAL)
TABLES(RUN_TABLE)
KERNELS(RUN_KERNEL)
FILLS(RUN_FILL)
TRANSPOSES(RUN_TRANSPOSE)
STENCILS(RUN_STENCIL)

#define NAMED(name, ...) {#name, run_##name},
#define NAMED_TRANSPOSE(name, T, kernel, ...) {#name #kernel, run_##name},
#define NAMED_STENCIL(name, ...) {#name "_kernel", run_##name},
static const struct {
    const char *kernel;
    cudaError_t (*run)(void *in, void *out);
} probes[] = {SHARED_LOADS(NAMED) LONE_LOADS(NAMED) SHARED_STORES(NAMED) GLOBAL_LOADS(NAMED) GLOBAL_STORES(NAMED)
                  TABLES(NAMED) KERNELS(NAMED) FILLS(NAMED) TRANSPOSES(NAMED_TRANSPOSE) STENCILS(NAMED_STENCIL)};
enum { COUNT = sizeof probes / sizeof *probes };

/* ---- What is counted, by the profiler's names */
#if defined(CMK_COUNT) && !defined(__CUDACC__)
static const struct {
    const char *name;
    int counter;
} counters[] = {
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", CMK_COUNT_SHARED_LOAD_WAVEFRONTS},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", CMK_COUNT_SHARED_STORE_WAVEFRONTS},
    {"smsp__sass_inst_executed_op_shared_ld.sum", CMK_COUNT_SHARED_LOAD_REQUESTS},
    {"smsp__sass_inst_executed_op_shared_st.sum", CMK_COUNT_SHARED_STORE_REQUESTS},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", CMK_COUNT_GLOBAL_LOAD_REQUESTS},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", CMK_COUNT_GLOBAL_STORE_REQUESTS},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", CMK_COUNT_GLOBAL_LOAD_SECTORS},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", CMK_COUNT_GLOBAL_STORE_SECTORS},
    {"sm__idc_divergent_instruction_replays.sum", CMK_COUNT_CONSTANT_REPLAYS},
};

static void head(void)
{
    printf("probe");
    for (size_t k = 0; k < sizeof counters / sizeof *counters; ++k) printf(",%s", counters[k].name);
    printf("\n");
}

static void row(const char *kernel)
{
    printf("%s", kernel);
    for (size_t k = 0; k < sizeof counters / sizeof *counters; ++k)
        printf(",%lld", (long long)cmk_count(kernel, counters[k].counter));
    printf("\n");
}
#else
static void head(void)
{
#if defined(__CUDACC__)
    printf("nvcc %d.%d.%d\n", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__);
#endif
}

static void row(const char *kernel)
{
    (void)kernel;
}
#endif

static void tables(void)
{
    static float floats[1024];
    static wide wides[64];
    CMK_CHECK(CMK_TABLE_UPLOAD(constants, floats, 0, 1024));
    CMK_CHECK(CMK_TABLE_UPLOAD(wide_constants, wides, 0, 64));
    CMK_CHECK(CMK_TABLE_UPLOAD(parameters, floats, 0, 64));
    CMK_CHECK(CMK_TABLE_UPLOAD(globals, floats, 0, 512));
}

int main(int arguments, char **argument)
{
    void *in, *out;
    int found = 0, devices = 0;
    if (arguments < 2) {
        for (int k = 0; k < COUNT; ++k) puts(probes[k].kernel);
        return 0;
    }
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77; /* skipped: no CUDA device */
    CMK_CHECK(cudaMalloc(&in, BYTES));
    CMK_CHECK(cudaMalloc(&out, BYTES));
    CMK_CHECK(cudaMemset(in, 0, BYTES));
    CMK_CHECK(cudaMemset(out, 0, BYTES));
    tables();
    head();
    for (int k = 0; k < COUNT; ++k) {
        if (strcmp(argument[1], "all") != 0 && strcmp(argument[1], probes[k].kernel) != 0) continue;
        CMK_CHECK(probes[k].run(in, out));
        CMK_CHECK(cudaDeviceSynchronize());
        row(probes[k].kernel);
        ++found;
    }
    CMK_CHECK(cudaFree(out));
    CMK_CHECK(cudaFree(in));
    if (found == 0) fprintf(stderr, "probes: no kernel %s\n", argument[1]);
    return found == 0;
}
