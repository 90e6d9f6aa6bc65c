/* exchange.h: drawn exchanges, judged byte by byte. Each process has the ranks from `first` on; all processes draw the
 * same. What a ghost must hold is told by the coordinates of its point in the whole grid, of an element that no two
 * points, fields, levels or turns share. All else of a buffer must stay what it was. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <cmk/check.h>
#include <cmk/halo.h>
#include <random.h>
#include <tap.h>

enum { MOST_RANKS = 16, FIELDS = 3, TURNS = 3, UNTOUCHED = 0xee };
enum { SLABS, STAR, BOX, GROUPS };

typedef struct {
    int ranks, first, here; /* this process has the ranks first to first + here - 1 */
    cmk_halo_transport (*transport)(int rank, int ranks);
    int staged, one_sided;
    cudaError_t (*allocate)(void **memory, size_t bytes);
    cudaError_t (*release)(void *memory);
} world;

typedef struct {
    cmk_i64 global[3];
    int parts[3], periodic[3], shape, fields, reach[FIELDS][3], level[TURNS], has_next[FIELDS];
    size_t size[FIELDS];
} plan;

/* one field of one rank: its two buffers, and what is in them before and after each turn */
typedef struct {
    cmk_field field;
    cmk_i64 margin[3], extent[3];
    unsigned char *memory[2], *filled[TURNS], *seen[TURNS];
    size_t bytes;
} block;

typedef struct {
    cmk_halo halo[MOST_RANKS];
    block blocks[MOST_RANKS][FIELDS];
    cudaStream_t stream[MOST_RANKS];
} team;

static long long cases[GROUPS], ghosts[GROUPS];
static int wrongs[GROUPS];

static unsigned char value_of(int field, int turn, const cmk_i64 point[3], int byte)
{
    unsigned long long word = (unsigned long long)((point[0] * 1009 + point[1]) * 1013 + point[2]);
    word = (word * 31 + (unsigned)(field * 7 + turn)) * 17 + (unsigned)byte;
    return (unsigned char)((word * 0x9e3779b97f4a7c15u >> 40) % 0xee);
}

/* ---- Drawing */

static void draw_plan(plan *p, const world *w)
{
    const int slab = below(3) == 0, flat = below(5) == 0;
    p->fields = 1 + (int)below(FIELDS), p->shape = (int)below(2);
    for (int a = 0; a < 3; ++a) {
        p->parts[a] = slab && a == flat ? w->ranks : 0;
        p->periodic[a] = below(2) && !(flat && a == 0);
        p->global[a] = flat && a == 0 ? 1 : 4 + (cmk_i64)below(9) + (p->parts[a] ? 2 * w->ranks : 0);
    }
    for (int i = 0; i < p->fields; ++i) {
        const int only = below(3) == 0; /* reach along one axis: slabs may be */
        p->size[i] = below(3) ? (size_t)1 << below(5) : 1 + below(16);
        p->has_next[i] = (int)below(2);
        for (int a = 0; a < 3; ++a) p->reach[i][a] = only && a != flat ? 0 : (int)below(4);
        if (slab && i > 0 && below(2))
            for (int a = 0; a < 3; ++a) p->reach[i][a] = a == flat ? p->reach[i][a] : p->reach[0][a];
    }
    for (int t = 0; t < TURNS; ++t) p->level[t] = w->one_sided ? t : t ? (int)below(4) : 0;
}

static void draw_block(block *b, const plan *p, const world *w, int field, const cmk_grid *grid)
{
    b->field.size = p->size[field];
    for (int a = 0; a < 3; ++a) {
        b->field.reach[a] = p->reach[field][a];
        b->margin[a] = p->reach[field][a] + (cmk_i64)below(3);
        if (w->one_sided && a == 0 && grid->global[0] == 1) b->margin[a] = 0; /* slabs need the same place in a page */
        b->extent[a] = b->margin[a] + grid->count[a] + p->reach[field][a] + (cmk_i64)below(3);
    }
    b->field.row_pitch = b->extent[2];
    b->field.plane_pitch = b->extent[1] * b->extent[2] + (cmk_i64)below(2) * 5;
    b->bytes = (size_t)(b->extent[0] * b->field.plane_pitch) * b->field.size;
    for (int k = 0; k < 1 + p->has_next[field]; ++k) {
        const cmk_i64 first = b->margin[0] * b->field.plane_pitch + b->margin[1] * b->extent[2] + b->margin[2];
        CMK_CHECK(w->allocate((void **)&b->memory[k], b->bytes));
        *(k ? &b->field.next : &b->field.data) = b->memory[k] + (size_t)first * b->field.size;
    }
    for (int t = 0; t < TURNS; ++t) {
        CMK_CHECK(cudaMallocHost((void **)&b->filled[t], b->bytes));
        CMK_CHECK(cudaMallocHost((void **)&b->seen[t], b->bytes));
    }
}

/* ---- The oracle */

/* whether slabs may go with what is between their rows, as halo.h says: the axis of their planes, or -1 */
static int slab_axis(const plan *p, const cmk_grid *grid, int staged)
{
    int axis = -1, axes = 0;
    for (int a = 0; a < 3; ++a) {
        int used = grid->parts[a] > 1;
        for (int i = 0; i < p->fields; ++i) used |= p->reach[i][a] > 0 && cmk_grid_has_neighbours(grid, a);
        if (used) axis = a, ++axes;
    }
    for (int a = 0; a < axis; ++a)
        if (grid->global[a] > 1) return -1;
    return axes == 1 && !staged ? axis : -1;
}

/* 1: a point that the part owns; 2: a ghost; 0: neither. point: where it is in the whole grid */
static int kind_of(const cmk_i64 at[3], const cmk_field *f, const cmk_grid *grid, int shape, cmk_i64 point[3])
{
    int axes = 0;
    for (int a = 0; a < 3; ++a) {
        const int beyond = at[a] < 0 || at[a] >= grid->count[a];
        point[a] = grid->first[a] + at[a];
        if (beyond && (at[a] < -f->reach[a] || at[a] >= grid->count[a] + f->reach[a])) return 0;
        if ((point[a] < 0 || point[a] >= grid->global[a]) && !grid->periodic[a]) return 0;
        point[a] = (point[a] + 4 * grid->global[a]) % grid->global[a];
        axes += beyond;
    }
    return axes == 0 ? 1 : axes == 1 || shape == CMK_HALO_BOX ? 2 : 0;
}

/* the offset of a point, in elements */
static cmk_i64 offset_of(const block *b, const cmk_i64 at[3])
{
    return (b->margin[0] + at[0]) * b->field.plane_pitch + (b->margin[1] + at[1]) * b->field.row_pitch + b->margin[2] +
           at[2];
}

/* whether an offset is in the span of a ghost slab */
static int in_slab(const block *b, const cmk_grid *grid, int axis, cmk_i64 offset)
{
    for (int side = 0; axis >= 0 && side < 2; ++side) {
        cmk_i64 low[3] = {0, 0, 0}, high[3];
        for (int a = 0; a < 3; ++a) high[a] = grid->count[a] - 1;
        low[axis] = side ? grid->count[axis] : -b->field.reach[axis];
        high[axis] = side ? grid->count[axis] + b->field.reach[axis] - 1 : -1;
        if (offset >= offset_of(b, low) && offset <= offset_of(b, high)) return 1;
    }
    return 0;
}

/* fills (seen == NULL), or counts the bytes that are wrong */
static int walk(block *b, const plan *p, const cmk_grid *grid, int field, int turn, int axis, const unsigned char *seen)
{
    int bad = 0;
    for (cmk_i64 e = 0; e < (cmk_i64)(b->bytes / b->field.size); ++e) {
        const cmk_i64 plane = e % b->field.plane_pitch;
        const cmk_i64 at[3] = {e / b->field.plane_pitch - b->margin[0], plane / b->field.row_pitch - b->margin[1],
                               plane % b->field.row_pitch - b->margin[2]};
        cmk_i64 point[3];
        const int inside = plane < b->extent[1] * b->extent[2];
        const int kind = inside ? kind_of(at, &b->field, grid, p->shape, point) : 0;
        const int known = kind == 1 || (kind == 2 && seen);
        if (seen && kind == 2) ++ghosts[p->shape];
        if (seen && kind == 0 && in_slab(b, grid, axis, e)) continue;
        for (int k = 0; k < (int)b->field.size; ++k) {
            const unsigned char wanted = known ? value_of(field, turn, point, k) : (unsigned char)UNTOUCHED;
            const size_t byte = (size_t)e * b->field.size + (size_t)k;
            if (seen)
                bad += seen[byte] != wanted;
            else
                b->filled[turn][byte] = wanted;
        }
    }
    return bad;
}

/* ---- A case */

static void make(team *t, const plan *p, const world *w)
{
    const unsigned long long drawn = random_state;
    int devices = 1;
    CMK_CHECK(cudaGetDeviceCount(&devices));
    for (int r = 0; r < w->here; ++r) {
        cmk_grid grid;
        cmk_field fields[FIELDS];
        random_state = drawn; /* slabs that go as they lie need the same pitches */
        CMK_CHECK(cudaSetDevice((w->first + r) % devices));
        if (!cmk_grid_split(&grid, w->first + r, w->ranks, p->global, p->parts, p->periodic)) exit(EXIT_FAILURE);
        CMK_CHECK(cudaStreamCreateWithFlags(&t->stream[r], cudaStreamNonBlocking));
        for (int i = 0; i < p->fields; ++i) {
            memset(&t->blocks[r][i], 0, sizeof t->blocks[r][i]);
            draw_block(&t->blocks[r][i], p, w, i, &grid);
            fields[i] = t->blocks[r][i].field;
            for (int turn = 0; turn < TURNS; ++turn) walk(&t->blocks[r][i], p, &grid, i, turn, -1, NULL);
        }
        const cudaError_t error =
            cmk_halo_create(&t->halo[r], &grid, w->transport(w->first + r, w->ranks), p->shape, fields, p->fields);
        if (error != cudaSuccess) printf("# %s\n", t->halo[r].why), exit(EXIT_FAILURE);
    }
}

/* the buffer of a field that holds a level */
static unsigned char *buffer_of(const block *b, int level)
{
    return b->memory[level % 2 && b->memory[1] ? 1 : 0];
}

/* all of a buffer before a turn, or what the part owns, where ghosts may come already */
static void fill_block(const block *b, const cmk_grid *grid, int turn, unsigned char *device, int owned,
                       cudaStream_t stream)
{
    const size_t size = b->field.size, pitch = (size_t)b->field.row_pitch * size;
    if (!owned) CMK_CHECK(cudaMemcpyAsync(device, b->filled[turn], b->bytes, cudaMemcpyDefault, stream));
    for (cmk_i64 z = 0; owned && z < grid->count[0]; ++z) {
        const cmk_i64 first[3] = {z, 0, 0};
        const size_t at = (size_t)offset_of(b, first) * size;
        CMK_CHECK(cudaMemcpy2DAsync(device + at, pitch, b->filled[turn] + at, pitch, (size_t)grid->count[2] * size,
                                    (size_t)grid->count[1], cudaMemcpyDefault, stream));
    }
}

static void fill_all(team *t, const plan *p, const world *w, int turn)
{
    for (int r = 0; r < w->here; ++r)
        for (int i = 0; i < p->fields; ++i) {
            const block *const b = &t->blocks[r][i];
            CMK_CHECK(cudaSetDevice(t->halo[r].device));
            for (int k = 0; turn == 0 && k < 2; ++k)
                if (b->memory[k]) fill_block(b, &t->halo[r].grid, 0, b->memory[k], 0, t->stream[r]);
            if (turn > 0)
                fill_block(b, &t->halo[r].grid, turn, buffer_of(b, p->level[turn]), w->one_sided, t->stream[r]);
        }
}

static void see_all(team *t, const plan *p, const world *w, int turn)
{
    for (int r = 0; r < w->here; ++r)
        for (int i = 0; i < p->fields; ++i) {
            const block *const b = &t->blocks[r][i];
            CMK_CHECK(cudaSetDevice(t->halo[r].device));
            CMK_CHECK(cudaMemcpyAsync(b->seen[turn], buffer_of(b, p->level[turn]), b->bytes, cudaMemcpyDefault,
                                      t->stream[r]));
        }
}

/* Every turn is filled, exchanged and read in the order of the streams: the host waits for nothing in between. Turn 0
 * is that of connect. */
static void exchange(team *t, const plan *p, const world *w)
{
    cudaError_t error = cudaSuccess;
    fill_all(t, p, w, 0);
    error = cmk_halo_connect_all(t->halo, w->here);
    see_all(t, p, w, 0);
    for (int turn = 1; turn < TURNS && error == cudaSuccess; ++turn) {
        fill_all(t, p, w, turn);
        error = cmk_halo_begin_all(t->halo, w->here, p->level[turn], t->stream);
        if (error == cudaSuccess) error = cmk_halo_end_all(t->halo, w->here, t->stream);
        see_all(t, p, w, turn);
    }
    for (int r = 0; r < w->here && error == cudaSuccess; ++r) error = cmk_halo_wait(&t->halo[r], t->stream[r]);
    if (error != cudaSuccess) printf("# %s\n", t->halo[0].why), exit(EXIT_FAILURE);
}

static void tell(const plan *p, const cmk_grid *grid, int field, int turn, int bad)
{
    printf("# rank %d of %d, field %d, turn %d: %d bytes wrong: global %lld %lld %lld, parts %d %d %d, periodic %d %d "
           "%d, %s, reach %d %d %d, size %d, level %d\n",
           grid->rank, grid->ranks, field, turn, bad, grid->global[0], grid->global[1], grid->global[2], grid->parts[0],
           grid->parts[1], grid->parts[2], grid->periodic[0], grid->periodic[1], grid->periodic[2],
           p->shape == CMK_HALO_BOX ? "box" : "star", p->reach[field][0], p->reach[field][1], p->reach[field][2],
           (int)p->size[field], p->level[turn]);
}

static int judge(team *t, const plan *p, const world *w)
{
    int bad = 0;
    for (int r = 0; r < w->here; ++r) {
        const cmk_grid *const grid = &t->halo[r].grid;
        const int axis = slab_axis(p, grid, w->staged);
        for (int i = 0; i < p->fields; ++i)
            for (int turn = 0; turn < TURNS; ++turn) {
                const int found = walk(&t->blocks[r][i], p, grid, i, turn, axis, t->blocks[r][i].seen[turn]);
                if (found && wrongs[SLABS] + wrongs[STAR] + wrongs[BOX] < 4) tell(p, grid, i, turn, found);
                bad += found;
            }
    }
    return bad;
}

static void clear(team *t, const plan *p, const world *w)
{
    CMK_CHECK(cmk_halo_destroy_all(t->halo, w->here));
    for (int r = 0; r < w->here; ++r) {
        for (int i = 0; i < p->fields; ++i) {
            const block *const b = &t->blocks[r][i];
            for (int k = 0; k < 2; ++k)
                if (b->memory[k]) CMK_CHECK(w->release(b->memory[k]));
            for (int turn = 0; turn < TURNS; ++turn) {
                CMK_CHECK(cudaFreeHost(b->filled[turn]));
                CMK_CHECK(cudaFreeHost(b->seen[turn]));
            }
        }
        CMK_CHECK(cudaStreamDestroy(t->stream[r]));
    }
}

/* a reach is no larger than the smallest part */
static int fit(plan *p, const world *w)
{
    cmk_grid grid;
    if (!cmk_grid_split(&grid, 0, w->ranks, p->global, p->parts, p->periodic)) return 0;
    for (int i = 0; i < p->fields; ++i)
        for (int a = 0; a < 3; ++a)
            if (p->reach[i][a] > cmk_grid_smallest(&grid, a)) p->reach[i][a] = (int)cmk_grid_smallest(&grid, a);
    return 1;
}

static void run_case(const world *w)
{
    static team t;
    plan p;
    memset(&p, 0, sizeof p);
    draw_plan(&p, w);
    if (!fit(&p, w)) return;
    make(&t, &p, w);
    exchange(&t, &p, w);
    const int group = slab_axis(&p, &t.halo[0].grid, w->staged) >= 0 ? SLABS : p.shape == CMK_HALO_BOX ? BOX : STAR;
    const int bad = judge(&t, &p, w);
    ++cases[group], wrongs[group] += bad != 0;
    clear(&t, &p, w);
}

/* a check of each group that was drawn, and at least one */
static void judge_groups(const int bad[GROUPS], const char *whose)
{
    static const char *const groups[GROUPS] = {"slabs", "star", "box"};
    for (int g = 0; g < GROUPS; ++g)
        tap_check(cases[g] > 0 && bad[g] == 0, "%s: ghosts and all else, %lld random exchanges, %s", groups[g],
                  cases[g], whose);
    printf("# %lld ghosts of stars, %lld of boxes\n", ghosts[CMK_HALO_STAR], ghosts[CMK_HALO_BOX]);
}

#endif
