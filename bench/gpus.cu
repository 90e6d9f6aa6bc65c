/* gpus: steps of 3D stars on several GPUs, each with some of the planes of a grid, whose ghosts travel in every way
 * that halo.h has: what the exchange costs. Grids are periodic along the planes, so that every GPU exchanges both
 * faces. usage: gpus [CSV [RANKS]]              a file to append to; RANKS: as many as there are devices, at least 2
 *   build: nvcc -O3 -std=c++17 -arch=native -Iinclude -o gpus bench/gpus.cu      and with NCCL: -DUSE_NCCL -lnccl
 *
 * Ways: copies within the process, NCCL's send and receive, of registered memory but for one row, or, from NCCL 2.30
 * on, its puts; the exchange after a step; the border by launches of its own beside it; the border first in one launch;
 * that captured into a graph of two steps, which is replayed. Each is first compared with the grid on one device, bit
 * by bit. Shares are of the same step without an exchange, in turns with it: the medians of 11. */
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>
#include <cmk/cmk.h>
#include <cmk/halo.h>
#if defined(USE_NCCL)
#include <cmk/halo/nccl.h>
#include <cmk/halo/put.h>
#endif
#if defined(USE_NCCL) && NCCL_VERSION_CODE >= 23000
#define HAS_PUTS 1
#else
#define HAS_PUTS 0
#endif

#define AROUND CMK_EDGE_AXES_3D(CMK_EDGE_WRAP, CMK_EDGE_CLAMP, CMK_EDGE_CLAMP)
#define U(dz, dy, dx) CMK_POINT_AT(u, dz, dy, dx)
#define STAR7(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), AROUND)
CMK_POINT_3D(star7, STAR7)
{
    const float around = ((U(-1, 0, 0) + U(1, 0, 0)) + (U(0, -1, 0) + U(0, 1, 0))) + (U(0, 0, -1) + U(0, 0, 1));
    CMK_POINT_SET(u, 0.4f * U(0, 0, 0) + 0.1f * around);
}
CMK_DEFINE_STENCIL3D(star7, STAR7);
CMK_DEFINE_BORDERED(star7, STAR7);

CMK_TABLE_VALUES(LITERAL, float, taps, [5], 0.28f, 0.05f, 0.03f, 0.02f, 0.02f);
#define STAR25(USES) USES(NEXT, float, u, CMK_POINT_STAR(4), AROUND) USES(TABLE, taps)
CMK_POINT_3D(star25, STAR25)
{
    float sum = CMK_TABLE_AT(taps, 0) * U(0, 0, 0);
    CMK_UNROLL
    for (int k = 1; k <= 4; ++k)
        sum += CMK_TABLE_AT(taps, k) * (U(-k, 0, 0) + U(k, 0, 0) + U(0, -k, 0) + U(0, k, 0) + U(0, 0, -k) + U(0, 0, k));
    CMK_POINT_SET(u, sum);
}
CMK_DEFINE_STENCIL3D(star25, STAR25);
CMK_DEFINE_BORDERED(star25, STAR25);

/* the functions of a definition as static ones of a struct; behind reach: its tables, each with a comma behind it */
#define UPDATE(type, name, REACH, ...)                                                                                 \
    struct type {                                                                                                      \
        typedef name##_grid grid;                                                                                      \
        enum { reach = REACH };                                                                                        \
        static grid of_rank(const cmk_grid *split, const int *ghosts)                                                  \
        {                                                                                                              \
            return name##_of_rank(split, ghosts);                                                                      \
        }                                                                                                              \
        static grid part(const grid *g, cmk_box box)                                                                   \
        {                                                                                                              \
            return name##_part(*g, box);                                                                               \
        }                                                                                                              \
        static cudaError_t flip(grid *g)                                                                               \
        {                                                                                                              \
            return name##_flip(g, 0);                                                                                  \
        }                                                                                                              \
        static cudaError_t step(grid *g, cudaStream_t s)                                                               \
        {                                                                                                              \
            return name(g, __VA_ARGS__ s);                                                                             \
        }                                                                                                              \
        static cudaError_t steps(grid *g, int count, cudaStream_t s)                                                   \
        {                                                                                                              \
            return name##_steps(g, count, __VA_ARGS__ s);                                                              \
        }                                                                                                              \
        static cudaError_t bordered(grid *g, cmk_point_border *b, cudaStream_t s)                                      \
        {                                                                                                              \
            return name##_bordered(g, b, __VA_ARGS__ s);                                                               \
        }                                                                                                              \
        static cudaError_t bordered_steps(grid *g, cmk_point_border *b, int count, cudaStream_t s)                     \
        {                                                                                                              \
            return name##_bordered_steps(g, b, count, __VA_ARGS__ s);                                                  \
        }                                                                                                              \
    };
UPDATE(seven, star7, 1, )
UPDATE(twenty_five, star25, 4, taps, )

enum { most = 16 };
static int ranks, devices;
static FILE *csv;
static const char *const way_names[] = {"no exchange", "after the step", "border beside", "border first",
                                        "border first, in a graph"};
enum { NONE, AFTER, BESIDE, FIRST, GRAPH };
static const char *const transport_names[] = {"copies", "NCCL", "NCCL", "NCCL's puts"};
enum { COPIES, SENDS, PLAIN, PUTS, TRANSPORTS };

/* PLAIN is not registered by cmk: beside SENDS, and in a graph, where NCCL does it by itself */
static std::string name_of(int way, int t)
{
    const std::string name = way_names[way];
    return way == NONE ? name
                       : transport_names[t] + (", " + name) + (t == PLAIN && way == FIRST ? ", not registered" : "");
}

#define HALO(halo, call)                                                                                               \
    do                                                                                                                 \
        if ((call) != cudaSuccess) fprintf(stderr, "gpus: %s: %s\n", #call, (halo)->why), exit(EXIT_FAILURE);          \
    while (0)

/* memory of fields, into which puts may go */
static void allocate(void **memory, size_t bytes)
{
#if HAS_PUTS
    if (ncclMemAlloc(memory, bytes) == ncclSuccess) return;
    fprintf(stderr, "gpus: ncclMemAlloc has no %zu bytes\n", bytes), exit(EXIT_FAILURE);
#else
    CMK_CHECK(cudaMalloc(memory, bytes));
#endif
}

static void release(void *memory)
{
#if HAS_PUTS
    if (ncclMemFree(memory) != ncclSuccess) fprintf(stderr, "gpus: ncclMemFree failed\n"), exit(EXIT_FAILURE);
#else
    CMK_CHECK(cudaFree(memory));
#endif
}

/* ---- kernels of the bench */

__global__ void fill_part(float *u, size_t planes, size_t rows, size_t columns, size_t plane_pitch, size_t row_pitch,
                          size_t first)
{
    const size_t count = planes * rows * columns;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        const size_t plane = i / columns / rows, row = i / columns % rows, column = i % columns;
        unsigned h = (unsigned)(i + first * rows * columns) * 2654435761u ^ 0x9e3779b9u;
        h = (h ^ h >> 16) * 0x85ebca6bu;
        h = (h ^ h >> 13) * 0xc2b2ae35u;
        u[plane * plane_pitch + row * row_pitch + column] = (float)(h >> 8) / 16777216.0f - 0.5f;
    }
}

__global__ void count_unlike(const float *a, const float *b, size_t planes, size_t rows, size_t columns,
                             size_t plane_pitch, size_t row_pitch, unsigned *unlike)
{
    const size_t count = planes * rows * columns;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        const size_t at = i / columns / rows * plane_pitch + i / columns % rows * row_pitch + i % columns;
        if (__float_as_uint(a[at]) != __float_as_uint(b[at])) atomicAdd(unlike, 1u);
    }
}

/* ---- a grid over ranks, and its exchanges */

template <class D> struct parts {
    int count, width[3], ghosts[3];
    cmk_grid split[most];
    typename D::grid start[most], grid[most];
    cudaStream_t stream[most], messages[most];
    cmk_point_border border[most], replayed[most]; /* of launches one by one; of graphs */
    unsigned *word[most];                          /* of border, of verify, of replayed */
    float *right[most];                            /* what the part ought to be */
    std::vector<cmk_halo> halo[TRANSPORTS];
    cudaGraphExec_t graph[TRANSPORTS][most]; /* two steps */
    cudaEvent_t mark[most];
    int transports;

    parts(int count_, cmk_i64 planes, cmk_i64 rows, cmk_i64 columns, int reach, int periodic)
        : count(count_), transports(1)
    {
        const cmk_i64 global[3] = {planes, rows, columns};
        const int shares[3] = {count, 1, 1}, around[3] = {periodic, 0, 0};
        for (int axis = 0; axis < 3; ++axis) width[axis] = ghosts[axis] = reach;
        memset(graph, 0, sizeof graph);
        for (int i = 0; i < count; ++i) {
            CMK_CHECK(cudaSetDevice(i % devices));
            if (!cmk_grid_split(&split[i], i, count, global, shares, around))
                fprintf(stderr, "gpus: %s\n", split[i].why), exit(EXIT_FAILURE);
            grid[i] = D::of_rank(&split[i], ghosts);
            allocate((void **)&grid[i].u, bytes(i));
            allocate((void **)&grid[i].u_next, bytes(i));
            CMK_CHECK(cudaMalloc((void **)&word[i], 3 * sizeof(unsigned)));
            CMK_CHECK(cudaMemset(word[i], 0, 3 * sizeof(unsigned)));
            CMK_CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
            CMK_CHECK(cudaEventCreateWithFlags(&mark[i], cudaEventDisableTiming));
            border[i] = cmk_point_border_of(&split[i], width, word[i]);
            replayed[i] = cmk_point_border_of(&split[i], width, word[i] + 2);
            right[i] = NULL;
            start[i] = grid[i];
        }
        for (std::vector<cmk_halo> &all : halo) all.resize(count);
        connect(COPIES);
    }
    ~parts()
    {
        for (int t = 0; t < transports; ++t) {
            for (int i = 0; i < count; ++i)
                if (graph[t][i] != NULL) CMK_CHECK(cudaGraphExecDestroy(graph[t][i]));
            HALO(&halo[t][0], cmk_halo_destroy_all(halo[t].data(), count));
        }
        for (int i = 0; i < count; ++i) {
            CMK_CHECK(cudaSetDevice(i % devices));
            release(grid[i].u);
            release(grid[i].u_next);
            for (void *memory : {(void *)word[i], (void *)right[i]}) CMK_CHECK(cudaFree(memory));
            CMK_CHECK(cudaStreamDestroy(stream[i]));
            CMK_CHECK(cudaEventDestroy(mark[i]));
        }
    }
    size_t bytes(int i) const
    {
        return grid[i].planes * grid[i].plane_pitch * sizeof(float);
    }
    size_t owned(int i) const
    {
        return grid[i].first_plane * grid[i].plane_pitch;
    }
    void connect(int t, const cmk_halo_transport *of = NULL)
    {
        transports = t + 1;
        for (int i = 0; i < count; ++i) {
            const cmk_field u = {start[i].u + owned(i),
                                 start[i].u_next + owned(i),
                                 sizeof(float),
                                 (cmk_i64)grid[i].row_pitch,
                                 (cmk_i64)grid[i].plane_pitch,
                                 {ghosts[0], 0, 0},
                                 0,
                                 NULL,
                                 {{0, 0, 0}, {0, 0, 0}}};
            CMK_CHECK(cudaSetDevice(i % devices));
            HALO(&halo[t][i],
                 cmk_halo_create(&halo[t][i], &split[i], of ? of[i] : cmk_halo_peer(), CMK_HALO_STAR, &u, 1));
        }
        HALO(&halo[t][0], cmk_halo_connect_all(halo[t].data(), count));
    }
    void exchange(int t, cmk_i64 level, const cudaStream_t *at)
    {
        HALO(&halo[t][0], cmk_halo_begin_all(halo[t].data(), count, level, at));
    }
    void arrive(int t)
    {
        HALO(&halo[t][0], cmk_halo_end_all(halo[t].data(), count, stream));
    }
    void wait()
    {
        for (int i = 0; i < count; ++i) HALO(&halo[0][i], cmk_halo_wait(&halo[0][i], stream[i]));
    }
    void reset()
    {
        for (int i = 0; i < count; ++i) {
            CMK_CHECK(cudaSetDevice(i % devices));
            grid[i].u = start[i].u, grid[i].u_next = start[i].u_next;
            CMK_CHECK(cudaMemsetAsync(grid[i].u, 0, bytes(i), stream[i]));
            CMK_CHECK(cudaMemsetAsync(grid[i].u_next, 0, bytes(i), stream[i]));
            fill_part<<<2048, 256, 0, stream[i]>>>(grid[i].u + owned(i), (size_t)split[i].count[0], grid[i].rows,
                                                   grid[i].columns, grid[i].plane_pitch, grid[i].row_pitch,
                                                   (size_t)split[i].first[0]);
        }
        wait();
        exchange(0, 0, stream);
        arrive(0);
        wait();
    }

    /* launches of a step from level - 1 to level, and its exchange by transport t */
    void step(int way, int t, cmk_i64 level, cmk_point_border *borders)
    {
        for (int i = 0; i < count; ++i) {
            CMK_CHECK(cudaSetDevice(i % devices));
            messages[i] = halo[t][i].stream;
            if (way >= BESIDE) CMK_CHECK(cmk_halo_follow(&halo[t][i], stream[i]));
            if (way == BESIDE) {
                cmk_box boxes[6];
                for (int k = 0, all = cmk_grid_border(&split[i], width, boxes); k < all; ++k) {
                    typename D::grid part = D::part(&grid[i], boxes[k]);
                    CMK_CHECK(D::step(&part, messages[i]));
                }
            } else if (way == FIRST) {
                CMK_CHECK(D::bordered(&grid[i], &borders[i], stream[i]));
                CMK_CHECK(cmk_stream_wait_value(messages[i], borders[i].arrived, borders[i].count));
            } else {
                CMK_CHECK(D::step(&grid[i], stream[i]));
            }
        }
        if (way != NONE) exchange(t, level, way == AFTER ? stream : messages);
        for (int i = 0; i < count && way == BESIDE; ++i) {
            typename D::grid part = D::part(&grid[i], cmk_grid_interior(&split[i], width));
            CMK_CHECK(cudaSetDevice(i % devices));
            CMK_CHECK(D::step(&part, stream[i]));
            CMK_CHECK(D::flip(&grid[i]));
        }
        if (way != NONE) arrive(t);
    }

    /* one stream goes on when another has come here */
    void follow(int from, int to)
    {
        CMK_CHECK(cudaSetDevice(from % devices));
        CMK_CHECK(cudaEventRecord(mark[from], stream[from]));
        CMK_CHECK(cudaSetDevice(to % devices));
        CMK_CHECK(cudaStreamWaitEvent(stream[to], mark[from], 0));
    }

    /* Captures two steps: copies go from rank to rank, so that all are in the graph of rank 0; others have one each.
     * Before and behind it the grids are at an even level. */
    void capture(int t)
    {
        const int graphs = t == COPIES ? 1 : count;
        for (int i = 0; i < count; ++i) {
            if (i >= graphs) follow(0, i);
            CMK_CHECK(cudaSetDevice(i % devices));
            if (i < graphs) CMK_CHECK(cudaStreamBeginCapture(stream[i], cudaStreamCaptureModeRelaxed));
            CMK_CHECK(cmk_stream_write_value(stream[i], replayed[i].arrived, 0));
            replayed[i].count = 0;
        }
        for (int level = 1; level <= 2; ++level) step(FIRST, t, level, replayed);
        for (int i = graphs; i < count; ++i) follow(i, 0);
        for (int i = 0; i < graphs; ++i) {
            cudaGraph_t captured;
            CMK_CHECK(cudaSetDevice(i % devices));
            CMK_CHECK(cudaStreamEndCapture(stream[i], &captured));
            CMK_CHECK(cudaGraphInstantiate(&graph[t][i], captured, 0));
            CMK_CHECK(cudaGraphDestroy(captured));
        }
    }
    void replay(int t)
    {
        for (int i = 0; i < count && graph[t][i] != NULL; ++i) {
            CMK_CHECK(cudaSetDevice(i % devices));
            CMK_CHECK(cudaGraphLaunch(graph[t][i], stream[i]));
        }
    }

    /* a pass of so many steps, good for one exchange */
    void pass(int way, int t, cmk_i64 level, int together)
    {
        for (int i = 0; i < count; ++i) {
            CMK_CHECK(cudaSetDevice(i % devices));
            messages[i] = halo[t][i].stream;
            grid[i].deep_ghosts = way != NONE;
            if (way == FIRST) {
                CMK_CHECK(cmk_halo_follow(&halo[t][i], stream[i]));
                CMK_CHECK(D::bordered_steps(&grid[i], &border[i], together, stream[i]));
                CMK_CHECK(cmk_stream_wait_value(messages[i], border[i].arrived, border[i].count));
            } else {
                CMK_CHECK(D::steps(&grid[i], together, stream[i]));
            }
        }
        if (way == NONE) return;
        exchange(t, level, way == AFTER ? stream : messages);
        arrive(t);
    }

    /* milliseconds of a step, of a number of them that is even */
    double time(int way, int t, int steps, int together = 1)
    {
        wait();
        if (way == GRAPH && graph[t][0] == NULL) capture(t);
        const auto begun = std::chrono::steady_clock::now();
        for (int n = 0; n < steps; n += way == GRAPH ? 2 : 1)
            if (way == GRAPH)
                replay(t);
            else if (together == 1)
                step(way, t, n + 1, border);
            else
                pass(way, t, n + 1, together);
        wait();
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count() / steps;
    }

    /* keeps what `one` has come to; the points that are not the same now */
    void keep(parts &one)
    {
        for (int i = 0; i < count; ++i) {
            const size_t size = (size_t)split[i].count[0] * grid[i].plane_pitch * sizeof(float);
            CMK_CHECK(cudaSetDevice(i % devices));
            CMK_CHECK(cudaMalloc((void **)&right[i], size));
            CMK_CHECK(cudaMemcpyPeer(right[i], i % devices,
                                     one.grid[0].u + one.owned(0) + (size_t)split[i].first[0] * grid[i].plane_pitch, 0,
                                     size));
            CMK_CHECK(cudaDeviceSynchronize()); /* copies within a device may still run */
        }
    }
    void forget()
    {
        for (int i = 0; i < count; ++i) {
            CMK_CHECK(cudaFree(right[i]));
            right[i] = NULL;
        }
    }
    void verify(const std::string &name)
    {
        for (int i = 0; i < count; ++i) {
            unsigned unlike;
            CMK_CHECK(cudaSetDevice(i % devices));
            CMK_CHECK(cudaMemset(word[i] + 1, 0, sizeof unlike));
            count_unlike<<<2048, 256>>>(grid[i].u + owned(i), right[i], (size_t)split[i].count[0], grid[i].rows,
                                        grid[i].columns, grid[i].plane_pitch, grid[i].row_pitch, word[i] + 1);
            CMK_CHECK(cudaMemcpy(&unlike, word[i] + 1, sizeof unlike, cudaMemcpyDeviceToHost));
            if (unlike == 0) continue;
            fprintf(stderr, "gpus: %s: %u points of rank %d are not those of one device\n", name.c_str(), unlike, i);
            exit(EXIT_FAILURE);
        }
    }
};

/* ---- tables */

static double median(std::vector<double> t)
{
    std::sort(t.begin(), t.end());
    return t[t.size() / 2];
}

static void row(const std::string &what, const std::string &way, double ms, double share)
{
    printf("%-34s %-36s %9.4f ms %7.1f %%\n", what.c_str(), way.c_str(), ms, share);
    fflush(stdout);
    if (csv != NULL) fprintf(csv, "\"%s, %s\",%.5f,%.2f\n", what.c_str(), way.c_str(), ms, share);
}

#if defined(USE_NCCL)
static cmk_halo_transport nccl[TRANSPORTS][most];

/* communicators of all ranks, a device each, by which puts can go where there are any */
static int communicate(ncclComm_t *comms)
{
    ncclResult_t result = ncclSuccess;
#if HAS_PUTS
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    config.numRmaCtx = 1;
    result = ncclGetUniqueId(&id);
    if (result == ncclSuccess) result = ncclGroupStart();
    for (int i = 0; i < ranks && result == ncclSuccess; ++i) {
        CMK_CHECK(cudaSetDevice(i));
        result = ncclCommInitRankConfig(&comms[i], ranks, id, i, &config);
    }
    if (result == ncclSuccess) result = ncclGroupEnd();
#else
    std::vector<int> list;
    for (int i = 0; i < ranks; ++i) list.push_back(i);
    result = ncclCommInitAll(comms, ranks, list.data());
#endif
    return result == ncclSuccess;
}

/* registered memory has communicators of its own: NCCL knows it in all that a communicator sends */
static int connect_all(void)
{
    ncclComm_t registered[most], comms[most];
    if (!communicate(registered) || !communicate(comms)) return 0;
    for (int i = 0; i < ranks; ++i) {
        nccl[SENDS][i] = cmk_halo_nccl_registered(registered[i]);
        nccl[PLAIN][i] = cmk_halo_nccl(comms[i]);
#if HAS_PUTS
        nccl[PUTS][i] = cmk_halo_nccl_put(comms[i]);
#endif
    }
    return 1;
}
#endif

/* all ways of single steps, of so many planes a rank */
template <class D> static void table(const char *name, cmk_i64 planes, cmk_i64 side, int steps)
{
    const std::string what = std::string(name) + ", " + std::to_string(planes) + " x " + std::to_string(side) + " x " +
                             std::to_string(side) + " a GPU";
    parts<D> p(ranks, planes * ranks, side, side, D::reach, 1);
#if defined(USE_NCCL)
    for (int t = SENDS; t <= (HAS_PUTS ? PUTS : PLAIN); ++t) p.connect(t, nccl[t]);
#endif
    {
        parts<D> one(1, planes * ranks, side, side, D::reach, 1);
        one.reset();
        (void)one.time(AFTER, 0, 6);
        p.keep(one);
    }
    struct way_of {
        int way, transport;
        std::vector<double> times, shares;
    };
    std::vector<way_of> ways = {{NONE, 0, {}, {}}};
    for (int t = 0; t < p.transports; ++t)
        for (int way : {AFTER, BESIDE, FIRST, GRAPH})
            if (t == PLAIN ? way >= FIRST : t != SENDS || way != GRAPH) ways.push_back({way, t, {}, {}});
    for (way_of &w : ways) {
        if (w.way == NONE) continue;
        p.reset();
        (void)p.time(w.way, w.transport, 6);
        p.verify(what + ", " + name_of(w.way, w.transport));
    }
    p.forget();
    for (int turn = 0; turn < 11; ++turn)
        for (way_of &w : ways) {
            w.times.push_back(p.time(w.way, w.transport, steps));
            w.shares.push_back(100.0 * ways[0].times[turn] / w.times[turn]);
        }
    for (const way_of &w : ways) row(what, name_of(w.way, w.transport), median(w.times), median(w.shares));
}

/* the same of passes of 4 steps */
static void fused_table(cmk_i64 planes, cmk_i64 side, int steps)
{
    const int together = 4, ways[] = {NONE, AFTER, FIRST};
    const std::string what =
        "7 points, " + std::to_string(planes) + " x " + std::to_string(side) + "^2, 4 steps a pass";
    parts<seven> p(ranks, planes * ranks, side, side, together, 1);
    {
        parts<seven> one(1, planes * ranks, side, side, 1, 1);
        one.reset();
        (void)one.time(AFTER, 0, 2 * together);
        p.keep(one);
    }
    for (int way : {AFTER, FIRST}) {
        p.reset();
        (void)p.time(way, 0, 2, together);
        p.verify(what + ", " + way_names[way]);
    }
    p.forget();
    std::vector<double> times[3], shares[3];
    for (int turn = 0; turn < 11; ++turn)
        for (int k = 0; k < 3; ++k) {
            times[k].push_back(p.time(ways[k], 0, steps, together));
            shares[k].push_back(100.0 * times[0].back() / times[k].back());
        }
    for (int k = 0; k < 3; ++k)
        row(what, (k > 0 ? "copies, " : "") + std::string(way_names[ways[k]]), median(times[k]), median(shares[k]));
}

/* a grid on one GPU and on all: how many times as fast */
template <class D> static void strong(const char *name, cmk_i64 side, int steps)
{
    const std::string what = std::string(name) + ", " + std::to_string(side) + "^3, 1 and " + std::to_string(ranks);
    parts<D> one(1, side, side, side, D::reach, 0), p(ranks, side, side, side, D::reach, 0);
    one.reset();
    p.reset();
    std::vector<double> single, times, ratios;
    for (int turn = 0; turn < 11; ++turn) {
        single.push_back(one.time(NONE, 0, steps));
        times.push_back(p.time(FIRST, 0, steps));
        ratios.push_back(100.0 * single.back() / times.back());
    }
    row(what, "one GPU", median(single), 100.0);
    row(what, "copies, border first", median(times), median(ratios));
}

int main(int argc, char **argv)
{
    cudaDeviceProp device;
    CMK_CHECK(cudaGetDeviceCount(&devices));
    CMK_CHECK(cudaGetDeviceProperties(&device, 0));
    ranks = argc > 2 ? atoi(argv[2]) : devices > 2 ? devices : 2;
    if (argc > 3 || ranks < 1 || ranks > most || (argc > 1 && (csv = fopen(argv[1], "a")) == NULL)) {
        fprintf(stderr, "usage: %s [CSV [RANKS]], a file to append to, 1 to %d ranks\n", argv[0], (int)most);
        return EXIT_FAILURE;
    }
    if (csv != NULL) fprintf(csv, "kernel,milliseconds,percent of limit\n");
#if defined(USE_NCCL)
    if (ranks > devices || !connect_all()) {
        fprintf(stderr, "gpus: NCCL has no communicator of %d devices\n", ranks);
        return EXIT_FAILURE;
    }
#endif
    printf("%d ranks on %d x %s, CUDA %d.%d; shares are of the step without exchange\n", ranks, devices, device.name,
           CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100);
    table<seven>("7 points", 512, 512, 40);
    table<twenty_five>("25 points", 512, 512, 40);
    table<seven>("7 points", 512, 1024, 12);
    table<twenty_five>("25 points", 512, 1024, 12);
    fused_table(512, 512, 20);
    fused_table(512, 1024, 6);
    strong<seven>("7 points", 1024, 10);
    strong<twenty_five>("25 points", 1024, 10);
    return csv != NULL && fclose(csv) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
