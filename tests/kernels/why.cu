/* Calls that launchers refuse: each returns its error, name_why says which argument is wrong, and the call says it on
 * stderr, in one line; of right calls both say nothing. */
#define CMK_SAY_WHY 1
#include <cmk/cmk.h>
#include <cmk/kernel/bordered.h>
#include <cmk/kernel/transfer.h>

#include <unistd.h>

#include "tap.h"

CMK_TABLE_VALUES(CONSTANT, float, nine, [3][3], 1, 2, 1, 2, 4, 2, 1, 2, 1);
CMK_TABLE_VALUES(CONSTANT, float, three, [3], 1, 2, 1);
CMK_TABLE_VALUES(CONSTANT, float, cube, [3][3][3], 1, 2, 1, 2, 4, 2, 1, 2, 1, 1, 2, 1, 2, 4, 2, 1, 2, 1, 1, 2, 1, 2, 4,
                 2, 1, 2, 1);
CMK_DEFINE_CONV2D(blur, float, 3, 3, nine, CMK_EDGE_CLAMP);
CMK_DEFINE_CONV2D_AS(color, CORRELATION, (unsigned char, float, float, 3), (3, 3), (1, 1), nine, (CMK_EDGE_CLAMP, 0));
CMK_DEFINE_SEPARABLE(smooth, float, 1, three, three, CMK_EDGE_CLAMP);
CMK_DEFINE_CONV3D(cloud, float, (3, 3, 3), cube, CMK_EDGE_CLAMP);
CMK_DEFINE_SEPARABLE3D(haze, float, 1, (three, three, three), CMK_EDGE_CLAMP);
CMK_DEFINE_STENCIL1D(line, float, 1, CMK_STENCIL_1D, three, CMK_EDGE_CLAMP);
CMK_DEFINE_TRANSPOSE(turn, float);
CMK_DEFINE_TRANSPOSE(turn_bytes, unsigned char);
CMK_DEFINE_TRANSFER2D(halves, float, CELLS, CMK_EDGE_CLAMP);
CMK_DEFINE_TRANSFER3D(eighths, float, CELLS, CMK_EDGE_CLAMP);

#define FIELDS(USES)                                                                                                   \
    USES(IN, float, a, CMK_POINT_STAR(0), CMK_EDGE_CLAMP)                                                              \
    USES(OUTS, double, b, 2)                                                                                           \
    USES(SAME, float, c, CMK_POINT_STAR(0), CMK_EDGE_CLAMP)                                                            \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)                                                            \
    USES(LEAPFROG, float, w, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, float, k)
#define BODY                                                                                                           \
    {                                                                                                                  \
        CMK_POINT_SET(u, k *CMK_POINT_HERE(a));                                                                        \
    }
CMK_POINT_2D(flat, FIELDS) BODY CMK_DEFINE_STENCIL2D(flat, FIELDS);
CMK_DEFINE_BORDERED(flat, FIELDS);
CMK_POINT_3D(deep, FIELDS) BODY CMK_DEFINE_STENCIL3D(deep, FIELDS);
CMK_DEFINE_BORDERED(deep, FIELDS);

#define LONE(USES) USES(LEAPFROG, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)
CMK_POINT_2D(lone, LONE)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1) - CMK_POINT_BEFORE(u));
}
CMK_DEFINE_STENCIL2D(lone, LONE);
#define RING(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_WRAP)
CMK_POINT_2D(ring, RING)
{
    CMK_POINT_SET(u, (float)CMK_POINT_COLUMN);
}
CMK_DEFINE_STENCIL2D(ring, RING);

enum { planes = 3, rows = 8, columns = 16, pitch = 20, step = 200 };
static const size_t huge = (size_t)1 << 62, above = (size_t)1 << 31;
static float *x, *y; /* of 4096 elements each, that do not overlap */

/* ---- What is said */
static int pipe_ends[2];
static char heard[1024];

static void begin_to_hear(void)
{
    if (pipe(pipe_ends) != 0 || dup2(pipe_ends[1], 2) != 2) exit(EXIT_FAILURE);
}

/* what has come on stderr since the last time */
static const char *hear(void)
{
    size_t length = 0;
    fflush(stderr);
    if (write(pipe_ends[1], "", 1) != 1) exit(EXIT_FAILURE);
    while (length < sizeof heard && read(pipe_ends[0], heard + length, 1) == 1 && heard[length] != 0) ++length;
    return heard;
}

/* error, by a launcher whose sentence is why: what was expected */
static void check(const char *launcher, cudaError_t error, const char *why, cudaError_t expected, const char *sentence)
{
    char line[512] = "", said[512];
    snprintf(said, sizeof said, "%s", hear());
    if (sentence != NULL) snprintf(line, sizeof line, "cmk: %s: %s\n", launcher, sentence);
    const int same = sentence == NULL ? why == NULL : why != NULL && strcmp(why, sentence) == 0;
    if (!tap_check(error == expected && same && strcmp(said, line) == 0, "%s: %s", launcher,
                   sentence != NULL ? sentence : "right, and nothing is said"))
        printf("# error %d, not %d; why: %s; said: %s\n", (int)error, (int)expected, why != NULL ? why : "nothing",
               said);
}

/* a call of a launcher, of these arguments but the stream */
#define CALL(error, sentence, launcher, ...)                                                                           \
    do {                                                                                                               \
        const cudaError_t is = launcher(__VA_ARGS__, 0);                                                               \
        check(#launcher, is, launcher##_why(__VA_ARGS__), error, sentence);                                            \
    } while (0)
#define WRONG(sentence, launcher, ...) CALL(cudaErrorInvalidValue, sentence, launcher, __VA_ARGS__)
#define RIGHT(launcher, ...) CALL(cudaSuccess, NULL, launcher, __VA_ARGS__)

static char text[128];
static const char *unaligned(const char *word, const void *pointer, int bytes)
{
    snprintf(text, sizeof text, "%s %p is not aligned to %d bytes", word, pointer, bytes);
    return text;
}

static float *moved(const void *pointer, int bytes)
{
    return (float *)((size_t)pointer + (size_t)bytes);
}

/* ---- Images: the launchers of a definition whose TABLES follow the sizes */
#define SPACE "has more bytes than half of the address space, by "
/* too near one another for their pitch, but not for what is in their rows */
#define APART(low, pitch_of, high)                                                                                     \
    "in and out overlap: " low " has 8 rows of " pitch_of " 20, and " high " is 620 bytes behind it"
#define HUGE_PITCH "4611686018427387904"
#define TABLES(...) , __VA_ARGS__
#define IMAGES(name, TABLES)                                                                                           \
    do {                                                                                                               \
        RIGHT(name, x, pitch, y, pitch, rows, columns TABLES);                                                         \
        RIGHT(name, NULL, 0, NULL, 0, 0, columns TABLES);                                                              \
        WRONG("in is NULL", name, NULL, pitch, y, pitch, rows, columns TABLES);                                        \
        WRONG("out is NULL", name, x, pitch, NULL, pitch, rows, columns TABLES);                                       \
        WRONG(unaligned("in", moved(x, 1), 4), name, moved(x, 1), pitch, y, pitch, rows, columns TABLES);              \
        WRONG(unaligned("out", moved(y, 2), 4), name, x, pitch, moved(y, 2), pitch, rows, columns TABLES);             \
        WRONG("in_pitch 15 is smaller than columns 16", name, x, 15, y, pitch, rows, columns TABLES);                  \
        WRONG("out_pitch 15 is smaller than columns 16", name, x, pitch, y, 15, rows, columns TABLES);                 \
        WRONG("in " SPACE "8 rows of in_pitch " HUGE_PITCH, name, x, huge, y, pitch, rows, columns TABLES);            \
        WRONG("out " SPACE "8 rows of out_pitch " HUGE_PITCH, name, x, pitch, y, huge, rows, columns TABLES);          \
        WRONG("rows 2147483648 is above 2147418112", name, x, pitch, y, pitch, above, columns TABLES);                 \
        WRONG("rows -1 is below 0", name, x, pitch, y, pitch, (size_t)-1, columns TABLES);                             \
        WRONG("in " SPACE "8 rows of in_pitch -20", name, x, (size_t)-20, y, pitch, rows, columns TABLES);             \
        WRONG("columns 2147483648 is above 2147418112", name, x, above, y, above, rows, above TABLES);                 \
        WRONG("in and out overlap", name, x, pitch, x, pitch, rows, columns TABLES);                                   \
        WRONG(APART("in", "in_pitch", "out"), name, x, pitch, x + 7 * pitch + 15, pitch, rows, columns TABLES);        \
        WRONG(APART("out", "out_pitch", "in"), name, x + 7 * pitch + 15, pitch, x, pitch, rows, columns TABLES);       \
    } while (0)
#define BATCHES(name, TABLES)                                                                                          \
    do {                                                                                                               \
        RIGHT(name##_batch, x, pitch, 0, y, pitch, step, rows, columns, 3 TABLES);                                     \
        WRONG("in is NULL", name##_batch, NULL, pitch, step, y, pitch, step, rows, columns, 3 TABLES);                 \
        WRONG("out overlaps itself, by out_pitch 20 and out_step 0", name##_batch, x, pitch, step, y, pitch, 0, rows,  \
              columns, 3 TABLES);                                                                                      \
        WRONG("out overlaps itself, by out_pitch 20 and out_step 155", name##_batch, x, pitch, step, y, pitch, 155,    \
              rows, columns, 3 TABLES);                                                                                \
        WRONG("in " SPACE "3 times in_step " HUGE_PITCH, name##_batch, x, pitch, huge, y, pitch, step, rows, columns,  \
              3 TABLES);                                                                                               \
        WRONG("in and out overlap", name##_batch, x, pitch, step, x + step, pitch, step, rows, columns, 3 TABLES);     \
    } while (0)
#define REGIONS(name, TABLES)                                                                                          \
    do {                                                                                                               \
        RIGHT(name##_region, x, pitch, y, 4, rows, columns, 2, 12, 6, 4 TABLES);                                       \
        WRONG("row -1 is below 0", name##_region, x, pitch, y, pitch, rows, columns, (size_t)-1, 4, 2, 8 TABLES);      \
        WRONG("region_columns -8 is below 0", name##_region, x, pitch, y, pitch, rows, columns, 2, 4, 2,               \
              (size_t)-8 TABLES);                                                                                      \
        WRONG("region_rows 7, from row 2 on, is not inside rows 8", name##_region, x, pitch, y, pitch, rows, columns,  \
              2, 4, 7, 8 TABLES);                                                                                      \
        WRONG("region_rows 1, from row 9 on, is not inside rows 8", name##_region, x, pitch, y, pitch, rows, columns,  \
              9, 4, 1, 8 TABLES);                                                                                      \
        WRONG("region_columns 5, from column 12 on, is not inside columns 16", name##_region, x, pitch, y, pitch,      \
              rows, columns, 2, 12, 6, 5 TABLES);                                                                      \
        WRONG("out_pitch 3 is smaller than region_columns 4", name##_region, x, pitch, y, 3, rows, columns, 2, 12, 6,  \
              4 TABLES);                                                                                               \
        WRONG("out is NULL", name##_region, x, pitch, NULL, 4, rows, columns, 2, 12, 6, 4 TABLES);                     \
    } while (0)

static void images(void)
{
    IMAGES(blur, TABLES(nine));
    BATCHES(blur, TABLES(nine));
    REGIONS(blur, TABLES(nine));
    IMAGES(smooth, TABLES(three, three));
    BATCHES(smooth, TABLES(three, three));
    REGIONS(smooth, TABLES(three, three));
    const unsigned char *const pixels = (const unsigned char *)x;
    RIGHT(color, pixels, 48, y, 48, rows, columns, nine);
    WRONG("in_pitch 16 is smaller than columns 16, of 3 channels", color, pixels, 16, y, 48, rows, columns, nine);
    WRONG("columns 1073741824 is above 715806037", color, pixels, above, y, above, rows, above / 2, nine);
    WRONG(unaligned("out", moved(y, 2), 4), color, pixels, 48, moved(y, 2), 48, rows, columns, nine);
}

/* ---- Volumes */
#define VOLUMES(name, TABLES)                                                                                          \
    do {                                                                                                               \
        RIGHT(name, x, pitch, step, y, pitch, step, planes, rows, columns TABLES);                                     \
        RIGHT(name, NULL, 0, 0, NULL, 0, 0, planes, 0, columns TABLES);                                                \
        WRONG("in is NULL", name, NULL, pitch, step, y, pitch, step, planes, rows, columns TABLES);                    \
        WRONG("out is NULL", name, x, pitch, step, NULL, pitch, step, planes, rows, columns TABLES);                   \
        WRONG(unaligned("in", moved(x, 2), 4), name, moved(x, 2), pitch, step, y, pitch, step, planes, rows,           \
              columns TABLES);                                                                                         \
        WRONG("in_pitch 15 is smaller than columns 16", name, x, 15, step, y, pitch, step, planes, rows,               \
              columns TABLES);                                                                                         \
        WRONG("out_pitch 15 is smaller than columns 16", name, x, pitch, step, y, 15, step, planes, rows,              \
              columns TABLES);                                                                                         \
        WRONG("in " SPACE "3 times in_step " HUGE_PITCH, name, x, pitch, huge, y, pitch, step, planes, rows,           \
              columns TABLES);                                                                                         \
        WRONG("planes 2147483648 is above 2147483647", name, x, pitch, step, y, pitch, step, above, rows,              \
              columns TABLES);                                                                                         \
        WRONG("rows 2147483648 is above 2147483647", name, x, pitch, step, y, pitch, step, planes, above,              \
              columns TABLES);                                                                                         \
        WRONG("columns 2147483648 is above 2147483647", name, x, pitch, step, y, pitch, step, planes, rows,            \
              above TABLES);                                                                                           \
        WRONG("out overlaps itself, by out_pitch 20 and out_step 100", name, x, pitch, step, y, pitch, 100, planes,    \
              rows, columns TABLES);                                                                                   \
        WRONG("in and out overlap", name, x, pitch, step, x + 1, pitch, step, planes, rows, columns TABLES);           \
        RIGHT(name##_region, x, pitch, step, y, 4, 16, planes, rows, columns, 1, 4, 12, 2, 4, 4 TABLES);               \
        WRONG("region_planes 3, from plane 1 on, is not inside planes 3", name##_region, x, pitch, step, y, 4, 16,     \
              planes, rows, columns, 1, 4, 12, 3, 4, 4 TABLES);                                                        \
        WRONG("region_rows 5, from row 4 on, is not inside rows 8", name##_region, x, pitch, step, y, 4, 16, planes,   \
              rows, columns, 1, 4, 12, 2, 5, 4 TABLES);                                                                \
        WRONG("region_columns 4, from column 13 on, is not inside columns 16", name##_region, x, pitch, step, y, 4,    \
              16, planes, rows, columns, 1, 4, 13, 2, 4, 4 TABLES);                                                    \
        WRONG("out_pitch 3 is smaller than region_columns 4", name##_region, x, pitch, step, y, 3, 16, planes, rows,   \
              columns, 1, 4, 12, 2, 4, 4 TABLES);                                                                      \
    } while (0)

static void volumes(void)
{
    VOLUMES(cloud, TABLES(cube));
    VOLUMES(haze, TABLES(three, three, three));
}

/* ---- Lines */
static void lines(void)
{
    const size_t most = (size_t)1 << 42;
    RIGHT(line, x, y, 100, three);
    RIGHT(line, NULL, NULL, 0, three);
    WRONG("in is NULL", line, NULL, y, 100, three);
    WRONG("out is NULL", line, x, NULL, 100, three);
    WRONG(unaligned("in", moved(x, 2), 4), line, moved(x, 2), y, 100, three);
    WRONG(unaligned("out", moved(y, 3), 4), line, x, moved(y, 3), 100, three);
    WRONG("in " SPACE "count " HUGE_PITCH, line, x, y, huge, three);
    WRONG("in and out overlap", line, x, x + 99, 100, three);
    CALL(cudaErrorInvalidConfiguration, "the elements need more than 2147483647 blocks", line, (const float *)huge,
         (float *)(huge / 2), most, three);
    RIGHT(line_region, x, y, 100, 90, 10, three);
    WRONG("region 11, from first 90 on, is not inside count 100", line_region, x, y, 100, 90, 11, three);
    WRONG("in and out overlap", line_region, x, x + 9, 100, 90, 10, three);
}

/* ---- Transposes */
#define TURN_WORDS "axes 6 is no word of transpose.h"
static void transposes(void)
{
    RIGHT(turn, x, pitch, y, 8, rows, columns);
    RIGHT(turn, NULL, 0, NULL, 0, rows, 0);
    WRONG("in is NULL", turn, NULL, pitch, y, 8, rows, columns);
    WRONG("out is NULL", turn, x, pitch, NULL, 8, rows, columns);
    WRONG(unaligned("in", moved(x, 2), 4), turn, moved(x, 2), pitch, y, 8, rows, columns);
    WRONG("in_pitch 15 is smaller than columns 16", turn, x, 15, y, 8, rows, columns);
    WRONG("out_pitch 7 is smaller than rows 8", turn, x, pitch, y, 7, rows, columns);
    WRONG("out " SPACE "16 rows of out_pitch " HUGE_PITCH, turn, x, pitch, y, huge, rows, columns);
    WRONG("in and out overlap", turn, x, pitch, x, 8, rows, columns);
    RIGHT(turn_batch, x, pitch, step, y, 8, 128, rows, columns, 3);
    WRONG("out overlaps itself, by out_pitch 8 and out_step 127", turn_batch, x, pitch, step, y, 8, 127, rows, columns,
          3);
    RIGHT(turn_in_place, x, pitch, columns);
    WRONG("matrix is NULL", turn_in_place, NULL, pitch, columns);
    WRONG(unaligned("matrix", moved(x, 1), 4), turn_in_place, moved(x, 1), pitch, columns);
    WRONG("pitch 15 is smaller than rows 16", turn_in_place, x, 15, columns);
    WRONG("matrix " SPACE "16 rows of pitch " HUGE_PITCH, turn_in_place, x, huge, columns);
    RIGHT(turn_volume, x, y, planes, rows, columns, CMK_TRANSPOSE_XYZ);
    WRONG("in is NULL", turn_volume, NULL, y, planes, rows, columns, CMK_TRANSPOSE_YZX);
    WRONG("out is NULL", turn_volume, x, NULL, planes, rows, columns, CMK_TRANSPOSE_XZY);
    WRONG("in and out overlap", turn_volume, x, x, planes, rows, columns, CMK_TRANSPOSE_YZX);
    WRONG("in " SPACE "depth 2147483648, height 2147483648, width 16", turn_volume, x, y, above, above, columns,
          CMK_TRANSPOSE_XYZ);
    WRONG(TURN_WORDS, turn_volume, x, y, planes, rows, columns, 6);
    CALL(cudaErrorInvalidConfiguration, "a matrix of this size needs more than 2147483647 blocks", turn_bytes,
         (const unsigned char *)huge, above, (unsigned char *)(huge / 2), above, above / 2, above / 2);
}

/* ---- Transfers between grids */
#define ODD " is odd: of cells a coarse one covers two along each axis"
static void transfers(void)
{
    const size_t most_columns = 2147418112, most_rows = (size_t)1 << 20;
    RIGHT(halves_restrict, x, pitch, y, 8, rows, columns);
    RIGHT(halves_prolong, x, 8, y, pitch, rows, columns);
    RIGHT(halves_restrict, NULL, 0, NULL, 0, 1, columns);
    WRONG("in is NULL", halves_restrict, NULL, pitch, y, 8, rows, columns);
    WRONG(unaligned("out", moved(y, 2), 4), halves_prolong, x, 8, moved(y, 2), pitch, rows, columns);
    WRONG("rows 7" ODD, halves_restrict, x, pitch, y, 8, 7, columns);
    WRONG("columns 15" ODD, halves_prolong, x, 8, y, pitch, rows, 15);
    WRONG("rows 2147483648 is above 2147418112", halves_restrict, x, pitch, y, 8, above, columns);
    WRONG("in_pitch 15 is smaller than columns 16", halves_restrict, x, 15, y, 8, rows, columns);
    WRONG("in_pitch 7 is smaller than coarse columns 8", halves_prolong, x, 7, y, pitch, rows, columns);
    WRONG("out_pitch 7 is smaller than coarse columns 8", halves_restrict, x, pitch, y, 7, rows, columns);
    WRONG("in and out overlap", halves_prolong, x, 8, x, pitch, rows, columns);
    RIGHT(halves_restrict_batch, x, pitch, step, y, 8, 64, rows, columns, 3);
    RIGHT(halves_prolong_batch, x, pitch, step, y, 8, 64, rows, columns, 0);
    WRONG("count 2147483648 is above 2147418112", halves_prolong_batch, x, 8, 64, y, pitch, step, rows, columns, above);
    WRONG("out overlaps itself, by out_pitch 8 and out_step 31", halves_restrict_batch, x, pitch, step, y, 8, 31, rows,
          columns, 3);
    RIGHT(eighths_restrict, x, pitch, step, y, 8, 64, 2, rows, columns);
    WRONG("planes 3" ODD, eighths_restrict, x, pitch, step, y, 8, 64, planes, rows, columns);
    WRONG("out overlaps itself, by out_pitch 20 and out_step 100", eighths_prolong, x, 8, 64, y, pitch, 100, 4, rows,
          columns);
    CALL(cudaErrorInvalidConfiguration, "the elements need more than 2147483647 blocks", halves_restrict,
         (const float *)huge, most_columns, (float *)(huge / 2), most_columns / 2, most_rows, most_columns);
}

/* ---- Stencils */
#define GRID_OF(name, ...)                                                                                             \
    static name##_grid name##_whole(void)                                                                              \
    {                                                                                                                  \
        name##_grid grid = name##_domain(__VA_ARGS__);                                                                 \
        grid.a = x, grid.c = x + 700, grid.u = x + 1400, grid.u_next = x + 2100;                                       \
        grid.w = x + 2800, grid.w_before = x + 3500 - 100;                                                             \
        grid.b[0] = (double *)(void *)y, grid.b[1] = (double *)(void *)(y + 1400);                                     \
        return grid;                                                                                                   \
    }
GRID_OF(flat, rows, columns, pitch)
GRID_OF(deep, planes, rows, columns, step, pitch)

/* a grid with one change, by all launchers */
#define GRID_CALLS(name, expected, sentence, change)                                                                   \
    do {                                                                                                               \
        name##_grid grid = name##_whole();                                                                             \
        cmk_point_border border;                                                                                       \
        memset(&border, 0, sizeof border);                                                                             \
        change;                                                                                                        \
        const char *const words = sentence;                                                                            \
        name##_grid again = grid;                                                                                      \
        check(#name, name(&grid, 1.0f, 0), name##_why(&again, 1.0f), expected, words);                                 \
        check(#name "_steps", name##_steps(&grid, 3, 1.0f, 0), name##_why(&again, 1.0f), expected, words);             \
        check(#name "_bordered", name##_bordered(&grid, &border, 1.0f, 0), name##_why(&again, 1.0f), expected, words); \
        check(#name "_bordered_steps", name##_bordered_steps(&grid, &border, 3, 1.0f, 0), name##_why(&again, 1.0f),    \
              expected, words);                                                                                        \
    } while (0)
#define GRIDS(sentence, change)                                                                                        \
    do {                                                                                                               \
        GRID_CALLS(flat, cudaErrorInvalidValue, sentence, change);                                                     \
        GRID_CALLS(deep, cudaErrorInvalidValue, sentence, change);                                                     \
    } while (0)

static void pointers(void)
{
    GRID_CALLS(flat, cudaSuccess, NULL, (void)0);
    GRID_CALLS(deep, cudaSuccess, NULL, (void)0);
    GRIDS("a is NULL", grid.a = NULL);
    GRIDS("b[1] is NULL", grid.b[1] = NULL);
    GRIDS("c is NULL", grid.c = NULL);
    GRIDS("u is NULL", grid.u = NULL);
    GRIDS("u_next is NULL", grid.u_next = NULL);
    GRIDS("w_before is NULL", grid.w_before = NULL);
    GRIDS(unaligned("a", grid.a, 4), grid.a = moved(grid.a, 2));
    GRIDS(unaligned("b[0]", grid.b[0], 8), grid.b[0] = (double *)(void *)moved(grid.b[0], 4));
    GRIDS(unaligned("u_next", grid.u_next, 4), grid.u_next = moved(grid.u_next, 1));
    GRIDS("u and u_next overlap", grid.u_next = grid.u);
    GRIDS("u and u_next overlap", grid.u_next = grid.u + 1);
    GRID_CALLS(flat, cudaErrorInvalidValue,
               "u and u_next overlap: u has 8 rows of row_pitch 20, and u_next is 512 bytes behind it",
               grid.u_next = grid.u + 128);
    GRID_CALLS(flat, cudaErrorInvalidValue,
               "u and u_next overlap: u_next has 8 rows of u_row_pitch 24, and u is 620 bytes behind it",
               grid.u_row_pitch = 24;
               grid.u = grid.u_next + 155);
    GRIDS("w and w_before overlap", grid.w_before = grid.w);
    GRIDS("a and c overlap", grid.c = (float *)(size_t)grid.a);
    GRIDS("b[0] and b[1] overlap", grid.b[1] = grid.b[0]);
    GRIDS("c and u overlap", grid.u = grid.c);
}

static void sizes(void)
{
    GRIDS("row_pitch 15 is smaller than columns 16", grid.row_pitch = 15);
    GRIDS("b_row_pitch 15 is smaller than columns 16", grid.b_row_pitch = 15);
    GRIDS("a " SPACE "8 rows of row_pitch 576460752303423488", grid.row_pitch = huge / 8; grid.plane_pitch = huge);
    GRIDS("plane_pitch 155 is smaller than rows 8 of row_pitch 20", grid.planes = grid.end_plane = 3;
          grid.plane_pitch = 155);
    GRIDS("w_plane_pitch 155 is smaller than rows 8 of row_pitch 20", grid.planes = grid.end_plane = 3;
          grid.plane_pitch = 200; grid.w_plane_pitch = 155);
    GRIDS("rows -1 is below 0", grid.rows = (size_t)-1);
    GRIDS("first_row -1 is below 0", grid.first_row = (size_t)-1);
    GRIDS("end_column -2 is below 0", grid.end_column = (size_t)-2);
    GRIDS("planes 2147483648 is above 2147483391", grid.planes = above);
    GRIDS("rows 2147483648 is above 2147483391", grid.rows = above);
    GRIDS("columns 2147483648 is above 2147483391", grid.columns = above);
    GRIDS("first_row 6 is above end_row 5", grid.first_row = 6; grid.end_row = 5);
    GRIDS("end_column 17 is above columns 16", grid.end_column = 17);
    GRIDS("end_plane 4 is above planes 3", grid.planes = 3; grid.end_plane = 4);
    GRIDS("origin_row -1 puts what is updated outside of rows 8", grid.origin_row = -1);
    GRIDS("origin_row 9 puts what is updated outside of global_rows 16", grid.origin_row = 9; grid.global_rows = 16);
    GRIDS("global_columns 2147483648 is above 2147483391", grid.global_columns = above);
}

/* part of a larger grid that wraps, whose points may be those of the next period, but are numbers of an int */
static void periods(void)
{
    ring_grid grid = ring_domain(rows, columns, pitch);
    grid.u = x;
    grid.u_next = y;
    grid.global_columns = 2147483391;
    grid.origin_column = 2147483391 - columns;
    check("ring", ring(&grid, 0), ring_why(&grid), cudaSuccess, NULL);
    grid.origin_column = 2147483640;
    const char *const why = "origin_column 2147483640 puts what is updated outside of global_columns 2147483391";
    check("ring", ring(&grid, 0), ring_why(&grid), cudaErrorInvalidValue, why);
    grid.origin_column = -2147483391;
    check("ring", ring(&grid, 0), ring_why(&grid), cudaSuccess, NULL);
}

/* what has no name_why of its own */
static void others(void)
{
    const float *const none = NULL;
    flat_grid grid = flat_whole();
    cmk_point_border border;
    memset(&border, 0, sizeof border);
    check("flat", flat(NULL, 1.0f, 0), flat_why(NULL, 1.0f), cudaErrorInvalidValue, "grid is NULL");
    check("flat_prepare", flat_prepare(NULL, 0), "grid is NULL", cudaErrorInvalidValue, "grid is NULL");
    check("flat_release", flat_release(NULL, 0), "grid is NULL", cudaErrorInvalidValue, "grid is NULL");
    check("flat_flip", flat_flip(NULL, 0), "grid is NULL", cudaErrorInvalidValue, "grid is NULL");
    check("flat_prepare", flat_prepare(&grid, 0), NULL, cudaSuccess, NULL);
    check("flat_release", flat_release(&grid, 0), NULL, cudaSuccess, NULL);
    grid.u_next = grid.u;
    check("flat_prepare", flat_prepare(&grid, 0), "u and u_next overlap", cudaErrorInvalidValue,
          "u and u_next overlap");
    check("flat_bordered_steps", flat_bordered_steps(NULL, &border, 2, 1.0f, 0), "grid is NULL", cudaErrorInvalidValue,
          "grid is NULL");
    blur_call call;
    const cudaError_t error = blur_plan(&call, NULL, none, pitch, y, pitch, rows, columns, nine);
    tap_check(error == cudaErrorInvalidValue && call.plan.why != NULL && strcmp(call.plan.why, "in is NULL") == 0 &&
                  hear()[0] == 0,
              "a plan says why, and leaves stderr alone");
    tap_check(blur_plan(&call, NULL, x, pitch, y, pitch, rows, columns, nine) == cudaSuccess && call.plan.why == NULL,
              "the plan of a right call has nothing to say");
}

/* spare buffers of the caller's */
static void spares(void)
{
    enum { side = 256, count = side * side };
    float *all = NULL;
    CMK_CHECK(cudaMalloc((void **)&all, 4 * count * sizeof *all));
    lone_grid grid = lone_domain(side, side, side);
    grid.u = all;
    grid.u_before = all + count;
    grid.u_spare = all + 4;
    grid.u_before_spare = all + 2 * count;
    const char *why = "u_spare and u overlap";
    check("lone_prepare", lone_prepare(&grid, 0), why, cudaErrorInvalidValue, why);
    grid.u_spare = grid.u_before_spare;
    why = "u_spare and u_before_spare overlap";
    check("lone_prepare", lone_prepare(&grid, 0), why, cudaErrorInvalidValue, why);
    grid.u_before_spare = moved(all, 3 * count * 4 + 4);
    why = unaligned("u_before_spare", grid.u_before_spare, 16);
    check("lone_prepare", lone_prepare(&grid, 0), why, cudaErrorInvalidValue, why);
    grid.u_before_spare = NULL;
    check("lone_prepare", lone_prepare(&grid, 0), NULL, cudaSuccess, NULL);
    lone_grid again = grid;
    again.u_spare = NULL;
    why = "the grid has prepared buffers: name_release comes first";
    check("lone_prepare", lone_prepare(&again, 0), why, cudaErrorInvalidValue, why);
    check("lone_release", lone_release(&grid, 0), NULL, cudaSuccess, NULL);
    lone_grid vast = lone_domain((size_t)1 << 29, (size_t)1 << 29, (size_t)1 << 29);
    vast.u = (float *)(huge / 2);
    vast.u_before = (float *)huge;
    why = "the part that is updated needs more than 2147483647 blocks";
    check("lone", lone(&vast, 0), lone_why(&vast), cudaErrorInvalidValue, why);
    grid.u = NULL;
    why = "u is NULL";
    check("lone_steps", lone_steps(&grid, 4, 0), lone_why(&grid), cudaErrorInvalidValue, why);
    CMK_CHECK(cudaFree(all));
}

int main(void)
{
    tap_need_device();
    CMK_CHECK(cudaMalloc((void **)&x, 4096 * sizeof *x));
    CMK_CHECK(cudaMalloc((void **)&y, 4096 * sizeof *y));
    CMK_CHECK(cudaMemset(x, 0, 4096 * sizeof *x));
    begin_to_hear();
    images();
    volumes();
    lines();
    transposes();
    transfers();
    pointers();
    sizes();
    periods();
    others();
    spares();
    CMK_CHECK(cudaDeviceSynchronize());
    CMK_CHECK(cudaFree(x));
    CMK_CHECK(cudaFree(y));
    return tap_done();
}
