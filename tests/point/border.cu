/* Which blocks of a launch are of the border: on the host, of drawn launches, every tile of every chunk is one block's,
 * the blocks of the border come first and have all of its points, and each counts behind the last of these that it has;
 * and on the device, the word has not reached its count while a point of the border is updated. */
#include <cmk/kernel/bordered.h>
#include <cmk/kernel/stencil2d.h>
#include <cmk/kernel/stencil3d.h>
#include <cmk/check.h>
#include "random.h"
#include "tap.h"

typedef struct {
    unsigned *arrived;
    int low[3], high[3]; /* of the grid, what is between the borders */
    unsigned total, *early, *inside;
} watch;

/* a border point that is updated when all blocks have counted is early; how many points are of the border is counted */
#define LOOK(at)                                                                                                       \
    const int in_border = at(0, CMK_POINT_PLANE) || at(1, CMK_POINT_ROW) || at(2, CMK_POINT_COLUMN);                   \
    if (CMK_POINT_MINE && in_border) atomicAdd(w.inside, 1u);                                                          \
    if (CMK_POINT_MINE && in_border && atomicAdd(w.arrived, 0u) >= w.total) atomicAdd(w.early, 1u);
#define OUT_OF(axis, i) ((i) < w.low[axis] || (i) >= w.high[axis])
#define SEES(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, watch, w)
CMK_POINT_3D(deep, SEES)
{
    LOOK(OUT_OF)
    CMK_POINT_SET(u, 0.5f * CMK_POINT_HERE(u) + 0.25f * (CMK_POINT_AT(u, 1, 0, 0) + CMK_POINT_AT(u, 0, 0, -1)));
}
CMK_DEFINE_STENCIL3D(deep, SEES);
CMK_DEFINE_BORDERED(deep, SEES);
CMK_POINT_2D(flat, SEES)
{
    LOOK(OUT_OF)
    CMK_POINT_SET(u, 0.5f * CMK_POINT_HERE(u) + 0.25f * (CMK_POINT_AT(u, 1, 0) + CMK_POINT_AT(u, 0, -1)));
}
CMK_DEFINE_STENCIL2D(flat, SEES);
CMK_DEFINE_BORDERED(flat, SEES);

static float *managed(size_t count)
{
    float *memory = NULL;
    CMK_CHECK(cudaMallocManaged((void **)&memory, (count + 1) * sizeof *memory, cudaMemAttachGlobal));
    for (size_t k = 0; k < count; ++k) memory[k] = (float)below(1024) / 1024;
    return memory;
}

static cmk_point_border draw_border(const size_t sizes[3], unsigned *word)
{
    cmk_point_border border;
    memset(&border, 0, sizeof border);
    for (int axis = 0; axis < 3; ++axis) {
        border.low[axis] = below(2) ? below(sizes[axis] < 9 ? sizes[axis] + 1 : 9) : 0;
        border.high[axis] = below(2) ? below(sizes[axis] < 9 ? sizes[axis] + 1 : 9) : 0;
    }
    border.arrived = word;
    return border;
}

static watch watch_of(const size_t sizes[3], const cmk_point_border *border, unsigned *words, unsigned total)
{
    watch w;
    w.arrived = words, w.early = words + 1, w.inside = words + 2, w.total = total;
    for (int axis = 0; axis < 3; ++axis) {
        const size_t high = border->high[axis] < sizes[axis] ? sizes[axis] - border->high[axis] : 0;
        w.low[axis] = (int)border->low[axis], w.high[axis] = (int)high;
    }
    return w;
}

/* points of the border: all but those between */
static unsigned border_points(const size_t sizes[3], const watch *w)
{
    size_t all = 1, between = 1;
    for (int axis = 0; axis < 3; ++axis) {
        all *= sizes[axis];
        between *= w->high[axis] > w->low[axis] ? (size_t)(w->high[axis] - w->low[axis]) : 0;
    }
    return (unsigned)(all - between);
}

/* a step of a grid by name, one that says how many blocks count, and one that looks */
#define TEST(name, DOMAIN, PLANES)                                                                                     \
    static int run_##name(unsigned *words)                                                                             \
    {                                                                                                                  \
        const size_t columns = PLANES == 1 && below(2) ? 118 + below(20) : below(below(4) == 0 ? 300 : 60);            \
        const size_t sizes[3] = {1 + below(PLANES), 1 + below(40), 1 + columns};                                       \
        const size_t pitch = below(2) ? (sizes[2] + 3) / 4 * 4 : sizes[2] + below(3),                                  \
                     count = sizes[0] * sizes[1] * pitch;                                                              \
        cmk_point_border border = draw_border(sizes, words);                                                           \
        if (PLANES == 1) border.low[0] = border.high[0] = 0;                                                           \
        watch w = watch_of(sizes, &border, words, ~0u);                                                                \
        name##_grid a = DOMAIN, b;                                                                                     \
        a.u = managed(count), a.u_next = managed(count);                                                               \
        float *const right = managed(count);                                                                           \
        b = a, b.u_next = right;                                                                                       \
        memset(words, 0, 3 * sizeof *words);                                                                           \
        CMK_CHECK(name(&b, w, 0));                                                                                     \
        b = a;                                                                                                         \
        CMK_CHECK(name##_bordered(&b, &border, w, 0));                                                                 \
        CMK_CHECK(cudaDeviceSynchronize());                                                                            \
        int wrong = words[0] != border.count || words[1] != 0;                                                         \
        w.total = border.count;                                                                                        \
        border.count = 0, b = a;                                                                                       \
        memset(words, 0, 3 * sizeof *words);                                                                           \
        CMK_CHECK(name##_bordered(&b, &border, w, 0));                                                                 \
        CMK_CHECK(cudaDeviceSynchronize());                                                                            \
        wrong += words[0] != w.total || words[1] != 0 || words[2] != border_points(sizes, &w);                         \
        for (size_t k = 0; k < count; ++k)                                                                             \
            if (k % pitch < sizes[2]) wrong += memcmp(&right[k], &b.u[k], sizeof *right) != 0;                         \
        if (wrong > 0)                                                                                                 \
            printf("# %zu x %zu x %zu, border %zu %zu, %zu %zu, %zu %zu: %u of %u counted, %u early, %u looked at\n",  \
                   sizes[0], sizes[1], sizes[2], border.low[0], border.high[0], border.low[1], border.high[1],         \
                   border.low[2], border.high[2], words[0], w.total, words[1], words[2]);                              \
        CMK_CHECK(cudaFree(a.u));                                                                                      \
        CMK_CHECK(cudaFree(a.u_next));                                                                                 \
        CMK_CHECK(cudaFree(right));                                                                                    \
        return wrong;                                                                                                  \
    }
TEST(deep, deep_domain(sizes[0], sizes[1], sizes[2], sizes[1] * pitch, pitch), 30)
TEST(flat, flat_domain(sizes[1], sizes[2], pitch), 1)

#if !defined(__CUDACC__)

/* the planes of a block that count, of the border that it is to have */
static int counts_in_time(const cmk_point_task_ *task, const cmk_point_inward_ *in, cmk_point_where_ block,
                          const cmk_point_border *border, int rim)
{
    cmk_point_place_ p;
    memset(&p, 0, sizeof p);
    p.plane = task->planes.first + (int)block.behind * task->deep;
    const cmk_point_chunk_ chunk = cmk_point_chunk_inward_(task, in, block, &p);
    const int low = task->planes.first + (int)border->low[0], high = task->planes.end - (int)border->high[0];
    int last = -1;
    for (int plane = p.plane; plane < chunk.end; ++plane)
        if (rim || plane < low || plane >= high) last = plane;
    return last < 0 ? 1 : block.border && chunk.told > last && chunk.told <= chunk.end;
}

/* a launch that marches over drawn sizes; 1 where a block is missing, or comes or counts too late */
static int wrong_blocks(void)
{
    cmk_point_sizes_ s;
    cmk_point_call_ c;
    unsigned blocks, borders = 0;
    static char seen[40 * 40 * 40];
    const size_t sizes[3] = {1 + below(70), 1 + below(90), 1 + below(700)};
    const cmk_point_definition_ d = deep_definition_();
    cmk_point_task_ *const task = &c.task;
    memset(&s, 0, sizeof s);
    memset((void *)&c, 0, sizeof c);
    memset(seen, 0, sizeof seen);
    s.first_plane = below(4), s.first_row = below(5), s.first_column = below(9);
    s.planes = s.end_plane = s.first_plane + sizes[0], s.rows = s.end_row = s.first_row + sizes[1];
    s.columns = s.end_column = s.first_column + sizes[2];
    cmk_point_begin_task_(&s, task);
    task->rings = task->aligned = 1;
    CMK_CHECK(cmk_point_divide_(&s, d, NULL, task, &blocks, &c.why));
    cmk_point_border border = draw_border(sizes, NULL);
    c.border = &border;
    c.passes.d = d;
    CMK_CHECK(cmk_point_plan_border_(&c, &s, &blocks));
    int wrong = blocks > sizeof seen;
    for (unsigned i = 0; i < blocks && wrong == 0; ++i) {
        const cmk_point_where_ block = cmk_point_inward_of_(task, &c.inward, i);
        const unsigned at = (block.behind * task->down + block.down) * task->across + block.across;
        const int height = task->teams * cmk_point_tile_rows_(d, 1), width = task->wide * d.lanes;
        const int top = (int)block.down * height, left = task->start - (int)s.first_column + (int)block.across * width;
        const int rim = top < (int)border.low[1] || (border.low[2] > 0 && left < (int)border.low[2]) ||
                        (border.high[1] > 0 && top + height > (int)sizes[1] - (int)border.high[1]) ||
                        (border.high[2] > 0 && left + width > (int)sizes[2] - (int)border.high[2]);
        wrong += at >= blocks || seen[at]++ || (block.border && i >= c.counts + c.inward.ahead);
        wrong += !counts_in_time(task, &c.inward, block, &border, rim);
        borders += (unsigned)block.border;
    }
    return wrong + (borders != c.counts);
}

/* Shapes whose planes, cut anew, come to fewer chunks than before. All blocks that go before the border's last ones are
 * of the other chunks: else a block of the border would never count. Value: how many shapes are wrong. */
static int wrong_ahead(void)
{
    int wrong = 0;
    const cmk_point_definition_ d = deep_definition_();
    for (unsigned tiles = 1; tiles <= 300; ++tiles)
        for (size_t planes = 8; planes <= 100; ++planes)
            for (size_t deep = 3; deep <= 9; ++deep) {
                cmk_point_task_ task;
                cmk_point_inward_ in;
                memset((void *)&task, 0, sizeof task);
                memset(&in, 0, sizeof in);
                task.across = 1, task.down = tiles, task.deep = (int)deep;
                in.chunks = (unsigned)((planes - 1) / deep + 1);
                cmk_point_cut_end_(d, planes, 2, 132, &task, &in);
                wrong += in.ahead > tiles * (in.chunks - 1);
            }
    return wrong;
}

static void test_blocks(void)
{
    const int ahead = wrong_ahead();
    tap_check(ahead == 0, "blocks before the border's last planes are not of them: %d shapes", ahead);
    int wrong = 0;
    for (int k = 0; k < 3000; ++k) wrong += wrong_blocks();
    tap_check(wrong == 0, "3000 launches: blocks of the border come first, and count in time: %d do not", wrong);
}

#else
#define test_blocks() (void)0
#endif

int main(void)
{
    unsigned *words;
    int wrong_deep = 0, wrong_flat = 0;
    tap_need_device();
    CMK_CHECK(cudaMallocManaged((void **)&words, 3 * sizeof *words, cudaMemAttachGlobal));
    for (int k = 0; k < 60; ++k) wrong_deep += run_deep(words);
    for (int k = 0; k < 300; ++k) wrong_flat += run_flat(words);
    tap_check(wrong_deep == 0, "3D: the word counts once, behind the border: %d wrong", wrong_deep);
    tap_check(wrong_flat == 0, "2D: the word counts once, behind the border: %d wrong", wrong_flat);
    test_blocks();
    CMK_CHECK(cudaFree(words));
    return tap_done();
}
