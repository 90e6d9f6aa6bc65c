/* Coefficient tables from all four sources by one text: element types, shapes, uploads and downloads of every part,
 * what is refused, the order of a stream, slots. */
#include <cmk/cmk.h>
#include "tap.h"
#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

enum { MOST = 24 * 12, GUARD = 16, ROUNDS = 100 }; /* bytes of the largest table, bytes behind it */

struct colour {
    float r, g, b;
};

typedef cudaError_t (*copy_function)(void *memory, size_t first, size_t count, cudaStream_t stream, int wait);

typedef struct {
    const char *name;
    size_t element, count; /* bytes of an element, elements */
    copy_function upload, download;
    cudaError_t (*read)(void *out, cudaStream_t stream); /* every element three times */
} table;

/* ---- Values known to the compiler */
#define SCALAR(T, k) (T)((k)*0x0123456789abcdefll - 77)
/* clang-format off */
#define COLOUR(T, k) {(float)(k), (float)(k) + 0.5f, (float)(k) - 0.25f}
#define FOUR(VALUE, T, k) VALUE(T, k), VALUE(T, (k) + 1), VALUE(T, (k) + 2), VALUE(T, (k) + 3)
#define FIVE(VALUE, T, k) FOUR(VALUE, T, k), VALUE(T, (k) + 4)
#define SEVEN(VALUE, T) FOUR(VALUE, T, 0), VALUE(T, 4), VALUE(T, 5), VALUE(T, 6)
#define ROWS(VALUE, T) {FIVE(VALUE, T, 0)}, {FIVE(VALUE, T, 5)}, {FIVE(VALUE, T, 10)}
#define PLANE(VALUE, T, k) {{FOUR(VALUE, T, k)}, {FOUR(VALUE, T, (k) + 4)}, {FOUR(VALUE, T, (k) + 8)}}
#define PLANES(VALUE, T) PLANE(VALUE, T, 0), PLANE(VALUE, T, 12)
/* clang-format on */

/* ---- One kernel text for every source, type and shape. AT is the element k by the indices of its shape. */
#define AT_1(name, k) CMK_TABLE_AT(name, k)
#define AT_2(name, k) CMK_TABLE_AT(name, (k) / 5, (k) % 5)
#define AT_3(name, k) CMK_TABLE_AT(name, (k) / 12, (k) / 4 % 3, (k) % 4)

#define KERNEL(T, name, AT, COUNT)                                                                                     \
    static __global__ void name##_kernel(T *out, CMK_TABLE_PARAMETER(name))                                            \
    {                                                                                                                  \
        const int k = (int)threadIdx.x;                                                                                \
        if (k < COUNT) out[k] = CMK_TABLE_AT(name, k);                                                                 \
        if (k < COUNT) out[COUNT + k] = AT(name, k);                                                                   \
        if (k > 0) return;                                                                                             \
        CMK_UNROLL                                                                                                     \
        for (int fixed = 0; fixed < COUNT; ++fixed) out[2 * COUNT + fixed] = AT(name, fixed);                          \
    }                                                                                                                  \
    static cudaError_t name##_read(void *out, cudaStream_t stream)                                                     \
    {                                                                                                                  \
        return CMK_LAUNCH(name##_kernel, 1, 32, 0, stream, (T *)out, name);                                            \
    }

#define COPIES(T, name)                                                                                                \
    static cudaError_t name##_from(void *source, size_t first, size_t count, cudaStream_t stream, int wait)            \
    {                                                                                                                  \
        return wait ? CMK_TABLE_UPLOAD(name, (const T *)source, first, count)                                          \
                    : CMK_TABLE_UPLOAD_ASYNC(name, (const T *)source, first, count, stream);                           \
    }                                                                                                                  \
    static cudaError_t name##_to(void *target, size_t first, size_t count, cudaStream_t stream, int wait)              \
    {                                                                                                                  \
        return wait ? CMK_TABLE_DOWNLOAD(name, (T *)target, first, count)                                              \
                    : CMK_TABLE_DOWNLOAD_ASYNC(name, (T *)target, first, count, stream);                               \
    }

#define VALUES(SOURCE, T, name, VALUE)                                                                                 \
    CMK_TABLE_VALUES(SOURCE, T, name##_1, [7], SEVEN(VALUE, T));                                                       \
    CMK_TABLE_VALUES(SOURCE, T, name##_2, [3][5], ROWS(VALUE, T));                                                     \
    CMK_TABLE_VALUES(SOURCE, T, name##_3, [2][3][4], PLANES(VALUE, T));

#define NO_VALUES(SOURCE, T, name, VALUE)                                                                              \
    CMK_TABLE(SOURCE, T, name##_1, [7]);                                                                               \
    CMK_TABLE(SOURCE, T, name##_2, [3][5]);                                                                            \
    CMK_TABLE(SOURCE, T, name##_3, [2][3][4]);

#define KERNELS(T, name)                                                                                               \
    KERNEL(T, name##_1, AT_1, 7)                                                                                       \
    KERNEL(T, name##_2, AT_2, 15)                                                                                      \
    KERNEL(T, name##_3, AT_3, 24)

#define LOADED(T, name)                                                                                                \
    KERNELS(T, name)                                                                                                   \
    COPIES(T, name##_1)                                                                                                \
    COPIES(T, name##_2)                                                                                                \
    COPIES(T, name##_3)

/* SCALARS(EACH) and so on: EACH(type, name, initializer) */
#define SCALARS(EACH)                                                                                                  \
    EACH(float, float, SCALAR)                                                                                         \
    EACH(double, double, SCALAR)                                                                                       \
    EACH(signed char, int8, SCALAR)                                                                                    \
    EACH(unsigned char, uint8, SCALAR)                                                                                 \
    EACH(short, int16, SCALAR)                                                                                         \
    EACH(unsigned short, uint16, SCALAR)                                                                               \
    EACH(int, int32, SCALAR)                                                                                           \
    EACH(unsigned, uint32, SCALAR)                                                                                     \
    EACH(long long, int64, SCALAR)                                                                                     \
    EACH(unsigned long long, uint64, SCALAR)
#define TYPES(EACH) SCALARS(EACH) EACH(struct colour, colour, COLOUR)
#if defined(__CUDACC__)
#define SHORT_FLOATS(EACH) EACH(__half, half, SCALAR) EACH(__nv_bfloat16, bfloat16, SCALAR)
#else
#define SHORT_FLOATS(EACH)
#endif

#define LITERAL_TABLES(T, name, VALUE) VALUES(LITERAL, T, literal_##name, VALUE) KERNELS(T, literal_##name)
#define CONSTANT_TABLES(T, name, VALUE) VALUES(CONSTANT, T, constant_##name, VALUE) LOADED(T, constant_##name)
#define PARAMETER_TABLES(T, name, VALUE) VALUES(PARAMETER, T, parameter_##name, VALUE) LOADED(T, parameter_##name)
#define GLOBAL_TABLES(T, name, VALUE) VALUES(GLOBAL, T, global_##name, VALUE) LOADED(T, global_##name)
#define EMPTY_TABLES(T, name, VALUE)                                                                                   \
    NO_VALUES(CONSTANT, T, constant_##name, VALUE)                                                                     \
    NO_VALUES(PARAMETER, T, parameter_##name, VALUE)                                                                   \
    NO_VALUES(GLOBAL, T, global_##name, VALUE)                                                                         \
    LOADED(T, constant_##name)                                                                                         \
    LOADED(T, parameter_##name)                                                                                        \
    LOADED(T, global_##name)

TYPES(LITERAL_TABLES)
TYPES(CONSTANT_TABLES)
TYPES(PARAMETER_TABLES)
TYPES(GLOBAL_TABLES)
SHORT_FLOATS(EMPTY_TABLES)

#define READ_ONLY_ROW(T, name, COUNT) {#name, sizeof(T), COUNT, 0, 0, name##_read},
#define ROW(T, name, COUNT) {#name, sizeof(T), COUNT, name##_from, name##_to, name##_read},
#define SHAPES(ROW, T, name) ROW(T, name##_1, 7) ROW(T, name##_2, 15) ROW(T, name##_3, 24)
#define LITERAL_ROWS(T, name, VALUE) SHAPES(READ_ONLY_ROW, T, literal_##name)
#define CONSTANT_ROWS(T, name, VALUE) SHAPES(ROW, T, constant_##name)
#define PARAMETER_ROWS(T, name, VALUE) SHAPES(ROW, T, parameter_##name)
#define GLOBAL_ROWS(T, name, VALUE) SHAPES(ROW, T, global_##name)

enum { SOURCES = 4, LITERALS = 33, TABLES = LITERALS + 6 }; /* the last six of a source have no values at first */
static const char *const source_names[SOURCES] = {"LITERAL", "CONSTANT", "PARAMETER", "GLOBAL"};
static const table tables[SOURCES][TABLES] = {{TYPES(LITERAL_ROWS)},
                                              {TYPES(CONSTANT_ROWS) SHORT_FLOATS(CONSTANT_ROWS)},
                                              {TYPES(PARAMETER_ROWS) SHORT_FLOATS(PARAMETER_ROWS)},
                                              {TYPES(GLOBAL_ROWS) SHORT_FLOATS(GLOBAL_ROWS)}};

#define REFERENCE(T, name, VALUE)                                                                                      \
    static void reference_##name(void *to)                                                                             \
    {                                                                                                                  \
        for (int k = 0; k < 24; ++k) {                                                                                 \
            const T value = VALUE(T, k);                                                                               \
            ((T *)to)[k] = value;                                                                                      \
        }                                                                                                              \
    }
#define REFERENCE_OF(T, name, VALUE) {reference_##name, #name},
TYPES(REFERENCE)
static const struct {
    void (*fill)(void *to);
    const char *name;
} references[LITERALS / 3] = {TYPES(REFERENCE_OF)};

/* ---- The same tests for every table */
static unsigned char *device; /* ROUNDS results of a read */

/* no byte pattern of these is infinite or NaN in any of the types */
static void make(unsigned char *bytes, int round)
{
    for (int k = 0; k < MOST; ++k) bytes[k] = (unsigned char)((37 * k + 101 * round + k * round + 11) % 64);
}

static int differ(const table *t, const unsigned char *results, const unsigned char *wanted)
{
    const size_t bytes = t->element * t->count;
    int wrong = 0;
    for (int form = 0; form < 3; ++form) wrong += memcmp(results + (size_t)form * bytes, wanted, bytes) != 0;
    return wrong;
}

static int wrong_read(const table *t, const unsigned char *wanted)
{
    unsigned char results[3 * MOST];
    const size_t bytes = 3 * t->element * t->count;
    CMK_CHECK(cudaMemset(device, 0xFF, bytes));
    CMK_CHECK(t->read(device, 0));
    CMK_CHECK(cudaMemcpy(results, device, bytes, cudaMemcpyDeviceToHost));
    return differ(t, results, wanted);
}

static void initial_values(int source)
{
    for (int type = 0; type < LITERALS / 3; ++type) {
        struct colour wanted[24];
        int wrong = 0;
        references[type].fill(wanted);
        for (int shape = 0; shape < 3; ++shape)
            wrong += wrong_read(&tables[source][3 * type + shape], (unsigned char *)wanted);
        tap_check(wrong == 0, "%s, %s, 3 shapes, by shape, by flat index and unrolled: %d wrong", source_names[source],
                  references[type].name, wrong);
    }
}

/* uploads elements first to first + count - 1 in the place of old ones, reads, and downloads them */
static int wrong_part(const table *t, size_t first, size_t count, int wait)
{
    unsigned char old[MOST], fresh[MOST], copy[MOST + GUARD], untouched[MOST + GUARD];
    const size_t from = first * t->element, bytes = count * t->element, all = t->count * t->element;
    int wrong = 0;
    make(old, 0);
    make(fresh, 1 + (int)(first + count));
    memset(copy, 0xA5, sizeof copy);
    memset(untouched, 0xA5, sizeof untouched);
    CMK_CHECK(t->upload(old, 0, t->count, 0, wait));
    CMK_CHECK(t->upload(fresh + from, first, count, 0, wait));
    memcpy(old + from, fresh + from, bytes);
    wrong += wrong_read(t, old);
    CMK_CHECK(t->download(copy, 0, t->count, 0, 1));
    wrong += memcmp(copy, old, all) != 0 || memcmp(copy + all, untouched, sizeof copy - all) != 0;
    memset(copy, 0xA5, sizeof copy);
    CMK_CHECK(t->download(copy, first, count, 0, wait));
    CMK_CHECK(cudaDeviceSynchronize());
    return wrong + (memcmp(copy, old + from, bytes) != 0 || memcmp(copy + bytes, untouched, sizeof copy - bytes) != 0);
}

static int wrong_parts(const table *t)
{
    int wrong = 0;
    for (size_t first = 0; first <= t->count; ++first)
        for (size_t count = 0; count <= t->count - first; ++count)
            wrong += wrong_part(t, first, count, (int)(first + count) % 2);
    return wrong;
}

static int allowed(const table *t, void *memory, size_t first, size_t count)
{
    int wrong = 0;
    for (int wait = 0; wait < 2; ++wait)
        wrong += (t->upload(memory, first, count, 0, wait) != cudaErrorInvalidValue) +
                 (t->download(memory, first, count, 0, wait) != cudaErrorInvalidValue);
    return wrong;
}

static int not_refused(const table *t)
{
    const size_t n = t->count, most = (size_t)-1,
                 wraps = most / t->element + (t->element > 1); /* few bytes, once they wrap */
    const size_t outside[][2] = {
        {0, n + 1},    {1, n},     {n, 1},     {n + 1, 0},     {n + 1, most}, {0, most},
        {1, most},     {most, 0},  {most, 1},  {most, most},   {2, most - 1}, {n, most - n + 1},
        {most, n + 1}, {0, wraps}, {wraps, 0}, {wraps, wraps}, {wraps, 1},    {1, wraps}};
    unsigned char old[MOST], other[MOST], copy[MOST];
    int wrong = 0;
    make(old, 1);
    make(other, 2);
    memcpy(copy, other, sizeof copy);
    CMK_CHECK(t->upload(old, 0, n, 0, 1));
    for (size_t k = 0; k < sizeof outside / sizeof outside[0]; ++k)
        wrong += allowed(t, copy, outside[k][0], outside[k][1]);
    wrong += allowed(t, 0, 0, n) + allowed(t, 0, 0, 0) + allowed(t, 0, 1, 1);
    CMK_CHECK(cudaDeviceSynchronize());
    wrong += cudaGetLastError() != cudaSuccess; /* a later launch would report it */
    return wrong + (memcmp(copy, other, sizeof copy) != 0) + wrong_read(t, old);
}

static int wrong_on_device(const table *t)
{
    unsigned char bytes[MOST], copy[MOST];
    const size_t all = t->element * t->count;
    make(bytes, 5);
    CMK_CHECK(cudaMemcpy(device, bytes, all, cudaMemcpyHostToDevice));
    CMK_CHECK(t->upload(device, 0, t->count, 0, 1));
    int wrong = wrong_read(t, bytes);
    CMK_CHECK(cudaMemset(device, 0xFF, all));
    CMK_CHECK(t->download(device, 0, t->count, 0, 1));
    CMK_CHECK(cudaMemcpy(copy, device, all, cudaMemcpyDeviceToHost));
    return wrong + (memcmp(copy, bytes, all) != 0);
}

/* ROUNDS uploads and launches, queued on one stream without a wait, from one source that lives until the end */
static int wrong_in_order(const table *t, unsigned char *sources)
{
    static unsigned char results[ROUNDS * 3 * MOST];
    const size_t bytes = 3 * t->element * t->count;
    cudaStream_t stream = NULL;
    int wrong = 0;
    CMK_CHECK(cudaStreamCreate(&stream));
    CMK_CHECK(cudaMemset(device, 0xFF, ROUNDS * bytes));
    for (int round = 0; round < ROUNDS; ++round) {
        make(sources + round * MOST, round);
        CMK_CHECK(t->upload(sources + round * MOST, 0, t->count, stream, 0));
        CMK_CHECK(t->read(device + (size_t)round * bytes, stream));
    }
    CMK_CHECK(cudaStreamSynchronize(stream));
    CMK_CHECK(cudaMemcpy(results, device, ROUNDS * bytes, cudaMemcpyDeviceToHost));
    for (int round = 0; round < ROUNDS; ++round)
        wrong += differ(t, results + (size_t)round * bytes, sources + round * MOST);
    CMK_CHECK(cudaStreamDestroy(stream));
    return wrong;
}

static void copies(int source)
{
    static unsigned char pageable[ROUNDS * MOST];
    unsigned char *pinned = NULL;
    int parts = 0, refused = 0, on_device = 0, order = 0, count = 0;
    CMK_CHECK(cudaMallocHost((void **)&pinned, ROUNDS * MOST));
    for (const table *t = tables[source]; count < TABLES && t->name; ++t, ++count) {
        parts += wrong_parts(t);
        refused += not_refused(t);
        on_device += wrong_on_device(t);
        order += wrong_in_order(t, pageable) + wrong_in_order(t, pinned);
    }
    CMK_CHECK(cudaFreeHost(pinned));
    tap_check(parts == 0, "%s: uploads and downloads of every part leave the rest, %d tables: %d wrong",
              source_names[source], count, parts);
    tap_check(refused == 0, "%s: first + count past the end and null pointers change nothing: %d wrong",
              source_names[source], refused);
    tap_check(on_device == 0, "%s: source and target in device memory: %d wrong", source_names[source], on_device);
    tap_check(order == 0, "%s: each of %d launches reads the upload before it in its stream: %d wrong",
              source_names[source], ROUNDS, order);
}

/* ---- A kernel without CMK_TABLE_PARAMETER */
#define UNNAMED(source)                                                                                                \
    static __global__ void unnamed_##source(double *out)                                                               \
    {                                                                                                                  \
        const int k = (int)threadIdx.x;                                                                                \
        out[k] =                                                                                                       \
            (double)CMK_TABLE_AT(source##_int32_3, k / 12, k / 4 % 3, k % 4) + CMK_TABLE_AT(source##_double_1, 3);     \
    }
UNNAMED(literal)
UNNAMED(constant)
UNNAMED(global)

static int wrong_unnamed(int error)
{
    double results[24] = {0.0};
    int wrong = error;
    CMK_CHECK(cudaMemcpy(results, device, sizeof results, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 24; ++k) wrong += results[k] != (double)SCALAR(int, k) + SCALAR(double, 3);
    return wrong;
}

static void without_parameter(void)
{
    double *out = (double *)(void *)device;
    int wrong = wrong_unnamed(CMK_LAUNCH(unnamed_literal, 1, 24, 0, 0, out) != cudaSuccess);
    wrong += wrong_unnamed(CMK_LAUNCH(unnamed_constant, 1, 24, 0, 0, out) != cudaSuccess);
    wrong += wrong_unnamed(CMK_LAUNCH(unnamed_global, 1, 24, 0, 0, out) != cudaSuccess);
    tap_check(wrong == 0, "a kernel without the parameter reads LITERAL, CONSTANT and GLOBAL: %d wrong", wrong);
}

/* ---- Slots */
enum { SLOTS = 3 };

typedef struct {
    table of;
    cudaError_t (*take)(int handle, const void *source, cudaStream_t stream);
    cudaError_t (*release)(int handle, cudaStream_t stream);
    cudaError_t (*read)(int handle, void *out);
    int limited; /* to SLOTS tables at a time */
} slotted;

/* clang-format off */
#define SLOTTED(SOURCE, T, name, SHAPE, AT, COUNT)                                                                     \
    CMK_TABLE_SLOTS(SOURCE, T, name, SHAPE, SLOTS);                                                                    \
    static __global__ void name##_kernel(T *out, CMK_TABLE_PARAMETER(name))                                            \
    {                                                                                                                  \
        const int k = (int)threadIdx.x;                                                                                \
        out[k] = out[COUNT + k] = CMK_TABLE_AT(name, k);                                                               \
        out[2 * COUNT + k] = AT(name, k);                                                                              \
    }                                                                                                                  \
    static name##_table name##_handles[SLOTS + 1];                                                                     \
    static cudaError_t name##_fill(int handle, const void *source, cudaStream_t stream)                                \
    {                                                                                                                  \
        return CMK_TABLE_TAKE(name, name##_handles[handle], (const T *)source, stream);                                \
    }                                                                                                                  \
    static cudaError_t name##_free(int handle, cudaStream_t stream)                                                    \
    {                                                                                                                  \
        return CMK_TABLE_RELEASE(name, name##_handles[handle], stream);                                                \
    }                                                                                                                  \
    static cudaError_t name##_read(int handle, void *out)                                                              \
    {                                                                                                                  \
        return CMK_LAUNCH(name##_kernel, 1, COUNT, 0, 0, (T *)out, name##_handles[handle]);                            \
    }
/* clang-format on */
#define SLOTTED_ROW(T, name, COUNT, LIMITED)                                                                           \
    {                                                                                                                  \
        {#name, sizeof(T), COUNT, 0, 0, 0}, name##_fill, name##_free, name##_read, LIMITED                             \
    }

SLOTTED(CONSTANT, int, constant_slots, [7], AT_1, 7)
SLOTTED(CONSTANT, struct colour, constant_colours, [3][5], AT_2, 15)
SLOTTED(PARAMETER, int, parameter_slots, [7], AT_1, 7)
SLOTTED(PARAMETER, struct colour, parameter_colours, [3][5], AT_2, 15)
SLOTTED(GLOBAL, int, global_slots, [7], AT_1, 7)
SLOTTED(GLOBAL, struct colour, global_colours, [3][5], AT_2, 15)

static const slotted slots[] = {
    SLOTTED_ROW(int, constant_slots, 7, 1),  SLOTTED_ROW(struct colour, constant_colours, 15, 1),
    SLOTTED_ROW(int, parameter_slots, 7, 0), SLOTTED_ROW(struct colour, parameter_colours, 15, 0),
    SLOTTED_ROW(int, global_slots, 7, 1),    SLOTTED_ROW(struct colour, global_colours, 15, 1)};

/* how many handles do not give the values of their round */
static int wrong_handles(const slotted *s, const int *rounds)
{
    unsigned char results[3 * MOST], wanted[MOST];
    int wrong = 0;
    for (int handle = 0; handle < SLOTS; ++handle) {
        CMK_CHECK(cudaMemset(device, 0xFF, sizeof results));
        CMK_CHECK(s->read(handle, device));
        CMK_CHECK(cudaMemcpy(results, device, sizeof results, cudaMemcpyDeviceToHost));
        make(wanted, rounds[handle]);
        wrong += differ(&s->of, results, wanted) != 0;
    }
    return wrong;
}

static cudaError_t take(const slotted *s, int handle, int round)
{
    unsigned char bytes[MOST];
    make(bytes, round);
    return s->take(handle, bytes, 0);
}

static void slots_of(const slotted *s)
{
    int rounds[SLOTS] = {0, 1, 2}, lost = 0, wrong = 0;
    for (int again = 0; again < 2 * SLOTS; ++again) lost += s->take(0, 0, 0) != cudaErrorInvalidValue;
    for (int handle = 0; handle < SLOTS; ++handle) CMK_CHECK(take(s, handle, rounds[handle]));
    tap_check(lost == 0 && wrong_handles(s, rounds) == 0, "%s: %d slots hold their values; a null source takes none",
              s->of.name, SLOTS);
    tap_check(take(s, SLOTS, 3) == (s->limited ? cudaErrorNotReady : cudaSuccess) && wrong_handles(s, rounds) == 0,
              "%s: one more than the slots is %s", s->of.name, s->limited ? "cudaErrorNotReady" : "taken too");
    for (int round = 3; round < 3 + ROUNDS; ++round) {
        const int handle = round * round % SLOTS;
        CMK_CHECK(s->release(handle, 0));
        CMK_CHECK(take(s, handle, round));
        rounds[handle] = round;
        wrong += wrong_handles(s, rounds);
    }
    tap_check(wrong == 0, "%s: %d times one slot is taken anew, the others keep theirs: %d wrong", s->of.name, ROUNDS,
              wrong);
    wrong = 0;
    for (int handle = SLOTS - 1; handle >= 0; --handle) CMK_CHECK(s->release(handle, 0));
    for (int handle = 0; handle < SLOTS && s->limited; ++handle)
        wrong += s->release(handle, 0) != cudaErrorInvalidValue;
    for (int handle = 0; handle < SLOTS; ++handle) CMK_CHECK(take(s, handle, rounds[handle] = 7 + handle));
    wrong += wrong_handles(s, rounds);
    for (int handle = 0; handle < SLOTS; ++handle) CMK_CHECK(s->release(handle, 0));
    tap_check(wrong == 0, "%s: all are released once%s", s->of.name,
              s->limited ? "; what is not taken is cudaErrorInvalidValue" : "");
}

/* ---- A released handle is worth nothing, though its slot is taken anew */
static void released_twice(void)
{
    const int values[7] = {1, 2, 3, 4, 5, 6, 7}, others[7] = {9, 9, 9, 9, 9, 9, 9};
    int results[3 * 7], wrong = 0;
    constant_slots_table mine[SLOTS], old;
    for (int k = 0; k < SLOTS; ++k) CMK_CHECK(CMK_TABLE_TAKE(constant_slots, mine[k], values, 0));
    old = mine[1];
    CMK_CHECK(CMK_TABLE_RELEASE(constant_slots, mine[1], 0));
    CMK_CHECK(CMK_TABLE_TAKE(constant_slots, mine[1], others, 0));
    tap_check(CMK_TABLE_RELEASE(constant_slots, old, 0) == cudaErrorInvalidValue &&
                  CMK_TABLE_TAKE(constant_slots, old, values, 0) == cudaErrorNotReady,
              "a handle that was released does not free the slot of another");
    CMK_CHECK(CMK_LAUNCH(constant_slots_kernel, 1, 7, 0, 0, (int *)(void *)device, mine[1]));
    CMK_CHECK(cudaMemcpy(results, device, sizeof results, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 3 * 7; ++k) wrong += results[k] != 9;
    for (int k = 0; k < SLOTS; ++k) CMK_CHECK(CMK_TABLE_RELEASE(constant_slots, mine[k], 0));
    tap_check(wrong == 0, "and the other keeps its values: %d wrong", wrong);
}

/* ---- A table named by a macro; rows as a source; flat lists; LITERAL in extern "C" */
#define NAMED named_by_macro
CMK_TABLE_VALUES(CONSTANT, float, NAMED, [2][3], 1, 2, 3, 4, 5, 6);
CMK_TABLE_VALUES(PARAMETER, short, flat, [2][2][2], 1, 2, 3, 4, 5, 6, 7, 8);
#if defined(__cplusplus)
extern "C" {
#endif
CMK_TABLE_VALUES(LITERAL, int, in_c, [2][2], 1, 2, 3, 4);
#if defined(__cplusplus)
}
#endif

static __global__ void named_kernel(float *out, CMK_TABLE_PARAMETER(NAMED), CMK_TABLE_PARAMETER(flat))
{
    const int k = (int)threadIdx.x;
    CMK_STORE(&out[k], CMK_TABLE_AT(NAMED, k / 3, k % 3) + CMK_TABLE_AT(flat, k) + CMK_TABLE_AT(in_c, k / 4, k % 2));
}

static void names(void)
{
    const float rows[2][3] = {{7, 8, 9}, {10, 11, 12}};
    float copy[2][3], results[6], *out = (float *)(void *)device;
    int wrong = 0;
    CMK_CHECK(CMK_LAUNCH(named_kernel, 1, 6, 0, 0, out, NAMED, flat));
    CMK_CHECK(cudaMemcpy(results, device, sizeof results, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 6; ++k) wrong += results[k] != (float)(k + 1 + k + 1 + k / 4 * 2 + k % 2 + 1);
    CMK_CHECK(CMK_TABLE_UPLOAD(NAMED, rows, 0, 6));
    CMK_CHECK(CMK_TABLE_DOWNLOAD(NAMED, copy, 0, 6));
    tap_check(wrong == 0 && memcmp(copy, rows, sizeof rows) == 0,
              "a name that is a macro, values without inner braces, rows as a source, LITERAL in extern C: %d wrong",
              wrong);
}

int main(void)
{
    tap_need_device();
    CMK_CHECK(cudaMalloc((void **)&device, ROUNDS * 3 * MOST));
    for (int source = 0; source < SOURCES; ++source) initial_values(source);
    without_parameter();
    for (int source = 1; source < SOURCES; ++source) copies(source);
    for (size_t k = 0; k < sizeof slots / sizeof slots[0]; ++k) slots_of(&slots[k]);
    released_twice();
    names();
    tap_check(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess, "no error is left behind");
    CMK_CHECK(cudaFree(device));
    return tap_done();
}
