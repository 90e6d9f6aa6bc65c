/* load.h: every hint for every size of element, vectors, parts at every place and alignment, heads, strides, rows. */
#include <cmk/cmk.h>
#include "tap.h"

typedef struct {
    float red, green, blue;
} triple;
typedef struct {
    int which;
    float weight[3];
} record;
typedef signed char int_8;
typedef long long int_64;

/* loads 0 to 5 are the hints in the order of the header's table, 6 is CMK_LDG, 7 CMK_LOAD; stores 0 to 3 are the
 * hints that have one, 4 is CMK_STORE */
enum { LOADS = 8, STORES = 5, ELEMENTS = 48, GUARD = 8 };
static const char *const load_names[] = {"PLAIN",       "READ_ONLY",  "STREAMING", "LAST_USE",
                                         "EVICT_FIRST", "EVICT_LAST", "CMK_LDG",   "CMK_LOAD"};
static const char *const store_names[] = {"PLAIN", "STREAMING", "EVICT_FIRST", "EVICT_LAST", "CMK_STORE"};

#define DEFINE_COPY(T)                                                                                                 \
    __global__ void copy_##T(const T *in, T *out, int load, int store)                                                 \
    {                                                                                                                  \
        const int i = GUARD + (int)threadIdx.x;                                                                        \
        T value = CMK_LOAD(&in[0]);                                                                                    \
        if (load == 0) value = CMK_LOAD_AS(PLAIN, &in[i]);                                                             \
        if (load == 1) value = CMK_LOAD_AS(READ_ONLY, &in[i]);                                                         \
        if (load == 2) value = CMK_LOAD_AS(STREAMING, &in[i]);                                                         \
        if (load == 3) value = CMK_LOAD_AS(LAST_USE, &in[i]);                                                          \
        if (load == 4) value = CMK_LOAD_AS(EVICT_FIRST, &in[i]);                                                       \
        if (load == 5) value = CMK_LOAD_AS(EVICT_LAST, &in[i]);                                                        \
        if (load == 6) value = CMK_LDG(&in[i]);                                                                        \
        if (load == 7) value = CMK_LOAD(&in[i]);                                                                       \
        if (store == 0) CMK_STORE_AS(PLAIN, &out[i], value);                                                           \
        if (store == 1) CMK_STORE_AS(STREAMING, &out[i], value);                                                       \
        if (store == 2) CMK_STORE_AS(EVICT_FIRST, &out[i], value);                                                     \
        if (store == 3) CMK_STORE_AS(EVICT_LAST, &out[i], value);                                                      \
        if (store == 4) CMK_STORE(&out[i], value);                                                                     \
    }

DEFINE_COPY(int_8)
DEFINE_COPY(short)
DEFINE_COPY(int)
DEFINE_COPY(int_64)
DEFINE_COPY(float)
DEFINE_COPY(double)
DEFINE_COPY(triple)
DEFINE_COPY(record)
DEFINE_COPY(float4)

#define DEFINE_VECTORS(BYTES)                                                                                          \
    __global__ void vectors_##BYTES(const float *in, float *out, int load, int store)                                  \
    {                                                                                                                  \
        const int i = GUARD + (int)threadIdx.x * (BYTES / 4);                                                          \
        float v[BYTES / 4] = {0.0f};                                                                                   \
        if (load == 0) CMK_LOAD_##BYTES(PLAIN, v, &in[i]);                                                             \
        if (load == 1) CMK_LOAD_##BYTES(READ_ONLY, v, &in[i]);                                                         \
        if (load == 2) CMK_LOAD_##BYTES(STREAMING, v, &in[i]);                                                         \
        if (load == 3) CMK_LOAD_##BYTES(LAST_USE, v, &in[i]);                                                          \
        if (load == 4) CMK_LOAD_##BYTES(EVICT_FIRST, v, &in[i]);                                                       \
        if (load == 5) CMK_LOAD_##BYTES(EVICT_LAST, v, &in[i]);                                                        \
        if (store == 0) CMK_STORE_##BYTES(PLAIN, &out[i], v);                                                          \
        if (store == 1) CMK_STORE_##BYTES(STREAMING, &out[i], v);                                                      \
        if (store == 2) CMK_STORE_##BYTES(EVICT_FIRST, &out[i], v);                                                    \
        if (store == 3) CMK_STORE_##BYTES(EVICT_LAST, &out[i], v);                                                     \
    }

DEFINE_VECTORS(8)
DEFINE_VECTORS(16)

static unsigned char bytes_in[1 << 14], bytes_out[1 << 14];

static void fill(unsigned char *bytes, size_t count)
{
    for (size_t k = 0; k < count; ++k) bytes[k] = (unsigned char)(rand() >> 7);
}

/* copies by a kernel; the bytes from first to last must arrive and the others keep their poison */
#define CHECK_COPY(T, kernel, threads, load, store)                                                                    \
    do {                                                                                                               \
        CMK_CHECK(cudaMemset(out, 0xA5, ELEMENTS * sizeof(T)));                                                        \
        CMK_CHECK(CMK_LAUNCH(kernel, 1, threads, 0, 0, (const T *)in, (T *)out, load, store));                         \
        CMK_CHECK(cudaMemcpy(bytes_out, out, ELEMENTS * sizeof(T), cudaMemcpyDeviceToHost));                           \
        for (size_t k = 0; k < ELEMENTS * sizeof(T); ++k) {                                                            \
            const int inside = k >= GUARD * sizeof(T) && k < (ELEMENTS - GUARD) * sizeof(T);                           \
            wrong[load] += bytes_out[k] != (inside ? bytes_in[k] : 0xA5);                                              \
            wrong_stores[store] += bytes_out[k] != (inside ? bytes_in[k] : 0xA5);                                      \
        }                                                                                                              \
    } while (0)

static void hints(void)
{
    int wrong[LOADS] = {0}, wrong_stores[STORES] = {0};
    void *in, *out;
    fill(bytes_in, sizeof bytes_in);
    CMK_CHECK(cudaMalloc(&in, sizeof bytes_in));
    CMK_CHECK(cudaMalloc(&out, sizeof bytes_out));
    CMK_CHECK(cudaMemcpy(in, bytes_in, sizeof bytes_in, cudaMemcpyHostToDevice));
    for (int load = 0; load < LOADS; ++load)
        for (int store = 0; store < STORES; ++store) {
            CHECK_COPY(int_8, copy_int_8, ELEMENTS - 2 * GUARD, load, store);
            CHECK_COPY(short, copy_short, ELEMENTS - 2 * GUARD, load, store);
            CHECK_COPY(int, copy_int, ELEMENTS - 2 * GUARD, load, store);
            CHECK_COPY(int_64, copy_int_64, ELEMENTS - 2 * GUARD, load, store);
            CHECK_COPY(float, copy_float, ELEMENTS - 2 * GUARD, load, store);
            CHECK_COPY(double, copy_double, ELEMENTS - 2 * GUARD, load, store);
            CHECK_COPY(triple, copy_triple, ELEMENTS - 2 * GUARD, load, store);
            CHECK_COPY(record, copy_record, ELEMENTS - 2 * GUARD, load, store);
            CHECK_COPY(float4, copy_float4, ELEMENTS - 2 * GUARD, load, store);
            if (load < 6 && store < 4) CHECK_COPY(float, vectors_8, (ELEMENTS - 2 * GUARD) / 2, load, store);
            if (load < 6 && store < 4) CHECK_COPY(float, vectors_16, (ELEMENTS - 2 * GUARD) / 4, load, store);
        }
    for (int load = 0; load < LOADS; ++load)
        tap_check(wrong[load] == 0, "loads by %s, every store: %d bytes wrong", load_names[load], wrong[load]);
    for (int store = 0; store < STORES; ++store)
        tap_check(wrong_stores[store] == 0, "stores by %s, every load: %d bytes wrong", store_names[store],
                  wrong_stores[store]);
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
}

/* A part at every place: block (count, shift) has an array of count elements that begins shift elements behind a
 * multiple of BYTES, thread t starts at first = t - LANES. SPAN bytes of output belong to each thread. */
enum { SPAN = 128, BEFORE = 16 };

#define DEFINE_PARTS(LOAD, STORE, BYTES, T)                                                                            \
    enum { lanes_##BYTES##_##T = BYTES / sizeof(T) };                                                                  \
    __global__ void load_parts_##BYTES##_##T(const T *in, T *out)                                                      \
    {                                                                                                                  \
        const cmk_i64 count = (cmk_i64)blockIdx.x, first = (cmk_i64)threadIdx.x - lanes_##BYTES##_##T;                 \
        const cmk_i64 thread = ((cmk_i64)blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;              \
        T to[lanes_##BYTES##_##T];                                                                                     \
        CMK_UNROLL                                                                                                     \
        for (int j = 0; j < lanes_##BYTES##_##T; ++j) to[j] = CMK_LOAD(&in[SPAN + j]);                                 \
        CMK_LOAD_PART(LOAD, BYTES, to, &in[blockIdx.y], first, count);                                                 \
        CMK_UNROLL                                                                                                     \
        for (int j = 0; j < lanes_##BYTES##_##T; ++j) CMK_STORE(&out[thread * (SPAN / (int)sizeof(T)) + j], to[j]);    \
    }                                                                                                                  \
    __global__ void store_parts_##BYTES##_##T(const T *in, T *out)                                                     \
    {                                                                                                                  \
        const cmk_i64 count = (cmk_i64)blockIdx.x, first = (cmk_i64)threadIdx.x - lanes_##BYTES##_##T;                 \
        const cmk_i64 thread = ((cmk_i64)blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;              \
        T from[lanes_##BYTES##_##T];                                                                                   \
        CMK_UNROLL                                                                                                     \
        for (int j = 0; j < lanes_##BYTES##_##T; ++j) from[j] = CMK_LOAD(&in[threadIdx.x + (unsigned)j]);              \
        CMK_STORE_PART(STORE, BYTES, &out[(thread * SPAN + BEFORE) / (int)sizeof(T) + blockIdx.y], first, count,       \
                       from);                                                                                          \
    }

DEFINE_PARTS(READ_ONLY, STREAMING, 8, int_8)
DEFINE_PARTS(READ_ONLY, PLAIN, 16, int_8)
DEFINE_PARTS(STREAMING, EVICT_FIRST, 8, short)
DEFINE_PARTS(PLAIN, EVICT_LAST, 16, short)
DEFINE_PARTS(LAST_USE, PLAIN, 8, float)
DEFINE_PARTS(EVICT_FIRST, EVICT_FIRST, 16, float)
DEFINE_PARTS(PLAIN, STREAMING, 8, double)
DEFINE_PARTS(EVICT_LAST, PLAIN, 16, double)

/* one thread's output after the loads and after the stores; in are the bytes of the input */
static void expect_load(unsigned char *span, const unsigned char *in, int size, int lanes, int shift, int first,
                        int count)
{
    for (int j = 0; j < lanes; ++j) {
        const int at = first + j, inside = at >= 0 && at < count;
        memcpy(span + j * size, in + (inside ? shift + at : SPAN + j) * size, (size_t)size);
    }
}

static void expect_store(unsigned char *span, const unsigned char *in, int size, int lanes, int shift, int first,
                         int count)
{
    for (int at = 0; at < count; ++at)
        if (at >= first && at < first + lanes)
            memcpy(span + BEFORE + (shift + at) * size, in + (at + lanes) * size, (size_t)size);
}

static int wrong_spans(const unsigned char *in, const unsigned char *out, int size, int lanes, int stores)
{
    int wrong = 0;
    for (int shift = 0; shift < lanes; ++shift)
        for (int count = 0; count <= 3 * lanes + 1; ++count)
            for (int first = -lanes; first <= count + lanes; ++first) {
                unsigned char span[SPAN];
                const int block = shift * (3 * lanes + 2) + count, thread = block * (5 * lanes + 2) + first + lanes;
                memset(span, 0xA5, SPAN);
                (stores ? expect_store : expect_load)(span, in, size, lanes, shift, first, count);
                wrong += memcmp(span, out + (size_t)thread * SPAN, SPAN) != 0;
            }
    return wrong;
}

#define CHECK_PARTS(BYTES, T)                                                                                          \
    do {                                                                                                               \
        const int lanes = BYTES / sizeof(T);                                                                           \
        const dim3 grid = dim3((unsigned)(3 * lanes + 2), (unsigned)lanes);                                            \
        const size_t bytes = (size_t)(3 * lanes + 2) * (size_t)lanes * (size_t)(5 * lanes + 2) * SPAN;                 \
        for (int stores = 0; stores < 2; ++stores) {                                                                   \
            CMK_CHECK(cudaMemset(out, 0xA5, bytes));                                                                   \
            if (stores == 0)                                                                                           \
                CMK_CHECK(CMK_LAUNCH(load_parts_##BYTES##_##T, grid, 5 * lanes + 2, 0, 0, (const T *)in, (T *)out));   \
            else                                                                                                       \
                CMK_CHECK(CMK_LAUNCH(store_parts_##BYTES##_##T, grid, 5 * lanes + 2, 0, 0, (const T *)in, (T *)out));  \
            CMK_CHECK(cudaMemcpy(host, out, bytes, cudaMemcpyDeviceToHost));                                           \
            const int wrong = wrong_spans(bytes_in, host, sizeof(T), lanes, stores);                                   \
            tap_check(wrong == 0, "%s of %d bytes of %s at every place: %d wrong",                                     \
                      stores ? "CMK_STORE_PART" : "CMK_LOAD_PART", BYTES, #T, wrong);                                  \
        }                                                                                                              \
    } while (0)

static void parts(void)
{
    const size_t most = (size_t)50 * 16 * 82 * SPAN;
    unsigned char *host = (unsigned char *)malloc(most);
    void *in, *out;
    fill(bytes_in, sizeof bytes_in);
    CMK_CHECK(cudaMalloc(&in, sizeof bytes_in));
    CMK_CHECK(cudaMalloc(&out, most));
    CMK_CHECK(cudaMemcpy(in, bytes_in, sizeof bytes_in, cudaMemcpyHostToDevice));
    CHECK_PARTS(8, int_8);
    CHECK_PARTS(16, int_8);
    CHECK_PARTS(8, short);
    CHECK_PARTS(16, short);
    CHECK_PARTS(8, float);
    CHECK_PARTS(16, float);
    CHECK_PARTS(8, double);
    CHECK_PARTS(16, double);
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
    free(host);
}

__global__ void copy_all(const float *in, float *out, cmk_i64 count)
{
    const cmk_i64 first = (cmk_i64)threadIdx.x * 4 - CMK_LOAD_HEAD(out, 16);
    float v[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    CMK_LOAD_PART(READ_ONLY, 16, v, in, first, count);
    CMK_STORE_PART(STREAMING, 16, out, first, count, v);
}

static void heads(void)
{
    float sent[64], result[64], *in, *out;
    int wrong = 0, wrong_heads = 0;
    for (int k = 0; k < 64; ++k) sent[k] = (float)rand();
    CMK_CHECK(cudaMalloc((void **)&in, sizeof sent));
    CMK_CHECK(cudaMalloc((void **)&out, sizeof sent));
    CMK_CHECK(cudaMemcpy(in, sent, sizeof sent, cudaMemcpyHostToDevice));
    for (int shift = 0; shift < 16; ++shift)
        for (int count = 0; count <= 20; ++count) {
            const int from = shift % 4, to = shift / 4;
            CMK_CHECK(cudaMemset(out, 0, sizeof sent));
            CMK_CHECK(CMK_LAUNCH(copy_all, 1, 8, 0, 0, in + from, out + 8 + to, count));
            CMK_CHECK(cudaMemcpy(result, out, sizeof sent, cudaMemcpyDeviceToHost));
            for (int k = 0; k < 64; ++k) {
                const int i = k - 8 - to, inside = i >= 0 && i < count;
                const float right = inside ? sent[from + i] : 0.0f;
                wrong += memcmp(&result[k], &right, sizeof right) != 0;
            }
        }
    tap_check(wrong == 0, "CMK_LOAD_PART and CMK_STORE_PART copy arrays of any alignment: %d elements wrong", wrong);
    for (int k = 0; k < 40; ++k) {
        wrong_heads += CMK_LOAD_HEAD(out + k, 16) != k % 4 || CMK_LOAD_HEAD(out + k, 8) != k % 2;
        wrong_heads += CMK_LOAD_HEAD((const char *)out + k, 16) != k % 16;
        wrong_heads += CMK_LOAD_HEAD((const double *)(const void *)out + k, 16) != k % 2;
    }
    tap_check(wrong_heads == 0, "CMK_LOAD_HEAD: %d wrong", wrong_heads);
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
}

/* out: 5 strided floats, a strided triple's red of 3, the first two and the last element of a row */
__global__ void gather(const float *in, float *out, cmk_i64 stride, int pitch, int row)
{
    const float *const line = CMK_LOAD_ROW(in, pitch, row);
    float v[5];
    triple colours[3];
    CMK_LOAD_STRIDED(STREAMING, v, 5, &in[100], stride);
    for (int j = 0; j < 5; ++j) CMK_STORE(&out[j], v[j]);
    CMK_LOAD_STRIDED(READ_ONLY, colours, 3, (const triple *)(const void *)in + 20, stride);
    for (int j = 0; j < 3; ++j) CMK_STORE(&out[5 + j], colours[j].red + colours[j].blue);
    CMK_STORE(&out[8], CMK_LOAD(&line[0]));
    CMK_STORE(CMK_LOAD_ROW(out, 4, 9), CMK_LDG(&line[1]));
}

static void strides_and_rows(void)
{
    float sent[240], result[10], *in, *out;
    int wrong_strides = 0, wrong_rows = 0;
    for (int k = 0; k < 240; ++k) sent[k] = (float)k;
    CMK_CHECK(cudaMalloc((void **)&in, sizeof sent));
    CMK_CHECK(cudaMalloc((void **)&out, sizeof result));
    CMK_CHECK(cudaMemcpy(in, sent, sizeof sent, cudaMemcpyHostToDevice));
    for (int stride = -9; stride <= 9; ++stride) {
        const int row = stride + 9, pitch = 4 * 12;
        CMK_CHECK(cudaMemset(out, 0xA5, sizeof result));
        CMK_CHECK(CMK_LAUNCH(gather, 1, 1, 0, 0, in, out, stride, pitch, row));
        CMK_CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
        for (int j = 0; j < 5; ++j) wrong_strides += (int)result[j] != 100 + stride * j;
        for (int j = 0; j < 3; ++j) wrong_strides += (int)result[5 + j] != 2 * 3 * (20 + stride * j) + 2;
        wrong_rows += (int)result[8] != 12 * row || (int)result[9] != 12 * row + 1;
    }
    tap_check(wrong_strides == 0, "strides from -9 to 9: %d elements wrong", wrong_strides);
    tap_check(wrong_rows == 0, "rows of a pitched array: %d wrong", wrong_rows);
    tap_check((size_t)CMK_LOAD_ROW(in, 1 << 20, 1 << 13) - (size_t)in == (size_t)1 << 33 &&
                  CMK_LOAD_ROW(in + 12, (size_t)48, -1) == in,
              "a row 8 GB on, and the one before");
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
}

__device__ static int counted(int value, int *calls)
{
    ++*calls;
    return value;
}

/* Element 2 k of results is what a load sees after a store of k, element 2 k + 1 after a second one of 10 + k. */
#define ORDER(HOW, STORE, k)                                                                                           \
    do {                                                                                                               \
        CMK_STORE(&memory[0], k);                                                                                      \
        CMK_STORE(&results[2 * (k)], CMK_LOAD_AS(HOW, &memory[0]));                                                    \
        CMK_STORE_AS(STORE, &memory[0], 10 + (k));                                                                     \
        CMK_LOAD_16(HOW, four, memory);                                                                                \
        CMK_STORE(&results[2 * (k) + 1], four[0]);                                                                     \
    } while (0)

__global__ void order(int *memory, int *results)
{
    int four[4], calls = 0;
    ORDER(PLAIN, STREAMING, 0);
    ORDER(STREAMING, PLAIN, 1);
    ORDER(LAST_USE, PLAIN, 2);
    ORDER(EVICT_FIRST, EVICT_LAST, 3);
    ORDER(EVICT_LAST, EVICT_FIRST, 4);
#define ONCE(value) counted(value, &calls)
    CMK_LOAD_PART(PLAIN, 16, &four[ONCE(0)], &memory[ONCE(0)], ONCE(0), ONCE(4));
    CMK_STORE_PART(PLAIN, 16, &memory[ONCE(0)], ONCE(0), ONCE(3), &four[ONCE(0)]);
    CMK_LOAD_STRIDED(PLAIN, &four[ONCE(0)], 2, &memory[ONCE(0)], ONCE(2));
    CMK_STORE_AS(STREAMING, &memory[ONCE(1)], CMK_LOAD_AS(STREAMING, &memory[ONCE(2)]) + ONCE(1));
    CMK_LOAD_8(PLAIN, &four[ONCE(2)], &memory[ONCE(2)]);
    CMK_STORE_8(PLAIN, &memory[ONCE(0)], &four[ONCE(1)]);
    CMK_STORE(CMK_LOAD_ROW(&memory[ONCE(0)], ONCE(4), ONCE(1)), CMK_LDG(&results[ONCE(0)]) + ONCE(1));
    CMK_STORE(&results[10], calls);
}

static void orders(void)
{
    int host[11], wrong = 0, *memory, *results;
    CMK_CHECK(cudaMalloc((void **)&memory, 4 * sizeof(int)));
    CMK_CHECK(cudaMalloc((void **)&results, sizeof host));
    CMK_CHECK(cudaMemset(memory, 0, 4 * sizeof(int)));
    CMK_CHECK(cudaMemset(results, 0xA5, sizeof host));
    CMK_CHECK(CMK_LAUNCH(order, 1, 1, 0, 0, memory, results));
    CMK_CHECK(cudaMemcpy(host, results, sizeof host, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 5; ++k) wrong += host[2 * k] != k || host[2 * k + 1] != 10 + k;
    tap_check(wrong == 0, "a load sees the store before it: %d do not", wrong);
    tap_check(host[10] == 23, "each argument is evaluated once: %d evaluations of 23", host[10]);
    CMK_CHECK(cudaFree(memory));
    CMK_CHECK(cudaFree(results));
}

int main(void)
{
    tap_need_device();
    hints();
    parts();
    heads();
    strides_and_rows();
    orders();
    return tap_done();
}
