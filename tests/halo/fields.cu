/* Exchanges of what a stencil says of its own fields: its reach is told once, by SHAPE. Ranks come to what one grid
 * comes to, bit for bit, and what does not fit the split is refused with a sentence. All products are exact. */
#define CMK_STEPS_MOST 1
#include <cmk/cmk.h>
#include <cmk/halo.h>
#include "tap.h"

enum { RANKS = 4 };

#define AT CMK_POINT_AT
#define STAR(USES) USES(NEXT, float, u, CMK_POINT_STAR(2), CMK_EDGE_CLAMP) USES(OUT, float, v)
CMK_POINT_3D(star, STAR)
{
    CMK_POINT_SET(u, 0.5f * AT(u, -2, 0, 0) + 0.25f * AT(u, 0, 2, 0) - 0.125f * (AT(u, 0, -1, 0) + AT(u, 1, 0, 0)));
    CMK_POINT_SET(v, AT(u, 0, 0, 2));
}
CMK_DEFINE_STENCIL3D(star, STAR);
CMK_DEFINE_BORDERED(star, STAR);

#define BOX(USES)                                                                                                      \
    USES(NEXT, double, u, CMK_POINT_BOX(1), CMK_EDGE_WRAP) USES(IN, float, v, CMK_POINT_REACH(0, 2, 0), CMK_EDGE_WRAP)
CMK_POINT_2D(box, BOX)
{
    CMK_POINT_SET(u, 0.5 * AT(u, -1, 1) - 0.25 * AT(u, 1, 1) + 0.125 * (double)AT(v, -2, 0) + 0.0625 * AT(u, 0, -1));
}
CMK_DEFINE_STENCIL2D(box, BOX);

/* planes are images, which no border lies between; v is only read, and no exchange brings it */
#define WIDE(USES)                                                                                                     \
    USES(NEXT, float, u, CMK_POINT_BOX(2), CMK_EDGE_ZERO) USES(IN, float, v, CMK_POINT_BOX(3), CMK_EDGE_ZERO)
CMK_POINT_2D(wide, WIDE)
{
    CMK_POINT_SET(u, AT(u, -2, 2) + AT(v, 3, -3));
}
CMK_DEFINE_STENCIL2D(wide, WIDE);
CMK_DEFINE_BORDERED(wide, WIDE);

/* two steps between exchanges: the level before is updated in the ghosts too */
#define LEAP(USES) USES(LEAPFROG, float, u, CMK_POINT_STAR(1), CMK_EDGE_MIRROR) USES(IN, float, v)
CMK_POINT_2D(leap, LEAP)
{
    CMK_POINT_SET(u, 0.5f * AT(u, -1, 0) + 0.25f * AT(u, 0, 1) - 0.125f * CMK_POINT_BEFORE(u) + CMK_POINT_HERE(v));
}
CMK_DEFINE_STENCIL2D(leap, LEAP);

#define TURNS(USES)                                                                                                    \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(SAME, float, v, CMK_POINT_BOX(1), CMK_EDGE_ZERO)
CMK_POINT_2D_STAGES(turns, TURNS, 2)
{
    if (CMK_POINT_STAGE == 0) CMK_POINT_SET(u, 0.5f * AT(u, 1, 0) + 0.25f * AT(v, -1, -1));
    if (CMK_POINT_STAGE == 1) CMK_POINT_SET(v, 0.5f * CMK_POINT_HERE(v) + 0.25f * (AT(u, 0, 1) - AT(u, -1, 0)));
}
CMK_DEFINE_STENCIL2D(turns, TURNS);

#define MANY(USES)                                                                                                     \
    USES(NEXTS, float, u, 20, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)                                                       \
    USES(INS, float, v, 20, CMK_POINT_BOX(1), CMK_EDGE_CLAMP)
CMK_POINT_2D(many, MANY)
{
    CMK_POINT_SET(u[0], CMK_POINT_HERE(u[1]));
}
CMK_DEFINE_STENCIL2D(many, MANY);

/* managed memory of zeros, for a buffer of any grid here */
static void *buffer(void)
{
    const size_t bytes = 1 << 17;
    void *memory = NULL;
    CMK_CHECK(cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal));
    memset(memory, 0, bytes);
    return memory;
}

static cmk_grid split_of(int rank, int ranks, const cmk_i64 global[3], const int parts[3], int periodic)
{
    const int around[3] = {0, periodic, periodic};
    cmk_grid split;
    if (!cmk_grid_split(&split, rank, ranks, global, parts, around)) printf("Bail out! %s\n", split.why), exit(1);
    return split;
}

/* a value of a point, by its place in the larger grid: with 8 bits, so that sums are exact */
static double value_of(cmk_i64 z, cmk_i64 y, cmk_i64 x)
{
    return (double)((unsigned)((z * 37 + y) * 41 + x) * 2654435761u >> 24) / 256.0;
}

/* One rank or several. BUFFERS(DO): the fields' buffers, those that begin with values first. STEP: a call that does
 * `each` steps, between two exchanges. The result is u of all points, in the order of the larger grid. */
#define RUN(name, T, BUFFERS, STEP)                                                                                    \
    static void name##_run(int ranks, const cmk_i64 global[3], const int parts[3], const int ghosts[3], int periodic,  \
                           int each, T *result)                                                                        \
    {                                                                                                                  \
        static name##_grid g[RANKS];                                                                                   \
        static cmk_grid split[RANKS];                                                                                  \
        static cmk_halo halo[RANKS];                                                                                   \
        cudaStream_t streams[RANKS];                                                                                   \
        for (int r = 0; r < ranks; ++r) {                                                                              \
            cmk_field fields[CMK_HALO_FIELDS];                                                                         \
            split[r] = split_of(r, ranks, global, parts, periodic);                                                    \
            g[r] = name##_of_rank(&split[r], ghosts);                                                                  \
            g[r].deep_ghosts = each > 1 || name##_stages_ > 1;                                                         \
            BUFFERS(MAKE)                                                                                              \
            streams[r] = 0;                                                                                            \
            const int count = name##_fields(&g[r], fields);                                                            \
            if (cmk_halo_create(&halo[r], &split[r], cmk_halo_peer(), CMK_HALO_BOX, fields, count) != cudaSuccess)     \
                printf("Bail out! %s\n", halo[r].why), exit(1);                                                        \
        }                                                                                                              \
        CMK_CHECK(cmk_halo_connect_all(halo, ranks));                                                                  \
        for (int n = each; n <= 6; n += each) {                                                                        \
            for (int r = 0; r < ranks; ++r) CMK_CHECK(STEP);                                                           \
            CMK_CHECK(cmk_halo_begin_all(halo, ranks, n, streams));                                                    \
            CMK_CHECK(cmk_halo_end_all(halo, ranks, streams));                                                         \
        }                                                                                                              \
        CMK_CHECK(cudaDeviceSynchronize());                                                                            \
        for (int r = 0; r < ranks; ++r) {                                                                              \
            EACH_POINT(result[((z + split[r].first[0]) * global[1] + y + split[r].first[1]) * global[2] + x +          \
                              split[r].first[2]] = g[r].u[OWNED])                                                      \
            BUFFERS(FREE)                                                                                              \
        }                                                                                                              \
        CMK_CHECK(cmk_halo_destroy_all(halo, ranks));                                                                  \
    }
#define OWNED                                                                                                          \
    (((size_t)z + g[r].first_plane) * g[r].plane_pitch + ((size_t)y + g[r].first_row) * g[r].row_pitch + (size_t)x +   \
     g[r].first_column)
#define EACH_POINT(...)                                                                                                \
    for (cmk_i64 z = 0; z < split[r].count[0]; ++z)                                                                    \
        for (cmk_i64 y = 0; y < split[r].count[1]; ++y)                                                                \
            for (cmk_i64 x = 0; x < split[r].count[2]; ++x) __VA_ARGS__;
#define MAKE(T, member)                                                                                                \
    g[r].member = (T *)buffer();                                                                                       \
    EACH_POINT(((T *)g[r].member)[OWNED] =                                                                             \
                   (T)value_of(z + split[r].first[0], y + split[r].first[1], x + split[r].first[2]))
#define FREE(T, member) CMK_CHECK(cudaFree((void *)g[r].member));

#define STAR_BUFFERS(DO) DO(float, u) DO(float, u_next) DO(float, v)
#define BOX_BUFFERS(DO) DO(double, u) DO(double, u_next) DO(float, v)
#define LEAP_BUFFERS(DO) DO(float, u) DO(float, u_before) DO(float, v)
RUN(star, float, STAR_BUFFERS, star(&g[r], 0))
RUN(box, double, BOX_BUFFERS, box(&g[r], 0))
RUN(leap, float, LEAP_BUFFERS, leap_steps(&g[r], (size_t)each, 0))
RUN(turns, float, STAR_BUFFERS, turns_steps(&g[r], (size_t)each, 0))

#define CHECK_RUN(name, T, PLANES, ROWS, COLUMNS, PARTS, GHOSTS, periodic, each)                                       \
    do {                                                                                                               \
        static T one[PLANES * ROWS * COLUMNS], all[PLANES * ROWS * COLUMNS];                                           \
        const cmk_i64 global[3] = {PLANES, ROWS, COLUMNS};                                                             \
        const int whole[3] = {1, 1, 1}, parts[3] = {CMK_LIST_ PARTS}, ghosts[3] = {GHOSTS, GHOSTS, GHOSTS};            \
        name##_run(1, global, whole, ghosts, periodic, 1, one);                                                        \
        name##_run(parts[0] * parts[1] * parts[2], global, parts, ghosts, periodic, each, all);                        \
        tap_check(memcmp(one, all, sizeof one) == 0, #name ": ranks come to what one grid comes to");                  \
    } while (0)

static void check_runs(void)
{
    CHECK_RUN(star, float, 11, 9, 10, (2, 2, 1), 2, 0, 1);
    CHECK_RUN(star, float, 9, 6, 11, (1, 2, 2), 3, 0, 1);
    CHECK_RUN(box, double, 1, 12, 14, (1, 2, 2), 2, 1, 1);
    CHECK_RUN(leap, float, 1, 14, 11, (1, 2, 2), 2, 0, 2);
    CHECK_RUN(turns, float, 1, 13, 12, (1, 2, 2), 4, 0, 2);
}

/* ---- What is given, of which grid */

static void check_field(const char *text, cmk_field f, const void *data, const void *next, const int reach[3])
{
    const int right = f.data == data && f.next == next && memcmp(f.reach, reach, sizeof f.reach) == 0;
    if (!tap_check(right, "given: %s", text))
        printf("# %p, not %p; %p, not %p; reach %d %d %d\n", f.data, data, f.next, next, f.reach[0], f.reach[1],
               f.reach[2]);
}

static void check_given(void)
{
    static float memory[8192], other[8192];
    static double wide[8192];
    const int reach_star[3] = {2, 2, 2}, reach_box[3] = {0, 1, 1}, reach_v[3] = {0, 2, 0}, deep[3] = {0, 3, 2};
    cmk_field fields[CMK_HALO_FIELDS];
    star_grid s = star_domain(9, 8, 16, 160, 20);
    s.first_plane = 3, s.first_row = 2, s.first_column = 2, s.end_plane = 6, s.end_row = 6, s.end_column = 14;
    s.u = memory, s.u_next = other, s.v = memory;
    tap_check(star_fields(&s, fields) == 1, "of a field that is only written there is no ghost");
    check_field("a NEXT field", fields[0], memory + 3 * 160 + 42, other + 3 * 160 + 42, reach_star);
    tap_check(fields[0].row_pitch == 20 && fields[0].plane_pitch == 160 && fields[0].size == 4 && !fields[0].corners,
              "its size and pitches, and that it is a star");
    s.u_row_pitch = 24, s.u_plane_pitch = 200, s.u_next = NULL;
    (void)star_fields(&s, fields);
    check_field("pitches of its own", fields[0], memory + 3 * 200 + 2 * 24 + 2, NULL, reach_star);
    s.u = NULL;
    (void)star_fields(&s, fields);
    check_field("no buffer", fields[0], NULL, NULL, reach_star);
    box_grid b = box_domain(8, 8, 16);
    b.u = wide, b.u_next = wide + 512, b.v = memory;
    tap_check(box_fields(&b, fields) == 2 && fields[0].corners && fields[0].size == 8 && fields[1].size == 4,
              "2 fields, the first of which is read at corners");
    check_field("planes of images reach nowhere", fields[0], wide, wide + 512, reach_box);
    check_field("an IN field", fields[1], memory, NULL, reach_v);
    leap_grid l = leap_domain(16, 16, 16);
    l.u = memory, l.u_before = other, l.v = memory + 512, l.deep_ghosts = 1;
    l.first_row = 3, l.end_row = 14, l.end_column = 14;
    tap_check(leap_fields(&l, fields) == 3, "with deep ghosts all that is read");
    check_field("the newer level", fields[0], memory + 48, other + 48, deep);
    check_field("the level before", fields[1], other + 48, memory + 48, deep);
    check_field("what is read at the point", fields[2], memory + 512 + 48, NULL, deep);
    turns_grid t = turns_domain(16, 16, 16);
    t.u = memory, t.u_next = other, t.v = memory + 512, t.first_row = 3, t.end_row = 14, t.end_column = 14;
    tap_check(turns_fields(&t, fields) == 2 && fields[0].next == NULL, "of an even number of stages one buffer");
    many_grid m = many_domain(8, 8, 8);
    tap_check(many_fields(&m, fields) == 40, "40 fields, of which 32 are written");
    tap_check(many_fields(NULL, fields) == 0, "of no grid no field");
}

/* ---- What is refused */

static void check_refused(const cmk_grid *split, int shape, const cmk_field *fields, int count, const char *sentence)
{
    cmk_halo halo;
    const cudaError_t error = cmk_halo_create(&halo, split, cmk_halo_peer(), shape, fields, count);
    const int right = sentence ? error == cudaErrorInvalidValue && strcmp(halo.why, sentence) == 0 : !error;
    if (!tap_check(right, "%s", sentence ? sentence : "a plan that is right")) printf("# %s\n", halo.why);
    if (error == cudaSuccess) CMK_CHECK(cmk_halo_destroy(&halo));
}

static void check_exchanges_refused(void)
{
    const cmk_i64 global[3] = {24, 20, 16};
    const int parts[3] = {2, 2, 1}, planes[3] = {4, 1, 1}, one[3] = {1, 1, 1}, two[3] = {2, 2, 2};
    const cmk_grid split = split_of(1, 4, global, parts, 0), slabs = split_of(1, 4, global, planes, 0);
    float *const memory = (float *)buffer();
    cmk_field f[CMK_HALO_FIELDS];
    star_grid g = star_of_rank(&split, two);
    g.u = g.u_next = g.v = memory;
    int count = star_fields(&g, f);
    check_refused(&split, CMK_HALO_STAR, f, count, NULL);
    check_refused(&slabs, CMK_HALO_STAR, f, count,
                  "rank 1: field 0 (u) has 10 rows from its part on, but the part of the rank has 20");
    f[0].reach[1] = 3;
    check_refused(&split, CMK_HALO_STAR, f, count, "rank 1: field 0 (u) reaches 3 rows, but its grid has 2 of ghosts");
    g = star_of_rank(&split, one);
    g.u = g.u_next = g.v = memory;
    count = star_fields(&g, f);
    check_refused(&split, CMK_HALO_STAR, f, count,
                  "rank 1: field 0 (u) reaches 2 planes, but its grid has 1 of ghosts");
    f[0].data = NULL;
    check_refused(&split, CMK_HALO_STAR, f, count, "rank 1: field 0 (u) has no data");
    box_grid b = box_of_rank(&split, two);
    b.u = b.u_next = (double *)(void *)memory, b.v = memory;
    count = box_fields(&b, f);
    check_refused(&split, CMK_HALO_BOX, f, count, NULL);
    check_refused(&split, CMK_HALO_STAR, f, count, NULL); /* planes are images: rows alone have ghosts */
    f[0].reach[0] = 1;
    check_refused(&split, CMK_HALO_STAR, f, count,
                  "rank 1: field 0 (u) is read at corners too: its shape is CMK_HALO_BOX");
    many_grid m = many_of_rank(&split, one);
    count = many_fields(&m, f);
    check_refused(&split, CMK_HALO_BOX, f, count, "rank 1: 40 fields are not 1 to CMK_HALO_FIELDS, 32");
    CMK_CHECK(cudaFree(memory));
}

static void check_said(const char *why, const char *sentence)
{
    const int right = sentence == NULL ? why == NULL : why != NULL && strcmp(why, sentence) == 0;
    if (!tap_check(right, "%s", sentence ? sentence : "enough points")) printf("# %s\n", why ? why : "NULL");
}

/* a step whose grid has fewer deep ghosts than SHAPE reads */
static void check_steps_refused(void)
{
    const cmk_i64 global[3] = {24, 20, 16};
    const int parts[3] = {2, 2, 1}, one[3] = {1, 1, 1}, two[3] = {2, 2, 2}, three[3] = {3, 3, 3};
    float *const memory = (float *)buffer(), *const next = (float *)buffer(), *const out = (float *)buffer();
    for (int ghosts = 1; ghosts <= 2; ++ghosts)
        for (int rank = 0; rank < 4; rank += 3) {
            const cmk_grid split = split_of(rank, 4, global, parts, 0);
            star_grid g = star_of_rank(&split, ghosts == 1 ? one : two);
            g.u = memory, g.u_next = next, g.v = out, g.deep_ghosts = 1;
            check_said(star_why(&g), ghosts == 2 ? NULL
                                     : rank == 0 ? "end_plane 12 leaves 1 planes of ghosts, but 2 are read"
                                                 : "first_plane 1 leaves 1 planes of ghosts, but 2 are read");
        }
    const cmk_grid split = split_of(3, 4, global, parts, 0);
    leap_grid l = leap_of_rank(&split, three);
    l.u = memory, l.u_before = next, l.v = out, l.deep_ghosts = 1;
    check_said(leap_why(&l), NULL);
    tap_check(leap_steps(&l, 3, 0) == cudaSuccess, "3 steps of 3 ghosts");
    leap_call call;
    (void)leap_steps_plan(&call, NULL, &l, 4, 0);
    check_said(call.plan.why, "first_row 3 leaves 3 rows of ghosts, but 4 are read");
    tap_check(leap_steps(&l, 4, 0) == cudaErrorInvalidValue, "4 steps of 3 ghosts are an error");
    l.end_row = l.first_row;
    tap_check(leap_steps(&l, 4, 0) == cudaSuccess, "but not where nothing is updated");
    CMK_CHECK(cudaDeviceSynchronize());
    CMK_CHECK(cudaFree(memory)), CMK_CHECK(cudaFree(next)), CMK_CHECK(cudaFree(out));
}

/* a border that is narrower than a field reaches that a step writes */
static void check_borders_refused(void)
{
    const cmk_i64 global[3] = {24, 20, 16};
    const int parts[3] = {2, 2, 1}, three[3] = {3, 3, 3}, widths[][3] = {{1, 2, 2}, {2, 1, 2}, {2, 2, 2}, {0, 2, 1}};
    const char *const said[][4] = {
        {"border.high[0] 1 is below 2, the reach of u", "border.high[1] 1 is below 2, the reach of u", NULL, NULL},
        {"border.low[0] 1 is below 2, the reach of u", "border.low[1] 1 is below 2, the reach of u", NULL, NULL}};
    float *const memory = (float *)buffer(), *const next = (float *)buffer(), *const v = (float *)buffer();
    unsigned *const word = (unsigned *)buffer();
    for (int k = 0; k < 8; ++k) {
        const cmk_grid split = split_of(k / 4 * 3, 4, global, parts, 0);
        cmk_point_border border = cmk_point_border_of(&split, widths[k % 4], word);
        star_grid g = star_of_rank(&split, three);
        g.u = memory, g.u_next = next, g.v = v;
        star_bordered_call call;
        (void)star_bordered_plan(&call, NULL, &g, &border);
        check_said(call.plan.why, said[k / 4][k % 4]);
        (void)star_bordered_steps_plan(&call, NULL, &g, &border, 2, 0);
        check_said(call.plan.why, said[k / 4][k % 4]);
        wide_grid w = wide_of_rank(&split, three);
        w.u = memory, w.u_next = next, w.v = v;
        const char *const why = said[k / 4][k % 4];
        const cudaError_t wanted = k % 4 == 1 ? cudaErrorInvalidValue : cudaSuccess;
        tap_check(wide_bordered(&w, &border, 0) == wanted, "images: %s", wanted && why ? why : "enough points");
    }
    CMK_CHECK(cudaDeviceSynchronize());
    CMK_CHECK(cudaFree(memory)), CMK_CHECK(cudaFree(next)), CMK_CHECK(cudaFree(v)), CMK_CHECK(cudaFree(word));
}

int main(void)
{
    tap_need_device();
    check_given();
    check_exchanges_refused();
    check_steps_refused();
    check_borders_refused();
    check_runs();
    return tap_done();
}
