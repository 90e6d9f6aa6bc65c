/* The plans of calls of random sizes, pitches and alignments, right ones and wrong ones.
 *
 *   plans             against the launches that the launchers make: kernels, sizes, the bytes of all arguments, errors,
 *                     and what becomes of grids
 *   plans SEED        prints those of devices that are told of
 *
 * The kernels do not run, so that pointers may lead anywhere. */
#include <cmk/base.h>
#include <cmk/tile.h>

#if !defined(__CUDACC__)
#undef CMK_TILE_LAUNCH
#define CMK_TILE_LAUNCH(...) CMK_LAUNCH(__VA_ARGS__)
#undef CMK_LAUNCH
#define CMK_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                                     \
    ((void)(stream),                                                                                                   \
     note_kernel(#kernel, CMK_PLAN_FUNCTION_(kernel), CMK_HOST_SIZE_(grid), CMK_HOST_SIZE_(block), shared_bytes),      \
     NOTE_ALL(__VA_ARGS__, NOTE_7, NOTE_6, NOTE_5, NOTE_4, NOTE_3, NOTE_2, NOTE_1, )(__VA_ARGS__), cudaSuccess)
#define NOTE_ALL(a, b, c, d, e, f, g, NOTE, ...) NOTE
#define NOTE_1(a) NOTE(a)
#define NOTE_2(a, ...) NOTE(a), NOTE_1(__VA_ARGS__)
#define NOTE_3(a, ...) NOTE(a), NOTE_2(__VA_ARGS__)
#define NOTE_4(a, ...) NOTE(a), NOTE_3(__VA_ARGS__)
#define NOTE_5(a, ...) NOTE(a), NOTE_4(__VA_ARGS__)
#define NOTE_6(a, ...) NOTE(a), NOTE_5(__VA_ARGS__)
#define NOTE_7(a, ...) NOTE(a), NOTE_6(__VA_ARGS__)
#define NOTE(value)                                                                                                    \
    __extension__({                                                                                                    \
        __typeof__(value) noted = value;                                                                               \
        note_value(&noted, sizeof noted);                                                                              \
    })
static void note_kernel(const char *kernel, size_t function, uint3 grid, uint3 block, size_t shared_bytes);
static void note_value(const void *value, size_t bytes);
#endif

#include "plans.h"
#include "random.h"
#include "tap.h"

/* ---- what is launched: by launchers, and by plans */
typedef struct {
    char kernel[64];
    const void *function;
    unsigned grid[3], block[3];
    size_t shared_bytes, bytes[8];
    unsigned char values[8][1024];
    int count;
} launch;

enum { most = 64 };
static launch *launched, *planned;
static int launches, plans, differing, calls, errors, several;
static const cmk_plan_device *told;

#if !defined(__CUDACC__)
static void note_kernel(const char *kernel, size_t function, uint3 grid, uint3 block, size_t shared_bytes)
{
    launch *const l = &launched[launches++];
    memset(l, 0, sizeof *l);
    snprintf(l->kernel, sizeof l->kernel, "%s", kernel);
    l->function = (const void *)function;
    memcpy(l->grid, &grid, sizeof l->grid);
    memcpy(l->block, &block, sizeof l->block);
    l->shared_bytes = shared_bytes;
}

static void note_value(const void *value, size_t bytes)
{
    launch *const l = &launched[launches - 1];
    l->bytes[l->count] = bytes;
    memcpy(l->values[l->count++], value, bytes);
}
#endif

static void note_plan(const cmk_plan *plan)
{
    launch *const l = &planned[plans++];
    memset(l, 0, sizeof *l);
    snprintf(l->kernel, sizeof l->kernel, "%s", plan->kernel);
    l->function = plan->function;
    memcpy(l->grid, plan->grid, sizeof l->grid);
    memcpy(l->block, plan->block, sizeof l->block);
    l->shared_bytes = plan->shared_bytes;
    l->count = plan->argument_count;
    for (int i = 0; i < l->count; ++i) {
        l->bytes[i] = plan->argument_bytes[i];
        memcpy(l->values[i], plan->arguments[i], l->bytes[i]);
    }
}

/* a PARAMETER table has another member on the CPU, behind what a plan passes */
static int same(const launch *a, const launch *b)
{
    int right = strcmp(a->kernel, b->kernel) == 0 && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
                memcmp(a->block, b->block, sizeof a->block) == 0 && a->shared_bytes == b->shared_bytes &&
                a->count == b->count && a->function == b->function;
    for (int i = 0; right && i < a->count; ++i)
        right = a->bytes[i] >= b->bytes[i] && a->bytes[i] - b->bytes[i] <= 8 &&
                memcmp(a->values[i], b->values[i], b->bytes[i]) == 0;
    return right;
}

static void print_plan(const char *what, cudaError_t error)
{
    printf("%s: %d\n", what, (int)error);
    for (int i = 0; i < plans; ++i) {
        const launch *const l = &planned[i];
        printf("  %s grid %u %u %u, block %u %u %u, %zu bytes", l->kernel, l->grid[0], l->grid[1], l->grid[2],
               l->block[0], l->block[1], l->block[2], l->shared_bytes);
        for (int k = 0; k < l->count; ++k) {
            unsigned long long sum = 14695981039346656037u;
            for (size_t at = 0; at < l->bytes[k]; ++at) sum = (sum ^ l->values[k][at]) * 1099511628211u;
            printf(", %zu: %llx", l->bytes[k], sum);
        }
        printf("\n");
    }
}

static void judge(const char *what, cudaError_t launcher, cudaError_t plan, int same_grids)
{
    int right = launcher == plan && launches == plans && same_grids;
    for (int i = 0; right && i < plans; ++i) right = same(&launched[i], &planned[i]);
    ++calls;
    errors += plan != cudaSuccess;
    several += plans > 1;
    if (!right && differing++ < 8)
        printf("# %s: errors %d and %d, %d launches, %d plans: %s, %s\n", what, (int)launcher, (int)plan, launches,
               plans, launches > 0 ? launched[0].kernel : "none", plans > 0 ? planned[0].kernel : "none");
}

/* a call by `function`, a launcher of a definition, and by its plan */
#if defined(__CUDACC__)
#define LAUNCHED(...) cudaSuccess
#else
#define LAUNCHED(...) (told == NULL ? (__VA_ARGS__) : cudaSuccess)
#endif
#define CALL(name, function, ...) CALL_(name, function, 1, (__VA_ARGS__, 0), (__VA_ARGS__))
#define CALL_(name, function, SAME, ARGUMENTS, PLAN)                                                                   \
    do {                                                                                                               \
        name##_call call;                                                                                              \
        launches = plans = 0;                                                                                          \
        const cudaError_t error = LAUNCHED(function ARGUMENTS);                                                        \
        (void)function##_plan(&call, told, CMK_LIST_ PLAN);                                                            \
        while (name##_next(&call)) note_plan(&call.plan);                                                              \
        if (told != NULL)                                                                                              \
            print_plan(#function, call.plan.error);                                                                    \
        else                                                                                                           \
            judge(#function, error, call.plan.error, SAME);                                                            \
    } while (0)

/* ---- drawn calls */
typedef struct {
    const char *in;
    char *out;
    size_t rows, columns, planes, in_pitch, out_pitch, in_step, out_step;
} shape;

static size_t size_of(size_t largest)
{
    const size_t kind = below(12);
    return kind == 0  ? below(4)
           : kind < 5 ? 1 + below(40)
           : kind < 8 ? 16 * (1 + below(40))
           : kind < 9 ? below(8) * largest
                      : 1 + below(largest);
}

/* of elements of so many bytes, in ranges far apart but now and then */
static shape draw(size_t size, size_t channels, size_t largest)
{
    shape s;
    const size_t shift = below(3) > 0 ? 0 : size * below(9), wrong = below(25);
    s.rows = size_of(largest);
    s.columns = size_of(largest);
    s.planes = below(4) > 0 ? 1 + below(3) : below(70000);
    s.in_pitch = channels * s.columns + (below(2) > 0 ? 0 : below(9)) - (wrong == 0 && s.columns > 0);
    s.out_pitch = channels * s.columns + (below(2) > 0 ? 0 : below(9));
    s.in_step = s.in_pitch * s.rows + (below(2) > 0 ? 0 : below(9));
    s.out_step = s.out_pitch * s.rows + (below(2) > 0 ? 0 : below(9));
    s.in = (const char *)((size_t)1 << 44) + shift;
    s.out = (char *)(wrong == 1 ? (size_t)1 << 44 : (size_t)1 << 46) + (below(3) > 0 ? 0 : shift) + (wrong == 2);
    return s;
}

#define IMAGE(name, T, CHANNELS, ...)                                                                                  \
    do {                                                                                                               \
        const shape s = draw(sizeof(T), CHANNELS, 5000);                                                               \
        const T *const in = (const T *)(const void *)s.in;                                                             \
        T *const out = (T *)(void *)s.out;                                                                             \
        const size_t row = below(s.rows + 1), column = below(s.columns + 1);                                           \
        const size_t region_rows = below(s.rows - row + 2), region_columns = below(s.columns - column + 1);            \
        CALL(name, name, in, s.in_pitch, out, s.out_pitch, s.rows, s.columns, __VA_ARGS__);                            \
        CALL(name, name##_batch, in, s.in_pitch, s.in_step, out, s.out_pitch, s.out_step, s.rows, s.columns, s.planes, \
             __VA_ARGS__);                                                                                             \
        CALL(name, name##_region, in, s.in_pitch, out, s.out_pitch, s.rows, s.columns, row, column, region_rows,       \
             region_columns, __VA_ARGS__);                                                                             \
    } while (0)

#define VOLUME(name, T, ...)                                                                                           \
    do {                                                                                                               \
        const shape s = draw(sizeof(T), 1, 400);                                                                       \
        const size_t planes = below(2) > 0 ? s.planes : below(600), row = below(s.rows + 1),                           \
                     plane = below(planes + 1);                                                                        \
        const size_t region_planes = below(planes - plane + 1), region_rows = below(s.rows - row + 2);                 \
        const T *const in = (const T *)(const void *)s.in;                                                             \
        T *const out = (T *)(void *)s.out;                                                                             \
        CALL(name, name, in, s.in_pitch, s.in_step, out, s.out_pitch, s.out_step, planes, s.rows, s.columns,           \
             __VA_ARGS__);                                                                                             \
        CALL(name, name##_region, in, s.in_pitch, s.in_step, out, s.out_pitch, s.out_step, planes, s.rows, s.columns,  \
             plane, row, 0, region_planes, region_rows, s.columns, __VA_ARGS__);                                       \
    } while (0)

static void draw_images(const wide_table *slot)
{
    IMAGE(small, float, 1, square);
    IMAGE(smooth, float, 1, large);
    IMAGE(bytes, unsigned char, 3, square);
    IMAGE(across, float, 1, five, five);
    IMAGE(far, float, 1, *slot, *slot);
    VOLUME(volume, float, cube);
    VOLUME(through, double, three, three, three);
}

static void draw_lines(const wide_table *slot)
{
    const shape s = draw(sizeof(float), 1, 5000);
    const float *const in = (const float *)(const void *)s.in;
    float *const out = (float *)(void *)s.out;
    const size_t turned = s.rows + below(9), count = s.rows * (1 + below(s.columns + 1)), pitch = s.rows + below(4);
    const size_t few = below(2) > 0 ? s.rows : count;
    const int axes = (int)below(7);
    const size_t first = below(count + 1), region = below(count - first + 2);
    CALL(line, line, in, out, count, *slot);
    CALL(line, line_region, in, out, count, first, region, *slot);
    CALL(short_line, short_line, in, out, few, middle);
    CALL(turn, turn, in, s.in_pitch, out, turned, s.rows, s.columns);
    CALL(turn, turn_batch, in, s.in_pitch, s.in_step, out, turned, turned * s.columns, s.rows, s.columns, s.planes);
    CALL(turn, turn_in_place, out, pitch, s.rows);
    CALL(turn, turn_volume, in, out, s.planes, s.rows, s.columns, axes);
}

/* ---- grids */

/* the launcher's grid and the plan's are equal before and behind */
#define STEP(name, kind, function, grid, MORE, CAPTURED, ...)                                                          \
    do {                                                                                                               \
        name##_grid first = grid, second = grid;                                                                       \
        CALL_(kind, function, memcmp((const void *)&first, (const void *)&second, sizeof first) == 0,                  \
              (&first CMK_LIST_ MORE __VA_ARGS__, 0), (&second CMK_LIST_ MORE CMK_LIST_ CAPTURED __VA_ARGS__));        \
    } while (0)

/* the border of a launcher, and of a plan */
#define BORDER(name, function, grid, MORE, CAPTURED, ...)                                                              \
    do {                                                                                                               \
        name##_grid first = grid, second = grid;                                                                       \
        cmk_point_border border = draw_border(), other = border;                                                       \
        CALL_(name##_bordered, function,                                                                               \
              memcmp((const void *)&first, (const void *)&second, sizeof first) == 0 && counted(&border, &other),      \
              (&first, &border CMK_LIST_ MORE __VA_ARGS__, 0),                                                         \
              (&second, &other CMK_LIST_ MORE CMK_LIST_ CAPTURED __VA_ARGS__));                                        \
    } while (0)

static unsigned *word;
static cmk_point_border draw_border(void)
{
    cmk_point_border border;
    memset(&border, 0, sizeof border);
    for (int axis = 0; axis < (below(2) > 0 ? 1 : 3); ++axis) {
        border.low[axis] = below(4);
        border.high[axis] = below(4);
    }
    border.arrived = below(8) > 0 ? word : NULL;
    return border;
}

/* a word that is written behind a plan's launches is the caller's */
static int counted(const cmk_point_border *border, const cmk_point_border *other)
{
    return border->count == other->count || border->count == other->count + 1;
}

/* the buffer of a number, now and then a wrong one */
static float *buffer(int number)
{
    return below(200) == 0 ? NULL : (float *)(((size_t)number << 42) + (below(40) > 0 ? 0 : 4 * below(9)));
}

#define PART(grid)                                                                                                     \
    if (below(3) == 0) {                                                                                               \
        (grid).first_row = below((grid).rows + 1);                                                                     \
        (grid).end_row = (grid).rows - below(3);                                                                       \
        (grid).first_column = below(5);                                                                                \
    }                                                                                                                  \
    (grid).deep_ghosts = below(4) == 0

static void draw_heat(void)
{
    const size_t rows = size_of(3000), columns = below(6) > 0 ? size_of(3000) : 4096 + below(4096), steps = below(40);
    heat_grid grid = heat_domain(rows, columns, columns + below(2) * below(9));
    grid.u = buffer(1);
    grid.u_next = buffer(2);
    PART(grid);
    STEP(heat, heat, heat, grid, (, ), (), 0.5f, three, 7);
    STEP(heat, heat, heat_steps, grid, (, steps, ), (0, ), 0.5f, three, 7);
    BORDER(heat, heat_bordered, grid, (, ), (), 0.5f, three, 7);
    BORDER(heat, heat_bordered_steps, grid, (, steps, ), (0, ), 0.5f, three, 7);
}

static void draw_wave(void)
{
    const size_t planes = size_of(200), rows = size_of(300), columns = size_of(600), pitch = columns + below(2) * 3;
    const size_t steps = below(9);
    wave_grid grid = wave_domain(planes, rows, columns, rows * pitch, pitch);
    grid.u = buffer(1);
    grid.u_before = buffer(2);
    grid.copy = buffer(3);
    if (below(2) > 0) grid.u_spare = buffer(4), grid.u_before_spare = buffer(5);
    PART(grid);
    STEP(wave, wave, wave, grid, (, ), (), 2.0);
    STEP(wave, wave, wave_steps, grid, (, steps, ), (0, ), 2.0);
    BORDER(wave, wave_bordered, grid, (, ), (), 2.0);
}

static void draw_diffuse(void)
{
    const size_t planes = 1 + below(200), rows = 64 + below(300), columns = 64 + below(600), steps = 1 + below(6);
    const size_t pitch = below(2) > 0 ? columns + 3 : (columns + 3) / 4 * 4;
    diffuse_grid grid = diffuse_domain(planes, rows, columns, rows * pitch, pitch);
    grid.u = buffer(1);
    grid.u_next = buffer(2);
    STEP(diffuse, diffuse, diffuse, grid, (, ), (), 0.5f);
    STEP(diffuse, diffuse, diffuse_steps, grid, (, steps, ), (0, ), 0.5f);
    BORDER(diffuse, diffuse_bordered, grid, (, ), (), 0.5f);
    BORDER(diffuse, diffuse_bordered_steps, grid, (, steps, ), (0, ), 0.5f);
}

static void draw_all(int number)
{
    wide_table slot;
    memset((void *)&slot, 0, sizeof slot);
    for (int i = 0; i < number; ++i) {
        draw_images(&slot);
        draw_lines(&slot);
        draw_heat();
        draw_wave();
        draw_diffuse();
    }
}

int main(int argc, char **argv)
{
    static const cmk_plan_device devices[] = {{132, 232448, 5120, 90, 1, 0},
                                              {132, 232448, 6016, 90, 0, 3},
                                              {108, 166912, 5120, 80, 0, 4},
                                              {40, 65536, 256, 75, 0, 1},
                                              {148, 232448, 8192, 100, 0, 0}};
    launched = (launch *)malloc(most * sizeof *launched);
    planned = (launch *)malloc(most * sizeof *planned);
    if (argc > 1) {
        for (int i = 0; i < 5; ++i) {
            told = &devices[i];
            word = (unsigned *)((size_t)1 << 40);
            random_state = strtoull(argv[1], NULL, 10);
            draw_all(20);
        }
        return 0;
    }
    random_state = 20;
    CMK_CHECK(cudaMalloc((void **)&word, sizeof *word));
    draw_all(300);
    tap_check(differing == 0, "plans of %d calls, %d of them wrong, %d of several launches, equal what is launched",
              calls, errors, several);
    return tap_done();
}
