/* steps.h: several steps in a pass against as many single ones: what the tests of 2D and of 3D grids share. A file that
 * includes it defines draw_call. */
#ifndef POINT_STEPS_H
#define POINT_STEPS_H

#include <cmk/check.h>
#include "random.h"
#include "tap.h"

enum { buffers_most = 8 };

/* elements of a structure, and of half; bytes are the third of the types that are no words */
typedef struct {
    short x, y;
} numbers;
#define NUMBERS_OF(here, up, left, right)                                                                              \
    numbers sum = here;                                                                                                \
    sum.x = (short)(sum.x + 3 * (up).y - 5 * (left).x);                                                                \
    sum.y = (short)(sum.y + 7 * (right).x - 2 * (left).y);
#define HALF_OF(here, up, left, right)                                                                                 \
    (test_half)(0.5f * (float)(here) + 0.25f * (float)(up) + 0.125f * (float)(left) + 0.0625f * (float)(right))

/* a call: a grid of images or of planes, its part, and two sets of buffers with the same values */
typedef struct {
    size_t planes, rows, columns, pitch, first[3], end[3], steps, size; /* of planes, rows, columns */
    int buffers;
    char *single[buffers_most], *fused[buffers_most];
} call;

/* how many times as many calls as the suite makes: the first argument of the program; the second is the one test */
static int rounds = 1;

static void take_rounds(int argc, char **argv)
{
    if (argc > 1) rounds = atoi(argv[1]);
    if (argc > 2) tap_only = argv[2];
    if (argc > 3 || rounds < 1) {
        fprintf(stderr, "usage: %s [ROUNDS [TEST]], a positive number and a name\n", argv[0]);
        exit(2);
    }
}

static size_t bytes_of(const call *c)
{
    return c->planes * c->rows * c->pitch * c->size;
}

/* like[b] is the buffer whose values b has too: its own number, or one before it */
static void make_buffers(call *c, int buffers, const int *like)
{
    const size_t bytes = bytes_of(c), count = bytes / c->size;
    char *const host = (char *)malloc(bytes);
    c->buffers = buffers;
    for (int b = 0; b < buffers; ++b) {
        CMK_CHECK(cudaMalloc((void **)&c->single[b], bytes));
        CMK_CHECK(cudaMalloc((void **)&c->fused[b], bytes));
        if (like[b] == b)
            for (size_t k = 0; k < count; ++k) {
                const double value = (double)below(4096) / 4096 - 0.5;
                const float narrow = (float)value;
                const unsigned short bits = (unsigned short)below(0x3c00); /* of half: less than 1 */
                memcpy(host + k * c->size,
                       c->size == 8   ? (const void *)&value
                       : c->size == 4 ? (const void *)&narrow
                                      : (const void *)&bits,
                       c->size);
            }
        if (like[b] == b) CMK_CHECK(cudaMemcpy(c->single[b], host, bytes, cudaMemcpyHostToDevice));
        if (like[b] != b) CMK_CHECK(cudaMemcpy(c->single[b], c->single[like[b]], bytes, cudaMemcpyDeviceToDevice));
        CMK_CHECK(cudaMemcpy(c->fused[b], c->single[b], bytes, cudaMemcpyDeviceToDevice));
    }
    free(host);
}

static void free_buffers(call *c)
{
    for (int b = 0; b < c->buffers; ++b) {
        CMK_CHECK(cudaFree(c->single[b]));
        CMK_CHECK(cudaFree(c->fused[b]));
    }
}

/* points of two buffers that are not the same; the first is said */
static int differences(const call *c, const char *name, const void *single, const void *fused)
{
    const size_t bytes = bytes_of(c);
    char *const a = (char *)malloc(bytes), *const b = (char *)malloc(bytes);
    int found = 0;
    CMK_CHECK(cudaMemcpy(a, single, bytes, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(b, fused, bytes, cudaMemcpyDeviceToHost));
    for (size_t row = 0; row < c->planes * c->rows; ++row)
        for (size_t x = 0; x < c->columns; ++x) {
            const size_t at = (row * c->pitch + x) * c->size;
            if (memcmp(a + at, b + at, c->size) == 0) continue;
            if (found++ == 0)
                printf("# %s differs at %zu, %zu, %zu of %zu x %zu x %zu, pitch %zu, part %zu-%zu %zu-%zu %zu-%zu, %zu "
                       "steps\n",
                       name, row / c->rows, row % c->rows, x, c->planes, c->rows, c->columns, c->pitch, c->first[0],
                       c->end[0], c->first[1], c->end[1], c->first[2], c->end[2], c->steps);
        }
    free(a);
    free(b);
    return found;
}

/* the grids a and b of a call, of the sizes that name_domain takes */
#define STEPS_GRID(name, c, ...)                                                                                       \
    name##_grid a = name##_domain(__VA_ARGS__);                                                                        \
    a.planes = (c)->planes, a.plane_pitch = (c)->rows * (c)->pitch;                                                    \
    a.first_plane = (c)->first[0], a.end_plane = (c)->end[0];                                                          \
    a.first_row = (c)->first[1], a.end_row = (c)->end[1];                                                              \
    a.first_column = (c)->first[2], a.end_column = (c)->end[2], a.first_step = 3;                                      \
    name##_grid b = a;

/* CALLS calls of a definition, and as many more in each further round: DOMAIN(c) the sizes of a grid, BIND(T, grid,
 * buffers), SAME(c) the differences of all fields */
#define STEPS_TEST_OF(name, T, STAGES, REACH, BUFFERS, LIKE, BIND, SAME, CALLS, DOMAIN)                                \
    static void test_##name(void)                                                                                      \
    {                                                                                                                  \
        static const int like[] = STEPS_BRACES_ LIKE;                                                                  \
        const int most = cmk_point_steps_(name##_definition_(), STAGES);                                               \
        int wrong = 0;                                                                                                 \
        if (!tap_wanted(#name)) return;                                                                                \
        draw_as(#name);                                                                                                \
        for (int k = 0; k < CALLS * rounds && wrong == 0; ++k) {                                                       \
            call c;                                                                                                    \
            memset(&c, 0, sizeof c);                                                                                   \
            c.size = sizeof(T);                                                                                        \
            draw_call(&c, REACH, (size_t)most);                                                                        \
            make_buffers(&c, BUFFERS, like);                                                                           \
            STEPS_GRID(name, &c, DOMAIN(&c))                                                                           \
            BIND(T, a, c.single)                                                                                       \
            BIND(T, b, c.fused)                                                                                        \
            for (size_t step = 0; step < c.steps; ++step) CMK_CHECK(name(&a, 0));                                      \
            CMK_CHECK(name##_steps(&b, c.steps, 0));                                                                   \
            CMK_CHECK(cudaDeviceSynchronize());                                                                        \
            wrong += a.first_step != b.first_step;                                                                     \
            SAME(c)                                                                                                    \
            free_buffers(&c);                                                                                          \
        }                                                                                                              \
        tap_check(most > 1 && wrong == 0, #name ": passes of %d steps, %d differences", most, wrong);                  \
    }
#define STEPS_BRACES_(...)                                                                                             \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define FIELD(name) wrong += differences(&c, #name, a.name, b.name);

/* BIND and SAME of one NEXT field; the second BIND is of one of another type. A sample that is turned twice about this
 * value outside is often not the sample again, as it is rounded. */
#define ONE_BIND(T, g, b) g.u = (T *)(void *)b[0], g.u_next = (T *)(void *)b[1], g.u_outside = (T)0.37;
#define ONE_SAME(c) FIELD(u)
#define OTHER_BIND(T, g, b) g.u = (T *)(void *)b[0], g.u_next = (T *)(void *)b[1];

static void draw_call(call *c, int reach, size_t steps);

#endif
