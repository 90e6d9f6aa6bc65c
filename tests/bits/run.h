/* run.h: a definition run whole and split over ranks, by single steps and by passes, and the hash of what comes out.
 * All ranks are in this process, on as many devices as there are. */
#ifndef BITS_RUN_H
#define BITS_RUN_H

#include <math.h>
#include <cmk/check.h>
#include <cmk/halo.h>
#include <cmk/kernel/stencil2d.h>
#include "random.h"
#include "tap.h"

typedef unsigned long long hash;

/* FNV-1a of 64 bits */
static const hash hash_of_nothing = 0xcbf29ce484222325u;
static hash hash_more(hash h, const void *memory, size_t bytes)
{
    const unsigned char *const byte = (const unsigned char *)memory;
    for (size_t k = 0; k < bytes; ++k) h = (h ^ byte[k]) * 0x100000001b3u;
    return h;
}

/* ---- The page: a row of its tables is | `name` | text | `hash` | */
static char page[1 << 16];
static int is_shown; /* without a page, rows are printed */

static void read_page(const char *path)
{
    FILE *const file = fopen(path, "rb");
    if (file == NULL || fread(page, 1, sizeof page - 1, file) == 0) {
        printf("Bail out! %s cannot be read\n", path);
        exit(1);
    }
    fclose(file);
}

static int on_page(const char *name, hash h)
{
    char begin[64], end[64];
    snprintf(begin, sizeof begin, "\n| `%s` |", name);
    snprintf(end, sizeof end, "| `%016llx` |\n", h);
    const char *const row = strstr(page, begin), *const rest = row == NULL ? NULL : strchr(row + 1, '\n');
    return rest != NULL && (size_t)(rest - row) > strlen(end) && memcmp(rest + 1 - strlen(end), end, strlen(end)) == 0;
}

/* how: how it was computed; the first of a name is what is shown */
static void judge(const char *name, const char *how, hash h)
{
    static const char *last = "";
    if (is_shown && strcmp(name, last) != 0) printf("%s %016llx\n", name, h);
    last = name;
    if (!is_shown) tap_check(on_page(name, h), "%s, %s: %016llx", name, how, h);
}

/* ---- Fields: values of 0.5 to 1.5 for each point of the grid, of up to six buffers */
enum { fields_most = 6, points_most = 1 << 17, ranks_most = 4, steps_done = 12 };
static double drawn[fields_most][points_most];

static void draw_fields(const char *name)
{
    draw_as(name);
    for (int f = 0; f < fields_most; ++f)
        for (int k = 0; k < points_most; ++k)
            drawn[f][k] = 0.5 + (double)below(1 << 23) / (1 << 23) + (double)below(1 << 28) / (1 << 23) / (1 << 28);
}

/* a grid that is split; every: the steps between two exchanges, 0 for single calls */
typedef struct {
    const char *how;
    int ranks, every;
    cmk_i64 global[3];
    int parts[3], periodic[3], ghosts[3];
    cmk_grid split[ranks_most];
} run;

/* reach: ghosts of a step; wraps: whether rows and columns are a torus */
static run run_of(int ranks, int every, const char *how, const cmk_i64 global[3], int reach, int wraps)
{
    run r;
    memset(&r, 0, sizeof r);
    r.how = how, r.ranks = ranks, r.every = every;
    for (int axis = 0; axis < 3; ++axis) r.global[axis] = global[axis], r.parts[axis] = 1;
    const int outer = global[0] > 1 ? 0 : 1;
    if (ranks > 1) r.parts[outer] = 2, r.parts[outer + 1] = ranks / 2;
    for (int axis = 0; axis < 3; ++axis) {
        r.periodic[axis] = wraps && r.parts[axis] > 1;
        r.ghosts[axis] = axis < outer ? 0 : reach * every;
    }
    for (int k = 0; k < ranks; ++k)
        if (!cmk_grid_split(&r.split[k], k, ranks, r.global, r.parts, r.periodic)) {
            printf("Bail out! %s\n", r.split[k].why);
            exit(1);
        }
    return r;
}

static size_t bytes_of(const cmk_point_sizes_ *s, size_t size)
{
    return s->planes * (s->plane_pitch > 0 ? s->plane_pitch : s->rows * s->row_pitch) * size;
}

/* the place in the grid of an element of a rank's memory, and in that memory */
typedef struct {
    size_t whole, here;
} point;
static point point_of(const run *r, const cmk_point_sizes_ *s, size_t z, size_t y, size_t x)
{
    const cmk_i64 at[3] = {((cmk_i64)z + s->origin_plane + r->global[0]) % r->global[0],
                           ((cmk_i64)y + s->origin_row + r->global[1]) % r->global[1],
                           ((cmk_i64)x + s->origin_column + r->global[2]) % r->global[2]};
    const point p = {(size_t)((at[0] * r->global[1] + at[1]) * r->global[2] + at[2]),
                     z * s->plane_pitch + y * s->row_pitch + x};
    return p;
}

/* device memory of a rank with the values drawn for a field, ghosts too */
static void *field_of(const run *r, const cmk_point_sizes_ *s, int field, size_t size)
{
    char *const host = (char *)malloc(bytes_of(s, size));
    void *memory = NULL;
    memset(host, 0x7f, bytes_of(s, size));
    for (size_t z = 0; z < s->planes; ++z)
        for (size_t y = 0; y < s->rows; ++y)
            for (size_t x = 0; x < s->columns; ++x) {
                const point p = point_of(r, s, z, y, x);
                const double wide = drawn[field][p.whole];
                const float narrow = (float)wide;
                memcpy(host + p.here * size, size == 8 ? (const void *)&wide : (const void *)&narrow, size);
            }
    CMK_CHECK(cudaMalloc(&memory, bytes_of(s, size)));
    CMK_CHECK(cudaMemcpy(memory, host, bytes_of(s, size), cudaMemcpyHostToDevice));
    free(host);
    return memory;
}

/* The points of a rank, into the grid. They are numbers: an infinity or NaN would have the same bits in many a wrong
 * way. */
static void take_field(const run *r, const cmk_point_sizes_ *s, const void *memory, char *whole, size_t size)
{
    char *const host = (char *)malloc(bytes_of(s, size));
    size_t strange = 0;
    CMK_CHECK(cudaMemcpy(host, memory, bytes_of(s, size), cudaMemcpyDeviceToHost));
    for (size_t z = s->first_plane; z < s->end_plane; ++z)
        for (size_t y = s->first_row; y < s->end_row; ++y)
            for (size_t x = s->first_column; x < s->end_column; ++x) {
                const point p = point_of(r, s, z, y, x);
                char *const value = whole + p.whole * size;
                memcpy(value, host + p.here * size, size);
                strange += !(fabs(size == 8 ? *(double *)(void *)value : (double)*(float *)(void *)value) < 100.0);
            }
    free(host);
    if (strange > 0) tap_check(0, "%zu values are no numbers of 0 to 100", strange);
}

static void take_device(int rank)
{
    int devices = 1;
    CMK_CHECK(cudaGetDeviceCount(&devices));
    CMK_CHECK(cudaSetDevice(rank % devices));
}

/* ---- Halos of all ranks of a run */
typedef struct {
    cmk_halo halos[ranks_most];
    cudaStream_t streams[ranks_most];
} exchange;

static void halo_check(cudaError_t error, const exchange *e)
{
    if (error == cudaSuccess) return;
    printf("Bail out! %s\n", e->halos[0].why);
    exit(1);
}

static void open_rank(exchange *e, const run *r, int rank, const cmk_field *fields, int count)
{
    take_device(rank);
    CMK_CHECK(cudaStreamCreate(&e->streams[rank]));
    if (cmk_halo_create(&e->halos[rank], &r->split[rank], cmk_halo_peer(), CMK_HALO_BOX, fields, count) == cudaSuccess)
        return;
    printf("Bail out! %s\n", e->halos[rank].why);
    exit(1);
}

static void finish(exchange *e, const run *r)
{
    for (int rank = 0; rank < r->ranks; ++rank) {
        take_device(rank);
        CMK_CHECK(cudaStreamSynchronize(e->streams[rank]));
    }
    halo_check(cmk_halo_destroy_all(e->halos, r->ranks), e);
    for (int rank = 0; rank < r->ranks; ++rank) {
        take_device(rank);
        CMK_CHECK(cudaStreamDestroy(e->streams[rank]));
    }
    take_device(0);
}

/* ---- A definition of an update, whose fields are name_BUFFERS(DO): DO(T, member, drawn, is_result). name_ARGUMENTS
 * stand before the stream, with a comma ahead, and name_BIND(grid) sets what else a grid needs. Its first field is u.
 */
#define UPDATE(name, STAGES, REACH, WRAPS, PLANES, ROWS, COLUMNS)                                                      \
    static void name##_open(name##_grid *g, const run *r, int rank, exchange *e)                                       \
    {                                                                                                                  \
        cmk_field fields[CMK_HALO_FIELDS];                                                                             \
        cmk_point_sizes_ s;                                                                                            \
        take_device(rank);                                                                                             \
        *g = name##_of_rank(&r->split[rank], r->ghosts);                                                               \
        g->deep_ghosts = r->ranks > 1;                                                                                 \
        memcpy(&s, g, sizeof s);                                                                                       \
        name##_BUFFERS(BITS_OPEN) name##_BIND(g) const int count = name##_fields(g, fields);                           \
        open_rank(e, r, rank, fields, count);                                                                          \
    }                                                                                                                  \
    static hash name##_close(name##_grid *grids, const run *r)                                                         \
    {                                                                                                                  \
        static double whole[points_most];                                                                              \
        const size_t count = (size_t)(r->global[0] * r->global[1] * r->global[2]);                                     \
        hash h = hash_of_nothing;                                                                                      \
        cmk_point_sizes_ s;                                                                                            \
        name##_BUFFERS(BITS_TAKE) for (int rank = 0; rank < r->ranks; ++rank)                                          \
        {                                                                                                              \
            name##_grid *const g = &grids[rank];                                                                       \
            name##_BUFFERS(BITS_FREE)                                                                                  \
        }                                                                                                              \
        return h;                                                                                                      \
    }                                                                                                                  \
    static void name##_count(name##_grid grid)                                                                         \
    {                                                                                                                  \
        name##_call call;                                                                                              \
        int launches = 0;                                                                                              \
        CMK_CHECK(name##_steps_plan(&call, NULL, &grid, steps_done, 0 name##_ARGUMENTS));                              \
        while (name##_next(&call)) ++launches;                                                                         \
        if (!is_shown) tap_check(launches < steps_done, #name ": %d launches of %d steps", launches, steps_done);      \
    }                                                                                                                  \
    static hash name##_run(const run *r)                                                                               \
    {                                                                                                                  \
        static name##_grid grids[ranks_most];                                                                          \
        static exchange e;                                                                                             \
        const void *even;                                                                                              \
        for (int rank = 0; rank < r->ranks; ++rank) name##_open(&grids[rank], r, rank, &e);                            \
        even = grids[0].u;                                                                                             \
        halo_check(cmk_halo_connect_all(e.halos, r->ranks), &e);                                                       \
        for (int done = 0; done<steps_done; done += r->every> 0 ? r->every : 1) {                                      \
            for (int rank = 0; rank < r->ranks; ++rank) {                                                              \
                take_device(rank);                                                                                     \
                if (r->every == 0) CMK_CHECK(name(&grids[rank] name##_ARGUMENTS, e.streams[rank]));                    \
                if (r->every == steps_done) CMK_CHECK(name##_prepare(&grids[rank], e.streams[rank]));                  \
                if (r->every == steps_done) name##_count(grids[rank]);                                                 \
                if (r->every > 0)                                                                                      \
                    CMK_CHECK(name##_steps(&grids[rank], (size_t)r->every name##_ARGUMENTS, e.streams[rank]));         \
                if (r->every == steps_done) CMK_CHECK(name##_release(&grids[rank], e.streams[rank]));                  \
            }                                                                                                          \
            if (r->ranks == 1) continue;                                                                               \
            halo_check(cmk_halo_begin_all(e.halos, r->ranks, grids[0].u != even, e.streams), &e);                      \
            halo_check(cmk_halo_end_all(e.halos, r->ranks, e.streams), &e);                                            \
        }                                                                                                              \
        finish(&e, r);                                                                                                 \
        return name##_close(grids, r);                                                                                 \
    }                                                                                                                  \
    static void name##_test(void)                                                                                      \
    {                                                                                                                  \
        const cmk_i64 global[3] = {PLANES, ROWS, COLUMNS};                                                             \
        draw_fields(#name);                                                                                            \
        for (int k = 0; k < (int)(sizeof runs / sizeof *runs); ++k) {                                                  \
            const run r = run_of(runs[k].ranks, runs[k].every, runs[k].how, global, (REACH) * (STAGES), WRAPS);        \
            judge(#name, r.how, name##_run(&r));                                                                       \
        }                                                                                                              \
    }
#define BITS_OPEN(T, member, number, is_result) g->member = (T *)field_of(r, &s, number, sizeof(T));
#define BITS_FREE(T, member, number, is_result) CMK_CHECK(cudaFree((void *)g->member));
#define BITS_TAKE(T, member, number, is_result)                                                                        \
    for (int rank = 0; rank < r->ranks && (is_result); ++rank) {                                                       \
        memcpy(&s, &grids[rank], sizeof s);                                                                            \
        take_field(r, &s, grids[rank].member, (char *)whole, sizeof(T));                                               \
    }                                                                                                                  \
    if (is_result) h = hash_more(h, whole, count * sizeof(T));

static const struct {
    int ranks, every;
    const char *how;
} runs[] = {{1, 0, "single steps"},    {1, steps_done, "passes"}, {2, 1, "2 ranks"},
            {2, 3, "2 ranks, passes"}, {4, 1, "4 ranks"},         {4, 3, "4 ranks, passes"}};

#endif
